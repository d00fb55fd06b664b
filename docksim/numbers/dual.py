"""Numbers that carry their exact derivatives: forward-mode differentiation by dual numbers.

A `Dual` has a value and its slopes with respect to all chosen directions, as one array. Arithmetic follows the rules of
differentiation to rounding: no step size, no truncation. Comparisons look at the value alone, so a branch is
differentiated as it is taken. The slope of a square root at zero is not a number unless its argument is constant:
what depends on it shows.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from docksim.algebra.elementary import atan2, cos, sin
from docksim.numbers.plain import Valued, value_of


class Dual(Valued):
    """A value with its slopes."""

    __slots__ = ("slope", "value")
    value: float

    def __init__(self, value: float, slope: np.ndarray) -> None:
        self.value = value
        self.slope = slope

    def __add__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value + other.value, self.slope + other.slope)
        return Dual(self.value + other, self.slope)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value - other.value, self.slope - other.slope)
        return Dual(self.value - other, self.slope)

    def __rsub__(self, other: Any) -> Dual:
        return Dual(other - self.value, -self.slope)

    def __mul__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            return Dual(self.value * other.value, self.value * other.slope + other.value * self.slope)
        return Dual(self.value * other, other * self.slope)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        if isinstance(other, Dual):
            value = self.value / other.value
            return Dual(value, (self.slope - value * other.slope) / other.value)
        return Dual(self.value / other, self.slope / other)

    def __rtruediv__(self, other: Any) -> Dual:
        value = other / self.value
        return Dual(value, (-value / self.value) * self.slope)

    def __neg__(self) -> Dual:
        return Dual(-self.value, -self.slope)

    def __abs__(self) -> Dual:
        return self if self.value >= 0.0 else -self

    def __eq__(self, other: object) -> bool:
        return self.value == value_of(other)


def slope_of(x: Any, size: int) -> np.ndarray:
    """The slopes of a number; zero for a constant."""
    return x.slope if isinstance(x, Dual) else np.zeros(size)


def _sqrt(x: Any) -> Any:
    if not isinstance(x, Dual):
        return math.sqrt(x)
    root = math.sqrt(x.value)
    if root == 0.0:
        return Dual(0.0, np.where(x.slope == 0.0, 0.0, np.nan))
    return Dual(root, x.slope / (2.0 * root))


def _sin(x: Any) -> Any:
    return Dual(sin(x.value), cos(x.value) * x.slope) if isinstance(x, Dual) else sin(x)


def _cos(x: Any) -> Any:
    return Dual(cos(x.value), -sin(x.value) * x.slope) if isinstance(x, Dual) else cos(x)


def _atan2(y: Any, x: Any) -> Any:
    if not isinstance(y, Dual) and not isinstance(x, Dual):
        return atan2(y, x)
    a, b = value_of(y), value_of(x)
    slope = 0.0
    if isinstance(y, Dual):
        slope = slope + b * y.slope
    if isinstance(x, Dual):
        slope = slope - a * x.slope
    return Dual(atan2(a, b), slope / (a * a + b * b))


# stands for the module `math` in kernels that work on duals
dual_math = SimpleNamespace(
    pi=math.pi, inf=math.inf, sqrt=_sqrt, sin=_sin, cos=_cos, atan2=_atan2, floor=lambda x: math.floor(value_of(x))
)

"""A number that counts the operations done with it, and compiled kernels as plain Python that works on such numbers.

A `Counted` number stands for data: its value is not known when the code is written. A plain float is a constant of the
code. With `drop=True` a tally leaves out what a symbolic simplifier would: sums with 0, products with 0, 1 and -1, and
whatever follows from them; the zeros and ones that a kernel stores in its tables then count as constants too. Without
it every operation that touches data, or that reads a table, counts. Signs, comparisons and absolute values are free.
A counted number refuses to become a float, so no operation can escape.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from docksim.algebra import elementary
from docksim.numbers.plain import Valued, value_of
from docksim.numbers.plain import plain as plain_kernel

KINDS = ("multiplications", "additions", "divisions", "square roots", "trigonometric calls")
MULTIPLY, ADD, DIVIDE, ROOT, TRIG = KINDS


class Tally:
    """Counts of one run."""

    def __init__(self, drop: bool = False) -> None:
        self.drop = drop
        self.counts: Counter[str] = Counter()

    def number(self, value: float) -> Counted:
        return Counted(float(value), self)

    def cells(self, values: Any) -> Cells:
        """An array of data."""
        values = np.asarray(values, float)
        made = np.empty(values.shape, object)
        for place in np.ndindex(values.shape):
            made[place] = self.number(values[place])
        return self._owned(made)

    def blank(self, shape: int | tuple[int, ...]) -> Cells:
        """An array of zeros to write into."""
        made = self._owned(np.empty(shape, object))
        made[...] = 0.0
        return made

    def _owned(self, array: np.ndarray) -> Cells:
        made = array.view(Cells)
        made.tally = self
        return made

    def row(self) -> tuple[int, ...]:
        return tuple(self.counts[kind] for kind in KINDS)


class Counted(Valued):
    """A number of a tally."""

    __slots__ = ("tally", "value")
    value: float

    def __init__(self, value: float, tally: Tally) -> None:
        self.value = value
        self.tally = tally

    def _done(self, kind: str, value: float) -> Counted:
        self.tally.counts[kind] += 1
        return Counted(value, self.tally)

    def _constant(self, other: Any, *values: float) -> bool:
        """Whether the other operand is a constant of these values that a simplifier would drop."""
        return self.tally.drop and not isinstance(other, Counted) and other in values

    def __add__(self, other: Any) -> Counted:
        return self if self._constant(other, 0) else self._done(ADD, self.value + value_of(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Counted:
        return self if self._constant(other, 0) else self._done(ADD, self.value - value_of(other))

    def __rsub__(self, other: Any) -> Counted:
        return -self if self._constant(other, 0) else self._done(ADD, value_of(other) - self.value)

    def __mul__(self, other: Any) -> Any:
        if self._constant(other, 0):
            return 0.0
        if self._constant(other, 1, -1):
            return self if other == 1 else -self
        return self._done(MULTIPLY, self.value * value_of(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Counted:
        if self._constant(other, 1, -1):
            return self if other == 1 else -self
        return self._done(DIVIDE, self.value / value_of(other))

    def __rtruediv__(self, other: Any) -> Any:
        return 0.0 if self._constant(other, 0) else self._done(DIVIDE, value_of(other) / self.value)

    def __neg__(self) -> Counted:
        return Counted(-self.value, self.tally)

    def __abs__(self) -> Counted:
        return Counted(abs(self.value), self.tally)


class Cells(np.ndarray):
    """A table of numbers. What is stored in it becomes data, unless the tally drops constants."""

    tally: Tally

    def __array_finalize__(self, source: Any) -> None:
        if source is not None and hasattr(source, "tally"):
            self.tally = source.tally

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(value, (float, int)) and not self.tally.drop:
            value = self.tally.number(value)
        super().__setitem__(place, value)


def values_of(array: Any) -> np.ndarray:
    """The values of an array of counted numbers and constants."""
    array = np.asarray(array, object)
    return np.array([value_of(x) for x in array.ravel()], float).reshape(array.shape)


def _counting(kind: str, function: Callable[..., float]) -> Callable[..., Any]:
    def counted(*arguments: Any) -> Any:
        value = function(*(value_of(x) for x in arguments))
        own = [x for x in arguments if isinstance(x, Counted)]
        return own[0]._done(kind, value) if own else value

    return counted


_TRIG = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2")
counting_math = SimpleNamespace(
    pi=math.pi, sqrt=_counting(ROOT, math.sqrt), **{name: _counting(TRIG, getattr(elementary, name)) for name in _TRIG}
)


def plain(function: Any) -> FunctionType:
    """A kernel, and all that it calls, as plain Python with a `math` that counts; compiled or not."""
    return plain_kernel(function, counting_math)

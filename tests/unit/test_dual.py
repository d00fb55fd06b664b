"""Dual numbers: every operation against its complex step, which is exact to rounding too."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from docksim.numbers.dual import Dual, dual_math, slope_of
from docksim.numbers.plain import value_of

STEP = 1e-30  # a complex step has no cancellation, so it may be as short as one likes

OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda x, y, m: x + y + 2.0 + (1.0 + x),
    "difference": lambda x, y, m: x - y - 2.0 + (1.0 - x),
    "product": lambda x, y, m: x * y * 3.0 * (2.0 * x),
    "quotient": lambda x, y, m: x / y / 3.0 + 2.0 / (x * y),
    "sign": lambda x, y, m: -x * y,
    "root": lambda x, y, m: m.sqrt(x * x + y),
    "sine": lambda x, y, m: m.sin(x * y),
    "cosine": lambda x, y, m: m.cos(x / y),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_slopes_are_those_of_a_complex_step(name: str) -> None:
    operation = OPERATIONS[name]
    x, y = 0.7, 1.9
    found = operation(Dual(x, np.array([1.0, 0.0])), Dual(y, np.array([0.0, 1.0])), dual_math)
    expected = [operation(x + STEP * 1j, y, cmath).imag / STEP, operation(x, y + STEP * 1j, cmath).imag / STEP]
    assert found.value == operation(x, y, math)
    # a few roundings
    np.testing.assert_allclose(found.slope, expected, rtol=1e-14)


@pytest.mark.parametrize(("y", "x"), [(0.3, 0.8), (0.3, -0.8), (-2.0, 0.1)])
def test_angle_of_a_vector_turns_across_it(y: float, x: float) -> None:
    found = dual_math.atan2(Dual(y, np.array([1.0, 0.0])), Dual(x, np.array([0.0, 1.0])))
    assert found.value == math.atan2(y, x)
    np.testing.assert_allclose(found.slope, np.array([x, -y]) / (x * x + y * y), rtol=1e-15)
    half = dual_math.atan2(Dual(y, np.array([1.0])), x), dual_math.atan2(y, Dual(x, np.array([1.0])))
    np.testing.assert_allclose([half[0].slope[0], half[1].slope[0]], found.slope, rtol=1e-15)


def test_branches_are_taken_by_the_value() -> None:
    x, one = Dual(-0.5, np.array([2.0])), np.array([1.0])
    assert abs(x).slope[0] == -2.0
    assert min(max(x, -0.1), 0.1) == -0.1
    assert slope_of(min(max(x, -0.1), 0.1), 1)[0] == 0.0
    assert max(x, -1.0) is x
    assert dual_math.floor(Dual(1.7, one)) == 1
    assert value_of(x) < 0.0 <= Dual(0.0, one)
    assert Dual(1.0, one) == 1.0 != Dual(2.0, one)


def test_root_has_no_slope_at_zero_unless_nothing_moves_it() -> None:
    found = dual_math.sqrt(Dual(0.0, np.array([1.0, 0.0])))
    assert found.value == 0.0
    assert np.isnan(found.slope[0])
    assert found.slope[1] == 0.0

"""The counting numbers count right, and what they count of a leg is a property of the code, not of the numbers."""

import math

import numpy as np
import pytest

from benchmarks.operation_counts import (
    MIXED,
    TYPES,
    Motion,
    disagreement,
    generic_counts,
    kernel_counts,
    legs_by_type,
    some_motion,
    straight_line_counts,
    table,
)
from docksim.algebra.vec3 import cross, dot, mat_mat
from docksim.hardware.mechanism import Mechanism
from docksim.numbers.counting import KINDS, Tally, counting_math, plain, values_of

METHODS = (generic_counts, kernel_counts, straight_line_counts)


@pytest.fixture(scope="module")
def mechanism() -> Mechanism:
    return Mechanism.load(MIXED)


def test_each_kind_of_operation_is_counted_once() -> None:
    tally = Tally()
    a, b = tally.number(3.0), tally.number(4.0)
    c = counting_math.sqrt(a * a + b * b) - 1.0 / a + counting_math.sin(b) * counting_math.atan2(a, b)
    assert tally.row() == (3, 3, 1, 1, 2)
    assert c.value == math.sqrt(25.0) - 1.0 / 3.0 + math.sin(4.0) * math.atan2(3.0, 4.0)


def test_signs_comparisons_and_constants_cost_nothing() -> None:
    tally = Tally()
    a = tally.number(-2.0)
    assert abs(-a) > 1.0
    assert a <= -2.0
    assert a >= -2.0
    assert not a < -2.0
    assert 2.0 * 3.0 + counting_math.sqrt(4.0) == 8.0
    assert tally.row() == (0,) * len(KINDS)


@pytest.mark.parametrize(("drop", "expected"), [(False, (3, 3, 1, 0, 0)), (True, (0, 0, 0, 0, 0))])
def test_operations_with_zero_and_one_are_dropped_only_when_told(drop: bool, expected: tuple[int, ...]) -> None:
    tally = Tally(drop)
    a = tally.number(5.0)
    # three products, a quotient, three sums
    total = 0.0 + a * 1.0 + 0.0 * a - 0.0 * (a / 1.0)
    assert tally.row() == expected
    assert total.value == 5.0


def test_data_that_happen_to_be_zero_are_not_dropped() -> None:
    tally = Tally(drop=True)
    tally.number(0.0) * tally.number(1.0) + tally.number(0.0)
    assert tally.row() == (1, 1, 0, 0, 0)


def test_stored_constants_are_data_unless_dropped() -> None:
    for drop, expected in ((False, 1), (True, 0)):
        tally = Tally(drop)
        cells = tally.blank((2, 3))
        cells[1, 2] = 1.0
        cells[1][2] * tally.number(7.0)
        assert tally.counts["multiplications"] == expected


def test_counted_number_refuses_to_become_a_float() -> None:
    with pytest.raises(TypeError):
        math.sqrt(Tally().number(2.0))


@pytest.mark.parametrize(
    ("kernel", "shapes", "expected"),
    [(dot, (3, 3), (3, 2)), (cross, (3, 3), (6, 3)), (mat_mat, (9, 9), (27, 18))],
    ids=["dot", "cross", "mat_mat"],
)
def test_kernels_of_known_cost_are_counted_right(kernel, shapes: tuple[int, int], expected: tuple[int, int]) -> None:
    tally = Tally()
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=n) for n in shapes)
    found = plain(kernel)(tuple(tally.cells(a)), tuple(tally.cells(b)))
    assert tally.row() == (*expected, 0, 0, 0)
    # the same operations in the same order: nothing but the type of number differs
    np.testing.assert_array_equal(values_of(found), kernel(tuple(a), tuple(b)))


def test_general_method_and_kernels_give_the_same_equations(mechanism: Mechanism) -> None:
    assert set(legs_by_type(mechanism)) == set(TYPES)
    motion = some_motion(mechanism, seed=7)
    for k in legs_by_type(mechanism).values():
        general = generic_counts(mechanism, k, motion)
        # rounding: 6e-15 at worst; a wrong formula does not come near
        for count in (kernel_counts, straight_line_counts):
            assert disagreement(count(mechanism, k, motion), general) < 1e-12
            assert disagreement(count(mechanism, k, motion, drop=True), general) < 1e-12
        assert disagreement(generic_counts(mechanism, k, motion, drop=True), general) < 1e-15


@pytest.mark.parametrize("drop", [False, True])
def test_counts_do_not_depend_on_the_numbers(mechanism: Mechanism, drop: bool) -> None:
    motions = [some_motion(mechanism, seed) for seed in (1, 2)]
    rest = Motion(motions[0].R_C, motions[0].r_C, np.zeros(6), np.zeros(3), np.zeros(4))
    for count in METHODS:
        for k in legs_by_type(mechanism).values():
            found = {count(mechanism, k, motion, drop).operations for motion in [*motions, rest]}
            assert len(found) == 1


def test_straight_lines_take_fewest_operations_and_no_trigonometric_call(mechanism: Mechanism) -> None:
    motion = some_motion(mechanism)
    for k in legs_by_type(mechanism).values():
        for drop in (False, True):
            general, detailed, straight = (count(mechanism, k, motion, drop).operations for count in METHODS)
            assert sum(straight) < sum(detailed) < sum(general)
            assert straight[KINDS.index("trigonometric calls")] == 0


def test_table_has_a_row_a_method_and_leg_type_and_is_the_one_in_the_docs() -> None:
    text = table()
    rows = text.splitlines()[2:]
    assert [row.split("|")[1].strip() for row in rows] == [name for name in TYPES for _ in METHODS]
    page = (MIXED.parent.parent.parent / "docs" / "mechanism.md").read_text(encoding="utf-8")
    assert text in page, "docs/mechanism.md is out of date: put in what `python -m benchmarks.operation_counts` prints"

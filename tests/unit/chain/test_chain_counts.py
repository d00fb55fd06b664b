"""Operation counts of the formulations: of the code that computes, exact polynomials, and what they say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from docksim.chain import bias, mass_matrix
from docksim.chain.dynamics.counts import (
    FORCES,
    MATRIX,
    Count,
    count_common,
    count_forces,
    count_matrix,
    fewest_from,
    in_words,
    matrix_polynomials,
    polynomial,
    sample_chain,
    value_at,
)
from docksim.chain.dynamics.literal import SUMS, TOTALS, Literal, sum_of, sum_polynomials
from docksim.chain.dynamics.times import matrix_times


@pytest.fixture(scope="module")
def found() -> dict:
    return matrix_polynomials()


@pytest.mark.parametrize("name", MATRIX)
def test_counted_run_computes_a(name: str) -> None:
    chain = sample_chain(5)
    q = np.random.default_rng(1).normal(size=(2, 5))[0]
    # another order of the same sums
    np.testing.assert_allclose(count_matrix(chain, name)[1], mass_matrix(chain, q), atol=1e-13)


@pytest.mark.parametrize("name", FORCES)
def test_counted_run_computes_b(name: str) -> None:
    chain = sample_chain(5)
    q, rates = np.random.default_rng(1).normal(size=(2, 5))
    np.testing.assert_allclose(count_forces(chain, name)[1], bias(chain, q, rates), atol=1e-12)


def test_count_is_a_polynomial_far_beyond_where_it_was_found(found: dict) -> None:
    for name in ("recurrent", "crba", "twists", "kane_trimmed"):
        assert count_matrix(sample_chain(20), name)[0].total == found[name].at(20)


def test_count_does_not_depend_on_the_numbers(found: dict) -> None:
    assert count_matrix(sample_chain(4, seed=9), "recurrent")[0].total == found["recurrent"].at(4)


def test_recurrent_form_needs_less_than_its_paper_says(found: dict) -> None:
    """A product of skew matrices in 9 multiplications and 3 additions, not 12 and 6; the rest is lower order."""
    assert found["recurrent"].multiplications[0] == Fraction(3, 2)
    assert found["recurrent"].additions[0] == 2
    assert all(found["recurrent"].at(n) < value_at(MATRIX["recurrent"][1], n) for n in range(2, 51))


def test_corrected_rows_of_the_papers_table_add_up_to_its_totals() -> None:
    assert sum_of(one.multiplications for one in SUMS.values()) == TOTALS.multiplications
    assert sum_of(one.additions for one in SUMS.values()) == TOTALS.additions
    common = (0.0, 0.0, 246.0, 0.0)
    assert sum_of((TOTALS.multiplications, TOTALS.additions, common)) == MATRIX["recurrent"][1]


def test_literal_run_takes_the_multiplications_that_the_papers_table_has_row_by_row() -> None:
    """Additions too, where no skew matrices are multiplied: there 3 do, not the table's 6; and r_i,i+1 is a copy."""
    products = {"S2 at N", "S2", "S3 at N", "S3", "S5 at N", "S5"}
    for name, found in sum_polynomials().items():
        assert found.multiplications == SUMS[name].multiplications, name
        if name not in products | {"r"}:
            assert found.additions == SUMS[name].additions, name
        elif name in products:
            # a product with m takes 9 more multiplications, a sum 9 more additions
            of_product = {"S2 at N": 21, "S2": 21}.get(name, 12)
            of_sum = 0 if name.endswith("at N") else 9
            saved = tuple(Fraction(3, of_product) * one for one in found.multiplications)
            assert sum_of((found.additions, saved)) == SUMS[name].additions, name
            assert found.additions == tuple(Fraction(3 + of_sum, of_product) * one for one in found.multiplications)


def test_literal_run_computes_a() -> None:
    chain = sample_chain(6)
    q = np.random.default_rng(1).normal(size=(2, 6))[0]
    np.testing.assert_allclose(Literal(chain).A, mass_matrix(chain, q), atol=1e-13)


def test_kane_as_printed_takes_nine_multiplications_a_triple(found: dict) -> None:
    assert found["kane"].multiplications[0] == 9


def test_composite_bodies_need_fewer_operations_than_the_recurrent_form_from_two_links_on(found: dict) -> None:
    assert all(found["crba"].at(n) < found["recurrent"].at(n) for n in range(2, 51))
    # the trimmed Kane crosses over at four links
    assert [n for n in range(1, 51) if found["kane_trimmed"].at(n) < found["recurrent"].at(n)] == list(range(4, 51))


def test_twists_are_cheapest_up_to_five_links_and_composite_bodies_beyond(found: dict) -> None:
    assert fewest_from("twists", found) == [1, 2, 3, 4, 5]
    assert fewest_from("crba", found) == list(range(6, 51))


def test_common_part_is_less_than_the_papers() -> None:
    """Ours is free of the slide of a turning joint, of m d, and uses that inertia is symmetric."""
    assert polynomial(lambda n: count_common(sample_chain(n))).total == (0, 0, 210, -60)


def test_a_count_that_is_no_polynomial_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="no cubic polynomial"):
        polynomial(lambda n: Count(2**n, 0))


def test_polynomials_read_as_formulas() -> None:
    assert in_words((4.5, 37.0, 243.5, -19.0)) == "4.5N³ + 37N² + 243.5N - 19"
    assert in_words((Fraction(0), Fraction(1), Fraction(-1), Fraction(0))) == "N² - N"
    assert in_words((0, 0)) == "0"


def test_times_are_measured_for_every_formulation() -> None:
    times = matrix_times((2, 3), slices=1, seconds=1e-5)
    assert set(times) == set(MATRIX)
    assert all(0.0 <= value < 1.0 for row in times.values() for value in row)

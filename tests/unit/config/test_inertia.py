"""Which matrices can be the inertia of a body."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docksim.config.schema.inertia import Rows, inertia_fault, principal_moments

Point = tuple[float, float, float, float]  # mass, x, y, z
coordinate = st.floats(-10, 10, allow_subnormal=False).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
point = st.tuples(st.floats(0.01, 100), coordinate, coordinate, coordinate)


def of_points(points: list[Point]) -> Rows:
    """Inertia of mass points about the origin, straight from the definition."""
    xx = math.fsum(m * (y * y + z * z) for m, x, y, z in points)
    yy = math.fsum(m * (x * x + z * z) for m, x, y, z in points)
    zz = math.fsum(m * (x * x + y * y) for m, x, y, z in points)
    xy = -math.fsum(m * x * y for m, x, y, z in points)
    xz = -math.fsum(m * x * z for m, x, y, z in points)
    yz = -math.fsum(m * y * z for m, x, y, z in points)
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def diagonal(a: float, b: float, c: float) -> Rows:
    return ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))


@given(st.lists(point, min_size=3, max_size=8))
def test_heap_of_mass_points_always_passes_when_it_resists_every_rotation(points: list[Point]) -> None:
    matrix = of_points(points)
    low, _, high = principal_moments(matrix)
    if low > 1e-9 * high:
        assert inertia_fault(matrix) is None


@given(st.lists(point, min_size=1, max_size=5))
def test_principal_moments_keep_trace_and_determinant(points: list[Point]) -> None:
    matrix = of_points(points)
    (a, d, e), (_, b, f), (_, _, c) = matrix
    low, middle, high = principal_moments(matrix)
    # rounding of a handful of operations on numbers as large as the largest moment
    assert low + middle + high == pytest.approx(a + b + c, rel=1e-14)
    determinant = a * b * c + 2 * d * e * f - a * f * f - b * e * e - c * d * d
    assert low * middle * high == pytest.approx(determinant, abs=1e-13 * max(high, 1e-300) ** 3)


def test_flat_plate_and_thin_rod_pass() -> None:
    assert inertia_fault(diagonal(1.0, 2.0, 3.0)) is None
    assert inertia_fault(diagonal(0.1, 0.2, 0.3)) is None  # 0.1 + 0.2 > 0.3 by one rounding
    assert inertia_fault(diagonal(1e-12, 1.0, 1.0)) is None


def test_turned_flat_plate_passes() -> None:
    # moments 1, 2, 3 turned by 45 degrees about x and then about z
    assert inertia_fault(((1.75, -0.75, 0.25 * math.sqrt(2)), (-0.75, 1.75, -0.25 * math.sqrt(2)),
                          (0.25 * math.sqrt(2), -0.25 * math.sqrt(2), 2.5))) is None  # fmt: skip


@pytest.mark.parametrize("matrix", [diagonal(1, 1, 2.00001), ((2, 1.5, 0), (1.5, 2, 0), (0, 0, 2))])
def test_moment_beyond_the_sum_of_the_others_is_refused(matrix: Rows) -> None:
    assert "triangle inequality" in str(inertia_fault(matrix))


@pytest.mark.parametrize("matrix", [diagonal(0, 1, 1), diagonal(-1, 1, 1), ((1, 2, 0), (2, 1, 0), (0, 0, 1))])
def test_moment_that_is_not_positive_is_refused(matrix: Rows) -> None:
    assert "not positive definite" in str(inertia_fault(matrix))


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
def test_verdict_does_not_depend_on_the_unit(scale: float) -> None:
    assert inertia_fault(diagonal(2 * scale, 3 * scale, 4 * scale)) is None
    assert inertia_fault(diagonal(1 * scale, 1 * scale, 3 * scale)) is not None

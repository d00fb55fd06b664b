"""Small dense algebra, splines, rotations and the normal distribution against numpy and scipy, and at their limits."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation
from scipy.special import ndtr, ndtri

from docksim.algebra import dense, elementary, masses, normal, rotations
from docksim.algebra.splines import clamped_spline


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def close(found: np.ndarray, wanted: np.ndarray, size: float = 1e-13) -> None:
    np.testing.assert_allclose(found, wanted, rtol=size, atol=size)


def test_products_are_those_of_numpy_for_matrices_vectors_and_stacks_of_them(rng: np.random.Generator) -> None:
    a, b, c = rng.normal(size=(5, 3, 4)), rng.normal(size=(5, 4, 2)), rng.normal(size=(2, 6))
    close(dense.product(a, b, c), a @ b @ c)
    close(dense.product(a[0], b), a[0] @ b)
    v = rng.normal(size=(5, 4))
    close(dense.applied(a, v), np.einsum("nij,nj->ni", a, v))
    close(dense.applied(a, v[0]), a @ v[0])
    close(dense.dot(v, v), np.einsum("ni,ni->n", v, v))
    close(dense.length(v), np.linalg.norm(v, axis=1))


def test_solution_and_triangle_are_those_of_numpy(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(6, 6)), rng.normal(size=6)
    close(dense.solve(a, b), np.linalg.solve(a, b), 1e-12)
    close(dense.solve([[0.0, 1.0], [1.0, 0.0]], [2.0, 3.0]), np.array([3.0, 2.0]))
    close(dense.cholesky(a @ a.T), np.linalg.cholesky(a @ a.T), 1e-12)


def test_singular_and_indefinite_matrices_are_refused() -> None:
    with pytest.raises(ZeroDivisionError):
        dense.solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0])
    with pytest.raises(ValueError, match="positive definite"):
        dense.cholesky([[1.0, 2.0], [2.0, 1.0]])


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 7])
def test_pseudo_inverse_is_that_of_numpy_for_any_shape(columns: int, rng: np.random.Generator) -> None:
    a = rng.normal(size=(3, columns))
    close(dense.pseudo_inverse(a), np.linalg.pinv(a), 1e-12)


def test_pseudo_inverse_leaves_out_directions_that_are_not_there() -> None:
    a = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    close(dense.pseudo_inverse(a), np.linalg.pinv(a))
    close(dense.pseudo_inverse(np.zeros((3, 2))), np.zeros((2, 3)))


@pytest.mark.parametrize("knots", [2, 3, 12])
def test_spline_is_the_clamped_one_of_scipy(knots: int, rng: np.random.Generator) -> None:
    times, values = np.cumsum(rng.uniform(0.1, 1.0, knots)), rng.normal(size=knots)
    wanted = CubicSpline(times, values, bc_type="clamped").c[::-1].T
    close(np.array(clamped_spline(times.tolist(), values.tolist())), wanted, 1e-11)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-4, 1e-3, 2e-3, 0.1, 1.0, 3.0])
def test_rotation_vectors_come_back_from_their_matrices(size: float, rng: np.random.Generator) -> None:
    directions = rng.normal(size=(300, 3))
    vectors = size * directions / np.linalg.norm(directions, axis=1)[:, None]
    found = rotations.rotation_vectors(Rotation.from_rotvec(vectors).as_matrix())
    np.testing.assert_allclose(found, vectors, atol=4e-15)


def test_roll_pitch_yaw_come_back_from_their_matrices(rng: np.random.Generator) -> None:
    angles = rng.uniform(-1.0, 1.0, (300, 3)) * [math.pi, 1.5, math.pi]
    angles[0] = 0.0
    found = rotations.roll_pitch_yaw(Rotation.from_euler("ZYX", angles[:, ::-1]).as_matrix())
    # a pitch of 1.5 leaves a cosine of 0.07 for yaw and roll
    np.testing.assert_allclose(found, angles, atol=1e-14)


def test_inertia_moves_from_point_to_point_as_sums_over_masses_do(rng: np.random.Generator) -> None:
    weights, places, p = rng.uniform(1.0, 2.0, 5), rng.normal(size=(5, 3)), rng.normal(size=3)

    def sums(about: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        arms = places - about
        squares = [m * -np.cross(r, np.cross(r, np.eye(3))) for m, r in zip(weights, arms)]
        return weights @ arms, np.sum(squares, axis=0)

    moment, inertia = sums(np.zeros(3))
    assert np.allclose(inertia, sum(m * masses.point_inertia(r) for m, r in zip(weights, places)), atol=1e-14)
    for moved, expected in zip(masses.about_point(p, weights.sum(), moment, inertia), sums(p)):
        assert np.allclose(moved, expected, atol=1e-13)
    assert np.array_equal(masses.symmetric(masses.six_entries(inertia)), np.triu(inertia) + np.triu(inertia, 1).T)
    assert np.allclose(masses.cross_matrix(places) @ p, np.cross(places, p), atol=1e-15)


def test_half_turns_have_the_length_pi() -> None:
    for axis in np.eye(3):
        vector = rotations.rotation_vectors(2.0 * np.outer(axis, axis) - np.eye(3))
        close(np.abs(vector), math.pi * axis)


def test_angles_of_arrays_have_the_bits_of_single_ones(rng: np.random.Generator) -> None:
    y, x = np.abs(rng.normal(size=(2, 5000)))
    y[:2000] *= 2.0 ** rng.integers(-90, 90, 2000)
    y[:9], x[5:12] = 0.0, 0.0
    wanted = [elementary.atan2(a, b) for a, b in zip(y.tolist(), x.tolist(), strict=True)]
    assert rotations.first_quadrant(y, x).tolist() == wanted


def test_quantiles_and_probabilities_are_those_of_scipy(rng: np.random.Generator) -> None:
    p = np.concatenate([rng.random(2000), 10.0 ** rng.uniform(-300.0, 0.0, 500), 1.0 - 2.0 ** -rng.uniform(1, 53, 500)])
    np.testing.assert_allclose(normal.quantiles(p), ndtri(p), rtol=4e-15)
    z = rng.uniform(-8.0, 8.0, 2000)
    np.testing.assert_allclose(normal.probabilities(z), ndtr(z), rtol=4e-14)
    far = rng.uniform(-37.0, -8.0, 300)
    # scipy's own tail is good to 1e-12 there
    np.testing.assert_allclose(normal.probabilities(far), ndtr(far), rtol=1e-12)


def test_quantiles_of_arrays_have_the_bits_of_single_ones(rng: np.random.Generator) -> None:
    ends = 2.0 ** -rng.uniform(1.0, 900.0, 2000), 1.0 - 2.0 ** -rng.uniform(1.0, 53.0, 1000)
    p = np.concatenate([rng.random(5000), *ends])
    p[-3:] = 2.0**-54, 1.0 - 2.0**-53, 0.5
    assert normal.quantiles(p.reshape(2, -1, 1)[:, :, 0]).ravel().tolist() == [normal.normal_quantile(x) for x in p]


def test_normal_distribution_ends_where_it_should() -> None:
    assert normal.normal_quantile(0.0) == -math.inf
    assert normal.normal_quantile(1.0) == math.inf
    assert normal.normal_quantile(0.5) == 0.0
    assert math.isnan(normal.normal_quantile(1.5))
    assert normal.normal_probability(0.0) == 0.5
    assert normal.normal_probability(-50.0) == 0.0
    assert normal.normal_probability(50.0) == 1.0
    assert math.isnan(normal.normal_probability(math.nan))

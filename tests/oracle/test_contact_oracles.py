"""The brute-force distances against answers that need no search."""

import numpy as np
import pytest

from tests.oracle.contact_shapes import Distance, Petal, Point, Rim, ring_solid, samples, segments

FACING = np.diag([-1.0, 1.0, -1.0])


def test_petals_jacobian_and_hessian_are_those_of_its_points():
    petal, u, h = Petal(0.3), np.array([0.4, 0.2]), 1e-5
    for k, e in enumerate(np.eye(2)):
        ahead, behind = petal.point(u + h * e), petal.point(u - h * e)
        # central differences: h^2, and rounding over h
        assert petal.jacobian(u)[:, k] == pytest.approx((ahead - behind) / (2.0 * h), abs=1e-9)
        slope = (petal.jacobian(u + h * e) - petal.jacobian(u - h * e)) / (2.0 * h)
        assert petal.hessian(u)[:, :, k] == pytest.approx(slope, abs=1e-9)


def test_distance_never_exceeds_that_of_dense_samples():
    petal, rim = Petal(), Rim()
    distance = Distance(petal, rim)
    x = samples(petal, 61)[1]
    rng = np.random.default_rng(1)
    for _ in range(20):
        r = rng.uniform(-0.1, 0.1, 3) + np.array([0.0, 0.0, 0.1])
        y = samples(rim, 721)[1] @ FACING.T + r
        dense = min(np.linalg.norm(x - point, axis=1).min() for point in y)
        found = distance.at(FACING, r)[0]
        # samples are up to 1 cm apart, so they are too far by half of that at most
        assert dense - 5e-3 < found <= dense


def test_petal_and_rim_in_their_plane_of_symmetry_are_a_point_and_a_line():
    distance = Distance(Petal(), Rim())
    for x, z in ((-0.05, 0.07), (-0.1, 0.12)):
        found, on_petal, on_rim, _ = distance.at(FACING, np.array([x, 0.0, z]))
        expected = (0.610 + x + z + 0.010 - 0.5974) / np.sqrt(2.0)
        assert found == pytest.approx(expected, abs=1e-13)
        assert on_rim == pytest.approx((0.610 + x, 0.0, z + 0.010), abs=1e-7)
        assert on_petal[1] == pytest.approx(0.0, abs=1e-7)


def test_point_and_rim_follow_pythagoras():
    found = Distance(Rim(), Point((0.0, 0.0, 0.0)), count_a=721).at(np.eye(3), np.array([0.3, 0.4, 0.29]))[0]
    assert found == pytest.approx(np.hypot(0.610 - 0.5, 0.30), abs=1e-14)


def test_segments_cross_end_and_pass():
    x, y, z = np.eye(3)
    assert segments(-x, 2.0 * x, -y + 0.3 * z, 2.0 * y)[0] == pytest.approx(0.3, abs=1e-14)
    assert segments(0.0 * x, x, 4.0 * x + 4.0 * y, x)[0] == pytest.approx(5.0, abs=1e-14)


def test_ring_solid_is_negative_inside_and_measures_its_corners():
    assert ring_solid(np.array([0.61, 0.0, -0.004]), 0.6, 0.62, 0.02)[0] == pytest.approx(-0.004, abs=1e-15)
    assert ring_solid(np.array([0.0, 0.65, 0.04]), 0.6, 0.62, 0.02)[0] == pytest.approx(0.05, abs=1e-15)
    assert ring_solid(np.array([0.0, 0.57, -0.06]), 0.6, 0.62, 0.02)[0] == pytest.approx(0.05, abs=1e-15)

"""Motion about a circular orbit: Clohessy-Wiltshire drift, gravity-gradient libration, budgets, trees in orbit."""

import numpy as np
import pytest

from tests.oracle import orbit
from tests.oracle.rotations import quat_matrix, random_quat
from tests.support.rigs import body, lone, rig, simulate, worst

ALTITUDE = 420.0
N = orbit.mean_motion(ALTITUDE)
PERIOD = 2.0 * np.pi / N
ORBIT = {"kind": "clohessy_wiltshire", "altitude_km": ALTITUDE}
FAST = {"kind": "clohessy_wiltshire", "mean_motion_rad_s": 0.2}
COM = np.array([0.4, -0.3, 0.2])


def fly(vehicles, duration, step, every, environment=ORBIT):
    return simulate(vehicles, duration, step, every, environment=environment)


# translation


DRIFTS = {
    "above": ([10.0, -50.0, 0.0], [0.0, 0.0, 0.0]),
    "hop": ([0.0, -100.0, 0.0], [0.0, 0.05, 0.0]),
    "out of plane": ([0.0, 0.0, 20.0], [0.0, 0.0, 0.03]),
    "radial boost": ([0.0, 0.0, 0.0], [0.1, 0.0, 0.0]),
    "closed ellipse": ([30.0, 10.0, -5.0], [0.02, -2.0 * N * 30.0, 0.01]),
}


@pytest.mark.parametrize("case", DRIFTS)
def test_mass_centre_drifts_as_the_clohessy_wiltshire_solution(case):
    """Also of a tumbling body whose frame is not at its mass centre."""
    position, velocity = (np.array(x) for x in DRIFTS[case])
    q0, rate = random_quat(np.random.default_rng(3)), np.array([0.01, -0.02, 0.015])
    R0 = quat_matrix(q0)
    keys = {
        "center_of_mass_m": COM.tolist(),
        "attitude": {"quaternion": q0.tolist()},
        "position_m": (position - R0 @ COM).tolist(),
        "velocity_m_s": (velocity - R0 @ np.cross(rate, COM)).tolist(),
        "rate_deg_s": np.rad2deg(rate).tolist(),
    }
    result = fly({"chaser": lone(2000.0, [800.0, 1500.0, 1700.0], **keys)}, 1.25 * 5600.0, 0.5, 100.0)
    R = np.array([quat_matrix(q) for q in result["chaser.attitude"]])
    centre = result["chaser.position_m"] + R @ COM
    rates = np.cross(np.deg2rad(result["chaser.rate_deg_s"]), COM)
    speed = result["chaser.velocity_m_s"] + np.einsum("kij,kj->ki", R, rates)
    expected = [orbit.cw_propagate(N, position, velocity, t) for t in result.time_s]
    # rk4: the body turns by 0.013 rad a step, (w h)^5 / 120 = 3e-12 of the arm of 0.5 m, 14,000 steps
    assert worst(centre, [p for p, _ in expected]) < 2e-7
    assert worst(speed, [v for _, v in expected]) < 2e-9


def test_reference_point_and_any_place_along_the_track_are_at_rest():
    vehicles = {"a": lone(100.0, 10.0), "b": lone(200.0, 30.0, position_m=[0.0, 300.0, 0.0])}
    result = fly(vehicles, 5000.0, 1.0, 100.0)
    # balances of 1e-6 m/s2 that cancel to rounding
    assert np.abs(result["a.position_m"]).max() < 1e-12
    assert worst(result["b.position_m"], [0.0, 300.0, 0.0]) < 1e-8


def test_altitude_gives_the_mean_motion_of_a_circular_orbit():
    start = {"position_m": [10.0, 0.0, 0.0]}
    by_altitude = fly({"a": lone(1.0, 1.0, **start)}, 1000.0, 1.0, 100.0)
    by_rate = fly({"a": lone(1.0, 1.0, **start)}, 1000.0, 1.0, 100.0, {**FAST, "mean_motion_rad_s": float(N)})
    assert np.array_equal(by_altitude["a.position_m"], by_rate["a.position_m"])


# rotation


MOMENTS = np.array([3.0, 5.0, 6.0])


def librate(q0, rate, duration, n=0.2, step=0.01, moments=MOMENTS, gradient=True):
    environment = {**FAST, "mean_motion_rad_s": n, "gravity_gradient": gradient}
    keys = {"attitude": {"quaternion": list(map(float, q0))}, "rate_deg_s": np.rad2deg(rate).tolist()}
    return fly({"sat": lone(10.0, moments, **keys)}, duration, step, 0.5, environment)


def test_small_librations_have_the_three_predicted_frequencies():
    n, small = 0.2, 1e-7
    result = librate([1.0, small, 0.6 * small, -0.8 * small], [0.0, 0.0, 0.0], 200.0, n)
    angles = 2.0 * result["sat.attitude"][:, 1:]
    pitch, slow, fast = orbit.libration_frequencies(n, *MOMENTS)
    # about the orbit normal: one frequency, from rest; terms of second order are some 20 amplitudes relative
    assert worst(angles[:, 2], -1.6 * small * np.cos(pitch * result.time_s)) < 1e-5 * small
    # about x and y: a sum of two frequencies
    wave = np.outer(result.time_s, [slow, fast])
    basis = np.hstack([np.cos(wave), np.sin(wave)])
    left = angles[:, :2] - basis @ np.linalg.lstsq(basis, angles[:, :2], rcond=None)[0]
    assert np.abs(left).max() < 1e-5 * small
    # and no others would do
    wrong = np.hstack([np.cos(1.02 * wave), np.sin(1.02 * wave)])
    off = angles[:, :2] - wrong @ np.linalg.lstsq(wrong, angles[:, :2], rcond=None)[0]
    assert np.abs(off).max() > 0.1 * small


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_large_librations_and_tumbling_follow_an_independent_integration(seed):
    rng = np.random.default_rng(seed)
    q0, rate, n = random_quat(rng), rng.uniform(-0.3, 0.3, 3), 0.2
    moments = rng.permutation([3.0, 5.0, 6.0])
    result = librate(q0, rate, 60.0, n, moments=moments)
    q, omega = orbit.libration(np.diag(moments), n, q0, rate, result.time_s)
    R, expected = (np.array([quat_matrix(row) for row in rows]) for rows in (result["sat.attitude"], q))
    # rk4 at 0.01 s and 0.5 rad/s: 1e-12 a radian
    assert worst(R, expected) < 1e-8
    assert worst(np.deg2rad(result["sat.rate_deg_s"]), omega) < 1e-8


def test_without_gravity_gradient_a_body_at_rest_among_the_stars_stays_so():
    n = 0.2
    result = librate([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -n], 60.0, n, gradient=False)
    # rotation backwards about z in W at the orbit's rate; rk4 at (n h)^4
    turned = np.array([quat_matrix(q)[:, 0] for q in result["sat.attitude"]])
    expected = np.column_stack([np.cos(n * result.time_s), -np.sin(n * result.time_s), np.zeros(len(turned))])
    assert worst(turned, expected) < 1e-10
    assert np.abs(result["sat.angular_acceleration_deg_s2"]).max() < 1e-12


# trees


HINGE = {"type": "revolute", "axis": [0.3, 0.5, 1.0], "position_m": [1.5, 0.2, 0.0], "angle_deg": 30.0}
BOOM = (20.0, [2.0, 9.0, 9.5])


def two_bodies(joint, **keys):
    start = {"position_m": [20.0, -5.0, 3.0], "velocity_m_s": [0.5, -0.2, 0.1], "rate_deg_s": [10.0, -8.0, 12.0]}
    child = body(*BOOM, joint, (1.2, 0.0, -0.1))
    return {"ship": lone(60.0, [12.0, 20.0, 25.0], bodies={"boom": child}, **start, **keys)}


def jacobi_integral(result, masses, inertias, centres, names, n):
    """Sum over all mass elements of (v^2 - 3 n^2 x^2 + n^2 z^2) / 2, v relative to the rotating frame."""
    total = np.zeros(len(result.time_s))
    for name, m, inertia, com in zip(names, masses, inertias, centres):
        R = np.array([quat_matrix(q) for q in result[f"{name}.attitude"]])
        w = np.einsum("kij,kj->ki", R, np.deg2rad(result[f"{name}.rate_deg_s"]))
        arm = R @ np.asarray(com)
        r, v = result[f"{name}.position_m"] + arm, result[f"{name}.velocity_m_s"] + np.cross(w, arm)
        J = R @ np.diag(inertia) @ R.transpose(0, 2, 1)
        # second moments about the mass centre: trace / 2 - J
        spread = 0.5 * np.trace(J, axis1=1, axis2=2)[:, None] - np.diagonal(J, axis1=1, axis2=2)
        moving = m * np.sum(v * v, axis=1) + np.einsum("ki,kij,kj->k", w, J, w)
        second = m * r * r + spread
        total += 0.5 * (moving + n * n * (second[:, 2] - 3.0 * second[:, 0]))
    return total


def test_jacobis_integral_of_a_tumbling_two_body_tree_is_constant():
    """An energy that the code does not compute: it links forces, torques and Coriolis terms of all bodies."""
    n = 0.2
    result = fly(two_bodies({**HINGE, "stiffness_Nm_rad": 15.0}), 60.0, 2e-3, 0.5, FAST)
    names, centres = ("ship", "ship.boom"), ([0.0, 0.0, 0.0], [1.2, 0.0, -0.1])
    total = jacobi_integral(result, (60.0, 20.0), ([12.0, 20.0, 25.0], BOOM[1]), centres, names, n)
    total += result["energy.potential_J"]
    print(f"Jacobi's integral {total[0]:.3f} J, drift over 60 s {np.ptp(total):.1e} J")
    assert np.ptp(result["energy.kinetic_J"]) > 10.0
    # rk4 at 2 ms with a joint of 2 rad/s, and energies of 1e4 J that cancel: 1e-8
    assert np.ptp(total) < 1e-7


@pytest.mark.parametrize("damping", [0.0, 3.0])
def test_energy_and_momentum_budgets_close_in_the_rotating_frame(damping):
    joint = {**HINGE, "stiffness_Nm_rad": 15.0, "damping_Nms_rad": damping, "torque_Nm": 0.5}
    loads = {"push": {"force_N": [0.5, 0.2, -0.3], "position_m": [0.0, 1.0, 0.0], "frame": "inertial"}}
    result = fly(two_bodies(joint, loads=loads), 60.0, 2e-3, 0.5, FAST)
    energy = np.abs(result["energy.residual_J"]).max() / np.max(result["energy.kinetic_J"])
    linear, angular = (
        np.abs(result[f"momentum.{kind}_residual"]).max() / np.max(result[f"momentum.{kind}_traffic"])
        for kind in ("linear", "angular")
    )
    print(f"in orbit, 60 s: energy {energy:.1e}, linear {linear:.1e}, angular {angular:.1e}")
    # rk4's quadrature of work and impulse at 2 ms
    assert max(energy, linear, angular) < 1e-10


def test_budgets_close_for_a_vehicle_anchored_in_the_rotating_frame():
    """What holds it does work, because it moves with the axes of W."""
    boom = body(*BOOM, {**HINGE, "stiffness_Nm_rad": 15.0}, (1.2, 0.0, -0.1))
    result = fly(rig({"boom": boom}, position_m=[5.0, 2.0, 1.0]), 30.0, 2e-3, 0.5, FAST)
    assert np.ptp(result["energy.kinetic_J"]) > 10.0
    # rk4's quadrature at 2 ms: rounding of the 100 J and 100 kg m/s that go back and forth
    assert np.abs(result["energy.residual_J"]).max() < 1e-9
    assert np.abs(result["momentum.linear_residual"]).max() < 1e-9
    assert np.abs(result["momentum.angular_residual"]).max() < 1e-9


def test_rigid_body_moves_the_same_as_one_body_or_as_two_fixed_to_each_other():
    tree = fly(two_bodies({"type": "fixed", "position_m": [1.5, 0.2, 0.0]}), 30.0, 5e-3, 0.5, FAST)
    # parallel axes
    m, com = np.array([60.0, 20.0]), np.array([[0.0, 0.0, 0.0], [2.7, 0.2, -0.1]])
    centre = m @ com / m.sum()
    J = np.diag([12.0, 20.0, 25.0]) + np.diag(BOOM[1])
    for mass, c in zip(m, com - centre):
        J += mass * (c @ c * np.eye(3) - np.outer(c, c))
    whole = lone(80.0, J, center_of_mass_m=centre.tolist())
    ship = two_bodies({"type": "fixed"})["ship"]
    whole.update({key: ship[key] for key in ("position_m", "velocity_m_s", "rate_deg_s")})
    single = fly({"ship": whole}, 30.0, 5e-3, 0.5, FAST)
    # the same equations: rounding
    for key in ("position_m", "attitude", "velocity_m_s", "rate_deg_s"):
        assert worst(tree[f"ship.{key}"], single[f"ship.{key}"]) < 1e-10


def test_child_on_a_free_joint_orbits_as_a_vehicle_of_its_own():
    joint = {"type": "free", "offset_m": [3.0, -2.0, 1.0], "velocity_m_s": [0.3, -0.1, 0.2]}
    tree = fly(two_bodies(joint), 30.0, 5e-3, 0.5, FAST)
    start = {key: tree[f"ship.boom.{key}"][0].tolist() for key in ("position_m", "velocity_m_s", "rate_deg_s")}
    start["attitude"] = {"quaternion": tree["ship.boom.attitude"][0].tolist()}
    apart = fly({"boom": lone(*BOOM, center_of_mass_m=[1.2, 0.0, -0.1], **start)}, 30.0, 5e-3, 0.5, FAST)
    # two ways to write the same motion, rk4 with (w h)^4 of 30 m
    assert worst(tree["ship.boom.position_m"], apart["boom.position_m"]) < 1e-7
    assert worst(tree["ship.boom.attitude"], apart["boom.attitude"]) < 1e-8


def test_accelerations_in_the_turning_frame_are_the_slopes_of_velocity_and_rate():
    """Of a tumbling body whose frame is not at its mass centre, with axes of W that turn as fast as it does."""
    keys = {"center_of_mass_m": COM.tolist(), "position_m": [2.0, -1.0, 3.0], "velocity_m_s": [0.3, 0.2, -0.1]}
    vehicle = lone(3.0, [3.0, 5.0, 6.0], rate_deg_s=[10.0, -14.0, 9.0], **keys)
    result = fly({"a": vehicle}, 1.0, 1e-3, 1e-3, FAST)
    for value, slope in (
        ("a.velocity_m_s", "a.acceleration_m_s2"),
        ("a.rate_deg_s", "a.angular_acceleration_deg_s2"),
    ):
        measured = (result[value][2:] - result[value][:-2]) / 2e-3
        # central differences: h^2 / 6 of the third derivative, which is w^2 of the first
        assert worst(measured, result[slope][1:-1]) < 1e-6 * np.abs(result[slope]).max()

"""Joints with more than one coordinate, and ball joints with springs, against closed forms and conservation laws."""

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from tests.oracle.oscillator import damped_oscillator
from tests.support.rigs import body, lone, rig, simulate, worst

AXIS_X = [1.0, 0.0, 0.0]
AXIS_Z = [0.0, 0.0, 1.0]


# ball joints


def ball(inertia, initial, rate=(0.0, 0.0, 0.0), **keys):
    """A body on a spring-loaded ball joint of an anchored rig; initial is a rotation vector, rad; rate in rad/s."""
    turn = {"rotation_vector_deg": np.rad2deg(initial).tolist()}
    joint = {"type": "spherical", "initial": turn, "rate_deg_s": np.rad2deg(rate).tolist(), **keys}
    return rig({"bob": body(2.0, inertia, joint)})


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.0])
def test_isotropic_ball_joint_swings_harmonically_at_any_angle(amplitude):
    """The potential k |u|^2 / 2 is that of an angle about a fixed axis."""
    inertia, k, axis = 0.5, 6.0, np.array([2.0, -1.0, 2.0]) / 3.0
    result = simulate(ball(inertia, amplitude * axis, stiffness_Nm_rad=k), 5.0, 1e-3, 0.05)
    angle = amplitude * np.cos(np.sqrt(k / inertia) * result.time_s)
    # rk4 at w h = 3.5e-3: 1e-12 a radian
    assert worst(np.deg2rad(result["rig.bob.rotation_deg"]), np.outer(angle, axis)) < 1e-9


def test_damped_ball_joint_rings_down_as_the_closed_form():
    inertia, k, c, u0 = 0.5, 6.0, 0.4, np.array([0.0, 2.0, 0.0])
    result = simulate(ball(inertia, u0, stiffness_Nm_rad=k, damping_Nms_rad=c), 5.0, 1e-3, 0.05)
    angle, rate = damped_oscillator(inertia, c, k, 2.0, 0.0, result.time_s)
    assert worst(np.deg2rad(result["rig.bob.rotation_deg"][:, 1]), angle) < 1e-9
    assert worst(np.deg2rad(result["rig.bob.joint_rate_deg_s"][:, 1]), rate) < 1e-9
    assert np.abs(result["energy.residual_J"]).max() < 1e-9


STIFFNESS = np.array([3.0, 8.0, 20.0])


def stored(turn):
    u = turn.as_rotvec()
    return 0.5 * STIFFNESS @ (u * u)


@pytest.mark.parametrize("u", [(0.3, -0.2, 0.1), (1.5, 1.0, -1.2), (-0.4, 2.0, 2.2), (1e-3, 2e-3, -1e-3)])
def test_torque_of_an_anisotropic_ball_spring_is_the_gradient_of_its_energy(u):
    result = simulate(ball(1.0, u, stiffness_Nm_rad=STIFFNESS.tolist()), 1e-3)
    turn, h = Rotation.from_rotvec(u), 1e-5
    gradient = [
        (stored(turn * Rotation.from_rotvec(h * e)) - stored(turn * Rotation.from_rotvec(-h * e))) / (2.0 * h)
        for e in np.eye(3)
    ]
    # central difference: rounding 1e-16 * 40 J / h, truncation h^2 * 20 N m / rad
    assert worst(result["rig.bob.joint_torque_Nm"][0], np.negative(gradient)) < 2e-8


def test_anisotropic_ball_spring_conserves_energy_at_large_angles():
    inertia, u, w = np.array([0.5, 0.9, 1.2]), (0.8, -1.0, 0.6), (1.0, 0.5, -0.7)
    vehicles = ball(inertia, u, w, stiffness_Nm_rad=STIFFNESS.tolist())
    drifts = [np.abs(simulate(vehicles, 10.0, h, 0.1)["energy.residual_J"]).max() for h in (2e-3, 1e-3)]
    angle = np.max(np.linalg.norm(simulate(vehicles, 10.0, 2e-3, 0.01)["rig.bob.rotation_deg"], axis=1))
    print(f"ball spring, 10 s, up to {angle:.0f} deg: energy drifts by {drifts[0]:.1e}, {drifts[1]:.1e} J at 2, 1 ms")
    assert 70.0 < angle < 175.0
    # rk4 at 1 ms; a torque that is no gradient leaks energy at order 1, whatever the step
    assert drifts[1] < 1e-9
    assert drifts[1] < drifts[0] / 8.0


# two coordinates


def test_cylindrical_joint_turns_and_slides_independently():
    m, inertia = 2.0, 0.5
    rotation = {"angle_deg": 30.0, "stiffness_Nm_rad": 4.0, "damping_Nms_rad": 0.3}
    translation = {"velocity_m_s": 0.4, "stiffness_N_m": 90.0, "damping_Ns_m": 2.0, "rotor_mass_kg": 0.5}
    joint = {"type": "cylindrical", "axis": [1.0, 2.0, -2.0], "rotation": rotation, "translation": translation}
    result = simulate(rig({"rod": body(m, inertia, joint)}), 5.0, 1e-3, 0.05)
    angle, _ = damped_oscillator(inertia, 0.3, 4.0, 30.0, 0.0, result.time_s)
    travel, _ = damped_oscillator(m + 0.5, 2.0, 90.0, 0.0, 0.4, result.time_s)
    # rk4 at 6 rad/s: 1e-11 a radian
    assert worst(result["rig.rod.rotation.angle_deg"], angle) < 1e-8
    assert worst(result["rig.rod.translation.travel_m"], travel) < 1e-10
    along = np.outer(result["rig.rod.translation.travel_m"], [1.0, 2.0, -2.0]) / 3.0
    assert worst(result["rig.rod.position_m"], along) < 1e-14


@pytest.mark.parametrize("axis_2", [(0.0, 1.0, 0.0), (0.6, 0.8, 0.0)])
def test_isotropic_body_on_a_universal_joint_is_a_linear_oscillator_at_any_angle(axis_2):
    """|w|^2 = a'^2 + b'^2 + 2 c a' b', c the cosine between the axes, whatever the angles."""
    inertia, stiffness, start = 0.7, np.array([5.0, 9.0]), np.array([100.0, -80.0])
    axes = {"axis": AXIS_X, "axis_2": list(axis_2)}
    first, second = ({"angle_deg": a, "stiffness_Nm_rad": k} for a, k in zip(start.tolist(), stiffness.tolist()))
    joint = {"type": "universal", **axes, "first": first, "second": second}
    result = simulate(rig({"ball": body(1.0, inertia, joint)}), 5.0, 1e-3, 0.05)
    M = inertia * np.array([[1.0, axis_2[0]], [axis_2[0], 1.0]])
    w2, modes = eigh(np.diag(stiffness), M)
    parts = np.cos(np.outer(result.time_s, np.sqrt(w2))) * (modes.T @ M @ start)
    angles = np.array([result[f"rig.ball.{which}.angle_deg"] for which in ("first", "second")]).T
    # rk4 at 6 rad/s: 1e-11 a radian, of 100 deg
    assert worst(angles, parts @ modes.T) < 1e-7


def test_gimballed_top_keeps_its_momentum_about_the_first_axis():
    """Axes z and x': p = (b sin^2 + c cos^2) phi' and the energy are constant while the second angle swings."""
    a, b, c = 0.6, 0.9, 0.4
    first, second = {"rate_deg_s": 200.0}, {"angle_deg": 20.0, "rate_deg_s": 90.0}
    joint = {"type": "universal", "axis": AXIS_Z, "axis_2": AXIS_X, "first": first, "second": second}
    result = simulate(rig({"top": body(1.0, [a, b, c], joint)}), 10.0, 1e-3, 0.01)
    psi = np.deg2rad(result["rig.top.second.angle_deg"])
    phi_rate, psi_rate = (np.deg2rad(result[f"rig.top.{i}.angle_rate_deg_s"]) for i in ("first", "second"))
    about_z = b * np.sin(psi) ** 2 + c * np.cos(psi) ** 2
    p, energy = about_z * phi_rate, 0.5 * (a * psi_rate**2 + about_z * phi_rate**2)
    assert np.ptp(phi_rate) > 0.5
    # rk4 at 1 ms and 4 rad/s: 1e-12 a radian
    assert np.ptp(p) < 1e-9
    assert np.ptp(energy) < 1e-9
    assert worst(result["energy.kinetic_J"], energy) < 1e-12


def test_child_on_a_free_joint_moves_as_a_vehicle_of_its_own():
    """The parent tumbles; the child is tracked against it but feels nothing of it."""
    parent = {"rate_deg_s": [20.0, -35.0, 50.0], "velocity_m_s": [0.1, 0.0, -0.2]}
    joint = {
        "type": "free",
        "position_m": [0.5, 0.2, 0.0],
        "offset_m": [1.0, -0.5, 2.0],
        "initial": {"rotation_vector_deg": [30.0, 40.0, -20.0]},
        "velocity_m_s": [0.3, -0.1, 0.2],
        "rate_deg_s": [10.0, 60.0, -30.0],
    }
    child = body(2.0, [0.3, 0.4, 0.5], joint, (0.1, 0.0, -0.2))
    tree = simulate({"ship": lone(5.0, [1.0, 2.0, 2.5], bodies={"pod": child}, **parent)}, 5.0, 1e-3, 0.5)
    start = {key: tree[f"ship.pod.{key}"][0].tolist() for key in ("position_m", "velocity_m_s", "rate_deg_s")}
    pod = lone(2.0, [0.3, 0.4, 0.5], center_of_mass_m=[0.1, 0.0, -0.2], **start)
    pod["attitude"] = {"quaternion": tree["ship.pod.attitude"][0].tolist()}
    apart = simulate({"ship": lone(5.0, [1.0, 2.0, 2.5], **parent), "pod": pod}, 5.0, 1e-3, 0.5)
    # two ways to write the same motion, each with rk4's error of 1e-10
    for key in ("position_m", "attitude", "velocity_m_s"):
        assert worst(tree[f"ship.pod.{key}"], apart[f"pod.{key}"]) < 1e-9
        assert worst(tree[f"ship.{key}"], apart[f"ship.{key}"]) < 1e-12

"""Prescribed motion: coordinates follow their formula to rounding; the torque is that of inverse dynamics."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from tests.support.rigs import body, lone, rig, simulate, worst

AXIS_Z = [0.0, 0.0, 1.0]
START = 15.0

TIMES = [0.0, 0.4, 1.1, 1.5]
KNOTS = [0.0, 20.0, -10.0, 30.0]


def quintic(t):
    """Move from START to 75 deg in 1.25 s: value, rate, acceleration."""
    x = np.clip(t / 1.25, 0.0, 1.0)
    value = START + 60.0 * x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
    return value, 60.0 / 1.25 * 30.0 * (x - x**2) ** 2, 60.0 / 1.25**2 * 60.0 * (x - 3.0 * x**2 + 2.0 * x**3)


def sine(t):
    w = 2.0 * np.pi * 1.5
    return START + 40.0 * np.sin(w * t), 40.0 * w * np.cos(w * t), -40.0 * w * w * np.sin(w * t)


def rate(t):
    return START - 70.0 * t, np.full_like(t, -70.0), np.zeros_like(t)


def table(t):
    """Clamped spline, then at rest."""
    spline = CubicSpline(TIMES, KNOTS, bc_type="clamped")
    inside = t < TIMES[-1] - 1e-9
    late = np.minimum(t, TIMES[-1])
    return START + spline(late), spline(late, 1), np.where(inside, spline(late, 2), 0.0)


def hold(t):
    return np.full_like(t, START), np.zeros_like(t), np.zeros_like(t)


DRIVES = {
    "move": ({"kind": "move", "to_deg": 75.0, "duration_s": 1.25}, quintic),
    "sine": ({"kind": "sine", "amplitude_deg": 40.0, "frequency_Hz": 1.5}, sine),
    "rate": ({"kind": "rate", "rate_deg_s": -70.0}, rate),
    "table": ({"kind": "table", "time_s": TIMES, "displacement_deg": KNOTS}, table),
    "hold": ({"kind": "hold"}, hold),
}


def driven_hinge(drive, **keys):
    return {"type": "revolute", "axis": AXIS_Z, "angle_deg": START, "drive": drive, **keys}


@pytest.mark.parametrize("kind", DRIVES)
@pytest.mark.parametrize("integrator", ["rk4", "linearly_implicit", "semi_implicit_euler"])
def test_driven_hinge_follows_its_profile_and_needs_the_torque_of_inverse_dynamics(kind, integrator):
    m, c, inertia, rotor = 2.0, 0.6, 0.4, 0.1
    drive, profile = DRIVES[kind]
    joint = driven_hinge(drive, rotor_inertia_kg_m2=rotor, stiffness_Nm_rad=3.0, damping_Nms_rad=1.0, rest_deg=10.0)
    result = simulate(rig({"arm": body(m, inertia, joint, (c, 0.0, 0.0))}), 2.0, 1e-3, 0.01, integrator=integrator)
    angle, speed, acceleration = profile(result.time_s)
    # the coordinate is the formula itself: rounding of sines and of deg, at most 3,600 deg/s^2
    assert worst(result["rig.arm.angle_deg"], angle) < 1e-11
    assert worst(result["rig.arm.angle_rate_deg_s"], speed) < 1e-10
    torque = (rotor + inertia + m * c**2) * np.deg2rad(acceleration)
    assert worst(result["rig.arm.torque_Nm"], torque) < 1e-11
    # the hinge also pulls the mass centre inward and across: body axes
    pull = np.column_stack([-m * c * np.deg2rad(speed) ** 2, m * c * np.deg2rad(acceleration), np.zeros_like(speed)])
    assert worst(result["rig.arm.load_force_N"], pull) < 1e-10


@pytest.mark.parametrize("kind", ["move", "sine"])
def test_slide_follows_the_same_profiles_in_metres(kind):
    drives = {
        "move": ({"kind": "move", "to_m": 0.75, "duration_s": 1.25}, quintic),
        "sine": ({"kind": "sine", "amplitude_m": 0.4, "frequency_Hz": 1.5}, sine),
    }
    drive, profile = drives[kind]
    joint = {"type": "prismatic", "axis": [0.0, 3.0, 4.0], "travel_m": 0.01 * START, "drive": drive}
    result = simulate(rig({"rod": body(2.0, 1.0, joint)}), 2.0, 1e-3, 0.01)
    travel, speed, acceleration = (0.01 * x for x in profile(result.time_s))
    # rounding
    assert worst(result["rig.rod.travel_m"], travel) < 1e-13
    assert worst(result["rig.rod.travel_rate_m_s"], speed) < 1e-12
    assert worst(result["rig.rod.force_N"], 2.0 * acceleration) < 1e-11


def test_drive_started_by_an_event_goes_on_from_where_the_joint_is():
    turn = {"joint": "rig.arm", "profile": {"kind": "move", "to_deg": -30.0, "duration_s": 0.5}}
    events = {"turn": {"when": {"time_s": 1.0}, "do": {"drive": turn}}}
    joint = {"type": "revolute", "axis": AXIS_Z, "rate_deg_s": 20.0}
    result = simulate(rig({"arm": body(1.0, 0.5, joint)}), 2.0, 1e-3, 0.01, events=events)
    angle, t = result["rig.arm.angle_deg"], result.time_s
    x = np.clip((t - 1.0) / 0.5, 0.0, 1.0)
    expected = np.where(t <= 1.0, 20.0 * t, 20.0 - 50.0 * x**3 * (10.0 - 15.0 * x + 6.0 * x**2))
    # rounding of a thousand steps
    assert worst(angle, expected) < 1e-11
    # the drive takes hold from rest: what the joint had is lost in the impulse
    assert result.events[0].energy_loss_J == pytest.approx(0.5 * 0.5 * np.deg2rad(20.0) ** 2, rel=1e-12)


def test_driven_wheel_turns_its_free_carrier_back_by_the_ratio_of_inertias():
    I1, I2 = 3.0, 0.5
    drive, profile = DRIVES["move"]
    ship = lone(8.0, I1, bodies={"disc": body(1.0, I2, driven_hinge(drive))})
    result = simulate({"ship": ship}, 2.0, 1e-3, 0.01)
    angle, speed, acceleration = (np.deg2rad(x) for x in profile(result.time_s))
    share = -I2 / (I1 + I2)
    # momentum is conserved by the accelerations; rk4 integrates the quintic's rate with (h / T)^4 / 2880
    assert worst(np.deg2rad(result["ship.rate_deg_s"][:, 2]), share * speed) < 1e-12
    turned = 2.0 * np.arctan2(result["ship.attitude"][:, 3], result["ship.attitude"][:, 0])
    assert worst(turned, share * (angle - angle[0])) < 1e-12
    assert worst(result["ship.disc.torque_Nm"], I1 * I2 / (I1 + I2) * acceleration) < 1e-12


@pytest.mark.parametrize("integrator", ["rk4", "linearly_implicit"])
def test_work_of_a_drive_against_spring_and_stop_is_the_energy_stored(integrator):
    k, stop = 5.0, 40.0
    joint = driven_hinge(DRIVES["move"][0], stiffness_Nm_rad=k, upper_deg=60.0, stop_stiffness_Nm_rad=stop)
    joint.update(damping_Nms_rad=2.0, friction_Nm=1.0)
    result = simulate(rig({"arm": body(1.0, 1.0, joint)}), 2.0, 1e-3, 0.01, integrator=integrator)
    stretch, depth = np.deg2rad([75.0, 15.0])
    stored = 0.5 * k * (stretch**2 - np.deg2rad(START) ** 2) + 0.5 * stop * depth**2
    # work by quadrature: order 4 or 2, with a kink where the stop begins, (75 deg/s h)^2 * 40 N m/rad = 7e-5 J
    assert result["energy.work.joint_drives_J"][-1] == pytest.approx(stored, abs=1e-5)
    assert np.abs(result["energy.residual_J"]).max() < 1e-5

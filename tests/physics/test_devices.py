"""Devices in the joints against closed forms: springs, dampers, motors, rotors, Coulomb friction, stops."""

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.oracle.oscillator import CoulombOscillator, damped_oscillator
from tests.support.rigs import body, lone, rig, simulate, worst

AXIS_X = [1.0, 0.0, 0.0]
AXIS_Z = [0.0, 0.0, 1.0]


def slide(mass=2.0, **keys):
    """A mass on a slide of an anchored rig, its axis askew in space."""
    joint = {"type": "prismatic", "axis": AXIS_X, "attitude": {"rotation_vector_deg": [10.0, 50.0, -70.0]}, **keys}
    return rig({"mass": body(mass, 1.0, joint)})


def run_slide(duration, step=1e-3, every=None, mass=2.0, events=None, integrator="rk4", **keys):
    sections = {"events": events or {}, "integrator": integrator}
    return simulate(slide(mass, **keys), duration, step, every, **sections)


# springs, dampers, motors, rotors


@pytest.mark.parametrize("damping", [0.0, 4.0, 40.0, 100.0])
def test_spring_mass_damper_rings_down_as_the_closed_form(damping):
    m, k, rest, x0, v0 = 2.0, 200.0, 0.03, 0.1, -0.4
    keys = {"stiffness_N_m": k, "rest_m": rest, "damping_Ns_m": damping, "travel_m": x0, "velocity_m_s": v0}
    result = run_slide(5.0, 1e-3, 0.01, m, **keys)
    x, v = damped_oscillator(m, damping, k, x0 - rest, v0, result.time_s)
    # rk4: (w h)^4 / 120 a radian with w = 10 rad/s (the fast decay at 49 rad/s: 5e-8 of what has decayed)
    assert worst(result["rig.mass.travel_m"], rest + x) < 2e-9
    assert worst(result["rig.mass.travel_rate_m_s"], v) < 2e-8
    assert worst(result["rig.mass.force_N"], -k * x - damping * v) < 1e-6
    # the work of a damper decays at up to 98 /s: rk4's quadrature is good to (98 h)^4 / 2880 of 2 J
    assert np.abs(result["energy.residual_J"]).max() < 1e-7


def test_two_free_bodies_on_a_slide_oscillate_at_their_reduced_mass():
    m1, m2, k, x0 = 3.0, 2.0, 150.0, 0.2
    joint = {"type": "prismatic", "axis": AXIS_X, "stiffness_N_m": k, "travel_m": x0}
    ship = lone(m1, 1.0, bodies={"bob": body(m2, 1.0, joint)}, rate_deg_s=[30.0, 0.0, 0.0])
    result = simulate({"ship": ship}, 5.0, 1e-3, 0.01)
    w = np.sqrt(k * (m1 + m2) / (m1 * m2))
    x = x0 * np.cos(w * result.time_s)
    # rk4 at w h = 0.011: 1e-10 a radian, 56 rad
    assert worst(result["ship.bob.travel_m"], x) < 2e-9
    assert worst(result["ship.position_m"][:, 0], (x0 - x) * m2 / (m1 + m2)) < 2e-9


def test_reflected_rotor_lowers_the_frequency_of_a_hinge():
    inertia, rotor, k, start = 0.5, 1.5, 8.0, 40.0
    joint = {"type": "revolute", "axis": AXIS_Z, "angle_deg": start}
    joint.update(stiffness_Nm_rad=k, rotor_inertia_kg_m2=rotor)
    result = simulate(rig({"flap": body(1.0, inertia, joint)}), 10.0, 1e-3, 0.05)
    expected = start * np.cos(np.sqrt(k / (inertia + rotor)) * result.time_s)
    # rk4 at w h = 2e-3 over 20 rad, in degrees
    assert worst(result["rig.flap.angle_deg"], expected) < 1e-9
    assert np.abs(result["energy.residual_J"]).max() < 1e-11


def test_motor_torque_turns_two_free_bodies_against_each_other():
    I1, I2, rotor, torque = 2.0, 0.5, 0.3, 0.8
    joint = {"type": "revolute", "axis": AXIS_Z, "torque_Nm": torque, "rotor_inertia_kg_m2": rotor}
    result = simulate({"ship": lone(4.0, I1, bodies={"disc": body(1.0, I2, joint)})}, 2.0, 1e-3, 0.1)
    relative = torque / (rotor + I1 * I2 / (I1 + I2))
    # constant accelerations: rk4 makes no error, only rounding of 2,000 steps
    assert worst(np.deg2rad(result["ship.disc.angle_deg"]), 0.5 * relative * result.time_s**2) < 1e-12
    base = -relative * I2 / (I1 + I2)
    assert worst(np.deg2rad(result["ship.rate_deg_s"][:, 2]), base * result.time_s) < 1e-12
    work = torque * 0.5 * relative * result.time_s**2
    assert worst(result["energy.work.joint_motors_J"], work) < 1e-12
    assert worst(result["energy.kinetic_J"], work) < 1e-12


def test_motor_force_can_be_changed_by_an_event():
    force = {"joint": "rig.mass", "force_N": -3.0}
    events = {"reverse": {"when": {"time_s": 1.0}, "do": {"torque": force}}}
    result = run_slide(2.0, events=events, force_N=3.0)
    # up and down by 1.5 m/s2: back to rest after 2 s, exactly but for rounding
    assert result["rig.mass.travel_rate_m_s"][1000] == pytest.approx(1.5, abs=1e-12)
    assert result["rig.mass.travel_rate_m_s"][-1] == pytest.approx(0.0, abs=1e-12)
    assert result["rig.mass.travel_m"][-1] == pytest.approx(1.5, abs=1e-12)


# friction


def test_coulomb_oscillator_loses_its_constant_decrement_and_sticks_where_it_should():
    ideal = CoulombOscillator(mass=1.0, stiffness=100.0, friction=1.2, x0=0.1)
    presliding = 1e-5
    keys = {"travel_m": ideal.x0, "stiffness_N_m": ideal.stiffness, "friction_N": ideal.friction}
    result = run_slide(4.0, 1e-4, None, ideal.mass, presliding_m=presliding, **keys)
    x, t = result["rig.mass.travel_m"], result.time_s
    assert ideal.half_cycles() == 4
    for k in range(1, 5):
        near = np.abs(t - k * ideal.half_period()) < 0.05
        turn = np.min(x[near]) if k % 2 else np.max(x[near])
        # at each turn the bristle swings over by at most twice its stretch
        assert abs(turn - ideal.turning_point(k)) < 2 * k * presliding
    when, where = ideal.sticking_point()
    # stuck: an elastic tremble about the place, within the stretch, for good
    stuck = x[t > when + 0.05]
    assert abs(np.mean(stuck) - where) < presliding
    assert np.ptp(stuck) < 2 * presliding
    # slip begins and ends inside steps: there rk4 errs by (w h)^2 of the bristle's energy, 6e-6 J, ten times
    assert np.abs(result["energy.residual_J"]).max() < 1e-8


def test_sliding_body_stops_after_the_path_that_its_energy_pays_for():
    m, f, v0, presliding = 2.0, 3.0, 0.5, 1e-4
    result = run_slide(2.0, 1e-4, 1e-3, m, friction_N=f, velocity_m_s=v0, presliding_m=presliding)
    path = 0.5 * m * v0**2 / f
    # elastic stretch of the bristle: half of it is missing at the start, and it recovers at the end
    assert abs(result["rig.mass.travel_m"][-1] - path) < 2 * presliding
    t = result.time_s
    sliding = (t > 0.02) & (t < 0.3)
    assert worst(np.diff(result["rig.mass.travel_rate_m_s"][sliding]) / 1e-3, -f / m) < 1e-9


@pytest.mark.parametrize("integrator", ["rk4", "linearly_implicit", "semi_implicit_euler"])
@pytest.mark.parametrize("shake", [None, 5.0])
def test_load_below_the_friction_level_does_not_creep(integrator, shake):
    """A steady load, or a steady one with a shake on top, peak below the level: the mean position does not drift."""
    loads = {"pull": {"body": "mass", "force_N": [0.5 if shake else 0.9, 0.0, 0.0]}}
    if shake:
        loads["shake"] = {"body": "mass", "force_N": [0.4, 0.0, 0.0], "frequency_Hz": shake}
    joint = {"type": "prismatic", "axis": AXIS_X, "friction_N": 1.0, "presliding_m": 1e-4, "damping_Ns_m": 2.0}
    vehicles = rig({"mass": body(1.0, 1.0, joint)}, loads=loads)
    # one row a period of the shake
    result = simulate(vehicles, 200.0, 1e-3, 0.2, integrator=integrator)
    x = result["rig.mass.travel_m"]
    print(f"{integrator}, shake {shake}: creep over 150 s {abs(x[-1] - x[250]):.1e} m")
    # the start's tremble decays with 1 s; a slip of a millionth of the stretch each period would show as 7.5e-8
    assert np.abs(x[250:] - x[250]).max() < 1e-12
    # the sudden start may slip: without damping the turning point is at stretch / 2 / (1 - 0.9)
    assert np.abs(x).max() < 5e-4


def test_load_above_the_friction_level_slides_with_the_difference():
    result = run_slide(2.0, friction_N=1.0, force_N=1.5, mass=0.5)
    v = result["rig.mass.travel_rate_m_s"]
    # once slipping, a constant force
    assert (v[-1] - v[1000]) / (result.time_s[-1] - result.time_s[1000]) == pytest.approx(1.0, rel=1e-10)


# stops: k depth (1 + d rate), never pulling


def rebound_speed(damping, speed):
    """Speed after a Hunt-Crossley stop: v / d - ln(1 + d v) / d^2 is a function of the depth alone."""
    if damping == 0.0:
        return speed

    def level(v):
        return v / damping - np.log1p(damping * v) / damping**2

    return brentq(lambda out: level(-out) - level(speed), 0.0, min(speed, (1.0 - 1e-15) / damping))


@pytest.mark.parametrize("damping", [0.0, 0.5, 5.0])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_stop_returns_the_speed_of_the_closed_form(damping, side):
    m, k, v = 2.0, 2000.0, 0.8
    limits = {"upper_m": 0.1} if side > 0 else {"lower_m": -0.1}
    stop = {"stop_stiffness_N_m": k, "stop_damping_s_m": damping}
    result = run_slide(0.5, 1e-5, 1e-4, m, velocity_m_s=side * v, **limits, **stop)
    out = rebound_speed(damping, v)
    # the kink at touch and release falls inside a step: (w h)^2 = 1e-7 of the speed at most
    assert result["rig.mass.travel_rate_m_s"][-1] == pytest.approx(-side * out, abs=1e-7)
    lost = 0.5 * m * (v**2 - out**2)
    assert result["energy.work.joint_stops_J"][-1] == pytest.approx(-lost, abs=2e-7)
    assert np.abs(result["energy.residual_J"]).max() < 2e-7
    # pushes back only
    assert np.max(side * result["rig.mass.force_N"]) <= 0.0


def test_elastic_stop_is_as_deep_and_as_long_as_half_an_oscillation():
    m, k, v, gap = 2.0, 2000.0, 0.8, 0.1
    result = run_slide(0.5, 1e-5, 1e-4, m, velocity_m_s=v, upper_m=gap, stop_stiffness_N_m=k)
    w = np.sqrt(k / m)
    inside = (result.time_s > gap / v) & (result.time_s < gap / v + np.pi / w)
    expected = gap + v / w * np.sin(w * (result.time_s[inside] - gap / v))
    # as above, (w h)^2 of the depth
    assert worst(result["rig.mass.travel_m"][inside], expected) < 1e-8
    assert np.all(result["rig.mass.travel_m"][~inside] <= gap + 1e-8)


def test_stop_does_not_pull_a_body_that_is_torn_off_it():
    """A motor presses the mass into a damped stop, then tears it off faster than the stop's material can follow."""
    k, d, press, tear = 2000.0, 20.0, 60.0, -400.0
    events = {"tear": {"when": {"time_s": 1.0}, "do": {"torque": {"joint": "rig.mass", "force_N": tear}}}}
    stop = {"upper_m": 0.0, "stop_stiffness_N_m": k, "stop_damping_s_m": d}
    result = run_slide(1.1, 1e-4, events=events, force_N=press, **stop)
    x, v, t = result["rig.mass.travel_m"], result["rig.mass.travel_rate_m_s"], result.time_s
    from_stop = result["rig.mass.force_N"] - np.where(t < 1.0 - 1e-9, press, tear)
    # in the stop the viscous law alone would pull here
    torn = (x > 0.0) & (1.0 + d * v < 0.0)
    assert torn.sum() > 20
    assert np.all(from_stop[torn] == 0.0)
    assert np.max(from_stop) <= 1e-12
    # the energy left in the stop is counted as lost; the kink inside a step costs (w h)^2 = 1e-5 of the stop's 1 J
    assert np.abs(result["energy.residual_J"]).max() < 1e-5

"""Wheels, thrusters and loads: momentum passed on exactly, impulses to rounding, windows and frequencies."""

import numpy as np
import pytest
from scipy.special import fresnel

from tests.support.rigs import body, lone, simulate, worst

# wheels


def with_wheels(axes, hold, speed_rpm=500.0, **keys):
    figures = {"spin_inertia_kg_m2": 0.05, "mass_kg": 2.0, "torque_limit_Nm": 5.0, "speed_rpm": speed_rpm}
    wheels = {f"w{i}": {"axis": list(axis), **figures} for i, axis in enumerate(axes)}
    law = {**hold, "actuator": "wheels"}
    return {"sat": lone(40.0, [20.0, 25.0, 30.0], wheels=wheels, attitude_hold=law, **keys)}


XYZ = np.eye(3).tolist()
PYRAMID = [(1.0, 0.0, 0.7), (-1.0, 0.0, 0.7), (0.0, 1.0, 0.7), (0.0, -1.0, 0.7)]
HOLD = {"stiffness_Nm_rad": 4.0, "damping_Nms_rad": 15.0, "torque_limit_Nm": 2.0, "sample_s": 0.05, "attitude": {}}


@pytest.mark.parametrize("axes", [XYZ, PYRAMID])
def test_wheels_hold_the_attitude_and_total_angular_momentum_does_not_change(axes):
    start = {"attitude": {"rotation_vector_deg": [10.0, -20.0, 15.0]}, "rate_deg_s": [3.0, 1.0, -2.0]}
    result = simulate(with_wheels(axes, HOLD, **start), 120.0, 0.01, 0.1)
    h = result["momentum.angular_kg_m2_s"]
    drift = worst(h, h[0]) / np.linalg.norm(h[0])
    print(f"{len(axes)} wheels: angular momentum drifts by {drift:.1e}")
    # internal torques cancel in the accelerations; rk4 turns the gyroscopic terms with (w h)^4, w = 0.15 rad/s
    assert drift < 1e-11
    assert np.abs(result["momentum.linear_residual"]).max() < 1e-12
    q = result["sat.attitude"][-1]
    # the wheels' gyroscopic torque is a disturbance at the start; 120 s are 40 time constants
    assert np.abs(2.0 * q[1:]).max() < 1e-5
    assert np.abs(result["sat.rate_deg_s"][-1]).max() < 1e-4
    speeds = np.array([result[f"sat.w{i}.angle_rate_deg_s"][-1] for i in range(len(axes))])
    assert np.abs(speeds - 3000.0).max() > 100.0


def test_wheel_and_body_exchange_momentum_exactly_about_one_axis():
    # about z: the body and two wheels across, thin discs, against the wheel along z
    inertia, J = 30.0 + 0.05, 0.05
    hold = {**HOLD, "stiffness_Nm_rad": 3.0, "damping_Nms_rad": 12.0}
    start = {"rotation_vector_deg": [0.0, 0.0, 10.0]}
    result = simulate(with_wheels(XYZ, hold, 0.0, attitude=start), 20.0, 0.01, 0.05)
    rate, spin = np.deg2rad(result["sat.rate_deg_s"][:, 2]), np.deg2rad(result["sat.w2.angle_rate_deg_s"])
    # no momentum at the start, none later: rounding
    assert worst(inertia * rate, -J * (rate + spin)) < 1e-13
    # the body feels the demand of each sample, to rounding over 0.05 s
    angle = 2.0 * np.arctan2(result["sat.attitude"][:, 3], result["sat.attitude"][:, 0])
    demand = -np.clip(3.0 * angle + 12.0 * rate, -2.0, 2.0)
    assert worst(np.diff(rate) / 0.05 * inertia, demand[:-1]) < 1e-11
    assert worst(result["sat.w2.torque_Nm"], -demand) < 1e-12


def test_wheel_limit_bounds_the_motor_torque():
    start = {"rotation_vector_deg": [0.0, 0.0, 30.0]}
    hold = {**HOLD, "torque_limit_Nm": 50.0, "stiffness_Nm_rad": 100.0}
    result = simulate(with_wheels(XYZ, hold, attitude=start), 1.0, 0.01)
    assert np.abs(result["sat.w2.torque_Nm"]).max() == 5.0


# thrusters


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler", "linearly_implicit"])
def test_pulses_through_the_mass_centre_give_impulse_over_mass(integrator):
    aft = {"direction": [0.0, 2.0, 0.0], "force_N": 30.0, "pulses": [[0.1, 0.25], [0.6, 0.015], [0.9, 5.0]]}
    result = simulate({"ship": lone(12.0, 1.0, thrusters={"aft": aft})}, 1.0, 1e-3, integrator=integrator)
    t, v = result.time_s, result["ship.velocity_m_s"][:, 1]
    on_time = sum(np.clip(t - start, 0.0, length) for start, length in aft["pulses"])
    # constant force within each step: every method is exact, rounding of 1,000 steps
    assert worst(v, 2.5 * on_time) < 1e-13
    assert v[-1] == pytest.approx(30.0 * 0.365 / 12.0, rel=1e-13)
    assert np.abs(result["momentum.linear_residual"]).max() < 1e-12
    if integrator == "rk4":
        assert np.abs(result["energy.residual_J"]).max() < 1e-12


def test_couple_of_thrusters_gives_torque_impulse_over_inertia():
    pulse = {"force_N": 5.0, "pulses": [[0.2, 0.5]]}
    left = {"position_m": [0.0, 1.5, 0.0], "direction": [-1.0, 0.0, 0.0], **pulse}
    right = {"position_m": [0.0, -1.5, 0.0], "direction": [1.0, 0.0, 0.0], **pulse}
    result = simulate({"ship": lone(12.0, [3.0, 4.0, 6.0], thrusters={"left": left, "right": right})}, 1.0)
    # 15 N m on 6 kg m2 for 0.5 s; rounding, in deg/s
    assert worst(np.deg2rad(result["ship.rate_deg_s"][-1]), [0.0, 0.0, 1.25]) < 1e-12
    assert np.abs(result["ship.velocity_m_s"]).max() < 1e-13
    assert result["energy.work.thrusters_J"][-1] == pytest.approx(0.5 * 6.0 * 1.25**2, rel=1e-10)


def test_off_centre_thruster_drives_the_ship_along_fresnels_spiral():
    """Torque constant, so the angle grows as t^2 and the body-fixed force turns with it."""
    m, inertia, arm, force, T = 12.0, 6.0, 0.8, 10.0, 2.0
    side = {"position_m": [0.0, -arm, 0.0], "direction": [1.0, 0.0, 0.0], "force_N": force, "pulses": [[0.0, T]]}
    result = simulate({"ship": lone(m, inertia, thrusters={"side": side})}, T, 1e-3, 0.05)
    a = force * arm / inertia
    # integral of cos, sin (a t^2 / 2)
    s, c = fresnel(np.sqrt(a / np.pi) * result.time_s)
    expected = force / m * np.sqrt(np.pi / a) * np.column_stack([c, s])
    assert worst(result["ship.velocity_m_s"][:, :2], expected) < 1e-11
    assert worst(np.deg2rad(result["ship.rate_deg_s"][:, 2]), a * result.time_s) < 1e-12


def test_event_cuts_a_firing_and_the_pulse_that_is_on_but_no_later_one():
    aft = {"direction": [1.0, 0.0, 0.0], "force_N": 6.0, "pulses": [[0.4, 0.2], [0.7, 0.1]]}
    events = {
        "push": {"when": {"time_s": 0.1}, "do": {"fire": {"thruster": "ship.aft", "duration_s": 0.25}}},
        "enough": {"when": {"time_s": 0.15}, "do": {"cut": "ship.aft"}},
        "again": {"when": {"time_s": 0.5}, "do": {"cut": "ship.aft"}},
    }
    result = simulate({"ship": lone(12.0, 1.0, thrusters={"aft": aft})}, 1.0, 1e-3, events=events)
    # 0.05 s of the firing, 0.1 s of the first pulse, the second pulse whole; rounding of 1000 steps
    assert result["momentum.linear_kg_m_s"][-1, 0] == pytest.approx(6.0 * (0.05 + 0.1 + 0.1), rel=1e-12)


def test_event_fires_a_thruster_for_exactly_its_duration():
    aft = {"direction": [1.0, 0.0, 0.0], "force_N": 30.0, "pulses": [[0.05, 0.02]]}

    def fire(duration):
        return {"fire": {"thruster": "ship.aft", "duration_s": duration}}

    first = {"when": {"time_s": 0.3}, "do": fire(0.2)}
    second = {"when": {"after": "first", "delay_s": 0.4}, "do": fire(0.1)}
    events = {"first": first, "second": second}
    result = simulate({"ship": lone(12.0, 1.0, thrusters={"aft": aft})}, 1.0, events=events)
    t = result.time_s
    on_time = sum(np.clip(t - start, 0.0, length) for start, length in ((0.05, 0.02), (0.3, 0.2), (0.7, 0.1)))
    # rounding
    assert worst(result["ship.velocity_m_s"][:, 0], 2.5 * on_time) < 1e-13
    assert [event.time_s for event in result.events] == pytest.approx([0.3, 0.7], abs=1e-12)


SCHEDULE = [[0.0, 0.0371], [0.2, 0.005], [0.3333, 0.2]]


def jets(**keys):
    """Two of different strength through the mass centre, along x and y: both speeds are thrust times the time on."""
    one = {"direction": [1.0, 0.0, 0.0], "force_N": 30.0, **keys}
    return {"ship": lone(12.0, 1.0, thrusters={"one": one, "two": {"direction": [0.0, 1.0, 0.0], "force_N": 18.0}})}


def scheduled(at=0.1003, thruster="ship.one", **keys):
    return {"when": {"time_s": at}, "do": {"fire": {"thruster": thruster, **({"schedule": SCHEDULE} | keys)}}}


def time_on(t, *windows):
    """How long a thruster has fired at each instant; windows as [begin, end]."""
    return sum(np.clip(t - begin, 0.0, end - begin) for begin, end in windows)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler", "linearly_implicit"])
def test_schedule_from_an_event_gives_exact_impulses_to_all_its_thrusters(integrator):
    both = scheduled(thruster=["ship.one", "ship.two"])
    result = simulate(jets(), 1.0, 1e-3, events={"go": both}, integrator=integrator)
    on = time_on(result.time_s, *((0.1003 + start, 0.1003 + start + length) for start, length in SCHEDULE))
    v = result["ship.velocity_m_s"]
    # constant force within each piece of a step: every method is exact, rounding of 1,000 steps
    assert worst(v[:, 0], 2.5 * on) < 1e-13
    assert worst(v[:, 1], 1.5 * on) < 1e-13
    assert v[-1, 0] == pytest.approx(2.5 * 0.2421, rel=1e-12)
    assert np.abs(result["momentum.linear_residual"]).max() < 1e-12
    if integrator == "rk4":
        assert np.abs(result["energy.residual_J"]).max() < 1e-12


def test_schedule_counts_from_the_instant_at_which_a_condition_is_seen():
    """The ship passes 0.25 m/s at 0.1 s; the schedule runs from the step that sees it, and only once."""
    pushed = jets(pulses=[[0.0, 0.2]])
    when = {"distance": ["ship.eye", "mark.eye"], "above_m": 1.0125}
    pushed["ship"]["ports"] = {"eye": {}}
    pushed["mark"] = lone(1.0, 1.0, position_m=[-1.0, 0.0, 0.0], ports={"eye": {}})
    fire = {"fire": {"thruster": "ship.two", "schedule": SCHEDULE}}
    result = simulate(pushed, 1.0, 1e-3, events={"seen": {"when": when, "do": fire}})
    (event,) = result.events
    assert event.time_s == pytest.approx(0.1, abs=1.1e-3)
    on = time_on(result.time_s, *((event.time_s + start, event.time_s + start + length) for start, length in SCHEDULE))
    assert worst(result["ship.velocity_m_s"][:, 1], 1.5 * on) < 1e-13


def test_firings_of_two_events_at_once_are_one_thrust():
    long, short = scheduled(schedule=[[0.0, 0.5]]), scheduled(0.3, schedule=[[0.0, 0.1], [0.25, 0.2]])
    result = simulate(jets(), 1.0, 1e-3, events={"long": long, "short": short})
    on = time_on(result.time_s, [0.1003, 0.75])
    assert worst(result["ship.velocity_m_s"][:, 0], 2.5 * on) < 1e-13


def test_cut_ends_the_pulse_of_a_schedule_that_is_on_and_no_later_one():
    events = {"go": scheduled(), "enough": {"when": {"time_s": 0.12345}, "do": {"cut": "ship.one"}}}
    events["late"] = {"when": {"time_s": 0.25}, "do": {"cut": "ship.one"}}
    result = simulate(jets(), 1.0, 1e-3, events=events)
    on = time_on(result.time_s, [0.1003, 0.12345], [0.3003, 0.3053], [0.4336, 0.6336])
    assert worst(result["ship.velocity_m_s"][:, 0], 2.5 * on) < 1e-13


# inhibited within the first pulse and until the third has begun; the second passes without thrust
INHIBITED_FROM, ON_FROM = 0.11111, 0.5007


def inhibited_by_events():
    return {}, {"thrusters": {"of": "ship.one", "mode": "inhibited"}}, {"thrusters": {"of": ["ship"], "mode": "on"}}


def inhibited_by_phases():
    return {"by_phase": {"CAPTURED": "inhibited", "FREE": "on"}}, {"phase": "CAPTURED"}, {"phase": "FREE"}


@pytest.mark.parametrize("way", [inhibited_by_events, inhibited_by_phases])
def test_pulses_of_an_inhibited_thruster_pass_without_thrust_and_their_rest_fires_when_it_is_on(way):
    keys, inhibit, allow = way()
    events = {"go": scheduled(thruster=["ship.one", "ship.two"])}
    events["inhibit"] = {"when": {"time_s": INHIBITED_FROM}, "do": inhibit}
    events["allow"] = {"when": {"time_s": ON_FROM}, "do": allow}
    # a pulse of the vehicle's own schedule, under way as the thruster is let go
    result = simulate(jets(pulses=[[0.45, 0.06]], **keys), 1.0, 1e-3, events=events)
    on = time_on(result.time_s, [0.1003, INHIBITED_FROM], [ON_FROM, 0.6336])
    assert worst(result["ship.velocity_m_s"][:, 0], 2.5 * on) < 1e-13
    # the other thruster is not inhibited
    assert result["ship.velocity_m_s"][-1, 1] == pytest.approx(1.5 * 0.2421, rel=1e-12)
    assert np.abs(result["momentum.linear_residual"]).max() < 1e-12


def test_thruster_inhibited_from_the_start_fires_nothing():
    result = simulate(jets(mode="inhibited", pulses=[[0.0, 0.3]]), 1.0, 1e-3, events={"go": scheduled()})
    assert np.all(result["ship.velocity_m_s"] == 0.0)


def test_thruster_on_a_turned_child_pushes_along_the_childs_axes():
    joint = {"type": "fixed", "position_m": [0.0, 1.0, 0.0], "attitude": {"rotation_vector_deg": [0.0, 0.0, 90.0]}}
    jet = {"body": "arm", "position_m": [-1.0, 0.0, 0.0], "direction": [0.0, 1.0, 0.0], "force_N": 6.0}
    jet["pulses"] = [[0.0, 0.001]]
    ship = lone(10.0, 2.0, bodies={"arm": body(2.0, 0.5, joint, (-1.0, 0.0, 0.0))}, thrusters={"jet": jet})
    result = simulate({"ship": ship}, 0.001)
    # the arm's mass centre and the jet are at the ship's origin, y of the arm is -x of the ship
    assert worst(result["ship.acceleration_m_s2"][0], [-0.5, 0.0, 0.0]) < 1e-14
    assert np.abs(result["ship.angular_acceleration_deg_s2"][0]).max() < 1e-12


# loads


def test_sinusoidal_load_acts_within_its_window_as_the_closed_form():
    m, F, f, start, end = 4.0, 3.0, 1.7, 0.5, 2.0
    load = {"force_N": [0.0, 0.0, F], "frequency_Hz": f, "start_s": start, "end_s": end}
    result = simulate({"ship": lone(m, 1.0, loads={"shake": load})}, 3.0, 1e-3, 0.01)
    w = 2.0 * np.pi * f
    x = np.clip(result.time_s - start, 0.0, end - start)
    v = F / (m * w) * (1.0 - np.cos(w * x))
    z = F / (m * w) * (x - np.sin(w * x) / w) + v * np.clip(result.time_s - end, 0.0, None)
    # rk4 at w h = 0.01: quadrature good to (w h)^4 / 2880
    assert worst(result["ship.velocity_m_s"][:, 2], v) < 1e-11
    assert worst(result["ship.position_m"][:, 2], z) < 1e-11
    assert worst(result["energy.work.loads_J"], 0.5 * m * v**2) < 1e-11


def test_inertial_load_keeps_its_direction_and_body_load_turns_with_the_body():
    m, F, w = 4.0, 3.0, 0.8
    for frame in ("inertial", "body"):
        load = {"force_N": [F, 0.0, 0.0], "frame": frame}
        ship = lone(m, 2.0, rate_deg_s=[0.0, 0.0, float(np.rad2deg(w))], loads={"push": load})
        result = simulate({"ship": ship}, 3.0, 1e-3, 0.05)
        t = result.time_s
        turning = F / (m * w) * np.column_stack([np.sin(w * t), 1.0 - np.cos(w * t)])
        steady = F / m * np.column_stack([t, np.zeros_like(t)])
        # rk4 at w h = 8e-4: rounding
        assert worst(result["ship.velocity_m_s"][:, :2], turning if frame == "body" else steady) < 1e-11


def test_inertial_torque_on_a_spinning_top_adds_to_its_angular_momentum():
    load = {"torque_Nm": [0.3, -0.2, 0.5], "frame": "inertial", "start_s": 1.0, "end_s": 4.0}
    ship = lone(4.0, [1.0, 2.0, 2.5], rate_deg_s=[60.0, 30.0, -90.0], loads={"push": load})
    result = simulate({"ship": ship}, 5.0, 1e-3, 0.1)
    h = result["momentum.angular_kg_m2_s"]
    gained = np.outer(np.clip(result.time_s - 1.0, 0.0, 3.0), load["torque_Nm"])
    # rk4 at 1 ms and 2 rad/s
    assert worst(h - h[0], gained) < 1e-11

"""Attitude hold by jets and wheels: sampled response to rounding, linear limit, dead band, limit, delay, slew."""

import numpy as np
import pytest

from tests.oracle.oscillator import damped_oscillator
from tests.support.rigs import lone, simulate, worst

INERTIA = 50.0
STEP = 0.01


def satellite(hold, angle_deg=0.0, rate_deg_s=0.0, **keys):
    """Turned by an angle about z off the attitude to hold; the moments about x and y do not matter then."""
    start = {"attitude": {"rotation_vector_deg": [0.0, 0.0, angle_deg]}, "rate_deg_s": [0.0, 0.0, rate_deg_s]}
    return {"sat": lone(20.0, [30.0, 40.0, INERTIA], **start, attitude_hold={"attitude": {}, **hold}, **keys)}


def law(stiffness=2.0, damping=20.0, limit=100.0, **keys):
    return {"stiffness_Nm_rad": stiffness, "damping_Nms_rad": damping, "torque_limit_Nm": limit, **keys}


def angle_about_z(result):
    q = result["sat.attitude"]
    return np.unwrap(2.0 * np.arctan2(q[:, 3], q[:, 0]))


def sampled_response(hold, angle, rate, duration, disturbance=0.0):
    """Exact motion about one axis under the sampled law, at every sample: angle, rate, torque."""
    k, c, limit = hold["stiffness_Nm_rad"], hold["damping_Nms_rad"], hold["torque_limit_Nm"]
    h, band = hold.get("sample_s", 0.1), k * np.deg2rad(hold.get("dead_band_deg", 0.0))
    waiting = [0.0] * round(hold.get("delay_s", 0.0) / h)
    rows = []
    for _ in range(round(duration / h) + 1):
        s = k * angle + c * rate
        waiting.append(np.clip(-np.sign(s) * max(abs(s) - band, 0.0), -limit, limit))
        torque = waiting.pop(0)
        rows.append((angle, rate, torque))
        push = (torque + disturbance) / INERTIA
        angle, rate = angle + h * rate + 0.5 * h * h * push, rate + h * push
    return np.array(rows)


CASES = {
    "plain": law(),
    "fast samples": law(sample_s=STEP),
    "dead band": law(dead_band_deg=2.0),
    "limited": law(limit=0.3),
    "one sample late": law(delay_s=0.1),
    "five samples late": law(delay_s=0.5),
    "everything": law(6.0, 30.0, 0.5, dead_band_deg=1.0, delay_s=0.4, sample_s=0.2),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("disturbance", [0.0, 0.05])
def test_sampled_hold_moves_the_body_exactly_as_its_law_says(case, disturbance):
    hold = CASES[case]
    angle, rate = 12.0, -1.5
    loads = {"sun": {"torque_Nm": [0.0, 0.0, disturbance]}}
    every = hold.get("sample_s", 0.1)
    result = simulate(satellite(hold, angle, rate, loads=loads), 40.0, STEP, every)
    expected = sampled_response(hold, np.deg2rad(angle), np.deg2rad(rate), 40.0, disturbance)
    # constant torque between samples: rk4 makes no error; rounding of 4,000 steps
    assert worst(angle_about_z(result), expected[:, 0]) < 1e-11
    assert worst(np.deg2rad(result["sat.rate_deg_s"][:, 2]), expected[:, 1]) < 1e-11
    torque = INERTIA * np.deg2rad(result["sat.angular_acceleration_deg_s2"][:, 2]) - disturbance
    assert worst(torque, expected[:, 2]) < 1e-10
    assert np.abs(result["energy.residual_J"]).max() < 1e-12


def test_fast_sampled_hold_is_a_damped_oscillator_for_small_errors():
    k, c, sample = 8.0, 12.0, 1e-3
    result = simulate(satellite(law(k, c, sample_s=sample), 1.0), 30.0, sample, 0.1)
    expected, _ = damped_oscillator(INERTIA, c, k, np.deg2rad(1.0), 0.0, result.time_s)
    # holding the torque for a sample is a delay of half of it: w h / 2 = 2e-4 of the amplitude a radian, 12 rad
    assert worst(angle_about_z(result), expected) < 2e-4 * np.deg2rad(1.0)


def test_hold_on_three_axes_is_three_oscillators_for_small_errors():
    moments, k, c = np.array([30.0, 40.0, 50.0]), np.array([3.0, 8.0, 5.0]), np.array([6.0, 12.0, 9.0])
    start = 1e-4 * np.array([1.0, -2.0, 1.5])
    hold = law(k.tolist(), c.tolist(), sample_s=2e-3, attitude={})
    turn = {"rotation_vector_deg": np.rad2deg(start).tolist()}
    result = simulate({"sat": lone(20.0, moments, attitude=turn, attitude_hold=hold)}, 30.0, 2e-3, 0.1)
    columns = [damped_oscillator(moments[i], c[i], k[i], start[i], 0.0, result.time_s)[0] for i in range(3)]
    # delay of half a sample: w h / 2 = 5e-4 a radian; gyroscopic terms are of second order in 1e-4
    assert worst(2.0 * result["sat.attitude"][:, 1:], np.transpose(columns)) < 1e-3 * 2e-4


def dead_band_run(damping_ratio, rate, duration, k=2.0, band=1.0):
    """Drift at a rate through the middle of a dead band; returns angle, rate [rad, rad/s] and where no torque acts."""
    c = 2.0 * damping_ratio * np.sqrt(k * INERTIA)
    hold = law(k, c, dead_band_deg=band, sample_s=STEP)
    result = simulate(satellite(hold, 0.0, rate), duration, STEP, 0.1)
    angle, speed = angle_about_z(result), np.deg2rad(result["sat.rate_deg_s"][:, 2])
    inside = np.abs(k * angle + c * speed) < k * np.deg2rad(band) - 1e-12
    assert np.all(result["sat.angular_acceleration_deg_s2"][inside, 2] == 0.0)
    return angle, speed, inside


@pytest.mark.parametrize("axis", range(3))
def test_dead_band_of_each_axis_is_an_angle_times_the_stiffness_of_that_axis(axis):
    moments, k, c = np.array([30.0, 40.0, 50.0]), np.array([3.0, 8.0, 5.0]), np.array([6.0, 12.0, 9.0])
    angle, rate, band = np.zeros(3), np.zeros(3), 1.0
    angle[axis], rate[axis] = 1.7, 0.1
    hold = law(k.tolist(), c.tolist(), dead_band_deg=band, attitude={})
    start = {"attitude": {"rotation_vector_deg": angle.tolist()}, "rate_deg_s": rate.tolist()}
    result = simulate({"sat": lone(20.0, moments, attitude_hold=hold, **start)}, STEP, STEP)
    torque = moments * result["sat.angular_acceleration_deg_s2"][0]
    assert torque == pytest.approx(-(k * angle + c * rate - k * band * (angle > 0.0)), rel=1e-12, abs=1e-12)


def test_critically_damped_hold_stops_a_drifting_body_within_its_dead_band():
    """The lead of the rate term catches the body before the edge, which it then never reaches."""
    angle, speed, inside = dead_band_run(1.0, 0.02, 250.0)
    assert 100 < inside.sum() < 1000
    assert np.rad2deg(angle.max()) < 1.0
    # slows down as exp(-0.2 t)
    assert np.rad2deg(angle[-1]) == pytest.approx(1.0, abs=1e-9)
    assert abs(speed[-1]) < 1e-12


def test_weakly_damped_hold_bounces_between_the_edges_of_its_dead_band():
    """Beyond the switching line it is a damped oscillator; each bounce takes the same share of the speed."""
    ratio, v0 = 0.3, np.deg2rad(0.05)
    w = np.sqrt(2.0 / INERTIA)
    t = np.linspace(1e-3, 2.0 * np.pi / w, 200_000)
    lead = 2.0 * ratio / w
    x, v = damped_oscillator(1.0, 2.0 * ratio * w, w * w, -lead, 1.0, t)
    back = np.argmax(x + lead * v < 0.0)
    angle, speed, inside = dead_band_run(ratio, 0.05, 1000.0)
    # mean speed of each stay within the band
    stays = np.split(speed[inside], np.flatnonzero(np.diff(np.sign(speed[inside]))) + 1)
    found = np.array([np.mean(stay) for stay in stays])
    print(f"speeds within the band {np.rad2deg(found).round(5)} deg/s")
    assert len(found) >= 4
    # sampling delays the torque by half a step: w h / 2 = 1e-3 of a bounce
    assert found[1:4] / found[:3] == pytest.approx(np.full(3, v[back]), rel=5e-3)
    assert np.abs(angle).max() == pytest.approx(np.deg2rad(1.0) + v0 * x[:back].max(), rel=1e-4)


def test_delay_shifts_the_answer_to_a_disturbance_by_whole_samples():
    """At rest within its band until pushed: the first torque comes later by the delay, to the step."""
    onsets = []
    for delay in (0.0, 0.1, 0.3):
        loads = {"kick": {"torque_Nm": [0.0, 0.0, 1.0], "start_s": 1.0, "end_s": 1.2}}
        result = simulate(satellite(law(delay_s=delay), loads=loads), 3.0, STEP)
        own = INERTIA * np.deg2rad(result["sat.angular_acceleration_deg_s2"][:, 2])
        own[(result.time_s > 1.0 - 1e-9) & (result.time_s < 1.2 - 1e-9)] -= 1.0
        onsets.append(np.argmax(np.abs(own) > 1e-6))
    # the sample at 1.1 s is the first that sees the kick of 1.0 s
    assert onsets == [110, 120, 140]


def test_limit_saturates_each_axis_on_its_own():
    hold = law(50.0, 0.0, [0.2, 0.3, 5.0], attitude={})
    turn = {"rotation_vector_deg": [20.0, -30.0, 2.0]}
    result = simulate({"sat": lone(20.0, 40.0, attitude=turn, attitude_hold=hold)}, 0.1, STEP)
    torque = 40.0 * np.deg2rad(result["sat.angular_acceleration_deg_s2"][0])
    # rounding
    assert worst(torque, [-0.2, 0.3, -50.0 * np.deg2rad(2.0)]) < 1e-12


def test_slew_reaches_its_target_and_follows_the_quintic():
    turn, start, duration = np.array([10.0, -40.0, 60.0]), 2.0, 30.0
    slew = {"rotation_vector_deg": turn.tolist(), "start_s": start, "duration_s": duration}
    base = {"attitude": {"rotation_vector_deg": [15.0, 5.0, -10.0]}}
    hold = law(50.0, 2.0 * np.sqrt(50.0 * 40.0), sample_s=STEP, slew=slew)
    result = simulate({"sat": lone(20.0, 40.0, **base, attitude_hold=hold)}, 80.0, STEP, 0.5)
    q0, q1 = result["sat.attitude"][0], result["sat.attitude"][-1]
    angle = 2.0 * np.arccos(np.clip(np.abs(q0 @ q1), 0.0, 1.0))
    # critically damped at 1.1 rad/s: 48 s after the end nothing is left but arccos of a rounded cosine
    assert angle == pytest.approx(np.deg2rad(np.linalg.norm(turn)), abs=1e-9)
    assert np.abs(result["sat.rate_deg_s"][-1]).max() < 1e-9
    # on the way the rate is the quintic's, about the turn's axis; the law lags by the acceleration it must provide
    x = np.clip((result.time_s - start) / duration, 0.0, 1.0)
    rate = np.outer(30.0 * (x - x * x) ** 2 / duration, turn)
    lag = 60.0 * np.abs(turn).max() / duration**2 / np.sqrt(3.0) / 6.0 * 40.0 / 50.0
    assert worst(result["sat.rate_deg_s"], rate) < 3.0 * lag


def test_hold_that_is_off_does_nothing_until_an_event_switches_it_on():
    switch = {"on": {"when": {"time_s": 5.0}, "do": {"attitude_hold": {"vehicle": "sat", "mode": "on"}}}}
    hold = law(mode="off")
    result = simulate(satellite(hold, 8.0, 0.5), 20.0, STEP, 0.1, events=switch)
    before = result.time_s < 5.0 - 1e-9
    assert np.all(result["sat.angular_acceleration_deg_s2"][before] == 0.0)
    # from then on exactly the law, from the state reached by drifting
    expected = sampled_response(hold, np.deg2rad(8.0 + 5.0 * 0.5), np.deg2rad(0.5), 15.0)
    # rounding
    assert worst(angle_about_z(result)[~before], expected[:, 0]) < 1e-11


# modes


def switched_response(hold, angle, rate, duration, switches):
    """As sampled_response, with new modes at any instants; time, angle, rate, torque at every sample and switch."""
    k, c, limit, h = hold["stiffness_Nm_rad"], hold["damping_Nms_rad"], hold["torque_limit_Nm"], hold["sample_s"]
    late, mode, due = round(hold["delay_s"] / h), hold.get("mode", "on"), 0.0
    waiting = [0.0] * late
    samples = h * np.arange(round(duration / h))
    rows, instants = [], sorted({*samples, *(at for at, _ in switches), duration})
    for here, there in zip(instants, [*instants[1:], duration], strict=True):
        mode = next((new for at, new in switches if at == here), mode)
        if mode == "off":
            waiting, due = [0.0] * late, 0.0
        elif here in samples:
            waiting.append(np.clip(-k * angle - c * rate, -limit, limit))
            due = waiting.pop(0)
        torque = due if mode == "on" else 0.0
        rows.append((here, angle, rate, torque))
        dt = there - here
        angle, rate = angle + dt * rate + 0.5 * dt * dt * torque / INERTIA, rate + dt * torque / INERTIA
    return np.array(rows)


# between samples, between steps, and at samples; delayed torques are on their way each time
SWITCHES = [
    (0.734, "inhibited"),
    (1.25, "on"),
    (2.0137, "off"),
    (2.9, "on"),
    (3.6, "off"),
    (3.75, "inhibited"),
    (4.4, "on"),
]
SWITCHED = law(6.0, 30.0, sample_s=0.1, delay_s=0.3)


def by_events():
    return SWITCHED, {
        f"at_{i}": {"when": {"time_s": t}, "do": {"attitude_hold": {"vehicle": "sat", "mode": mode}}}
        for i, (t, mode) in enumerate(SWITCHES)
    }


def by_phases():
    phases = {f"P{i}": mode for i, (_, mode) in enumerate(SWITCHES)}
    events = {f"at_{i}": {"when": {"time_s": t}, "do": {"phase": f"P{i}"}} for i, (t, _) in enumerate(SWITCHES)}
    return {**SWITCHED, "by_phase": phases}, events


@pytest.mark.parametrize("way", [by_events, by_phases])
def test_hold_acts_samples_or_rests_by_its_mode_from_the_instant_of_the_switch(way):
    hold, events = way()
    result = simulate(satellite(hold, 12.0, -1.5), 6.0, STEP, STEP, events=events)
    expected = switched_response(hold, np.deg2rad(12.0), np.deg2rad(-1.5), 6.0, SWITCHES)
    at = np.rint(expected[:, 0] / STEP).astype(int)
    whole = np.abs(expected[:, 0] - at * STEP) < 1e-9
    assert whole.sum() > 60
    rows = at[whole]
    # constant torque between the instants: rk4 makes no error; rounding of 600 steps
    assert worst(angle_about_z(result)[rows], expected[whole, 1]) < 1e-12
    assert worst(np.deg2rad(result["sat.rate_deg_s"][rows, 2]), expected[whole, 2]) < 1e-12
    torque = INERTIA * np.deg2rad(result["sat.angular_acceleration_deg_s2"][rows, 2])
    assert worst(torque[:-1], expected[whole, 3][:-1]) < 1e-11
    assert np.abs(result["energy.residual_J"]).max() < 1e-12


def test_hold_switched_by_the_phases_of_a_sequence_drifts_freely_from_one_to_the_next():
    sequence = [
        {"phase": "DRIFT", "when": {"time_s": 2.0}},
        {"phase": "HELD", "when": {"after": "drift", "delay_s": 3.0}},
    ]
    hold = law(by_phase={"DRIFT": "off", "HELD": "on"})
    result = simulate(satellite(hold, 8.0, 0.5), 6.0, STEP, 0.1, sequence=sequence)
    t, rate, angle = result.time_s, result["sat.rate_deg_s"][:, 2], angle_about_z(result)
    drift = (t > 2.0 - 1e-9) & (t < 5.0 - 1e-9)
    assert worst(rate[drift], rate[drift][0]) < 1e-12
    assert worst(angle[drift], angle[drift][0] + np.deg2rad(rate[drift][0]) * (t[drift] - 2.0)) < 1e-12
    assert np.abs(rate[t > 5.2] - rate[drift][0]).min() > 1e-3


@pytest.mark.parametrize("mode", ["off", "inhibited"])
def test_wheels_of_a_hold_that_does_not_act_have_no_torque_and_the_body_drifts(mode):
    wheel = {"spin_inertia_kg_m2": 0.05, "mass_kg": 2.0, "torque_limit_Nm": 5.0}
    wheels = {f"w{i}": {"axis": axis, **wheel} for i, axis in enumerate(np.eye(3).tolist())}
    events = {"rest": {"when": {"time_s": 1.0}, "do": {"attitude_hold": {"vehicle": "sat", "mode": mode}}}}
    result = simulate(satellite(law(actuator="wheels"), 8.0, wheels=wheels), 2.0, STEP, STEP, events=events)
    after = result.time_s > 1.0 - 1e-9
    torque, rate = result["sat.w2.torque_Nm"], result["sat.rate_deg_s"][:, 2]
    assert np.abs(torque[~after]).min() > 0.1
    assert np.all(torque[after] == 0.0)
    assert abs(rate[after][0]) > 0.1
    assert worst(rate[after], rate[after][0]) < 1e-12

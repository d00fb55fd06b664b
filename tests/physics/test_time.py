"""Times that are no whole number of steps: impulses are exact, events come at their instants, runs end at their ends.

References: closed forms; conservation of momentum. A load that is constant while it acts is exact to rounding in every
integrator, and under rk4 so is the path, which tells when it acted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import docksim
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.linear.tree import state_at
from docksim.simulation.run import Run, new_run
from tests.physics import shaft_rigs
from tests.physics.test_latches import come
from tests.physics.test_retraction import scenario as retraction
from tests.support.realtime_rigs import LAW, balls
from tests.support.rigs import body, lone, scenario, simulate, worst

INTEGRATORS = ["rk4", "semi_implicit_euler", "linearly_implicit"]
X = [1.0, 0.0, 0.0]
MASS = 4.0
FORCE = 10.0


def ship(pulses: Any = (), loads: Any = None) -> dict[str, Any]:
    jet = {"direction": X, "force_N": FORCE, "pulses": [list(pulse) for pulse in pulses]}
    return {"ship": lone(MASS, 1.0, thrusters={"jet": jet}, loads=loads or {})}


def fire(duration: float) -> dict[str, Any]:
    return {"fire": {"thruster": "ship.jet", "duration_s": duration}}


def at(time: float, do: Any, **keys: Any) -> dict[str, Any]:
    return {"when": {"time_s": time}, "do": do, **keys}


def after(event: str, delay: float, do: Any) -> dict[str, Any]:
    return {"when": {"after": event, "delay_s": delay}, "do": do}


def impulse(result: Any) -> float:
    """The ship's momentum, which agrees with the impulse that is counted."""
    assert np.abs(result["momentum.linear_residual"]).max() < 1e-14
    return MASS * float(result["ship.velocity_m_s"][-1, 0])


def pushed(t: Any, windows: Any) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and path under the force within the windows (begin, end)."""
    on = [(np.clip(t - a, 0.0, b - a), np.clip(t - b, 0.0, None)) for a, b in windows]
    path = sum(0.5 * inside**2 + inside * after for inside, after in on)
    return FORCE / MASS * sum(inside for inside, _ in on), FORCE / MASS * path


# ---------------------------------------------------------------- impulses


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(
    ("keys", "step", "expected"),
    [
        ({"events": {"go": at(0.002, fire(0.0015))}}, 1e-3, 0.015),
        ({"events": {"go": at(0.002, fire(0.0004))}}, 1e-3, 0.004),
        ({"vehicles": ship([[0.0005, 0.001]])}, 1e-3, 0.010),
        ({"vehicles": ship([[0.0, 0.0005]])}, 1e-3, 0.005),
        ({"vehicles": ship([[0.0021, 0.0003], [0.0026, 0.0001]])}, 1e-3, 0.004),
        ({"vehicles": ship(loads={"push": {"force_N": [FORCE, 0, 0], "start_s": 0.013, "end_s": 0.027}})}, 0.02, 0.14),
        ({"vehicles": ship(loads={"push": {"force_N": [FORCE, 0, 0], "start_s": 0.013}})}, 0.02, 0.47),
        ({"events": {"go": at(0.0, {"phase": "A"}), "late": after("go", 0.009, fire(9))}}, 0.02, 0.51),
        ({"events": {"go": at(0.0, fire(9)), "late": after("go", 0.009, {"cut": "ship.jet"})}}, 0.02, 0.09),
        ({"vehicles": ship([[0.0, 9.0]]), "events": {"enough": at(0.0301, {"cut": "ship.jet"})}}, 0.02, 0.301),
        # a pulse that begins when the one before is cut
        ({"vehicles": ship([[0.0, 0.03], [0.0301, 0.001]]), "events": {"enough": at(0.0301, {"cut": "ship.jet"})}},
         0.02, 0.31),
    ],
    ids=["fire", "short fire", "pulse off the grid", "half a step", "two in one step", "load", "load without end",
         "delayed", "cut", "cut at a time", "pulse at the cut"],
)  # fmt: skip
def test_impulses_are_exact_whatever_the_step(keys: Any, step: float, expected: float, integrator: str) -> None:
    keys = {"vehicles": ship(), **keys}
    # a few steps of first order have the momentum, not the energy
    result = simulate(keys.pop("vehicles"), 0.06, step, integrator=integrator, coarse=integrator != "rk4", **keys)
    assert impulse(result) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_random_pulses_and_loads_give_the_exact_velocity_and_path(integrator: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(8):
        step = float(rng.choice([1e-3, 2e-3, 7e-3, 0.02]))
        ends = np.sort(rng.uniform(0.0, 0.2, 12)).reshape(6, 2)
        windows = [tuple(np.sort(rng.uniform(0.0, 0.2, 2))) for _ in range(3)]
        loads = {
            f"l{i}": {"force_N": [FORCE, 0.0, 0.0], "start_s": float(a), "end_s": float(b)}
            for i, (a, b) in enumerate(windows)
        }
        pulses = [(float(a), float(b - a)) for a, b in ends]
        result = simulate(ship(pulses, loads), 0.21, step, integrator=integrator)
        speed, path = pushed(result.time_s, [*ends, *windows])
        # rounding of at most 300 steps
        assert worst(result["ship.velocity_m_s"][:, 0], speed) < 1e-14
        if integrator == "rk4":
            assert worst(result["ship.position_m"][:, 0], path) < 1e-15
            assert np.abs(result["energy.residual_J"]).max() < 1e-14


def test_sine_load_that_begins_within_a_step_is_of_order_four() -> None:
    frequency, start, end = 3.0, 0.013, 0.231
    load = {"force_N": [FORCE, 0.0, 0.0], "start_s": start, "end_s": end, "frequency_Hz": frequency}
    w = 2.0 * np.pi * frequency
    exact = FORCE * (1.0 - np.cos(w * (end - start))) / w
    errors = [abs(impulse(simulate(ship(loads={"s": load}), 0.3, step, coarse=True)) - exact) for step in (0.02, 0.01)]
    # Simpson's rule on steps of at most 0.02 s: (w h)^4 / 2880 of the impulse
    assert errors[0] < (w * 0.02) ** 4 / 2880.0 * FORCE * (end - start)
    assert errors[1] < errors[0] / 10.0


def test_short_sine_load_has_the_impulse_of_its_window() -> None:
    # the case of 2 steps that doubled it: the load runs on to the end
    load = {"force_N": [FORCE, 0.0, 0.0], "start_s": 0.013, "frequency_Hz": 0.8}
    w = 2.0 * np.pi * 0.8
    exact = FORCE * (1.0 - np.cos(w * 0.027)) / w
    assert impulse(simulate(ship(loads={"s": load}), 0.04, 0.02)) == pytest.approx(exact, rel=1e-6)


def test_a_load_that_ends_within_a_step_leaves_the_others_their_whole_step() -> None:
    loads = {
        "short": {"force_N": [FORCE, 0.0, 0.0], "start_s": 0.0013, "end_s": 0.0014},
        "long": {"force_N": [0.0, FORCE, 0.0], "start_s": 0.001, "end_s": 0.003},
    }
    result = simulate(ship(loads=loads), 0.004)
    assert MASS * result["ship.velocity_m_s"][-1, :2] == pytest.approx([0.001, 0.02], rel=1e-12)


# ---------------------------------------------------------------- events


def test_events_come_at_their_instants_never_before() -> None:
    events = {
        "first": at(0.0102, {"phase": "A"}),
        "second": after("first", 0.00035, {"phase": "B"}),
        "third": after("second", 0.00045, {"phase": "C"}),
        "fourth": after("third", 0.0, {"phase": "D"}),
    }
    result = simulate(ship(), 0.02, events=events)
    assert [event.time_s for event in result.events] == pytest.approx([0.0102, 0.01055, 0.011, 0.011], rel=1e-14)
    # 0.01055 + 0.00045 is a whole number of steps but for rounding: the row of that instant knows
    assert result["phase"][10:12].tolist() == [0, 4]
    # rows keep to whole steps
    assert worst(result.time_s, 1e-3 * np.arange(21)) < 1e-17


@pytest.mark.parametrize("step", [0.1, 0.3, 1e-3, 0.007])
def test_times_that_are_whole_steps_but_for_rounding_come_at_those_steps(step: float) -> None:
    # decimal times, and sums of delays, are off by rounding in most of these
    decimal = [float(f"{k * step:.6f}") for k in (1, 3, 7, 9, 17)]
    events = {f"e{i}": at(time, {"phase": "A"}) for i, time in enumerate(decimal)}
    for i in range(20):
        events[f"d{i}"] = after(f"d{i - 1}" if i else "e0", step, {"phase": "B"})
    result = simulate(ship(), 30 * step, step, events=events)
    times = {event.name: event.time_s for event in result.events}
    assert [times[f"e{i}"] for i in range(5)] == [k * step for k in (1, 3, 7, 9, 17)]
    assert [times[f"d{i}"] for i in range(20)] == [k * step for k in range(2, 22)]


def test_motor_torque_between_two_events_has_the_exact_impulse() -> None:
    joint = {"type": "revolute", "axis": [0.0, 0.0, 1.0]}
    rig = {"rig": lone(1.0, 1.0, anchored=True, bodies={"arm": body(1.0, 2.0, joint)})}
    events = {
        "on": at(0.0005, {"torque": {"joint": "rig.arm", "torque_Nm": 8.0}}),
        "off": after("on", 0.0017, {"torque": {"joint": "rig.arm", "torque_Nm": 0.0}}),
    }
    result = simulate(rig, 0.005, events=events)
    assert np.deg2rad(result["rig.arm.angle_rate_deg_s"][-1]) == pytest.approx(8.0 * 0.0017 / 2.0, rel=1e-12)


def test_persistence_counts_whole_steps_alone() -> None:
    # pulses cut every step into three; the condition holds from 2 ms on
    pulses = [(0.001 * k + 0.0003, 0.0003) for k in range(20)]
    events = {"steady": at(0.002, {"phase": "A"}, persistence=5), "soon": at(0.0021, {"phase": "B"})}
    result = simulate(ship(pulses), 0.02, events=events)
    assert {event.name: event.time_s for event in result.events} == pytest.approx({"soon": 0.0021, "steady": 0.006})


def test_late_latches_hold_after_their_exact_delay() -> None:
    arrival = come(0.12, 0.4, damping=400.0)["hit.capture_s"][-1]
    # in some of them rounding puts the cut just before the sum of arrival and delay
    for delay in (0.01003, 0.01, *np.random.default_rng(3).uniform(0.002, 0.02, 8).tolist()):
        result = come(0.12, 0.4, damping=400.0, pair={"latch_errors": [{"latch": 3, "delay_s": delay}]})
        assert result["hit.capture_s"][-1] - arrival == pytest.approx(delay, abs=1e-14)


def test_a_stop_within_a_step_is_the_last_row() -> None:
    keys = scenario(ship([[0.0, 9.0]]), 0.02, events={"halt": at(0.0123, {"stop": "enough"})})
    result = docksim.run(keys)
    assert result.outcome == "stopped"
    assert result.time_s[-2:] == pytest.approx([0.012, 0.0123], rel=1e-14)
    assert impulse(result) == pytest.approx(0.123, rel=1e-12)


# ---------------------------------------------------------------- prescribed motion


def slider(drive: dict[str, Any]) -> dict[str, Any]:
    joint = {"type": "prismatic", "axis": X, "drive": drive}
    return {"ship": lone(10.0, 1.0, bodies={"tray": body(5.0, 1.0, joint)})}


@pytest.mark.parametrize(
    ("drive", "step"),
    [
        ({"kind": "table", "time_s": [0.0, 0.50025, 1.0005], "displacement_m": [0.0, 0.4, 1.0]}, 1e-3),
        ({"kind": "table", "time_s": [0.0, 0.5, 1.01], "displacement_m": [0.0, 0.4, 1.0]}, 0.02),
        ({"kind": "table", "time_s": [0, 0.003, 0.007, 0.0133, 1.01], "displacement_m": [0, 1e-4, 2e-4, 0.1, 1]}, 0.02),
        ({"kind": "table", "time_s": [0.0, 0.0061], "displacement_m": [0.0, 0.01]}, 0.02),
    ],
    ids=["knots at 1 ms", "knots at 20 ms", "knots in the first half step", "table within a step"],
)  # fmt: skip
@pytest.mark.parametrize("integrator", ["rk4", "linearly_implicit"])
def test_knots_within_a_step_make_no_momentum(drive: dict[str, Any], step: float, integrator: str) -> None:
    # the second order of the other has the momentum, not the energy
    result = simulate(slider(drive), 1.2, step, integrator=integrator, coarse=integrator != "rk4")
    # the table's acceleration is linear between knots, and both methods are exact for it; rates up to 10 m/s
    assert np.abs(result["momentum.linear_kg_m_s"]).max() < 1e-12
    check_rest(result, drive["displacement_m"][-1])


def test_a_move_that_ends_within_a_step_makes_no_momentum() -> None:
    # the acceleration is cubic, and so exact for rk4, but kinked where the move ends
    result = simulate(slider({"kind": "move", "to_m": 1.0, "duration_s": 1.013}), 1.2, 0.02)
    assert np.abs(result["momentum.linear_kg_m_s"]).max() < 1e-13
    check_rest(result, 1.0)


def test_driven_coordinates_are_on_their_spline_between_two_steps() -> None:
    # several knots in the step to come: none of its later pieces may be seen yet
    times, way = [0.0, 0.041, 0.047, 0.053, 0.1], [0.0, 0.02, 0.01, 0.04, 0.1]
    drive = {"kind": "table", "time_s": times, "displacement_m": way}
    run = new_run(load_scenario(scenario(slider(drive), 0.08, 0.02)))
    spline = CubicSpline(times, way, bc_type="clamped")
    for k in range(1, 5):
        run.advance(1)
        state = run.compiled.state
        assert [state.q[7], state.beta[6]] == pytest.approx([float(spline(0.02 * k, i)) for i in (0, 1)], rel=1e-12)


def check_rest(result: Any, travel: float) -> None:
    """The tray has gone its way, and the ship does not drift."""
    late = result.time_s > 1.02
    assert np.abs(result["ship.velocity_m_s"][late]).max() < 1e-13
    assert worst(result["ship.tray.travel_m"][late], travel) < 1e-15
    assert not result["ship.tray.travel_rate_m_s"][late].any()


def test_a_table_begun_within_a_step_makes_no_momentum() -> None:
    profile = {"kind": "table", "time_s": [0.0, 0.0123, 0.3], "displacement_m": [0.0, 0.01, 1.0]}
    events = {"go": at(0.1017, {"drive": {"joint": "ship.tray", "profile": profile}})}
    result = simulate(slider({"kind": "hold"}), 0.6, 0.02, events=events)
    assert [event.time_s for event in result.events] == pytest.approx([0.1017])
    assert np.abs(result["momentum.linear_kg_m_s"]).max() < 1e-11
    assert result["ship.tray.travel_m"][-1] == pytest.approx(1.0, rel=1e-15)
    assert result["ship.position_m"][-1, 0] == pytest.approx(-1.0 / 3.0, rel=1e-12)


@pytest.mark.parametrize("duration", [0.4003, 0.4])
def test_a_retraction_that_ends_within_a_step_makes_no_momentum(duration: float) -> None:
    keys = retraction("UPS", {"base_travel_axial_m": -0.1}, duration=1.5)
    keys["events"]["home"]["do"][0]["retract"]["duration_s"] = duration
    keys["solver"]["step_s"] = 2e-3
    result = docksim.run(keys | {"outputs": {"every_s": 0.01}})
    # fourth order either way; a kink within a step would leave 1e-7
    assert result.metrics["momentum.linear_residual_relative"] < 1e-10


# ---------------------------------------------------------------- the end of a run


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(("duration", "step"), [(0.05, 0.02), (1.0, 0.3), (0.0301, 0.02), (0.02 + 1e-7, 0.02)])
def test_runs_end_at_their_duration(duration: float, step: float, integrator: str) -> None:
    result = simulate(ship([[0.0, 9.0]]), duration, step, integrator=integrator, coarse=integrator != "rk4")
    whole = int(duration / step)
    assert worst(result.time_s, [*(step * np.arange(whole + 1)), duration]) < 1e-15
    assert impulse(result) == pytest.approx(FORCE * duration, rel=1e-12)


def test_durations_that_are_whole_steps_but_for_rounding_have_no_step_more() -> None:
    for step, count in ((0.1, 3), (0.3, 10), (1e-3, 1021), (0.007, 49)):
        duration = float(f"{count * step:.6f}")
        assert len(simulate(ship(), duration, step).time_s) == count + 1


def test_last_row_of_a_cut_step_shows_the_forces_of_its_instant() -> None:
    # the run ends between two knots of one step: the row must not see the piece after the second
    drive = {"kind": "table", "time_s": [0.0, 0.101, 0.118, 0.4], "displacement_m": [0.0, 0.02, 0.05, 1.0]}
    whole = simulate(slider(drive), 0.2, 1e-3)
    short = simulate(slider(drive), 0.109, 0.02)
    row = 109
    for name in ("ship.acceleration_m_s2", "ship.tray.travel_m", "ship.tray.travel_rate_m_s"):
        assert worst(short[name][-1], whole[name][row]) < 1e-12
    # and no sample is taken at an end that is no whole step
    hold = {"stiffness_Nm_rad": 4.0, "damping_Nms_rad": 15.0, "torque_limit_Nm": 2.0, "sample_s": 0.02, "attitude": {}}
    turned = {"ship": lone(4.0, 1.0, attitude_hold=hold, attitude={"rotation_vector_deg": [0.0, 0.0, 5.0]})}
    long, cut = (simulate(turned, duration, 0.02) for duration in (0.08, 0.075))
    assert np.array_equal(long["ship.angular_acceleration_deg_s2"][3], cut["ship.angular_acceleration_deg_s2"][-1])


def test_a_model_is_linearised_at_the_exact_time() -> None:
    compiled = state_at(load_scenario(scenario(ship([[0.0005, 9.0]]), 0.05, 0.02)), 0.0307)
    assert compiled.state.clock[0].t == pytest.approx(0.0307, rel=1e-15)
    assert compiled.state.beta[3] == pytest.approx(FORCE / MASS * 0.0302, rel=1e-12)


# ---------------------------------------------------------------- what keeps to whole steps


def with_stranger(vehicles: dict[str, Any]) -> dict[str, Any]:
    """Another vehicle, whose pulses cut nearly every step of the others."""
    jet = {"direction": X, "force_N": 1.0, "pulses": [[0.0011 * k + 0.0003, 0.0004] for k in range(400)]}
    return {**vehicles, "stranger": lone(1.0, 1.0, position_m=[0.0, 50.0, 0.0], thrusters={"jet": jet})}


def test_sampled_control_does_not_see_how_steps_are_cut() -> None:
    hold = {"stiffness_Nm_rad": 40.0, "damping_Nms_rad": 15.0, "torque_limit_Nm": 20.0, "sample_s": 0.004,
            "delay_s": 0.008, "attitude": {}}  # fmt: skip
    held = {"held": lone(4.0, 1.0, attitude_hold=hold, attitude={"rotation_vector_deg": [0.0, 0.0, 5.0]})}
    alone, cut = simulate(held, 0.4), simulate(with_stranger(held), 0.4)
    # torques are constant between samples: rounding, in degrees
    assert worst(alone["held.rate_deg_s"], cut["held.rate_deg_s"]) < 1e-12
    assert np.abs(alone["held.rate_deg_s"]).max() > 1.0


@pytest.mark.parametrize(
    "loop",
    [{"sample_s": 0.004, "delay_s": 0.008}, {"sample_s": 0.001}, {"rate_limit_m_s": 0.2}, {}],
    ids=["sampled, delayed", "sampled", "rate limit", "continuous"],
)
def test_servos_do_not_see_how_steps_are_cut(loop: dict[str, Any]) -> None:
    servo = {"stiffness_N_m": 900.0, "damping_Ns_m": 130.0, "target_m": 0.05006, **loop}
    keys = shaft_rigs.scenario(shaft_rigs.parallel({"servo": servo}), 0.4)
    cut = {**keys, "vehicles": with_stranger(keys["vehicles"])}
    alone, among = shaft_rigs.Run(keys), shaft_rigs.Run(cut)
    assert worst(alone["v.legs.1.command_m"], among["v.legs.1.command_m"]) < 1e-14
    # fourth order of steps of other lengths; where a ramp ends, its last rate depends on the step's length
    bound = 1e-6 if "rate_limit_m_s" in loop else 1e-11
    assert worst(alone["v.legs.1.travel_m"], among["v.legs.1.travel_m"]) < bound


def test_an_impact_is_the_same_however_its_steps_are_cut() -> None:
    keys = balls(2e-4, 0.4)
    alone = docksim.run(keys)
    cut = docksim.run({**keys, "vehicles": with_stranger(keys["vehicles"])})
    assert alone["hit.peak_compression_N"][-1] > 100.0
    for result in (alone, cut):
        assert np.abs(result["momentum.linear_residual"]).max() < 1e-12
    # both resolve the impact
    for ball in "ab":
        assert worst(alone[f"{ball}.velocity_m_s"][-1], cut[f"{ball}.velocity_m_s"][-1]) < 1e-11
    peaks = [result["hit.peak_compression_N"][-1] for result in (alone, cut)]
    assert peaks[1] == pytest.approx(peaks[0], rel=1e-5)


def test_loads_that_last_are_kept_however_their_steps_are_cut() -> None:
    # a compression that grows for longer than the window: every state of it is in the queue
    keys = balls(1e-3, 0.4, law={**LAW, "stiffness_N_m": 1e3}, aside=0.0)
    found = []
    for vehicles in (keys["vehicles"], with_stranger(keys["vehicles"])):
        run = new_run(load_scenario({**keys, "vehicles": vehicles}))
        state, fullest = run.compiled.state, 0
        while run.running:
            run.advance(1)
            fullest = max(fullest, int(state.extreme_pair[0].queued))
        assert fullest < state.lasting.shape[1]
        found.append((fullest, float(state.extreme_pair[0].lasting)))
    (few, plain), (many, cut) = found
    assert few > 100
    assert many > 2 * few
    assert cut == pytest.approx(plain, rel=1e-2)


def test_a_run_in_chunks_with_cut_steps_has_the_same_bits() -> None:
    keys = scenario(with_stranger(ship([[0.0005, 0.0337]])), 0.0505, events={"go": at(0.0102, fire(0.0301))})
    ends = []
    for chunk in (1000, 1, 7):
        run = new_run(load_scenario(keys))
        while run.running:
            run.advance(chunk)
        ends.append(run.log.filled().head.tobytes() + run.compiled.state.q.tobytes())
    assert ends[0] == ends[1] == ends[2]


def test_a_run_goes_on_from_a_copy_of_its_state() -> None:
    keys = scenario(with_stranger(ship([[0.0005, 0.0337]])), 0.0505, events={"go": at(0.0102, fire(0.0301))})
    run = new_run(load_scenario(keys))
    run.advance(23)
    state = type(run.compiled.state)(*(table.copy() for table in run.compiled.state))
    again = Run(replace(compile_scenario(load_scenario(keys)), state=state))
    for one in (run, again):
        one.advance(1000)
    assert run.compiled.state.q.tobytes() == again.compiled.state.q.tobytes()

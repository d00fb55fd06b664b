"""A run that is stepped from Python: the bits of `run`, whatever dt is, also gone back in contact; what it is asked
acts as an event or a load of the scenario does, to the bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import docksim

DOCK = {"solver.duration_s": 5.5, "outputs.joint_loads": False}
# a tug with a thruster and a port, and an elbow with a motor
TUG: dict[str, Any] = {
    "vehicles": {
        "tug": {
            "mass_kg": 100.0,
            "inertia_kg_m2": [20.0, 30.0, 40.0],
            "rate_deg_s": [1.0, 0.0, -2.0],
            "ports": {"nose": {"position_m": [0.5, 0.1, 0.0], "attitude": {"yaw_pitch_roll_deg": [30.0, 0.0, 0.0]}}},
            "thrusters": {"aft": {"position_m": [-0.5, 0.0, 0.0], "direction": [1.0, 0.0, 0.0], "force_N": 20.0}},
            "bodies": {
                "arm": {
                    "mass_kg": 5.0,
                    "center_of_mass_m": [0.5, 0.0, 0.0],
                    "inertia_kg_m2": [0.1, 0.5, 0.5],
                    "joint": {
                        "type": "revolute",
                        "position_m": [0.0, 0.5, 0.0],
                        "axis": [0.0, 0.0, 1.0],
                        "actuator": {"torque_Nm": 0.0, "friction_Nm": 0.1},
                    },
                }
            },
        }
    },
    "solver": {"duration_s": 2.0, "step_s": 0.01},
    "outputs": {"every_s": 0.05},
}


def same(one: docksim.Result, other: docksim.Result) -> None:
    assert one.keys() == other.keys()
    assert [name for name in one if one[name].tobytes() != other[name].tobytes()] == []
    assert one.metrics == other.metrics
    assert (one.outcome, one.reason, one.events) == (other.outcome, other.reason, other.events)


def without_events(result: docksim.Result) -> docksim.Result:
    result.events = []
    return result


@pytest.fixture(scope="module")
def whole() -> docksim.Result:
    return docksim.run("dock_nds", DOCK)


@pytest.mark.parametrize("dt", [0.0137, 0.0009, 100.0])
def test_any_dt_gives_the_bits_of_run(whole: docksim.Result, dt: float) -> None:
    simulation = docksim.Simulation("dock_nds", DOCK)
    while simulation.step(dt):
        pass
    same(whole, simulation.result())


def test_steps_accumulate_and_time_tells_where_it_stands() -> None:
    simulation = docksim.Simulation("dock_nds", DOCK)
    assert simulation.result().simulated_s == 0.0
    times = []
    for _ in range(5):
        simulation.step(0.0004)
        times.append(simulation.time)
    assert times == [0.0, 0.0, 0.001, 0.001, 0.002]
    assert simulation.result().outcome == "interrupted"


def test_steps_under_a_tolerance_give_the_bits_of_run_too() -> None:
    scenario = docksim.Scenario.load("dock_nds", DOCK | {"solver.tolerance": 1e-6})
    simulation = docksim.Simulation(scenario)
    while simulation.step(0.0137):
        simulation.state
    same(scenario.run(), simulation.result())


def test_saved_and_restored_in_contact_it_goes_on_with_the_bits_of_run(whole: docksim.Result) -> None:
    simulation = docksim.Simulation("dock_nds", DOCK)
    assert simulation.run_until(lambda now: now.state["dock.normal_force_N"] > 0.0)
    touching = simulation.save()
    simulation.run_until(4.7)
    later = simulation.save()
    simulation.wrench("chaser.ring.face", (0.0, 0.0, 50.0), (0.0, 1.0, 0.0))
    simulation.step(0.2)
    pushed = simulation.state["chaser.velocity_m_s"]
    simulation.restore(touching)
    assert simulation.time == touching.time_s
    simulation.step(0.1)
    simulation.restore(later)
    simulation.step(0.2)
    assert abs(simulation.state["chaser.velocity_m_s"] - pushed).max() > 1e-7
    simulation.run_until()
    same(whole, simulation.result())


def test_state_is_the_row_that_run_logs_and_stays_what_it_was(whole: docksim.Result) -> None:
    simulation = docksim.Simulation("dock_nds", DOCK)
    simulation.run_until(4.6)
    state = simulation.state
    row = int(np.argmin(abs(whole.time_s - 4.6)))
    between = (".least", ".largest", ".peak")
    for name, value in state.items():
        channel = whole.channel(name)
        logged = channel.labels[int(channel.data[row])] if channel.labels else channel.data[row]
        if not any(word in name for word in between) and not name.endswith("attitude"):
            assert np.array_equal(value, logged), name
    kept = state["chaser.position_m"].copy()
    simulation.step(0.5)
    simulation.state
    assert np.array_equal(state["chaser.position_m"], kept)
    with pytest.raises(KeyError, match=r"no channel 'chaser.positon_m'.*did you mean 'chaser.position_m'"):
        state["chaser.positon_m"]


def asked(do: Callable[[docksim.Simulation], None], until: float = 1.0) -> docksim.Result:
    simulation = docksim.Simulation(TUG)
    simulation.run_until(0.5)
    do(simulation)
    simulation.run_until(until)
    return simulation


def with_vehicle(**keys: Any) -> dict[str, Any]:
    return TUG | {"vehicles": {"tug": TUG["vehicles"]["tug"] | keys}}


def test_a_wrench_at_a_port_has_the_bits_of_a_load_of_the_scenario() -> None:
    simulation = asked(lambda s: s.wrench("tug.nose", (3.0, 0.0, 1.0), (0.0, 2.0, 0.0), frame="inertial"))
    simulation.wrench("tug.nose")
    simulation.run_until()
    load = {
        "position_m": [0.5, 0.1, 0.0],
        "force_N": [3.0, 0.0, 1.0],
        "torque_Nm": [0.0, 2.0, 0.0],
        "frame": "inertial",
    }
    other = docksim.run(with_vehicle(loads={"push": load | {"start_s": 0.5, "end_s": 1.0}}))
    result = simulation.result()
    assert [event.name for event in result.events] == ["wrench", "wrench"]
    for key in ("force_N", "torque_Nm"):
        sent, given = result.channels.pop(f"external.tug.nose.{key}"), other.channels.pop(f"loads.tug.push.{key}")
        np.testing.assert_array_equal(sent.data, given.data)
    same(without_events(result), other)
    impulse = result["momentum.linear_kg_m_s"][-1] - result["momentum.linear_kg_m_s"][0]
    np.testing.assert_allclose(impulse, [1.5, 0.0, 0.5], atol=1e-12)


def test_a_wrench_acts_on_the_axes_of_its_port() -> None:
    simulation = docksim.Simulation(TUG, {"tug.rate_deg_s": [0.0, 0.0, 0.0]})
    simulation.wrench("tug.nose", (2.0, 0.0, 0.0))
    simulation.step(0.01)
    momentum = simulation.state["momentum.linear_kg_m_s"]
    turn = math.radians(30.0)
    np.testing.assert_allclose(momentum, [0.02 * math.cos(turn), 0.02 * math.sin(turn), 0.0], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("for_s", [0.3, 0.3037])
def test_a_firing_has_the_bits_of_a_pulse_of_the_scenario(for_s: float) -> None:
    simulation = asked(lambda s: s.fire("tug.aft", for_s))
    simulation.run_until()
    aft = TUG["vehicles"]["tug"]["thrusters"]["aft"] | {"pulses": [[0.5, for_s]]}
    result = simulation.result()
    same(without_events(result), docksim.run(with_vehicle(thrusters={"aft": aft})))
    assert result["energy.work.thrusters_J"][-1] > 0.0


def test_a_firing_without_time_lasts_until_it_is_ended() -> None:
    simulation = asked(lambda s: s.fire("tug.aft"), until=0.75)
    simulation.fire("tug.aft", 0.0)
    simulation.run_until()
    aft = TUG["vehicles"]["tug"]["thrusters"]["aft"] | {"pulses": [[0.5, 0.25]]}
    same(without_events(simulation.result()), docksim.run(with_vehicle(thrusters={"aft": aft})))


def test_a_setting_has_the_bits_of_an_event_of_the_scenario() -> None:
    simulation = asked(lambda s: s.set("tug.arm", torque_Nm=0.4, friction_Nm=0.2))
    simulation.run_until()
    event = {"when": {"time_s": 0.5}, "do": {"set": {"device": "tug.arm", "torque_Nm": 0.4, "friction_Nm": 0.2}}}
    other = docksim.run(TUG | {"events": {"push": event}})
    one = simulation.result()
    assert [name for name in one if one[name].tobytes() != other[name].tobytes()] == []
    assert one["tug.arm.angle_deg"][-1] > 1.0


def test_a_setting_of_servos_in_contact_has_the_bits_of_an_event() -> None:
    values = {"servo": {"stiffness_N_m": 1500.0, "damping_Ns_m": 900.0}}
    event = {"when": {"time_s": 4.6}, "do": {"set": {"device": "chaser.legs", **values}}}
    other = docksim.run("dock_nds", DOCK | {"events.stiffer": event})
    simulation = docksim.Simulation("dock_nds", DOCK)
    simulation.run_until(4.6)
    simulation.set("chaser.legs", **values)
    simulation.run_until()
    one = simulation.result()
    shared = [name for name in one if name in other]
    assert [name for name in shared if one[name].tobytes() != other[name].tobytes()] == []


def brake(simulation: docksim.Simulation) -> tuple[float, ...]:
    return 0.0, 0.0, 0.0, *(-0.5 * simulation.state["tug.rate_deg_s"])


def brake_fast(time_s: float, seen: np.ndarray) -> np.ndarray:
    out = np.zeros(6)
    out[3:] = -0.5 * seen
    return out


def test_laws_in_python_and_in_numba_do_the_same_whatever_dt_is() -> None:
    """The tug's port is turned: the law only has to be the same for both."""
    fast = numba.njit(brake_fast)
    ends = []
    for dt, law, measure in ((0.3, brake, ()), (0.07, brake_fast, ["tug.rate_deg_s"]), (2.0, fast, "tug.rate_deg_s")):
        simulation = docksim.Simulation(TUG)
        simulation.control(law, every_s=0.05, measure=measure, act="tug.nose")
        simulation.step(0.3)
        saved = simulation.save()
        simulation.step(0.5)
        simulation.restore(saved)
        while simulation.step(dt):
            pass
        ends.append(simulation.result())
    for other in ends[1:]:
        assert [name for name in other if ends[0][name].tobytes() != other[name].tobytes()] == []
    assert len(ends[0].events) == 0
    free = docksim.run(TUG)
    assert abs(ends[0]["tug.rate_deg_s"][-1]).sum() < abs(free["tug.rate_deg_s"][-1]).sum()


def test_a_law_measures_ports_that_may_touch() -> None:
    seen: list[np.ndarray] = []
    simulation = docksim.Simulation("dock_nds", DOCK)
    names = ["dock.position_m", "chaser.velocity_m_s", "dock.normal_force_N"]
    simulation.control(lambda time_s, values: seen.append(values), every_s=0.5, measure=names)
    simulation.control(lambda time_s, values: seen.append(values), every_s=0.5, measure=names[:2])
    simulation.run_until(1.2)
    assert len(seen) == 6
    simulation.run_until(1.5)
    state = simulation.state
    simulation.step(0.1)
    np.testing.assert_array_equal(seen[-2], np.concatenate([np.ravel(state[name]) for name in names]))
    np.testing.assert_array_equal(seen[-1], seen[-2][:6])


def refused(law: Any, act: Any = "tug.nose", measure: Any = ("tug.rate_deg_s",)) -> str:
    simulation = docksim.Simulation(TUG)
    simulation.control(law, every_s=0.05, measure=measure, act=act)
    with pytest.raises(docksim.ControlError) as error:
        simulation.step(0.1)
    return str(error.value)


def test_a_law_that_returns_what_cannot_act_is_refused() -> None:
    def law(time_s: float, seen: np.ndarray) -> Any:
        return [0.0, math.nan, 0.0, 0.0, 0.0, 0.0]

    told = refused(law)
    assert "control law 'law' at t = 0 s" in told
    assert "number 2 is nan" in told
    assert "6 of tug.nose" in told
    assert "expected 6 numbers, got the shape (3,)" in refused(lambda t, seen: seen)
    assert "expected 7 numbers" in refused(lambda t, seen: np.zeros(6), act=["tug.nose", "tug.aft"])
    assert "expected 6 numbers, got None" in refused(lambda t, seen: None)
    assert "name what it acts on" in refused(lambda t, seen: np.zeros(6), act=())


def test_what_a_simulation_cannot_do_is_told_in_words() -> None:
    simulation = docksim.Simulation(TUG)
    for dt in (0.0, -0.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="expected a finite time greater than 0 s"):
            simulation.step(dt)
    with pytest.raises(ValueError, match=r"no port 'tug.nos'.*did you mean 'tug.nose'"):
        simulation.wrench("tug.nos")
    with pytest.raises(ValueError, match=r"force at tug.nose: number 3 is inf"):
        simulation.wrench("tug.nose", (0.0, 0.0, math.inf))
    with pytest.raises(ValueError, match=r"no thruster 'tug.front'"):
        simulation.fire("tug.front", 1.0)
    with pytest.raises(ValueError, match="give a time of zero or more"):
        simulation.fire("tug.aft", -1.0)
    with pytest.raises(docksim.ScenarioError, match=r"set tug.arm: .*torqe_Nm: unknown key; did you mean 'torque_Nm'"):
        simulation.set("tug.arm", torqe_Nm=1.0)
    with pytest.raises(docksim.ScenarioError, match=r"set tug.arn: .*tug.arn"):
        simulation.set("tug.arn", torque_Nm=1.0)
    with pytest.raises(ValueError, match=r"no event 'puhs'"):
        simulation.run_until("puhs")
    with pytest.raises(ValueError, match=r"whole steps of 0\.01 s"):
        simulation.control(brake, every_s=0.015)
    with pytest.raises(ValueError, match=r"no port or thruster 'tug.nos'"):
        simulation.control(brake, every_s=0.01, act="tug.nos")
    with pytest.raises(KeyError, match=r"no channel 'tug.rat_deg_s'.*did you mean 'tug.rate_deg_s'"):
        simulation.control(brake_fast, every_s=0.01, measure="tug.rat_deg_s", act="tug.nose")
    simulation.step(0.5)
    with pytest.raises(ValueError, match=r"the run is at 0.5 s; restore\(\) goes back"):
        simulation.run_until(0.1)
    other = docksim.Simulation("tumbling_brick")
    with pytest.raises(ValueError, match="of another scenario"):
        simulation.restore(other.save())


def test_run_until_an_event_and_results_on_the_way() -> None:
    scenario = docksim.Scenario(TUG, {"events": {"go": {"when": {"time_s": 0.7}, "do": {"phase": "late"}}}})
    simulation = docksim.Simulation(scenario)
    assert simulation.run_until("go")
    assert simulation.time == pytest.approx(0.71)
    assert simulation.state["phase"] == "late"
    part = simulation.result()
    assert (part.outcome, part.reason) == ("interrupted", "stepped to 0.71 s of 2 s")
    assert not simulation.run_until("go") or simulation.time == pytest.approx(0.71)
    assert simulation.run_until(1.0)
    assert not simulation.run_until(lambda now: now.time > 5.0)
    assert not simulation.step(0.1)
    assert simulation.time == 2.0

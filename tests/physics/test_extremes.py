"""Largest and least values of a run: closed forms with peaks between logged rows, and brute force."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.kernel.run import extremes as kernel
from docksim.model.extremes import LASTING_S, UNDER_WAY
from docksim.simulation.channels.run import channels_of
from docksim.simulation.extremes import extremes_of
from docksim.simulation.run import Run, to_the_end
from tests.support.contact_rigs import IDSS, ball, pair, port
from tests.support.rigs import Keys, body, final, lone, rig, scenario
from tests.support.short_runs import CATCHING

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
STIFF, SOFT = 1e6, 1e3  # [N/m]


def test_peak_of_a_spring_between_two_rows() -> None:
    """A body of 2 kg swings through its rest at both rows: what holds it carries m w v in between."""
    w, v = 2.0 * math.pi, 0.3
    joint = {"type": "prismatic", "axis": [1, 0, 0], "velocity_m_s": v, "stiffness_N_m": 2.0 * w * w}
    for loads in (True, False):
        keys = scenario(rig({"b": body(2.0, 1.0, joint)}), 1.0, every=0.5)
        result = docksim.run({**keys, "outputs": {"every_s": 0.5, "joint_loads": loads}})
        if loads:
            assert np.abs(result["rig.b.load_force_N"]).max() < 1e-6
        # the error of the integrator over a quarter of the period
        assert result.metrics["rig.b.load_force_N.peak"] == pytest.approx(2.0 * w * v, rel=1e-9)


def test_acceleration_and_rate_of_a_vehicle_between_two_rows() -> None:
    """A force and a torque as sines over one period, logged where they are zero."""
    load = {"force_N": [30.0, 0, 0], "torque_Nm": [0, 4.0, 0], "frequency_Hz": 1.0, "start_s": 0.0, "end_s": 1.0}
    found = extremes_of(final(scenario({"v": lone(10.0, 2.0, loads={"shake": load})}, 1.0, every=0.5)))
    assert found["v.acceleration_m_s2.peak"] == pytest.approx(3.0, rel=1e-12)
    # the rate grows as (1 - cos wt) T / (J w), to its largest at half time
    assert found["v.rate_deg_s.peak"] == pytest.approx(math.degrees(4.0 / (2.0 * math.pi)), rel=1e-9)


def spheres(k: float, duration: float, every: float, step: float = 1e-4, **sections: Any) -> Keys:
    """Two balls of 100 kg and 1 m that meet in the middle at 1 m/s; the springs take it all back."""
    law = {"stiffness_N_m": k, "damping_s_m": 0.0, "friction": 0.0}
    a = lone(100.0, 40.0, velocity_m_s=[0.5, 0, 0], ports=port(ball(contact=law)))
    turned = {"attitude": {"rotation_vector_deg": [0, 0, 180]}}
    b = lone(100.0, 40.0, position_m=[2.1, 0, 0], velocity_m_s=[-0.5, 0, 0], ports=port(ball(contact=law), **turned))
    return pair(a, b, duration, step, every, **sections)


def test_impact_of_two_balls_between_two_rows() -> None:
    result = docksim.run(spheres(STIFF, 0.2, 0.1))
    # in the rows the balls have not met yet, or are apart again
    assert not result["hit.normal_force_N"].any()
    found = result.metrics
    largest = 1.0 * math.sqrt(STIFF * 50.0)
    for name in ("hit.peak_compression_N", "hit.peak_spheres_force_N", "hit.first_impact.peak_compression_N"):
        assert found[name] == pytest.approx(largest, rel=1e-5), name
    for name in ("a.acceleration_m_s2.peak", "b.acceleration_m_s2.peak"):
        assert found[name] == pytest.approx(largest / 100.0, rel=1e-5)
    assert found["hit.sustained_compression_N"] == 0.0
    assert found["hit.at_contact.closing_rate_m_s"] == pytest.approx(1.0, rel=1e-12)
    assert found["hit.first_impact.peak_tension_N"] == found["hit.first_impact.peak_bending_Nm"] == 0.0


def test_compression_that_lasts_is_the_least_of_the_best_tenth_of_a_second() -> None:
    """A half sine of 0.7 s: its flattest tenth is that about its top."""
    w = math.sqrt(SOFT / 50.0)
    level = math.sqrt(SOFT * 50.0) * math.cos(0.5 * w * LASTING_S)
    for every in (0.001, 0.4):
        found = docksim.run(spheres(SOFT, 1.2, every, step=1e-3)).metrics
        # a window of whole steps may lie half a step beside the top
        assert found["hit.sustained_compression_N"] == pytest.approx(level, rel=5e-4)
        assert found["hit.peak_compression_N"] == pytest.approx(math.sqrt(SOFT * 50.0), rel=1e-5)


def test_last_state_counts_where_a_run_comes_to_its_duration_or_is_stopped() -> None:
    rising = 0.1 + 0.3  # half way to the top
    stop = {"halt": {"when": {"time_s": rising}, "do": [{"stop": "enough"}]}}
    for keys in (spheres(SOFT, rising, rising, step=0.02), spheres(SOFT, 1.0, 0.2, step=0.02, events=stop)):
        result = docksim.run(keys)
        last = float(result["hit.load_force_N"][-1, 0])
        assert result.time_s[-1] == pytest.approx(rising)
        assert last > 200.0
        assert result.metrics["hit.peak_compression_N"] == pytest.approx(last, rel=1e-12)
        assert result.metrics["a.acceleration_m_s2.peak"] == pytest.approx(last / 100.0, rel=1e-12)
        # an impact that has not ended is told as far as it got
        assert result.metrics["hit.first_impact.peak_compression_N"] == pytest.approx(last, rel=1e-12)


def test_contact_that_begins_at_the_last_state_has_begun() -> None:
    result = docksim.run(spheres(SOFT, 0.12, 0.12, step=0.02))
    assert result["hit.normal_force_N"][-1] > 0.0
    assert result.metrics["hit.first_contact_s"] == pytest.approx(0.12)
    assert result.metrics["hit.at_contact.closing_rate_m_s"] == pytest.approx(1.0, rel=1e-12)


def test_later_impacts_are_not_the_first() -> None:
    """A ball between two others is hit gently, then hard."""
    keys = spheres(STIFF, 0.5, 0.05)
    law = {"stiffness_N_m": STIFF, "damping_s_m": 0.0, "friction": 0.0}
    # thrown back by a third one, a comes again faster than before
    thrower = lone(1e5, 1e4, position_m=[-2.3, 0, 0], velocity_m_s=[1.0, 0, 0], ports=port(ball(contact=law)))
    back = {"dock": {"position_m": [0, 0, 0], "interface": ball(contact=law)}}
    keys["vehicles"]["c"] = thrower
    keys["vehicles"]["a"]["ports"]["back"] = back["dock"]
    keys["contacts"]["throw"] = {"ports": ["c.dock", "a.back"]}
    found = docksim.run(keys).metrics
    assert found["hit.first_impact.peak_compression_N"] == pytest.approx(math.sqrt(STIFF * 50.0), rel=1e-5)
    assert found["hit.peak_compression_N"] > 1.5 * found["hit.first_impact.peak_compression_N"]


def sustained(time: np.ndarray, load: np.ndarray) -> float:
    """The largest level kept for LASTING_S, window by window."""
    level = 0.0
    for first in range(len(time)):
        long = np.flatnonzero(time >= time[first] + LASTING_S * (1.0 - 1e-9))
        if len(long):
            level = max(level, float(load[first : long[0] + 1].min()))
    return level


@pytest.mark.parametrize("seed", range(20))
def test_queue_finds_the_level_of_every_window(seed: int) -> None:
    """Random loads at steps of two lengths, pressed and let go."""
    rng = np.random.default_rng(seed)
    time = np.cumsum(rng.choice([0.01, 0.0025], 400))
    load = np.convolve(rng.normal(size=400), np.ones(9), "same") + rng.uniform(-1.0, 4.0)
    note = getattr(kernel.note_lasting, "py_func", kernel.note_lasting)
    queue = np.zeros((43, 2))
    found = SimpleNamespace(queued=0, head=0, pressed_since=0.0, lasting=0.0)
    for t, f in zip(time, load, strict=True):
        note(found, queue, float(f), float(t))
        assert 0 <= found.queued <= 41
    assert found.lasting == sustained(time, load)


APPROACH = {
    "distance_m": 0.5, "closing_rate_m_s": 0.1, "lateral_offset_m": [0.01, -0.02], "lateral_rate_m_s": [0.003, 0.004],
    "roll_deg": 3.0, "pitch_deg": -1.0, "yaw_deg": 2.0,
}  # fmt: skip


@pytest.mark.parametrize("order", [("a.dock", "b.dock"), ("b.dock", "a.dock")])
def test_state_at_first_contact_is_told_as_the_approach_asks_for_it(order: tuple[str, str]) -> None:
    """Nothing acts before the touch, so what was asked for arrives, signs included, whichever port is named first."""
    idss = {"use": str(IDSS)}
    still = {"position_m": [5.0, -3.0, 2.0], "attitude": {"rotation_vector_deg": [20.0, 50.0, -110.0]}}
    a = lone(3000.0, 2500.0, ports=port(idss, position_m=[1.5, 0.1, 0.0]))
    b = lone(5000.0, 4500.0, ports=port(idss, position_m=[2.0, 0.0, -0.1]), **still)
    keys = pair(a, b, 6.0, 1e-3, 0.1, pair={"ports": list(order)})
    keys["approach"] = {"active": "a.dock", "passive": "b.dock", **APPROACH}
    stop = {"halt": {"when": {"contact": "hit", "force_above_N": 1.0}, "do": [{"stop": "met"}]}}
    found = docksim.run({**keys, "events": stop}).metrics
    told = {key.split(".")[-1]: value for key, value in found.items() if ".at_contact." in key}
    # of the last state before any force acts, a step of 1 ms earlier at most
    assert told["roll_deg"] == pytest.approx(3.0, abs=1e-11)
    assert told["pitch_yaw_deg"] == pytest.approx(math.hypot(1.0, 2.0), abs=1e-11)
    assert told["closing_rate_m_s"] == pytest.approx(0.1, abs=1e-11)
    assert told["lateral_rate_m_s"] == pytest.approx(0.005, abs=1e-11)
    t = found["hit.first_contact_s"]
    assert told["lateral_offset_m"] == pytest.approx(math.hypot(0.01 + 0.003 * t, -0.02 + 0.004 * t), abs=5.1e-6)


RINGS: dict[str, Keys] = {
    "leg_gallery": {},
    # joined, then held against its base
    "soft_capture": {**CATCHING},
    "dock_apas": {"solver.duration_s": 0.5, "outputs.every_s": 5e-4},
}


@pytest.mark.parametrize("name", RINGS)
@pytest.mark.parametrize("inertial", [False, True])
def test_largest_loads_are_those_of_every_row_where_every_state_is_logged(name: str, inertial: bool) -> None:
    """Without contact no step is cut: legs link by link give what the reduction leaves on the base."""
    loaded = load_scenario(SCENARIOS / f"{name}.yaml", RINGS[name])
    vehicle = next(name for name, part in loaded.vehicles.items() if part.mechanism is not None)
    changes = {"outputs.every_s": loaded.solver.step_s, "solver.duration_s": min(loaded.solver.duration_s, 1.0)}
    compiled = compile_scenario(
        load_scenario(
            SCENARIOS / f"{name}.yaml",
            {**RINGS[name], **changes, f"{vehicle}.mechanism.inertial_base": inertial},
        )
    )
    run = Run(compiled)
    to_the_end(run)
    log, assembly, model = run.log.filled(), compiled.assembly, compiled.model
    channels = {channel.name: channel.data for channel in channels_of(compiled, run.log)}
    names = [assembly.bodies[k].name for k in model.hung] + [assembly.joints[i].name for i in model.weld]
    names += [f"{part.vehicle}.mechanism" for part in assembly.mechanisms]
    found = extremes_of(compiled)
    for k, owner in enumerate(names):
        for field, channel in (("force", f"{owner}.load_force_N"), ("moment", f"{owner}.load_moment_Nm")):
            size = np.linalg.norm(channels[channel], axis=1)
            bound = 1e-9 * max(size.max(), 1e-3)
            np.testing.assert_allclose(log.largest[field][:, k], size, rtol=0.0, atol=bound, err_msg=channel)
            assert found[f"{channel}.peak"] == pytest.approx(size.max(), abs=bound)


def test_unfinished_impact_is_under_way() -> None:
    compiled = final(spheres(SOFT, 0.3, 0.3, step=0.02))
    assert compiled.state.extreme_pair[0].impact == UNDER_WAY

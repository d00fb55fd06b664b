"""A drive that retracts base joints: it follows its rate, pushes with no more than its force, stalls and holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.config.errors import ScenarioError
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.run import Run
from tests.oracle.mechanism_description import LEG_TYPES
from tests.physics.test_retraction import scenario

DRIVE = {"force_N": 400.0, "rate_m_s": 0.08, "mass_kg": 20.0, "response_s": 0.05}
STRAIGHT = {"base_travel_axial_m": -0.1, "base_travel_radial_m": 0.02}
CURVE = {"base_path_m": [[0.0, 0.0, 0.0], [0.4, -0.03, 0.02], [1.0, -0.1, 0.0]]}
TURNING = {"rate_deg_s": [8.0, -12.0, 10.0]}
RETRACT = {"retract": {"mechanism": "v"}}


def driven(kind: str, way: dict[str, Any], duration: float = 3.0, **keys: Any) -> dict[str, Any]:
    """The base joints are told to go at 0.5 s; keys of the drive replace its own."""
    drive = DRIVE | {key: value for key, value in keys.items() if key in DRIVE}
    found = scenario(kind, way, duration, **{key: value for key, value in keys.items() if key not in DRIVE})
    found["vehicles"]["v"]["mechanism"]["retraction_drive"] = drive
    found["events"]["home"]["do"] = [RETRACT]
    return {**found, "outputs": {"every_s": 0.001}}


def with_rotor(keys: dict[str, Any]) -> dict[str, Any]:
    """A rotor behind a differential of all legs."""
    hunt = keys["vehicles"]["v"]["mechanism"]["symmetric"]["type"] in ("RUS", "RSU")
    actuator = {"rotary": {"rotor_inertia_kg_m2": 2.0}} if hunt else {"linear": {"rotor_mass_kg": 30.0}}
    weights = [0.3, 0.3, -0.1, -0.1, 0.2, 0.2]
    keys["vehicles"]["v"]["mechanism"]["couplings"] = {"sum": {"weights": weights, **actuator}}
    return keys


def close(result: docksim.Result, energy: float) -> None:
    assert result.metrics["energy.residual_relative"] < energy
    assert result.metrics["momentum.linear_residual_relative"] < 1e-10
    assert result.metrics["momentum.angular_residual_relative"] < 1e-10


@pytest.mark.parametrize("force", [400.0, 30.0], ids=["enough", "weak"])
@pytest.mark.parametrize("kind", LEG_TYPES)
def test_energy_and_momentum_close(kind: str, force: float) -> None:
    result = docksim.run(with_rotor(driven(kind, STRAIGHT, force_N=force, **TURNING)))
    assert result.outcome == "completed"
    push = result["v.retraction.force_N"]
    # a weak drive pushes with all its force; the loads of the joints, found apart from its equation, say as much
    if force == 30.0:
        full = np.abs(push - force) < 1e-9 * force
        assert full.sum() > 20
        assert push[result["v.retraction.rate_m_s"] > 0.0].max() < 1.01 * force
    else:
        assert result["v.retraction.travel_m"][-1] == pytest.approx(result["v.retraction.travel_m"].max(), abs=1e-9)
    # where it begins to push, steps have a kink: 2e-6 seen
    close(result, 1e-9 if force == 400.0 else 1e-5)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "linearly_implicit"])
def test_other_integrators_bring_it_to_the_same_place(integrator: str) -> None:
    keys = driven("UPS", {"base_travel_axial_m": -0.1}, force_N=60.0, **TURNING)
    keys["solver"]["integrator"] = integrator
    result = docksim.run(keys)
    # within a micrometre of the way's end
    assert result["v.retraction.travel_m"][-1] == pytest.approx(0.1, abs=1e-6)
    assert result["v.retraction.rate_m_s"][-1] == 0.0
    assert result.metrics["v.retraction.stalled_s"] == 0.0


@pytest.mark.parametrize("kind", ["SPU", "RUS"])
def test_the_paper_s_path_agrees(kind: str) -> None:
    found = {}
    for method in ("kernel", "joints"):
        keys = with_rotor(driven(kind, CURVE, 1.5, force_N=30.0, **TURNING))
        keys["vehicles"]["v"]["mechanism"]["method"] = method
        found[method] = docksim.run(keys)
    for name in ("v.retraction.travel_m", "v.retraction.force_N", "v.ring.offset_m"):
        # the same equations; 1500 steps of rounding
        assert np.allclose(found["joints"][name], found["kernel"][name], rtol=0.0, atol=1e-9), name


def test_power_is_force_times_rate() -> None:
    result = docksim.run(driven("RSU", CURVE, force_N=30.0, **TURNING))
    power = result["v.retraction.force_N"] * result["v.retraction.rate_m_s"]
    work = result["energy.work.joint_drives_J"]
    sums = np.concatenate([[0.0], np.cumsum(0.5e-3 * (power[1:] + power[:-1]))])
    # the trapezoidal rule over 1 ms, with a jump of the force where it starts and stops
    assert work[-1] > 0.5
    assert np.allclose(work, sums, rtol=0.0, atol=2e-5 * work[-1])


def test_it_goes_as_told_while_its_force_suffices() -> None:
    """x'' = (v - x') / T from rest: 1 - exp(-t / T) of its rate, whatever the load."""
    result = docksim.run(driven("UPS", {"base_travel_axial_m": -0.3}, 1.5, **TURNING))
    t = np.maximum(result.time_s - 0.5, 0.0)
    # fourth order at a fiftieth of the time constant
    assert np.allclose(result["v.retraction.rate_m_s"], 0.08 * (1.0 - np.exp(-t / 0.05)), rtol=0.0, atol=1e-9)


def jammed(force: float, duration: float = 7.0) -> dict[str, Any]:
    """From 1 s to 4 s the ring of an anchored vehicle is pulled out with a force."""
    keys = driven("UPS", {"base_travel_axial_m": -0.1}, duration, force_N=100.0, rate_m_s=0.04, anchored=True)
    pull = {"body": "ring", "force_N": [force, 0.0, 0.0], "start_s": 1.0, "end_s": 4.0}
    keys["vehicles"]["v"]["loads"] = {"pull": pull}
    return keys


def test_a_stalled_drive_holds_twice_its_force() -> None:
    result = docksim.run(jammed(200.0))
    t, travel = result.time_s, result["v.retraction.travel_m"]
    held = (t > 1.5) & (t < 3.99)
    stood = travel[held]
    assert 0.01 < stood[0] < 0.09
    # self-locking: it does not move at all
    assert np.ptp(stood) < 1e-6
    assert result["v.retraction.rate_m_s"][held].max() == 0.0
    # when the ring swings, its load goes beyond
    assert result["v.retraction.force_N"][held][-1] == pytest.approx(200.0, rel=0.02)
    assert result.metrics["v.retraction.stalled_s"] == pytest.approx(3.0, abs=0.3)
    assert result.metrics["v.retraction.stalled_load_N"] > 200.0
    # it goes on when it can
    assert travel[-1] == pytest.approx(0.1, abs=1e-6)
    assert result.warnings == []
    close(result, 1e-5)


def test_a_drive_that_stands_still_at_the_end_is_told() -> None:
    result = docksim.run(jammed(200.0, duration=3.0))
    (text,) = result.warnings
    assert "v.retraction is stalled at 0.0" in text
    assert "of 0.1 m; it pushes with 100 N" in text


def test_it_never_goes_back() -> None:
    result = docksim.run(jammed(150.0))
    # coming to rest from a rate that a kink left
    assert result["v.retraction.rate_m_s"].min() > -1e-4
    assert np.diff(result["v.retraction.travel_m"]).min() > -1e-7


@pytest.mark.parametrize("step", [700, 1010, 1100, 2500, 4005])
def test_a_kept_run_goes_on_with_the_same_bits(step: int, tmp_path: Path) -> None:
    """While it follows, pushes, comes to rest, is stalled, and starts again."""
    whole = Run(compile_scenario(load_scenario(jammed(200.0))))
    whole.advance(10_000)
    parts = Run(compile_scenario(load_scenario(jammed(200.0))))
    parts.advance(step)
    write_checkpoint(parts, tmp_path / "kept.npz")
    again = read_checkpoint(tmp_path / "kept.npz")
    again.advance(10_000)
    for name, table in whole.compiled.state._asdict().items():
        assert table.tobytes() == getattr(again.compiled.state, name).tobytes(), name
    assert whole.log.filled().retraction.tobytes() == again.log.filled().retraction.tobytes()


def test_commands_and_drives_that_do_not_fit_are_refused() -> None:
    keys = driven("UPS", {"base_travel_axial_m": -0.1})
    keys["events"]["home"]["do"] = [{"retract": {"mechanism": "v", "duration_s": 2.0}}]
    with pytest.raises(ScenarioError, match=r"retract\.duration_s: 'v' has a retraction_drive"):
        docksim.run(keys)
    keys = scenario("UPS", {"base_travel_axial_m": -0.1})
    keys["events"]["home"]["do"] = [RETRACT]
    with pytest.raises(ScenarioError, match="needs duration_s"):
        docksim.run(keys)
    keys["events"]["home"]["do"] = [{"retract": {"mechanism": "v", "duration_s": 2.0, "force_N": 3.0}}]
    with pytest.raises(ScenarioError, match=r"retract\.force_N: 'v' has no retraction_drive"):
        docksim.run(keys)
    with pytest.raises(ScenarioError, match=r"retraction_drive\.response_s: 0\.001 s is less than two steps"):
        docksim.run(driven("UPS", {"base_travel_axial_m": -0.1}, response_s=0.001))
    with pytest.raises(ScenarioError, match="have nowhere to go"):
        docksim.run(driven("UPS", {}))

"""Steps under `solver.tolerance`: against closed forms, much finer fixed steps, and what must not depend on them."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import docksim
from docksim.cli import main as cli
from docksim.config import ScenarioError, load_scenario
from docksim.jobs.examine import tolerance_text
from docksim.model.contact import ARMED, BEFORE
from docksim.result.result import Result
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.run import new_run, run_on

ROOT = Path(__file__).resolve().parents[2]
RATE = 40.0  # rad/s of the oscillator
OSCILLATOR: dict[str, Any] = {
    "vehicles": {
        "wall": {
            "mass_kg": 1.0,
            "inertia_kg_m2": [1.0, 1.0, 1.0],
            "anchored": True,
            "bodies": {
                "block": {
                    "mass_kg": 2.0,
                    "inertia_kg_m2": [1.0, 1.0, 1.0],
                    "joint": {
                        "type": "prismatic",
                        "axis": [1.0, 0.0, 0.0],
                        "travel_m": 0.1,
                        "stiffness_N_m": 2.0 * RATE * RATE,
                    },
                }
            },
        }
    },
    "solver": {"duration_s": 4.0, "step_s": 0.001},
    "outputs": {"every_s": 0.05},
}
# the motor-driven system 30 mm before its petals meet, to half a second after
DOCK = {
    "approach.distance_m": 0.14,
    "approach.closing_rate_m_s": 0.1,
    "approach.lateral_offset_m": [0.03, -0.02],
    "solver.duration_s": 1.6,
    "outputs.every_s": 0.1,
    "outputs.joint_loads": False,
}


def oscillator(**solver: Any) -> Result:
    return docksim.run({**OSCILLATOR, "solver": {**OSCILLATOR["solver"], **solver}})


@cache
def docking(**changed: Any) -> Result:
    changes = {key.replace("__", "."): value for key, value in changed.items()}
    return docksim.run(ROOT / "scenarios" / "dock_nds.yaml", {**DOCK, **changes})


def largest_error(result: Result) -> float:
    t = result["time_s"]
    return float(np.abs(result["wall.block.travel_m"].ravel() - 0.1 * np.cos(RATE * t)).max())


def test_errors_fall_with_the_tolerance_and_steps_get_longer() -> None:
    """Cosine of amplitude 0.1 m at 40 rad/s: an error of a step, 1e-4 to 1e-8 m/s, some hundreds of steps."""
    errors = {tolerance: largest_error(oscillator(tolerance=tolerance)) for tolerance in (1e-4, 1e-6, 1e-8)}
    print({f"{tolerance:.0e}": f"{error:.1e}" for tolerance, error in errors.items()})
    assert errors[1e-8] < errors[1e-6] < errors[1e-4]
    for tolerance, error in errors.items():
        # at most duration / least step errors of one sign, in metres by 1 / rate
        assert error < 400 * tolerance / RATE
    # rk4 over 20 ms at 5 rad/s: 1e-5 of the amplitude; fixed steps of 1 ms are at rounding
    assert errors[1e-4] > 1e-9


def test_steps_grow_to_twenty_milliseconds() -> None:
    slow = {"wall.bodies.block.joint.stiffness_N_m": 1.0}
    run = new_run(load_scenario({**OSCILLATOR, "solver": {**OSCILLATOR["solver"], "tolerance": 1e-4}}, slow))
    steps = []
    while run.running:
        before = run.step
        run.advance(1)
        steps.append(run.step - before)
    assert max(steps) == 20
    assert len(steps) < 400


def test_rows_between_steps_close_the_budget() -> None:
    """Every row lies within a step of 20 ms; the cubic leaves 1e-5 of 16 J open, a straight line would leave 0.3 J."""
    joint = {**OSCILLATOR["vehicles"]["wall"]["bodies"]["block"]["joint"], "damping_Ns_m": 1.0}
    content = docksim.config.load_scenario(
        {
            **OSCILLATOR,
            "solver": {"duration_s": 2.0, "step_s": 0.001, "tolerance": 1e-6},
            "outputs": {"every_s": 0.003},
        },
        {"wall.bodies.block.joint": joint},
    )
    result = docksim.run(content)
    total = result["energy.kinetic_J"] + result["energy.potential_J"] - result["energy.work.joint_damping_J"]
    assert np.abs(total - total[0]).max() < 2e-4
    assert result["energy.work.joint_damping_J"][-1] < -0.05


def test_how_often_is_logged_changes_no_metric() -> None:
    often, seldom = (docking(solver__tolerance=1e-6, outputs__every_s=every) for every in (0.007, 0.1))
    assert often.metrics == seldom.metrics
    assert often.events == seldom.events
    both = np.isin(np.round(often["time_s"], 9), np.round(seldom["time_s"], 9))
    here = np.isin(np.round(seldom["time_s"], 9), np.round(often["time_s"], 9))
    assert both.sum() > 2
    # state and forces of an instant do not depend on what else is logged
    for name in ("chaser.position_m", "dock.normal_force_N", "energy.kinetic_J"):
        assert np.array_equal(often[name][both], seldom[name][here]), name


def test_first_impact_and_its_instant_are_those_of_much_finer_steps() -> None:
    fine = docking(solver__step_s=0.000125).metrics
    for tolerance, bound in ((1e-6, 2e-3), (1e-5, 1.5e-2)):
        found = docking(solver__tolerance=tolerance).metrics
        off = found["dock.first_impact.peak_compression_N"] / fine["dock.first_impact.peak_compression_N"] - 1.0
        print(f"{tolerance:.0e}: first impact {off:+.1e}")
        assert abs(off) < bound
        # the touch is located: fixed steps see it at the end of the step in which it was
        assert found["dock.first_contact_s"] == pytest.approx(fine["dock.first_contact_s"], abs=1.3e-4)
        assert found["dock.outcome"] == fine["dock.outcome"] == "captured"
        assert found["dock.capture_s"] == pytest.approx(fine["dock.capture_s"], abs=5e-3)


def test_energy_and_momentum_stay_whole() -> None:
    metrics = docking(solver__tolerance=1e-6).metrics
    assert metrics["energy.residual_of_exchanged"] < 5e-5
    # the ring's rates are against axes that turn: at the integrator's error, as with fixed steps
    assert metrics["momentum.linear_residual_relative"] < 1e-10
    assert metrics["momentum.angular_residual_relative"] < 1e-10


def test_a_run_goes_on_from_a_checkpoint_with_the_same_bits(tmp_path: Path) -> None:
    scenario = load_scenario(ROOT / "scenarios" / "dock_nds.yaml", {**DOCK, "solver.tolerance": 1e-6})
    run = new_run(scenario)
    while run.running and run.compiled.state.clock[0].t < 1.2:
        run.advance(1)
    file = write_checkpoint(run, tmp_path / "kept.npz")
    whole, resumed = run_on(run), run_on(read_checkpoint(file))
    assert whole.metrics == resumed.metrics


def test_steps_grow_where_surfaces_touch_but_not_while_a_pawl_is_passed() -> None:
    """Up to 3.3 ms in contact, whole steps of 1 ms at most with a striker on a pawl."""
    run = new_run(load_scenario(ROOT / "scenarios" / "dock_nds.yaml", {**DOCK, "solver.tolerance": 1e-4}))
    state, pair = run.compiled.state, run.compiled.model.contact[0]
    clock, latches = state.clock[0], state.latch[pair.first_latch : pair.first_latch + pair.latches]
    touching, passing = [], []
    while run.running:
        before = clock.step + clock.since
        on_pawl = (latches["mode"] == ARMED) & (latches["striker"] == BEFORE) & (latches["compression"] > 0.0)
        held = state.contact[0].engaged > 0
        run.advance(1)
        if on_pawl.any():
            passing.append(clock.step + clock.since - before)
        elif state.contact[0].touching and not held:
            touching.append(clock.step + clock.since - before)
    # as many pieces as begin within a step: the last of them may go beyond it
    assert 3.0 < max(touching) < 1.0 + 3.3
    assert passing
    assert max(passing) < 2.0


def test_an_event_on_the_way_comes_within_a_step() -> None:
    """A free vehicle at 0.1 m/s passes 0.15 m after 1.5 s, with steps of 20 ms before."""
    vehicle = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "ports": {"nose": {"position_m": [0.0, 0.0, 0.0]}}}
    content = {
        "vehicles": {"a": {**vehicle, "anchored": True}, "b": {**vehicle, "velocity_m_s": [0.1, 0.0, 0.0]}},
        "events": {
            "far": {
                "when": [{"distance": ["a.nose", "b.nose"], "above_m": 0.15004}],
                "do": [{"stop": "far enough"}],
            }
        },
        "solver": {"duration_s": 4.0, "step_s": 0.001, "tolerance": 1e-6},
    }
    (event,) = docksim.run(content).events
    assert 0.0 <= event.time_s - 1.5004 <= 0.001 + 1e-9


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A scenario file with a tolerance in line 2."""
    file = tmp_path / "kept.yaml"
    solver = {"solver": {"tolerance": 1e-6, **OSCILLATOR["solver"]}}
    file.write_text(
        yaml.safe_dump({**solver, **{k: v for k, v in OSCILLATOR.items() if k != "solver"}}, sort_keys=False)
    )
    return file


@pytest.mark.parametrize("command", ["realtime", "fmu"])
def test_what_is_paced_refuses_a_tolerance_with_its_line(kept: Path, command: str) -> None:
    answer = CliRunner().invoke(cli, [command, str(kept)])
    assert answer.exit_code == 1
    assert f"{kept}:2: solver.tolerance: 1e-06 makes steps as long as their error lets them be" in answer.output
    answer = CliRunner().invoke(cli, [command, str(kept), "--set", "solver.tolerance=1e-5"])
    assert "--set: solver.tolerance: 1e-05 makes steps" in answer.output


def test_check_says_what_a_tolerance_does(kept: Path) -> None:
    answer = CliRunner().invoke(cli, ["check", str(kept)])
    assert answer.exit_code == 0
    assert "solver.tolerance: note: at 1e-06 first impacts were off by 0.1% (median)" in answer.output
    assert "at 1e-07" in tolerance_text(1e-9)
    assert "at 1e-05" in tolerance_text(2e-6)
    assert tolerance_text(1e-4).startswith("warning: 0.0001 is coarser")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"solver.tolerance": 0.0}, "solver.tolerance"),
        ({"solver.tolerance": -1e-6}, "solver.tolerance"),
        ({"solver.tolerance": math.nan}, "solver.tolerance"),
        (
            {"solver.tolerance": 1e-6, "solver.integrator": "linearly_implicit"},
            "solver.tolerance: goes with integrator",
        ),
    ],
)
def test_bad_tolerances_are_refused(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ScenarioError, match=text):
        load_scenario(OSCILLATOR, changes)

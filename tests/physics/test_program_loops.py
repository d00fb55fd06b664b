"""Programs of arms beside closures: what the hand holds, loops through the arm's joints, checkpoints, tolerance."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.chain.motion.control import by_the_poles
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.config.schema.chain_conditions import Poles
from docksim.result.result import Result
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.run import Run
from tests.physics.test_programs import errors, servicer

POLES = {"frequency_Hz": 0.5}
JOINTS = [f"servicer.j{k}" for k in range(1, 8)]


def holding(ties: dict[str, Any], point: list[float], **solver: Any) -> dict[str, Any]:
    """A servicer whose hand moves a satellite beside it, with closures that an event closes."""
    way = [{"time_s": 0.8, "position_m": point}]
    program = {"target": "world", "waypoints": way, "controls": "position", "poles": POLES}
    scenario = servicer(program, **{"duration_s": 1.0, **solver})
    scenario["vehicles"]["sat"] |= {"velocity_m_s": [0.0, 0.0, 0.0], "rate_deg_s": [0.0, 0.0, 0.0]}
    scenario["closures"] = {name: {"on": False, **tie} for name, tie in ties.items()}
    if ties:
        scenario["events"] = {"take": {"when": {"time_s": 0.0}, "do": [{"close": name} for name in ties]}}
    return scenario


GRIP = {"kind": "weld", "between": ["servicer.j7", "sat"], "point_m": [0.4, 0.0, 0.0]}
STRUT = {"kind": "rod", "between": ["servicer", "sat"], "point_m": [0.0, 0.8, 0.0]}
TO_BASE = {"kind": "rod", "between": ["servicer.j4", "servicer"], "point_m": [0.4, 0.0, 0.0]}
HERE = [3.74, 1.25, -1.58]  # nine centimetres from where the hand begins
LOOPS = {"through the arm alone": {"self": TO_BASE}, "through what it holds": {"grip": GRIP, "strut": STRUT}}


@cache
def looped(name: str) -> Result:
    return docksim.run(holding(LOOPS[name], HERE))


def by_poles(f: np.ndarray, rate: np.ndarray, time: np.ndarray) -> np.ndarray:
    G1, G0 = np.array([Poles(**POLES).gains()] * 3).T
    return by_the_poles(G1, G0, f, rate, time)


def test_what_a_closure_holds_moves_as_what_is_joined() -> None:
    """A weld to a free body makes no loop: the law over torques is that over accelerations."""
    tied = holding({"grip": GRIP}, HERE)
    joined = holding({}, HERE)
    joined["events"] = {"take": {"when": {"time_s": 0.0}, "do": [{"join": ["servicer.j7.grip", "sat.grapple"]}]}}
    one, other = docksim.run(tied), docksim.run(joined)
    assert one["servicer.go.rank"].min() == 3
    for name in JOINTS:
        assert np.abs(one[f"{name}.angle_deg"] - other[f"{name}.angle_deg"]).max() < 1e-8, name
        scale = np.abs(other[f"{name}.motor_torque_Nm"]).max()
        assert np.abs(one[f"{name}.motor_torque_Nm"] - other[f"{name}.motor_torque_Nm"]).max() < 1e-8 * scale, name


@pytest.mark.parametrize("loop", LOOPS)
def test_hand_keeps_its_poles_in_a_loop(loop: str) -> None:
    """Seven drives in a loop of six freedoms: the hand's error dies out as asked all the same."""
    result = looped(loop)
    f, time = errors(result)[:, :3], result.time_s
    # f'' + G1 f' + G0 f = 0: what is left is fixed by error and rate at the start
    unit = by_poles(np.zeros((1, 3)), np.ones((1, 3)), time)
    k = int(np.argmax(unit[:, 0]))
    assert np.abs(f[0]).max() < 1e-14
    assert np.abs(f[k]).max() > 1e-4
    assert np.abs(f - unit * (f[k] / unit[k])).max() < 1e-8
    assert np.all(result["servicer.go.rank"] == 3)


@pytest.mark.parametrize("loop", LOOPS)
def test_program_in_a_loop_keeps_closures_momentum_and_energy(loop: str) -> None:
    result = looped(loop)
    for name in LOOPS[loop]:
        assert result.metrics[f"closures.{name}.largest_gap_m"] < 1e-13
    assert float(result.metrics["momentum.linear_residual_relative"]) < 1e-10
    assert float(result.metrics["momentum.angular_residual_relative"]) < 1e-10
    work = np.abs(result["energy.work.joint_motors_J"]).max()
    assert work > 0.1
    assert np.abs(result["energy.residual_J"]).max() < 1e-8 * work


def test_no_torques_are_wasted_against_the_loop() -> None:
    """tau has no part in the null space of B: along it the joints cannot move, and the loop would carry it."""
    run = Run(compile_scenario(load_scenario(holding(LOOPS["through the arm alone"], HERE))))
    run.advance(100)
    law, state = run.work.program[0], run.compiled.state
    b = np.diag(law["B"])[:7]
    tied = np.argsort(np.abs(b))[0]
    assert abs(b[tied]) < 1e-12 * b.max() < 1e-6 * np.delete(b, tied).min()
    torques = state.shaft["target_force"]
    assert np.abs(torques).max() > 1.0
    assert abs(law["V"][:7, tied] @ torques) < 1e-12 * np.abs(torques).max()


@pytest.mark.parametrize("more", [{}, {"tolerance": 1e-7}], ids=["fixed steps", "tolerance"])
@pytest.mark.parametrize("sample", [None, 0.02], ids=["continuous", "sampled"])
def test_program_in_a_loop_goes_on_from_a_checkpoint_with_the_same_bits(
    sample: float | None, more: dict[str, float], tmp_path: Path
) -> None:
    scenario = holding(LOOPS["through what it holds"], HERE, duration_s=0.2, **more)
    if sample is not None:
        scenario["vehicles"]["servicer"]["programs"]["go"]["sample_s"] = sample
    whole, run = (Run(compile_scenario(load_scenario(scenario))) for _ in range(2))
    whole.advance(1 << 30)
    run.advance(67)
    run = read_checkpoint(write_checkpoint(run, tmp_path / "kept.npz"))
    run.advance(1 << 30)
    assert whole.compiled.state.program["on"][0] == 1
    for name in ("q", "beta", "work_done"):
        assert np.array_equal(getattr(run.compiled.state, name), getattr(whole.compiled.state, name)), name


def test_steps_under_a_tolerance_bring_the_hand_where_fixed_ones_do() -> None:
    """In free flight steps get long, beside closures they stay; sampled and continuous programs."""
    looped_under = docksim.run(holding(LOOPS["through the arm alone"], HERE, tolerance=1e-7))
    for name in JOINTS:
        apart = looped_under[f"{name}.angle_deg"] - looped("through the arm alone")[f"{name}.angle_deg"]
        assert np.abs(apart).max() < 1e-6, name
    for sample, bound in ((None, 1e-6), (0.02, 1e-6)):
        runs = []
        for tolerance in (None, 1e-8):
            scenario = holding({}, HERE, tolerance=tolerance)
            scenario["vehicles"]["servicer"]["programs"]["go"] |= {"sample_s": sample}
            runs.append(docksim.run(scenario))
        for name in JOINTS:
            apart = runs[0][f"{name}.angle_deg"] - runs[1][f"{name}.angle_deg"]
            assert np.abs(apart).max() < bound, (sample, name)
        assert np.abs(errors(runs[0]) - errors(runs[1])).max() < 1e-7

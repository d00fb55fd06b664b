"""Joins that close loops, rings of docking mechanisms as ends, separation, checkpoints.

A weld closure and a join in its place are two formulations of one thing: accelerations agree to rounding.
"""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

import docksim
from docksim.compiler import compile_scenario
from docksim.config import load_scenario
from docksim.kernel.loop import decide
from docksim.kernel.step import evaluate
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.run import Run, prepare_kernel
from tests.physics.closure_cases import run_for, two_arms
from tests.physics.docking_cases import Docking
from tests.physics.tree_cases import Case, relative
from tests.support.rigs import holding_arm, scenario
from tests.support.shipped import content


@pytest.mark.parametrize("seed", range(6))
def test_weld_closure_and_join_give_the_same_motion(seed: int) -> None:
    docking = Docking(seed)
    joined = docking.compiled()
    tied = copy.deepcopy(docking.scenario)
    tied["closures"] = {"weld": {"kind": "weld", "between": docking.ports, "on": False}}
    tied["events"]["dock"]["do"] = {"close": "weld"}
    other = Case.of(docking.bodies, tied)
    for case in (joined, other):
        decide(*case.tables)
        evaluate(*case.tables)
    assert other.compiled.state.closing[0].rigid == 1
    assert joined.compiled.state.closing[0].rigid == 0
    for ours, theirs in zip(other.motion(), joined.motion(), strict=True):
        assert relative(ours, theirs) < 1e-11
    losses = [case.compiled.state.record[0].loss for case in (other, joined)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-10)


def capture(closure: bool) -> docksim.Result:
    """The ring of a docking mechanism is caught by another vehicle's port, as a join or as a closure."""
    keys = content("soft_capture")
    keys["solver"] |= {"duration_s": 3.0}
    keys["outputs"] = {"every_s": 0.1}
    keys["events"].pop("hold", None)
    if closure:
        ends = ["chaser.ring.face", "target.port"]
        keys["closures"] = {"catch": {"kind": "weld", "between": ends, "on": False}}
        keys["events"]["capture"]["do"] = [{"phase": "ATTENUATE"}, {"close": "catch"}]
    return docksim.run(keys)


def test_ring_of_a_docking_mechanism_as_an_end_moves_as_if_joined() -> None:
    joined, tied = capture(False), capture(True)
    [before], [after] = ([e for e in one.events if e.name == "capture"] for one in (joined, tied))
    assert before.energy_loss_J > 1e-6
    assert after.energy_loss_J == pytest.approx(before.energy_loss_J, rel=1e-9)
    for name in ("chaser.position_m", "target.rate_deg_s", "chaser.ring.position_m", "chaser.legs.2.travel_m"):
        assert np.abs(tied[name] - joined[name]).max() < 1e-9
    load = np.linalg.norm(tied["closures.catch.force_N"], axis=1)
    expected = np.linalg.norm(joined["chaser.ring.face+target.port.load_force_N"], axis=1)
    assert load.max() > 1.0
    assert np.abs(load - expected).max() < 1e-6 * load.max()
    assert tied.metrics["closures.catch.largest_gap_m"] < 2e-13
    for name in ("momentum.linear_residual_relative", "momentum.angular_residual_relative"):
        assert tied.metrics[name] < 1e-11
    assert tied.metrics["energy.residual_of_exchanged"] < 1e-6


def test_ring_tied_to_its_own_vehicle_keeps_energy_and_momentum() -> None:
    keys = content("soft_capture")
    keys["vehicles"].pop("target")
    keys["solver"] |= {"duration_s": 1.0}
    keys["outputs"] = {"every_s": 0.1}
    chaser = keys["vehicles"]["chaser"]
    chaser["rate_deg_s"] = [0.5, 1.0, -0.7]
    strut = {"kind": "ball", "between": ["chaser", "chaser.ring"], "point_m": [2.9, 0.3, 0.2], "on": False}
    keys["closures"] = {"strut": strut}
    keys["events"] = {"tie": {"when": {"time_s": 0.2}, "do": {"close": "strut"}}}
    result = docksim.run(keys)
    assert result.outcome == "completed", result.reason
    assert result.metrics["closures.strut.largest_gap_m"] < 2e-13
    assert result.metrics["closures.strut.largest_force_N"] > 0.01
    assert result.metrics["momentum.angular_residual_relative"] < 1e-11
    assert result.metrics["energy.residual_of_exchanged"] < 1e-6


def test_hooks_that_close_while_the_hand_holds_keep_momentum_and_lose_what_the_formula_says() -> None:
    keys = holding_arm()
    result = run_for(keys, 0.6, 2e-3)
    assert [event.name for event in result.events] == ["grapple", "berth", "let_go"]
    loss = result.events[1].energy_loss_J
    assert loss > 1e-4
    for kind in ("linear", "angular"):
        assert result.metrics[f"momentum.{kind}_residual_relative"] < 1e-11
    assert result.metrics["energy.residual_of_exchanged"] < 1e-8

    # the loss again, by the relative motion of the ports: half of V' K^-1 V, and the kinetic energy that is gone
    compiled = compile_scenario(load_scenario(scenario(keys["vehicles"], 0.6, 2e-3, events=keys["events"])))
    run = Run(compiled)
    run.advance(100)
    V, K = ports_apart(run)
    assert loss == pytest.approx(0.5 * V @ np.linalg.solve(K, V), rel=1e-9)

    # the load goes round the loop: what the vehicle carries at the dock is told as the joint's
    joint = np.linalg.norm(result["carrier.dock+module.berth.load_force_N"], axis=1)
    assert joint[result.time_s < 0.2].max() == 0.0
    assert joint[result.time_s > 0.2].min() > 0.0


def ports_apart(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Motion of the module against the dock, and how it answers to wrenches: by unit wrenches, not by the sweep."""
    compiled, work = run.compiled, run.work
    model, state = compiled.model, compiled.state
    dock, berth = (compiled.assembly.markers[name] for name in ("carrier.dock", "module.berth"))
    evaluate(model, state, work)
    A, B = work.body[dock.body], work.body[berth.body]
    x = A.p_WH + A.R_WB.reshape(3, 3) @ (np.array(dock.place.position) - A.p_BH)

    def motion(field: str, row: np.ndarray) -> np.ndarray:
        if field == "V":
            return np.concatenate([row.w_WB, row.v_WH + np.cross(row.w_WB, x - row.p_WH)])
        return np.concatenate([row.A_WH[:3], row.A_WH[3:] + np.cross(row.A_WH[:3], x - row.p_WH)])

    V = motion("V", B) - motion("V", A)
    free = motion("A", B) - motion("A", A)
    K = np.zeros((6, 6))
    state_external = state.external
    for i in range(6):
        unit = np.eye(6)[i]
        pushed = state._replace(external=np.zeros(2, state_external.dtype).view(np.recarray))
        for row, k, sign in zip(pushed.external, (dock.body, berth.body), (-1.0, 1.0), strict=True):
            body_row = work.body[k]
            row.body, row.axes = k, 1
            row.p[:] = body_row.p_BH + body_row.R_WB.reshape(3, 3).T @ (x - body_row.p_WH)
            row.torque[:], row.force[:] = sign * unit[:3], sign * unit[3:]
        evaluate(model, pushed, work)
        K[:, i] = motion("A", work.body[berth.body]) - motion("A", work.body[dock.body]) - free
    return V, K


def test_separation_of_a_loop_makes_the_remaining_join_an_edge_of_the_tree() -> None:
    keys = holding_arm()
    compiled = compile_scenario(load_scenario(scenario(keys["vehicles"], 0.6, 2e-3, events=keys["events"])))
    run = Run(compiled)
    run.advance(150)
    state, berth = compiled.state, compiled.assembly.welds[frozenset(("carrier.dock", "module.berth"))]
    assert state.closing[0].rigid == 1
    assert berth not in state.link["joint"]
    run.advance(100)
    assert state.closing[0].rigid == 0
    assert berth in state.link["joint"]


def test_separation_of_the_port_that_closed_the_loop_opens_it() -> None:
    keys = holding_arm()
    keys["events"]["let_go"]["do"] = [{"separate": {"ports": ["carrier.dock", "module.berth"]}}]
    result = run_for(keys, 0.6, 2e-3)
    force = np.linalg.norm(result["carrier.dock+module.berth.load_force_N"], axis=1)
    assert force[result.time_s > 0.401].max() == 0.0
    assert result.metrics["momentum.angular_residual_relative"] < 1e-11


def test_run_goes_on_from_a_checkpoint_with_a_closed_loop_with_the_same_bits(tmp_path: Path) -> None:
    prepare_kernel()
    keys = two_arms()
    compiled = compile_scenario(load_scenario(scenario(keys.pop("vehicles"), 0.2, **keys)))
    run = Run(compiled)
    run.advance(90)
    assert compiled.state.closing[0].on == 1
    again = read_checkpoint(write_checkpoint(run, tmp_path / "half.npz"))
    for one in (run, again):
        one.advance(1000)
    for name, table in run.compiled.state._asdict().items():
        assert table.tobytes() == getattr(again.compiled.state, name).tobytes(), name
    assert run.log.closure.tobytes() == again.log.closure.tobytes()

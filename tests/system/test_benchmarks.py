"""The benchmarks run and their two sides solve the same problem. Nothing here judges a time."""

import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks import __main__ as program
from benchmarks import campaign
from benchmarks import forward as forward_module
from benchmarks import mechanism as mechanism_module
from benchmarks.forward import forward
from benchmarks.mechanism import mechanism_forward, mechanism_steps
from benchmarks.mechanism_pinocchio import peers
from benchmarks.mechanism_rig import MechanismRig
from benchmarks.peer import Peer
from benchmarks.scaling import exponent, scaling, step_costs
from benchmarks.start import startup
from benchmarks.studies import shares, study_plan
from benchmarks.timing import Cost, costs
from benchmarks.trees import Rig, mixed_tree, revolute_tree

ONCE = {"repeats": 1, "seconds": 1e-4}


@pytest.fixture(scope="module")
def found() -> dict[str, list[dict]]:
    """Every part, as small as it goes."""
    return {
        "forward": forward((3, 10), **ONCE),
        "scaling": scaling((3, 6), **ONCE),
        "steps": step_costs(("tumbling_brick",), (3,), **ONCE),
        "mechanism": mechanism_forward(("UPS", "RUS"), **ONCE),
        "mechanism_steps": mechanism_steps(("UPS", "RUS"), **ONCE, duration=0.5),
        "startup": startup(repeats=1),
    }


def test_benchmark_rows_hold_positive_times_and_agreeing_answers(found: dict[str, list[dict]]) -> None:
    for row in found["forward"]:
        assert min(row["docksim_us"], row["aba_called_us"], row["evaluate_us"], row["ratio_called"]) > 0.0
        # two codes, ten bodies, random placements: rounding
        assert row["disagreement"] < 1e-12
    assert all(min(row["passes_us"]) > 0.0 and np.isfinite(row["exponent"]) for row in found["scaling"])
    assert all(row["step_us"] > 0.0 for row in found["steps"])
    assert all(row["wall_s"] > 0.0 for row in found["startup"])


def test_benchmark_tables_and_json_can_be_written(found: dict[str, list[dict]]) -> None:
    text = io.StringIO()
    program.show(found, Console(width=120, file=text))
    for word in ("revolute", "mixed", "chain", "tumbling_brick", "lcaba", "RUS", "import docksim"):
        assert word in text.getvalue()
    assert json.loads(json.dumps({"environment": program.environment(), **found}))["forward"]


def test_benchmark_refuses_to_compare_different_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward_module.Peer, "disagreement", lambda self: 1e-6)
    with pytest.raises(RuntimeError, match="disagree"):
        forward((3,), **ONCE)


@pytest.mark.parametrize("make", [revolute_tree, mixed_tree])
def test_peer_disagrees_as_soon_as_the_problem_differs(make) -> None:
    rig = Rig(make(np.random.default_rng(4), 8))
    forward_module.passes(*rig.tables, 1)
    peer = Peer(rig)
    assert peer.disagreement() < 1e-12
    rig.tau[-1] += 1e-3
    assert peer.disagreement() > 1e-9


def test_mechanism_rows_hold_positive_times_and_agreeing_answers(found: dict[str, list[dict]]) -> None:
    for row in found["mechanism"]:
        assert min(row["docksim_us"], row["with_joints_us"], row["lcaba_us"], row["constraint_dynamics_us"]) > 0.0
        # lcaba stops its iteration at 1e-9
        assert row["disagreement"] < 1e-8
    for row in found["mechanism_steps"]:
        assert row["step_us"] > 0.0
        if row["code"] == "docksim":
            # fourth order at 1 ms with motions near 1 Hz; rounding of the closure
            assert row["error_m"] < 1e-9
            assert row["gap_m"] < 1e-14
        else:
            # the same motion: the ring travels by centimetres, MuJoCo's own softness lets it err by millimetres
            assert row["error_m"] < (1e-6 if "tuned" in row["code"] else 5e-3)


def test_mechanism_peers_disagree_as_soon_as_the_problem_differs() -> None:
    rig = MechanismRig("UPS").run(50)
    peer, solve = peers(rig)["constraintDynamics, 5 cuts, universal joints"]
    # rounding of a direct solution, accelerations of order 1
    assert np.abs(peer.acceleration(solve(1)) - rig.acceleration()).max() < 1e-12
    peer.tau[6:] += 1e-3
    assert np.abs(peer.acceleration(solve(1)) - rig.acceleration()).max() > 1e-7


def test_mechanism_steps_do_without_mujoco(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mechanism_module, "mujoco_installed", lambda: False)
    assert [row["code"] for row in mechanism_steps(("UPS",), **ONCE, duration=0.1)] == ["docksim"]


def test_exponent_of_a_power_law_is_found() -> None:
    sizes = [10, 100, 1000]
    assert exponent(sizes, [3.0 * n**1.25 for n in sizes]) == pytest.approx(1.25, abs=1e-12)


def test_cost_is_the_best_slice_and_overhead_and_batch_are_taken_off() -> None:
    cost = Cost((3.0, 2.0, 5.0))
    assert cost.best == 2.0
    assert cost.less(1.0, calls=2).samples == (1.0, 0.5, 2.0)
    calls = []
    measured = costs({"a": calls.append}, repeats=2, seconds=1e-6)
    assert len(measured["a"].samples) == 2
    assert calls[0] == 1


def test_processor_time_of_a_case_is_told_by_its_parts(tmp_path: Path) -> None:
    found = shares(study_plan(tmp_path, 2), 1)
    assert set(found) == {"case", "kernel", "tables", "channels", "metrics"}
    assert found["case"] >= found["kernel"] > 0.0


def mode(outcomes: int = 8, largest: float = 0.01, off: float = 0.0, scatter: float = 0.01) -> dict:
    """What the campaign benchmark knows of a way to step, beside the truth."""
    means = {key: [0.0, 0.001] for key in campaign.PEAKS} | {campaign.PEAKS[-1]: [off, scatter]}
    return {"outcomes": outcomes, "first_impact": [0.001, 0.002, largest], "means": means}


def test_a_way_to_step_counts_only_if_it_is_as_near_the_truth_as_fixed_steps() -> None:
    fixed = mode(off=0.01)
    assert campaign.counts(mode(off=-0.02), fixed, 8)
    assert not campaign.counts(mode(off=-0.02, scatter=0.001), mode(off=0.01, scatter=0.001), 8)
    assert campaign.counts(mode(off=-0.014, scatter=0.001), mode(off=0.01, scatter=0.001), 8)
    assert not campaign.counts(mode(outcomes=7), fixed, 8)
    assert not campaign.counts(mode(largest=0.016), fixed, 8)
    assert not campaign.counts(mode(largest=math.nan), fixed, 8)


def test_means_are_of_cases_against_the_same_cases() -> None:
    truth = np.array([100.0, 200.0, 400.0, np.nan])
    mean, error = campaign.mean_off(truth * np.exp([0.01, 0.03, 0.02, 0.0]), truth)
    assert mean == pytest.approx(0.02)
    assert error == pytest.approx(0.01 / np.sqrt(3.0))

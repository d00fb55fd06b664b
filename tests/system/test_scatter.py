"""Peaks with their range: the same run from starts a nanometre apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import docksim
from docksim.config import load_scenario
from docksim.result.scatter import ranges
from docksim.simulation.scatter import JITTER_M, jittered, with_scatter
from tests.support.commands import call

ROOT = Path(__file__).resolve().parents[2]
DOCKING = ROOT / "scenarios" / "dock_nds_edge.yaml"
SHORT = {"solver.duration_s": 2.6}  # first contact at 1.95 s, then a rattle


def test_ranges_are_those_of_extremes_and_limits_count_by_the_upper_end() -> None:
    runs = [
        {"dock.peak_shear_N": 3.0, "dock.peak_shear_N.of_limit": 0.3, "dock.capture_s": 1.0},
        {"dock.peak_shear_N": 5.0, "dock.peak_shear_N.of_limit": 0.5, "dock.capture_s": 2.0},
        {"dock.peak_shear_N": 2.0, "dock.peak_shear_N.of_limit": 0.2, "dock.capture_s": 3.0},
    ]
    assert ranges(runs) == {
        "dock.peak_shear_N.low": 2.0, "dock.peak_shear_N.high": 5.0, "dock.peak_shear_N.high.of_limit": 0.5,
    }  # fmt: skip


def test_what_a_repeat_does_not_have_gets_no_range() -> None:
    assert ranges([{"a.peak": 1.0}, {}]) == {}


def test_starts_differ_by_a_nanometre_and_by_the_number_alone() -> None:
    scenario = load_scenario(DOCKING)
    plain, one, again, two = (jittered(scenario, k).compiled.state.q for k in (0, 1, 1, 2))
    assert np.array_equal(one, again)
    for a, b in ((plain, one), (one, two)):
        moved = np.abs(a - b)
        # both vehicles, all three axes of each; quaternions and joints stay
        assert np.count_nonzero(moved) == 6
        assert 0.0 < moved.max() < 10.0 * JITTER_M


def test_late_peaks_scatter_around_the_run_and_the_order_of_threads_does_not_matter() -> None:
    result = docksim.run(DOCKING, SHORT)
    one, two = (with_scatter(docksim.run(DOCKING, SHORT), 3, workers).metrics for workers in (1, 3))
    assert one == two
    for name in ("dock.peak_compression_N", "dock.peak_bending_Nm"):
        assert one[f"{name}.low"] <= result.metrics[name] <= one[f"{name}.high"]
        assert one[f"{name}.high.of_limit"] >= result.metrics[f"{name}.of_limit"]
    assert one["dock.peak_compression_N.low"] < one["dock.peak_compression_N.high"]


def test_the_table_tells_ranges_or_that_there_is_one_run_only(tmp_path: Path) -> None:
    words = ("run", str(DOCKING), "--set", "solver.duration_s=2.1", "--no-figures", "--out", str(tmp_path))
    alone = call(*words)
    assert "one run; late peaks scatter" in " ".join(alone.stdout.split())
    told = call(*words, "--scatter", "2")
    assert "range over 3 runs" in " ".join(told.stdout.split())
    assert "by the upper end" in told.stdout
    [report] = json.loads(call(*words, "--scatter", "1", "--json").stdout)["runs"]
    assert report["repeats"] == 1
    assert report["metrics"]["dock.peak_shear_N.high"] >= report["metrics"]["dock.peak_shear_N"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["studies/soft_capture.yaml", "--case", "3"], "a study never repeats a case"),
        (["scenarios/dock_nds.yaml", "--checkpoint-at", "1"], "does not go with checkpoints"),
        (["scenarios/dock_nds.yaml", "--checkpoint-every", "1"], "does not go with checkpoints"),
    ],
)
def test_scatter_refuses_what_it_does_not_go_with(more: list[str], why: str) -> None:
    done = call("run", *more, "--scatter", "2")
    assert done.exit_code == 2
    assert why in " ".join(done.output.split())


def test_a_study_is_refused_by_name_and_nothing_scatters_without_contact(tmp_path: Path) -> None:
    study = call("run", str(ROOT / "studies" / "soft_capture.yaml"), "--scatter", "2", "--out", str(tmp_path))
    assert study.exit_code == 1
    assert "soft_capture.yaml: is a study" in study.output
    words = ("run", str(ROOT / "scenarios" / "tumbling_brick.yaml"), "--set", "solver.duration_s=0.1", "--no-figures")
    brick = call(*words, "--scatter", "2", "--out", str(tmp_path))
    assert "nothing can touch" in brick.output

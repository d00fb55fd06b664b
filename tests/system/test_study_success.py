"""A docking study counts as success what is one: cases that fail after capture are told apart by what they missed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import ScenarioError
from docksim.plots.study.cases import case_groups
from docksim.report.study_facts import study_facts
from docksim.study.plan import load_plan
from docksim.study.table import load_table
from tests.support.studies import ROOT

LOAD = "dock.peak_compression_N"
FACE = "chaser.mechanism.ports.face.interface"
LEGS = "chaser.mechanism.symmetric.actuator"
# head-on from 5 cm, 0.4 s after capture; a jet pulls at the latches meanwhile
STUDY: dict[str, Any] = {
    "base": str(ROOT / "scenarios" / "dock_nds.yaml"),
    "set": {
        "solver.duration_s": 1.2,
        "outputs.joint_loads": False,
        "approach.distance_m": 0.05,
        "approach.closing_rate_m_s": 0.15,
        "approach.lateral_offset_m": [0.0, 0.0],
        "approach.lateral_rate_m_s": [0.0, 0.0],
        "approach.roll_deg": 0.0,
        "approach.pitch_deg": 0.0,
        "approach.yaw_deg": 0.0,
        f"{FACE}.latches.holds_N": 1e6,
        f"{FACE}.limits.compression_dynamic_N": 1e6,
        f"{LEGS}.stop_travel_m": 0.005,
        "chaser.thrusters.back": {"direction": [-1.0, 0.0, 0.0], "force_N": 2.0e4},
        "events.back_off": {
            "when": {"after": "captured", "delay_s": 0.1},
            "do": {"fire": {"thruster": "chaser.back", "duration_s": 0.5}},
        },
        "events.end_of_case": {
            "when": [{"after": "captured", "delay_s": 0.4}],
            "do": {"stop": "enough", "outcome": "captured"},
        },
    },
    "success": [{"captured": "dock", "for_s": 0.4}],
    # twice the speed is about twice the load
    "limits": {LOAD: 6200.0},
    "band": False,
    "metrics": ["dock.*"],
    # the base itself, then one fault at a time
    "sweep": [
        {"key": "approach.lateral_offset_m.0", "values": [3.0]},
        {"key": f"{FACE}.latches.holds_N", "values": [100.0]},
        {"key": f"{LEGS}.lower_m", "values": [-0.002]},
        {"key": "events.end_of_case.when.0.delay_s", "values": [0.05]},
        {"key": "approach.closing_rate_m_s", "values": [0.30]},
    ],
}  # fmt: skip
MISSED = ["not captured", "latch lost", "over-stroke", "run too short", f"over limit {LOAD}"]


def written(folder: Path, **changes: Any) -> Path:
    file = folder / "faults.yaml"
    file.write_text(yaml.safe_dump({**STUDY, **changes}, sort_keys=False), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of the study, and what its command said."""
    folder = tmp_path_factory.mktemp("success")
    done = CliRunner().invoke(main, ["study", str(written(folder)), "--out", str(folder), "--workers", "1"])
    assert done.exit_code == 0, done.output
    return folder / "faults", done.output


def test_each_fault_after_capture_is_counted_apart_and_none_is_a_success(ran: tuple[Path, str]) -> None:
    folder, said = ran
    table = load_table(folder)
    assert list(table.missed) == [(), *((name,) for name in MISSED)], list(table.reason)
    assert table.success.tolist() == [True] + [False] * 5
    assert table.outcome[1] == "not captured"
    # all others were captured
    assert (table.metrics["dock.capture_s"][[0, 2, 3, 4, 5]] > 0.0).all()
    done = CliRunner().invoke(main, ["study", "summary", str(folder), "--json"])
    found = json.loads(done.output)
    assert found["successes"] == 1
    counts = {miss["name"]: (miss["cases"], miss["alone"]) for miss in found["missed"]}
    assert counts == dict.fromkeys(MISSED, (1, 1)) | {"overloaded": (0, 0)}
    lines = [line.split() for line in said.splitlines()]
    for name in counts:
        assert [*name.split(), *map(str, counts[name])] in lines


def test_report_and_figure_name_what_was_missed(ran: tuple[Path, str]) -> None:
    table = load_table(ran[0])
    rows = dict(study_facts(table, []).summary)
    assert {name: rows[f"missed: {name}"] for name in MISSED} == dict.fromkeys(MISSED, "1")
    groups = case_groups(table)
    assert [label for label in groups if label.startswith("missed")] == sorted(f"missed: {name}, 1" for name in MISSED)
    assert sum(int(members.sum()) for members, _ in groups.values()) == 6


def test_study_of_an_older_docksim_is_refused_in_one_line(ran: tuple[Path, str], tmp_path: Path) -> None:
    file = Path(shutil.copy(ran[0] / "study.sqlite", tmp_path))
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE about SET value = '1' WHERE key = 'format'")
    done = CliRunner().invoke(main, ["study", "summary", str(file)])
    assert done.exit_code == 1
    assert "study format 1" in done.output
    assert "run it again" in done.output
    assert len(done.output.strip().splitlines()) == 1


@pytest.mark.parametrize(("pair", "text"), [("dokc", "did you mean 'dock'?")])
def test_capture_of_a_pair_that_cannot_be_captured_is_refused(tmp_path: Path, pair: str, text: str) -> None:
    changes: dict[str, Any] = {"success": [{"captured": pair}]}
    with pytest.raises(ScenarioError) as refused:
        load_plan(written(tmp_path, **changes))
    assert text in str(refused.value)


@pytest.mark.parametrize(("case", "missed"), [(1, ()), (6, (f"over limit {LOAD}",))])
def test_case_that_is_run_alone_has_the_verdict_of_its_study(
    ran: tuple[Path, str], tmp_path: Path, case: int, missed: tuple[str, ...]
) -> None:
    file = str(ran[0].parent / "faults.yaml")
    words = ["run", file, "--case", str(case), "--out", str(tmp_path), "--no-figures", "--json"]
    done = CliRunner().invoke(main, words)
    (found,) = json.loads(done.stdout)["runs"]
    assert (found["outcome"], tuple(found["missed"]), found["ok"]) == ("captured", missed, not missed)
    assert done.exit_code == (1 if missed else 0)
    # the way to the hooks was not run, and what is largest on it has no figure
    assert found["metrics"]["dock.not_run"] == "ALIGN, RETRACT, PULL, SEAT, HOOKS"
    assert "dock.peak_tension_N" not in found["metrics"]


def test_case_that_is_run_alone_runs_the_band_if_its_study_does(tmp_path: Path) -> None:
    for band in (False, True):
        file = str(written(tmp_path, band=band))
        words = ["run", file, "--case", "1", "--out", str(tmp_path), "--no-figures", "--json"]
        (found,) = json.loads(CliRunner().invoke(main, words).stdout)["runs"]
        assert (f"{LOAD}.band_high" in found["metrics"]) == band

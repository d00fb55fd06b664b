"""Contact known within a band: runs and studies at its middle and both ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.config import ScenarioError, load_scenario
from docksim.jobs import batch
from docksim.jobs.batch import Job, run_one
from docksim.result.result import Result
from docksim.simulation import bands
from docksim.simulation.bands import with_band
from docksim.simulation.run import simulate
from docksim.study.plan import Plan, load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.summary import summarize_study
from docksim.study.table import load_table
from tests.support.bands import BAND, PEAK, balls, peak_N, write
from tests.support.studies import digest

ENDS = {"low": f"{PEAK}.band_low", "middle": PEAK, "high": f"{PEAK}.band_high"}


def called(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments)
    return done.exit_code, done.output


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often a run was made, in the calls of the job and in those of its ends."""
    calls: list[str] = []
    for room in (batch, bands):

        def one(*arguments: Any, name: str = room.__name__, **more: Any) -> Result:
            calls.append(name)
            return simulate(*arguments, **more)

        monkeypatch.setattr(room, "simulate", one)
    return calls


# ---------------------------------------------------------------- runs


@pytest.mark.parametrize("workers", [1, 2])
def test_peaks_of_the_band_are_those_of_the_closed_form(workers: int) -> None:
    result = with_band(simulate(load_scenario(balls())), workers)
    for end, name in ENDS.items():
        # 1e-4 s in contacts of 11 ms and more
        assert result.metrics[name] == pytest.approx(peak_N(BAND[end]), rel=1e-4)
    assert result.manifest["band"]["contact_stiffness_N_m"]["hit"]["petals"] == BAND


def test_ends_have_the_bits_of_runs_with_these_values_alone() -> None:
    result = docksim.run(balls(), band=True)
    for end, name in ENDS.items():
        assert result.metrics[name] == docksim.run(balls(band=BAND[end])).metrics[PEAK]
    assert not [name for name in docksim.run(balls()).metrics if ".band_" in name]


def test_run_saves_the_middle_and_costs_three_runs_and_no_more(tmp_path: Path, counted: list[str]) -> None:
    seen: list[float] = []
    report = run_one(write(tmp_path, balls()), Job(out=tmp_path, figures="none"), seen.append)
    assert sorted(counted) == ["docksim.jobs.batch", "docksim.simulation.bands", "docksim.simulation.bands"]
    assert report.folder is not None
    saved, middle = Result.load(report.folder), docksim.run(balls())
    for name in middle:
        np.testing.assert_array_equal(saved[name], middle[name])
    assert saved.metrics[ENDS["high"]] == pytest.approx(peak_N(BAND["high"]), rel=1e-4)
    assert saved.scenario == load_scenario(tmp_path / "balls.yaml")
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("band", [False, True])
def test_one_stiffness_is_one_run(tmp_path: Path, counted: list[str], band: bool) -> None:
    content = balls(band=1e6) if band else balls()
    report = run_one(write(tmp_path, content), Job(out=None, band=band))
    assert counted == ["docksim.jobs.batch"]
    assert report.all_warnings == []


def test_verdict_is_told_in_table_json_page_and_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, balls(limit_N=2.0 * peak_N(BAND["high"])), "safe")
    write(tmp_path, balls(limit_N=1.5 * peak_N(BAND["middle"])), "unsafe")
    code, text = called("run", "safe.yaml", "--no-figures")
    assert code == 0
    assert "within limits over the band" in " ".join(text.split())
    assert "3536 / 7071 / 14141 N of 28284, at most 0.5" in " ".join(text.split())
    code, text = called("run", "unsafe.yaml", "--no-figures", "--json")
    [run] = json.loads(text)["runs"]
    assert (code, run["outcome"], run["ok"]) == (1, "overloaded", False)
    assert run["reason"].startswith(f"overloaded at the stiff end: {PEAK} is 1.33 of its limit; at the middle: compl")
    assert run["band"]["outcomes"] == {"low": "completed", "middle": "completed", "high": "overloaded"}
    assert run["warnings"] == []
    assert called("report", run["folder"], "--out", "page.html", "--what", "interface")[0] == 0
    assert "overloaded at the stiff end" in Path("page.html").read_text()
    # one stiffness, one verdict
    code, text = called("run", "unsafe.yaml", "--no-figures", "--no-band")
    assert code == 0
    assert "over the band" not in text


def test_interrupt_keeps_the_middle_and_says_so(tmp_path: Path) -> None:
    asked = [False]

    def progress(part: float) -> None:
        asked[0] = part > 1.0 / 3.0

    file = write(tmp_path, balls(duration=2.0))
    report = run_one(file, Job(out=tmp_path, figures="none"), progress, lambda: asked[0])
    assert report.outcome == "completed"
    assert report.warnings == [
        "loads are those of the middle of the contact's band: the runs at its ends were interrupted"
    ]
    assert report.folder is not None
    assert "band" not in Result.load(report.folder).manifest


def test_checkpoints_go_with_one_run_which_is_said(tmp_path: Path) -> None:
    report = run_one(write(tmp_path, balls()), Job(out=tmp_path, figures="none", checkpoint_at_s=(0.05,)))
    assert report.warnings == ["loads are those of the middle of the contact's band: with checkpoints there is one run"]


def test_scatter_is_of_the_middle_and_the_band_beside_it(tmp_path: Path, counted: list[str]) -> None:
    limited = balls(limit_N=1.5 * peak_N(BAND["middle"]))
    report = run_one(write(tmp_path, limited), Job(out=None, scatter=2))
    assert len(counted) == 3
    assert report.summary is not None
    assert {f"{PEAK}.low", f"{PEAK}.high", *ENDS.values()} <= set(report.summary.metrics)
    # the repeats end as the middle does, which is not overloaded
    assert report.warnings == []


# ---------------------------------------------------------------- studies


def plan_of(folder: Path, **changes: Any) -> Plan:
    write(folder, balls())
    study = {
        "base": "balls.yaml", "seed": 2, "cases": 6, "metrics": ["hit.peak_compression_N", "hit.first_contact_s"],
        "dispersions": [{"type": "uniform", "key": "b.mass_kg", "low": 50.0, "high": 150.0}],
        "limits": {PEAK: 1.5 * peak_N(BAND["middle"])}, **changes,
    }  # fmt: skip
    file = folder / "study.yaml"
    file.write_text(yaml.safe_dump({key: value for key, value in study.items() if value is not None}))
    return load_plan(file)


def test_study_runs_the_three_on_the_same_draws(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    table = load_table(run_study(plan, tmp_path / "one", Workers(1))[1])
    assert list(table.metrics) == ["hit.first_contact_s", *(ENDS[end] for end in ("middle", "low", "high"))]
    for case in (1, 4):
        [mass] = plan.values(case)
        reduced = 1.0 / (1.0 / 100.0 + 1.0 / mass)
        for end, name in ENDS.items():
            expected = np.sqrt(BAND[end] * reduced)
            assert table.metric(name)[case - 1] == pytest.approx(expected, rel=1e-4)
    # three runs and two workers: the same bits, also when it goes on after some cases
    file = run_study(plan, tmp_path / "two", Workers(2))[1]
    assert digest(file) == digest(table.file)
    stopped = iter([False] * 4 + [True] * 1000)
    run_study(plan, tmp_path / "three", Workers(1), stop=lambda: next(stopped))
    again = run_study(plan, tmp_path / "three", Workers(1), resume=True)[1]
    assert digest(again) == digest(table.file)


def test_quantiles_are_bands_and_limits_are_judged_over_them(tmp_path: Path) -> None:
    table = load_table(run_study(plan_of(tmp_path), tmp_path / "out", Workers(1))[1])
    found = summarize_study(table)
    [peak] = found.metrics
    assert peak.name == PEAK
    assert [end.name for end in peak.ends] == [ENDS["low"], ENDS["high"]]
    for end, factor in zip(peak.ends, (0.5, 2.0), strict=True):
        for share, value in peak.percentiles.items():
            assert end.percentiles[share].estimate == pytest.approx(factor * value.estimate, rel=2e-4)
    # the middle keeps the limit in every case, the stiff end in none
    assert peak.largest < table.study.limits[PEAK]
    assert peak.exceedance is not None
    assert peak.exceedance.count == len(table)
    shown = CliRunner().invoke(main, ["study", "summary", str(table.file)]).stdout
    assert "soft contact" in shown
    assert "stiff contact" in shown


def test_load_that_is_judged_at_one_stiffness_is_said_to_be(tmp_path: Path) -> None:
    table = load_table(run_study(plan_of(tmp_path, band=False), tmp_path / "out", Workers(1))[1])
    assert not [name for name in table.metrics if ".band_" in name]
    assert "loads are those of the middle of the contact's band, as the study says (band: false)" in (
        summarize_study(table).notes
    )


def test_study_of_something_else_runs_once_a_case(tmp_path: Path) -> None:
    plain = plan_of(tmp_path, limits=None)
    assert not plain.band
    assert plan_of(tmp_path, limits=None, band=True).band
    assert plan_of(tmp_path, limits=None, success=[{"metric": PEAK, "below": 1e4}]).band
    named = plan_of(tmp_path, limits=None, histories={"keep": "worst", "count": 1, "metric": ENDS["high"]})
    assert named.band


def test_band_that_the_base_has_not_is_refused_at_its_line(tmp_path: Path) -> None:
    write(tmp_path, balls(band=1e6), "single")
    with pytest.raises(ScenarioError) as error:
        plan_of(tmp_path, base="single.yaml", band=True)
    [problem] = error.value.problems
    assert (problem.key, problem.line is not None) == ("band", True)
    assert "no contact pair of the base has a band of stiffness" in problem.message

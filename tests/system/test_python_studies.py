"""Studies from Python: the bits of the command line, words for mistakes, cases run again, progress, what is kept."""

from __future__ import annotations

import gc
import json
import re
import sqlite3
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas
import pytest
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.study.comparison import compare
from docksim.study.store import FILE
from docksim.study.table import load_table
from tests.support.studies import BRICK, HALF_DEG_S, ROOT, digest, study_file

PEAK = "brick.rate_deg_s.peak"
DICT = {**BRICK, "name": "brick", "cases": 12, "limits": {PEAK: HALF_DEG_S}}


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dict's base is looked for from here."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="module")
def study() -> docksim.Study:
    return docksim.run_study({**DICT, "base": str(ROOT / "scenarios" / "tumbling_brick.yaml")}, workers=1)


# ---------------------------------------------------------------- running


def test_dict_file_and_command_give_the_same_bits(tmp_path: Path, study: docksim.Study) -> None:
    file = study_file(tmp_path, **{key: value for key, value in DICT.items() if key != "base"})
    made = docksim.run_study(file, out=tmp_path / "made")
    assert made.file == tmp_path / "made" / "brick" / FILE
    done = CliRunner().invoke(main, ["study", str(file), "--out", str(tmp_path / "told")])
    assert done.exit_code == 0, done.output
    assert digest(made.file) == digest(tmp_path / "told" / "brick" / FILE) == digest(study.file)


def test_scenario_with_its_changes_is_a_base() -> None:
    changed = docksim.Scenario.load("tumbling_brick").set("brick.mass_kg", 20.0).set("solver.duration_s", 3.0)
    made = docksim.run_study({**DICT, "base": changed, "cases": 3})
    # the study's own changes come after those of the scenario
    assert [made.scenario(1).solver.duration_s, made.rerun(1).simulated_s] == [0.5, 0.5]
    assert np.allclose(made.table()["input.brick.mass_kg"], 20.0, atol=1.0)
    plain = docksim.run_study({**DICT, "base": "tumbling_brick", "cases": 3})
    nominal = docksim.Scenario.load("tumbling_brick").brick.mass_kg
    assert nominal < 15.0
    assert np.allclose(plain.table()["input.brick.mass_kg"], nominal, atol=1.0)
    of_dict = docksim.Scenario(changed.resolved.model_dump(exclude_unset=True))
    with pytest.raises(docksim.ResultError, match="begins from a file, and this scenario was made of a dict"):
        docksim.run_study({**DICT, "base": of_dict})


def test_rows_go_where_they_are_asked_to_and_a_study_goes_on(tmp_path: Path) -> None:
    first = docksim.run_study(DICT, cases=5, out=tmp_path)
    with pytest.raises(docksim.ResultError, match=r"exists; --resume goes on with it \(resume=True\)"):
        docksim.run_study(DICT, out=tmp_path)
    assert len(first) == 5
    whole = docksim.run_study(DICT, out=tmp_path, resume=True)
    assert digest(whole.file) == digest(docksim.run_study(DICT).file)


def test_an_interrupt_keeps_rows_and_says_how_to_go_on(tmp_path: Path) -> None:
    def enough(done: int, cases: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        docksim.run_study(DICT, workers=1, out=tmp_path, progress=enough)
    assert "resume=True goes on" in stopped.value.__notes__[0]
    assert 0 < len(docksim.Study.load(tmp_path / "brick")) <= 12
    assert len(docksim.run_study(DICT, out=tmp_path, resume=True)) == 12


def test_without_a_place_the_table_goes_with_its_study() -> None:
    made = docksim.run_study(DICT, cases=2)
    folder = made.file.parent
    assert folder.is_dir()
    del made
    gc.collect()
    assert not folder.exists()


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    "wrong",
    [
        {"disperions": []},
        {"cases": None},
        {"limits": {"brick.rate_deg_s.peek": 3.0}},
        {"dispersions": [{"type": "uniform", "key": "brick.mas_kg", "low": 1.0, "high": 2.0}]},
        {"dispersions": [{"type": "unifrom", "key": "brick.mass_kg", "low": 1.0, "high": 2.0}]},
        {"base": "scenarios/tumbling_brik.yaml"},
        {"set": {"solver.duraton_s": 1.0}},
    ],
)
def test_mistakes_are_told_in_the_words_of_the_command_line(wrong: dict[str, Any], tmp_path: Path) -> None:
    content = {key: value for key, value in {**DICT, **wrong}.items() if value is not None}
    with pytest.raises(docksim.ScenarioError) as refused:
        docksim.run_study(content)
    file = study_file(tmp_path, **{**DICT, **wrong})
    done = CliRunner().invoke(main, ["study", str(file)])
    assert done.exit_code == 1
    # less the names of files and folders, and lines, which a dict has not
    told = re.sub(r"Error: |\S*brick\.yaml(:\d+)?: ", "", done.output).replace(str(tmp_path), str(ROOT))
    assert str(refused.value).replace("<dict>: ", "").split() == told.split()


def test_what_makes_no_sense_is_refused(study: docksim.Study, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers = 0: expected at least one"):
        docksim.run_study(DICT, workers=0)
    with pytest.raises(docksim.ResultError, match=r"no metric 'brick.rate_deg_s.peek'.*did you mean"):
        study.worst("brick.rate_deg_s.peek")
    with pytest.raises(ValueError, match="expected at least one case"):
        study.worst(PEAK, 0)
    with pytest.raises(docksim.ScenarioError, match="has cases 1 to"):
        study.rerun(0)
    with pytest.raises(docksim.ResultError, match="no figure of the kind 'scater'"):
        study.plot("scater")
    with pytest.raises(docksim.ResultError, match=r"is a study; docksim.Study.load\('.*'\) opens it"):
        docksim.load(study.file.parent)
    with pytest.raises(docksim.ResultError, match="no such study"):
        docksim.Study.load(tmp_path)


# ---------------------------------------------------------------- reading


def test_table_is_a_frame_or_an_array_with_the_same_numbers(
    study: docksim.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = study.table()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "case"
    assert frame.attrs["units"][f"metric.{PEAK}"] == "deg/s"
    monkeypatch.setitem(sys.modules, "pandas", None)
    array = study.table()
    assert isinstance(array, np.ndarray)
    assert array.dtype.names == ("case", *frame.columns)
    assert array["outcome"].tolist() == frame["outcome"].tolist()
    with sqlite3.connect(study.file) as connection:
        rows = connection.execute(f'SELECT n, success, "input.brick.mass_kg", "metric.{PEAK}" FROM cases ORDER BY n')
        for row, got in zip(rows, array, strict=True):
            assert row == tuple(got[["case", "success", "input.brick.mass_kg", f"metric.{PEAK}"]])


def test_summary_and_comparison_are_those_of_the_command(study: docksim.Study) -> None:
    done = CliRunner().invoke(main, ["study", "summary", str(study.file), "--json"])
    assert json.loads(done.stdout)["successes"] == study.summary().successes
    assert f"{PEAK}: mean" in str(study.summary())
    assert [item.name for item in study.summary("energy.residual_relative").metrics] == ["energy.residual_relative"]
    other = docksim.run_study({**DICT, "set": {**DICT["set"], "brick.rate_deg_s.1": 21.0}})
    assert study.compare(other) == compare(load_table(study.file), load_table(other.file))
    done = CliRunner().invoke(main, ["study", "compare", str(study.file), str(other.file)])
    assert done.output == f"{study.compare(other)}\n"


def test_worst_cases_come_with_their_inputs_and_run_again_to_the_bit(study: docksim.Study) -> None:
    worst = study.worst(PEAK, 3)
    frame = study.table()
    assert [one.value for one in worst] == sorted(frame[f"metric.{PEAK}"])[:-4:-1]
    for one in worst:
        row = frame.loc[one.case]
        assert one.inputs == {key: row[f"input.{key}"] for key in one.inputs}
        assert len(one.inputs) == 4
        result = study.rerun(one.case)
        assert result.metrics[PEAK] == one.value
        assert study.scenario(one.case).brick.mass_kg == one.inputs["brick.mass_kg"]
        assert study.scenario(one.case).run()[PEAK.removesuffix(".peak")].tobytes() == result[PEAK[:-5]].tobytes()
    assert repr(worst).startswith(f"case {worst[0].case}: {PEAK} {worst[0].value:.6g}, completed; brick.mass_kg ")
    for text in (f"case {worst[2].case}</th>", ">brick.rate_deg_s.0</td>", f">{worst[1].value:.6g}</td>"):
        assert text in worst._repr_html_()


def test_a_study_runs_its_cases_again_without_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    docksim.Scenario.load("tumbling_brick").set("brick.mass_kg", 20.0).to_yaml("mine.yaml")
    file = docksim.run_study({**DICT, "base": "mine.yaml", "cases": 2}, out="results").file
    Path("mine.yaml").unlink()
    opened = docksim.Study.load("results/brick")
    assert opened.rerun(2).metrics[PEAK] == opened.metric(PEAK)[1]
    assert "worst" in opened.plot("worst", metrics=[PEAK])
    with sqlite3.connect(file) as connection:
        connection.execute(f'UPDATE cases SET "metric.{PEAK}" = 1.5 WHERE n = 2')
    connection.close()
    with pytest.raises(docksim.ResultError, match=r"case 2 gives .* when it is run again, the table has 1.5"):
        docksim.Study.load("results/brick").rerun(2)


def test_a_study_is_drawn_exported_and_shown(study: docksim.Study, tmp_path: Path) -> None:
    assert repr(study).startswith("<Study 'brick': 12 of 12 cases, ")
    page = study._repr_html_()
    for text in ("12 of 12", PEAK, "study.worst(metric, n)"):
        assert text in page
    figures = study.plot("exceedance", "scatter")
    assert set(figures) == {f"exceedance_{PEAK}", "main_drivers", "scatter"}
    assert len(figures.save(tmp_path)) == len(figures)
    assert study.export("csv", tmp_path / "a.csv").read_text(encoding="utf-8").count("\n") == 13


# ---------------------------------------------------------------- progress


def test_progress_is_told_to_a_function_and_to_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    docksim.run_study(DICT, cases=4, progress=lambda done, cases: told.append((done, cases)))
    assert told[-1] == (4, 4)
    for progress in (None, False):
        docksim.run_study(DICT, cases=1, progress=progress)
    assert capsys.readouterr() == ("", "")
    docksim.run_study(DICT, cases=1, progress=True)
    assert "1 of 1 cases" in capsys.readouterr().err


def test_progress_is_one_place_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    handle = SimpleNamespace(update=shown.append)

    def display(html: str, display_id: bool) -> SimpleNamespace:
        assert not shown, "a second place"
        shown.append(html)
        return handle

    notebook, pictures = ModuleType("IPython"), ModuleType("IPython.display")
    notebook.get_ipython = lambda: SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    pictures.display, pictures.HTML = display, str  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setitem(sys.modules, "IPython.display", pictures)
    docksim.run_study(DICT, cases=4)
    assert '<progress value="4" max="4"' in shown[-1]
    assert "4 of 4 cases" in shown[-1]

"""docksim validate: its rows, the committed page, what is kept of an interrupted one, a seeded subset that passes."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import docksim
from docksim.cli import main
from docksim.cli import validate as command
from docksim.config import load_scenario
from docksim.validation import bench as benches
from docksim.validation.bench import FILE, Bench, Interrupted, Job, Kept, fixed_in, shipped
from docksim.validation.judge import judged
from docksim.validation.page import page, table_line
from docksim.validation.populations import dockings
from docksim.validation.registry import ROWS
from docksim.validation.row import Finding, Row, share

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
BRICK = "tumbling_brick"
# rows that are cheap in their small size, and hold there
SUBSET = ["nesc_brick", "jeod_spheres", "puma_parameters", "guide_ring", "nds_missed"]


def stand_in(name: str = "stand_in", passes: bool = True, **keys: Any) -> Row:
    """A row that runs nothing."""
    words = {"published": "two and two", "source": "arithmetic", "band": "4", "reason": "exact"}
    experiment = keys.pop("experiment", lambda bench, size: Finding("4" if passes else "5", passes, {"sum": 4.0}))
    return Row(name=name, group="published", **words, experiment=experiment, short=1, full=2, **keys)


def bricks(number: int) -> list[Job]:
    """Runs of a hundredth of a second that differ in a mass."""
    changes = [{"solver.duration_s": 0.01, "brick.mass_kg": 1.0 + k} for k in range(number)]
    return [shipped(BRICK, change) for change in changes]


def said(monkeypatch: pytest.MonkeyPatch, rows: list[Row], *arguments: str, code: int = 0) -> Result:
    monkeypatch.setattr(command, "ROWS", tuple(rows))
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.chdir(folder)
        result = CliRunner().invoke(main, ["validate", *arguments])
        monkeypatch.chdir(ROOT)
    assert result.exit_code == code, result.output
    return result


# ---------------------------------------------------------------- rows and the page


def test_every_row_says_what_is_published_where_what_passes_and_why() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    for row in ROWS:
        assert re.fullmatch(r"[a-z0-9_]+", row.name)
        for words in (row.published, row.source, row.band, row.reason):
            assert len(words.split()) > 1, row.name
        assert 0 < row.short <= row.full
        # a population is seeded
        assert (row.seed is None) == (row.unit != "cases"), row.name


def test_committed_page_has_the_rows_of_this_version() -> None:
    assert f"docksim {docksim.__version__}, {len(ROWS)} rows" in PAGE
    lines = [line for line in PAGE.splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS)
    for line, row in zip(lines, ROWS, strict=True):
        assert line.startswith(table_line(row)), f"{row.name}: make validate"
        assert f"- `{row.name}`: {row.reason}." in PAGE
    for file in re.findall(r"\]\((figures/\S+)\)", PAGE):
        assert (ROOT / "docs" / file).is_file()


def test_row_that_fails_stays_on_the_committed_page_with_what_the_model_lacks() -> None:
    failing = re.findall(r"^\| `(\w+)` .*\*\*FAIL\*\* \|$", PAGE, re.MULTILINE)
    lacking = PAGE.split("what the model lacks\n")[1].split("\n## ")[0]
    assert re.findall(r"^- `(\w+)`", lacking, re.MULTILINE) == failing
    assert "not known yet" not in lacking.lower()


def test_conservation_is_asked_of_every_shipped_docking() -> None:
    (row,) = (row for row in ROWS if row.name == "conservation")
    assert row.full == len(dockings()) == len(set(dockings()))


def test_row_whose_words_change_makes_the_page_stale() -> None:
    row = stand_in()
    answers = list(judged([row], Bench(), full=False))
    assert table_line(row) in page(answers)
    assert table_line(stand_in(lacks="nothing")) in page(answers)
    assert table_line(stand_in(name="another")) not in page(answers)


# ---------------------------------------------------------------- the command


def test_failing_row_prints_as_failing_and_tells_by_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [stand_in(), stand_in("broken", passes=False, lacks="a carry"), stand_in("last")]
    found = said(monkeypatch, rows, code=1)
    assert re.search(r"broken .* fail", found.stdout)
    assert "what the model lacks: a carry" in found.stdout
    # those after it are answered all the same
    assert "3 rows: 2 pass, 1 fail" in found.stdout
    text = page(list(judged(rows, Bench(), full=True)))
    assert re.search(r"`broken` .* 5 \| 2 runs \| \*\*FAIL\*\* \|", text)
    assert "- `broken`: 5. A carry." in text


def test_experiment_that_breaks_is_a_failure_that_says_so() -> None:
    def experiment(bench: Bench, size: int) -> Finding:
        raise ZeroDivisionError("nothing to share")

    (answer,) = judged([stand_in(experiment=experiment)], Bench(), full=False)
    assert answer.verdict == "fail"
    assert "ZeroDivisionError: nothing to share" in answer.ours


def test_unknown_name_is_refused_with_a_suggestion(monkeypatch: pytest.MonkeyPatch) -> None:
    found = said(monkeypatch, list(ROWS), "nesc_brik", code=2)
    assert "no row 'nesc_brik'" in found.stderr
    assert "did you mean 'nesc_brick'?" in found.stderr


def test_json_is_machine_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [stand_in(), stand_in("broken", passes=False, tuned=("a figure",))]
    content = json.loads(said(monkeypatch, rows, "--json", "--full", code=1).stdout)
    assert content["docksim_version"] == docksim.__version__
    assert (content["full"], content["counts"]) == (True, "2 rows: 1 pass, 1 fail")
    assert [(row["name"], row["verdict"], row["size"]) for row in content["rows"]] == [
        ("stand_in", "pass", "2 runs"), ("broken", "fail", "2 runs"),
    ]  # fmt: skip
    assert content["rows"][0]["figures"] == {"sum": 4.0}
    assert content["rows"][1]["tuned"] == ["a figure"]


def test_list_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def experiment(bench: Bench, size: int) -> Finding:
        raise AssertionError

    rows = [stand_in(experiment=experiment)]
    assert said(monkeypatch, rows, "--list").stdout.split() == ["stand_in", "two", "and", "two"]
    assert json.loads(said(monkeypatch, rows, "--list", "--json").stdout)["rows"][0]["source"] == "arithmetic"


def test_page_and_figures_are_written_where_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = [stand_in(seed=1, unit="cases", experiment=lambda bench, size: share(9, 10, 0.99))]
    said(monkeypatch, rows, "--out", str(tmp_path / "deep" / "page.md"), code=1)
    text = (tmp_path / "deep" / "page.md").read_text(encoding="utf-8")
    assert "9 of 10 (95 %: 55.5 to 99.7 %) | 1 case, seed 1 | **FAIL** |" in text
    (file,) = re.findall(r"\]\((\S+)\)", text)
    assert (tmp_path / "deep" / file).read_text(encoding="utf-8").startswith("<?xml")


# ---------------------------------------------------------------- what is kept


def test_interruption_keeps_finished_runs_and_the_next_validation_goes_on_with_them(tmp_path: Path) -> None:
    began: list[str] = []

    def experiment(bench: Bench, size: int) -> Finding:
        bench.runs(bricks(3))
        return Finding("three", True)

    rows = [stand_in("first"), stand_in("second", experiment=experiment), stand_in("third")]
    # stops as soon as one of the three runs is kept
    kept = Kept(tmp_path)
    interrupted = Bench(kept, workers=1, stop=lambda: len(kept.known) > 0)
    answers = list(judged(rows, interrupted, full=False))
    assert [answer.verdict for answer in answers] == ["pass", "not run", "not run"]
    assert len((tmp_path / FILE).read_text(encoding="utf-8").splitlines()) == 1

    # killed while it wrote the next line
    with (tmp_path / FILE).open("a", encoding="utf-8") as stream:
        stream.write('\n{"key": "ab')
    again = Bench(Kept(tmp_path), workers=1, report=lambda done, of: began.append(f"{done}/{of}"))
    assert [answer.verdict for answer in judged(rows, again, full=False)] == ["pass"] * 3
    assert began == ["1/3", "2/3", "3/3"]
    began.clear()
    once_more = Bench(Kept(tmp_path), workers=1, report=lambda done, of: began.append(""))
    assert [answer.verdict for answer in judged(rows, once_more, full=False)] == ["pass"] * 3
    assert began == []


def test_interrupted_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def experiment(bench: Bench, size: int) -> Finding:
        raise Interrupted

    found = said(monkeypatch, [stand_in(), stand_in("cut", experiment=experiment)], code=130)
    assert "2 rows: 1 pass, 1 not run" in found.stdout
    assert "the same command goes on" in found.stderr


def test_kept_run_is_told_apart_by_scenario_sources_and_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(load_scenario(ROOT / "scenarios" / f"{BRICK}.yaml"))
    keys = {job.key, shipped(BRICK, {"brick.mass_kg": 2.0}).key, shipped(BRICK, channels=["brick.rate_deg_s"]).key}
    assert len(keys) == 3
    assert shipped(BRICK).key == job.key
    monkeypatch.setattr(benches, "stamp", lambda: "other sources")
    assert job.key not in keys


def test_kept_run_is_the_run_itself(tmp_path: Path) -> None:
    (job, *_) = bricks(1)
    told = Bench(Kept(tmp_path)).runs([Job(job.scenario, ("brick.rate_deg_s",))])[0]
    again = Kept(tmp_path).known.popitem()[1]
    assert again == told
    result = docksim.run(ROOT / "scenarios" / f"{BRICK}.yaml", {"solver.duration_s": 0.01, "brick.mass_kg": 1.0})
    assert again.channel("brick.rate_deg_s").tolist() == result["brick.rate_deg_s"].tolist()
    assert again.metrics == result.metrics


def test_study_with_a_fixed_key_draws_the_others_as_before() -> None:
    content = fixed_in("idss_sxds", {"approach.closing_rate_m_s": 0.08})
    fixed, free = (benches.Plan(benches.load_study(one)) for one in (content, ROOT / "studies" / "idss_sxds.yaml"))
    assert "approach.closing_rate_m_s" not in fixed.keys
    assert len(fixed.keys) == len(free.keys) - 1
    assert fixed.scenario(1).approach.closing_rate_m_s == 0.08


# ---------------------------------------------------------------- the seeded subset


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


@pytest.mark.parametrize("name", SUBSET)
def test_row_passes_in_its_small_size(bench: Bench, name: str) -> None:
    (row,) = (row for row in ROWS if row.name == name)
    (answer,) = judged([row], bench, full=False)
    assert answer.verdict == "pass", answer.ours


def test_count_that_misses_the_share_fails() -> None:
    assert share(297, 300, 0.99).passes
    assert not share(296, 300, 0.99).passes
    assert not share(5, 6, 0.99).passes
    assert share(3, 10, most=0.3).passes
    assert not share(4, 10, most=0.3).passes

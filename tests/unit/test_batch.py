"""Batches: order, isolation of failures, interruption."""

import gc
import threading
from pathlib import Path

import pytest

import docksim
from docksim.jobs import batch
from docksim.jobs.batch import Job, RunReport, run_batch, run_one
from docksim.plots import files
from docksim.result.result import Result, ResultError
from tests.support import samples, stand_in


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in.take_the_place_of_runs(monkeypatch.setattr)
    monkeypatch.chdir(tmp_path)


def write(name: str, description: str = "fine") -> Path:
    file = Path(f"{name}.yaml")
    file.write_text(stand_in.SCENARIO.format(description=description))
    return file


def test_reports_come_in_the_order_of_the_files_and_failures_stay_alone() -> None:
    broken = Path("broken.yaml")
    broken.write_text("vehicles: {brick: {mass_kg: -1}}\n")
    files = [write("a"), broken, write("b", "raise"), Path("missing.yaml"), write("c", "diverge"), write("d", "stop")]
    reports = run_batch(files, Job(figures="none"), workers=3)
    assert [report.source for report in reports] == [str(file) for file in files]
    assert [report.outcome for report in reports] == [
        "completed",
        "invalid",
        "failed",
        "invalid",
        "diverged",
        "stopped",
    ]
    assert [report.ok for report in reports] == [True, False, False, False, False, True]
    assert reports[1].problems[0].file == "broken.yaml"
    assert "RuntimeError: the kernel fell over [red] (stand_in.py:" in reports[2].reason
    assert batch.counts(reports) == {"completed": 1, "invalid": 2, "failed": 1, "diverged": 1, "stopped": 1}


def test_results_are_saved_and_drawn_under_the_given_folder() -> None:
    [report] = run_batch([write("a")], Job(out=Path("out")))
    assert report.folder is not None
    assert report.folder.parent == Path("out/a")
    assert Result.load(report.folder).outcome == "completed"
    assert {path.name for path in report.figures} >= {"motion_chaser.png", "loads.png"}
    assert all(path.parent == report.folder / "figures" for path in report.figures)


def test_resolved_scenario_of_a_saved_run_is_the_one_that_ran() -> None:
    report = run_one(write("a"), Job({"brick.mass_kg": 13.5}, figures="none"))
    assert report.folder is not None
    assert Result.load(report.folder).scenario.vehicles["brick"].mass_kg == 13.5


def test_nothing_is_written_without_a_folder() -> None:
    write("a")
    assert run_one("a.yaml", Job(out=None)).folder is None
    assert [path.name for path in Path().iterdir()] == ["a.yaml"]


def test_a_result_that_cannot_be_saved_is_a_failure_with_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(result: Result, root: Path) -> Path:
        raise ResultError("cannot write the result to out/a: No space left on device")

    monkeypatch.setattr(batch, "save_run", full)
    report = run_one(write("a"), Job(out=Path("out")))
    assert (report.outcome, report.folder) == ("failed", None)
    assert "cannot write the result to out/a" in report.reason
    assert report.summary is not None


def test_a_folder_that_cannot_be_written_is_told_before_the_run_and_nothing_is_made() -> None:
    Path("out").write_text("in the way")
    report = run_one(write("a", "raise"), Job(out=Path("out")))
    assert (report.outcome, report.reason) == ("failed", "cannot write the result to out/a: out is no folder")
    assert run_one(write("b", "raise"), Job(out=Path("new/folder"))).outcome == "failed"
    assert not Path("new").exists()


@pytest.mark.parametrize("error", [ResultError("disk full"), ZeroDivisionError("oops")])
def test_figures_that_fail_leave_the_result_and_a_warning(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **named: object) -> None:
        raise error

    monkeypatch.setattr(batch, "draw_into", fail)
    report = run_one(write("a"), Job())
    assert report.ok
    assert report.folder is not None
    assert str(error) in report.warnings[0]


def test_garbage_is_collected_again_after_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def draw(*arguments: object) -> None:
        seen.append(gc.isenabled())
        raise ResultError("disk full")

    gc.enable()
    monkeypatch.setattr(files, "write_figures", draw)
    run_one(write("a"), Job())
    assert seen == [False]
    assert gc.isenabled()


def test_progress_is_told_by_file_and_finished_once_each() -> None:
    seen: list[tuple[int, float]] = []
    ended: list[int] = []
    run_batch(
        [write("a"), write("b")],
        Job(figures="none"),
        progress=lambda index, fraction: seen.append((index, fraction)),
        finished=lambda index, report: ended.append(index),
    )
    assert {index for index, _ in seen} == {0, 1}
    assert max(fraction for _, fraction in seen) == 1.0
    assert sorted(ended) == [0, 1]


def test_stopping_saves_what_runs_and_reports_what_did_not_start() -> None:
    asked = threading.Event()

    def progress(index: int, fraction: float) -> None:
        asked.set()

    reports = run_batch(
        [write("a", "slow"), write("b")], Job(figures="none"), workers=1, progress=progress, stop=asked.is_set
    )
    assert [report.outcome for report in reports] == ["interrupted", "interrupted"]
    assert [report.reason for report in reports] == ["", "not started"]
    assert reports[0].folder is not None
    assert len(Result.load(reports[0].folder).time_s) == 50
    assert reports[1].folder is None


def test_runs_are_really_parallel() -> None:
    together = threading.Barrier(2, timeout=30)

    def progress(index: int, fraction: float) -> None:
        if fraction == 0.5:
            together.wait()

    reports = run_batch([write("a"), write("b")], Job(figures="none"), workers=2, progress=progress)
    assert all(report.ok for report in reports)


def test_report_as_dict_has_no_surprises_for_machines() -> None:
    content = RunReport("a.yaml", "failed", "why").as_dict()
    assert (content["file"], content["ok"], content["outcome"], content["reason"]) == ("a.yaml", False, "failed", "why")


def test_python_run_returns_the_result_and_saves_only_on_request() -> None:
    file = write("a")
    result = docksim.run(file, overrides={"solver.duration_s": 30.0})
    assert result.folder is None
    assert result.scenario.solver.duration_s == 30.0
    saved = docksim.run(str(file), out="kept")
    assert saved.folder is not None
    assert docksim.load(saved.folder)["time_s"].tobytes() == saved.time_s.tobytes()
    as_dict = {
        "name": "d",
        "vehicles": {"brick": {"mass_kg": 1.0, "inertia_kg_m2": [1, 1, 1]}},
        "solver": {"duration_s": 1},
    }
    assert docksim.run(as_dict).scenario_name == "d"


def test_scenario_of_a_saved_result_that_no_longer_loads_is_a_clear_error() -> None:
    folder = samples.result().save("old")
    loaded = Result.load(folder)
    assert loaded.scenario_yaml == "name: sample\n"
    with pytest.raises(ResultError, match=r"scenario\.yaml: not usable by this version of docksim"):
        loaded.scenario

"""Fast studies: what makes cases fast, the reference cases beside them, and rows that are committed together."""

from __future__ import annotations

import math
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
import yaml

from docksim.config.errors import ScenarioError
from docksim.config.loading.study import given_of, load_study
from docksim.jobs import study_display
from docksim.jobs.study_display import StudyDisplay
from docksim.result.comparison import place_of
from docksim.result.result import ResultError
from docksim.study import runner
from docksim.study.case import Pool, Row, run_case
from docksim.study.plan import Plan, load_plan
from docksim.study.reference import Agreement, agreement, checked_cases, reference_file
from docksim.study.runner import Crew, Workers
from docksim.study.session import run_study
from docksim.study.summary import summarize_study
from docksim.study.table import load_table
from tests.support.studies import study_file

ROOT = Path(__file__).resolve().parents[3]
# gentle dockings of the motor-driven system, from 20 mm before its petals meet
BOX: dict[str, Any] = {
    "base": str(ROOT / "scenarios" / "dock_nds.yaml"),
    "set": {
        "approach.distance_m": 0.14,
        "solver.duration_s": 12.0,
        "outputs.every_s": 0.1,
        "outputs.joint_loads": False,
    },
    "seed": 5,
    "cases": 3,
    "dispersions": [{"type": "uniform", "key": "approach.closing_rate_m_s", "low": 0.07, "high": 0.1}],
    "success": [{"captured": "dock", "for_s": 5.0}],
    "metrics": ["dock.*", "events.*"],
    "band": False,
    "fast": {"settled": "dock", "check_every": 2},
}


def box(folder: Path, **changes: Any) -> Path:
    file = folder / "box.yaml"
    file.write_text(yaml.safe_dump({**BOX, **changes}), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def fast(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fast")
    _, table = run_study(load_plan(box(folder)), folder / "two", Workers(2))
    return table


def test_cases_end_settled_and_count_as_captured(fast: Path) -> None:
    table = load_table(fast)
    assert set(table.outcome) == {"captured"}
    assert table.success.all()
    assert (table.metrics["dock.after_capture_s"] < 5.0).all()


def test_some_cases_run_the_reference_way_and_are_compared(fast: Path) -> None:
    table, other = load_table(fast), load_table(reference_file(fast))
    assert other.case.tolist() == [1, 3]
    assert other.study.fast is None
    assert (other.metrics["dock.after_capture_s"] >= 5.0).all()
    found = agreement(table)
    assert found is not None
    assert found.holds
    assert found.cases == found.outcomes == 2
    ((median, largest),) = found.first_impact.values()
    # other steps, so other figures, though not by much
    assert 0.0 < median <= largest < 0.015
    said = summarize_study(table).notes
    assert any("fast: tolerance 1e-06, cases end when dock is held and slower than 0.02 m/s" in note for note in said)
    assert any("1 case in 2 with fixed steps as well: 2 of 2 outcomes agree" in note for note in said)


def test_a_fast_study_is_the_same_to_the_bit_on_one_worker_resumed(fast: Path, tmp_path: Path) -> None:
    plan = load_plan(box(tmp_path, cases=1))
    run_study(plan, tmp_path, Workers(1))
    _, file = run_study(load_plan(box(tmp_path)), tmp_path, Workers(1), resume=True)
    for name in ("digest_of", "reference"):
        mine, theirs = (file, fast) if name == "digest_of" else (reference_file(file), reference_file(fast))
        assert digest(mine) == digest(theirs)


def test_a_fast_case_alone_has_the_bits_of_the_study(fast: Path, tmp_path: Path) -> None:
    """The last one first, so that the tables that others are patched from are its own."""
    plan, table = load_plan(box(tmp_path)), load_table(fast)
    row = run_case(plan, 3)
    assert row is not None
    told = dict(zip(plan.columns, row.metrics, strict=True))
    for name, column in table.metrics.items():
        value = told[name]
        assert math.isnan(column[2]) if value is None else column[2] == value, name


@pytest.mark.parametrize(
    ("took_s", "wall_s", "kernel_s", "text"),
    [
        (10.0, 0.19, 0.15, "360000 cases an hour, 190 ms a case, 79% of it in the kernel; 20 workers busy 95% of the"),
        (10.0, 0.19, 0.05, "what is around the kernel bounds it"),
        (10.0, 0.05, 0.04, "workers wait, busy 25% of the time; give more cases, or look at the disk"),
    ],
)
def test_a_study_says_how_many_cases_an_hour_and_what_bounds_them(
    took_s: float, wall_s: float, kernel_s: float, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(study_display.time, "monotonic", lambda: now[0])
    display = StudyDisplay(load_plan(study_file(tmp_path)))
    assert display.speed(20) == ""
    now[0] += took_s
    display.finished([Row(n, "completed", "", (), (), (), wall_s, kernel_s) for n in range(1, 1001)])
    assert text in display.speed(20)


def digest(file: Path) -> str:
    from docksim.study.store import Store

    store = Store.open(file, read_only=True)
    try:
        return store.digest()
    finally:
        store.connection.close()


def test_results_that_are_not_good_enough_are_called_so() -> None:
    good = Agreement(4, 4, {"dock.first_impact.peak_compression_N": (0.001, 0.014)}, {})
    assert good.holds
    assert not Agreement(4, 3, good.first_impact, {}).holds
    assert not Agreement(4, 4, {"dock.first_impact.peak_compression_N": (0.001, 0.016)}, {}).holds


def test_one_case_in_fifty_is_checked() -> None:
    assert checked_cases(set(range(1, 121)), 50) == [1, 51, 101]
    assert checked_cases({2, 3}, 50) == []


def test_the_flag_makes_a_study_fast(tmp_path: Path) -> None:
    usual, fast = (load_study(study_file(tmp_path), fast=fast) for fast in (False, True))
    assert usual.base.solver.tolerance is None
    assert usual.reference is None
    assert fast.base.solver.tolerance == 1e-6
    assert place_of("solver.tolerance", given_of(fast)) == "--fast"
    assert fast.reference is not None
    assert fast.reference.base == usual.base
    assert Plan(fast).values(7) == Plan(usual).values(7)


@pytest.mark.parametrize(
    ("fast", "text"),
    [
        ({"tolerance": 0.0}, r"box.yaml:\d+: fast.tolerance"),
        ({"tolerance": -1.0}, r"box.yaml:\d+: fast.tolerance"),
        ({"settled": "dok"}, r"box.yaml:\d+: .*no contact pair 'dok'"),
        ({"settled": "frames"}, r"box.yaml:\d+: .*pair 'frames' has no latches"),
        ({"settled": "dock", "lasting_s": 20.0}, r"box.yaml:\d+: .*20.0 s is as long as the run"),
        ({"check_every": 0}, r"box.yaml:\d+: fast.check_every"),
    ],
)
def test_bad_ways_to_be_fast_are_refused(tmp_path: Path, fast: dict[str, Any], text: str) -> None:
    with pytest.raises(ScenarioError, match=text):
        load_study(box(tmp_path, fast=fast))


def test_a_tolerance_does_not_go_with_other_integrators(tmp_path: Path) -> None:
    changes = {**BOX["set"], "solver.integrator": "semi_implicit_euler"}
    with pytest.raises(ScenarioError, match=r"box.yaml:\d+: .*tolerance: goes with integrator: rk4"):
        load_study(box(tmp_path, set=changes))


# ---------------------------------------------------------------- commits


class Slow:
    """A pool whose cases end at once, and a store that counts commits."""

    def __init__(self) -> None:
        self.commits: list[list[int]] = []
        self.told: list[int] = []

    def submit(self, job: Any) -> Future[Row | None]:
        answer: Future[Row | None] = Future()
        row = Row(job[0], "completed", "", (), (), (), 0.0)
        threading.Timer(0.02, answer.set_result, [row]).start()
        return answer

    def write(self, rows: Any) -> None:
        if rows:
            self.commits.append([row.case for row in rows])

    def report(self, rows: list[Row]) -> None:
        # what is reported has been written
        assert {row.case for row in rows} <= {case for commit in self.commits for case in commit}
        self.told += [row.case for row in rows]


def test_rows_are_committed_together_and_reported_after_that() -> None:
    slow = Slow()
    crew = Crew(Pool(slow.submit, lambda: 2, lambda: None), slow, None, slow.report)  # type: ignore[arg-type]
    began = time.monotonic()
    assert crew.run((case, None) for case in range(1, 101))
    took = time.monotonic() - began
    assert sorted(slow.told) == list(range(1, 101))
    # the first, one every half second, the last
    assert len(slow.commits) <= 2 + took / runner.COMMIT_EVERY_S


def test_rows_beside_a_broken_worker_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    monkeypatch.setattr(runner, "COMMIT_EVERY_S", 100.0)

    def submit(job: Any) -> Future[Row | None]:
        if job[0] < 8:
            return slow.submit(job)
        answer: Future[Row | None] = Future()
        answer.set_exception(runner.BrokenExecutor())
        return answer

    crew = Crew(Pool(submit, lambda: 2, lambda: None), slow, None, slow.report)  # type: ignore[arg-type]
    with pytest.raises(ResultError, match="a worker process died"):
        crew.run((case, None) for case in range(1, 12))
    assert sorted(slow.told) == list(range(1, 8))

"""Going on with a study: rows that were too slow, and locks that are none."""

from pathlib import Path

import pytest

from docksim.jobs.study_display import StudyDisplay
from docksim.result.result import ResultError
from docksim.study.case import Row
from docksim.study.runner import Workers
from docksim.study.session import FREE_KEYS, session
from docksim.study.store import FILE, locked
from tests.support.studies import brick_plan


@pytest.mark.parametrize(("limit_s", "left"), [(None, {2}), (20.0, {2}), (5.0, {1, 2})])
def test_cases_that_were_too_slow_are_run_again_if_the_limit_was_raised(
    limit_s: float | None, left: set[int], tmp_path: Path
) -> None:
    file = tmp_path / FILE
    plan = brick_plan(tmp_path, timeout_s=10.0)
    with session(plan, file, Workers(1), False, FREE_KEYS) as store:
        none = (None,) * len(plan.columns)
        ends = ("too slow", "completed")
        store.write([Row(i, end, "", (end,), plan.values(i), none, 1.0) for i, end in enumerate(ends, 1)])
    with session(brick_plan(tmp_path, timeout_s=limit_s), file, Workers(1), True, FREE_KEYS) as store:
        assert store.done() == left
        assert {case for case, _, _ in store.timing()} == left


def test_fewer_cases_than_there_are_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = brick_plan(tmp_path, cases=1)
    none = (None,) * len(plan.columns)
    with session(plan, tmp_path / FILE, Workers(1), False, (*FREE_KEYS, "cases")) as store:
        store.write([Row(i, "completed", "", (), plan.values(i), none, 1.0) for i in (1, 2, 3)])
        StudyDisplay(plan).begun(store)
    assert "3 cases are there, more than the 1 asked for" in capsys.readouterr().err


def test_lock_that_is_held_is_told_from_one_that_is_none(tmp_path: Path) -> None:
    file = tmp_path / FILE
    with locked(file), pytest.raises(ResultError, match="another process is running this study"), locked(file):
        pass
    lock = tmp_path / f"{FILE}.lock"
    lock.write_text("not a database, but long enough to be taken for one " * 40)
    with pytest.raises(ResultError, match="not the lock of a study"), locked(file):
        pass
    lock.unlink()
    (tmp_path / "victim").write_text("")
    lock.symlink_to(tmp_path / "victim")
    with pytest.raises(ResultError, match="a link"), locked(file):
        pass

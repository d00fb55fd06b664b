"""Going on with a study: rows that were too slow, and locks that are none."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from docksim.jobs.study_display import StudyDisplay
from docksim.result.result import ResultError
from docksim.study.case import Row
from docksim.study.runner import Workers
from docksim.study.session import FREE_KEYS, session
from docksim.study.store import BESIDE, FILE, Store, locked
from docksim.study.table import load_table
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


@pytest.mark.parametrize("ending", BESIDE)
def test_link_beside_a_table_is_refused_before_anything_is_written_through_it(ending: str, tmp_path: Path) -> None:
    file, victim = tmp_path / FILE, tmp_path / "victim"
    with session(brick_plan(tmp_path), file, Workers(1), False, FREE_KEYS):
        pass
    victim.write_text("precious")
    file.with_name(FILE + ending).symlink_to(victim)
    with pytest.raises(ResultError, match=f"{FILE}{ending}: a link, which no docksim made"):
        Store.open(file)
    assert victim.read_text() == "precious"


# of them all, only the first would end
FOREIGN = (
    "CREATE VIEW more AS SELECT 1",
    "CREATE TRIGGER more AFTER INSERT ON timing BEGIN DELETE FROM cases; END",
    "DROP TABLE timing; CREATE VIEW timing AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t) "
    "SELECT n, 0.0 AS wall_s, 1 AS session FROM t",
    "ALTER TABLE about ADD COLUMN more GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL",
    "ALTER TABLE cases ADD COLUMN more GENERATED ALWAYS AS (zeroblob(1000000000)) VIRTUAL",
)


@pytest.mark.parametrize("statements", FOREIGN)
def test_table_that_would_do_more_than_be_read_is_refused(statements: str, tmp_path: Path) -> None:
    file = tmp_path / FILE
    with session(brick_plan(tmp_path), file, Workers(1), False, FREE_KEYS):
        pass
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(statements)
    with pytest.raises(ResultError, match=r"not a study of docksim|damaged: the table") as caught:
        load_table(file)
    assert len(str(caught.value).splitlines()) == 1


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

"""Disks that are full or read-only, several commands in one folder: one true line, nothing left, all go on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner

from docksim.api import load
from docksim.cli import main
from docksim.result.result import ResultError
from docksim.study.case import Row
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.table import load_table
from tests.support.studies import ROOT, brick_plan, digest, study_file
from tests.support.tight import filled, read_only, small_disk

RUN = ["run", "tumbling_brick", "--set", "solver.duration_s=1", "--out"]
COMMANDS = {
    "run": [*RUN, "out"],
    "a run with checkpoints": [*RUN, "out", "--checkpoint-at", "0.5"],
    "realtime": ["realtime", "tumbling_brick", "--set", "solver.duration_s=0.1", "--out", "out"],
    "study": ["study", "../brick.yaml", "--out", "out", "--workers", "1"],
    "plot": ["plot", "runs/tumbling_brick", "--what", "motion"],
    "plot elsewhere": ["plot", "runs/tumbling_brick", "--what", "motion", "--out", "new/figures"],
    "report": ["report", "runs/tumbling_brick"],
    "csv": ["export", "runs/tumbling_brick", "--to", "csv"],
    "mat": ["export", "runs/tumbling_brick", "--to", "mat"],
    "h5": ["export", "runs/tumbling_brick", "--to", "h5"],
    "replay": ["replay", "runs/tumbling_brick"],
    "still": ["replay", "runs/tumbling_brick", "--still"],
    "new": ["new", "spin", "spin.yaml"],
}


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A small disk with a result on it, beside a study."""
    folder = tmp_path_factory.mktemp("disks")
    study_file(folder, cases=2, base=str(ROOT / "scenarios/tumbling_brick.yaml"))
    # others may pass, where another user takes the place of a disk
    for above in (folder, *folder.parents[:2]):
        above.chmod(0o755)
    place = folder / "disk"
    place.mkdir()
    with small_disk(place, 2000):
        done = CliRunner().invoke(main, [*RUN, str(place / "runs")])
        assert done.exit_code == 0, done.output
        yield place


def content(place: Path) -> list[str]:
    return sorted(path.relative_to(place).as_posix() for path in place.rglob("*"))


def refused(name: str, place: Path, condition: AbstractContextManager[None], why: str) -> None:
    """The command fails with a line that says why, and leaves nothing."""
    before, here = content(place), Path.cwd()
    os.chdir(place)
    try:
        with condition:
            done = CliRunner().invoke(main, COMMANDS[name])
    finally:
        os.chdir(here)
    assert done.exit_code == 1, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    told = " ".join(done.output.split()).count(why)
    # a checkpoint that is not written is told beside the result
    assert told in ((1, 2) if name == "a run with checkpoints" else (1,)), done.output
    assert "Traceback" not in done.output
    assert content(place) == before


@pytest.mark.parametrize("name", COMMANDS)
def test_full_disk_is_one_true_line_and_leaves_nothing(name: str, disk: Path) -> None:
    whys = ("No space left on device", "database or disk is full") if disk.is_mount() else ("File too large", "disk")
    refused(name, disk, filled(disk), whys[name == "study"])


@pytest.mark.parametrize("name", COMMANDS)
def test_read_only_disk_is_one_true_line_and_leaves_nothing(name: str, disk: Path) -> None:
    refused(name, disk, read_only(disk), "Read-only file system" if disk.is_mount() else "ermission denied")


def test_study_goes_on_after_room_is_made(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path, cases=150)
    whole = run_study(plan, tmp_path / "whole")[1]
    place = tmp_path / "disk"
    place.mkdir()
    with small_disk(place, 2000):
        with ExitStack() as after:
            full: list[None] = []

            def fill(rows: list[Row]) -> None:
                if not full:
                    full.append(after.enter_context(filled(place)))

            with pytest.raises(ResultError, match=r"full|disk I/O error") as caught:
                run_study(plan, place / "out", Workers(1), report=fill)
        assert len(str(caught.value).splitlines()) == 1
        table = next((place / "out").rglob("study.sqlite"))
        begun = len(load_table(table).case)
        assert 0 < begun < 150
        ended, table = run_study(plan, place / "out", Workers(1), resume=True)
        assert ended == "complete"
        assert digest(table) == digest(whole)


def test_commands_on_one_folder_at_once_all_succeed(disk: Path) -> None:
    each = {name: COMMANDS[name] for name in ("plot", "csv", "replay")} | {"again": COMMANDS["plot"]}
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    commands = [[sys.executable, "-m", "docksim", *arguments] for arguments in each.values()]
    started = [subprocess.Popen(one, cwd=disk, env=environment, stderr=subprocess.PIPE) for one in commands]
    ends = [(process.communicate(timeout=120)[1], process.returncode) for process in started]
    assert [code for _, code in ends] == [0] * len(ends), ends
    folder = next((disk / "runs/tumbling_brick").iterdir())
    made = {path.name for path in folder.iterdir()} | {path.name for path in (folder / "figures").iterdir()}
    assert {"data.csv", "replay.html", "motion_brick.png"} <= made
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]
    assert load(folder).outcome == "completed"


def test_link_that_leads_nowhere_is_refused_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docksim.jobs.batch.simulate", lambda *a, **k: pytest.fail("it was run"))
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    for out in ("lost", "lost/below"):
        done = CliRunner().invoke(main, [*RUN, str(tmp_path / out)])
        assert done.exit_code == 1
        assert f"{tmp_path / 'lost'} is a link that leads nowhere" in done.output
    assert os.listdir(tmp_path) == ["lost"]

"""Studies on a cluster of processes on this machine: the same table, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import docksim.study.cluster as cluster
from docksim.cli import main
from docksim.cli.cluster import is_loopback
from docksim.result.result import ResultError
from docksim.study.case import Row
from docksim.study.runner import Workers
from docksim.study.session import run_study
from tests.support.studies import ROOT, brick_plan, digest, study_file


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """docksim cluster ... as a process that ends with the test."""
    command = [sys.executable, "-m", "docksim", "cluster", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    started = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def first_line(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline()


def listening(pid: int) -> set[str]:
    """Where a process listens: local addresses of its sockets, in the notation of /proc/net."""
    sockets = {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.exists() or link.is_symlink()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].split(":")[0])
    return found


def test_worker_killed_in_mid_study_changes_nothing(tmp_path: Path) -> None:
    with process("scheduler", "--port", "0") as scheduler:
        address = first_line(scheduler).split()[2].rstrip(";")
        assert address.startswith("tcp://127.0.0.1:")
        one_more = ("worker", address, "--threads", "1")
        with process(*one_more) as doomed, process(*one_more) as other:
            # meanwhile the same study in this process
            plan = brick_plan(tmp_path, cases=120, histories={"keep": "every", "count": 60})
            local = run_study(plan, tmp_path / "local")[1]
            assert [first_line(worker).split()[0] for worker in (doomed, other)] == ["worker", "worker"]
            if Path("/proc/net/tcp").exists():
                # 127.0.0.1, and nothing that others could reach
                assert {place for p in (scheduler, doomed, other) for place in listening(p.pid)} == {"0100007F"}
            reported: list[int] = []

            def report(rows: list[Row]) -> None:
                reported.extend(row.case for row in rows)
                if len(reported) > 20 and doomed.poll() is None:
                    doomed.send_signal(signal.SIGKILL)
                    doomed.wait()

            ended, file = run_study(plan, tmp_path / "cluster", Workers(cluster=address), report=report)
            assert ended == "complete"
            assert doomed.poll() == -signal.SIGKILL
            assert sorted(reported) == list(range(1, 121))
            assert digest(file) == digest(local)
            kept = [sorted(path.name for path in (f.parent / "histories").iterdir()) for f in (file, local)]
            assert kept[0] == kept[1] == ["case-120", "case-60"]


def test_scheduler_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.5)
    arguments = ["study", str(study_file(tmp_path)), "--out", str(tmp_path), "--cluster"]
    for address in ("tcp://127.0.0.1:9", "nonsense", "ftp://x:1"):
        done = CliRunner().invoke(main, [*arguments, address, "--resume"])
        assert done.exit_code == 1
        assert f"{address}: no scheduler answers" in done.output
        assert "docksim cluster scheduler" in done.output
    done = CliRunner().invoke(main, [*arguments, "x", "--workers", "2"])
    assert done.exit_code == 2
    assert "leave out --workers" in done.output


def test_worker_with_other_libraries_is_refused() -> None:
    other = tuple({**dict(cluster.identity()), "numpy": "1.0"}.items())
    with pytest.raises(ResultError, match=r"would not give the same bits: numpy 1\.0 there"):
        cluster._refuse_others(other)
    cluster._refuse_others(cluster.identity())


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("127.0.0.1", True), ("localhost", True), ("tcp://127.0.0.1:8786", True), ("tls://[::1]:1", True),
        ("0.0.0.0", False), ("10.0.0.1:8786", False), ("127.example.org", False), ("", False),
        ("tcp://[x", False), ("tcp://[fe80::1]:1", False),
    ],
)  # fmt: skip
def test_loopback_is_told_from_the_world(address: str, own: bool) -> None:
    assert is_loopback(address) == own


def test_listening_comes_with_a_warning_on_the_loopback_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docksim.cli.cluster._until_stopped", lambda work, address: work.close())
    loud = CliRunner().invoke(main, ["cluster", "scheduler", "--host", "0.0.0.0"])
    assert "can run any code as this user" in loud.stderr
    assert "every user of this machine" in CliRunner().invoke(main, ["cluster", "scheduler"]).stderr
    assert "can run any code" in CliRunner().invoke(main, ["cluster", "worker", "tcp://10.0.0.1:8786"]).stderr

"""Studies on a cluster of processes on this machine: the same table, whatever becomes of a worker, and nobody else."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
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
from docksim.study.cluster_key import new_key, read_key
from docksim.study.runner import Workers
from docksim.study.session import run_study
from tests.support.studies import ROOT, brick_plan, digest, study_file


@contextmanager
def process(*arguments: str, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """docksim cluster ... as a process that ends with the test."""
    command = [sys.executable, "-m", "docksim", "cluster", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **settings}
    started = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def first_line(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline()


def listening(pid: int) -> set[tuple[str, int]]:
    """Where a process listens: local addresses and ports of its sockets, in the notation of /proc/net."""
    sockets = {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir() if link.exists() or link.is_symlink()}
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                host, _, port = fields[1].partition(":")
                found.add((host, int(port, 16)))
    return found


def told_to_strangers(pid: int, port: int) -> set[int]:
    """What a process answers to requests in plain HTTP, at ports other than dask's own."""
    answers = set()
    for other in {place[1] for place in listening(pid)} - {port}:
        for page in ("/health", "/info/main/workers.html", "/json/identity.json", "/metrics", "/api/v1/retire_workers"):
            connection = http.client.HTTPConnection("127.0.0.1", other, timeout=10)
            connection.request("GET", page)
            answers.add(connection.getresponse().status)
            connection.close()
    return answers


def test_worker_killed_in_mid_study_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "cluster.key"
    with process("scheduler", "--port", "0", "--key-file", str(file)) as scheduler:
        address = first_line(scheduler).split()[2].rstrip(";")
        assert address.startswith("tls://127.0.0.1:")
        one_more = ("worker", str(file), "--threads", "1")
        with process(*one_more) as doomed, process(*one_more) as other:
            # meanwhile the same study in this process
            plan = brick_plan(tmp_path, cases=80, histories={"keep": "every", "count": 40})
            local = run_study(plan, tmp_path / "local")[1]
            assert [first_line(worker).split()[0] for worker in (doomed, other)] == ["worker", "worker"]
            if Path("/proc/net/tcp").exists():
                # 127.0.0.1, and nothing that others could reach
                assert {host for p in (scheduler, doomed, other) for host, _ in listening(p.pid)} == {"0100007F"}
                assert told_to_strangers(scheduler.pid, int(address.rpartition(":")[2])) <= {404}
            reported: list[int] = []

            def report(rows: list[Row]) -> None:
                reported.extend(row.case for row in rows)
                if len(reported) > 20 and doomed.poll() is None:
                    doomed.send_signal(signal.SIGKILL)
                    doomed.wait()

            ended, table = run_study(plan, tmp_path / "cluster", Workers(cluster=str(file)), report=report)
            assert ended == "complete"
            assert doomed.poll() == -signal.SIGKILL
            assert sorted(reported) == list(range(1, 81))
            assert digest(table) == digest(local)
            kept = [sorted(path.name for path in (f.parent / "histories").iterdir()) for f in (table, local)]
            assert kept[0] == kept[1] == ["case-40", "case-80"]
        scheduler.send_signal(signal.SIGTERM)
        assert scheduler.wait(30) == 143
        assert not file.exists()


# with the key first: what is refused later is not refused because nothing works
STRANGER = """\
import os, sys
from pathlib import Path
from distributed import Client, Security
from docksim.result.result import ResultError
from docksim.study.cluster_key import read_key

key = read_key(Path(sys.argv[1]))
for stranger in (False, True):
    if stranger and os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        try:
            read_key(Path(sys.argv[1]))
            print("the file was read")
        except (ResultError, OSError) as error:
            print("file:", error)
    tries = [(key.address, Security.temporary()), (key.address, None), (key.address.replace("tls", "tcp"), None)]
    for address, security in tries if stranger else [(key.address, key.security())]:
        try:
            with Client(address, security=security, timeout=1.5, set_as_default=False) as client:
                print("ran as", client.submit(os.getuid, pure=False).result(timeout=60))
        except Exception as error:
            print("refused:", type(error).__name__)
"""


def test_another_user_can_neither_read_the_key_nor_use_the_cluster() -> None:
    # in reach of all users: what refuses them is the file and the key, not the folder
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "cluster.key"
        # dask's own folder, made by somebody else before, from which modules would be imported
        trap = Path(folder) / "dask-scratch-space"
        trap.mkdir()
        trap.chmod(0o777)
        with process("scheduler", "--port", "0", "--key-file", str(file), TMPDIR=folder) as scheduler:
            first_line(scheduler)
            assert file.stat().st_mode & 0o777 == 0o600
            with process("worker", str(file), "--threads", "1", TMPDIR=folder) as worker:
                assert first_line(worker).startswith("worker at tls://127.0.0.1:")
                assert os.listdir(trap) == []
                command = [sys.executable, "-c", STRANGER, str(file)]
                environment = {**os.environ, "PYTHONPATH": str(ROOT), "DASK_LOGGING__DISTRIBUTED": "critical"}
                done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    first, *others = done.stdout.splitlines()
    assert first == f"ran as {os.getuid()}"
    if os.getuid() == 0:
        assert others.pop(0) == f"file: {file}: cannot be read: Permission denied"
    assert [line.split(":")[0] for line in others] == ["refused"] * 3, done.stdout + done.stderr


def test_key_file_is_the_users_alone_and_whole(tmp_path: Path) -> None:
    key, file = new_key("tls://127.0.0.1:1"), tmp_path / "cluster.key"
    key.write(file)
    assert read_key(file) == key
    assert new_key().key != key.key
    file.chmod(0o640)
    with pytest.raises(ResultError, match=r"others can read it, and with it run code as you: chmod 600"):
        read_key(file)
    for text, told in (
        ("{", "damaged"), ("[]", "damaged"), ('{"address": 1}', "expected a text"), ("\x00", "damaged"),
        ('{"address": "tcp://a:1", "certificate": "a", "key": "b"}', "not the address and key of a cluster"),
        (" " * 2**17, "at most 65536 are read"), (json.dumps({"address": "tls://a:1", "key": "a"}), "missing"),
    ):  # fmt: skip
        file.write_text(text)
        file.chmod(0o600)
        with pytest.raises(ResultError, match=told) as caught:
            read_key(file)
        assert str(caught.value).startswith(f"{file}: ")
        assert len(str(caught.value).splitlines()) == 1
    if os.getuid() == 0:
        key.write(file)
        os.chown(file, 65534, 65534)
        with pytest.raises(ResultError, match="belongs to another user"):
            read_key(file)


def test_scheduler_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.5)
    arguments = ["study", str(study_file(tmp_path)), "--out", str(tmp_path), "--cluster"]
    new_key("tls://127.0.0.1:9").write(tmp_path / "old.key")
    for name, told in (
        (str(tmp_path / "old.key"), "tls://127.0.0.1:9: no scheduler answers"),
        ("tcp://127.0.0.1:8786", "no such file"),
        ("nonsense", "nonsense: no such file; docksim cluster scheduler writes it"),
    ):
        done = CliRunner().invoke(main, [*arguments, name, "--resume"])
        assert done.exit_code == 1
        assert told in done.output
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


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docksim.cli.cluster.find_spec", lambda name: None if name == "cryptography" else object())
    done = CliRunner().invoke(main, ["cluster", "scheduler"])
    assert (done.exit_code, "pip install 'docksim[cluster]'" in done.output) == (1, True)

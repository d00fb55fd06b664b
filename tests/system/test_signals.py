"""SIGINT and SIGTERM at any instant of a command: an exit code, no traceback, nothing half made."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from docksim.jobs.signals import SIGNALS
from tests.support.samples import result

ROOT = Path(__file__).resolve().parents[2]
# what a command has imported last when the signal comes; the first is in the first line of the entry point
INSTANTS = {
    "check": ("click", "docksim.cli", "numpy", "docksim.config.loading.chain", "docksim.compiler.guides"),
    "plot": ("docksim.cli.loading", "matplotlib.figure", "docksim.plots.run.figures"),
    "report": ("jinja2",),
    "run": ("docksim.jobs.batch",),
    "summary": ("docksim.study.table",),
}
WHAT = {"check": ["tumbling_brick"], "run": ["nothing.yaml"], "summary": ["result"]}


def started(arguments: list[str], folder: Path, *options: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, *options, "-m", "docksim", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, env=environment, text=True, stdout=pipe, stderr=pipe)


def leftovers(folder: Path) -> list[Path]:
    return list(folder.rglob(".partial*"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("signals")
    result().save(place / "result")
    return place


@pytest.mark.parametrize(("command", "module", "one"), [
    (command, module, SIGNALS[(i + j) % 2])
    for i, command in enumerate(INSTANTS)
    for j, module in enumerate(INSTANTS[command])
])  # fmt: skip
def test_signal_while_a_command_is_imported(command: str, module: str, one: signal.Signals, folder: Path) -> None:
    before = ["study"] if command == "summary" else []
    process = started([*before, command, *WHAT.get(command, ["result"])], folder, "-X", "importtime")
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("import time:") and line.split("|")[-1].strip() == module:
            break
    else:
        pytest.fail(f"{command} never imports {module}")
    process.send_signal(one)
    _, errors = process.communicate(timeout=60)
    words = [line for line in errors.splitlines() if line and not line.startswith("import time:")]
    assert process.returncode == 128 + one, errors
    assert words == ["aborted"], errors
    assert leftovers(folder) == []


@pytest.mark.parametrize("one", SIGNALS)
def test_signal_after_the_last_line_changes_nothing_that_was_said(one: signal.Signals, folder: Path) -> None:
    process = started(["check", "tumbling_brick"], folder)
    assert process.stdout is not None
    told = process.stdout.readline()
    process.send_signal(one)
    _, errors = process.communicate(timeout=60)
    assert "ok" in told
    # Python's own end is deaf
    assert process.returncode in (0, 128 + one)
    assert errors.strip() in ("", "aborted")


def test_signals_that_the_caller_ignores_stay_ignored(folder: Path) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); import docksim.__main__ as e; e.main()"
    command = [sys.executable, "-X", "importtime", "-c", code, "check", "tumbling_brick"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    next(line for line in process.stderr if line.strip().endswith(b"docksim.cli"))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 0


SWALLOWED = """\
import gc, os, signal, sys, time
from docksim.__main__ import main

class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIG%s)
        for _ in range(1000):
            pass

def command():
    Dying()
    time.sleep(20)

import docksim.cli
docksim.cli.main = command
main()
"""


WRAPPED = """\
import os, signal
from docksim.__main__ import main

def command():
    try:
        os.kill(os.getpid(), signal.SIG%s)
        for _ in range(1000):
            pass
    except KeyboardInterrupt as interrupt:
        raise RuntimeError(f"building failed: {interrupt!r}") from %s

import docksim.cli
docksim.cli.main = command
main()
"""


@pytest.mark.parametrize("one", SIGNALS)
def test_signal_that_a_library_makes_a_fault_of_its_own_is_an_abort(one: signal.Signals, folder: Path) -> None:
    # one names it, the other has it as its cause
    code = WRAPPED % (one.name.removeprefix("SIG"), "None" if one is signal.SIGINT else "interrupt")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=15, check=False)
    assert (done.returncode, done.stderr) == (128 + one, "aborted\n")


EXECUTED = """\
import os, signal
from docksim.__main__ import main

def command():
    # as dataclasses make their methods
    exec("os.kill(os.getpid(), signal.SIG%s)\\nfor _ in range(1000): pass")

import docksim.cli
docksim.cli.main = command
main()
"""


@pytest.mark.parametrize("one", SIGNALS)
def test_signal_in_a_text_that_is_executed_decides_on_the_exit_code(one: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "executed.py").write_text(EXECUTED % one.name.removeprefix("SIG"))
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    command = [sys.executable, "-m", "executed"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=15, check=False)
    assert (done.returncode, done.stderr) == (128 + one, "aborted\n")


@pytest.mark.parametrize("one", SIGNALS)
def test_signal_in_what_can_raise_nothing_comes_again(one: signal.Signals, folder: Path) -> None:
    command = [sys.executable, "-c", SWALLOWED % one.name.removeprefix("SIG")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=15, check=False)
    assert (done.returncode, done.stderr) == (128 + one, "aborted\n")

"""Starts of programs in bad surroundings: at once, killed, without the compiler as it is expected. They run."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
START = """\
from tests.tiny.functions import turned
from tests.tiny.library import LIBRARY
from docksim.native.libraries import loaded
assert turned((1.0, 2.0, 3.0), 4) == ((2.0, 3.0, 1.0), (5, True), False)
print(loaded(LIBRARY).origin)
"""
# a library whose builder says that it has begun, and then takes its time
SLOW = """\
import os, sys, time
from pathlib import Path
from docksim.native.libraries import library
LIBRARY = library("slow", __name__, (Path(__file__),), {})
if "builder" in sys.argv[0]:
    Path(os.environ["BEGUN"]).write_text(str(os.getpid()))
    time.sleep(100.0)
"""


def program(code: str, cache: Path, path: Path = ROOT, **settings: str) -> subprocess.Popen[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("DOCKSIM", "NUMBA"))}
    paths = os.pathsep.join(dict.fromkeys((str(path), str(ROOT))))
    environment = clean | {"PYTHONPATH": paths, "DOCKSIM_CACHE_DIR": str(cache)} | settings
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, cwd=ROOT,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip(), err


def test_of_two_starts_at_once_one_builds_and_the_other_waits_for_it(tmp_path: Path) -> None:
    both = [program(START, tmp_path) for _ in range(2)]
    results = sorted(ended(process) for process in both)
    assert [origin for origin, _ in results] == ["built", "cache"]
    assert "another docksim is compiling the tiny; waiting for it" in results[1][1]
    names = {path.name for path in (tmp_path / "kernel").iterdir()}
    assert {name.partition("-")[0] for name in names} == {"tiny", ".tiny.lock", "functions"}


@pytest.mark.skipif(sys.platform != "linux", reason="only there a process ends with its parent")
def test_build_ends_with_the_program_that_is_killed_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    begun = tmp_path / "begun"
    code = "from slow import LIBRARY; from docksim.native.libraries import loaded; loaded(LIBRARY)"
    process = program(code, tmp_path / "cache", tmp_path, BEGUN=str(begun), TMPDIR=str(tmp_path))
    try:
        _wait(lambda: begun.exists() and begun.read_text() != "")
        builder = int(begun.read_text())
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    _wait(lambda: not Path(f"/proc/{builder}").exists() or "State:\tZ" in Path(f"/proc/{builder}/status").read_text())
    assert [path.name for path in (tmp_path / "cache" / "kernel").iterdir()] == [".slow.lock"]
    # the lock went with them
    assert ended(program(START, tmp_path / "cache"))[0] == "built"


def _wait(until: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60.0
    while not until():
        assert time.monotonic() < limit
        time.sleep(0.02)


def test_compiler_that_is_not_as_expected_leads_to_ordinary_compilation_with_a_word(tmp_path: Path) -> None:
    # a numba whose inner class has another name; nobody but the builder looks for it
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\nif 'docksim.native.builder' in sys.orig_argv:\n"
        "    import numba.core.codegen as inner\n    del inner.JITCodeLibrary\n"
    )
    origin, said = ended(program(START, tmp_path / "cache", tmp_path))
    assert origin == "jit"
    assert "docksim: the tiny cannot be built as one library (" in said
    assert "JITCodeLibrary" in said
    assert "ordinary compilation takes minutes instead" in said


def test_nowhere_to_write_at_all_and_it_runs(tmp_path: Path) -> None:
    # even a file for what the builder makes has no place
    (tmp_path / "file").write_text("")
    code = f"import tempfile; tempfile.tempdir = {str(tmp_path / 'file' / 'temporary')!r}\n{START}"
    origin, said = ended(program(code, tmp_path / "file"))
    assert origin == "jit"
    assert f"{tmp_path / 'file' / 'kernel'} cannot be written" in said
    assert "compiled code is not kept" in said

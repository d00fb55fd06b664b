"""The command line as a process: what it imports, how it exits, what Ctrl-C does."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from docksim.result.result import Result
from tests.support import stand_in

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numba", "matplotlib", "pydantic", "scipy", "rich", "numpy", "yaml")
STAND_IN = """\
from tests.support import stand_in
stand_in.take_the_place_of_runs(setattr)
from docksim.cli import main
main()
"""


def python(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "120"}


def loaded_after(code: str) -> set[str]:
    """Heavy modules in memory after running some code."""
    done = python("-c", f"import sys, json\n{code}\nprint(json.dumps([m for m in {HEAVY!r} if m in sys.modules]))")
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_docksim_loads_nothing_heavy() -> None:
    assert loaded_after("import docksim; docksim.__version__; dir(docksim)") == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    call = f"from docksim.cli import main\nmain({arguments!r}, standalone_mode=False)"
    assert loaded_after(call) == set()


def test_completion_of_command_names_loads_nothing_heavy() -> None:
    call = """\
from click import Context
from docksim.cli import main
names = [item.value for item in main.shell_complete(Context(main), "re")]
assert names == ["realtime", "replay", "report"], names"""
    assert loaded_after(call) == set()


# what a run, a check and a study draw nothing with
def test_commands_that_may_draw_nothing_load_neither_plots_nor_compiler() -> None:
    modules = ("run", "check", "study", "realtime", "linearize", "mechanism")
    imports = "\n".join(f"import docksim.cli.{module}" for module in modules)
    assert not loaded_after(imports) & {"matplotlib", "numba"}


def test_help_of_studies_waits_for_no_statistics() -> None:
    done = python("-c", "import sys, docksim.cli.study\nprint('scipy.stats' in sys.modules)")
    assert (done.returncode, done.stdout.strip()) == (0, "False"), done.stderr


def test_reading_a_result_needs_neither_compiler_nor_schema_nor_plots() -> None:
    assert loaded_after("from docksim import Result, load") <= {"numpy"}


def test_unknown_attribute_of_the_package_is_an_attribute_error() -> None:
    done = python("-c", "import docksim; docksim.nothing")
    assert "AttributeError: module 'docksim' has no attribute 'nothing'" in done.stderr


def test_module_and_command_are_the_same_program() -> None:
    done = python("-m", "docksim", "--help")
    assert done.returncode == 0
    for command in ("run", "check", "plot", "schema", "export", "new"):
        assert f"\n  {command} " in done.stdout


def test_exit_codes_reach_the_shell(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("{}")
    for arguments, code in ((["check", "bad.yaml"], 1), (["chek"], 2)):
        done = python("-m", "docksim", *arguments, cwd=tmp_path)
        assert done.returncode == code
        assert "Traceback" not in done.stderr


def test_run_keeps_standard_output_clean_for_machines(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(stand_in.SCENARIO.format(description="fine"))
    done = python("-c", STAND_IN, "run", "a.yaml", "a.yaml", "--json", "--no-plots", cwd=tmp_path)
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["runs"]) == 2
    assert "[2/2] a.yaml: completed" in done.stderr


def _start(folder: Path, *files: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", STAND_IN, "run", *files, "--no-plots", "--json", "--workers", "1"]
    return subprocess.Popen(
        command, cwd=folder, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_keeps_finished_results_and_saves_partial_ones(asked: signal.Signals, tmp_path: Path) -> None:
    for name, told in (("first", "fine"), ("second", "slow"), ("third", "fine")):
        (tmp_path / f"{name}.yaml").write_text(stand_in.SCENARIO.format(description=told))
    process = _start(tmp_path, "first.yaml", "second.yaml", "third.yaml")
    _wait_for(tmp_path / "results" / "first")
    # the second run begins right after the first is saved
    time.sleep(0.5)
    process.send_signal(asked)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + asked
    assert "stopping and saving what is there" in errors
    assert "Traceback" not in errors
    runs = json.loads(output)["runs"]
    assert [item["outcome"] for item in runs] == ["completed", "interrupted", "interrupted"]
    assert [item["reason"] for item in runs] == ["", "", "not started"]
    assert Result.load(tmp_path / runs[0]["folder"]).outcome == "completed"
    assert Result.load(tmp_path / runs[1]["folder"]).outcome == "interrupted"
    assert not list(tmp_path.glob("results/*/.partial*"))


def test_second_ctrl_c_leaves_at_once_and_keeps_finished_results(tmp_path: Path) -> None:
    for name, told in (("first", "fine"), ("second", "deaf")):
        (tmp_path / f"{name}.yaml").write_text(stand_in.SCENARIO.format(description=told))
    process = _start(tmp_path, "first.yaml", "second.yaml")
    _wait_for(tmp_path / "results" / "first")
    time.sleep(0.5)
    began = time.monotonic()
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.endswith("aborted\n")
    assert "saved in results/first/" in errors
    # the deaf run would take 30 s
    assert time.monotonic() - began < 15
    [folder] = (tmp_path / "results" / "first").iterdir()
    assert Result.load(folder).outcome == "completed"


def _wait_for(folder: Path) -> None:
    deadline = time.monotonic() + 60
    while not folder.is_dir() or not [path for path in folder.iterdir() if not path.name.startswith(".")]:
        assert time.monotonic() < deadline, "the first run never finished"
        time.sleep(0.05)

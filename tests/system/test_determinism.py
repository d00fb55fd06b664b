"""The same scenario gives the same bits: again, in other chunks, in threads, in another process, from a checkpoint."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from importlib import metadata
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

import docksim
from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.loop import advance
from docksim.model import RUNNING, State
from docksim.model.log import Log
from docksim.result.result import Result

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "scenarios"
# between them: join, separation, push-off, jettison, locks, drives, friction, stops, control, wheels, every integrator
RICH = (
    "dock_and_undock",
    "joint_gallery",
    "free_flying_arm",
    "boom_and_slosh",
    "station_visit",
    "wheel_hold",
    "jettison_cover",
    "soft_capture",
    "leg_gallery",
)
# not longer than all that happens in them
SHORTER = {
    "boom_and_slosh": {"solver.duration_s": 0.8},
    "soft_capture": {"solver.duration_s": 4.0, "events.hold.when.delay_s": 1.0},
    "leg_gallery": {"solver.duration_s": 3.0},
}


def ready(name: str) -> tuple[Compiled, Log]:
    compiled = compile_scenario(load_scenario(SCENARIOS / f"{name}.yaml", SHORTER.get(name)))
    return compiled, compiled.new_log()


def advance_all(compiled: Compiled, log: Log, *chunks: int) -> None:
    """By calls of so many steps, in turn."""
    work, sizes = new_work(compiled.model, compiled.state), cycle(chunks)
    while compiled.state.clock[0].status == RUNNING:
        advance(compiled.model, compiled.state, work, log, next(sizes))


def bits(state: State, log: Log) -> dict[str, bytes]:
    """Every array of the state, and the filled rows of the log."""
    rows = {f"log.{name}": table for name, table in log.filled().tables().items()}
    return {name: table.tobytes() for name, table in (state._asdict() | rows).items()}


def run_bits(name: str, *chunks: int) -> dict[str, bytes]:
    compiled, log = ready(name)
    advance_all(compiled, log, *(chunks or (1000,)))
    return bits(compiled.state, log)


@cache
def whole(name: str) -> tuple[State, Log]:
    """How a run ends that is made in one call."""
    compiled, log = ready(name)
    advance_all(compiled, log, 10**9)
    return compiled.state, log


def assert_same(first: Result, second: Result) -> None:
    """Channels, events, metrics and outcome, to the bit."""
    assert list(first.channels) == list(second.channels)
    for name, channel in first.channels.items():
        assert channel.data.tobytes() == second[name].tobytes(), name
    assert first.events == second.events
    assert first.metrics == second.metrics
    assert (first.outcome, first.reason) == (second.outcome, second.reason)


@pytest.mark.parametrize("name", RICH)
def test_bits_do_not_depend_on_how_many_steps_a_call_takes(name: str) -> None:
    assert run_bits(name, 1, 7) == bits(*whole(name))


def test_bits_notice_the_last_bit_of_one_number() -> None:
    # so that the comparisons above mean something
    compiled, log = ready("joint_gallery")
    compiled.state.beta[7] = np.nextafter(compiled.state.beta[7], np.inf)
    advance_all(compiled, log, 1000)
    assert bits(compiled.state, log) != bits(*whole("joint_gallery"))


def test_runs_in_parallel_threads_do_not_disturb_one_another() -> None:
    alone = {name: bits(*whole(name)) for name in RICH}
    names = RICH * 2
    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(run_bits, names))
    for name, found in zip(names, together):
        assert found == alone[name], name


def restored(state: State) -> State:
    """A checkpoint written and read: the tables as bytes, then new tables of those bytes."""
    tables = []
    for table in state:
        new = np.frombuffer(table.tobytes(), table.dtype).reshape(table.shape).copy()
        tables.append(new.view(np.recarray) if isinstance(table, np.recarray) else new)
    return State(*tables)


@pytest.mark.parametrize("name", RICH)
def test_state_alone_is_enough_to_go_on_with_the_same_bits(name: str) -> None:
    """One run that is written and read three times on its way."""
    state, whole_log = whole(name)
    last = int(state.clock[0].step)
    compiled, log = ready(name)
    for fraction in (0.1, 0.55, 0.9):
        steps = round(fraction * last) - int(compiled.state.clock[0].step)
        advance(compiled.model, compiled.state, new_work(compiled.model, compiled.state), log, steps)
        assert compiled.state.clock[0].status == RUNNING
        compiled = replace(compiled, state=restored(compiled.state))
    advance_all(compiled, log, 1000)
    # rows by value: scratch of coordinates that are out of the tree may hold either zero
    for table, whole_table in zip(log.filled().tables().values(), whole_log.filled().tables().values()):
        np.testing.assert_array_equal(table.view(np.float64), whole_table.view(np.float64))
    assert bits(compiled.state, log) == bits(state, log)


@pytest.mark.parametrize("name", [*RICH, "dock_nds"])
def test_what_was_saved_is_what_was_computed_and_can_be_run_again(name: str, tmp_path: Path) -> None:
    # of the docking, the first seconds with contact and capture
    change = {"solver.duration_s": 8.0} if name == "dock_nds" else SHORTER.get(name)
    first = docksim.run(SCENARIOS / f"{name}.yaml", change, out=tmp_path)
    assert first.folder is not None
    resolved = first.folder / "scenario.yaml"
    assert "use:" not in resolved.read_text(encoding="utf-8")
    again = docksim.run(resolved)
    assert_same(first, again)
    assert again.scenario == first.scenario
    assert_same(first, Result.load(first.folder))


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., list[Path]]:
    """`docksim run` in a process of its own; the folders it has saved."""

    def run(*arguments: str | Path) -> list[Path]:
        done = subprocess.run(
            [sys.executable, "-m", "docksim", "run", *map(str, arguments), "--json", "--no-plots"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return [tmp_path / entry["folder"] for entry in json.loads(done.stdout)["runs"]]

    return run


def test_command_line_gives_the_same_bits_in_every_process_and_from_the_resolved_file(
    command: Callable[..., list[Path]], tmp_path: Path
) -> None:
    names = ("dock_and_undock", "joint_gallery")
    files = [SCENARIOS / f"{name}.yaml" for name in names]
    change = ("--set", "solver.duration_s=8.0", "--set", "seed=11")
    first = command(*files, *change, "--out", "first", "--workers", "2")
    second = command(*(folder / "scenario.yaml" for folder in first), "--out", "second", "--workers", "1")
    for name, one, two in zip(names, first, second):
        assert one.is_relative_to(tmp_path / "first" / name)
        assert two.is_relative_to(tmp_path / "second" / name)
        result = docksim.run(SCENARIOS / f"{name}.yaml", {"solver.duration_s": 8.0, "seed": 11})
        assert_same(result, Result.load(one))
        assert_same(result, Result.load(two))
        for file in ("scenario.yaml", "channels.json", "events.json", "metrics.json"):
            assert (one / file).read_bytes() == (two / file).read_bytes(), file


def test_manifest_says_what_made_the_result(tmp_path: Path) -> None:
    result = docksim.run(SCENARIOS / "tumbling_brick.yaml", {"seed": 5, "solver.duration_s": 1.0}, out=tmp_path)
    assert result.folder is not None
    manifest = json.loads((result.folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["docksim_version"] == docksim.__version__
    assert manifest["seed"] == 5
    assert {"commit", "commit_modified"} <= set(manifest)
    assert {"system", "machine", "python"} <= set(manifest["platform"])
    for library in ("numpy", "numba", "llvmlite", "scipy"):
        assert manifest["libraries"][library] == metadata.version(library)
    # a second of a brick takes milliseconds of computing
    assert 0.0 < manifest["wall_time_s"] < 60.0
    assert manifest["outcome"] == "completed"

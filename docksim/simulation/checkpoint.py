"""Checkpoints: a run kept on disk between two steps, from which it goes on with the same bits.

A checkpoint holds every table of the state and of the log so far by its name, and the resolved scenario as text. Only
the state is memory; scratch is made anew. See `sealed` for the form of the file and what is refused, and `bounds` for
what a state must keep to before compiled code follows it.
"""

from __future__ import annotations

import difflib
import secrets
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from docksim.config.checks.scenario import whole_steps
from docksim.files.writing import write_text
from docksim.model import State
from docksim.model.log import Log
from docksim.result.reading import UNREADABLE
from docksim.result.result import ResultError
from docksim.simulation.bounds import check_log, check_state
from docksim.simulation.sealed import Kind, from_text, to_text

if TYPE_CHECKING:
    from docksim.config.schema.scenario import Scenario
    from docksim.simulation.run import Run

SCENARIO, LOG, STATE = "scenario", "log.", "state."
MOST_SNAPSHOTS = 1000


class CheckpointError(ResultError):
    """A checkpoint that cannot be written, read or taken up; the message names the file."""


CHECKPOINT = Kind("checkpoint", 3, (SCENARIO,), CheckpointError, "Run the scenario again")


# ---------------------------------------------------------------- writing


def write_checkpoint(run: Run, file: Path) -> Path:
    """Keep a run where it is, between two steps; the file appears when it is whole."""
    state, log = run.compiled.state, run.log
    # who goes on from it evaluates the state anew, and so does this run
    run.work.current[0] = 0
    arrays: dict[str, np.ndarray] = {SCENARIO: from_text(run.compiled.scenario.to_yaml())}
    arrays |= {STATE + name: np.asarray(table) for name, table in state._asdict().items()}
    arrays |= {LOG + name: table for name, table in log.filled().tables().items()}
    facts = {"scenario": run.compiled.scenario.name, "time_s": float(state.clock[0].t), "step": run.step}
    return CHECKPOINT.write(file, arrays, **facts)


class Keeper:
    """Writes checkpoints of a run at given times or regularly; called with the run, it says which step is next.

    A checkpoint that cannot be written becomes a warning: the run goes on.
    """

    def __init__(self, root: Path, every_s: float | None = None, at_s: Iterable[float] = ()) -> None:
        self._root, self._every_s, self._at_s = root, every_s, tuple(at_s)
        self._name = f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%SZ}-{secrets.token_hex(3)}"
        self._begun = False
        self.files: list[Path] = []
        self.warnings: list[str] = []

    def __call__(self, run: Run) -> int:
        if self._begun:
            self.write(run)
        else:
            self._begun = True
            self._check(run)
            self._warn(run)
        return self._next(run)

    def _check(self, run: Run) -> None:
        step_s = float(run.compiled.model.settings[0].step)
        # a hair of rounding is no offence
        if self._every_s is not None and self._every_s < (1.0 - 1e-6) * step_s:
            what = f"a checkpoint every {self._every_s:g} s is asked for"
            raise CheckpointError(f"{what}, more often than there are steps: solver.step_s is {step_s:g} s")

    def _warn(self, run: Run) -> None:
        """Of times that will not come."""
        duration = run.compiled.scenario.solver.duration_s
        late = [f"{time:g} s" for time in self._at_s if time >= duration]
        if late:
            self.warnings.append(f"no checkpoint at {', '.join(late)}: the run ends at {duration:g} s")

    def write(self, run: Run) -> None:
        """Keep the run now."""
        folder = self._root / run.compiled.scenario.name / "checkpoints" / self._name
        try:
            self.files.append(write_checkpoint(run, folder / f"step-{run.step}.npz"))
        except CheckpointError as error:
            self.warnings.append(str(error))

    def _next(self, run: Run) -> int:
        step_s = float(run.compiled.model.settings[0].step)
        steps = [whole_steps(time, step_s)[0] for time in self._at_s]
        if self._every_s is not None:
            # the first step at or after a multiple; that of the next one may be this step
            count = int(run.step * step_s / self._every_s)
            steps += [whole_steps((count + i) * self._every_s, step_s)[0] for i in (1, 2)]
        return min((step for step in steps if step > run.step), default=2**62)


class Snapshots(Keeper):
    """The same for a run with deadlines: states are kept in memory, in some tens of microseconds each, and written when
    the run is over. `log` is that of the run's own rows."""

    def __init__(self, root: Path, log: Log, every_s: float | None = None, at_s: Iterable[float] = ()) -> None:
        super().__init__(root, every_s, at_s)
        self._log = log
        self._kept: list[tuple[State, int]] = []

    def write(self, run: Run) -> None:
        """Keep the run now, in memory."""
        full = f"no checkpoints after the first {MOST_SNAPSHOTS}, which are kept in memory"
        if len(self._kept) < MOST_SNAPSHOTS:
            self._kept.append((State(*(table.copy() for table in run.compiled.state)), int(self._log.rows[0])))
        elif full not in self.warnings:
            self.warnings.append(full)

    def write_all(self, run: Run) -> None:
        """To the disk."""
        from docksim.simulation.run import Run

        for state, rows in self._kept:
            super().write(Run(replace(run.compiled, state=state), self._log.picked(slice(rows))))


# ---------------------------------------------------------------- reading


def read_checkpoint(file: Path, scenario: Scenario | None = None) -> Run:
    """The run of a checkpoint, ready to go on. With `scenario`, it must be that one."""
    from docksim.simulation.run import Run, at_the_start, prepare_kernel

    arrays = CHECKPOINT.read(file)
    try:
        text = to_text(arrays[SCENARIO])
    except UNREADABLE as error:
        raise CheckpointError(f"{file}: damaged: its scenario is no text") from error
    if scenario is not None:
        _check_scenario(file, text, scenario.to_yaml())
    preparation_s = prepare_kernel()
    run = Run(at_the_start(_scenario(file, text)), preparation_s=preparation_s)
    clock = run.compiled.state.clock
    every = {name: int(clock[name][0]) for name in ("log_every", "band_every")}
    fresh = {name: table.copy() for name, table in run.compiled.state._asdict().items()}
    try:
        for name, table in run.compiled.state._asdict().items():
            _fill(name, table, arrays[STATE + name])
        for name, steps in every.items():
            if clock[name][0] != steps:
                raise ValueError(f"'clock.{name}' is not that of its scenario; the log has no room for it")
        rows = len(arrays[LOG + "head"])
        check_state(run.compiled, fresh, rows)
        run.log.rows[0] = rows
        for name, table in run.log.filled().tables().items():
            _fill(LOG + name, table, arrays[LOG + name])
        check_log(run.compiled, run.log.filled())
    except UNREADABLE as error:
        raise CheckpointError(f"{file}: damaged: {error}") from error
    return run


def _check_scenario(file: Path, kept: str, given: str) -> None:
    if kept == given:
        return
    changed = (line for line in difflib.ndiff(kept.splitlines(), given.splitlines()) if line[0] in "+-")
    first = " and ".join(f"'{line[2:].strip()}'" for line, _ in zip(changed, range(2)))
    raise CheckpointError(
        f"{file}: of another scenario than the file given; they differ first at {first}. "
        "Leave the file out to go on with the checkpoint's own scenario"
    )


def _scenario(file: Path, text: str) -> Scenario:
    from docksim.config import ScenarioError, load_scenario

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.yaml"
        write_text(path, text)
        try:
            return load_scenario(path)
        except ScenarioError as error:
            first, *others = error.problems
            more = f" (and {len(others)} more)" if others else ""
            raise CheckpointError(f"{file}: its scenario is refused: {first.key}: {first.message}{more}") from error


def _fill(name: str, table: np.ndarray, stored: np.ndarray) -> None:
    """Copy a table field by field."""
    if stored.shape != table.shape:
        raise ValueError(f"table '{name}' has the shape {stored.shape}, expected {table.shape}")
    if (stored.dtype.names or ()) != (table.dtype.names or ()):
        raise ValueError(f"table '{name}' has other fields than this version's")
    if table.dtype.names is None:
        if stored.dtype != table.dtype:
            raise ValueError(f"table '{name}' holds {stored.dtype}, expected {table.dtype}")
        table[...] = stored
        return
    for field in table.dtype.names:
        if stored.dtype[field] != table.dtype[field]:
            raise ValueError(f"table '{name}', field '{field}' holds {stored.dtype[field]}")
        table[field] = stored[field]

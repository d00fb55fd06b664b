"""Checkpoints: a run kept on disk between two steps, from which it goes on with the same bits.

A checkpoint is one uncompressed npz without pickles: every table of the state by its name, the rows logged so far, the
resolved scenario as text, and a record of what made it. Only the state is memory; scratch is made anew. It is taken up
by the same version of docksim with the same kernel (sources, Python, numba and numpy), since another one may round
differently. A digest tells a damaged file, and indices are checked before compiled code follows them.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import secrets
import tempfile
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from docksim import __version__
from docksim.result import ResultError
from docksim.result_files import UNREADABLE

if TYPE_CHECKING:
    from docksim.compiler import Compiled
    from docksim.config.schema import Scenario
    from docksim.simulation import Run

FORMAT = 1
ABOUT, SCENARIO, LOG, STATE = "about", "scenario", "log", "state."


class CheckpointError(ResultError):
    """A checkpoint that cannot be written, read or taken up; the message names the file."""


# ---------------------------------------------------------------- writing


def write_checkpoint(run: Run, file: Path) -> Path:
    """Keep a run where it is, between two steps; the file appears when it is whole."""
    from docksim.simulation import kernel_stamp

    state, log = run.compiled.state, run.log
    arrays: dict[str, np.ndarray] = {SCENARIO: _from_text(run.compiled.scenario.to_yaml())}
    arrays |= {STATE + name: np.asarray(table) for name, table in state._asdict().items()}
    arrays[LOG] = log.data[: int(log.rows[0])]
    about = {
        "format": FORMAT,
        "docksim_version": __version__,
        "kernel": kernel_stamp(),
        "scenario": run.compiled.scenario.name,
        "time_s": float(state.clock[0].t),
        "step": run.step,
        "digest": _digest(arrays),
    }
    hidden = file.parent / f".partial-{os.getpid()}-{secrets.token_hex(4)}.npz"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            np.savez(hidden, allow_pickle=False, **{ABOUT: _from_text(json.dumps(about)), **arrays})
            hidden.replace(file)
        finally:
            hidden.unlink(missing_ok=True)
    except OSError as error:
        raise CheckpointError(f"cannot write the checkpoint {file}: {error.strerror or error}") from error
    return file


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
            self._warn(run)
        return self._next(run)

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
        steps = [step for step in (round(time / step_s) for time in self._at_s) if step > run.step]
        if self._every_s is not None:
            every = max(1, round(self._every_s / step_s))
            steps.append((run.step // every + 1) * every)
        return min(steps, default=2**62)


# ---------------------------------------------------------------- reading


def read_checkpoint(file: Path, scenario: Scenario | None = None) -> Run:
    """The run of a checkpoint, ready to go on. With `scenario`, it must be that one."""
    from docksim.compiler import compile_scenario
    from docksim.simulation import Run, prepare_kernel

    arrays = _read_arrays(file)
    _check_origin(file, arrays)
    text = _to_text(arrays[SCENARIO])
    if scenario is not None:
        _check_scenario(file, text, scenario.to_yaml())
    preparation_s = prepare_kernel()
    run = Run(compile_scenario(_scenario(file, text)), preparation_s=preparation_s)
    try:
        for name, table in run.compiled.state._asdict().items():
            _fill(name, table, arrays[STATE + name])
        _check_indices(run.compiled)
        rows = arrays[LOG]
        run.log.data[: len(rows)] = rows
        run.log.rows[0] = len(rows)
    except (ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{file}: damaged: {error}") from error
    return run


def _read_arrays(file: Path) -> dict[str, np.ndarray]:
    try:
        with zipfile.ZipFile(file) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise CheckpointError(f"{file}: not a checkpoint of docksim")
        with np.load(file, allow_pickle=False) as content:
            arrays = {name: content[name] for name in content.files}
    except (*UNREADABLE, MemoryError) as error:
        what = "no such file" if isinstance(error, FileNotFoundError) else f"not a checkpoint, or damaged: {error}"
        raise CheckpointError(f"{file}: {what}") from error
    missing = [name for name in (ABOUT, SCENARIO, LOG) if name not in arrays]
    if missing:
        raise CheckpointError(f"{file}: not a checkpoint of docksim: it has no '{missing[0]}'")
    return arrays


def _check_origin(file: Path, arrays: dict[str, np.ndarray]) -> None:
    """Made by this version with this kernel, and whole."""
    from docksim.simulation import kernel_stamp

    try:
        about: dict[str, Any] = json.loads(_to_text(arrays[ABOUT]))
        version, kernel, digest, format_ = (about[key] for key in ("docksim_version", "kernel", "digest", "format"))
    except (*UNREADABLE, json.JSONDecodeError) as error:
        raise CheckpointError(f"{file}: damaged: its record cannot be read") from error
    if (format_, version) != (FORMAT, __version__):
        made = f"docksim {version}, format {format_}; this is {__version__}, format {FORMAT}"
        raise CheckpointError(f"{file}: made by {made}. Run the scenario again, or install that version")
    if kernel != kernel_stamp():
        why = "another kernel (its sources, or the versions of Python, numba or numpy), which may round differently"
        raise CheckpointError(f"{file}: made with {why}. Run the scenario again")
    if digest != _digest({name: array for name, array in arrays.items() if name != ABOUT}):
        raise CheckpointError(f"{file}: damaged: its content does not match its digest")


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
        path.write_text(text, encoding="utf-8")
        try:
            return load_scenario(path)
        except ScenarioError as error:
            raise CheckpointError(f"{file}: its scenario is refused:\n{error}") from error


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


def _check_indices(compiled: Compiled) -> None:
    """Compiled code follows these without looking."""
    model, state = compiled.model, compiled.state
    bodies, events = len(model.body), len(model.event)
    clock = state.clock[0]
    ranges = (
        ("clock.step", clock.step, int(model.settings[0].n_steps) + 1),
        ("clock.phase", clock.phase, len(compiled.phases)),
        ("clock.n_records", clock.n_records, events + 1),
        ("clock.parts", clock.parts - 1, 1_000_000),
        ("link.parent", state.link["parent"], bodies),
        ("link.joint", state.link["joint"], len(model.joint)),
        ("dof.profile", state.dof["profile"], max(1, len(model.profile))),
        ("retraction.profile", state.retraction["profile"], max(1, len(model.profile))),
        ("shaft.head", state.shaft["head"], state.servo_queue.shape[1]),
        ("hold.head", state.hold["head"], state.hold_buffer.shape[1]),
        ("record.event", state.record["event"], max(1, events)),
    )
    for name, values, end in ranges:
        if np.any(np.asarray(values) < 0) or np.any(np.asarray(values) >= end):
            raise ValueError(f"'{name}' is out of range")
    if not np.array_equal(np.sort(state.order), np.arange(1, bodies)):
        raise ValueError("'order' is not an order of the bodies")


# ---------------------------------------------------------------- bytes


def _digest(arrays: dict[str, np.ndarray]) -> str:
    """Of names, types, shapes and bytes."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        fields = array.dtype.names
        digest.update(f"{name} {array.shape} {fields or array.dtype}".encode())
        for part in [array[field] for field in fields] if fields else [array]:
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def _from_text(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def _to_text(array: np.ndarray) -> str:
    return np.asarray(array, np.uint8).tobytes().decode()

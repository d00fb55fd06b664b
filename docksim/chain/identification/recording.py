"""Recorded motion and forces of a chain: CSV or .npz with one named column per quantity, units in the names.

    time_s, link1.angle_deg, link1.rate_deg_s, link1.acceleration_deg_s2, link1.torque_Nm, link2.travel_m, ...

Angles may also come in radians (angle_rad, rate_rad_s, acceleration_rad_s2). Columns of other names are left alone.
Rates and accelerations may be left out: they are then taken from the coordinates by a local polynomial of degree 4
through `window` samples (Savitzky and Golay), for which the samples must be evenly spaced; the ends, where the window
does not fit, are cut off. The error of such derivatives is not part of any interval that is computed later.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from docksim.chain.model import ChainModel
from docksim.config.errors import Problem, ScenarioError, did_you_mean, shown
from docksim.result.reading import read_arrays
from docksim.result.result import ResultError

WINDOW, DEGREE = 15, 4
LARGEST_FILE = 500_000_000  # bytes
_RAD = math.pi / 180.0

# kinds of column, with the names and factors to SI for a turning and a sliding joint
KINDS: dict[str, tuple[dict[str, float], dict[str, float]]] = {
    "coordinate": ({"angle_rad": 1.0, "angle_deg": _RAD}, {"travel_m": 1.0}),
    "rate": ({"rate_rad_s": 1.0, "rate_deg_s": _RAD}, {"rate_m_s": 1.0}),
    "acceleration": ({"acceleration_rad_s2": 1.0, "acceleration_deg_s2": _RAD}, {"acceleration_m_s2": 1.0}),
    "force": ({"torque_Nm": 1.0}, {"force_N": 1.0}),
}


@dataclass(frozen=True)
class Recording:
    """Samples (T, n) in SI and radians; force is empty (T, 0) where the file has none."""

    time_s: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    accelerations: np.ndarray
    force: np.ndarray
    notes: tuple[str, ...] = ()


def read_recording(
    file: Path, model: ChainModel, *, force: bool = True, window: int = WINDOW, derive: bool = True
) -> Recording:
    """The recording in a file; ScenarioError with every fault, by file, line and column.

    Unless told to `derive` them, rates and accelerations that the file does not have are empty (T, 0).
    """
    columns, line_of = _columns(file)
    picked = _picked(str(file), columns, model, force)
    _check_values(str(file), {"time_s": columns["time_s"]} | {k: columns[k] for k in picked.names}, line_of)
    if not derive:
        return _as_recorded(str(file), columns["time_s"], picked, window)
    return _assembled(str(file), columns["time_s"], picked, window)


# ---------------------------------------------------------------- reading


def _columns(file: Path) -> tuple[dict[str, np.ndarray], Callable[[int], int | None]]:
    """Columns by name, and the line of a row in the file."""
    try:
        if not file.is_file():
            word = "is no file" if file.exists() else "file not found"
            raise _fault(file, None, "", f"{word}; give a CSV or .npz file with recorded motion")
        if file.stat().st_size > LARGEST_FILE:
            raise _fault(file, None, "", f"has {file.stat().st_size} bytes; at most {LARGEST_FILE} are read")
        if file.suffix == ".npz":
            return _npz(file), lambda row: None
        return _csv(file), lambda row: row + 2
    except OSError as error:
        raise _fault(file, None, "", f"cannot be read: {error.strerror or error}") from None


def _npz(file: Path) -> dict[str, np.ndarray]:
    try:
        arrays = read_arrays(file)
    except ResultError as error:
        told = str(error).removeprefix(f"{file}: ")
        raise _fault(file, None, "", f"is no .npz archive of plain arrays, as numpy.savez writes it: {told}") from None
    numbers = {name: values for name, values in arrays.items() if values.ndim == 1 and values.dtype.kind in "fiu"}
    columns = {name: values.astype(float) for name, values in numbers.items()}
    if len({len(values) for values in columns.values()}) > 1:
        sizes = ", ".join(f"{name} {len(values)}" for name, values in columns.items())
        raise _fault(file, None, "", f"columns have different lengths: {sizes}")
    return columns


def _csv(file: Path) -> dict[str, np.ndarray]:
    problems: list[Problem] = []
    rows: list[list[float]] = []
    with file.open(newline="", encoding="utf-8-sig", errors="replace") as stream:
        reader = csv.reader(stream)
        try:
            header = [name.strip() for name in next(reader, [])]
            if not any(header):
                raise _fault(file, 1, "", "is empty; the first line names the columns, such as time_s,link1.angle_deg")
            _check_header(file, header)
            for row in reader:
                if len(problems) >= 20:
                    break
                if row:
                    rows.append(_numbers(str(file), reader.line_num, header, row, problems))
        except csv.Error as error:
            raise _fault(file, reader.line_num, "", f"is not CSV text: {error}") from None
    if problems:
        raise ScenarioError(problems)
    table = np.array(rows, float).reshape(len(rows), len(header))
    return {name: table[:, i] for i, name in enumerate(header) if name}


def _check_header(file: Path, header: list[str]) -> None:
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise _fault(file, 1, twice[0], "two columns have this name")


def _numbers(file: str, line: int, header: list[str], row: list[str], problems: list[Problem]) -> list[float]:
    if len(row) != len(header):
        problems.append(Problem(file, line, "", f"has {len(row)} values for {len(header)} columns"))
        return [math.nan] * len(header)
    values = []
    for text in row:
        try:
            values.append(float(text))
        except ValueError:
            # a cell that is no number counts only if its column is used; the check of values finds it
            values.append(math.nan)
    return values


# ---------------------------------------------------------------- choosing and checking


@dataclass(frozen=True)
class _Picked:
    """Columns by kind, one per joint, in SI; an empty list where the kind is derived."""

    columns: Mapping[str, list[np.ndarray]]
    names: tuple[str, ...]


def _picked(file: str, columns: Mapping[str, np.ndarray], model: ChainModel, force: bool) -> _Picked:
    problems, names = [], []
    if "time_s" not in columns:
        near = did_you_mean("time_s", columns)
        problems.append(Problem(file, None, "time_s", f"column missing; the time of each row in seconds{near}"))
    chosen: dict[str, list[np.ndarray]] = {}
    for kind in KINDS:
        columns_of_joints = [_one(columns, model, k, kind) for k in range(model.n)]
        needed = kind == "coordinate" or (kind == "force" and force)
        if needed or any(one is not None for one in columns_of_joints):
            for k, one in enumerate(columns_of_joints):
                if one is None and (needed or kind != "force"):
                    problems.append(_missing(file, columns, model, k, kind, needed))
        complete = [one for one in columns_of_joints if one is not None]
        chosen[kind] = [factor * columns[name] for name, factor in complete] if len(complete) == model.n else []
        names += [name for name, _ in complete]
    if problems:
        raise ScenarioError(problems)
    return _Picked(chosen, tuple(names))


def _one(columns: Mapping[str, np.ndarray], model: ChainModel, k: int, kind: str) -> tuple[str, float] | None:
    for ending, factor in KINDS[kind][int(model.prismatic[k])].items():
        if (name := f"{model.names[k]}.{ending}") in columns:
            return name, factor
    return None


def _missing(
    file: str, columns: Mapping[str, np.ndarray], model: ChainModel, k: int, kind: str, needed: bool
) -> Problem:
    wanted = [f"{model.names[k]}.{ending}" for ending in KINDS[kind][int(model.prismatic[k])]]
    text = "column missing" if needed else f"column missing, though other joints have their {kind}"
    also = f", or {wanted[1]}" if len(wanted) > 1 else ""
    own = [name for name in columns if name.startswith(f"{model.names[k]}.")]
    return Problem(file, None, wanted[0], f"{text}{also}{did_you_mean(wanted[0], own)}")


def _check_values(file: str, columns: Mapping[str, np.ndarray], line_of: Callable[[int], int | None]) -> None:
    problems = list(_value_problems(file, columns, line_of))
    if problems:
        raise ScenarioError(problems)


def _value_problems(
    file: str, columns: Mapping[str, np.ndarray], line_of: Callable[[int], int | None]
) -> Iterator[Problem]:
    for name, values in columns.items():
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            place = f"row {bad[0] + 1}" if line_of(0) is None else "here"
            text = f"{len(bad)} of {len(values)} values are no finite numbers, the first {place}; cut such rows out"
            yield Problem(file, line_of(int(bad[0])), name, text)
    time = columns["time_s"]
    if len(time) < 2:
        yield Problem(file, None, "", f"has {len(time)} rows; identification needs many")
    elif np.all(np.isfinite(time)) and np.any(np.diff(time) <= 0.0):
        row = int(np.argmax(np.diff(time) <= 0.0)) + 1
        text = f"{shown(float(time[row]))} does not come after {shown(float(time[row - 1]))}; time must increase"
        yield Problem(file, line_of(row), "time_s", text)


# ---------------------------------------------------------------- derivatives


def _assembled(file: str, time: np.ndarray, picked: _Picked, window: int) -> Recording:
    stacked = {kind: np.stack(values, 1) if values else None for kind, values in picked.columns.items()}
    q, rates, accelerations = stacked["coordinate"], stacked["rate"], stacked["acceleration"]
    assert q is not None
    force = stacked["force"] if stacked["force"] is not None else np.zeros((len(time), 0))
    if rates is not None and accelerations is not None:
        return Recording(time, q, rates, accelerations, force)
    step = even_step(file, time)
    if len(time) <= window:
        raise _fault(file, None, "", f"has {len(time)} rows; deriving accelerations takes more than {window}")
    missing = " and ".join(word for word, got in (("rates", rates), ("accelerations", accelerations)) if got is None)
    source, order = (q, 0) if rates is None else (rates, 1)
    if rates is None:
        rates = _derivative(q, 1, window, step)
    if accelerations is None:
        accelerations = _derivative(source, 2 - order, window, step)
    of = "rates" if order else "coordinates"
    note = f"{missing} derived from the {of} over {window} samples ({window * step:.3g} s)"
    keep = slice(window // 2, -(window // 2))
    return Recording(time[keep], q[keep], rates[keep], accelerations[keep], force[keep], (note,))


def _as_recorded(file: str, time: np.ndarray, picked: _Picked, window: int) -> Recording:
    none = np.zeros((len(time), 0))
    parts = {kind: np.stack(values, 1) if values else none for kind, values in picked.columns.items()}
    if not parts["rate"].size:
        even_step(file, time)
    if len(time) <= window:
        raise _fault(file, None, "", f"has {len(time)} rows; telling their noise takes more than {window}")
    return Recording(time, parts["coordinate"], parts["rate"], parts["acceleration"], parts["force"])


def even_step(file: str, time: np.ndarray) -> float:
    steps = np.diff(time)
    step = float(np.median(steps))
    if np.any(np.abs(steps - step) > 0.01 * step):
        text = "samples are not evenly spaced; give columns of rates and accelerations, or resample"
        raise _fault(file, None, "time_s", text)
    return step


def _derivative(values: np.ndarray, order: int, window: int, step: float) -> np.ndarray:
    from scipy.signal import savgol_filter

    return np.asarray(savgol_filter(values, window, DEGREE, deriv=order, delta=step, axis=0))


def _fault(file: str | Path, line: int | None, key: str, message: str) -> ScenarioError:
    return ScenarioError([Problem(str(file), line, key, message)])

"""The folder of a saved result, and the rules that keep it trustworthy.

    results/<scenario>/<run>/
        scenario.yaml   the resolved scenario: running it again gives the same bits
        manifest.json   outcome, version, commit, seed, platform, libraries, wall time
        channels.json   name, unit, frame, description and components of every array
        data.npz        the arrays, exactly as computed
        given.json      the file that was run, its changes, where every value is written, what of it is an estimate; of
                        a case of a study its inputs
        metrics.json    numbers by name; a number that is not finite is written as null and reads back as nan
        events.json     what happened when
        realtime.json   of a paced run: its times
        journal.npz     of a run with a bridge: what came in from outside; start.npz: the checkpoint that it began from
        figures/        drawn from the above

A result is written beside its place under a hidden name and renamed when complete, so a folder with the right name is
whole, and two runs that start in the same second get different folders.
"""

from __future__ import annotations

import errno
import json
import math
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count, islice
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from docksim.config.errors import shown
from docksim.files.writing import appearing, folder_for, hidden_beside, refuse_lost, write_text
from docksim.result.reading import UNREADABLE, a_number, a_word, fault, read_arrays, read_json, read_text
from docksim.result.result import Channel, EventRecord, Metric, Result, ResultError

if TYPE_CHECKING:
    from docksim.config.schema.scenario import Scenario

FORMAT = 1
FILES = ("manifest.json", "scenario.yaml", "channels.json", "data.npz", "metrics.json", "events.json")
GIVEN = "given.json"
CHANNEL_KEYS = ("name", "unit", "frame", "description", "components", "labels")  # beside the array itself
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*")
LATEST_S = 1e15  # of a logged time
MOST_LOOKED_AT = 10_000
_TAKEN = {errno.EEXIST, errno.ENOTEMPTY}


# ---------------------------------------------------------------- writing


def save_run(result: Result, root: Path) -> Path:
    """Save under root/<scenario>/<UTC time>, with a counter if that name is taken; returns the folder."""
    if not _SAFE_NAME.fullmatch(result.scenario_name):
        raise ResultError(f"the scenario name {result.scenario_name!r} cannot be used as the name of a folder")
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%SZ")
    return _save(result, root / result.scenario_name, (stamp if n == 1 else f"{stamp}-{n}" for n in count(1)))


def check_writable(root: Path | None, name: str) -> None:
    """Can a result be saved under root/name? ResultError if not: before a run is the time to know. Makes nothing."""
    if root is None:
        return
    folder = root / name
    with _readable_errors(folder):
        refuse_lost(folder)
        there = next((one for one in (folder, *folder.parents) if one.exists()), folder)
        with tempfile.TemporaryFile(dir=there):
            pass


def save_folder(result: Result, folder: Path) -> Path:
    """Save as exactly this folder, which must not exist or be empty."""
    return _save(result, folder.parent, [folder.name])


def _save(result: Result, parent: Path, names: Iterable[str]) -> Path:
    """Write all files under a hidden name, then take the first free name."""
    with _readable_errors(parent):
        hidden = hidden_beside(parent / "result")
        with folder_for(hidden):
            hidden.mkdir()
            try:
                _write_files(result, hidden)
                result.folder = _rename_to_free(hidden, parent, names)
            finally:
                shutil.rmtree(hidden, ignore_errors=True)
    return result.folder


def _rename_to_free(hidden: Path, parent: Path, names: Iterable[str]) -> Path:
    """Rename is atomic and refuses a folder with content, so nobody else's result can be replaced."""
    folder = parent
    for name in names:
        folder = parent / name
        try:
            return hidden.rename(folder)
        except OSError as error:
            if error.errno not in _TAKEN and not folder.exists():
                raise
    raise ResultError(f"{folder} already exists; a result is never overwritten")


def _write_files(result: Result, folder: Path) -> None:
    facts = {"format": FORMAT, "scenario": result.scenario_name, "outcome": result.outcome, "reason": result.reason}
    facts["warnings"] = result.warnings
    channels = [{key: getattr(channel, key) for key in CHANNEL_KEYS} for channel in result.channels.values()]
    _write_json(folder / "manifest.json", {**facts, **result.manifest})
    _write_json(folder / "channels.json", channels)
    _write_json(folder / "metrics.json", result.metrics)
    _write_json(folder / "events.json", [event._asdict() for event in result.events])
    if result.given:
        _write_json(folder / GIVEN, result.given)
    write_text(folder / "scenario.yaml", result.scenario_yaml)
    with appearing(folder / "data.npz") as stream, zipfile.ZipFile(stream, "w", allowZip64=True) as archive:
        for channel in result.channels.values():
            with archive.open(f"{channel.name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(channel.data), allow_pickle=False)


def _write_json(file: Path, content: Any) -> None:
    text = json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False)
    write_text(file, text + "\n")


def plain(value: Any) -> Any:
    """Plain JSON values: numpy numbers become Python's, paths become text, what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (np.generic, np.ndarray)):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Path):
        return str(value)
    return value


@contextmanager
def _readable_errors(place: Path) -> Iterator[None]:
    """Full disk, missing permission, name too long: one clear line instead of a traceback."""
    try:
        yield
    except OSError as error:
        raise ResultError(f"cannot write the result to {place}: {error.strerror or error}") from error


# ---------------------------------------------------------------- reading


def load_folder(folder: Path) -> Result:
    """Read and validate every file of a result folder, except the scenario, which is parsed when it is asked for."""
    _require_files(folder)
    manifest = read_json(folder / "manifest.json", partial(_manifest, folder))
    arrays = read_arrays(folder / "data.npz")
    channels = read_json(folder / "channels.json", lambda content: _channels(content, arrays))
    metrics = read_json(folder / "metrics.json", _metrics)
    events = read_json(folder / "events.json", lambda content: [_event(item) for item in content])
    manifest.pop("format")
    outcome, reason, warnings = manifest.pop("outcome"), manifest.pop("reason"), manifest.pop("warnings")
    try:
        result = Result(None, channels, outcome, reason, events, metrics, manifest, warnings)
        if not np.all(np.abs(result.time_s) <= LATEST_S) or np.any(np.diff(result.time_s) < 0.0):
            raise ValueError("channel 'time_s': times must be finite and come one after the other")
    except ValueError as error:
        raise ResultError(f"{folder}: {error}") from error
    # results of before it was kept have none
    if (folder / GIVEN).is_file():
        result.given = read_json(folder / GIVEN, checked_given)
    result.folder = folder
    return result


def read_scenario(folder: Path | None) -> Scenario:
    """The resolved scenario of a saved result."""
    # to read the numbers takes no schema
    from docksim.config import ScenarioError, load_scenario

    if folder is None:
        raise ResultError("this result was built without a scenario")
    try:
        return load_scenario(folder / "scenario.yaml", None)
    except (ScenarioError, OSError) as error:
        raise ResultError(f"{folder / 'scenario.yaml'}: not usable by this version of docksim:\n{error}") from error


def read_scenario_text(folder: Path | None) -> str:
    """The same as text, whether or not this version of docksim understands it."""
    if folder is None:
        raise ResultError("this result was built without a scenario")
    try:
        return read_text(folder / "scenario.yaml")
    except UNREADABLE as error:
        raise fault(folder / "scenario.yaml", error) from error


def _require_files(folder: Path) -> None:
    if not folder.is_dir():
        raise ResultError(f"{folder}: no such result folder")
    missing = [name for name in FILES if not (folder / name).is_file()]
    if len(missing) == len(FILES):
        newest = _newest_below(folder)
        hint = f"; did you mean {newest}?" if newest else ""
        raise ResultError(f"{folder}: not a result folder{hint}")
    if missing:
        raise ResultError(f"{folder / missing[0]}: missing; the result is incomplete")


def _newest_below(folder: Path) -> Path | None:
    """The newest result, for a user who named results/ or results/<scenario>: two levels down, no further."""
    runs: list[tuple[float, Path]] = []
    with suppress(OSError):
        for pattern in ("*/manifest.json", "*/*/manifest.json"):
            for file in islice(folder.glob(pattern), MOST_LOOKED_AT):
                with suppress(OSError):
                    runs.append((file.stat().st_mtime, file.parent))
    return max(runs, default=(0.0, None))[1]


def _manifest(folder: Path, content: dict[str, Any]) -> dict[str, Any]:
    if content["format"] != FORMAT:
        told = f"result format {shown(content['format'])}, this version of docksim reads format {FORMAT}"
        raise ResultError(f"{folder / 'manifest.json'}: {told}; docksim run {folder / 'scenario.yaml'} makes it anew")
    # results of before there were warnings have none
    warnings = [a_word("warnings", text) for text in content.get("warnings", [])]
    for key in ("scenario", "outcome", "reason"):
        a_word(key, content[key])
    wall_s = content.get("wall_time_s")
    if wall_s is not None:
        a_number("wall_time_s", wall_s)
    return {**content, "warnings": warnings}


def checked_given(content: dict[str, Any]) -> dict[str, Any]:
    """What a run was given, as it is kept; whatever has another form is refused."""
    for file, lines in content.get("places", {}).items():
        a_word("a file", file)
        if not all(isinstance(line, int | NoneType) for line in lines.values()):
            raise ValueError(f"places of {shown(file)}: expected numbers of lines")
    for one in content.get("estimates", []):
        a_word("an estimate", one["text"])
        dict(one["values"])
    for key in ("changes", "inputs"):
        dict(content.get(key, {}))
    return content


def _metrics(content: dict[str, Any]) -> dict[str, Metric]:
    for name, value in content.items():
        if not isinstance(value, (int, float, str, NoneType)):
            raise ValueError(f"metric {shown(name)} is neither number nor word")
    return {key: math.nan if value is None else value for key, value in content.items()}


def _channels(content: list[dict[str, Any]], arrays: dict[str, np.ndarray]) -> list[Channel]:
    channels = []
    for item in content:
        name, unit, frame, words, components, labels = (item[key] for key in CHANNEL_KEYS)
        if name not in arrays:
            raise ValueError(f"describes {shown(name)}, which is not in data.npz")
        for text in (unit, frame, words, *components, *labels):
            a_word(f"the description of {shown(name)}", text)
        channels.append(Channel(name, unit, frame, words, arrays[name], tuple(components), tuple(labels)))
    unknown = sorted(set(arrays) - {channel.name for channel in channels})
    if unknown:
        raise ValueError(f"does not describe the array {shown(unknown[0])} of data.npz")
    return channels


def _event(item: dict[str, Any]) -> EventRecord:
    loss = item["energy_loss_J"]
    name, text = a_word("an event's name", item["name"]), a_word("an event's text", item["text"])
    loss_J = math.nan if loss is None else a_number("energy_loss_J", loss)
    return EventRecord(a_number("time_s", item["time_s"]), name, text, loss_J)

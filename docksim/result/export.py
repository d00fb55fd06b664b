"""Results for other people's tools: CSV, MATLAB, HDF5. Numbers are written so that reading them gives the same bits.

csv: one header line, "name[component] [unit]", then one line per row; floats in their shortest exact form.
mat: one variable per channel, dots become underscores; `docksim_channels` has names, units, frames, descriptions.
h5: one dataset per channel under its own name, with attributes unit, frame, description, components, labels; the group
"docksim" has the scenario, manifest, metrics and events as text.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from docksim.result.arrays import cells, save_mat, whole
from docksim.result.files import plain
from docksim.result.result import Result, ResultError

_MATLAB_NAME_LENGTH = 63
_BLOCK = 4096


def export(result: Result, kind: str, file: Path | None = None) -> Path:
    """Write the result as `kind` (csv, mat, h5); the default file is data.<kind> in the result's folder."""
    if kind not in WRITERS:
        raise ResultError(f"cannot export to '{kind}': expected one of {', '.join(WRITERS)}")
    if file is None:
        if result.folder is None:
            raise ResultError("this result is not saved, so say which file to export to")
        file = result.folder / f"data.{kind}"
    return whole(file, partial(WRITERS[kind], result))


def write_csv(result: Result, stream: BinaryIO) -> None:
    """All columns side by side; Python's csv writes floats by repr, which reads back bit for bit."""
    header, columns = [], []
    for channel in result.channels.values():
        for name, values in channel.columns():
            header.append(f"{name} [{channel.unit}]")
            columns.append(values)
    write_rows(stream, header, columns)


def write_rows(stream: BinaryIO, header: Iterable[str], columns: Sequence[np.ndarray]) -> None:
    """A header and columns of one length."""
    text = TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    for first in range(0, len(columns[0]), _BLOCK):
        writer.writerows(zip(*(column[first : first + _BLOCK].tolist() for column in columns), strict=True))
    text.flush()
    text.detach()


def write_mat(result: Result, stream: BinaryIO) -> None:
    names = matlab_names(list(result))
    channels = result.channels.values()
    content: dict[str, Any] = {names[channel.name]: channel.data for channel in channels}
    table = {"variable": [names[channel.name] for channel in channels]}
    table |= {key: [getattr(channel, key) for channel in channels] for key in ("name", "unit", "frame", "description")}
    table["components"] = [" ".join(channel.components) for channel in channels]
    content["docksim_channels"] = {key: cells(texts) for key, texts in table.items()}
    content["docksim_run"] = {"scenario": result.scenario_name, "outcome": result.outcome, "reason": result.reason}
    save_mat(stream, content)


def matlab_names(names: list[str]) -> dict[str, str]:
    """A valid and unique MATLAB variable name for every channel name."""
    taken: set[str] = {"docksim_channels", "docksim_run"}
    given: dict[str, str] = {}
    for name in names:
        base = re.sub(r"\W", "_", name, flags=re.ASCII)
        base = (base if base[:1].isalpha() else f"c{base}")[:_MATLAB_NAME_LENGTH]
        candidate, number = base, 1
        while candidate in taken:
            number += 1
            ending = f"_{number}"
            candidate = base[: _MATLAB_NAME_LENGTH - len(ending)] + ending
        taken.add(candidate)
        given[name] = candidate
    return given


def write_h5(result: Result, stream: BinaryIO) -> None:
    """HDF5, with the optional package h5py."""
    try:
        import h5py
    except ImportError:
        raise ResultError("export to h5 needs h5py, which is not installed: pip install h5py") from None
    with h5py.File(stream, "w") as store:
        store.attrs["scenario"] = result.scenario_name
        store.attrs["outcome"] = result.outcome
        store.attrs["reason"] = result.reason
        for channel in result.channels.values():
            dataset = store.create_dataset(channel.name, data=channel.data)
            for key in ("unit", "frame", "description"):
                dataset.attrs[key] = getattr(channel, key)
            for key in ("components", "labels"):
                dataset.attrs[key] = json.dumps(getattr(channel, key))
        about = store.create_group("docksim")
        about["scenario_yaml"] = result.scenario_yaml
        about["manifest_json"] = json.dumps(plain(result.manifest))
        about["metrics_json"] = json.dumps(plain(result.metrics))
        about["events_json"] = json.dumps(plain([event._asdict() for event in result.events]))


WRITERS: dict[str, Callable[[Result, BinaryIO], None]] = {"csv": write_csv, "mat": write_mat, "h5": write_h5}

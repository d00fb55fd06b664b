"""Files that only the docksim that made them takes up again: checkpoints, and journals of what came from outside.

Each is one uncompressed npz without pickles: arrays by name and a record of what made them. They are taken up by the
same version with the same kernel (its sources and tables), since another one may round differently. A digest over all
arrays tells a damaged file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from docksim import __version__
from docksim.result.arrays import write_npz
from docksim.result.reading import UNREADABLE, from_json, read_arrays
from docksim.result.result import ResultError

ABOUT = "about"
MOST_TOLD = 40  # letters of a version that is not this one


@dataclass(frozen=True)
class Kind:
    """What a file is called in messages, the version of its form, the arrays it must have, the error to raise, and
    what to do where it is of no use."""

    name: str
    format: int
    needed: tuple[str, ...]
    error: type[ResultError]
    advice: str

    def write(self, file: Path, arrays: Mapping[str, np.ndarray], **facts: Any) -> Path:
        """The file appears when it is whole; `facts` are for readers of the record."""
        from docksim.simulation.run import kernel_stamp

        about = {
            "format": self.format,
            "docksim_version": __version__,
            "kernel": kernel_stamp(),
            **facts,
            "digest": digest_of(arrays),
        }
        try:
            return write_npz(file, {ABOUT: from_text(json.dumps(about)), **arrays})
        except ResultError as error:
            raise self.error(str(error)) from error

    def read(self, file: Path) -> dict[str, np.ndarray]:
        """The arrays of a file that is whole and was made by this version with this kernel."""
        try:
            arrays = read_arrays(file)
        except ResultError as error:
            raise self.error(str(error).replace(": damaged:", f": not a {self.name}, or damaged:", 1)) from error
        missing = [name for name in (ABOUT, *self.needed) if name not in arrays]
        if missing:
            raise self.error(f"{file}: not a {self.name} of docksim: it has no '{missing[0]}'")
        self._check_origin(file, arrays)
        return arrays

    def _check_origin(self, file: Path, arrays: Mapping[str, np.ndarray]) -> None:
        """Made by this version with this kernel, and whole."""
        from docksim.simulation.run import kernel_stamp

        try:
            about: dict[str, Any] = from_json(to_text(arrays[ABOUT]))
            version, kernel, digest, format_ = (about[key] for key in ("docksim_version", "kernel", "digest", "format"))
        except UNREADABLE as error:
            raise self.error(f"{file}: damaged: its record cannot be read") from error
        if (format_, version) != (self.format, __version__):
            by = f"docksim {str(version)[:MOST_TOLD]}, format {str(format_)[:MOST_TOLD]}"
            this = f"this is {__version__}, format {self.format}"
            raise self.error(f"{file}: made by {by}; {this}. {self.advice}, or install that version")
        if kernel != kernel_stamp():
            why = "another kernel (its sources or tables), which may round differently"
            raise self.error(f"{file}: made with {why}. {self.advice}")
        if digest != digest_of({name: array for name, array in arrays.items() if name != ABOUT}):
            raise self.error(f"{file}: damaged: its content does not match its digest")


def digest_of(arrays: Mapping[str, np.ndarray]) -> str:
    """Of names, types, shapes and bytes."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        fields = array.dtype.names
        digest.update(f"{name} {array.shape} {fields or array.dtype}".encode())
        for part in [array[field] for field in fields] if fields else [array]:
            digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def from_text(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


def to_text(array: np.ndarray) -> str:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError("not a text")
    return array.tobytes().decode()

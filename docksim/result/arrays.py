"""Arrays and texts to .npz and .mat files, whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from docksim.result.result import ResultError


def write_npz(file: Path, content: Mapping[str, Any]) -> Path:
    """A numpy archive of plain arrays."""

    def write(path: Path) -> None:
        with path.open("wb") as stream:
            np.savez(stream, **content)

    return whole(file, write)


def write_mat(file: Path, content: Mapping[str, Any]) -> Path:
    """A MATLAB 5 file; texts become cell columns."""
    from scipy.io import savemat

    cells = {key: _cells(value) if _is_text(value) else value for key, value in content.items()}

    def write(path: Path) -> None:
        with path.open("wb") as stream:
            savemat(stream, cells, long_field_names=True, oned_as="column", do_compression=True)

    return whole(file, write)


def whole(file: Path, write: Callable[[Path], None]) -> Path:
    """Write beside the file and move it into place, so that nobody sees half of it."""
    hidden = file.with_name(f".{file.name}.partial-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write(hidden)
        return hidden.replace(file)
    except OSError as error:
        raise ResultError(f"cannot write {file}: {error.strerror or error}") from error
    finally:
        hidden.unlink(missing_ok=True)


def _is_text(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "U"


def _cells(texts: np.ndarray) -> np.ndarray:
    cells = np.empty((len(texts), 1), dtype=object)
    cells[:, 0] = texts.tolist()
    return cells

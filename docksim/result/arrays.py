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

    texts = {key for key, value in content.items() if isinstance(value, np.ndarray) and value.dtype.kind == "U"}
    variables = {key: cells(value.tolist()) if key in texts else value for key, value in content.items()}

    def write(path: Path) -> None:
        with path.open("wb") as stream:
            savemat(stream, variables, long_field_names=True, oned_as="column", do_compression=True)

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


def cells(texts: list[str]) -> np.ndarray:
    """A MATLAB cell column of strings."""
    column = np.empty((len(texts), 1), dtype=object)
    column[:, 0] = texts
    return column

"""Arrays and texts to .npz and .mat files, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from docksim.files.writing import appearing
from docksim.result.result import ResultError


def write_npz(file: Path, content: Mapping[str, Any]) -> Path:
    """A numpy archive of plain arrays."""
    return whole(file, lambda stream: np.savez(stream, allow_pickle=False, **content))


def write_mat(file: Path, content: Mapping[str, Any]) -> Path:
    """A MATLAB 5 file; texts become cell columns."""
    texts = {key for key, value in content.items() if isinstance(value, np.ndarray) and value.dtype.kind == "U"}
    variables = {key: cells(value.tolist()) if key in texts else value for key, value in content.items()}
    return whole(file, lambda stream: save_mat(stream, variables))


def save_mat(stream: BinaryIO, variables: Mapping[str, Any]) -> None:
    """MATLAB 5, readable by MATLAB, Octave and scipy."""
    from scipy.io import savemat

    savemat(stream, variables, long_field_names=True, oned_as="column", do_compression=True)


def write_text(file: Path, text: str) -> Path:
    """A file of text, lines ending as they do."""
    return whole(file, lambda stream: stream.write(text.encode()))


def whole(file: Path, write: Callable[[BinaryIO], Any], replace: bool = True) -> Path:
    """A file that appears when it is whole; one line if that fails."""
    try:
        with appearing(file, replace) as stream:
            write(stream)
    except OSError as error:
        raise ResultError(f"cannot write {file}: {error.strerror or error}") from error
    return file


def cells(texts: list[str]) -> np.ndarray:
    """A MATLAB cell column of strings."""
    column = np.empty((len(texts), 1), dtype=object)
    column[:, 0] = texts
    return column

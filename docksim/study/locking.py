"""Files of studies: errors in one clear line, and one process at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docksim.result.result import ResultError


@contextmanager
def readable(file: Path) -> Iterator[None]:
    """Full disk, missing permission, a damaged file: one clear line."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise ResultError(f"{file}: {getattr(error, 'strerror', None) or error}") from error


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Only one process at a time runs a study; the lock lies beside the file and ends with the process."""
    lock = file.with_name(f"{file.name}.lock")
    with readable(lock):
        lock.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(lock, isolation_level=None, timeout=0.0)
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        connection.close()
        raise ResultError(f"{file}: another process is running this study ({error})") from None
    try:
        yield
    finally:
        connection.close()

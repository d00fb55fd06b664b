"""The one way to write a file: beside its place, under a hidden name that nobody can foresee, opened exclusively, and
moved into place when it is whole.

So nobody sees half a file, a full disk leaves what was there before, two writers of one file do not meet, and a link
in its place is replaced, not followed. What is no plain file (a pipe, a device) is refused. All faults are OSErrors.
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

HIDDEN = ".partial-"
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_MORE = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def hidden_beside(place: Path) -> Path:
    """A name for what is not yet whole."""
    return place.with_name(f"{HIDDEN}{secrets.token_hex(8)}")


@contextmanager
def appearing(file: Path, replace: bool = True, mode: int = 0o666) -> Iterator[BinaryIO]:
    """A stream whose content is the file once all went well; missing folders are made. `mode` is that of a new file,
    less what the user's mask takes away."""
    _refuse(file, replace)
    hidden = hidden_beside(file)
    with folder_for(file):
        handle = os.open(hidden, _NEW, mode)
        try:
            with open(handle, "w+b") as stream:
                yield stream
            _refuse(file, replace)
            hidden.replace(file)
        finally:
            with suppress(OSError):
                hidden.unlink(missing_ok=True)


def write_bytes(file: Path, content: bytes, replace: bool = True, mode: int = 0o666) -> Path:
    """A whole file of these bytes."""
    with appearing(file, replace, mode) as stream:
        stream.write(content)
    return file


def write_text(file: Path, text: str, replace: bool = True) -> Path:
    """A whole file of this text, as UTF-8, lines ending as they do."""
    return write_bytes(file, text.encode(), replace)


def append_line(file: Path, line: str) -> None:
    """A line at the end of a file that is no link, on disk when this returns; on a line of its own also after one that
    was cut short."""
    with folder_for(file), open(os.open(file, _MORE, 0o666), "ab") as stream:
        stream.write((("\n" if stream.tell() else "") + line).encode())
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def folder_for(file: Path) -> Iterator[None]:
    """Make the folder of a file, and those above it that are missing; they go again if the file cannot be made."""
    refuse_lost(file.parent)
    new = [one for one in file.parents if not one.exists()]
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for one in new:
                one.rmdir()
        raise


def refuse_lost(folder: Path) -> None:
    """Where a folder or one above it is a link that leads nowhere, or no folder, it cannot be made."""
    for one in (folder, *folder.parents):
        if one.is_symlink() and not one.exists():
            raise FileNotFoundError(errno.ENOENT, f"{one} is a link that leads nowhere", str(one))
        if one.exists() and not one.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{one} is no folder", str(one))


def _refuse(file: Path, replace: bool) -> None:
    if not replace and os.path.lexists(file):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file))
    if file.exists() and not file.is_file():
        what = errno.EISDIR if file.is_dir() else errno.EINVAL
        raise OSError(what, os.strerror(what) if file.is_dir() else "not a plain file", str(file))

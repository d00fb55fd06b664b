"""One reader for files that anybody may have written or damaged: results, checkpoints, journals, motions of chains,
answers of studies.

A file is plain and of bounded size before it is read, an array has the size that its header tells before it is made,
nothing is unpickled and nothing unpacked, and every text is free of what a terminal would obey. Each fault is one line
that names the file.
"""

from __future__ import annotations

import ast
import json
import math
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np

from docksim.config.errors import printable, shown
from docksim.result.result import ResultError

LARGEST_TEXT = 2**26  # bytes; the descriptions of the largest scenarios take a few millions
LONGEST_HEADER = 10_000  # as numpy has it
LONGEST_FAULT = 200
MAGIC = b"\x93NUMPY"
UNREADABLE = (
    *(OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError, SyntaxError),
    *(RecursionError, MemoryError, NotImplementedError, RuntimeError, struct.error, zipfile.BadZipFile, zlib.error),
)
Answer = TypeVar("Answer")


def fault(file: Path, error: BaseException) -> ResultError:
    """What is wrong with a file, in one line."""
    if isinstance(error, ResultError):
        return error
    if isinstance(error, FileNotFoundError):
        return ResultError(f"{file}: no such file")
    if isinstance(error, OSError):
        return ResultError(f"{file}: cannot be read: {error.strerror or error}")
    if isinstance(error, UnicodeDecodeError):
        return ResultError(f"{file}: damaged: not a text file")
    if isinstance(error, KeyError):
        return ResultError(f"{file}: damaged: {error.args[0]!r} is missing")
    words = {RecursionError: "nested too deeply", MemoryError: "larger than this machine's memory"}
    told = next((text for kind, text in words.items() if isinstance(error, kind)), str(error) or type(error).__name__)
    # some say all that they saw
    return ResultError(f"{file}: damaged: {printable(told.splitlines()[0][:LONGEST_FAULT])}")


@contextmanager
def plain_file(file: Path, largest: int | None = None) -> Iterator[IO[bytes]]:
    """A file opened to be read: no pipe that is waited for, no device without an end, not too large."""
    with open(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as stream:
        info = os.fstat(stream.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise ValueError("not a plain file")
        if largest is not None and info.st_size > largest:
            raise ValueError(f"{info.st_size} bytes, at most {largest} are read")
        yield stream


def read_text(file: Path) -> str:
    with plain_file(file, LARGEST_TEXT) as stream:
        return stream.read().decode("utf-8")


def read_json(file: Path, build: Callable[[Any], Answer]) -> Answer:
    """Something built from a JSON file; any surprise in its form is a fault of the file."""
    try:
        return build(from_json(read_text(file)))
    except UNREADABLE as error:
        raise fault(file, error) from error


def from_json(text: str) -> Any:
    """The content of a text in JSON: every name and word can be printed; true infinities and NaN are none."""
    return _clean(json.loads(text, parse_constant=_refuse_constant))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {printable(key): _clean(item) for key, item in value.items()}
    return value


def a_word(what: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what}: expected a text, got {shown(value)}")
    return value


def a_number(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{what}: expected a finite number, got {shown(value)}")
    return float(value)


def a_count(what: str, value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**62:
        raise ValueError(f"{what}: expected a count, got {shown(value)}")
    return value


# ---------------------------------------------------------------- arrays


def read_arrays(file: Path) -> dict[str, np.ndarray]:
    """The arrays of an uncompressed .npz by name."""
    try:
        # what is mostly holes takes no room on disk
        with plain_file(file, _memory()) as stream, zipfile.ZipFile(stream) as archive:
            members = _members(archive, os.fstat(stream.fileno()).st_size)
            return {name: _array(archive, member) for name, member in members.items()}
    except UNREADABLE as error:
        raise fault(file, error) from error


def _memory() -> int | None:
    """What this machine can hold, where it is known; asking for more may end a process instead of failing."""
    known = getattr(os, "sysconf_names", {})
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if "SC_PHYS_PAGES" in known else None


def _members(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    """Arrays by name; they must lie in the file as they are, side by side."""
    members = archive.infolist()
    if any(one.compress_type != zipfile.ZIP_STORED or one.flag_bits & 1 for one in members):
        raise ValueError("its arrays are compressed or encrypted, which docksim does not do")
    if sum(one.file_size for one in members) > size:
        raise ValueError("its arrays lie on one another")
    names = [one.filename.removesuffix(".npy") for one in members]
    if len(set(names)) < len(names):
        raise ValueError("it has an array twice")
    return dict(zip(map(printable, names), members, strict=True))


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    """An array whose header tells the size that it has, checksum and all."""
    with archive.open(member) as stream:
        dtype, shape, in_columns = _header(stream)
        content = bytearray(stream.read())
    count = math.prod(shape)
    if dtype.itemsize * count != len(content):
        raise ValueError(f"{printable(member.filename)} has {len(content)} bytes, its header tells others")
    array = np.frombuffer(content, dtype, count)
    return array.reshape(shape, order="F" if in_columns else "C")


def _header(stream: IO[bytes]) -> tuple[np.dtype, tuple[int, ...], bool]:
    magic, major = stream.read(6), stream.read(2)[:1]
    if magic != MAGIC or major not in (b"\x01", b"\x02"):
        raise ValueError("not an array")
    width = 2 if major == b"\x01" else 4
    length = int.from_bytes(stream.read(width), "little")
    if length > LONGEST_HEADER:
        raise ValueError("the header of an array is too long")
    told = ast.literal_eval(stream.read(length).decode("latin1").strip())
    dtype, shape, in_columns = (told[key] for key in ("descr", "shape", "fortran_order"))
    dtype = np.lib.format.descr_to_dtype(dtype)
    whole = isinstance(shape, tuple) and all(type(n) is int and 0 <= n < 2**48 for n in shape)
    if not whole or len(shape) > 8 or not isinstance(in_columns, bool):
        raise ValueError("the shape of an array makes no sense")
    if dtype.hasobject or dtype.itemsize == 0:
        raise ValueError("an array holds no numbers")
    return dtype, shape, in_columns

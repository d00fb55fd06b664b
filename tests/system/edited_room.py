"""A start of a program whose room may have been edited: in a process of its own, which has the compiler already.

`docksim.scratch_room` is a copy of tests/scratch_room in some folder.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any, NamedTuple

MODULE = "docksim.scratch_room"


class Start(NamedTuple):
    """What a start did, and what its functions gave."""

    origin: str
    stamp: str
    compiled: list[str]  # functions of the room
    optimised: bool
    outer: tuple[float, ...]
    last: float


def start(folder: str, cache: str) -> Start:
    """Use the room's library in a folder: from the cache, or built here."""
    import numpy as np

    import docksim
    from docksim.native import libraries, loading, storage
    from docksim.native.builder.library import build
    from docksim.native.levels import level

    # two edits within a second look alike to Python's own cache
    sys.dont_write_bytecode = True
    docksim.__path__.append(folder)
    room = importlib.import_module(f"{MODULE}.library").LIBRARY
    functions: Any = importlib.import_module(f"{MODULE}.functions")
    tables: Any = importlib.import_module(f"{MODULE}.tables")
    kept, told = Path(cache), list[str]()
    best = level()[0]
    content, _ = storage.examined(kept / libraries.file_name(room, best))
    origin = "built" if content is None else "cache"
    if content is None:
        content = build(room, best, kept / "functions", told.append)
        storage.write_whole(kept / libraries.file_name(room, best), content)
    code, why = loading.from_object(room, libraries.file_name(room, best), content, origin, best, ())
    assert code is not None, why
    libraries._LOADED[room.name] = code
    points = np.zeros(3, tables.POINT)
    points["x"], points["y"] = (1.0, 2.0, 30.0), (4.0, 5.0, 6.0)
    rest = [np.zeros(2) for _ in tables.Points._fields[1:]]
    compiled = [line.removeprefix("function ") for line in told if line.startswith(f"function {MODULE}")]
    names = sorted(name.rpartition(":")[2] for name in compiled)
    outer, last = functions.outer(1.5), functions.last(tables.Points(points, *rest))
    return Start(origin, room.stamp, names, "optimised" in told, outer, last)

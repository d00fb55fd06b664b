"""A library's entries through the front end and the back end, into one file with its record."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable
from pathlib import Path

from numba import types

from docksim.native import kinds
from docksim.native.builder.link import digest, object_code, reachable
from docksim.native.builder.types import entry_function, known_dtypes, numba_type, result_text
from docksim.native.builder.units import VERSIONS, Call, FrontEnd
from docksim.native.libraries import Library, kept_objects
from docksim.native.loading import MAGIC
from docksim.native.storage import packed_file, unpacked_file
from docksim.native.twins import OPTIONS, Twins

ADDRESSES = (types.int64, types.int64)


def build(library: Library, level: str, functions: Path | None, tell: Callable[[str], None]) -> bytes:
    """The content of a library's file for a level."""
    for name in library.entries:
        importlib.import_module(name.partition(":")[0])
    front = FrontEnd(functions, known_dtypes([m for n, m in sys.modules.items() if n.startswith("docksim.")]), tell)
    twins = Twins(front.unit)
    roots: list[Call] = []
    symbols, entries = {}, {}
    for name, arguments in library.entries.items():
        module, _, qualname = name.partition(":")
        unit = twins.of(getattr(importlib.import_module(module), qualname))
        if "inline" in unit.targetoptions:
            # here it is called
            unit = front.unit(unit.py_func, OPTIONS)
        for kind in arguments:
            if isinstance(kind, kinds.Bundle):
                front.know(numba_type(kind))
        entry = entry_function(unit, arguments)
        entry.__module__, entry.__qualname__ = "docksim.native.entry", f"{module}.{qualname}"
        root = front.unit(entry, OPTIONS)
        root.compile(ADDRESSES)
        roots.append((root, ADDRESSES))
        result = unit.overloads[tuple(map(numba_type, arguments))].signature.return_type
        symbol = symbol_of(name)
        symbols[root.lowered[ADDRESSES].symbol] = symbol
        entries[name] = {"symbol": symbol, "kinds": [kind.text for kind in arguments], "result": result_text(result)}
    front.write()
    tell(f"linking {len(front.compiled)}")
    units = reachable(roots)
    inputs = digest(units, symbols, level)
    earlier = _earlier(functions.parent if functions else None, inputs)
    code = earlier or object_code(units, symbols, level, tell)
    about = {
        "library": library.name,
        "stamp": library.stamp,
        "level": level,
        "inputs": inputs,
        "entries": entries,
        "sha256": hashlib.sha256(code).hexdigest(),
        "made_with": VERSIONS,
    }
    return packed_file(MAGIC, about, code)


def symbol_of(name: str) -> str:
    """The C name of an entry."""
    return "docksim_" + name.replace(".", "_").replace(":", "_")


def _earlier(folder: Path | None, inputs: str) -> bytes | None:
    """Object code of an earlier build of the same units: an edit that changes no code costs no LLVM."""
    for content in kept_objects(folder) if folder else ():
        about, code = unpacked_file(MAGIC, content)
        if about.get("inputs") == inputs and about.get("sha256") == hashlib.sha256(code).hexdigest():
            return code
    return None

"""Machine code taken into memory: a shared library that came with the installation, or object code by llvmlite.

Code is used only if its record says that it was made of these sources, for these tables and this level, and if it is
whole.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docksim.native import storage
from docksim.native.calls import Entry

if TYPE_CHECKING:
    from docksim.native.libraries import Library

MAGIC = b"docksim kernel 1\n"


@dataclass(frozen=True)
class Loaded:
    """Code in memory: its entries, where it came from, and why not from elsewhere."""

    origin: str  # shipped, cache, built or jit
    level: str
    entries: Mapping[str, Entry] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    alive: Any = None  # what holds the code


def shipped(one: Library, best: str, folder: Path) -> tuple[Loaded | None, str]:
    """The wheel's library, or why it is not used."""
    path = folder / f"{one.name}-{best}.so"
    if not path.exists():
        return None, f"no library for {best} came with this installation"
    try:
        about = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        why = _unfit(one, about, path.read_bytes(), best)
        if why:
            return None, f"{path.name}: {why}"
        code = ctypes.CDLL(str(path))
        entries = _entries(one, about, lambda symbol: ctypes.cast(code[symbol], ctypes.c_void_p).value or 0)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return None, f"{path.name} cannot be used ({error})"
    return Loaded("shipped", best, entries, (), code), ""


def from_object(
    one: Library, name: str, content: bytes, origin: str, best: str, reasons: tuple[str, ...]
) -> tuple[Loaded | None, str]:
    """Code of an object file of this name, or why it is not used."""
    try:
        about, code = storage.unpacked_file(MAGIC, content)
        why = _unfit(one, about, code, best)
        if why:
            return None, f"{name}: {why}"
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return Loaded(origin, best, _entries(one, about, engine.get_function_address), reasons, engine), ""
    except (ImportError, OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        return None, f"{name} cannot be used ({error})"


def _unfit(one: Library, about: Mapping[str, Any], content: bytes, best: str) -> str:
    """Why code does not fit these sources, this processor, or is damaged; empty if it fits."""
    if about.get("sha256") != hashlib.sha256(content).hexdigest():
        return "damaged: its content is not what its record says"
    if about.get("stamp") != one.stamp:
        return f"made from other sources (stamp {about.get('stamp')}, these have {one.stamp})"
    if (about.get("library"), about.get("level")) != (one.name, best):
        return f"made for {about.get('library')}, {about.get('level')}"
    told = {name: entry["kinds"] for name, entry in about["entries"].items()}
    if told != {name: [kind.text for kind in arguments] for name, arguments in one.entries.items()}:
        return "made for tables of another layout"
    return ""


def _entries(one: Library, about: Mapping[str, Any], address: Callable[[str], int]) -> dict[str, Entry]:
    entries = {}
    for name, arguments in one.entries.items():
        told = about["entries"][name]
        at = address(told["symbol"])
        if not at:
            raise ValueError(f"no function {told['symbol']} in it")
        entries[name] = Entry(name, at, arguments, told["result"])
    return entries

"""numba's front end with less to do: what it does over and over for its own sake, done once or not at all.

Nothing that is lowered changes. Where a version of numba has no such place, it stays as it is.
"""

from __future__ import annotations

import types
from contextlib import suppress
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba.core import cpu, event, ir
from numba.core.types import functions


def hasten() -> None:
    """For this process, which only builds."""
    for step in (_time_nothing, _copy_what_changes, _resolve_once, _load_once, _gather_names):
        with suppress(AttributeError):
            step()


def _time_nothing() -> None:
    """Every call of LLVM tells a watch of every function that is being compiled; nobody reads them."""
    event.register = event.unregister = lambda kind, listener: None
    llvm.ffi.lib._lock._cblist.clear()


def _copy_what_changes() -> None:
    """A function that melts is copied block by block, each with all names of the function; they serve all blocks."""
    ir.Scope.__deepcopy__ = ir.Loc.__deepcopy__ = lambda self, memo: self


def _resolve_once() -> None:
    """Which variant of an operator or a built-in function takes such types: the answer does not change."""
    resolve = functions.BaseFunction.get_call_type
    known: dict[Any, Any] = {}

    def resolved(self: Any, context: Any, args: Any, kws: Any) -> Any:
        key = (self, args, tuple(kws.items()))
        if key not in known:
            known[key] = resolve(self, context, args, kws)
        return known[key]

    functions.BaseFunction.get_call_type = resolved


def _load_once() -> None:
    """What numba imports to know all functions of its own it asks for again at each function that it looks up."""
    load = cpu.CPUContext.load_additional_registries
    cpu.CPUContext.load_additional_registries = cache(load)


def _gather_names() -> None:
    """The names that a statement uses, asked of all statements after each pass: into one list, exact types first."""
    plain = {str, int, float, bool, type(None), ir.Loc, types.BuiltinFunctionType, type}

    def gather(value: Any, names: list[Any]) -> None:
        kind = type(value)
        if kind is ir.Var:
            names.append(value)
        elif kind in plain:
            return
        elif isinstance(value, ir.Inst):
            names.extend(value.list_vars())
        elif isinstance(value, dict | list | tuple):
            for part in value.values() if isinstance(value, dict) else value:
                gather(part, names)

    def gathered(self: Any, value: Any) -> list[Any]:
        names: list[Any] = []
        gather(value, names)
        return names

    ir.Inst._rec_list_vars = gathered

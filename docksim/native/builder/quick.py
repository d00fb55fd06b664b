"""numba's front end with less to do: what it does over and over for its own sake, done once or not at all.

Nothing that is lowered changes. Where a version of numba has no such place, it stays as it is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import llvmlite.binding as llvm
from numba.core import event, ir
from numba.core.types import functions


def hasten() -> None:
    """For this process, which only builds."""
    for step in (_time_nothing, _copy_what_changes, _resolve_once):
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

"""The decorators of compiled code, which import no compiler.

A decorated function is a `Kernel`: the Python source, and how it becomes part of its callers. Called from Python it
runs as machine code: from the library that its room declares, or, for a function that no library has, by ordinary
compilation. With NUMBA_DISABLE_JIT=1 a decorated function is the plain function.

No fastmath: it would switch off the guard against NaN. No numba runtime: a kernel that allocates does not compile.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

CALLED, PURE, MELTED, APART = "called", "pure", "melted", "apart"


def plain_python() -> bool:
    """Is nothing to be compiled?"""
    return os.environ.get("NUMBA_DISABLE_JIT", "0").strip() not in ("", "0")


class NoCompilerError(RuntimeError):
    """There is no code that fits, and nothing that could make it."""


class Kernel:
    """A function that is compiled with all that it calls. `py_func` is the source; `inlining` how callers take it."""

    def __init__(self, py_func: Callable[..., Any], inlining: str) -> None:
        functools.update_wrapper(self, py_func)
        self.py_func = py_func
        self.inlining = inlining
        self._calls: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """Module and name, as libraries declare their entries."""
        return f"{self.py_func.__module__}:{self.py_func.__qualname__}"

    def __call__(self, *arguments: Any) -> Any:
        from docksim.native.calls import called

        return called(self, arguments)

    def bound(self, *tables: Any) -> Callable[..., Any]:
        """The function with its first arguments given, which is faster: they are looked at once."""
        from docksim.native.calls import bound

        return bound(self, tables)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def _decorated(inlining: str) -> Callable[[Callable[..., Any]], Any]:
    def decorate(function: Callable[..., Any]) -> Any:
        return function if plain_python() else Kernel(function, inlining)

    return decorate


# compiled, and called by what calls it
kernel = _decorated(CALLED)
# small functions of tuples, and what a step calls often: LLVM makes them part of their callers
pure = _decorated(PURE)
# long bodies of loops: part of their caller before anything is compiled. A loop whose body is still a call would be
# unrolled as cheap, and then not be spread over the lanes of a register
melted = _decorated(MELTED)
# loops over lanes, called with records that are never one and the same. LLVM is told so: else it would not spread a
# loop that reads one record and writes another over the lanes of a register
apart = _decorated(APART)


def bound(function: Any, *tables: Any) -> Callable[..., Any]:
    """A kernel, compiled or plain, with its first arguments given; their contents may change, they must not."""
    return function.bound(*tables) if isinstance(function, Kernel) else functools.partial(function, *tables)

"""Kernels as numba's dispatchers: each module's names once more, with its kernels replaced by what compiles them.

The sources themselves stay free of numba. A plain function of `docksim.algebra` that a kernel's module names is
compiled like a kernel; those on vectors and quaternions become part of their callers, as `pure` ones do.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from docksim.native.decorators import APART, CALLED, MELTED, PURE, Kernel

PLAIN_ROOM = "docksim.algebra."
PURE_FILES = ("docksim.algebra.vec3", "docksim.algebra.quat", "docksim.algebra.joints")
# no GIL, IEEE division, no allocation; what is not said numba takes from whichever caller comes first
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": False}
# APART is no option of numba's: the builder alone makes use of it
INLINING: dict[str, dict[str, Any]] = {PURE: {"forceinline": True}, MELTED: {"inline": "always"}, APART: {APART: True}}


class Twins:
    """`make(function, options)` makes a dispatcher of a plain function."""

    def __init__(self, make: Callable[[FunctionType, dict[str, Any]], Any]) -> None:
        self._make = make
        self._scopes: dict[int, dict[str, Any]] = {}
        self._made: dict[Callable[..., Any], Any] = {}

    def of(self, kernel: Any) -> Any:
        """The dispatcher of a kernel, or of a plain function that kernels call."""
        source = kernel.py_func if isinstance(kernel, Kernel) else kernel
        # a module's names hold the function itself, so this may make it already
        scope = self._scope(source.__globals__)
        if source not in self._made:
            plain = PURE if source.__module__ in PURE_FILES else CALLED
            inlining = kernel.inlining if isinstance(kernel, Kernel) else plain
            function = FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
            function.__module__, function.__qualname__ = source.__module__, source.__qualname__
            self._made[source] = self._make(function, OPTIONS | INLINING.get(inlining, {}))
        return self._made[source]

    def _scope(self, names: dict[str, Any]) -> dict[str, Any]:
        if id(names) not in self._scopes:
            scope = self._scopes[id(names)] = dict(names)
            for name, value in names.items():
                if isinstance(value, Kernel) or _is_plain(value):
                    scope[name] = self.of(value)
        return self._scopes[id(names)]


def _is_plain(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith(PLAIN_ROOM)

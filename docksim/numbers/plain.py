"""Compiled kernels as plain Python, with another `math`: the same source works on numbers of any kind.

The kernel is written in Python and compiled; a kernel taken this way runs uncompiled, and so does all that it calls, on
duals, on numbers that count, on whatever has the arithmetic. `Valued` is what such numbers have in common; `rows` turns
the kernel's tables into plain rows that can hold them.
The elementary functions that a kernel takes from `docksim.algebra.elementary` belong to `math` here: a sine stays one
sine, whose derivative is known, and does not become the arithmetic inside it.
"""

from __future__ import annotations

import math
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

COMPILED_ROOMS = ("docksim.kernel.", "docksim.chain.", "docksim.algebra.")
ELEMENTARY = "docksim.algebra.elementary"


class Valued:
    """A number that has more than its value. Comparisons look at the value alone, so branches go as for floats."""

    __slots__ = ()

    @property
    def value(self) -> float:
        raise NotImplementedError

    def __lt__(self, other: Any) -> bool:
        return self.value < value_of(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= value_of(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > value_of(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= value_of(other)


def value_of(x: Any) -> Any:
    """The value alone."""
    return x.value if isinstance(x, Valued) else x


class Rows(list[SimpleNamespace]):
    """A table as a list of rows whose fields are attributes."""

    @property
    def size(self) -> int:
        return len(self)


def rows(table: np.ndarray) -> Any:
    """A kernel's table, or array, with room for numbers of any kind; a copy."""
    if table.dtype.names is None:
        return table.astype(object)

    def cell(value: Any) -> Any:
        return value.astype(object) if isinstance(value, np.ndarray) else value.item()

    return Rows(SimpleNamespace(**{name: cell(row[name]) for name in table.dtype.names}) for row in np.asarray(table))


def bundle(tables: Any) -> SimpleNamespace:
    """All tables of a Model, State or Work, as rows."""
    return SimpleNamespace(**{name: rows(table) for name, table in tables._asdict().items()})


def plain(function: Any, maths: Any, scopes: dict[int, dict[str, Any]] | None = None) -> FunctionType:
    """A kernel, and all that it calls, as plain Python with another `math`; compiled or not.

    `scopes` are the modules' names with their kernels replaced, each module's once.
    """
    source, scopes = getattr(function, "py_func", function), {} if scopes is None else scopes
    names = source.__globals__
    if id(names) not in scopes:
        scope = scopes[id(names)] = dict(names)
        for name, value in names.items():
            inner = getattr(value, "py_func", value)
            if value is math:
                scope[name] = maths
            elif isinstance(inner, FunctionType) and inner.__module__ == ELEMENTARY:
                scope[name] = getattr(maths, getattr(value, "__name__", name), None)
            elif isinstance(inner, FunctionType) and inner.__module__.startswith(COMPILED_ROOMS):
                scope[name] = plain(value, maths, scopes)
    return FunctionType(source.__code__, scopes[id(names)], source.__name__, source.__defaults__)

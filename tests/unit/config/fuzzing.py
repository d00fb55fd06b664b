"""Extreme values in any places of a scenario."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import getitem
from typing import Any

from hypothesis import strategies as st

Place = tuple[Any, ...]
EXTREMES = [0, -1, 5e-324, 1e-300, 1e-9, 1e9, 1e300, -1e308, float("nan"), float("inf"), "x", None, True, [], {}, [1]]


def places(value: Any, path: Place = ()) -> list[Place]:
    """Paths of all keys and list items."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, inner in items for place in [(*path, key), *places(inner, (*path, key))]]


def value_at(content: Any, path: Place) -> Any:
    return reduce(getitem, path, content)


def changes_of(among: list[Place]) -> st.SearchStrategy[list[tuple[Place, Any]]]:
    """One or two places with what to write there."""
    return st.lists(st.tuples(st.sampled_from(among), st.sampled_from(EXTREMES)), min_size=1, max_size=2)


def change(content: Any, changes: Iterable[tuple[Place, Any]]) -> None:
    """Write the values into their places, as far as these are still there."""
    for (*above, key), value in changes:
        inner = content
        for part in above:
            # an earlier change may have taken the way
            inner = inner[part] if _has(inner, part) else {}
        if isinstance(inner, dict) or _has(inner, key):
            inner[key] = value


def _has(value: Any, key: Any) -> bool:
    return key in value if isinstance(value, dict) else isinstance(value, list) and key in range(len(value))

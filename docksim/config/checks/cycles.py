"""Circles in references: parents that hang on one another, events that wait for one another."""

from __future__ import annotations

from collections.abc import Callable


def find_cycle(start: str, following: Callable[[str], list[str]]) -> list[str]:
    """A way from `start` back to `start`, both ends included, or an empty list."""
    ways, seen = [[start]], {start}
    while ways:
        way = ways.pop()
        for step in following(way[-1]):
            if step == start:
                return [*way, step]
            if step not in seen:
                seen.add(step)
                ways.append([*way, step])
    return []

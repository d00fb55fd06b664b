"""A scenario before validation: plain data in which every value knows the file and line it came from.

Merging (for `use:` and for overrides) happens here:
- mappings merge key by key, lists and single values replace;
- `null` removes the key that it overrides;
- a mapping with another `type` or `kind` replaces, because the old keys belong to the old type;
- of keys that exclude each other (the forms of an attitude, altitude and mean motion) the new one drops the old;
- the conditions (`when`) and actions (`do`, `on_timeout`) of an event replace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Union

from docksim.config.scalars import Scalar

Keys = tuple[str | int, ...]
Fault = tuple[Keys, str]  # where, and what is wrong
Value = Union["dict[str, Entry]", "list[Entry]", Scalar]

DISCRIMINATORS = ("type", "kind")
REPLACED = ("when", "do", "on_timeout")
EXCLUSIVE = (
    frozenset({"quaternion", "rotation_vector_deg", "yaw_pitch_roll_deg"}),
    frozenset({"altitude_km", "mean_motion_rad_s"}),
)


@dataclass(frozen=True)
class Place:
    """Where a value was written; no line for dicts and overrides."""

    file: str
    line: int | None = None


@dataclass(frozen=True)
class Entry:
    """A value and its place: the line of its key, or of the list item; and what it was laid on top of."""

    value: Value
    place: Place
    below: Entry | None = None


def merge(base: Entry, over: Entry) -> Entry:
    """`over` laid on top of `base`; neither is changed."""
    if not isinstance(base.value, dict) or not isinstance(over.value, dict) or _changes_type(base.value, over.value):
        return _on(over, base)
    result = {key: entry for key, entry in base.value.items() if not _excluded(key, over.value)}
    for key, entry in over.value.items():
        if key not in result or key in REPLACED:
            result[key] = _on(entry, result[key]) if key in result else entry
        else:
            result[key] = merge(result[key], entry)
        if entry.value is None and key in base.value:
            del result[key]
    return Entry(result, over.place)


def _on(over: Entry, base: Entry) -> Entry:
    """The upper entry, under which the lower one goes on."""
    return Entry(over.value, over.place, base if over.below is None else _on(over.below, base))


def _changes_type(base: dict[str, Entry], over: dict[str, Entry]) -> bool:
    return any(key in base and key in over and base[key].value != over[key].value for key in DISCRIMINATORS)


def _excluded(key: str, over: dict[str, Entry]) -> bool:
    return key not in over and any(key in group and not group.isdisjoint(over) for group in EXCLUSIVE)


def entry_of(value: Any, place: Place) -> Entry:
    """Plain data that is all written at one place."""
    if isinstance(value, dict):
        return Entry({key: entry_of(item, place) for key, item in value.items()}, place)
    return Entry([entry_of(item, place) for item in value] if isinstance(value, (list, tuple)) else value, place)


def plain(entry: Entry) -> Any:
    """The data without its places."""
    if isinstance(entry.value, dict):
        return {key: plain(child) for key, child in entry.value.items()}
    if isinstance(entry.value, list):
        return [plain(child) for child in entry.value]
    return entry.value


def places(entry: Entry, path: Keys = ()) -> Iterator[tuple[Keys, Place]]:
    """The place of every value, by its path."""
    yield path, entry.place
    if isinstance(entry.value, dict):
        for key, child in entry.value.items():
            yield from places(child, (*path, key))
    elif isinstance(entry.value, list):
        for index, child in enumerate(entry.value):
            yield from places(child, (*path, index))


def every_leaf(entry: Entry, path: Keys = ()) -> Iterator[tuple[Keys, Entry]]:
    """Values that are no mappings; lists of plain values count as one."""
    if isinstance(entry.value, dict):
        for key, child in entry.value.items():
            yield from every_leaf(child, (*path, key))
    elif isinstance(entry.value, list) and any(isinstance(item.value, dict) for item in entry.value):
        for index, child in enumerate(entry.value):
            yield from every_leaf(child, (*path, index))
    else:
        yield path, entry


def nearest(known: Mapping[Keys, Place], path: Keys) -> Place:
    """The place of a value, or of the nearest mapping around it."""
    return next(known[path[:size]] for size in range(len(path), -1, -1) if path[:size] in known)


def dotted(path: Keys) -> str:
    """A path as messages show it."""
    return ".".join(str(part) for part in path)

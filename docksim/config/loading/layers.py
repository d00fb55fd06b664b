"""Where the values of a scenario come from: every file that gave one, the last first, and the phases that change it.

A device that a phase or an event sets keeps its other values; so a value is looked for under `set`, by the end of its
path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from docksim.config.errors import ScenarioError, did_you_mean, one_of
from docksim.config.loading.files import display, found_file
from docksim.config.loading.overrides import PathError, full_path, phases
from docksim.config.loading.scenario import Loading
from docksim.config.tree import Entry, Keys, Place, dotted, every_leaf, plain


class Layer(NamedTuple):
    """A value and where it is written; `phase` is the phase or event that sets it, empty for what holds at first."""

    value: Any
    place: Place
    phase: str = ""


class Given(NamedTuple):
    """A key as a file gives it: layers from the one that counts down to the lowest, and what changes it later."""

    path: str
    layers: list[Layer]
    later: list[Layer]


def given(file: Path, key: str, overrides: Mapping[str, Any] | None = None) -> list[Given]:
    """The values of a key, or of all keys that a mapping has; none if the file does not give it.

    A key that begins no path means every path that it stands in. ScenarioError for a file that cannot be read,
    LookupError for a path that leads nowhere.
    """
    loading = Loading(file, display(found_file(file)))
    tree = loading.with_overrides(loading.tree(), overrides or {}, "--set")
    if loading.problems:
        raise ScenarioError(loading.in_order())
    try:
        path = full_path(tree, key)
    except PathError as error:
        if named := [
            Given(dotted(own), _layers(one), _later(tree, own)) for own, one in every_leaf(tree) if _goes_by(own, key)
        ]:
            return named
        raise LookupError(f"{key}: {error}") from None
    entry = _at(tree, path)
    if entry is None:
        return [Given(key, [], _later(tree, tuple(path)))]
    leaves = list(every_leaf(entry, tuple(path)))
    return [Given(dotted(own), _layers(one), _later(tree, own)) for own, one in leaves]


def _goes_by(path: Keys, key: str) -> bool:
    """Whether the words of a key stand in a path, one after the other."""
    return f".{key}." in f".{'.'.join(map(str, path))}."


def _at(tree: Entry, path: list[str]) -> Entry | None:
    for i, word in enumerate(path):
        if isinstance(tree.value, list):
            numbers = {str(index): index for index in range(len(tree.value))} | phases(tree.value)
            if word not in numbers:
                raise LookupError(f"{dotted(tuple(path[:i]))} has no item '{word}'; it has {one_of(numbers)}")
            tree = tree.value[numbers[word]]
        elif isinstance(tree.value, dict):
            if i == 1 and path[0] == "vehicles" and word not in tree.value:
                raise LookupError(f"no vehicle '{word}'{did_you_mean(word, tree.value)}; it has {one_of(tree.value)}")
            if word not in tree.value:
                return None
            tree = tree.value[word]
        else:
            return None
    return tree


def _layers(entry: Entry) -> list[Layer]:
    layers: list[Layer] = []
    one: Entry | None = entry
    while one is not None:
        # a value that was pulled in twice counts once
        layer = Layer(plain(one), one.place)
        if layer not in layers:
            layers.append(layer)
        one = one.below
    return layers


def _later(tree: Entry, path: Keys) -> list[Layer]:
    """What phases and events make of the value, by the longest end of the path that any of them has."""
    if not isinstance(tree.value, dict) or path[0] in ("sequence", "events"):
        return []
    owner = str(path[1]) if path[0] == "vehicles" and len(path) > 1 else ""
    matches: list[tuple[int, Layer]] = []
    for phase, command in _commands(tree):
        device = command.value.get("device") if isinstance(command.value, dict) else None
        name = str(device.value) if device is not None else ""
        if owner and not _is_of(name.split("."), owner, path):
            continue
        for own, entry in every_leaf(command):
            size = _common_end(own, path)
            if size == len(own):
                matches.append((size, Layer(plain(entry), entry.place, f"{phase}, {name}")))
    longest = max((size for size, _ in matches), default=0)
    return [layer for size, layer in matches if size == longest]


def _is_of(device: list[str], owner: str, path: Keys) -> bool:
    """Does a device ("chaser.legs", "chaser.couplings.mean") act where a path leads?"""
    kind = "couplings" if "couplings" in path else "legs" if {"symmetric", "legs"} & set(path) else ""
    return device[0] == owner and (not kind or device[1:2] == [kind]) and (kind != "couplings" or device[-1] in path)


def _commands(tree: Entry) -> Iterator[tuple[str, Entry]]:
    """Everything under `set`, with the phase or event that does it."""
    assert isinstance(tree.value, dict)
    sequence, events = tree.value.get("sequence"), tree.value.get("events")
    named: list[tuple[str, Entry]] = []
    if sequence is not None and isinstance(sequence.value, list):
        names = {number: name for name, number in phases(sequence.value).items()}
        named += [(names.get(i, str(i)), item) for i, item in enumerate(sequence.value)]
    if events is not None and isinstance(events.value, dict):
        named += list(events.value.items())
    for name, entry in named:
        doing = entry.value.get("do") if isinstance(entry.value, dict) else None
        for action in _listed(doing):
            if isinstance(action.value, dict) and "set" in action.value:
                yield name, action.value["set"]


def _listed(entry: Entry | None) -> list[Entry]:
    if entry is None:
        return []
    return entry.value if isinstance(entry.value, list) else [entry]


def _common_end(own: Keys, path: Keys) -> int:
    size = 0
    while size < min(len(own), len(path)) and own[-1 - size] == path[-1 - size]:
        size += 1
    return size

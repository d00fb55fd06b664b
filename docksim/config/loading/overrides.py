"""Changing single keys of a scenario by dotted path: {"chaser.mass_kg": 9000}, or --set chaser.mass_kg=9000.

A path begins with a key of the scenario or with the name of a vehicle; list items go by index. A mapping as value
merges, null removes the key, anything else replaces. Changes of a `type` or `kind` come first, because they clear the
mapping they stand in.
"""

from __future__ import annotations

from typing import Any, get_origin

from docksim.config.errors import Problem, ScenarioError, did_you_mean, one_of
from docksim.config.loading.reading import Budget, NodeReader
from docksim.config.loading.shape import annotation_at, part_at
from docksim.config.loading.syntax import compose
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import DISCRIMINATORS, Entry, Keys, Place, merge, plain

COMMAND_LINE = "--set"


def parse_override(text: str) -> tuple[str, Any]:
    """`key=value` as (key, value); the value is read as in a scenario file: 1e-3, true, text, [1, 2, 3], {a: 1}."""
    key, equals, value = text.partition("=")
    key = key.strip()
    if not equals or not key:
        raise _fault(text, "expected key=value, such as chaser.mass_kg=9000")
    if not value.strip():
        raise _fault(key, "has no value after '='; give one, or null to remove the key")
    problems: list[Problem] = []
    try:
        node = compose(value, COMMAND_LINE)
        if node is None:
            raise _fault(key, "has no value after '='")
        entry = NodeReader(COMMAND_LINE, Budget(), problems).read(node)
    except ScenarioError as error:
        problems = error.problems
    if problems:
        raise ScenarioError(Problem(COMMAND_LINE, None, key, problem.message) for problem in problems)
    return key, plain(entry)


def _fault(key: str, message: str) -> ScenarioError:
    return ScenarioError([Problem(COMMAND_LINE, None, key, message)])


class PathError(Exception):
    """An override that leads nowhere."""


def apply_overrides(tree: Entry, changes: dict[str, Entry], problems: list[Problem]) -> Entry:
    """The tree with every change worked in; changes that lead nowhere become problems."""
    for text in sorted(changes, key=lambda text: text.rpartition(".")[2] not in DISCRIMINATORS):
        value = changes[text]
        try:
            path = full_path(tree, text)
            tree = _changed(tree, path, value, (), plain(tree))
        except PathError as error:
            problems.append(Problem(value.place.file, value.place.line, text, str(error)))
    return tree


def full_path(tree: Entry, text: str) -> list[str]:
    """The path from the root of the scenario."""
    path = text.split(".")
    if not all(path):
        raise PathError("not a dotted path; write it like chaser.mass_kg")
    if path[-1] == "use":
        raise PathError(
            "is worked in before overrides are; change the keys themselves, or give a mapping such as {use: file.yaml}"
        )
    if "use_chain" in path:
        raise PathError("is worked in before overrides are; change the bodies that it has made, by their names")
    keys = list(Scenario.model_fields)
    vehicles = tree.value.get("vehicles") if isinstance(tree.value, dict) else None
    names = list(vehicles.value) if vehicles is not None and isinstance(vehicles.value, dict) else []
    if path[0] in keys:
        return path
    if path[0] in names:
        return ["vehicles", *path]
    hint = did_you_mean(path[0], [*names, *keys])
    raise PathError(f"begins with neither a key of the scenario ({one_of(keys)}) nor a vehicle ({one_of(names)}){hint}")


def _changed(entry: Entry, path: list[str], value: Entry, walked: Keys, data: Any) -> Entry:
    """The entry with the value at `path` changed. `data` is the whole scenario, plain, and `walked` the way to here."""
    head, *rest = path
    if isinstance(entry.value, list):
        return Entry(_changed_items(entry.value, path, value, walked, data), entry.place)
    if not isinstance(entry.value, dict):
        raise PathError(f"leads into {'.'.join(map(str, walked))}, which is neither a mapping nor a list")
    if not rest:
        return merge(entry, Entry({head: value}, entry.place))
    child = entry.value.get(head)
    if child is None or child.value is None:
        child = _absent(entry, rest[0], value.place, (*walked, head), data)
    return Entry(entry.value | {head: _changed(child, rest, value, (*walked, head), data)}, entry.place)


def _changed_items(items: list[Entry], path: list[str], value: Entry, walked: Keys, data: Any) -> list[Entry]:
    """The items of a list with the value at `path` changed."""
    head, *rest = path
    numbers = {str(index): index for index in range(len(items))} | phases(items)
    if head not in numbers:
        where = ".".join(map(str, walked))
        names = did_you_mean(head, numbers)
        also = f" or by name ({one_of(names_of)})" if (names_of := list(phases(items))) else ""
        raise PathError(
            f"{head!r} is not an item of {where}, a list of {len(items)}; items go by number, from 0{also}{names}"
        )
    index = numbers[head]
    new = _changed(items[index], rest, value, (*walked, index), data) if rest else merge(items[index], value)
    return [*items[:index], new, *items[index + 1 :]]


def phases(items: list[Entry]) -> dict[str, int]:
    """Numbers of the phases of a sequence by their names."""
    named = ((item.value.get("phase"), index) for index, item in enumerate(items) if isinstance(item.value, dict))
    return {entry.value: index for entry, index in named if entry is not None and isinstance(entry.value, str)}


def _absent(parent: Entry, following: str, place: Place, path: Keys, data: Any) -> Entry:
    """What an absent key stands for on the way of an override: its default list, or an empty mapping."""
    if get_origin(annotation_at(data, path[:-1])) is dict:
        names = list(parent.value) if isinstance(parent.value, dict) else []
        what = ".".join(map(str, path[:-1]))
        raise PathError(f"{what} has no '{path[-1]}' (it has {one_of(names)}){did_you_mean(path[-1], names)}")
    default = _default(data, path) if following.isdigit() else None
    if isinstance(default, (list, tuple)):
        return Entry([Entry(item, place) for item in default], place)
    return Entry({}, place)


def _default(data: Any, path: Keys) -> Any:
    part = part_at(data, path[:-1])
    field = part.model_fields.get(str(path[-1])) if part is not None else None
    return field.get_default(call_default_factory=True) if field is not None else None

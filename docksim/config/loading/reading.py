"""From text or Python data to entries with places. Everything odd becomes a Problem; nothing is executed or guessed.

Text is composed to nodes (see syntax) and resolved here (see scalars). Refused: duplicate keys, merge keys, keys that
are not words, control characters, aliases that contain themselves or expand beyond all measure, and nesting deeper than
any scenario needs.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import yaml
from pydantic import BaseModel

from docksim.config.errors import Problem, ScenarioError, shown
from docksim.config.loading.syntax import DEEPEST, MOST_VALUES, TOO_DEEP, TOO_MANY
from docksim.config.scalars import resolve_scalar
from docksim.config.tree import Entry, Keys, Place, Value, dotted

LARGEST_INTEGER = 10**300
TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")


class Budget:
    """Counts the values of one scenario, so that aliases and includes cannot multiply without end."""

    def __init__(self) -> None:
        self.left = MOST_VALUES

    def spend(self, place: Place) -> None:
        self.left -= 1
        if self.left < 0:
            raise ScenarioError([Problem(place.file, place.line, "", TOO_MANY)])


class NodeReader:
    """Turns the nodes of one text into entries."""

    def __init__(self, file: str, budget: Budget, problems: list[Problem]) -> None:
        self.file = file
        self.budget = budget
        self.problems = problems
        self.open_nodes: set[int] = set()

    def read(self, node: yaml.Node, path: Keys = ()) -> Entry:
        """The entry of a node."""
        place = self.place(node)
        self.budget.spend(place)
        if isinstance(node, yaml.ScalarNode):
            return Entry(self.scalar(node, path), place)
        if id(node) in self.open_nodes:
            return self.refused(place, path, "an alias that contains itself")
        if len(path) >= DEEPEST:
            return self.refused(place, path[:3], TOO_DEEP)
        self.open_nodes.add(id(node))
        value: Value
        value = self.mapping(node, path) if isinstance(node, yaml.MappingNode) else self.sequence(node, path)
        self.open_nodes.discard(id(node))
        return Entry(value, place)

    def place(self, node: yaml.Node) -> Place:
        return Place(self.file, node.start_mark.line + 1)

    def refused(self, place: Place, path: Keys, message: str) -> Entry:
        self.problems.append(Problem(place.file, place.line, dotted(path), message))
        return Entry(None, place)

    def scalar(self, node: yaml.ScalarNode, path: Keys) -> Value:
        if node.style is None:
            return resolve_scalar(node.value)
        why = odd_text(node.value)
        if why:
            self.refused(self.place(node), path, why)
            return ""
        return str(node.value)

    def sequence(self, node: yaml.Node, path: Keys) -> list[Entry]:
        return [self.read(child, (*path, index)) for index, child in enumerate(node.value)]

    def mapping(self, node: yaml.Node, path: Keys) -> dict[str, Entry]:
        result: dict[str, Entry] = {}
        for key_node, child in node.value:
            place = self.place(key_node)
            key = self.key(key_node, path)
            if key is None:
                continue
            if key in result:
                first = result[key].place.line
                self.refused(place, (*path, key), f"duplicate key; first given in line {first}: keep one of them")
                continue
            result[key] = Entry(self.read(child, (*path, key)).value, place)
        return result

    def key(self, node: yaml.Node, path: Keys) -> str | None:
        """The key of a mapping, or None after reporting that it cannot be one."""
        if not isinstance(node, yaml.ScalarNode) or odd_text(node.value):
            self.refused(self.place(node), path, "a key must be a plain word")
            return None
        if node.style is None and node.value == "<<":
            message = (
                "merge keys '<<' are not supported; put the shared keys in a file and pull it in with 'use: file.yaml'"
            )
            self.refused(self.place(node), path, message)
            return None
        return str(node.value)


def odd_text(value: str) -> str:
    """Why a text cannot stand in a file: a lone surrogate cannot be written, a terminal would obey the others."""
    if value.isprintable():
        return ""
    odd = next((letter for letter in value if letter not in "\n\t" and _is_odd(letter)), None)
    if odd is None:
        return ""
    if unicodedata.category(odd) == "Cs":
        return "text with characters that do not exist in Unicode"
    return f"text with the control character U+{ord(odd):04X}"


def _is_odd(letter: str) -> bool:
    """Control characters, those that turn the direction of writing, and halves of pairs."""
    return unicodedata.category(letter) in ("Cc", "Cs") or unicodedata.bidirectional(letter) in TURNING


class DataReader:
    """Turns Python data (dicts, lists, numbers, numpy values, parts of a Scenario) into entries."""

    def __init__(self, file: str, budget: Budget, problems: list[Problem]) -> None:
        self.place = Place(file)
        self.budget = budget
        self.problems = problems

    def read(self, value: Any, path: Keys = ()) -> Entry:
        """The entry of a value."""
        self.budget.spend(self.place)
        if isinstance(value, BaseModel):
            value = value.model_dump(exclude_none=True)
        elif hasattr(value, "tolist") and callable(value.tolist):
            value = value.tolist()  # numpy arrays and scalars
        return Entry(self.value(value, path), self.place)

    def value(self, value: Any, path: Keys) -> Value:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, (str, PurePath)):
            why = odd_text(str(value))
            return self.refused(path, why) if why else str(value)
        if isinstance(value, int):
            return (
                int(value) if abs(value) < LARGEST_INTEGER else self.refused(path, "a number of more than 300 digits")
            )
        if isinstance(value, float):
            return float(value)
        if len(path) >= DEEPEST:
            return self.refused(path[:3], TOO_DEEP)
        if isinstance(value, Mapping):
            return {key: self.read(child, (*path, key)) for key, child in value.items() if self.is_key(key, path)}
        if isinstance(value, (list, tuple)):
            return [self.read(child, (*path, index)) for index, child in enumerate(value)]
        return self.refused(path, f"a value of type {type(value).__name__} cannot stand in a scenario")

    def is_key(self, key: Any, path: Keys) -> bool:
        if isinstance(key, str) and not odd_text(key):
            return True
        self.refused(path, f"a key must be a plain word, not {shown(key)}")
        return False

    def refused(self, path: Keys, message: str) -> Value:
        self.problems.append(Problem(self.place.file, self.place.line, dotted(path), message))
        return None

"""From text or Python data to entries with places. Everything odd becomes a Problem; nothing is executed or guessed.

Text is composed to nodes by PyYAML and resolved here (see scalars). Refused: duplicate keys, merge keys, tags, keys
that are not words, aliases that contain themselves or expand beyond all measure, and nesting deeper than any scenario
needs.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import yaml
from pydantic import BaseModel

from docksim.config.errors import Problem, ScenarioError, shown
from docksim.config.scalars import resolve_scalar
from docksim.config.tree import Entry, Keys, Place, Value, dotted

MOST_VALUES = 200_000
DEEPEST = 40
TOO_DEEP = f"nested more than {DEEPEST} levels deep"
TOO_MANY = f"expands to more than {MOST_VALUES} values; too many aliases, or data too large for a scenario"
LARGEST_INTEGER = 10**300


class Budget:
    """Counts the values of one scenario, so that aliases and includes cannot multiply without end."""

    def __init__(self) -> None:
        self.left = MOST_VALUES

    def spend(self, place: Place) -> None:
        self.left -= 1
        if self.left < 0:
            raise ScenarioError([Problem(place.file, place.line, "", TOO_MANY)])


class _Composer(yaml.SafeLoader):
    """Nodes only, and no tags: a tag is how YAML asks for objects."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()
        if getattr(event, "tag", None) is not None:
            raise yaml.composer.ComposerError(
                None, None, f"tags such as {event.tag!r} are not supported", event.start_mark
            )
        return super().compose_node(parent, index)


@functools.lru_cache(maxsize=64)
def compose(text: str, file: str) -> yaml.Node | None:
    """The node tree of a text, which is only read; a syntax error becomes a ScenarioError with its line.

    The latest ones are kept: scenarios share what they `use`, and composing is most of loading.
    """
    try:
        return yaml.compose(text, Loader=_Composer)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else None
        raise ScenarioError([Problem(file, line, "", _syntax_message(error))]) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"character U+{error.character:04X} is not allowed in YAML text"
        raise ScenarioError([Problem(file, line, "", message)]) from None
    except RecursionError:
        raise ScenarioError([Problem(file, None, "", TOO_DEEP)]) from None
    except (ValueError, OverflowError, IndexError) as error:
        raise ScenarioError([Problem(file, None, "", f"not valid YAML: {error}")]) from None


def _syntax_message(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or error.context or "cannot be read"
    if "'\\t'" in problem:
        return "YAML syntax: a tab where only spaces may stand; indent with spaces"
    if "found another document" in problem:
        return "YAML syntax: a second document starts here; a scenario is one document, without '---' inside"
    if "mapping values are not allowed" in problem:
        return (
            f"YAML syntax: {problem}; text with ': ' in it needs quotes, and the keys of a mapping the same indentation"
        )
    return f"YAML syntax: {problem}"


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
        if not is_text(node.value):
            self.refused(self.place(node), path, "text with characters that do not exist in Unicode")
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
        if not isinstance(node, yaml.ScalarNode) or not is_text(node.value):
            self.refused(self.place(node), path, "a key must be a plain word")
            return None
        if node.style is None and node.value == "<<":
            message = (
                "merge keys '<<' are not supported; put the shared keys in a file and pull it in with 'use: file.yaml'"
            )
            self.refused(self.place(node), path, message)
            return None
        return str(node.value)


def is_text(value: str) -> bool:
    """Whether the text can be written as UTF-8 (a lone surrogate cannot)."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


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
            return (
                str(value)
                if is_text(str(value))
                else self.refused(path, "text with characters that do not exist in Unicode")
            )
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
        if isinstance(key, str) and is_text(key):
            return True
        self.refused(path, f"a key must be a plain word, not {shown(key)}")
        return False

    def refused(self, path: Keys, message: str) -> Value:
        self.problems.append(Problem(self.place.file, self.place.line, dotted(path), message))
        return None

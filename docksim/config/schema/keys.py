"""Every key of the files that docksim reads, found by its path: what it means, its unit, default, bounds and place.

Read from the JSON schemas, so nothing is written down twice. A path may go through names (`vehicles.chaser.mass_kg`) or
stand for any (`vehicles.<name>.mass_kg`); numbers and names of items of lists may be left out. What does not begin with
a key of a scenario begins with the name of a vehicle, or is the end of paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from docksim.config.errors import closest, did_you_mean, one_of, shown
from docksim.config.schema.berthing import BerthingPlan
from docksim.config.schema.chain import Chain
from docksim.config.schema.chain_task import ChainTask
from docksim.config.schema.editor import USE, strict_scenario
from docksim.config.schema.fields import Part
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.study import Study
from docksim.config.units import UNITS, split_unit

NAME, ITEM = "<name>", "<item>"
ROOTS: dict[str, type[Part]] = {
    "scenario": Scenario,
    "study": Study,
    "chain": Chain,
    "chain task": ChainTask,
    "berthing plan": BerthingPlan,
}
DEEPEST = 12
_BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
PLAIN = {"number": "number", "integer": "whole number", "boolean": "true or false", "string": "text"}
Node = dict[str, Any]


class Key(NamedTuple):
    """A key in one of its places. `part` is the kind of mapping it stands in, when there are several."""

    file: str  # kind of file
    path: tuple[str, ...]
    meaning: str
    kind: str
    unit: str
    default: str
    bounds: str
    part: str = ""
    route: tuple[str, ...] = ()  # the path with all names and items standing for any

    @property
    def text(self) -> str:
        """The path as it is written."""
        return ".".join(self.path)


class UnknownKey(LookupError):
    """A path that leads nowhere, with what there is instead."""


def find(path: str) -> list[Key]:
    """All keys that a path means; what begins with no key of a file and no vehicle means every path with that end."""
    words = [word for word in path.strip(".").split(".") if word]
    if not words:
        raise UnknownKey("no key given; docksim explain --recursive lists all, docksim explain approach is one")
    if len(words) == 1 and words[0] not in _schema("scenario")["properties"]:
        return _named(words[0])
    files = [file for file in ROOTS if words[0] in _schema(file)["properties"]]
    keys, faults = [], []
    for file in files:
        try:
            keys += _walked(file, words)
        except UnknownKey as error:
            faults.append(error)
    if files:
        if not keys:
            raise faults[0]
        return keys
    try:
        return _walked("scenario", ["vehicles", *words])
    except UnknownKey as error:
        if ends := [key for key in all_keys() if key.path[-len(words) :] == tuple(words)]:
            return ends
        raise UnknownKey(f"{error}{_another_first(words)}") from None


def below(key: Key) -> Iterator[Key]:
    """A key and all that may stand in it, in the order of the schema."""
    nodes = [own for own in _nodes(key.file, list(key.path)) if _key(key.file, own, key.path) == key]
    yield from _tree(key.file, [own.place for own in nodes], key.path, nodes[0].route)


@cache
def all_keys() -> tuple[Key, ...]:
    """Every key of every kind of file, once for each mapping it may stand in."""
    keys = []
    for file in ROOTS:
        for name, node in _schema(file)["properties"].items():
            keys += list(_tree(file, [(_schema(file)["title"], name, node, _schema(file))], (name,), (name,)))
    return tuple(keys)


def containing(word: str) -> list[Key]:
    """Keys with a word in their name or meaning."""
    small = word.lower()
    keys = [key for key in all_keys() if small in key.path[-1].lower() or small in key.meaning.lower()]
    if not keys:
        words = {
            part for key in all_keys() for part in re.findall(r"[a-z]{3,}", f"{key.path[-1]} {key.meaning}".lower())
        }
        raise UnknownKey(f"no key has {shown(word)} in its name or meaning{did_you_mean(word, words)}")
    return keys


def _another_first(words: list[str]) -> str:
    """A hint at the key that a path may have been meant to begin with, instead of the name of a vehicle."""
    first = closest(words[0], _schema("scenario")["properties"])
    try:
        meant = _walked("scenario", [first, *words[1:]]) if first else []
    except UnknownKey:
        meant = []
    return f"; or was '{meant[0].text}' meant?" if meant else ""


def _named(word: str) -> list[Key]:
    same = [key for key in all_keys() if key.path[-1] == word]
    if same:
        return same
    names = {key.path[-1] for key in all_keys()}
    raise UnknownKey(
        f"no key '{word}'{did_you_mean(word, names)}; docksim explain --find {word} searches the texts too"
    )


# ---------------------------------------------------------------- the schema as a tree

Place = tuple[str, str, Node, Node]  # kind of mapping, key, its node, the mapping's node


class Reached(NamedTuple):
    """A place and the way to it, with all names and items standing for any."""

    place: Place
    route: tuple[str, ...]


@cache
def _schema(file: str) -> Node:
    if file != "scenario":
        return ROOTS[file].model_json_schema()
    schema: Node = strict_scenario()
    use = {**USE, "default": None, "description": f"{USE['description']} It may stand in any mapping."}
    return {**schema, "properties": {"use": use, **schema["properties"]}}


def _parts(file: str, node: Node) -> Iterator[Node]:
    """What a node may be, references and alternatives followed; never null."""
    if "$ref" in node:
        yield from _parts(file, _schema(file)["$defs"][node["$ref"].rpartition("/")[2]])
    elif kinds := node.get("anyOf") or node.get("oneOf"):
        for kind in kinds:
            yield from _parts(file, kind)
    elif node.get("type") != "null":
        yield node


def _children(file: str, node: Node) -> Iterator[Place]:
    """Keys, names and items that may stand in what a node may be."""
    for part in _parts(file, node):
        title = str(part.get("title", ""))
        yield from ((title, name, child, part) for name, child in part.get("properties", {}).items())
        names = [*part.get("patternProperties", {}).values(), part.get("additionalProperties")]
        yield from ((title, NAME, child, part) for child in names if isinstance(child, dict))
        items = [part.get("items"), *part.get("prefixItems", [])]
        yield from ((title, ITEM, child, part) for child in items[:2] if isinstance(child, dict))


def _nodes(file: str, words: list[str]) -> list[Reached]:
    """Every place that a path leads to; numbers of items may be left out."""
    reached = [Reached(("", "", _schema(file), {}), ())]
    for i, word in enumerate(words):
        options = [option for one in reached for option in _through(file, one, word)]
        if not options:
            known = list(dict.fromkeys(name for one in reached for name in _plain(file, one.place[2])))
            where = ".".join(words[:i]) or f"a {file}"
            hint = did_you_mean(word, known)
            raise UnknownKey(f"{where} has no key '{word}'{hint}; it has {one_of(known)}")
        reached = options
    return reached


def _through(file: str, one: Reached, word: str) -> list[Reached]:
    children = [Reached(child, (*one.route, child[1])) for child in _children(file, one.place[2])]
    exact = [child for child in children if child.place[1] == word]
    named = [child for child in children if child.place[1] == NAME]
    listed = [child for child in children if child.place[1] == ITEM]
    if exact or named:
        return exact or named
    if word.isdigit() or word == ITEM:
        return listed
    # the name of an item, such as a phase, or a key of it
    deeper = [
        Reached(inner, (*item.route, word))
        for item in listed for inner in _children(file, item.place[2]) if inner[1] == word
    ]  # fmt: skip
    return deeper or [
        item for item in listed if any(name == "phase" for _, name, _, _ in _children(file, item.place[2]))
    ]


def _plain(file: str, node: Node) -> list[str]:
    """Keys that may follow, those of the items of a list with them."""
    names = [name for _, name, _, _ in _children(file, node)]
    items = [name for _, own, child, _ in _children(file, node) if own == ITEM for name in _plain(file, child)]
    return [name for name in names if name != ITEM] + items


def _walked(file: str, words: list[str]) -> list[Key]:
    return list(dict.fromkeys(_key(file, one, tuple(words)) for one in _nodes(file, words)))


def _tree(
    file: str, places: list[Place], path: tuple[str, ...], route: tuple[str, ...], inside: tuple[str, ...] = ()
) -> Iterator[Key]:
    """Keys in depth-first order; a kind of mapping that contains itself is shown once."""
    seen: set[Key] = set()
    for one in places:
        key = _key(file, Reached(one, route), path)
        if key not in seen and path[-1] not in (NAME, ITEM):
            seen.add(key)
            yield key
        groups: dict[str, list[Place]] = {}
        for child in _children(file, one[2]):
            if child[0] not in inside or child[0] == "":
                groups.setdefault(child[1], []).append(child)
        for name, members in groups.items():
            if len(path) < DEEPEST:
                kinds = tuple({member[0] for member in members if member[1] not in (NAME, ITEM)})
                yield from _tree(file, members, (*path, name), (*route, name), (*inside, *kinds))


# ---------------------------------------------------------------- what is said of a key


def _key(file: str, reached: Reached, path: tuple[str, ...]) -> Key:
    part, name, node, around = reached.place
    kinds = list(_parts(file, node))
    meaning = node.get("description") or next((str(kind["description"]) for kind in kinds if "description" in kind), "")
    unit = UNITS.get(split_unit(name)[1], "")
    tag = around.get("properties", {}).get("type", around.get("properties", {}).get("kind", {}))
    own = tag.get("const") or part
    return Key(
        file, path, meaning, " or ".join(dict.fromkeys(_kind(file, kind) for kind in kinds)) or "anything", unit,
        _default(node, name, around), "; ".join(dict.fromkeys(filter(None, map(_bounds, kinds)))), str(own),
        reached.route,
    )  # fmt: skip


def _kind(file: str, node: Node) -> str:
    if "const" in node:
        return f"'{node['const']}'"
    if "enum" in node:
        return "one of " + ", ".join(map(str, node["enum"]))
    kind = node.get("type", "")
    if kind == "array":
        count = node.get("maxItems") if node.get("maxItems") == node.get("minItems") else None
        items = [node["items"]] if isinstance(node.get("items"), dict) else node.get("prefixItems", [])[:1]
        inner = " or ".join(dict.fromkeys(_kind(file, one) for item in items for one in _parts(file, item)))
        return f"list of {f'{count} ' if count else ''}{inner or 'values'}"
    if kind == "object":
        return f"mapping ({node['title']})" if "properties" in node else "mapping of names"
    return PLAIN.get(str(kind), str(kind))


def _default(node: Node, name: str, around: Node) -> str:
    if name in (NAME, ITEM):
        return ""
    if name in around.get("required", ()):
        return "required"
    value = node.get("default")
    if value is None:
        return "none; may be left out"
    if isinstance(value, dict | list):
        return "empty" if not value else str(value) if len(str(value)) < 60 else "a mapping of its own"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _bounds(node: Node) -> str:
    if node.get("type") == "array" and isinstance(node.get("items"), dict):
        return _bounds(node["items"])
    if "maximum" in node and node.get("minimum") == -node["maximum"]:
        return f"within ±{node['maximum']:g}"
    return " and ".join(f"{sign} {node[word]:g}" for word, sign in _BOUNDS.items() if word in node)

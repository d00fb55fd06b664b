"""What comes with docksim: scenarios, studies and parts, by name, with what they say of themselves, and as examples."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from docksim.config.errors import ScenarioError
from docksim.config.loading.files import data_root
from docksim.config.loading.includes import read_mapping
from docksim.config.loading.layers import Layer
from docksim.config.loading.reading import Budget
from docksim.config.tree import Entry, Keys, Place, places, plain

FOLDERS = ("scenarios", "studies", "configs")
_DESCRIPTION = re.compile(r"^description:\s*(.*)$", re.MULTILINE)


class Shipped(NamedTuple):
    """A file that comes with docksim."""

    name: str  # as commands take it
    file: Path
    about: str


@cache
def shipped(folder: str) -> tuple[Shipped, ...]:
    """All of one folder; parts by their path within it."""
    root = data_root()
    return tuple(
        Shipped(file.relative_to(root).as_posix() if folder == "configs" else file.stem, file, _about(file))
        for file in sorted((root / folder).rglob("*.yaml"))
    )


def _about(file: Path) -> str:
    """Its description, or its first comment."""
    text = file.read_text(encoding="utf-8")
    told = _DESCRIPTION.search(text)
    if told:
        return told[1].strip("\"' ")
    comment = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("# "))
    first, _, _ = " ".join(comment).partition(". ")
    return first.rstrip(".")


def example(path: tuple[str, ...]) -> Layer | None:
    """A value of the key in a file that comes with docksim; the one whose own path agrees with most of the key's."""
    key, best, longest = path[-1], None, 0
    asked = re.compile(rf"(^|[\s{{,]){re.escape(key)}\s*:")
    for file in (one for folder in FOLDERS for one in shipped(folder)):
        if not asked.search(file.file.read_text(encoding="utf-8")):
            continue
        name = file.file.relative_to(data_root()).as_posix()
        tree = _parsed(file.file, name)
        for own, _ in places(tree):
            size = _agreeing(own, path)
            if own and own[-1] == key and size > longest:
                best, longest = Layer(plain(_at(tree, own)), Place(name, _at(tree, own).place.line)), size
        if longest >= len(path):
            break
    return best


@cache
def _parsed(file: Path, name: str) -> Entry:
    try:
        return read_mapping(file, name, Budget(), [], [])
    except ScenarioError:
        return Entry({}, Place(name))


def _at(tree: Entry, path: Keys) -> Entry:
    for word in path:
        inside: Any = tree.value
        tree = inside[word]
    return tree


def _agreeing(own: Keys, path: tuple[str, ...]) -> int:
    """How many words at the end of both paths agree; the names of parts and items may be any. 0 unless one of the
    paths ends there."""
    given = [str(word) for word in own if not isinstance(word, int)]
    asked = [word for word in path if word != "<item>" and not word.isdigit()]
    size = 0
    while size < min(len(given), len(asked)):
        a, b = given[-1 - size], asked[-1 - size]
        if a != b and b != "<name>" and not (size and asked[-2 - size : -1 - size] == ["vehicles"]):
            break
        size += 1
    return size if size in (len(given), len(asked)) else 0

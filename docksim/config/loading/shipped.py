"""What comes with docksim: scenarios, studies and parts, by name, with what they say of themselves, and as examples."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docksim.config.errors import ScenarioError
from docksim.config.loading.files import data_root
from docksim.config.loading.includes import read_mapping
from docksim.config.loading.layers import Layer
from docksim.config.loading.reading import Budget
from docksim.config.schema.keys import ITEM, NAME
from docksim.config.tree import Entry, Place, plain

FOLDERS = ("scenarios", "studies", "configs")
# what the files of a folder are: a kind of file, or a part of a scenario, where dots stand for any depth
KINDS = {"studies": "study", "boxes": "study", "chains": "chain", "tasks": "chain task"}
PARTS = {
    "vehicles": ("vehicles", NAME),
    "structures": ("vehicles", NAME),
    "mechanisms": ("...", "mechanism"),
    "interfaces": ("...", "interface"),
    "hooks": ("...", "hooks"),
}
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
    text = _text(file)
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


def example(file: str, route: tuple[str, ...], inside: Collection[str] = ()) -> Layer | None:
    """A value of a key in a file that comes with docksim: of that kind of file, or of the part that the key stands in.
    A mapping has only keys out of `inside`, at any depth, if there are any."""
    asked = re.compile(rf"(^|[\s{{,]){re.escape(route[-1])}\s*:", re.MULTILINE)
    for own in (one for folder in FOLDERS for one in shipped(folder)):
        name = own.file.relative_to(data_root()).as_posix()
        if not asked.search(_text(own.file)):
            continue
        tree = _parsed(own.file, name)
        kind, head = _stands(name, tree)
        for words, entry in _entries(tree, head) if kind == file else ():
            if same_key(words, tuple(word for word in route if word != ITEM)) and _fits(entry, inside):
                return Layer(plain(entry), entry.place)
    return None


def _stands(name: str, tree: Entry) -> tuple[str, tuple[str, ...]]:
    """The kind of file that a shipped file is, or is part of, and where in it."""
    folder, keys = name.split("/")[-2], tree.value if isinstance(tree.value, dict) else {}
    if "setup" in keys:
        return "berthing plan", ()
    if folder == "appendages":
        return "scenario", ("...", "beams" if "segments" in keys else "bodies", NAME)
    return KINDS.get(folder, "scenario"), PARTS.get(folder, ())


def _fits(entry: Entry, inside: Collection[str]) -> bool:
    words = [word for path, _ in _entries(entry, ()) for word in path]
    return not inside or set(words) <= {*inside, "use"}


def _entries(entry: Entry, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Entry]]:
    """Every value by its path, items of lists without their numbers."""
    yield words, entry
    if isinstance(entry.value, dict):
        for key, child in entry.value.items():
            yield from _entries(child, (*words, key))
    elif isinstance(entry.value, list):
        for child in entry.value:
            yield from _entries(child, words)


def same_key(given: tuple[str, ...], asked: tuple[str, ...]) -> bool:
    """Whether a path in a file is that of a key: names may be any, and "..." at the front any way to a part."""
    if given[:1] == ("...",):
        asked, given = asked[max(0, len(asked) - len(given) + 1) :], given[1:]
    return len(given) == len(asked) and all(b in (a, NAME) for a, b in zip(given, asked))


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@cache
def _parsed(file: Path, name: str) -> Entry:
    try:
        return read_mapping(file, name, Budget(), [], [])
    except ScenarioError:
        return Entry({}, Place(name))

"""`use: path` (or a list of paths, later ones win): pulls the mapping of another file in; the keys beside it override.

A path is looked up from the folder of the file that names it, then in the scenario's tree, then in docksim's own data
(see files).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docksim.config.errors import Problem, ScenarioError, shown
from docksim.config.loading.files import display, read_text, resolve_use
from docksim.config.loading.reading import Budget, NodeReader
from docksim.config.loading.syntax import compose
from docksim.config.loading.urdf import SUFFIXES, UrdfChoice, urdf_mapping
from docksim.config.tree import Entry, Keys, Place, dotted, merge, plain

LONGEST_CHAIN = 20
MOST_USES = 2_000
TOO_MANY = f"more than {MOST_USES} files pulled in, counting repetitions; do the files use one another many times over?"


@dataclass(frozen=True)
class Origin:
    """The file being expanded: its folder, and the files that led to it (itself last)."""

    folder: Path
    chain: tuple[Path, ...] = ()


class Includer:
    """Replaces every `use` in a tree of entries by what it names. Problems are collected."""

    def __init__(self, root: Path, budget: Budget, problems: list[Problem]) -> None:
        self.root = root
        self.budget = budget
        self.problems = problems
        self.absent: list[Keys] = []  # the mappings that lack what a `use` should have brought
        self.parsed: dict[Path, Entry | None] = {}
        self.uses = 0
        self.notes: list[str] = []

    def expand(self, entry: Entry, origin: Origin, path: Keys = ()) -> Entry:
        """The entry with all its `use` keys worked in."""
        self.budget.spend(entry.place)
        if isinstance(entry.value, list):
            items = [self.expand(item, origin, (*path, index)) for index, item in enumerate(entry.value)]
            return Entry(items, entry.place)
        if path[-1:] == ("mesh_file",) and isinstance(entry.value, str):
            beside = origin.folder / entry.value
            return Entry(str(beside) if beside.is_file() else entry.value, entry.place)
        if not isinstance(entry.value, dict):
            return entry
        own = {key: self.expand(child, origin, (*path, key)) for key, child in entry.value.items() if key != "use"}
        result = Entry({}, entry.place)
        if "use" in entry.value:
            for text, place in self.named(entry.value["use"], path):
                base = self.included(text, place, origin, path)
                result = merge(result, base)
        return merge(result, Entry(own, entry.place))

    def named(self, use: Entry, path: Keys) -> list[tuple[str, Place]]:
        """The paths that a `use` names."""
        items = use.value if isinstance(use.value, list) else [use]
        if not items:
            self.refuse(use.place, path, "an empty list; name the files, or leave the key out")
        texts = [(item.value, item.place) for item in items if isinstance(item.value, str) and item.value]
        if len(texts) != len(items):
            wrong = next(item for item in items if not isinstance(item.value, str) or not item.value)
            self.refuse(wrong.place, path, f"expected the path of a file, or a list of paths, got {_described(wrong)}")
        return texts

    def included(self, text: str, place: Place, origin: Origin, path: Keys) -> Entry:
        """The expanded mapping of an included file; an empty one after a problem."""
        nothing = Entry({}, place)
        self.uses += 1
        if self.uses > MOST_USES:
            raise ScenarioError([Problem(place.file, place.line, dotted((*path, "use")), TOO_MANY)])
        try:
            file = resolve_use(text, origin.folder, self.root)
        except LookupError as error:
            self.refuse(place, path, str(error.args[0]))
            return nothing
        if file in origin.chain:
            chain = " -> ".join(display(link) for link in (*origin.chain[origin.chain.index(file) :], file))
            self.refuse(place, path, f"cyclic include: {chain}")
            return nothing
        if len(origin.chain) >= LONGEST_CHAIN:
            self.refuse(place, path, f"more than {LONGEST_CHAIN} files that use one another")
            return nothing
        content = self.parse(file)
        if content is None:
            self.absent.append(path)
            return nothing
        expanded = self.expand(content, Origin(file.parent, (*origin.chain, file)), path)
        return Entry(expanded.value, place)

    def parse(self, file: Path) -> Entry | None:
        """The mapping in a file, read once; None after a problem."""
        if file not in self.parsed:
            try:
                self.parsed[file] = read_mapping(file, display(file), self.budget, self.problems, self.notes)
            except ScenarioError as error:
                self.problems += error.problems
                self.parsed[file] = None
        return self.parsed[file]

    def refuse(self, place: Place, path: Keys, message: str) -> None:
        self.absent.append(path)
        self.problems.append(Problem(place.file, place.line, dotted((*path, "use")), message))


def _described(entry: Entry) -> str:
    if isinstance(entry.value, dict):
        return "a mapping"
    return "a list" if isinstance(entry.value, list) else shown(entry.value)


def read_mapping(
    file: Path, name: str, budget: Budget, problems: list[Problem], notes: list[str], choice: UrdfChoice | None = None
) -> Entry:
    """The mapping in a file, not yet expanded. What makes the whole file useless is raised, the rest is collected.

    A URDF is read as a chain; `choice` says which of its joints move.
    """
    if file.suffix.lower() in SUFFIXES:
        return urdf_mapping(read_text(file, name), name, file.resolve().parent, choice or UrdfChoice(), notes)
    return mapping_in(read_text(file, name), name, budget, problems)


def content_of(text: str, name: str) -> dict[str, Any]:
    """The mapping in a text of our own, as plain data."""
    content: dict[str, Any] = plain(mapping_in(text, name, Budget(), []))
    return content


def mapping_in(text: str, name: str, budget: Budget, problems: list[Problem]) -> Entry:
    """The mapping in a text."""
    node = compose(text, name)
    if node is None:
        raise ScenarioError([Problem(name, None, "", "file is empty; a mapping of keys is expected")])
    entry = NodeReader(name, budget, problems).read(node)
    if not isinstance(entry.value, dict):
        given = "a list" if isinstance(entry.value, list) else shown(entry.value)
        raise ScenarioError(
            [Problem(name, entry.place.line, "", f"expected a mapping of keys at the top, got {given}")]
        )
    return entry

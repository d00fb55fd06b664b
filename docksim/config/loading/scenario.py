"""From a scenario file, or the same content as a dict, to a checked Scenario, or to a list of all its faults.

A docking mechanism or interface can be loaded by itself in the same way.

The order: read, pull in what `use` names, apply overrides, validate against the schema, then check what only the
whole scenario can tell; of a scenario that is not valid, what its sound parts can tell (see repair). What is left of a
scenario that is valid has sequence and approach written out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from docksim.config.checks.chain import check_chain
from docksim.config.checks.mechanism import check_mechanism
from docksim.config.checks.scenario import check_scenario
from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.explain import data_path, explain
from docksim.config.loading.files import display, found_file, tree_root, used_file
from docksim.config.loading.includes import Includer, Origin, read_mapping
from docksim.config.loading.overrides import apply_overrides
from docksim.config.loading.reading import Budget, DataReader
from docksim.config.loading.repair import check_repaired
from docksim.config.loading.syntax import TOO_DEEP
from docksim.config.loading.urdf import SUFFIXES, UrdfChoice
from docksim.config.loading.use_chain import with_chains
from docksim.config.schema.chain import Chain
from docksim.config.schema.fields import Part
from docksim.config.schema.interface import Interface
from docksim.config.schema.mechanism import Mechanism
from docksim.config.schema.scenario import Scenario, with_sequence
from docksim.config.schema.use_chain import UseChain
from docksim.config.tree import Entry, Fault, Keys, Place, dotted, nearest, places, plain

Source = str | PathLike[str] | Mapping[str, Any] | Scenario
MechanismSource = str | PathLike[str] | Mapping[str, Any] | Mechanism
InterfaceSource = str | PathLike[str] | Mapping[str, Any] | Interface
Root = TypeVar("Root", bound=Part)

# what a file is that is not what was asked for, by the first of these keys that it has, and what to do with it
PARTS = {
    "vehicles": "a scenario: docksim run {0} runs it",
    "setup": "the plan of a berthing: docksim berth plan {0} makes the program",
    "chain": "a task of a chain: docksim chain simulate {0} is one of the commands that take it",
    "denavit_hartenberg": "a chain: docksim chain inspect {0} tells it; a vehicle has it by use_chain: {{file: {0}}}",
    "dispersions": "part of a study, which takes it by use: {0}",
    "ring": "a mechanism: docksim mechanism inspect {0} looks at it; a vehicle has it by mechanism: {{use: {0}}}",
    **dict.fromkeys(
        ("petals", "pins"),
        "an interface: docksim interface show {0} looks at it; a port has it by interface: {{use: {0}}}",
    ),
    "preload_N": "the hooks of a port, which has them by hooks: {{use: {0}}}",
    **dict.fromkeys(
        ("mass_kg", "bodies"),
        "part of a scenario, as a vehicle or a body is: vehicles: {{NAME: {{use: {0}}}}} takes it",
    ),
}


def load_scenario(
    source: Source, overrides: Mapping[str, Any] | None = None, *, override_origin: str = "<override>"
) -> Scenario:
    """The checked scenario in a file or dict, with `overrides` (dotted path to value) applied.

    Raises ScenarioError with every problem. `override_origin` is what messages show as the place of an override; the
    command line says "--set".
    """
    loading = Loading(source)
    with loading.within_depth():
        return loading.scenario(overrides or {}, override_origin)


def is_scenario(file: str | Path) -> bool:
    """Whether a file is a scenario, not a part of one: it has the key `vehicles`. What cannot be read is none."""
    try:
        tree = Loading(file, str(file)).tree()
    except (ScenarioError, RecursionError):
        return False
    return isinstance(tree.value, dict) and "vehicles" in tree.value


def load_mechanism(source: MechanismSource) -> Mechanism:
    """The checked mechanism in a file or dict. Raises ScenarioError with every problem."""
    loading = Loading(source)
    with loading.within_depth():
        return loading.mechanism()


def load_interface(source: InterfaceSource) -> Interface:
    """The checked docking interface in a file or dict. Raises ScenarioError with every problem."""
    loading = Loading(source)
    with loading.within_depth():
        return loading.interface()


def load_changed(source: Path | Mapping[str, Any], name: str, changes: dict[str, Entry]) -> tuple[Scenario, Any]:
    """The checked scenario in a file or dict with entries of another file laid on top, and its data before validation.

    What is wrong with a change is reported at the place it was written.
    """
    loading = Loading(source, name)
    with loading.within_depth():
        tree = loading.with_name(apply_overrides(loading.tree(), changes, loading.problems))
        return loading.checked(tree, Scenario, check_scenario), plain(tree)


def problems_at(
    source: Source, faults: Iterable[Fault], overrides: Mapping[str, Any] | None = None, override_origin: str = "--set"
) -> list[Problem]:
    """What was found about parts of a scenario after it was loaded, with the lines where they are written."""
    loading = Loading(source)
    tree = loading.with_overrides(loading.tree(), overrides or {}, override_origin)
    data = plain(tree)
    loading.report(((data_path(path, data), message) for path, message in faults), tree)
    return loading.in_order()


class Loading:
    """One scenario, mechanism, interface, chain or study on its way in."""

    def __init__(
        self, source: Source | MechanismSource | InterfaceSource, name: str = "", choice: UrdfChoice | None = None
    ) -> None:
        self.source = source
        self.name = name or ((fspath(source) or ".") if isinstance(source, (str, PathLike)) else "<dict>")
        self.problems: list[Problem] = []
        self.budget = Budget()
        self.absent: list[Keys] = []
        self.choice = choice
        self.notes: list[str] = []

    @contextmanager
    def within_depth(self) -> Iterator[None]:
        """What is nested too deep is a fault of the file."""
        try:
            yield
        except RecursionError:
            raise ScenarioError([Problem(self.name, None, "", TOO_DEEP)]) from None

    def scenario(self, overrides: Mapping[str, Any], override_origin: str) -> Scenario:
        return with_sequence(self.as_written(overrides, override_origin))

    def as_written(self, overrides: Mapping[str, Any], override_origin: str) -> Scenario:
        """The scenario with its sequence as it stands in the file."""
        tree = self.with_name(self.with_overrides(self.tree(), overrides, override_origin))
        self.refuse_others(tree, "scenario", {"vehicles", "solver", "base"})
        return self.checked(tree, Scenario, check_scenario)

    def mechanism(self) -> Mechanism:
        tree = self.tree()
        self.refuse_others(tree, "mechanism", {"ring", "symmetric", "legs"})
        return self.checked(tree, Mechanism, check_mechanism)

    def interface(self) -> Interface:
        tree = self.tree()
        self.refuse_others(tree, "interface", set(Interface.model_fields) - {"source"})
        return self.checked(tree, Interface, lambda _: [])

    def refuse_others(self, tree: Entry, wanted: str, own: set[str]) -> None:
        """A file that has none of the keys of what is wanted, and one that says what it is instead."""
        keys = set(tree.value) if isinstance(tree.value, dict) else set()
        kind = next((words for key, words in PARTS.items() if key in keys), None)
        if kind is not None and isinstance(self.source, (str, PathLike)) and not own & keys:
            raise ScenarioError([Problem(self.name, None, "", f"is no {wanted}, but {kind.format(self.name)}")])

    def chain(self) -> tuple[Chain, Entry]:
        """A chain, and its values with their places."""
        tree = self.used_tree()
        self.refuse_others(tree, "chain", {"denavit_hartenberg", "bodies"})
        return self.checked(tree, Chain, check_chain), tree

    def used_chain(self, how: UseChain, place: Place) -> tuple[Chain, Entry]:
        """The chain that a vehicle uses, looked for from the file that names it."""
        folder = Path(place.file).resolve().parent if Path(place.file).is_file() else Path.cwd().resolve()
        file = used_file(how.file, folder, place, "use_chain.file")
        if (how.tip or how.fix) and file.suffix.lower() not in SUFFIXES:
            text = f"'tip' and 'fix' are for URDF files; {how.file} has its joints as they are"
            raise ScenarioError([Problem(place.file, place.line, "use_chain", text)])
        inner = Loading(file, display(file), UrdfChoice(how.tip, tuple(how.fix)))
        try:
            return inner.chain()
        finally:
            self.notes += inner.notes

    def checked(self, tree: Entry, root: type[Root], check: Callable[[Root], list[Fault]]) -> Root:
        """The tree as a part of the schema; all that is wrong with it is raised at once."""
        if told := self.mistaken(set(tree.value) if isinstance(tree.value, dict) else set(), root.__name__):
            raise ScenarioError([Problem(self.name, None, "", told)])
        data = plain(tree)
        part: Root | None = None
        try:
            part = root.model_validate(data)
            faults = [(data_path(path, data), message) for path, message in check(part)]
        except ValidationError as error:
            errors = [one for one in error.errors(include_url=False) if not self.excused(one, data)]
            broken = list(explain(errors, data, root))
            self.report(broken, tree)
            faults = check_repaired(data, [path for path, _ in broken]) if root is Scenario else []
        if not self.absent:
            self.report(faults, tree)
        if part is None or self.problems:
            raise ScenarioError(self.in_order())
        return part

    def mistaken(self, keys: set[str], kind: str) -> str:
        """What to do with a study that is given as a scenario, or the other way round."""
        file, is_dict = self.name, isinstance(self.source, Mapping)
        if kind == "Scenario" and "base" in keys and "vehicles" not in keys:
            advice = f"docksim study {file} runs it, docksim run {file} --case N one of its cases"
            return "is a study: " + ("docksim.run_study runs it" if is_dict else advice)
        if kind == "Study" and "vehicles" in keys and "base" not in keys:
            if is_dict:
                return "is a scenario: docksim.run runs it; a study names it as its base"
            begin = f"docksim new study {Path(file).with_suffix('')}_study.yaml --base {file}"
            return f"is a scenario: docksim run {file} runs it; {begin} begins a study of it"
        return ""

    def excused(self, error: ErrorDetails, data: Any) -> bool:
        """Where a file could not be pulled in, missing keys say nothing new."""
        path = data_path(error["loc"], data)
        return error["type"] == "missing" and any(path[: len(part)] == part for part in self.absent)

    def tree(self) -> Entry:
        """The source with all its parts pulled in, and chains of its vehicles worked in."""
        return with_chains(self.used_tree(), self.used_chain, self.problems, self.absent)

    def used_tree(self) -> Entry:
        """The source with all its parts pulled in."""
        if not isinstance(self.source, (str, PathLike)):
            entry = DataReader(self.name, self.budget, self.problems).read(self.source)
            if not isinstance(entry.value, dict):
                raise ScenarioError(
                    [*self.problems, Problem(self.name, None, "", "expected a mapping of keys at the top")]
                )
            return self.expanded(entry, Origin(Path.cwd().resolve()))
        file = found_file(Path(self.source))
        entry = read_mapping(file, self.name, self.budget, self.problems, self.notes, self.choice)
        file = file.resolve()
        return self.expanded(entry, Origin(file.parent, (file,)))

    def expanded(self, entry: Entry, origin: Origin) -> Entry:
        includer = Includer(tree_root(origin.folder), self.budget, self.problems)
        result = includer.expand(entry, origin)
        self.absent += includer.absent
        self.notes += includer.notes
        return result

    def with_overrides(self, tree: Entry, overrides: Mapping[str, Any], origin: str) -> Entry:
        reader = DataReader(origin, self.budget, self.problems)
        folder = Path.cwd().resolve()
        changes: dict[str, Entry] = {}
        for key, value in overrides.items():
            if not isinstance(key, str):
                self.problems.append(
                    Problem(origin, None, str(key), "an override goes by a dotted path, such as 'chaser.mass_kg'")
                )
                continue
            changes[key] = self.expanded(reader.read(value, (key,)), Origin(folder))
        return with_chains(apply_overrides(tree, changes, self.problems), self.used_chain, self.problems, self.absent)

    def with_name(self, tree: Entry) -> Entry:
        """The file's name as the scenario's name, if it has none of its own."""
        if not isinstance(self.source, (str, PathLike)) or not isinstance(tree.value, dict) or "name" in tree.value:
            return tree
        stem = re.sub(r"[^A-Za-z0-9_.-]", "_", Path(self.source).stem).lstrip(".")[:100]
        return Entry({"name": Entry(stem or "scenario", tree.place), **tree.value}, tree.place)

    def report(self, faults: Iterable[Fault], tree: Entry) -> None:
        """Faults by path become problems by file and line: of the value itself, or of the nearest mapping around it."""
        listed = list(faults)
        if not listed:
            return
        known = dict(places(tree))
        for path, message in listed:
            place = nearest(known, path)
            self.problems.append(Problem(place.file, place.line, dotted(path), message))

    def in_order(self) -> list[Problem]:
        """The problems by file, the scenario itself first, then by line."""
        files = list(dict.fromkeys([self.name, *(problem.file for problem in self.problems)]))
        return sorted(self.problems, key=lambda problem: (files.index(problem.file), problem.line or 0))

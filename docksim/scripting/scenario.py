"""A scenario to read and change from Python: keys as attributes, by dotted path, and with completion.

What a scenario is stays with its file, or dict, and the changes made so far: every change is worked in and checked as
`--set` does, so that a key that is refused is told in the same words, and leaves the scenario as it was.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.resources import files
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from docksim.config.errors import Problem, ScenarioError, did_you_mean, unknown
from docksim.config.loading.given import given
from docksim.config.loading.includes import content_of
from docksim.config.loading.scenario import Loading
from docksim.config.schema.fields import Part
from docksim.config.schema.scenario import Scenario as Checked
from docksim.config.schema.scenario import with_sequence
from docksim.config.schema.sequence import Phase
from docksim.config.schema.writer import content_to_yaml
from docksim.files.writing import write_text
from docksim.jobs.examine import examined
from docksim.result.files import save_run
from docksim.scripting.result import Result
from docksim.simulation.bands import simulate_over

ORIGIN = "set"
STARTS = ("docking", "spin", "two_vehicles")  # of `docksim new`
_UNSET = object()


class Node:
    """A part of a scenario: its keys are attributes, and items; assigning one changes the scenario."""

    def __init__(self, scenario: Scenario, path: tuple[str, ...]) -> None:
        object.__setattr__(self, "_scenario", scenario)
        object.__setattr__(self, "_path", path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(str(error.args[0])) from None

    def __getitem__(self, key: str | int) -> Any:
        return self._scenario._at((*self._path, *str(key).split(".")))

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __setitem__(self, key: str | int, value: Any) -> None:
        self._scenario.set(".".join((*self._path, str(key))), value)

    def __dir__(self) -> list[str]:
        return [name for name in self.keys() if name.isidentifier()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def keys(self) -> list[str]:
        """What there is here: keys of the schema, names, or numbers of a list's items."""
        return keys_of(self._scenario._value(self._path))

    def __repr__(self) -> str:
        return content_to_yaml({self._path[-1]: dumped(self._scenario._value(self._path))}).rstrip()

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()


class Scenario:
    """A scenario: `Scenario.load("dock_nds")`, then read and change keys, check, run, step, write.

    Keys go as attributes (`s.chaser.mass_kg`), by dotted path (`s["approach.closing_rate_m_s"]`) or with `set`.
    """

    def __init__(self, source: str | PathLike[str] | Mapping[str, Any], overrides: Mapping[str, Any] | None = None):
        """From a file, a name of a shipped scenario, or the same content as a dict."""
        given = fspath(source) if isinstance(source, str | PathLike) else copy.deepcopy(dict(source))
        self.__dict__.update(_source=given, _changes={}, _written=None)
        self._take(dict(overrides or {}))

    @classmethod
    def load(cls, source: str | PathLike[str], overrides: Mapping[str, Any] | None = None) -> Scenario:
        """Open a scenario file, or one that comes with docksim by its name."""
        return cls(source, overrides)

    @classmethod
    def new(cls, kind: str = "docking") -> Scenario:
        """A start of one's own, as `docksim new` writes it: spin, two_vehicles or docking."""
        return cls(_start_of(kind))

    @property
    def resolved(self) -> Checked:
        """The checked scenario with everything worked in and every default, as a result keeps it."""
        return with_sequence(self._written)

    @property
    def source(self) -> str | Mapping[str, Any]:
        """The file, or dict, that it began from."""
        return self._source

    @property
    def changes(self) -> dict[str, Any]:
        """What was set, by dotted path."""
        return dict(self._changes)

    def set(self, key: str | Mapping[str, Any], value: Any = _UNSET) -> Scenario:
        """Change one key by its dotted path, or several at once that only fit together; returns the scenario.

        ScenarioError if the scenario would not be valid, which then stays as it was.
        """
        if isinstance(key, Mapping):
            changes = dict(key)
        elif value is _UNSET:
            raise TypeError(f"set({key!r}): give a value too, or a dict of several keys")
        else:
            changes = {key: value}
        self._take(changes)
        return self

    def copy(self) -> Scenario:
        """Another one, which can be changed by itself."""
        return type(self)(self._source, self._changes)

    def check(self) -> list[str]:
        """Warnings, as of `docksim check`: valid, and yet unlikely to give good numbers.

        ScenarioError for what would end the run for certain.
        """
        certain, doubtful = examined(self.resolved, self._source, self._changes, ORIGIN)
        if certain:
            raise ScenarioError(certain)
        return [str(problem) for problem in doubtful]

    def run(self, out: str | Path | None = None, band: bool = False) -> Result:
        """Run it; `out` and `band` as for `docksim.run`."""
        result = Result.of(simulate_over(self.resolved, band))
        result.given_by = partial(given, self._source, self.changes, ORIGIN)
        if out is not None:
            save_run(result, Path(out))
        return result

    def to_yaml(self, file: str | Path | None = None) -> str:
        """The whole scenario with all defaults as text, also written to `file`; running it gives the same bits."""
        text = self.resolved.to_yaml()
        if file is not None:
            write_text(Path(file), text)
        return text

    def keys(self) -> list[str]:
        """Vehicles, then the keys of the scenario."""
        return [*self._written.vehicles, *keys_of(self._written)]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(str(error.args[0])) from None

    def __getitem__(self, key: str) -> Any:
        return self._at(tuple(key.split(".")))

    def __setattr__(self, name: str, value: Any) -> None:
        self.set(name, value)

    def __setitem__(self, key: str, value: Any) -> None:
        self.set(key, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.keys(), *(name for name in object.__dir__(self) if not name.startswith("_"))})

    def __repr__(self) -> str:
        changed = f", {len(self._changes)} changed" if self._changes else ""
        return f"<Scenario '{self._written.name}': {', '.join(self._written.vehicles)}{changed}>"

    def _ipython_key_completions_(self) -> list[str]:
        return self.keys()

    def _take(self, changes: Mapping[str, Any]) -> None:
        """A later change of a key comes after those made before."""
        every = {key: value for key, value in self._changes.items() if key not in changes} | dict(changes)
        name = self._source if isinstance(self._source, str) else "<dict>"
        written = Loading(self._source, name).as_written(every, ORIGIN)
        self.__dict__.update(_changes=every, _written=written)

    def _value(self, path: tuple[str, ...]) -> Any:
        """What stands at a path; KeyError with the nearest name."""
        value: Any = self._written
        for i, key in enumerate(path):
            there = keys_of(value) if i else self.keys()
            if key not in there:
                where = ".".join(path[:i]) or f"scenario '{self._written.name}'"
                raise KeyError(f"{where} has no '{key}'{did_you_mean(key, there)}")
            is_vehicle = i == 0 and key not in keys_of(value)
            value = item_of(value.vehicles if is_vehicle else value, key)
        return value

    def _at(self, path: tuple[str, ...]) -> Any:
        value = self._value(path)
        inner = value if isinstance(value, list | tuple) else ()
        is_part = isinstance(value, Part | dict) or any(isinstance(item, Part | dict) for item in inner)
        return Node(self, path) if is_part else value


def keys_of(value: Any) -> list[str]:
    """Keys of a part, names of a mapping, numbers of a list and names of its phases."""
    if isinstance(value, Part):
        return list(type(value).model_fields)
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, list | tuple):
        names = [item.phase for item in value if isinstance(item, Phase)]
        return [*names, *map(str, range(len(value)))]
    return []


def item_of(value: Any, key: str) -> Any:
    """What a key means there."""
    if isinstance(value, list | tuple):
        named = (item for item in value if getattr(item, "phase", None) == key)
        return value[int(key)] if key.isdigit() else next(named)
    return value[key] if isinstance(value, dict) else getattr(value, key)


def dumped(value: Any) -> Any:
    """Plain data of a part, a mapping or a list of them; keys without a value are left out."""
    if isinstance(value, Part):
        return value.model_dump(exclude_none=True)
    if isinstance(value, dict):
        return {key: dumped(item) for key, item in value.items()}
    return [dumped(item) for item in value] if isinstance(value, list | tuple) else value


def _start_of(kind: str) -> dict[str, Any]:
    """The content of a start, named after its kind."""
    if kind not in STARTS:
        raise ScenarioError([Problem("Scenario.new", None, "", unknown("start", kind, STARTS))])
    text = files("docksim").joinpath("cli", "templates", f"{kind}.yaml").read_text(encoding="utf-8")
    return content_of(text.replace("@NAME@", kind), kind)

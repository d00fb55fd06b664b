"""The table of a study in memory: columns as arrays, with the words that explain them."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from docksim.config.errors import unknown
from docksim.config.schema.study import Study
from docksim.result.bands import SUFFIXES, middle_of
from docksim.result.reading import UNREADABLE, fault
from docksim.result.result import ResultError
from docksim.study.store import BETWEEN, FILE, HEAD, SAMPLE, Store
from docksim.study.success import required

LONGEST_OUTCOME = 100  # letters
# what tells programs, libraries and kinds of machine apart
MADE_BY = ("docksim_version", "commit", "commit_modified", "libraries", "platform")


@dataclass(frozen=True)
class Miss:
    """How many cases missed something, and how many of them nothing else."""

    name: str
    cases: int
    alone: int


class Case(NamedTuple):
    """A case of a study, with the value of the metric that it was asked for."""

    case: int
    value: float
    outcome: str
    missed: tuple[str, ...]
    inputs: dict[str, Any]


@dataclass(frozen=True)
class Table:
    """All rows of a study in the order of their cases. A metric that a case does not have is NaN."""

    file: Path
    study: Study
    planned: int
    case: np.ndarray
    outcome: np.ndarray
    reason: np.ndarray
    missed: tuple[tuple[str, ...], ...]  # of every case
    inputs: dict[str, np.ndarray]
    metrics: dict[str, np.ndarray]
    wall_s: np.ndarray
    makers: int = 1  # different programs, libraries or machines that rows come from

    def __len__(self) -> int:
        return len(self.case)

    @property
    def is_sample(self) -> bool:
        """Whether shares of cases are probabilities at all: those of a grid or a sweep are not."""
        return bool(self.study.dispersions)

    def replicates(self, values: np.ndarray) -> list[np.ndarray] | None:
        """The values by replicate, if every replicate of the design is complete."""
        if len(self) != self.planned:
            return None
        return list(values.reshape(self.study.replicates, -1))

    @cached_property
    def success(self) -> np.ndarray:
        return np.array([not missed for missed in self.missed], bool)

    def misses(self) -> list[Miss]:
        """What the study asks for, and whatever else was missed, with the number of cases."""
        every = Counter(chain.from_iterable(self.missed))
        alone = Counter(missed[0] for missed in self.missed if len(missed) == 1)
        names = dict.fromkeys([*required(self.study), *(name for name, _ in every.most_common())])
        return [Miss(name, every[name], alone[name]) for name in names]

    def worst(self, metric: str, count: int) -> list[tuple[int, float]]:
        """(case, value) of the largest values."""
        values = self.metric(metric)
        order = np.argsort(-values, kind="stable")[: min(count, int(np.sum(~np.isnan(values))))]
        return [(int(self.case[i]), float(values[i])) for i in order]

    def worst_cases(self, metric: str, count: int) -> list[Case]:
        """The same, with all that tells of a case."""
        listed = [(int(np.flatnonzero(self.case == case)[0]), value) for case, value in self.worst(metric, count)]
        inputs = [{key: values[i : i + 1].tolist()[0] for key, values in self.inputs.items()} for i, _ in listed]
        return [
            Case(int(self.case[i]), value, str(self.outcome[i]), self.missed[i], own)
            for (i, value), own in zip(listed, inputs, strict=True)
        ]

    def ends(self, name: str) -> dict[str, np.ndarray]:
        """The same metric at the ends of the contact's band, by its own name, where the study has run them."""
        return {name + end: self.metrics[name + end] for end in SUFFIXES.values() if name + end in self.metrics}

    def over_band(self, name: str) -> np.ndarray:
        """The largest of a metric over the contact's band; NaN where the case does not have it."""
        values = self.metric(name)
        return np.where(np.isnan(values), np.nan, np.fmax.reduce([values, *self.ends(name).values()]))

    def own_metrics(self) -> list[str]:
        """All metrics but those of the ends of a band, which belong to theirs."""
        return [name for name in self.metrics if middle_of(name) == name or middle_of(name) not in self.metrics]

    def metric(self, name: str) -> np.ndarray:
        if name not in self.metrics:
            raise ResultError(f"{self.file}: {unknown('metric', name, self.metrics)}")
        return self.metrics[name]


def study_file(path: Path) -> Path:
    """The database of a study, given itself or its folder."""
    return path / FILE if path.is_dir() else path


def load_table(path: Path) -> Table:
    """The table of a study file or folder; ResultError if there is none, or if it is damaged."""
    file = study_file(path)
    store = Store.open(file, read_only=True)
    try:
        return _loaded(file, store)
    except UNREADABLE as error:
        raise fault(file, error) from error
    finally:
        store.connection.close()


def _loaded(file: Path, store: Store) -> Table:
    about, rows, timing, sessions = store.about(), store.table(), store.timing(), store.sessions()
    if about.get("kind", SAMPLE) != SAMPLE:
        answer = file.with_suffix(".json").name
        text = f"holds a {about['kind'][:60]}, whose cases are no sample; its answer is in {answer}"
        raise ResultError(f"{file}: {text}")
    if len(timing) != len(rows):
        raise ValueError("cases and their times do not agree")
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * (len(HEAD) + len(store.columns.names))
    first = len(HEAD) + len(store.columns.inputs)
    with_rows = {session for _, _, session in timing}
    used = [facts for i, facts in enumerate(sessions, 1) if i in with_rows]
    return Table(
        file=file,
        study=Study.model_validate_json(json.dumps(about["study"])),
        planned=int(about["cases"]),
        case=_cases(columns[0]),
        outcome=_words(columns[1], LONGEST_OUTCOME),
        reason=_words(columns[2]),
        missed=_missed(columns[3], columns[4]),
        inputs={
            key: _column(column) for key, column in zip(store.columns.inputs, columns[len(HEAD) : first], strict=True)
        },
        metrics={name: _numbers(column) for name, column in zip(store.columns.metrics, columns[first:], strict=True)},
        wall_s=_numbers([wall for _, wall, _ in timing]),
        makers=len({json.dumps([facts.get(key) for key in MADE_BY]) for facts in used}),
    )


def _words(values: Any, longest: float = math.inf) -> np.ndarray:
    if not all(isinstance(value, str) and len(value) <= longest for value in values):
        raise ValueError("outcomes and reasons must be words, and outcomes short ones")
    return np.array(values, object)


def _cases(values: Any) -> np.ndarray:
    if not all(type(value) is int for value in values):
        raise ValueError("cases must be numbers")
    return np.array(values, np.int64)


def _missed(successes: Any, values: Any) -> tuple[tuple[str, ...], ...]:
    every = tuple(tuple(text.split(BETWEEN)) if text else () for text in _words(values))
    if [not missed for missed in every] != [bool(success) for success in successes]:
        raise ValueError("success and what was missed do not agree")
    return every


def _column(values: Any) -> np.ndarray:
    """Numbers where all are numbers, else objects (words of a discrete key)."""
    if all(isinstance(value, (int, float)) for value in values):
        return np.array(values, float)
    return np.array(values, object)


def _numbers(values: Any) -> np.ndarray:
    return np.array([np.nan if not isinstance(value, (int, float)) else float(value) for value in values])

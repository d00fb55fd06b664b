"""The table of a study in memory: columns as arrays, with the words that explain them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from docksim.config.errors import unknown
from docksim.config.study import Study
from docksim.result.result import ResultError
from docksim.study.case import failure
from docksim.study.store import FILE, SAMPLE, Store


@dataclass(frozen=True)
class Table:
    """All rows of a study in the order of their cases. A metric that a case does not have is NaN."""

    file: Path
    study: Study
    planned: int
    case: np.ndarray
    outcome: np.ndarray
    reason: np.ndarray
    success: np.ndarray
    inputs: dict[str, np.ndarray]
    metrics: dict[str, np.ndarray]
    wall_s: np.ndarray
    makers: int = 1  # different programs, libraries or machines that rows come from

    def __len__(self) -> int:
        return len(self.case)

    @property
    def independent(self) -> bool:
        """Whether cases are a random sample, which exact intervals need."""
        return bool(self.study.dispersions) and self.study.sampling == "random"

    @property
    def is_sample(self) -> bool:
        """Whether shares of cases are probabilities at all: those of a grid or a sweep are not."""
        return bool(self.study.dispersions)

    def replicates(self, values: np.ndarray) -> list[np.ndarray] | None:
        """The values by replicate, if every replicate of the design is complete."""
        if len(self) != self.planned:
            return None
        return list(values.reshape(self.study.replicates, -1))

    def failures(self) -> Counter[str]:
        """Why cases did not succeed: the outcome of the run, or the first condition that does not hold."""
        found: Counter[str] = Counter()
        for i in np.flatnonzero(~self.success):
            metrics = {name: None if np.isnan(column[i]) else column[i] for name, column in self.metrics.items()}
            outcome = str(self.outcome[i])
            why = failure(self.study, outcome, metrics)
            found[why or outcome] += 1
        return found

    def worst(self, metric: str, count: int) -> list[tuple[int, float]]:
        """(case, value) of the largest values."""
        values = self.metric(metric)
        order = np.argsort(-values, kind="stable")[: min(count, int(np.sum(~np.isnan(values))))]
        return [(int(self.case[i]), float(values[i])) for i in order]

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
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ResultError(f"{file}: damaged: {what}") from error
    finally:
        store.connection.close()


def _loaded(file: Path, store: Store) -> Table:
    about, rows, timing, sessions = store.about(), store.table(), store.timing(), store.sessions()
    if about.get("kind", SAMPLE) != SAMPLE:
        text = f"holds a {about['kind']}, whose cases are no sample; its answer is in {file.with_suffix('.json').name}"
        raise ResultError(f"{file}: {text}")
    columns: list[Any] = list(zip(*rows, strict=True)) if rows else [()] * (4 + len(store.columns.names))
    first = 4 + len(store.columns.inputs)
    return Table(
        file=file,
        study=Study.model_validate_json(json.dumps(about["study"])),
        planned=int(about["cases"]),
        case=np.array(columns[0], np.int64),
        outcome=_words(columns[1]),
        reason=_words(columns[2]),
        success=np.array(columns[3], bool),
        inputs={key: _column(column) for key, column in zip(store.columns.inputs, columns[4:first], strict=True)},
        metrics={name: _numbers(column) for name, column in zip(store.columns.metrics, columns[first:], strict=True)},
        wall_s=_numbers([wall for _, wall, _ in timing]),
        makers=_makers(sessions, {session for _, _, session in timing}),
    )


def _makers(sessions: list[dict[str, Any]], used: set[int]) -> int:
    """How many different programs, libraries or kinds of machine the sessions with rows ran on."""
    keys = ("docksim_version", "commit", "commit_modified", "libraries", "platform")
    return len({json.dumps([facts.get(key) for key in keys]) for i, facts in enumerate(sessions, 1) if i in used})


def _words(values: Any) -> np.ndarray:
    if not all(isinstance(value, str) for value in values):
        raise ValueError("outcomes and reasons must be words")
    return np.array(values, object)


def _column(values: Any) -> np.ndarray:
    """Numbers where all are numbers, else objects (words of a discrete key)."""
    if all(isinstance(value, (int, float)) for value in values):
        return np.array(values, float)
    return np.array(values, object)


def _numbers(values: Any) -> np.ndarray:
    return np.array([np.nan if not isinstance(value, (int, float)) else float(value) for value in values])

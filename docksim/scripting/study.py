"""Studies as a Python user runs and reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from docksim.config.loading.includes import content_of
from docksim.config.units import unit_of
from docksim.result.result import ResultError, optional
from docksim.result.summary_text import number
from docksim.scripting.progress import Progress, display_of
from docksim.scripting.result import Result
from docksim.scripting.scenario import Scenario
from docksim.study.again import plan_of, run_again
from docksim.study.export import columns_of, export_table
from docksim.study.plan import Plan, load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study as run_plan
from docksim.study.summary import StudySummary, summarize_study
from docksim.study.table import Case, load_table

if TYPE_CHECKING:
    from docksim.scripting.figures import Figures
    from docksim.study.comparison import Comparison


class Cases(list[Case]):
    """Cases with their values of a metric, a line each; a notebook shows them as a table."""

    def __init__(self, metric: str, cases: Iterable[Case]) -> None:
        super().__init__(cases)
        self.metric = metric

    def __repr__(self) -> str:
        inputs = (", ".join(f"{key} {number(value)}" for key, value in one.inputs.items()) for one in self)
        heads = (f"case {one.case}: {self.metric} {one.value:.6g}, {one.outcome}" for one in self)
        return "\n".join(f"{head}; {rest}" for head, rest in zip(heads, inputs, strict=True))

    def _repr_html_(self) -> str:
        from docksim.scripting.figures import table_of

        keys = list(self[0].inputs) if self else []
        rows = [[self.metric, *(number(one.value) for one in self)], ["outcome", *(one.outcome for one in self)]]
        rows += [[key, *(number(one.inputs[key]) for one in self)] for key in keys]
        return table_of(["", *(f"case {one.case}" for one in self)], rows)


class Study:
    """A study that has run: `docksim.run_study(...)`, or `Study.load("results/box")`."""

    def __init__(self, path: str | PathLike[str]) -> None:
        """The table in a study's folder, or file; ResultError if there is none, or it is damaged."""
        self._table = load_table(Path(path))
        self._kept: TemporaryDirectory[str] | None = None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Study:
        """Open a study that was saved, such as results/<study>."""
        return cls(path)

    @property
    def name(self) -> str:
        return self._table.study.name

    @property
    def file(self) -> Path:
        """Where its table is: a SQLite database, in a folder that goes with this object unless `out` was given."""
        return self._table.file

    def __len__(self) -> int:
        """Cases that have run."""
        return len(self._table)

    def table(self) -> Any:
        """One row a case: outcome, what was missed, input.<key>, metric.<name>, as a pandas DataFrame with units in
        `.attrs["units"]`; where pandas is not installed, as a structured array."""
        columns = columns_of(self._table)
        try:
            pandas = optional("pandas", "a DataFrame")
        except ResultError:
            return structured(columns)
        frame = pandas.DataFrame(columns).set_index("case")
        frame.attrs["units"] = {name: unit_of(name) for name in columns}
        return frame

    def metric(self, name: str) -> np.ndarray:
        """A metric of all cases, NaN where a case does not have it."""
        return self._table.metric(name)

    def summary(self, *metrics: str) -> StudySummary:
        """Success with its interval, what was missed, statistics of these metrics or of those with limits, drivers;
        print it, or take its numbers."""
        return summarize_study(self._table, metrics)

    def worst(self, metric: str, n: int = 1) -> Cases:
        """The cases with the largest values of a metric, the worst first, with all their inputs."""
        if n < 1:
            raise ValueError(f"worst({metric!r}, {n}): expected at least one case")
        return Cases(metric, self._table.worst_cases(metric, n))

    def scenario(self, case: int) -> Scenario:
        """The scenario of a case, to look at, change and run."""
        return Scenario(content_of(self._plan.scenario(case).to_yaml(), f"case {case}"))

    def rerun(self, case: int) -> Result:
        """A case with its whole history; ResultError if it does not give the numbers of the table again."""
        return Result.of(run_again(self._table, self._plan, case))

    @cached_property
    def _plan(self) -> Plan:
        return plan_of(self._table)

    def compare(self, other: Study, *metrics: str) -> Comparison:
        """Success and metrics of both with what chance makes of their difference, as `docksim study compare`."""
        # who compares nothing waits for no tests of scipy
        from docksim.study.comparison import compare

        return compare(self._table, other._table, metrics)

    def plot(self, *what: str, metrics: tuple[str, ...] | list[str] = ()) -> Figures:
        """Figures by name: of these kinds, as of `docksim plot`, or all; a notebook shows them."""
        from docksim.scripting.figures import figures_of_study

        return figures_of_study(self._table, what, metrics)

    def export(self, kind: str, file: str | PathLike[str] | None = None) -> Path:
        """Write the table as csv, mat or parquet; left out, the file is beside the study's own."""
        return export_table(self._table, kind, None if file is None else Path(file))

    def __repr__(self) -> str:
        table = self._table
        return f"<Study '{self.name}': {len(table)} of {table.planned} cases, {int(table.success.sum())} successful>"

    def _repr_html_(self) -> str:
        """Success, metrics and limits."""
        from docksim.scripting.figures import study_card

        return study_card(self._table)


def run_study(
    source: str | PathLike[str] | Mapping[str, Any],
    *,
    cases: int | None = None,
    workers: int | None = None,
    progress: Progress = None,
    out: str | PathLike[str] | None = None,
    resume: bool = False,
    fast: bool = False,
) -> Study:
    """Run a study file, one that comes with docksim by its name, or the same content as a dict.

    `base` of a dict may be a `Scenario` with its changes. `cases`, `workers` (all cores if left out), `resume` and
    `fast` are those of `docksim study`. With `out` rows are saved in out/<study> as they come, and a study that was
    stopped goes on with `resume=True`; without it they are kept as long as the returned `Study`.

    `progress`: True shows how far it is, False does not, a function is called with cases done and of how many. Left
    out, it is shown in notebooks and on terminals.
    """
    if isinstance(source, Scenario):
        raise TypeError(f"run_study takes a study, a file or a dict; {source!r} can be the base of one")
    if workers is not None and workers < 1:
        raise ValueError(f"workers = {workers}: expected at least one")
    plan = load_plan(dict(_given(source)) if isinstance(source, Mapping) else fspath(source), cases, fast)
    kept = TemporaryDirectory(prefix="docksim-") if out is None else None
    folder = Path(kept.name if kept is not None else fspath(out or ""))
    display = display_of(plan, progress)
    try:
        with display:
            _, file = run_plan(plan, folder, Workers(workers), resume, None, None, display.begun, display.finished)
    except KeyboardInterrupt as interrupt:
        where = f"rows so far are in {folder / plan.study.name}; resume=True goes on" if kept is None else "give out="
        interrupt.add_note(where)
        raise
    study = Study(file)
    study._kept = kept
    return study


def _given(source: Mapping[str, Any]) -> Mapping[str, Any]:
    """The content of a study, a `Scenario` as its base replaced by its file and its changes."""
    base = source.get("base")
    if not isinstance(base, Scenario):
        return source
    if not isinstance(base._source, str):
        advice = "scenario.to_yaml('base.yaml') writes one; give its name"
        raise ResultError(f"base: a study begins from a file, and this scenario was made of a dict; {advice}")
    return {**source, "base": base._source, "set": {**base.changes, **source.get("set", {})}}


def structured(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Columns side by side, words as fixed texts."""
    plain = {name: values.astype(str) if values.dtype == object else values for name, values in columns.items()}
    count = len(next(iter(plain.values())))
    table = np.empty(count, [(name, values.dtype) for name, values in plain.items()])
    for name, values in plain.items():
        table[name] = values
    return table

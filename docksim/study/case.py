"""One case of a study: run it, and put what is kept of it into a row.

The row holds nothing that depends on when, where or beside what the case ran, so the table is the same to the bit for
any number of workers. The exception is a case that takes longer than the study allows: "too slow" is about the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docksim.config.errors import ScenarioError
from docksim.config.outcomes import NO_FIGURES
from docksim.config.schema.study import Study
from docksim.result.bands import outcomes_of
from docksim.result.result import Result, ResultError
from docksim.simulation.bands import lacks_band, simulate_over
from docksim.simulation.run import prepare_kernel
from docksim.simulation.threads import describe
from docksim.study.columns import event_metric
from docksim.study.plan import REDRAWS, Plan
from docksim.study.success import misses


@dataclass(frozen=True)
class Row:
    """What is kept of a case. `values` are those of the study's keys, `metrics` those of its metrics, in order.

    `missed` names what of success it missed.
    """

    case: int
    outcome: str
    reason: str
    missed: tuple[str, ...]
    values: tuple[Any, ...]
    metrics: tuple[float | None, ...]
    wall_s: float = field(compare=False)
    kernel_s: float = field(default=0.0, compare=False)  # of it in compiled code

    @property
    def success(self) -> bool:
        return not self.missed


Job = tuple[int, Sequence[Any] | None]  # a case, and other values than those the plan has for it


@dataclass(frozen=True)
class Pool:
    """Where jobs go, how many can be under way, and how to tell those that are to end."""

    submit: Callable[[Job], Future[Row | None]]
    size: Callable[[], int]
    end: Callable[[], None]


def run_case(
    plan: Plan,
    case: int,
    values: Sequence[Any] | None = None,
    stop: Callable[[], bool] | None = None,
    histories: Path | None = None,
) -> Row | None:
    """The row of a case; None if `stop()` ended it. `values` may be others than those the plan has for the case.

    `histories` is where time histories go that the study keeps.
    """
    prepare_kernel()  # compiling takes a minute, which no case should be charged with
    values, redraws = plan.drawn(case) if values is None else (values, 0)
    began = time.perf_counter()
    late = False

    def must_end() -> bool:
        nonlocal late
        late = plan.study.timeout_s is not None and time.perf_counter() - began > plan.study.timeout_s
        return late or (stop is not None and stop())

    def row(outcome: str, reason: str, result: Result | None = None) -> Row:
        missed = (outcome,) if result is None else misses_of(plan.study, result)
        figures = {} if result is None or outcome in NO_FIGURES else metrics_with_events(result)
        figures[REDRAWS] = redraws
        metrics = tuple(figures.get(name) for name in plan.columns)
        kernel_s = 0.0 if result is None else float(result.manifest.get("kernel_time_s", 0.0))
        return Row(case, outcome, reason, missed, tuple(values), metrics, time.perf_counter() - began, kernel_s)

    kept = histories is not None and keeps_history(plan.study, case)
    try:
        metrics = None if kept else plan.columns
        result = simulate_over(plan.scenario_of(values), plan.band, 1, must_end, metrics, plan.tables.at_the_start)
    except ScenarioError as error:
        fault = error.problems[0]
        return row("invalid", f"{fault.key}: {fault.message}")
    except Exception as error:
        return row("failed", describe(error))
    if result.outcome == "interrupted" or (plan.band and lacks_band(result)):
        return row("too slow", f"longer than {plan.study.timeout_s:g} s of wall time") if late else None
    if histories is not None and kept:
        save_history(result, histories, case)
    return row(result.outcome, result.reason, result)


def misses_of(study: Study, result: Result) -> tuple[str, ...]:
    """What the run of a case misses of success, by name."""
    ends = [word for end, word in outcomes_of(result.manifest).items() if end != "middle"]
    return misses(study, result.outcome, metrics_with_events(result), ends)


def metrics_with_events(result: Result) -> dict[str, Any]:
    """The run's metrics, and the first time of every event that fired."""
    metrics: dict[str, Any] = dict(result.metrics)
    for event in result.events:
        metrics.setdefault(event_metric(event.name), event.time_s)
    return metrics


# ---------------------------------------------------------------- time histories


def keeps_history(study: Study, case: int) -> bool:
    """Whether a case's history is kept as it runs; the worst are known, and run again, only at the end."""
    keep, count = study.histories.keep, study.histories.count or 1
    return keep == "all" or (keep == "every" and case % count == 0)


def save_history(result: Result, folder: Path, case: int) -> Path:
    """The result of a case in its own folder; one that is there already holds the same bits and stays."""
    place = folder / f"case-{case}"
    try:
        return result.save(place)
    except ResultError:
        if place.is_dir():
            return place
        raise

"""The metrics of a study that are shown, and its worst cases, run again where no histories were kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from docksim.result.result import Result
from docksim.study.again import plan_of, run_again
from docksim.study.table import Table

MOST_METRICS = 6  # shown unasked where a study has no limits
MOST_WORST = 3


def drawn_metrics(table: Table, metrics: Sequence[str] = ()) -> list[str]:
    """Metrics to draw: those asked for, which must exist; of the others only those that some case has."""
    for name in metrics:
        table.metric(name)
    if metrics:
        return [name for name in metrics if _known(table, name)]
    if table.study.limits:
        return [name for name in table.study.limits if _known(table, name)]
    vary = [name for name in table.own_metrics() if _known(table, name) and np.nanstd(table.metric(name)) > 0.0]
    # what an interface has limits for is what a docking is judged by
    loads = [name for name in vary if f"{name}.of_limit" in table.metrics]
    return (loads or vary)[:MOST_METRICS]


def _known(table: Table, name: str) -> bool:
    return bool(np.any(np.isfinite(table.metric(name))))


def worst_metric(table: Table, names: Sequence[str]) -> str | None:
    """What makes a case the worst: the metric of the study's histories, else the first of those shown."""
    return table.study.histories.metric or next(iter(names), None)


def history_folder(table: Table, case: int) -> Path:
    """Where the history of a case is, if it was kept."""
    return table.file.parent / "histories" / f"case-{case}"


def run_worst(table: Table, metrics: Sequence[str] = ()) -> dict[int, Result]:
    """The worst cases without a history, run once more; each must give the numbers that the table has."""
    metric = worst_metric(table, drawn_metrics(table, metrics))
    cases = table.worst(metric, MOST_WORST) if metric is not None and len(table) else []
    asked = [case for case, _ in cases if not history_folder(table, case).is_dir()]
    if not asked:
        return {}
    plan = plan_of(table)
    return {case: run_again(table, plan, case) for case in asked}

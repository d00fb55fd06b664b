"""The metrics of a study that are shown, and its worst cases, run again where no histories were kept.

A case that does not give the table's number again is an error: the table comes from another docksim, or its base has
changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
import yaml

from docksim.config.errors import ScenarioError
from docksim.config.loading.study import load_study
from docksim.result.result import Result, ResultError
from docksim.simulation.bands import simulate_over
from docksim.study.case import metrics_with_events
from docksim.study.plan import Plan
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
    return vary[:MOST_METRICS]


def _known(table: Table, name: str) -> bool:
    return bool(np.any(np.isfinite(table.metric(name))))


def worst_metric(table: Table, names: Sequence[str]) -> str | None:
    """What makes a case the worst: the metric of the study's histories, else the first of those shown."""
    return table.study.histories.metric or next(iter(names), None)


def history_folder(table: Table, case: int) -> Path:
    """Where the history of a case is, if it was kept."""
    return table.file.parent / "histories" / f"case-{case}"


def run_worst(table: Table, metrics: Sequence[str] = ()) -> dict[int, Result]:
    """The worst cases without a history, run once more; each must give the number that the table has."""
    metric = worst_metric(table, drawn_metrics(table, metrics))
    cases = table.worst(metric, MOST_WORST) if metric is not None and len(table) else []
    asked = {case: value for case, value in cases if not history_folder(table, case).is_dir()}
    if not asked:
        return {}
    try:
        plan = _plan(table)
        results = {case: simulate_over(plan.scenario(case), plan.band) for case in asked}
    except ScenarioError as error:
        advice = "docksim run STUDY --case N runs one, histories in the study's file keeps them"
        raise ResultError(f"{table.file}: kept no histories of its worst cases, and {error}; {advice}") from error
    for case, result in results.items():
        now = metrics_with_events(result).get(str(metric))
        if now != asked[case]:
            raise ResultError(
                f"{table.file}: case {case} gives {metric} = {now} when it is run again, the table has {asked[case]}; "
                "draw the worst cases with the docksim that made the table, or keep histories with the study"
            )
    return results


def _plan(table: Table) -> Plan:
    """The study as its file had it; its base is looked for from the folder of the table upwards, then among our own."""
    text = yaml.safe_dump(table.study.model_dump(mode="json", exclude_defaults=True) | {"name": table.study.name})
    try:
        with NamedTemporaryFile("w", suffix=".yaml", dir=table.file.parent, encoding="utf-8") as file:
            file.write(text)
            file.flush()
            return Plan(load_study(file.name))
    except OSError as error:
        raise ResultError(f"{table.file.parent}: {error.strerror or error}") from error

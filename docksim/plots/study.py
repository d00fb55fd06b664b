"""Figures of a study by kind: what goes where, and which metrics are drawn.

`study_figures(table)` gives all kinds by file name. Metrics are those asked for, else those with limits, else the first
few that vary. Everything is computed by docksim.study; here it is drawn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from docksim.plots.kinds import STUDY_KINDS
from docksim.plots.study_cases import convergence_figure, envelope_figure, scatter_figures
from docksim.plots.study_drivers import drivers_figure, sobol_figure
from docksim.plots.study_loads import exceedance_figure, histogram_figure
from docksim.plots.study_worst import worst_figures
from docksim.result.result import ResultError
from docksim.study.summary import summarize_study
from docksim.study.table import Table

Figures = dict[str, Figure]
MOST_METRICS = 6  # drawn unasked where a study has no limits
ENVELOPE = "envelope.json"


def study_figures(table: Table, what: Iterable[str] = (), metrics: Sequence[str] = (), again: bool = False) -> Figures:
    """Figures by file name, of some kinds or all; `again` may run worst cases whose histories were not kept."""
    wanted = set(what) or set(STUDY_KINDS)
    if wrong := wanted - set(STUDY_KINDS):
        raise ValueError(f"kind of figure {sorted(wrong)}: expected one of {', '.join(STUDY_KINDS)}")
    names = drawn_metrics(table, metrics)
    builders: dict[str, Callable[[], Figures]] = {
        "scatter": lambda: scatter_figures(table),
        "envelope": lambda: envelope_of(table.file.parent, table.study.name),
        "histogram": lambda: {f"histogram_{safe(name)}": histogram_figure(table, name) for name in names},
        "exceedance": lambda: {f"exceedance_{safe(name)}": exceedance_figure(table, name) for name in names},
        "convergence": lambda: {"convergence": convergence_figure(table)} if table.is_sample and len(table) > 1 else {},
        "sensitivity": lambda: _sensitivity(table, names),
        "worst": lambda: worst_figures(table, names[0] if names else None, again),
    }
    figures: Figures = {}
    for kind in STUDY_KINDS:
        if kind in wanted and (len(table) or kind == "envelope"):
            figures |= builders[kind]()
    return figures


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


def safe(name: str) -> str:
    """A metric's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9_.+-]", "_", name)


def envelope_of(folder: Path, name: str) -> Figures:
    """The envelope that was traced into this folder, if there is one."""
    file = folder / ENVELOPE
    if not file.is_file():
        return {}
    try:
        content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return {"envelope": envelope_figure(content, name)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResultError(f"{file}: is no envelope that can be drawn: {error}") from error


def _sensitivity(table: Table, names: Sequence[str]) -> Figures:
    """Rank correlations, and Sobol indices where the study's sampling gives them."""
    summary = summarize_study(table, names)
    figures = {}
    for name, drivers in summary.drivers.items():
        if drivers:
            figures[f"drivers_{safe(name)}"] = drivers_figure(table, name, drivers)
    for name, indices in summary.sensitivity.items():
        figures[f"sobol_{safe(name)}"] = sobol_figure(table.study.name, name, indices)
    return figures

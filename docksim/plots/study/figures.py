"""Figures of a study by kind: what goes where, and which metrics are drawn.

`study_figures(table)` gives all kinds by file name. Metrics are those asked for, else those with limits, else the first
few that vary. Everything is computed by docksim.study; here it is drawn.

The worst cases are overlaid: the load that makes them the worst, and what else tells of a docking. Histories that the
study has kept are used. Where it kept none, the worst cases can be run again, and a case that does not give the table's
number again is an error: the table comes from another docksim, or its base has changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
import yaml
from matplotlib.figure import Figure

from docksim.config.errors import ScenarioError
from docksim.config.loading.study import load_study
from docksim.plots.kinds import STUDY_KINDS
from docksim.plots.panels import Curve, Panel, banded
from docksim.plots.run.compare import overlay_panels
from docksim.plots.run.contact import contact_pairs, interface_panels
from docksim.plots.run.motion import ROUNDING, motion_panels, vehicles
from docksim.plots.study.cases import convergence_figure, envelope_figure, scatter_figures
from docksim.plots.study.metrics import drivers_figure, exceedance_figure, histogram_figure, sobol_figure
from docksim.result.reading import read_json
from docksim.result.result import Result, ResultError
from docksim.simulation.bands import simulate_over
from docksim.study.case import metrics_with_events
from docksim.study.plan import Plan
from docksim.study.summary import summarize_study
from docksim.study.table import Table

Figures = dict[str, Figure]
MOST_METRICS = 6  # drawn unasked where a study has no limits
ENVELOPE = "envelope.json"
MOST_WORST = 3


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
    return {"envelope": read_json(file, lambda content: envelope_figure(content, name))}


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


# ---------------------------------------------------------------- the worst cases


def worst_figures(table: Table, metric: str | None, again: bool = False) -> Figures:
    """Overlaid histories of the cases with the largest values of a metric; `again` may run those that were not kept."""
    name = table.study.histories.metric or metric
    results = {}
    for case, value in table.worst(name, MOST_WORST) if name is not None else ():
        folder = table.file.parent / "histories" / f"case-{case}"
        if folder.is_dir() or again:
            result = Result.load(folder) if folder.is_dir() else _again(table, case, str(name), value)
            results[f"case {case}: {value:.4g}"] = result
    title = f"{table.study.name}: worst by {name}"
    return overlay_panels(results, "worst", title, lambda result: telling_panels(result, str(name))) if results else {}


def _again(table: Table, case: int, metric: str, value: float) -> Result:
    """The case run once more, which must give the number that the table has."""
    try:
        plan = _plan(table)
        result = simulate_over(plan.scenario(case), plan.band)
    except ScenarioError as error:
        advice = "docksim run STUDY --case N runs one, histories in the study's file keeps them"
        raise ResultError(f"{table.file}: kept no histories of its worst cases, and {error}; {advice}") from error
    now = metrics_with_events(result).get(metric)
    if now != value:
        raise ResultError(
            f"{table.file}: case {case} gives {metric} = {now} when it is run again, the table has {value}; "
            "draw the worst cases with the docksim that made the table, or keep histories with the study"
        )
    return result


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


def telling_panels(result: Result, metric: str) -> Iterator[Panel]:
    """The channel behind the metric; loads across the interfaces; where neither exists, the vehicles' rates."""
    name = metric.removesuffix(".peak")
    channel = result.channels.get(name)
    if channel is not None and channel.data.dtype.kind == "f":
        size = channel.data if channel.data.ndim == 1 else np.linalg.norm(channel.data, axis=1)
        owner, _, _ = name.rpartition(".")
        yield Panel("magnitude", channel.unit or "1", (banded(result, Curve("", size), name),), owner, ROUNDING)
    pairs = contact_pairs(result)
    for pair in pairs:
        for panel in interface_panels(result, pair)[:4]:
            yield Panel(panel.label, panel.unit, panel.curves[:1], panel.legend_title, ROUNDING, bounds=panel.bounds)
    if channel is None and not pairs:
        for vehicle in vehicles(result):
            yield from motion_panels(result, vehicle)[-1:]

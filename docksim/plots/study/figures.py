"""Figures of a study by kind: what goes where, and which metrics are drawn.

`study_figures(table)` gives all kinds by file name. Metrics are those asked for, else those with limits, else the first
few that vary. Everything is computed by docksim.study; here it is drawn.

The worst cases are overlaid: the load that makes them the worst, and what else tells of a docking. Histories that the
study has kept are used, and results that `study.worst` gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from docksim.config.units import split_unit
from docksim.plots.kinds import STUDY_KINDS
from docksim.plots.panels import Curve, Panel, banded
from docksim.plots.run.compare import overlay_panels
from docksim.plots.run.contact import contact_pairs, interface_panels
from docksim.plots.run.motion import ROUNDING, motion_panels, vehicles
from docksim.plots.study.cases import convergence_figure, envelope_figure, main_driver_figures, scatter_figures
from docksim.plots.study.metrics import drivers_figure, exceedance_figure, histogram_figure, sobol_figure
from docksim.result.reading import read_json
from docksim.result.result import Result
from docksim.study.summary import drivers, summarize_study
from docksim.study.table import Table
from docksim.study.worst import MOST_WORST, drawn_metrics, history_folder, worst_metric

Figures = dict[str, Figure]
ENVELOPE = "envelope.json"


def study_figures(
    table: Table, what: Iterable[str] = (), metrics: Sequence[str] = (), worst: Mapping[int, Result] | None = None
) -> Figures:
    """Figures by file name, of some kinds or all; `worst` has results of worst cases whose histories were not kept."""
    wanted = set(what) or set(STUDY_KINDS)
    if wrong := wanted - set(STUDY_KINDS):
        raise ValueError(f"kind of figure {sorted(wrong)}: expected one of {', '.join(STUDY_KINDS)}")
    names = drawn_metrics(table, metrics)
    builders: dict[str, Callable[[], Figures]] = {
        "scatter": lambda: scatter_figures(table) | _main_drivers(table, names),
        "envelope": lambda: envelope_of(table.file.parent, table.study.name),
        "histogram": lambda: {f"histogram_{safe(name)}": histogram_figure(table, name) for name in names},
        "exceedance": lambda: {f"exceedance_{safe(name)}": exceedance_figure(table, name) for name in names},
        "convergence": lambda: {"convergence": convergence_figure(table)} if table.is_sample and len(table) > 1 else {},
        "sensitivity": lambda: _sensitivity(table, names),
        "worst": lambda: worst_figures(table, worst_metric(table, names), worst or {}),
    }
    figures: Figures = {}
    for kind in STUDY_KINDS:
        if kind in wanted and (len(table) or kind == "envelope"):
            figures |= builders[kind]()
    return figures


def safe(name: str) -> str:
    """A metric's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9_.+-]", "_", name)


def envelope_of(folder: Path, name: str) -> Figures:
    """The envelope that was traced into this folder, if there is one."""
    file = folder / ENVELOPE
    if not file.is_file():
        return {}
    return {"envelope": read_json(file, lambda content: envelope_figure(content, name))}


def _main_drivers(table: Table, names: Sequence[str]) -> Figures:
    return main_driver_figures(table, {name: drivers(table, table.metric(name)) for name in names if table.is_sample})


def _sensitivity(table: Table, names: Sequence[str]) -> Figures:
    """Rank correlations, and Sobol indices where the study's sampling gives them."""
    summary = summarize_study(table, names)
    figures = {}
    for name, own in summary.drivers.items():
        if own:
            figures[f"drivers_{safe(name)}"] = drivers_figure(table, name, own)
    for name, indices in summary.sensitivity.items():
        figures[f"sobol_{safe(name)}"] = sobol_figure(table.study.name, name, indices)
    return figures


# ---------------------------------------------------------------- the worst cases


def worst_figures(table: Table, metric: str | None, results: Mapping[int, Result]) -> Figures:
    """Overlaid histories of the cases with the largest values of a metric: those kept, and results given by case."""
    if metric is None:
        return {}
    shown = {}
    for case, value in table.worst(metric, MOST_WORST):
        folder = history_folder(table, case)
        if folder.is_dir() or case in results:
            shown[f"case {case}: {value:.4g}"] = Result.load(folder) if folder.is_dir() else results[case]
    title = f"{table.study.name}: worst by {metric}"
    return overlay_panels(shown, "worst", title, lambda result: telling_panels(result, metric)) if shown else {}


def telling_panels(result: Result, metric: str) -> Iterator[Panel]:
    """The channel behind the metric; loads across the interfaces; where neither exists, the vehicles' rates."""
    name = metric.removesuffix(".peak")
    channel = result.channels.get(name)
    if channel is not None and channel.data.dtype.kind == "f":
        size = channel.data if channel.data.ndim == 1 else np.linalg.norm(channel.data, axis=1)
        owner, _, last = name.rpartition(".")
        label = split_unit(last)[0].replace("_", " ")
        if label.startswith("peak "):
            label = f"{label.removeprefix('peak ')}, largest so far"
        yield Panel(label, channel.unit or "1", (banded(result, Curve("", size), name),), owner, ROUNDING)
    pairs = contact_pairs(result)
    for pair in pairs:
        for panel in interface_panels(result, pair)[:4]:
            yield Panel(panel.label, panel.unit, panel.curves[:1], panel.legend_title, ROUNDING, bounds=panel.bounds)
    if channel is None and not pairs:
        for vehicle in vehicles(result):
            yield from motion_panels(result, vehicle)[-1:]

"""The worst cases of a study, overlaid: the load that makes them the worst, and what else tells of a docking.

Histories that the study has kept are used. Where it kept none, the worst cases can be run again, and a case that does
not give the table's number again is an error: the table comes from another docksim, or its base has changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from tempfile import NamedTemporaryFile

import numpy as np
import yaml
from matplotlib.figure import Figure

from docksim.config.errors import ScenarioError
from docksim.config.study_loader import load_study
from docksim.plots.bands import banded
from docksim.plots.compare import overlay_panels
from docksim.plots.contact import contact_pairs, interface_panels
from docksim.plots.motion import motion_panels, vehicles
from docksim.plots.panels import Curve, Panel
from docksim.result.result import Result, ResultError
from docksim.simulation.bands import simulate_over
from docksim.study.case import metrics_with_events
from docksim.study.plan import Plan
from docksim.study.table import Table

COUNT = 3
ROUNDING = 1e-9


def worst_figures(table: Table, metric: str | None, again: bool = False, count: int = COUNT) -> dict[str, Figure]:
    """Overlaid histories of the cases with the largest values of a metric; `again` may run those that were not kept."""
    name = table.study.histories.metric or metric
    results = {}
    for case, value in table.worst(name, count) if name is not None else ():
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
    found = metrics_with_events(result).get(metric)
    if found != value:
        raise ResultError(
            f"{table.file}: case {case} gives {metric} = {found} when it is run again, the table has {value}; "
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

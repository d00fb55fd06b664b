"""Several results in one set of figures: one panel a curve, one line a result.

Panels are those of the single figures, taken apart: what is drawn of "position" are x, y and z each with all results.
Layers of a budget cannot lie on each other and are left out; a limit is drawn where all results have the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from docksim.plots.events import fit, text_width_in
from docksim.plots.page import paged
from docksim.plots.panels import Curve, Panel, draw
from docksim.plots.run.contact import contact_pairs, milestones
from docksim.plots.run.figures import MAX_PANELS, Figures, chosen, sheets
from docksim.plots.style import FONT_PT, MAX_CURVES, PANEL_IN, WIDTH_IN
from docksim.result.result import Channels, EventRecord, Metrics, Result, ResultError

Key = tuple[str, str, str, str]
TIMES = (".first_contact_s", ".capture_s")
NEVER = -1.0
TIME, FROM_CONTACT = "time [s]", "time from first contact [s]"


@dataclass
class _Joint:
    """One curve of all results."""

    panel: Panel
    name: str
    curves: list[Curve] = field(default_factory=list)
    bounds: list[tuple[tuple[float, str], ...]] = field(default_factory=list)
    alone: bool = True


def result_labels(results: Mapping[Path, Result]) -> dict[str, Result]:
    """Results by the shortest name that tells them apart: the scenario's, that and the run's, or the folder."""
    items = list(results.items())
    choices = (
        [result.scenario_name for _, result in items],
        [f"{result.scenario_name} {folder.resolve().name}" for folder, result in items],
        [str(folder) for folder, _ in items],
    )
    names = next((some for some in choices if len(set(some)) == len(items)), choices[-1])
    return {name: result for name, (_, result) in zip(names, items, strict=True)}


def overlay_figures(results: Mapping[str, Result], what: Iterable[str] = (), axis: str = TIME) -> Figures:
    """Figures of the same channels of several results, by file name; `axis` says what their times are."""
    if len(results) > MAX_CURVES:
        raise ResultError(f"{len(results)} results: at most {MAX_CURVES} can be told apart in one figure")
    usable = {name: result for name, result in results.items() if len(result.time_s) > 1 and result.simulated_s > 0}
    figures: Figures = {}
    for kind in chosen(what):
        if kind == "capture":
            continue  # the closer looks of two runs have no time in common
        by_stem: dict[str, tuple[str, dict[Key, _Joint]]] = {}
        for look, (name, result) in enumerate(usable.items()):
            for sheet in sheets(result, kind):
                _, joints = by_stem.setdefault(sheet.stem, (sheet.title, {}))
                for panel in sheet.panels:
                    _add(joints, panel, name, result.time_s, look)
        for stem, (title, joints) in by_stem.items():
            figures |= _pages(usable, stem, title, [_panel(joint) for joint in joints.values()], axis)
    return figures


def aligned(results: Mapping[str, Result]) -> dict[str, Result] | None:
    """The results with their times from the first contact of a pair that met in all of them; None if none did."""
    for pair in contact_pairs(next(iter(results.values()))):
        key = f"{pair}.first_contact_s"
        times = [float(result[key][-1]) if key in result else -1.0 for result in results.values()]
        if min(times) >= 0.0:
            return {name: _moved(result, time) for (name, result), time in zip(results.items(), times, strict=True)}
    return None


def _moved(result: Result, start_s: float) -> Result:
    """The result with all its times counted from one."""
    moved = copy.copy(result)
    moved.channels = Channels(result.channels)
    for name, channel in result.channels.items():
        if name == "time_s":
            moved.channels[name] = replace(channel, data=channel.data - start_s)
        elif name.endswith(TIMES):
            # what has not come yet stays before the start of any clock
            moved.channels[name] = replace(channel, data=np.where(channel.data >= 0.0, channel.data - start_s, NEVER))
    moved.events = [event._replace(time_s=event.time_s - start_s) for event in result.events]
    docked = {name: value for name, value in result.metrics.items() if name.endswith(".hard_dock_s")}
    moved.metrics = Metrics(result.metrics | {name: float(value) - start_s for name, value in docked.items()})
    return moved


def overlay_panels(
    results: Mapping[str, Result], stem: str, title: str, choose: Callable[[Result], Iterable[Panel]]
) -> Figures:
    """Pages of the panels that `choose` takes from each result."""
    joints: dict[Key, _Joint] = {}
    for look, (name, result) in enumerate(results.items()):
        for panel in choose(result):
            _add(joints, panel, name, result.time_s, look)
    return _pages(results, stem, title, [_panel(joint) for joint in joints.values()])


def _add(joints: dict[Key, _Joint], panel: Panel, name: str, time: np.ndarray, look: int) -> None:
    """Every curve of a panel to those of the others; a result has the same line wherever it is drawn."""
    if panel.stacked:
        return
    for curve in panel.curves:
        key = (panel.label, panel.unit, panel.legend_title, curve.label)
        joint = joints.setdefault(key, _Joint(panel, curve.label, alone=len(panel.curves) == 1))
        joint.curves.append(replace(curve, label=name, time=time, look=look))
        joint.bounds.append(panel.bounds)


def _panel(joint: _Joint) -> Panel:
    """The curve's name beside the axis if it is short, else above the legend."""
    label, title = joint.panel.label, joint.panel.legend_title
    longer = f"{label} {joint.name}"
    if not joint.alone and text_width_in(f"{longer} [{joint.panel.unit}]", FONT_PT) <= PANEL_IN:
        label = longer
    elif not joint.alone:
        title = f"{joint.name}, {title}".rstrip(", ")
    return replace(
        joint.panel,
        label=label,
        curves=tuple(joint.curves),
        legend_title=title,
        limit=None,
        bounds=joint.bounds[0] if all(some == joint.bounds[0] for some in joint.bounds) else (),
    )


def _pages(results: Mapping[str, Result], stem: str, title: str, panels: list[Panel], axis: str = TIME) -> Figures:
    ends = [(float(result.time_s[0]), float(result.time_s[-1])) for result in results.values()]
    span = np.array([min(start for start, _ in ends), max(end for _, end in ends)])
    figures = {}
    for name, number, shown in paged(stem, panels, MAX_PANELS):
        heading = fit(f"{title}{number}: {', '.join(results)}", 0.85 * WIDTH_IN)
        figures[name] = draw(heading, span, _named_once(shown), _marks(results), axis)
    return figures


def _named_once(panels: Sequence[Panel]) -> list[Panel]:
    """Panels whose lines are those of the one above do not name them again."""
    said = [(panel.legend_title, [curve.name for curve in panel.curves]) for panel in panels]
    return [
        replace(panel, named=False, legend_title="") if i and said[i] == said[i - 1] else panel
        for i, panel in enumerate(panels)
    ]


def _marks(results: Mapping[str, Result]) -> list[EventRecord]:
    """Milestones of every result with its name; single latches would be too many."""
    return [
        mark._replace(name=f"{mark.name}, {name}")
        for name, result in results.items()
        for pair in contact_pairs(result)
        for mark in milestones(result, pair, len(contact_pairs(result)) > 1)
        if not mark.name.startswith("latch")
    ]

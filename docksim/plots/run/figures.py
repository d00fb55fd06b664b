"""The standard figures of a run.

A kind of figure (`--what` of the command line) gives sheets: panels under one title and file name. A sheet becomes one
figure or several pages ("joints", "joints_2"), and none if the run has nothing to show. A pair of ports
("chaser.nose+station.aft") has a figure for its relative motion; it carries loads while it is joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from docksim.plots.kinds import MAIN_KINDS, RESULT_KINDS, is_channel
from docksim.plots.page import paged
from docksim.plots.panels import Panel, draw
from docksim.plots.run.budget import budget_panels
from docksim.plots.run.channels import channel_panels, stem_of
from docksim.plots.run.closures import closure_panels, closures_of
from docksim.plots.run.contact import (
    capture_rows,
    contact_pairs,
    contact_panels,
    interface_panels,
    marks,
    pairs_apart,
    seen_ports,
)
from docksim.plots.run.control import control_panels, controlled
from docksim.plots.run.devices import absorbed, absorbed_figure, device_panels, servo_panels, with_devices, with_drives
from docksim.plots.run.joined import hook_panels, joints_of_hooks, parting_panels, parting_rows, partings
from docksim.plots.run.legs import leg_panels, ring_panels, with_ring
from docksim.plots.run.motion import (
    PAIR,
    joint_panels,
    load_panels,
    momentum_panels,
    motion_panels,
    port_panels,
    vehicles,
)
from docksim.plots.run.phases import phase_figure, phase_spans
from docksim.plots.run.programs import arm_panels, with_programs
from docksim.result.bands import verdict_of
from docksim.result.result import Result

Figures = dict[str, Figure]

MAX_PANELS = 6  # per page
WHOLE = slice(None)


class Sheet(NamedTuple):
    """Panels that belong together, over all rows of the run or some."""

    stem: str
    title: str
    panels: Sequence[Panel]
    rows: slice = WHOLE


def all_figures(result: Result, what: Iterable[str] = (), rows: slice = WHOLE) -> Figures:
    """Every figure that has something to show, by file name; of the given kinds and channels only, if there are any.

    Curves are drawn over some of the rows, timeline and totals over the whole run.
    """
    figures: Figures = {}
    if not _has_curves(result):
        return figures
    asked = list(what)
    channels = [name for name in asked if is_channel(name)]
    kinds = [] if asked and asked == channels else chosen(name for name in asked if name not in channels)
    # a run that diverged has numbers whose squares are none
    with np.errstate(over="ignore", invalid="ignore"):
        for kind in kinds:
            figures |= figures_of(result, sheets(result, kind), rows)
            figures |= _OTHERS[kind](result) if kind in _OTHERS else {}
        named = [Sheet(stem_of(pattern), pattern, channel_panels(pattern, result)) for pattern in channels]
        return figures | figures_of(result, named, rows)


def chosen(what: Iterable[str]) -> list[str]:
    """The kinds wanted, in their usual order; all of them if none is named."""
    wanted = set(what) or set(RESULT_KINDS)
    if wrong := wanted - set(RESULT_KINDS):
        raise ValueError(f"kind of figure {sorted(wrong)}: expected one of {', '.join(RESULT_KINDS)}")
    return [kind for kind in RESULT_KINDS if kind in wanted]


def kinds_of(result: Result) -> list[str]:
    """The kinds of which the run has something to show."""
    if not _has_curves(result):
        return []
    with np.errstate(over="ignore", invalid="ignore"):
        return [kind for kind in RESULT_KINDS if (phase_spans(result) if kind == "phases" else sheets(result, kind))]


def main_kinds(there: Sequence[str]) -> list[str]:
    """Of the kinds that a run has, those which it is judged by."""
    chains = ((kind, *instead) for kind, instead in MAIN_KINDS.items())
    main = {next((kind for kind in chain if kind in there), "") for chain in chains}
    return [kind for kind in there if kind in main]


def sheets(result: Result, kind: str) -> list[Sheet]:
    """Sheets of a kind that have panels."""
    return [sheet for sheet in _SHEETS.get(kind, lambda _: ())(result) if sheet.panels]


def _has_curves(result: Result) -> bool:
    """False for a run too short to have a curve."""
    return len(result.time_s) > 1 and result.simulated_s > 0


def figures_of(result: Result, some: Iterable[Sheet], rows: slice = WHOLE) -> Figures:
    """Figures of at most MAX_PANELS panels each; a sheet whose rows are all outside has none."""
    figures: Figures = {}
    count = len(result.time_s)
    for sheet in some:
        own = range(count)[sheet.rows]
        both = slice(max(own.start, rows.indices(count)[0]), min(own.stop, rows.indices(count)[1]))
        if both.stop - both.start < 2:
            continue
        for name, number, panels in paged(sheet.stem, sheet.panels, MAX_PANELS):
            heading = f"{result.scenario_name}: {sheet.title}{number}"
            shown = [panel.over(both) for panel in panels]
            figures[name] = draw(heading, result.time_s[both], shown, marks(result))
    return figures


# ---------------------------------------------------------------- all kinds


def _port_sheet(result: Result, pair: str) -> Sheet:
    """How the active port of a pair ("chaser.nose+station.aft", a contact's name) moves, seen from the passive one."""
    return Sheet(f"ports_{pair.replace(PAIR, '-')}", seen_ports(result, pair), port_panels(result, pair))


def _device_sheets(result: Result, vehicle: str) -> list[Sheet]:
    return [
        Sheet(f"devices_{vehicle}", f"devices of {vehicle}", device_panels(result, vehicle)),
        Sheet(f"servos_{vehicle}", f"servos of {vehicle}", servo_panels(result, vehicle)),
    ]


def _caught(result: Result) -> list[str]:
    """The contacts that end in a capture; all, if none does."""
    pairs = contact_pairs(result)
    return [pair for pair in pairs if result[f"{pair}.capture_s"][-1] >= 0.0] or pairs


def _capture_sheets(result: Result, pair: str) -> list[Sheet]:
    """Contact and loads from shortly before the touch until shortly after capture."""
    rows = capture_rows(result, pair)
    if rows is None:
        return []
    title = f"contact of {pair}, " + ("until capture" if result[f"{pair}.capture_s"][-1] >= 0 else "while touching")
    panels = [*contact_panels(result, pair), *interface_panels(result, pair)]
    return [Sheet(f"capture_{pair}", title, panels, rows)]


def _interface_sheet(result: Result, pair: str) -> Sheet:
    contact = " (with soft / middle / stiff contact)" if verdict_of(result.manifest) else ""
    return Sheet(f"interface_{pair}", f"loads of {pair} against limits{contact}", interface_panels(result, pair))


def _hook_sheet(result: Result, name: str) -> Sheet:
    """Hooks, faces, seal and loads of the joint of two ports ("chaser.nose+station.dock")."""
    title = f"joint of {name.replace(PAIR, ' and ')}"
    return Sheet(f"hooks_{name.replace(PAIR, '-')}", title, hook_panels(result, name))


def _parting_sheet(result: Result, name: str) -> Sheet:
    """How two ports part: gap, what pushes, rates."""
    title = f"separation of {name.replace(PAIR, ' and ')}"
    rows = parting_rows(result, name) or WHOLE
    return Sheet(f"separation_{name.replace(PAIR, '-')}", title, parting_panels(result, name), rows)


def _phases(result: Result) -> Figures:
    """The phases of the run as a timeline."""
    spans = phase_spans(result)
    title = f"{result.scenario_name}: phases"
    return {"phases": phase_figure(title, spans, marks(result))} if spans else {}


def _absorbed(result: Result) -> Figures:
    """The energy that each device of a vehicle absorbed."""
    works = {vehicle: absorbed(result, vehicle) for vehicle in with_drives(result)}
    title = f"{result.scenario_name}: absorbed by"
    return {f"absorbed_{name}": absorbed_figure(f"{title} {name}", own) for name, own in works.items() if own}


_SHEETS: dict[str, Callable[[Result], Iterable[Sheet]]] = {
    "motion": lambda r: [Sheet(f"motion_{v}", f"motion of {v}", motion_panels(r, v)) for v in vehicles(r)],
    "ports": lambda r: [_port_sheet(r, pair) for pair in pairs_apart(r)],
    "ring": lambda r: [Sheet(f"ring_{v}", f"ring of {v}", ring_panels(r, v)) for v in with_ring(r)],
    "legs": lambda r: [Sheet(f"legs_{v}", f"legs of {v}", leg_panels(r, v)) for v in with_devices(r)],
    "joints": lambda r: [Sheet("joints", "joint coordinates", joint_panels(r))],
    "loads": lambda r: [Sheet("loads", "joint loads", load_panels(r))],
    "contact": lambda r: [Sheet(f"contact_{p}", f"contact of {p}", contact_panels(r, p)) for p in contact_pairs(r)],
    "capture": lambda r: [sheet for pair in _caught(r) for sheet in _capture_sheets(r, pair)],
    "interface": lambda r: [_interface_sheet(r, pair) for pair in contact_pairs(r)],
    "hooks": lambda r: [_hook_sheet(r, name) for name in joints_of_hooks(r)],
    "closures": lambda r: [Sheet("closures", "closures", closure_panels(r))] if closures_of(r) else [],
    "separation": lambda r: [_parting_sheet(r, name) for name in partings(r)],
    "arm": lambda r: [Sheet(f"arm_{v}", f"arm of {v}", arm_panels(r, v)) for v in with_programs(r)],
    "control": lambda r: [Sheet(f"control_{v}", f"control of {v}", control_panels(r, v)) for v in controlled(r)],
    "devices": lambda r: [sheet for v in with_drives(r) for sheet in _device_sheets(r, v)],
    "energy": lambda r: [Sheet("energy", "energy", budget_panels(r))],
    "momentum": lambda r: [Sheet("momentum", "momentum balance", momentum_panels(r))],
}
_OTHERS: dict[str, Callable[[Result], Figures]] = {"phases": _phases, "devices": _absorbed}

"""All figures of a mechanism or of an interface by itself; here are drawn what a mechanism can take, and one pawl.

Workspace: pairs of misalignments that keep every limit, in all or in some directions. Resistance: force before capture
against tilt, lateral travel and travel inward, springs and friction apart. Pawl: its force over its striker's way,
going in and going out; what lies between the two is lost to friction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from docksim.config.schema.interface import Interface, Latches
from docksim.config.schema.pawl import peak_N, work_to_pass_J
from docksim.drawing.mechanism import drawing
from docksim.hardware.inspect_devices import device_laws
from docksim.hardware.inspect_mechanism import Region, workspace
from docksim.hardware.mechanism import Mechanism
from docksim.hardware.yielding import Resistance, Yielding, yielding
from docksim.plots import style
from docksim.plots.hardware.device_laws import law_figures
from docksim.plots.hardware.interface import interface_figure
from docksim.plots.hardware.mechanism import mechanism_figure
from docksim.plots.page import page, round_ticks

ALL, SOME, EDGE = "#56a0d3", "#d6e6f2", "#0072b2"
MARK: dict[str, Any] = {"marker": "o", "markersize": 5.5, "color": "#d55e00", "markeredgecolor": "white"}
SPRINGS, FRICTION = "#56a0d3", "#e8b08a"
WEAKEST: dict[str, Any] = {"color": "#0072b2", "linewidth": 1.4}
STRONGEST: dict[str, Any] = {"color": "#0072b2", "linewidth": 1.0, "linestyle": ":"}
HELD: dict[str, Any] = {"color": "#333333", "linewidth": 1.0, "linestyle": (0, (4, 1.5))}
INWARD: dict[str, Any] = {"color": "#0072b2", "linewidth": 1.6}
OUTWARD: dict[str, Any] = {"color": "#d55e00", "linewidth": 1.6, "linestyle": (0, (5, 1.5))}
STORED: dict[str, Any] = {"color": "#555555", "linewidth": 1.0, "linestyle": (0, (1, 1.5))}


def mechanism_figures(mechanism: Mechanism, name: str) -> dict[str, Figure]:
    """By file name."""
    return {
        "mechanism": mechanism_figure(f"{name}: {' '.join(dict.fromkeys(mechanism.types))} legs", drawing(mechanism)),
        "workspace": workspace_figure(f"{name}: workspace", workspace(mechanism)),
        "resistance": resistance_figure(f"{name}: what resists before capture, by statics", yielding(mechanism)),
        **law_figures(f"{name}: laws of the devices", device_laws(mechanism)),
    }


def interface_figures(interface: Interface, name: str) -> dict[str, Figure]:
    """By file name."""
    figures = {"interface": interface_figure(f"{name}: interface", interface)}
    if interface.latches is not None:
        figures["pawl"] = pawl_figure(f"{name}: one of {interface.latches.count} pawls", interface.latches)
    return figures


# ---------------------------------------------------------------- workspace


def workspace_figure(title: str, maps: Sequence[Region]) -> Figure:
    """The maps side by side, with one key."""
    with page(title, 2.75) as figure:
        width = (1.0 - 0.07 - 0.02 - 0.08 * (len(maps) - 1)) / len(maps)
        for i, region in enumerate(maps):
            _map(figure.add_axes((0.07 + i * (width + 0.08), 0.30, width, 0.57)), region)
        handles = [
            Patch(facecolor=ALL, edgecolor=EDGE, label="limits kept in all directions"),
            Patch(facecolor=SOME, edgecolor=EDGE, linestyle=":", label="in some directions only"),
            Line2D([], [], linestyle="none", label="IDSS recommended limits", **MARK),
        ]
        figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 0.0), ncols=3, handlelength=1.8)
    return figure


def _map(axes: Axes, region: Region) -> None:
    """The largest lateral misalignment beside another one: in all directions, and in some."""
    axes.fill_betweenx(region.y_some, region.x_some, color=SOME, linewidth=0.0)
    axes.fill_betweenx(region.y, region.x, color=ALL, linewidth=0.0)
    axes.plot(region.x_some, region.y_some, color=EDGE, linewidth=0.8, linestyle=":")
    axes.plot(region.x, region.y, color=EDGE, linewidth=1.3)
    axes.set_xlim(0.0, 1.08 * max(float(region.x_some.max()), 1e-3))
    low, high = float(region.y_some.min()), float(region.y_some.max())
    axes.set_ylim(low + 0.08 * min(low, 0.0), 1.08 * max(high, 1e-3))
    axes.set_xlabel("lateral misalignment [m]")
    axes.set_ylabel(f"{region.label} [{region.unit}]")
    _grid_above(axes)
    if region.mark is not None:
        axes.plot(*region.mark, linestyle="none", zorder=4, **MARK)


def _grid_above(axes: Axes) -> None:
    """Over filled areas."""
    axes.set_axisbelow(False)
    axes.grid(True, color="#888888", alpha=0.25)
    round_ticks(axes, 5, 6)


# ---------------------------------------------------------------- resistance


def resistance_figure(title: str, by_motion: Yielding) -> Figure:
    """Three panels with one key."""
    with page(title, 2.9) as figure:
        panels = (
            (by_motion.tilt, "tilt [deg]", "at the ring's edge"),
            (by_motion.lateral, "travel across [m]", "across"),
            (by_motion.inward, "travel inward [m]", "along the axis"),
        )
        for i, (rows, label, name) in enumerate(panels):
            axes = figure.add_axes((0.09 + 0.325 * i, 0.33, 0.22, 0.51))
            size, springs = _column(rows, "size"), _column(rows, "springs_N")
            axes.fill_between(size, springs, color=SPRINGS, linewidth=0.0)
            axes.fill_between(size, springs, _column(rows, "force_N"), color=FRICTION, linewidth=0.0)
            axes.plot(size, _column(rows, "force_N"), **WEAKEST)
            axes.plot(size, _column(rows, "strongest_N"), **STRONGEST)
            _grid_above(axes)
            if i == 0:
                held = by_motion.tilt_centre_held
                axes.plot(_column(held, "size"), _column(held, "force_N"), **HELD)
            axes.set(xlabel=label, ylabel="force [N]")
            axes.set_title(name, fontsize=style.SMALL_PT, loc="left")
            axes.set_xlim(left=0.0)
            axes.set_ylim(bottom=min([0.0, *springs]))
        handles = [
            Patch(facecolor=SPRINGS, label="springs"),
            Patch(facecolor=FRICTION, label="friction"),
            Line2D([], [], label="weakest side", **WEAKEST),
            Line2D([], [], label="strongest side", **STRONGEST),
            Line2D([], [], label="weakest, centre held", **HELD),
        ]
        figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 0.0), ncols=5, columnspacing=1.4)
    return figure


def _column(rows: Sequence[Resistance], name: str) -> np.ndarray:
    return np.array([getattr(row, name) for row in rows])


# ---------------------------------------------------------------- pawl


def pawl_figure(title: str, latches: Latches) -> Figure:
    """One pawl, without what friction needs to build up and to turn round."""
    pieces = latches.pawl_pieces()
    # from nothing before the first touch to nothing behind the last piece
    ends = [end for piece in pieces for end in (piece.start_m, piece.end_m)]
    way = 1e3 * np.array([0.0, *ends, ends[-1]])
    going_in, going_out, spring = (
        np.array([0.0, *(force for piece in pieces for force in getattr(piece, key)), 0.0])
        for key in ("going_in_N", "going_out_N", "spring_N")
    )
    with page(title, 3.0) as figure:
        axes: Any = figure.add_axes((0.085, 0.16, 0.63, 0.70))
        axes.axhline(0.0, color="#888888", linewidth=0.6)
        if latches.pawl is None:
            axes.plot(way, going_in, label="in and out, by table", **INWARD)
        else:
            lost = {"color": INWARD["color"], "alpha": 0.10, "linewidth": 0, "label": "lost on a way and back"}
            axes.fill_between(way, going_in, going_out, **lost)
            axes.plot(way, going_in, label="going in", **INWARD)
            axes.plot(way, going_out, label="going out", **OUTWARD)
            axes.plot(way, spring, label="spring alone", **STORED)
        top = int(np.argmax(going_in))
        axes.plot([way[top]], [going_in[top]], marker="o", markersize=3.5, color=INWARD["color"])
        words = f"{peak_N(pieces):.3g} N; to pass {work_to_pass_J(pieces):.3g} J"
        small: dict[str, Any] = {"textcoords": "offset points", "fontsize": style.SMALL_PT}
        axes.annotate(words, (way[top], going_in[top]), (0, 5), ha="center", **small)
        falls = "" if latches.pawl is None else f", closed {1e3 * latches.pawl.falls_s:.3g} ms later"
        axes.axvline(way[-1], color="#888888", linewidth=0.6, linestyle=(0, (2, 2)))
        at_top: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "ha": "left", "va": "top", "rotation": 90}
        axes.annotate(f"passed{falls}", (way[-1], 0.98), (3, 0), **at_top, **small)
        axes.set_xlim(-0.06 * way[-1], 1.10 * way[-1])
        axes.margins(y=0.15)
        axes.set_xlabel("way of the striker since it touched the pawl [mm]")
        axes.set_ylabel("force against its coming [N]")
        figure.legend(loc="upper left", bbox_to_anchor=(0.735, 0.87))
    return figure

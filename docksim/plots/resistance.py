"""What resists before capture: force against tilt, lateral travel and travel inward, springs and friction apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from docksim.plots import style

HEIGHT_IN = 2.9
SPRINGS, FRICTION = "#56a0d3", "#e8b08a"
WEAKEST: dict[str, Any] = {"color": "#0072b2", "linewidth": 1.4}
STRONGEST: dict[str, Any] = {"color": "#0072b2", "linewidth": 1.0, "linestyle": ":"}
HELD: dict[str, Any] = {"color": "#333333", "linewidth": 1.0, "linestyle": (0, (4, 1.5))}


class Row(Protocol):
    """Force at one size; see docksim.hardware.yielding."""

    @property
    def size(self) -> float: ...
    @property
    def springs_N(self) -> float: ...
    @property
    def friction_N(self) -> float: ...
    @property
    def force_N(self) -> float: ...
    @property
    def strongest_N(self) -> float: ...


class Figures(Protocol):
    """Rows by motion."""

    @property
    def tilt(self) -> Sequence[Row]: ...
    @property
    def tilt_centre_held(self) -> Sequence[Row]: ...
    @property
    def lateral(self) -> Sequence[Row]: ...
    @property
    def inward(self) -> Sequence[Row]: ...


def resistance_figure(title: str, found: Figures) -> Figure:
    """Three panels with one key."""
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, HEIGHT_IN))
        FigureCanvasAgg(figure)
        figure.text(0.1 / style.WIDTH_IN, 1 - 0.09 / HEIGHT_IN, title, va="top", weight="bold", parse_math=False)
        panels = (
            (found.tilt, "tilt [deg]", "at the ring's edge, N"),
            (found.lateral, "travel across [m]", "across, N"),
            (found.inward, "travel inward [m]", "along the axis, N"),
        )
        for i, (rows, label, name) in enumerate(panels):
            axes = figure.add_axes((0.075 + 0.32 * i, 0.33, 0.24, 0.51))
            _draw(axes, rows)
            if i == 0:
                size, force = _curve(found.tilt_centre_held, "force_N")
                axes.plot(size, force, **HELD)
            axes.set_xlabel(label)
            axes.set_title(name, fontsize=style.SMALL_PT, loc="left")
            axes.set_xlim(left=0.0)
            axes.set_ylim(bottom=min([0.0, *(row.springs_N for row in rows)]))
        handles = [
            Patch(facecolor=SPRINGS, label="springs"),
            Patch(facecolor=FRICTION, label="friction"),
            Line2D([], [], label="weakest side", **WEAKEST),
            Line2D([], [], label="strongest side", **STRONGEST),
            Line2D([], [], label="weakest, centre held", **HELD),
        ]
        figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 0.0), ncols=5, columnspacing=1.4)
    return figure


def _curve(rows: Sequence[Row], name: str) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row.size for row in rows]), np.array([getattr(row, name) for row in rows])


def _draw(axes: Axes, rows: Sequence[Row]) -> None:
    size, springs = _curve(rows, "springs_N")
    total, strongest = _curve(rows, "force_N")[1], _curve(rows, "strongest_N")[1]
    axes.fill_between(size, springs, color=SPRINGS, linewidth=0.0)
    axes.fill_between(size, springs, total, color=FRICTION, linewidth=0.0)
    axes.plot(size, total, **WEAKEST)
    axes.plot(size, strongest, **STRONGEST)
    axes.set_axisbelow(False)
    axes.grid(True, color="#888888", alpha=0.25)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))

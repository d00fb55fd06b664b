"""Maps of what a mechanism can take: pairs of misalignments that keep every limit, in all or in some directions."""

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

HEIGHT_IN = 2.75
ALL, SOME, EDGE = "#56a0d3", "#d6e6f2", "#0072b2"
MARK: dict[str, Any] = {"marker": "o", "markersize": 5.5, "color": "#d55e00", "markeredgecolor": "white"}


class Reached(Protocol):
    """Curves of the largest lateral misalignment x beside another one, y: in all directions, and in some."""

    @property
    def x(self) -> np.ndarray: ...
    @property
    def y(self) -> np.ndarray: ...
    @property
    def x_some(self) -> np.ndarray: ...
    @property
    def y_some(self) -> np.ndarray: ...
    @property
    def label(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def mark(self) -> tuple[float, float] | None: ...


def workspace_figure(title: str, maps: Sequence[Reached]) -> Figure:
    """The maps side by side, with one key."""
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, HEIGHT_IN))
        FigureCanvasAgg(figure)
        figure.text(0.1 / style.WIDTH_IN, 1 - 0.09 / HEIGHT_IN, title, va="top", weight="bold", parse_math=False)
        width = (1.0 - 0.07 - 0.02 - 0.08 * (len(maps) - 1)) / len(maps)
        for i, one in enumerate(maps):
            _draw(figure.add_axes((0.07 + i * (width + 0.08), 0.30, width, 0.57)), one)
        handles = [
            Patch(facecolor=ALL, edgecolor=EDGE, label="limits kept in all directions"),
            Patch(facecolor=SOME, edgecolor=EDGE, linestyle=":", label="in some directions only"),
            Line2D([], [], linestyle="none", label="IDSS recommended limits", **MARK),
        ]
        figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 0.0), ncols=3, handlelength=1.8)
    return figure


def _draw(axes: Axes, one: Reached) -> None:
    axes.fill_betweenx(one.y_some, one.x_some, color=SOME, linewidth=0.0)
    axes.fill_betweenx(one.y, one.x, color=ALL, linewidth=0.0)
    axes.plot(one.x_some, one.y_some, color=EDGE, linewidth=0.8, linestyle=":")
    axes.plot(one.x, one.y, color=EDGE, linewidth=1.3)
    axes.set_xlim(0.0, 1.08 * max(float(one.x_some.max()), 1e-3))
    low, high = float(one.y_some.min()), float(one.y_some.max())
    axes.set_ylim(low + 0.08 * min(low, 0.0), 1.08 * max(high, 1e-3))
    axes.set_xlabel("lateral misalignment [m]")
    axes.set_ylabel(f"{one.label} [{one.unit}]")
    axes.set_axisbelow(False)
    axes.grid(True, color="#888888", alpha=0.25)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    if one.mark is not None:
        axes.plot(*one.mark, linestyle="none", zorder=4, **MARK)

"""Figures of the formulations of chain dynamics: operations and times by the number of links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator, ScalarFormatter

from docksim.plots import style
from docksim.plots.page import arranged

HEIGHT_IN = 3.6
MARKERS = ("x", "s", "+", "o", "D")
TICKS = (2, 3, 5, 7, 10, 20, 30, 50, 100, 200)
Curves = Mapping[str, Sequence[float]]


def counts_figure(
    lengths: Sequence[int], counted: Curves, published: Curves, times_us: Curves | None = None, title: str = ""
) -> Figure:
    """Operations for A, counted (lines) and published (crosses), and, if measured, times beside them."""
    # the legend stands below, so that the panels keep their width
    with arranged(title, HEIGHT_IN + 0.75) as figure:
        panels: Any = figure.subplots(1, 2 if times_us else 1, squeeze=False)[0]
        looks = {name: style.CURVES[i] for i, name in enumerate(counted)}
        for name, values in counted.items():
            panels[0].plot(lengths, values, label=name, **looks[name])
        for (name, values), marker in zip(published.items(), MARKERS):
            colour = looks[name]["color"] if name in looks else "#777777"
            look = {"linestyle": "none", "marker": marker, "markersize": 4.0, "markerfacecolor": "none"}
            panels[0].plot(lengths, values, color=colour, label=f"{name}: published", clip_on=False, **look)
        _scales(panels[0], lengths, "multiplications and additions")
        if times_us:
            for name, values in times_us.items():
                panels[1].plot(lengths, values, **looks[name])
            _scales(panels[1], lengths, "time for A [µs]")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=2, columnspacing=2.0)
    return figure


def _scales(axes: Axes, lengths: Sequence[int], label: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel="links N", ylabel=label)
    axes.set_xlim(min(lengths), max(lengths))
    axes.xaxis.set_major_locator(FixedLocator([n for n in TICKS if min(lengths) <= n <= max(lengths)]))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_formatter(NullFormatter())

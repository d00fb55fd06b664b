"""Figures of studies: the distribution of a metric with its limits, and the envelope of success in two keys."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.study.envelope import Envelope
from docksim.study.statistics import COVERAGE, tolerance_limit
from docksim.study.table import Table

HEIGHT_IN = 3.2
SUCCESS: dict[str, Any] = {"marker": "o", "color": "#0072b2"}
FAILURE: dict[str, Any] = {"marker": "x", "color": "#d55e00"}


def distribution_figure(table: Table, metric: str) -> Figure:
    """The share of cases that exceed a value, on a logarithmic scale: where loads are judged, at the tail."""
    values = np.sort(table.metric(metric))
    values = values[~np.isnan(values)]
    with rc_context(style.RC):
        figure, axes = _figure(f"{table.study.name}: {metric}")
        share = 1.0 - (np.arange(1, len(values) + 1) - 0.5) / max(len(values), 1)
        axes.step(values, share, where="post", label=f"{len(values)} cases", **style.CURVES[0])
        axes.set_yscale("log")
        found = tolerance_limit(values) if table.independent else None
        if found is not None:
            name = f"tolerance limit ({COVERAGE:.0%} of cases, 95% confidence)"
            axes.axvline(found[0], label=name, **style.CURVES[1])
        if metric in table.study.limits:
            axes.axvline(table.study.limits[metric], label="limit of the study", **style.LIMIT)
        axes.set_xlabel(metric, parse_math=False)
        axes.set_ylabel("share of cases beyond")
        axes.margins(x=0.03)
        axes.legend(loc="lower left")
    return figure


def envelope_figure(envelope: Envelope, title: str) -> Figure:
    """Points that were run, and the boundary between success and failure."""
    with rc_context(style.RC):
        figure, axes = _figure(title)
        for wanted, look, name in ((True, SUCCESS, "success"), (False, FAILURE, "no success")):
            points = [envelope.value(node) for node, success in envelope.known.items() if success == wanted]
            x, y = zip(*points, strict=True) if points else ((), ())
            axes.plot(x, y, linestyle="none", markersize=3.0, label=f"{name}, {len(points)} cases", **look)
        axes.add_collection(LineCollection(list(envelope.segments), colors="black", linewidths=1.2, label="boundary"))
        axes.set_xlabel(envelope.keys[0], parse_math=False)
        axes.set_ylabel(envelope.keys[1], parse_math=False)
        axes.margins(0.04)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _figure(title: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(style.WIDTH_IN, HEIGHT_IN), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title, loc="left", weight="bold", fontsize=style.FONT_PT, parse_math=False)
    return figure, axes

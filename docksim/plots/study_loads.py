"""How a metric of a study is spread: a histogram, and the share of cases beyond a value with its confidence band.

The band is pointwise: at any one value, chosen beforehand, the true share lies inside with 95 % confidence (Clopper and
Pearson); it needs random sampling and is left out otherwise. A case without the metric did not end well: as in the
summary of a study it counts as beyond every value, and a histogram says how many it does not show.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.study_axes import fit_left, page
from docksim.result.bands import contact_of
from docksim.study.statistics import CONFIDENCE, COVERAGE, clopper_pearson, tolerance_limit
from docksim.study.table import Table

MOST_BINS = 60
BAND: dict[str, Any] = {"facecolor": "#0072b2", "alpha": 0.18, "linewidth": 0.0}
PARTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("success", {"facecolor": "#0072b2"}),
    ("no success", {"facecolor": "#d55e00", "hatch": "/////"}),
)


def histogram_figure(table: Table, metric: str) -> Figure:
    """Numbers of cases by value, those without success on top and hatched."""
    values = table.metric(metric)
    known = np.isfinite(values)
    with rc_context(style.RC):
        figure, [axes] = page(f"{table.study.name}: {metric}")
        edges = bin_edges(values[known])
        below = np.zeros(len(edges) - 1)
        for (word, look), wanted in zip(PARTS, (True, False), strict=True):
            members = values[known & (table.success == wanted)]
            if len(members):
                counts, _ = np.histogram(members, edges)
                label = f"{word}, {len(members)} cases"
                axes.bar(
                    edges[:-1], counts, np.diff(edges), bottom=below, align="edge", label=label, edgecolor="white",
                    linewidth=0.3, **look,
                )  # fmt: skip
                below += counts
        _limits(axes, table, metric)
        axes.set_ylabel("cases [1]")
        _dress(axes, table, metric)
    return figure


def bin_edges(values: np.ndarray) -> np.ndarray:
    """Bins of equal width by Freedman and Diaconis or Sturges, whichever gives more, and not too many."""
    edges = np.histogram_bin_edges(values, "auto")
    return edges if len(edges) <= MOST_BINS + 1 else np.histogram_bin_edges(values, MOST_BINS)


def exceedance_figure(table: Table, metric: str) -> Figure:
    """The share of cases that exceed a value, on a logarithmic scale: where loads are judged, at the tail."""
    count = len(table)
    values, beyond, share = _beyond(table.metric(metric))
    with rc_context(style.RC):
        figure, [axes] = page(f"{table.study.name}: {metric}")
        ends = table.ends(metric)
        middle = ", middle contact" if ends else ""
        axes.step(values, share, where="post", label=f"{count} cases{middle}", **style.CURVES[0])
        for (end, others), look in zip(ends.items(), style.CURVES[2:], strict=False):
            at, _, part = _beyond(others)
            axes.step(at, part, where="post", label=contact_of(end), **look)
        if table.independent:
            low, high = _band(beyond, count)
            words = f"{CONFIDENCE:.0%} confidence, pointwise"
            axes.fill_between(values, np.maximum(low, 1e-12), high, step="post", label=words, **BAND)
        axes.set_yscale("log")
        axes.set_ylim(0.4 / count, 1.3)
        _limits(axes, table, metric)
        axes.set_ylabel("share of cases beyond [1]")
        _dress(axes, table, metric, "counted as beyond")
    return figure


def _beyond(metric: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values in their order, how many cases are beyond each, and that as a share."""
    count, values = len(metric), np.sort(metric)
    values = values[~np.isnan(values)]
    # of the cases with a value, those above it; and all without, which did not end well
    beyond = count - np.arange(1, len(values) + 1)
    # a share of zero cannot be shown on a logarithmic axis
    return values, beyond, np.where(beyond > 0, beyond / count, np.nan)


def _band(beyond: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    found = [clopper_pearson(int(number), count) for number in beyond]
    return np.array([one.low for one in found]), np.array([one.high for one in found])


def _limits(axes: Axes, table: Table, metric: str) -> None:
    values = table.metric(metric)
    found = tolerance_limit(values[~np.isnan(values)]) if table.independent else None
    if found is not None:
        name = f"tolerance limit {found[0]:.4g}\n({COVERAGE:.0%} of cases, {CONFIDENCE:.0%} confidence)"
        axes.axvline(found[0], label=name, **style.CURVES[1])
    limit = table.study.limits.get(metric)
    if limit is not None:
        axes.axvline(limit, label=f"limit of the study {limit:.4g}", **style.LIMIT)


def _dress(axes: Axes, table: Table, metric: str, fate: str = "not shown") -> None:
    """Name of the metric, which carries its unit; what became of cases without it; a legend beside the axes."""
    missing = int(np.sum(np.isnan(table.metric(metric))))
    axes.set_xlabel(fit_left(metric, 4.0), parse_math=False)
    axes.margins(x=0.03)
    title = f"{missing} without the metric, {fate}" if missing else None
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, title=title, alignment="left")

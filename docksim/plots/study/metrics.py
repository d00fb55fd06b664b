"""A metric of a study: how it is spread, and what it goes with.

A histogram, and the share of cases beyond a value with its confidence band. The band is pointwise: at any one value,
chosen beforehand, the true share lies inside with 95 % confidence (Clopper and Pearson); it needs random sampling and
is left out otherwise. A case without the metric did not end well: as in the summary of a study it counts as beyond
every value, and a histogram says how many it does not show. What it goes with are bars of rank correlations, and of
Sobol indices with their intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.curves import rounded
from docksim.plots.page import fit_left, study_page, with_unit
from docksim.plots.study.cases import BAND
from docksim.result.bands import contact_of
from docksim.study.statistics import CONFIDENCE, COVERAGE, clopper_pearson, correlation_threshold, tolerance_limit
from docksim.study.summary import Driver
from docksim.study.table import Table

MOST_BINS = 60
GROUPS: tuple[tuple[bool, str, dict[str, Any]], ...] = (
    (True, "success", {"facecolor": "#0072b2"}),
    (False, "no success", {"facecolor": "#d55e00", "hatch": "/////"}),
)
BAR_IN, AROUND_IN, LABEL_IN = 0.24, 1.1, 2.6
MOST_BARS = 20
SURE: dict[str, Any] = {"facecolor": "#0072b2"}
CHANCE: dict[str, Any] = {"facecolor": "#cccccc", "hatch": "/////"}
FIRST: dict[str, Any] = {"facecolor": "#0072b2"}
TOTAL: dict[str, Any] = {"facecolor": "#e69f00", "hatch": "\\\\\\\\\\"}
INTERVAL: dict[str, Any] = {"ecolor": "#000000", "elinewidth": 0.8, "capsize": 2}


def histogram_figure(table: Table, metric: str) -> Figure:
    """Numbers of cases by value, those without success on top and hatched."""
    values = table.metric(metric)
    known = np.isfinite(values)
    with study_page(f"{table.study.name}: {metric}") as (figure, [axes]):
        edges = bin_edges(values[known])
        below = np.zeros(len(edges) - 1)
        for wanted, word, look in GROUPS:
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
    with study_page(f"{table.study.name}: {metric}") as (figure, [axes]):
        ends = table.ends(metric)
        middle = ", middle contact" if ends else ""
        axes.step(values, share, where="post", label=f"{count} cases{middle}", **style.CURVES[0])
        for (end, others), look in zip(ends.items(), style.CURVES[2:], strict=False):
            at, _, at_end = _beyond(others)
            axes.step(at, at_end, where="post", label=contact_of(end), **look)
        if table.study.is_random:
            limits = [clopper_pearson(int(number), count) for number in beyond]
            low, high = (np.array([getattr(one, end) for one in limits]) for end in ("low", "high"))
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


def _limits(axes: Axes, table: Table, metric: str) -> None:
    values = table.metric(metric)
    tolerance = tolerance_limit(values[~np.isnan(values)]) if table.study.is_random else None
    if tolerance is not None:
        name = f"tolerance limit {rounded(tolerance[0])}\n({COVERAGE:.0%} of cases, {CONFIDENCE:.0%} confidence)"
        axes.axvline(tolerance[0], label=name, **style.CURVES[1])
    limit = table.study.limits.get(metric)
    if limit is not None:
        axes.axvline(limit, label=f"limit of the study {rounded(limit)}", **style.LIMIT)


def _dress(axes: Axes, table: Table, metric: str, fate: str = "not shown") -> None:
    """Name of the metric and its unit; what became of cases without it; a legend beside the axes."""
    missing = int(np.sum(np.isnan(table.metric(metric))))
    axes.set_xlabel(fit_left(with_unit(metric), 4.0), parse_math=False)
    axes.margins(x=0.03)
    title = f"{missing} without the metric, {fate}" if missing else None
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, title=title, alignment="left")


# ---------------------------------------------------------------- what it goes with


def drivers_figure(table: Table, metric: str, drivers: Sequence[Driver]) -> Figure:
    """Rank correlations of a metric, or of success, with the dispersed keys; those within chance are hatched."""
    shown = list(drivers[:MOST_BARS])
    with study_page(f"{table.study.name}: what {metric} goes with", AROUND_IN + BAR_IN * len(shown)) as (
        figure,
        [axes],
    ):
        for sure, look, word in ((True, SURE, "beyond chance"), (False, CHANCE, "within chance")):
            rows = [i for i, driver in enumerate(shown) if driver.significant == sure]
            sizes = [shown[i].coefficient for i in rows]
            if rows:
                axes.barh(rows, sizes, height=0.65, label=word, edgecolor="white", linewidth=0.3, **look)
        for i, driver in enumerate(shown):
            place = (6 if driver.coefficient >= 0 else -6, 0)
            axes.annotate(
                f"{driver.coefficient:+.2f}".replace("-", "−"), (driver.coefficient, i), xytext=place,
                textcoords="offset points", va="center", ha="left" if driver.coefficient >= 0 else "right",
                fontsize=style.SMALL_PT,
            )  # fmt: skip
        # beyond these lines a coefficient is not chance; success is known of every case
        cases = int(np.sum(~np.isnan(table.metric(metric)))) if metric in table.metrics else len(table)
        numeric = sum(column.dtype != object for column in table.inputs.values())
        for sign, label in ((1.0, f"chance, {CONFIDENCE:.0%}"), (-1.0, "_chance")):
            axes.axvline(sign * correlation_threshold(cases, numeric), label=label, **style.LIMIT)
        axes.set_xlim(-1.15, 1.15)
        _finish_bars(axes, [driver.key for driver in shown], "Spearman's rank correlation [1]")
    return figure


def sobol_figure(study: str, metric: str, indices: Sequence[Any]) -> Figure:
    """First-order and total indices of every factor with their intervals."""
    shown = list(indices[:MOST_BARS])
    with study_page(f"{study}: Sobol indices of {metric}", AROUND_IN + 1.7 * BAR_IN * len(shown)) as (figure, [axes]):
        rows = np.arange(len(shown))
        orders = (("first order", FIRST, -0.2, "first"), ("total", TOTAL, 0.2, "total"))
        for word, look, shift, name in orders:
            shares = [getattr(index, name) for index in shown]
            sizes = np.array([one.estimate for one in shares])
            reach = np.abs(np.array([[one.estimate - one.low, one.high - one.estimate] for one in shares]).T)
            axes.barh(
                rows + shift, sizes, height=0.36, xerr=reach, label=word, error_kw=INTERVAL, edgecolor="white",
                linewidth=0.3, **look,
            )  # fmt: skip
        label = f"share of the variance [1], {CONFIDENCE:.0%} intervals"
        _finish_bars(axes, [index.factor for index in shown], label)
    return figure


def _finish_bars(axes: Axes, names: Sequence[str], label: str) -> None:
    axes.set_yticks(range(len(names)), [fit_left(name, LABEL_IN) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.axvline(0.0, color="#444444", linewidth=0.6)
    axes.set_xlabel(label)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)

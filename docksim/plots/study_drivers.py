"""What a metric goes with: bars of rank correlations, and of Sobol indices with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.study_axes import fit_left, page
from docksim.study.statistics import CONFIDENCE, correlation_threshold
from docksim.study.summary import Driver
from docksim.study.table import Table

BAR_IN, AROUND_IN, LABEL_IN = 0.24, 1.1, 2.6
MOST_BARS = 20
SURE: dict[str, Any] = {"facecolor": "#0072b2"}
CHANCE: dict[str, Any] = {"facecolor": "#cccccc", "hatch": "/////"}
FIRST: dict[str, Any] = {"facecolor": "#0072b2"}
TOTAL: dict[str, Any] = {"facecolor": "#e69f00", "hatch": "\\\\\\\\\\"}
INTERVAL: dict[str, Any] = {"ecolor": "#000000", "elinewidth": 0.8, "capsize": 2}


def drivers_figure(table: Table, metric: str, drivers: Sequence[Driver]) -> Figure:
    """Rank correlations of a metric, or of success, with the dispersed keys; those within chance are hatched."""
    shown = list(drivers[:MOST_BARS])
    with rc_context(style.RC):
        figure, [axes] = page(f"{table.study.name}: what {metric} goes with", AROUND_IN + BAR_IN * len(shown))
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
        _threshold(axes, table, metric)
        _names(axes, [driver.key for driver in shown])
        axes.set_xlim(-1.15, 1.15)
        axes.axvline(0.0, color="#444444", linewidth=0.6)
        axes.set_xlabel("Spearman's rank correlation [1]")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return figure


def _threshold(axes: Axes, table: Table, metric: str) -> None:
    """Beyond these lines a coefficient is not chance."""
    # success is known of every case
    cases = int(np.sum(~np.isnan(table.metric(metric)))) if metric in table.metrics else len(table)
    numeric = sum(column.dtype != object for column in table.inputs.values())
    size = correlation_threshold(cases, numeric)
    for sign, label in ((1.0, f"chance, {CONFIDENCE:.0%}"), (-1.0, "_chance")):
        axes.axvline(sign * size, label=label, **style.LIMIT)


def sobol_figure(study: str, metric: str, indices: Sequence[Any]) -> Figure:
    """First-order and total indices of every factor with their intervals."""
    shown = list(indices[:MOST_BARS])
    with rc_context(style.RC):
        figure, [axes] = page(f"{study}: Sobol indices of {metric}", AROUND_IN + 1.7 * BAR_IN * len(shown))
        rows = np.arange(len(shown))
        parts = (("first order", FIRST, -0.2, "first"), ("total", TOTAL, 0.2, "total"))
        for word, look, shift, name in parts:
            found = [getattr(index, name) for index in shown]
            sizes = np.array([one.estimate for one in found])
            reach = np.abs(np.array([[one.estimate - one.low, one.high - one.estimate] for one in found]).T)
            axes.barh(
                rows + shift, sizes, height=0.36, xerr=reach, label=word, error_kw=INTERVAL, edgecolor="white",
                linewidth=0.3, **look,
            )  # fmt: skip
        _names(axes, [index.factor for index in shown])
        axes.axvline(0.0, color="#444444", linewidth=0.6)
        axes.set_xlabel(f"share of the variance [1], {CONFIDENCE:.0%} intervals")
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return figure


def _names(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [fit_left(name, LABEL_IN) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")

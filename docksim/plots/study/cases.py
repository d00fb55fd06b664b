"""Where the cases of a study lie: initial conditions by outcome, metrics over what drives them, the envelope of
success, and how its share settles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.page import fit_left, paged, study_page, with_unit
from docksim.study.statistics import CONFIDENCE, clopper_pearson
from docksim.study.summary import Driver, probability
from docksim.study.table import Table

PANEL_IN, TOP_IN, LEGEND_IN = 2.35, 0.35, 0.3
COLUMNS, MOST_PANELS = 3, 6
POINTS = 200  # of a curve of intervals
BAND: dict[str, Any] = {"facecolor": "#0072b2", "alpha": 0.18, "linewidth": 0.0}
SUCCESS: dict[str, Any] = {"marker": "o", "color": "#0072b2"}
FAILURE: dict[str, Any] = {"marker": "x", "color": "#d55e00"}
# what cases without success missed, by how often it occurs
FAILURES: tuple[dict[str, Any], ...] = (
    {"marker": "x", "color": "#d55e00"},
    {"marker": "^", "color": "#000000", "markerfacecolor": "none"},
    {"marker": "s", "color": "#cc79a7", "markerfacecolor": "none"},
    {"marker": "+", "color": "#009e73"},
    {"marker": "D", "color": "#e69f00", "markerfacecolor": "none"},
    {"marker": "v", "color": "#777777", "markerfacecolor": "none"},
)


# ---------------------------------------------------------------- initial conditions


def key_pairs(table: Table) -> list[tuple[str, str]]:
    """Keys that belong together, such as the two of a disc; the others two by two, the last one with the first."""
    numeric = [key for key, column in table.inputs.items() if column.dtype != object and np.ptp(column) > 0.0]
    together = [tuple(item.targets) for item in table.study.dispersions if len(item.targets) == 2]
    pairs = [(a, b) for a, b in together if a in numeric and b in numeric]
    alone = [key for key in numeric if not any(key in pair for pair in pairs)]
    if len(alone) % 2 and len(numeric) > 1:
        alone.append(next(key for key in numeric if key != alone[-1]))
    return [*zip(alone[::2], alone[1::2], strict=False), *pairs]


def scatter_figures(table: Table) -> dict[str, Figure]:
    """Cases over their initial conditions, marked by outcome; nothing where fewer than two keys vary."""
    return {name: _scatter(table, pairs) for name, _, pairs in paged("scatter", key_pairs(table), MOST_PANELS)}


def _scatter(table: Table, pairs: Sequence[tuple[str, str]]) -> Figure:
    columns = min(COLUMNS, len(pairs))
    rows = -(-len(pairs) // columns)
    groups = case_groups(table)
    height = TOP_IN + rows * PANEL_IN + LEGEND_IN * (1 + (len(groups) - 1) // 3)
    title = f"{table.study.name}: initial conditions by outcome"
    with study_page(title, height, rows, columns) as (figure, axes):
        room = style.WIDTH_IN / columns - 0.7
        for one, (x, y) in zip(axes, pairs, strict=False):
            for label, (members, look) in groups.items():
                size = 3.0 if len(table) < 2000 else 1.8
                points: dict[str, Any] = {"linestyle": "none", "markersize": size, "markeredgewidth": 0.7, **look}
                one.plot(table.inputs[x][members], table.inputs[y][members], label=label, **points)
            _name_axes(one, x, y, room)
        for spare in axes[len(pairs) :]:
            spare.set_visible(False)
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower left", ncols=3, handlelength=1.2, markerscale=1.4)
    return figure


def _name_axes(axes: Axes, x: str, y: str, room_in: float) -> None:
    axes.set_xlabel(fit_left(with_unit(x), room_in), parse_math=False)
    axes.set_ylabel(fit_left(with_unit(y), PANEL_IN - 0.7), parse_math=False)
    axes.margins(0.05)
    axes.locator_params(axis="x", nbins=4)
    axes.locator_params(axis="y", nbins=5)
    axes.ticklabel_format(useOffset=False, scilimits=(-4, 6))


# ---------------------------------------------------------------- loads


def main_driver_figures(table: Table, drivers: Mapping[str, Sequence[Driver]]) -> dict[str, Figure]:
    """Metrics over the dispersed key that each goes with most, marked by success; the coefficient stands above."""
    mains = [(name, max(own, key=lambda one: abs(one.coefficient))) for name, own in drivers.items() if own]
    pairs = [(name, main) for name, main in mains if name in table.metrics and table.inputs[main.key].dtype != object]
    return {name: _main_drivers(table, some) for name, _, some in paged("main_drivers", pairs, MOST_PANELS)}


def _main_drivers(table: Table, pairs: Sequence[tuple[str, Driver]]) -> Figure:
    columns = min(COLUMNS, len(pairs))
    rows = -(-len(pairs) // columns)
    title = f"{table.study.name}: metrics over what each goes with most"
    with study_page(title, TOP_IN + rows * (PANEL_IN + TOP_IN) + LEGEND_IN, rows, columns) as (figure, axes):
        for one, (metric, driver) in zip(axes, pairs, strict=False):
            for wanted, word, look in ((True, "success", SUCCESS), (False, "no success", FAILURE)):
                members = (table.success == wanted) & np.isfinite(table.metric(metric))
                points: dict[str, Any] = {"linestyle": "none", "markersize": 3.0, "label": word, **look}
                if members.any():
                    one.plot(table.inputs[driver.key][members], table.metric(metric)[members], **points)
            if metric in table.study.limits:
                one.axhline(table.study.limits[metric], label="limit of the study", **style.LIMIT)
            _name_axes(one, driver.key, metric, style.WIDTH_IN / columns - 0.7)
            sure = "" if driver.significant else ", within chance"
            words = f"rank correlation {driver.coefficient:+.2f}{sure}".replace("-", "−")
            one.set_title(words, fontsize=style.SMALL_PT, loc="left")
        for spare in axes[len(pairs) :]:
            spare.set_visible(False)
        named = {label: handle for one in axes for handle, label in zip(*one.get_legend_handles_labels(), strict=True)}
        figure.legend(list(named.values()), list(named), loc="outside lower left", ncols=3, handlelength=1.4)
    return figure


# ---------------------------------------------------------------- by outcome


def case_groups(table: Table) -> dict[str, tuple[np.ndarray, dict[str, Any]]]:
    """Rows of the table, successful ones by outcome, then the others by the first thing they missed; their looks."""
    groups: dict[str, tuple[np.ndarray, dict[str, Any]]] = {}
    for outcome in sorted(set(table.outcome[table.success])):
        members = table.success & (table.outcome == outcome)
        look = {**SUCCESS, "markerfacecolor": "none" if groups else SUCCESS["color"]}
        groups[f"success: {outcome}, {int(members.sum())}"] = (members, look)
    first = np.array([missed[0] if missed else "" for missed in table.missed], str)
    names, counts = np.unique(first[~table.success], return_counts=True)
    for rank, i in enumerate(np.argsort(-counts, kind="stable")):
        groups[f"missed: {names[i]}, {counts[i]}"] = (first == names[i], FAILURES[rank % len(FAILURES)])
    return groups


# ---------------------------------------------------------------- the envelope


def envelope_figure(envelope: Mapping[str, Any], title: str) -> Figure:
    """Points that were run, and the boundary between success and failure; `envelope` is as it is saved."""
    with study_page(f"{title}: envelope of success") as (figure, [axes]):
        for wanted, look, name in ((True, SUCCESS, "success"), (False, FAILURE, "no success")):
            points = [(x, y) for x, y, success in envelope["points"] if success == wanted]
            x, y = zip(*points, strict=True) if points else ((), ())
            axes.plot(x, y, linestyle="none", markersize=3.0, label=f"{name}, {len(points)} cases", **look)
        pieces = list(envelope["boundary"])
        axes.add_collection(LineCollection(pieces, colors="black", linewidths=1.2, label="boundary"))
        axes.set_xlabel(fit_left(with_unit(envelope["keys"][0]), 4.0), parse_math=False)
        axes.set_ylabel(fit_left(with_unit(envelope["keys"][1]), 2.3), parse_math=False)
        axes.margins(0.04)
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return figure


# ---------------------------------------------------------------- convergence


def convergence_figure(table: Table) -> Figure:
    """The share of successes over the first n cases, with its interval where cases are independent."""
    count = len(table)
    share = np.cumsum(table.success) / np.arange(1, count + 1)
    with study_page(f"{table.study.name}: convergence of the probability of success") as (figure, [axes]):
        axes.plot(np.arange(1, count + 1), share, label="share of the first n cases", **style.CURVES[0])
        if table.study.is_random:
            at = np.unique(np.linspace(1, count, POINTS).round().astype(int))
            limits = [clopper_pearson(int(np.sum(table.success[:n])), int(n)) for n in at]
            low, high = [one.low for one in limits], [one.high for one in limits]
            axes.fill_between(at, low, high, label=f"{CONFIDENCE:.0%} confidence, each n", **BAND)
        final = probability(table, table.success)
        if final is not None and not np.isnan(final.low):
            words = f"now {final.estimate:.4g}\n[{final.low:.4g}, {final.high:.4g}]"
            reach = [[final.estimate - final.low], [final.high - final.estimate]]
            axes.errorbar(
                [count], [final.estimate], yerr=reach, label=words, fmt="o", markersize=4, capsize=3, color="#000000",
                elinewidth=1.0, clip_on=False,
            )  # fmt: skip
        axes.set_xlim(1, count)
        axes.set_ylim(*_window(share, final))
        axes.set_xlabel("cases [1]")
        axes.set_ylabel("probability of success [1]")
        axes.legend(loc="upper left", bbox_to_anchor=(1.03, 1.0), borderaxespad=0.0)
    return figure


def _window(share: np.ndarray, final: Any) -> tuple[float, float]:
    """From what the second half of the cases shows, with room for the interval."""
    late = share[len(share) // 4 :]
    low, high = float(late.min()), float(late.max())
    if final is not None and not np.isnan(final.low):
        low, high = min(low, final.low), max(high, final.high)
    room = max(0.5 * (high - low), 0.02)
    return max(low - room, -0.01), min(high + room, 1.01)

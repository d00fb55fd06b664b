"""What is inside one pair of axes: lines, limits, bounds, or layers stacked on each other.

Layers stack upwards where they are positive and downwards where they are negative, and the black line is their sum.
Every line has its own style, every layer its own hatch, so figures survive a grey printer.

Long curves have no more points than can be seen: the first, least, largest and last value of every column, which is
half as wide as a pixel. Through these points a line covers the same pixels as through all: every extreme is drawn, and
so is a spike of one row. Columns with gaps are kept whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection

from docksim.plots import events, style

if TYPE_CHECKING:
    from docksim.plots.panels import Panel

LIMIT_SHOWN = 0.3  # share of a limit from which on it is drawn
WRAPPED_DEG = 180.0 + 1e-6  # as far as a wrapped angle goes
SUM = "sum"
OFF = ", off scale"
STRETCHES = 300  # of the time axis, of which layers show the extremes: more cannot be seen, and makes large files
COLUMNS = 2400  # over the longest time axis, about 5.5 inches of 200 pixels
LONG = 4 * COLUMNS  # rows from which on it pays


def draw_lines(axes: Axes, time: np.ndarray, panel: Panel) -> None:
    """One line a curve, on its own time axis if it has one, over the band of what was between its rows."""
    for i, curve in enumerate(panel.curves[: len(style.CURVES)]):
        look = style.CURVES[i if curve.look is None else curve.look]
        own = time if curve.time is None else curve.time
        if curve.least is not None and curve.largest is not None:
            x, least, largest = thinned_band(own, curve.least, curve.largest)
            band = axes.fill_between(x, least, largest, step="pre", color=look["color"], **style.BAND)
            band.set_label("_band")
        x, y = break_at_wraps(own, curve.values) if panel.wraps else (own, curve.values)
        axes.plot(*thinned(x, y), label=shortened(curve.name) if panel.named else f"_{curve.label}", **look)


def draw_stack(axes: Axes, time: np.ndarray, panel: Panel) -> list[FillBetweenPolyCollection]:
    """Layers from zero outwards, at the rows that matter, and their sum at all; the layers that a legend names.

    What is positive and what is negative of a curve are two layers: one that changes sides would cut through others.
    """
    outer = {1.0: np.zeros(len(time)), -1.0: np.zeros(len(time))}
    edges = []
    for i, curve in enumerate(panel.curves):
        for sign, base in outer.items():
            layer = sign * np.maximum(sign * curve.values, 0.0)
            if np.any(layer):
                edges.append((i, base, base + layer))
                outer[sign] = base + layer
    rows = extreme_rows([edge for _, *both in edges for edge in both])
    named: dict[int, FillBetweenPolyCollection] = {}
    for i, base, end in edges:
        area = axes.fill_between(time[rows], base[rows], end[rows], **style.LAYERS[i % len(style.LAYERS)])
        area.set_label("_other side" if i in named else shortened(panel.curves[i].label))
        named.setdefault(i, area)
    total = np.sum([curve.values for curve in panel.curves], axis=0)
    axes.plot(*thinned(time, total), label=SUM, **style.SUM)
    return list(named.values())


def extreme_rows(curves: Sequence[np.ndarray], stretches: int = STRETCHES) -> np.ndarray:
    """Rows that carry the smallest and the largest value of any curve in each stretch of the axis, and both ends."""
    count = len(curves[0])
    if count <= 2 * stretches:
        return np.arange(count)
    rows = {0, count - 1}
    for a, b in pairwise(np.linspace(0, count, stretches + 1).astype(int)):
        for curve in curves:
            rows |= {a + int(np.argmin(curve[a:b])), a + int(np.argmax(curve[a:b]))}
    return np.array(sorted(rows))


def draw_limit(axes: Axes, time: np.ndarray, panel: Panel) -> None:
    """The limit of the curves' size, on the sides that they come near, and as long as it is near enough to be seen."""
    given = np.asarray(panel.limit)
    low, high = _reach(panel)
    limit = np.where(given * LIMIT_SHOWN <= max(-low, high), given, np.nan)
    label = "limit" if np.array_equal(given, limit) else limit_label(panel)
    for sign, reach in ((1.0, high), (-1.0, -low)):
        if reach > LIMIT_SHOWN * float(given.min()):
            axes.plot(*thinned(time, sign * limit), label=label, **style.LIMIT)
            label = "_limit"


def limit_label(panel: Panel) -> str:
    """A limit that leaves the axes somewhere, with its largest value."""
    given = np.asarray(panel.limit)
    farthest = float(np.max(given, initial=0.0, where=np.isfinite(given)))
    return f"limit, to {rounded(farthest)} {panel.unit}"


def draw_bounds(axes: Axes, panel: Panel) -> None:
    """A level line for every bound that the curves come near; the others are named beside the axes."""
    low, high = _reach(panel)
    for value, label in panel.bounds:
        near = high >= LIMIT_SHOWN * value if value > 0.0 else low <= LIMIT_SHOWN * value
        if near:
            axes.axhline(value, label=shortened(off_scale(value, label).removesuffix(OFF)), **style.LIMIT)
        else:
            axes.plot([], [], linestyle="none", label=shortened(off_scale(value, label)))


def off_scale(value: float, label: str) -> str:
    """Words for a bound that is not drawn."""
    return f"{label} {rounded(value)}".replace("-", "−") + OFF


def rounded(value: float) -> str:
    """To four digits, and without a power of ten up to a million."""
    return f"{float(f'{value:.4g}'):g}"


def _reach(panel: Panel) -> tuple[float, float]:
    """The smallest and the largest value that is drawn, zero among them."""
    values = np.concatenate([[0.0], *(curve.drawn() for curve in panel.curves)])
    values = values[np.isfinite(values)]
    return float(values.min()), float(values.max())


def shortened(label: str) -> str:
    """As much of a label as the legend has room for."""
    return events.fit(label, style.LEGEND_IN[1] - style.SAMPLE_IN)


def break_at_wraps(time: np.ndarray, angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same samples with a gap wherever a wrapped angle jumps by more than half a turn, so no false line is drawn.

    An angle that goes beyond half a turn is not wrapped, and stays whole. A sample between two gaps counts twice: one
    end makes no line.
    """
    if np.nanmax(np.abs(angle), initial=0.0) > WRAPPED_DEG:
        return time, angle
    jumps = np.flatnonzero(np.abs(np.diff(angle)) > 180.0) + 1
    ends = np.concatenate([[0], jumps, [len(angle)]])
    alone = ends[:-1][np.diff(ends) == 1]
    time, angle = (np.insert(values, alone, values[alone]) for values in (time, angle))
    jumps = jumps + np.searchsorted(alone, jumps)
    return np.insert(time, jumps, np.nan), np.insert(angle, jumps, np.nan)


# ---------------------------------------------------------------- long curves


def thinned(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points of a curve that matter; all of a short one."""
    if len(values) <= LONG:
        return time, values
    rows = seen_rows(time, values, COLUMNS)
    return time[rows], values[rows]


def thinned_band(time: np.ndarray, least: np.ndarray, largest: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ends of a band by columns: every column reaches as far as any row of it; all of a short one."""
    if len(least) <= LONG:
        return time, least, largest
    starts = np.flatnonzero(np.diff(_columns(time, COLUMNS), prepend=-1))
    ends = np.append(starts[1:], len(least)) - 1
    return time[ends], np.minimum.reduceat(least, starts), np.maximum.reduceat(largest, starts)


def _columns(time: np.ndarray, columns: int) -> np.ndarray:
    """The column of every row."""
    first, last = np.nanmin(time), np.nanmax(time)
    place = np.nan_to_num((time - first) * (columns / (last - first) if last > first else 0.0))
    return np.asarray(np.maximum.accumulate(np.minimum(place.astype(int), columns - 1)))


def seen_rows(time: np.ndarray, values: np.ndarray, columns: int) -> np.ndarray:
    """Rows to draw, in order; times grow, and where one is missing it is that of the row before."""
    starts = np.flatnonzero(np.diff(_columns(time, columns), prepend=-1))
    ends = np.append(starts[1:], len(values)) - 1
    lengths = ends - starts + 1
    # a gap makes the extremes of its column gaps
    least, most = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    whole = np.repeat(~np.isfinite(least + most), lengths)
    extremes = [_first_equal(values, one, lengths) for one in (least, most)]
    return np.unique(np.concatenate([starts, ends, np.flatnonzero(whole), *extremes]))


def _first_equal(values: np.ndarray, wanted: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The first row of every column that has the wanted value."""
    rows = np.flatnonzero(values == np.repeat(wanted, lengths))
    owners = np.repeat(np.arange(len(lengths)), lengths)[rows]
    return np.asarray(rows[np.unique(owners, return_index=True)[1]])

"""Panels against time: what to draw (Panel, Curve), and how (draw).

Every figure of docksim is a column of panels over one time axis, laid out in inches: legends to the right, event names
above, nothing measured at print time, so the same numbers give the same figure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from docksim.plots import events, style
from docksim.plots.curves import draw_bounds, draw_limit, draw_lines, draw_stack, limit_label, off_scale
from docksim.plots.page import page, raised
from docksim.plots.quick_axes import PlainNumbers, QuickAxes
from docksim.result.result import LARGEST, LEAST, EventRecord, Result

NUMBER = "number"  # unit of an axis that counts things: its ticks are whole
_MARGIN_IN = 0.3  # beside the words of a legend's title


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a panel; `values` has one entry per row of the time axis, the panel's or its own.

    With `least` and `largest` a band shows what was between this row and the one before. `told` stands behind the
    label in a legend; `look` is the number of its line style, its place in the panel if left out.
    """

    label: str
    values: np.ndarray
    time: np.ndarray | None = None
    least: np.ndarray | None = None
    largest: np.ndarray | None = None
    told: str = ""
    look: int | None = None

    @property
    def name(self) -> str:
        """As a legend has it."""
        return f"{self.label} {self.told}".rstrip()

    def over(self, rows: slice) -> Curve:
        """The same over some of the rows of the panel's axis."""
        least, largest = (None if end is None else end[rows] for end in (self.least, self.largest))
        return replace(self, values=self.values[rows], time=None, least=least, largest=largest)

    def drawn(self) -> np.ndarray:
        """All numbers that are shown."""
        return np.concatenate([some for some in (self.values, self.least, self.largest) if some is not None])

    def is_zero(self, rounding: float = 0.0) -> bool:
        """Nothing to show, neither in the rows nor between them."""
        return not np.any(np.abs(self.drawn()) > rounding)


@dataclass(frozen=True, eq=False)
class Panel:
    """One pair of axes. `floor` is the smallest range worth showing: less is rounding and is drawn as a flat line.

    `wraps` marks angles that jump by a full turn, drawn with gaps there. `limit` is a bound of the curves' size, one
    number a row, drawn on both sides; `bounds` are constant ones with their names. `stacked` curves are layers. `named`
    curves are in the legend; others are those of the panel above.
    """

    label: str
    unit: str
    curves: tuple[Curve, ...]
    legend_title: str = ""
    floor: float = 0.0
    wraps: bool = False
    limit: np.ndarray | None = None
    bounds: tuple[tuple[float, str], ...] = ()
    stacked: bool = False
    named: bool = True

    def over(self, rows: slice) -> Panel:
        """The same over some of the rows."""
        curves = tuple(curve.over(rows) for curve in self.curves)
        return replace(self, curves=curves, limit=None if self.limit is None else self.limit[rows])


def banded(result: Result, curve: Curve, channel: str) -> Curve:
    """The curve with the extremes that belong to a channel; of a size, which has no least, down to the curve itself."""
    largest = result.channels.get(channel + LARGEST)
    if largest is None:
        return curve
    least = result.channels.get(channel + LEAST)
    return replace(curve, least=curve.values if least is None else least.data, largest=largest.data)


def split(label: str, unit: str, curves: Sequence[Curve], legend_title: str, floor: float) -> list[Panel]:
    """Panels of at most MAX_CURVES."""
    portions = [tuple(curves[i : i + style.MAX_CURVES]) for i in range(0, len(curves), style.MAX_CURVES)]
    return [Panel(label, unit, some, legend_title, floor) for some in portions]


def draw(
    title: str,
    time: np.ndarray,
    panels: Sequence[Panel],
    records: Sequence[EventRecord] = (),
    axis: str = "time [s]",
) -> Figure:
    """A figure with the panels one below the other; `axis` is what stands below the last."""
    span = (float(time[0]), float(time[-1]))
    right = _legend_width(panels)
    axis_in = style.WIDTH_IN - style.LEFT_IN - right
    marks = events.place(records, span, axis_in, right)
    top = style.TITLE_IN + max(marks.rows, 1) * style.EVENT_ROW_IN
    bottom = style.BOTTOM_IN + len(marks.key) * style.EVENT_ROW_IN
    height = top + bottom + len(panels) * style.PANEL_IN + (len(panels) - 1) * style.GAP_IN
    with page(title, height) as figure:
        shared: Axes | None = None
        for i, panel in enumerate(panels):
            y = height - top - style.PANEL_IN - i * (style.PANEL_IN + style.GAP_IN)
            place = (style.LEFT_IN / style.WIDTH_IN, y / height, axis_in / style.WIDTH_IN, style.PANEL_IN / height)
            axes = figure.add_axes(place, axes_class=QuickAxes, sharex=shared)
            shared = shared or axes
            axes.yaxis.set_label_coords((0.2 - style.LEFT_IN) / axis_in, 0.5)
            axes.xaxis.set_label_coords(0.5, -style.LABEL_IN / style.PANEL_IN)
            _draw_panel(axes, time, panel, last=i == len(panels) - 1)
            draw_marks(axes, marks, style.PANEL_IN, with_labels=i == 0)
        if shared is not None:
            axes.set_xlabel(axis)
        draw_key(figure, marks, height, style.LEFT_IN)
    return figure


def _legend_width(panels: Sequence[Panel]) -> float:
    """Room for the widest legend entry, its line sample included."""
    words = [curve.name for panel in panels for curve in panel.curves]
    words += [off_scale(value, label) for panel in panels for value, label in panel.bounds]
    words += [limit_label(panel) for panel in panels if panel.limit is not None]
    entries = [style.SAMPLE_IN + events.text_width_in(text) for text in words]
    titles = [_MARGIN_IN + events.text_width_in(panel.legend_title) for panel in panels]
    return float(np.clip(max(entries + titles), *style.LEGEND_IN))


def _draw_panel(axes: Axes, time: np.ndarray, panel: Panel, last: bool) -> None:
    layers = draw_stack(axes, time, panel) if panel.stacked else []
    if not panel.stacked:
        draw_lines(axes, time, panel)
    if panel.limit is not None:
        draw_limit(axes, time, panel)
    draw_bounds(axes, panel)
    axes.set_xlim(time[0], time[-1])
    _set_range(axes, panel)
    # round numbers, or quarter turns for angles that go all the way round
    quarters = panel.wraps and 200.0 < np.ptp(axes.get_ylim()) < 500.0
    counts = panel.unit == NUMBER
    locator = (
        MultipleLocator(90.0)
        if quarters
        else MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10], integer=counts, min_n_ticks=1 if counts else 2)
    )
    axes.yaxis.set_major_locator(locator)
    # a power of ten stands with the unit: above the numbers it would stand in those of the panel above
    power = cast(PlainNumbers, axes.yaxis.get_major_formatter()).power(axes.yaxis)
    label = f"{panel.label} [{power}{raised(panel.unit)}]"
    fits = events.text_width_in(label, style.FONT_PT) <= style.PANEL_IN + 0.5 * style.GAP_IN
    axes.set_ylabel(label, fontsize=style.FONT_PT if fits else style.SMALL_PT)
    axes.yaxis.get_offset_text().set(ha="right", fontsize=style.SMALL_PT)
    axes.yaxis.OFFSETTEXTPAD = round(style.SMALL_PT)
    axes.tick_params(labelbottom=last)
    title = events.fit(panel.legend_title, style.LEGEND_IN[1] - _MARGIN_IN)
    # layers are named from the top down, as they lie
    handles = [*reversed(layers), *axes.lines] if layers else axes.get_legend_handles_labels()[0]
    legend = axes.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, labelspacing=0.25, title=title
    )
    legend.set_alignment("left")


def _set_range(axes: Axes, panel: Panel) -> None:
    """Do not blow rounding noise up to the full height of a panel."""
    values = np.concatenate([curve.drawn() for curve in panel.curves])
    values = values[np.isfinite(values)]
    if not len(values) or panel.stacked:
        return
    low, high = float(values.min()), float(values.max())
    if panel.floor and high - low <= max(panel.floor, 1e-9 * max(abs(low), abs(high))):
        middle = 0.5 * (low + high)
        reach = max(1.0, 0.1 * abs(middle))
        axes.set_ylim(middle - reach, middle + reach)


def draw_marks(axes: Axes, marks: events.Marks, tall_in: float, with_labels: bool = True) -> None:
    """A line for every mark through axes of that height, and its name above them."""
    times = np.repeat([mark.time_s for mark in marks.marks], 3)
    heights = np.tile([0.0, 1.0, np.nan], len(marks.marks))
    where = axes.get_xaxis_transform()
    axes.add_artist(Line2D(times, heights, transform=where, label="_marks", **style.EVENT_LINE))
    for mark in marks.marks if with_labels else ():
        # a leader line goes up to the name
        base = 1 + (0.03 + mark.row * style.EVENT_ROW_IN) / tall_in
        tip = base + 0.8 * style.EVENT_ROW_IN / tall_in
        leader = Line2D(
            [mark.time_s] * 2, [1.0, tip], transform=where, clip_on=False, label="_mark", **style.EVENT_LINE
        )
        axes.add_artist(leader)
        axes.annotate(
            mark.label, (mark.time_s, base), xycoords=where, xytext=(2, 0), textcoords="offset points",
            annotation_clip=False, **style.EVENT_TEXT,
        )  # fmt: skip


def draw_key(figure: Figure, marks: events.Marks, height: float, left_in: float) -> None:
    """What the numbers above the first panel mean."""
    for i, line in enumerate(reversed(marks.key)):
        y = (0.06 + i * style.EVENT_ROW_IN) / height
        figure.text(left_in / style.WIDTH_IN, y, line, **style.EVENT_TEXT)

"""Pages of the house's width with a bold title, drawn in the house's style; axes in space, and axes to scale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from docksim.config.units import UNITS, split_unit
from docksim.plots import style
from docksim.plots.events import text_width_in

Item = TypeVar("Item")


@contextmanager
def page(title: str, height_in: float) -> Iterator[Figure]:
    """A page to which axes are added by place; the style holds as long as it is drawn on."""
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, height_in))
        FigureCanvasAgg(figure)
        figure.text(0.1 / style.WIDTH_IN, 1 - 0.09 / height_in, title, va="top", weight="bold", parse_math=False)
        yield figure


@contextmanager
def arranged(title: str, height_in: float, left: float = 0.01) -> Iterator[Figure]:
    """A page whose axes find their places themselves."""
    with rc_context(style.RC):
        figure = Figure(figsize=(style.WIDTH_IN, height_in), layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(title, x=left, ha="left", weight="bold", fontsize=style.FONT_PT, parse_math=False)
        yield figure


@contextmanager
def study_page(
    title: str, height_in: float = 3.2, rows: int = 1, columns: int = 1
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Such a page of a study, and its axes row by row."""
    with arranged(fit_left(title, style.WIDTH_IN - 0.2), height_in, left=0.1 / style.WIDTH_IN) as figure:
        yield figure, [axes for row in figure.subplots(rows, columns, squeeze=False) for axes in row]


def paged(stem: str, items: Sequence[Item], most: int) -> Iterator[tuple[str, str, Sequence[Item]]]:
    """So many items a page, with its file name and number: "joints" and "", "joints_2" and " (2)"."""
    for number, first in enumerate(range(0, len(items), most), start=1):
        name, mark = (stem, "") if number == 1 else (f"{stem}_{number}", f" ({number})")
        yield name, mark, items[first : first + most]


def fit_left(text: str, room_in: float) -> str:
    """The text, without its beginning where it is too long: the end of a key says what it is. It is cut before a word
    if one of three letters is left."""
    starts = [0, *(i for i in range(1, len(text)) if text[i - 1] in ". " and i < len(text) - 3), *range(1, len(text))]
    tails = (f"{'…' * bool(i)}{text[i:]}" for i in starts)
    return next((tail for tail in tails if text_width_in(tail, style.FONT_PT) <= room_in), "…")


def with_unit(name: str) -> str:
    """A key or a metric as the name of an axis: approach.lateral_offset_m.0 is "approach.lateral_offset.0 [m]"."""
    words = name.split(".")
    share = words[-1] == "of_limit"
    for i in reversed(range(len(words))):
        stem, unit = split_unit(words[i])
        if unit:
            return f"{'.'.join([*words[:i], stem, *words[i + 1 :]])} [{1 if share else raised(UNITS[unit])}]"
    return f"{name} [1]"


def raised(unit: str) -> str:
    """kg m2/s as it is printed: kg m²/s."""
    return re.sub(r"(?<=[A-Za-z])([23])\b", lambda digit: "²³"[int(digit[0]) - 2], unit)


def round_ticks(axes: Any, across: int = 5, up: int = 5) -> None:
    """At most so many numbers a direction, all of them round."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=across, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=up, steps=[1, 2, 5, 10]))


def to_scale(axes: Any, margin: float, across: int = 5) -> None:
    """A flat view with the same scale in both directions."""
    axes.autoscale_view()
    axes.margins(margin)
    axes.set_aspect("equal", adjustable="datalim")
    round_ticks(axes, across)


def set_space(
    axes: Any, low: np.ndarray, high: np.ndarray, names: str, *, view: tuple[float, float], zoom: float, pad: float
) -> None:
    """A view in space between two corners, with the same scale along all axes; `pad` is that of the upright label."""
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect((high - low).tolist(), zoom=zoom)
    axes.set_xlabel(f"{names[0]} [m]", labelpad=-2)
    axes.set_ylabel(f"{names[1]} [m]", labelpad=-2)
    axes.set_zlabel(f"{names[2]} [m]", labelpad=pad)
    axes.view_init(elev=view[0], azim=view[1])
    axes.tick_params(pad=-1)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
        axis.pane.set_facecolor("#fafafa")

"""Shared by the figures of studies: a page with a title, and keys of a scenario as labels."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from docksim.plots import style
from docksim.plots.events import text_width_in

HEIGHT_IN = 3.2


def page(title: str, height_in: float = HEIGHT_IN, rows: int = 1, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """A figure with a bold title, and its axes row by row."""
    figure = Figure(figsize=(style.WIDTH_IN, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(
        fit_left(title, style.WIDTH_IN - 0.2), x=0.1 / style.WIDTH_IN, ha="left", weight="bold",
        fontsize=style.FONT_PT, parse_math=False,
    )  # fmt: skip
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, [one for row in axes for one in row]


def fit_left(text: str, room_in: float) -> str:
    """The text, without its beginning where it is too long: the end of a key says what it is."""
    if text_width_in(text, style.FONT_PT) <= room_in:
        return text
    while len(text) > 1 and text_width_in("…" + text, style.FONT_PT) > room_in:
        text = text[1:]
    return "…" + text

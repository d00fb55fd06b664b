"""The phases of a run as a timeline: one row a phase, a bar while it lasts, how long it lasted beside it.

Built from the channel "phase". A phase may come back; its bars share a row. The shortest ones are drawn with a line's
width, so that none is invisible.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from docksim.plots import events, style
from docksim.plots.page import page
from docksim.plots.panels import draw_key, draw_marks
from docksim.plots.quick_axes import PlainNumbers
from docksim.result.result import EventRecord, Result

ROW_IN, RIGHT_IN = 0.2, 1.2
BAR: dict[str, Any] = {"facecolor": "#0072b2", "edgecolor": "#0072b2", "linewidth": 0.8}


class Span(NamedTuple):
    """A phase from its beginning to its end."""

    name: str
    start_s: float
    end_s: float


def phase_spans(result: Result) -> list[Span]:
    """Phases in their order, by the logged rows; nothing where a run has only one or none."""
    channel = result.channels.get("phase")
    if channel is None or len(channel.data) < 2 or not channel.labels:
        return []
    time, code = result.time_s, channel.data
    changes = [0, *(np.flatnonzero(np.diff(code)) + 1), len(code) - 1]
    # a phase that begins with the last row has no length, but has begun
    stretches = [*pairwise(changes), *([(-1, -1)] if code[-1] != code[changes[-2]] else [])]
    spans = [Span(_name(channel.labels, int(code[a])), float(time[a]), float(time[b])) for a, b in stretches]
    return spans if len({span.name for span in spans}) > 1 else []


def _name(labels: Sequence[str], code: int) -> str:
    return labels[code] if 0 <= code < len(labels) else str(code)


def phase_figure(title: str, spans: Sequence[Span], records: Sequence[EventRecord] = ()) -> Figure:
    """The timeline, with the marks of all other figures above it."""
    names = list(dict.fromkeys(span.name for span in spans))
    left = float(np.clip(max(events.text_width_in(name) for name in names) + 0.3, style.LEFT_IN, 2.2))
    axis_in = style.WIDTH_IN - left - RIGHT_IN
    axis = (spans[0].start_s, max(spans[-1].end_s, spans[-1].start_s))
    marks = events.place(records, axis, axis_in, RIGHT_IN)
    top = style.TITLE_IN + max(marks.rows, 1) * style.EVENT_ROW_IN
    bottom = style.BOTTOM_IN + len(marks.key) * style.EVENT_ROW_IN
    tall = ROW_IN * len(names)
    height = top + bottom + tall
    with page(title, height) as figure:
        axes = figure.add_axes(
            (left / style.WIDTH_IN, bottom / height, axis_in / style.WIDTH_IN, tall / height), label="phases"
        )
        axes.xaxis.set_major_formatter(PlainNumbers())
        _bars(axes, names, spans)
        axes.set_xlim(*axis)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_yticks(range(len(names)), [events.fit(name, 2.0) for name in names])
        axes.tick_params(axis="y", length=0)
        axes.grid(False, axis="y")
        axes.set_xlabel("time [s]")
        draw_marks(axes, marks, tall)
        draw_key(figure, marks, height, left)
    return figure


def _bars(axes: Axes, names: Sequence[str], spans: Sequence[Span]) -> None:
    """Bars, and beyond the right edge how long each phase lasted in all."""
    for row, name in enumerate(names):
        own = [span for span in spans if span.name == name]
        for span in own:
            axes.barh(row, span.end_s - span.start_s, left=span.start_s, height=0.6, **BAR)
        total = sum(span.end_s - span.start_s for span in own)
        axes.annotate(
            f"{total:.4g} s", (1.0, row), xycoords=("axes fraction", "data"), xytext=(5, 0),
            textcoords="offset points", va="center", fontsize=style.SMALL_PT, annotation_clip=False,
        )  # fmt: skip

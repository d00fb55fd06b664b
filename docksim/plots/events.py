"""Event marks: a thin line through every panel, its name above the first one, never on top of another name.

A name starts at its line and runs to the right. Going from the last event to the first, each name is put one row
above every later one that it would run into; so no leader line crosses a name either. With too many rows the names
become numbers, and a key below the figure says what they mean. Of several events at one place the milestone of the
docking (first contact, a latch, capture, hard dock) gives the name, "+2" how many more there are; the key names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from docksim.plots import style
from docksim.result.result import EventRecord

MAX_ROWS = 4
MILESTONE = "milestone of the docking"  # text of a record that is one
FIGURE_SPACE = "\u2007"
_PAD_IN = 0.04
_SAME = 0.004  # events closer than this share of the time axis share a mark


class Mark(NamedTuple):
    """A line at `time_s`, and its label in a row above the first panel."""

    time_s: float
    label: str
    row: int


class Marks(NamedTuple):
    """Everything to draw: marks, how many label rows they need, and the key to numbers if numbers are used."""

    marks: tuple[Mark, ...]
    rows: int
    key: tuple[str, ...]


def place(events: Sequence[EventRecord], span: tuple[float, float], axis_in: float, room_in: float) -> Marks:
    """Marks for the events inside `span`; the axis is `axis_in` long with `room_in` free to its right."""
    groups = _groups(events, span)
    scale = axis_in / (span[1] - span[0])
    starts = [(time - span[0]) * scale for time, _ in groups]
    words = [names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}" for _, names in groups]
    labels = [fit(text, axis_in + room_in - start) for start, text in zip(starts, words, strict=True)]
    rows = _stack(starts, labels)
    key = tuple(
        line for group, label in zip(groups, labels, strict=True) for line in _others(group, label, axis_in + room_in)
    )
    if max(rows, default=-1) >= MAX_ROWS:
        labels = [str(number) for number in range(1, len(groups) + 1)]
        # one digit stands over the first of two: a figure space is as wide as a digit
        heads = [f"{n}   ".ljust(len(labels[-1]) + 3, FIGURE_SPACE) for n in labels]
        lines = [f"{head}{', '.join(names)}, {time:.4g} s" for head, (time, names) in zip(heads, groups, strict=True)]
        key = tuple(fit(line, axis_in + room_in) for line in lines)
        rows = _stack(starts, labels)
    times = [time for time, _ in groups]
    marks = tuple(Mark(time, label, row) for time, label, row in zip(times, labels, rows, strict=True))
    return Marks(marks, max(rows, default=-1) + 1, key)


def _others(group: tuple[float, list[str]], label: str, room_in: float) -> list[str]:
    """Lines of the key about a mark that stands for several events: all their names."""
    time, names = group
    if len(names) == 1:
        return []
    lines = [f"{label}, {time:.4g} s: {names[0]}"]
    for name in names[1:]:
        if text_width_in(f"{lines[-1]}, {name},") > room_in:
            lines[-1] += ","
            lines.append(f"    {name}")
        else:
            lines[-1] += f", {name}"
    return [fit(line, room_in) for line in lines]


@lru_cache(maxsize=4096)
def text_width_in(text: str, size_pt: float = style.SMALL_PT) -> float:
    """Printed width of a line of text."""
    font = FontProperties(family=style.RC["font.sans-serif"], size=size_pt)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72.0


def fit(text: str, room_in: float, size_pt: float = style.SMALL_PT) -> str:
    """The text, shortened if it would run off the page."""
    if text_width_in(text, size_pt) <= room_in:
        return text
    while len(text) > 1 and text_width_in(text + "…", size_pt) > room_in:
        text = text[:-1]
    return text + "…"


def _groups(events: Sequence[EventRecord], span: tuple[float, float]) -> list[tuple[float, list[str]]]:
    """Names of events by time, neighbours that cannot be told apart on paper together."""
    groups: list[list[EventRecord]] = []
    inside = [event for event in events if np.isfinite(event.time_s) and span[0] <= event.time_s <= span[1]]
    for event in sorted(inside, key=lambda event: event.time_s):
        if groups and event.time_s - groups[-1][0].time_s < _SAME * (span[1] - span[0]):
            groups[-1].append(event)
        else:
            groups.append([event])
    # a mark is where its first event is: milestones lead; single latches come after what says more
    for group in groups:
        group.sort(key=lambda event: (event.text != MILESTONE, event.name.startswith("latch")))
    return [(group[0].time_s, [event.name for event in group]) for group in groups]


def _stack(starts: list[float], labels: list[str]) -> list[int]:
    """Row of each label; starts are in increasing order."""
    ends = [start + text_width_in(label) + 2 * _PAD_IN for start, label in zip(starts, labels, strict=True)]
    rows = [0] * len(labels)
    for i in reversed(range(len(labels))):
        later = [rows[j] for j in range(i + 1, len(labels)) if starts[j] < ends[i]]
        rows[i] = 1 + max(later) if later else 0
    return rows

"""Axes that are drawn quickly: the same marks, numbers and grid as matplotlib's, with few objects.

matplotlib makes three lines and two texts of every tick, and reads every number as a formula where a power of ten may
stand above them; that is most of the time a figure takes. Here the grid is one line, the marks are another, numbers
are plain text, and only the power of ten is a formula. The looks come from one tick of matplotlib's own, so settings
apply as ever. Major ticks only, at the left and at the bottom; labels stand where set_label_coords puts them.
"""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick, XAxis, YAxis
from matplotlib.backend_bases import RendererBase
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import ScalarFormatter

RAISED = str.maketrans("−-0123456789", "⁻⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
CLOSE = 1e-10  # of the span: a tick that far outside is one at the edge


class PlainNumbers(ScalarFormatter):
    """Numbers without formulas; only their common factor or offset is one. A factor that `power` has told is not."""

    def __init__(self) -> None:
        super().__init__(useMathText=False)
        self._told = False

    def power(self, axis: Axis) -> str:
        """The common power of ten of an axis as its label says it before the unit: "10⁻³ ", or nothing."""
        self.set_locs(list(axis.get_majorticklocs()))
        power = re.fullmatch(r"1e(.\d*)", super().get_offset())
        self._told = power is not None
        return f"10{power[1].translate(RAISED)} " if power else ""

    def get_offset(self) -> str:
        if self._told:
            return ""
        self.set_useMathText(True)
        try:
            return str(super().get_offset())
        finally:
            self.set_useMathText(False)


class _Quick(Axis):
    """One axis, of the two directions."""

    axis_name: str

    def draw(self, renderer: RendererBase, *args: Any, **kwargs: Any) -> None:
        if not self.get_visible():
            return
        renderer.open_group("axis", gid=self.get_gid())
        places = np.asarray(self.get_majorticklocs(), float)
        words = self.get_major_formatter().format_ticks(list(places))
        inside = self._inside(places)
        [look] = self.get_major_ticks(1)
        self._draw_lines(renderer, look, places[inside])
        texts = self._texts(look, places[inside], [word for word, seen in zip(words, inside, strict=True) if seen])
        for text in texts:
            text.draw(renderer)
        self.label.draw(renderer)
        self._draw_offset(renderer, texts)
        renderer.close_group("axis")
        self.stale = False

    def set_clip_path(self, path: Any, transform: Any = None) -> None:
        """Of the axis alone: asking for its ticks would make them."""
        super(Axis, self).set_clip_path(path, transform)

    def _inside(self, places: np.ndarray) -> np.ndarray:
        """Which ticks are within the limits, by places on the paper."""
        low, high = np.sort(self.get_transform().transform(np.asarray(self.get_view_interval(), float)))
        at = self.get_transform().transform(places)
        return np.asarray((at >= low - CLOSE * (high - low)) & (at <= high + CLOSE * (high - low)))

    def _draw_lines(self, renderer: RendererBase, look: Tick, places: np.ndarray) -> None:
        """The grid as one line with gaps, the marks as another without a line between them."""
        along = np.repeat(places, 3)
        along[2::3] = np.nan
        look.gridline.set_clip_path(self.axes.patch)
        self._draw_through(renderer, look.gridline, along, np.tile([0.0, 1.0, np.nan], len(places)))
        self._draw_through(renderer, look.tick1line, places, np.zeros(len(places)))

    def _draw_through(self, renderer: RendererBase, line: Line2D, along: np.ndarray, across: np.ndarray) -> None:
        """A line of the one tick through all places, and back to its own."""
        own = line.get_data()
        line.set_data(*((along, across) if self.axis_name == "x" else (across, along)))
        line.draw(renderer)
        line.set_data(*own)

    def _texts(self, look: Tick, places: np.ndarray, words: list[str]) -> list[Text]:
        """A text for every number, or none where the axis shows none."""
        texts = []
        for place, word in zip(places, words, strict=True) if look.label1.get_visible() else ():
            x, y = (place, 0.0) if self.axis_name == "x" else (0.0, place)
            text = Text(x, y, word)
            text.update_from(look.label1)
            text.set(figure=self.axes.get_figure(), transform=look.label1.get_transform())
            texts.append(text)
        return texts

    def _draw_offset(self, renderer: RendererBase, texts: list[Text]) -> None:
        """The power of ten, if there is one, beyond the numbers."""
        words = self.get_major_formatter().get_offset()
        self.offsetText.set_text(words)
        if words:
            boxes = [text.get_window_extent(renderer) for text in texts]
            cast("Any", self)._update_offset_text_position(boxes, [])
            self.offsetText.draw(renderer)


class _QuickX(_Quick, XAxis):
    pass


class _QuickY(_Quick, YAxis):
    pass


class QuickAxes(Axes):
    """Axes with plain numbers: figure.add_axes(place, axes_class=QuickAxes)."""

    def _init_axis(self) -> None:
        self.xaxis = _QuickX(self)
        self.yaxis = _QuickY(self)
        for axis, sides in ((self.xaxis, ("bottom", "top")), (self.yaxis, ("left", "right"))):
            for side in sides:
                self.spines[side].register_axis(axis)

    def clear(self) -> None:
        super().clear()
        for axis in (self.xaxis, self.yaxis):
            axis.set_major_formatter(PlainNumbers())

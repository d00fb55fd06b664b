"""What is wrong with the layout of a figure: text or legends that leave the page, text on top of other text.

And where its marks are.
"""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

# boxes include the space for descenders; a tenth of a line of shared air is not an overlap [px]
AIR = 1.0


def quantity(axes: Axes) -> str:
    """What an axis shows, without its power of ten: "residual [J]" of "residual [10⁻⁸ J]"."""
    return re.sub(r"(?<=\[)10[⁻⁰¹²³⁴-⁹]+ ", "", axes.get_ylabel())


def lines(figure: Figure, label: str) -> dict[str, np.ndarray]:
    """Curves of the panel that shows this, by their labels; events' marks left out."""
    (axes,) = (axes for axes in figure.axes if quantity(axes) == label)
    drawn = [line for line in axes.lines if not str(line.get_label()).startswith(("_mark", "_child"))]
    return {str(line.get_label()): np.asarray(line.get_ydata()) for line in drawn}


def drawn_texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text that is really drawn, with the box it covers."""
    drawn: list[Text] = []
    original = Text.draw

    def draw(text: Text, renderer: RendererBase) -> None:
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        original(text, renderer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", draw)
        figure.draw_without_rendering()
    return [(text.get_text(), Text.get_window_extent(text)) for text in drawn]


def mark_times(axes: Axes) -> set[float]:
    """Where lines through the whole height of the axes mark something."""
    [line] = (line for line in axes.lines if line.get_label() == "_marks")
    times, heights = (np.asarray(values, float).reshape(-1, 3) for values in line.get_data())
    assert np.array_equal(heights[:, :2], np.tile([0.0, 1.0], (len(heights), 1)))
    assert np.array_equal(times[:, 0], times[:, 1])
    return set(times[:, 0].tolist())


def layout_faults(figure: Figure) -> list[str]:
    """In words; nothing where all is well."""
    texts = drawn_texts(figure)
    legends = [(f"legend {i}", legend.get_window_extent()) for i, legend in enumerate(figure.findobj(Legend))]
    faults = [f"{name!r} leaves the page" for name, box in [*texts, *legends] if _outside(box, figure.bbox)]
    for (name, box), (other, beside) in combinations(texts, 2):
        shared = Bbox.intersection(box, beside)
        if shared is not None and min(shared.width, shared.height) >= AIR:
            faults.append(f"{name!r} lies on {other!r}")
    return faults


def _outside(box: Bbox, page: Bbox) -> bool:
    return box.x0 < page.x0 - AIR or box.x1 > page.x1 + AIR or box.y0 < page.y0 - AIR or box.y1 > page.y1 + AIR

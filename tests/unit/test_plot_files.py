"""Figures in files, and axes that are drawn quickly: the same pixels as matplotlib's own, the same bytes every time."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from docksim.plots import style
from docksim.plots.files import FORMATS, png_bytes, write_figures
from docksim.plots.quick_axes import PlainNumbers, QuickAxes
from docksim.plots.run import figures as plots
from tests.support import samples


def test_a_png_file_has_the_pixels_and_their_density(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (31, 47, 4), np.uint8)
    (tmp_path / "a.png").write_bytes(png_bytes(pixels, 200))
    with Image.open(tmp_path / "a.png") as image:
        image.verify()
    with Image.open(tmp_path / "a.png") as image:
        assert np.array_equal(np.asarray(image), pixels)
        assert image.mode == "RGBA"
        # whole pixels a metre
        assert image.info["dpi"] == pytest.approx((200, 200), abs=0.02)


def test_a_figure_is_the_same_in_its_file_and_afterwards(tmp_path: Path) -> None:
    figure = plots.all_figures(samples.result(), ["energy"])["energy"]
    before = figure.dpi
    [path] = write_figures({"energy": figure}, tmp_path)
    assert figure.dpi == before
    with rc_context(style.RC):
        figure.savefig(tmp_path / "own.png")
    with Image.open(path) as ours, Image.open(tmp_path / "own.png") as theirs:
        assert np.array_equal(np.asarray(ours), np.asarray(theirs))


@pytest.mark.parametrize("kind", FORMATS)
def test_the_same_result_gives_the_same_bytes(kind: str, tmp_path: Path) -> None:
    found = []
    for name in ("one", "two"):
        figures = plots.all_figures(samples.result(), ["motion", "energy"])
        found.append([path.read_bytes() for path in write_figures(figures, tmp_path / name, kind)])
    assert found[0] == found[1]


def picture(axes_class: type[Axes], low: float, high: float, numbers: bool) -> np.ndarray:
    with rc_context(style.RC):
        figure = Figure(figsize=(6.0, 2.0), dpi=200)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.2, 0.3, 0.7, 0.5), axes_class=axes_class)
        axes.plot([0.0, 3.0e4], [low, high])
        axes.tick_params(labelleft=numbers)
        axes.set(xlabel="time [s]", ylabel="force [N]", xlim=(0.0, 3.0e4), ylim=(low, high))
        axes.xaxis.set_label_coords(0.5, -0.5)
        axes.yaxis.set_label_coords(-0.15, 0.5)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(PlainNumbers())
        canvas.draw()
        canvas.draw()
        return np.asarray(canvas.buffer_rgba()).copy()


@pytest.mark.parametrize(("low", "high"), [(-3.0, 5.0), (0.0, 2e-7), (-5e6, 0.0), (1000.001, 1000.002), (5.0, -3.0)])
@pytest.mark.parametrize("numbers", [True, False])
def test_quick_axes_have_the_pixels_of_those_of_matplotlib(low: float, high: float, numbers: bool) -> None:
    assert np.array_equal(picture(QuickAxes, low, high, numbers), picture(Axes, low, high, numbers))


def test_ticks_of_quick_axes_follow_limits_that_change_and_can_be_asked_for() -> None:
    figure = Figure()
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.1, 0.1, 0.8, 0.8), axes_class=QuickAxes, xlim=(0.0, 1.0))
    canvas.draw()
    first = np.asarray(canvas.buffer_rgba()).copy()
    axes.set_xlim(0.0, 70.0)
    canvas.draw()
    assert not np.array_equal(first, np.asarray(canvas.buffer_rgba()))
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "10", "20", "30", "40", "50", "60", "70"]

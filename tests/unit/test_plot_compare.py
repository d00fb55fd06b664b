"""Several results in one set of figures: the same channels, one line each with the result's name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from docksim.plots.panels import Curve, Panel
from docksim.plots.run.compare import overlay_figures, overlay_panels, result_labels
from docksim.plots.style import CURVES
from docksim.result.bands import BAND_HIGH, BAND_LOW
from docksim.result.result import ResultError
from tests.support import samples
from tests.support.figure_boxes import layout_faults
from tests.unit.test_plot_contact import result as docking

FIRST, SECOND = samples.result(name="first"), samples.result(rows=301, name="second")


def test_every_panel_has_the_same_channel_of_every_result_on_its_own_time_axis() -> None:
    figure = overlay_figures({"one": FIRST, "two": SECOND}, ["motion"])["motion_chaser"]
    axes = next(axes for axes in figure.axes if axes.get_ylabel() == "position y [m]")
    drawn = {str(line.get_label()).lstrip("_"): line for line in axes.lines if line.get_label() != "_marks"}
    assert list(drawn) == ["one", "two"]
    for name, result in (("one", FIRST), ("two", SECOND)):
        assert np.array_equal(drawn[name].get_xdata(), result.time_s)
        assert np.array_equal(drawn[name].get_ydata(), result["chaser.position_m"][:, 1])
    assert drawn["one"].get_linestyle() != drawn["two"].get_linestyle(), "lines differ in grey, too"


def test_lines_that_are_those_of_the_panel_above_are_named_once() -> None:
    figure = overlay_figures({"one": FIRST, "two": SECOND}, ["motion"])["motion_chaser"]
    named = [[text.get_text() for text in axes.get_legend().get_texts()] for axes in figure.axes]
    assert named[0] == ["one", "two"]
    assert [] in named, "y and z are told by their axes"


def test_peaks_with_bands_of_their_own_lie_on_each_other() -> None:
    one, other = docking(force=3000.0), docking()
    for result, middle in ((one, 3000.0), (other, 2000.0)):
        result.metrics |= {
            f"dock.peak_compression_N{end}": middle * k for end, k in (("", 1), (BAND_LOW, 0.5), (BAND_HIGH, 2))
        }
    figures = overlay_figures({"a": one, "b": other}, ["interface"])
    legends = [axes.get_legend() for figure in figures.values() for axes in figure.axes]
    told = [[text.get_text() for text in legend.get_texts()][:2] for legend in legends if legend is not None]
    assert ["a (1500 / 3000 / 6000)", "b (1000 / 2000 / 4000)"] in told


def test_a_result_has_the_same_line_where_it_is_alone() -> None:
    panel = Panel("position", "m", (Curve("x", SECOND["chaser.position_m"][:, 0]),))
    both = {"one": FIRST, "two": SECOND}
    (figure,) = overlay_panels(both, "alone", "alone", lambda result: [panel] if result is SECOND else []).values()
    assert figure.axes[0].lines[0].get_color() == CURVES[1]["color"]


def test_time_axis_spans_all_results() -> None:
    short = docking()
    figures = overlay_figures({"long": FIRST, "short": short}, ["energy"])
    assert figures["energy"].axes[0].get_xlim() == (0.0, 60.0)


def test_limits_are_drawn_where_all_have_the_same() -> None:
    both = overlay_figures({"a": docking(force=3000.0), "b": docking()}, ["interface"])["interface_dock"]
    labels = [line.get_label() for line in both.axes[0].lines]
    assert "sustained limit 3500" in labels
    one = overlay_figures({"a": docking(force=3000.0), "b": docking(limits=False)}, ["interface"])["interface_dock"]
    assert not any("limit" in str(line.get_label()) for line in one.axes[0].lines)


def test_marks_carry_the_name_of_their_result() -> None:
    figure = overlay_figures({"a": docking(), "b": docking(captured=4.9)}, ["interface"])["interface_dock"]
    words = " ".join(text.get_text() for text in [*figure.axes[0].texts, *figure.texts])
    assert "first contact, a" in words
    assert "capture, b" in words


def test_overlays_have_no_overlapping_text() -> None:
    results = {"a": docking(), "a result with a rather long name": docking(captured=4.9)}
    for figure in overlay_figures(results, ["interface"]).values():
        assert layout_faults(figure) == []


def test_results_are_named_by_the_least_that_tells_them_apart() -> None:
    named = result_labels({Path("results/first/1"): FIRST, Path("results/second/1"): SECOND})
    assert list(named) == ["first", "second"]
    runs = result_labels({Path("results/first/1"): FIRST, Path("results/first/2"): FIRST})
    assert list(runs) == ["first 1", "first 2"]
    places = result_labels({Path("a/first/1"): FIRST, Path("b/first/1"): FIRST})
    assert list(places) == ["a/first/1", "b/first/1"]


def test_more_results_than_line_styles_are_refused() -> None:
    many = {str(i): FIRST for i in range(len(CURVES) + 1)}
    with pytest.raises(ResultError, match="at most 8"):
        overlay_figures(many)

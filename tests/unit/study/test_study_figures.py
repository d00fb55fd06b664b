"""Figures of studies show the table's numbers and the statistics of the summary, and no text lies on another."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from docksim.config.schema.study import Study
from docksim.plots.page import fit_left, with_unit
from docksim.plots.study.cases import (
    case_groups,
    convergence_figure,
    envelope_figure,
    key_pairs,
    main_driver_figures,
    scatter_figures,
)
from docksim.plots.study.figures import study_figures
from docksim.plots.study.metrics import drivers_figure, exceedance_figure, histogram_figure, sobol_figure
from docksim.result.result import ResultError
from docksim.study.envelope import trace
from docksim.study.statistics import Interval, clopper_pearson
from docksim.study.summary import summarize_study
from docksim.study.table import Table
from tests.support.figure_boxes import layout_faults
from tests.unit.study.test_summary import LOAD, table


def line(figure: Figure, label: str) -> np.ndarray:
    """Points of the line with this label."""
    (found,) = (one for one in figure.axes[0].lines if str(one.get_label()) == label)
    return np.column_stack(found.get_data())


def test_histogram_counts_every_case_with_the_metric_once() -> None:
    made = table()
    (axes,) = histogram_figure(made, LOAD).axes
    by_label = {bars.get_label(): sum(bar.get_height() for bar in bars) for bars in axes.containers}
    good = int(made.success.sum())
    # case 5 diverged and has no load
    assert by_label == {f"success, {good} cases": good, f"no success, {199 - good} cases": 199 - good}
    assert axes.get_legend().get_title().get_text() == "1 without the metric, not shown"
    assert axes.get_xlabel() == with_unit(LOAD)


def test_exceedance_at_the_limit_is_that_of_the_summary() -> None:
    made = table()
    figure = exceedance_figure(made, LOAD)
    points = line(figure, "200 cases")
    # the step at the last value that keeps the limit holds up to the next
    at_limit = points[points[:, 0] <= 1.2][-1, 1]
    beyond = summarize_study(made).metrics[0].exceedance
    assert beyond is not None
    assert at_limit == beyond.count / 200
    [band] = (part for part in figure.axes[0].collections if "pointwise" in str(part.get_label()))
    exact = clopper_pearson(beyond.count, 200)
    heights = band.get_paths()[0].vertices[:, 1]
    for bound in (exact.low, exact.high):
        # the same function of the same counts
        assert np.min(np.abs(heights - bound)) == 0.0


def test_band_and_tolerance_limit_need_random_sampling() -> None:
    assert any("tolerance" in str(one.get_label()) for one in exceedance_figure(table(), LOAD).axes[0].lines)
    design = exceedance_figure(table(sampling="sobol", n=128), LOAD)
    words = [str(one.get_label()) for one in [*design.axes[0].lines, *design.axes[0].collections]]
    assert not any("tolerance" in word or "confidence" in word for word in words)


def test_convergence_ends_at_the_probability_of_the_summary() -> None:
    made = table()
    figure = convergence_figure(made)
    points = line(figure, "share of the first n cases")
    found = summarize_study(made).success
    assert found is not None
    assert tuple(points[-1]) == (200, found.estimate)
    assert np.array_equal(points[:, 1], np.cumsum(made.success) / np.arange(1, 201))
    [band] = figure.axes[0].collections[:1]
    assert {found.low, found.high} <= set(band.get_paths()[0].vertices[:, 1])


def test_scatter_has_every_case_once_under_its_outcome() -> None:
    made = table()
    (axes,) = scatter_figures(made)["scatter"].axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("rate [1]", "mass [1]")
    groups = case_groups(made)
    assert sum(members.astype(int) for members, _ in groups.values()).tolist() == [1] * 200
    drawn = {str(one.get_label()): np.column_stack(one.get_data()) for one in axes.lines}
    assert list(drawn) == list(groups)
    for label, (members, _) in groups.items():
        assert np.array_equal(drawn[label], np.column_stack([made.inputs["rate"], made.inputs["mass"]])[members])
    assert "missed: diverged, 1" in drawn
    looks = {(one.get_marker(), one.get_color()) for one in axes.lines}
    assert len(looks) == len(groups), "outcomes differ by marker and colour"


def test_loads_are_drawn_over_what_each_goes_with_most() -> None:
    made = table()
    found = summarize_study(made).drivers[LOAD]
    main = max(found, key=lambda driver: abs(driver.coefficient))
    (axes,) = main_driver_figures(made, {LOAD: found})["main_drivers"].axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == (with_unit(main.key), with_unit(LOAD))
    assert f"{abs(main.coefficient):.2f}" in axes.get_title(loc="left")
    drawn = {str(one.get_label()): np.column_stack(one.get_data()) for one in axes.lines}
    points = np.column_stack([made.inputs[main.key], made.metric(LOAD)])
    known = np.isfinite(points[:, 1])
    assert np.array_equal(drawn["success"], points[made.success & known])
    assert np.array_equal(drawn["no success"], points[~made.success & known])
    assert set(drawn) == {"success", "no success", "limit of the study"}


@pytest.mark.parametrize(
    ("name", "axis"),
    [
        ("dock.peak_compression_N", "dock.peak_compression [N]"),
        ("dock.peak_compression_N.of_limit", "dock.peak_compression.of_limit [1]"),
        ("approach.lateral_offset_m.0", "approach.lateral_offset.0 [m]"),
        ("chaser.inertia_kg_m2", "chaser.inertia [kg m²]"),
        ("dock.latches", "dock.latches [1]"),
    ],
)
def test_axis_of_a_study_has_its_unit(name: str, axis: str) -> None:
    assert with_unit(name) == axis


def test_long_names_of_axes_are_cut_before_a_word() -> None:
    name = "chaser.attitude.yaw_pitch_roll.2 [deg]"
    assert fit_left(name, 10.0) == name
    assert fit_left(name, 1.6) == "…yaw_pitch_roll.2 [deg]"
    assert fit_left("a_single_word_that_is_long", 1.0).startswith("…")


def test_keys_of_a_disc_share_a_panel() -> None:
    items = [
        {"type": "uniform", "key": "a", "low": 0, "high": 1},
        {"type": "disc", "keys": ["b", "c"], "radius": 1.0, "center": [0, 0]},
        {"type": "uniform", "key": "d", "low": 0, "high": 1},
        {"type": "uniform", "key": "e", "low": 0, "high": 1},
    ]
    study = Study.model_validate({"base": "x.yaml", "cases": 3, "dispersions": items})
    inputs = {key: np.arange(3.0) for key in "abcde"}
    made: Any = SimpleNamespace(study=study, inputs=inputs)
    assert key_pairs(made) == [("a", "d"), ("e", "a"), ("b", "c")]


def test_bars_are_the_rank_correlations() -> None:
    made = table()
    found = summarize_study(made).drivers[LOAD]
    (axes,) = drivers_figure(made, LOAD, found).axes
    bars = {round(bar.get_y() + 0.325): bar.get_width() for bars in axes.containers for bar in bars}
    assert bars == {i: driver.coefficient for i, driver in enumerate(found)}
    assert [label.get_text() for label in axes.get_yticklabels()] == [driver.key for driver in found]


def indices() -> list[SimpleNamespace]:
    def interval(x: float) -> Interval:
        return Interval(x, x - 0.05, x + 0.04, "made up")

    return [SimpleNamespace(factor=f"f{i}", first=interval(0.5 / i), total=interval(0.6 / i)) for i in (1, 2, 3)]


def test_sobol_bars_are_the_indices_with_their_intervals() -> None:
    (axes,) = sobol_figure("study", LOAD, indices()).axes
    widths = [[bar.get_width() for bar in bars] for bars in axes.containers if hasattr(bars, "patches")]
    assert widths == [[0.5, 0.25, 0.5 / 3], [0.6, 0.3, 0.6 / 3]]
    [first, _] = (part for part in axes.collections)
    low, high = np.asarray(first.get_segments())[0][:, 0]
    # half a unit in the last place of 0.5
    assert (low, high) == pytest.approx((0.45, 0.54), rel=1e-15)


def test_envelope_draws_the_points_and_the_boundary() -> None:
    axes = ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0])
    found = trace(("x_m", "y_m"), axes, 2, lambda nodes: [i * i + j * j < 30 for i, j in nodes])
    figure = envelope_figure(found.as_dict(), "circle")
    counts = [len(one.get_xdata()) for one in figure.axes[0].lines]
    assert sum(counts) == len(found.known)
    [boundary] = figure.axes[0].collections
    assert np.array_equal(boundary.get_segments(), found.segments)


@pytest.mark.parametrize("made", [table(), table(n=8), table(sampling="sobol", n=128)], ids=["random", "few", "sobol"])
def test_no_text_of_a_study_figure_lies_on_another(made: Table) -> None:
    figures = study_figures(made)
    assert {
        "scatter",
        "main_drivers",
        "convergence",
        f"histogram_{LOAD}",
        f"exceedance_{LOAD}",
        f"drivers_{LOAD}",
    } <= set(figures)
    figures["sobol"] = sobol_figure("study", LOAD, indices())
    for name, figure in figures.items():
        assert layout_faults(figure) == [], name
        # names of bars stand where an axis has none
        labels = [text for axes in figure.axes if axes.get_visible() for text in (axes.get_xlabel(), axes.get_ylabel())]
        assert all(re.search(r"\[.+\]", text) for text in labels if text), labels


def test_empty_study_has_no_figures(tmp_path: Path) -> None:
    made = table(n=8)
    nothing = {key: column[:0] for key, column in made.inputs.items()}
    parts = (made.case[:0], made.outcome[:0], made.reason[:0], made.missed[:0])
    empty = Table(tmp_path / "x.sqlite", made.study, 8, *parts, nothing, {LOAD: np.zeros(0)}, np.zeros(0))
    assert study_figures(empty) == {}


def test_metric_that_there_is_not_is_refused() -> None:
    with pytest.raises(ResultError, match="did you mean"):
        study_figures(table(), ["histogram"], ["ring.load_N.peek"])

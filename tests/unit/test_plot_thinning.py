"""Long curves lose points and nothing that can be seen."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from docksim.plots.curves import COLUMNS, LONG, seen_rows, thinned
from docksim.plots.run import figures as plots
from docksim.result.result import Channel, Result
from tests.support import samples

ROWS = 300_000
TIME = np.linspace(0.0, 100.0, ROWS)


def rough() -> np.ndarray:
    """Slow waves, and noise in a part."""
    noise = np.random.default_rng(3).normal(size=ROWS)
    return np.sin(TIME) + np.where(TIME > 60.0, 0.2 * noise, 0.0)


def by_column(rows: np.ndarray, values: np.ndarray, columns: int) -> list[np.ndarray]:
    column = np.minimum((TIME[rows] * (columns / TIME[-1])).astype(int), columns - 1)
    return [values[rows][column == k] for k in range(columns)]


def test_every_column_keeps_its_first_least_largest_and_last_value() -> None:
    values, columns = rough(), 50
    rows = seen_rows(TIME, values, columns)
    assert len(rows) <= 4 * columns
    kept, whole = by_column(rows, values, columns), by_column(np.arange(ROWS), values, columns)
    for some, every in zip(kept, whole, strict=True):
        assert (some[0], some.min(), some.max(), some[-1]) == (every[0], every.min(), every.max(), every[-1])


@pytest.mark.parametrize("row", [0, 1, 1234, 150_001, ROWS - 2, ROWS - 1])
@pytest.mark.parametrize("size", [7.0, -7.0])
def test_a_spike_of_one_row_survives_at_its_time(row: int, size: float) -> None:
    values = rough()
    values[row] = size
    time, drawn = thinned(TIME, values)
    assert len(drawn) <= LONG
    assert TIME[row] in time[drawn == size]


def test_gaps_stay_where_they_are() -> None:
    values = rough()
    values[1000:1010] = np.nan
    values[200_000] = np.inf
    time = TIME.copy()
    time[100_000] = values[100_000] = np.nan
    rows = seen_rows(time, values, COLUMNS)
    assert set(np.flatnonzero(~np.isfinite(values))) <= set(rows.tolist())
    assert np.all(np.diff(rows) > 0)
    assert len(rows) < LONG + 5 * ROWS // COLUMNS


def test_short_curves_and_whole_numbers_are_as_they_are() -> None:
    counts = np.arange(ROWS) // 1000
    assert np.array_equal(np.unique(thinned(TIME, counts)[1]), np.unique(counts))
    time, values = thinned(TIME[:LONG], counts[:LONG])
    assert time.shape == values.shape == (LONG,)


def picture(time: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A solid line over 1100 pixels."""
    figure = Figure(figsize=(5.5, 1.35), dpi=200)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0.0, 100.0), ylim=(-2.0, 2.0))
    axes.plot(time, values, linewidth=1.2)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba(), dtype=float)[..., :3]


def test_the_picture_is_the_same() -> None:
    difference = np.abs(picture(TIME, rough()) - picture(*thinned(TIME, rough()))).max(axis=2)
    # shades of single pixels at the edge of the line change, as matplotlib too simplifies what it draws
    assert np.mean(difference > 64) < 0.002


def test_figures_of_long_runs_have_few_points_and_reach_the_peak() -> None:
    force = rough()
    force[77_777] = 55.0
    channels = [Channel("time_s", "s", "", "", TIME), Channel("a.j.force_N", "N", "", "", force)]
    [axes] = plots.all_figures(Result(samples.scenario(), channels, "completed"), ["loads"])["loads"].axes
    [line] = (line for line in axes.lines if line.get_label()[0] != "_")
    assert len(line.get_ydata()) <= LONG
    assert np.max(line.get_ydata()) == 55.0
    assert axes.get_ylim()[1] > 55.0

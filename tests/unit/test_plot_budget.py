"""The energy budget is drawn as layers that close, whatever their signs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes

from docksim.plots.curves import extreme_rows
from docksim.plots.run import figures as plots
from docksim.plots.run.budget import drift_energy
from docksim.result.result import Channel, Result
from tests.support import samples

ROWS = 401


def budget(rows: int = ROWS) -> Result:
    """A damper takes 30 J of 50 J, a motor gives 20 J and takes them back; all of it closes."""
    t = np.linspace(0.0, 8.0, rows)
    damper, motor = -30.0 * t / 8.0, 20.0 * np.sin(np.pi * t / 8.0)
    stored = 10.0 * np.sin(t) ** 2
    kinetic = 50.0 + damper + motor - stored
    columns = {"kinetic_J": kinetic, "potential_J": stored, "work.joint_damping_J": damper, "work.motors_J": motor}
    channels = [Channel("time_s", "s", "", "", t)]
    channels += [Channel(f"energy.{name}", "J", "", "", values) for name, values in columns.items()]
    channels.append(Channel("energy.residual_J", "J", "", "", 1e-7 * t))
    return Result(samples.scenario(), channels, "completed")


def stack(result: Result) -> Axes:
    axes = plots.all_figures(result, ["energy"])["energy"].axes[0]
    assert axes.get_ylabel() == "budget [J]"
    return axes


def test_sum_of_the_layers_is_the_energy_at_the_start() -> None:
    (total,) = (line for line in stack(budget()).lines if line.get_label() == "sum")
    # sums of four numbers of about 50: a few roundings
    assert np.asarray(total.get_ydata()) == pytest.approx(np.full(ROWS, 50.0), abs=1e-12)


def test_every_layer_is_as_thick_as_its_channel() -> None:
    result = budget()
    works = {name: result[f"energy.work.{name}_J"] for name in ("joint_damping", "motors")}
    wanted = {
        "kinetic": result["energy.kinetic_J"],
        "stored": result["energy.potential_J"],
        "to joint damping": -works["joint_damping"],
        "to motors": -works["motors"],
    }
    layers = {layer.get_label(): layer for layer in stack(result).collections}
    assert set(layers) == set(wanted)
    assert result["energy.kinetic_J"].min() > 0.0, "no layer changes sides in this run"
    for name, values in wanted.items():
        [path] = layers[name].get_paths()
        rows = (len(path.vertices) - 3) // 2
        assert rows == ROWS, "a short run is drawn with all its rows"
        # the outline goes along one edge and comes back along the other
        there, back = path.vertices[1 : rows + 1, 1], path.vertices[rows + 2 : -1, 1][::-1]
        # the edges are sums of the layers below: two roundings of numbers of about 50
        assert np.abs(there - back) == pytest.approx(np.abs(values), abs=1e-12)


def test_what_has_given_energy_lies_below_zero() -> None:
    layers = {layer.get_label(): layer for layer in stack(budget()).collections}
    [path] = layers["to motors"].get_paths()
    assert path.vertices[:, 1].min() == pytest.approx(-20.0, abs=0.01), "the peak of the sine is between two rows"
    assert path.vertices[:, 1].max() <= 1e-12


def test_layer_that_changes_sides_does_not_cut_through_the_others() -> None:
    result = budget()
    result["energy.work.motors_J"][:] *= np.where(result.time_s < 4.0, 1.0, -1.0)
    sides = [layer for layer in stack(result).collections if layer.get_label() in ("to motors", "_other side")]
    [[above], [below]] = [layer.get_paths() for layer in sides]
    assert below.vertices[:, 1].max() == 0.0
    late = above.vertices[above.vertices[:, 0] > 4.0, 1]
    assert late.min() > 0.0


def test_long_runs_lose_rows_but_no_extreme() -> None:
    rng = np.random.default_rng(4)
    curves = [np.cumsum(rng.normal(size=20_001)) for _ in range(3)]
    curves[1][7_777] = 1e4  # a spike of one row
    rows = extreme_rows(curves)
    # at most the smallest and the largest of each curve in 300 parts, and both ends
    assert len(rows) <= 2 * 3 * 300 + 2
    for curve in curves:
        assert (curve[rows].min(), curve[rows].max()) == (curve.min(), curve.max())
    assert 7_777 in rows
    assert (rows[0], rows[-1]) == (0, 20_000)


def test_drift_of_the_mass_centre_is_left_out_unless_a_force_changes_it() -> None:
    scenario: Any = SimpleNamespace(
        name="s",
        vehicles={"a": SimpleNamespace(mass_kg=3.0, bodies={}, wheels={}, beams={}, mechanism=None, anchored=False)},
    )
    momentum = np.tile([6.0, 0.0, 0.0], (5, 1))

    def run(values: np.ndarray) -> Result:
        channels = [
            Channel("time_s", "s", "", "", np.arange(5.0)),
            Channel("momentum.linear_kg_m_s", "kg m/s", "W", "", values),
            Channel("momentum.linear_traffic", "kg m/s", "", "", np.linalg.norm(values, axis=1)),
        ]
        return Result(scenario, channels, "completed")

    # p² / 2 m
    assert drift_energy(run(momentum)) == 6.0
    pushed = momentum.copy()
    pushed[3:, 1] = 0.1
    assert drift_energy(run(pushed)) is None

"""Metrics of dockings depend on the scenario alone: not on how often rows are logged, nor on what is in them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection

import docksim
from benchmarks.contact_convergence import LOADS, first_impact
from docksim.config import load_scenario
from docksim.config.schema.band_ends import at_end
from docksim.config.schema.scenario import Scenario
from docksim.model.contact import GROUP_NAMES
from docksim.plots.run.figures import all_figures
from docksim.replay.panels import panels_of, values
from docksim.replay.scene import build_scene
from docksim.replay.tracks import Tracker, contact_force, rows_to_keep
from docksim.result.result import Result
from docksim.simulation.run import metric_names, simulate

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
# to shortly after capture
DURATIONS = {"dock_nds": 6.0, "dock_sxds": 7.0}
# the others through their first impacts
DRAWN = {**DURATIONS, "dock_apas": 4.5, "dock_ibdm": 6.0}
TO_ATTENUATION = ("contact", "compressed", "lunge", "captured", "attenuate", "rebound")


@cache
def run(name: str, every_s: float = 0.01, joint_loads: bool = True) -> Result:
    outputs = {"outputs.every_s": every_s, "outputs.joint_loads": joint_loads}
    scenario = load_scenario(SCENARIOS / f"{name}.yaml", {"solver.duration_s": DRAWN[name], **outputs})
    # with hard contact, whose impacts lie between rows
    return simulate(at_end(without_hooks(scenario), "high"))


def without_hooks(scenario: Scenario) -> Scenario:
    """To attenuation and no further, so that a run that ends captured has come to all its loads, and tells them all."""
    events = {name: event for name, event in scenario.events.items() if name.removesuffix("_timeout") in TO_ATTENUATION}
    return scenario.model_copy(update={"events": events})


def figures(result: Result) -> dict[str, Any]:
    return {name: value for name, value in result.metrics.items() if not isinstance(value, str)}


@pytest.mark.parametrize("name", DURATIONS)
def test_no_metric_depends_on_the_log(name: str) -> None:
    usual = run(name)
    assert usual.outcome == "captured"
    assert len(figures(usual)) > 45
    for every_s, joint_loads in ((0.001, True), (0.05, True), (0.5, True), (0.01, False)):
        other = run(name, every_s, joint_loads)
        assert list(other.metrics) == list(usual.metrics)
        assert other.outcome == usual.outcome
        assert figures(other) == pytest.approx(figures(usual), rel=1e-12, abs=0.0)


def test_first_impact_ends_where_the_surfaces_part() -> None:
    result = run("dock_nds")
    _, loads = first_impact(SCENARIOS / "dock_nds.yaml", {"solver.duration_s": 5.0}, "high")
    for load, peak in zip(LOADS, loads, strict=True):
        assert result.metrics[f"dock.first_impact.peak_{load}"] == peak
        assert result.metrics[f"dock.peak_{load}"] >= peak
    assert result.metrics["dock.peak_compression_N"] > 2.0 * result.metrics["dock.first_impact.peak_compression_N"]


# frames stop a ring that comes in with its whole stroke
SHORT_WAY = {"chaser.mechanism.symmetric.actuator.upper_deg": 90.0, "solver.duration_s": 4.0}


@pytest.mark.parametrize(("name", "changes"), [
    ("dock_nds", {"events.halt": {"when": [{"contact": "dock", "force_above_N": 100.0}], "do": [{"stop": "enough"}]}}),
    ("dock_sxds", {"chaser.mass_kg": 25000.0, "approach.closing_rate_m_s": 0.3, **SHORT_WAY}),
])  # fmt: skip
def test_state_on_which_a_run_ends_is_in_the_peaks(name: str, changes: dict[str, Any]) -> None:
    """The first stops while its load grows, the second by over-stroke."""
    result = docksim.run(SCENARIOS / f"{name}.yaml", changes)
    assert result.outcome == ("stopped" if name == "dock_nds" else "over-stroke")
    last = float(result["dock.load_force_N"][-1, 0])
    assert result.metrics["dock.peak_compression_N"] == last > 100.0
    assert result["dock.peak_compression_N"][-1] == last


@pytest.mark.parametrize("name", DURATIONS)
def test_approach_comes_back_on_the_axes_it_is_stated_on(name: str) -> None:
    result, asked = run(name), load_scenario(SCENARIOS / f"{name}.yaml").approach
    assert asked is not None
    found = {key: result.metrics[f"dock.at_contact.{key}"] for key in ("roll_deg", "closing_rate_m_s")}
    # attitude control acts on the way
    assert found["roll_deg"] == pytest.approx(asked.roll_deg, abs=0.01)
    assert found["closing_rate_m_s"] == pytest.approx(asked.closing_rate_m_s, rel=1e-3)


def test_lateral_rate_of_the_edge_of_the_box_is_that_of_the_box() -> None:
    asked = load_scenario(SCENARIOS / "dock_nds_edge.yaml").approach
    assert asked is not None
    rate = (asked.lateral_rate_m_s[0] ** 2 + asked.lateral_rate_m_s[1] ** 2) ** 0.5
    changes = {"events.halt": {"when": [{"contact": "dock", "force_above_N": 1.0}], "do": [{"stop": "met"}]}}
    found = docksim.run(SCENARIOS / "dock_nds_edge.yaml", changes).metrics
    # seen from the passive port; on the axes of the tilted ring it was a sixth more
    assert found["dock.at_contact.lateral_rate_m_s"] == pytest.approx(rate, rel=0.01)


def test_all_metrics_are_known_before_a_run() -> None:
    names = metric_names(load_scenario(SCENARIOS / "dock_nds.yaml"))
    assert set(figures(run("dock_nds"))) <= set(names)
    assert {"dock.first_impact.peak_torsion_Nm", "chaser.legs.force_N.peak", "dock.at_contact.roll_deg"} <= set(names)
    quiet = load_scenario(SCENARIOS / "dock_nds.yaml", {"outputs.joint_loads": False})
    assert metric_names(quiet) == names


# ---------------------------------------------------------------- what is drawn


def bands(axes: Axes) -> tuple[float, float]:
    """How far the bands of a panel reach."""
    paths = [path.vertices[:, 1] for item in axes.collections if isinstance(item, PolyCollection)
             for path in item.get_paths()]  # fmt: skip
    return float(np.min(np.concatenate(paths))), float(np.max(np.concatenate(paths)))


@pytest.mark.parametrize("name", DRAWN)
def test_figures_reach_as_far_as_the_peaks(name: str) -> None:
    """At the shipped rate of 10 ms the lines show half of an impact, or nothing."""
    result = run(name)
    found = {axes.get_ylabel().split(" [")[0]: bands(axes)
             for figure in all_figures(result, ["contact", "interface", "legs", "loads"]).values()
             for axes in figure.axes if axes.collections}  # fmt: skip
    peak = result.metrics
    groups = max(peak[f"dock.peak_{group}_force_N"] for group in GROUP_NAMES)
    assert found["normal force"][1] == pytest.approx(groups, rel=0.02)
    assert found["axial force"][1] == pytest.approx(peak["dock.peak_compression_N"], rel=0.02)
    assert -found["axial force"][0] == pytest.approx(peak["dock.peak_tension_N"], rel=0.02, abs=1e-9)
    assert found["shear force"][1] == pytest.approx(peak["dock.peak_shear_N"], rel=0.02)
    assert found["bending moment"][1] == pytest.approx(peak["dock.peak_bending_Nm"], rel=0.02)
    assert np.max(np.abs(found["torsion"])) == pytest.approx(peak["dock.peak_torsion_Nm"], rel=0.02)
    for label, metric in (("leg force", "force_N"), ("leg torque", "torque_Nm")):
        if label in found:
            largest = peak[f"chaser.legs.{metric}.peak"]
            assert np.max(np.abs(found[label])) == pytest.approx(largest, rel=0.02)
    for label, metric in (("reaction force", "load_force_N"), ("reaction moment", "load_moment_Nm")):
        largest = max(peak[f"chaser.{part}.{metric}.peak"] for part in ("ring", "mechanism"))
        assert found[label][1] == pytest.approx(largest, rel=0.02)


def test_lines_alone_would_miss_the_impacts() -> None:
    result = run("dock_ibdm")
    bending = np.linalg.norm(result["dock.load_moment_Nm"][:, 1:], axis=1)
    assert bending.max() < 0.5 * result.metrics["dock.peak_bending_Nm"]


@pytest.mark.parametrize("most", [4000, 60])
def test_replay_shows_the_largest_force(most: int) -> None:
    """Curves and arrows, of all rows and of one in ten."""
    result = run("dock_nds")
    scene, columns = build_scene(result.scenario), {name: one.data for name, one in result.channels.items()}
    rows = rows_to_keep(result.time_s, result.events, contact_force(scene, columns, len(result.time_s)), most)
    panels = [panel for panel in panels_of(scene, columns, []) if panel.title == "contact force"]
    largest = max(result.metrics[f"dock.peak_{group}_force_N"] for group in GROUP_NAMES)
    assert values(panels, columns, rows).max() == pytest.approx(largest, rel=1e-12)
    tracks = Tracker(scene).tracks(columns, rows)
    total = np.bincount(tracks.touch_row, np.linalg.norm(tracks.touch[:, 3:], axis=1))
    assert total.max() >= 0.98 * largest
    # the first impact lies between two rows; arrows show it where it was
    first = int(np.searchsorted(tracks.time, result.metrics["dock.first_contact_s"]))
    assert result["dock.normal_force_N"][rows[first]] == 0.0
    assert total[first] >= 0.98 * result.metrics["dock.first_impact.peak_compression_N"]

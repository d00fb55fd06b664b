"""Figures of contact: forces by feature, loads as parts of their limits, the closer look from touch to capture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from docksim.config import load_scenario
from docksim.plots.run import figures as plots
from docksim.plots.run.contact import capture_rows, contact_pairs
from docksim.result.result import Channel, EventRecord, Result
from tests.support.docks import dock
from tests.support.figure_boxes import lines

TIME = np.linspace(0.0, 10.0, 1001)
TOUCH = (TIME >= 4.0) & (TIME < 5.0)


def result(captured: float = 4.8, touching: np.ndarray = TOUCH, limits: bool = True, force: float = 650.0) -> Result:
    """A made-up docking: a petal pushes with `force` for a second, three latches hold from `captured` on."""
    push = np.where(touching, force, 0.0)
    began = float(TIME[touching][0]) if touching.any() else -1.0
    held = (captured >= 0.0) & (captured <= TIME)
    zero = np.zeros_like(TIME)
    numbers = {
        "gap_m": np.clip(0.04 * (4.0 - TIME), 0.0, 0.1),
        "normal_force_N": push,
        "petals_force_N": push,
        "edges_force_N": zero,
        "peak_tension_N": zero,
        "peak_compression_N": np.maximum.accumulate(push),
        "peak_shear_N": zero,
        "peak_bending_Nm": zero,
        "peak_torsion_Nm": zero,
        "latches_engaged": np.where(held, 3.0, 0.0),
        "first_contact_s": np.where(began <= TIME, began, -1.0),
        "capture_s": np.where(held, captured, -1.0),
        "rows.petal_0_of_A_on_rim_of_B.force_N": push,
    }
    channels = [Channel(f"dock.{key}", "N", "", "", values) for key, values in numbers.items()]
    load = np.stack([push, 0.3 * push, 0.4 * push], axis=1)
    channels += [Channel(f"dock.{key}", "N", "first port", "", load) for key in ("load_force_N", "load_moment_Nm")]
    channels.append(Channel("dock.misalignment_deg", "deg", "first port", "", load, ("roll", "pitch", "yaw")))
    data = dock()
    if not limits:
        data["vehicles"]["chaser"]["ports"]["nose"]["interface"] = {
            "use": "configs/interfaces/idss_like.yaml",
            "limits": dict.fromkeys(
                ("tension_N", "compression_N", "compression_dynamic_N", "shear_N", "bending_Nm", "torsion_Nm")
            ),
        }
    events = [EventRecord(4.0, "touch"), EventRecord(4.8, "held"), EventRecord(9.0, "done")]
    channels.append(Channel("time_s", "s", "", "", TIME))
    metrics = {f"dock.{key}": float(values[-1]) for key, values in numbers.items() if key.startswith("peak_")}
    metrics |= {"dock.hard_dock_s": captured} if captured >= 0.0 else {}
    return Result(load_scenario(data), channels, "completed", events=events, metrics=metrics)


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_pairs_are_found_by_their_gap() -> None:
    assert contact_pairs(result()) == ["dock"]


def test_forces_are_drawn_by_feature_and_those_that_never_act_are_left_out() -> None:
    figure = plots.all_figures(result(), ["contact", "capture"])["contact_dock"]
    assert list(lines(figure, "normal force [N]")) == ["petals"]


def test_ports_are_told_by_their_names() -> None:
    made = result()
    active, passive = made.scenario.contacts["dock"].ports
    ports = plots.all_figures(made, ["ports"])["ports_dock"]
    assert f"{active} as seen from {passive}" in ports.texts[0].get_text()
    loads = plots.all_figures(made, ["interface"])["interface_dock"]
    titles = {axes.get_ylabel(): axes.get_legend().get_title().get_text() for axes in loads.axes}
    # force and moment apart, so that figures of several contacts keep theirs apart too
    assert titles["axial force [N]"] == f"{active} on {passive}"
    assert titles["bending moment [N m]"] == f"{active} about {passive}"


def test_loads_are_split_into_along_and_across() -> None:
    figure = plots.all_figures(result(), ["interface"])["interface_dock"]
    found = result()
    axial = lines(figure, "axial force [N]")
    assert np.array_equal(axial["as logged"], found["dock.load_force_N"][:, 0])
    assert np.array_equal(axial["compression, so far"], found["dock.peak_compression_N"])
    # 0.3, 0.4 and 0.5: one rounding each
    assert lines(figure, "shear force [N]")["as logged"].max() == pytest.approx(325.0, rel=1e-14)
    assert np.array_equal(lines(figure, "torsion [N m]")["as logged"], found["dock.load_moment_Nm"][:, 0])


def test_limits_that_loads_come_near_are_drawn_and_the_others_named() -> None:
    figure = plots.all_figures(result(), ["interface"])["interface_dock"]
    axial = lines(figure, "axial force [N]")
    # 650 N of 3500 N and 6500 N is far away; tension has a limit of its own
    far = {name for name, values in axial.items() if not len(values)}
    assert far == {"dynamic limit 6500, off scale", "sustained limit 3500, off scale", "limit −3900, off scale"}
    near = plots.all_figures(result(force=3000.0), ["interface"])["interface_dock"]
    assert set(lines(near, "axial force [N]")["sustained limit 3500"]) == {3500.0}


def test_largest_loads_are_shown_as_parts_of_the_interface_s_limits() -> None:
    figure = plots.all_figures(result(), ["interface"])["interface_dock"]
    shares = lines(figure, "of its limit [%]")
    # the dynamic limit, 6500 N, is that of impacts
    assert shares["compression"].max() == pytest.approx(10.0, rel=1e-14)
    assert set(shares) == {"tension", "compression", "shear", "bending", "torsion"}


def test_interface_without_limits_has_no_such_panel() -> None:
    figure = plots.all_figures(result(limits=False), ["interface"])["interface_dock"]
    assert "of its limit [%]" not in [axes.get_ylabel() for axes in figure.axes]


def test_gap_that_was_not_measured_is_not_drawn() -> None:
    (gap,) = lines(plots.all_figures(result(), ["contact", "capture"])["contact_dock"], "least gap [mm]").values()
    assert np.isnan(gap[0])
    # 0.04 m/s for 10 ms before the touch
    assert gap[399] == pytest.approx(0.4, rel=1e-9)


def test_closer_look_runs_from_before_the_touch_until_after_capture() -> None:
    rows = capture_rows(result(), "dock")
    assert rows is not None
    # 0.8 s from touch to capture, a tenth of it before and four tenths after
    assert TIME[rows.start] == pytest.approx(3.92, abs=0.011)
    assert TIME[rows.stop] == pytest.approx(5.12, abs=0.011)
    figures = plots.all_figures(result(), ["contact", "capture"])
    assert list(figures) == ["contact_dock", "capture_dock", "capture_dock_2"]
    # milestones name the marks that they share: two latches, the event, and the join that it makes
    assert words(figures["contact_dock"]) == ["first contact +1", "capture +4", "done"]
    assert words(figures["capture_dock"]) == ["first contact +1", "capture +4"]


def test_closer_look_without_capture_ends_after_the_last_touch() -> None:
    rows = capture_rows(result(captured=-1.0), "dock")
    assert rows is not None
    assert TIME[rows.stop] == pytest.approx(5.4, abs=0.02)


def test_contact_that_is_not_caught_has_no_closer_look_beside_one_that_is() -> None:
    caught, other = result(), result(captured=-1.0)
    channels = [replace(one, name=one.name.replace("dock.", "frames.")) for one in other.channels.values()]
    both = Result(caught.scenario, [*caught.channels.values(), *channels[:-1]], "completed", metrics=caught.metrics)
    assert list(plots.all_figures(both, ["capture"])) == ["capture_dock", "capture_dock_2"]
    assert list(plots.all_figures(other, ["capture"])) == ["capture_dock", "capture_dock_2"]


def test_touch_that_lasts_most_of_the_run_needs_no_closer_look() -> None:
    assert list(plots.all_figures(result(captured=-1.0, touching=TIME > 1.0), ["contact", "capture"])) == [
        "contact_dock"
    ]


def test_pair_that_never_touched_has_no_figure() -> None:
    assert plots.all_figures(result(captured=-1.0, touching=TIME < 0.0), ["contact", "capture"]) == {}


def test_forces_between_single_features_are_not_taken_for_joint_forces() -> None:
    assert plots.all_figures(result(), ["loads"]) == {}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("last", [np.nan, 1e300], ids=["no number", "huge"])
def test_diverged_docking_is_drawn_without_complaint(last: float) -> None:
    found = result()
    for name, channel in found.channels.items():
        if name not in ("time_s", "dock.first_contact_s", "dock.capture_s"):
            channel.data[600:] = last
    figures = plots.all_figures(found, ["phases", "contact", "interface", "energy"])
    assert set(figures) == {"contact_dock", "interface_dock"}
    for figure in figures.values():
        figure.canvas.draw()

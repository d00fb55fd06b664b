"""Figures of ring and legs show their channels, with the stops of the scenario."""

from __future__ import annotations

import numpy as np

from docksim.plots.run import figures as plots
from docksim.result.result import Channel
from tests.support.figure_boxes import lines
from tests.unit.test_plot_devices import SWING, TIME, legs, result

RING = {"offset_m": "m", "rotation_deg": "deg", "offset_rate_m_s": "m/s", "joint_rate_deg_s": "deg/s"}


def ring(scale: float = 1.0) -> list[Channel]:
    values = scale * np.column_stack([0.4 + 0.1 * SWING, 0.01 * SWING, 0.02 * SWING])
    return [Channel(f"v.ring.{key}", unit, "joint", "", values) for key, unit in RING.items()]


def test_ring_pose_is_drawn_along_and_across_its_axis() -> None:
    found = result(*ring())
    figure = plots.all_figures(found, ["ring"])["ring_v"]
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == [
        "ring, axial [m]",
        "ring, lateral [m]",
        "ring rotation [deg]",
        "ring velocity [m/s]",
        "ring rate [deg/s]",
    ]
    offset = found["v.ring.offset_m"]
    assert np.array_equal(lines(figure, "ring, axial [m]")["x"], offset[:, 0])
    lateral = lines(figure, "ring, lateral [m]")
    assert np.array_equal(lateral["y"], offset[:, 1])
    assert np.array_equal(lateral["z"], offset[:, 2])
    looks = [{line.get_label(): line.get_color() for line in axes.lines} for axes in figure.axes]
    assert looks[1]["y"] == looks[2]["y"], "an axis has one colour in all panels"


def test_strokes_rates_and_forces_are_those_of_the_legs() -> None:
    keys = {"travel_m": ("leg stroke", "m"), "travel_rate_m_s": ("stroke rate", "m/s"), "force_N": ("leg force", "N")}
    channels = [channel for i, (key, (_, unit)) in enumerate(keys.items()) for channel in legs(key, 1.0 + i, unit)]
    found = result(*channels)
    figure = plots.all_figures(found, ["legs"])["legs_v"]
    for key, (label, unit) in keys.items():
        drawn = lines(figure, f"{label} [{unit}]")
        for k in range(1, 7):
            assert np.array_equal(drawn[str(k)], found[f"v.legs.{k}.{key}"])


def test_stops_near_the_strokes_are_drawn_and_far_ones_named() -> None:
    lower, upper = -0.2, 0.3
    stops = {"lower_m": lower, "upper_m": upper, "stop_stiffness_N_m": 1e5}
    # the largest of the six strokes reaches 90 % of the nearer stop on both sides: sin passes both extremes within 10 s
    size = 0.9 * 0.2 / 6.0
    drawn = lines(
        plots.all_figures(result(*legs("travel_m", size, "m"), **stops), ["legs"])["legs_v"], "leg stroke [m]"
    )
    assert {float(values[0]) for label, values in drawn.items() if label.startswith("stop")} == {lower, upper}
    tiny = lines(
        plots.all_figures(result(*legs("travel_m", 1e-3 * size, "m"), **stops), ["legs"])["legs_v"], "leg stroke [m]"
    )
    named = {label: values for label, values in tiny.items() if label.startswith("stop")}
    assert all(label.endswith("off scale") and not len(values) for label, values in named.items())
    assert len(named) == 2


def test_joints_of_the_mechanism_are_not_drawn_twice() -> None:
    found = result(*ring(), *legs("travel_m", 0.01, "m"), Channel("v.arm.travel_m", "m", "joint", "", TIME))
    [axes] = plots.all_figures(found, ["joints"])["joints"].axes
    assert [line.get_label() for line in axes.lines if line.get_label()[0] != "_"] == ["arm"]

"""The inspection of a mechanism: its figures against closed forms, its workspace against the limits it must keep."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.drawing.mechanism import drawing, outline
from docksim.hardware import inspect_mechanism
from docksim.hardware.inspect_mechanism import inspect, keeps_limits, workspace
from docksim.hardware.mechanism import Mechanism
from docksim.plots.hardware import figures as hardware_figures
from tests.support.mechanisms import SHIPPED

RADIUS, HEIGHT, SPAN_DEG, MASS, SPRING = 0.6, 0.4, 44.0, 30.0, 2000.0


def hexapod(**actuator: float) -> Mechanism:
    """A ring on six massless legs between equal circles."""
    return Mechanism.load(
        {
            "ring": {"mass_kg": MASS, "inertia_kg_m2": [10.0, 6.0, 6.0]},
            "reference": {"position_m": [HEIGHT, 0.0, 0.0]},
            "symmetric": {
                "type": "UPS",
                "base_radius_m": RADIUS,
                "ring_radius_m": RADIUS,
                "base_half_angle_deg": 8.0,
                "ring_half_angle_deg": 8.0,
                "actuator": {"stiffness_N_m": SPRING, **actuator},
            },
        }
    )


# screws with couplings, cranks, and every kind of leg at once: what a workspace is found for, which takes a while
KINDS = [path for path in SHIPPED if path.stem in ("apas_like", "sxds_like", "mixed_legs")]


@functools.cache
def shipped(path: Path) -> tuple[Mechanism, list[Any]]:
    """A mechanism, and its workspace, which takes a while."""
    mechanism = Mechanism.load(path)
    return mechanism, in_few_rows(mechanism)


def in_few_rows(mechanism: Mechanism) -> list[Any]:
    """Its workspace; a row does not depend on the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inspect_mechanism, "ROWS", 5)
        return workspace(mechanism)


CHORD = 2.0 * RADIUS * math.sin(math.radians(SPAN_DEG / 2))
LENGTH = math.hypot(CHORD, HEIGHT)


def test_axial_and_roll_frequencies_are_those_of_six_slanted_springs() -> None:
    found = {mode.motion: mode.frequency_Hz for mode in inspect(hexapod()).modes}
    axial = math.sqrt(6.0 * SPRING * (HEIGHT / LENGTH) ** 2 / MASS)
    # lever of a leg about the axis: radius times the tangential part of its direction at the ring
    lever = RADIUS * CHORD * math.cos(math.radians(SPAN_DEG / 2)) / LENGTH
    roll = math.sqrt(6.0 * SPRING * lever**2 / 10.0)
    assert found["axial"] == pytest.approx(axial / (2.0 * math.pi), rel=1e-12)
    assert found["roll"] == pytest.approx(roll / (2.0 * math.pi), rel=1e-12)


def test_axial_mode_has_the_damping_of_its_dampers() -> None:
    (axial,) = (mode for mode in inspect(hexapod(damping_Ns_m=50.0)).modes if mode.motion == "axial")
    # equal ratio of damping to stiffness in every leg: zeta = c omega / (2 k)
    assert axial.damping_ratio == pytest.approx(50.0 * 2.0 * math.pi * axial.frequency_Hz / (2.0 * SPRING), rel=1e-12)


def test_mechanism_without_springs_has_no_modes() -> None:
    assert inspect(hexapod(stiffness_N_m=0.0)).modes == ()


def test_axial_capacity_is_the_force_of_six_legs_at_their_limit() -> None:
    found = inspect(hexapod(force_limit_N=800.0))
    assert found.axial_capacity_N == pytest.approx(6.0 * 800.0 * HEIGHT / LENGTH, rel=1e-12)
    assert inspect(hexapod()).axial_capacity_N == math.inf


def test_rotor_counts_in_the_frequency_and_not_in_the_mass() -> None:
    light, heavy = inspect(hexapod()), inspect(hexapod(rotor_mass_kg=5.0))
    assert heavy.mass_kg == light.mass_kg == MASS
    assert heavy.modes[0].frequency_Hz < light.modes[0].frequency_Hz


def test_axial_workspace_ends_where_the_strokes_do() -> None:
    region = in_few_rows(hexapod(lower_m=-0.05, upper_m=0.1))[2]
    for stroke, found in ((0.1, region.y[-1]), (-0.05, region.y[0])):
        travel = math.sqrt((LENGTH + stroke) ** 2 - CHORD**2) - HEIGHT
        # the halvings stop at 1 m / 40 / 2^14
        assert found == pytest.approx(travel, abs=2e-6)


@pytest.mark.parametrize("path", KINDS, ids=lambda path: path.stem)
def test_inside_the_workspace_random_misalignments_keep_all_limits(path: Path) -> None:
    (mechanism, (tilt, *_)), rng = shipped(path), np.random.default_rng(1)
    row = len(tilt.y) // 2
    angles = rng.uniform(0.0, 2.0 * math.pi, (500, 2))
    # between the sampled directions a corner may stick out a little
    lateral, size = 0.93 * tilt.x[row], math.radians(0.93 * tilt.y[row])
    travel = lateral * np.column_stack([np.zeros(500), np.cos(angles[:, 0]), np.sin(angles[:, 0])])
    turn = size * np.column_stack([np.zeros(500), np.cos(angles[:, 1]), np.sin(angles[:, 1])])
    assert np.all(keeps_limits(mechanism, travel, turn))
    assert np.all(tilt.x_some.max() >= tilt.x)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_drawn_links_have_their_lengths_and_meet_the_joints(path: Path) -> None:
    mechanism = Mechanism.load(path)
    drawn = drawing(mechanism)
    for k, leg in enumerate(mechanism.legs):
        first = np.linalg.norm(drawn.first_ends[k] - drawn.base_joints[k])
        second = np.linalg.norm(drawn.ring_joints[k] - drawn.second_starts[k])
        sizes = (leg.crank_m, leg.rod_m) if leg.type in ("RUS", "RSU") else (leg.lower_length_m, leg.upper_arm_m)
        assert (first, second) == pytest.approx(sizes, abs=1e-12)
        assert np.allclose(drawn.base_joints[k], leg.base_joint_m, atol=1e-15)


def test_joints_on_no_circle_are_joined_by_a_polygon() -> None:
    joints = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0], [0.0, -1.0, 0.0], [0.0, 0.0, -2.0]])
    assert len(outline(joints, np.array([1.0, 0.0, 0.0]))) == 5
    joints[[1, 3]] /= 2.0
    circle = outline(joints, np.array([1.0, 0.0, 0.0]))
    assert np.allclose(np.linalg.norm(circle, axis=1), 1.0)


@pytest.mark.parametrize("path", KINDS, ids=lambda path: path.stem)
def test_figures_name_what_they_show(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, regions = shipped(path)
    monkeypatch.setattr(hardware_figures, "workspace", lambda own: regions if own is mechanism else workspace(own))
    figures: dict[str, Any] = hardware_figures.mechanism_figures(mechanism, path.stem)
    assert list(figures)[:4] == ["mechanism", "workspace", "resistance", "devices"]
    for figure in figures.values():
        assert figure.texts[0].get_text().startswith(path.stem)
    labels = [axes.get_xlabel() for axes in figures["workspace"].axes]
    assert labels == ["lateral misalignment [m]"] * 3
    labels = [axes.get_xlabel() for axes in figures["resistance"].axes]
    assert labels == ["tilt [deg]", "travel across [m]", "travel inward [m]"]

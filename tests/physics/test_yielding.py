"""What holds a ring before capture, by statics: against closed forms, with couplings and without."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from docksim.config import load_scenario
from docksim.hardware.mechanism import Mechanism
from docksim.hardware.yielding import tilt_resistance, travel_resistance, yielding
from tests.support.shipped import SCENARIOS

SOFT = ("pair_1", "pair_2", "turn_1", "turn_2", "roll")
DEGREES = (0.5, 2.0, 7.0)


def ring_of(name: str, **soft: float) -> Mechanism:
    """A shipped system's mechanism; `soft` changes devices of the soft couplings."""
    changes = {
        f"chaser.mechanism.couplings.{coupling}.linear.{key}": value for coupling in SOFT for key, value in soft.items()
    }
    config = load_scenario(SCENARIOS / f"dock_{name}.yaml", changes).vehicles["chaser"].mechanism
    assert config is not None
    return Mechanism(config)


def axis(azimuth: float) -> np.ndarray:
    """Axis of a tilt towards an azimuth."""
    return np.array([[0.0, -math.sin(azimuth), math.cos(azimuth)]])


def leg_cosine(mechanism: Mechanism) -> float:
    base, _, ring = mechanism.points(mechanism.reference)[0]
    return float((ring - base)[0] / np.linalg.norm(ring - base))


def test_springs_of_the_differentials_resist_a_tilt_as_the_closed_form_says() -> None:
    """F = (1.5 c)^2 K r theta, c the legs' cosine to the axis, r the radius of the ring's joints: every side alike."""
    ring = ring_of("apas", friction_N=0.0)
    c, r = leg_cosine(ring), ring.ring_radius
    for azimuth in (0.0, 0.3, 1.0, 2.5):
        for row in tilt_resistance(ring, DEGREES, axis(azimuth), centre_held=True):
            expected = (1.5 * c) ** 2 * 6000.0 * r * math.radians(row.size)
            # legs swing: of the order of the tilt squared, 1.5 % at 7 deg; weights are given to four digits
            assert row.force_N == pytest.approx(expected, rel=3e-4 + 2.0 * math.radians(row.size) ** 2)
            assert abs(row.friction_N) < 1e-6


@pytest.mark.parametrize("off_deg", [0.0, 20.0, 45.0])
def test_friction_of_the_differentials_breaks_out_as_the_closed_form_says(off_deg: float) -> None:
    """1.5 c F_c for each coupling, by the part of the tilt that it takes: pairs cos b, turns sin b, sides cos and sin.

    b is the azimuth from the middle of a pair on the base to its joints on the ring.
    """
    ring = ring_of("apas", stiffness_N_m=0.0)
    joints = np.array([leg.ring_joint_m for leg in ring.legs[:2]])
    bases = np.array([leg.base_joint_m for leg in ring.legs[:2]])
    middle = math.atan2(bases[:, 2].sum(), bases[:, 1].sum())
    b = math.atan2(joints[0, 2], joints[0, 1]) - middle
    off = math.radians(off_deg)
    parts = (abs(math.cos(b)) + abs(math.sin(b))) * (abs(math.cos(off)) + abs(math.sin(off)))
    (row,) = tilt_resistance(ring, [1.0], axis(middle + off), centre_held=True)
    # one degree moves every coupling that takes part by millimetres, beyond the presliding; but where its part is zero
    assert row.friction_N == pytest.approx(1.5 * leg_cosine(ring) * 400.0 * parts, rel=2e-3)
    assert abs(row.springs_N) < 1.0


def test_tilt_force_at_7_deg_is_what_the_differential_system_was_tuned_on() -> None:
    """Syromyatnikov: the equivalent thrusts of 1.5 kN (Soyuz) and 2.6 kN (Apollo), 1.07 and 0.74 kN, suffice."""
    row = yielding(ring_of("apas")).tilt[-1]
    assert row.size == 7.0
    assert 700.0 < row.force_N < row.strongest_N < 1100.0


@pytest.mark.parametrize("name", ["apas", "sxds", "nds", "ibdm"])
def test_free_centre_is_never_stiffer(name: str) -> None:
    found = yielding(ring_of(name))
    for free, held in zip(found.tilt, found.tilt_centre_held, strict=True):
        assert free.force_N <= held.force_N * (1.0 + 1e-6)
        assert free.force_N == pytest.approx(free.springs_N + free.friction_N)


def test_free_centre_of_linear_springs_follows_the_compliance() -> None:
    """Linear springs alone: the stiffness against a tilt is what is left when centre and roll have given way."""
    ring = ring_of("apas", friction_N=0.0)
    J = ring.shaft_jacobian(ring.reference)
    K = J.T @ np.diag([6000.0 if shaft.name.split(".")[1] in SOFT else 0.0 for shaft in ring.shafts]) @ J
    # the mean is held: as a spring without end
    mean = J[: len(ring.legs)].mean(axis=0)
    K += 1e9 * np.outer(mean, mean)
    gone = [0, 3, 4, 5]
    (row,) = tilt_resistance(ring, [0.2], axis(0.4))
    about = np.zeros(6)
    about[:3] = axis(0.4)[0]
    with_tilt = K[gone] @ about
    left = about @ K @ about - with_tilt @ np.linalg.solve(K[np.ix_(gone, gone)], with_tilt)
    assert row.force_N == pytest.approx(left * math.radians(0.2) / ring.ring_radius, rel=2e-3)


def test_six_equal_springs_resist_travel_as_their_stiffness_says() -> None:
    config: dict[str, Any] = {
        "ring": {"mass_kg": 30.0, "inertia_kg_m2": [10.0, 6.0, 6.0]},
        "reference": {"position_m": [0.4, 0.0, 0.0]},
        "symmetric": {
            "type": "UPS", "base_radius_m": 0.6, "ring_radius_m": 0.6, "base_half_angle_deg": 8.0,
            "ring_half_angle_deg": 8.0, "actuator": {"stiffness_N_m": 2000.0, "friction_N": 5.0, "presliding_m": 1e-5},
        },
    }  # fmt: skip
    ring = Mechanism.load(config)
    c, travel = leg_cosine(ring), 0.002
    (inward,) = travel_resistance(ring, [travel], np.array([[-1.0, 0.0, 0.0]]))
    # the cosine falls as the ring comes in: a part of travel over height
    assert inward.springs_N == pytest.approx(6.0 * 2000.0 * c**2 * travel, rel=2.0 * travel / 0.4)
    assert inward.friction_N == pytest.approx(6.0 * 5.0 * c, rel=travel / 0.4)
    across = travel_resistance(ring, [travel], np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))[0]
    assert across.springs_N == pytest.approx(3.0 * 2000.0 * (1.0 - c**2) * travel, rel=2.0 * travel / 0.4)


def test_arms_resist_with_the_torque_of_their_springs_over_their_lever() -> None:
    """Passive ring pushed in: work of the crank springs, by the table, over the way of the ring."""
    ring = ring_of("sxds")
    for row in yielding(ring).inward:
        ends = [ring.coordinates(((0.40 - row.size + off, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)))[0] for off in (1e-4, -1e-4)]
        lever = (ends[1] - ends[0]) / 2e-4
        torque = np.interp(math.degrees(0.5 * sum(ends)), [57.058, 77.0, 90.0, 105.0], [4.0, 7.0, 20.0, 60.0])
        assert row.springs_N == pytest.approx(6.0 * torque * lever, rel=1e-3)
        assert row.friction_N == pytest.approx(6.0 * 2.0 * lever, rel=1e-3)


def test_sizes_that_a_leg_cannot_reach_are_left_out() -> None:
    rows = travel_resistance(ring_of("sxds"), [0.1, 0.3, 0.6], np.array([[1.0, 0.0, 0.0]]))
    assert [row.size for row in rows] == [0.1]

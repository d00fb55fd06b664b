"""Two vehicles whose rods with round ends collide: the impulse in closed form, momentum, energy, and what is logged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.result.result import Result
from tests.support.contact_rigs import pair, port
from tests.support.rigs import Keys, lone

RADIUS = 0.05
MASS_A, MASS_B = 40.0, 60.0
INERTIA_A, INERTIA_B = (8.0, 9.0, 5.0), (12.0, 6.0, 14.0)
STIFFNESS = 6.5e6
FORCE = "hit.rows.capsule_1_of_A_on_capsule_1_of_B.force_N"


def rod(start: Any, end: Any, contact: Keys) -> Keys:
    """An interface of one capsule."""
    return {"capsules": [{"start_m": list(start), "end_m": list(end), "radius_m": RADIUS}], "contact": contact}


def collide(contact: Keys, step: float, steps: int, **of_B: Any) -> Result:
    """A rod along z waits; one along y comes along -x."""
    upright, lying = rod((0.0, 0.0, -0.6), (0.0, 0.0, 0.6), contact), rod((0.0, -0.5, 0.0), (0.0, 0.5, 0.0), contact)
    a, b = lone(MASS_A, INERTIA_A, ports=port(upright)), lone(MASS_B, INERTIA_B, ports=port(lying), **of_B)
    result = docksim.run(pair(a, b, steps * step, step, outputs={"contact_rows": True}))
    assert result.outcome == "completed", result.reason
    return result


def test_crossed_rods_part_as_the_impulse_of_two_rigid_bodies_says() -> None:
    speed, y, z = 0.1, 0.3, 0.4
    step = math.sqrt(20.0 / STIFFNESS) / 100.0
    contact = {"stiffness_N_m": STIFFNESS, "damping_s_m": 0.0, "friction": 0.0}
    at = {"position_m": [2.0 * RADIUS + 1e-6, y, z], "velocity_m_s": [-speed, 0.0, 0.0]}
    result = collide(contact, step, 450, **at)
    assert result["hit.contact_count"][-1] == 1.0
    assert result["hit.normal_force_N"][-1] == 0.0
    # elastic and without friction: the approach of the two points is turned round
    lever = 1.0 / MASS_A + 1.0 / MASS_B + z**2 / INERTIA_A[1] + y**2 / INERTIA_B[2]
    impulse = 2.0 * speed / lever
    # while they touch, 5 ms, the rods turn by 3e-4 rad, which moves the place of contact by 1.5e-5 m of 0.3 m
    assert MASS_A * result["a.velocity_m_s"][-1, 0] == pytest.approx(-impulse, rel=5e-5)
    assert MASS_B * (result["b.velocity_m_s"][-1, 0] + speed) == pytest.approx(impulse, rel=5e-5)
    assert INERTIA_A[1] * math.radians(result["a.rate_deg_s"][-1, 1]) == pytest.approx(-z * impulse, rel=5e-5)
    assert INERTIA_B[2] * math.radians(result["b.rate_deg_s"][-1, 2]) == pytest.approx(y * impulse, rel=5e-5)


def test_oblique_impact_with_friction_keeps_momentum_and_closes_the_energy_budget() -> None:
    contact = {"stiffness_N_m": STIFFNESS, "damping_s_m": 3.0, "friction": 0.3}
    moving = {"velocity_m_s": [-0.3, 0.1, -0.05], "rate_deg_s": [5.0, 10.0, -8.0]}
    turned = {"attitude": {"yaw_pitch_roll_deg": [20.0, -10.0, 30.0]}, "position_m": [0.05, 0.2, 0.25]}
    result = collide(contact, 1e-5, 15_000, **moving, **turned)
    assert result["hit.contact_count"][-1] == 1.0
    assert result["hit.normal_force_N"][-1] == 0.0
    np.testing.assert_array_equal(result[FORCE], result["hit.spheres_force_N"])
    assert result[FORCE].max() > 1000.0
    for name in ("momentum.linear_kg_m_s", "momentum.angular_kg_m2_s"):
        # rounding over 15,000 steps
        assert np.abs(result[name] - result[name][0]).max() < 1e-11 * np.abs(result[name][0]).max()
    lost = result["energy.work.contact_damping_J"][-1], result["energy.work.contact_friction_J"][-1]
    assert max(lost) < -0.01
    # touch and parting fall within a step of a 1000th of the contact's period
    assert np.abs(result["energy.residual_J"]).max() < 1e-6 * result["energy.kinetic_J"][0]


def test_rods_that_overlap_at_the_start_are_refused_by_name_and_depth() -> None:
    upright, lying = rod((0.0, 0.0, -1.0), (0.0, 0.0, 1.0), {}), rod((0.0, -1.0, 0.0), (0.0, 1.0, 0.0), {})
    a, b = lone(1.0, 1.0, ports=port(upright)), lone(1.0, 1.0, ports=port(lying), position_m=[0.098, 0.0, 0.0])
    result = docksim.run(pair(a, b, 0.01, 1e-3))
    assert result.outcome == "failed"
    for text in ("contacts.hit", "2 mm", "capsule 1 of A on capsule 1 of B", "a.dock", "b.dock"):
        assert text in result.reason

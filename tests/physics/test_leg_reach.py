"""Legs pulled beyond their reach: the run ends with the leg's name, wherever in a step it happens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import docksim
from tests.physics.test_retraction import CIRCLES, RING


def torn(seed: int, kind: str, integrator: str = "rk4") -> dict[str, Any]:
    """A ring on light or heavy legs that a strong force pulls anywhere, with steps of 1 to 10 ms."""
    rng = np.random.default_rng(seed)
    first, second = float(rng.choice([0.02, 0.3, 3.0])), float(rng.choice([0.02, 0.2, 1.5]))
    stiffness, damping = float(rng.choice([0.0, 30.0])), float(rng.choice([0.0, 3.0, 30.0]))
    if kind in ("RUS", "RSU"):
        legs: dict[str, Any] = {
            "crank_m": 0.26, "rod_m": 0.60, "crank": {"mass_kg": first}, "rod": {"mass_kg": second},
            "actuator": {"stiffness_Nm_rad": stiffness, "damping_Nms_rad": damping},
        }  # fmt: skip
    else:
        legs = {"lower": {"mass_kg": first}, "upper": {"mass_kg": second}, "actuator": {"damping_Ns_m": damping}}
    way = rng.normal(size=3)
    force = 10.0 ** rng.uniform(3.7, 5.0) * way / np.linalg.norm(way)
    load = {"body": "ring", "force_N": force.tolist(), "position_m": rng.uniform(-0.5, 0.5, 3).tolist()}
    legs = {"type": kind, **CIRCLES, **legs}
    mechanism = {"ring": RING, "reference": {"position_m": [0.4, 0.0, 0.0]}, "symmetric": legs}
    step = float(rng.choice([0.001, 0.005, 0.01]))
    return {
        "vehicles": {"v": {"mass_kg": 300.0, "inertia_kg_m2": [150.0, 200.0, 250.0], "mechanism": mechanism,
                           "loads": {"pull": load}}},
        "solver": {"duration_s": 2.0, "step_s": step, "integrator": integrator},
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["RUS", "RSU"])
def test_sixty_of_sixty_hunt_legs_at_the_end_of_their_reach_are_named(kind: str) -> None:
    for seed in range(60):
        result = docksim.run(torn(seed, kind))
        assert result.outcome == "failed", (seed, result.reason)
        assert any(word in result.reason for word in ("is out of reach", "is in a singular pose")), result.reason
        # what is logged is from before
        assert all(np.isfinite(result[f"v.{key}"]).all() for key in ("position_m", "ring.acceleration_m_s2"))


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "linearly_implicit"])
def test_other_integrators_name_them_too(integrator: str) -> None:
    for seed in range(12):
        result = docksim.run(torn(seed, "RUS", integrator))
        assert result.outcome == "failed", (seed, result.reason)
        assert "leg " in result.reason


@pytest.mark.parametrize("kind", ["UPS", "UCU"])
def test_stewart_legs_without_stops_reach_anything(kind: str) -> None:
    for seed in range(6):
        keys = torn(seed, kind)
        keys["solver"]["duration_s"] = 0.3
        result = docksim.run(keys)
        assert result.outcome == "completed", (seed, result.reason)
        assert np.ptp(result["v.legs.1.travel_m"]) > 0.5

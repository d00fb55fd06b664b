"""Base joints that move: the ring follows, the drive's work is in the budget; and a base that is taken as inertial."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import docksim
from docksim.compiler import compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.config.errors import ScenarioError
from docksim.kernel.step import evaluate
from tests.oracle import mechanism_page as page
from tests.oracle.mechanism_description import LEG_TYPES
from tests.oracle.mechanism_random import random_base, random_mechanism, random_state
from tests.physics.test_mechanism_in_tree import relative, set_ring, vehicle

RING = {"mass_kg": 40.0, "inertia_kg_m2": [13.0, 7.0, 7.0], "center_of_mass_m": [0.01, 0.02, 0.0]}
CIRCLES = {"base_radius_m": 0.62, "ring_radius_m": 0.6, "base_half_angle_deg": 8.0, "ring_half_angle_deg": 8.0}
HUNT = {**CIRCLES, "crank_m": 0.26, "rod_m": 0.60, "crank": {"mass_kg": 3.0}, "rod": {"mass_kg": 1.5}}
STEWART = {**CIRCLES, "lower": {"mass_kg": 4.0}, "upper": {"mass_kg": 2.0}}
SPRINGS = {"stiffness_N_m": 4000.0, "damping_Ns_m": 300.0}
CRANK_SPRINGS = {"stiffness_Nm_rad": 300.0, "damping_Nms_rad": 30.0}


def mount(kind: str, **travel: float) -> dict[str, Any]:
    hunt = kind in ("RUS", "RSU")
    legs = {"type": kind, **(HUNT if hunt else STEWART), "actuator": CRANK_SPRINGS if hunt else SPRINGS, **travel}
    return {"ring": RING, "reference": {"position_m": [0.4, 0.0, 0.0]}, "symmetric": legs}


def scenario(kind: str, travel: dict[str, float], duration: float = 4.0, **vehicle_keys: Any) -> dict[str, Any]:
    retract = {"retract": {"mechanism": "v", "fraction": 1.0, "duration_s": 2.0}}
    return {
        "vehicles": {"v": {"mass_kg": 300.0, "inertia_kg_m2": [150.0, 200.0, 250.0], **vehicle_keys,
                           "mechanism": {**mount(kind, **travel), "position_m": [1.0, 0.1, 0.0]}}},
        "solver": {"duration_s": duration, "step_s": 0.001},
        "events": {"home": {"when": {"time_s": 0.5}, "do": [retract]}},
    }  # fmt: skip


@pytest.mark.parametrize("kind", LEG_TYPES)
def test_drive_work_and_momentum_close_while_base_joints_move(kind: str) -> None:
    travel = {"base_travel_axial_m": -0.1, "base_travel_radial_m": 0.02}
    result = docksim.run(scenario(kind, travel, rate_deg_s=[8.0, -12.0, 10.0]))
    assert result.outcome == "completed"
    # the vehicle turns, so what moves the joints works against centrifugal forces, springs and dampers
    assert np.abs(result["energy.work.joint_drives_J"]).max() > 0.01
    # fourth order at 1 ms, modes of a few hertz: 1e-10 seen
    assert result.metrics["energy.residual_relative"] < 1e-8
    assert result.metrics["momentum.linear_residual_relative"] < 1e-10
    assert result.metrics["momentum.angular_residual_relative"] < 1e-10


@pytest.mark.parametrize("kind", ["UPS", "RSU"])
def test_ring_of_an_anchored_vehicle_comes_to_rest_where_the_base_joints_went(kind: str) -> None:
    """All base joints move alike, so the ring ends up moved by as much, its strokes as before."""
    result = docksim.run(scenario(kind, {"base_travel_axial_m": -0.1}, duration=12.0, anchored=True))
    moved = result["v.ring.position_m"][-1] - result["v.ring.position_m"][0]
    # what is left of the swing after 9.5 s of damping
    assert np.allclose(moved, [-0.1, 0.0, 0.0], rtol=0.0, atol=1e-6)


def test_rings_on_joints_that_move_alike_feel_an_accelerated_base() -> None:
    """Base joints that all accelerate by a are a base that accelerates by a, seen from a frame that goes with them."""
    keys = scenario("UCU", {"base_travel_axial_m": -0.1}, duration=1.5, anchored=True)
    keys["outputs"] = {"every_s": 0.01}
    result = docksim.run(keys)
    mechanism = docksim.Mechanism.load(mount("UCU"))
    t = result.time_s
    # quintic from rest to rest, 2 s long, from 0.5 s on
    x = np.clip((t - 0.5) / 2.0, 0.0, 1.0)
    way = -0.1 * x**3 * (10.0 + x * (6.0 * x - 15.0))
    rate = -0.1 * 30.0 * x**2 * (1.0 - x) ** 2 / 2.0
    acceleration = -0.1 * 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / 4.0
    for i in (60, 90, 120, 145):
        seen = result["v.ring.offset_m"][i] - [way[i], 0.0, 0.0]
        turn = turned_by(result["v.ring.rotation_deg"][i])
        v = result["v.ring.offset_rate_m_s"][i] - [rate[i], 0.0, 0.0]
        w = result["v.ring.joint_rate_deg_s"][i]
        pose = (seen, turn[0])
        twist = np.concatenate([turn[1] @ np.radians(w), v])
        forces = mechanism.spring_forces(pose, twist)
        base = np.array([0.0, 0.0, 0.0, acceleration[i], 0.0, 0.0])
        expected = mechanism.forward(pose, twist, forces, base_acceleration=base).ring_acceleration
        found = result["v.ring.acceleration_m_s2"][i] - [acceleration[i], 0.0, 0.0]
        # logged in degrees and back: rounding
        assert np.allclose(found, expected[3:], rtol=0.0, atol=1e-9)


def turned_by(rotation_deg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    R = Rotation.from_rotvec(np.radians(rotation_deg))
    x, y, z, w = R.as_quat()
    return np.array([w, x, y, z]), R.as_matrix()


def replaced(kind: str, at: tuple[float, ...], **keys: Any) -> docksim.Result:
    """A retraction over 2 s from 0.5 s on, replaced by others in the middle of their motion."""
    travel = {"base_travel_axial_m": -0.1, "base_travel_radial_m": 0.02}
    found = scenario(kind, travel, duration=3.5, rate_deg_s=[8.0, -12.0, 10.0])
    commands = [(0.3, 0.8), (1.0, 1.5), (0.0, 0.6)]
    for i, (t, (fraction, duration)) in enumerate(zip(at, commands)):
        retract = {"retract": {"mechanism": "v", "fraction": fraction, "duration_s": duration}}
        found["events"][f"again_{i}"] = {"when": {"time_s": t}, "do": [retract]}
    return docksim.run({**found, **keys})


@pytest.mark.parametrize("at", [(1.1,), (1.5, 1.7), (1.2, 1.3, 1.9)], ids=["once", "twice", "thrice"])
@pytest.mark.parametrize("kind", ["UPS", "RUS"])
def test_retraction_replaced_in_motion_keeps_momentum_and_energy(kind: str, at: tuple[float, ...]) -> None:
    """At rest to rest a tenth of all momentum would appear with each command."""
    result = replaced(kind, at)
    assert result.outcome == "completed"
    assert result.metrics["momentum.linear_residual_relative"] < 1e-9
    assert result.metrics["momentum.angular_residual_relative"] < 1e-9
    assert result.metrics["energy.residual_relative"] < 1e-6


def test_base_joints_follow_the_quintic_from_the_motion_they_have() -> None:
    """Seen from outside: base joints as logged, on their straight ways, close the legs as logged."""
    result = replaced("UPS", (1.2, 1.3, 1.9), outputs={"every_s": 0.01})
    legs = compile_scenario(result.scenario).assembly.mechanisms[0].legs
    made = result["v.retraction.travel_m"] / np.hypot(0.1, 0.02)
    R = Rotation.from_rotvec(np.radians(result["v.ring.rotation_deg"])).as_matrix()
    for k, leg in enumerate(legs):
        base = np.asarray(leg.base_joint_m) + np.outer(made, leg.base_travel_m)
        ring = result["v.ring.offset_m"] + R @ np.asarray(leg.ring_joint_m)
        assert np.allclose(result[f"v.legs.{k + 1}.base_joint_m"], base, rtol=0.0, atol=1e-15)
        length = np.linalg.norm(ring - base, axis=1)
        stroke = result[f"v.legs.{k + 1}.travel_m"]
        # the same geometry: rounding of angles in degrees
        assert np.allclose(length - length[0], stroke - stroke[0], rtol=0.0, atol=1e-12)
    # smooth: the second difference of a jump of rate would be 100 times its size
    assert np.abs(np.diff(made, 2)).max() / 1e-4 < 25.0
    assert made[-1] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("types", [*LEG_TYPES, LEG_TYPES], ids=[*LEG_TYPES, "mixed"])
def test_inertial_base_is_the_published_approximation(types: Any) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        mechanism, reference = random_mechanism(rng, types)
        state = random_state(rng, mechanism, reference, rate=0.5)
        keys, _ = vehicle(mechanism, state, random_base(rng, 1000.0), rng)
        keys["mechanism"]["inertial_base"] = True
        compiled = compile_scenario(load_scenario({"vehicles": {"v": keys}, "solver": {"duration_s": 1.0}}))
        set_ring(compiled, state)
        work = new_work(compiled.model, compiled.state)
        evaluate(compiled.model, compiled.state, work)
        still = replace(state, omega0=np.zeros(3), A0=np.zeros(6), W_C=np.zeros(6), Q=[0.0 * Q for Q in state.Q])
        expected = page.prescribed(mechanism, still)
        # the same equations with nothing but the base at rest: rounding
        assert relative(work.mechanism[0].u_dot, expected.u_dot) < 1e-10
        assert relative(work.mechanism[0].z_m, expected.base_wrench) < 1e-10


def test_retraction_of_joints_without_travel_is_refused() -> None:
    with pytest.raises(ScenarioError, match="have no travel"):
        docksim.run(scenario("UPS", {}))

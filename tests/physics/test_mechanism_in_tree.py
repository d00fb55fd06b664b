"""The docking mechanism on a free-floating vehicle: against the dense oracle, and by what must be conserved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.algebra.rotations import rotation_matrix
from docksim.algebra.vec3 import load9
from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.mechanism.leg_loads import leg_loads
from docksim.kernel.mechanism.ring import leg_details
from docksim.kernel.step import evaluate
from docksim.model import Work
from tests.oracle import mechanism_page as page
from tests.oracle.mechanism_description import LEG_TYPES, Link, Mechanism, State
from tests.oracle.mechanism_random import random_base, random_mechanism, random_state
from tests.oracle.rotations import random_rotation
from tests.support.harness import floats
from tests.support.mechanisms import attitude, link_keys, mechanism_keys


def vehicle(mechanism: Mechanism, state: State, base: Link, rng: np.random.Generator) -> tuple[dict[str, Any], Link]:
    """A vehicle that carries the mechanism anywhere on its base, and the same base seen from the mechanism."""
    position, R = rng.uniform(-2.0, 2.0, 3), random_rotation(rng)
    keys = link_keys(base)
    assert keys is not None
    keys |= {
        "rate_deg_s": floats(np.degrees(R @ state.omega0)),
        "mechanism": {
            **mechanism_keys(mechanism, state.r_C, state.R_C),
            "position_m": floats(position),
            "attitude": attitude(R),
        },
    }
    com = R.T @ (base.com - position)
    about = base.mass * (com @ com * np.eye(3) - np.outer(com, com))
    return keys, Link(base.mass, com, R.T @ base.inertia_about_com() @ R + about)


def set_ring(compiled: Compiled, state: State) -> None:
    """The ring's rates: turn on ring axes, travel on base axes."""
    v = int(compiled.model.joint[int(compiled.model.mechanism[0].joint)].v)
    compiled.state.beta[v : v + 3] = state.R_C.T @ state.u[:3]
    compiled.state.beta[v + 3 : v + 6] = state.u[3:]


def at_random_state(types: Any, seed: int) -> tuple[Compiled, Work, Mechanism, State, Link]:
    rng = np.random.default_rng(seed)
    mechanism, reference = random_mechanism(rng, types)
    state = random_state(rng, mechanism, reference, rate=0.5)
    compiled, work, base = evaluated(mechanism, state, random_base(rng, 1000.0), rng)
    return compiled, work, mechanism, state, base


def evaluated(mechanism: Mechanism, state: State, base: Link, rng: np.random.Generator) -> tuple[Compiled, Work, Link]:
    """The mechanism with springs and dampers on a vehicle at a state, and the vehicle seen from the mechanism."""
    keys, base = vehicle(mechanism, state, base, rng)
    for leg in keys["mechanism"]["legs"]:
        stiffness, damping = (
            ("stiffness_N_m", "damping_Ns_m") if "lower" in leg else ("stiffness_Nm_rad", "damping_Nms_rad")
        )
        leg["actuator"] = {**leg.get("actuator", {}), stiffness: 3000.0, damping: 80.0}
    scenario = {"vehicles": {"v": keys}, "solver": {"duration_s": 1.0}}
    compiled = compile_scenario(load_scenario(scenario))
    set_ring(compiled, state)
    work = new_work(compiled.model, compiled.state)
    evaluate(compiled.model, compiled.state, work)
    leg_details(compiled.model, compiled.state, work)
    return compiled, work, base


def relative(found: Any, expected: Any) -> float:
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("types", [*LEG_TYPES, LEG_TYPES], ids=[*LEG_TYPES, "mixed"])
def test_vehicle_and_ring_accelerate_as_in_the_dense_solution(types: Any) -> None:
    # 1e-10: rounding (1e-15) times the condition of the coupled system, with room for unlucky geometry
    for seed in range(4):
        compiled, work, mechanism, state, base = at_random_state(types, seed)
        Q = [np.array(work.leg[k].Q[: leg.n]) for k, leg in enumerate(mechanism.legs)]
        known = replace(state, Q=Q, W_C=np.zeros(6))
        expected = page.floating(mechanism, base, known)
        own = work.mechanism[0]
        assert relative(own.A_0, expected.A0) < 1e-10
        assert relative(own.u_dot, expected.u_dot) < 1e-10
        for k in range(6):
            leg_loads(compiled.model.leg[k], work.leg[k], load9(own.R_BC), own.u_dot, own.A_0)
            assert relative(work.leg[k].load[0], expected.joint_wrench[k][0]) < 1e-10
            assert relative(work.leg[k].load[1], expected.joint_wrench[k][-1]) < 1e-10
            assert relative(-work.leg[k].load[2][3:], expected.cut_force[k][:3]) < 1e-10


def free_vibration(types: str, step: float, duration: float = 100.0, every: float = 1.0) -> docksim.Result:
    rng = np.random.default_rng(11)
    mechanism, reference = random_mechanism(rng, types)
    state = random_state(rng, mechanism, reference, rate=0.1)
    keys, _ = vehicle(mechanism, state, random_base(rng, 2000.0), rng)
    for leg in keys["mechanism"]["legs"]:
        stiffness = "stiffness_N_m" if "lower" in leg else "stiffness_Nm_rad"
        leg["actuator"] = {**leg.get("actuator", {}), stiffness: 5000.0}
    # a kick on the vehicle sets the ring swinging on its springs; momentum then stays
    keys["thrusters"] = {
        "kick": {"direction": [1.0, 2.0, -1.0], "force_N": 400.0, "position_m": [0.0, 1.0, 0.0], "pulses": [[0.0, 0.2]]}
    }
    solver = {"duration_s": duration, "step_s": step}
    return docksim.run({"vehicles": {"v": keys}, "solver": solver, "outputs": {"every_s": every}})


@pytest.mark.parametrize("types", LEG_TYPES)
def test_free_vibration_keeps_momentum_and_energy_at_fourth_order(types: str) -> None:
    coarse, fine = free_vibration(types, 0.004), free_vibration(types, 0.002)
    assert fine.outcome == "completed"
    ring = fine["v.ring.offset_m"]
    assert np.ptp(ring, axis=0).max() > 1e-4  # it does swing
    for key in ("energy.residual_relative", "momentum.linear_residual_relative", "momentum.angular_residual_relative"):
        # fourth order: a halved step gives a sixteenth; 11 leaves room for higher orders' share, 5e-13 is rounding over
        # 50,000 steps (1e-13 seen)
        assert fine.metrics[key] < max(coarse.metrics[key] / 11.0, 5e-13)
        assert fine.metrics[key] < 1e-7


@pytest.mark.parametrize("types", LEG_TYPES)
def test_base_reaction_is_what_moves_the_base(types: str) -> None:
    """A lone base body under nothing but its mechanism: Newton and Euler about its mass centre."""
    result = free_vibration(types, 0.004, duration=4.0, every=0.2)
    after = result.time_s > 0.25  # the kick is over
    base = result.scenario.vehicles["v"]
    R = turns(result["v.attitude"])
    B = rotation_matrix(base.mechanism.attitude.quaternion_wxyz())
    force, moment = (result[f"v.mechanism.load_{key}"] @ B.T for key in ("force_N", "moment_Nm"))
    w, alpha = np.radians(result["v.rate_deg_s"]), np.radians(result["v.angular_acceleration_deg_s2"])
    com, J = np.array(base.center_of_mass_m), np.array(base.inertia_kg_m2.matrix())
    a = np.einsum("nji,nj->ni", R, result["v.acceleration_m_s2"]) + np.cross(alpha, com) + np.cross(w, np.cross(w, com))
    torque = moment + np.cross(np.array(base.mechanism.position_m) - com, force)
    # logged in degrees and back: rounding
    assert relative(force[after], base.mass_kg * a[after]) < 1e-9
    assert relative(torque[after], (alpha @ J + np.cross(w, w @ J))[after]) < 1e-9


def turns(quaternions: np.ndarray) -> np.ndarray:
    return np.array([rotation_matrix(q) for q in quaternions])


def test_a_locked_ring_is_part_of_the_vehicle() -> None:
    """With massless legs and a locked ring the vehicle moves as one with the ring rigidly mounted."""
    ring = {"mass_kg": 40.0, "inertia_kg_m2": [13.0, 7.0, 7.0]}
    legs = {
        "type": "UPS",
        "base_radius_m": 0.6,
        "ring_radius_m": 0.6,
        "base_half_angle_deg": 8.0,
        "ring_half_angle_deg": 8.0,
    }
    base = {"mass_kg": 500.0, "inertia_kg_m2": [200.0, 300.0, 350.0], "rate_deg_s": [3.0, -5.0, 4.0]}
    mount = {"ring": ring, "reference": {"position_m": [0.4, 0.0, 0.0]}, "symmetric": legs}
    solver = {"duration_s": 20.0, "step_s": 0.01}
    held = {**base, "mechanism": {**mount, "position_m": [2.0, 0.0, 0.0], "locked": True}}
    rigid = {**base, "bodies": {"ring": {**ring, "joint": {"type": "fixed", "position_m": [2.4, 0.0, 0.0]}}}}
    a = docksim.run({"vehicles": {"v": held}, "solver": solver})
    b = docksim.run({"vehicles": {"v": rigid}, "solver": solver})
    # the same equations through another path: rounding over 2000 steps
    assert np.allclose(a["v.rate_deg_s"], b["v.rate_deg_s"], rtol=0.0, atol=1e-10)
    assert np.allclose(a["v.ring.position_m"], b["v.ring.position_m"], rtol=0.0, atol=1e-11)


def test_soft_capture_absorbs_the_approach_and_keeps_momentum() -> None:
    result = docksim.run("scenarios/soft_capture.yaml")
    assert result.outcome == "completed"
    assert [event.name for event in result.events] == ["capture", "hold"]
    caught, rigid_loss = result.events[0].energy_loss_J, 0.5 * (10000.0 * 5000.0 / 15000.0) * 0.05**2
    # only the ring stops at once: much less than if the vehicles themselves had been joined
    assert 0.0 < caught < 0.05 * rigid_loss
    # the legs' dampers take most of the approach energy; the arrays keep some
    assert result["energy.work.joint_damping_J"][-1] < -0.5 * rigid_loss
    # at rest against each other before the ring is locked: locking takes next to nothing
    assert result.events[1].energy_loss_J < 1e-3 * rigid_loss
    # momentum to the fourth-order error of rk4 at 2 ms with legs of 20 Hz; energy likewise
    assert result.metrics["momentum.linear_residual_relative"] < 1e-9
    assert result.metrics["momentum.angular_residual_relative"] < 1e-9
    assert result.metrics["energy.residual_relative"] < 1e-6


def test_a_leg_that_cannot_follow_ends_the_run_by_name() -> None:
    crank = {
        "type": "RUS",
        "base_radius_m": 0.6,
        "ring_radius_m": 0.6,
        "base_half_angle_deg": 8.0,
        "ring_half_angle_deg": 8.0,
        "crank_m": 0.26,
        "rod_m": 0.60,
    }
    mount = {
        "ring": {"mass_kg": 40.0, "inertia_kg_m2": [13.0, 7.0, 7.0]},
        "reference": {"position_m": [0.4, 0.0, 0.0]},
        "symmetric": crank,
    }
    base = {"mass_kg": 500.0, "inertia_kg_m2": [200.0, 300.0, 350.0], "mechanism": mount}
    base["loads"] = {"pull": {"body": "ring", "force_N": [300.0, 0.0, 0.0]}}
    result = docksim.run({"vehicles": {"v": base}, "solver": {"duration_s": 20.0}})
    assert result.outcome == "failed"
    for words in ("leg ", "of v.ring is", "t = ", "phase start"):
        assert words in result.reason
    # it starts within reach: 300 N move 40 kg and the legs some 0.2 m in a quarter of a second
    assert result.time_s[-1] > 0.1
    assert all(np.isfinite(result[name]).all() for name in result)

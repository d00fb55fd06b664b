"""Docking mechanisms in orbit: gravity acts on every link of the legs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.algebra.vec3 import load9
from docksim.compiler import compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.mechanism.leg_loads import leg_loads
from docksim.kernel.mechanism.ring import leg_details
from docksim.kernel.step import evaluate
from tests.oracle import mechanism_page as page
from tests.oracle import orbit
from tests.oracle.mechanism_description import LEG_TYPES
from tests.oracle.mechanism_random import random_base, random_mechanism, random_state
from tests.oracle.rotations import random_rotation
from tests.physics.test_mechanism_in_tree import relative, set_ring, vehicle
from tests.physics.test_retraction import mount
from tests.support.harness import floats
from tests.support.mechanisms import attitude

FAST = 0.3  # orbital rate at which gravity is felt within seconds [rad/s]
HEAVY = {"lower": {"mass_kg": 12.0}, "upper": {"mass_kg": 8.0}}
HEAVY_HUNT = {"crank": {"mass_kg": 12.0}, "rod": {"mass_kg": 8.0}}


def heavy(kind: str) -> dict[str, Any]:
    """500 kg that carry 120 kg of legs, 100 m above the reference point."""
    mechanism = mount(kind)
    mechanism["symmetric"] |= HEAVY_HUNT if kind in ("RUS", "RSU") else HEAVY
    mechanism["ring"] = {**mechanism["ring"], "mass_kg": 40.0}
    mechanism["position_m"] = [1.0, 0.1, 0.0]
    return {
        "mass_kg": 460.0, "inertia_kg_m2": [150.0, 200.0, 250.0], "position_m": [100.0, 0.0, 5.0],
        "mechanism": mechanism,
    }  # fmt: skip


def expected_velocity(n: float, position: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Of a point that starts at rest in W, against axes that do not turn, written on those of W."""
    states = [orbit.cw_propagate(n, position, np.zeros(3), t) for t in times]
    return np.array([v + np.cross([0.0, 0.0, n], r) for r, v in states])


@pytest.mark.parametrize("locked", [True, False], ids=["locked", "swinging"])
@pytest.mark.parametrize("kind", ["UPS", "RSU"])
def test_mass_centre_of_a_vehicle_with_heavy_legs_drifts_as_clohessy_and_wiltshire(kind: str, locked: bool) -> None:
    """The field is linear, so this holds whatever the ring does."""
    n, mass, duration = orbit.mean_motion(420.0), 620.0, 1000.0 if locked else 200.0
    keys = heavy(kind)
    keys["mechanism"]["locked"] = locked
    result = docksim.run({
        "vehicles": {"v": keys}, "environment": {"kind": "clohessy_wiltshire", "altitude_km": 420.0},
        "solver": {"duration_s": duration, "step_s": 0.1 if locked else 0.02}, "outputs": {"every_s": 50.0},
    })  # fmt: skip
    found = result["momentum.linear_kg_m_s"] / mass
    # at rest in W the momentum tells the mass centre's place: p = m n z^ x r
    start = np.array([found[0, 1] / n, -found[0, 0] / n, 5.0])
    assert np.allclose(start, [100.0, 0.0, 5.0], rtol=0.0, atol=1.0)
    expected = expected_velocity(n, start, result.time_s)
    # without gravity on the legs it is off by a tenth; rk4 at these rates: rounding
    assert np.abs(found - expected)[:, :2].max() < 1e-10 * np.abs(expected).max()
    for key in ("energy.residual_relative", "momentum.linear_residual_relative", "momentum.angular_residual_relative"):
        assert result.metrics[key] < 1e-9


def gravity(n: float, R_WB: np.ndarray, p_WB: np.ndarray) -> Any:
    """Wrench on a body about its origin on B axes, by its second moment about the origin."""
    K = n * n * R_WB.T @ np.diag([2.0, -1.0, -1.0]) @ R_WB

    def pull(link: Any, R: np.ndarray, r: np.ndarray) -> np.ndarray:
        here = R_WB.T @ p_WB + r
        J = R @ link.inertia @ R.T
        first, second = link.mass * R @ link.com, 0.5 * np.trace(J) * np.eye(3) - J
        T = second @ K
        turn = np.array([T[1, 2] - T[2, 1], T[2, 0] - T[0, 2], T[0, 1] - T[1, 0]])
        return np.concatenate([turn + np.cross(first, K @ here), K @ (link.mass * here + first)])

    return pull


@pytest.mark.parametrize("types", [*LEG_TYPES, LEG_TYPES], ids=[*LEG_TYPES, "mixed"])
def test_ring_vehicle_and_joint_loads_in_orbit_are_those_of_the_link_by_link_oracle(types: Any) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        mechanism, reference = random_mechanism(rng, types)
        state = random_state(rng, mechanism, reference, rate=0.5)
        keys, base = vehicle(mechanism, state, random_base(rng, 300.0), rng)
        place, R_WV = rng.uniform(-50.0, 50.0, 3), random_rotation(rng)
        keys |= {"position_m": floats(place), "attitude": attitude(R_WV)}
        environment = {"kind": "clohessy_wiltshire", "mean_motion_rad_s": FAST}
        scenario = {"vehicles": {"v": keys}, "environment": environment, "solver": {"duration_s": 1.0}}
        compiled = compile_scenario(load_scenario(scenario))
        set_ring(compiled, state)
        work = new_work(compiled.model, compiled.state)
        evaluate(compiled.model, compiled.state, work)
        leg_details(compiled.model, compiled.state, work)

        own = work.mechanism[0]
        R_WB = np.array(own.R_WB).reshape(3, 3)
        p_WB = place + R_WV @ np.array(keys["mechanism"]["position_m"])
        known = replace(
            state,
            Q=[np.zeros(leg.n) for leg in mechanism.legs],
            W_C=np.zeros(6),
            omega0=state.omega0 + R_WB.T @ [0.0, 0.0, FAST],
            pull=gravity(FAST, R_WB, p_WB),
        )
        expected = page.floating(mechanism, base, known)
        # rounding times the condition of the coupled system, as without gravity
        assert relative(own.A_0, expected.A0) < 1e-10
        assert relative(own.u_dot, expected.u_dot) < 1e-10
        for k in range(6):
            leg_loads(compiled.model.leg[k], work.leg[k], load9(own.R_BC), own.u_dot, own.A_0)
            assert relative(work.leg[k].load[0], expected.joint_wrench[k][0]) < 1e-10
            assert relative(-work.leg[k].load[2][3:], expected.cut_force[k][:3]) < 1e-10


@pytest.mark.parametrize("gradient", [True, False], ids=["gradient", "no torques"])
@pytest.mark.parametrize("kind", LEG_TYPES)
def test_budgets_of_a_swinging_mechanism_close_in_orbit(kind: str, gradient: bool) -> None:
    keys = {**heavy(kind), "position_m": [10.0, -4.0, 3.0], "rate_deg_s": [8.0, -12.0, 10.0]}
    environment = {"kind": "clohessy_wiltshire", "mean_motion_rad_s": FAST, "gravity_gradient": gradient}
    result = docksim.run({
        "vehicles": {"v": keys}, "environment": environment, "solver": {"duration_s": 1.0, "step_s": 0.001},
    })  # fmt: skip
    assert np.ptp(result["v.ring.offset_m"], axis=0).max() > 1e-3
    for key in ("energy.residual_relative", "momentum.linear_residual_relative", "momentum.angular_residual_relative"):
        assert result.metrics[key] < 1e-10

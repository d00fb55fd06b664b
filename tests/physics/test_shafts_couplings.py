"""Couplings of the legs: devices and rotors behind differentials, against the oracles and against equal legs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.hardware.mechanism import Mechanism
from docksim.kernel.mechanism.ring import leg_details, mechanism_leg_loads
from tests.oracle import mechanism_description as oracle
from tests.oracle import mechanism_page as page
from tests.oracle.mechanism_newton import newton_closure
from tests.oracle.mechanism_pinocchio import PinocchioMechanism
from tests.oracle.mechanism_random import random_base, random_mechanism, random_state
from tests.oracle.rotations import turn
from tests.physics.shaft_rigs import HUNT, STEWART, Run, mechanism, parallel, scenario
from tests.physics.test_mechanism_api import arguments, assert_same, error
from tests.physics.test_mechanism_in_tree import evaluated, relative
from tests.support.mechanisms import from_oracle

TYPES = oracle.LEG_TYPES
ROTORS = np.array([8.0, 3.0, 15.0])


def coupled(theirs: oracle.Mechanism, rng: np.random.Generator) -> oracle.Mechanism:
    """Three rotors behind couplings of all legs of the first leg's family."""
    stroke = np.array([leg.type in oracle.STEWART for leg in theirs.legs])
    family = stroke == stroke[0]
    return replace(theirs, weights=rng.normal(size=(3, 6)) * family, coupled_rotors=ROTORS)


def case(seed: int, types: Any) -> tuple[Mechanism, oracle.Mechanism, oracle.State, Any]:
    rng = np.random.default_rng(1000 + seed)
    theirs, reference = random_mechanism(rng, types)
    theirs = coupled(theirs, rng)
    return from_oracle(theirs, reference), theirs, random_state(rng, theirs, reference, rate=2.0), reference


@pytest.mark.parametrize("types", [*TYPES, TYPES], ids=[*TYPES, "mixed"])
@pytest.mark.parametrize("seed", range(3))
def test_rotors_behind_differentials_move_ring_and_load_joints_as_the_oracles_say(seed: int, types: Any) -> None:
    ours, theirs, state, reference = case(seed, types)
    motion = ours.forward(**arguments(state))
    assert_same(motion, page.prescribed(theirs, state))
    legs = zip(theirs.legs, reference.p, strict=True)
    p = [newton_closure(leg, state.r_C, state.R_C, start)[0] for leg, start in legs]
    assert_same(motion, PinocchioMechanism(theirs).prescribed(state, p))
    # and they matter
    without = replace(theirs, weights=np.zeros((0, 6)), coupled_rotors=np.zeros(0))
    assert error(motion.ring_acceleration, page.prescribed(without, state).u_dot) > 1e-3


@pytest.mark.parametrize("types", [*TYPES, TYPES], ids=[*TYPES, "mixed"])
def test_a_floating_vehicle_feels_the_rotors_as_in_the_dense_solution(types: Any) -> None:
    rng = np.random.default_rng(7)
    theirs, reference = random_mechanism(rng, types)
    theirs = coupled(theirs, rng)
    state = random_state(rng, theirs, reference, rate=0.5)
    compiled, work, base = evaluated(theirs, state, random_base(rng, 1000.0), rng)
    Q = [np.array(work.leg[k].Q[: leg.n]) for k, leg in enumerate(theirs.legs)]
    expected = page.floating(theirs, base, replace(state, Q=Q, W_C=np.zeros(6)))
    own = work.mechanism[0]
    # rounding (1e-15) times the condition of the coupled system
    assert relative(own.A_0, expected.A0) < 1e-10
    assert relative(own.u_dot, expected.u_dot) < 1e-10
    mechanism_leg_loads(compiled.model, compiled.state, work, 0)
    for k in range(6):
        assert relative(work.leg[k].load[0], expected.joint_wrench[k][0]) < 1e-10
        assert relative(work.leg[k].load[1], expected.joint_wrench[k][-1]) < 1e-10
        assert relative(-work.leg[k].load[2][3:], expected.cut_force[k][:3]) < 1e-10
    # the loads leave the active forces as they were
    leg_details(compiled.model, compiled.state, work)
    assert all(np.array_equal(work.leg[k].Q[: len(Q[k])], Q[k]) for k in range(6))


def test_inverse_dynamics_undo_forward_dynamics_with_coupled_rotors() -> None:
    ours, _, state, _ = case(2, "RUS")
    forces = np.array([30.0, -20.0, 10.0, 5.0, -40.0, 25.0])
    motion = ours.forward(**{**arguments(state), "joint_forces": forces})
    given = {key: value for key, value in arguments(state).items() if key != "joint_forces"}
    found = ours.inverse(**given, ring_acceleration=motion.ring_acceleration)
    # the Jacobian's condition of a few tens on rounding
    assert found == pytest.approx(forces, rel=1e-10)


def test_power_given_to_joints_and_base_is_the_rate_of_kinetic_energy() -> None:
    ours, theirs, state, _ = case(4, "UPS")
    state = replace(state, omega0=np.zeros(3), A0=np.zeros(6))
    motion = ours.forward(**arguments(state))

    def energy(u: np.ndarray, r_C: np.ndarray, R_C: np.ndarray) -> float:
        return float(page.kinetic_energy(theirs, replace(state, u=u, r_C=r_C, R_C=R_C), np.zeros(6)))

    h, u, a = 1e-5, state.u, motion.ring_acceleration
    ways = [s * u + 0.5 * s * s * a for s in (-h, h)]
    ends = [
        energy(u + s * a, state.r_C + way[3:], turn(way[:3]) @ state.R_C) for s, way in zip((-h, h), ways, strict=True)
    ]
    power = sum(Q @ v for Q, v in zip(state.Q, motion.joint_rates, strict=True)) + state.W_C @ u
    # a central difference over 10 us: its own error is 1e-10 of the energy's third derivative, and rounding 1e-10
    assert (ends[1] - ends[0]) / (2.0 * h) == pytest.approx(power, rel=1e-6)


# ---------------------------------------------------------------- the same by other words

DEVICES = {
    "stiffness_N_m": 800.0, "preload_N": 12.0, "preload_give_m": 0.01, "damping_Ns_m": 60.0, "friction_N": 15.0,
    "presliding_m": 5e-4, "eddy_current": {"peak_force_N": 9.0, "at_rate_m_s": 0.05}, "lower_m": -0.003,
    "stop_damping_s_m": 0.3, "force_N": 3.0, "force_limit_N": 20.0, "rotor_mass_kg": 6.0,
    "servo": {"stiffness_N_m": 400.0, "damping_Ns_m": 50.0, "target_m": 0.02, "rate_limit_m_s": 0.05},
}  # fmt: skip


def six_legs(third: dict[str, Any], **couplings: Any) -> dict[str, Any]:
    """The skewed mechanism leg by leg, a device on the third."""
    config = Mechanism.load(mechanism(STEWART, {"stiffness_N_m": 1500.0, "damping_Ns_m": 90.0})).config
    legs = [leg.model_dump(exclude_none=True) for leg in config.six_legs()]
    legs[2]["actuator"] = third
    head = {key: value for key, value in mechanism(STEWART).items() if key in ("ring", "reference")}
    return {**head, "legs": legs, "couplings": couplings}


def test_a_device_on_a_coupling_of_one_leg_is_that_device_on_the_leg() -> None:
    rate = (0.02, -0.03, 0.05, -0.2, 0.03, -0.05)
    on_leg = Run(scenario(six_legs(DEVICES), 0.5), rate)
    unit = {"weights": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], "linear": DEVICES}
    behind = Run(scenario(six_legs({}, single=unit), 0.5), rate)
    assert on_leg["v.legs.3.stop_work_J"][-1] < 0.0
    assert on_leg["v.legs.3.brake_work_J"][-1] < 0.0
    # rotor and forces enter at other places of the same sums: rounding, over 500 steps
    for channel in ("v.ring.position_m", "v.ring.rate_deg_s", "energy.kinetic_J", "energy.potential_J"):
        assert np.allclose(on_leg[channel], behind[channel], rtol=1e-11, atol=1e-12), channel
    for name in ("spring_force_N", "damper_force_N", "brake_force_N", "stop_force_N", "motor_force_N", "stored_J",
                 "damper_work_J", "brake_work_J", "stop_work_J", "motor_work_J", "command_m", "travel_m"):  # fmt: skip
        a, b = on_leg[f"v.legs.3.{name}"], behind[f"v.couplings.single.{name}"]
        assert np.allclose(a, b, rtol=0.0, atol=1e-11 * np.abs(a).max()), name
    for name in ("base_joint_force_N", "ring_joint_force_N", "middle_joint_moment_Nm"):
        a, b = on_leg[f"v.legs.3.{name}"], behind[f"v.legs.3.{name}"]
        assert np.allclose(a, b, rtol=0.0, atol=1e-9 * np.abs(a).max()), name


def docking(mounted: dict[str, Any]) -> docksim.Result:
    """A free vehicle whose swinging ring is joined to another vehicle, and locked."""
    brick = {"mass_kg": 800.0, "inertia_kg_m2": [300.0, 400.0, 500.0], "rate_deg_s": [1.0, -2.0, 0.5]}
    chaser = {**brick, "mechanism": {**mounted, "position_m": [1.0, 0.1, 0.0], "ports": {"face": {}}}}
    chaser["loads"] = {"push": {"body": "ring", "force_N": [-120.0, 50.0, 30.0], "torque_Nm": [20.0, 0.0, 9.0],
                                "start_s": 0.0, "end_s": 0.3}}  # fmt: skip
    target = {**brick, "position_m": [1.6, 0.1, 0.0], "velocity_m_s": [-0.1, 0.02, 0.0], "ports": {"port": {}}}
    events = {
        "catch": {"when": {"time_s": 0.4}, "do": [{"join": ["chaser.ring.face", "target.port"]}]},
        "hold": {"when": {"time_s": 0.8}, "do": [{"lock": "chaser.ring"}]},
    }
    return docksim.run(
        {
            "vehicles": {"chaser": chaser, "target": target},
            "solver": {"duration_s": 1.0, "step_s": 0.001},
            "outputs": {"every_s": 0.05},
            "events": events,
        }
    )


@pytest.mark.parametrize("legs", [STEWART, HUNT], ids=["stroke", "crank"])
def test_orthonormal_couplings_are_the_same_devices_on_every_leg_also_through_impulses(legs: dict[str, Any]) -> None:
    """Rotor, spring and damper: sum of (D p)² is the sum of p² when the rows of D are orthonormal."""
    linear = legs is STEWART
    stiffness, damping, rotor = (
        ("stiffness_N_m", "damping_Ns_m", "rotor_mass_kg")
        if linear
        else ("stiffness_Nm_rad", "damping_Nms_rad", "rotor_inertia_kg_m2")
    )
    device = {stiffness: 900.0, damping: 40.0, rotor: 5.0 if linear else 0.8}
    D = np.linalg.qr(np.random.default_rng(3).normal(size=(6, 6)))[0]
    key = "linear" if linear else "rotary"
    couplings = {f"c{i}": {"weights": [float(w) for w in row], key: device} for i, row in enumerate(D)}
    each, behind = docking(mechanism(legs, device)), docking(mechanism(legs, {}, couplings))
    assert each.outcome == behind.outcome == "completed"
    # rounding, through 1000 steps
    for channel in ("chaser.ring.position_m", "chaser.rate_deg_s", "energy.kinetic_J", "energy.potential_J"):
        assert np.allclose(each[channel], behind[channel], rtol=1e-10, atol=1e-11), channel
    for a, b in zip(each.events, behind.events, strict=True):
        assert a.energy_loss_J > 1e-3
        assert b.energy_loss_J == pytest.approx(a.energy_loss_J, rel=1e-9)
    loads = "chaser.legs.2.ring_joint_force_N"
    assert np.allclose(each[loads], behind[loads], rtol=0.0, atol=1e-9 * np.abs(each[loads]).max())
    # fourth order at a millisecond: measured 4e-10 and less
    assert behind.metrics["energy.residual_relative"] < 1e-8
    assert behind.metrics["momentum.linear_residual_relative"] < 1e-11
    assert behind.metrics["momentum.angular_residual_relative"] < 1e-9


# ---------------------------------------------------------------- brakes on couplings


def test_a_brake_on_a_coupling_holds_without_creep() -> None:
    """A sum of all strokes, six times the ring's travel, held by friction under a steady push below its level."""
    axial = {"weights": [1.0] * 6, "linear": {"friction_N": 20.0, "presliding_m": 1e-3}}
    legs = {"damping_Ns_m": 300.0}
    run = Run(scenario(parallel(legs, {"axial": axial}), 6.0, 2e-3, push=48.0))
    x = run["v.couplings.axial.travel_m"]
    # at rest the bristle carries a sixth of the push: 8 N on 2e4 N/m; the sudden push overshoots to less than 20 N
    assert x[-1] == pytest.approx(8.0 / 2e4, rel=1e-9)
    assert abs(x[-1] - x[len(x) // 2]) < 1e-12
    assert run["v.couplings.axial.brake_force_N"][-1] == pytest.approx(-8.0, rel=1e-9)
    slides = Run(scenario(parallel(legs, {"axial": axial}), 2.0, 2e-3, push=150.0))
    # beyond its level it slides against 6 dampers of the ring's rate: (150 - 6 * 20) / (6 * 300)
    assert slides["v.legs.1.travel_rate_m_s"][-1] == pytest.approx(30.0 / 1800.0, rel=1e-9)


def test_coupling_without_devices_only_measures() -> None:
    spread = {"weights": [1.0, -1.0, 0.5, 0.0, 0.0, 2.0]}
    run = Run(scenario(mechanism(STEWART, {"stiffness_N_m": 500.0}, {"spread": spread}), 0.1), (0.1,) * 6)
    weights = np.array(spread["weights"])
    assert np.allclose(run["v.couplings.spread.travel_m"], run.all_legs("travel_m") @ weights, rtol=0.0, atol=1e-15)
    assert np.all(run["v.couplings.spread.force_N"] == 0.0)
    assert [name for name in run.channels if name.startswith("v.couplings")] == [
        f"v.couplings.spread.{key}"
        for key in ("travel_m", "travel_rate_m_s", "force_N", "force_N.least", "force_N.largest")
    ]


def test_stiffness_damping_and_inertia_of_couplings_are_seen_at_the_ring() -> None:
    eddy = {"peak_force_N": 4.0, "at_rate_m_s": 0.1}
    couplings = {
        "a": {"weights": [1.0] * 6, "linear": {"stiffness_N_m": 200.0, "damping_Ns_m": 5.0, "rotor_mass_kg": 3.0}},
        "b": {"weights": [1.0, -1.0, 0.0, 0.0, 0.0, 0.0], "linear": {"eddy_current": eddy}},
    }
    plain, ours = (Mechanism.load(mechanism(STEWART, {"stiffness_N_m": 50.0}, c)) for c in ({}, couplings))
    J = ours.weights @ ours.jacobian(ours.reference)
    added = ours.stiffness(ours.reference) - plain.stiffness(plain.reference)
    assert np.allclose(added, 200.0 * np.outer(J[0], J[0]), atol=1e-10)
    damping = 5.0 * np.outer(J[0], J[0]) + 80.0 * np.outer(J[1], J[1])
    assert np.allclose(ours.damping(ours.reference), damping, atol=1e-10)
    added = ours.inertia(ours.reference) - plain.inertia(plain.reference)
    assert np.allclose(added, 3.0 * np.outer(J[0], J[0]), atol=1e-10)

"""Parting what was joined, joining again, anchored vehicles, and joins that cannot be. Bounds: docking_cases.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import docksim
from docksim.kernel.loop import advance, decide
from docksim.kernel.step import evaluate
from docksim.kernel.tree.passes import tree_motion
from tests.oracle.tree_description import SPEEDS
from tests.physics import dense_stack
from tests.physics.docking_cases import BOUND, NOW, Docking, add_motors, check_momentum, check_velocities
from tests.physics.tree_cases import add_port, relative

SEEDS = st.integers(0, 2**32 - 1)
MANY = settings(max_examples=25, deadline=None, derandomize=True)


def free_accelerations(case, theta, beta):
    tau = np.array(case.compiled.state.dof["torque"][: len(beta)])
    return case.oracle.forward(theta, beta, tau)


@MANY
@given(seed=SEEDS, chains=st.booleans(), turned=st.booleans())
def test_separation_right_after_a_join_keeps_velocities_and_gives_two_independent_trees(seed, chains, turned):
    docking = Docking(seed, chains, turned=turned)
    add_motors(docking)
    together_only = docking.compiled()
    decide(*together_only.tables)
    part = {"separate": {"ports": docking.ports}}
    docking.scenario["events"]["part"] = {"when": {"after": "dock"}, "do": part}
    case = docking.compiled()
    decide(*case.tables)
    assert case.compiled.state.clock[0].n_records == 2
    # nothing but the new root's coordinates is computed anew: rounding
    assert relative(case.motion()[0], together_only.motion()[0]) < 1e-13
    check_momentum(case, case.compiled.state.record[1])
    assert case.compiled.state.record[1].loss == 0.0
    # the parted trees are headed by other bodies than at the start, and move as Pinocchio says from the old roots
    evaluate(*case.tables)
    theta, beta = case.full_state()
    expected = free_accelerations(case, theta, beta)
    joints = ~docking.roots
    assert relative(case.work.dof["beta_dot"][: len(beta)][joints], expected[joints]) < BOUND
    assert relative(case.motion()[1], case.oracle.body_motion(theta, beta, expected)[1]) < BOUND


@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=SEEDS, chains=st.booleans())
def test_vehicles_can_join_part_and_join_again(seed, chains):
    docking = Docking(seed, chains)
    docking.scenario["events"] |= {
        "part": {"when": {"time_s": 0.05}, "do": {"separate": {"ports": docking.ports}}},
        "again": {"when": {"time_s": 0.1}, "do": {"join": docking.ports}},
    }
    case = docking.compiled()
    model, state, work = case.tables
    log = case.compiled.new_log()
    advance(model, state, work, log, 100)
    assert state.clock[0].step == 100
    assert state.clock[0].n_records == 2
    tree_motion(model, state, work)
    theta, beta = case.full_state()
    free = np.zeros(len(beta), bool)
    expected, loss = dense_stack.jump(case.oracle.mass_matrix(theta), beta, docking.rows(theta), free, beta)
    decide(model, state, work)
    check_velocities(docking, theta, expected.x)
    assert state.record[2].loss == pytest.approx(loss, rel=BOUND)
    for record in state.record[:3]:
        check_momentum(case, record)


@pytest.mark.parametrize("chains", [False, True])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_join_and_separation_in_a_turning_frame_are_those_of_the_inertial_motion(seed, turned, chains):
    docking = Docking(seed, chains, turned=turned)
    # much faster than any orbit, so that a forgotten term shows
    docking.scenario["environment"] = {"kind": "clohessy_wiltshire", "mean_motion_rad_s": 0.7}
    docking.scenario["events"]["part"] = {"when": {"after": "dock"}, "do": {"separate": {"ports": docking.ports}}}
    case = docking.compiled()
    # velocities against axes that do not turn
    theta, beta = case.full_state()
    free = np.zeros(len(beta), bool)
    expected, loss = dense_stack.jump(case.oracle.mass_matrix(theta), beta, docking.rows(theta), free, beta)
    decide(*case.tables)
    check_velocities(docking, theta, expected.x)
    state = case.compiled.state
    assert state.record[0].loss == pytest.approx(loss, rel=BOUND)
    for record in state.record:
        check_momentum(case, record)


@pytest.mark.parametrize("chains", [False, True])
@pytest.mark.parametrize("anchor", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_join_to_an_anchored_vehicle_agrees_with_a_dense_impulse(seed, turned, anchor, chains):
    docking = Docking(seed, chains, turned=turned)
    held = list(docking.scenario["vehicles"].values())[anchor]
    held |= {"anchored": True, "velocity_m_s": [0.0] * 3, "rate_deg_s": [0.0] * 3}
    case = docking.compiled()
    theta, beta, before = case.theta, case.beta, case.momentum()
    anchored = np.zeros(len(beta), bool)
    first = 0 if anchor == 0 else sum(SPEEDS[body.joint] for body in docking.bodies[: docking.size_a])
    anchored[first : first + 6] = True
    expected, loss = dense_stack.jump(case.oracle.mass_matrix(theta), beta, docking.rows(theta), anchored, 0.0 * beta)
    decide(*case.tables)
    state = case.compiled.state
    check_velocities(docking, theta, expected.x)
    assert state.record[0].loss == pytest.approx(loss, rel=BOUND)
    # the anchor takes up momentum: what it gave is booked as an impulse from outside
    gained = [new - old for new, old in zip(case.momentum(), before, strict=True)]
    scale = case.traffic()
    assert np.linalg.norm(state.impulse[3:] - gained[0]) < BOUND * scale[0]
    assert np.linalg.norm(state.impulse[:3] - gained[1]) < BOUND * scale[1]


def test_an_anchored_vehicle_takes_up_all_momentum_of_a_body_that_joins_it():
    held, guest = ({"mass_kg": 10.0, "inertia_kg_m2": [1.0, 2.0, 2.5], "ports": {"port": {}}} for _ in range(2))
    held["anchored"], guest["velocity_m_s"], guest["position_m"] = True, [3.0, -1.0, 2.0], [0.5, 1.0, 0.0]
    dock = {"when": NOW, "do": {"join": ["held.port", "guest.port"]}}
    times = {"solver": {"duration_s": 0.01}, "outputs": {"every_s": 0.01}}
    result = docksim.run({"vehicles": {"held": held, "guest": guest}, "events": {"dock": dock}, **times})
    # momentum, angular momentum about the origin and energy of the guest alone: p = m v, r x p, m v2 / 2
    assert relative(result["momentum.linear_kg_m_s"], np.zeros((2, 3))) < 1e-13
    assert result.events[0].energy_loss_J == pytest.approx(70.0, rel=1e-13)


def test_what_an_anchor_gives_before_in_and_after_a_join_is_all_that_momentum_gains():
    docking = Docking(7)
    docking.scenario["vehicles"]["v1"] |= {"anchored": True, "velocity_m_s": [0.0] * 3, "rate_deg_s": [0.0] * 3}
    dock = {"when": {"time_s": 0.1}, "do": {"join": docking.ports}}
    times = {"solver": {"duration_s": 0.3}, "outputs": {"every_s": 0.01}}
    result = docksim.run({**docking.scenario, "events": {"dock": dock}, **times})
    for kind, unit in (("linear", "kg_m_s"), ("angular", "kg_m2_s")):
        scale = np.max(result[f"momentum.{kind}_traffic"])
        gains = np.max(np.abs(np.diff(result[f"momentum.{kind}_{unit}"], axis=0)), axis=1)
        assert gains[9] > 0.1 * scale
        assert min(gains[5], gains[15]) > 1e-4 * scale
        # rk4 at 1 ms and some rad/s: (omega h)^4
        assert np.max(np.abs(result[f"momentum.{kind}_residual"])) < 1e-11 * scale


def outcome(scenario, **events):
    result = docksim.run({**scenario, "events": events, "solver": {"duration_s": 0.02}, "outputs": {"every_s": 0.01}})
    return result.outcome, result.reason


def test_second_join_of_the_same_vehicles_fails_with_its_reason():
    docking = Docking(3, chains=True)
    ports = [add_port(docking.rng, docking.scenario, k, "extra") for k in (docking.a, docking.b)]
    first = {"when": NOW, "do": {"join": docking.ports}}
    end, why = outcome(docking.scenario, dock=first, knot={"when": {"after": "dock"}, "do": {"join": ports}})
    assert end == "failed"
    assert "event 'knot' at t = 0 s: join of" in why
    assert "no joint between its ends is free to move" in why


def test_join_of_two_anchored_vehicles_fails_with_its_reason():
    docking = Docking(3)
    docking.ports = [add_port(docking.rng, docking.scenario, k, "own") for k in (0, docking.size_a)]
    for vehicle in docking.scenario["vehicles"].values():
        vehicle |= {"anchored": True, "velocity_m_s": [0.0] * 3, "rate_deg_s": [0.0] * 3}
    end, why = outcome(docking.scenario, dock={"when": NOW, "do": {"join": docking.ports}})
    assert end == "failed"
    assert "no joint between its ends is free to move" in why


def test_separation_of_what_is_not_joined_fails_with_its_reason():
    docking = Docking(3)
    early = {"when": NOW, "do": {"separate": {"ports": docking.ports}}}
    late = {"when": {"time_s": 0.01}, "do": {"join": docking.ports}}
    end, why = outcome(docking.scenario, early=early, dock=late)
    assert end == "failed"
    assert "'early' at t = 0 s cannot separate: nothing is joined there" in why

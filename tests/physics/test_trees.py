"""Random trees against Pinocchio: forward, inverse and mixed dynamics, mass matrix, loads, motion, momentum, energy.

Bound everywhere: 1e-10 relative. Masses and lengths of the random trees spread over a decade, and their mass matrices
have condition numbers up to 3e5; times the rounding of 1e-16 this is 3e-11 at worst (seen: 1e-12), while a wrong term
shows at order one.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docksim.kernel.step import evaluate
from docksim.kernel.tree.environment import switch_loads
from docksim.kernel.tree.passes import tree_motion
from tests.oracle.pinocchio_tree import PinocchioTree, random_state, random_tree
from tests.oracle.tree_description import JOINT_TYPES
from tests.physics.tree_cases import Case, axis_keys, entries, relative, start_scenario, together
from tests.support.harness import compile_tree, floats, joint_loads, solve

BOUND = 1e-10
EVERY_TREE = given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 30))
# derandomised: the same trees in every run, so that a failure is always the code's
MANY = settings(max_examples=15, deadline=None, derandomize=True)


def make(seed, count):
    """Random tree at a random state, joints of all types or of a few, with random forces (none on the free root)."""
    rng = np.random.default_rng(seed)
    types = JOINT_TYPES if rng.random() < 0.5 else rng.choice(JOINT_TYPES, rng.integers(1, 4))
    bodies = random_tree(rng, count, types)
    theta, beta = random_state(rng, bodies)
    tau = rng.normal(size=len(beta))
    tau[:6] = 0.0
    case = Case(bodies, *compile_tree(bodies, theta, beta))
    return rng, case, theta, beta, tau


@MANY
@EVERY_TREE
def test_forward_dynamics_agree_with_pinocchio_aba(seed, count):
    _, case, theta, beta, tau = make(seed, count)
    acceleration, _ = solve(case.compiled, case.work, tau)
    assert relative(acceleration, case.oracle.forward(theta, beta, tau)) < BOUND


@MANY
@EVERY_TREE
def test_inverse_dynamics_agree_with_pinocchio_rnea(seed, count):
    rng, case, theta, beta, tau = make(seed, count)
    wanted = rng.normal(size=len(beta))
    _, force = solve(case.compiled, case.work, tau, np.ones(len(beta), bool), wanted)
    assert relative(force, case.oracle.inverse(theta, beta, wanted)) < BOUND


@MANY
@EVERY_TREE
def test_mass_matrix_by_unit_accelerations_agrees_with_pinocchio_crba(seed, count):
    _, case, theta, beta, _ = make(seed, count)
    case.compiled.state.beta[:] = 0.0
    everything = np.ones(len(beta), bool)
    columns = [solve(case.compiled, case.work, 0.0 * beta, everything, unit)[1] for unit in np.eye(len(beta))]
    assert relative(np.transpose(columns), case.oracle.mass_matrix(theta)) < BOUND


@MANY
@EVERY_TREE
def test_accelerations_by_unit_forces_are_columns_of_the_inverse_mass_matrix(seed, count):
    rng, case, theta, beta, _ = make(seed, count)
    case.compiled.state.beta[:] = 0.0
    M = case.oracle.mass_matrix(theta)
    for i in rng.permutation(np.arange(6, len(beta)))[:5]:
        unit = np.eye(len(beta))[i]
        acceleration, _ = solve(case.compiled, case.work, unit)
        assert relative(M @ acceleration, unit) < BOUND


@MANY
@EVERY_TREE
def test_mixed_dynamics_agree_with_a_dense_solve_of_pinocchios_matrices(seed, count):
    rng, case, theta, beta, tau = make(seed, count)
    prescribed = rng.random(len(beta)) < 0.5
    # a root is free or held, not half of it
    prescribed[:6] = rng.random() < 0.3
    given_part = rng.normal(size=len(beta))
    acceleration, force = solve(case.compiled, case.work, tau, prescribed, given_part)
    expected = case.oracle.mixed(theta, beta, tau, given_part, prescribed)
    assert relative(acceleration, expected[0]) < BOUND
    assert relative(force, expected[1]) < BOUND


@MANY
@EVERY_TREE
def test_forward_of_inverse_is_identity(seed, count):
    rng, case, _, beta, tau = make(seed, count)
    joints = np.arange(len(beta)) >= 6
    acceleration, force = solve(case.compiled, case.work, tau, joints, rng.normal(size=len(beta)))
    again, _ = solve(case.compiled, case.work, force)
    assert relative(again, acceleration) < BOUND


@MANY
@EVERY_TREE
def test_mixed_dynamics_agree_with_the_full_forward_solve(seed, count):
    rng, case, _, beta, tau = make(seed, count)
    full, _ = solve(case.compiled, case.work, tau)
    prescribed = (rng.random(len(beta)) < 0.5) & (np.arange(len(beta)) >= 6)
    # what must not be read is made useless
    acceleration, force = solve(
        case.compiled, case.work, np.where(prescribed, np.nan, tau), prescribed, np.where(prescribed, full, np.nan)
    )
    assert relative(acceleration, full) < BOUND
    assert relative(force, tau) < BOUND


@MANY
@EVERY_TREE
def test_poses_velocities_and_accelerations_of_bodies_agree_with_pinocchio(seed, count):
    _, case, theta, beta, tau = make(seed, count)
    acceleration, _ = solve(case.compiled, case.work, tau)
    for ours, theirs in zip(case.poses(), case.oracle.body_poses(theta), strict=True):
        assert relative(ours, theirs) < BOUND
    for ours, theirs in zip(case.motion(), case.oracle.body_motion(theta, beta, acceleration), strict=True):
        assert relative(ours, theirs) < BOUND


@MANY
@EVERY_TREE
def test_joint_loads_agree_with_newton_and_euler(seed, count):
    rng, case, theta, beta, tau = make(seed, count)
    prescribed = rng.random(len(beta)) < 0.3
    prescribed[:6] = False
    acceleration, _ = solve(case.compiled, case.work, tau, prescribed, rng.normal(size=len(beta)))
    loads, expected = joint_loads(case.compiled, case.work), case.oracle.joint_loads(theta, beta, acceleration)
    assert relative(loads, expected) < BOUND
    # nothing holds the root
    assert np.max(np.abs(loads[0])) < BOUND * max(np.max(np.abs(expected)), 1.0)


@MANY
@EVERY_TREE
def test_momentum_and_kinetic_energy_agree_with_pinocchio(seed, count):
    _, case, theta, beta, _ = make(seed, count)
    tree_motion(*case.tables)
    assert case.kinetic() == pytest.approx(case.oracle.kinetic_energy(theta, beta), rel=BOUND)
    assert relative(np.concatenate(case.momentum()), np.concatenate(case.oracle.momentum(theta, beta))) < BOUND


def add_loads(rng, scenario, rotations):
    """Loads and motor torques on random bodies; returns Pinocchio's wrenches for the loads."""
    parts, wrenches = entries(scenario), []
    (vehicle,) = scenario["vehicles"].values()
    vehicle["loads"] = {}
    for i in range(4):
        k = int(rng.integers(len(parts)))
        point, moment, force = rng.normal(size=(3, 3))
        frame = "body" if i % 2 else "inertial"
        keys = {"position_m": floats(point), "force_N": floats(force), "torque_Nm": floats(moment), "frame": frame}
        vehicle["loads"][f"load_{i}"] = {"body": f"b{k}" if k else "base", **keys}
        axes = rotations[k] if frame == "body" else np.eye(3)
        wrenches.append((k, point, np.concatenate([axes @ moment, axes @ force])))
    return wrenches


def add_motors(rng, scenario):
    """Constant torques and forces on the single-axis joints."""
    for keys in entries(scenario)[1:]:
        for axis, turns in axis_keys(keys["joint"]):
            axis["torque_Nm" if turns else "force_N"] = float(rng.normal())


@MANY
@EVERY_TREE
def test_loads_and_motors_of_a_scenario_agree_with_pinocchio(seed, count):
    rng, case, theta, beta, _ = make(seed, count)
    scenario = start_scenario(case.bodies, theta, beta)
    wrenches = add_loads(rng, scenario, case.oracle.body_poses(theta)[1])
    add_motors(rng, scenario)
    case = Case.of(case.bodies, scenario)
    model, state, work = case.tables
    switch_loads(model, state)
    evaluate(model, state, work)
    tau = np.array(state.dof["torque"])
    expected = case.oracle.forward(theta, beta, tau, wrenches)
    assert relative(work.dof["beta_dot"], expected) < BOUND
    assert relative(joint_loads(case.compiled, work), case.oracle.joint_loads(theta, beta, expected, wrenches)) < BOUND
    # the sum about W's origin is what the momentum will follow
    positions, rotations = case.oracle.body_poses(theta)
    moments = [w[:3] + np.cross(positions[k] + rotations[k] @ p, w[3:]) for k, p, w in wrenches]
    assert relative(work.wrench, np.concatenate([np.sum(moments, 0), np.sum([w[3:] for *_, w in wrenches], 0)])) < BOUND


@MANY
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 12))
def test_two_vehicles_in_one_model_do_not_influence_each_other(seed, count):
    (_, first, *_, tau_1), (_, second, *_, tau_2) = make(seed, count), make(seed + 1, 13 - count)
    alone = [solve(case.compiled, case.work, tau)[0] for case, tau in ((first, tau_1), (second, tau_2))]
    bodies = together(first.bodies, second.bodies)
    theta, beta = np.concatenate([first.theta, second.theta]), np.concatenate([first.beta, second.beta])
    both, _ = solve(*compile_tree(bodies, theta, beta), np.concatenate([tau_1, tau_2]))
    # the same operations in the same order: the same bits
    assert np.array_equal(both, np.concatenate(alone))


@pytest.mark.parametrize("joint", JOINT_TYPES)
def test_chains_of_one_joint_type_agree_with_pinocchio(joint):
    rng = np.random.default_rng(JOINT_TYPES.index(joint))
    bodies = random_tree(rng, 8, (joint,))
    theta, beta = random_state(rng, bodies)
    tau = np.where(np.arange(len(beta)) < 6, 0.0, rng.normal(size=len(beta)))
    acceleration, _ = solve(*compile_tree(bodies, theta, beta), tau)
    assert relative(acceleration, PinocchioTree(bodies).forward(theta, beta, tau)) < BOUND

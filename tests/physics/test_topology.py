"""Joining two vehicles: momentum, velocities, energy lost, and the dynamics of the tree that results.

References are dense: the welds of tests/oracle/join.py and constrained solves on Pinocchio's matrices (dense_stack.py);
neither re-roots a tree. Joints of every type lie on the paths that are turned round. Bounds: docking_cases.py; a wrong
sign on a reversed joint shows at order one.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docksim.kernel.loop import decide
from docksim.kernel.step import evaluate
from docksim.model import W_DRIVES, W_IMPULSES
from tests.oracle import join
from tests.oracle.tree_description import SPEEDS, slices
from tests.physics import dense_stack
from tests.physics.docking_cases import (
    BOUND,
    MOMENTUM,
    Docking,
    add_motors,
    check_momentum,
    check_velocities,
    hold_some,
)
from tests.physics.tree_cases import relative
from tests.support.harness import joint_loads

SEEDS = st.integers(0, 2**32 - 1)
MANY = settings(max_examples=25, deadline=None, derandomize=True)


@MANY
@given(seed=SEEDS, chains=st.booleans(), turned=st.booleans())
def test_join_conserves_linear_and_angular_momentum(seed, chains, turned):
    case = Docking(seed, chains, turned=turned).compiled()
    before = case.momentum()
    scale = case.traffic()
    decide(*case.tables)
    check_momentum(case, case.compiled.state.record[0])
    # the record is not taken at its word
    for old, new, size in zip(before, case.momentum(), scale, strict=True):
        assert np.linalg.norm(new - old) < MOMENTUM * size


@MANY
@given(seed=SEEDS, chains=st.booleans(), turned=st.booleans())
def test_velocities_and_loss_of_a_join_agree_with_the_dense_welds(seed, chains, turned):
    docking = Docking(seed, chains, turned=turned)
    case = docking.compiled()
    theta, beta = case.theta, case.beta
    M, J = case.oracle.mass_matrix(theta), docking.rows(theta)
    n = sum(SPEEDS[body.joint] for body in docking.bodies[: docking.size_a])
    parts = (M[:n, :n], J[:, :n], beta[:n], M[n:, n:], -J[:, n:], beta[n:])
    decide(*case.tables)
    for weld in (join.weld_kkt(*parts), join.weld_response(*parts)):
        check_velocities(docking, theta, np.concatenate([weld.beta_a, weld.beta_b]))
        assert case.compiled.state.record[0].loss == pytest.approx(weld.loss, rel=BOUND)


@MANY
@given(seed=SEEDS, chains=st.booleans(), turned=st.booleans())
def test_join_with_locked_and_driven_joints_agrees_with_a_dense_impulse(seed, chains, turned):
    docking = Docking(seed, chains, turned=turned)
    prescribed, driven = hold_some(docking)
    case = docking.compiled()
    theta, beta, kinetic = case.theta, case.beta, case.kinetic()
    M = case.oracle.mass_matrix(theta)
    expected, loss = dense_stack.jump(M, beta, docking.rows(theta), prescribed, beta)
    decide(*case.tables)
    state = case.compiled.state
    check_velocities(docking, theta, expected.x)
    check_momentum(case, state.record[0])
    assert state.record[0].loss == pytest.approx(loss, rel=BOUND)
    # driven joints do work in the impulse: the change of kinetic energy alone is not the loss
    work = expected.held @ beta
    assert np.any(driven) or work == 0.0
    assert case.kinetic() - kinetic == pytest.approx(work - loss, abs=BOUND * kinetic)
    assert state.work_done[W_DRIVES] == pytest.approx(work, abs=BOUND * kinetic)
    assert state.work_done[W_IMPULSES] == pytest.approx(-loss, rel=BOUND)


def welded_accelerations(docking, theta, beta, prescribed):
    """Dense accelerations of the two vehicles with the weld between them, at constant prescribed speeds."""
    case, tree = docking.case, docking.case.oracle
    tau = np.array(case.compiled.state.dof["torque"][: len(beta)])
    right = tau - tree.inverse(theta, beta, 0.0 * beta)
    bias = dense_stack.weld_bias(tree, theta, beta, docking.a, docking.b, docking.point(theta))
    M, G = tree.mass_matrix(theta), docking.rows(theta)
    solution = dense_stack.constrained(M, right, G, -bias, prescribed, 0.0 * beta)
    return solution._replace(held=solution.held + tau)


@MANY
@given(seed=SEEDS, chains=st.booleans(), turned=st.booleans())
def test_accelerations_and_loads_of_the_joined_tree_agree_with_the_welded_pair(seed, chains, turned):
    docking = Docking(seed, chains, turned=turned)
    prescribed, _ = hold_some(docking)
    add_motors(docking)
    case = docking.compiled()
    decide(*case.tables)
    evaluate(*case.tables)
    theta, beta = case.full_state()
    expected = welded_accelerations(docking, theta, beta, prescribed)
    ours, joints = case.work.dof[: len(beta)], ~docking.roots
    assert relative(ours["beta_dot"][joints], expected.x[joints]) < BOUND
    assert relative(ours["tau"][joints], expected.held[joints]) < BOUND
    assert relative(case.motion()[1], case.oracle.body_motion(theta, beta, expected.x)[1]) < BOUND
    # the weld's load, on the body that hangs on it and about its hinge point
    hung, sign = (docking.a, 1.0) if turned else (docking.b, -1.0)
    moment, force = np.split(sign * expected.weld, 2)
    arm = docking.point(theta) - case.work.body[hung + 1].p_WH
    assert relative(joint_loads(case.compiled, case.work)[hung], [*(moment + np.cross(arm, force)), *force]) < BOUND


@MANY
@given(seed=SEEDS, turned=st.booleans(), which=st.integers(1, 15))
def test_locking_a_joint_of_the_joined_tree_agrees_with_a_dense_impulse(seed, turned, which):
    docking = Docking(seed, chains=True, turned=turned)
    # the chains have eight bodies each; the second root and the fixed joints have nothing to lock
    k = next(i for i in [*range(which, 16), *range(1, 16)] if i != 8 and docking.bodies[i].joint != "fixed")
    docked = docking.compiled()
    decide(*docked.tables)
    theta, beta = docked.full_state()
    stopped = np.zeros(len(beta), bool)
    stopped[slices(docking.bodies, SPEEDS)[k]] = True
    M = docked.oracle.mass_matrix(theta)
    expected, loss = dense_stack.jump(M, beta, docking.rows(theta), stopped, 0.0 * beta)
    brake = {"lock": f"v{int(k > 8)}.b{k}"}
    docking.scenario["events"]["brake"] = {"when": {"after": "dock"}, "do": brake}
    case = docking.compiled()
    decide(*case.tables)
    check_velocities(docking, theta, expected.x)
    check_momentum(case, case.compiled.state.record[1])
    assert case.compiled.state.record[1].loss == pytest.approx(loss, rel=BOUND)

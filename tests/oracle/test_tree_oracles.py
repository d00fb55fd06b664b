"""The tree oracles against each other: Pinocchio against dense Kane equations, welds against each other."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.oracle import dense_tree, join, oscillator
from tests.oracle.pinocchio_tree import PinocchioTree, random_state, random_tree
from tests.oracle.rotations import quat_matrix, random_quat
from tests.oracle.tree_description import COORDINATES, JOINT_TYPES, SPEEDS, TreeBody, random_inertia, slices

# one tree per joint type, then mixtures
CASES = [(i, 3, (joint,)) for i, joint in enumerate(JOINT_TYPES)] + [(i, 6, JOINT_TYPES) for i in range(10, 16)]


def case(seed, count, joints):
    rng = np.random.default_rng(seed)
    bodies = random_tree(rng, count, joints)
    theta, beta = random_state(rng, bodies)
    wrenches = [(int(rng.integers(count)), rng.normal(size=3), rng.normal(size=6)) for _ in range(3)]
    return rng, bodies, theta, beta, wrenches


@pytest.mark.parametrize(("seed", "count", "joints"), CASES)
def test_pinocchio_agrees_with_dense_kane_equations(seed, count, joints):
    rng, bodies, theta, beta, wrenches = case(seed, count, joints)
    tree = PinocchioTree(bodies)
    tau = rng.normal(size=len(beta))

    for ours, theirs in zip(tree.body_poses(theta), dense_tree.poses(bodies, theta), strict=True):
        assert np.allclose(ours, theirs, atol=1e-12)
    J = dense_tree.jacobians(bodies, theta)
    assert np.allclose(tree.body_velocities(theta, beta), J @ beta, atol=1e-11)
    assert np.allclose(tree.mass_matrix(theta), dense_tree.mass_matrix(bodies, theta), atol=1e-10)

    # the dense bias comes from a central difference, good to about 1e-9
    bias = dense_tree.bias_force(bodies, theta, beta)
    assert np.allclose(tree.inverse(theta, beta, np.zeros_like(beta)), bias, rtol=1e-7, atol=1e-7)
    expected = dense_tree.forward(bodies, theta, beta, tau, wrenches)
    assert np.allclose(tree.forward(theta, beta, tau, wrenches), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("seed", "count", "joints"), CASES)
def test_inverse_of_forward_is_identity(seed, count, joints):
    rng, bodies, theta, beta, wrenches = case(seed, count, joints)
    tree = PinocchioTree(bodies)
    tau = rng.normal(size=len(beta))
    acceleration = tree.forward(theta, beta, tau, wrenches)
    assert np.allclose(tree.inverse(theta, beta, acceleration, wrenches), tau, atol=1e-9)


def test_mixed_problem_agrees_with_the_forward_one():
    rng, bodies, theta, beta, wrenches = case(20, 7, JOINT_TYPES)
    tree = PinocchioTree(bodies)
    tau = rng.normal(size=len(beta))
    full = tree.forward(theta, beta, tau, wrenches)
    prescribed = rng.random(len(beta)) < 0.5
    acceleration, force = tree.mixed(
        theta, beta, np.where(prescribed, np.nan, tau), np.where(prescribed, full, np.nan), prescribed, wrenches
    )
    assert np.allclose(acceleration, full, atol=1e-9)
    assert np.allclose(force, tau, atol=1e-9)


def test_jacobian_of_a_point_gives_its_velocity():
    rng, bodies, theta, beta, _ = case(21, 6, JOINT_TYPES)
    tree = PinocchioTree(bodies)
    velocities, rotations = tree.body_velocities(theta, beta), tree.body_poses(theta)[1]
    for k in range(len(bodies)):
        point = rng.normal(size=3)
        omega, v = velocities[k][:3], velocities[k][3:]
        expected = np.concatenate([omega, v + np.cross(omega, rotations[k] @ point)])
        assert np.allclose(tree.jacobian(theta, k, point) @ beta, expected, atol=1e-12)


def test_body_accelerations_are_the_rates_of_body_velocities():
    rng, bodies, theta, beta, _ = case(22, 6, JOINT_TYPES)
    tree = PinocchioTree(bodies)
    beta_dot, h = rng.normal(size=len(beta)), 1e-5
    rate = dense_tree.coordinate_rates(bodies, theta, beta)
    ahead, behind = (tree.body_velocities(theta + s * rate, beta + s * beta_dot) for s in (h, -h))
    # central difference of step 1e-5: error near 1e-9
    assert np.allclose(tree.body_motion(theta, beta, beta_dot)[1], (ahead - behind) / (2 * h), atol=1e-7)


def test_joint_loads_project_onto_the_joint_forces():
    rng, bodies, theta, beta, wrenches = case(23, 7, JOINT_TYPES)
    # without rotors, whose torque never crosses the hinge
    bodies = [TreeBody(**{**vars(body), "rotor": ()}) for body in bodies]
    tree = PinocchioTree(bodies)
    beta_dot = rng.normal(size=len(beta))
    tau = tree.inverse(theta, beta, beta_dot, wrenches)
    loads = tree.joint_loads(theta, beta, beta_dot, wrenches)
    rotations = tree.body_poses(theta)[1]
    for k, (body, s) in enumerate(zip(bodies, tree.beta_of, strict=True)):
        # motion of J over F per speed: difference of the bodies' Jacobians at the hinge
        H = tree.jacobian(theta, k, body.child_position)[:, s]
        assert np.allclose(H.T @ loads[k], tau[s], atol=1e-9)
        if body.joint == "revolute":
            axis = rotations[k] @ body.child_rotation @ body.unit_axis()
            assert axis @ loads[k][:3] == pytest.approx(tau[s][0], abs=1e-9)


def test_rates_on_body_axes_are_the_same_motion_as_rates_on_joint_axes():
    rng, bodies, theta, beta, wrenches = case(24, 6, ("spherical", "free", "revolute"))
    on_joint, on_body = PinocchioTree(bodies), PinocchioTree(bodies, omega_axes="body")
    turn = np.eye(len(beta))
    for body, s in zip(bodies, on_joint.beta_of, strict=True):
        if body.joint in ("spherical", "free"):
            turn[s.start : s.start + 3, s.start : s.start + 3] = body.child_rotation
    assert np.allclose(on_body.body_velocities(theta, turn @ beta), on_joint.body_velocities(theta, beta), atol=1e-12)
    tau = rng.normal(size=len(beta))
    expected = turn @ on_joint.forward(theta, beta, tau, wrenches)
    assert np.allclose(on_body.forward(theta, turn @ beta, turn @ tau, wrenches), expected, atol=1e-9)


def test_free_motion_keeps_energy_and_momentum():
    _, bodies, theta, beta, _ = case(25, 7, JOINT_TYPES)
    tree = PinocchioTree(bodies)
    size = len(theta)

    def rate(_, y):
        acceleration = tree.forward(y[:size], y[size:], np.zeros(len(beta)))
        return np.concatenate([dense_tree.coordinate_rates(bodies, y[:size], y[size:]), acceleration])

    end = solve_ivp(rate, (0.0, 2.0), np.concatenate([theta, beta]), "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]
    before, after = (theta, beta), (end[:size], end[size:])
    assert not np.allclose(before[1], after[1], atol=0.1)
    assert tree.kinetic_energy(*after) == pytest.approx(tree.kinetic_energy(*before), rel=1e-9)
    for p, q in zip(tree.momentum(*before), tree.momentum(*after), strict=True):
        assert np.allclose(p, q, atol=1e-8)


def test_quaternion_coordinates_and_slices_are_counted_per_body():
    bodies = random_tree(np.random.default_rng(0), 8)
    theta, beta = random_state(np.random.default_rng(0), bodies)
    assert slices(bodies, COORDINATES)[-1].stop == len(theta)
    assert slices(bodies, SPEEDS)[-1].stop == len(beta) == PinocchioTree(bodies).model.nv
    assert all(body.parent < k for k, body in enumerate(bodies))


def test_rotor_inertia_on_a_ball_joint_is_refused():
    with pytest.raises(ValueError, match="rotor"):
        TreeBody("ball", -1, 1.0, np.zeros(3), np.eye(3), "spherical", rotor=(1.0, 1.0, 1.0))


# joins


@pytest.mark.parametrize("seed", range(5))
def test_two_ways_to_weld_agree_and_keep_momentum(seed):
    rng = np.random.default_rng(seed)
    trees = [PinocchioTree(random_tree(rng, 5)) for _ in range(2)]
    states = [random_state(rng, tree.bodies) for tree in trees]
    place = rng.normal(size=3)
    parts = []
    for tree, (theta, beta) in zip(trees, states, strict=True):
        body = int(rng.integers(5))
        r, R = tree.body_poses(theta)
        parts += [tree.mass_matrix(theta), tree.jacobian(theta, body, R[body].T @ (place - r[body])), beta]
    first, second = join.weld_kkt(*parts), join.weld_response(*parts)
    for a, b in zip(first, second, strict=True):
        assert np.allclose(a, b, rtol=1e-9, atol=1e-10)
    assert np.allclose(parts[1] @ first.beta_a, parts[4] @ first.beta_b, atol=1e-10)
    assert first.loss > 0.0

    def total(*speeds):
        return sum(
            np.concatenate(tree.momentum(theta, beta))
            for tree, (theta, _), beta in zip(trees, states, speeds, strict=True)
        )

    assert np.allclose(total(*(beta for _, beta in states)), total(first.beta_a, first.beta_b), atol=1e-10)


def test_weld_of_two_single_bodies_equals_the_inelastic_join():
    rng = np.random.default_rng(9)
    parts, bodies = [], []
    for k in range(2):
        mass, inertia = random_inertia(rng)
        com, r, v, omega = rng.normal(size=(4, 3))
        q = random_quat(rng)
        R = quat_matrix(q)
        tree = PinocchioTree([TreeBody(f"body_{k}", -1, mass, com, inertia, "free")])
        theta, beta = np.concatenate([r, q]), np.concatenate([omega, v])
        # weld at the origin of W
        parts += [tree.mass_matrix(theta), tree.jacobian(theta, 0, -R.T @ r), beta]
        spin, arm = R @ omega, R @ com
        bodies.append(oscillator.RigidBody(mass, R @ inertia @ R.T, r + arm, v + np.cross(spin, arm), spin))
    joined, loss = oscillator.join_rigid_bodies(*bodies)
    weld = join.weld_kkt(*parts)
    at_origin = np.concatenate([joined.omega, joined.velocity - np.cross(joined.omega, joined.position)])
    assert np.allclose(parts[1] @ weld.beta_a, at_origin, rtol=1e-10)
    assert weld.loss == pytest.approx(loss, rel=1e-10)

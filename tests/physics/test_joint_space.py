"""The paper's path in joint coordinates against the compiled kernel, Newton closure, and a leg of none of the types."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from docksim.hardware.branch import (
    BasePoint,
    Branch,
    Joint,
    NotClosed,
    along,
    close,
    composite_bodies,
    places,
    steps,
    sweep_back,
    sweep_out,
    turn,
)
from docksim.hardware.joint_space import JointSpace, Ring
from docksim.hardware.mechanism import Mechanism
from tests.support.mechanisms import SHIPPED

# a file for each type of leg, and one with all of them
FILES = [path for path in SHIPPED if path.stem in ("apas_like", "sxds_like", "ucu_platform", "mixed_legs")]
AT_REST = BasePoint(np.zeros(3), np.zeros(3), np.zeros(3))


def some_state(mechanism: Mechanism, rng: np.random.Generator) -> tuple[Any, ...]:
    """Pose near the reference, rates, forces on all joints, a wrench, and a base that turns and accelerates."""
    w, x, y, z = mechanism.reference[1]
    q = Rotation.from_quat([x, y, z, w]) * Rotation.from_rotvec(rng.uniform(-0.05, 0.05, 3))
    x, y, z, w = q.as_quat()
    pose = np.array(mechanism.reference[0]) + rng.uniform(-0.02, 0.02, 3), [w, x, y, z]
    forces = [50.0 * rng.normal(size=len(p)) for p in mechanism.closure(pose).joints]
    rates, wrench, base = 0.3 * rng.normal(size=6), 50.0 * rng.normal(size=6), 0.2 * rng.normal(size=6)
    return pose, rates, forces, wrench, base, rng.normal(size=6)


def flat(values: Any) -> np.ndarray:
    return np.concatenate([np.ravel(part) for part in values])


def difference(ours: Any, theirs: Any) -> float:
    ours, theirs = flat(ours), flat(theirs)
    return float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_papers_path_gives_what_the_kernel_gives(path: Any) -> None:
    """Accelerations, loads of every joint, base reaction and its articulated form, on a base that moves."""
    kernel, joints = Mechanism.load(path), Mechanism.load(path, method="joints")
    state = some_state(kernel, np.random.default_rng(3))
    a, b = joints.forward(*state), kernel.forward(*state)
    for name in ("ring_acceleration", "joint_rates", "joint_accelerations", "ring_joint_wrench", "P_m", "z_m"):
        assert difference(getattr(a, name), getattr(b, name)) < 1e-12, name
    assert difference([a.base_wrench], [b.base_wrench]) < 1e-12
    for part in ("point", "axis", "moment", "force"):
        ours, theirs = ([getattr(load, part) for leg in motion.loads for load in leg] for motion in (a, b))
        assert difference(ours, theirs) < 1e-12, part


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_matrices_of_a_branch_are_those_of_the_closure(path: Any) -> None:
    """H is the kernel's Jacobian; closure holds for rates and accelerations; lambda carries what is missing of b."""
    mechanism = Mechanism.load(path)
    state = some_state(mechanism, np.random.default_rng(4))
    own = mechanism.joint_space(*state)
    for k, one in enumerate(own.branches):
        assert difference([one.H], [mechanism.joint_jacobians(state[0])[k]]) < 1e-12
        assert difference([one.C_d @ one.p_dot], [one.C_i @ state[1]]) < 1e-12
        assert difference([one.C_d @ own.p_ddot[k]], [one.C_i @ own.u_dot + one.c]) < 1e-12
        assert np.linalg.eigvalsh(one.A)[0] >= -1e-12 * np.linalg.norm(one.A)


def test_newton_closes_where_the_analytic_closure_does() -> None:
    """All five types, 15 poses each, from joint coordinates that are off."""
    rng = np.random.default_rng(5)
    path = next(path for path in FILES if path.stem == "mixed_legs")
    mechanism = Mechanism.load(path)
    assert set(mechanism.types) == {"UPS", "SPU", "UCU", "RUS", "RSU"}
    branches = mechanism.branches().branches
    for _ in range(15):
        (r_C, quaternion), *_ = some_state(mechanism, rng)
        w, x, y, z = quaternion
        R_C = Rotation.from_quat([x, y, z, w]).as_matrix()
        for branch, p in zip(branches, mechanism.closure((r_C, quaternion)).joints, strict=True):
            reach = np.where([joint.slides for joint in branch.joints], 0.02, 0.1)
            found = close(branch, r_C, R_C, p + reach * rng.uniform(-1.0, 1.0, len(p)))
            assert np.max(np.abs(found - p)) < 1e-12


def test_a_pose_out_of_reach_is_not_closed() -> None:
    mechanism = Mechanism.load(next(path for path in FILES if path.stem == "sxds_like"))
    branch, p = mechanism.branches().branches[0], mechanism.closure(mechanism.reference).joints[0]
    with pytest.raises(NotClosed, match="no joint coordinates found"):
        close(branch, np.array([3.0, 0.0, 0.0]), np.eye(3), p)


def test_a_branch_needs_as_many_joints_as_rows() -> None:
    joint = Joint("y", False, np.eye(3)[1], np.zeros(3), np.eye(3))
    with pytest.raises(ValueError, match="a branch of 2 joints is closed by 3 rows"):
        Branch((joint, joint), np.zeros(3), np.zeros(3))


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ValueError, match="expected 'kernel' or 'joints', got 'newton'"):
        Mechanism.load(FILES[0], method="newton")  # type: ignore[arg-type]


# ---------------------------------------------------------------- legs of none of the five types


def carriage_leg(azimuth: float, rng: np.random.Generator) -> Branch:
    """PUS: a carriage slides on the base, a rod turns on it about y and z, a ball joint at the ring."""
    s = np.array([0.0, np.cos(azimuth), np.sin(azimuth)])
    X, Y, Z = np.eye(3)
    slope = turn(X, azimuth) @ turn(Z, 0.3)

    def solid(m: float, length: float) -> dict[str, Any]:
        c = np.array([0.5 * length, 0.02, -0.01])
        own = np.diag([0.1, 0.3, 0.35]) * m * length**2
        return {"m": m, "s": m * c, "J": own + m * ((c @ c) * np.eye(3) - np.outer(c, c))}

    joints = (
        Joint("carriage", True, X, 0.6 * s, slope, rotor=1.5, **solid(3.0, 0.1)),
        Joint("y", False, Y, np.array([0.0, 0.05, 0.0]), turn(Z, -0.4)),
        Joint("z", False, Z, np.zeros(3), np.eye(3), rotor=0.02, **solid(2.0, 0.6)),
    )
    branch = Branch(joints, np.array([0.6, 0.0, 0.0]), np.zeros(3))
    # the ring joint is where the leg ends at some coordinates
    p = np.array([0.1, 0.2, -0.15]) + 0.05 * rng.normal(size=3)
    R, r = places(*steps(branch, p))
    return replace(branch, l_C=r[-1] + R[-1] @ branch.tip - RING_AT)


RING_AT = np.array([0.6, 0.0, 0.0])


def carriages() -> JointSpace:
    rng = np.random.default_rng(6)
    legs = [carriage_leg(np.pi * k / 3.0 + 0.2 * (-1) ** k, rng) for k in range(6)]
    c = np.array([0.02, -0.01, 0.03])
    J = np.diag([2.0, 1.2, 1.1]) + 10.0 * ((c @ c) * np.eye(3) - np.outer(c, c))
    return JointSpace(legs, Ring(10.0, 10.0 * c, J), np.zeros((0, 6)), np.zeros(0))


def moved(r_C: np.ndarray, R_C: np.ndarray, u: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    return r_C + h * u[3:], Rotation.from_rotvec(h * u[:3]).as_matrix() @ R_C


def test_other_legs_close_and_keep_their_energy() -> None:
    """Six carriage legs and a ring let go with some speed: kinetic energy stays for a while of free motion."""
    space = carriages()
    Q, none = [np.zeros(3)] * 6, np.zeros(6)
    starts = [np.array([0.1, 0.2, -0.15])] * 6
    r_C, R_C, u = RING_AT, np.eye(3), np.array([0.2, -0.1, 0.15, 0.1, 0.05, -0.08])

    def energy(p: list[np.ndarray], rates: list[np.ndarray], R_C: np.ndarray, u: np.ndarray) -> float:
        branches = zip(space.branches, p, rates, strict=True)
        total = sum(0.5 * v @ composite_bodies(branch, *steps(branch, x)) @ v for branch, x, v in branches)
        w, s, J = u[:3], R_C @ space.ring.s, R_C @ space.ring.J @ R_C.T
        return float(total + 0.5 * w @ J @ w + 0.5 * space.ring.m * u[3:] @ u[3:] + u[3:] @ np.cross(w, s))

    def slope(r_C: np.ndarray, R_C: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, Any]:
        p = space.close(r_C, R_C, starts)
        motion = space.motion(p, r_C, R_C, u, Q, none, AT_REST)
        return motion.u_dot, (p, [one.p_dot for one in motion.branches])

    def step(r_C: np.ndarray, R_C: np.ndarray, u: np.ndarray, h: float) -> Any:
        # classical Runge-Kutta on the rotation vector from the step's start, whose rate is w to the order needed
        def rate(x: np.ndarray) -> np.ndarray:
            theta, v = x[:3], x[6:]
            R = Rotation.from_rotvec(theta).as_matrix() @ R_C
            w = v[:3]
            half = 0.5 * np.cross(theta, w)
            theta_dot = w - half + np.cross(theta, np.cross(theta, w)) / 12.0
            return np.concatenate([theta_dot, v[3:], slope(r_C + x[3:6], R, v)[0]])

        x = np.concatenate([np.zeros(6), u])
        k_1 = rate(x)
        k_2 = rate(x + 0.5 * h * k_1)
        k_3 = rate(x + 0.5 * h * k_2)
        k_4 = rate(x + h * k_3)
        x = x + h / 6.0 * (k_1 + 2.0 * k_2 + 2.0 * k_3 + k_4)
        return r_C + x[3:6], Rotation.from_rotvec(x[:3]).as_matrix() @ R_C, x[6:]

    _, (p, rates) = slope(r_C, R_C, u)
    before = energy(p, rates, R_C, u)
    for _ in range(6):
        r_C, R_C, u = step(r_C, R_C, u, 0.01)
    _, (p, rates) = slope(r_C, R_C, u)
    assert abs(energy(p, rates, R_C, u) / before - 1.0) < 1e-9
    assert np.linalg.norm(u - [0.2, -0.1, 0.15, 0.1, 0.05, -0.08]) > 1e-3


def test_other_legs_pass_on_what_newton_and_euler_ask() -> None:
    """The base's wrench is the change of momentum of all bodies less the wrench on the ring, by differences."""
    space = carriages()
    rng = np.random.default_rng(7)
    u, wrench = 0.3 * rng.normal(size=6), 20.0 * rng.normal(size=6)
    Q = [10.0 * rng.normal(size=3) for _ in range(6)]
    starts = [np.array([0.1, 0.2, -0.15])] * 6
    p = space.close(RING_AT, np.eye(3), starts)
    motion = space.motion(p, RING_AT, np.eye(3), u, Q, wrench, AT_REST)

    def momentum(h: float) -> np.ndarray:
        """About B's origin at time h along the motion, to second order in h."""
        ring = u + h * motion.u_dot
        r_C, R_C = moved(RING_AT, np.eye(3), u + 0.5 * h * motion.u_dot, h)
        w, v, s, J = ring[:3], ring[3:], R_C @ space.ring.s, R_C @ space.ring.J @ R_C.T
        force = space.ring.m * v + np.cross(w, s)
        total = np.concatenate([np.cross(s, v) + J @ w + np.cross(r_C, force), force])
        for k, branch in enumerate(space.branches):
            x = p[k] + h * motion.branches[k].p_dot + 0.5 * h * h * motion.p_ddot[k]
            rates = motion.branches[k].p_dot + h * motion.p_ddot[k]
            R, r = places(*steps(branch, x))
            w, v, origin = np.zeros(3), np.zeros(3), np.zeros(3)
            for joint, R_j, r_j, rate in zip(branch.joints, R, r, rates, strict=True):
                v = v + np.cross(w, r_j - origin)
                if joint.slides:
                    v = v + R_j @ joint.e * rate
                else:
                    w = w + R_j @ joint.e * rate
                s, J, origin = R_j @ joint.s, R_j @ joint.J @ R_j.T, r_j
                force = joint.m * v + np.cross(w, s)
                total += np.concatenate([np.cross(s, v) + J @ w + np.cross(r_j, force), force])
        return total

    h = 1e-4
    change = (momentum(h) - momentum(-h)) / (2.0 * h)
    on_ring = np.concatenate([wrench[:3] + np.cross(RING_AT, wrench[3:]), wrench[3:]])
    assert difference([motion.base_wrench], [change - on_ring]) < 1e-6


def joint_forces(branch: Branch, p: np.ndarray, p_ddot: np.ndarray) -> np.ndarray:
    """Of a branch at rest that moves freely at its ring end: the sweeps out and back, rotors included."""
    betas, offsets = steps(branch, p)
    motion = sweep_out(branch, betas, offsets, np.zeros(len(p)), AT_REST, p_ddot)
    rotors = np.array([joint.rotor for joint in branch.joints])
    return along(branch, sweep_back(branch, betas, offsets, motion, np.zeros(3), np.zeros(3))) + rotors * p_ddot


def test_composite_bodies_are_the_columns_of_the_sweeps() -> None:
    """A from composite bodies against joint forces for unit accelerations at rest: two recursions, one matrix."""
    rng = np.random.default_rng(8)
    for branch in (*carriages().branches, *Mechanism.load(FILES[0]).branches().branches[:1]):
        p = 0.3 * rng.normal(size=len(branch.joints))
        A = composite_bodies(branch, *steps(branch, p))
        columns = np.array([joint_forces(branch, p, unit) for unit in np.eye(len(p))]).T
        assert difference([A], [columns]) < 1e-13

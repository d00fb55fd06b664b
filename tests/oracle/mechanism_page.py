"""The matrix method of Golubev & Yaskevich, corrected, in plain numpy, for any mixture of legs: readable, not fast.

Analytic closure, recursion of partial velocities, reduction to the six ring coordinates, articulated form P_m, z_m, and
the joint-load recursion started from lambda. Conventions: mechanism_description.py; every vector is on B axes.
Shortcuts switches the paper's inexactnesses (docs/mechanism.md) on, one by one.
"""

from dataclasses import dataclass, replace

import numpy as np

from tests.oracle.mechanism_description import ACTUATED, STEWART, Leg, Mechanism, Solution, State, chain
from tests.oracle.rotations import cross, hat


class OutOfReach(ValueError):
    """The leg cannot be closed, or stands in a singularity."""


@dataclass(frozen=True)
class Shortcuts:
    """What the paper leaves out, in the order of docs/mechanism.md."""

    constant_offset: bool = False  # partial velocities of the closure without the prismatic extension
    no_eps_term: bool = False  # closure drift without eps x d
    no_ring_drift: bool = False  # closure drift without omega_C x (omega_C x d_C)
    zero_tip_load: bool = False  # joint loads from zero at the last link, active force put on the free axis
    inertial_base: bool = False  # omega0 = A0 = 0


EXACT = Shortcuts()


def shift(r):
    """Phi(r): motion at a point to motion at r from it; the transpose takes a wrench back."""
    return np.block([[np.eye(3), np.zeros((3, 3))], [-hat(r), np.eye(3)]])


def body_inertia(link, R):
    """Inertia about the origin, mass-centre offset and 6x6 matrix M, for the link's axes R."""
    I, c = R @ link.inertia @ R.T, R @ link.com
    return I, c, np.block([[I, link.mass * hat(c)], [-link.mass * hat(c), link.mass * np.eye(3)]])


def gyroscopic_wrench(link, R, Omega):
    """[Omega x I Omega; m Omega x (Omega x c)]."""
    I, c, _ = body_inertia(link, R)
    force = link.mass * cross(Omega, cross(Omega, c))
    return np.concatenate([cross(Omega, I @ Omega), force])


# section 2: closure in position


def elementary_turn(axis, s, c):
    """Rotation about a coordinate axis from sine and cosine."""
    a = hat(np.eye(3)[axis])
    return np.eye(3) + s * a + (1.0 - c) * (a @ a)


def direction_to_universal(n):
    """(sine, cosine) of y and z that lay a link along the unit vector n of the joint frame."""
    c_z = np.hypot(n[0], n[2])
    if c_z < 1e-12:
        raise OutOfReach(f"universal joint at its singularity, c_z = {c_z:.3g}")
    return (-n[2] / c_z, n[0] / c_z), (n[1], c_z)


def crank_angle(leg, d):
    """(sine, cosine) of the crank for the span d in the base joint frame."""
    h, rho = d[1], np.hypot(d[0], d[2])
    if rho == 0.0:
        raise OutOfReach("ring joint on the crank axis, rho = 0")
    cos_beta = (leg.l12**2 + rho**2 - leg.l23**2 + h**2) / (2.0 * leg.l12 * rho)
    if abs(cos_beta) > 1.0:
        raise OutOfReach(f"crank and rod do not reach, cos(beta) = {cos_beta:.6g}")
    sin_beta = leg.sigma_e * np.sqrt(1.0 - cos_beta**2)
    cos_gamma, sin_gamma = d[0] / rho, -d[2] / rho
    return sin_gamma * cos_beta + cos_gamma * sin_beta, cos_gamma * cos_beta - sin_gamma * sin_beta


def spin_angle(leg, R_link, R_C):
    """(sine, cosine) of the spin about the link for the unspun link frame R_link."""
    _, b, c = R_link.T @ R_C @ leg.R_CJ[:, 2]
    norm = np.hypot(b, c)
    if norm < 1e-12:
        raise OutOfReach(f"ring-side joint axis along the link, sqrt(b^2 + c^2) = {norm:.3g}")
    return -leg.sigma * b / norm, leg.sigma * c / norm


def closure(leg, r_C, R_C):
    """Joint coordinates p (n,), and their sines and cosines (0, 1 for a stroke); raises OutOfReach."""
    span = leg.R_0.T @ (r_C + R_C @ leg.l_C - leg.l_0)
    R = leg.R_0
    turns = []
    if leg.type in STEWART:
        length = np.linalg.norm(span)
        n = span / length
    else:
        turns.append(crank_angle(leg, span))
        crank = elementary_turn(1, *turns[0])
        n = leg.R_k.T @ (crank.T @ span - np.array([leg.l12, 0.0, 0.0])) / leg.l23
        R = R @ crank @ leg.R_k
    turns += direction_to_universal(n)
    if leg.n == 4:
        link = R @ elementary_turn(1, *turns[-2]) @ elementary_turn(2, *turns[-1])
        turns.append(spin_angle(leg, link, R_C))
    p = [np.arctan2(s, c) for s, c in turns]
    if leg.type in STEWART:
        p.append(length - (leg.a + leg.b))
        turns.append((0.0, 1.0))
    sines, cosines = np.array(turns).T
    return np.array(p), sines, cosines


# section 3: closure in velocity and acceleration


@dataclass(frozen=True)
class LegMotion:
    """Kinematics of one leg relative to B; first index j over bodies, each after its kept joint."""

    p: np.ndarray  # (n,)
    R: np.ndarray  # (n, 3, 3) body axes
    r: np.ndarray  # (n, 3) body origins
    axis: np.ndarray  # (n, 3) joint axes
    J: np.ndarray  # (n, 6, n) [J_R; J_T]
    p_dot: np.ndarray  # (n,)
    omega: np.ndarray  # (n, 3)
    v: np.ndarray  # (n, 3)
    eps: np.ndarray  # (n, 3)
    w: np.ndarray  # (n, 3)
    d_L: np.ndarray  # (3,) arm of the cut joint on the last body
    n_R: np.ndarray  # (3,) e1 x e2, zero if m = 3
    C_d: np.ndarray  # (m, n)
    C_i: np.ndarray  # (m, 6)
    c: np.ndarray  # (m,)
    H: np.ndarray  # (n, 6)
    h: np.ndarray  # (n,)


def _partial_velocities(joints, offsets, axis):
    n = len(joints)
    J_R, J_T = np.zeros((3, n)), np.zeros((3, n))
    J = []
    for j, joint in enumerate(joints):
        J_T = J_T - hat(offsets[j]) @ J_R
        if joint.prismatic:
            J_T[:, j] += axis[j]
        else:
            J_R = J_R.copy()
            J_R[:, j] += axis[j]
        J.append(np.vstack([J_R, J_T]))
    return np.array(J)


def _velocities(joints, offsets, axis, p_dot, with_eps=True):
    """omega, v, eps, w (n, 3) each; with_eps=False drops eps x d."""
    omega, v, eps, w = np.zeros((4, 3))
    motion = []
    for j, joint in enumerate(joints):
        d, rate = offsets[j], axis[j] * p_dot[j]
        w = w + with_eps * cross(eps, d) + cross(omega, cross(omega, d))
        v = v + cross(omega, d)
        if joint.prismatic:
            w = w + 2.0 * cross(omega, rate)
            v = v + rate
        else:
            eps = eps + cross(omega, rate)
            omega = omega + rate
        motion.append((omega, v, eps, w))
    return (np.array(x) for x in zip(*motion))


def leg_motion(leg: Leg, r_C, R_C, u, shortcuts: Shortcuts = EXACT) -> LegMotion:
    """Positions, velocities and closure matrices of a leg for a ring pose and twist."""
    joints = chain(leg)
    p, sines, cosines = closure(leg, r_C, R_C)

    # first pass: places and partial velocities; the first offset is l_0, from a base that does not turn
    r_j, R_j = np.zeros(3), np.eye(3)
    r, R, axis, offsets, constant_offsets = [], [], [], [], []
    for j, joint in enumerate(joints):
        constant_offset = R_j @ joint.position
        frame = R_j @ joint.rotation
        a = frame[:, joint.axis]
        d = constant_offset + a * p[j] if joint.prismatic else constant_offset
        R_j = frame if joint.prismatic else frame @ elementary_turn(joint.axis, sines[j], cosines[j])
        r_j = r_j + d
        for store, value in zip((r, R, axis, offsets, constant_offsets), (r_j, R_j, a, d, constant_offset)):
            store.append(value)
    J = _partial_velocities(joints, offsets, axis)

    # cut joint
    closing = _partial_velocities(joints, constant_offsets, axis)[-1] if shortcuts.constant_offset else J[-1]
    d_L, d_C = R[-1] @ leg.tip(), R_C @ leg.l_C
    C_d = closing[3:] - hat(d_L) @ closing[:3]
    C_i = np.hstack([-hat(d_C), np.eye(3)])
    e1, e2 = R[-1][:, 1], R_C @ leg.R_CJ[:, 2]
    n_R = cross(e1, e2) if leg.n == 4 else np.zeros(3)
    if leg.n == 4:
        C_d = np.vstack([C_d, n_R @ closing[:3]])
        C_i = np.vstack([C_i, np.concatenate([n_R, np.zeros(3)])])
    H = np.linalg.solve(C_d, C_i)

    # second pass: rates, then what the acceleration of closure takes from them
    p_dot = H @ u
    omega, v, eps, w = _velocities(joints, offsets, axis, p_dot)
    with_eps = not shortcuts.no_eps_term
    w_last = list(_velocities(joints, offsets, axis, p_dot, with_eps))[3][-1]
    last, e, omega_C = omega[-1], eps[-1], u[:3]
    ring = np.zeros(3) if shortcuts.no_ring_drift else cross(omega_C, cross(omega_C, d_C))
    c = ring - (w_last + with_eps * cross(e, d_L) + cross(last, cross(last, d_L)))
    if leg.n == 4:
        n_R_dot = cross(cross(last, e1), e2) + cross(e1, cross(omega_C, e2))
        c = np.append(c, -n_R @ e - n_R_dot @ (last - omega_C))
    h = np.linalg.solve(C_d, c)
    places = np.array(R), np.array(r), np.array(axis)
    return LegMotion(p, *places, J, p_dot, omega, v, eps, w, d_L, n_R, C_d, C_i, c, H, h)


# section 4: branch dynamics and reduction


@dataclass(frozen=True)
class LegDynamics:
    """Branch matrices of one leg; M and F are zero for massless bodies."""

    M: np.ndarray  # (n, 6, 6)
    F: np.ndarray  # (n, 6)
    A: np.ndarray  # (n, n) with rotors
    G: np.ndarray  # (6, n)
    n: np.ndarray  # (n,)
    n0: np.ndarray  # (6,)
    I: np.ndarray  # (6, 6) sum of Phi^T M Phi


def bias_wrench(link, R, r, omega, v, eps, w, omega0):
    """F: wrench about the origin that gives a body its motion with p'' = 0 and A0 = 0."""
    alpha = np.concatenate([eps + cross(omega0, omega), w + cross(omega0, cross(omega0, r)) + 2.0 * cross(omega0, v)])
    return body_inertia(link, R)[2] @ alpha + gyroscopic_wrench(link, R, omega0 + omega)


def leg_dynamics(leg: Leg, m: LegMotion, omega0, pull=None) -> LegDynamics:
    n = leg.n
    M, F = np.zeros((n, 6, 6)), np.zeros((n, 6))
    for j, joint in enumerate(chain(leg)):
        if joint.link is not None:
            M[j] = body_inertia(joint.link, m.R[j])[2]
            F[j] = bias_wrench(joint.link, m.R[j], m.r[j], m.omega[j], m.v[j], m.eps[j], m.w[j], omega0)
            if pull is not None:
                F[j] -= pull(joint.link, m.R[j], m.r[j])
    Phi = [shift(r) for r in m.r]
    bodies = range(n)
    A = sum(m.J[j].T @ M[j] @ m.J[j] for j in bodies) + np.diag(leg.rotor_inertias())
    G = sum(Phi[j].T @ M[j] @ m.J[j] for j in bodies)
    bias = sum(m.J[j].T @ F[j] for j in bodies)
    n0 = sum(Phi[j].T @ F[j] for j in bodies)
    I = sum(Phi[j].T @ M[j] @ Phi[j] for j in bodies)
    return LegDynamics(M, F, A, G, bias, n0, I)


@dataclass(frozen=True)
class Reduced:
    """The mechanism as one articulated body: u_dot = A_star^-1 (b_star - G_star^T A0), base wrench = P_m A0 + z_m."""

    motions: list[LegMotion]
    dynamics: list[LegDynamics]
    A_star: np.ndarray  # (6, 6)
    b_star: np.ndarray  # (6,)
    G_star: np.ndarray  # (6, 6)
    n0_star: np.ndarray  # (6,)
    I_star: np.ndarray  # (6, 6)
    P_m: np.ndarray  # (6, 6)
    z_m: np.ndarray  # (6,)


def reduce(mechanism: Mechanism, state: State, shortcuts: Shortcuts = EXACT) -> Reduced:
    """Everything that does not depend on A0."""
    u, ring = state.u, mechanism.ring
    motions = [leg_motion(leg, state.r_C, state.R_C, u, shortcuts) for leg in mechanism.legs]
    legs = zip(mechanism.legs, motions, strict=True)
    dynamics = [leg_dynamics(leg, m, state.omega0, state.pull) for leg, m in legs]
    M_C, Phi_C = body_inertia(ring, state.R_C)[2], shift(state.r_C)
    rest = np.zeros(3)
    F_C = bias_wrench(ring, state.R_C, state.r_C, u[:3], u[3:], rest, rest, state.omega0)
    if state.pull is not None:
        F_C -= state.pull(ring, state.R_C, state.r_C)
    A_star, b_star = M_C.copy(), state.W_C - F_C
    G_star, n0_star, I_star = Phi_C.T @ M_C, Phi_C.T @ (F_C - state.W_C), Phi_C.T @ M_C @ Phi_C
    for m, k, Q in zip(motions, dynamics, state.Q, strict=True):
        A_star += m.H.T @ k.A @ m.H
        b_star = b_star + m.H.T @ (Q - k.n - k.A @ m.h)
        G_star = G_star + k.G @ m.H
        n0_star = n0_star + k.n0 + k.G @ m.h
        I_star = I_star + k.I
    if len(mechanism.weights):
        # the block of the driven joints gets D' J D
        J, H, h = mechanism.coupled_inertia(), *driven_rows(mechanism, motions)
        A_star += H.T @ J @ H
        b_star = b_star - H.T @ J @ h
    P_m = I_star - G_star @ np.linalg.solve(A_star, G_star.T)
    z_m = n0_star + G_star @ np.linalg.solve(A_star, b_star)
    return Reduced(motions, dynamics, A_star, b_star, G_star, n0_star, I_star, P_m, z_m)


def driven_rows(mechanism, motions):
    """H and h of the driven joints, (6, 6) and (6,)."""
    places = [ACTUATED[leg.type] for leg in mechanism.legs]
    pairs = list(zip(motions, places, strict=True))
    return np.array([m.H[j] for m, j in pairs]), np.array([m.h[j] for m, j in pairs])


def forces_on_legs(mechanism, Q, p_ddot):
    """Active joint forces less what turns the rotors behind the couplings."""
    if not len(mechanism.weights):
        return Q
    places = [ACTUATED[leg.type] for leg in mechanism.legs]
    turning = mechanism.coupled_inertia() @ np.array([a[j] for a, j in zip(p_ddot, places, strict=True)])
    return [q - turning[k] * (np.arange(len(q)) == j) for k, (q, j) in enumerate(zip(Q, places, strict=True))]


# section 5: joint loads


def joint_loads(leg, m, k, Q, p_ddot, A0, shortcuts=EXACT):
    """lambda (m,) and the wrenches f (n, 6) of the parent on each body, about its origin."""
    cut = np.linalg.solve(m.C_d.T, k.A @ p_ddot + k.G.T @ A0 + k.n - Q)
    moment = cross(m.d_L, cut[:3]) + (cut[3] * m.n_R if leg.n == 4 else 0.0)
    f = np.zeros(6) if shortcuts.zero_tip_load else -np.concatenate([moment, cut[:3]])
    r_next, loads = m.r[-1], np.zeros((leg.n, 6))
    free = Q - leg.rotor_inertias() * p_ddot
    for j in reversed(range(leg.n)):
        f = k.M[j] @ (m.J[j] @ p_ddot + shift(m.r[j]) @ A0) + k.F[j] + shift(r_next - m.r[j]).T @ f
        if shortcuts.zero_tip_load:
            axis = free_axis(m, j)
            f = f + axis * (free[j] - axis @ f)
        loads[j], r_next = f, m.r[j]
    return cut, loads


def free_axis(m, j):
    """Unit wrench along the free axis of joint j; f_j @ free_axis is the force or moment the joint passes along it."""
    revolute = m.J[j][:3, j] @ m.axis[j] > 0.5
    return np.concatenate([m.axis[j], np.zeros(3)] if revolute else [np.zeros(3), m.axis[j]])


def structural_loads(m, loads):
    """Joint loads (n, 6) without their free-axis component."""
    return np.array([f - free_axis(m, j) * (free_axis(m, j) @ f) for j, f in enumerate(loads)])


# the whole problem


def complete(mechanism, state, reduced, A0, shortcuts=EXACT) -> Solution:
    """Accelerations and loads for a known acceleration of the base."""
    felt = A0 - np.concatenate([np.zeros(3), state.gravity])
    u_dot = np.linalg.solve(reduced.A_star, reduced.b_star - reduced.G_star.T @ felt)
    p_ddot = [m.H @ u_dot + m.h for m in reduced.motions]
    cut, loads = [], []
    forces = forces_on_legs(mechanism, state.Q, p_ddot)
    for leg, m, k, Q, a in zip(mechanism.legs, reduced.motions, reduced.dynamics, forces, p_ddot, strict=True):
        cut_k, loads_k = joint_loads(leg, m, k, Q, a, felt, shortcuts)
        cut.append(cut_k)
        loads.append(loads_k)
    wrench = reduced.P_m @ felt + reduced.z_m
    if shortcuts.zero_tip_load:
        wrench = sum_of_base_joints(mechanism, loads)
    return Solution(u_dot, A0, [m.p_dot for m in reduced.motions], p_ddot, cut, loads, wrench)


def sum_of_base_joints(mechanism, loads):
    """Sum of the wrenches of the legs' first joints, about B's origin."""
    return sum(shift(leg.l_0).T @ f[0] for leg, f in zip(mechanism.legs, loads, strict=True))


def prescribed(mechanism: Mechanism, state: State, shortcuts: Shortcuts = EXACT) -> Solution:
    """Base moving as state.omega0 and state.A0 say: at rest, or in uniform motion, if they are zero."""
    if shortcuts.inertial_base:
        state = replace(state, omega0=np.zeros(3), A0=np.zeros(6))
    return complete(mechanism, state, reduce(mechanism, state, shortcuts), state.A0, shortcuts)


def floating(mechanism: Mechanism, base, state: State, W_B=None, shortcuts: Shortcuts = EXACT) -> Solution:
    """Base a free rigid body (Link, frame B) under the wrench W_B about B's origin; state.A0 is not used.

    With inertial_base the mechanism moves as on a fixed base and then acts on the base.
    """
    W_B = np.zeros(6) if W_B is None else W_B
    if state.pull is not None:
        W_B = W_B + state.pull(base, np.eye(3), np.zeros(3))
    gravity = np.concatenate([np.zeros(3), state.gravity])
    M_0, F_0 = body_inertia(base, np.eye(3))[2], gyroscopic_wrench(base, np.eye(3), state.omega0)
    if shortcuts.inertial_base:
        still = replace(state, A0=np.zeros(6))
        fixed = prescribed(mechanism, still, shortcuts)
        return replace(fixed, A0=np.linalg.solve(M_0, W_B - F_0 - fixed.base_wrench) + gravity)
    reduced = reduce(mechanism, state, shortcuts)
    felt = np.linalg.solve(M_0 + reduced.P_m, W_B - F_0 - reduced.z_m)
    return complete(mechanism, state, reduced, felt + gravity, shortcuts)


def inverse(mechanism: Mechanism, state: State, u_dot):
    """Forces (6,) of the actuated joints, beside state.Q, that give the ring u_dot on a base moving as prescribed."""
    reduced = reduce(mechanism, state)
    felt = state.A0 - np.concatenate([np.zeros(3), state.gravity])
    rows = [m.H[ACTUATED[leg.type]] for leg, m in zip(mechanism.legs, reduced.motions, strict=True)]
    return np.linalg.solve(np.array(rows).T, reduced.A_star @ u_dot + reduced.G_star.T @ felt - reduced.b_star)


# energy and momentum


def _moving_bodies(mechanism, state, V0, motions):
    """(link, R, r, [omega; v] of the origin) of every body with mass, for the base twist V0 = [omega0; v0]."""
    bodies = []
    for leg, m in zip(mechanism.legs, motions, strict=True):
        for j, joint in enumerate(chain(leg)):
            if joint.link is not None:
                bodies.append((joint.link, m.R[j], m.r[j], m.J[j] @ m.p_dot + shift(m.r[j]) @ V0))
    bodies.append((mechanism.ring, state.R_C, state.r_C, state.u + shift(state.r_C) @ V0))
    return bodies


def _motions(mechanism, state):
    return [leg_motion(leg, state.r_C, state.R_C, state.u) for leg in mechanism.legs]


def kinetic_energy(mechanism, state, V0):
    """Kinetic energy [J] of the mechanism for the base twist V0 = [omega0; v0], B axes, rotors included."""
    motions = _motions(mechanism, state)
    bodies = _moving_bodies(mechanism, state, V0, motions)
    links = sum(0.5 * V @ body_inertia(link, R)[2] @ V for link, R, _, V in bodies)
    rotors = (0.5 * leg.rotor_inertias() @ m.p_dot**2 for leg, m in zip(mechanism.legs, motions, strict=True))
    p_dot = np.array([m.p_dot[ACTUATED[leg.type]] for leg, m in zip(mechanism.legs, motions, strict=True)])
    coupled = 0.5 * p_dot @ mechanism.coupled_inertia() @ p_dot if len(mechanism.weights) else 0.0
    return links + sum(rotors) + coupled


def momentum(mechanism, state, V0):
    """[angular momentum about B's origin; momentum]; rotors carry none."""
    bodies = _moving_bodies(mechanism, state, V0, _motions(mechanism, state))
    return sum(shift(r).T @ body_inertia(link, R)[2] @ V for link, R, r, V in bodies)

"""A docking mechanism in joint coordinates: Golubev & Yaskevich, from the branches to the ring and to the base.

    ring        A* u' = b*,   A* = M_C + sum H' A H,   b* = s_C + sum H' (b - A h)
    branches    p'' = H u' + h,   lambda = C_d^-T (A p'' - b)
    base        what the first joints of all branches pass on, swept back from lambda

It gives what the compiled kernel gives, by the paper's own steps (docksim/hardware/branch.py has those of one branch),
with every matrix there to be looked at. Any branches will do, not only the five types of the kernel. All on B axes,
SI units, radians; six numbers are angular part first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from docksim.algebra.masses import cross_matrix, symmetric
from docksim.hardware.branch import (
    BasePoint,
    Branch,
    BranchEquations,
    Joint,
    carried,
    close,
    equations,
    joint_wrenches,
)


@dataclass(frozen=True)
class Ring:
    """The body that the branches carry: mass, first moment and inertia about C's origin, axes of C."""

    m: float
    s: np.ndarray
    J: np.ndarray


@dataclass(frozen=True)
class JointSpaceMotion:
    """Everything at one state, by the names of the paper; lists run over the branches."""

    branches: list[BranchEquations]
    A: np.ndarray  # (6, 6) A*
    b: np.ndarray  # (6,) b*
    u_dot: np.ndarray  # (6,) of C's origin as seen in B
    p_ddot: list[np.ndarray]
    cut_loads: list[np.ndarray]  # lambda (m,): force of the ring on the branch, then moment along e_1 x e_2
    wrenches: list[np.ndarray]  # (n, 6) of each link on the next, about the next one's origin
    base_wrench: np.ndarray  # (6,) base on the mechanism, about B's origin


@dataclass(frozen=True)
class JointSpace:
    """A ring on branches; rotors may stand behind sums of the driven coordinates (weights times coordinates)."""

    branches: Sequence[Branch]
    ring: Ring
    weights: np.ndarray  # (couplings, branches)
    coupled_rotors: np.ndarray  # (couplings,)

    def close(self, r_C: np.ndarray, R_C: np.ndarray, starts: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Joint coordinates of all branches at a pose, by Newton's steps from coordinates nearby."""
        return [close(branch, r_C, R_C, start) for branch, start in zip(self.branches, starts, strict=True)]

    def motion(
        self,
        p: Sequence[np.ndarray],
        r_C: np.ndarray,
        R_C: np.ndarray,
        u: np.ndarray,
        Q: Sequence[np.ndarray],
        wrench: np.ndarray,
        base: BasePoint,
    ) -> JointSpaceMotion:
        """Accelerations and loads at joint coordinates p that are closed."""
        own = [equations(branch, p_k, R_C, u, Q_k, base) for branch, p_k, Q_k in zip(self.branches, p, Q, strict=True)]
        M_C, s_C = self._ring_terms(r_C, R_C, u, base)
        A, b = M_C, wrench - s_C
        for one in own:
            A_k, b_k = one.share()
            A, b = A + A_k, b + b_k
        # rotors behind couplings move with the driven joints of several branches at once
        rotors = self.weights.T @ np.diag(self.coupled_rotors) @ self.weights
        H = np.array([one.H[branch.driven] for one, branch in zip(own, self.branches, strict=True)])
        h = np.array([one.h[branch.driven] for one, branch in zip(own, self.branches, strict=True)])
        A, b = A + H.T @ rotors @ H, b - H.T @ rotors @ h
        u_dot = np.linalg.solve(A, b)
        return self._loads(own, R_C, A, b, u_dot, rotors @ (H @ u_dot + h), base)

    def _ring_terms(
        self, r_C: np.ndarray, R_C: np.ndarray, u: np.ndarray, base: BasePoint
    ) -> tuple[np.ndarray, np.ndarray]:
        """Inertia of the ring about C's origin, and the wrench that its rates and the base's motion demand."""
        s, J = R_C @ self.ring.s, R_C @ self.ring.J @ R_C.T
        M = np.block([[J, cross_matrix(s)], [-cross_matrix(s), self.ring.m * np.eye(3)]])
        w = base.w + u[:3]
        eps = base.eps + np.cross(base.w, u[:3])
        W = carried(base.w, base.eps, base.W, r_C) + 2.0 * np.cross(base.w, u[3:])
        moment = np.cross(s, W) + J @ eps + np.cross(w, J @ w)
        force = self.ring.m * W + np.cross(eps, s) + np.cross(w, np.cross(w, s))
        return M, np.concatenate([moment, force])

    def _loads(
        self, own: list[BranchEquations], R_C: np.ndarray, A: np.ndarray, b: np.ndarray, u_dot: np.ndarray,
        held: np.ndarray, base: BasePoint,
    ) -> JointSpaceMotion:  # fmt: skip
        """Joint accelerations, forces in the cut joints, and from there back to the base."""
        accelerations: list[np.ndarray] = []
        cuts: list[np.ndarray] = []
        wrenches: list[np.ndarray] = []
        base_wrench = np.zeros(6)
        for branch, one, turning in zip(self.branches, own, held, strict=True):
            p_ddot = one.accelerations(u_dot)
            at_driven = turning * (np.arange(len(p_ddot)) == branch.driven)
            cut = one.cut_load(p_ddot, at_driven)
            loads = joint_wrenches(branch, one, R_C, p_ddot, cut, base)
            moment, force = loads[0, :3], loads[0, 3:]
            base_wrench += np.concatenate([moment + np.cross(one.r[0], force), force])
            for store, value in zip((accelerations, cuts, wrenches), (p_ddot, cut, loads), strict=True):
                store.append(value)
        return JointSpaceMotion(own, A, b, u_dot, accelerations, cuts, wrenches, base_wrench)


def leg_branch(names: Sequence[str], row: np.record, first: int, driven: int) -> Branch:
    """One of the five types of leg as a branch. Its first link follows joint `first`, its second the last one."""
    n, slides_at = len(names), list(names).index("stroke") if "stroke" in names else -1
    joints = []
    for j, name in enumerate(names):
        d, rotation = np.zeros(3), np.eye(3)
        if j == 0:
            d, rotation = np.array(row.l_0), row.R_0.reshape(3, 3)
        elif j == slides_at:
            d = np.array([row.a, 0.0, 0.0])
        elif slides_at < 0 and j == 1:
            d, rotation = np.array([row.l12, 0.0, 0.0]), row.R_k.reshape(3, 3)
        e = np.eye(3)[{"crank": 1, "y": 1, "z": 2, "x": 0, "stroke": 0}[name]]
        joint = Joint(name, j == slides_at, e, d, rotation, rotor=float(row.rotor[j]))
        link = {first: 0, n - 1: 1}.get(j)
        if link is not None:
            m = float(row.mass[link])
            joint = replace(joint, m=m, s=m * row.com[link], J=symmetric(row.inertia[link]))
        joints.append(joint)
    tip = np.array([row.b if slides_at >= 0 else row.l23, 0.0, 0.0])
    e_1, e_2 = (np.eye(3)[1], np.array(row.e_2)) if n == 4 else (None, None)
    return Branch(tuple(joints), tip, np.array(row.l_C), e_1, e_2, driven)

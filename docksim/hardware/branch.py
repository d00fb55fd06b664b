"""One branch of a docking mechanism in its joint coordinates: Golubev & Yaskevich, sections 4 to 6, step by step.

A branch is a chain of one-axis joints from the base B to the ring C. Its last joint, at the ring, is cut and closed by
equations: three rows if the cut joint is a ball, a fourth if it is a universal joint, whose axes e_1 on the last link
and e_2 on the ring stay square to each other. It has as many joints as rows, so the ring's motion gives its own.

    closure        C_d p' = C_i u,   C_d p'' = C_i u' + c,   so p' = H u and p'' = H u' + h
    dynamics       A p'' = b + C_d' lambda,   A by composite bodies, b by a sweep out and back
    position       Newton, p <- p - C_d^-1 f, from a start nearby

As printed, but for what docs/mechanism.md lists: strokes belong to the offsets, eps x d and the ring's centripetal
term to the closure, lambda to the loads, and the base may move. Link j follows joint j; vectors with index j are on
the axes of link j, all others on those of B. Masses m, first moments s and inertias J are about a link's origin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from docksim.algebra.masses import cross_matrix
from docksim.algebra.rotations import turn

# Newton closure: steps at most, and the residual in [m] and [1] that ends it
MOST_STEPS, CLOSED = 30, 1e-14
# largest turn or slide of one step [rad], [m]: a start far off does not jump to another branch
LONGEST_STEP = 0.5


class NotClosed(ValueError):
    """Newton's steps found no joint coordinates for the ring's pose."""


@dataclass(frozen=True)
class Joint:
    """A one-axis joint and the link after it."""

    name: str
    slides: bool
    e: np.ndarray  # (3,) axis, the same in the joint's frame and on the link's axes
    d: np.ndarray  # (3,) from the origin before to this one without stroke, on the axes before
    rotation: np.ndarray  # (3, 3) joint's frame to the axes before
    m: float = 0.0
    s: np.ndarray = field(default_factory=lambda: np.zeros(3))  # (3,)
    J: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    rotor: float = 0.0  # inertia that turns, or slides, with the joint alone


@dataclass(frozen=True)
class Branch:
    """The joints of a leg, and the joint that is cut."""

    joints: tuple[Joint, ...]
    tip: np.ndarray  # (3,) cut joint on the last link
    l_C: np.ndarray  # (3,) cut joint in C
    e_1: np.ndarray | None = None  # (3,) on the last link; None: the cut joint is a ball
    e_2: np.ndarray | None = None  # (3,) in C
    driven: int = 0

    def __post_init__(self) -> None:
        if self.rows != len(self.joints):
            raise ValueError(f"a branch of {len(self.joints)} joints is closed by {self.rows} rows; as many are needed")

    @property
    def rows(self) -> int:
        return 3 if self.e_1 is None else 4


@dataclass(frozen=True)
class BasePoint:
    """Motion of B: what the dynamics of a branch start from."""

    w: np.ndarray  # (3,) angular velocity
    eps: np.ndarray  # (3,) angular acceleration
    W: np.ndarray  # (3,) acceleration of the origin


@dataclass(frozen=True)
class BranchEquations:
    """The arrays of one branch at one state, by the names of the paper."""

    p: np.ndarray  # (n,) joint coordinates
    p_dot: np.ndarray  # (n,)
    R: np.ndarray  # (n, 3, 3) link axes to B
    r: np.ndarray  # (n, 3) link origins in B
    C_d: np.ndarray  # (m, n)
    C_i: np.ndarray  # (m, 6)
    c: np.ndarray  # (m,)
    H: np.ndarray  # (n, 6)
    h: np.ndarray  # (n,)
    A: np.ndarray  # (n, n)
    b: np.ndarray  # (n,)

    def share(self) -> tuple[np.ndarray, np.ndarray]:
        """What the branch adds to A* and b* of the ring: H' A H, H' (b - A h)."""
        return self.H.T @ self.A @ self.H, self.H.T @ (self.b - self.A @ self.h)

    def accelerations(self, u_dot: np.ndarray) -> np.ndarray:
        return self.H @ u_dot + self.h

    def cut_load(self, p_ddot: np.ndarray, held: np.ndarray) -> np.ndarray:
        """lambda (m,): force of the ring on the branch, then moment along e_1 x e_2; `held` of b goes elsewhere."""
        return np.linalg.solve(self.C_d.T, self.A @ p_ddot - (self.b - held))


# ---------------------------------------------------------------- places


def steps(branch: Branch, p: Sequence[float] | np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """beta_j, from the axes before to those of link j, and d_j, the offset with the stroke, on the axes before."""
    betas, offsets = [], []
    for joint, x in zip(branch.joints, p, strict=True):
        frame = joint.rotation if joint.slides else joint.rotation @ turn(joint.e, x)
        betas.append(frame.T)
        offsets.append(joint.d + joint.rotation @ joint.e * x if joint.slides else joint.d)
    return betas, offsets


def places(betas: list[np.ndarray], offsets: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Axes (n, 3, 3) and origins (n, 3) of the links in B."""
    R, r = np.eye(3), np.zeros(3)
    axes, origins = [], []
    for beta, d in zip(betas, offsets, strict=True):
        r = r + R @ d
        R = R @ beta.T
        axes.append(R)
        origins.append(r)
    return np.array(axes), np.array(origins)


# ---------------------------------------------------------------- closure


def closure_matrix(branch: Branch, R: np.ndarray, r: np.ndarray, R_C: np.ndarray) -> np.ndarray:
    """C_d (m, n): partial velocities of the cut joint, and of the turn that the universal joint refuses."""
    end = r[-1] + R[-1] @ branch.tip
    axes = np.array([R_j @ joint.e for R_j, joint in zip(R, branch.joints, strict=True)])
    slides = np.array([joint.slides for joint in branch.joints])[:, None]
    J_R = np.where(slides, 0.0, axes)
    C_d = np.where(slides, axes, np.cross(axes, end - r)).T
    if branch.e_1 is None:
        return C_d
    return np.vstack([C_d, J_R @ cut_normal(branch, R, R_C)])


def cut_normal(branch: Branch, R: np.ndarray, R_C: np.ndarray) -> np.ndarray:
    """n_R = e_1 x e_2: about it the universal joint passes a moment."""
    return np.cross(R[-1] @ branch.e_1, R_C @ branch.e_2)


def close(branch: Branch, r_C: np.ndarray, R_C: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Joint coordinates at a pose of the ring, by Newton's steps from `start` (paper, 4.6)."""
    p = np.array(start, float)
    goal = r_C + R_C @ branch.l_C
    best = np.inf
    for _ in range(MOST_STEPS):
        R, r = places(*steps(branch, p))
        f = r[-1] + R[-1] @ branch.tip - goal
        if branch.e_1 is not None:
            f = np.append(f, (R[-1] @ branch.e_1) @ (R_C @ branch.e_2))
        error = float(np.max(np.abs(f)))
        if error < CLOSED or (error < 1e-11 and error >= best):
            return p
        best = min(best, error)
        try:
            way = np.linalg.solve(closure_matrix(branch, R, r, R_C), f)
        except np.linalg.LinAlgError:
            break
        p = p - way * min(1.0, LONGEST_STEP / max(float(np.max(np.abs(way))), LONGEST_STEP))
    raise NotClosed(f"no joint coordinates found: {error:.3g} m are left after {MOST_STEPS} steps")


def drift(
    branch: Branch, betas: list[np.ndarray], offsets: list[np.ndarray], R: np.ndarray, R_C: np.ndarray,
    p_dot: np.ndarray, w_C: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """c (m,): what the rates alone take of the closure's acceleration, as seen in B."""
    rest = BasePoint(np.zeros(3), np.zeros(3), np.zeros(3))
    w, eps, W = (values[-1] for values in sweep_out(branch, betas, offsets, p_dot, rest))
    d_C = R_C @ branch.l_C
    c = np.cross(w_C, np.cross(w_C, d_C)) - R[-1] @ carried(w, eps, W, branch.tip)
    if branch.e_1 is None:
        return c
    w, eps = R[-1] @ w, R[-1] @ eps
    e_1, e_2 = R[-1] @ branch.e_1, R_C @ branch.e_2
    n_R_dot = np.cross(np.cross(w, e_1), e_2) + np.cross(e_1, np.cross(w_C, e_2))
    return np.append(c, -np.cross(e_1, e_2) @ eps - n_R_dot @ (w - w_C))


# ---------------------------------------------------------------- dynamics


def carried(w: np.ndarray, eps: np.ndarray, W: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Acceleration of a point d away on the same body."""
    return W + np.cross(eps, d) + np.cross(w, np.cross(w, d))


def sweep_out(
    branch: Branch, betas: list[np.ndarray], offsets: list[np.ndarray], p_dot: np.ndarray, base: BasePoint,
    p_ddot: np.ndarray | None = None,
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:  # fmt: skip
    """Angular velocity, angular acceleration and acceleration of the origin of every link; p'' = 0 if left out."""
    w, eps, W = base.w, base.eps, base.W
    motion: tuple[list[np.ndarray], ...] = ([], [], [])
    for j, (joint, beta, d) in enumerate(zip(branch.joints, betas, offsets, strict=True)):
        rate = joint.e * p_dot[j]
        gain = joint.e * p_ddot[j] if p_ddot is not None else np.zeros(3)
        W = beta @ carried(w, eps, W, d)
        w, eps = beta @ w, beta @ eps
        if joint.slides:
            W = W + 2.0 * np.cross(w, rate) + gain
        else:
            eps = eps + np.cross(w, rate) + gain
            w = w + rate
        for store, value in zip(motion, (w, eps, W), strict=True):
            store.append(value)
    return motion[0], motion[1], motion[2]


def sweep_back(
    branch: Branch, betas: list[np.ndarray], offsets: list[np.ndarray],
    motion: tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]], moment: np.ndarray, force: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """(n, 6) moment and force of each link on the next, about its origin; starts with what the last one gives away."""
    loads = np.zeros((len(branch.joints), 6))
    M, F = moment, force
    for j in reversed(range(len(branch.joints))):
        joint, (w, eps, W) = branch.joints[j], (values[j] for values in motion)
        # of this link, beside what it passes on
        F = F + joint.m * W + np.cross(eps, joint.s) + np.cross(w, np.cross(w, joint.s))
        M = M + np.cross(joint.s, W) + joint.J @ eps + np.cross(w, joint.J @ w)
        loads[j] = *M, *F
        F = betas[j].T @ F
        M = betas[j].T @ M + np.cross(offsets[j], F)
    return loads


def along(branch: Branch, loads: np.ndarray) -> np.ndarray:
    """(n,) what each joint passes on along its axis: a moment where it turns, a force where it slides."""
    pairs = zip(branch.joints, loads, strict=True)
    return np.array([joint.e @ (load[3:] if joint.slides else load[:3]) for joint, load in pairs])


def composite_bodies(branch: Branch, betas: list[np.ndarray], offsets: list[np.ndarray]) -> np.ndarray:
    """A (n, n) from the ring to the base: all links outside a joint as one body that moves with it, and the rotors."""
    n = len(branch.joints)
    A = np.diag([joint.rotor for joint in branch.joints])
    m, s, J = 0.0, np.zeros(3), np.zeros((3, 3))
    for j in reversed(range(n)):
        joint = branch.joints[j]
        m, s, J = m + joint.m, s + joint.s, J + joint.J
        # what it takes to move the composite body with the joint, carried down to the joints before
        F, M = (m * joint.e, np.cross(s, joint.e)) if joint.slides else (np.cross(joint.e, s), J @ joint.e)
        A[j, j] += joint.e @ (F if joint.slides else M)
        for i in range(j - 1, -1, -1):
            F = betas[i + 1].T @ F
            M = betas[i + 1].T @ M + np.cross(offsets[i + 1], F)
            inner = branch.joints[i]
            A[i, j] = A[j, i] = inner.e @ (F if inner.slides else M)
        m, s, J = carried_inertia(m, s, J, betas[j], offsets[j])
    return A


def carried_inertia(
    m: float, s: np.ndarray, J: np.ndarray, beta: np.ndarray, d: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment and inertia about the origin before, on the axes before."""
    S = beta.T @ s
    t = 2.0 * S + m * d
    J = beta.T @ J @ beta + (d @ t) * np.eye(3) - 0.5 * (np.outer(d, t) + np.outer(t, d))
    return m, S + m * d, J


# ---------------------------------------------------------------- all of it


def equations(
    branch: Branch, p: np.ndarray, R_C: np.ndarray, u: np.ndarray, Q: np.ndarray, base: BasePoint
) -> BranchEquations:
    """Closure and dynamics of a branch at joint coordinates p, ring twist u and joint forces Q."""
    betas, offsets = steps(branch, p)
    R, r = places(betas, offsets)
    C_d = closure_matrix(branch, R, r, R_C)
    C_i = np.hstack([-cross_matrix(R_C @ branch.l_C), np.eye(3)])
    if branch.e_1 is not None:
        C_i = np.vstack([C_i, np.append(cut_normal(branch, R, R_C), np.zeros(3))])
    H = np.linalg.solve(C_d, C_i)
    p_dot = H @ u
    c = drift(branch, betas, offsets, R, R_C, p_dot, u[:3])
    motion = sweep_out(branch, betas, offsets, p_dot, base)
    b = Q - along(branch, sweep_back(branch, betas, offsets, motion, np.zeros(3), np.zeros(3)))
    A = composite_bodies(branch, betas, offsets)
    return BranchEquations(p, p_dot, R, r, C_d, C_i, c, H, np.linalg.solve(C_d, c), A, b)


def joint_wrenches(
    branch: Branch, own: BranchEquations, R_C: np.ndarray, p_ddot: np.ndarray, cut: np.ndarray, base: BasePoint
) -> np.ndarray:
    """(n, 6) moment and force of each link on the next, about the next one's origin, on B axes (section 6)."""
    betas, offsets = steps(branch, own.p)
    motion = sweep_out(branch, betas, offsets, own.p_dot, base, p_ddot)
    # lambda as moment about the last link's origin, and force, of the ring on the branch
    moment = np.cross(own.R[-1] @ branch.tip, cut[:3])
    if branch.e_1 is not None:
        moment = moment + cut[3] * cut_normal(branch, own.R, R_C)
    to_last = own.R[-1].T
    loads = sweep_back(branch, betas, offsets, motion, -to_last @ moment, -to_last @ cut[:3])
    return np.array([[*(R @ load[:3]), *(R @ load[3:])] for R, load in zip(own.R, loads, strict=True)])

"""Closures of chains: a condition between two links, or a link and the world.

With frame A on one link and B on the other, d from A's origin to B's, v and w the velocity and rate of B against A
where B's origin is, all in the world, a closure's rows have

    f' = P [v; w]        f'' = P [v'; w'] + bias,    v' = a_B - a_A - 2 w_A x v,    w' = alpha_B - alpha_A - w_A x w

with accelerations of the two links' points at B's origin. Travels are the components of d on A's axes. Turns are those
of the rotation vector of R_AB (weld), or how far the two z axes are apart (hinge, planar, which turn about z freely). A
rod has f = |d| less its length. P turned round puts the reactions on both links, at one point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.kinematics.derivatives import cross
from docksim.chain.kinematics.links import Kinematics
from docksim.chain.kinematics.paths import rate_matrix, rotation_vector
from docksim.config.schema.chain_conditions import ClosureCondition

TRAVELS = {"weld": "xyz", "hinge": "xyz", "ball": "xyz", "point_on_line": "xy", "planar": "z", "rod": ""}
# z axes that stay along each other: turns about x and y of A, from its components of B's z axis
TILT = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])


@dataclass(frozen=True)
class End:
    """A frame on a link; link -1 is the world."""

    link: int
    point: np.ndarray
    axes: np.ndarray

    def place(self, at: Kinematics) -> tuple[np.ndarray, np.ndarray]:
        """Origin and axes in the world."""
        if self.link < 0:
            return self.point, self.axes
        return at.p[self.link] + at.R[self.link] @ self.point, at.R[self.link] @ self.axes

    def motion(self, at: Kinematics, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian [v; w] and drift of the link's point that is there."""
        if self.link < 0:
            return np.zeros((6, at.model.n)), np.zeros(6)
        return at.twists(self.link, point)


@dataclass(frozen=True)
class Relation:
    """A closure at a state."""

    f: np.ndarray
    rate: np.ndarray
    gradient: np.ndarray
    drift: np.ndarray
    P: np.ndarray  # (m, 6) by [v; w] of B against A
    point: np.ndarray  # where both links take the wrench


def row_names(part: ClosureCondition) -> tuple[str, ...]:
    turns = {"weld": "xyz", "hinge": "xy", "planar": "xy"}.get(part.kind, "")
    return ("length",) if part.kind == "rod" else (*TRAVELS[part.kind], *(f"turn_{axis}" for axis in turns))


def ends_of(part: ClosureCondition, start: Kinematics) -> tuple[End, End, float]:
    """Both ends, and a rod's length; what is not given is what is found at the start."""
    model = start.model
    k = int(model.far[model.names.index(part.link_a)])
    a = End(k, model.p_end[k] + model.R_end[k] @ np.array(part.point_a_m), model.R_end[k] @ frame_of(part.axis))
    x, axes = a.place(start)
    b = -1 if part.link_b is None else int(model.far[model.names.index(part.link_b)])
    R, p = (np.eye(3), np.zeros(3)) if b < 0 else (start.R[b], start.p[b])
    R_end, p_end = (np.eye(3), np.zeros(3)) if b < 0 else (model.R_end[b], model.p_end[b])
    point = R.T @ (x - p)
    if part.point_b_m is not None:
        point = p_end + R_end @ np.array(part.point_b_m)
    other = End(b, point, R.T @ axes)
    apart = float(np.linalg.norm(other.place(start)[0] - x))
    return a, other, apart if part.length_m is None else part.length_m


def frame_of(axis: tuple[float, float, float] | None) -> np.ndarray:
    """Axes whose z is the given one."""
    if axis is None:
        return np.eye(3)
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z]).T


def relation(part: ClosureCondition, a: End, b: End, length: float, at: Kinematics) -> Relation:
    """Everything that equations of motion need of a closure. Coordinates and rates may be complex."""
    x_a, A = a.place(at)
    x_b, B = b.place(at)
    J_a, drift_a = a.motion(at, x_b)
    J_b, drift_b = b.motion(at, x_b)
    J = J_b - J_a
    twist, w_a = J @ at.rates, J_a[3:] @ at.rates
    v, w = twist[:3], twist[3:]
    change = drift_b - drift_a
    d = x_b - x_a
    if part.kind == "rod":
        size = max(np.sqrt(d @ d), 1e-12, key=np.real)
        n = d / size
        P = np.concatenate([n, np.zeros(3)])[None]
        # the points' own velocities: that of A's link where B is, less what its turn makes of the way
        v = v + cross(w_a, d)
        own = change[:3] + cross(drift_a[3:], d) + cross(w_a, cross(w_a, d))
        drift = np.array([n @ own + (v @ v - (n @ v) ** 2) / size])
        return Relation(np.array([size - length]), P @ twist, P @ J, drift, P, x_b)
    v_dot = change[:3] - 2.0 * cross(w_a, v)
    w_dot = change[3:] - cross(w_a, w)
    pick = ["xyz".index(axis) for axis in TRAVELS[part.kind]]
    f: list[np.ndarray] = [(A.T @ d)[pick]]
    rows: list[np.ndarray] = [np.hstack([A.T[pick], np.zeros((len(pick), 3))])]
    bias: list[np.ndarray] = [np.zeros(len(pick))]
    if part.kind == "weld":
        vector = rotation_vector(A.T @ B)
        E, _ = rate_matrix(vector, np.zeros(3))
        _, dE = rate_matrix(vector, E @ (B.T @ w))
        # on B's axes, which turn against A's at w
        f.append(vector)
        rows.append(np.hstack([np.zeros((3, 3)), E @ B.T]))
        bias.append(dE @ (B.T @ w))
    elif part.kind in ("hinge", "planar"):
        z = B[:, 2]
        across = np.array([cross(axis, z) for axis in np.eye(3)]).T  # w x z by w
        f.append(TILT @ A.T @ z)
        rows.append(np.hstack([np.zeros((2, 3)), TILT @ A.T @ across]))
        bias.append(TILT @ A.T @ cross(w, cross(w, z)))
    P = np.vstack(rows)
    drift = P @ np.concatenate([v_dot, w_dot]) + np.concatenate(bias)
    return Relation(np.concatenate(f), P @ twist, P @ J, drift, P, x_b)

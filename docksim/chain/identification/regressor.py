"""The forces of a chain as linear functions of its inertial parameters: Q = W(q, q', q'') p, for many samples at once.

p holds ten figures a link: xx, yy, zz, xy, xz, yz (entries of the integral of r rT dm, so xy = +int x y dm), the first
moments x, y, z, and the mass; in the frame of the far end for a chain from Denavit-Hartenberg rows, else in the frame
of the body. In this form a link's share is the trace of U_ki P_k (T_k'' - G)T: T_k the frame's 4 x 4 pose in the
world, U_ki its derivative by q_i, P_k the pseudo-inertia [[Sigma, h], [hT, m]], and G the free fall.

Springs are known (the file says them) and are taken off the measured forces; rotor inertia, viscous and Coulomb
friction may be columns of their own, see `drive_columns`.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.masses import cross_matrix
from docksim.chain.kinematics.derivatives import cross, turns
from docksim.chain.model import ChainModel

PER_LINK = 10
# rows and columns of the pseudo-inertia that the ten figures stand for
ROWS = np.array([0, 1, 2, 0, 0, 1, 0, 1, 2, 3])
COLUMNS = np.array([0, 1, 2, 1, 2, 2, 3, 3, 3, 3])
OFF_DIAGONAL = ROWS != COLUMNS


def pseudo_inertias(parameters: np.ndarray) -> np.ndarray:
    """P (..., 4, 4) of ten figures (..., 10)."""
    out = np.zeros((*parameters.shape[:-1], 4, 4))
    out[..., ROWS, COLUMNS] = parameters
    out[..., COLUMNS, ROWS] = parameters
    return out


def parameter_frames(model: ChainModel) -> np.ndarray:
    """H (n, 4, 4): the frame in which a link's figures are given, in the link's own."""
    H = np.tile(np.eye(4), (model.n, 1, 1))
    if model.by_rows:
        H[:, :3, :3], H[:, :3, 3] = model.R_end, model.p_end
    return H


def inertial_parameters(model: ChainModel) -> np.ndarray:
    """p (10 n,) of the model's own masses."""
    own = np.zeros((model.n, 4, 4))
    trace = 0.5 * np.trace(model.inertia, axis1=1, axis2=2)
    own[:, :3, :3] = trace[:, None, None] * np.eye(3) - model.inertia
    own[:, :3, 3] = own[:, 3, :3] = model.moment
    own[:, 3, 3] = model.mass
    back = np.linalg.inv(parameter_frames(model))
    return (back @ own @ np.swapaxes(back, 1, 2))[:, ROWS, COLUMNS].ravel()


def regressor(model: ChainModel, q: np.ndarray, rates: np.ndarray, accelerations: np.ndarray) -> np.ndarray:
    """W (T, n, 10 n) for samples (T, n) of motion."""
    q, rates, accelerations = (np.atleast_2d(np.asarray(x, float)) for x in (q, rates, accelerations))
    T, bend, axes, origins = _motion(model, q, rates, accelerations)
    bend[:, :, :3, 3] -= model.gravity
    W = np.zeros((len(q), model.n, model.n, PER_LINK))
    for k in range(model.n):
        for i in np.flatnonzero(model.inside[:, k]):
            U = _by_joint(model, int(i), T[:, k], axes[:, i], origins[:, i])
            share = np.swapaxes(U, 1, 2) @ bend[:, k]
            W[:, i, k] = share[:, ROWS, COLUMNS] + OFF_DIAGONAL * share[:, COLUMNS, ROWS]
    return W.reshape(len(q), model.n, model.n * PER_LINK)


def _by_joint(model: ChainModel, i: int, T: np.ndarray, axis: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """U (T, 3, 4): derivative of a frame's pose by the coordinate of joint i."""
    U = np.zeros_like(T)
    if model.prismatic[i]:
        U[:, :, 3] = axis
        return U
    turn = cross_matrix(axis)
    U[:, :, :3] = turn @ T[:, :, :3]
    U[:, :, 3] = cross(axis, T[:, :, 3] - origin)
    return U


def _motion(
    model: ChainModel, q: np.ndarray, rates: np.ndarray, accelerations: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Poses T of the parameter frames, their second derivatives (T, n, 3, 4); joint axes and origins, in the world."""
    count, n = q.shape
    H = parameter_frames(model)
    T, bend = np.zeros((count, n, 3, 4)), np.zeros((count, n, 3, 4))
    R, p = np.zeros((count, n, 3, 3)), np.zeros((count, n, 3))
    w, dw, ddp = np.zeros((count, n, 3)), np.zeros((count, n, 3)), np.zeros((count, n, 3))
    axes = np.zeros((count, n, 3))
    for k, above in enumerate(model.parent):
        R0, p0, w0, dw0, ddp0 = (
            (x[:, above] for x in (R, p, w, dw, ddp)) if above >= 0 else (np.eye(3)[None], *4 * (np.zeros((1, 3)),))
        )
        arm = np.einsum("tab,b->ta", R0, model.p_fix[k])
        axes[:, k] = np.einsum("tab,b->ta", R0, model.R_fix[k] @ model.axis[k])
        speed, surge = rates[:, k, None] * axes[:, k], accelerations[:, k, None] * axes[:, k]
        if model.prismatic[k]:
            arm = arm + q[:, k, None] * axes[:, k]
            R[:, k] = R0 @ model.R_fix[k]
            w[:, k], dw[:, k] = w0, dw0
            ddp[:, k] = surge + 2.0 * cross(w0, speed)
        else:
            R[:, k] = R0 @ (model.R_fix[k] @ turns(model.axis[k], q[:, k]))
            w[:, k], dw[:, k] = w0 + speed, dw0 + surge + cross(w0, speed)
        p[:, k] = p0 + arm
        ddp[:, k] += ddp0 + cross(dw0, arm) + cross(w0, cross(w0, arm))
        spin = cross_matrix(w[:, k])
        twice = cross_matrix(dw[:, k]) + spin @ spin
        T[:, k, :, :3] = R[:, k] @ H[k, :3, :3]
        T[:, k, :, 3] = R[:, k] @ H[k, :3, 3] + p[:, k]
        bend[:, k, :, :3] = twice @ T[:, k, :, :3]
        bend[:, k, :, 3] = ddp[:, k] + np.einsum("tab,tb->ta", twice, T[:, k, :, 3] - p[:, k])
    return T, bend, axes, p


def drive_columns(model: ChainModel, kind: str, rates: np.ndarray, accelerations: np.ndarray) -> np.ndarray:
    """(T, n, n) columns of one figure a joint: 'rotor' by q'', 'viscous' by q', 'coulomb' by the sign of q'."""
    value = {"rotor": accelerations, "viscous": rates, "coulomb": np.sign(rates)}[kind]
    out = np.zeros((len(rates), model.n, model.n))
    out[:, np.arange(model.n), np.arange(model.n)] = value
    return out

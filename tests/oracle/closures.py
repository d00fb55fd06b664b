"""Closures of trees, densely on Pinocchio's matrices: rows, what accelerations they need, impulses, reactions.

A closure takes hold of two bodies as they are: a frame on body a with axes R and origin x, and the frame on body b that
is there too; a rod of two points, and the line between them. Components on the axes of a change by the motion of b
against the turning frame of a, from which both the rows and their drift follow. Nothing here knows of recursions.
"""

from typing import NamedTuple

import numpy as np

from tests.physics.dense_stack import world_jacobian

MASKS = {
    "weld": (1, 1, 1, 1, 1, 1),
    "hinge": (1, 1, 0, 1, 1, 1),
    "ball": (0, 0, 0, 1, 1, 1),
    "point_on_line": (0, 0, 0, 1, 1, 0),
    "planar": (1, 1, 0, 0, 0, 1),
}


class Tie(NamedTuple):
    """Two bodies of the list; point and axes in body a's frame; of a rod the point in body b's."""

    kind: str
    a: int
    b: int
    point: np.ndarray
    axes: np.ndarray
    other: np.ndarray


def _point_motion(tree, theta, beta, body, x):
    """Velocity and acceleration [angular; linear] of the point of a body that is at x, all speeds being constant."""
    r = tree.body_poses(theta)[0]
    V, A = tree.body_motion(theta, beta, np.zeros_like(beta))
    w, arm = V[body, :3], x - r[body]
    v = V[body, 3:] + np.cross(w, arm)
    a = A[body, 3:] + np.cross(A[body, :3], arm) + np.cross(w, np.cross(w, arm))
    return w, v, A[body, :3], a


def rows(tree, theta, beta, tie):
    """G, and the drift g: d(G beta)/dt = G beta' + g. Also x and R: where the tie is, and its axes."""
    r, R = tree.body_poses(theta)
    x = r[tie.a] + R[tie.a] @ tie.point
    if tie.kind == "rod":
        y = r[tie.b] + R[tie.b] @ tie.other
        J = (world_jacobian(tree, theta, tie.b, y) - world_jacobian(tree, theta, tie.a, x))[3:]
        _, v_a, _, a_a = _point_motion(tree, theta, beta, tie.a, x)
        _, v_b, _, a_b = _point_motion(tree, theta, beta, tie.b, y)
        # s2 = d.d: s' = d.v / s, s'' = (v.v + d.a) / s - (d.v)2 / s3
        d, v = y - x, v_b - v_a
        s = np.linalg.norm(d)
        drift = (v @ v + d @ (a_b - a_a)) / s - (d @ v) ** 2 / s**3
        return (d @ J / s)[None], np.array([drift]), y, R[tie.a] @ tie.axes
    axes = R[tie.a] @ tie.axes
    J = world_jacobian(tree, theta, tie.b, x) - world_jacobian(tree, theta, tie.a, x)
    w_a, v_a, alpha_a, a_a = _point_motion(tree, theta, beta, tie.a, x)
    w_b, v_b, alpha_b, a_b = _point_motion(tree, theta, beta, tie.b, x)
    # as seen from the axes of a, which turn: the two origins coincide, so the terms with their distance vanish
    turn = alpha_b - alpha_a - np.cross(w_a, w_b - w_a)
    travel = a_b - a_a - 2.0 * np.cross(w_a, v_b - v_a)
    keep = np.array(MASKS[tie.kind], bool)
    both = np.block([[axes.T, np.zeros((3, 3))], [np.zeros((3, 3)), axes.T]])
    return (both @ J)[keep], (both @ np.concatenate([turn, travel]))[keep], x, axes


def wrench(tie, L):
    """[moment; force] on body b on the axes of a, from the multipliers of its rows."""
    full = np.zeros(6)
    full[np.array(MASKS[tie.kind], bool)] = L
    return full


class Solution(NamedTuple):
    beta_dot: np.ndarray
    L: np.ndarray
    held: np.ndarray


def solve(M, right, G, gap, prescribed, given):
    """M x = right + G' L + held, G x = gap, x = given where prescribed; L by least squares where it is not unique."""
    n, fixed = len(right), np.eye(len(right))[prescribed]
    C = np.vstack([G, fixed])
    kkt = np.block([[M, -C.T], [C, np.zeros((len(C), len(C)))]])
    solution = np.linalg.lstsq(kkt, np.concatenate([right, gap, given[prescribed]]), rcond=1e-13)[0]
    return Solution(solution[:n], solution[n : n + len(G)], fixed.T @ solution[n + len(G) :])

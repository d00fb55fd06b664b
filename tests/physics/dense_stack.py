"""Vehicles under rigid constraints, solved densely on Pinocchio's matrices: impulses and accelerations.

The trees keep the coordinates that they have alone. A weld of body A to body B is six rows G beta = 0, the difference
of the two bodies' velocities at one point; a prescribed speed is a row of its own. Gauss' principle, for impulses and
for accelerations: the smallest change in the metric of M that obeys the rows.
"""

from typing import NamedTuple

import numpy as np


def world_jacobian(tree, theta, body, point):
    """(6, nv): velocity [omega; v] of the point of a body that is now at `point` in W."""
    r, R = tree.body_poses(theta)
    return tree.jacobian(theta, body, R[body].T @ (point - r[body]))


def weld_rows(tree, theta, a, b, point):
    """G: velocity of A less that of B at a point in W."""
    return world_jacobian(tree, theta, a, point) - world_jacobian(tree, theta, b, point)


def weld_bias(tree, theta, beta, a, b, point):
    """G' beta: the acceleration of A less that of B at the point, with all speeds constant."""
    r = tree.body_poses(theta)[0]
    V, A = tree.body_motion(theta, beta, np.zeros_like(beta))
    at_point = []
    for k in (a, b):
        omega, arm = V[k, :3], point - r[k]
        linear = A[k, 3:] + np.cross(A[k, :3], arm) + np.cross(omega, np.cross(omega, arm))
        at_point.append(np.concatenate([A[k, :3], linear]))
    return at_point[0] - at_point[1]


class Constrained(NamedTuple):
    """Solution (speeds or accelerations), reaction of the weld [moment; force] on A, forces of prescribed speeds."""

    x: np.ndarray
    weld: np.ndarray
    held: np.ndarray


def constrained(M, right, G, gap, prescribed, given):
    """M x = right + G' weld + held, with G x = gap and x = given where prescribed."""
    n, rows = len(right), np.eye(len(right))[prescribed]
    C = np.vstack([G, rows])
    kkt = np.block([[M, -C.T], [C, np.zeros((len(C), len(C)))]])
    solution = np.linalg.solve(kkt, np.concatenate([right, gap, given[prescribed]]))
    return Constrained(solution[:n], solution[n : n + len(G)], rows.T @ solution[n + len(G) :])


def jump(M, beta, G, prescribed, given):
    """Speeds after an impulse that closes G beta and brings the prescribed speeds to those given; the energy lost.

    The loss is the energy of the change, (after - beta)' M (after - beta) / 2 (Carnot).
    """
    solution = constrained(M, M @ beta, G, np.zeros(len(G)), prescribed, given)
    change = solution.x - beta
    return solution, 0.5 * change @ M @ change

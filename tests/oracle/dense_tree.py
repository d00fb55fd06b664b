"""Dense equations of motion of a tree by Kane's method, nothing but numpy: the second opinion on Pinocchio.

Body poses come from a plain composition of rotations; Jacobians are complex-step derivatives of the poses, exact to
rounding; their rate is a central difference of step 1e-5, good to about 1e-9. Then

    M = sum of J_b^T M_b J_b + rotors,    M beta' + h = tau + sum of J^T wrench,    h = sum of J_b^T (bias wrench)

Slow (cubic and worse): for checks only. Conventions: tree_description.py, speeds of ball and free joints on J axes.
"""

import numpy as np

from tests.oracle.rotations import axis_turn, quat_matrix, quat_rate
from tests.oracle.tree_description import COORDINATES, SPEEDS, inertial_wrench, slices

COMPLEX_STEP = 1e-30
RATE_STEP = 1e-5


def joint_pose(body, theta):
    """Position and rotation of J in F."""
    if body.joint == "revolute":
        return np.zeros(3), axis_turn(body.unit_axis(), theta[0])
    if body.joint == "prismatic":
        return theta[0] * body.unit_axis(), np.eye(3)
    if body.joint == "cylindrical":
        return theta[1] * body.unit_axis(), axis_turn(body.unit_axis(), theta[0])
    if body.joint == "universal":
        return np.zeros(3), axis_turn(body.unit_axis(), theta[0]) @ axis_turn(body.unit_axis_2(), theta[1])
    if body.joint == "spherical":
        return np.zeros(3), quat_matrix(theta)
    if body.joint == "free":
        return theta[:3], quat_matrix(theta[3:])
    return np.zeros(3), np.eye(3)


def coordinate_rates(bodies, theta, beta):
    """theta' = B(theta) beta: identity but for quaternions; a free joint's position rate is the second half of beta."""
    rates = []
    for body, q, v in zip(bodies, slices(bodies, COORDINATES), slices(bodies, SPEEDS), strict=True):
        if body.joint == "spherical":
            rates.append(quat_rate(theta[q], beta[v]))
        elif body.joint == "free":
            rates.append(np.concatenate([beta[v][3:], quat_rate(theta[q][3:], beta[v][:3])]))
        else:
            rates.append(beta[v])
    return np.concatenate(rates)


def poses(bodies, theta):
    """Positions (n, 3) and rotations (n, 3, 3) of the body frames in W."""
    r, R = [], []
    for body, q in zip(bodies, slices(bodies, COORDINATES), strict=True):
        r_P, R_P = (np.zeros(3), np.eye(3)) if body.parent < 0 else (r[body.parent], R[body.parent])
        p, turn = joint_pose(body, theta[q])
        R_J = R_P @ body.rotation @ turn
        R_k = R_J @ body.child_rotation.T
        r_J = r_P + R_P @ (body.position + body.rotation @ p)
        R.append(R_k)
        r.append(r_J - R_k @ body.child_position)
    return np.array(r), np.array(R)


def jacobians(bodies, theta):
    """(n, 6, size): velocity [omega; v of the body frame's origin], world axes, per speed."""
    size = sum(SPEEDS[body.joint] for body in bodies)
    R = poses(bodies, theta)[1]
    J = np.zeros((len(bodies), 6, size))
    for i in range(size):
        rate = coordinate_rates(bodies, theta, np.eye(size)[i])
        dr, dR = (x.imag / COMPLEX_STEP for x in poses(bodies, theta + 1j * COMPLEX_STEP * rate))
        # omega~ = R' R^T
        spin = np.einsum("kij,klj->kil", dR, R)
        J[:, :3, i] = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
        J[:, 3:, i] = dr
    return J


def mass_matrix(bodies, theta):
    """sum of J^T M_b J, built column by column from Newton-Euler wrenches at rest, plus rotors."""
    J, R = jacobians(bodies, theta), poses(bodies, theta)[1]
    rest = np.zeros(6)
    M = np.zeros((J.shape[2], J.shape[2]))
    for k, body in enumerate(bodies):
        wrenches = np.column_stack([inertial_wrench(body, R[k], rest, column) for column in J[k].T])
        M += J[k].T @ wrenches
    for body, v in zip(bodies, slices(bodies, SPEEDS), strict=True):
        if body.rotor:
            M[v, v] += np.diag(body.rotor)
    return M


def bias_force(bodies, theta, beta):
    """h: generalised forces that keep the speeds constant."""
    J, R = jacobians(bodies, theta), poses(bodies, theta)[1]
    step = RATE_STEP * coordinate_rates(bodies, theta, beta)
    J_rate = (jacobians(bodies, theta + step) - jacobians(bodies, theta - step)) / (2.0 * RATE_STEP)
    h = np.zeros(len(beta))
    for k, body in enumerate(bodies):
        h += J[k].T @ inertial_wrench(body, R[k], J[k] @ beta, J_rate[k] @ beta)
    return h


def wrench_force(bodies, theta, wrenches):
    """Generalised force of external wrenches: (body, point in the body frame, [moment; force] on world axes)."""
    J, R = jacobians(bodies, theta), poses(bodies, theta)[1]
    tau = np.zeros(J.shape[2])
    for k, point, wrench in wrenches:
        moment = wrench[:3] + np.cross(R[k] @ point, wrench[3:])
        tau += J[k].T @ np.concatenate([moment, wrench[3:]])
    return tau


def forward(bodies, theta, beta, tau, wrenches=()):
    """Accelerations beta'."""
    force = tau + wrench_force(bodies, theta, wrenches) - bias_force(bodies, theta, beta)
    return np.linalg.solve(mass_matrix(bodies, theta), force)

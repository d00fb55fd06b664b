"""Rotations for the oracles: Hamilton quaternions (w, x, y, z), R_AB takes B components to A. Complex arguments work.

Complex arguments are allowed so that derivatives can be taken by complex step (Squire & Trapp, SIAM Review 40, 1998).
"""

import numpy as np


def hat(a):
    """Cross-product matrix: hat(a) @ b = a x b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def cross(a, b):
    """a x b of two vectors of three, to the bit as numpy's, which is made for arrays of many."""
    (a0, a1, a2), (b0, b1, b2) = np.asarray(a).tolist(), np.asarray(b).tolist()
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def axis_turn(axis, angle):
    """Rotation by angle [rad] about a unit axis: 1 + sin(t) a~ + (1 - cos(t)) a~ a~ (Rodrigues)."""
    a = hat(np.asarray(axis))
    return np.eye(3) + np.sin(angle) * a + (1.0 - np.cos(angle)) * (a @ a)


def turn(rotation_vector):
    """Rotation matrix of a rotation vector [rad]."""
    angle = np.linalg.norm(rotation_vector)
    return np.eye(3) if angle == 0.0 else axis_turn(np.asarray(rotation_vector) / angle, angle)


def quat_matrix(q):
    """Rotation matrix of a quaternion (w, x, y, z): 1 + 2 w v~ + 2 v~ v~, after division by its norm."""
    q = np.asarray(q)
    w, v = q[0], hat(q[1:])
    return np.eye(3) + 2.0 * (w * v + v @ v) / (q @ q)


def quat_rate(q, omega):
    """dq/dt for the angular velocity omega in body (turned) axes: q (0, omega) / 2."""
    w, v = q[0], np.asarray(q[1:])
    return 0.5 * np.concatenate([[-(v @ omega)], w * np.asarray(omega) + cross(v, omega)])


def random_quat(rng):
    """Uniformly random unit quaternion (w, x, y, z)."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_rotation(rng):
    """Uniformly random rotation matrix."""
    return quat_matrix(random_quat(rng))

"""Unit quaternions (w, x, y, z), Hamilton's product; q_AB takes B components to A. Rotation vectors and their rates."""

from __future__ import annotations

import math
from typing import Any

from docksim.algebra.elementary import atan2, cos, sin
from docksim.algebra.vec3 import Mat3, Numbers, Vec3, add, axpy, cross, scale

Quat = tuple[float, float, float, float]


def load4(x: Any) -> Quat:
    return x[0], x[1], x[2], x[3]


def quat_mul(a: Numbers, b: Numbers) -> Quat:
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def quat_conj(a: Numbers) -> Quat:
    return a[0], -a[1], -a[2], -a[3]


def quat_normalised(a: Numbers) -> Quat:
    s = 1.0 / math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    return s * a[0], s * a[1], s * a[2], s * a[3]


def quat_vec(q: Quat, v: Vec3) -> Vec3:
    """A vector's outer components from its inner ones."""
    t = scale(2.0, cross(q[1:], v))
    return add(axpy(q[0], t, v), cross(q[1:], t))


def quat_t_vec(q: Quat, v: Vec3) -> Vec3:
    """A vector's inner components from its outer ones."""
    return quat_vec(quat_conj(q), v)


def quat_to_mat(q: Any) -> Mat3:
    """Of a unit quaternion."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


def mat_to_quat(m: Numbers) -> Quat:
    """Shepperd's way: divide by the largest of the four components; the sign makes w >= 0."""
    trace = m[0] + m[4] + m[8]
    if trace >= m[0] and trace >= m[4] and trace >= m[8]:
        q = (1.0 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1])
    elif m[0] >= m[4] and m[0] >= m[8]:
        q = (m[7] - m[5], 1.0 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6])
    elif m[4] >= m[8]:
        q = (m[2] - m[6], m[1] + m[3], 1.0 - m[0] + m[4] - m[8], m[5] + m[7])
    else:
        q = (m[3] - m[1], m[2] + m[6], m[5] + m[7], 1.0 - m[0] - m[4] + m[8])
    q = quat_normalised(q)
    if q[0] < 0.0:
        return -q[0], -q[1], -q[2], -q[3]
    return q


def axis_turn(a: Numbers, angle: float) -> Mat3:
    """The rotation matrix of a turn about the unit vector a (Rodrigues)."""
    c = cos(angle)
    s = sin(angle)
    d = 1.0 - c
    x, y, z = a
    return (
        c + d * x * x,
        d * x * y - s * z,
        d * x * z + s * y,
        d * x * y + s * z,
        c + d * y * y,
        d * y * z - s * x,
        d * x * z - s * y,
        d * y * z + s * x,
        c + d * z * z,
    )


def axis_quat(a: Numbers, angle: float) -> Quat:
    """The quaternion of a turn about the unit vector a."""
    s = sin(0.5 * angle)
    return cos(0.5 * angle), s * a[0], s * a[1], s * a[2]


def quat_exp(u: Numbers) -> Quat:
    """The quaternion of rotation vector u."""
    angle2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    if angle2 < 1e-6:
        # series to sixth order: the error is below 1e-24
        s = 0.5 - angle2 / 48.0 + angle2 * angle2 / 3840.0
        c = 1.0 - angle2 / 8.0 + angle2 * angle2 / 384.0
    else:
        angle = math.sqrt(angle2)
        s = sin(0.5 * angle) / angle
        c = cos(0.5 * angle)
    return c, s * u[0], s * u[1], s * u[2]


def quat_log(q: Numbers) -> Vec3:
    """The rotation vector of q, angle in [0, pi]."""
    w = q[0]
    sign = 1.0
    if w < 0.0:
        w = -w
        sign = -1.0
    n = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if n < 1e-9:
        f = 2.0 * sign / w
    else:
        f = 2.0 * sign * atan2(n, w) / n
    return f * q[1], f * q[2], f * q[3]


def inverse_dexp(u: Numbers, w: Numbers) -> Vec3:
    """Rate of the rotation vector u when q = q0 exp(u) turns at w on its own axes, to fourth order in u."""
    uw = cross(u, w)
    return axpy(1.0 / 12.0, cross(u, uw), axpy(0.5, uw, w))


def rotation_vector_torque(u: Numbers, g: Numbers) -> Vec3:
    """Torque on child axes of a potential with gradient g in the rotation vector u: -J(u)^-T g, exact for |u| < pi."""
    angle2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    if angle2 < 1e-4:
        f = 1.0 / 12.0 + angle2 / 720.0 + angle2 * angle2 / 30240.0
    else:
        half = 0.5 * math.sqrt(angle2)
        f = (1.0 - half * cos(half) / sin(half)) / angle2
    ug = cross(u, g)
    return scale(-1.0, axpy(f, cross(u, ug), axpy(-0.5, ug, g)))

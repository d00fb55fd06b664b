"""Small vectors as plain floats: in a cycle of a millisecond, arrays of three numbers would cost ten times as much."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docksim import model as codes

Numbers = Sequence[float]


def motion_of(row: np.ndarray, body: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Position, axes (row by row), velocity and body rate of a body in a logged row."""
    first = codes.LOG_HEAD + (body - 1) * codes.LOG_BODY
    x_0, x_1, x_2, w, x, y, z, *twist = row[first : first + 13].tolist()
    turn = (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip
    return (x_0, x_1, x_2), turn, twist[:3], twist[3:]


def relative_twist(
    R_A: Numbers, twist_A: Sequence[Numbers], arm_A: Numbers, R_B: Numbers, twist_B: Sequence[Numbers], arm_B: Numbers
) -> tuple[Numbers, Numbers]:
    """Velocity and angular velocity of B against A at a point, axes of W."""
    w_A, w_B = turned(R_A, twist_A[1]), turned(R_B, twist_B[1])
    v_A, v_B = crossed(w_A, arm_A), crossed(w_B, arm_B)
    v = tuple(b + vb - a - va for a, va, b, vb in zip(twist_A[0], v_A, twist_B[0], v_B))
    return v, tuple(b - a for a, b in zip(w_A, w_B))


def dot(a: Numbers, b: Numbers) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def turned(R: Numbers, a: Numbers) -> Numbers:
    """A vector by a matrix that is given row by row."""
    return dot(R[0:3], a), dot(R[3:6], a), dot(R[6:9], a)


def crossed(a: Numbers, b: Numbers) -> Numbers:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]

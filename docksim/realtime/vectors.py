"""Small vectors as plain floats: in a cycle of a millisecond, arrays of three numbers would cost ten times as much."""

from __future__ import annotations

from collections.abc import Sequence

from docksim.algebra.elementary import cos, sin
from docksim.model.log import Log

Numbers = Sequence[float]
Vector = tuple[float, float, float]
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def motion_of(row: Log, body: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Position, axes (row by row), velocity and body rate of a body in a log's first row."""
    table, k = row.body, (0, body - 1)
    x, q, v, w = (table[field][k].tolist() for field in ("position", "quaternion", "velocity", "rate"))
    return x, matrix_of(q), v, w


def dot(a: Numbers, b: Numbers) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def turned(R: Numbers, a: Numbers) -> Numbers:
    """A vector by a matrix that is given row by row."""
    return dot(R[0:3], a), dot(R[3:6], a), dot(R[6:9], a)


def crossed(a: Numbers, b: Numbers) -> Numbers:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def added(a: Numbers, b: Numbers, factor: float = 1.0) -> Numbers:
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


def turned_back(R: Numbers, a: Numbers) -> Numbers:
    """A vector by the transpose of a matrix."""
    return dot(R[0::3], a), dot(R[1::3], a), dot(R[2::3], a)


def product(A: Numbers, B: Numbers) -> Numbers:
    """Of two matrices, row by row."""
    return [dot(A[i : i + 3], B[j::3]) for i in (0, 3, 6) for j in (0, 1, 2)]


def transposed(R: Numbers) -> Numbers:
    return [*R[0::3], *R[1::3], *R[2::3]]


def columns(R: Numbers) -> tuple[Vector, Vector, Vector]:
    return (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])


def matrix_of(quaternion: Numbers) -> Numbers:
    """Of a unit quaternion w x y z, row by row."""
    w, x, y, z = quaternion
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def turned_about(axis: Numbers, angle: float) -> Numbers:
    """The matrix of a turn about a unit vector."""
    s = sin(0.5 * angle)
    return matrix_of((cos(0.5 * angle), *(s * a for a in axis)))

"""Small vectors as plain floats: in a cycle of a millisecond, arrays of three numbers would cost ten times as much."""

from __future__ import annotations

from docksim.algebra.quat import quat_to_mat
from docksim.algebra.vec3 import Numbers
from docksim.model.log import Log


def motion_of(row: Log, body: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Position, axes (row by row), velocity and body rate of a body in a log's first row."""
    table, k = row.body, (0, body - 1)
    x, q, v, w = (table[field][k].tolist() for field in ("position", "quaternion", "velocity", "rate"))
    return x, quat_to_mat(q), v, w

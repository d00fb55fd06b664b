"""Small vectors as plain floats: in a cycle of a millisecond, arrays of three numbers would cost ten times as much."""

from __future__ import annotations

import numpy as np

from docksim.algebra.quat import quat_to_mat
from docksim.algebra.vec3 import Numbers
from docksim.model.log import LOG_BODY, LOG_HEAD


def motion_of(row: np.ndarray, body: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Position, axes (row by row), velocity and body rate of a body in a logged row."""
    first = LOG_HEAD + (body - 1) * LOG_BODY
    numbers = row[first : first + 13].tolist()
    return numbers[:3], quat_to_mat(numbers[3:7]), numbers[7:10], numbers[10:]

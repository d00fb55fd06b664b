"""The types of joints, and how the far frame M of one stands against its near frame F at given coordinates.

Coordinates by type: revolute and prismatic one; cylindrical turn, travel; universal two turns, the second about an axis
that the first one turns; spherical a unit quaternion; free a position and a unit quaternion. Axes are unit vectors.
"""

from __future__ import annotations

from docksim.algebra.quat import axis_turn, quat_to_mat
from docksim.algebra.vec3 import IDENTITY, ZERO, Mat3, Numbers, Vec3, mat_mat, scale

FIXED, REVOLUTE, PRISMATIC, CYLINDRICAL, UNIVERSAL, SPHERICAL, FREE = range(7)


def turn_and_shift(kind: int, axis: Vec3, axis_2: Vec3, q: Numbers, i: int) -> tuple[Mat3, Vec3]:
    """Axes of M on those of F, and M's origin; the joint's coordinates are those of q from i on."""
    if kind == REVOLUTE:
        return axis_turn(axis, q[i]), ZERO
    if kind == PRISMATIC:
        return IDENTITY, scale(q[i], axis)
    if kind == CYLINDRICAL:
        return axis_turn(axis, q[i]), scale(q[i + 1], axis)
    if kind == UNIVERSAL:
        return mat_mat(axis_turn(axis, q[i]), axis_turn(axis_2, q[i + 1])), ZERO
    if kind == SPHERICAL:
        return quat_to_mat((q[i], q[i + 1], q[i + 2], q[i + 3])), ZERO
    if kind == FREE:
        return quat_to_mat((q[i + 3], q[i + 4], q[i + 5], q[i + 6])), (q[i], q[i + 1], q[i + 2])
    if kind != FIXED:
        raise ValueError("no joint has this type")
    return IDENTITY, ZERO

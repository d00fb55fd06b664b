"""Rotation matrices as arrays: of many quaternions at once, of turns, their rotation vectors and angles.

The array's arc tangent has the bits of `elementary.atan2`: the same arithmetic, every branch chosen by element.
`atan_series` and `exact_product` take arrays as they take floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from docksim.algebra.dense import length
from docksim.algebra.elementary import HALF_PI, HALF_PI_REST, atan_series
from docksim.algebra.quarters import exact_product
from docksim.algebra.quat import axis_turn, quat_to_mat

TO_DEG = 180.0 / np.pi
SMALL = 1e-3  # half angles below this go by a series
# ends of the ranges of the arc tangent, and what it is measured from in each, in two parts
ENDS = (0.4375, 0.6875, 1.1875, 2.4375)
BASES = np.array([0.0, 4.63647609000806093515e-01, 0.5 * HALF_PI, 9.82793723247329054082e-01, HALF_PI])
RESTS = np.array([0.0, 2.26987774529616870924e-17, 0.5 * HALF_PI_REST, 1.39033110312309984516e-17, HALF_PI_REST])


def rotation_matrix(quaternion: tuple[float, float, float, float] | np.ndarray) -> np.ndarray:
    """(..., 3, 3) matrices of unit quaternions (..., 4), in the order w, x, y, z."""
    q = np.moveaxis(np.asarray(quaternion, float), -1, 0)
    return np.stack(np.broadcast_arrays(*quat_to_mat(q)), axis=-1).reshape(*q.shape[1:], 3, 3)


def turn(axis: Sequence[float] | np.ndarray, angle: float) -> np.ndarray:
    """The (3, 3) matrix of a turn about a unit vector."""
    return np.reshape(axis_turn([float(a) for a in axis], float(angle)), (3, 3))


def pose(axes: np.ndarray, origin: Sequence[float] | np.ndarray) -> np.ndarray:
    """As a 4 x 4 matrix."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = axes, origin
    return T


def rotation_vectors(matrices: Any) -> np.ndarray:
    """(..., 3) rotation vectors [rad] of rotation matrices (..., 3, 3), no longer than half a turn."""
    q = _quaternions(np.asarray(matrices, float))
    sine, cosine = length(q[..., 1:]), q[..., 0]
    square = sine * sine
    with np.errstate(divide="ignore", invalid="ignore"):
        # the angle over the sine of its half; the arc sine's series where that is small
        factor = np.where(
            sine < SMALL,
            2.0 + square * (1.0 / 3.0 + square * (3.0 / 20.0 + square * (5.0 / 56.0))),
            2.0 * first_quadrant(sine, cosine) / sine,
        )
    return factor[..., None] * q[..., 1:]


def roll_pitch_yaw(matrices: Any) -> np.ndarray:
    """(..., 3) angles [rad] of rotation matrices (..., 3, 3) about x'', y' and z, in which the yaw comes first.

    At a pitch of a quarter turn yaw and roll are not defined apart.
    """
    R = np.asarray(matrices, float)
    roll = _angles(R[..., 2, 1], R[..., 2, 2])
    pitch = _angles(-R[..., 2, 0], length(R[..., 2, 1:]))
    yaw = _angles(R[..., 1, 0], R[..., 0, 0])
    return np.stack([roll, pitch, yaw], axis=-1)


def _angles(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Of points in the plane, within half a turn [rad]."""
    first = first_quadrant(np.abs(y), np.abs(x))
    return np.copysign(np.where(x < 0.0, np.pi - first, first), y)


def _quaternions(R: np.ndarray) -> np.ndarray:
    """(..., 4) with w not negative; the largest component is found first, so nothing cancels."""
    xx, yy, zz = R[..., 0, 0], R[..., 1, 1], R[..., 2, 2]
    squares = (1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)
    wx, wy, wz = R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]
    xy, xz, yz = R[..., 1, 0] + R[..., 0, 1], R[..., 0, 2] + R[..., 2, 0], R[..., 2, 1] + R[..., 1, 2]
    rows = ((squares[0], wx, wy, wz), (wx, squares[1], xy, xz), (wy, xy, squares[2], yz), (wz, xz, yz, squares[3]))
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    largest = np.argmax(np.stack(squares, axis=-1), axis=-1)
    q = np.take_along_axis(table, largest[..., None, None], axis=-2)[..., 0, :]
    q = q / length(q)[..., None]
    return np.where(q[..., :1] < 0.0, -q, q)


def first_quadrant(y: Any, x: Any) -> np.ndarray:
    """Angles [rad] of points whose coordinates are positive or zero, and of ordinary size (1e-100 to 1e100)."""
    y, x = np.asarray(y, float), np.asarray(x, float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        q = y / x
        p, error = exact_product(q, x)
        more = ((y - p) - error) / x
        place = np.searchsorted(ENDS, q, side="right")
        tops = (q, 2.0 * q - 1.0, q - 1.0, q - 1.5, -1.0)
        bottoms = (1.0, 2.0 + q, q + 1.0, 1.0 + 1.5 * q, q)
        t = np.choose(place, tops) / np.choose(place, bottoms)
        rest = RESTS[place] + more / (1.0 + q * q)
        angle = BASES[place] + (t - (t * atan_series(t * t) - rest))
    angle = np.where(q > 2.0**60, HALF_PI, np.where(q < 2.0**-60, q, angle))
    return np.where(y == 0.0, 0.0, np.where(x == 0.0, HALF_PI, angle))

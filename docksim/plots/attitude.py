"""Attitude quaternions (w, x, y, z) as angles that people read.

Yaw, pitch, roll are the intrinsic z-y'-x'' turns of the scenario key yaw_pitch_roll_deg, yaw and roll within half a
turn. At a pitch of 90 deg yaw and roll are not defined apart; curves may jump there.
"""

from __future__ import annotations

import numpy as np


def roll_pitch_yaw_deg(q: np.ndarray) -> np.ndarray:
    """Columns roll, pitch, yaw in deg of rows (w, x, y, z)."""
    w, x, y, z = q.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.degrees(np.column_stack([roll, pitch, yaw]))


def turn_from_start_deg(q: np.ndarray) -> np.ndarray:
    """Rotation vector from the first attitude on its body axes in deg, at most half a turn long."""
    w0, x0, y0, z0 = q[0]
    w, x, y, z = q.T
    # conj(q0) q
    turn = np.column_stack(
        [
            w0 * w + x0 * x + y0 * y + z0 * z,
            w0 * x - x0 * w - y0 * z + z0 * y,
            w0 * y - y0 * w - z0 * x + x0 * z,
            w0 * z - z0 * w - x0 * y + y0 * x,
        ]
    )
    turn = np.where(turn[:, :1] < 0, -turn, turn)
    sine = np.linalg.norm(turn[:, 1:], axis=1)
    angle = 2 * np.arctan2(sine, turn[:, 0])
    # the ratio tends to 2 for small angles
    ratio = np.divide(angle, sine, out=np.full_like(angle, 2.0), where=sine > 1e-12)
    return np.degrees(turn[:, 1:] * ratio[:, None])


def break_at_wraps(time: np.ndarray, angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same samples with a gap wherever an angle jumps by more than half a turn, so no false line is drawn."""
    jumps = np.flatnonzero(np.abs(np.diff(angle)) > 180.0) + 1
    return np.insert(time, jumps, np.nan), np.insert(angle, jumps, np.nan)

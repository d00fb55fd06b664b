"""Loop closure by Newton's method, nothing but chains of rotations: the second opinion on the analytic closure.

Residual (Golubev & Yaskevich, eq. 4.6): cut joint of the leg less joint centre on the ring, and e1.e2 if there
are four rows; its Jacobian by complex step. Everything runs over N poses at once: p (N, n), r_C (N, 3), R_C (N, 3, 3).
"""

import numpy as np

from tests.oracle.mechanism_description import chain
from tests.oracle.rotations import hat

COMPLEX_STEP = 1e-30


def _turns(axis, angles):
    """(N, 3, 3) rotations about one coordinate axis."""
    a = hat(np.eye(3)[axis])
    sin, cos = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.eye(3) + sin * a + (1.0 - cos) * (a @ a)


def body_frames(leg, p):
    """Origins (N, n, 3) and rotations (N, n, 3, 3) of the leg's bodies in B, for joint coordinates p (N, n)."""
    p = np.atleast_2d(p)
    r, R = np.zeros((len(p), 3)), np.broadcast_to(np.eye(3), (len(p), 3, 3))
    origins, rotations = [], []
    for j, joint in enumerate(chain(leg)):
        r = r + R @ joint.position
        R = R @ joint.rotation
        if joint.prismatic:
            r = r + R[:, :, joint.axis] * p[:, j, None]
        else:
            R = R @ _turns(joint.axis, p[:, j])
        origins.append(r)
        rotations.append(R)
    return np.stack(origins, axis=1), np.stack(rotations, axis=1)


def residual(leg, p, r_C, R_C):
    """(N, m): position rows [m], then e1.e2."""
    r_C, R_C = np.reshape(r_C, (-1, 3)), np.reshape(R_C, (-1, 3, 3))
    r, R = body_frames(leg, p)
    gap = r[:, -1] + R[:, -1] @ leg.tip() - r_C - R_C @ leg.l_C
    if leg.n == 3:
        return gap
    e1, e2 = R[:, -1, :, 1], (R_C @ leg.R_CJ)[:, :, 2]
    return np.concatenate([gap, np.sum(e1 * e2, axis=1, keepdims=True)], axis=1)


def newton_closure(leg, r_C, R_C, p_start, iterations=12):
    """Joint coordinates (N, n) near p_start (N, n) or (n,); fails if the last step is not at rounding level."""
    r_C, R_C = np.reshape(r_C, (-1, 3)), np.reshape(R_C, (-1, 3, 3))
    p = np.array(np.broadcast_to(p_start, (len(r_C), leg.n)), float)
    step = p
    for _ in range(iterations):
        columns = [residual(leg, p + 1j * COMPLEX_STEP * e, r_C, R_C).imag / COMPLEX_STEP for e in np.eye(leg.n)]
        step = np.linalg.solve(np.stack(columns, axis=2), residual(leg, p, r_C, R_C)[:, :, None])[:, :, 0]
        p = p - step
    if not np.all(np.abs(step) < 1e-12):
        raise ValueError(f"Newton closure has not converged: last step {np.max(np.abs(step)):.1e}")
    return p

"""Relative motion and small librations in a circular orbit.

Axes of the rotating frame: x radial outward, y along-track, z orbit normal; n is the mean motion [rad/s].
Sources: Clohessy & Wiltshire, J. Aerospace Sci. 27 (1960); Hughes, Spacecraft Attitude Dynamics; the libration
equations are rederived here for these axes (Hughes uses others).
"""

import numpy as np
from scipy.integrate import solve_ivp

from tests.oracle.rotations import cross, quat_matrix, quat_rate

EARTH_MU = 3.986004418e14  # [m3/s2] WGS 84
EARTH_RADIUS = 6378137.0  # [m] WGS 84, equatorial


def mean_motion(altitude_km):
    """n = sqrt(mu / r^3) of a circular Earth orbit [rad/s]."""
    return np.sqrt(EARTH_MU / (EARTH_RADIUS + 1e3 * altitude_km) ** 3)


def cw_matrix(n, t):
    """6x6 transition matrix of (position, velocity) in the rotating frame:

    x'' = 3 n^2 x + 2 n y',   y'' = -2 n x',   z'' = -n^2 z.
    """
    s, c = np.sin(n * t), np.cos(n * t)
    return np.array(
        [
            [4 - 3 * c, 0, 0, s / n, 2 * (1 - c) / n, 0],
            [6 * (s - n * t), 1, 0, -2 * (1 - c) / n, (4 * s - 3 * n * t) / n, 0],
            [0, 0, c, 0, 0, s / n],
            [3 * n * s, 0, 0, c, 2 * s, 0],
            [-6 * n * (1 - c), 0, 0, -2 * s, 4 * c - 3, 0],
            [0, 0, -n * s, 0, 0, c],
        ]
    )


def cw_propagate(n, position, velocity, t):
    """Position and velocity after time t, both in the rotating frame."""
    state = cw_matrix(n, t) @ np.concatenate([position, velocity])
    return state[:3], state[3:]


def libration_frequencies(n, Ix, Iy, Iz):
    """Small-angle libration frequencies [rad/s]: (pitch, slow roll-yaw, fast roll-yaw).

    Principal axes near x, y, z. Pitch, about the orbit normal z: n sqrt(3 (Iy - Ix) / Iz).
    Rotation t_x about the radial and t_y about the along-track direction are coupled:

        Ix t_x'' + n (Iz - Iy - Ix) t_y' +   n^2 (Iz - Iy) t_x = 0
        Iy t_y'' - n (Iz - Iy - Ix) t_x' + 4 n^2 (Iz - Ix) t_y = 0

    so with a = (Iz - Iy)/Ix, b = (Iz - Ix)/Iy:  w^4 - (1 + 3 b + a b) n^2 w^2 + 4 a b n^4 = 0.
    Stable (and accepted here) for Iz > Iy > Ix.
    """
    if not Iz > Iy > Ix:
        raise ValueError("needs Iz > Iy > Ix: longest axis radial, shortest along the orbit normal")
    a, b = (Iz - Iy) / Ix, (Iz - Ix) / Iy
    half = 0.5 * (1.0 + 3.0 * b + a * b)
    root = np.sqrt(half**2 - 4.0 * a * b)
    fast = half + root
    slow = 4.0 * a * b / fast
    return n * np.sqrt(3.0 * (Iy - Ix) / Iz), n * np.sqrt(slow), n * np.sqrt(fast)


def libration(inertia, n, q0, omega0, times, rtol=1e-12):
    """Rotation under gravity gradient, full angles, by DOP853: I w' = -w x I w + 3 n^2 r x I r, in body axes.

    q (w, x, y, z) and omega0 [rad/s, body axes] are relative to the rotating frame; r is the radial direction.
    Returns q (k, 4) and omega (k, 3), again relative to the rotating frame.
    """
    inertia = np.asarray(inertia, float)

    def orbital(q):
        return quat_matrix(q).T @ np.array([0.0, 0.0, n])

    def rate(_, y):
        q, w = y[:4], y[4:]
        r = quat_matrix(q).T @ np.array([1.0, 0.0, 0.0])
        torque = 3.0 * n**2 * cross(r, inertia @ r) - cross(w, inertia @ w)
        return np.concatenate([quat_rate(q, w - orbital(q)), np.linalg.solve(inertia, torque)])

    y0 = np.concatenate([q0, np.asarray(omega0) + orbital(np.asarray(q0))])
    y = solve_ivp(rate, (0.0, times[-1]), y0, "DOP853", t_eval=times, rtol=rtol, atol=1e-15).y.T
    q = y[:, :4] / np.linalg.norm(y[:, :4], axis=1, keepdims=True)
    omega = np.array([row[4:] - orbital(row[:4]) for row in y])
    return q, omega

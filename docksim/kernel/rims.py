"""Rim on rim: the distance of two circles in space.

A point of the second circle has a closed distance to the first, 2 E = (q - rho)^2 + z^2 on the first one's axes, so
one angle is left. E may have several minima (two rings set off sideways cross twice), so E and its slope are taken at
fixed angles all around, and the minima that changes of sign mark, the best first and others if they could still win,
are ended by a safeguarded Newton iteration, as for the petal. Coaxial rings have no nearest point: the gap is exact
all the same, the point is any.
"""

import math

from docksim.algebra.vec3 import axpy, dot, mat_vec
from docksim.kernel.gaps import between, circle_foot
from docksim.kernel.petal import LAST_STEP, LEVEL, MOST_STEPS
from docksim.native.decorators import kernel, pure


@kernel
def _around(row, C, u, v, rho, sweep):
    """E and its slope at the fixed angles."""
    C_x, C_y, C_z = C
    u_x, u_y, u_z = u
    v_x, v_y, v_z = v
    for k in range(len(sweep.around_E)):
        sweep.around_cos[k] = row.around_cos[k]
        sweep.around_sin[k] = row.around_sin[k]
    for k in range(len(sweep.around_E)):
        c, n = sweep.around_cos[k], sweep.around_sin[k]
        x, y, z = C_x + c * u_x + n * v_x, C_y + c * u_y + n * v_y, C_z + c * u_z + n * v_z
        q2 = x * x + y * y
        q2 = q2 if q2 > 1e-24 else 1e-24
        m = rho / math.sqrt(q2)
        F_x, F_y = x - m * x, y - m * y
        sweep.around_E[k] = 0.5 * (F_x * F_x + F_y * F_y + z * z)
        sweep.around_slope[k] = F_x * (c * v_x - n * u_x) + F_y * (c * v_y - n * u_y) + z * (c * v_z - n * u_z)


@kernel
def _ended(row, C, u, v, rho, k, part):
    """The minimum at or near that part of the way from fixed angle k to the next: E and the point."""
    c_k, n_k = row.around_cos[k], row.around_sin[k]
    low, high = -row.around_tau, 2.0 * row.around_tau
    tau = part * row.around_tau
    low_seen, high_seen = False, False
    E, X = 0.0, C
    for _ in range(MOST_STEPS):
        half = 1.0 + tau * tau
        c, n = (2.0 - half) / half, 2.0 * tau / half
        c, n = c * c_k - n * n_k, c * n_k + n * c_k
        b = (c * u[0] + n * v[0], c * u[1] + n * v[1], c * u[2] + n * v[2])
        t = (c * v[0] - n * u[0], c * v[1] - n * u[1], c * v[2] - n * u[2])
        X = axpy(1.0, C, b)
        i_q = 1.0 / math.sqrt(max(X[0] * X[0] + X[1] * X[1], 1e-24))
        m = rho * i_q
        F = (X[0] - m * X[0], X[1] - m * X[1], X[2])
        a = (X[0] * t[1] - X[1] * t[0]) * i_q
        E = 0.5 * dot(F, F)
        slope = dot(F, t)
        curve = dot(t, t) - m * a * a - dot(F, b)
        if slope > 0.0:
            high, high_seen = tau, True
        else:
            low, low_seen = tau, True
        if curve > 0.0:
            new = tau - 0.5 * half * slope / curve
        elif slope > 0.0:
            new = low - 1.0
        else:
            new = high + 1.0
        if new < low:
            new = low if not low_seen else 0.5 * (low + high)
        elif new > high:
            new = high if not high_seen else 0.5 * (low + high)
        d = 2.0 * (new - tau) / half
        tau = new
        if abs(slope) < LEVEL:
            break
        if abs(d) < LAST_STEP:
            # the step is too short to turn the tangent: the point moves along it
            X = axpy(d, t, X)
            break
    return E, X


@pure
def _marked(sweep, k, step):
    """The minimum that fixed angle k and the next one show, as for the petal: what it will not undercut, and where."""
    j = k + 1 if k + 1 < len(sweep.around_E) else 0
    E, slope = sweep.around_E[k], sweep.around_slope[k]
    E_next, slope_next = sweep.around_E[j], sweep.around_slope[j]
    middle = 1.5 * (E_next - E) / step - 0.25 * (slope + slope_next)
    # two slopes of one sign hide a minimum if the third one contradicts them by more than rounding
    doubt = 0.0
    if (slope < 0.0) == (slope_next < 0.0):
        doubt = LEVEL
    if slope < 0.0 and middle >= doubt:
        part = 0.5 * slope / (slope - middle)
        return E + 2.0 * slope * part * step, part
    if middle < -doubt and slope_next >= 0.0:
        part = 0.5 + 0.5 * middle / (middle - slope_next)
        return E_next - 2.0 * slope_next * (1.0 - part) * step, part
    return math.inf, 0.0


@kernel
def _nearest(row, C, u, v, rho, sweep):
    """The point C + u cos + v sin that is nearest to the circle of radius rho about z."""
    _around(row, C, u, v, rho, sweep)
    count = len(sweep.around_E)
    step = 2.0 * math.pi / count
    best, second, first, where = math.inf, math.inf, 0, 0.0
    for k in range(count):
        score, part = _marked(sweep, k, step)
        if score < best:
            best, second, first, where = score, best, k, part
        elif score < second:
            second = score
    E, X = _ended(row, C, u, v, rho, first, where)
    if not second < E - LEVEL:
        return X
    for k in range(count):
        score, part = _marked(sweep, k, step)
        if k != first and score < E - LEVEL:
            E_k, X_k = _ended(row, C, u, v, rho, k, part)
            if E_k < E:
                E, X = E_k, X_k
    return X


@pure
def rim_on_rim(a, b, R, r, sweep):
    """The rims of interfaces a and b (rows), b's frame at pose (R, r) in a's: gap, point, normal from a to b."""
    C = axpy(1.0, mat_vec(R, (0.0, 0.0, b.rim_height)), r)
    C = (C[0], C[1], C[2] - a.rim_height)
    rho = b.rim_radius
    X = _nearest(b, C, (rho * R[0], rho * R[3], rho * R[6]), (rho * R[1], rho * R[4], rho * R[7]), a.rim_radius, sweep)
    foot = circle_foot(X, a.rim_radius)
    gap, x, normal = between(foot, a.rim_tube, X, b.rim_tube, (0.0, 0.0, 1.0))
    return gap, (x[0], x[1], x[2] + a.rim_height), normal

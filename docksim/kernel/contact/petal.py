"""The guide petal: a patch of an oblique cone, swept by a sphere, against a circle or a point.

The patch is X(s, phi) = apex + s w(phi), w = G + e1 cos phi + e2 sin phi: every ruling runs through the apex, s = 1 is
the base arc in the mating plane, s < 1 towards the tip, s > 1 below the plane. Face, side edges, tip and base are the
inside and the borders of one box in (s, phi), so one minimisation serves them all and the gap is continuous.

On the axes of a circle of radius rho about z the squared distance is closed, 2 E = (q - rho)^2 + z^2 with q^2 = x^2 +
y^2, which leaves two variables; a point is a circle with rho = 0. Along a ruling E is convex unless the ruling runs
along the circle (E_ss = w.w - rho/q (w.t)^2, t the circle's tangent), so f(phi) = min over s of E is well defined. But
f often has two minima, at both edges or at an edge and on the face. Therefore f and its slope are taken on a few fixed
rulings at once, by a Newton step in s from where each ruling crosses the circle's plane (more if it is a long one);
every change of sign of the slope, there or halfway between, marks a minimum; a safeguarded Newton iteration in both
variables ends the best of them, and others if they could still win. No trigonometric function, no memory, no
start value: the answer depends on the pose alone. The angle is carried as tau = tan(phi/2). `sweep` is scratch, one
row; its loops have neither branches nor foreign memory, so that they compile to vector instructions.

Limits: two minima closer than the rulings, as beside the corner of base and edge, may be told apart wrongly. Against a
search six times as fine, of two million placements with offsets to 0.12 m and tilts to 12 deg 51 differ, by less than
0.2 mm; in none of them do petal and rim touch unless the rings are 7 mm deep in each other or two skeletons cross. With
offsets to 0.2 m and tilts to 20 deg, 3 in 10,000 differ, nearly all at gaps above 0.1 m and there by up to 30 mm. Where
the skeletons cross, as deep as the sum of the radii, the gap stays there and the normal says nothing.
"""

import math

from docksim.algebra.vec3 import axpy, cross, dot, mat_t_vec, mat_vec, scale, sub
from docksim.kernel.contact.gaps import TOUCHING, clamped
from docksim.native.decorators import kernel, pure

# Newton's last step: the error left is of the order of its square [rad], [-]
LAST_STEP = 1e-6
MOST_STEPS = 40
# a difference or slope of E that counts as none [m2]: the gap is then within 1e-13 m of its minimum
LEVEL = 1e-15
# while the step in s is longer than this, phi waits
SHORT_STEP = 0.02
# on the fixed rulings: how small a step in s is small enough for one more to first order, and how many at most
FIRST_STEP = 0.03
FEW_STEPS = 8
# third derivative of E along a ruling [m2], more than a sixth of it
ROUGH = 0.02
# what the tangents' bound may be wrong by where f is not convex [m]
SLACK = 0.005
# least curvature of E along a ruling, as a part of w.w: where it is less the ruling runs along the circle
ALONG = 0.05


@pure
def _triple(x):
    return x[0], x[1], x[2]


@pure
def _slopes(P, b, w, w_phi, s, rho):
    """E, its gradient (s, phi) and Hessian (ss, sp, pp); b = w - G."""
    x, y, z = P[0] + s * w[0], P[1] + s * w[1], P[2] + s * w[2]
    i_q = 1.0 / math.sqrt(max(x * x + y * y, 1e-24))
    k = rho * i_q
    F = (x - k * x, y - k * y, z)
    k *= i_q * i_q
    a = x * w[1] - y * w[0]
    c = x * w_phi[1] - y * w_phi[0]
    F_phi = dot(F, w_phi)
    return (
        0.5 * dot(F, F),
        dot(F, w),
        s * F_phi,
        dot(w, w) - k * a * a,
        s * (dot(w, w_phi) - k * a * c) + F_phi,
        s * s * (dot(w_phi, w_phi) - k * c * c) - s * dot(F, b),
    )


@pure
def _reduced(E, g_s, g_p, h_ss, h_sp, h_pp, w, s, s_tip, s_low):
    """f, f', f'' to first order of the step in s that is left, that step, and how it changes with phi."""
    h = max(h_ss, ALONG * dot(w, w))
    free = s - g_s / h
    new = clamped(free, s_tip, s_low)
    step = new - s
    turn = 0.0
    if new == free:
        turn = -h_sp / h
    return E + step * (g_s + 0.5 * h_ss * step), g_p + h_sp * step, h_pp + turn * h_sp, step, turn


@kernel
def _sweep(p, P, e1, e2, G, rho, sweep):
    """s, f and f' on all fixed rulings, to first order of the last step."""
    s_tip, s_low = p.s_tip, p.s_low
    P_x, P_y, P_z = P
    e1_x, e1_y, e1_z = e1
    e2_x, e2_y, e2_z = e2
    G_x, G_y, G_z = G
    for k in range(len(sweep.s)):
        sweep.cos[k] = p.ruling_cos[k]
        sweep.sin[k] = p.ruling_sin[k]
    for k in range(len(sweep.s)):
        w_z = sweep.cos[k] * e1_z + sweep.sin[k] * e2_z + G_z
        w_z = w_z if abs(w_z) > 1e-9 else 1e-9
        s = -P_z / w_z
        s = s if s > s_tip else s_tip
        sweep.s[k] = s if s < s_low else s_low
    for _ in range(FEW_STEPS):
        for k in range(len(sweep.s)):
            c, n, s = sweep.cos[k], sweep.sin[k], sweep.s[k]
            w_x, w_y, w_z = c * e1_x + n * e2_x + G_x, c * e1_y + n * e2_y + G_y, c * e1_z + n * e2_z + G_z
            u_x, u_y, u_z = c * e2_x - n * e1_x, c * e2_y - n * e1_y, c * e2_z - n * e1_z
            x, y, z = P_x + s * w_x, P_y + s * w_y, P_z + s * w_z
            q2 = x * x + y * y
            q2 = q2 if q2 > 1e-24 else 1e-24
            i_q = 1.0 / math.sqrt(q2)
            m = rho * i_q
            F_x, F_y = x - m * x, y - m * y
            m *= i_q * i_q
            a = x * w_y - y * w_x
            ww = w_x * w_x + w_y * w_y + w_z * w_z
            h_ss = ww - m * a * a
            g_s = F_x * w_x + F_y * w_y + z * w_z
            F_phi = F_x * u_x + F_y * u_y + z * u_z
            h_sp = s * (w_x * u_x + w_y * u_y + w_z * u_z - m * a * (x * u_y - y * u_x)) + F_phi
            new = s - g_s / (h_ss if h_ss > ALONG * ww else ALONG * ww)
            new = new if new > s_tip else s_tip
            new = new if new < s_low else s_low
            step = new - s
            sweep.s[k] = new
            sweep.step[k] = step
            sweep.f[k] = 0.5 * (F_x * F_x + F_y * F_y + z * z) + step * (g_s + 0.5 * h_ss * step)
            sweep.slope[k] = s * F_phi + h_sp * step
        longest = 0.0
        for k in range(len(sweep.s)):
            longest = max(longest, abs(sweep.step[k]))
        if longest < FIRST_STEP:
            break


@kernel
def _ended(p, P, e1, e2, G, rho, sweep, k, part):
    """The minimum that is found from that part of the way from ruling k to the next: E, s, tau.

    Newton's steps, none wider than from ruling to ruling; the slopes met bracket the minimum, and a step that leads
    out of the bracket goes to its end, or to its middle once the end has been seen.
    """
    s_tip, s_low = p.s_tip, p.s_low
    low, high = p.ruling_tau[0], p.ruling_tau[len(sweep.s) - 1]
    tau = p.ruling_tau[k] + part * (p.ruling_tau[k + 1] - p.ruling_tau[k])
    s = sweep.s[k] + part * (sweep.s[k + 1] - sweep.s[k])
    E = 0.0
    low_seen, high_seen = False, False
    for _ in range(MOST_STEPS):
        half = 1.0 + tau * tau
        c, n = (2.0 - half) / half, 2.0 * tau / half
        b = (c * e1[0] + n * e2[0], c * e1[1] + n * e2[1], c * e1[2] + n * e2[2])
        w = (b[0] + G[0], b[1] + G[1], b[2] + G[2])
        w_phi = (c * e2[0] - n * e1[0], c * e2[1] - n * e1[1], c * e2[2] - n * e1[2])
        E, g_s, g_p, h_ss, h_sp, h_pp = _slopes(P, b, w, w_phi, s, rho)
        f, f_p, f_pp, step, turn = _reduced(E, g_s, g_p, h_ss, h_sp, h_pp, w, s, s_tip, s_low)
        E = f
        d_phi = 0.0
        new = tau
        # the slope is good to first order of the step in s that is left: wait, or leave as much room
        if abs(step) < SHORT_STEP:
            if f_p > 0.0:
                high, high_seen = min(high, tau + abs(step)), True
            else:
                low, low_seen = max(low, tau - abs(step)), True
            widest = p.ruling_step
            d_phi = -widest if f_p > 0.0 else widest
            if f_pp > 0.0:
                d_phi = clamped(-f_p / f_pp, -widest, widest)
            new = tau + 0.5 * half * d_phi
            if new < low:
                new = low if not low_seen else 0.5 * (low + high)
            elif new > high:
                new = high if not high_seen else 0.5 * (low + high)
            d_phi = 2.0 * (new - tau) / half
        new_s = clamped(s + step + turn * d_phi, s_tip, s_low)
        last = (abs(d_phi) < LAST_STEP or abs(f_p) < LEVEL) and abs(new_s - s) < LAST_STEP
        tau, s = new, new_s
        if last:
            break
    return E, s, tau


@pure
def _marked(sweep, k, step):
    """The minimum that ruling k and the next one show: what it will not undercut (inf if there is none), and where.

    Halfway between them the slope is that of the cubic through both values and slopes, so that a minimum shows beside
    a maximum too. It cannot lie much below the tangents, of which twice the fall is taken.
    """
    last = len(sweep.s) - 1
    f, slope = sweep.f[k], sweep.slope[k]
    # the error of the values on the rulings is of third order in their last steps
    error = ROUGH * abs(sweep.step[k] * sweep.step[k] * sweep.step[k])
    if k == last:
        return (f - error if slope < 0.0 else math.inf), k - 1, 1.0
    f_next, slope_next = sweep.f[k + 1], sweep.slope[k + 1]
    middle = 1.5 * (f_next - f) / step - 0.25 * (slope + slope_next)
    # two slopes of one sign hide a minimum if the third one contradicts them by more than its error
    doubt = 0.0
    if (slope < 0.0) == (slope_next < 0.0):
        doubt = 3.0 * error / step + LEVEL
    if slope < 0.0 and middle >= doubt:
        part = 0.5 * slope / (slope - middle)
        return f - error + 2.0 * slope * part * step, k, part
    if middle < -doubt and slope_next >= 0.0:
        part = 0.5 + 0.5 * middle / (middle - slope_next)
        return f_next - error - 2.0 * slope_next * (1.0 - part) * step, k, part
    if slope < 0.0 and slope_next >= 0.0:
        return f - error, k, 0.5
    if k == 0 and slope >= 0.0:
        return f - error, k, 0.0
    return math.inf, k, 0.0


@kernel
def nearest(p, P, e1, e2, G, rho, limit, sweep):
    """Where petal p comes nearest to the circle of radius rho about z, given on the circle's axes: s, tau.

    A distance well beyond the limit stays as the sweep found it.
    """
    _sweep(p, P, e1, e2, G, rho, sweep)
    count = len(sweep.s)
    step = p.ruling_step
    best, second, first, at, where = math.inf, math.inf, 0, 0, 0.0
    lowest = 0
    for k in range(count):
        if sweep.f[k] < sweep.f[lowest]:
            lowest = k
        score, j, part = _marked(sweep, k, step)
        if score < best:
            best, second, first, at, where = score, best, k, j, part
        elif score < second:
            second = score
    if best > 0.5 * (limit + SLACK) * (limit + SLACK):
        tau = p.ruling_tau[at] + where * (p.ruling_tau[at + 1] - p.ruling_tau[at])
        return sweep.s[at] + where * (sweep.s[at + 1] - sweep.s[at]), tau

    E, s, tau = _ended(p, P, e1, e2, G, rho, sweep, at, where)
    if not min(second, sweep.f[lowest]) < E - LEVEL:
        return s, tau
    for k in range(count):
        score, j, part = _marked(sweep, k, step)
        # besides other minima: a ruling that is nearer than the answer shows one that no change of sign has shown
        if k == lowest and not score < E - LEVEL and abs(k - at) > 1:
            score, j, part = sweep.f[k], min(k, count - 2), float(k - min(k, count - 2))
        if k != first and score < E - LEVEL:
            E_k, s_k, tau_k = _ended(p, P, e1, e2, G, rho, sweep, j, part)
            if E_k < E:
                E, s, tau = E_k, s_k, tau_k
    return s, tau


@kernel
def petal_far(p, centre, axis, radius, limit, sweep):
    """True if the petal's skeleton is farther than the limit from a circle, by the spheres that cover the petal."""
    c_x, c_y, c_z = centre
    n_x, n_y, n_z = axis
    for k in range(len(sweep.cover)):
        x, y, z = p.cover_x[k] - c_x, p.cover_y[k] - c_y, p.cover_z[k] - c_z
        h = x * n_x + y * n_y + z * n_z
        q2 = x * x + y * y + z * z - h * h
        q2 = q2 if q2 > 0.0 else 0.0
        q = math.sqrt(q2) - radius
        sweep.cover[k] = q * q + h * h
    least = math.inf
    for k in range(len(sweep.cover)):
        least = min(least, sweep.cover[k])
    far = limit + p.cover_radius
    return least > far * far


@pure
def _contact(p, P, e1, e2, G, rho, r_other, s, tau):
    """Gap, point and normal from the petal to the circle, on the circle's axes."""
    half = 1.0 + tau * tau
    c, n = (2.0 - half) / half, 2.0 * tau / half
    w = (c * e1[0] + n * e2[0] + G[0], c * e1[1] + n * e2[1] + G[1], c * e1[2] + n * e2[2] + G[2])
    X = axpy(s, w, P)
    k = rho / math.sqrt(max(X[0] * X[0] + X[1] * X[1], 1e-24))
    F = (X[0] - k * X[0], X[1] - k * X[1], X[2])
    distance = math.sqrt(dot(F, F))
    if distance > TOUCHING:
        normal = scale(-1.0 / distance, F)
    else:
        # the skeletons meet: the normal of the face
        face = cross(w, (c * e2[0] - n * e1[0], c * e2[1] - n * e1[1], c * e2[2] - n * e1[2]))
        normal = scale(1.0 / math.sqrt(dot(face, face)), face)
    gap = distance - p.radius - r_other
    return gap, axpy(p.radius + 0.5 * gap, normal, X), normal


@pure
def petal_on_rim(p, R, r, radius, height, tube, margin, sweep):
    """Petal p of A and the rim (circle about z at z = height, with a tube) of B, whose frame has pose (R, r) in A's.

    Returns gap, point, normal from A to B, and s, tau: where on the petal. Beyond the margin they are approximate.
    """
    P = mat_t_vec(R, sub(_triple(p.apex), r))
    P = (P[0], P[1], P[2] - height)
    e1, e2, G = mat_t_vec(R, _triple(p.e1)), mat_t_vec(R, _triple(p.e2)), mat_t_vec(R, _triple(p.G))
    s, tau = nearest(p, P, e1, e2, G, radius, margin + p.radius + tube, sweep)
    gap, point, normal = _contact(p, P, e1, e2, G, radius, tube, s, tau)
    return gap, axpy(1.0, mat_vec(R, (point[0], point[1], point[2] + height)), r), mat_vec(R, normal), s, tau


@pure
def rim_on_petal(radius, height, tube, p, R, r, margin, sweep):
    """The rim of A and petal p of B, whose frame has pose (R, r) in A's: gap, point, normal from A to B, and s, tau."""
    P = axpy(1.0, mat_vec(R, _triple(p.apex)), r)
    P = (P[0], P[1], P[2] - height)
    e1, e2, G = mat_vec(R, _triple(p.e1)), mat_vec(R, _triple(p.e2)), mat_vec(R, _triple(p.G))
    s, tau = nearest(p, P, e1, e2, G, radius, margin + p.radius + tube, sweep)
    gap, point, normal = _contact(p, P, e1, e2, G, radius, tube, s, tau)
    return gap, (point[0], point[1], point[2] + height), scale(-1.0, normal), s, tau


@pure
def petal_on_sphere(p, x, r_sphere, margin, sweep):
    """Petal p and a sphere at x in the petal's frame: gap, point, normal from the petal, and s, tau."""
    e1, e2, G = _triple(p.e1), _triple(p.e2), _triple(p.G)
    P = sub(_triple(p.apex), x)
    s, tau = nearest(p, P, e1, e2, G, 0.0, margin + p.radius + r_sphere, sweep)
    gap, point, normal = _contact(p, P, e1, e2, G, 0.0, r_sphere, s, tau)
    return gap, axpy(1.0, x, point), normal, s, tau

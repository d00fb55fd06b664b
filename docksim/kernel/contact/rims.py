"""Rim on rim: the crossings of two circles in space, and how much of the contact is theirs.

A point of the second circle has a closed distance to the first, 2 E = (q - rho)^2 + z^2 on the first one's axes, so
one angle is left. Two rings set off sideways cross twice, so both minima of E are kept. E and its slope are taken at
fixed angles all around; where these come near enough, the arc is cut into parts, and every minimum that a change of
sign marks, at the ends of a part or halfway, is ended by a safeguarded Newton iteration, as for the petal. Coaxial
rings have no nearest point: the gap is exact all the same, the point is any.

The faces of two rings stand for the same solids. They bear well where the rings lie along each other, and miss what
happens between their points where the rings cross. How sharply they cross says the Hessian of E in both angles, over
the square of both radii and taken for circles that touch,

    H = (1 - T n.b / rho_B) (1 + T n.a / rho_A) - (t_A.t_B)^2,

n the normal, a, b the outward radii, t_A, t_B the tangents, T the sum of the tubes. Parallel rings off by e have
H = (e / rho)^2, coaxial ones tilted by theta H = T sin(theta) / rho. The rims bear a share of their stiffness that
rises smoothly with H: none where e^2 is half the square of the faces' width, all where it is twice that square; the
farther the rings are off, the fewer points of the faces bear, so that the sum stays near the stiffness of the faces.
A minimum comes and goes, or two become one, only where H <= 0: the share is none there, and so the sum of
share * k / 2 * depth^2 over the crossings is a smooth potential. As the share depends on the pose, the potential has
a wrench of its own beside the normal forces, small as the depth is against the width.

Limits: two minima closer than some 20 mm on a ring of 0.6 m may be taken for one; their share is next to none. Rings
without faces bear nothing while they are exactly coaxial.
"""

import math

from docksim.algebra.vec3 import axpy, cross, dot, mat_vec, scale, sub
from docksim.kernel.contact.gaps import TOUCHING, between, circle_foot
from docksim.kernel.contact.petal import LAST_STEP, LEVEL, MOST_STEPS
from docksim.model.contact import ARC_PARTS, AROUND
from docksim.native.decorators import kernel, pure

# between two fixed angles, and of a part of that [rad]
STEP = 2.0 * math.pi / AROUND
PART = STEP / ARC_PARTS
# minima closer than this part of the radius are one that was found twice
SAME = 1e-3


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


@pure
def _at(C, u, v, rho, c, n):
    """E and its slope at an angle with cosine c and sine n."""
    t = (c * v[0] - n * u[0], c * v[1] - n * u[1], c * v[2] - n * u[2])
    X = (C[0] + c * u[0] + n * v[0], C[1] + c * u[1] + n * v[1], C[2] + c * u[2] + n * v[2])
    m = 1.0 - rho / math.sqrt(max(X[0] * X[0] + X[1] * X[1], 1e-24))
    F = (m * X[0], m * X[1], X[2])
    return 0.5 * dot(F, F), dot(F, t)


@kernel
def _ended(row, C, u, v, rho, c_k, n_k, part):
    """The minimum at or near that part of the way from an angle (c_k, n_k) to the next: E and the point."""
    low, high = -row.part_tau, 2.0 * row.part_tau
    tau = part * row.part_tau
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
def _marked(E, slope, E_next, slope_next, step):
    """The minimum that two angles a step apart show, as for the petal: what it will not undercut, and where."""
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


@pure
def _apart(X, Y, distance):
    """Are two points farther from each other than that?"""
    d = sub(X, Y)
    return dot(d, d) > distance * distance


@kernel
def crossings(row, C, u, v, rho, limit, sweep):
    """The two points C + u cos + v sin that are nearest to the circle of radius rho about z, each a minimum.

    E and the point of each, the nearer one first; E is inf where there is none within the limit.
    """
    _around(row, C, u, v, rho, sweep)
    # an arc gets no nearer than its ends by more than half its length
    reach = limit + 0.5 * STEP * row.rim_radius
    near, most = 0.5 * reach * reach, 0.5 * limit * limit
    same = SAME * row.rim_radius
    E_1, X_1, E_2, X_2 = math.inf, C, math.inf, C
    least, first = math.inf, 0
    for k in range(AROUND):
        after = k + 1 if k + 1 < AROUND else 0
        E, slope = sweep.around_E[k], sweep.around_slope[k]
        if E < least:
            least, first = E, k
        if E > near and sweep.around_E[after] > near:
            continue
        c, n = row.around_cos[k], row.around_sin[k]
        for _ in range(ARC_PARTS):
            c_next, n_next = c * row.part_cos - n * row.part_sin, n * row.part_cos + c * row.part_sin
            E_next, slope_next = _at(C, u, v, rho, c_next, n_next)
            score, part = _marked(E, slope, E_next, slope_next, PART)
            if score <= most and score < E_2:
                E_m, X_m = _ended(row, C, u, v, rho, c, n, part)
                # one found twice, from both sides of an angle, counts once
                if (E_1 == math.inf or _apart(X_m, X_1, same)) and (E_2 == math.inf or _apart(X_m, X_2, same)):
                    if E_m < E_1:
                        E_1, X_1, E_2, X_2 = E_m, X_m, E_1, X_1
                    elif E_m < E_2:
                        E_2, X_2 = E_m, X_m
            c, n, E, slope = c_next, n_next, E_next, slope_next
    if E_1 == math.inf and least <= most:
        # nothing stands out of coaxial circles
        E_1, X_1 = _ended(row, C, u, v, rho, row.around_cos[first], row.around_sin[first], 0.0)
    return E_1, X_1, E_2, X_2


@pure
def rim_centre(a, b, R, r):
    """From the centre of a's rim to that of b's, axes of a."""
    C = axpy(1.0, mat_vec(R, (0.0, 0.0, b.rim_height)), r)
    return C[0], C[1], C[2] - a.rim_height


@pure
def rim_crossings(a, b, R, C, limit, sweep):
    """The crossings of the rims of interfaces a and b (rows), that of b turned by R with its centre at C of a's."""
    rho = b.rim_radius
    u, v = (rho * R[0], rho * R[3], rho * R[6]), (rho * R[1], rho * R[4], rho * R[7])
    return crossings(b, C, u, v, a.rim_radius, limit, sweep)


@pure
def crossing_gap(a, b, X):
    """Gap, point and normal from a to b where b's rim has the point X."""
    gap, x, normal = between(circle_foot(X, a.rim_radius), a.rim_tube, X, b.rim_tube, (0.0, 0.0, 1.0))
    return gap, (x[0], x[1], x[2] + a.rim_height), normal


@pure
def share_limits(a, b):
    """H below which the faces stand for the rims, and above which the rims bear in full."""
    width = min(a.ring_width, b.ring_width)
    full = max(width, a.rim_tube + b.rim_tube)
    radii = a.rim_radius * b.rim_radius
    return 0.5 * width * width / radii, 2.0 * full * full / radii


@pure
def faces_suffice(a, b, R, C):
    """Are the rings so nearly coaxial that no crossing has a share?

    e and y are how far b's circle is displaced sideways and by its tilt. Its tangents turn by (e + y) / rho at most;
    its radii turn by e / rho across the axis, which counts as far as the normal leans, and by y / rho along it.
    """
    e = math.sqrt(C[0] * C[0] + C[1] * C[1])
    y = b.rim_radius * math.sqrt(R[2] * R[2] + R[5] * R[5])
    width = min(a.ring_width, b.ring_width)
    height, aside = abs(C[2]) - y, e + y + abs(a.rim_radius - b.rim_radius)
    lean = aside / height if height > aside else 1.0
    return R[8] < 0.0 and (e + y) * (e + y) + (a.rim_tube + b.rim_tube) * (y + lean * e) < 0.5 * width * width


@pure
def crossing_share(a, b, z_B, C, X):
    """Share of the rims at a crossing, how it changes, and the sense of the crossing.

    z_B: axis of b; C, X: centre and point of b's rim from the centre of a's. The share changes at the rate
    f.v + m.w as b moves with velocity v at X and turns at w; f and m come back.
    """
    rho_A, rho_B, T = a.rim_radius, b.rim_radius, a.rim_tube + b.rim_tube
    foot = circle_foot(X, rho_A)
    d = sub(X, foot)
    D = max(math.sqrt(dot(d, d)), TOUCHING)
    n, e_A, e_B = scale(1.0 / D, d), scale(1.0 / rho_A, foot), scale(1.0 / rho_B, sub(X, C))
    t_A, t_B = (-e_A[1], e_A[0], 0.0), cross(z_B, e_B)
    n_A, n_B, c = dot(n, e_A), dot(n, e_B), dot(t_A, t_B)
    p, q = 1.0 - T / rho_B * n_B, 1.0 + T / rho_A * n_A
    none, full = share_limits(a, b)
    part = (p * q - c * c - none) / (full - none)
    across = cross(t_A, t_B)
    sense = dot(n, across)
    nothing = (0.0, 0.0, 0.0)
    if not part > 0.0:
        return 0.0, nothing, nothing, sense
    if part >= 1.0:
        return 1.0, nothing, nothing, sense
    # H by the two angles, which move with the minimum
    y_A, y_B = dot(t_A, e_B), dot(t_B, e_A)
    H_A = q * T / (D * rho_B) * y_A + 2.0 * c * y_B / rho_A
    H_B = p * T / (D * rho_A) * y_B + 2.0 * c * y_A / rho_B
    p_0, q_0 = 1.0 - D / rho_B * n_B, 1.0 + D / rho_A * n_A
    det = p_0 * q_0 - c * c
    m_A, m_B = (c * H_B + p_0 * H_A) / det, (q_0 * H_B + c * H_A) / det
    # and by the pose
    slope = 6.0 * part * (1.0 - part) / (full - none)
    f = scale(p * T / (D * rho_A), axpy(-n_A, n, e_A))
    f = axpy(-q * T / (D * rho_B), axpy(-n_B, n, e_B), f)
    f = axpy(m_A, t_A, axpy(-m_B, t_B, f))
    m = axpy(-q * T / rho_B, cross(e_B, n), axpy(-m_B, cross(t_B, d), scale(2.0 * c, across)))
    return part * part * (3.0 - 2.0 * part), scale(slope, f), scale(slope, m), sense

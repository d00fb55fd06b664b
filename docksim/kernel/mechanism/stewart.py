"""Gough-Stewart legs, eight side by side: UPS, SPU and UCU as straight-line scalar code.

Golubev & Yaskevich, section 7, on the inputs of module `legs`: everything on the axes E of the leg, x along it. A body
that swings with the leg turns, for unit velocities of the ring joint across the leg, by k (p, 0, 1) and k (q, -1, 0),
k one over the length. A link that does not spin has p = 0 and q = -t, t the tangent of the second universal angle; one
that spins with the ring's universal joint has p = -n_z / n_x, q = n_y / n_x, and u = 1 / n_x for the fourth input. So
the lower and the upper link of a UPS or an SPU leg are one body with a sliding part; those of UCU are two.
"""

import math

from docksim.algebra.vec3 import add, add_sym, axpy, cross, dot, mat_t_vec, mat_vec, scale, sub, sym_vec, turned_sym
from docksim.kernel.mechanism.leg_share import (
    lane3,
    lane6,
    lane9,
    lane_base,
    moved_moment,
    put3,
    share_coupling,
    share_mass,
    share_rigid,
    share_wrench,
)
from docksim.kernel.mechanism.legs import SMALL
from docksim.model.mechanism import LANES, SHARE_B, SHARE_N
from docksim.native.decorators import apart, melted, pure


@pure
def on_axes(x, y, z, a):
    """Components of a on three axes."""
    return dot(x, a), dot(y, a), dot(z, a)


@pure
def from_axes(x, y, z, a):
    """The vector with components a on three axes."""
    return axpy(a[0], x, axpy(a[1], y, scale(a[2], z)))


@pure
def spun_vector(s, c, a):
    """Turned about x."""
    return a[0], c * a[1] - s * a[2], s * a[1] + c * a[2]


@pure
def spun_inertia(s, c, J):
    """Turned about x."""
    cc, ss, cs = c * c, s * s, c * s
    return (
        J[0],
        cc * J[1] + ss * J[2] - 2.0 * cs * J[5],
        ss * J[1] + cc * J[2] + 2.0 * cs * J[5],
        c * J[3] - s * J[4],
        s * J[3] + c * J[4],
        cs * (J[1] - J[2]) + (cc - ss) * J[5],
    )


@pure
def slid(m, x, mc, J):
    """First moment and inertia about the base joint of a link whose origin is x along the leg."""
    far = m * x
    s = x * (2.0 * mc[0] + far)
    return (mc[0] + far, mc[1], mc[2]), (J[0], J[1] + s, J[2] + s, J[3] - x * mc[1], J[4] - x * mc[2], J[5])


@pure
def swing_mass(J, p, q):
    """Inertia against the two swings, over k2: yy, yz, zz."""
    yy = J[2] + p * (2.0 * J[4] + p * J[0])
    yz = q * (p * J[0] + J[4]) - p * J[3] - J[5]
    zz = J[1] + q * (q * J[0] - 2.0 * J[3])
    return yy, yz, zz


@pure
def swing_force(k, p, q, mc):
    """Force on the base joint by unit swings: k (p, 0, 1) x mc, k (q, -1, 0) x mc."""
    return (
        scale(k, (-mc[1], mc[0] - p * mc[2], p * mc[1])),
        scale(k, (-mc[2], -q * mc[2], q * mc[1] + mc[0])),
    )


@pure
def swing_moment(k, p, q, J):
    """Moment on the base joint by unit swings."""
    return (
        scale(k, (p * J[0] + J[4], p * J[3] + J[5], p * J[4] + J[2])),
        scale(k, (q * J[0] - J[3], q * J[3] - J[1], q * J[4] - J[5])),
    )


@pure
def body_bias(m, mc, J, a, alpha, W):
    """Force and moment about its origin that a body's motion demands: origin accelerated by a, turning at W, alpha."""
    force = add(axpy(m, a, cross(alpha, mc)), sub(scale(dot(W, mc), W), scale(dot(W, W), mc)))
    moment = add(cross(mc, a), add(sym_vec(J, alpha), cross(W, sym_vec(J, W))))
    return force, moment


@pure
def base_joint(leg, out, k, w_0):
    """Base joint: position, velocity and acceleration against B, and inertial acceleration less that of B's origin."""
    l_0, v, own = lane_base(leg, out, k)
    pull = sub(scale(dot(w_0, l_0), w_0), scale(dot(w_0, w_0), l_0))
    return l_0, v, own, add(pull, axpy(2.0, cross(w_0, v), own))


@pure
def ring_joint(leg, k, ring, l_0, v_0, a_0):
    """Ring joint: arm on the ring; position, velocity and centripetal acceleration against the base joint; B axes."""
    R_C, r_C, w_C, v_C = ring
    d_C = mat_vec(R_C, lane3(leg.l_C, k))
    v = add(v_C, cross(w_C, d_C))
    pull = sub(scale(dot(w_C, d_C), w_C), scale(dot(w_C, w_C), d_C))
    return d_C, sub(add(r_C, d_C), l_0), sub(v, v_0), sub(pull, a_0)


@pure
def stewart_axes(leg, out, k, d):
    """Length, the axes E in B, tangent and one over the cosine of the second universal angle. Writes margin reach x."""
    R_0 = lane9(leg.R_0, k)
    length = math.sqrt(dot(d, d))
    safe = max(length, SMALL)
    k_inv = 1.0 / safe
    n = scale(k_inv, mat_t_vec(R_0, d))
    c_z = math.sqrt(n[0] * n[0] + n[2] * n[2])
    out.margin[k] = min(length, c_z)
    sec = 1.0 / max(c_z, SMALL)
    s_y = -n[2] * sec
    c_y = n[0] * sec
    x = scale(k_inv, d)
    z = mat_vec(R_0, (s_y, 0.0, c_y))
    out.reach[k] = 0.0
    out.x[k] = length - leg.a[k] - leg.b[k]
    return safe, k_inv, x, cross(z, x), z, n[1] * sec, sec


@apart
def ups_lanes(leg, out, ring, w_0):
    """Closure and shares of UPS legs. Writes all results of the block."""
    for k in range(LANES):
        ups_leg(leg, out, k, ring, w_0)


@melted
def ups_leg(leg, out, k, ring, w_0):
    """One leg: a body of two links, of which one slides. Long, as its vectors stay in registers."""
    l_0, v_0, own, a_0 = base_joint(leg, out, k, w_0)
    d_C, d, v, pull = ring_joint(leg, k, ring, l_0, v_0, own)
    length, k_inv, x, y, z, t, sec = stewart_axes(leg, out, k, d)
    v_x, v_y, v_z = on_axes(x, y, z, v)
    w = (-t * k_inv * v_z, -k_inv * v_z, k_inv * v_y)

    # one body, of which the upper link slides
    m_u = leg.mass[1, k]
    c = lane3(leg.mc[1], k)
    far = length - leg.b[k]
    c_x = c[0] + m_u * far
    mc, J = slid(m_u, far, c, add_sym(lane6(leg.J[0], k), lane6(leg.J[1], k)))
    mc = add(mc, lane3(leg.mc[0], k))
    M_sw = swing_mass(J, 0.0, -t)
    kk = k_inv * k_inv
    M = (
        m_u + leg.rotor[2, k],
        kk * (M_sw[0] + leg.rotor[1, k]),
        kk * (M_sw[2] + leg.rotor[0, k] * sec * sec),
        -k_inv * c[1],
        -k_inv * c[2],
        kk * M_sw[1],
    )

    # what the velocities alone demand
    W_0 = on_axes(x, y, z, w_0)
    a = on_axes(x, y, z, a_0)
    W = add(W_0, w)
    e = -kk * v_y * v_z
    alpha = add((e, -t * e, 0.0), cross(W_0, w))
    force, moment = body_bias(leg.mass[0, k] + m_u, mc, J, a, alpha, W)
    slide_y = 2.0 * v_x * W[2]
    slide_z = -2.0 * v_x * W[1]
    force = (force[0], force[1] + m_u * slide_y, force[2] + m_u * slide_z)
    moment = (
        moment[0] + c[1] * slide_z - c[2] * slide_y,
        moment[1] - c_x * slide_z,
        moment[2] + c_x * slide_y,
    )
    upper = (c_x, c[1], c[2])
    n_x = m_u * a[0] + alpha[1] * c[2] - alpha[2] * c[1] + dot(W, upper) * W[0] - dot(W, W) * c_x
    y_0 = stewart_drift(x, y, z, pull, length, w, v_x, t * e)
    M_y = sym_vec(M, y_0)
    f = (
        -n_x - M_y[0],
        -k_inv * moment[2] - M_y[1],
        k_inv * (t * moment[0] + moment[1]) - M_y[2],
    )

    # coupling to the base
    F_y, F_z = swing_force(k_inv, 0.0, -t, mc)
    N_y, N_z = swing_moment(k_inv, 0.0, -t, J)
    N_x = (0.0, c[2], -c[1])
    force = add(force, add(axpy(y_0[1], F_y, scale(y_0[2], F_z)), (m_u * y_0[0], 0.0, 0.0)))
    moment = add(moment, add(axpy(y_0[1], N_y, scale(y_0[2], N_z)), scale(y_0[0], N_x)))
    F_B = (scale(m_u, x), from_axes(x, y, z, F_y), from_axes(x, y, z, F_z))
    N_B = (axpy(c[2], y, scale(-c[1], z)), from_axes(x, y, z, N_y), from_axes(x, y, z, N_z))

    R = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    share_mass(out.share, k, d_C, turned_sym(R, M))
    share_wrench(out.share, SHARE_B, k, (0.0, 0.0, 0.0), mat_vec(R, f), d_C)
    share_wrench(out.share, SHARE_N, k, mat_vec(R, moment), mat_vec(R, force), l_0)
    share_coupling(out.share, k, l_0, d_C, x, y, z, F_B, N_B)
    m = leg.mass[0, k] + m_u
    mc = mat_vec(R, mc)
    share_rigid(out.share, k, moved_moment(m, mc, turned_sym(R, J), l_0), axpy(m, l_0, mc))
    put3(out.axis, 0, k, x)
    put3(out.arm, 0, k, d_C)
    out.rate[k] = v_x
    out.gain[k] = 1.0
    out.drift[k] = y_0[0]


@pure
def stewart_drift(x, y, z, pull, length, w, v_x, te):
    """What the velocities alone demand of the inputs: the ring joint's acceleration less that of the leg's end."""
    tip = (
        -length * (w[1] * w[1] + w[2] * w[2]),
        length * w[0] * w[1] + 2.0 * v_x * w[2],
        length * (w[0] * w[2] + te) - 2.0 * v_x * w[1],
    )
    return sub(on_axes(x, y, z, pull), tip)


@pure
def ring_spin(leg, out, k, e_2):
    """Spin that the ring's universal joint demands; e_2 on E axes. Returns sine, cosine, n_R, u. Writes margin."""
    size = math.sqrt(e_2[1] * e_2[1] + e_2[2] * e_2[2])
    out.margin[k] = min(out.margin[k], size)
    u = leg.spin[k] / max(size, SMALL)
    s = -u * e_2[1]
    c = u * e_2[2]
    return s, c, (c * e_2[2] - s * e_2[1], s * e_2[0], -c * e_2[0]), u


@pure
def turn_drift(n_R, e_1, e_2, w_C, w, eps):
    """What the velocities alone demand of the fourth input."""
    n_dot = add(cross(cross(w, e_1), e_2), cross(e_1, cross(w_C, e_2)))
    return -dot(n_R, eps) - dot(n_dot, sub(w, w_C))

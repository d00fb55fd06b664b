"""Gough-Stewart legs with a universal joint at the ring, eight side by side: SPU and UCU. See module `stewart`."""

from docksim.algebra.vec3 import add, add_sym, axpy, cross, dot, mat_vec, scale, sym_vec, turned_sym
from docksim.kernel.mechanism.leg_share import (
    lane3,
    lane6,
    moved_moment,
    put3,
    share_coupling,
    share_mass,
    share_rigid,
    share_turn,
    share_turn_coupling,
    share_wrench,
)
from docksim.kernel.mechanism.stewart import (
    base_joint,
    body_bias,
    from_axes,
    on_axes,
    ring_joint,
    ring_spin,
    slid,
    spun_inertia,
    spun_vector,
    stewart_axes,
    stewart_drift,
    swing_force,
    swing_mass,
    swing_moment,
    turn_drift,
)
from docksim.model.mechanism import LANES, SHARE_B, SHARE_N
from docksim.native.decorators import apart, melted


@apart
def spu_lanes(leg, out, ring, w_0):
    """Closure and shares of SPU legs, whose two links spin together. Writes all results of the block."""
    for k in range(LANES):
        spun_leg(leg, out, k, ring, w_0, True)


@apart
def ucu_lanes(leg, out, ring, w_0):
    """Closure and shares of UCU legs, whose upper link alone spins. Writes all results of the block."""
    for k in range(LANES):
        spun_leg(leg, out, k, ring, w_0, False)


@melted
def spun_leg(leg, out, k, ring, w_0, both):
    """One leg; `both` is a constant of the caller, whose branch melts away. Long, as its vectors stay in registers."""
    l_0, v_0, own, a_0 = base_joint(leg, out, k, w_0)
    d_C, d, v, pull = ring_joint(leg, k, ring, l_0, v_0, own)
    length, k_inv, x, y, z, t, sec = stewart_axes(leg, out, k, d)
    v_x, v_y, v_z = on_axes(x, y, z, v)
    w = (-t * k_inv * v_z, -k_inv * v_z, k_inv * v_y)

    # spin that the ring demands
    w_C = on_axes(x, y, z, ring[2])
    e_2 = on_axes(x, y, z, mat_vec(ring[0], lane3(leg.e_2, k)))
    s, c, n_R, u = ring_spin(leg, out, k, e_2)
    p = -n_R[2] * u
    q = n_R[1] * u
    turn = u * (dot(n_R, w_C) - dot(n_R, w))
    w_end = (w[0] + turn, w[1], w[2])

    # bodies: the spun one, of which the upper link slides; the lower link belongs to it or stays behind
    m_l = leg.mass[0, k]
    m_u = leg.mass[1, k]
    far = length - leg.b[k]
    c_u = spun_vector(s, c, lane3(leg.mc[1], k))
    c_l = lane3(leg.mc[0], k)
    J_l = lane6(leg.J[0], k)
    J_u = lane6(leg.J[1], k)
    if both:
        c_l = spun_vector(s, c, c_l)
        upper, J = slid(m_u, far, c_u, spun_inertia(s, c, add_sym(J_l, J_u)))
        mc = add(upper, c_l)
        m = m_l + m_u
    else:
        upper, J = slid(m_u, far, c_u, spun_inertia(s, c, J_u))
        mc = upper
        m = m_u
    yy, yz, zz = swing_mass(J, p, q)
    four_y = p * J[0] + J[4]
    four_z = q * J[0] - J[3]
    rotor = leg.rotor[2, k]
    yy += rotor * p * p + leg.rotor[1, k]
    zz += rotor * (q + t) * (q + t) + leg.rotor[0, k] * sec * sec
    yz += rotor * p * (q + t)
    four_y += rotor * p
    four_z += rotor * (q + t)
    F_y, F_z = swing_force(k_inv, p, q, mc)
    N_y, N_z = swing_moment(k_inv, p, q, J)
    F_4 = (0.0, -u * mc[2], u * mc[1])
    N_4 = (u * J[0], u * J[3], u * J[4])
    m_4 = u * u * (J[0] + rotor)

    # what the velocities alone demand
    W_0 = on_axes(x, y, z, w_0)
    a = on_axes(x, y, z, a_0)
    kk = k_inv * k_inv
    e = -kk * v_y * v_z
    eps = (e, -t * e, 0.0)
    eps_end = (e, turn * w[2] - t * e, -turn * w[1])
    W = add(W_0, w_end)
    alpha = add(eps_end, cross(W_0, w_end))
    force, moment = body_bias(m, mc, J, a, alpha, W)
    slide_y = 2.0 * v_x * W[2]
    slide_z = -2.0 * v_x * W[1]
    force = (force[0], force[1] + m_u * slide_y, force[2] + m_u * slide_z)
    moment = (
        moment[0] + upper[1] * slide_z - upper[2] * slide_y,
        moment[1] - upper[0] * slide_z,
        moment[2] + upper[0] * slide_y,
    )
    n_x = m_u * a[0] + alpha[1] * upper[2] - alpha[2] * upper[1] + dot(W, upper) * W[0] - dot(W, W) * upper[0]
    n_y = k_inv * (p * moment[0] + moment[2])
    n_z = k_inv * (q * moment[0] - moment[1])
    n_4 = u * moment[0]
    whole = mc
    J_whole = J
    if not both:
        # the lower link swings, and does not spin
        yy_l, yz_l, zz_l = swing_mass(J_l, 0.0, -t)
        yy += yy_l
        yz += yz_l
        zz += zz_l
        force_l, moment_l = body_bias(m_l, c_l, J_l, a, add(eps, cross(W_0, w)), add(W_0, w))
        n_y += k_inv * moment_l[2]
        n_z -= k_inv * (t * moment_l[0] + moment_l[1])
        force = add(force, force_l)
        moment = add(moment, moment_l)
        F_yl, F_zl = swing_force(k_inv, 0.0, -t, c_l)
        N_yl, N_zl = swing_moment(k_inv, 0.0, -t, J_l)
        F_y = add(F_y, F_yl)
        F_z = add(F_z, F_zl)
        N_y = add(N_y, N_yl)
        N_z = add(N_z, N_zl)
        whole = add(mc, c_l)
        J_whole = add_sym(J, J_l)

    # forces on the inputs
    y_0 = stewart_drift(x, y, z, pull, length, w, v_x, t * e)
    y_4 = turn_drift(n_R, (0.0, c, s), e_2, w_C, w_end, eps_end)
    M = (m_u + leg.rotor[3, k], kk * yy, kk * zz, -k_inv * c_u[1], -k_inv * c_u[2], kk * yz)
    M_4 = (0.0, u * k_inv * four_y, u * k_inv * four_z)
    M_y = sym_vec(M, y_0)
    f = (-n_x - M_y[0], -n_y - M_y[1] - M_4[1] * y_4, -n_z - M_y[2] - M_4[2] * y_4)
    f_4 = -n_4 - M_4[1] * y_0[1] - M_4[2] * y_0[2] - m_4 * y_4

    # coupling to the base
    N_x = (0.0, c_u[2], -c_u[1])
    force = add(force, axpy(y_0[1], F_y, axpy(y_0[2], F_z, scale(y_4, F_4))))
    force = (force[0] + m_u * y_0[0], force[1], force[2])
    moment = add(moment, axpy(y_0[1], N_y, axpy(y_0[2], N_z, axpy(y_4, N_4, scale(y_0[0], N_x)))))
    F_B = (scale(m_u, x), from_axes(x, y, z, F_y), from_axes(x, y, z, F_z))
    N_B = (axpy(c_u[2], y, scale(-c_u[1], z)), from_axes(x, y, z, N_y), from_axes(x, y, z, N_z))

    R = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    n_B = mat_vec(R, n_R)
    share_mass(out.share, k, d_C, turned_sym(R, M))
    share_turn(out.share, k, d_C, n_B, mat_vec(R, M_4), m_4)
    share_wrench(out.share, SHARE_B, k, scale(f_4, n_B), mat_vec(R, f), d_C)
    share_wrench(out.share, SHARE_N, k, mat_vec(R, moment), mat_vec(R, force), l_0)
    share_coupling(out.share, k, l_0, d_C, x, y, z, F_B, N_B)
    share_turn_coupling(out.share, k, l_0, n_B, mat_vec(R, F_4), mat_vec(R, N_4))
    m = m_l + m_u
    whole = mat_vec(R, whole)
    share_rigid(out.share, k, moved_moment(m, whole, turned_sym(R, J_whole), l_0), axpy(m, l_0, whole))
    put3(out.axis, 0, k, x)
    put3(out.arm, 0, k, d_C)
    out.rate[k] = v_x
    out.gain[k] = 1.0
    out.drift[k] = y_0[0]

"""Hunt legs, a crank and a rod, eight side by side: RUS and RSU as straight-line scalar code.

As in module `stewart`, on the axes E of the rod, x along it. The ring joint's velocity along the rod turns the crank by
q = 1 / swing_x per unit, `swing` being the velocity of the crank's end per unit turn; across the rod it swings the rod.
A rod that ends in a ball at the ring (RUS) turns about its own axis as the elbow's universal joint tells it, t again
the tangent of that joint's second angle; one that ends in a universal joint (RSU) as the ring tells it. The crank's own
vectors are on its own axes, where its turn is a unit vector.
"""

import math

from docksim.algebra.vec3 import (
    add,
    add_sym,
    axpy,
    cross,
    dot,
    mat_mat,
    mat_t_vec,
    mat_vec,
    scale,
    sub,
    sym_vec,
    turned_sym,
)
from docksim.kernel.mechanism.leg_share import (
    lane3,
    lane6,
    lane9,
    moved_moment,
    put3,
    share_coupling,
    share_mass,
    share_rigid,
    share_turn,
    share_turn_coupling,
    share_wrench,
)
from docksim.kernel.mechanism.legs import SMALL
from docksim.kernel.mechanism.stewart import (
    base_joint,
    body_bias,
    from_axes,
    on_axes,
    ring_joint,
    ring_spin,
    spun_inertia,
    spun_vector,
    swing_force,
    swing_mass,
    swing_moment,
    turn_drift,
)
from docksim.model.mechanism import LANES, SHARE_B, SHARE_N
from docksim.native.decorators import apart, melted, pure


@apart
def rus_lanes(leg, out, ring, w_0):
    """Closure and shares of RUS legs. Writes all results of the block."""
    for k in range(LANES):
        hunt_leg(leg, out, k, ring, w_0, False)


@apart
def rsu_lanes(leg, out, ring, w_0):
    """Closure and shares of RSU legs. Writes all results of the block."""
    for k in range(LANES):
        hunt_leg(leg, out, k, ring, w_0, True)


@pure
def crank_axes(leg, out, k, d):
    """Axes of the crank in B as a matrix. Writes reach margin x x_cos."""
    R_0 = lane9(leg.R_0, k)
    d_0 = mat_t_vec(R_0, d)
    l12 = leg.l12[k]
    l23 = leg.l23[k]
    rho2 = d_0[0] * d_0[0] + d_0[2] * d_0[2]
    rho = math.sqrt(rho2)
    far = 1.0 / max(rho, SMALL * l12)
    reach = 0.5 * (l12 * l12 + rho2 - l23 * l23 + d_0[1] * d_0[1]) * far / l12
    s_b = leg.elbow[k] * math.sqrt(max(1.0 - reach * reach, 0.0))
    c_b = min(max(reach, -1.0), 1.0)
    c_g = d_0[0] * far
    s_g = -d_0[2] * far
    s = s_g * c_b + c_g * s_b
    c = c_g * c_b - s_g * s_b
    out.reach[k] = reach
    out.margin[k] = rho / l12
    out.x[k] = s
    out.x_cos[k] = c
    return mat_mat(R_0, (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c))


@pure
def rod_axes(leg, out, k, R_crank, d):
    """Axes E of the rod in B; tangent, sine, cosine and secant of the elbow's second angle. Writes margin."""
    l23 = leg.l23[k]
    rod = scale(1.0 / l23, sub(d, scale(leg.l12[k], (R_crank[0], R_crank[3], R_crank[6]))))
    R_elbow = mat_mat(R_crank, lane9(leg.R_k, k))
    n = mat_t_vec(R_elbow, rod)
    c_z = math.sqrt(n[0] * n[0] + n[2] * n[2])
    out.margin[k] = min(out.margin[k], c_z)
    sec = 1.0 / max(c_z, SMALL)
    z = mat_vec(R_elbow, (-n[2] * sec, 0.0, n[0] * sec))
    return rod, cross(z, rod), z, n[1] * sec, n[1], c_z, sec


@melted
def hunt_leg(leg, out, k, ring, w_0, spun):
    """One leg; `spun` is a constant of the caller, whose branch melts away. Long, as its vectors stay in registers."""
    l_0, v_0, own, a_0 = base_joint(leg, out, k, w_0)
    d_C, d, v, pull = ring_joint(leg, k, ring, l_0, v_0, own)
    R_crank = crank_axes(leg, out, k, d)
    x, y, z, t, s_z, c_z, sec = rod_axes(leg, out, k, R_crank, d)
    l12 = leg.l12[k]
    l23 = leg.l23[k]
    k_inv = 1.0 / l23
    axis = on_axes(x, y, z, (R_crank[1], R_crank[4], R_crank[7]))
    crank = scale(l12, on_axes(x, y, z, (R_crank[0], R_crank[3], R_crank[6])))
    swing = cross(axis, crank)
    lever = abs(swing[0])
    out.margin[k] = min(out.margin[k], lever / l12)
    gain = (1.0 if swing[0] >= 0.0 else -1.0) / max(lever, SMALL * l12)

    # rates: crank, elbow (about y, then z), rod
    v_x, v_y, v_z = on_axes(x, y, z, v)
    rate = gain * v_x
    bend_y = k_inv * gain * swing[2]
    bend_z = -k_inv * gain * swing[1]
    w_y = bend_y * v_x - k_inv * v_z
    w_z = bend_z * v_x + k_inv * v_y
    rate_y = (w_y - rate * axis[1]) * sec
    rate_z = w_z - rate * axis[2]
    w = (rate * axis[0] + rate_y * s_z, w_y, w_z)
    g_x = (gain * axis[0] + t * (bend_y - gain * axis[1]), bend_y, bend_z)
    p = 0.0
    q = -t
    u = 0.0
    turn = 0.0
    n_R = (0.0, 0.0, 0.0)
    w_C = on_axes(x, y, z, ring[2])
    c_r = lane3(leg.mc[1], k)
    J_r = lane6(leg.J[1], k)
    roll = 0.0
    e_2 = w_C
    s = 0.0
    c = 1.0
    if spun:
        e_2 = on_axes(x, y, z, mat_vec(ring[0], lane3(leg.e_2, k)))
        s, c, n_R, u = ring_spin(leg, out, k, e_2)
        p = -n_R[2] * u
        q = n_R[1] * u
        turn = u * (dot(n_R, w_C) - dot(n_R, w))
        roll = -u * (n_R[1] * bend_y + n_R[2] * bend_z) - g_x[0]
        g_x = (g_x[0] + roll, bend_y, bend_z)
        c_r = spun_vector(s, c, c_r)
        J_r = spun_inertia(s, c, J_r)
    w_end = (w[0] + turn, w[1], w[2])

    # what unit inputs ask of the rod, about its own origin
    m_r = leg.mass[1, k]
    h_x = scale(gain, swing)
    F_x = axpy(m_r, h_x, cross(g_x, c_r))
    N_x = add(sym_vec(J_r, g_x), cross(c_r, h_x))
    F_y, F_z = swing_force(k_inv, p, q, c_r)
    N_y, N_z = swing_moment(k_inv, p, q, J_r)
    yy, yz, zz = swing_mass(J_r, p, q)
    kk = k_inv * k_inv
    hinge_x = (bend_y - gain * axis[1]) * sec
    hinge_z = -k_inv * sec
    lift_x = bend_z - gain * axis[2]
    crank_J = lane6(leg.J[0], k)
    M = (
        dot(g_x, N_x) + dot(h_x, F_x) + gain * gain * (crank_J[1] + leg.rotor[0, k]),
        kk * yy,
        kk * zz,
        k_inv * (p * N_x[0] + N_x[2]),
        k_inv * (q * N_x[0] - N_x[1]),
        kk * yz,
    )
    M = add_sym(
        M,
        (
            leg.rotor[1, k] * hinge_x * hinge_x + leg.rotor[2, k] * lift_x * lift_x,
            leg.rotor[2, k] * kk,
            leg.rotor[1, k] * hinge_z * hinge_z,
            leg.rotor[2, k] * lift_x * k_inv,
            leg.rotor[1, k] * hinge_x * hinge_z,
            0.0,
        ),
    )
    M_4 = (0.0, 0.0, 0.0)
    m_4 = 0.0
    if spun:
        rotor = leg.rotor[3, k]
        roll_y = k_inv * p
        roll_z = k_inv * (q + t)
        M = add_sym(
            M,
            (
                rotor * roll * roll,
                rotor * roll_y * roll_y,
                rotor * roll_z * roll_z,
                rotor * roll * roll_y,
                rotor * roll * roll_z,
                rotor * roll_y * roll_z,
            ),
        )
        M_4 = (
            u * (N_x[0] + rotor * roll),
            u * (k_inv * (p * J_r[0] + J_r[4]) + rotor * roll_y),
            u * (k_inv * (q * J_r[0] - J_r[3]) + rotor * roll_z),
        )
        m_4 = u * u * (J_r[0] + rotor)

    # what the velocities alone demand of the rod, and of the inputs
    W_0 = on_axes(x, y, z, w_0)
    a = on_axes(x, y, z, a_0)
    w_crank = scale(rate, axis)
    e_y = (s_z, c_z, 0.0)
    before = axpy(rate_y, e_y, w_crank)
    eps = axpy(rate_y, cross(w_crank, e_y), (rate_z * before[1], -rate_z * before[0], 0.0))
    eps_end = (eps[0], eps[1] + turn * w[2], eps[2] - turn * w[1])
    acc = scale(-rate * rate, crank)
    lift = add(axpy(2.0 * rate, cross(W_0, swing), acc), sub(scale(dot(W_0, crank), W_0), scale(dot(W_0, W_0), crank)))
    W = add(W_0, w_end)
    force, moment = body_bias(m_r, c_r, J_r, add(a, lift), add(eps_end, cross(W_0, w_end)), W)
    tip = add(acc, (-l23 * (w[1] * w[1] + w[2] * w[2]), l23 * (eps[2] + w[0] * w[1]), l23 * (w[0] * w[2] - eps[1])))
    y_0 = sub(on_axes(x, y, z, pull), tip)

    # the crank, on its own axes
    m_c = leg.mass[0, k]
    c_c = lane3(leg.mc[0], k)
    W_c = mat_t_vec(R_crank, w_0)
    alpha_c = (-rate * W_c[2], 0.0, rate * W_c[0])
    W_c = (W_c[0], W_c[1] + rate, W_c[2])
    force_c, moment_c = body_bias(m_c, c_c, crank_J, mat_t_vec(R_crank, a_0), alpha_c, W_c)
    F_c = (gain * c_c[2], 0.0, -gain * c_c[0])
    N_c = (gain * crank_J[3], gain * crank_J[1], gain * crank_J[5])

    # forces on the inputs
    M_y = sym_vec(M, y_0)
    f = (
        -dot(g_x, moment) - dot(h_x, force) - gain * moment_c[1] - M_y[0],
        -k_inv * (p * moment[0] + moment[2]) - M_y[1],
        -k_inv * (q * moment[0] - moment[1]) - M_y[2],
    )
    y_4 = 0.0
    f_4 = 0.0
    F_4 = (0.0, 0.0, 0.0)
    N_4 = (0.0, 0.0, 0.0)
    if spun:
        y_4 = turn_drift(n_R, (0.0, c, s), e_2, w_C, w_end, eps_end)
        f = axpy(-y_4, M_4, f)
        f_4 = -u * moment[0] - dot(M_4, y_0) - m_4 * y_4
        F_4 = (0.0, -u * c_r[2], u * c_r[1])
        N_4 = add((u * J_r[0], u * J_r[3], u * J_r[4]), cross(crank, F_4))

    # coupling to the base
    N_x = add(N_x, cross(crank, F_x))
    N_y = add(N_y, cross(crank, F_y))
    N_z = add(N_z, cross(crank, F_z))
    moment = add(moment, cross(crank, force))
    force = add(force, axpy(y_0[0], F_x, axpy(y_0[1], F_y, scale(y_0[2], F_z))))
    moment = add(moment, axpy(y_0[0], N_x, axpy(y_0[1], N_y, scale(y_0[2], N_z))))
    if spun:
        force = axpy(y_4, F_4, force)
        moment = axpy(y_4, N_4, moment)
    force_c = axpy(y_0[0], F_c, force_c)
    moment_c = axpy(y_0[0], N_c, moment_c)
    F_B = (
        add(from_axes(x, y, z, F_x), mat_vec(R_crank, F_c)),
        from_axes(x, y, z, F_y),
        from_axes(x, y, z, F_z),
    )
    N_B = (
        add(from_axes(x, y, z, N_x), mat_vec(R_crank, N_c)),
        from_axes(x, y, z, N_y),
        from_axes(x, y, z, N_z),
    )

    R = (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])
    share_mass(out.share, k, d_C, turned_sym(R, M))
    force = add(mat_vec(R, force), mat_vec(R_crank, force_c))
    moment = add(mat_vec(R, moment), mat_vec(R_crank, moment_c))
    share_wrench(out.share, SHARE_N, k, moment, force, l_0)
    share_coupling(out.share, k, l_0, d_C, x, y, z, F_B, N_B)
    n_B = mat_vec(R, n_R)
    if spun:
        share_turn(out.share, k, d_C, n_B, mat_vec(R, M_4), m_4)
        share_turn_coupling(out.share, k, l_0, n_B, mat_vec(R, F_4), mat_vec(R, N_4))
    share_wrench(out.share, SHARE_B, k, scale(f_4, n_B), mat_vec(R, f), d_C)

    # the two links with their joints held
    c_B = mat_vec(R_crank, c_c)
    r_B = mat_vec(R, c_r)
    elbow = axpy(l12, (R_crank[0], R_crank[3], R_crank[6]), l_0)
    J = add_sym(
        moved_moment(m_c, c_B, turned_sym(R_crank, crank_J), l_0),
        moved_moment(m_r, r_B, turned_sym(R, J_r), elbow),
    )
    share_rigid(out.share, k, J, add(axpy(m_c, l_0, c_B), axpy(m_r, elbow, r_B)))
    put3(out.axis, 0, k, x)
    put3(out.arm, 0, k, d_C)
    out.rate[k] = rate
    out.gain[k] = gain
    out.drift[k] = y_0[0]

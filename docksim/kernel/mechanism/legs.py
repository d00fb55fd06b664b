"""The five leg types: loop closure, and what a leg's motion demands of the ring and of the base.

Golubev & Yaskevich, sections 4, 5 and 7, corrected as in the module `reduction`. The method here goes a step beyond the
paper: a leg of type UPS or RUS follows the velocity y = v_S of its ring joint S alone, one of type SPU, UCU or RSU that
velocity and the turn n_R . w_C about the cut joint's free normal. So each leg is reduced to a mass matrix of three or
four inputs, M y' + ..., seen at S, and no joint-space matrix is inverted. All vectors of a leg are on the axes E of its
link (Stewart: x along the leg; Hunt: x along the rod), where the columns are mostly zeros and ones; t = tan of the
second universal angle is the only trace of the joint's own axes.

This is a leg in detail, link by link: what loads, momenta and single legs are computed from. A run's steps use the
straight-line kernels of modules `stewart`, `stewart_spun` and `hunt`, which keep only what the ring and the base need.

Position closure is analytic, sines and cosines only. A pose out of reach or singular is reported by a status, and the
leg then keeps finite numbers.
"""

import math

from docksim.algebra.vec3 import (
    ZERO,
    add,
    axpy,
    cross,
    dot,
    load3,
    load9,
    mat_mat,
    mat_t_vec,
    mat_vec,
    scale,
    store3,
    store9,
    sub,
    sym_vec,
    transpose,
    turned_sym,
)
from docksim.model.mechanism import LEG_FINE, LEG_SINGULAR, LEG_UNREACHABLE, RSU, RUS, SPU, UCU
from docksim.native.decorators import kernel, pure

SMALL = 1e-9  # sine or cosine below which a closure is called singular


@pure
def universal_angles(n):
    """Sines and cosines of the universal joint (turns about y, then z) that points x along the unit vector n."""
    c_z = math.sqrt(n[0] * n[0] + n[2] * n[2])
    if c_z < SMALL:
        return 0.0, 1.0, n[1], 0.0, False
    return -n[2] / c_z, n[0] / c_z, n[1], c_z, True


@pure
def universal_matrix(s_y, c_y, s_z, c_z):
    """R_y R_z"""
    return (c_y * c_z, -c_y * s_z, s_y, s_z, c_z, 0.0, -s_y * c_z, s_y * s_z, c_y)


@pure
def crank_cosine(leg, y, rho2, rho):
    """Of the angle between the crank and the ring joint, y along the axis and rho away from it; beyond 1 if too far."""
    return (leg.l12 * leg.l12 + rho2 - leg.l23 * leg.l23 + y * y) / (2.0 * leg.l12 * rho)


@pure
def crank_angle(leg, d):
    """Sine and cosine of the crank's angle that brings the rod's end to d (axes of the base joint), and the status."""
    rho2 = d[0] * d[0] + d[2] * d[2]
    rho = math.sqrt(rho2)
    if rho < SMALL * leg.l12:
        return 0.0, 1.0, LEG_SINGULAR
    c_b = crank_cosine(leg, d[1], rho2, rho)
    if abs(c_b) > 1.0:
        return 0.0, 1.0, LEG_UNREACHABLE
    s_b = leg.elbow * math.sqrt(1.0 - c_b * c_b)
    c_g = d[0] / rho
    s_g = -d[2] / rho
    return s_g * c_b + c_g * s_b, c_g * c_b - s_g * s_b, LEG_FINE


@pure
def column_sum(table, y, n):
    """Sum over the n inputs of y times the rows of a table of vectors."""
    x = ZERO
    for i in range(n):
        x = axpy(y[i], load3(table[i]), x)
    return x


@pure
def inputs_of(leg):
    """Three, or four for the types whose ring joint is universal."""
    return 4 if leg.type == SPU or leg.type == UCU or leg.type == RSU else 3


@pure
def is_hunt(leg):
    return leg.type == RUS or leg.type == RSU


@kernel
def close_leg(leg, out, d):
    """Joint coordinates from the leg vector d in B. Writes out status angle R, and t = s_z / c_z is returned.

    Returns also the crank axes in B (Hunt) and the leg's length (Stewart) or the rod's (Hunt).
    """
    R_0 = load9(leg.R_0)
    d_0 = mat_t_vec(R_0, d)
    out.status = LEG_FINE
    R_crank = R_0
    R_base = R_0
    if is_hunt(leg):
        s, c, out.status = crank_angle(leg, d_0)
        length = leg.l23
        out.angle[0, 0] = s
        out.angle[0, 1] = c
        R_crank = mat_mat(R_0, (c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c))
        R_base = mat_mat(R_crank, load9(leg.R_k))
        rod = sub(mat_t_vec(R_crank, d), (leg.l12, 0.0, 0.0))
        n = scale(1.0 / leg.l23, mat_t_vec(load9(leg.R_k), rod))
        first = 1
    else:
        length = math.sqrt(dot(d, d))
        if length < SMALL:
            out.status = LEG_SINGULAR
            length = 1.0
        n = scale(1.0 / length, d_0)
        first = 0
        out.angle[inputs_of(leg) - 1, 0] = length - leg.a - leg.b
    s_y, c_y, s_z, c_z, fine = universal_angles(n)
    if not fine:
        out.status = LEG_SINGULAR
        c_z = SMALL
    out.angle[first, 0] = s_y
    out.angle[first, 1] = c_y
    out.angle[first + 1, 0] = s_z
    out.angle[first + 1, 1] = c_z
    store9(out.R_BE, mat_mat(R_base, universal_matrix(s_y, c_y, s_z, c_z)))
    return s_z, c_z, R_crank, length


@kernel
def close_spin(leg, out, e_2):
    """Turn of the link about its own axis that the ring's universal joint demands; e_2 on E axes. Returns e_1."""
    place = 3 if is_hunt(leg) else 2
    size = math.sqrt(e_2[1] * e_2[1] + e_2[2] * e_2[2])
    if size < SMALL:
        out.status = LEG_SINGULAR
        size = SMALL
    s = -leg.spin * e_2[1] / size
    c = leg.spin * e_2[2] / size
    out.angle[place, 0] = s
    out.angle[place, 1] = c
    return 0.0, c, s


@pure
def turned_link(leg, i, R):
    """First moment and inertia of link i on E axes, from link axes by R."""
    m = leg.mass[i]
    com = mat_vec(R, load3(leg.com[i]))
    J = leg.inertia[i]
    return scale(m, com), turned_sym(R, (J[0], J[1], J[2], J[3], J[4], J[5]))


@kernel
def stewart_columns(leg, out, length, s_z, c_z):
    """Velocities of the links by input, spin left out. Writes out column g h rho arm."""
    t = s_z / c_z
    k = 1.0 / length
    reach = length - leg.b
    last = inputs_of(leg) - 1
    for i in range(2):
        store3(out.g[i, 0], ZERO)
        store3(out.g[i, 1], (0.0, 0.0, k))
        store3(out.g[i, 2], (-t * k, -k, 0.0))
        store3(out.h[i, 0], (1.0 if i == 1 else 0.0, 0.0, 0.0))
        x = reach if i == 1 else 0.0
        store3(out.h[i, 1], (0.0, k * x, 0.0))
        store3(out.h[i, 2], (0.0, 0.0, k * x))
        store3(out.rho[i], (x, 0.0, 0.0))
    store3(out.arm, (leg.b, 0.0, 0.0))
    for j in range(4):
        for i in range(4):
            out.column[j, i] = 0.0
    out.column[0, 2] = -k / c_z
    out.column[1, 1] = k
    out.column[last, 0] = 1.0


@kernel
def hunt_columns(leg, out, R_crank, s_z, c_z):
    """As `stewart_columns`, for crank and rod. Returns crank axis, crank and its end's velocity per turn, on E axes."""
    R = load9(out.R_BE)
    t = s_z / c_z
    k = 1.0 / leg.l23
    axis = mat_t_vec(R, (R_crank[1], R_crank[4], R_crank[7]))
    crank = scale(leg.l12, mat_t_vec(R, (R_crank[0], R_crank[3], R_crank[6])))
    swing = cross(axis, crank)
    lever = swing[0]
    if abs(lever) < SMALL * leg.l12:
        # crank and rod in line: the ring cannot move the crank
        out.status = LEG_SINGULAR
        lever = SMALL * leg.l12
    q = 1.0 / lever
    w_y = k * q * swing[2]
    w_z = -k * q * swing[1]
    store3(out.g[0, 0], scale(q, axis))
    store3(out.g[1, 0], (q * axis[0] + t * (w_y - q * axis[1]), w_y, w_z))
    store3(out.h[1, 0], scale(q, swing))
    for i in range(2):
        store3(out.g[i, 1], (0.0, 0.0, i * k))
        store3(out.g[i, 2], (-i * t * k, -i * k, 0.0))
        store3(out.h[i, 1], ZERO)
        store3(out.h[i, 2], ZERO)
    store3(out.h[0, 0], ZERO)
    store3(out.rho[0], ZERO)
    store3(out.rho[1], crank)
    store3(out.arm, (leg.l23, 0.0, 0.0))
    for j in range(4):
        for i in range(4):
            out.column[j, i] = 0.0
    out.column[0, 0] = q
    out.column[1, 0] = (w_y - q * axis[1]) / c_z
    out.column[1, 2] = -k / c_z
    out.column[2, 0] = w_z - q * axis[2]
    out.column[2, 1] = k
    return axis, crank, swing


@kernel
def add_spin(leg, out, n_R):
    """The link's spin by input: n_R . (w + x^ spin) = fourth input. Writes out column g; both links of SPU spin."""
    place = 3 if is_hunt(leg) else 2
    nu = n_R[0]
    if abs(nu) < SMALL:
        nu = SMALL
    for i in range(4):
        if i < 3:
            spin = -dot(n_R, load3(out.g[1, i])) / nu
        else:
            spin = 1.0 / nu
            store3(out.g[0, 3], ZERO)
            store3(out.g[1, 3], ZERO)
            store3(out.h[0, 3], ZERO)
            store3(out.h[1, 3], ZERO)
        out.column[place, i] = spin
        out.g[1, i, 0] += spin
        if leg.type == SPU:
            out.g[0, i, 0] += spin


@kernel
def link_bias(out, i, w_0, w, v, eps, acc, l_0):
    """Forces that the velocities alone demand of link i, base rate w_0 included; all on E axes. Writes out F N.

    w, v: rate of the link and velocity of its origin against B; eps, acc: their rates with joints unaccelerated.
    """
    W = add(w_0, w)
    r = add(l_0, load3(out.rho[i]))
    eps_abs = add(eps, cross(w_0, w))
    acc_abs = axpy(2.0, cross(w_0, v), add(acc, cross(w_0, cross(w_0, r))))
    mc = load3(out.mc[i])
    J = (out.J[i, 0], out.J[i, 1], out.J[i, 2], out.J[i, 3], out.J[i, 4], out.J[i, 5])
    force = add(axpy(out.m[i], acc_abs, cross(eps_abs, mc)), cross(W, cross(W, mc)))
    moment = add(add(cross(mc, acc_abs), sym_vec(J, eps_abs)), cross(W, sym_vec(J, W)))
    store3(out.F[i], force)
    store3(out.N[i], moment)


@kernel
def reduce_leg(leg, out, n):
    """Mass matrix, bias and base coupling against the n inputs. Reads g h rho m mc J F N; writes M n G_F G_N."""
    for i in range(n):
        g_0 = load3(out.g[0, i])
        g_1 = load3(out.g[1, i])
        h_0 = load3(out.h[0, i])
        h_1 = load3(out.h[1, i])
        out.n[i] = dot(g_0, load3(out.N[0])) + dot(h_0, load3(out.F[0]))
        out.n[i] += dot(g_1, load3(out.N[1])) + dot(h_1, load3(out.F[1]))
        force_0, moment_0 = link_momentum(out, 0, g_0, h_0)
        force_1, moment_1 = link_momentum(out, 1, g_1, h_1)
        for k in range(i + 1):
            value = dot(load3(out.g[0, k]), moment_0) + dot(load3(out.h[0, k]), force_0)
            value += dot(load3(out.g[1, k]), moment_1) + dot(load3(out.h[1, k]), force_1)
            for j in range(n):
                value += leg.rotor[j] * out.column[j, i] * out.column[j, k]
            out.M[i, k] = value
            out.M[k, i] = value
        store3(out.G_F[i], add(force_0, force_1))
        store3(out.G_N[i], add(moment_0, add(moment_1, cross(load3(out.rho[1]), force_1))))


@pure
def link_momentum(out, i, g, h):
    """Force and moment about its origin that unit accelerations g, h demand of link i."""
    mc = load3(out.mc[i])
    J = (out.J[i, 0], out.J[i, 1], out.J[i, 2], out.J[i, 3], out.J[i, 4], out.J[i, 5])
    return axpy(out.m[i], h, cross(g, mc)), add(sym_vec(J, g), cross(mc, h))


@pure
def at_home(leg):
    """Position, velocity and acceleration in B of a base joint that stays where it belongs."""
    return load3(leg.l_0), ZERO, ZERO


@kernel
def leg_motion(leg, out, R_C, r_C, w_C, v_C, w_0, base):
    """Closure in position, velocity and acceleration, and the leg's reduced dynamics; arguments on B axes.

    base: the base joint's position, velocity and acceleration in B (`at_home` if it stays). Writes all of out but Q.
    The inputs are the acceleration of the ring joint, and n_R . w_C'. Long, because position, velocity and acceleration
    of one leg share their vectors, and these should not leave the registers.
    """
    n = inputs_of(leg)
    d_C = mat_vec(R_C, load3(leg.l_C))
    l_0, v_0, a_0 = base
    store3(out.l_0, l_0)
    store3(out.v_0, v_0)
    s_z, c_z, R_crank, length = close_leg(leg, out, sub(add(r_C, d_C), l_0))
    R = load9(out.R_BE)
    v_0 = mat_t_vec(R, v_0)
    a_0 = mat_t_vec(R, a_0)

    # ring and base motion on the link's axes
    v = sub(mat_t_vec(R, add(v_C, cross(w_C, d_C))), v_0)
    pull = sub(mat_t_vec(R, cross(w_C, cross(w_C, d_C))), a_0)
    w_C = mat_t_vec(R, w_C)
    w_0 = mat_t_vec(R, w_0)
    l_0 = mat_t_vec(R, l_0)

    # velocities by input, without the spin about the link's axis
    axis = ZERO
    crank = ZERO
    swing = ZERO
    if is_hunt(leg):
        axis, crank, swing = hunt_columns(leg, out, R_crank, s_z, c_z)
    else:
        stewart_columns(leg, out, length, s_z, c_z)
    w = add(add(scale(v[0], load3(out.g[1, 0])), scale(v[1], load3(out.g[1, 1]))), scale(v[2], load3(out.g[1, 2])))

    # spin
    spin = 0.0
    e_1 = ZERO
    e_2 = ZERO
    n_R = ZERO
    if n == 4:
        e_2 = mat_t_vec(R, mat_vec(R_C, load3(leg.e_2)))
        e_1 = close_spin(leg, out, e_2)
        n_R = cross(e_1, e_2)
        add_spin(leg, out, n_R)
        spin = dot(n_R, sub(w_C, w)) / (n_R[0] if abs(n_R[0]) >= SMALL else SMALL)
    store3(out.n_R, mat_vec(R, n_R))
    y = (v[0], v[1], v[2], dot(n_R, w_C))
    out.y[0], out.y[1], out.y[2], out.y[3] = y
    for j in range(n):
        rate = 0.0
        for i in range(n):
            rate += out.column[j, i] * y[i]
        out.rate[j] = rate

    # links on the axes E
    place_links(leg, out, R, R_crank)

    # accelerations of the links and of the ring joint with the joints unaccelerated, then the forces they demand
    x_axis = (1.0, 0.0, 0.0)
    w_end = (w[0] + spin, w[1], w[2])
    if is_hunt(leg):
        rate_y = out.rate[1]
        rate_z = out.rate[2]
        w_crank = scale(out.rate[0], axis)
        e_y = (s_z, c_z, 0.0)
        e_z = (0.0, 0.0, 1.0)
        before = axpy(rate_y, e_y, w_crank)
        eps = add(scale(rate_y, cross(w_crank, e_y)), scale(rate_z, cross(before, e_z)))
        acc = cross(w_crank, cross(w_crank, crank))
        v_1 = scale(out.rate[0], swing)
        link_bias(out, 0, w_0, w_crank, v_0, ZERO, a_0, l_0)
    else:
        eps = scale(out.rate[0] * out.rate[1], (c_z, -s_z, 0.0))
        rho = load3(out.rho[1])
        slide = (out.rate[n - 1], 0.0, 0.0)
        acc = add(add(cross(eps, rho), cross(w, cross(w, rho))), scale(2.0, cross(w, slide)))
        v_1 = add(cross(w, rho), slide)
        turn = spin if leg.type == SPU else 0.0
        eps_0 = axpy(turn, cross(w, x_axis), eps)
        link_bias(out, 0, w_0, (w[0] + turn, w[1], w[2]), v_0, eps_0, a_0, l_0)
    eps_end = axpy(spin, cross(w, x_axis), eps)
    link_bias(out, 1, w_0, w_end, add(v_1, v_0), eps_end, add(acc, a_0), l_0)
    arm = load3(out.arm)
    tip = add(acc, add(cross(eps, arm), cross(w, cross(w, arm))))
    out.y_0[0] = pull[0] - tip[0]
    out.y_0[1] = pull[1] - tip[1]
    out.y_0[2] = pull[2] - tip[2]
    out.y_0[3] = 0.0
    if n == 4:
        n_dot = add(cross(cross(w_end, e_1), e_2), cross(e_1, cross(w_C, e_2)))
        out.y_0[3] = -dot(n_R, eps_end) - dot(n_dot, sub(w_end, w_C))
    reduce_leg(leg, out, n)


@kernel
def place_links(leg, out, R, R_crank):
    """Mass properties of the two links on E axes. Writes out m mc J."""
    E = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    spun = E
    if inputs_of(leg) == 4:
        place = 3 if is_hunt(leg) else 2
        s = out.angle[place, 0]
        c = out.angle[place, 1]
        spun = (1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c)
    for i in range(2):
        turn = E
        if i == 0 and is_hunt(leg):
            turn = mat_mat(transpose(R), R_crank)
        elif i == 1 or leg.type == SPU:
            turn = spun
        mc, J = turned_link(leg, i, turn)
        out.m[i] = leg.mass[i]
        store3(out.mc[i], mc)
        out.J[i, 0], out.J[i, 1], out.J[i, 2], out.J[i, 3], out.J[i, 4], out.J[i, 5] = J

"""The docking mechanism: six legs and a ring on a moving base, reduced to six equations of the ring.

Golubev & Yaskevich, sections 5 and 6, with five corrections (the full offset in the velocity recursion, eps x d, the
ring's own centripetal term, a reaction recursion that starts from the cut joint's force, a base that moves). Everything
is on B axes; u = [w_C; v_C] is the ring's motion against B. Each leg adds to A*, b*, G*, n0*, I* as an inertia at its
ring joint and at its base joint. Eliminating the ring leaves

    wrench on the mechanism from its base = P_m A0 + z_m,   P_m = I* - G* A*^-1 G*',   z_m = n0* + G* A*^-1 b*

so that the whole mechanism hangs in a spacecraft's tree as one more child.
"""

import math

from docksim.kernel.couplings import add_rotors, detailed_row
from docksim.kernel.jit import kernel, pure
from docksim.kernel.joints import ZERO
from docksim.kernel.legs import AT_HOME, column_sum, inputs_of, leg_motion
from docksim.kernel.spatial import (
    add_shifted_inertia,
    add_shifted_wrench,
    inertia_about_hinge,
    load6,
    store6,
    tail3,
)
from docksim.kernel.vec3 import (
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
    sub,
    sym_vec,
    transpose,
    turned_sym,
)
from docksim.model import SHARE_A, SHARE_B, SHARE_G, SHARE_I, SHARE_N

NO_SYM = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NO_MAT = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
# place of entry (i, j) of a symmetric 3 x 3 in its six numbers
SYM = ((0, 3, 4), (3, 1, 5), (4, 5, 2))


@pure
def outer(a, b):
    return (
        a[0] * b[0],
        a[0] * b[1],
        a[0] * b[2],
        a[1] * b[0],
        a[1] * b[1],
        a[1] * b[2],
        a[2] * b[0],
        a[2] * b[1],
        a[2] * b[2],
    )


@pure
def skew(c):
    return 0.0, -c[2], c[1], c[2], 0.0, -c[0], -c[1], c[0], 0.0


@pure
def start_with_ring(own, P, n, f, r_C):
    """A* b* G* n0* I* of the ring and all that hangs on it: P, and [n; f] = z + P bias, on B axes about C's origin."""
    A, B, C = P
    for i in range(21):
        own.A[i] = 0.0
        own.I[i] = 0.0
    add_shifted_inertia(own.A, A, B, C, (0.0, 0.0, 0.0))
    add_shifted_inertia(own.I, A, B, C, r_C)
    store6(own.b, scale(-1.0, n), scale(-1.0, f))
    store6(own.n_0, add(n, cross(r_C, f)), f)
    back = transpose(B)
    C_full = (C[0], C[3], C[4], C[3], C[1], C[5], C[4], C[5], C[2])
    A_full = (A[0], A[3], A[4], A[3], A[1], A[5], A[4], A[5], A[2])
    arm = skew(r_C)
    turn = mat_mat(arm, back)
    travel = mat_mat(arm, C_full)
    for i in range(3):
        for j in range(3):
            own.G[i, j] = A_full[3 * i + j] + turn[3 * i + j]
            own.G[i, j + 3] = B[3 * i + j] + travel[3 * i + j]
            own.G[i + 3, j] = back[3 * i + j]
            own.G[i + 3, j + 3] = C_full[3 * i + j]


@pure
def lone_ring(ring, work, R_C, r_C, w_C, v_C, w_0, wrench):
    """The sums of a ring with nothing on it; `wrench` acts on it about C's origin. Writes A b G n_0 I."""
    m = ring.mass
    mc = scale(m, mat_vec(R_C, load3(ring.com)))
    J = turned_sym(R_C, load6(ring.inertia))
    W = add(w_0, w_C)
    eps = cross(w_0, w_C)
    acc = axpy(2.0, cross(w_0, v_C), cross(w_0, cross(w_0, r_C)))
    force = add(axpy(m, acc, cross(eps, mc)), cross(W, cross(W, mc)))
    moment = add(add(cross(mc, acc), sym_vec(J, eps)), cross(W, sym_vec(J, W)))
    P = (J, skew(mc), (m, m, m, 0.0, 0.0, 0.0))
    start_with_ring(work, P, sub(moment, load3(wrench)), sub(force, tail3(wrench)), r_C)


@pure
def add_leg(leg, out, work, R_C):
    """One leg's share of A* b* G* n0* I*. Reads out; all turned from E to B axes here."""
    n = inputs_of(leg)
    R = load9(out.R)
    d_C = mat_vec(R_C, load3(leg.l_C))
    l_0 = load3(out.l_0)

    # inertia and force at the ring joint
    M = out.M
    C = turned_sym(R, (M[0, 0], M[1, 1], M[2, 2], M[0, 1], M[0, 2], M[1, 2]))
    A = NO_SYM
    B = NO_MAT
    n_R = load3(out.n_R)
    if n == 4:
        q = M[3, 3]
        A = (
            q * n_R[0] * n_R[0],
            q * n_R[1] * n_R[1],
            q * n_R[2] * n_R[2],
            q * n_R[0] * n_R[1],
            q * n_R[0] * n_R[2],
            q * n_R[1] * n_R[2],
        )
        B = outer(n_R, mat_vec(R, (M[3, 0], M[3, 1], M[3, 2])))
    add_shifted_inertia(work.A, A, B, C, d_C)
    f_0 = input_force(leg, out, 0, n)
    f_1 = input_force(leg, out, 1, n)
    f_2 = input_force(leg, out, 2, n)
    f_3 = input_force(leg, out, 3, n) if n == 4 else 0.0
    add_shifted_wrench(work.b, scale(f_3, n_R), mat_vec(R, (f_0, f_1, f_2)), d_C)

    # what the leg as a rigid thing, and its bias, ask of the base joint
    add_rigid_leg(out, work, R, l_0)
    rho = load3(out.rho[1])
    force = add(add(load3(out.F[0]), load3(out.F[1])), column_sum(out.G_F, out.y_0, n))
    moment = add(load3(out.N[0]), add(load3(out.N[1]), cross(rho, load3(out.F[1]))))
    moment = add(moment, column_sum(out.G_N, out.y_0, n))
    add_shifted_wrench(work.n_0, mat_vec(R, moment), mat_vec(R, force), l_0)

    add_coupling(out, work, R, l_0, d_C, n_R, n)


@pure
def by_inputs(table):
    """Matrix whose columns are the first three rows of a table of vectors."""
    a = load3(table[0])
    b = load3(table[1])
    c = load3(table[2])
    return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]


@pure
def add_coupling(out, work, R, l_0, d_C, n_R, n):
    """Base wrench by ring acceleration: G (inputs by [w_C'; v_C']). Writes work.G."""
    back = transpose(R)
    K = mat_mat(mat_mat(R, by_inputs(out.G_F)), back)
    L = mat_mat(mat_mat(R, by_inputs(out.G_N)), back)
    shift = mat_mat(skew(l_0), K)
    for i in range(3):
        force = (K[3 * i], K[3 * i + 1], K[3 * i + 2])
        moment = (L[3 * i] + shift[3 * i], L[3 * i + 1] + shift[3 * i + 1], L[3 * i + 2] + shift[3 * i + 2])
        add_row(work.G[i], cross(d_C, moment), moment)
        add_row(work.G[i + 3], cross(d_C, force), force)
    if n == 4:
        force = mat_vec(R, load3(out.G_F[3]))
        moment = add(mat_vec(R, load3(out.G_N[3])), cross(l_0, force))
        for i in range(3):
            add_row(work.G[i], scale(moment[i], n_R), ZERO)
            add_row(work.G[i + 3], scale(force[i], n_R), ZERO)


@pure
def add_row(row, turn, travel):
    for j in range(3):
        row[j] += turn[j]
        row[j + 3] += travel[j]


@pure
def input_force(leg, out, i, n):
    """What drives the ring through input i: active forces less bias less what the velocities demand."""
    f = -out.n[i]
    for j in range(n):
        f += out.column[j, i] * out.Q[j] - out.M[i, j] * out.y_0[j]
    return f


@pure
def add_rigid_leg(out, work, R, l_0):
    """The leg's mass with its joints held, about B's origin."""
    m = out.m[0] + out.m[1]
    rho = load3(out.rho[1])
    mc = add(load3(out.mc[0]), axpy(out.m[1], rho, load3(out.mc[1])))
    J_0 = out.J[0]
    J_1 = out.J[1]
    # second link about the base joint: J + cross terms of its first moment and its offset
    k = load3(out.mc[1])
    s = inertia_about_hinge(out.m[1], rho, (J_1[0], J_1[1], J_1[2], J_1[3], J_1[4], J_1[5]))
    twice = 2.0 * dot(k, rho)
    J = (
        J_0[0] + s[0] + twice - 2.0 * k[0] * rho[0],
        J_0[1] + s[1] + twice - 2.0 * k[1] * rho[1],
        J_0[2] + s[2] + twice - 2.0 * k[2] * rho[2],
        J_0[3] + s[3] - k[0] * rho[1] - k[1] * rho[0],
        J_0[4] + s[4] - k[0] * rho[2] - k[2] * rho[0],
        J_0[5] + s[5] - k[1] * rho[2] - k[2] * rho[1],
    )
    add_shifted_inertia(work.I, turned_sym(R, J), skew(mat_vec(R, mc)), (m, m, m, 0.0, 0.0, 0.0), l_0)


@pure
def inertia_entry(P, i, j):
    """Entry (i, j) of a spatial inertia stored in 21 numbers."""
    if i < 3 and j < 3:
        return P[SYM[i][j]]
    if i >= 3 and j >= 3:
        return P[15 + SYM[i - 3][j - 3]]
    if i < 3:
        return P[6 + 3 * i + j - 3]
    return P[6 + 3 * j + i - 3]


@pure
def factorise(P, L):
    """Lower Cholesky factor of a spatial inertia, its diagonal inverted; False if it is not positive definite."""
    for i in range(6):
        for j in range(i + 1):
            x = inertia_entry(P, i, j)
            for k in range(j):
                x -= L[i, k] * L[j, k]
            if i == j:
                if x <= 0.0:
                    return False
                L[i, i] = 1.0 / math.sqrt(x)
            else:
                L[i, j] = x * L[j, j]
    return True


@pure
def forward_columns(L, Y):
    """Y = L^-1 Y, all columns side by side; the diagonal of L is inverted already."""
    l_0, l_1, l_2, l_3, l_4, l_5 = L[0, 0], L[1, 1], L[2, 2], L[3, 3], L[4, 4], L[5, 5]
    l_10, l_20, l_21, l_30, l_31, l_32 = L[1, 0], L[2, 0], L[2, 1], L[3, 0], L[3, 1], L[3, 2]
    l_40, l_41, l_42, l_43 = L[4, 0], L[4, 1], L[4, 2], L[4, 3]
    l_50, l_51, l_52, l_53, l_54 = L[5, 0], L[5, 1], L[5, 2], L[5, 3], L[5, 4]
    for c in range(8):
        y_0 = l_0 * Y[0, c]
        y_1 = l_1 * (Y[1, c] - l_10 * y_0)
        y_2 = l_2 * (Y[2, c] - l_20 * y_0 - l_21 * y_1)
        y_3 = l_3 * (Y[3, c] - l_30 * y_0 - l_31 * y_1 - l_32 * y_2)
        y_4 = l_4 * (Y[4, c] - l_40 * y_0 - l_41 * y_1 - l_42 * y_2 - l_43 * y_3)
        y_5 = l_5 * (Y[5, c] - l_50 * y_0 - l_51 * y_1 - l_52 * y_2 - l_53 * y_3 - l_54 * y_4)
        Y[0, c], Y[1, c], Y[2, c], Y[3, c], Y[4, c], Y[5, c] = y_0, y_1, y_2, y_3, y_4, y_5


@pure
def column6(Y, c):
    return Y[0, c], Y[1, c], Y[2, c], Y[3, c], Y[4, c], Y[5, c]


@pure
def product6(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]


@pure
def column_products(Y, YY):
    """YY[i, c]: column i times column c, the first six with all eight."""
    a_0, a_1, a_2 = column6(Y, 0), column6(Y, 1), column6(Y, 2)
    a_3, a_4, a_5 = column6(Y, 3), column6(Y, 4), column6(Y, 5)
    for c in range(8):
        y = column6(Y, c)
        YY[0, c], YY[1, c], YY[2, c] = product6(a_0, y), product6(a_1, y), product6(a_2, y)
        YY[3, c], YY[4, c], YY[5, c] = product6(a_3, y), product6(a_4, y), product6(a_5, y)


@pure
def eliminate_ring(work):
    """P_m and z_m. Reads A b G n_0 I; writes L Y YY P_m z_m. False if A* is singular.

    With A* = L L' and Y = L^-1 [G*' b*] one product holds both: P_m = I* - Y' Y, z_m = n0* + Y' y. The columns of Y
    are lanes: seven and an empty one, so the loops over them fill a wide register.
    """
    if not factorise(work.A, work.L):
        return False
    for i in range(6):
        for c in range(6):
            work.Y[i, c] = work.G[c, i]
        work.Y[i, 6] = work.b[i]
    forward_columns(work.L, work.Y)
    column_products(work.Y, work.YY)
    for i in range(6):
        work.z_m[i] = work.n_0[i] + work.YY[i, 6]
    for i in range(3):
        for j in range(3):
            if j >= i:
                work.P_m[SYM[i][j]] = work.I[SYM[i][j]] - work.YY[i, j]
                place = 15 + SYM[i][j]
                work.P_m[place] = work.I[place] - work.YY[i + 3, j + 3]
            place = 6 + 3 * i + j
            work.P_m[place] = work.I[place] - work.YY[i, j + 3]
    return True


@kernel
def mechanism_reduction(legs, ring, couplings, work, R_C, r_C, w_C, v_C, w_0, wrench):
    """Closure, leg dynamics and elimination of the ring at a pose and motion. False if A* is singular.

    Reads work.leg Q (active forces of the kept joints); writes everything else in work.
    """
    lone_ring(ring, work, R_C, r_C, w_C, v_C, w_0, wrench)
    for k in range(legs.size):
        leg_motion(legs[k], work.leg[k], R_C, r_C, w_C, v_C, w_0, AT_HOME)
    for k in range(legs.size):
        add_leg(legs[k], work.leg[k], work, R_C)
        detailed_row(work.shaft[k], legs[k], work.leg[k], R_C)
    add_rotors(couplings, 0, couplings.size, work.shaft, 0, work)
    return eliminate_ring(work)


@pure
def ring_acceleration(work, A_0, u_dot):
    """u' = A*^-1 (b* - G*' A0). Needs `eliminate_ring`. Writes u_dot."""
    for i in range(6):
        s = work.Y[i, 6]
        for k in range(6):
            s -= work.Y[i, k] * A_0[k]
        u_dot[i] = s
    for i in range(5, -1, -1):
        s = u_dot[i]
        for k in range(i + 1, 6):
            s -= work.L[k, i] * u_dot[k]
        u_dot[i] = s * work.L[i, i]


@pure
def add_total(work, total, mass):
    """What the legs add, in the order of their shares, to A* b* G* n0* I*."""
    for i in range(21):
        work.A[i] += total[SHARE_A + i]
    for i in range(6):
        work.b[i] += total[SHARE_B + i]
        work.n_0[i] += total[SHARE_N + i]
        work.I[i] += total[SHARE_I + i]
        for j in range(6):
            work.G[i, j] += total[SHARE_G + 6 * i + j]
    mc = (total[SHARE_I + 6], total[SHARE_I + 7], total[SHARE_I + 8])
    first = skew(mc)
    for i in range(9):
        work.I[6 + i] += first[i]
    for i in range(3):
        work.I[15 + i] += mass


@kernel
def leg_inputs(leg, out, R_C, u_dot):
    """Accelerations of the leg's inputs under the ring's acceleration."""
    w = load3(u_dot)
    a = mat_t_vec(load9(out.R), add(tail3(u_dot), cross(w, mat_vec(R_C, load3(leg.l_C)))))
    y_0 = out.y_0
    return a[0] + y_0[0], a[1] + y_0[1], a[2] + y_0[2], dot(load3(out.n_R), w) + y_0[3]


@kernel
def leg_acceleration(leg, out, R_C, u_dot, accelerations):
    """Accelerations of the kept joints. Writes accelerations."""
    y = leg_inputs(leg, out, R_C, u_dot)
    n = inputs_of(leg)
    for j in range(n):
        s = 0.0
        for i in range(n):
            s += out.column[j, i] * y[i]
        accelerations[j] = s


@kernel
def leg_loads(leg, out, R_C, u_dot, A_0):
    """Wrenches in the leg on B axes, as (3, 6) rows of moment and force. Writes out load.

    Row 0: base on the first link about the base joint; row 1: first link on the second about the second's origin;
    row 2: leg on the ring at the ring joint (moment along n_R only).
    """
    n = inputs_of(leg)
    R = load9(out.R)
    y = leg_inputs(leg, out, R_C, u_dot)
    alpha_0 = load3(A_0)
    a_0 = add(tail3(A_0), cross(alpha_0, load3(out.l_0)))
    alpha_0 = mat_t_vec(R, alpha_0)
    a_0 = mat_t_vec(R, a_0)
    lam_0 = cut_force(leg, out, y, alpha_0, a_0, 0, n)
    lam_1 = cut_force(leg, out, y, alpha_0, a_0, 1, n)
    lam_2 = cut_force(leg, out, y, alpha_0, a_0, 2, n)
    lam_3 = cut_force(leg, out, y, alpha_0, a_0, 3, n) if n == 4 else 0.0
    lam = (lam_0, lam_1, lam_2)
    n_R = mat_t_vec(R, load3(out.n_R))

    # second link: inertia less the ring's force on it; then the first link
    force_1, moment_1 = link_demand(out, 1, y, alpha_0, a_0, n)
    force_1 = sub(force_1, lam)
    moment_1 = sub(sub(moment_1, cross(load3(out.arm), lam)), scale(lam_3, n_R))
    force_0, moment_0 = link_demand(out, 0, y, alpha_0, a_0, n)
    force_0 = add(force_0, force_1)
    moment_0 = add(add(moment_0, moment_1), cross(load3(out.rho[1]), force_1))
    store6(out.load[0], mat_vec(R, moment_0), mat_vec(R, force_0))
    store6(out.load[1], mat_vec(R, moment_1), mat_vec(R, force_1))
    store6(out.load[2], scale(-lam_3, load3(out.n_R)), scale(-1.0, mat_vec(R, lam)))


@pure
def cut_force(leg, out, y, alpha_0, a_0, i, n):
    """Force of the ring on the leg through input i."""
    f = out.n[i] + dot(load3(out.G_N[i]), alpha_0) + dot(load3(out.G_F[i]), a_0)
    for j in range(n):
        f += out.M[i, j] * y[j] - out.column[j, i] * out.Q[j]
    return f


@pure
def link_demand(out, i, y, alpha_0, a_0, n):
    """Force and moment about its origin that the motion demands of link i, on E axes."""
    g = alpha_0
    h = add(a_0, cross(alpha_0, load3(out.rho[i])))
    for j in range(n):
        g = axpy(y[j], load3(out.g[i, j]), g)
        h = axpy(y[j], load3(out.h[i, j]), h)
    mc = load3(out.mc[i])
    J = (out.J[i, 0], out.J[i, 1], out.J[i, 2], out.J[i, 3], out.J[i, 4], out.J[i, 5])
    force = add(axpy(out.m[i], h, cross(g, mc)), load3(out.F[i]))
    moment = add(add(sym_vec(J, g), cross(mc, h)), load3(out.N[i]))
    return force, moment

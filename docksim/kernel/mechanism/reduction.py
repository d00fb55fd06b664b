"""The docking mechanism leg by leg in detail: what each leg adds to the ring's equations, and a mechanism by itself.

Golubev & Yaskevich, sections 5 and 6, with five corrections (the full offset in the velocity recursion, eps x d, the
ring's own centripetal term, a reaction recursion that starts from the cut joint's force, a base that moves). Everything
is on B axes. Each leg adds to A*, b*, G*, n0*, I* as an inertia at its ring joint and at its base joint. Impulses and
`docksim.Mechanism` go this way; the steps of a run use the straight-line kernels, which add up to the same sums.
"""

from docksim.algebra.vec3 import (
    NO_SYM,
    ZERO,
    add,
    axpy,
    cross,
    dot,
    load3,
    load9,
    mat_mat,
    mat_vec,
    scale,
    transpose,
    turned_sym,
)
from docksim.kernel.basis.spatial import add_shifted_inertia, add_shifted_wrench, inertia_about_hinge
from docksim.kernel.mechanism.couplings import add_rotors, detailed_row
from docksim.kernel.mechanism.legs import at_home, column_sum, inputs_of, leg_motion
from docksim.kernel.mechanism.ring_equations import eliminate_ring, lone_ring, skew
from docksim.native.decorators import kernel, pure

NO_MAT = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


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
def add_leg(leg, out, work, R_C):
    """One leg's share of A* b* G* n0* I*. Reads out; all turned from E to B axes here."""
    n = inputs_of(leg)
    R = load9(out.R_BE)
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
    f_0 = input_force(out, 0, n)
    f_1 = input_force(out, 1, n)
    f_2 = input_force(out, 2, n)
    f_3 = input_force(out, 3, n) if n == 4 else 0.0
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
def input_force(out, i, n):
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


@kernel
def mechanism_reduction(legs, ring, couplings, work, R_C, r_C, w_C, v_C, w_0, wrench):
    """Closure, leg dynamics and elimination of the ring at a pose and motion. False if A* is singular.

    Reads work.leg Q (active forces of the kept joints); writes everything else in work.
    """
    lone_ring(ring, work, R_C, r_C, w_C, v_C, w_0, wrench)
    for k in range(legs.size):
        leg_motion(legs[k], work.leg[k], R_C, r_C, w_C, v_C, w_0, at_home(legs[k]))
    for k in range(legs.size):
        add_leg(legs[k], work.leg[k], work, R_C)
        detailed_row(work.shaft[k], legs[k], work.leg[k], R_C)
    add_rotors(couplings, 0, couplings.size, work.shaft, 0, work)
    return eliminate_ring(work)

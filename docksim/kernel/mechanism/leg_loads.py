"""Accelerations and loads of a leg's joints, from the ring's and the base's accelerations and the leg in detail.

The force of the ring on the leg follows from the leg's own equation against its inputs; from there the wrenches run
down the links to the base (Golubev & Yaskevich, section 6, begun with the cut joint's force instead of zero).
"""

from docksim.algebra.vec3 import add, axpy, cross, dot, load3, load9, mat_t_vec, mat_vec, scale, sub, sym_vec
from docksim.kernel.basis.spatial import store6, tail3
from docksim.kernel.mechanism.legs import inputs_of
from docksim.native.decorators import kernel, pure


@kernel
def leg_inputs(leg, out, R_C, u_dot):
    """Accelerations of the leg's inputs under the ring's acceleration."""
    w = load3(u_dot)
    a = mat_t_vec(load9(out.R_BE), add(tail3(u_dot), cross(w, mat_vec(R_C, load3(leg.l_C)))))
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
    R = load9(out.R_BE)
    y = leg_inputs(leg, out, R_C, u_dot)
    alpha_0 = load3(A_0)
    a_0 = add(tail3(A_0), cross(alpha_0, load3(out.l_0)))
    alpha_0 = mat_t_vec(R, alpha_0)
    a_0 = mat_t_vec(R, a_0)
    lam_0 = cut_force(out, y, alpha_0, a_0, 0, n)
    lam_1 = cut_force(out, y, alpha_0, a_0, 1, n)
    lam_2 = cut_force(out, y, alpha_0, a_0, 2, n)
    lam_3 = cut_force(out, y, alpha_0, a_0, 3, n) if n == 4 else 0.0
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
def cut_force(out, y, alpha_0, a_0, i, n):
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

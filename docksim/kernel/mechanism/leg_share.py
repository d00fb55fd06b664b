"""What one leg adds to the ring's six equations and to its base: numbers in one lane of a table.

A leg is described on the axes E of its link by its mass matrix M against its inputs (the acceleration of the ring
joint on E, and a turn about n_R for the types with a universal joint at the ring), by the force and the moment about
its base joint that each input demands, and by its bias. Here they are turned to the axes B of the base and moved to
the origins of ring and base. Shares stand in the order

    A* (21: angular 6, angular-linear 9, linear 6), b* (6), G* (36, row-major), n0* (6), I* (moment 6, first moment 3)

Lanes: eight legs of one type stand side by side, the innermost index of every field, so that a loop over them is a
handful of wide registers. Such a loop has no branches, or it stays scalar. It reads a row of Model.block and writes the
one of Work.block, and is told that they are `apart`.
"""

from docksim.algebra.vec3 import add, axpy, cross, dot, scale
from docksim.model.mechanism import SHARE_A, SHARE_G, SHARE_I
from docksim.native.decorators import pure


@pure
def lane3(x, k):
    return x[0, k], x[1, k], x[2, k]


@pure
def lane6(x, k):
    return x[0, k], x[1, k], x[2, k], x[3, k], x[4, k], x[5, k]


@pure
def lane9(x, k):
    return x[0, k], x[1, k], x[2, k], x[3, k], x[4, k], x[5, k], x[6, k], x[7, k], x[8, k]


@pure
def put3(x, first, k, a):
    x[first, k] = a[0]
    x[first + 1, k] = a[1]
    x[first + 2, k] = a[2]


@pure
def add3(x, first, k, a):
    x[first, k] += a[0]
    x[first + 1, k] += a[1]
    x[first + 2, k] += a[2]


@pure
def lane_base(leg, out, k):
    """Position, velocity and acceleration in B of a leg's base joint."""
    return add(lane3(leg.l_0, k), lane3(out.way, k)), lane3(out.v_0, k), lane3(out.a_0, k)


@pure
def share_mass(share, k, d, C):
    """A* of the mass C on the ring joint, d from the ring's origin; all on B axes."""
    x = cross(d, (C[0], C[3], C[4]))
    y = cross(d, (C[3], C[1], C[5]))
    z = cross(d, (C[4], C[5], C[2]))
    put3(share, SHARE_A + 6, k, (x[0], y[0], z[0]))
    put3(share, SHARE_A + 9, k, (x[1], y[1], z[1]))
    put3(share, SHARE_A + 12, k, (x[2], y[2], z[2]))
    put3(share, SHARE_A + 15, k, (C[0], C[1], C[2]))
    put3(share, SHARE_A + 18, k, (C[3], C[4], C[5]))
    share[SHARE_A, k] = d[1] * z[0] - d[2] * y[0]
    share[SHARE_A + 1, k] = d[2] * x[1] - d[0] * z[1]
    share[SHARE_A + 2, k] = d[0] * y[2] - d[1] * x[2]
    share[SHARE_A + 3, k] = d[2] * x[0] - d[0] * z[0]
    share[SHARE_A + 4, k] = d[0] * y[0] - d[1] * x[0]
    share[SHARE_A + 5, k] = d[0] * y[1] - d[1] * x[1]


@pure
def share_turn(share, k, d, n_R, M_4, m):
    """A* of the fourth input: m its own inertia, M_4 its coupling to the ring joint on B axes."""
    e = cross(d, M_4)
    share[SHARE_A, k] += m * n_R[0] * n_R[0] + 2.0 * n_R[0] * e[0]
    share[SHARE_A + 1, k] += m * n_R[1] * n_R[1] + 2.0 * n_R[1] * e[1]
    share[SHARE_A + 2, k] += m * n_R[2] * n_R[2] + 2.0 * n_R[2] * e[2]
    share[SHARE_A + 3, k] += m * n_R[0] * n_R[1] + n_R[0] * e[1] + n_R[1] * e[0]
    share[SHARE_A + 4, k] += m * n_R[0] * n_R[2] + n_R[0] * e[2] + n_R[2] * e[0]
    share[SHARE_A + 5, k] += m * n_R[1] * n_R[2] + n_R[1] * e[2] + n_R[2] * e[1]
    add3(share, SHARE_A + 6, k, scale(n_R[0], M_4))
    add3(share, SHARE_A + 9, k, scale(n_R[1], M_4))
    add3(share, SHARE_A + 12, k, scale(n_R[2], M_4))


@pure
def share_wrench(share, first, k, moment, force, l):
    """A wrench at l from the origin, on B axes."""
    put3(share, first, k, add(moment, cross(l, force)))
    put3(share, first + 3, k, force)


@pure
def share_coupling(share, k, l_0, d, x, y, z, F, N):
    """G*: force F[i] and moment N[i] about the base joint, on B axes, for a unit of each input along x, y, z of E."""
    N_x = add(N[0], cross(l_0, F[0]))
    N_y = add(N[1], cross(l_0, F[1]))
    N_z = add(N[2], cross(l_0, F[2]))
    for i in range(3):
        row = axpy(N_x[i], x, axpy(N_y[i], y, scale(N_z[i], z)))
        put3(share, SHARE_G + 6 * i, k, cross(d, row))
        put3(share, SHARE_G + 6 * i + 3, k, row)
        row = axpy(F[0][i], x, axpy(F[1][i], y, scale(F[2][i], z)))
        put3(share, SHARE_G + 6 * i + 18, k, cross(d, row))
        put3(share, SHARE_G + 6 * i + 21, k, row)


@pure
def share_turn_coupling(share, k, l_0, n_R, force, moment):
    """G* of the fourth input, on B axes."""
    moment = add(moment, cross(l_0, force))
    add3(share, SHARE_G, k, scale(moment[0], n_R))
    add3(share, SHARE_G + 6, k, scale(moment[1], n_R))
    add3(share, SHARE_G + 12, k, scale(moment[2], n_R))
    add3(share, SHARE_G + 18, k, scale(force[0], n_R))
    add3(share, SHARE_G + 24, k, scale(force[1], n_R))
    add3(share, SHARE_G + 30, k, scale(force[2], n_R))


@pure
def moved_moment(m, mc, J, l):
    """Inertia about a point from which the body's origin is at l: J + 2 (mc . l) - mc l' - l mc' + m (l . l - l l')."""
    s = axpy(0.5 * m, l, mc)
    t = 2.0 * dot(s, l)
    return (
        J[0] + t - 2.0 * s[0] * l[0],
        J[1] + t - 2.0 * s[1] * l[1],
        J[2] + t - 2.0 * s[2] * l[2],
        J[3] - s[0] * l[1] - s[1] * l[0],
        J[4] - s[0] * l[2] - s[2] * l[0],
        J[5] - s[1] * l[2] - s[2] * l[1],
    )


@pure
def share_rigid(share, k, J, mc):
    """I*: moment of inertia and first moment about B's origin."""
    put3(share, SHARE_I, k, (J[0], J[1], J[2]))
    put3(share, SHARE_I + 3, k, (J[3], J[4], J[5]))
    put3(share, SHARE_I + 6, k, mc)

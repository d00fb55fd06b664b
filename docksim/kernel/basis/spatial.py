"""Spatial inertias and wrenches, angular part first, on the axes of W.

An inertia [[A, B], [B', C]] is stored in 21 numbers: A symmetric (6), B (9), C symmetric (6). With V = [w; v] of a
point O and Phi(l) = [[1, 0], [-l~, 1]] the shift to a point at l from it, a child's inertia moves to its parent as
Phi' P Phi.
"""

from docksim.algebra.vec3 import axpy, cross, dot, load3, mat_mat, scale, store_sym, sym_vec, transpose, turned_sym
from docksim.native.decorators import pure


@pure
def store6(x, a, b):
    """Two vectors of three, one after the other."""
    x[0] = a[0]
    x[1] = a[1]
    x[2] = a[2]
    x[3] = b[0]
    x[4] = b[1]
    x[5] = b[2]


@pure
def tail3(x):
    return x[3], x[4], x[5]


@pure
def dot6(x, a, b):
    return x[0] * a[0] + x[1] * a[1] + x[2] * a[2] + x[3] * b[0] + x[4] * b[1] + x[5] * b[2]


@pure
def inertia_about_hinge(m, c, J_c):
    """Rotational inertia about a point from which the mass centre is at c (parallel axes)."""
    mx, my, mz = m * c[0], m * c[1], m * c[2]
    return (
        J_c[0] + my * c[1] + mz * c[2],
        J_c[1] + mx * c[0] + mz * c[2],
        J_c[2] + mx * c[0] + my * c[1],
        J_c[3] - mx * c[1],
        J_c[4] - mx * c[2],
        J_c[5] - my * c[2],
    )


@pure
def store_rigid(P, m, c, J):
    """P = [[J, m c~], [-m c~, m 1]]"""
    mx, my, mz = m * c[0], m * c[1], m * c[2]
    store_sym(P, J)
    P[6], P[7], P[8] = 0.0, -mz, my
    P[9], P[10], P[11] = mz, 0.0, -mx
    P[12], P[13], P[14] = -my, mx, 0.0
    P[15], P[16], P[17], P[18], P[19], P[20] = m, m, m, 0.0, 0.0, 0.0


@pure
def load_inertia(P):
    """The three blocks as tuples."""
    return (
        (P[0], P[1], P[2], P[3], P[4], P[5]),
        (P[6], P[7], P[8], P[9], P[10], P[11], P[12], P[13], P[14]),
        (P[15], P[16], P[17], P[18], P[19], P[20]),
    )


@pure
def inertia_times(A, B, C, w, v):
    """[A w + B v; B' w + C v]"""
    Aw = sym_vec(A, w)
    Cv = sym_vec(C, v)
    return (
        (
            Aw[0] + B[0] * v[0] + B[1] * v[1] + B[2] * v[2],
            Aw[1] + B[3] * v[0] + B[4] * v[1] + B[5] * v[2],
            Aw[2] + B[6] * v[0] + B[7] * v[1] + B[8] * v[2],
        ),
        (
            Cv[0] + B[0] * w[0] + B[3] * w[1] + B[6] * w[2],
            Cv[1] + B[1] * w[0] + B[4] * w[1] + B[7] * w[2],
            Cv[2] + B[2] * w[0] + B[5] * w[1] + B[8] * w[2],
        ),
    )


@pure
def without(A, B, C, x, y, s):
    """[[A, B], [B', C]] - s [x; y] [x; y]'"""
    sx = scale(s, x)
    sy = scale(s, y)
    return (
        (
            A[0] - sx[0] * x[0],
            A[1] - sx[1] * x[1],
            A[2] - sx[2] * x[2],
            A[3] - sx[0] * x[1],
            A[4] - sx[0] * x[2],
            A[5] - sx[1] * x[2],
        ),
        (
            B[0] - sx[0] * y[0],
            B[1] - sx[0] * y[1],
            B[2] - sx[0] * y[2],
            B[3] - sx[1] * y[0],
            B[4] - sx[1] * y[1],
            B[5] - sx[1] * y[2],
            B[6] - sx[2] * y[0],
            B[7] - sx[2] * y[1],
            B[8] - sx[2] * y[2],
        ),
        (
            C[0] - sy[0] * y[0],
            C[1] - sy[1] * y[1],
            C[2] - sy[2] * y[2],
            C[3] - sy[0] * y[1],
            C[4] - sy[0] * y[2],
            C[5] - sy[1] * y[2],
        ),
    )


@pure
def add_shifted_inertia(P, A, B, C, l):
    """P += Phi' [[A, B], [B', C]] Phi, with E = B + l~ C and A + (rows of) -E l~ - (B l~)'."""
    e0 = cross(l, (C[0], C[3], C[4]))
    e1 = cross(l, (C[3], C[1], C[5]))
    e2 = cross(l, (C[4], C[5], C[2]))
    E0 = (B[0] + e0[0], B[1] + e1[0], B[2] + e2[0])
    E1 = (B[3] + e0[1], B[4] + e1[1], B[5] + e2[1])
    E2 = (B[6] + e0[2], B[7] + e1[2], B[8] + e2[2])
    El0 = cross(E0, l)
    El1 = cross(E1, l)
    El2 = cross(E2, l)
    Bl0 = cross((B[0], B[1], B[2]), l)
    Bl1 = cross((B[3], B[4], B[5]), l)
    Bl2 = cross((B[6], B[7], B[8]), l)
    P[0] += A[0] - El0[0] - Bl0[0]
    P[1] += A[1] - El1[1] - Bl1[1]
    P[2] += A[2] - El2[2] - Bl2[2]
    P[3] += A[3] - El0[1] - Bl1[0]
    P[4] += A[4] - El0[2] - Bl2[0]
    P[5] += A[5] - El1[2] - Bl2[1]
    P[6] += E0[0]
    P[7] += E0[1]
    P[8] += E0[2]
    P[9] += E1[0]
    P[10] += E1[1]
    P[11] += E1[2]
    P[12] += E2[0]
    P[13] += E2[1]
    P[14] += E2[2]
    P[15] += C[0]
    P[16] += C[1]
    P[17] += C[2]
    P[18] += C[3]
    P[19] += C[4]
    P[20] += C[5]


@pure
def add_wrench(z, moment, force):
    z[0] += moment[0]
    z[1] += moment[1]
    z[2] += moment[2]
    z[3] += force[0]
    z[4] += force[1]
    z[5] += force[2]


@pure
def add_shifted_wrench(z, moment, force, l):
    """z += Phi' [moment; force]"""
    add_wrench(z, axpy(1.0, cross(l, force), moment), force)


@pure
def wrench_of(P, z, acc):
    """P acc + z: what the parent passes to the body."""
    A, B, C = load_inertia(P)
    n, f = inertia_times(A, B, C, load3(acc), tail3(acc))
    return axpy(1.0, n, load3(z)), axpy(1.0, f, tail3(z))


@pure
def rigid_momentum(m, c, J, w, v):
    """Angular momentum about the hinge point, and linear momentum."""
    p = scale(m, axpy(1.0, cross(w, c), v))
    return axpy(m, cross(c, v), sym_vec(J, w)), p


@pure
def sym_inverse(s):
    """Inverse of a symmetric positive definite 3 x 3, by its adjugate."""
    xx = s[1] * s[2] - s[5] * s[5]
    xy = s[4] * s[5] - s[3] * s[2]
    xz = s[3] * s[5] - s[4] * s[1]
    d = 1.0 / (s[0] * xx + s[3] * xy + s[4] * xz)
    return (
        d * xx,
        d * (s[0] * s[2] - s[4] * s[4]),
        d * (s[0] * s[1] - s[3] * s[3]),
        d * xy,
        d * xz,
        d * (s[3] * s[4] - s[0] * s[5]),
    )


@pure
def inertia_solve(A, B, C, n, f):
    """[w; v] with [[A, B], [B', C]] [w; v] = [n; f]: the linear part first, then a Schur complement."""
    C_inv = sym_inverse(C)
    g0 = sym_vec(C_inv, (B[0], B[1], B[2]))
    g1 = sym_vec(C_inv, (B[3], B[4], B[5]))
    g2 = sym_vec(C_inv, (B[6], B[7], B[8]))
    S = (
        A[0] - dot(g0, (B[0], B[1], B[2])),
        A[1] - dot(g1, (B[3], B[4], B[5])),
        A[2] - dot(g2, (B[6], B[7], B[8])),
        A[3] - dot(g0, (B[3], B[4], B[5])),
        A[4] - dot(g0, (B[6], B[7], B[8])),
        A[5] - dot(g1, (B[6], B[7], B[8])),
    )
    w = sym_vec(sym_inverse(S), (n[0] - dot(g0, f), n[1] - dot(g1, f), n[2] - dot(g2, f)))
    Bw = (
        B[0] * w[0] + B[3] * w[1] + B[6] * w[2],
        B[1] * w[0] + B[4] * w[1] + B[7] * w[2],
        B[2] * w[0] + B[5] * w[1] + B[8] * w[2],
    )
    return w, sym_vec(C_inv, (f[0] - Bw[0], f[1] - Bw[1], f[2] - Bw[2]))


@pure
def turned_inertia(R, A, B, C):
    """The three blocks on other axes: R P R' block by block."""
    return turned_sym(R, A), mat_mat(mat_mat(R, B), transpose(R)), turned_sym(R, C)

"""The six equations of a ring on legs, and what is left of them for the base.

A* u' + G*' A0 = b*, with u = [w_C; v_C] the ring's motion against B and A0 the base's acceleration; everything is on B
axes. Eliminating the ring leaves

    wrench on the mechanism from its base = P_m A0 + z_m,   P_m = I* - G* A*^-1 G*',   z_m = n0* + G* A*^-1 b*

so that the whole mechanism hangs in a spacecraft's tree as one more child (Golubev & Yaskevich, section 5, with a base
that moves).
"""

import math

from docksim.algebra.vec3 import (
    add,
    axpy,
    cross,
    dot,
    load3,
    load_sym,
    mat_mat,
    mat_vec,
    scale,
    sub,
    sym_vec,
    transpose,
    turned_sym,
)
from docksim.kernel.basis.spatial import add_shifted_inertia, inertia_times, load_inertia, store6, tail3
from docksim.model.mechanism import SHARE_A, SHARE_B, SHARE_G, SHARE_I, SHARE_N
from docksim.native.decorators import pure

# place of entry (i, j) of a symmetric 3 x 3 in its six numbers
SYM = ((0, 3, 4), (3, 1, 5), (4, 5, 2))


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
    J = turned_sym(R_C, load_sym(ring.inertia))
    W = add(w_0, w_C)
    eps = cross(w_0, w_C)
    acc = axpy(2.0, cross(w_0, v_C), cross(w_0, cross(w_0, r_C)))
    force = add(axpy(m, acc, cross(eps, mc)), cross(W, cross(W, mc)))
    moment = add(add(cross(mc, acc), sym_vec(J, eps)), cross(W, sym_vec(J, W)))
    P = (J, skew(mc), (m, m, m, 0.0, 0.0, 0.0))
    start_with_ring(work, P, sub(moment, load3(wrench)), sub(force, tail3(wrench)), r_C)


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


@pure
def shared_momenta(total, mass, w, v, w_C, v_C):
    """I* V + G* u of the legs' shares, then V G* u and u A* u; V = [w; v] of B, u = [w_C; v_C] of the ring in it."""
    s = total
    i = SHARE_I
    J = (s[i], s[i + 1], s[i + 2], s[i + 3], s[i + 4], s[i + 5])
    mc = (s[i + 6], s[i + 7], s[i + 8])
    n = add(sym_vec(J, w), cross(mc, v))
    f = axpy(mass, v, cross(w, mc))
    a = (row_times(s, 0, w_C, v_C), row_times(s, 1, w_C, v_C), row_times(s, 2, w_C, v_C))
    b = (row_times(s, 3, w_C, v_C), row_times(s, 4, w_C, v_C), row_times(s, 5, w_C, v_C))
    A, B, C = load_inertia(s[SHARE_A : SHARE_A + 21])
    h, p = inertia_times(A, B, C, w_C, v_C)
    return add(n, a), add(f, b), dot(w, a) + dot(v, b), dot(w_C, h) + dot(v_C, p)


@pure
def row_times(total, i, w, v):
    """Row i of the legs' G* times [w; v]."""
    k = SHARE_G + 6 * i
    turn = total[k] * w[0] + total[k + 1] * w[1] + total[k + 2] * w[2]
    return turn + total[k + 3] * v[0] + total[k + 4] * v[1] + total[k + 5] * v[2]


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

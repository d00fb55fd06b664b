"""The closed form of N. A. Yaskevich: Kane's equations with the order of summation changed.

On base axes, with r_ij from origin i to origin j, and sums over the links k that hang on j (or also j itself):

    c*_ik = m_k r_ik + c_k
    S1_j = sum J_k (also j)                   S2_i = sum m_k r~_ik r~_ik'
    S4_ij = sum c~*_ik r~_jk'                 S5_ij = sum c~_k r~_ik' (also j)
    A_ij = z_i' (S1_j + S4_ij + S5_ij') z_j   A_ii = z_i' (S1_i + S2_i + 2 sum S5_i,child) z_i       turning joints

The second form for the diagonal holds only between z_i and z_i. With sliding joints the sums of masses and of c* come
in: z_i . z_j sum m_k; z_i . (C*_ij x z_j) and z_i . (z_j x C*_jj) with C*_ij = sum c*_ik (also j). Beyond the paper:
those three, and branches. A product of skew matrices takes 9 multiplications and 3 additions: a~ b~' = (a.b) 1 - b a'.
S4 takes the time: a sum over k for every pair i, j, since r_jk changes with j.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.vec3 import (
    add,
    add_sym,
    axpy,
    cross,
    dot,
    load3,
    load9,
    load_sym,
    mat_vec,
    scale,
    store3,
    store9,
    store_sym,
    sym_vec,
    transpose,
)
from docksim.chain.model import PRISMATIC, ChainTables
from docksim.chain.work import Mat, Sym, Vec, Work
from docksim.native.decorators import kernel, pure


@pure
def skew_product(a: Vec, b: Vec) -> Mat:
    """a~ b~'"""
    xx, xy, xz = scale(b[0], a)
    yx, yy, yz = scale(b[1], a)
    zx, zy, zz = scale(b[2], a)
    return yy + zz, -xy, -xz, -yx, xx + zz, -yz, -zx, -zy, xx + yy


@pure
def add9(m: Mat, n: Mat) -> Mat:
    return (
        m[0] + n[0],
        m[1] + n[1],
        m[2] + n[2],
        m[3] + n[3],
        m[4] + n[4],
        m[5] + n[5],
        m[6] + n[6],
        m[7] + n[7],
        m[8] + n[8],
    )


@kernel
def between_origins(chain: ChainTables, work: Work) -> None:
    """Reads r; writes S[i, k] = r_ik for every k that hangs on i."""
    for k in range(len(chain.parent)):
        r = load3(work.r[k])
        p = chain.parent[k]
        if p < 0:
            continue
        store3(work.S[p, k], r)
        i = chain.parent[p]
        while i >= 0:
            store3(work.S[i, k], add(load3(work.S[i, p]), r))
            i = chain.parent[i]


@kernel
def subtree_sums(chain: ChainTables, work: Work) -> bool:
    """Writes K = S1 and s, the sums of masses, if anything slides; returns whether."""
    n = len(chain.parent)
    sliding = False
    for k in range(n):
        store_sym(work.K[k], load_sym(work.J[k]))
        sliding = sliding or chain.kind[k] == PRISMATIC
        work.s[k] = chain.mass[k]
    for k in range(n - 1, 0, -1):
        p = chain.parent[k]
        if p >= 0:
            store_sym(work.K[p], add_sym(load_sym(work.K[p]), load_sym(work.K[k])))
            if sliding:
                work.s[p] = work.s[p] + work.s[k]
    return sliding


@kernel
def recurrent_matrix(chain: ChainTables, work: Work, A: np.ndarray) -> None:
    """Reads z, r, c, J; writes A."""
    n = len(chain.parent)
    between_origins(chain, work)
    sliding = subtree_sums(chain, work)
    for i in range(n):
        for k in range(n):
            A[i, k] = 0.0
        for k in range(i + 1, n):
            if chain.inside[i, k]:
                store3(work.T[i, k], axpy(chain.mass[k], load3(work.S[i, k]), load3(work.c[k])))
        if sliding:
            _moment_sums(chain, i, work)
        if chain.kind[i] == PRISMATIC:
            _sliding_row(chain, i, work, A)
        else:
            turning_row(chain, i, work, A)
    for i in range(n):
        for k in range(i):
            A[i, k] = A[k, i]


@kernel
def _moment_sums(chain: ChainTables, i: int, work: Work) -> None:
    """Writes U[j] = C*_ij for every j that hangs on i, and V[i] = C*_ii."""
    n = len(chain.parent)
    for j in range(i + 1, n):
        if chain.inside[i, j]:
            store3(work.U[j], load3(work.T[i, j]))
    store3(work.U[i], load3(work.c[i]))
    for k in range(n - 1, i, -1):
        if chain.inside[i, k]:
            p = chain.parent[k]
            store3(work.U[p], add(load3(work.U[p]), load3(work.U[k])))
    store3(work.V[i], load3(work.U[i]))


@kernel
def _sliding_row(chain: ChainTables, i: int, work: Work, A: np.ndarray) -> None:
    z = load3(work.z[i])
    for j in range(i, len(chain.parent)):
        if not chain.inside[i, j]:
            continue
        other = load3(work.z[j])
        if chain.kind[j] == PRISMATIC:
            A[i, j] = work.s[j] * dot(z, other)
        else:
            # C*_jj, whose sums begin at the joint's own origin
            total = load3(work.c[j])
            for k in range(j + 1, len(chain.parent)):
                if chain.inside[j, k]:
                    total = add(total, axpy(chain.mass[k], load3(work.S[j, k]), load3(work.c[k])))
            A[i, j] = dot(z, cross(other, total))


@kernel
def turning_row(chain: ChainTables, i: int, work: Work, A: np.ndarray) -> None:
    """S2 and S5 of row i, then its entries."""
    n = len(chain.parent)
    z = load3(work.z[i])
    inertia = load_sym(work.K[i])
    # S5_ij, from the last link to the first; S2 and its children's S5 into the diagonal
    for k in range(i + 1, n):
        if chain.inside[i, k]:
            store9(work.M[k], skew_product(load3(work.c[k]), load3(work.S[i, k])))
    twice = (0.0, 0.0, 0.0)
    for k in range(n - 1, i, -1):
        if not chain.inside[i, k]:
            continue
        inertia = add_sym(inertia, _point_inertia(chain.mass[k], load3(work.S[i, k])))
        p = chain.parent[k]
        if p == i:
            twice = add(twice, mat_vec(load9(work.M[k]), z))
        else:
            store9(work.M[p], add9(load9(work.M[p]), load9(work.M[k])))
    A[i, i] = dot(z, axpy(2.0, twice, sym_vec(inertia, z)))
    for j in range(i + 1, n):
        if not chain.inside[i, j]:
            continue
        other = load3(work.z[j])
        if chain.kind[j] == PRISMATIC:
            A[i, j] = dot(z, cross(load3(work.U[j]), other))
        else:
            total = transpose(load9(work.M[j]))
            for k in range(j + 1, n):
                if chain.inside[j, k]:
                    total = add9(total, skew_product(load3(work.T[i, k]), load3(work.S[j, k])))
            A[i, j] = dot(z, add(mat_vec(total, other), sym_vec(load_sym(work.K[j]), other)))


@pure
def _point_inertia(m: float, r: Vec) -> Sym:
    """m r~ r~'"""
    x, y, z = r
    u, v, w = scale(m, r)
    xx, yy, zz = u * x, v * y, w * z
    return yy + zz, xx + zz, xx + yy, -(u * y), -(u * z), -(v * z)


@kernel
def recurrent_bias(chain: ChainTables, work: Work, b: np.ndarray) -> None:
    """Reads z, r, force, torque; writes b: for every joint the sum of moments about it."""
    n = len(chain.parent)
    between_origins(chain, work)
    for i in range(n):
        force = load3(work.force[i])
        torque = load3(work.torque[i])
        turning = chain.kind[i] != PRISMATIC
        for k in range(i + 1, n):
            if chain.inside[i, k]:
                if turning:
                    arm = cross(load3(work.S[i, k]), load3(work.force[k]))
                    torque = add(torque, add(load3(work.torque[k]), arm))
                else:
                    force = add(force, load3(work.force[k]))
        b[i] = dot(load3(work.z[i]), torque if turning else force)

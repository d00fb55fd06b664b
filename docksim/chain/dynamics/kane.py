"""Matrix Kane: A from the velocity of each link by the rate of each joint.

    A = sum over links of  m T'T + T'c~'R + (T'c~'R)' + R'JR        b_i = sum over links of  T_i . f + R_i . m

T_k and R_k are 3 x n: velocity of link k's origin and its angular velocity by the joints' rates; N. A. Yaskevich's (2),
(3). `kane_matrix` computes it as printed, n columns for every link, zeros included: order n^3 with a large factor.
`kane_trimmed` is the same sum over the joints that do move the link, and one half of the symmetric matrix.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.vec3 import add, cross, dot, load3, load_sym, scale, store3, sym_vec
from docksim.chain.model import PRISMATIC, ChainTables
from docksim.chain.work import Work
from docksim.native.decorators import kernel


@kernel
def kane_columns(chain: ChainTables, work: Work) -> None:
    """Reads z, r; writes T[k, i], S[k, i] = R_k's column i, for all i."""
    n = len(chain.parent)
    for k in range(n):
        p = chain.parent[k]
        for i in range(n):
            if p >= 0:
                turning = load3(work.S[p, i])
                store3(work.S[k, i], turning)
                store3(work.T[k, i], add(load3(work.T[p, i]), cross(turning, load3(work.r[k]))))
            else:
                store3(work.S[k, i], (0.0, 0.0, 0.0))
                store3(work.T[k, i], (0.0, 0.0, 0.0))
        store3(work.T[k, k] if chain.kind[k] == PRISMATIC else work.S[k, k], load3(work.z[k]))


@kernel
def kane_matrix(chain: ChainTables, work: Work, A: np.ndarray) -> None:
    """Reads z, r, c, J; writes A. All n columns of every link."""
    n = len(chain.parent)
    kane_columns(chain, work)
    for a in range(n):
        for b in range(n):
            A[a, b] = 0.0
    for k in range(n):
        c = load3(work.c[k])
        J = load_sym(work.J[k])
        for b in range(n):
            turning = load3(work.S[k, b])
            store3(work.U[b], scale(chain.mass[k], load3(work.T[k, b])))
            store3(work.V[b], cross(turning, c))
            store3(work.Y[b], sym_vec(J, turning))
        for a in range(n):
            for b in range(n):
                work.X[a, b] = dot(load3(work.T[k, a]), load3(work.V[b]))
        for a in range(n):
            moving = load3(work.T[k, a])
            turning = load3(work.S[k, a])
            for b in range(n):
                term = dot(moving, load3(work.U[b])) + dot(turning, load3(work.Y[b]))
                A[a, b] += term + (work.X[a, b] + work.X[b, a])


@kernel
def trimmed_columns(chain: ChainTables, k: int, work: Work) -> int:
    """Path from link k to the base in `path`, and T[k, i] for the joints on it; returns its length."""
    p = chain.parent[k]
    r = load3(work.r[k])
    count = 0
    i = k
    while i >= 0:
        work.path[count] = i
        count += 1
        z = load3(work.z[i])
        if chain.kind[i] == PRISMATIC:
            store3(work.T[k, i], z)
        elif i == k:
            store3(work.T[k, i], (0.0, 0.0, 0.0))
        elif i == p:
            store3(work.T[k, i], cross(z, r))
        else:
            store3(work.T[k, i], add(load3(work.T[p, i]), cross(z, r)))
        i = chain.parent[i]
    return count


@kernel
def kane_trimmed(chain: ChainTables, work: Work, A: np.ndarray) -> None:
    """Reads z, r, c, J; writes A. Only the joints below a link, only one half."""
    n = len(chain.parent)
    for a in range(n):
        for b in range(n):
            A[a, b] = 0.0
    for k in range(n):
        count = trimmed_columns(chain, k, work)
        c = load3(work.c[k])
        J = load_sym(work.J[k])
        for y in range(count):
            b = work.path[y]
            z = load3(work.z[b])
            moving = load3(work.T[k, b])
            push = scale(chain.mass[k], moving)
            twist = cross(c, moving)
            if chain.kind[b] != PRISMATIC:
                push = add(push, cross(z, c))
                twist = add(twist, sym_vec(J, z))
            for x in range(y, count):
                a = work.path[x]
                term = dot(load3(work.T[k, a]), push)
                if chain.kind[a] != PRISMATIC:
                    term = term + dot(load3(work.z[a]), twist)
                A[a, b] += term
    for a in range(n):
        for b in range(a):
            A[a, b] = A[b, a]


@kernel
def kane_bias(chain: ChainTables, work: Work, b: np.ndarray) -> None:
    """Reads z, r, force, torque; writes b."""
    n = len(chain.parent)
    for i in range(n):
        b[i] = 0.0
    for k in range(n):
        count = trimmed_columns(chain, k, work)
        force = load3(work.force[k])
        torque = load3(work.torque[k])
        for y in range(count):
            i = work.path[y]
            term = dot(load3(work.T[k, i]), force)
            if chain.kind[i] != PRISMATIC:
                term = term + dot(load3(work.z[i]), torque)
            b[i] += term

"""Composite bodies (CRBA) for A, and Newton-Euler recursion (RNEA) for forces, both on base axes.

What hangs on joint j, taken as one rigid body of mass m, first moment c and inertia J about origin j, is moved by a
unit rate of j with the momentum (z x c, J z) or (m z, c x z); carried down to the joints below it gives column j of A.
Order n^2, and order n for forces.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.vec3 import add, axpy, cross, dot, load3, load_sym, scale, store3, store_sym, sym_vec
from docksim.chain.model import PRISMATIC, ChainTables
from docksim.chain.work import Sym, Vec, Work
from docksim.native.decorators import kernel, pure


@kernel
def composite_bodies(chain: ChainTables, work: Work) -> None:
    """Reads r, c, J; writes s, U, K: mass, first moment and inertia of all that hangs on a joint, about its origin."""
    n = len(chain.parent)
    for k in range(n):
        work.s[k] = chain.mass[k]
        store3(work.U[k], load3(work.c[k]))
        store_sym(work.K[k], load_sym(work.J[k]))
    for k in range(n - 1, 0, -1):
        p = chain.parent[k]
        if p < 0:
            continue
        r = load3(work.r[k])
        moment = load3(work.U[k])
        # c + m r of the moved body, and r~ c~' + c~ r~' + m r~ r~' with half of the last in each of the first two
        moved = axpy(work.s[k], r, moment)
        work.s[p] = work.s[p] + work.s[k]
        store3(work.U[p], add(load3(work.U[p]), moved))
        store_sym(work.K[p], shifted(load_sym(work.K[p]), load_sym(work.K[k]), r, moment, moved))


@pure
def shifted(K: Sym, k: Sym, r: Vec, a: Vec, b: Vec) -> Sym:
    """K + k + r~ a~' + b~ r~', which is symmetric for b = a + m r."""
    s = add(a, b)
    x, y, z = r[0] * s[0], r[1] * s[1], r[2] * s[2]
    return (
        K[0] + k[0] + (y + z),
        K[1] + k[1] + (x + z),
        K[2] + k[2] + (x + y),
        K[3] + k[3] - (r[0] * b[1] + a[0] * r[1]),
        K[4] + k[4] - (r[0] * b[2] + a[0] * r[2]),
        K[5] + k[5] - (r[1] * b[2] + a[1] * r[2]),
    )


@kernel
def crba_matrix(chain: ChainTables, work: Work, A: np.ndarray) -> None:
    """Reads z, r, c, J; writes A."""
    n = len(chain.parent)
    composite_bodies(chain, work)
    for j in range(n):
        for i in range(n):
            A[i, j] = 0.0
    for j in range(n):
        z = load3(work.z[j])
        if chain.kind[j] == PRISMATIC:
            force = scale(work.s[j], z)
            torque = cross(load3(work.U[j]), z)
            A[j, j] = dot(z, force)
        else:
            force = cross(z, load3(work.U[j]))
            torque = sym_vec(load_sym(work.K[j]), z)
            A[j, j] = dot(z, torque)
        k = j
        i = chain.parent[j]
        while i >= 0:
            torque = add(torque, cross(load3(work.r[k]), force))
            A[i, j] = dot(load3(work.z[i]), force if chain.kind[i] == PRISMATIC else torque)
            A[j, i] = A[i, j]
            k = i
            i = chain.parent[i]


@kernel
def rnea_forces(chain: ChainTables, work: Work, Q: np.ndarray) -> None:
    """Reads z, r, force, torque, and adds up the latter two towards the base; writes Q."""
    for k in range(len(chain.parent) - 1, -1, -1):
        force = load3(work.force[k])
        torque = load3(work.torque[k])
        Q[k] = dot(load3(work.z[k]), force if chain.kind[k] == PRISMATIC else torque)
        p = chain.parent[k]
        if p >= 0:
            store3(work.force[p], add(load3(work.force[p]), force))
            store3(work.torque[p], add(load3(work.torque[p]), add(torque, cross(load3(work.r[k]), force))))

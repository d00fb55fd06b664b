"""Zaremba's twist form: everything on link axes, the equations closed by derivatives of twists.

l_k^i = [v; w], the twist of link k's frame by the rate of joint i, is carried from link to link, and l_j^j = f_j. P_j
is the inertia of all that hangs on joint j, as one body. Joint i below j:

    a_ij = l_j^i . P_j f_j                                                                       (2.9)
    d a_ij / d q_s = (<l_j^s>' l_j^i) . P_j f_j                                s beyond i, up to j: theorem 1
                   = (<f_s>' l_s^i) . P_s l_s^j + (<f_s>' l_s^j) . P_s l_s^i   s beyond j: theorem 3, in frame s
    b_i = sum over s, j of (d a_ij / d q_s - 1/2 d a_sj / d q_i) q_s' q_j' - sum over k of l_k^i . F_k

<a>' b = [v_b x w_a + w_b x v_a; w_b x w_a]; gravity is the wrench F_k = [m g; c x g]. Branches: a joint neither on the
way from i to j nor beyond j changes nothing. Order n^2 for A; n^3 for b, whose symbols are in closed form one by one.
In the tables: T and S are v and w of l, R and r are link to parent, s, c, K the composite bodies, lift is gravity.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.vec3 import (
    add,
    axpy,
    cross,
    dot,
    load3,
    load9,
    load_sym,
    mat_mat,
    mat_t_vec,
    mat_vec,
    scale,
    store3,
    store9,
    store_sym,
    sym_vec,
    turned_sym,
)
from docksim.chain.dynamics.composite import shifted
from docksim.chain.model import PRISMATIC, ChainTables
from docksim.chain.work import Vec, Work
from docksim.native.decorators import kernel


@kernel
def link_axes(chain: ChainTables, work: Work) -> None:
    """Reads turn, shift; writes R, r, T, S, and the composite bodies s, c, K."""
    n = len(chain.parent)
    for k in range(n):
        p = chain.parent[k]
        fixed = load9(chain.R_fix[k])
        axis = load3(chain.axis[k])
        if chain.kind[k] == PRISMATIC:
            C = fixed
            O = add(load3(chain.p_fix[k]), mat_vec(fixed, load3(work.shift[k])))
            store3(work.T[k, k], axis)
            store3(work.S[k, k], (0.0, 0.0, 0.0))
        else:
            C = mat_mat(fixed, load9(work.turn[k]))
            O = load3(chain.p_fix[k])
            store3(work.T[k, k], (0.0, 0.0, 0.0))
            store3(work.S[k, k], axis)
        store9(work.R[k], C)
        store3(work.r[k], O)
        i = p
        while i >= 0:
            v = load3(work.T[p, i])
            if chain.kind[i] == PRISMATIC:
                # a slide moves all points alike
                store3(work.S[k, i], (0.0, 0.0, 0.0))
            else:
                w = load3(work.S[p, i])
                store3(work.S[k, i], mat_t_vec(C, w))
                v = add(v, cross(w, O)) if i != p else cross(w, O)
            store3(work.T[k, i], mat_t_vec(C, v))
            i = chain.parent[i]
    _composites(chain, work)


@kernel
def _composites(chain: ChainTables, work: Work) -> None:
    n = len(chain.parent)
    for k in range(n):
        work.s[k] = chain.mass[k]
        store3(work.c[k], load3(chain.moment[k]))
        store_sym(work.K[k], load_sym(chain.inertia[k]))
    for k in range(n - 1, 0, -1):
        p = chain.parent[k]
        if p < 0:
            continue
        C = load9(work.R[k])
        O = load3(work.r[k])
        moment = mat_vec(C, load3(work.c[k]))
        moved = axpy(work.s[k], O, moment)
        work.s[p] = work.s[p] + work.s[k]
        store3(work.c[p], add(load3(work.c[p]), moved))
        store_sym(work.K[p], shifted(load_sym(work.K[p]), turned_sym(C, load_sym(work.K[k])), O, moment, moved))


@kernel
def _own_momentum(chain: ChainTables, work: Work, j: int) -> tuple[Vec, Vec]:
    """P_j f_j: linear, angular."""
    axis = load3(chain.axis[j])
    c = load3(work.c[j])
    if chain.kind[j] == PRISMATIC:
        return scale(work.s[j], axis), cross(c, axis)
    return cross(axis, c), sym_vec(load_sym(work.K[j]), axis)


@kernel
def twist_matrix(chain: ChainTables, work: Work, A: np.ndarray) -> None:
    """Reads T, S, s, c, K; writes A."""
    n = len(chain.parent)
    for j in range(n):
        for i in range(n):
            A[i, j] = 0.0
    for j in range(n):
        linear, angular = _own_momentum(chain, work, j)
        i = j
        while i >= 0:
            if i == j:
                A[j, j] = dot(load3(chain.axis[j]), linear if chain.kind[j] == PRISMATIC else angular)
            elif chain.kind[i] == PRISMATIC:
                A[i, j] = dot(load3(work.T[j, i]), linear)
            else:
                A[i, j] = dot(load3(work.T[j, i]), linear) + dot(load3(work.S[j, i]), angular)
            A[j, i] = A[i, j]
            i = chain.parent[i]


@kernel
def twist_bias(chain: ChainTables, rates: np.ndarray, work: Work, b: np.ndarray) -> None:
    """Reads R, T, S, s, c, K; writes b."""
    n = len(chain.parent)
    for i in range(n):
        b[i] = 0.0
    for j in range(n):
        _along_the_way(chain, rates, work, j, b)
        _beyond(chain, rates, work, j, b)
        _gravity(chain, work, j, b)


@kernel
def _along_the_way(chain: ChainTables, rates: np.ndarray, work: Work, j: int, b: np.ndarray) -> None:
    """Derivatives of a_ij by the joints s between: (<l_j^s>' l_j^i) . h = l_j^i . (<l_j^s> h)."""
    linear, angular = _own_momentum(chain, work, j)
    s = j
    while s >= 0:
        v = load3(work.T[j, s])
        w = load3(work.S[j, s])
        pull = cross(w, linear)
        turn = add(cross(v, linear), cross(w, angular))
        i = chain.parent[s]
        while i >= 0:
            value = dot(load3(work.T[j, i]), pull) + dot(load3(work.S[j, i]), turn)
            b[i] += value * (rates[s] * rates[j])
            b[j] += value * (rates[s] * rates[i])
            b[s] -= value * (rates[i] * rates[j])
            i = chain.parent[i]
        s = chain.parent[s]


@kernel
def _beyond(chain: ChainTables, rates: np.ndarray, work: Work, s: int, b: np.ndarray) -> None:
    """Derivatives by joint s of all a_ij below it. Writes U, V = <f_s>' l_s^i and force, torque = P_s l_s^i."""
    fv = load3(work.T[s, s])
    fw = load3(work.S[s, s])
    c = load3(work.c[s])
    K = load_sym(work.K[s])
    i = chain.parent[s]
    while i >= 0:
        v = load3(work.T[s, i])
        w = load3(work.S[s, i])
        if chain.kind[s] == PRISMATIC:
            store3(work.U[i], cross(w, fv))
            store3(work.V[i], (0.0, 0.0, 0.0))
        else:
            store3(work.U[i], cross(v, fw))
            store3(work.V[i], cross(w, fw))
        store3(work.force[i], axpy(work.s[s], v, cross(w, c)))
        store3(work.torque[i], add(cross(c, v), sym_vec(K, w)))
        i = chain.parent[i]
    j = chain.parent[s]
    while j >= 0:
        i = j
        while i >= 0:
            value = dot(load3(work.U[i]), load3(work.force[j])) + dot(load3(work.V[i]), load3(work.torque[j]))
            if i == j:
                # both halves are the same
                b[j] += 2.0 * value * (rates[s] * rates[j])
                b[s] -= value * (rates[j] * rates[j])
            else:
                value += dot(load3(work.U[j]), load3(work.force[i])) + dot(load3(work.V[j]), load3(work.torque[i]))
                b[i] += value * (rates[s] * rates[j])
                b[j] += value * (rates[s] * rates[i])
                b[s] -= value * (rates[i] * rates[j])
            i = chain.parent[i]
        j = chain.parent[j]


@kernel
def _gravity(chain: ChainTables, work: Work, k: int, b: np.ndarray) -> None:
    """The weight of link k on all joints below it (2.4), (2.8); writes lift, gravity on link axes."""
    p = chain.parent[k]
    above = load3(chain.gravity) if p < 0 else load3(work.lift[p])
    g = mat_t_vec(load9(work.R[k]), above)
    store3(work.lift[k], g)
    force = scale(chain.mass[k], g)
    torque = cross(load3(chain.moment[k]), g)
    i = k
    while i >= 0:
        b[i] -= dot(load3(work.T[k, i]), force) + dot(load3(work.S[k, i]), torque)
        i = chain.parent[i]

"""Links of a chain in the world, and the twist of a point that a link carries with its drift; compiled.

The drift is what d/dt of the twist is without accelerations of the joints. By Theorem 1 of Zaremba (1990) its
components on the link's axes are the sum over joints i before j of <s_j>T s_i q_i' q_j', s the joints' screws at the
point; on the world's axes w x v is added to the linear part.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.quat import axis_turn
from docksim.algebra.vec3 import add, axpy, cross, load3, load9, mat_mat, mat_vec, scale, store3, store9, sub
from docksim.chain.model import PRISMATIC, ChainTables
from docksim.native.decorators import kernel


@kernel
def world_links(chain: ChainTables, q: np.ndarray, R: np.ndarray, p: np.ndarray, z: np.ndarray) -> None:
    """Writes rotations R (n, 9), origins p and joint axes z (n, 3) in the world."""
    for k in range(len(q)):
        above = chain.parent[k]
        turn = load9(chain.R_fix[k])
        place = load3(chain.p_fix[k])
        if above >= 0:
            outer = load9(R[above])
            turn = mat_mat(outer, turn)
            place = add(load3(p[above]), mat_vec(outer, place))
        axis = load3(chain.axis[k])
        on_world = mat_vec(turn, axis)
        if chain.kind[k] == PRISMATIC:
            place = axpy(q[k], on_world, place)
        else:
            turn = mat_mat(turn, axis_turn(axis, q[k]))
        store9(R[k], turn)
        store3(p[k], place)
        store3(z[k], on_world)


@kernel
def point_twist(
    chain: ChainTables,
    p: np.ndarray,
    z: np.ndarray,
    rates: np.ndarray,
    k: int,
    point: np.ndarray,
    J: np.ndarray,
    drift: np.ndarray,
) -> None:
    """Writes the Jacobian J (6, n), zeros outside the path, and the drift (6,) of a point of link k, [v; w]."""
    here = load3(point)
    v = (0.0, 0.0, 0.0)
    w = (0.0, 0.0, 0.0)
    dv = (0.0, 0.0, 0.0)
    dw = (0.0, 0.0, 0.0)
    for j in range(len(rates)):
        if not chain.inside[j, k]:
            continue
        axis = load3(z[j])
        if chain.kind[j] == PRISMATIC:
            sv = axis
            sw = (0.0, 0.0, 0.0)
        else:
            sv = cross(axis, sub(here, load3(p[j])))
            sw = axis
        for i in range(3):
            J[i, j] = sv[i]
            J[i + 3, j] = sw[i]
        own_v = scale(rates[j], sv)
        own_w = scale(rates[j], sw)
        # <s_j>T of the twist of all joints before
        dv = sub(dv, add(cross(own_w, v), cross(own_v, w)))
        dw = sub(dw, cross(own_w, w))
        v = add(v, own_v)
        w = add(w, own_w)
    store3(drift[:3], add(dv, cross(w, v)))
    store3(drift[3:], dw)

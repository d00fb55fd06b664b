"""What the formulations on base axes share: joint motions, links on base axes, and their forces.

Joint k's own rotation and translation first; then, from the base outward, rotation matrices, joint axes, vectors
between origins, first moments and inertias on base axes (the relations that N. A. Yaskevich's table has in common).
`forces` gives the force and torque that move each link as given by rates and accelerations; gravity enters as an
acceleration of the base, upward.
"""

from __future__ import annotations

import numpy as np

from docksim.algebra.elementary import cos, sin
from docksim.algebra.vec3 import (
    add,
    axpy,
    cross,
    load3,
    load9,
    load_sym,
    mat_mat,
    mat_vec,
    scale,
    store3,
    store9,
    store_sym,
    sym_vec,
    turned_sym,
)
from docksim.chain.model import PRISMATIC, ChainTables
from docksim.chain.work import Vec, Work
from docksim.native.decorators import kernel


@kernel
def joint_motions(chain: ChainTables, q: np.ndarray, work: Work) -> None:
    """Writes turn, shift."""
    for k in range(len(q)):
        axis = load3(chain.axis[k])
        if chain.kind[k] == PRISMATIC:
            store3(work.shift[k], scale(q[k], axis))
            store9(work.turn[k], (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
            continue
        store3(work.shift[k], (0.0, 0.0, 0.0))
        c = cos(q[k])
        s = sin(q[k])
        x, y, z = axis
        u, v, w = scale(1.0 - c, axis)
        sx, sy, sz = scale(s, axis)
        xy, xz, yz = u * y, u * z, v * z
        store9(work.turn[k], (c + u * x, xy - sz, xz + sy, xy + sz, c + v * y, yz - sx, xz - sy, yz + sx, c + w * z))


@kernel
def base_axes(chain: ChainTables, work: Work) -> None:
    """Reads turn, shift; writes R, z, r, c, J."""
    for k in range(len(chain.parent)):
        p = chain.parent[k]
        fixed = load9(chain.R_fix[k])
        sliding = chain.kind[k] == PRISMATIC
        to_joint = load3(chain.p_fix[k])
        if sliding:
            to_joint = add(to_joint, mat_vec(fixed, load3(work.shift[k])))
        if p >= 0:
            above = load9(work.R[p])
            fixed = mat_mat(above, fixed)
            to_joint = mat_vec(above, to_joint)
        R = fixed
        if not sliding:
            R = mat_mat(fixed, load9(work.turn[k]))
        store9(work.R[k], R)
        store3(work.r[k], to_joint)
        store3(work.z[k], mat_vec(fixed, load3(chain.axis[k])))
        store3(work.c[k], mat_vec(R, load3(chain.moment[k])))
        J = turned_sym(R, load_sym(chain.inertia[k]))
        store_sym(work.J[k], J)


@kernel
def forces(chain: ChainTables, rates: np.ndarray, accelerations: np.ndarray, work: Work) -> None:
    """Reads z, r, c, J; writes rate, spin, lift, and force and torque that move each link."""
    up = scale(-1.0, load3(chain.gravity))
    for k in range(len(chain.parent)):
        p = chain.parent[k]
        z = load3(work.z[k])
        r = load3(work.r[k])
        own = scale(rates[k], z)
        own_rate = scale(accelerations[k], z)
        if p >= 0:
            w = load3(work.rate[p])
            e = load3(work.spin[p])
            a = add(load3(work.lift[p]), add(cross(e, r), cross(w, cross(w, r))))
            turning = cross(w, own)
        else:
            w = (0.0, 0.0, 0.0)
            e = (0.0, 0.0, 0.0)
            a = up
            turning = (0.0, 0.0, 0.0)
        if chain.kind[k] == PRISMATIC:
            a = add(a, axpy(2.0, turning, own_rate))
        else:
            w = add(w, own)
            e = add(e, add(own_rate, turning))
        store3(work.rate[k], w)
        store3(work.spin[k], e)
        store3(work.lift[k], a)
        _newton_euler(chain.mass[k], w, e, a, work, k)


@kernel
def _newton_euler(m: float, w: Vec, e: Vec, a: Vec, work: Work, k: int) -> None:
    c = load3(work.c[k])
    J = load_sym(work.J[k])
    force = axpy(m, a, add(cross(e, c), cross(w, cross(w, c))))
    torque = add(cross(c, a), add(sym_vec(J, e), cross(w, sym_vec(J, w))))
    store3(work.force[k], force)
    store3(work.torque[k], torque)

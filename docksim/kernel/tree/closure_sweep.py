"""One backward sweep of wrenches through the tree: the response K = J M^-1 J' of closures, or their loads.

A wrench Z on a body meets, on its way to the root, what the tree's backward pass left there (U, D, of the ring L and Y,
of a free root P). Each forced column h takes u = -h Z, which leaves Z + u U / D for the parent, and

    K_rs += u_r u_s / D,     at a ring K_rs += y_r y_s with L y = -Z,     at a free root K_rs += Z_r P^-1 Z_s,

so K is symmetric and never negative by construction. The same sweep of one column, the loads, corrects z, u, and Y of
the tree's pass instead, after which its forward pass finds all accelerations.
"""

import math

from docksim.algebra.vec3 import add, cross, load3, load9, mat_t_vec, mat_vec
from docksim.kernel.basis.spatial import add_wrench, inertia_solve, load_inertia
from docksim.kernel.tree.passes import is_free_root
from docksim.model.tree import FORCED, TRAVEL, TURN
from docksim.native.decorators import kernel, pure

LEAST = 1e-13  # of its own mobility: what is left of a row that the others leave free to move


@pure
def column(Z, c):
    return (Z[0, c], Z[1, c], Z[2, c]), (Z[3, c], Z[4, c], Z[5, c])


@pure
def set_column(Z, c, n, f):
    Z[0, c], Z[1, c], Z[2, c] = n
    Z[3, c], Z[4, c], Z[5, c] = f


@kernel
def zero_columns(work, Z, n):
    """Nothing on any body of the path."""
    for i in range(work.closing[0].n_path):
        k = work.path[i]
        for j in range(6):
            for c in range(n):
                Z[k, j, c] = 0.0


@kernel
def unit_columns(work, n):
    """Of each row its wrenches on both bodies. Writes work.column."""
    zero_columns(work, work.column, n)
    for c in range(n):
        row = work.closure_row[work.in_use[c]]
        for j in range(6):
            work.column[row.a, j, c] -= row.J_a[j]
            work.column[row.b, j, c] -= row.J_b[j]


@pure
def take_share(dof, Z, share, n):
    """u of a forced column from every wrench, and what is left of it for the parent."""
    a = load3(dof.a)
    U = dof.U
    D = dof.D_inv
    for c in range(n):
        if dof.kind == TURN:
            u = -(a[0] * Z[0, c] + a[1] * Z[1, c] + a[2] * Z[2, c])
        elif dof.kind == TRAVEL:
            u = -(a[0] * Z[3, c] + a[1] * Z[4, c] + a[2] * Z[5, c])
        else:
            u = -(a[0] * Z[0, c] + a[1] * Z[1, c] + a[2] * Z[2, c])
            u -= dof.b[0] * Z[3, c] + dof.b[1] * Z[4, c] + dof.b[2] * Z[5, c]
        share[c] = u
        for j in range(6):
            Z[j, c] += u * D * U[j]


@kernel
def through_ring(own, Z, y, n, forced):
    """The same at a ring, whose coordinates and legs go together. Z becomes the wrench on its base at B's origin."""
    R_B = load9(own.R_WB)
    r_C = load3(own.p_BC)
    for c in range(n):
        moment, force = column(Z, c)
        moment = mat_t_vec(R_B, moment)
        force = mat_t_vec(R_B, force)
        y[0, c], y[1, c], y[2, c] = -moment[0], -moment[1], -moment[2]
        y[3, c], y[4, c], y[5, c] = -force[0], -force[1], -force[2]
        moment = add(moment, cross(r_C, force))
        for i in range(6):
            s = 0.0
            if forced:
                s = y[i, c]
                for j in range(i):
                    s -= own.L[i, j] * y[j, c]
                s *= own.L[i, i]
            y[i, c] = s
        if forced:
            for i in range(6):
                s = y[i, c]
                moment = add(moment, (own.Y[i, 0] * s, own.Y[i, 1] * s, own.Y[i, 2] * s))
                force = add(force, (own.Y[i, 3] * s, own.Y[i, 4] * s, own.Y[i, 5] * s))
        set_column(Z, c, mat_vec(R_B, moment), mat_vec(R_B, force))


@pure
def add_root_response(body, Z, K, n):
    """A free root answers with its whole articulated inertia."""
    A, B, C = load_inertia(body.P)
    for c in range(n):
        w, v = inertia_solve(A, B, C, (Z[0, c], Z[1, c], Z[2, c]), (Z[3, c], Z[4, c], Z[5, c]))
        for r in range(c + 1):
            s = Z[0, r] * w[0] + Z[1, r] * w[1] + Z[2, r] * w[2]
            K[r, c] += s + (Z[3, r] * v[0] + Z[4, r] * v[1] + Z[5, r] * v[2])


@pure
def add_share(K, share, D_inv, n):
    for r in range(n):
        u = share[r] * D_inv
        for c in range(r, n):
            K[r, c] += u * share[c]


@pure
def add_ring_response(K, y, n):
    for r in range(n):
        for c in range(r, n):
            s = 0.0
            for j in range(6):
                s += y[j, r] * y[j, c]
            K[r, c] += s


@pure
def hand_on(Z, parent, l, n):
    """Wrenches about the parent's hinge point."""
    for c in range(n):
        moment, force = column(Z, c)
        add_to = cross(l, force)
        parent[0, c] += moment[0] + add_to[0]
        parent[1, c] += moment[1] + add_to[1]
        parent[2, c] += moment[2] + add_to[2]
        parent[3, c] += force[0]
        parent[4, c] += force[1]
        parent[5, c] += force[2]


@kernel
def sweep(model, state, work, Z, n, of_rows):
    """Wrenches Z from the tips of the path to the root. Needs the tree's articulation.

    Of unit rows: writes work.response. Else the one column is what the closures load the tree with: adds it to
    work.body z, work.dof u, work.mechanism Y.
    """
    K = work.response
    if of_rows:
        unit_columns(work, n)
        for r in range(n):
            for c in range(n):
                K[r, c] = 0.0
    for i in range(work.closing[0].n_path - 1, -1, -1):
        k = work.path[i]
        link = state.link[k]
        joint = model.joint[link.joint]
        body = work.body[k]
        l = load3(body.p_PH)
        if not of_rows:
            n_k, f_k = column(Z[k], 0)
            add_wrench(body.z, n_k, f_k)
        if joint.mechanism >= 0:
            own = work.mechanism[joint.mechanism]
            through_ring(own, Z[k], work.ring_share, n, state.dof[joint.v].mode == FORCED)
            l = load3(own.p_HB)
            if of_rows:
                add_ring_response(K, work.ring_share, n)
            else:
                for j in range(6):
                    own.Y[j, 6] += work.ring_share[j, 0]
        elif is_free_root(state, joint, link):
            if of_rows:
                add_root_response(body, Z[k], K, n)
        else:
            for j in range(joint.v, joint.v + joint.nv):
                if state.dof[j].mode == FORCED:
                    take_share(work.dof[j], Z[k], work.share, n)
                    if of_rows:
                        add_share(K, work.share, work.dof[j].D_inv, n)
                    else:
                        work.dof[j].u += work.share[0]
        if link.parent > 0:
            hand_on(Z[k], Z[link.parent], l, n)
    if of_rows:
        for r in range(n):
            for c in range(r):
                K[r, c] = K[c, r]


@kernel
def factorise_rows(work, n):
    """Cholesky factor of the response, its diagonal inverted; -1, or the row that the others hardly leave free."""
    K = work.response
    G = work.factor
    for r in range(n):
        for c in range(r + 1):
            x = K[r, c]
            for t in range(c):
                x -= G[r, t] * G[c, t]
            if r > c:
                G[r, c] = x * G[c, c]
            elif x > LEAST * K[r, r]:
                G[r, r] = 1.0 / math.sqrt(x)
            else:
                return r
    return -1


@kernel
def solve_rows(work, n):
    """L = -K^-1 x of the rows in use."""
    G = work.factor
    for c in range(n):
        s = -work.closure_row[work.in_use[c]].x
        for t in range(c):
            s -= G[c, t] * work.closure_row[work.in_use[t]].L
        work.closure_row[work.in_use[c]].L = s * G[c, c]
    for c in range(n - 1, -1, -1):
        s = work.closure_row[work.in_use[c]].L
        for t in range(c + 1, n):
            s -= G[t, c] * work.closure_row[work.in_use[t]].L
        work.closure_row[work.in_use[c]].L = s * G[c, c]

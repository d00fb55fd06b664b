"""Recursive dynamics of free-floating trees: the three passes of the spatial operator algebra.

Meng & Han (2007), after Rodriguez and Jain; conventions: V = [w; v] of a body's hinge point on W axes, accelerations
classical, wrench [moment; force] about the hinge point. Two departures from the paper: its mixed-problem bias, eq.
(91), drops P a (eq. 52 has it), and a joint's columns are eliminated one at a time, which is exact (a Schur complement
may be taken column by column), lets each coordinate be forced, driven or locked on its own, and needs no inverse.
Work grows linearly with the number of bodies.
"""

from docksim.algebra.joints import FREE
from docksim.algebra.vec3 import (
    IDENTITY,
    ZERO,
    add,
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
    sub,
    sym_vec,
    turned_sym,
)
from docksim.kernel.basis.joints import joint_column_rate, joint_columns, joint_velocity, place_child
from docksim.kernel.basis.spatial import (
    add_shifted_inertia,
    add_shifted_wrench,
    add_wrench,
    dot6,
    inertia_about_hinge,
    inertia_solve,
    inertia_times,
    load_inertia,
    store6,
    store_rigid,
    tail3,
    without,
    wrench_of,
)
from docksim.kernel.mechanism.ring import leg_closure, leg_details, ring_articulation, ring_pass
from docksim.model import W_DRIVES
from docksim.model.tree import FORCED, TRAVEL, TURN
from docksim.native.decorators import kernel, pure


@pure
def world_motion(model, work):
    """The world is body 0: at rest, or turning with the orbit."""
    world = work.body[0]
    store9(world.R_WB, IDENTITY)
    store3(world.w_WB, (0.0, 0.0, model.settings[0].orbit_rate))


@pure
def tree_motion(model, state, work):
    """Forward pass: poses, velocities, bias accelerations, rigid inertias; clears external wrenches.

    Reads state.q, beta, link, order. Writes work.body but A_WH, work.dof kind a b.
    """
    world_motion(model, work)
    for i in range(state.order.size):
        k = state.order[i]
        link = state.link[k]
        body = work.body[k]
        parent = work.body[link.parent]
        joint = model.joint[link.joint]
        w_p = load3(parent.w_WB)

        # pose, columns and velocity of the child against its parent
        R, l, o, R_Fw, R_Mw, t_w = place_child(joint, link.sign, state.q, load9(parent.R_WB), load3(parent.p_BH))
        joint_columns(joint, work.dof, link.sign, R_Fw, R_Mw, t_w)
        dw, dv = joint_velocity(joint, work.dof, state.beta)
        w = add(w_p, dw)
        wl = cross(w_p, l)
        store9(body.R_WB, R)
        store3(body.p_BH, o)
        store3(body.p_PH, l)
        store3(body.p_WH, add(load3(parent.p_WH), l))
        store3(body.w_WB, w)
        store3(body.v_WH, add(add(load3(parent.v_WH), wl), dv))

        # acceleration that the velocities alone demand
        rate_w, rate_v = joint_column_rate(joint, work.dof, state.beta, link.sign, t_w, dw)
        store6(body.bias, add(cross(w_p, dw), rate_w), axpy(2.0, cross(w_p, dv), add(cross(w_p, wl), rate_v)))
        rigid_body(model.body[k], body, R, o, w)


@kernel
def motion(model, state, work):
    """Poses and velocities of everything, the strokes of the docking mechanism's legs included."""
    tree_motion(model, state, work)
    leg_closure(model, state, work)


@kernel
def motion_in_detail(model, state, work):
    """The same, and every link of the legs, for sums of momenta and energies."""
    motion(model, state, work)
    leg_details(model, state, work)


@pure
def rigid_body(constant, body, R, o, w):
    """Start of the backward pass: P = M, z = gyroscopic and centrifugal terms."""
    m = constant.mass
    c = mat_vec(R, sub(load3(constant.com), o))
    J = inertia_about_hinge(m, c, turned_sym(R, load_sym(constant.inertia)))
    store3(body.p_HC, c)
    store_rigid(body.P, m, c, J)
    store6(body.z, cross(w, sym_vec(J, w)), scale(m, cross(w, cross(w, c))))
    store6(body.f, ZERO, ZERO)


@pure
def column_times(A, B, C, dof):
    """P h, and h P h without the armature."""
    a = load3(dof.a)
    if dof.kind == TURN:
        x = sym_vec(A, a)
        y = (
            B[0] * a[0] + B[3] * a[1] + B[6] * a[2],
            B[1] * a[0] + B[4] * a[1] + B[7] * a[2],
            B[2] * a[0] + B[5] * a[1] + B[8] * a[2],
        )
        return x, y, dot(a, x)
    if dof.kind == TRAVEL:
        x = mat_vec(B, a)
        y = sym_vec(C, a)
        return x, y, dot(a, y)
    b = load3(dof.b)
    x, y = inertia_times(A, B, C, a, b)
    return x, y, dot(a, x) + dot(b, y)


@pure
def column_dot(dof, moment, force):
    """h' [moment; force]"""
    if dof.kind == TURN:
        return dot(load3(dof.a), moment)
    if dof.kind == TRAVEL:
        return dot(load3(dof.a), force)
    return dot(load3(dof.a), moment) + dot(load3(dof.b), force)


@pure
def add_column(dof, s, w, v):
    """[w; v] + s h"""
    a = load3(dof.a)
    if dof.kind == TURN:
        return axpy(s, a, w), v
    if dof.kind == TRAVEL:
        return w, axpy(s, a, v)
    return axpy(s, a, w), axpy(s, load3(dof.b), v)


@pure
def is_free_root(state, joint, link):
    """A tree's head that nothing holds: solved at once instead of column by column."""
    return link.parent == 0 and joint.type == FREE and state.dof[joint.v].mode == FORCED


@pure
def tree_articulation(model, state, work):
    """Backward pass: articulated inertia and bias of each body, handed to its parent.

    Reads work.body P z f bias p_PH, work.dof tau S, prescribed beta_dot, state.dof mode.
    Writes work.body P z bias (prescribed accelerations included), work.dof U D_inv u.
    """
    for i in range(state.order.size - 1, -1, -1):
        k = state.order[i]
        link = state.link[k]
        body = work.body[k]
        joint = model.joint[link.joint]
        v0 = joint.v
        v1 = v0 + joint.nv

        # prescribed coordinates belong to the bias
        bias_w = load3(body.bias)
        bias_v = tail3(body.bias)
        for j in range(v0, v1):
            if state.dof[j].mode != FORCED:
                bias_w, bias_v = add_column(work.dof[j], work.dof[j].beta_dot, bias_w, bias_v)
        store6(body.bias, bias_w, bias_v)

        # z + P a
        store6(body.z, sub(load3(body.z), load3(body.f)), sub(tail3(body.z), tail3(body.f)))
        if is_free_root(state, joint, link):
            continue
        A, B, C = load_inertia(body.P)
        n, f = inertia_times(A, B, C, bias_w, bias_v)
        n = add(n, load3(body.z))
        f = add(f, tail3(body.z))
        if joint.mechanism >= 0:
            ring_articulation(model, state, work, k, n, f)
            continue

        # eliminate the forced coordinates, one column after the other
        for j in range(v0, v1):
            if state.dof[j].mode == FORCED:
                dof = work.dof[j]
                x, y, hPh = column_times(A, B, C, dof)
                D_inv = 1.0 / (hPh + model.dof[j].armature + dof.S)
                u = dof.tau - column_dot(dof, n, f)
                A, B, C = without(A, B, C, x, y, D_inv)
                n = axpy(u * D_inv, x, n)
                f = axpy(u * D_inv, y, f)
                store6(dof.U, x, y)
                dof.D_inv = D_inv
                dof.u = u
        if link.parent > 0:
            parent = work.body[link.parent]
            l = load3(body.p_PH)
            add_shifted_inertia(parent.P, A, B, C, l)
            add_shifted_wrench(parent.z, n, f, l)


@pure
def free_root_acceleration(work, joint, body, w, v):
    """P_0 A_0 = -z_0; the rates follow because the six columns are orthonormal."""
    A, B, C = load_inertia(body.P)
    acc_w, acc_v = inertia_solve(A, B, C, scale(-1.0, load3(body.z)), scale(-1.0, tail3(body.z)))
    store6(body.A_WH, acc_w, acc_v)
    own_w = sub(sub(acc_w, w), load3(body.bias))
    own_v = sub(sub(acc_v, v), tail3(body.bias))
    for j in range(joint.v, joint.v + 3):
        work.dof[j].beta_dot = dot(load3(work.dof[j].a), own_w)
        work.dof[j + 3].beta_dot = dot(load3(work.dof[j + 3].a), own_v)


@pure
def tree_acceleration(model, state, work):
    """Forward pass: accelerations of joints and bodies.

    Reads work.body A_WH of the world, bias p_PH, work.dof U D_inv u.
    Writes work.body A_WH, work.dof beta_dot of forced coordinates.
    """
    for i in range(state.order.size):
        k = state.order[i]
        link = state.link[k]
        body = work.body[k]
        parent = work.body[link.parent]
        joint = model.joint[link.joint]
        w = load3(parent.A_WH)
        v = add(tail3(parent.A_WH), cross(w, load3(body.p_PH)))
        if is_free_root(state, joint, link):
            free_root_acceleration(work, joint, body, w, v)
            continue
        if joint.mechanism >= 0:
            ring_pass(model, state, work, k, w, tail3(parent.A_WH))
            for j in range(joint.v, joint.v + joint.nv):
                w, v = add_column(work.dof[j], work.dof[j].beta_dot, w, v)
            store6(body.A_WH, add(w, load3(body.bias)), add(v, tail3(body.bias)))
            continue
        for j in range(joint.v + joint.nv - 1, joint.v - 1, -1):
            if state.dof[j].mode == FORCED:
                dof = work.dof[j]
                dof.beta_dot = (dof.u - dot6(dof.U, w, v)) * dof.D_inv
                w, v = add_column(dof, dof.beta_dot, w, v)
        store6(body.A_WH, add(w, load3(body.bias)), add(v, tail3(body.bias)))


@pure
def joint_wrench(body):
    """Wrench of the parent on the body about its hinge point, W axes: moment, force."""
    return wrench_of(body.P, body.z, body.A_WH)


@pure
def prescribed_forces(model, state, work):
    """Inverse dynamics: generalised force of every driven or locked coordinate, and what holds an anchored root.

    Reads work.body P z A_WH. Writes work.dof tau; adds to work.power, wrench.
    """
    for i in range(state.order.size):
        k = state.order[i]
        link = state.link[k]
        joint = model.joint[link.joint]
        for j in range(joint.v, joint.v + joint.nv):
            if state.dof[j].mode != FORCED:
                n, f = joint_wrench(work.body[k])
                dof = work.dof[j]
                dof.tau = column_dot(dof, n, f) + model.dof[j].armature * dof.beta_dot
                work.power[W_DRIVES] += dof.tau * state.beta[j]
        if link.parent == 0 and state.dof[joint.v].mode != FORCED:
            n, f = joint_wrench(work.body[k])
            moment = add(n, cross(load3(work.body[k].p_WH), f))
            add_wrench(work.wrench, moment, f)
            # in orbit the anchor itself moves, with the axes of W
            work.power[W_DRIVES] += dot(moment, load3(work.body[0].w_WB))

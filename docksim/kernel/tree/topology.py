"""Changing the tree between two steps: lock, join, separate, and the impulses that go with it.

A change that closes a velocity at once (a brake locks, a drive takes over, two vehicles become one) is a projection:
the new rates are those for which every free motion of the new tree has the momentum that it had before. It is the
forward problem itself with each body's momentum as the load, no bias, and rates in the place of accelerations, so it is
exact for trees of any shape, driven joints included, and momentum is conserved to rounding. The energy lost is that of
the velocity jump, half the sum of dV M dV (Carnot). Two trees are joined as they stand: nothing snaps to nominal.
The response matrices of the two trees at the weld give the same; the tests use them as the independent way.
"""

from docksim.algebra.quat import mat_to_quat
from docksim.algebra.vec3 import (
    add,
    cross,
    dot,
    load3,
    load9,
    load_sym,
    mat_mat,
    mat_t_vec,
    mat_vec,
    scale,
    sub,
    transpose,
)
from docksim.kernel.basis.coordinates import drive_coordinates, remember_start
from docksim.kernel.basis.devices import point_on
from docksim.kernel.basis.spatial import add_wrench, inertia_times, load_inertia, store6, tail3
from docksim.kernel.mechanism.ring import leg_jump_energy, load_leg_momenta, remember_legs
from docksim.kernel.tree.closing import check_rates, choose_rows, close_as_found, open_closure
from docksim.kernel.tree.closures import closure_of, meet_closures
from docksim.kernel.tree.energy import kinetic_energy
from docksim.kernel.tree.passes import joint_wrench, motion_in_detail, tree_acceleration, tree_articulation
from docksim.model import BAD_JOIN, BAD_SEPARATION, BY_ANCHOR, BY_BASE, BY_ITSELF, BY_RING, W_DRIVES, W_IMPULSES
from docksim.model.closures import CONTRADICTED
from docksim.model.tree import FORCED, LOCKED
from docksim.native.decorators import kernel, pure


@kernel
def tree_head(state, k):
    """The body that heads the tree of body k."""
    while state.link[k].parent > 0:
        k = state.link[k].parent
    return k


@kernel
def rebuild_order(state, work):
    """Parents before children: bodies by their depth. Writes state.order."""
    deepest = 0
    for k in range(1, state.link.size):
        depth = 0
        above = state.link[k].parent
        while above > 0:
            depth += 1
            above = state.link[above].parent
        work.depth[k] = depth
        deepest = max(deepest, depth)
    count = 0
    for depth in range(deepest + 1):
        for k in range(1, state.link.size):
            if work.depth[k] == depth:
                state.order[count] = k
                count += 1


@kernel
def free_slot_of(model, state, joint):
    """Give a root slot back, its coordinates held at rest."""
    for i in range(model.root_slot.size):
        if model.root_slot[i] == joint:
            state.slot_used[i] = 0
            for j in range(model.joint[joint].v, model.joint[joint].v + 6):
                state.beta[j] = 0.0
                state.dof[j].mode = LOCKED


@kernel
def hang(model, state, k, parent, joint, sign):
    """Hang body k under a new parent and turn round the links from k up to its old root."""
    while True:
        link = state.link[k]
        old_parent = link.parent
        old_joint = link.joint
        old_sign = link.sign
        link.parent = parent
        link.joint = joint
        link.sign = sign
        if old_parent == 0:
            free_slot_of(model, state, old_joint)
            return
        parent = k
        joint = old_joint
        sign = -old_sign
        k = old_parent


@pure
def is_anchored(model, state, head):
    return state.dof[model.joint[state.link[head].joint].v].mode == LOCKED


@kernel
def hangs_on_ring(model, state, k):
    """Is there a docking mechanism between body k and the head of its tree?"""
    while state.link[k].parent > 0:
        if model.joint[state.link[k].joint].mechanism >= 0:
            return True
        k = state.link[k].parent
    return False


@kernel
def set_weld(model, state, work, weld):
    """The weld's coordinates become the present pose of M against F, and are locked."""
    joint = model.joint[weld]
    A = work.body[joint.pred]
    B = work.body[joint.succ]
    R_F = mat_mat(load9(A.R_WB), load9(joint.R_PF))
    R_M = mat_mat(load9(B.R_WB), load9(joint.R_SM))
    _, x_F = point_on(A, joint.p_PF)
    _, x_M = point_on(B, joint.p_SM)
    p = mat_t_vec(R_F, sub(x_M, x_F))
    q = mat_to_quat(mat_mat(transpose(R_F), R_M))
    for i in range(3):
        state.q[joint.q + i] = p[i]
    for i in range(4):
        state.q[joint.q + 3 + i] = q[i]
    for j in range(joint.v, joint.v + 6):
        state.dof[j].mode = LOCKED
        state.beta[j] = 0.0


@kernel
def rooted_by(model, state, k):
    """What keeps body k from becoming a root: an anchor, the ring of a docking mechanism below it, or nothing.

    A mechanism is solved from its base to its ring only.
    """
    if is_anchored(model, state, tree_head(state, k)):
        return BY_ANCHOR
    return BY_RING if hangs_on_ring(model, state, k) else 0


@kernel
def closes_loop(model, state, weld):
    """Are the two sides of a weld one tree already, or can neither be re-rooted there?"""
    joint = model.joint[weld]
    if tree_head(state, joint.pred) == tree_head(state, joint.succ):
        return True
    return rooted_by(model, state, joint.pred) != 0 and rooted_by(model, state, joint.succ) != 0


@kernel
def is_joined(model, state, weld):
    """As an edge of a tree, or as a closure."""
    for k in range(1, state.link.size):
        if state.link[k].joint == weld and state.link[k].parent > 0:
            return True
    return state.closure[closure_of(model, weld)].on != 0


@kernel
def can_join(model, state, weld):
    """Are two ports apart, and no loop closed beside a mechanism without a base? Writes clock status, value."""
    clock = state.clock[0]
    if is_joined(model, state, weld):
        clock.status = BAD_JOIN
        clock.value = float(BY_ITSELF)
        return False
    if closes_loop(model, state, weld):
        for i in range(model.mechanism.size):
            if model.mechanism[i].inertial_base:
                clock.status = BAD_JOIN
                clock.value = float(BY_BASE)
                return False
    return True


@kernel
def join(model, state, work, weld):
    """Two trees become one at a weld, and the one that can be is re-rooted there; else a loop is closed.

    Needs poses, and `can_join`.
    """
    if closes_loop(model, state, weld):
        close_as_found(model, state, work, closure_of(model, weld))
    else:
        grow(model, state, work, weld)


@kernel
def grow(model, state, work, weld):
    """The weld becomes an edge of a tree."""
    joint = model.joint[weld]
    set_weld(model, state, work, weld)
    if rooted_by(model, state, joint.succ) != 0:
        hang(model, state, joint.pred, joint.succ, weld, -1.0)
    else:
        hang(model, state, joint.succ, joint.pred, weld, 1.0)
    rebuild_order(state, work)


@kernel
def become_root(model, state, work, k):
    """Body k heads a tree of its own; its motion goes on as it is. Needs poses and velocities."""
    slot = 0
    while state.slot_used[slot] != 0:
        slot += 1
    state.slot_used[slot] = 1
    joint = model.joint[model.root_slot[slot]]
    body = work.body[k]
    R = load9(body.R_WB)
    arm = scale(-1.0, mat_vec(R, load3(body.p_BH)))
    r = add(load3(body.p_WH), arm)
    w_world = load3(work.body[0].w_WB)
    w = mat_t_vec(R, sub(load3(body.w_WB), w_world))
    v = sub(add(load3(body.v_WH), cross(load3(body.w_WB), arm)), cross(w_world, r))
    q = mat_to_quat(R)
    for i in range(3):
        state.q[joint.q + i] = r[i]
        state.beta[joint.v + i] = w[i]
        state.beta[joint.v + 3 + i] = v[i]
    for i in range(4):
        state.q[joint.q + 3 + i] = q[i]
    for j in range(joint.v, joint.v + 6):
        state.dof[j].mode = FORCED
    link = state.link[k]
    link.parent = 0
    link.joint = model.root_slot[slot]
    link.sign = 1.0


@kernel
def separate(model, state, work, joint):
    """Cut the tree at a joint: what hangs on it floats free, its coordinates stand still. False if it is not in use.

    Ports that closed a loop open it; one that still ties the two parts becomes an edge of a tree.
    """
    i = closure_of(model, joint)
    if i >= 0 and state.closure[i].on != 0:
        open_closure(model, state, work, i)
        return True
    for k in range(1, state.link.size):
        if state.link[k].joint == joint and state.link[k].parent > 0:
            become_root(model, state, work, k)
            for j in range(model.joint[joint].v, model.joint[joint].v + model.joint[joint].nv):
                state.beta[j] = 0.0
                state.dof[j].mode = LOCKED
                work.dof[j].tau = 0.0
            rebuild_order(state, work)
            motion_in_detail(model, state, work)
            if state.closing[0].rigid > 0:
                grow_closures(model, state, work)
            return True
    state.clock[0].status = BAD_SEPARATION
    return False


@kernel
def grow_closures(model, state, work):
    """Joined ports whose closure closes no loop any more. Needs motion; nothing jumps. Leaves poses and velocities."""
    for i in range(model.closure.size):
        weld = model.closure[i].weld
        if weld >= 0 and state.closure[i].on != 0 and not closes_loop(model, state, weld):
            open_closure(model, state, work, i)
            grow(model, state, work, weld)
            motion_in_detail(model, state, work)


@kernel
def remember_twists(model, state, work):
    """Velocities before an impulse, in a form that outlives a change of hinge points. Writes work.before."""
    remember_start(state, work)
    remember_legs(model, work)
    for k in range(1, state.link.size):
        body = work.body[k]
        w = load3(body.w_WB)
        store6(work.before[k], w, add(load3(body.v_WH), cross(w, load3(body.p_HC))))


@kernel
def load_momenta(model, state, work):
    """The forward problem's loads become the momenta before the impulse. Writes work.body z bias, work.dof tau S."""
    for k in range(1, state.link.size):
        body = work.body[k]
        w = load3(work.before[k])
        v = sub(tail3(work.before[k]), cross(w, load3(body.p_HC)))
        A, B, C = load_inertia(body.P)
        h, p = inertia_times(A, B, C, w, v)
        store6(body.z, scale(-1.0, h), scale(-1.0, p))
        store6(body.bias, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for j in range(state.beta.size):
        dof = work.dof[j]
        dof.tau = model.dof[j].armature * work.beta_start[j]
        dof.S = 0.0
        if state.dof[j].mode != FORCED:
            dof.beta_dot = state.beta[j]


@kernel
def count_anchors(model, state, work):
    """An anchor's part in an impulse comes from outside. Needs the impulse's passes. Writes state.impulse."""
    for k in range(1, state.link.size):
        if state.link[k].parent == 0 and is_anchored(model, state, k):
            n, f = joint_wrench(work.body[k])
            add_wrench(state.impulse, add(n, cross(load3(work.body[k].p_WH), f)), f)


@kernel
def jump_energy(model, state, work):
    """Energy of the velocity jump: half the sum of dV M dV. Needs the velocities after, and work.before."""
    energy = 0.0
    for i in range(state.order.size):
        k = state.order[i]
        body = work.body[k]
        w = load3(body.w_WB)
        v_c = add(load3(body.v_WH), cross(w, load3(body.p_HC)))
        dw = mat_t_vec(load9(body.R_WB), sub(w, load3(work.before[k])))
        dv = sub(v_c, tail3(work.before[k]))
        J = load_sym(model.body[k].inertia)
        turn = J[0] * dw[0] * dw[0] + J[1] * dw[1] * dw[1] + J[2] * dw[2] * dw[2]
        turn += 2.0 * (J[3] * dw[0] * dw[1] + J[4] * dw[0] * dw[2] + J[5] * dw[1] * dw[2])
        energy += 0.5 * (turn + model.body[k].mass * dot(dv, dv))
    for j in range(state.beta.size):
        jump = state.beta[j] - work.beta_start[j]
        energy += 0.5 * model.dof[j].armature * jump * jump
    return energy


@kernel
def project_velocities(model, state, work, kinetic_before):
    """Rates of the changed tree from the momenta before the change; returns the energy lost. See the module.

    Needs `remember_twists` before the change. Writes state.beta, work_done, impulse; leaves poses and velocities
    consistent.
    """
    drive_coordinates(model, state, work)
    motion_in_detail(model, state, work)
    load_momenta(model, state, work)
    load_leg_momenta(model, work)
    work.impulsive[0] = 1.0
    store6(work.body[0].A_WH, load3(work.body[0].w_WB), (0.0, 0.0, 0.0))
    tree_articulation(model, state, work)
    tree_acceleration(model, state, work)
    if state.closing[0].rigid > 0 and choose_rows(model, state, work):
        meet_closures(model, state, work, 0.0)
    count_anchors(model, state, work)
    work.impulsive[0] = 0.0
    store6(work.body[0].A_WH, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for i in range(state.order.size):
        joint = model.joint[state.link[state.order[i]].joint]
        for j in range(joint.v, joint.v + joint.nv):
            state.beta[j] = work.dof[j].beta_dot
    motion_in_detail(model, state, work)
    check_rates(model, state, work, CONTRADICTED)
    loss = jump_energy(model, state, work) + leg_jump_energy(model, work)
    state.work_done[W_IMPULSES] -= loss
    state.work_done[W_DRIVES] += kinetic_energy(model, state, work) - kinetic_before + loss
    return loss

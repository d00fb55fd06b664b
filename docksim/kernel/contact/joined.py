"""The joint of two ports whose hooks pull: gap and tilts that hooks, faces, seal and push rods leave, at every step.

While ports are joined their bodies are one. What is left is small: the gap g on the axis of the port that carries the
hooks and its slopes a, b along y and z, so that the gap at a point is g + a y + b z, open positive. It follows its
loads at once, without inertia: the balance of springs of which each only pulls or only pushes,

    hook   k_h max(0, gap + cam)      if it gripped when it was told to close
    face   k_f max(0, -gap)           at every hook, for the sector around it
    seal   share (max(0, height - gap) / depth)^p  at points around it
    rod    force - stiffness gap      up to its stroke

with the wrench that goes through the joint (what moves the bodies on one side of it, less what acts on them from
outside) and with pressure (`docksim.kernel.contact.balance`). A cam turns by half a turn at an even rate,
cam = -reach + e (1 - cos psi).

Loads act on the small motion while the cams are beyond touching faces; before that the capture ring holds the two. The
bodies do not feel it: what loads do on it is booked as work from outside. Limits: flanges are rigid, closing is
quasi-static, no wear.
"""

import math

from docksim.algebra.elementary import cos, sin
from docksim.algebra.vec3 import add, axpy, cross, dot, load3, load9, mat_mat, mat_t_vec, mat_vec, scale, store3, sub
from docksim.kernel.basis.devices import point_on
from docksim.kernel.contact.balance import find_balance, seal_push
from docksim.kernel.contact.pressure import change_pressures
from docksim.kernel.tree.closures import closure_of, closure_wrench
from docksim.kernel.tree.passes import joint_wrench
from docksim.model import W_HOOKS, W_MATED, W_PUSH_OFF
from docksim.model.hooks import LATERAL
from docksim.model.joined import N_SPACES
from docksim.native.decorators import kernel, pure

# a piece of a step is short enough if what is stored grows as work is done, to this part of it; the shortest piece
EVEN = 1e-10
FINEST = 1.0 / 1024.0


@kernel
def wrench_through(model, state, work, row):
    """Force and moment of the other port on the owner of the hooks, on the owner's axes and about its origin."""
    weld = row.weld
    owner = model.marker[row.owner]
    R = mat_mat(load9(work.body[owner.body].R_WB), load9(owner.R_BP))
    _, x = point_on(work.body[owner.body], owner.p_BP)
    for k in range(1, state.link.size):
        if state.link[k].joint == weld and state.link[k].parent > 0:
            n, f = joint_wrench(work.body[k])
            m = sub(n, cross(sub(x, load3(work.body[k].p_WH)), f))
            sign = -state.link[k].sign * row.sign
            return scale(sign, mat_t_vec(R, f)), scale(sign, mat_t_vec(R, m))
    i = closure_of(model, weld)
    if i >= 0 and state.closure[i].on != 0:
        # the two close a loop
        n, f = closure_wrench(model, work, i)
        m = sub(n, cross(sub(x, load3(work.body[model.closure[i].b].p_WH)), f))
        return scale(-row.sign, mat_t_vec(R, f)), scale(-row.sign, mat_t_vec(R, m))
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@pure
def half_turns(row, late, late_to_open, own, t):
    """How far a cam has turned, in half turns: forth since it was told to close, back since it was told to open."""
    until = t
    back = 0.0
    if own.opening >= 0.0 and t > own.opening + late_to_open:
        until = own.opening + late_to_open
        back = (t - until) / row.drive
    forth = min(max((until - own.commanded - late) / row.drive, 0.0), 1.0)
    return max(forth - back, 0.0)


@pure
def cam_at(row, turns):
    return -row.reach + row.throw * (1.0 - cos(math.pi * turns))


@kernel
def hooks_closed(model, state, i):
    """Have all cams come to their end that move at all?"""
    row = model.joined[i]
    own = state.joined[i]
    if own.commanded < 0.0 or own.opening >= 0.0:
        return False
    for k in range(row.first_hook, row.first_hook + row.hooks):
        hook = model.hook[k]
        if hook.failed == 0 and half_turns(row, hook.late, 0.0, own, state.clock[0].t) < 1.0:
            return False
    return True


@pure
def hooks_open(model, state, i):
    """Are the cams back that go back in time?"""
    row = model.joined[i]
    own = state.joined[i]
    return own.opening >= 0.0 and half_turns(row, 0.0, 0.0, own, state.clock[0].t) == 0.0


@kernel
def begin_closing(model, state, work, ports):
    """Hooks of two ports are told to close: which of them grip. Needs poses and stand. Writes state.joined, hook."""
    for i in range(model.joined.size):
        row = model.joined[i]
        if row.ports != ports:
            continue
        own = state.joined[i]
        a = model.marker[row.owner]
        b = model.marker[row.other]
        A = work.body[a.body]
        B = work.body[b.body]
        R = mat_mat(load9(A.R_WB), load9(a.R_BP))
        _, x_a = point_on(A, a.p_BP)
        _, x_b = point_on(B, b.p_BP)
        d = mat_t_vec(R, sub(x_b, x_a))
        # the other port's plane over the owner's
        n = mat_t_vec(R, mat_vec(load9(B.R_WB), (b.R_BP[0], b.R_BP[3], b.R_BP[6])))
        slope_y = -n[1] / n[0]
        slope_z = -n[2] / n[0]
        gap = d[0] - slope_y * d[1] - slope_z * d[2]
        for k in range(row.first_hook, row.first_hook + row.hooks):
            hook = model.hook[k]
            near = gap + slope_y * hook.y + slope_z * hook.z < row.reach
            grips = hook.failed == 0 and near and state.hooks[ports].stand[LATERAL] < row.window
            state.hook[k].engaged = 1 if grips else 0
        store3(own.x, (min(max(gap, 0.0), row.reach), 0.0, 0.0))
        own.commanded = state.clock[0].t
        own.opening = -1.0
        own.lost = -1.0
        own.closed = -1.0
        own.begun = 0
        own.gas_at = own.commanded
        own.space = N_SPACES
        for k in range(N_SPACES):
            own.valve_since[k] = -1.0
            own.shut[k] = -1.0


@kernel
def begin_opening(state, i):
    """Writes state.joined opening."""
    if state.joined[i].commanded >= 0.0 and state.joined[i].opening < 0.0:
        state.joined[i].opening = state.clock[0].t


@kernel
def end_joint(model, state, weld):
    """Two ports part: what their joint stored is out of the budget again. Writes state.joined, hook, work_done."""
    for i in range(model.joined.size):
        own = state.joined[i]
        if model.joined[i].weld == weld and own.commanded >= 0.0:
            state.work_done[W_PUSH_OFF] -= own.stored
            own.stored = 0.0
            own.commanded = -1.0
            own.begun = 0
            for k in range(model.joined[i].first_hook, model.joined[i].first_hook + model.joined[i].hooks):
                state.hook[k].force = 0.0
            forget_parts(own)


@kernel
def turn_cams(model, state, row, own, t):
    """Cams where they are at a time. Writes state.hook turn cam."""
    for k in range(row.first_hook, row.first_hook + row.hooks):
        hook = state.hook[k]
        if model.hook[k].failed == 0:
            hook.turn = half_turns(row, model.hook[k].late, model.hook[k].late_to_open, own, t)
        hook.cam = cam_at(row, hook.turn)


@kernel
def pull_hooks(model, state, row, own):
    """Forces of hooks at the balance; returns the work of their cams since the last one. Writes state.hook force."""
    work = 0.0
    for k in range(row.first_hook, row.first_hook + row.hooks):
        hook = state.hook[k]
        gap = own.x[0] + own.x[1] * model.hook[k].y + own.x[2] * model.hook[k].z
        hook.force = row.stiffness * max(gap + hook.cam, 0.0) if hook.engaged != 0 else 0.0
        work += 0.5 * (hook.force + hook.force_before) * (hook.cam - hook.cam_before)
    return work


@kernel
def follow(model, state, row, own, t, pull):
    """The joint goes on to time t, and its loads straight to `pull`; False if there is no balance.

    Work is force times way by the trapezoidal rule, in pieces so small that what is stored grows by as much. Writes
    own, state.hook, work_done.
    """
    since = own.at
    pull_since = load3(own.pull)
    done = 0.0
    part = 1.0
    while done < 1.0:
        x = load3(own.x)
        pulled = load3(own.pull)
        stored = own.stored
        to = done + part
        turn_cams(model, state, row, own, since + to * (t - since))
        store3(own.pull, axpy(to, sub(pull, pull_since), pull_since))
        if not find_balance(model, state, row, own):
            return False
        cam_work = pull_hooks(model, state, row, own)
        load_work = 0.5 * dot(add(pulled, load3(own.pull)), sub(load3(own.x), x))
        if abs(own.stored - stored - cam_work - load_work) > EVEN * own.stored and part > FINEST:
            part *= 0.5
            store3(own.x, x)
            store3(own.pull, pulled)
            own.stored = stored
            continue
        if own.opening < 0.0 or t <= own.opening:
            own.cam_work += cam_work
        own.load_work += load_work
        state.work_done[W_HOOKS] += cam_work
        state.work_done[W_MATED] += load_work
        keep_hooks(state, row)
        done = to
        part = min(2.0 * part, 1.0 - done)
    own.at = t
    return True


@kernel
def begin_joint(model, state, row, own):
    """The first balance: what seal and rods hold was not in the budget before. Writes own, state.hook, work_done."""
    store3(own.pull, (0.0, 0.0, 0.0))
    own.at = state.clock[0].t
    own.begun = 1
    turn_cams(model, state, row, own, own.at)
    if not find_balance(model, state, row, own):
        return False
    pull_hooks(model, state, row, own)
    keep_hooks(state, row)
    state.work_done[W_PUSH_OFF] += own.stored
    return True


@pure
def keep_hooks(state, row):
    """Writes state.hook cam_before force_before."""
    for k in range(row.first_hook, row.first_hook + row.hooks):
        state.hook[k].cam_before = state.hook[k].cam
        state.hook[k].force_before = state.hook[k].force


@pure
def forget_parts(own):
    """Nothing is carried any more. Writes own."""
    store3(own.force, (0.0, 0.0, 0.0))
    store3(own.moment, (0.0, 0.0, 0.0))
    own.torque = 0.0
    own.hooks_pull = 0.0
    own.face_least = 0.0
    own.face_sum = 0.0
    own.seal = 0.0
    own.seal_least = 0.0
    own.rods = 0.0
    own.slip_margin = 0.0


@kernel
def note_parts(model, state, row, own):
    """What hooks, faces, seal and rods carry together. Writes own."""
    x = load3(own.x)
    own.torque = 0.0
    own.hooks_pull = 0.0
    own.face_least = math.inf
    own.face_sum = 0.0
    for k in range(row.first_hook, row.first_hook + row.hooks):
        hook = state.hook[k]
        push = -row.face * (x[0] + x[1] * model.hook[k].y + x[2] * model.hook[k].z)
        own.torque += hook.force * row.throw * sin(math.pi * hook.turn) / row.efficiency
        own.hooks_pull += hook.force
        own.peak_hook = max(own.peak_hook, hook.force)
        own.face_least = min(own.face_least, push)
        own.face_sum += max(push, 0.0)
    own.seal = 0.0
    own.seal_least = math.inf if row.points > 0 else 0.0
    for k in range(row.first_point, row.first_point + row.points):
        depth = row.seal_height - (x[0] + x[1] * model.seal_point[k].y + x[2] * model.seal_point[k].z)
        own.seal += seal_push(row, depth)
        own.seal_least = min(own.seal_least, max(depth, 0.0))
    own.rods = own.hooks_pull - own.face_sum - own.seal - own.pull[0]
    own.widest = x[0] + row.radius * math.sqrt(x[1] * x[1] + x[2] * x[2])


@kernel
def note_joint(row, own, closed, t):
    """The largest and the least. Writes own."""
    f = load3(own.force)
    m = load3(own.moment)
    shear = math.sqrt(f[1] * f[1] + f[2] * f[2])
    own.slip_margin = row.friction * own.face_sum - shear - abs(m[0]) / row.radius
    own.peak_torque = max(own.peak_torque, own.torque)
    if closed:
        own.closed = t if own.closed < 0.0 else own.closed
        own.peak_tension = max(own.peak_tension, f[0])
        own.peak_compression = max(own.peak_compression, -f[0])
        own.peak_shear = max(own.peak_shear, shear)
        own.peak_bending = max(own.peak_bending, math.sqrt(m[1] * m[1] + m[2] * m[2]))
        own.peak_torsion = max(own.peak_torsion, abs(m[0]))
        own.least_face = min(own.least_face, own.face_least)
        own.least_seal = min(own.least_seal, own.seal_least)
        own.least_margin = min(own.least_margin, own.slip_margin)
        own.largest_gap = max(own.largest_gap, own.widest)


@kernel
def hold_joint(model, state, work, i):
    """The joint at this state. Needs work evaluated at it. Writes state.joined, hook, work_done."""
    row = model.joined[i]
    own = state.joined[i]
    t = state.clock[0].t
    force, moment = wrench_through(model, state, work, row)
    store3(own.force, force)
    store3(own.moment, moment)
    change_pressures(row, own, t)
    if own.lost >= 0.0 or hooks_open(model, state, i):
        return
    pull = (own.pressure[0] * row.area[0] + own.pressure[1] * row.area[1], 0.0, 0.0)
    if cam_at(row, half_turns(row, 0.0, 0.0, own, t)) >= 0.0:
        pull = add(pull, (force[0], -moment[2], moment[1]))
    held = own.begun != 0 or begin_joint(model, state, row, own)
    if not (held and follow(model, state, row, own, t, pull)):
        own.lost = t
        return
    note_parts(model, state, row, own)
    note_joint(row, own, hooks_closed(model, state, i), t)


@kernel
def hold_joints(model, state, work):
    """All joints whose hooks have been told to close. Writes state.joined, hook, work_done."""
    for i in range(model.joined.size):
        if state.joined[i].commanded >= 0.0:
            hold_joint(model, state, work, i)

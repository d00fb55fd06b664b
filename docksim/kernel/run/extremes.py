"""What is largest and least: loads of joints, motion of vehicles, strokes, contact, at every state that a run accepts.

Noted once a substep, from what `evaluate` leaves behind: a body's load is P acc + z, and what a mechanism's legs put
on their base is what the eliminated ring leaves there, so no leg is looked at link by link.
"""

import math

from docksim.algebra.vec3 import add, cross, dot, load3, load9, mat_vec, scale, store3, store9, sub
from docksim.kernel.basis.devices import point_on
from docksim.kernel.basis.spatial import tail3, wrench_of
from docksim.kernel.contact.pairs import pair_motion
from docksim.kernel.contact.record import load_moment
from docksim.model.contact import N_GROUPS, N_PEAKS
from docksim.model.extremes import (
    BEFORE_ROW,
    LASTING_S,
    N_LOADS,
    OVER,
    QUEUED_LOAD,
    QUEUED_UNTIL,
    SINCE_ROW,
    TO_COME,
    UNDER_WAY,
    WHOLE,
)
from docksim.model.tree import FORCED
from docksim.native.decorators import kernel, pure


@pure
def note_vehicle(body, world, extreme):
    """Acceleration of a vehicle's origin and its rate, both against W."""
    w = load3(body.w_WB)
    w_world = load3(world.w_WB)
    arm = scale(-1.0, mat_vec(load9(body.R_WB), load3(body.p_BH)))
    a = add(add(tail3(body.A_WH), cross(load3(body.A_WH), arm)), cross(w, cross(w, arm)))
    if w_world[2] != 0.0:
        # from axes that do not turn to those of W
        r = add(load3(body.p_WH), arm)
        v = sub(add(load3(body.v_WH), cross(w, arm)), cross(w_world, r))
        a = sub(sub(a, scale(2.0, cross(w_world, v))), cross(w_world, cross(w_world, r)))
        w = sub(w, w_world)
    extreme.acceleration = max(extreme.acceleration, dot(a, a))
    extreme.rate = max(extreme.rate, dot(w, w))


@pure
def note_load(extreme, moment, force):
    extreme.moment[SINCE_ROW] = max(extreme.moment[SINCE_ROW], dot(moment, moment))
    extreme.force[SINCE_ROW] = max(extreme.force[SINCE_ROW], dot(force, force))


@pure
def note_weld(work, joint, extreme):
    """What joined ports carry; nothing while they are apart."""
    j = joint.v
    moment = (work.dof[j].tau, work.dof[j + 1].tau, work.dof[j + 2].tau)
    note_load(extreme, moment, (work.dof[j + 3].tau, work.dof[j + 4].tau, work.dof[j + 5].tau))


@pure
def held_along(own, i):
    """What holds a ring against its base, along its coordinate i: G*' A0 - b*, as u' is zero."""
    force = -own.b[i]
    for k in range(6):
        force += own.G[k, i] * own.A_0[k]
    return force


@kernel
def held_ring(own):
    """The wrench of what holds a ring against its base, about B's origin."""
    moment = (held_along(own, 0), held_along(own, 1), held_along(own, 2))
    force = (held_along(own, 3), held_along(own, 4), held_along(own, 5))
    return add(moment, cross(load3(own.p_BC), force)), force


@pure
def note_base(model, state, work, i):
    """What a mechanism's base puts on its legs about B's origin, or they on it."""
    own = work.mechanism[i]
    moment, force = wrench_of(own.P_m, own.z_m, own.A_0)
    if state.dof[model.joint[model.mechanism[i].joint].v].mode != FORCED:
        # the rest goes to the ring without them
        n, f = held_ring(own)
        moment = sub(moment, n)
        force = sub(force, f)
    note_load(state.extreme_base[i], moment, force)


@pure
def note_shaft(out, extreme):
    extreme.least = min(extreme.least, out.x)
    extreme.largest = max(extreme.largest, out.x)
    extreme.rate = max(extreme.rate, abs(out.rate))
    extreme.least_force[SINCE_ROW] = min(extreme.least_force[SINCE_ROW], out.tau)
    extreme.largest_force[SINCE_ROW] = max(extreme.largest_force[SINCE_ROW], out.tau)


@pure
def note_lasting(extreme, queue, load, time):
    """The largest level that a load keeps for LASTING_S; it begins anew where there is none. Writes extreme, queue."""
    if not load > 0.0:
        extreme.queued = 0
        return
    size = queue.shape[0]
    if extreme.queued == 0:
        extreme.pressed_since = time
    else:
        tail = (extreme.head + extreme.queued - 1) % size
        queue[tail, QUEUED_UNTIL] = time
        # what is no less than the newest is the least of no window to come
        while extreme.queued > 0 and queue[tail, QUEUED_LOAD] >= load:
            extreme.queued -= 1
            tail = (tail + size - 1) % size
    if extreme.queued < size:
        tail = (extreme.head + extreme.queued) % size
        queue[tail, QUEUED_LOAD] = load
        queue[tail, QUEUED_UNTIL] = math.inf
        extreme.queued += 1
    # the window begins at the last state that is old enough
    began = time - WHOLE * LASTING_S
    while queue[extreme.head, QUEUED_UNTIL] <= began:
        extreme.head = (extreme.head + 1) % size
        extreme.queued -= 1
    if extreme.pressed_since <= began:
        extreme.lasting = max(extreme.lasting, queue[extreme.head, QUEUED_LOAD])


@kernel
def keep_meeting(model, work, i, extreme):
    """How the two come together. Writes extreme R r w v."""
    pair = model.contact[i]
    out = work.contact[i]
    if out.known == 0:
        pair_motion(pair, out, work.body[pair.body_A], work.body[pair.body_B])
    store9(extreme.R_AB, load9(out.R_AB))
    store3(extreme.p_AB, load3(out.p_AB))
    store3(extreme.w_AB, load3(out.w_AB))
    store3(extreme.v_AB, load3(out.v_AB))


@pure
def note_impact(extreme, peaks):
    for k in range(N_PEAKS):
        extreme.impact_peak[k] = max(extreme.impact_peak[k], peaks[k])


@pure
def note_pair(model, state, work, i):
    """Loads across the ports, forces by group, pulls of latches, the first impact."""
    pair = model.contact[i]
    out = work.contact[i]
    own = state.contact[i]
    extreme = state.extreme_pair[i]
    w = sub(load3(work.body[pair.body_B].w_WB), load3(work.body[pair.body_A].w_WB))
    extreme.rate = max(extreme.rate, dot(w, w))

    # force of A on B, moment about B's origin
    f = load3(out.force)
    m = load_moment(out)
    touching = out.known == 2
    if extreme.measured != 0:
        f = load3(extreme.force)
        m = load3(extreme.moment)
        touching = extreme.normal_force > 0.0
    shear = math.sqrt(f[0] * f[0] + f[1] * f[1])
    bending = math.sqrt(m[0] * m[0] + m[1] * m[1])
    loads = (f[2], shear, bending, m[2])
    for k in range(N_LOADS):
        extreme.least[k] = min(extreme.least[k], loads[k])
        extreme.largest[k] = max(extreme.largest[k], loads[k])
    peaks = (-f[2], f[2], shear, bending, abs(m[2]))
    for k in range(N_PEAKS):
        own.peak[k] = max(own.peak[k], peaks[k])
    for k in range(N_GROUPS):
        own.group_peak[k] = max(own.group_peak[k], out.group[k])
        extreme.least_group[k] = min(extreme.least_group[k], out.group[k])
        extreme.largest_group[k] = max(extreme.largest_group[k], out.group[k])
    note_lasting(extreme, state.lasting[i], f[2], state.clock[0].t)
    for k in range(pair.first_latch, pair.first_latch + pair.latches):
        pull = work.latch[k].force if out.known > 0 else 0.0
        state.extreme_latch[k].least = min(state.extreme_latch[k].least, pull)
        state.extreme_latch[k].largest = max(state.extreme_latch[k].largest, pull)

    # as they were before any force acted; then from the first touch until the surfaces part
    if extreme.impact == TO_COME:
        near = out.known > 0 or extreme.measured != 0
        if near and not (touching and extreme.near != 0):
            keep_meeting(model, work, i, extreme)
        extreme.near = 1 if near else 0
        if touching:
            extreme.impact = UNDER_WAY
    if extreme.impact == UNDER_WAY:
        if touching:
            note_impact(extreme, peaks)
        else:
            extreme.impact = OVER


@pure
def note_passed(state, work, row, extreme):
    """Tension, compression, shear, bending and torsion that a port passes on into its vehicle, about its origin."""
    if state.link[row.body].parent != row.parent:
        return
    body = work.body[row.body]
    port = work.body[row.port_body]
    moment, f = wrench_of(body.P, body.z, body.A_WH)
    _, x = point_on(port, row.p)
    m = sub(moment, cross(sub(x, load3(body.p_WH)), f))
    n = mat_vec(load9(port.R_WB), load3(row.axis))
    axial = dot(f, n)
    torsion = dot(m, n)
    shear = math.sqrt(max(dot(f, f) - axial * axial, 0.0))
    bending = math.sqrt(max(dot(m, m) - torsion * torsion, 0.0))
    peaks = (-axial, axial, shear, bending, abs(torsion))
    for k in range(N_PEAKS):
        extreme.peak[k] = max(extreme.peak[k], peaks[k])


@kernel
def note_extremes(model, state, work):
    """This state counts. Needs work evaluated at it. Writes state.extreme_*, lasting, contact peak, group_peak."""
    for i in range(model.vehicle.size):
        note_vehicle(work.body[model.vehicle[i]], work.body[0], state.extreme_vehicle[i])
    for i in range(model.hung.size):
        body = work.body[model.hung[i]]
        moment, force = wrench_of(body.P, body.z, body.A_WH)
        note_load(state.extreme_hung[i], moment, force)
    for i in range(model.weld.size):
        note_weld(work, model.joint[model.weld[i]], state.extreme_weld[i])
    for i in range(model.mechanism.size):
        note_base(model, state, work, i)
    for k in range(model.shaft.size):
        note_shaft(work.shaft[k], state.extreme_shaft[k])
    for i in range(model.contact.size):
        note_pair(model, state, work, i)
    for i in range(model.passed_on.size):
        note_passed(state, work, model.passed_on[i], state.extreme_passed[i])


@pure
def begin_loads(loads):
    for i in range(loads.size):
        load = loads[i]
        load.moment[BEFORE_ROW] = max(load.moment[BEFORE_ROW], load.moment[SINCE_ROW])
        load.force[BEFORE_ROW] = max(load.force[BEFORE_ROW], load.force[SINCE_ROW])
        load.moment[SINCE_ROW] = 0.0
        load.force[SINCE_ROW] = 0.0


@kernel
def begin_band(state):
    """After a row that is kept: what has been since the one before it is over. Writes state.extreme_*."""
    begin_loads(state.extreme_hung)
    begin_loads(state.extreme_weld)
    begin_loads(state.extreme_base)
    for k in range(state.extreme_shaft.size):
        shaft = state.extreme_shaft[k]
        shaft.least_force[BEFORE_ROW] = min(shaft.least_force[BEFORE_ROW], shaft.least_force[SINCE_ROW])
        shaft.largest_force[BEFORE_ROW] = max(shaft.largest_force[BEFORE_ROW], shaft.largest_force[SINCE_ROW])
        shaft.least_force[SINCE_ROW] = math.inf
        shaft.largest_force[SINCE_ROW] = -math.inf
    for i in range(state.extreme_pair.size):
        pair = state.extreme_pair[i]
        for k in range(N_LOADS):
            pair.least[k] = math.inf
            pair.largest[k] = -math.inf
        for k in range(N_GROUPS):
            pair.least_group[k] = math.inf
            pair.largest_group[k] = -math.inf
    for k in range(state.extreme_latch.size):
        state.extreme_latch[k].least = math.inf
        state.extreme_latch[k].largest = -math.inf

"""Forces between two bodies that part: push rods, a clinging seal, hooks that let go late, what is left of a pressure.

Every tie acts at a point of B along the normal of A's plate, on both bodies at that one point. So its power is its
force times the rate of its way, whatever the two do, and its energy a function of the way alone: 1/2 (force + ended)
left. That of a seal is negative and comes to nothing as it lets go. Which ties act is settled where a piece of a step
begins, and a step is cut where one loses touch with force left in it; so each piece is smooth. Hooks only pull, along a
spring. Faces do not press: a plate that is pushed back is not held (`least` tells).
"""

import math

from docksim.algebra.vec3 import add, cross, dot, load3, load9, mat_t_vec, mat_vec, scale, store3, sub
from docksim.kernel.basis.clock import now, slack
from docksim.kernel.basis.coordinates import piece_of
from docksim.kernel.basis.devices import point_on
from docksim.kernel.basis.spatial import add_wrench
from docksim.model import W_IMPULSES, W_PRESSURE
from docksim.model.parting import HOOK, ROD, SEAL
from docksim.native.decorators import kernel, pure

NEAR = 1e-12  # a way that lacks less than this has ended [m]
AIM = 0.05  # a piece ends this much before a tie does, and the next one there: accelerations are not looked at [steps]


@kernel
def tie_pose(parting, A, B, p):
    """Distance of B's point from A's plane, the axis, and the arms of that point on A and B."""
    _, x_A = point_on(A, parting.p_aA)
    arm_B, x_B = point_on(B, p)
    axis = mat_vec(load9(A.R_WB), load3(parting.axis_A))
    return dot(axis, sub(x_B, x_A)), axis, sub(x_B, load3(A.p_WH)), arm_B


@pure
def passing(A, B, arm_A, arm_B):
    """Velocity of B against A at one point."""
    return sub(add(load3(B.v_WH), cross(load3(B.w_WB), arm_B)), add(load3(A.v_WH), cross(load3(A.w_WB), arm_A)))


@pure
def tie_push(tie, own, distance):
    """Force that a tie pushes apart with, and what is left of its way."""
    left = tie.end - (distance - own.start)
    if own.on != 0 and (tie.ended != 0.0 or (left > 0.0) != (tie.kind == HOOK)):
        return tie.ended + tie.slope * left, left
    return 0.0, left


@pure
def push(A, B, axis, arm_A, arm_B, size):
    """Equal and opposite at one point. Adds to A.f, B.f."""
    force = scale(size, axis)
    add_wrench(B.f, cross(arm_B, force), force)
    back = scale(-1.0, force)
    add_wrench(A.f, cross(arm_A, back), back)


@kernel
def pressure(model, own, vented, t, distance):
    """Of what is left in the tunnel [Pa]."""
    gap = distance - own.start
    if own.profile < 0:
        return own.tunnel * min(max(1.0 - gap / vented, 0.0), 1.0) if own.tunnel > 0.0 else 0.0
    x = gap if own.by_gap != 0 else t - own.drive_start
    knot = model.knot[piece_of(model, model.profile[own.profile], x)]
    return knot.c[0] + knot.c[1] * (x - knot.time)


@pure
def pressure_lasts(model, own, vented, t, distance):
    gap = distance - own.start
    if own.profile < 0:
        return gap + NEAR < vented
    profile = model.profile[own.profile]
    last = model.knot[profile.first_knot + profile.n_knots - 1].time
    return (gap if own.by_gap != 0 else t - own.drive_start) + NEAR < last


@kernel
def push_apart(model, state, work, i):
    """All ties of one separation, and the pressure. Adds to work.body f, work.power."""
    parting = model.parting[i]
    A = work.body[parting.body_A]
    B = work.body[parting.body_B]
    for k in range(parting.first_tie, parting.first_tie + parting.n_ties):
        if state.tie[k].on != 0:
            distance, axis, arm_A, arm_B = tie_pose(parting, A, B, model.tie[k].p)
            force, _ = tie_push(model.tie[k], state.tie[k], distance)
            if force != 0.0:
                push(A, B, axis, arm_A, arm_B, force)
    own = state.parting[i]
    if own.profile >= 0 or own.tunnel > 0.0:
        distance, axis, arm_A, arm_B = tie_pose(parting, A, B, parting.p_bB)
        force = parting.area * pressure(model, own, parting.vented, state.clock[0].t, distance)
        push(A, B, axis, arm_A, arm_B, force)
        work.power[W_PRESSURE] += force * dot(axis, passing(A, B, arm_A, arm_B))


@pure
def parting_forces(model, state, work):
    for i in range(model.parting.size):
        if state.parting[i].live != 0:
            push_apart(model, state, work, i)


@kernel
def tie_energy(model, state, work, i, k):
    """Stored in one tie; less than nothing in what clings. Needs poses."""
    parting = model.parting[i]
    distance, _, _, _ = tie_pose(parting, work.body[parting.body_A], work.body[parting.body_B], model.tie[k].p)
    force, left = tie_push(model.tie[k], state.tie[k], distance)
    return 0.5 * (force + model.tie[k].ended) * left if force != 0.0 else 0.0


@kernel
def parting_energy(model, state, work, i, kind):
    """Stored in the ties of one kind."""
    energy = 0.0
    parting = model.parting[i]
    for k in range(parting.first_tie, parting.first_tie + parting.n_ties):
        if state.parting[i].live != 0 and state.tie[k].on != 0 and model.tie[k].kind == kind:
            energy += tie_energy(model, state, work, i, k)
    return energy


@kernel
def settle_tie(model, state, work, i, k):
    """Does a tie act from here on? Writes state.tie on, state.parting next rods least."""
    parting = model.parting[i]
    tie = model.tie[k]
    own = state.tie[k]
    if tie.kind == HOOK:
        if own.on != 0 and now(state) + slack(state) >= own.opens:
            # what it has stored goes with it
            state.work_done[W_IMPULSES] -= tie_energy(model, state, work, i, k)
            own.on = 0
        if own.on != 0:
            state.parting[i].next = min(state.parting[i].next, own.opens)
        return own.on != 0
    if tie.kind == SEAL and own.on == 0:
        return False
    A = work.body[parting.body_A]
    B = work.body[parting.body_B]
    distance, axis, arm_A, arm_B = tie_pose(parting, A, B, tie.p)
    way = distance - own.start
    left = tie.end - way
    rate = dot(axis, passing(A, B, arm_A, arm_B)) * model.settings[0].step
    state.parting[i].least = min(state.parting[i].least, way)
    was = own.on
    # what comes touches a little before its end, what leaves lets go a little before it
    own.on = 1 if left - rate * slack(state) > (NEAR if rate >= 0.0 else -NEAR) else 0
    if was == 1 and own.on == 0 and tie.kind == ROD:
        state.parting[i].rods = state.clock[0].t
    ahead = left / rate if rate != 0.0 else -1.0
    if tie.ended != 0.0 and ahead > 0.0:
        ahead -= AIM if ahead > 2.0 * AIM else 0.0
        state.parting[i].next = min(state.parting[i].next, now(state) + ahead)
    return own.on != 0


@kernel
def note_clear(model, state, work, i):
    """Nothing is left between the two: rates gained and speed. Writes state.parting."""
    parting = model.parting[i]
    own = state.parting[i]
    A = work.body[parting.body_A]
    B = work.body[parting.body_B]
    _, axis, arm_A, arm_B = tie_pose(parting, A, B, parting.p_bB)
    v = passing(A, B, arm_A, arm_B)
    own.clear = state.clock[0].t
    own.speed = dot(axis, v)
    v = sub(v, scale(own.speed, axis))
    own.across = math.sqrt(dot(v, v))
    add_rates(parting, own, work, 1.0)
    own.live = parting.free


@pure
def add_rates(parting, own, work, sign):
    """The owners' rates on their own axes, less those at the separation. Writes own.rate."""
    for side in range(2):
        body = work.body[parting.owner_A if side == 0 else parting.owner_B]
        store3(own.rate[side], add(load3(own.rate[side]), scale(sign, mat_t_vec(load9(body.R_WB), load3(body.w_WB)))))


@kernel
def settle_parting(model, state, work, i):
    """What acts between the two from here on. Needs poses and velocities. Writes state.tie, state.parting."""
    parting = model.parting[i]
    own = state.parting[i]
    own.next = math.inf
    acts = False
    for k in range(parting.first_tie, parting.first_tie + parting.n_ties):
        if settle_tie(model, state, work, i, k):
            acts = True
    if own.profile >= 0 or own.tunnel > 0.0:
        distance, _, _, _ = tie_pose(parting, work.body[parting.body_A], work.body[parting.body_B], parting.p_bB)
        acts = pressure_lasts(model, own, parting.vented, state.clock[0].t, distance) or acts
    if not acts and own.drive_start >= 0.0 and own.clear < 0.0:
        note_clear(model, state, work, i)


@pure
def parting_under_way(state):
    for i in range(state.parting.size):
        if state.parting[i].live != 0:
            return True
    return False


@kernel
def settle_partings(model, state, work):
    for i in range(model.parting.size):
        if state.parting[i].live != 0:
            settle_parting(model, state, work, i)

"""Capture latches: a pawl snaps over its striker, then holds it with some play.

A pawl has no inertia. While its striker comes down, within the window sideways, over the pawl's travel, the pawl pushes
it back by its law (config/schema/pawl.py): a force going in and a lesser one going out, linear by pieces. Between the
two dry friction is an elastic bristle: its direction, from -1 to 1, follows the striker's way over the presliding. So
the force depends on where the striker is and where it turned round, not on its velocity's sign, and on any closed way
the pawl takes the area between the two curves and gives nothing. Past the travel the pawl has snapped, and the latch is
engaged: a ratchet that lets the striker move as it likes below the play and pulls beyond it, along the axis of the
latch's side, with k e (1 + c e'), never pushing. The play is no less than the axial window, so the snap itself pulls at
nothing.
A pawl gives back only what it took: one that its striker met from the side, or from behind, follows it outward without
pushing, and pushes as soon as the striker moves inward again.
A latch holds only what came over its pawl, or beside the window by no more than the pawl's travel: petals guide
strikers in on a slope, and they may slip under a pawl from there. A striker that begins behind the pawl, or gets there
farther aside, is neither held nor pushed until it has been out beyond the pawl's reach.
Modes change at the start of a step only. A late latch engages when its striker has been in the window for its delay, an
opened or a failed one never. A latch that pulls harder than it holds lets go, and is lost; one whose reach is given
lets go of a striker that slides out from under it sideways, and is armed again. What the pawls take, and what latches
held that were opened under load, or lost, is counted as work of the latches; the springs of engaged latches store
energy, and those of lifted pawls, which lose it when they fall.
Limits: an engaged latch holds along the axis only; sideways the petals do.
"""

import math

from docksim.algebra.vec3 import add, cross, dot, load3, load9, mat_mat, mat_t_vec, mat_vec, scale, sub, transpose
from docksim.kernel.basis.clock import ROUNDING
from docksim.kernel.basis.devices import point_on
from docksim.kernel.contact.gaps import latch_offset
from docksim.model import W_LATCHES
from docksim.model.contact import ARMED, BEFORE, BEHIND, ENGAGED, FAILED, LATCHES, LOST, OPENED, PASSED, UNSEEN
from docksim.native.decorators import kernel, melted, pure


@pure
def nearest_striker(model, pair, latch, R, r):
    """The striker nearest to a latch, in its own frame and in the latch's; (R, r) is the strikers' pose there."""
    best = math.inf
    nearest = (0.0, 0.0, 0.0)
    there = nearest
    for k in range(pair.first_striker, pair.first_striker + pair.strikers):
        x = load3(model.striker[k].position)
        y = add(mat_vec(R, x), r)
        d = sub(y, load3(latch.position))
        if dot(d, d) < best:
            best = dot(d, d)
            nearest = x
            there = y
    return nearest, there


@pure
def compressed(pair, axial):
    """How far a striker has come over the travel of a pawl; negative before it."""
    return pair.window[0] + pair.travel - axial


@pure
def pawl_piece(pawl, latch, compression):
    i = latch.first_pawl
    while i < latch.first_pawl + latch.pawls - 1 and pawl[i + 1].start <= compression:
        i += 1
    return i


@pure
def pawl_direction(pair, own, compression):
    """Of the friction of a pawl: 1 against a striker that goes in, -1 against one that goes out."""
    return max(min(own.bristle + (compression - own.compression) / pair.pawl_presliding, 1.0), -1.0)


@pure
def pawl_energy(pawl, latch, compression):
    piece = pawl[pawl_piece(pawl, latch, compression)]
    x = compression - piece.start
    return piece.stored + x * (piece.spring[0] + 0.5 * piece.spring[1] * x)


@pure
def latch_law(pair, latch, pawl, own, axial, aside, rate):
    """Pull on the striker towards the latch, the energy stored, and the power of what is not."""
    if own.mode == ENGAGED:
        stretch = axial - pair.play
        if stretch <= 0.0:
            return 0.0, 0.0, 0.0
        elastic = pair.latch_stiffness * stretch
        pull = elastic * max(1.0 + pair.latch_damping * rate, 0.0)
        return pull, 0.5 * elastic * stretch, (elastic - pull) * rate
    s = compressed(pair, axial)
    if own.mode != ARMED or own.striker != BEFORE or aside > 0.0 or s <= own.met or s >= pair.travel:
        return 0.0, own.stored, 0.0
    piece = pawl[pawl_piece(pawl, latch, s)]
    x = s - piece.start
    rub = piece.rub[0] + piece.rub[1] * x
    push = piece.push[0] + piece.push[1] * x + pawl_direction(pair, own, s) * rub
    return -push, own.stored, push * rate


@pure
def latch_clearance(pair, mode, axial):
    """How far its striker can go before a latch acts, or an opened one must see it pass, whatever way it goes."""
    if mode == ENGAGED:
        return 0.0
    return axial - pair.window[0] - pair.travel if mode == ARMED or mode == OPENED else math.inf


@pure
def striker_pose(pair, R, r):
    """Pose of the strikers' side in the latches', from that of B in A."""
    if pair.latches_on_B == 0:
        return R, r
    R_t = transpose(R)
    return R_t, scale(-1.0, mat_vec(R_t, r))


@melted
def latch_forces(model, state, work, i):
    """Force on B and moment about A's origin of all latches of a pair, axes of A. Writes work.latch, contact, power."""
    pair = model.contact[i]
    out = work.contact[i]
    R = load9(out.R_AB)
    r = load3(out.p_AB)
    R_s, r_s = striker_pose(pair, R, r)
    force = (0.0, 0.0, 0.0)
    moment = force
    for k in range(pair.first_latch, pair.first_latch + pair.latches):
        latch = model.latch[k]
        x, y = nearest_striker(model, pair, latch, R_s, r_s)
        axial, radial, tangential = latch_offset(load3(latch.position), load3(latch.radial), y)
        aside = max(abs(radial) - pair.window[1], abs(tangential) - pair.window[2])
        # the shared point and the axis of the latch in A's frame
        point = y if pair.latches_on_B == 0 else x
        axis = (0.0, 0.0, 1.0)
        if pair.latches_on_B != 0:
            axis = (-R[2], -R[5], -R[8])
        v = add(load3(out.v_AB), cross(load3(out.w_AB), point))
        pull, stored, power = latch_law(pair, latch, model.pawl, state.latch[k], axial, aside, dot(axis, v))
        work.latch[k].force = pull
        work.latch[k].axial = axial
        work.latch[k].aside = aside
        out.clearance = min(out.clearance, latch_clearance(pair, state.latch[k].mode, axial))
        f = scale(-pull, axis)
        force = add(force, f)
        moment = add(moment, cross(point, f))
        out.group[LATCHES] += pull
        out.stored += stored
        work.power[W_LATCHES] += power
    return force, moment


@pure
def striker_place(pair, own, seen):
    """Where a striker is from now on: the way that it got below the window is remembered until it is out again."""
    if seen.axial > pair.window[0]:
        return BEHIND if own.striker == BEHIND and seen.axial <= pair.window[0] + pair.travel else BEFORE
    if own.striker == PASSED or (own.striker == BEFORE and seen.aside <= pair.travel):
        return PASSED
    return BEHIND


@pure
def next_mode(pair, own, latch, seen, time):
    """Mode of a latch from now on, its striker placed. Writes own.arrival."""
    if own.mode == ENGAGED and seen.force > pair.latch_holds:
        return LOST
    if own.mode == ENGAGED and seen.aside > pair.latch_aside:
        return ARMED
    if own.mode != ARMED or own.striker != PASSED or seen.aside > 0.0:
        own.arrival = -1.0
        return own.mode
    if own.arrival < 0.0:
        own.arrival = time
    # a hair of rounding: the step was cut there
    return ENGAGED if time * (1.0 + ROUNDING) >= own.arrival + latch.delay else ARMED


@pure
def settle_pawl(pair, latch, pawl, own, seen, near):
    """Where a pawl is, how its friction stands, and what its spring holds. Returns by how much that has grown.

    Its energy is on both sides of the budget as it was at the start of the last step, so that it closes in between.
    """
    s = compressed(pair, seen.axial)
    on = near and own.mode == ARMED and own.striker == BEFORE and seen.aside <= 0.0
    own.bristle = pawl_direction(pair, own, s) if on and s > 0.0 else 0.0
    own.compression = max(s, 0.0)
    own.met = min(own.met, own.compression) if on else math.inf
    before = own.stored
    own.stored = 0.0
    if on and s > own.met:
        own.stored = pawl_energy(pawl, latch, s) - pawl_energy(pawl, latch, own.met)
    return own.stored - before


@melted
def settle_latches(model, state, work, i):
    """At the start of a step: pawls that were passed hold their strikers, overloaded latches let go.

    Writes state.latch, contact engaged, capture, work_done. Returns whether a pull is gone.
    """
    pair = model.contact[i]
    own = state.contact[i]
    own.engaged = 0
    gone = False
    near = work.contact[i].known > 0
    time = state.clock[0].t
    for k in range(pair.first_latch, pair.first_latch + pair.latches):
        latch = state.latch[k]
        seen = work.latch[k]
        held = latch.mode == ENGAGED
        latch.striker = striker_place(pair, latch, seen) if near else UNSEEN
        latch.mode = next_mode(pair, latch, model.latch[k], seen, time)
        if latch.mode == ENGAGED:
            own.engaged += 1
        elif held:
            stretch = max(seen.axial - pair.play, 0.0)
            state.work_done[W_LATCHES] -= 0.5 * pair.latch_stiffness * stretch * stretch
            gone = True
        state.work_done[W_LATCHES] += settle_pawl(pair, model.latch[k], model.pawl, latch, seen, near)
    if own.engaged == pair.latches and own.capture < 0.0 and pair.latches > 0:
        own.capture = time
    return gone


@kernel
def held_energy(model, state, work, i):
    """In the springs of a pair's engaged latches, from the bodies' poses alone."""
    pair = model.contact[i]
    A = work.body[pair.body_A]
    B = work.body[pair.body_B]
    R_A = mat_mat(load9(A.R_WB), load9(pair.R_aA))
    R_B = mat_mat(load9(B.R_WB), load9(pair.R_bB))
    _, x_A = point_on(A, pair.p_aA)
    _, x_B = point_on(B, pair.p_bB)
    R_s, r_s = striker_pose(pair, mat_mat(transpose(R_A), R_B), mat_t_vec(R_A, sub(x_B, x_A)))
    energy = 0.0
    for k in range(pair.first_latch, pair.first_latch + pair.latches):
        if state.latch[k].mode == ENGAGED:
            _, y = nearest_striker(model, pair, model.latch[k], R_s, r_s)
            stretch = max(y[2] - model.latch[k].position[2] - pair.play, 0.0)
            energy += 0.5 * pair.latch_stiffness * stretch * stretch
    return energy


@kernel
def switch_latches(model, state, work, i, mode):
    """An event opens or arms the latches of a pair; returns the energy that opening them under load loses."""
    pair = model.contact[i]
    lost = held_energy(model, state, work, i) if mode == OPENED else 0.0
    for k in range(pair.first_latch, pair.first_latch + pair.latches):
        latch = state.latch[k]
        broken = latch.mode == FAILED or latch.mode == LOST
        if not broken and not (mode == ARMED and latch.mode == ENGAGED):
            latch.mode = mode
    state.work_done[W_LATCHES] -= lost
    if mode == OPENED:
        state.contact[i].engaged = 0
    return lost

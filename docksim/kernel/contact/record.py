"""What is remembered of contacts from step to step, and what is logged of them."""

import math

from docksim.algebra.vec3 import cross, load3, load9, store3, store9, sub
from docksim.kernel.contact.latches import settle_latches
from docksim.kernel.contact.pairs import closing_bound
from docksim.model import OVERLAP
from docksim.model.contact import N_GROUPS, N_PEAKS, NO_GROUP
from docksim.model.extremes import N_LOADS
from docksim.native.decorators import kernel, pure

# gaps wider than this are logged as this [m]
WIDEST_GAP = 0.1
# a pair whose contact is not near is measured out to this many margins; what is beyond the first is its clearance
LOOK = 3.0
# of the closing speed at the start of a step, for how that may grow in it
SAFETY = 2.0
# deeper than this, two interfaces overlap at the start [m]
OVERLAP_DEPTH = 1e-6


@pure
def load_moment(out):
    """Moment of A on B about B's origin, axes of A."""
    return sub(load3(out.moment), cross(load3(out.p_AB), load3(out.force)))


@pure
def note_touch(own, touching, time):
    """How often contact has begun, and when first. Writes own touching, touches, first_contact."""
    if touching and own.touching == 0:
        own.touches += 1
        if own.first_contact < 0.0:
            own.first_contact = time
    own.touching = 1 if touching else 0


@kernel
def note_last_touches(model, state, work):
    """Contact that begins at the last state of a run has begun. Writes state.contact."""
    for i in range(model.contact.size):
        note_touch(state.contact[i], work.contact[i].known == 2, state.clock[0].t)


@pure
def keep_rows(model, state, work, i, touching):
    """Bristles keep their stretch where there is force, dents their depth until the surfaces part; elsewhere both are
    forgotten. Writes state.contact_row."""
    pair = model.contact[i]
    for j in range(pair.first_row, pair.first_row + pair.rows):
        row = work.contact_row[j]
        own = state.contact_row[j]
        own.deepest = max(own.deepest, -row.gap) if touching and row.gap <= 0.0 else 0.0
        if touching and row.force > 0.0:
            store3(own.bristle, load3(row.stretch))
        else:
            store3(own.bristle, (0.0, 0.0, 0.0))


@kernel
def settle_pair(model, state, work, i):
    """Poses, bristles, latches of a pair that is near, or was. Writes state.contact, contact_row, latch.

    Returns whether a latch let go, whose pull is in the accelerations still.
    """
    out = work.contact[i]
    own = state.contact[i]
    touching = out.known == 2
    if touching or own.touching != 0:
        keep_rows(model, state, work, i, touching)
    note_touch(own, touching, state.clock[0].t)
    if touching:
        own.fastest = max(own.fastest, out.fastest)
    own.normal_force = out.normal_force
    own.placed = 1 if out.known > 0 else 0
    if out.known > 0:
        store9(own.R_AB, load9(out.R_AB))
        store3(own.p_AB, load3(out.p_AB))
    return settle_latches(model, state, work, i)


@pure
def settle_contacts(model, state, work, h):
    """At the start of a step of length h: displacements count from here. Needs work at the state.

    Returns whether a latch let go: then work is to be evaluated anew.
    """
    gone = False
    for i in range(model.contact.size):
        pair = model.contact[i]
        own = state.contact[i]
        out = work.contact[i]
        out.look = 0.0
        if out.known != 0 or own.placed != 0:
            gone = settle_pair(model, state, work, i) or gone
        if own.clearance <= 0.0:
            own.clearance = out.clearance
        if own.clearance > 0.0:
            A = work.body[pair.body_A]
            own.clearance -= SAFETY * h * closing_bound(model, pair, A, work.body[pair.body_B])
    return gone


@pure
def look_around(model, state, work, logged):
    """How far the coming evaluation looks for gaps. What is logged is measured, even where nothing can be near."""
    for i in range(model.contact.size):
        if logged:
            state.contact[i].clearance = 0.0
        work.contact[i].look = max(WIDEST_GAP if logged else 0.0, LOOK * model.contact[i].margin)


@pure
def plan_parts(model, state, work):
    """Cut the coming step into as many parts as a pair within its margin asks for, or try it whole if the last one
    was smooth. Needs work. Writes state.clock."""
    clock = state.clock[0]
    clock.finest = 1
    for i in range(model.contact.size):
        if work.contact[i].gap < model.contact[i].margin:
            clock.finest = max(clock.finest, model.contact[i].substeps)
    clock.substeps = 1 if clock.smooth != 0 else clock.finest


@pure
def watch_overlap(model, state, work):
    """Interfaces that overlap at the start end the run. Writes state.clock status, culprit, value."""
    clock = state.clock[0]
    for i in range(model.contact.size):
        pair = model.contact[i]
        if work.contact[i].known != 2:
            continue
        for j in range(pair.first_row, pair.first_row + pair.rows):
            depth = -work.contact_row[j].gap
            if depth > OVERLAP_DEPTH and model.contact_row[j].group != NO_GROUP:
                if clock.status != OVERLAP or depth > clock.value:
                    clock.status = OVERLAP
                    clock.culprit = j
                    clock.value = depth


@pure
def log_pair(out, own, extreme, row):
    """What acts at a row, and between it and the last one; long steps may have several rows and end after them."""
    f = load3(out.force)
    m = load_moment(out)
    loads = (f[2], math.sqrt(f[0] * f[0] + f[1] * f[1]), math.sqrt(m[0] * m[0] + m[1] * m[1]), m[2])
    noted = extreme.least[0] <= extreme.largest[0]
    row.gap = min(out.gap, WIDEST_GAP)
    row.normal_force = out.normal_force
    store3(row.force, load3(out.force))
    store3(row.moment, load_moment(out))
    row.engaged = own.engaged
    row.first_contact = own.first_contact
    row.capture = own.capture
    row.touches = own.touches
    for k in range(N_PEAKS):
        row.peak[k] = own.peak[k]
    for k in range(N_GROUPS):
        row.group[k] = out.group[k]
        row.group_peak[k] = own.group_peak[k]
        row.least_group[k] = extreme.least_group[k] if noted else out.group[k]
        row.largest_group[k] = extreme.largest_group[k] if noted else out.group[k]
    for k in range(N_LOADS):
        row.least[k] = extreme.least[k] if noted else loads[k]
        row.largest[k] = extreme.largest[k] if noted else loads[k]


@kernel
def log_contacts(model, state, work, log, n):
    """Every pair, its latches and its gaps, in row n. Needs work at the state."""
    for i in range(model.contact.size):
        pair = model.contact[i]
        known = work.contact[i].known
        log_pair(work.contact[i], state.contact[i], state.extreme_pair[i], log.contact[n, i])
        for k in range(pair.first_latch, pair.first_latch + pair.latches):
            log.latch[n, k].force = work.latch[k].force if known > 0 else 0.0
            log.latch[n, k].mode = state.latch[k].mode
            own = state.extreme_latch[k]
            noted = own.least <= own.largest
            log.latch[n, k].least = own.least if noted else log.latch[n, k].force
            log.latch[n, k].largest = own.largest if noted else log.latch[n, k].force
        if model.settings[0].log_rows:
            for j in range(pair.first_row, pair.first_row + pair.rows):
                log.gap[n, j].force = work.contact_row[j].force if known == 2 else 0.0

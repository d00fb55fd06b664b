"""Many steps in compiled code: events, control, evaluation, log, integration, a guard against non-finite numbers."""

from docksim.kernel.basis.clock import now
from docksim.kernel.basis.coordinates import ball_offset, drive_coordinates
from docksim.kernel.basis.devices import stop_depth
from docksim.kernel.basis.instants import cut_step
from docksim.kernel.contact.hooks import watch_hooks
from docksim.kernel.contact.joined import hold_joints
from docksim.kernel.contact.parting import parting_under_way, settle_partings
from docksim.kernel.contact.record import look_around, note_last_touches, plan_parts, watch_overlap
from docksim.kernel.mechanism.servos import aim_servos, sample_servos
from docksim.kernel.run.budget import note_budget, note_first_contact
from docksim.kernel.run.closure_drift import begin_closures
from docksim.kernel.run.events import check_events, events_possible
from docksim.kernel.run.extremes import note_extremes
from docksim.kernel.run.integrators import integrate
from docksim.kernel.run.log import log_row
from docksim.kernel.run.pieces import changes_by_itself, piece_end
from docksim.kernel.run.tolerant import tolerant_rk4
from docksim.kernel.step import evaluate, sample_programs
from docksim.kernel.tree.closing import watch_closures
from docksim.kernel.tree.closures import note_closures
from docksim.kernel.tree.control import control_is_due, sample_control
from docksim.kernel.tree.environment import switch_loads
from docksim.kernel.tree.passes import motion
from docksim.model import DONE, NON_FINITE, OVER_STROKE, RUNNING
from docksim.native.decorators import kernel, melted, pure

BEYOND = 1e50  # no real coordinate or rate comes near it; energies and squares of forces are finite still


@melted
def decide(model, state, work):
    """What changes between two pieces: events, control samples, loads switched on or off, set-points on their way."""
    drive_coordinates(model, state, work)
    if state.closing[0].waiting > 0:
        begin_closures(model, state, work)
        work.current[0] = 0
    fired = state.clock[0].n_records
    due = control_is_due(model, state) or events_possible(model, state) or parting_under_way(state)
    if work.current[0] == 0 and (due or model.settings[0].tolerance > 0.0):
        motion(model, state, work)
    if due:
        check_events(model, state, work)
        settle_partings(model, state, work)
        sample_control(model, state, work)
    cut_step(model, state, piece_end(model, state, work))
    switch_loads(model, state)
    aimed = aim_servos(model, state)
    if aimed or state.clock[0].n_records != fired or changes_by_itself(model, state):
        work.current[0] = 0


@kernel
def find_culprit(model, state, work):
    """The first body, root first, whose joint has a coordinate, rate or acceleration out of bounds; 0 if none has."""
    for i in range(state.order.size):
        k = state.order[i]
        joint = model.joint[state.link[k].joint]
        total = 0.0
        for j in range(joint.v, joint.v + joint.nv):
            total += abs(state.beta[j]) + abs(work.dof[j].beta_dot)
        for j in range(joint.q, joint.q + joint.nv + (1 if ball_offset(joint) >= 0 else 0)):
            total += abs(state.q[j])
        if not total < BEYOND:
            return k
    return 0


@pure
def guard(model, state, work):
    """Stop before nonsense is logged or sets off an event. Writes state.clock status, culprit."""
    total = 0.0
    for j in range(state.beta.size):
        total += abs(state.beta[j]) + abs(work.dof[j].beta_dot)
    for i in range(state.q.size):
        total += abs(state.q[i])
    if not total < BEYOND:
        state.clock[0].status = NON_FINITE
        state.clock[0].culprit = find_culprit(model, state, work)


@pure
def watch_legs(state, work):
    """A leg that could not follow its ring ends the run: what came of it is nonsense, finite or not.

    Writes state.clock status, culprit, value.
    """
    lost = work.lost[0]
    if lost.status != RUNNING:
        clock = state.clock[0]
        clock.status = lost.status
        clock.culprit = lost.leg
        clock.value = lost.value


@pure
def watch_strokes(model, state, work):
    """A stop compressed beyond its travel ends the run. Writes state.clock status, culprit, value."""
    clock = state.clock[0]
    for k in range(model.shaft.size):
        if abs(stop_depth(model.shaft[k], work.shaft[k].x)) > model.shaft[k].stop_travel:
            clock.status = OVER_STROKE
            clock.culprit = k
            clock.value = work.shaft[k].x
            return


@kernel
def advance(model, state, work, log, n):
    """At most n steps; returns the status. Called again, it goes on with the same bits as if called once.

    A step within which something begins or ends is taken in pieces; rows, samples and calls keep to whole steps. With
    n = 0 nothing moves, but the state is evaluated, which brings code and tables into the processor's caches.
    """
    settings = model.settings[0]
    clock = state.clock[0]
    if n == 0:
        evaluate(model, state, work)
    goal = clock.step + n
    while clock.step < goal:
        if clock.status != RUNNING:
            return clock.status
        decide(model, state, work)
        logged = clock.step == settings.n_steps or clock.status != RUNNING
        if settings.tolerance == 0.0:
            logged = logged or (clock.since == 0.0 and clock.step % clock.log_every == 0)
        if logged or work.current[0] == 0:
            look_around(model, state, work, logged)
            sample_programs(model, state, work)
            evaluate(model, state, work)
        work.current[0] = 0
        guard(model, state, work)
        finite = clock.status != NON_FINITE
        if clock.status == RUNNING or not finite:
            watch_legs(state, work)
        if clock.status == RUNNING:
            watch_strokes(model, state, work)
        if state.closing[0].on > 0:
            note_closures(model, state, work)
            watch_closures(model, state, work)
        if clock.status == RUNNING and clock.t == 0.0:
            watch_overlap(model, state, work)
        if not finite and clock.t > 0.0:
            # the first row, the scenario's own state, is logged whatever comes of it
            return clock.status
        if clock.step == settings.n_steps and clock.status == RUNNING:
            clock.status = DONE
        note_extremes(model, state, work)
        if clock.status != RUNNING:
            note_last_touches(model, state, work)
            note_first_contact(model, state, work)
        hold_joints(model, state, work)
        note_budget(model, state, work)
        if logged or clock.status != RUNNING:
            watch_hooks(model, state, work)
            log_row(model, state, work, log)
        if clock.status == RUNNING:
            sample_servos(model, state, work)
            if settings.tolerance == 0.0:
                plan_parts(model, state, work)
            here = now(state)
            work.lost[0].status = RUNNING
            while now(state) == here:
                if clock.substep > 0:
                    evaluate(model, state, work)
                    note_extremes(model, state, work)
                if settings.tolerance > 0.0:
                    tolerant_rk4(model, state, work, log)
                else:
                    integrate(model, state, work)
                guard(model, state, work)
                watch_legs(state, work)
                if clock.status != RUNNING:
                    return clock.status
    return clock.status

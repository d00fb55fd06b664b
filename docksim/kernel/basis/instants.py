"""Instants at which something begins or ends: a step is cut there, so that impulses are exact whatever the step is.

They are the ends of loads and pulses, the knots of tables and the ends of moves, the times of events, when
late latches begin to hold, and when what pushes two ports apart lets go. All are known when a piece begins: events come
at the beginnings of pieces.
"""

import math

from docksim.kernel.basis.clock import now, slack
from docksim.kernel.basis.coordinates import piece_of
from docksim.model.contact import ARMED
from docksim.model.events import AFTER_EVENT, AT_TIME
from docksim.model.programs import PROGRAM_ON
from docksim.model.tree import DRIVEN, MOVE, TABLE
from docksim.native.decorators import kernel, pure


@pure
def sooner(until, at, here, near):
    """The end of a piece that begins here, if something changes at an instant."""
    return at if here + near < at < until - near else until


@kernel
def next_change(model, drive, t):
    """When the law of a driven coordinate next changes after t [s]."""
    profile = model.profile[drive.profile]
    if profile.kind == MOVE:
        return drive.drive_start + profile.duration
    if profile.kind == TABLE:
        piece = piece_of(model, profile, t - drive.drive_start)
        last = profile.first_knot + profile.n_knots - 1
        return drive.drive_start + model.knot[min(piece + 1, last)].time
    return math.inf


@pure
def due(state, condition):
    """When a condition on time begins to hold [steps]."""
    if condition.kind == AT_TIME:
        return condition.value
    if condition.kind == AFTER_EVENT and state.event[condition.a].fired != 0:
        return state.event[condition.a].at + condition.value
    return math.inf


@pure
def pulse_origin(state, pulse):
    """From when its times are counted [steps]: the start of the run, or an event; never, if that has not fired."""
    if pulse.event < 0:
        return 0.0
    return state.event[pulse.event].at if state.event[pulse.event].fired != 0 else math.inf


@kernel
def cut_step(model, state, until):
    """The piece goes to where it would end [steps], or to the first instant before. Writes state.clock until."""
    clock = state.clock[0]
    step = model.settings[0].step
    here = now(state)
    near = slack(state)
    for i in range(model.load.size):
        until = sooner(until, model.load[i].start, here, near)
        until = sooner(until, model.load[i].end, here, near)
    for i in range(model.pulse.size):
        origin = pulse_origin(state, model.pulse[i])
        until = sooner(until, origin + model.pulse[i].start, here, near)
        until = sooner(until, origin + model.pulse[i].end, here, near)
    t = (here + near) * step
    for j in range(state.dof.size):
        if state.dof[j].mode == DRIVEN:
            until = sooner(until, next_change(model, state.dof[j], t) / step, here, near)
    for k in range(state.shaft.size):
        if state.shaft[k].on_path != 0 and state.shaft[k].servo_on != 0:
            until = sooner(until, next_change(model, state.shaft[k], t) / step, here, near)
    for i in range(state.program.size):
        if state.program[i].on == PROGRAM_ON:
            program = model.program[i]
            for k in range(program.first_point, program.first_point + program.n_points):
                at = state.program[i].start + model.waypoint[k].time
                until = sooner(until, at / step, here, near)
    for i in range(state.retraction.size):
        if state.retraction[i].mode == DRIVEN:
            until = sooner(until, next_change(model, state.retraction[i], t) / step, here, near)
    for e in range(model.event.size):
        if state.event[e].fired == 0:
            event = model.event[e]
            for i in range(event.first_condition, event.first_condition + event.n_conditions):
                until = sooner(until, due(state, model.condition[i]), here, near)
    for k in range(model.latch.size):
        if state.latch[k].mode == ARMED and state.latch[k].arrival >= 0.0:
            until = sooner(until, (state.latch[k].arrival + model.latch[k].delay) / step, here, near)
    for i in range(state.parting.size):
        own = state.parting[i]
        if own.live != 0:
            until = sooner(until, own.next, here, near)
            if own.profile >= 0 and own.by_gap == 0:
                until = sooner(until, next_change(model, own, t) / step, here, near)
    clock.until = until - clock.step

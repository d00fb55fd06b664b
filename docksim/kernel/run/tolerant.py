"""Runge-Kutta steps of order 4 under an error estimate: `solver.tolerance`.

The end of a step is evaluated before the step is let pass, which gives the companion of order 3 for nothing, since that
evaluation serves the next step:

    e = h / 10 (k4 - f(end)),   rates [m/s, rad/s];   next h = 0.9 h (tolerance / e)^(1/4), from h / 5 to 2 h

A step is taken back and made shorter if e is above the tolerance, if contact begins in it (the next one ends there, by
the chord of the least gap), or if it is longer than a step of the scenario and an event comes in it. After that steps
do not grow for a while: ringing would refuse every second one.
Rows of the log are evaluated at states between begin and end, by the cubic through both with their rates, and leave
everything as it was: how often is logged changes nothing in a run.
"""

import math

from docksim.kernel.basis.clock import next_time, now, slack, step_length
from docksim.kernel.basis.coordinates import coordinate_rates
from docksim.kernel.contact.hooks import watch_hooks
from docksim.kernel.contact.record import LOOK, look_around
from docksim.kernel.mechanism.drives import take_back_drives
from docksim.kernel.mechanism.servos import aim_servos
from docksim.kernel.run.budget import log_budget
from docksim.kernel.run.events import event_at_hand
from docksim.kernel.run.integrators import begin, finish, keep_stage, move, stage, sum_stages
from docksim.kernel.run.log import log_row
from docksim.kernel.step import evaluate
from docksim.model import N_WORKS, RUNNING
from docksim.native.decorators import kernel, melted, pure

# the shortest step that is asked for, as a part of the scenario's
SHORTEST = 1.0 / 64.0
# surfaces nearer to each other than this touch already [m]
TOUCH = 1e-8
# pieces after a refusal in which steps do not grow
CALM = 8
SAFETY = 0.9
# steps that are longer or shorter by less are of the same length
SAME = 1e-6


@pure
def keep_begin(model, work):
    """Rates of the accumulators, and gaps, at the start of the step."""
    for j in range(N_WORKS):
        work.k_first[j] = work.power[j]
    for j in range(6):
        work.k_first[N_WORKS + j] = work.wrench[j]
    for k in range(model.shaft.size):
        for j in range(4):
            work.shaft[k].k_first[j] = work.shaft[k].power[j]
    for i in range(model.contact.size):
        work.contact[i].gap_start = work.contact[i].gap


@kernel
def look_and_evaluate(model, state, work):
    """At a state of the step's end; gaps are found as at the start of a step."""
    for i in range(model.contact.size):
        work.contact[i].look = LOOK * model.contact[i].margin
    evaluate(model, state, work)
    coordinate_rates(model, state, work)


@pure
def end_error(model, state, work, h):
    """The embedded estimate of all rates together [m/s, rad/s]: a scene that is turned as a whole has the same."""
    total = 0.0
    for j in range(state.beta.size):
        e = work.k_beta[3, j] - work.dof[j].beta_dot
        total += e * e
    for i in range(model.mechanism.size):
        e = work.mechanism[i].k_rate[3] - work.mechanism[i].move[2]
        total += e * e
    return 0.1 * h * math.sqrt(total)


@pure
def by_error(tolerance, error):
    """By how much a step may be longer."""
    # whatever is not finite is too much
    if not error < math.inf:
        return 0.2
    ratio = tolerance / max(error, 1e-9 * tolerance)
    return max(0.2, min(2.0, SAFETY * math.sqrt(math.sqrt(ratio))))


@pure
def untouched(model, work):
    """The part of the step before contact begins; 1 if it does not."""
    part = 1.0
    for i in range(model.contact.size):
        begin, end = work.contact[i].gap_start, work.contact[i].gap
        if begin > TOUCH and end < -TOUCH:
            # a hair inside, so that contact has begun there
            part = min(part, 0.5 if begin == math.inf else (begin + 0.5 * TOUCH) / (begin - end))
    return part


@kernel
def length_instead(model, state, work, h, error):
    """How long the step is to be [s]; h if it is let pass. Writes state.clock wish, calm."""
    settings = model.settings[0]
    clock = state.clock[0]
    if h > SHORTEST * settings.step * (1.0 + SAME) and (
        not error <= settings.tolerance or work.lost[0].status != RUNNING
    ):
        factor = min(by_error(settings.tolerance, error), SAFETY) if work.lost[0].status == RUNNING else 0.2
        clock.wish = max(factor * h, SHORTEST * settings.step)
        clock.calm = CALM
        return clock.wish
    part = untouched(model, work)
    if part < 1.0:
        return part * h
    if h > settings.step * (1.0 + SAME) and event_at_hand(model, state, work):
        return max(0.5 * h, settings.step)
    return h


@pure
def grow(model, state, h, error):
    """How long the next piece should be; one that was cut short says little. Writes state.clock wish, calm."""
    clock = state.clock[0]
    wanted = h * by_error(model.settings[0].tolerance, error)
    if clock.calm > 0:
        clock.calm -= 1
        wanted = min(wanted, max(h, clock.wish))
    clock.wish = max(wanted, clock.wish) if h < SAFETY * clock.wish else wanted
    clock.wish = max(clock.wish, SHORTEST * model.settings[0].step)


@melted
def shorten(model, state, work, time, h):
    """Back to the start of the step, which is to be h long. Leaves work at the state."""
    clock = state.clock[0]
    for j in range(state.beta.size):
        work.dof[j].u_now = 0.0
        state.beta[j] = work.beta_start[j]
    take_back_drives(model, state, work)
    move(model, state, work, time)
    clock.until = clock.since + h / model.settings[0].step
    aim_servos(model, state)
    work.lost[0].status = RUNNING
    look_and_evaluate(model, state, work)


# ---------------------------------------------------------------- rows between


@pure
def between(s, h, start, rate, end, end_rate):
    """The cubic through begin and end with their rates, at part s of a step of length h."""
    r = 1.0 - s
    return r * r * ((1.0 + 2.0 * s) * start + s * h * rate) + s * s * ((1.0 + 2.0 * r) * end - r * h * end_rate)


@pure
def remember_end(model, state, work):
    """State and rates of the end. Needs work at it. Writes work k_end, k_last, sums, mechanism at_end."""
    for j in range(state.beta.size):
        work.k_end[0, j] = work.dof[j].u_now
        work.k_end[1, j] = work.dof[j].u_dot
        work.k_end[2, j] = state.beta[j]
        work.k_end[3, j] = work.dof[j].beta_dot
    for i in range(model.mechanism.size):
        own = work.mechanism[i]
        own.at_end[0] = state.retraction[i].fraction
        own.at_end[1] = state.retraction[i].rate
        own.at_end[2] = own.move[1]
        own.at_end[3] = own.move[2]
    for i in range(model.contact.size):
        work.contact[i].gap_start = state.contact[i].clearance
    for j in range(N_WORKS):
        work.sums[j] = state.work_done[j]
        work.k_last[j] = work.power[j]
    for j in range(6):
        work.sums[N_WORKS + j] = state.impulse[j]
        work.k_last[N_WORKS + j] = work.wrench[j]
    for k in range(model.shaft.size):
        for j in range(4):
            work.shaft[k].sums[j] = state.shaft[k].work[j]
            work.shaft[k].k_last[j] = work.shaft[k].power[j]


@pure
def go_between(model, state, work, s, h):
    """The state at part s of the step. Writes state.beta, retraction, work.dof u_now."""
    for j in range(state.beta.size):
        work.dof[j].u_now = between(s, h, 0.0, work.k_u[0, j], work.k_end[0, j], work.k_end[1, j])
        state.beta[j] = between(s, h, work.beta_start[j], work.k_beta[0, j], work.k_end[2, j], work.k_end[3, j])
    for i in range(model.mechanism.size):
        if model.mechanism[i].drive_mass > 0.0:
            own = work.mechanism[i]
            end = own.at_end
            state.retraction[i].fraction = between(s, h, own.fraction_start, own.k_fraction[0], end[0], end[2])
            state.retraction[i].rate = between(s, h, own.rate_start, own.k_rate[0], end[1], end[3])


@pure
def sum_between(model, state, work, s, h):
    """Works and impulses up to part s of the step. Writes state.work_done, impulse, shaft work."""
    for j in range(N_WORKS):
        state.work_done[j] = work.sums[j] + between(s, h, 0.0, work.k_first[j], h * work.k_sum[j], work.k_last[j])
    for j in range(6):
        i = N_WORKS + j
        state.impulse[j] = work.sums[i] + between(s, h, 0.0, work.k_first[i], h * work.k_sum[i], work.k_last[i])
    for k in range(model.shaft.size):
        own = work.shaft[k]
        for j in range(4):
            state.shaft[k].work[j] = own.sums[j] + between(s, h, 0.0, own.k_first[j], h * own.k_sum[j], own.k_last[j])


@kernel
def log_between(model, state, work, log, h):
    """All rows from the start of the step up to its end, which it leaves as it was. Writes log."""
    clock = state.clock[0]
    every = clock.log_every
    here = now(state)
    length = clock.until - clock.since
    row = int(math.ceil((here - slack(state)) / every)) * every
    if row >= here + length - slack(state):
        return
    t, step = clock.t, clock.step
    remember_end(model, state, work)
    while row < here + length - slack(state):
        s = max((row - here) / length, 0.0)
        go_between(model, state, work, s, h)
        move(model, state, work, row * model.settings[0].step)
        look_around(model, state, work, True)
        evaluate(model, state, work)
        sum_between(model, state, work, s, h)
        log_budget(model, state, work)
        watch_hooks(model, state, work)
        shift_set_points(model, state, s * h)
        clock.step = row
        log_row(model, state, work, log)
        clock.step = step
        shift_set_points(model, state, -s * h)
        row += every
    forget_between(model, state, work)
    move(model, state, work, t)
    look_and_evaluate(model, state, work)


@pure
def shift_set_points(model, state, passed):
    """Set-points of continuous servos as they are so long after the start. Writes state.shaft."""
    for k in range(model.shaft.size):
        if model.shaft[k].sample_steps == 0:
            state.shaft[k].command += passed * state.shaft[k].command_rate


@pure
def forget_between(model, state, work):
    """Back to the end of the step."""
    for j in range(state.beta.size):
        work.dof[j].u_now = work.k_end[0, j]
        state.beta[j] = work.k_end[2, j]
    for i in range(model.mechanism.size):
        if model.mechanism[i].drive_mass > 0.0:
            state.retraction[i].fraction = work.mechanism[i].at_end[0]
            state.retraction[i].rate = work.mechanism[i].at_end[1]
    for i in range(model.contact.size):
        state.contact[i].clearance = work.contact[i].gap_start
    for j in range(N_WORKS):
        state.work_done[j] = work.sums[j]
    for j in range(6):
        state.impulse[j] = work.sums[N_WORKS + j]
    for k in range(model.shaft.size):
        for j in range(4):
            state.shaft[k].work[j] = work.shaft[k].sums[j]


@melted
def tolerant_rk4(model, state, work, log):
    """A step, or back to its start with a shorter one to be tried. Leaves work at the state if nothing else changes."""
    h = step_length(model, state)
    t = state.clock[0].t
    after = next_time(model, state)
    begin(model, state, work)
    coordinate_rates(model, state, work)
    keep_begin(model, work)
    keep_stage(model, state, work, 0, 1.0 / 6.0)
    stage(model, state, work, 1, 0.5 * h, t + 0.5 * h, 1.0 / 3.0)
    stage(model, state, work, 2, 0.5 * h, t + 0.5 * h, 1.0 / 3.0)
    stage(model, state, work, 3, h, after, 1.0 / 6.0)
    sum_stages(model, state, work, h)
    move(model, state, work, after)
    look_and_evaluate(model, state, work)
    error = end_error(model, state, work, h)
    instead = length_instead(model, state, work, h, error)
    if instead < h:
        shorten(model, state, work, t, instead)
    else:
        log_between(model, state, work, log, h)
        grow(model, state, h, error)
        finish(model, state, work, after)
        work.current[0] = 1

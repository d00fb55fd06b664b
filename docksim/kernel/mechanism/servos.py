"""Servos on shafts: position, velocity and torque loops, sampled or continuous, and admittance.

force = clip(kp (set - x) + kd (set' - x')), a velocity loop has the second term alone, a torque loop what it is told.
Where the motor pushes the way it moves, its limit falls with the rate to nothing at its speed limit. The set-point
starts where the coordinate is when the servo is switched on, and goes to the target no faster than the rate limit, or
along a path. A servo that follows
the mean measures its coordinate from the mean of the six legs. A continuous servo acts in every stage of a step, its
set-point moving linearly within the step. A sampled one measures at its sampling instants, needs one step to compute,
and holds its force until the next has been computed; with a delay the force waits so many samples more. Admittance
moves the set-point by m z'' + c z' + k z = force of the ring beyond a dead band, one semi-implicit Euler step a sample.
"""

import math

from docksim.algebra.vec3 import dot
from docksim.kernel.basis.clock import middle, now, piece_length
from docksim.kernel.basis.coordinates import prescribed_motion
from docksim.kernel.basis.devices import beyond, clipped
from docksim.kernel.basis.spatial import tail3
from docksim.kernel.mechanism.leg_share import lane3
from docksim.kernel.mechanism.ring import mechanism_leg_loads
from docksim.model.mechanism import EFFORT, MEAN, POSITION, VELOCITY
from docksim.native.decorators import kernel, pure


@kernel
def measured(model, work, k):
    """What the servo of a shaft sees: coordinate and rate, its own or against the mean. Reads work.shaft x rate."""
    shaft = work.shaft[k]
    if model.shaft[k].follows != MEAN:
        return shaft.x, shaft.rate
    mechanism = model.mechanism[model.shaft[k].mechanism]
    x = 0.0
    rate = 0.0
    for i in range(mechanism.first_leg, mechanism.first_leg + mechanism.n_legs):
        x += work.shaft[i].x
        rate += work.shaft[i].rate
    return shaft.x - x / mechanism.n_legs, shaft.rate - rate / mechanism.n_legs


@pure
def asked_force(own, x, rate, command, command_rate):
    """The law, without limits."""
    if own.mode == EFFORT:
        return own.target_force
    if own.mode == VELOCITY:
        return own.damping_gain * (clipped(own.target_rate, own.rate_limit) - rate)
    return own.stiffness_gain * (command - x) + own.damping_gain * (command_rate - rate)


@pure
def within_speed(constant, limit, force, rate):
    """What a motor of this largest force gives at a rate: less the faster it pushes along, nothing at its limit."""
    if constant.speed_limit < math.inf and force * rate > 0.0:
        limit *= max(0.0, 1.0 - abs(rate) / constant.speed_limit)
    return clipped(force, limit)


@kernel
def point_of_path(model, state, own):
    """Set-point that goes along a path, and its rate."""
    x, rate, _ = prescribed_motion(model, own, state.clock[0].t, middle(state) * model.settings[0].step)
    return x, rate


@kernel
def continuous_force(model, state, work, k):
    """What a continuous servo asks for at a stage of a step."""
    own = state.shaft[k]
    if own.on_path != 0:
        command, command_rate = point_of_path(model, state, own)
    else:
        passed = state.clock[0].t - now(state) * model.settings[0].step
        command = own.command + passed * own.command_rate
        command_rate = own.command_rate
    x, rate = measured(model, work, k)
    return asked_force(own, x, rate, command, command_rate)


@pure
def servo_force(model, state, work, k):
    """What the servo of a shaft gives, and writes what it asks for. A held force was limited when it was computed."""
    constant = model.shaft[k]
    own = state.shaft[k]
    rate = work.shaft[k].rate
    if constant.sample_steps > 0:
        return within_speed(constant, max(own.force_limit, abs(own.held)), own.held, rate)
    asked = continuous_force(model, state, work, k)
    allowed = within_speed(constant, own.force_limit, asked, rate)
    work.shaft[k].asked = asked
    work.shaft[k].allowed = allowed
    return allowed


@pure
def aim(own, period):
    """Where the set-point goes during a period: as near the target as the rate limit lets it, linearly."""
    own.command_rate = 0.0
    if own.mode != POSITION or own.on_path != 0:
        return
    if own.rate_limit * period < abs(own.target - own.command):
        own.command_rate = own.rate_limit if own.target > own.command else -own.rate_limit
    elif own.rate_limit < math.inf:
        own.command_rate = (own.target - own.command) / period
    else:
        own.command = own.target


@pure
def aim_servos(model, state):
    """Before a piece of a step: continuous servos know where their set-points go in it. Has any changed its way?"""
    changed = False
    for k in range(model.shaft.size):
        if state.shaft[k].servo_on != 0 and model.shaft[k].sample_steps == 0:
            command = state.shaft[k].command
            rate = state.shaft[k].command_rate
            aim(state.shaft[k], piece_length(model, state))
            if state.shaft[k].command != command or state.shaft[k].command_rate != rate:
                changed = True
    return changed


@kernel
def restart_servo(model, state, work, k):
    """Switched on or off: the set-point is where the coordinate is, nothing is held or on its way. Needs x."""
    own = state.shaft[k]
    own.command, _ = measured(model, work, k)
    own.command_rate = 0.0
    own.drive_start = state.clock[0].t
    own.drive_from = own.command
    own.held = 0.0
    own.pending = 0.0
    own.asked = 0.0
    own.allowed = 0.0
    own.yielding = 0.0
    own.yielding_rate = 0.0
    for i in range(model.shaft[k].delay_samples + 1):
        state.servo_queue[k, i] = 0.0


@pure
def sample_is_due(model, state, k):
    constant = model.shaft[k]
    on = state.shaft[k].servo_on != 0 and constant.sample_steps > 0
    return on and state.clock[0].since == 0.0 and state.clock[0].step % constant.sample_steps == 0


@pure
def measure_loads(model, state, work):
    """Loads of the legs, for the mechanisms where a servo is about to feel its leg. Writes work.leg load."""
    last = -1
    for k in range(model.leg.size):
        shaft = model.shaft[k]
        if shaft.mechanism != last and state.shaft[k].gives_way != 0 and sample_is_due(model, state, k):
            last = shaft.mechanism
            mechanism_leg_loads(model, state, work, last)


@kernel
def felt_force(model, work, k):
    """Force of the ring on leg k along its link, as it acts on the stroke or crank; positive lengthens."""
    leg = model.leg[k]
    block = work.block[leg.block]
    return -dot(lane3(block.axis, leg.lane), tail3(work.leg[k].load[2])) / block.gain[leg.lane]


@kernel
def give_way(constant, own, force, period):
    """One sample of the admittance. Writes own yielding, yielding_rate."""
    pull = beyond(force, constant.dead_band)
    pull -= constant.admittance_damping * own.yielding_rate + constant.admittance_stiffness * own.yielding
    own.yielding_rate += period * pull / constant.admittance_mass
    wanted = own.yielding + period * own.yielding_rate
    own.yielding = clipped(wanted, constant.travel_limit)
    if own.yielding != wanted:
        own.yielding_rate = 0.0


@kernel
def set_admittance(own, gives_way):
    """Switched on or off: the set-point stays where it has been pushed to, and comes back at its own rate."""
    own.gives_way = gives_way
    own.command += own.yielding
    own.yielding = 0.0
    own.yielding_rate = 0.0


@pure
def sample_servos(model, state, work):
    """Sampled servos that are due measure and compute; what they ask for acts from the next step on at the earliest.

    Needs work evaluated at the state. Writes state.shaft, servo_queue.
    """
    measure_loads(model, state, work)
    for k in range(model.shaft.size):
        if not sample_is_due(model, state, k):
            continue
        constant = model.shaft[k]
        own = state.shaft[k]
        period = constant.sample_steps * model.settings[0].step
        if own.gives_way != 0:
            give_way(constant, own, felt_force(model, work, k), period)
        own.command += period * own.command_rate
        aim(own, period)
        if own.on_path != 0:
            own.command, own.command_rate = point_of_path(model, state, own)
        x, rate = measured(model, work, k)
        command = own.command + own.yielding
        queue = state.servo_queue[k]
        own.asked = asked_force(own, x, rate, command, own.command_rate + own.yielding_rate)
        own.allowed = within_speed(constant, own.force_limit, own.asked, work.shaft[k].rate)
        queue[own.head] = own.allowed
        own.pending = queue[own.head]
        own.head = (own.head + 1) % (constant.delay_samples + 1)
        if constant.delay_samples > 0:
            own.pending = queue[own.head]


@pure
def finish_servo(constant, own, length, whole):
    """End of a piece: the set-point has moved; where the step ends, a newly computed force takes over."""
    if constant.sample_steps == 0:
        own.command += length * own.command_rate
    elif whole:
        own.held = own.pending


@kernel
def set_point(model, state, work, k):
    """For the log: the set-point, or the coordinate while nothing aims at one."""
    own = state.shaft[k]
    x, _ = measured(model, work, k)
    return x if own.servo_on == 0 or own.mode != POSITION else own.command + own.yielding

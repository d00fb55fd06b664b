"""What acts on shafts: springs, dampers, brakes, stops, motors, servos.

A shaft is one leg's stroke or crank angle, a coupling s = D p_a of six of them, or a coordinate of a joint. Forces are
positive where they lengthen (increase the coordinate). Springs are linear or piecewise linear, their energy is the
exact integral. Dampers are viscous, by table, or eddy-current brakes, F = 2 F_p s / (1 + s²) with s = v / v_p. Brakes
stick truly: the elastic bristle and the stops are those of the joints (module `devices`). The works of damper, brake,
stops and motor are booked for each shaft with the integrator's own weights, and in the run's totals. Where a joint's
motion is prescribed, or the joint is locked, spring and stops still store energy, which the drive gives; the rest does
not act.
"""

import math

from docksim.kernel.basis.clock import ends_whole, piece_length, step_length
from docksim.kernel.basis.devices import bristle_stretch, friction_sticks, stop_depth
from docksim.kernel.mechanism.couplings import actuated_coordinate, driven_rows, spread_forces
from docksim.kernel.mechanism.servos import finish_servo, point_of_path, restart_servo, servo_force, set_admittance
from docksim.model import W_DAMPING, W_DRIVES, W_FRICTION, W_MOTORS, W_STOPS
from docksim.model.mechanism import (
    BRAKE,
    DAMPER,
    MOTOR,
    POSITION,
    SET_ADMITTANCE,
    SET_DAMPING,
    SET_DAMPING_GAIN,
    SET_EDDY_PEAK,
    SET_ENABLED,
    SET_FORCE,
    SET_FORCE_LIMIT,
    SET_FRICTION,
    SET_MODE,
    SET_PATH,
    SET_RATE_LIMIT,
    SET_STIFFNESS_GAIN,
    SET_TARGET,
    SET_TARGET_FORCE,
    SET_TARGET_RATE,
    SHAFT_COORDINATE,
    SHAFT_RATE,
    STOPPER,
    VELOCITY,
)
from docksim.model.tree import DRIVEN, FORCED
from docksim.native.decorators import kernel, pure


@pure
def is_on_joint(constant):
    return constant.mechanism < 0


@pure
def read_shafts(model, state, work):
    """Coordinates and rates, and how the ring moves them. Needs the closure, state.shaft start. Writes work.shaft."""
    n = model.leg.size
    for k in range(n):
        leg = model.leg[k]
        x = actuated_coordinate(leg, work)
        if model.shaft[k].turns != 0:
            x -= 2.0 * math.pi * math.floor((x - state.shaft[k].start) / (2.0 * math.pi) + 0.5)
        work.shaft[k].x = x
        work.shaft[k].rate = work.block[leg.block].rate[leg.lane]
    if model.shaft.size > n:
        driven_rows(model, work)
    for i in range(n, model.shaft.size):
        if is_on_joint(model.shaft[i]):
            work.shaft[i].x = state.q[model.shaft[i].q]
            work.shaft[i].rate = state.beta[model.shaft[i].v]
            continue
        weight = model.shaft[i].weight
        first = model.mechanism[model.shaft[i].mechanism].first_leg
        x = 0.0
        rate = 0.0
        for k in range(6):
            x += weight[k] * work.shaft[first + k].x
            rate += weight[k] * work.shaft[first + k].rate
        work.shaft[i].x = x
        work.shaft[i].rate = rate


@kernel
def piece(knot, first, n, x):
    """Row of the piece that holds x; the outer ones go on for ever."""
    i = first
    while i < first + n - 1 and knot[i + 1].time <= x:
        i += 1
    return i


@pure
def spring_force(constant, knot, x):
    if constant.spring_n == 0:
        return -constant.stiffness * (x - constant.rest)
    i = piece(knot, constant.spring_first, constant.spring_n, x)
    return knot[i].c[0] + knot[i].c[1] * (x - knot[i].time)


@pure
def spring_energy(constant, knot, x):
    """Integral of the force that the spring is held with."""
    if constant.spring_n == 0:
        stretch = x - constant.rest
        return 0.5 * constant.stiffness * stretch * stretch
    i = piece(knot, constant.spring_first, constant.spring_n, x)
    d = x - knot[i].time
    return knot[i].c[2] - d * (knot[i].c[0] + 0.5 * d * knot[i].c[1])


@pure
def damper_force(constant, own, knot, rate):
    """Viscous damper, or table, and eddy-current brake together; against the motion."""
    force = own.damping * rate
    if constant.damper_n > 0:
        i = piece(knot, constant.damper_first, constant.damper_n, rate)
        force += knot[i].c[0] + knot[i].c[1] * (rate - knot[i].time)
    if own.eddy_peak > 0.0:
        s = rate / constant.eddy_rate
        force += 2.0 * own.eddy_peak * s / (1.0 + s * s)
    return -force


@pure
def brake_force(constant, own, u, sticks):
    """Force of the bristle after a displacement u from the step's start; of a spring, if it sticks through the step."""
    if own.friction > 0.0:
        stretch = own.bristle + u if sticks else bristle_stretch(constant, own.bristle, u)
        return -own.friction / constant.presliding * stretch
    return 0.0


@pure
def stop_force(constant, x, rate):
    """Force of the stop reached, never pulling, and the part of it that is not stored but lost."""
    depth = stop_depth(constant, x)
    if depth == 0.0:
        return 0.0, 0.0
    elastic = -constant.stop_stiffness * depth
    grip = 1.0 + constant.stop_damping * (rate if depth > 0.0 else -rate)
    if grip > 0.0:
        return elastic * grip, elastic * (grip - 1.0)
    return 0.0, -elastic


@pure
def shaft_law(model, state, work, k):
    """All forces on shaft k; returns the powers of damper, brake, stops, motor. Reads and writes work.shaft."""
    constant = model.shaft[k]
    own = state.shaft[k]
    out = work.shaft[k]
    x = out.x
    rate = out.rate
    out.spring = spring_force(constant, model.knot, x)
    out.damper = damper_force(constant, own, model.knot, rate)
    out.brake = brake_force(constant, own, x - own.start, out.sticks)
    out.stop, lost = stop_force(constant, x, rate)
    out.motor = own.force
    if own.servo_on != 0:
        out.motor += servo_force(model, state, work, k)
    else:
        out.asked = 0.0
        out.allowed = 0.0
    out.tau = out.spring + out.damper + out.brake + out.stop + out.motor
    power = (out.damper * rate, out.brake * rate, lost * rate, out.motor * rate)
    out.power[DAMPER], out.power[BRAKE], out.power[STOPPER], out.power[MOTOR] = power
    return power


@kernel
def passive_force(constant, own, knot, x, rate):
    """Of all devices but the servo on a joint's coordinate."""
    force = spring_force(constant, knot, x) + damper_force(constant, own, knot, rate)
    stop, _ = stop_force(constant, x, rate)
    return force + brake_force(constant, own, x - own.start, 0) + stop + own.force


@pure
def joint_law(model, state, work, k):
    """The same on a joint's coordinate, where devices act only while nothing prescribes its motion.

    Adds to work.dof tau K C.
    """
    dof = work.dof[model.shaft[k].v]
    mode = state.dof[model.shaft[k].v].mode
    own = state.shaft[k]
    out = work.shaft[k]
    if mode != FORCED:
        held_still(model.shaft[k], model.knot, out)
        if mode == DRIVEN:
            work.power[W_DRIVES] -= (out.spring + out.stop) * out.rate
        out.spring = 0.0
        out.stop = 0.0
        return 0.0, 0.0, 0.0, 0.0
    if own.friction > 0.0 and work.implicit[1] == 0.0:
        h = step_length(model, state)
        implicit = work.implicit[0] > 0.0
        constant = model.shaft[k]
        out.sticks = implicit and friction_sticks(own.friction, constant.presliding, own.bristle, dof, out.rate, h)
    power = shaft_law(model, state, work, k)
    dof.tau += out.tau
    if work.implicit[0] > 0.0 and work.implicit[1] == 0.0:
        add_tangent(model, state, out, dof, k)
    return power


@pure
def held_still(constant, knot, out):
    """Nothing acts; spring and elastic part of the stop are what a drive works against. Writes out."""
    out.spring = spring_force(constant, knot, out.x)
    out.stop = -constant.stop_stiffness * stop_depth(constant, out.x)
    out.damper = 0.0
    out.brake = 0.0
    out.motor = 0.0
    out.asked = 0.0
    out.allowed = 0.0
    out.tau = 0.0
    for j in range(4):
        out.power[j] = 0.0


@kernel
def add_tangent(model, state, out, dof, k):
    """Tangent stiffness and damping of what acts on a joint, for a linearly implicit step. Adds to dof K C."""
    constant = model.shaft[k]
    own = state.shaft[k]
    if constant.spring_n == 0:
        dof.K += constant.stiffness
    else:
        dof.K -= model.knot[piece(model.knot, constant.spring_first, constant.spring_n, out.x)].c[1]
    dof.C += own.damping
    if constant.damper_n > 0:
        dof.C += model.knot[piece(model.knot, constant.damper_first, constant.damper_n, out.rate)].c[1]
    if own.eddy_peak > 0.0:
        s = out.rate / constant.eddy_rate
        dof.C += max(0.0, 2.0 * own.eddy_peak / constant.eddy_rate * (1.0 - s * s) / ((1.0 + s * s) * (1.0 + s * s)))
    if own.friction > 0.0 and out.sticks:
        dof.K += own.friction / constant.presliding
    depth = stop_depth(constant, out.x)
    grip = 1.0 + constant.stop_damping * (out.rate if depth > 0.0 else -out.rate)
    if depth != 0.0 and grip > 0.0:
        dof.K += constant.stop_stiffness * grip
        dof.C += constant.stop_stiffness * abs(depth) * constant.stop_damping
    if own.servo_on != 0 and constant.sample_steps == 0 and out.allowed == out.asked:
        dof.K += own.stiffness_gain if own.mode == POSITION else 0.0
        dof.C += own.damping_gain if own.mode == POSITION or own.mode == VELOCITY else 0.0


@pure
def shaft_forces(model, state, work):
    """Every shaft's forces, on the legs' driven joints and on joints. Needs the closure, joint_forces.

    Writes work.shaft, block Q; adds to power, dof tau K C.
    """
    if model.shaft.size > 0:
        read_shafts(model, state, work)
        damper = 0.0
        brake = 0.0
        stop = 0.0
        motor = 0.0
        for k in range(model.shaft.size):
            if is_on_joint(model.shaft[k]):
                power = joint_law(model, state, work, k)
            else:
                power = shaft_law(model, state, work, k)
            damper += power[DAMPER]
            brake += power[BRAKE]
            stop += power[STOPPER]
            motor += power[MOTOR]
        work.power[W_DAMPING] += damper
        work.power[W_FRICTION] += brake
        work.power[W_STOPS] += stop
        work.power[W_MOTORS] += motor
        for i in range(model.mechanism.size):
            spread_forces(model, work, i)


@kernel
def stored_energy(model, work, k):
    """In the spring and the stops of shaft k. Reads work.shaft x."""
    constant = model.shaft[k]
    x = work.shaft[k].x
    depth = stop_depth(constant, x)
    return spring_energy(constant, model.knot, x) + 0.5 * constant.stop_stiffness * depth * depth


@pure
def settle_shafts(model, state, work):
    """At the start of a step: brakes keep their stretch, displacements count from here. Reads work.shaft x."""
    for k in range(model.shaft.size):
        settle_brake(model.shaft[k], state.shaft[k], work.shaft[k].x)
        if is_on_joint(model.shaft[k]) and state.dof[model.shaft[k].v].mode != FORCED:
            state.shaft[k].bristle = 0.0
        for j in range(4):
            work.shaft[k].k_sum[j] = 0.0


@pure
def settle_brake(constant, own, x):
    if own.friction > 0.0:
        own.bristle = bristle_stretch(constant, own.bristle, x - own.start)
    own.start = x


@pure
def keep_powers(model, work, weight):
    """One stage's share of the works. Adds to work.shaft k_sum."""
    for k in range(model.shaft.size):
        for j in range(4):
            work.shaft[k].k_sum[j] += weight * work.shaft[k].power[j]


@pure
def finish_shafts(model, state, work, h):
    """End of a step of length h, or of a part of it: works. Writes state.shaft."""
    for k in range(model.shaft.size):
        for j in range(4):
            state.shaft[k].work[j] += h * work.shaft[k].k_sum[j]


@pure
def finish_servos(model, state):
    """End of a piece of a step: set-points, forces that were computed in the step. Writes state.shaft."""
    whole = ends_whole(state)
    for k in range(model.shaft.size):
        own = state.shaft[k]
        finish_servo(model.shaft[k], own, piece_length(model, state), whole)
        if own.on_path != 0 and own.servo_on != 0 and model.shaft[k].sample_steps == 0:
            own.command, _ = point_of_path(model, state, own)


@kernel
def shaft_quantity(model, state, work, k, what):
    """Coordinate, rate or force of shaft k, for an event. Needs the closure."""
    read_shafts(model, state, work)
    if what == SHAFT_COORDINATE:
        return work.shaft[k].x
    if what == SHAFT_RATE:
        return work.shaft[k].rate
    if is_on_joint(model.shaft[k]) and state.dof[model.shaft[k].v].mode != FORCED:
        return 0.0
    shaft_law(model, state, work, k)
    return work.shaft[k].tau


@kernel
def set_friction(constant, own, x, level):
    """Another slip level; the force stays what it was, as far as the new level allows."""
    settle_brake(constant, own, x)
    force = own.friction * own.bristle
    own.friction = level
    own.bristle = 0.0
    if level > 0.0:
        own.bristle = min(max(force / level, -constant.presliding), constant.presliding)


@kernel
def set_shaft(model, state, work, k, what, value):
    """An event's new value for shaft k. Needs the closure. Writes state.shaft."""
    read_shafts(model, state, work)
    own = state.shaft[k]
    if what == SET_FORCE:
        own.force = value
    elif what == SET_FRICTION:
        set_friction(model.shaft[k], own, work.shaft[k].x, value)
    elif what == SET_DAMPING:
        own.damping = value
    elif what == SET_EDDY_PEAK:
        own.eddy_peak = value
    elif what == SET_STIFFNESS_GAIN:
        own.stiffness_gain = value
    elif what == SET_DAMPING_GAIN:
        own.damping_gain = value
    elif what == SET_TARGET:
        own.target = value
        own.on_path = 0
    elif what == SET_PATH:
        own.on_path = 1
        own.profile = int(value)
        own.drive_start = state.clock[0].t
        own.drive_from = own.command
    elif what == SET_TARGET_FORCE:
        own.target_force = value
    elif what == SET_TARGET_RATE:
        own.target_rate = value
    elif what == SET_RATE_LIMIT:
        own.rate_limit = value
    elif what == SET_FORCE_LIMIT:
        own.force_limit = value
    elif what == SET_MODE and own.mode != value:
        own.mode = int(value)
        restart_servo(model, state, work, k)
    elif what == SET_ENABLED and own.servo_on != value:
        own.servo_on = int(value)
        restart_servo(model, state, work, k)
    elif what == SET_ADMITTANCE:
        set_admittance(own, int(value))


@kernel
def restart_servos(model, state, work, joint):
    """A joint is released: its servos begin anew where it is. Needs the closure. Writes state.shaft, servo_queue."""
    for k in range(model.leg.size, model.shaft.size):
        if is_on_joint(model.shaft[k]) and joint.v <= model.shaft[k].v < joint.v + joint.nv:
            read_shafts(model, state, work)
            restart_servo(model, state, work, k)

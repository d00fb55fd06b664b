"""Has a held pair come to rest, and all that hangs on it? Then its loads change no more by themselves.

Settled is a pair that all its latches hold, if nothing moves faster than a given speed: no feature of one side against
the other, and no body's mass centre against the body it hangs on; if all set-points of servos have arrived, and no
mechanism is being brought in. A rotor that turns about its own axis may turn.
"""

import math

from docksim.algebra.vec3 import add, cross, dot, load3, sub
from docksim.kernel.contact.pairs import closing_bound
from docksim.kernel.mechanism.servos import point_of_path
from docksim.model.tree import DRIVEN
from docksim.native.decorators import kernel, pure


@pure
def speed_against(body, parent):
    """Speed of a body's mass centre against the material of another there. Needs poses and velocities."""
    p_HC = load3(body.p_HC)
    arm = add(sub(load3(body.p_WH), load3(parent.p_WH)), p_HC)
    own = add(load3(body.v_WH), cross(load3(body.w_WB), p_HC))
    v = sub(own, add(load3(parent.v_WH), cross(load3(parent.w_WB), arm)))
    return math.sqrt(dot(v, v))


@pure
def brought_in(model, state, i):
    """Is a mechanism's retraction under way?"""
    own = state.retraction[i]
    if model.mechanism[i].drive_mass > 0.0:
        return own.rate != 0.0
    return own.mode == DRIVEN and state.clock[0].t < own.drive_start + model.profile[own.profile].duration


@kernel
def set_point_moves(model, state, own):
    if own.on_path != 0:
        _, rate = point_of_path(model, state, own)
        return rate != 0.0
    return own.command_rate != 0.0


@kernel
def is_settled(model, state, work, i, speed):
    """Is everything slower than this, for a pair that is held? Needs poses and velocities."""
    pair = model.contact[i]
    if state.contact[i].engaged < pair.latches:
        return False
    if closing_bound(model, pair, work.body[pair.body_A], work.body[pair.body_B]) > speed:
        return False
    for k in range(1, model.body.size):
        parent = state.link[k].parent
        if parent > 0 and speed_against(work.body[k], work.body[parent]) > speed:
            return False
    for k in range(model.shaft.size):
        if state.shaft[k].servo_on != 0 and set_point_moves(model, state, state.shaft[k]):
            return False
    for i in range(model.mechanism.size):
        if brought_in(model, state, i):
            return False
    return True

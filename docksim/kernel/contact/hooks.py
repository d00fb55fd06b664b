"""Hooks close only where they can grip: how two ports stand to each other, and whether their hooks allow it.

What hooks need is checked on the port frames when they are told to close, before the impulse of the join: distances,
angles and speed, each against its bound. The ports are one from then on. How hooks with a count then pull is the matter
of `docksim.kernel.contact.joined`.
"""

import math

from docksim.algebra.elementary import atan2
from docksim.algebra.vec3 import add, cross, dot, load3, load9, mat_mat, mat_t_vec, sub, transpose
from docksim.kernel.basis.devices import point_on
from docksim.kernel.contact.joined import begin_closing
from docksim.model import MISALIGNED
from docksim.model.hooks import TOO_DEEP, TOO_FAR, TOO_FAST, TOO_ROLLED, TOO_TILTED, TOO_WIDE
from docksim.native.decorators import kernel


@kernel
def port_stand(model, work, i):
    """How two ports stand: axial, lateral, tilt, roll, speed and rate as in `docksim.model.hooks`. Needs motion."""
    a = model.marker[model.hooks[i].active]
    p = model.marker[model.hooks[i].passive]
    A = work.body[a.body]
    P = work.body[p.body]
    R_P = mat_mat(load9(P.R_WB), load9(p.R_BP))
    arm_A, x_A = point_on(A, a.p_BP)
    arm_P, x_P = point_on(P, p.p_BP)
    # where the active port is, and how it is turned
    way = sub(x_A, x_P)
    d = mat_t_vec(R_P, way)
    R = mat_mat(transpose(R_P), mat_mat(load9(A.R_WB), load9(a.R_BP)))
    # half a turn about the passive port's z faces the comer: the active port's x is then along x, its roll about it
    tilt = atan2(math.sqrt(R[3] * R[3] + R[6] * R[6]), -R[0])
    roll = atan2(R[7], R[8])
    # velocity of the active port's origin as seen from the passive port
    v_A = add(load3(A.v_WH), cross(load3(A.w_WB), arm_A))
    v_P = add(load3(P.v_WH), cross(load3(P.w_WB), arm_P))
    v = sub(sub(v_A, v_P), cross(load3(P.w_WB), way))
    w = sub(load3(A.w_WB), load3(P.w_WB))
    return d[0], math.sqrt(d[1] * d[1] + d[2] * d[2]), tilt, roll, math.sqrt(dot(v, v)), math.sqrt(dot(w, w))


@kernel
def beyond_reach(hooks, stand):
    """What keeps hooks from closing, as a sum of bits; 0 if nothing does."""
    axial, lateral, tilt, roll, speed, _ = stand
    beyond = 0
    if hooks.given != 0:
        beyond += TOO_FAR if axial > hooks.reach else 0
        beyond += TOO_DEEP if axial < -hooks.overlap else 0
        beyond += TOO_WIDE if lateral > hooks.window else 0
        beyond += TOO_TILTED if tilt > hooks.tilt else 0
        beyond += TOO_ROLLED if abs(roll) > hooks.roll else 0
        beyond += TOO_FAST if speed > hooks.speed else 0
    return beyond


@kernel
def note_stand(own, stand):
    """Writes own.stand."""
    for k in range(len(stand)):
        own.stand[k] = stand[k]


@kernel
def close_hooks(model, state, work, i):
    """Can the hooks of two ports close now? If not, the run ends. Writes state.hooks, clock status."""
    own = state.hooks[i]
    stand = port_stand(model, work, i)
    note_stand(own, stand)
    own.tried = state.clock[0].t
    own.beyond = beyond_reach(model.hooks[i], stand)
    if own.beyond != 0:
        state.clock[0].status = MISALIGNED
    else:
        own.joined = own.tried if own.joined < 0.0 else own.joined
        begin_closing(model, state, work, i)
    return own.beyond == 0


@kernel
def watch_hooks(model, state, work):
    """How ports stand that no join has been tried on yet. Writes state.hooks stand."""
    for i in range(model.hooks.size):
        if state.hooks[i].tried < 0.0:
            note_stand(state.hooks[i], port_stand(model, work, i))

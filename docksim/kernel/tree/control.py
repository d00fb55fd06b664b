"""Attitude hold: a sampled proportional-derivative law with dead band, torque limit and delay, by jets or wheels.

At each sample the demand on each body axis is s = K e + C (w - w_target); within K times the dead band it is zero,
beyond it is counted from the band's edge; the torque is -s, limited. It acts a whole number of samples later and is
held until the next. Jets act on the vehicle from outside; wheels are bodies of the tree and get the demand through
their motors, shared by the pseudo-inverse of their axes, so momentum passes between wheel and vehicle exactly.
Inhibited, all goes on but nothing acts; off, nothing is sampled, and nothing waits. The target stands still or slews,
in W or on the axes of another vehicle's port.
"""

from docksim.algebra.quat import load4, mat_to_quat, quat_conj, quat_exp, quat_log, quat_mul, quat_to_mat
from docksim.algebra.vec3 import add, dot, load3, load9, mat_mat, mat_t_vec, mat_vec, scale, store3, sub
from docksim.kernel.basis.coordinates import smooth_move
from docksim.kernel.basis.devices import beyond, clipped
from docksim.kernel.tree.environment import count_external
from docksim.model import W_CONTROL
from docksim.model.events import HOLD_OFF, HOLD_ON, JETS
from docksim.native.decorators import kernel, pure


@kernel
def attitude_target(model, work, law, t):
    """Target attitude in W, and its rate on its own axes."""
    q = load4(law.q_target)
    w = (0.0, 0.0, 0.0)
    if law.slew_duration > 0.0:
        s, s1, _ = smooth_move((t - law.slew_start) / law.slew_duration)
        slew = load3(law.slew)
        q = quat_mul(q, quat_exp(scale(s, slew)))
        w = scale(s1 / law.slew_duration, slew)
    if law.target >= 0:
        marker = model.marker[law.target]
        carrier = work.body[marker.body]
        q = quat_mul(mat_to_quat(mat_mat(load9(carrier.R_WB), load9(marker.R_BP))), q)
        w = add(w, mat_t_vec(quat_to_mat(q), sub(load3(carrier.w_WB), load3(work.body[0].w_WB))))
    return q, w


@kernel
def hold_error(model, work, law, t):
    """Rotation vector and rate of the base against its target, body axes."""
    q_target, w_target = attitude_target(model, work, law, t)
    body = work.body[law.body]
    R = load9(body.R_WB)
    error = quat_log(quat_mul(quat_conj(q_target), mat_to_quat(R)))
    return error, sub(mat_t_vec(R, sub(load3(body.w_WB), load3(work.body[0].w_WB))), w_target)


@kernel
def hold_torque(model, work, law, t):
    """Torque demand on body axes."""
    error, rate = hold_error(model, work, law, t)
    x = beyond(law.stiffness[0] * error[0] + law.damping[0] * rate[0], law.stiffness[0] * law.dead_band)
    y = beyond(law.stiffness[1] * error[1] + law.damping[1] * rate[1], law.stiffness[1] * law.dead_band)
    z = beyond(law.stiffness[2] * error[2] + law.damping[2] * rate[2], law.stiffness[2] * law.dead_band)
    return clipped(-x, law.limit[0]), clipped(-y, law.limit[1]), clipped(-z, law.limit[2])


@pure
def is_sample(state, law):
    """Samples are taken at the starts of whole steps."""
    return state.clock[0].since == 0.0 and state.clock[0].step % law.sample_steps == 0


@pure
def control_is_due(model, state):
    for i in range(model.hold.size):
        if is_sample(state, model.hold[i]):
            return True
    return False


@kernel
def command_wheels(model, state, i):
    """The motors of the wheels share the torque that is due, if it is to act. Writes state.dof torque."""
    law = model.hold[i]
    own = state.hold[i]
    torque = load3(own.torque) if own.mode == HOLD_ON else (0.0, 0.0, 0.0)
    for k in range(law.first_wheel, law.first_wheel + law.n_wheels):
        wheel = model.wheel[k]
        state.dof[wheel.v].torque = clipped(-dot(load3(wheel.share), torque), wheel.limit)


@kernel
def switch_hold(model, state, i, mode):
    """A new mode, from now on; what is off forgets the torque that acts and those on their way. Writes state.hold."""
    own = state.hold[i]
    own.mode = mode
    if mode == HOLD_OFF:
        store3(own.torque, (0.0, 0.0, 0.0))
        for k in range(model.hold[i].delay_samples + 1):
            store3(state.hold_buffer[i][k], (0.0, 0.0, 0.0))
    command_wheels(model, state, i)


@kernel
def sample_control(model, state, work):
    """At a sample: measure, put the demand in the queue, take out the one that is due. Needs body poses and rates."""
    for i in range(model.hold.size):
        law = model.hold[i]
        own = state.hold[i]
        if own.mode == HOLD_OFF or not is_sample(state, law):
            continue
        demand = hold_torque(model, work, law, state.clock[0].t)
        length = law.delay_samples + 1
        queue = state.hold_buffer[i]
        store3(queue[own.head], demand)
        own.head = (own.head + 1) % length
        store3(own.torque, load3(queue[own.head]) if law.delay_samples > 0 else demand)
        command_wheels(model, state, i)


@pure
def control_forces(model, state, work):
    """Torque of the jets, held since the last sample. Adds to work.body f."""
    for i in range(model.hold.size):
        law = model.hold[i]
        if law.actuator == JETS and state.hold[i].mode == HOLD_ON:
            body = work.body[law.body]
            torque = mat_vec(load9(body.R_WB), load3(state.hold[i].torque))
            count_external(work, body, torque, (0.0, 0.0, 0.0), W_CONTROL)

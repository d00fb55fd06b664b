"""One row of the log: state and forces of one instant, extremes since the last. Fields as in `docksim.model.log`."""

import math

from docksim.algebra.quat import load4, mat_to_quat, quat_log
from docksim.algebra.vec3 import add, cross, load3, load9, mat_t_vec, mat_vec, scale, store3, sub
from docksim.kernel.basis.coordinates import ball_offset
from docksim.kernel.basis.spatial import tail3
from docksim.kernel.contact.parting import pressure, tie_pose, tie_push
from docksim.kernel.contact.record import log_contacts
from docksim.kernel.mechanism.drives import load_along
from docksim.kernel.mechanism.ring import mechanism_leg_loads
from docksim.kernel.mechanism.servos import set_point
from docksim.kernel.mechanism.shafts import stored_energy
from docksim.kernel.run.extremes import begin_band
from docksim.kernel.tree.control import hold_error
from docksim.kernel.tree.passes import joint_wrench
from docksim.model import N_WORKS
from docksim.model.events import HOLD_ON, ON_BODY_AXES
from docksim.model.extremes import SINCE_ROW
from docksim.model.programs import PROGRAM_OFF
from docksim.native.decorators import kernel


@kernel
def log_head(state, row):
    """Clock, energies, works, momenta; the budget is that of this step."""
    row.time = state.clock[0].t
    row.phase = state.clock[0].phase
    budget = state.budget[0]
    row.kinetic = budget.kinetic
    row.potential = budget.potential
    for i in range(N_WORKS):
        row.work[i] = state.work_done[i]
    store3(row.angular_momentum, load3(budget.angular_momentum))
    store3(row.linear_momentum, load3(budget.linear_momentum))
    store3(row.angular_impulse, load3(state.impulse))
    store3(row.linear_impulse, tail3(state.impulse))
    row.angular_traffic = budget.angular_traffic
    row.linear_traffic = budget.linear_traffic


@kernel
def log_body(body, world, row):
    """Motion of the body frame's origin on W axes (against W), rates on body axes."""
    R = load9(body.R_WB)
    w = load3(body.w_WB)
    w_world = load3(world.w_WB)
    acc_w = load3(body.A_WH)
    arm = scale(-1.0, mat_vec(R, load3(body.p_BH)))
    r = add(load3(body.p_WH), arm)
    v = add(load3(body.v_WH), cross(w, arm))
    a = add(add(tail3(body.A_WH), cross(acc_w, arm)), cross(w, cross(w, arm)))
    # from axes that do not turn to those of W
    v_rel = sub(v, cross(w_world, r))
    a_rel = sub(sub(a, scale(2.0, cross(w_world, v_rel))), cross(w_world, cross(w_world, r)))
    acc_rel = sub(acc_w, cross(w_world, sub(w, w_world)))
    store3(row.position, r)
    row.quaternion[0], row.quaternion[1], row.quaternion[2], row.quaternion[3] = mat_to_quat(R)
    store3(row.velocity, v_rel)
    store3(row.rate, mat_t_vec(R, sub(w, w_world)))
    store3(row.acceleration, a_rel)
    store3(row.angular_acceleration, mat_t_vec(R, acc_rel))


@kernel
def log_joint(state, work, joint, rows):
    """Coordinates (ball: rotation vector), rates, generalised forces of one joint."""
    ball = ball_offset(joint)
    first = joint.v
    if ball >= 0:
        u = quat_log(load4(state.q[ball : ball + 4]))
        for i in range(3):
            rows[first + i].coordinate = u[i]
        for i in range(joint.nv - 3):
            rows[first + 3 + i].coordinate = state.q[joint.q + i]
    else:
        for i in range(joint.nv):
            rows[first + i].coordinate = state.q[joint.q + i]
    for j in range(first, first + joint.nv):
        rows[j].rate = state.beta[j]
        rows[j].force = work.dof[j].tau


@kernel
def log_legs(model, state, work, i, rows):
    """The wrenches on B axes in each leg of mechanism i, and its base joint."""
    constant = model.mechanism[i]
    mechanism_leg_loads(model, state, work, i)
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        row = rows[k]
        for j in range(3):
            for c in range(3):
                row.moment[j, c] = work.leg[k].load[j, c]
                row.force[j, c] = work.leg[k].load[j, 3 + c]
        store3(row.base_joint, load3(work.leg[k].l_0))


@kernel
def log_retraction(model, work, i, row):
    """Part of their way that the base joints of mechanism i have made, its rate, what moves them. Needs leg loads."""
    row.fraction, row.rate, _ = load3(work.mechanism[i].move)
    row.force = load_along(model, work, i)


@kernel
def log_shaft(model, state, work, k, row):
    """Coordinate, rate, forces by device, stored energy, works, set-point of shaft k."""
    out = work.shaft[k]
    row.coordinate = out.x
    row.rate = out.rate
    row.force = out.tau
    row.spring = out.spring
    row.damper = out.damper
    row.brake = out.brake
    row.stop = out.stop
    row.motor = out.motor
    row.stored = stored_energy(model, work, k)
    row.damper_work, row.brake_work, row.stop_work, row.motor_work = load4(state.shaft[k].work)
    row.set_point = set_point(model, state, work, k)
    sampled = model.shaft[k].sample_steps > 0
    row.asked = state.shaft[k].asked if sampled else out.asked
    row.allowed = state.shaft[k].allowed if sampled else out.allowed
    # of several rows within a step only the first has the end of the step before
    least, largest = state.extreme_shaft[k].least_force[SINCE_ROW], state.extreme_shaft[k].largest_force[SINCE_ROW]
    row.least_force = least if least <= largest else out.tau
    row.largest_force = largest if least <= largest else out.tau


@kernel
def log_program(own, row):
    """Whether a program acts, and how far the hand is off."""
    row.on = 1.0 if own.on != PROGRAM_OFF else 0.0
    row.rank = own.rank
    for m in range(6):
        row.f[m] = own.f[m] if own.on != PROGRAM_OFF else 0.0


@kernel
def log_learning(model, state, log, n):
    """Errors of joints under adaptive programs, and what is believed of their links."""
    for i in range(model.program.size):
        constant = model.program[i]
        on = state.program[i].on != PROGRAM_OFF
        for k in range(constant.first_link, constant.first_link + constant.adaptive * constant.n_joints):
            log.arm_link[n, k].error = state.arm_link[k].error if on else 0.0
    for k in range(model.figure.size):
        log.learnt[n, k].value = state.learnt[k].value


@kernel
def log_largest(loads, rows, first):
    """Sizes of loads since the last row, from `first` on; returns the place after them."""
    for i in range(loads.size):
        rows[first + i].moment = math.sqrt(loads[i].moment[SINCE_ROW])
        rows[first + i].force = math.sqrt(loads[i].force[SINCE_ROW])
    return first + loads.size


@kernel
def log_parting(model, state, work, i, row, ties):
    """Gap of two ports that part, and what acts between them."""
    parting = model.parting[i]
    A = work.body[parting.body_A]
    B = work.body[parting.body_B]
    live = state.parting[i].live
    row.gap, _, _, _ = tie_pose(parting, A, B, parting.p_bB)
    row.pressure = live * parting.area * pressure(model, state.parting[i], parting.vented, state.clock[0].t, row.gap)
    for k in range(parting.first_tie, parting.first_tie + parting.n_ties):
        distance, _, _, _ = tie_pose(parting, A, B, model.tie[k].p)
        force, _ = tie_push(model.tie[k], state.tie[k], distance)
        ties[k].force = live * force


@kernel
def log_joints(state, log, n):
    """Joints that hooks make, and their hooks, in row n."""
    for i in range(state.joined.size):
        own = state.joined[i]
        row = log.joined[n, i]
        store3(row.force, load3(own.force))
        store3(row.moment, load3(own.moment))
        row.gap = own.x[0]
        row.widest = own.widest
        row.face_least_force = own.face_least
        row.face_sum = own.face_sum
        row.seal = own.seal
        row.seal_compression = own.seal_least
        row.rods = own.rods
        row.torque = own.torque
        row.cam_work = own.cam_work
        row.load_work = own.load_work
        row.stored = own.stored
        row.slip_margin = own.slip_margin
        row.pressure[0] = own.pressure[0]
        row.pressure[1] = own.pressure[1]
    for k in range(state.hook.size):
        log.hook[n, k].force = state.hook[k].force
        log.hook[n, k].cam = state.hook[k].cam
        log.hook[n, k].engaged = state.hook[k].engaged


@kernel
def log_closure(own, row):
    """What a closure carries, and how far its ends are off."""
    row.on = own.on
    store3(row.moment, load3(own.moment))
    store3(row.force, load3(own.force))
    row.gap = own.gap
    row.turn = own.turn
    row.gap_rate = own.gap_rate
    row.turn_rate = own.turn_rate


@kernel
def log_control(model, state, work, log, n):
    """What thrusters, given loads, attitude holds and wrenches from outside do, in row n."""
    t = state.clock[0].t
    for i in range(model.load.size):
        own = state.load[i]
        step = model.settings[0].step
        log.load_on[n, i].on = own.on
        log.load_on[n, i].spent = own.spent * step + own.on * (t - own.since * step)
    for i in range(model.hold.size):
        row = log.hold[n, i]
        error, _ = hold_error(model, work, model.hold[i], t)
        row.mode = state.hold[i].mode
        store3(row.error, error)
        store3(row.torque, load3(state.hold[i].torque) if state.hold[i].mode == HOLD_ON else (0.0, 0.0, 0.0))
    for i in range(state.external.size):
        given = state.external[i]
        if given.marker >= 0:
            R = load9(work.body[given.body].R_WB)
            row = log.external[n, given.marker]
            on_body = given.axes == ON_BODY_AXES
            store3(row.force, mat_vec(R, load3(given.force)) if on_body else load3(given.force))
            store3(row.torque, mat_vec(R, load3(given.torque)) if on_body else load3(given.torque))


@kernel
def log_row(model, state, work, log):
    """Append a row; a log takes no more than it has room for. Needs work, budget and extremes at the state."""
    n = log.rows[0]
    if n >= log.head.size:
        return
    log.rows[0] = n + 1
    log_head(state, log.head[n])
    for k in range(1, model.body.size):
        log_body(work.body[k], work.body[0], log.body[n, k - 1])
    for i in range(model.joint.size):
        log_joint(state, work, model.joint[i], log.dof[n])
    for i in range(model.mechanism.size):
        log_legs(model, state, work, i, log.leg[n])
        log_retraction(model, work, i, log.retraction[n, i])
    for k in range(model.shaft.size):
        log_shaft(model, state, work, k, log.shaft[n, k])
    for i in range(model.program.size):
        log_program(state.program[i], log.program[n, i])
    log_learning(model, state, log, n)
    log_contacts(model, state, work, log, n)
    for i in range(model.parting.size):
        log_parting(model, state, work, i, log.parting[n, i], log.tie[n])
    log_joints(state, log, n)
    for i in range(log.closure.shape[1]):
        log_closure(state.closure[i], log.closure[n, i])
    log_control(model, state, work, log, n)
    place = log_largest(state.extreme_hung, log.largest[n], 0)
    place = log_largest(state.extreme_weld, log.largest[n], place)
    log_largest(state.extreme_base, log.largest[n], place)
    if model.settings[0].log_loads:
        for k in range(1, model.body.size):
            n_k, f_k = joint_wrench(work.body[k])
            R = load9(work.body[k].R_WB)
            row = log.load[n, k - 1]
            store3(row.moment, mat_t_vec(R, n_k))
            store3(row.force, mat_t_vec(R, f_k))
    if state.clock[0].step % state.clock[0].band_every == 0:
        begin_band(state)

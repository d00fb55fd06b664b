"""One row of the log: state and forces of the same instant. Columns as in `docksim.model.LOG_*`."""

from docksim.algebra.quat import load4, mat_to_quat, quat_log
from docksim.algebra.vec3 import add, cross, load3, load9, mat_t_vec, mat_vec, scale, store3, sub
from docksim.kernel.contact_record import log_contacts
from docksim.kernel.coordinates import ball_offset
from docksim.kernel.energy import kinetic_energy, momentum_traffic, potential_energy, total_momentum
from docksim.kernel.ring import leg_details, mechanism_leg_loads
from docksim.kernel.servos import set_point
from docksim.kernel.shafts import stored_energy
from docksim.kernel.spatial import tail3
from docksim.kernel.tree import joint_wrench
from docksim.model import N_WORKS
from docksim.model.log import LOG_BODY, LOG_CONTACT, LOG_DOF, LOG_HEAD, LOG_LEG, LOG_LOAD, LOG_SHAFT
from docksim.native.decorators import kernel, pure


@kernel
def log_head(model, state, work, row):
    """Clock, energies, works, momenta."""
    row[0] = state.clock[0].t
    row[1] = state.clock[0].phase
    row[2] = kinetic_energy(model, state, work)
    row[3] = potential_energy(model, state, work)
    for i in range(N_WORKS):
        row[4 + i] = state.work_done[i]
    h, p = total_momentum(model, state, work)
    store3(row[4 + N_WORKS :], h)
    store3(row[7 + N_WORKS :], p)
    for i in range(6):
        row[10 + N_WORKS + i] = state.impulse[i]
    row[16 + N_WORKS], row[17 + N_WORKS] = momentum_traffic(model, state, work)


@kernel
def log_body(body, world, row):
    """Motion of the body frame's origin on W axes (against W), rates on body axes."""
    R = load9(body.R)
    w = load3(body.w)
    w_world = load3(world.w)
    acc_w = load3(body.acc)
    arm = scale(-1.0, mat_vec(R, load3(body.o)))
    r = add(load3(body.r), arm)
    v = add(load3(body.v), cross(w, arm))
    a = add(add(tail3(body.acc), cross(acc_w, arm)), cross(w, cross(w, arm)))
    # from axes that do not turn to those of W
    v_rel = sub(v, cross(w_world, r))
    a_rel = sub(sub(a, scale(2.0, cross(w_world, v_rel))), cross(w_world, cross(w_world, r)))
    acc_rel = sub(acc_w, cross(w_world, sub(w, w_world)))
    store3(row, r)
    row[3], row[4], row[5], row[6] = mat_to_quat(R)
    store3(row[7:], v_rel)
    store3(row[10:], mat_t_vec(R, sub(w, w_world)))
    store3(row[13:], a_rel)
    store3(row[16:], mat_t_vec(R, acc_rel))


@kernel
def log_joint(state, work, joint, rows):
    """Coordinates (ball: rotation vector), rates, generalised forces of one joint."""
    ball = ball_offset(joint)
    first = joint.v
    if ball >= 0:
        u = quat_log(load4(state.q[ball : ball + 4]))
        for i in range(3):
            rows[(first + i) * LOG_DOF] = u[i]
        for i in range(joint.nv - 3):
            rows[(first + 3 + i) * LOG_DOF] = state.q[joint.q + i]
    else:
        for i in range(joint.nv):
            rows[(first + i) * LOG_DOF] = state.q[joint.q + i]
    for j in range(first, first + joint.nv):
        rows[j * LOG_DOF + 1] = state.beta[j]
        rows[j * LOG_DOF + 2] = work.dof[j].tau


@kernel
def log_legs(model, state, work, i, rows):
    """The wrenches on B axes in each leg of mechanism i, and its base joint."""
    constant = model.mechanism[i]
    mechanism_leg_loads(model, state, work, i)
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        row = rows[k * LOG_LEG :]
        for j in range(3):
            for c in range(6):
                row[6 * j + c] = work.leg[k].load[j, c]
        store3(row[18:], load3(work.leg[k].l_0))


@kernel
def log_shaft(model, state, work, k, row):
    """Coordinate, rate, forces by device, stored energy, works, set-point of shaft k."""
    out = work.shaft[k]
    row[0] = out.x
    row[1] = out.rate
    row[2] = out.tau
    row[3] = out.spring
    row[4] = out.damper
    row[5] = out.brake
    row[6] = out.stop
    row[7] = out.motor
    row[8] = stored_energy(model, work, k)
    for j in range(4):
        row[9 + j] = state.shaft[k].work[j]
    row[13] = set_point(model, state, work, k)


@pure
def contacts_width(model):
    rows = model.contact_row.size if model.settings[0].log_rows else 0
    return model.contact.size * LOG_CONTACT + model.latch.size + rows


@kernel
def log_row(model, state, work, log):
    """Append a row; the log has room for the whole run. Needs work evaluated at the state."""
    n = log.rows[0]
    row = log.data[n]
    log.rows[0] = n + 1
    leg_details(model, state, work)
    log_head(model, state, work, row)
    bodies = row[LOG_HEAD:]
    for k in range(1, model.body.size):
        log_body(work.body[k], work.body[0], bodies[(k - 1) * LOG_BODY :])
    dofs = bodies[(model.body.size - 1) * LOG_BODY :]
    for i in range(model.joint.size):
        log_joint(state, work, model.joint[i], dofs)
    legs = dofs[model.dof.size * LOG_DOF :]
    for i in range(model.mechanism.size):
        log_legs(model, state, work, i, legs)
    shafts = legs[model.leg.size * LOG_LEG :]
    for k in range(model.shaft.size):
        log_shaft(model, state, work, k, shafts[k * LOG_SHAFT :])
    contacts = shafts[model.shaft.size * LOG_SHAFT :]
    log_contacts(model, state, work, contacts)
    if model.settings[0].log_loads:
        loads = contacts[contacts_width(model) :]
        for k in range(1, model.body.size):
            n_k, f_k = joint_wrench(work.body[k])
            R = load9(work.body[k].R)
            store3(loads[(k - 1) * LOG_LOAD :], mat_t_vec(R, n_k))
            store3(loads[(k - 1) * LOG_LOAD + 3 :], mat_t_vec(R, f_k))

"""Adaptive control of an arm on a tree: joints follow paths, and what the links weigh is learnt (Slotine, Li 1987).

With e = q - q_d, the gains l, K, G, and the base, whose motion is measured, as a part that nothing is asked of:

    s = e' + l e        v = q' - s        a = v'        Q = Y(q, q', v, a) p - K s        p' = -G Y' s

Y p is the torque of a chain of links whose velocities are mixed: in every product of two of them one is that of the
motion and one that of v, by halves, which is the C of Christoffel's symbols. The base takes part with its own motion in
both. So V = s'A s / 2 + (p - p_true)' G^-1 (p - p_true) / 2 falls, V' = -s'K s, whatever floats. A is the joints' part
of the mass matrix.

The base's acceleration depends on the torques, and is what they make it: with b what it is without them and R what unit
torques of the motors add, both by passes of the tree, m = Q(b + R m) is solved for. p are the figures of the links that
joints on a moving base can feel: seven for a turn, four for a slide. What springs, dampers, friction and stops of the
joints do is known, and made up for.

The law is sampled. A sample of length h first learns, with the base's acceleration as it is measured then, and then
asks: p loses h G Y' s / (1 + h^2 tr(B Y G Y')), with B the joints' accelerations under unit torques, so that what would
be learnt too fast for the sampling is learnt more slowly. On a base that is light beside its arm wrong masses can make
m = Q(b + R m) unsolvable: Q = Q_0 + Q_b a is linear in the base's acceleration a, 1 - Q_b R has a determinant of at
least 1 for the true masses, and a sample that would take it below a tenth of what it was at the begin learns nothing.
"""

from docksim.algebra.elementary import cos, sin
from docksim.algebra.vec3 import (
    ZERO,
    add,
    axpy,
    cross,
    dot,
    load3,
    load9,
    mat_mat,
    mat_vec,
    scale,
    store3,
    store9,
)
from docksim.kernel.basis.clock import middle
from docksim.kernel.basis.coordinates import prescribed_motion
from docksim.kernel.basis.devices import point_on, scalar_joint_force
from docksim.kernel.basis.spatial import tail3
from docksim.kernel.mechanism.shafts import passive_force
from docksim.model.programs import PROGRAM_ON, S_M, S_X, S_XX, S_XY, S_XZ, S_ZZ
from docksim.native.decorators import kernel, pure

LEAST = 0.1  # of the determinant at the begin


@kernel
def begin_paths(model, state, i):
    """The joints' paths begin where the joints are, with what is known of the links. Writes state.program, arm_link,
    learnt.
    """
    constant = model.program[i]
    for k in range(constant.n_joints):
        own = state.arm_link[constant.first_link + k]
        own.drive_start = state.clock[0].t
        own.drive_from = state.q[model.program_joint[constant.first_joint + k].q]
    for m in range(constant.first_figure, constant.first_figure + constant.n_figures):
        state.learnt[m].value = model.figure[m].value
    state.program[i].on = PROGRAM_ON
    state.program[i].start = state.clock[0].t
    state.program[i].solvable = 0.0


@kernel
def follow_paths(model, state, work, i):
    """Errors, s, and the motion that the law would have. Writes state.arm_link error s, work.arm_link."""
    constant = model.program[i]
    t = state.clock[0].t
    for k in range(constant.n_joints):
        joint = model.program_joint[constant.first_joint + k]
        own = state.arm_link[constant.first_link + k]
        out = work.arm_link[constant.first_link + k]
        x, rate, acceleration = prescribed_motion(model, own, t, middle(state) * model.settings[0].step)
        own.error = state.q[joint.q] - x
        slip = state.beta[joint.v] - rate
        own.s = slip + constant.convergence * own.error
        out.rate = state.beta[joint.v] - own.s
        out.acceleration = acceleration - constant.convergence * slip


@kernel
def measure_base(model, work, i):
    """Acceleration of the base as the drives are. Needs a pass. Writes work.program f_acc."""
    store3(work.program[i].f_acc[0:3], load3(work.body[model.program[i].root].A_WH))
    store3(work.program[i].f_acc[3:6], tail3(work.body[model.program[i].root].A_WH))


@kernel
def keep_base(model, work, i):
    """Acceleration of the base without torques of the program. Needs a pass. Writes work.program drift."""
    store3(work.program[i].drift[0:3], load3(work.body[model.program[i].root].A_WH))
    store3(work.program[i].drift[3:6], tail3(work.body[model.program[i].root].A_WH))


@kernel
def keep_answer_of_base(model, work, i, k):
    """What a unit torque on joint k adds to it. Needs the pass with it. Writes work.program G."""
    out = work.program[i]
    for m in range(6):
        out.G[m, k] = work.body[model.program[i].root].A_WH[m] - out.drift[m]


@kernel
def move_links(model, state, work, i, moving, turning_H, a_H):
    """Both motions of the links, for an acceleration of the carrying body; with moving = 0 as if all stood still.

    Writes work.arm_link.
    """
    constant = model.program[i]
    body = work.body[constant.root]
    R = load9(body.R_WB)
    arm, _ = point_on(body, ZERO)
    w = scale(moving, load3(body.w_WB))
    w_r = w
    turning = turning_H
    a = add(add(a_H, cross(turning_H, arm)), cross(w, cross(w, arm)))
    for k in range(constant.n_joints):
        link = model.arm_link[constant.first_link + k]
        joint = model.program_joint[constant.first_joint + k]
        out = work.arm_link[constant.first_link + k]
        q = state.q[joint.q]
        rate, rate_r = moving * state.beta[joint.v], moving * out.rate
        arm = mat_vec(R, load3(link.p_PL))
        R = mat_mat(R, load9(link.R_PL))
        axis = (R[2], R[5], R[8])
        if link.travels != 0:
            arm = axpy(q, axis, arm)
        mixed = add(cross(w, cross(w_r, arm)), cross(w_r, cross(w, arm)))
        a = add(add(a, cross(turning, arm)), scale(0.5, mixed))
        turn = add(scale(rate_r, cross(w, axis)), scale(rate, cross(w_r, axis)))
        if link.travels != 0:
            a = add(axpy(moving * out.acceleration, axis, a), turn)
        else:
            turning = add(axpy(moving * out.acceleration, axis, turning), scale(0.5, turn))
            w = axpy(rate, axis, w)
            w_r = axpy(rate_r, axis, w_r)
            R = mat_mat(R, (cos(q), -sin(q), 0.0, sin(q), cos(q), 0.0, 0.0, 0.0, 1.0))
        store3(out.axis, axis)
        store3(out.arm, arm)
        store9(out.R_WL, R)
        store3(out.w_WL, w)
        store3(out.law_w, w_r)
        store3(out.turning, turning)
        store3(out.a, a)


@pure
def point_acceleration(link, x):
    """Of a point of the link against its origin, by both motions."""
    w, w_r = load3(link.w_WL), load3(link.law_w)
    mixed = add(cross(w, cross(w_r, x)), cross(w_r, cross(w, x)))
    return axpy(0.5, mixed, cross(load3(link.turning), x))


@pure
def column_of(R, k):
    return R[k], R[3 + k], R[6 + k]


@pure
def moment_of_pair(link, R, i, j):
    """Of the second moment ij: sum over both orders, one if they are the same."""
    x, y = column_of(R, i), column_of(R, j)
    moment = cross(x, point_acceleration(link, y))
    return moment if i == j else add(moment, cross(y, point_acceleration(link, x)))


@pure
def wrench_of_figure(link, kind):
    """Moment about the link's origin and force that one unit of a figure asks for."""
    R = load9(link.R_WL)
    if kind == S_M:
        return ZERO, load3(link.a)
    if kind >= S_X:
        x = column_of(R, kind - S_X)
        return cross(x, load3(link.a)), point_acceleration(link, x)
    if kind <= S_ZZ:
        return moment_of_pair(link, R, kind - S_XX, kind - S_XX), ZERO
    if kind == S_XY:
        return moment_of_pair(link, R, 0, 1), ZERO
    return moment_of_pair(link, R, 0 if kind == S_XZ else 1, 2), ZERO


@kernel
def believed_torques(model, state, work, i):
    """Y p of all joints. Needs the links' motions. Writes work.arm_link moment force tau."""
    constant = model.program[i]
    for k in range(constant.first_link, constant.first_link + constant.n_joints):
        link = work.arm_link[k]
        n, f = ZERO, ZERO
        for m in range(model.arm_link[k].first, model.arm_link[k].first + model.arm_link[k].count):
            moment, force = wrench_of_figure(link, model.figure[m].kind)
            n = axpy(state.learnt[m].value, moment, n)
            f = axpy(state.learnt[m].value, force, f)
        store3(link.moment, n)
        store3(link.force, f)
    for k in range(constant.first_link + constant.n_joints - 1, constant.first_link - 1, -1):
        link = work.arm_link[k]
        n, f = load3(link.moment), load3(link.force)
        link.tau = dot(load3(link.axis), f if model.arm_link[k].travels != 0 else n)
        if k > constant.first_link:
            before = work.arm_link[k - 1]
            store3(before.moment, add(add(load3(before.moment), n), cross(load3(link.arm), f)))
            store3(before.force, add(load3(before.force), f))


@kernel
def row_of_figure(model, work, i, m):
    """Torques that one unit of a figure asks for. Needs the links' motions. Writes work.program wanted."""
    constant = model.program[i]
    y = work.program[i].wanted
    figure = model.figure[m]
    n, f = wrench_of_figure(work.arm_link[figure.link], figure.kind)
    for k in range(constant.n_joints - 1, -1, -1):
        y[k] = 0.0
        place = constant.first_link + k
        if place <= figure.link:
            link = work.arm_link[place]
            y[k] = dot(load3(link.axis), f if model.arm_link[place].travels != 0 else n)
            n = add(n, cross(load3(link.arm), f))


@kernel
def learn(model, state, work, i):
    """One sample's share. Needs errors, the measured acceleration of the base, B. Writes state.learnt, work.figure."""
    constant = model.program[i]
    out = work.program[i]
    move_links(model, state, work, i, 1.0, load3(out.f_acc), tail3(out.f_acc))
    swing = 0.0
    for m in range(constant.first_figure, constant.first_figure + constant.n_figures):
        row_of_figure(model, work, i, m)
        power = 0.0
        for j in range(constant.n_joints):
            power += out.wanted[j] * state.arm_link[constant.first_link + j].s
            for k in range(constant.n_joints):
                swing += model.figure[m].rate * out.wanted[j] * out.B[j, k] * out.wanted[k]
        work.figure[m].step = power
    h = constant.sample_steps * model.settings[0].step
    for m in range(constant.first_figure, constant.first_figure + constant.n_figures):
        work.figure[m].step *= -h * model.figure[m].rate / (1.0 + h * h * swing)
        state.learnt[m].value += work.figure[m].step


@kernel
def ask_first(model, state, work, i):
    """Torques of the motors if the base moved as without them. Writes work.program wanted."""
    constant = model.program[i]
    out = work.program[i]
    move_links(model, state, work, i, 1.0, load3(out.drift), tail3(out.drift))
    believed_torques(model, state, work, i)
    for k in range(constant.n_joints):
        joint = model.program_joint[constant.first_joint + k]
        link = work.arm_link[constant.first_link + k]
        x, rate = state.q[joint.q], state.beta[joint.v]
        own, _, _ = scalar_joint_force(model.dof[joint.v], state.dof[joint.v], work.dof[joint.v], x, rate, work.power)
        own += passive_force(model.shaft[joint.shaft], state.shaft[joint.shaft], model.knot, x, rate)
        s = state.arm_link[constant.first_link + k].s
        held = model.arm_link[constant.first_link + k].gain * s
        out.wanted[k] = link.tau + model.dof[joint.v].armature * link.acceleration - held - own


@kernel
def answer_of_base(model, state, work, i):
    """1 - Q_b R: torques less what they make the law ask for by way of the base. Writes work.program V; returns its
    determinant."""
    constant = model.program[i]
    out = work.program[i]
    n = constant.n_joints
    for k in range(n):
        column = out.G[:, k]
        move_links(model, state, work, i, 0.0, (column[0], column[1], column[2]), (column[3], column[4], column[5]))
        believed_torques(model, state, work, i)
        for j in range(n):
            out.V[j, k] = (1.0 if j == k else 0.0) - work.arm_link[constant.first_link + j].tau
            out.B[j, k] = out.V[j, k]
        out.wanted[k] = 0.0
    return eliminate(out.B, out.wanted, n)


@kernel
def forget_if_unsolvable(model, state, work, i):
    """A sample's share is given back if no torques would go with it. Writes state.program solvable, learnt, V."""
    constant = model.program[i]
    own = state.program[i]
    det = answer_of_base(model, state, work, i)
    if own.solvable == 0.0:
        own.solvable = det
    if det < LEAST * own.solvable:
        for m in range(constant.first_figure, constant.first_figure + constant.n_figures):
            state.learnt[m].value -= work.figure[m].step
        answer_of_base(model, state, work, i)


@kernel
def eliminate(B, x, n):
    """B x = x in place, with the largest pivot of each column; returns det B. Without a pivot an unknown is zero."""
    det = 1.0
    for k in range(n):
        best = k
        for j in range(k + 1, n):
            if abs(B[j, k]) > abs(B[best, k]):
                best = j
        if best != k:
            det = -det
            x[k], x[best] = x[best], x[k]
            for m in range(n):
                B[k, m], B[best, m] = B[best, m], B[k, m]
        det *= B[k, k]
        for j in range(k + 1, n):
            part = B[j, k] / B[k, k] if B[k, k] != 0.0 else 0.0
            x[j] -= part * x[k]
            for m in range(k, n):
                B[j, m] -= part * B[k, m]
    for k in range(n - 1, -1, -1):
        for m in range(k + 1, n):
            x[k] -= B[k, m] * x[m]
        x[k] = x[k] / B[k, k] if B[k, k] != 0.0 else 0.0
    return det


@kernel
def give_learnt_torques(model, state, work, i):
    """The law. Needs the passes. Writes state.shaft target_force held, arm_link, learnt, work.program, arm_link."""
    constant = model.program[i]
    follow_paths(model, state, work, i)
    learn(model, state, work, i)
    forget_if_unsolvable(model, state, work, i)
    ask_first(model, state, work, i)
    # m = Q(b + R m)
    eliminate(work.program[i].V, work.program[i].wanted, constant.n_joints)
    for k in range(constant.n_joints):
        own = state.shaft[model.program_joint[constant.first_joint + k].shaft]
        own.held = work.program[i].held[k]
        own.target_force = work.program[i].wanted[k]

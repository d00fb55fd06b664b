"""Program control of an arm on a free-floating tree: its hand follows a path against a frame (Zaremba 1990, 3.1).

f is the error of the hand H against its place D on the path in the target frame T: position on T axes, and the rotation
vector u of D to H. The joints' accelerations enter f'' linearly:

    f'' = G q'' + c          q'' = v - G+ (G v + c + G1 f' + G0 f)          so that f'' + G1 f' + G0 f = 0

No mass matrix is formed: c is f'' while the accelerations of the joints are prescribed as zero, the columns of G are
what unit accelerations add to it, and the torques are those that the same pass gives for the wanted ones (Meng & Han
2007, the mixed problem). So the base, whatever floats or is held in the hand, and the motion of the target take part as
they are. The drives get what is missing to what springs, dampers, friction and stops of the joints do already; their
limits act. v damps the joints or draws them to a posture. Rows that the joints cannot meet (a singular posture) are
left out, and the rank is told. While closures are on, `program_loops` has its place.
"""

import math

from docksim.algebra.elementary import cos, sin
from docksim.algebra.quat import load4, mat_to_quat, quat_conj, quat_exp, quat_log, quat_mul, quat_to_mat
from docksim.algebra.vec3 import (
    ZERO,
    add,
    axpy,
    cross,
    dot,
    load3,
    load9,
    mat_mat,
    mat_t_vec,
    scale,
    store3,
    sub,
    transpose,
)
from docksim.kernel.basis.coordinates import smooth_move
from docksim.kernel.basis.devices import point_on, scalar_joint_force
from docksim.kernel.basis.spatial import tail3
from docksim.kernel.mechanism.shafts import passive_force
from docksim.model.programs import PROGRAM_BEGINS, PROGRAM_OFF, PROGRAM_ON
from docksim.model.tree import ASKED, FORCED
from docksim.native.decorators import kernel, pure

# a pivot of G G' below this part of the largest is none: 1e-6 of the singular values
SINGULAR = 1e-12


@pure
def frame_motion(body, p, R):
    """A frame on a body: axes, position, velocity, acceleration; the body's rate and angular acceleration. W axes."""
    arm, r = point_on(body, p)
    w = load3(body.w_WB)
    turning = load3(body.A_WH)
    wr = cross(w, arm)
    v = add(load3(body.v_WH), wr)
    a = add(add(tail3(body.A_WH), cross(turning, arm)), cross(w, wr))
    return mat_mat(load9(body.R_WB), load9(R)), r, v, a, w, turning


@kernel
def path_point(model, state, i, t):
    """Where the path has the hand: place, velocity, acceleration on T axes; attitude; turn and its rate on D axes."""
    constant = model.program[i]
    own = state.program[i]
    since = t - own.start
    time_a = 0.0
    p_a = load3(own.p_TD)
    q_a = load4(own.q_TD)
    for k in range(constant.first_point, constant.first_point + constant.n_points):
        point = model.waypoint[k]
        p_b = load3(point.p_TD)
        q_b = load4(point.q_TD)
        if since < point.time:
            T = point.time - time_a
            s, s1, s2 = smooth_move((since - time_a) / T)
            way = sub(p_b, p_a)
            turn = quat_log(quat_mul(quat_conj(q_a), q_b))
            q = quat_mul(q_a, quat_exp(scale(s, turn)))
            s1 /= T
            s2 /= T * T
            return axpy(s, way, p_a), scale(s1, way), scale(s2, way), q, scale(s1, turn), scale(s2, turn)
        time_a = point.time
        p_a = p_b
        q_a = q_b
    return p_a, ZERO, ZERO, q_a, ZERO, ZERO


@kernel
def rotation_vector_motion(u, w, w_dot):
    """First and second rate of the rotation vector u of a frame that turns at w, on its own axes.

    u' = E w, E = 1 + u~/2 + c u~², c = (1 - (x/2) cot(x/2)) / x², x = |u|.
    """
    x2 = dot(u, u)
    uw = cross(u, w)
    uuw = cross(u, uw)
    if x2 < 1e-4:
        c = 1.0 / 12.0 + x2 / 720.0 + x2 * x2 / 30240.0
        by_x2 = 1.0 / 720.0 + x2 / 15120.0
    else:
        half = 0.5 * math.sqrt(x2)
        cot = cos(half) / sin(half)
        c = (1.0 - half * cot) / x2
        by_x2 = (half * (1.0 + cot * cot) - cot) / (8.0 * half * x2) - c / x2
    u_dot = add(axpy(0.5, uw, w), scale(c, uuw))
    c_dot = 2.0 * by_x2 * dot(u, u_dot)
    u_dot_w = cross(u_dot, w)
    u_ddot = add(axpy(0.5, cross(u, w_dot), w_dot), scale(c, cross(u, cross(u, w_dot))))
    u_ddot = add(u_ddot, axpy(0.5, u_dot_w, scale(c_dot, uuw)))
    return u_dot, add(u_ddot, scale(c, add(cross(u_dot, uw), cross(u, u_dot_w))))


@kernel
def write_errors(model, state, work, i):
    """f, f' and f'' as the tree moves now. Needs work evaluated. Writes work.program f f_rate f_acc."""
    constant = model.program[i]
    out = work.program[i]
    R_WH, r_H, v_H, a_H, w_H, turning_H = frame_motion(work.body[constant.hand], constant.p_BH, constant.R_BH)
    R_WT, r_T, v_T, a_T, w_T, turning_T = frame_motion(work.body[constant.target], constant.p_BT, constant.R_BT)
    p, p1, p2, q_TD, w_D, turning_D = path_point(model, state, i, state.clock[0].t)

    # position, on T axes
    rho = sub(r_H, r_T)
    slip = sub(sub(v_H, v_T), cross(w_T, rho))
    a = sub(sub(a_H, a_T), add(cross(turning_T, rho), cross(w_T, cross(w_T, rho))))
    a = axpy(-2.0, cross(w_T, slip), a)
    store3(out.f[0:3], sub(mat_t_vec(R_WT, rho), p))
    store3(out.f_rate[0:3], sub(mat_t_vec(R_WT, slip), p1))
    store3(out.f_acc[0:3], sub(mat_t_vec(R_WT, a), p2))

    # attitude, on H axes
    R_DH = mat_mat(transpose(quat_to_mat(q_TD)), mat_mat(transpose(R_WT), R_WH))
    u = quat_log(mat_to_quat(R_DH))
    along = mat_t_vec(R_DH, w_D)
    w = sub(mat_t_vec(R_WH, sub(w_H, w_T)), along)
    w_dot = mat_t_vec(R_WH, add(sub(turning_H, turning_T), cross(w_H, w_T)))
    w_dot = add(sub(w_dot, mat_t_vec(R_DH, turning_D)), cross(w, along))
    u_dot, u_ddot = rotation_vector_motion(u, w, w_dot)
    store3(out.f[3:6], u)
    store3(out.f_rate[3:6], u_dot)
    store3(out.f_acc[3:6], u_ddot)


@kernel
def begin_program(model, state, work, i):
    """The path begins where the hand is. Needs poses. Writes state.program."""
    constant = model.program[i]
    own = state.program[i]
    R_WH, r_H, _, _, _, _ = frame_motion(work.body[constant.hand], constant.p_BH, constant.R_BH)
    R_WT, r_T, _, _, _, _ = frame_motion(work.body[constant.target], constant.p_BT, constant.R_BT)
    store3(own.p_TD, mat_t_vec(R_WT, sub(r_H, r_T)))
    own.q_TD[0], own.q_TD[1], own.q_TD[2], own.q_TD[3] = mat_to_quat(mat_mat(transpose(R_WT), R_WH))
    own.start = state.clock[0].t
    own.on = PROGRAM_ON


@kernel
def switch_program(model, state, i, on):
    """An event's word. Others that command one of its joints end; joints that nobody commands get no torque."""
    constant = model.program[i]
    for j in range(constant.first_joint, constant.first_joint + constant.n_joints):
        shaft = model.program_joint[j].shaft
        state.shaft[shaft].target_force = 0.0
        for k in range(model.program.size):
            other = model.program[k]
            for n in range(other.first_joint, other.first_joint + other.n_joints):
                if k != i and on != 0 and state.program[k].on != PROGRAM_OFF and model.program_joint[n].shaft == shaft:
                    switch_program_off(model, state, k)
    state.program[i].on = PROGRAM_BEGINS if on != 0 else PROGRAM_OFF


@kernel
def switch_program_off(model, state, i):
    constant = model.program[i]
    for j in range(constant.first_joint, constant.first_joint + constant.n_joints):
        state.shaft[model.program_joint[j].shaft].target_force = 0.0
    state.program[i].on = PROGRAM_OFF


@kernel
def prescribe(model, state, work, i):
    """The joints' accelerations are to be the wanted ones. Writes state.dof mode, work.dof beta_dot."""
    constant = model.program[i]
    for k in range(constant.n_joints):
        v = model.program_joint[constant.first_joint + k].v
        state.dof[v].mode = ASKED
        work.dof[v].beta_dot = work.program[i].wanted[k]


@kernel
def let_go(model, state, i):
    """The joints are driven by forces again. Writes state.dof mode."""
    constant = model.program[i]
    for k in range(constant.first_joint, constant.first_joint + constant.n_joints):
        state.dof[model.program_joint[k].v].mode = FORCED


@pure
def are_free(model, state, i):
    """Does nothing hold or drive one of the joints?"""
    constant = model.program[i]
    for k in range(constant.first_joint, constant.first_joint + constant.n_joints):
        if state.dof[model.program_joint[k].v].mode != FORCED:
            return False
    return True


@kernel
def keep_drift(work, i):
    """The first pass: no accelerations of the joints. Writes work.program drift."""
    out = work.program[i]
    for m in range(6):
        out.drift[m] = out.f_acc[m]


@kernel
def keep_column(work, i, k):
    """A pass with a unit acceleration of joint k. Writes work.program G."""
    out = work.program[i]
    for m in range(6):
        out.G[m, k] = out.f_acc[m] - out.drift[m]


@kernel
def wish(model, state, work, i):
    """v, what the joints would do without the hand. Writes work.program wanted."""
    constant = model.program[i]
    for k in range(constant.n_joints):
        joint = model.program_joint[constant.first_joint + k]
        work.program[i].wanted[k] = -constant.redundancy[0] * state.beta[joint.v]
        work.program[i].wanted[k] -= constant.redundancy[1] * (state.q[joint.q] - joint.posture)


@kernel
def solve_wanted(model, state, work, i, n):
    """q'' = v - G+ (G v + c + G1 f' + G0 f). Needs drift, G and v. Writes work.program wanted, state.program f rank."""
    constant = model.program[i]
    out = work.program[i]
    rows = constant.rows
    for m in range(rows):
        part = m // 3
        y = out.drift[m] + constant.G1[part] * out.f_rate[m] + constant.G0[part] * out.f[m]
        for k in range(n):
            y += out.G[m, k] * out.wanted[k]
        out.y[m] = y
        for r in range(rows):
            s = 0.0
            for k in range(n):
                s += out.G[m, k] * out.G[r, k]
            out.S[m, r] = s
    state.program[i].rank = solve_symmetric(out.S, out.y, rows)
    for k in range(n):
        for m in range(rows):
            out.wanted[k] -= out.G[m, k] * out.y[m]
    for m in range(6):
        state.program[i].f[m] = out.f[m] if m < rows else 0.0


@kernel
def solve_symmetric(S, y, n):
    """S y = y in place by L D L', leaving out rows without a pivot; returns how many there are."""
    largest = 0.0
    for m in range(n):
        largest = max(largest, S[m, m])
    rank = 0
    for m in range(n):
        for k in range(m):
            # below the diagonal L, on it D
            S[m, m] -= S[m, k] * S[m, k] * S[k, k]
        if S[m, m] > SINGULAR * largest:
            rank += 1
        else:
            S[m, m] = 0.0
        for r in range(m + 1, n):
            for k in range(m):
                S[r, m] -= S[r, k] * S[m, k] * S[k, k]
            S[r, m] = S[r, m] / S[m, m] if S[m, m] > 0.0 else 0.0
    for m in range(n):
        for k in range(m):
            y[m] -= S[m, k] * y[k]
    for m in range(n):
        y[m] = y[m] / S[m, m] if S[m, m] > 0.0 else 0.0
    for m in range(n - 1, -1, -1):
        if S[m, m] > 0.0:
            for r in range(m + 1, n):
                y[m] -= S[r, m] * y[r]
    return rank


@kernel
def give_torques(model, state, work, i):
    """The drives are asked for what the joints' devices leave to do. Needs the pass with the wanted accelerations.

    Writes state.shaft target_force.
    """
    constant = model.program[i]
    for k in range(constant.first_joint, constant.first_joint + constant.n_joints):
        joint = model.program_joint[k]
        dof = work.dof[joint.v]
        x = state.q[joint.q]
        rate = state.beta[joint.v]
        own, _, _ = scalar_joint_force(model.dof[joint.v], state.dof[joint.v], dof, x, rate, work.power)
        own += passive_force(model.shaft[joint.shaft], state.shaft[joint.shaft], model.knot, x, rate)
        state.shaft[joint.shaft].target_force = dof.tau - own

"""Closed loops: what ties two bodies beside the tree, as rows of a small system beside the recursion.

Row r of a closure between bodies a and b has the rate J_a V_a + J_b V_b, which is to be zero; its multiplier L puts the
wrenches J_a L on a and J_b L on b, equal and opposite at one point (B's origin, whatever the residual), so nothing
leaks into the momenta. The passes of the tree give the accelerations without the closures; then

    K L = -(J a + g),    K = J M^-1 J',    and the loads with L, swept back once more, give all accelerations with them.

K comes of one backward sweep of all rows with the factors that the tree's own pass left (`closure_sweep`): no mass
matrix, and only bodies above an end are visited. Which rows are in use is decided at events (`closing`) and then
stays. Closed loops of any number, across trees, with driven joints and a docking mechanism's ring as an end, are one K.
A bushing has no rows: it is springs and dampers on the six relative coordinates, with an exact potential.
"""

import math

from docksim.algebra.quat import mat_to_quat, quat_log, rotation_vector_torque
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
    mat_vec,
    scale,
    store3,
    sub,
    transpose,
)
from docksim.kernel.basis.devices import point_on
from docksim.kernel.basis.spatial import add_wrench, dot6, store6, tail3
from docksim.kernel.tree.closure_sweep import factorise_rows, solve_rows, sweep, zero_columns
from docksim.kernel.tree.passes import tree_acceleration
from docksim.model import BAD_CLOSURE, RUNNING, W_DAMPING
from docksim.model.closures import BUSHING, DEPENDENT, ROD
from docksim.native.decorators import kernel, pure

NO_WAY = 1e-9  # a rod of less length has no direction [m]


@pure
def ends(closure, own, A, B):
    """Where B's and A's origins are, arms from the bodies' hinge points, axes of A and B; all in W."""
    arm_a, x_a = point_on(A, closure.p_aA)
    arm_b, x_b = point_on(B, own.p_bB)
    return x_a, x_b, arm_a, arm_b, mat_mat(load9(A.R_WB), load9(closure.R_aA)), mat_mat(load9(B.R_WB), load9(own.R_bB))


@pure
def velocity_at(body, arm):
    return add(load3(body.v_WH), cross(load3(body.w_WB), arm))


@pure
def centripetal(body, arm):
    w = load3(body.w_WB)
    return cross(w, cross(w, arm))


@kernel
def mark_path(state, work, k):
    while k > 0 and work.marked[k] == 0:
        work.marked[k] = 1
        k = state.link[k].parent


@kernel
def index_closures(model, state, work):
    """Which rows are in use, and which bodies lie above an end, parents first. Writes work.in_use, path, closing."""
    n = 0
    for k in range(state.link.size):
        work.marked[k] = 0
    for i in range(model.closure.size):
        closure = model.closure[i]
        if state.closure[i].on != 0 and closure.n_rows > 0:
            mark_path(state, work, closure.a)
            mark_path(state, work, closure.b)
            for r in range(closure.first_row, closure.first_row + closure.n_rows):
                if state.closure_row[r].chosen != 0:
                    work.in_use[n] = r
                    n += 1
    work.closing[0].n = n
    n = 0
    for i in range(state.order.size):
        if work.marked[state.order[i]] != 0:
            work.path[n] = state.order[i]
            n += 1
    work.closing[0].n_path = n


@pure
def put_row(row, i, closure, turns, J_a, J_b, g, f):
    row.closure, row.a, row.b, row.turns = i, closure.a, closure.b, turns
    store6(row.J_a, J_a[0], J_a[1])
    store6(row.J_b, J_b[0], J_b[1])
    row.g = g
    row.f = f


@kernel
def rod_row(closure, own, i, A, B, row):
    """Distance of two points."""
    x_a, x_b, arm_a, arm_b, _, _ = ends(closure, own, A, B)
    d = sub(x_b, x_a)
    # two points in one place have no direction; whoever closes such a rod is told
    size = max(math.sqrt(dot(d, d)), NO_WAY)
    n = scale(1.0 / size, d)
    v = sub(velocity_at(B, arm_b), velocity_at(A, arm_a))
    along = dot(n, v)
    g = dot(n, sub(centripetal(B, arm_b), centripetal(A, arm_a))) + (dot(v, v) - along * along) / size
    back = scale(-1.0, n)
    put_row(row, i, closure, 0, (cross(arm_a, back), back), (cross(arm_b, n), n), g, size - own.length)


@kernel
def frame_rows(closure, own, i, A, B, rows):
    """Directions of frame A along and about which frame B may not move. Both bodies take the wrench at B's origin."""
    x_a, x_b, _, arm_b, R_A, R_B = ends(closure, own, A, B)
    arm_a = sub(x_b, load3(A.p_WH))
    d = sub(x_b, x_a)
    w_a = load3(A.w_WB)
    R = mat_mat(transpose(R_A), R_B)
    turn = cross(sub(load3(B.w_WB), w_a), w_a)
    v = sub(velocity_at(B, arm_b), velocity_at(A, arm_a))
    pull = axpy(-2.0, cross(w_a, v), sub(centripetal(B, arm_b), centripetal(A, arm_a)))
    if closure.mask[0] and closure.mask[1] and not closure.mask[2]:
        # free about z: how far the z axes are apart, at any turn about them
        angle = (-R[5], R[2], 0.0)
    else:
        angle = quat_log(mat_to_quat(R))
    r = closure.first_row
    for j in range(6):
        if closure.mask[j] != 0:
            e = j % 3
            n = (R_A[e], R_A[3 + e], R_A[6 + e])
            back = scale(-1.0, n)
            if j < 3:
                put_row(rows[r], i, closure, 1, (back, ZERO), (n, ZERO), dot(n, turn), angle[e])
            else:
                J_a = (cross(arm_a, back), back)
                put_row(rows[r], i, closure, 0, J_a, (cross(arm_b, n), n), dot(n, pull), dot(n, d))
            r += 1


@kernel
def closure_rows(model, state, work):
    """Rows of all closures that are on. Needs poses and velocities. Writes work.closure_row and what is in use."""
    index_closures(model, state, work)
    for i in range(model.closure.size):
        own = state.closure[i]
        closure = model.closure[i]
        if own.on != 0 and closure.n_rows > 0:
            A = work.body[closure.a]
            B = work.body[closure.b]
            if closure.kind == ROD:
                rod_row(closure, own, i, A, B, work.closure_row[closure.first_row])
            else:
                frame_rows(closure, own, i, A, B, work.closure_row)


@pure
def row_of(row, A, B):
    """The row times two motions: rates, or accelerations."""
    return dot6(row.J_a, A[0], A[1]) + dot6(row.J_b, B[0], B[1])


@pure
def row_rate(row, work):
    A = work.body[row.a]
    B = work.body[row.b]
    return row_of(row, (load3(A.w_WB), load3(A.v_WH)), (load3(B.w_WB), load3(B.v_WH)))


@pure
def row_acceleration(row, work):
    A = work.body[row.a]
    B = work.body[row.b]
    return row_of(row, (load3(A.A_WH), tail3(A.A_WH)), (load3(B.A_WH), tail3(B.A_WH)))


@kernel
def factorise_response(model, state, work):
    """K of the rows in use and its factor. Needs rows and the tree's articulation. False, and a status, if singular."""
    n = work.closing[0].n
    sweep(model, state, work, work.column, n, True)
    c = factorise_rows(work, n)
    if c >= 0:
        if state.clock[0].status == RUNNING:
            state.closure[work.closure_row[work.in_use[c]].closure].fault = DEPENDENT
            state.clock[0].status = BAD_CLOSURE
            state.clock[0].culprit = -1
        return False
    return True


@kernel
def apply_rows(model, state, work):
    """Wrenches of all rows in use join the loads; the forward pass again. Needs rows' L. Writes z, u, acc, beta_dot."""
    zero_columns(work, work.pull, 1)
    for c in range(work.closing[0].n):
        row = work.closure_row[work.in_use[c]]
        for j in range(6):
            work.pull[row.a, j, 0] -= row.J_a[j] * row.L
            work.pull[row.b, j, 0] -= row.J_b[j] * row.L
    sweep(model, state, work, work.pull, 1, False)
    tree_acceleration(model, state, work)


@kernel
def meet_closures(model, state, work, drift):
    """Accelerations that obey all closures, from those without them; rates instead in an impulse, with drift zero."""
    for r in range(work.closure_row.size):
        work.closure_row[r].L = 0.0
    if work.closing[0].n == 0 or not factorise_response(model, state, work):
        return
    for c in range(work.closing[0].n):
        row = work.closure_row[work.in_use[c]]
        row.x = row_acceleration(row, work) + drift * row.g
    solve_rows(work, work.closing[0].n)
    apply_rows(model, state, work)


@kernel
def close_loops(model, state, work):
    """Accelerations that obey all closures, and what the joints of ports carry that close a loop."""
    meet_closures(model, state, work, 1.0)
    for i in range(model.closure.size):
        if state.closure[i].on != 0 and model.closure[i].weld >= 0:
            show_weld(model, work, i)


@kernel
def show_weld(model, work, i):
    """The load of two joined ports, told as a joint's. Writes work.dof tau."""
    closure = model.closure[i]
    joint = model.joint[closure.weld]
    moment, force = closure_wrench(model, work, i)
    B = work.body[closure.b]
    moment = sub(moment, cross(point_on(B, joint.p_SM)[0], force))
    R_F = mat_mat(load9(work.body[closure.a].R_WB), load9(joint.R_PF))
    turn = mat_t_vec(mat_mat(load9(B.R_WB), load9(joint.R_SM)), moment)
    push = mat_t_vec(R_F, force)
    for j in range(3):
        work.dof[joint.v + j].tau = turn[j]
        work.dof[joint.v + 3 + j].tau = push[j]


@kernel
def closure_wrench(model, work, i):
    """Moment about body b's hinge point and force of a closure on b, on W axes. Needs the rows' L."""
    moment = ZERO
    force = ZERO
    closure = model.closure[i]
    for r in range(closure.first_row, closure.first_row + closure.n_rows):
        row = work.closure_row[r]
        moment = axpy(row.L, load3(row.J_b), moment)
        force = axpy(row.L, tail3(row.J_b), force)
    return moment, force


@kernel
def closure_of(model, weld):
    """The closure that two ports make where a tree cannot be joined there; -1 if that joint has none."""
    for i in range(model.closure.size):
        if model.closure[i].weld == weld:
            return i
    return -1


# ---------------------------------------------------------------- bushings


@pure
def bushing_stretch(closure, own, A, B):
    """Turn (rotation vector of B against A) and travel on A axes, and axes and arms."""
    x_a, x_b, _, arm_b, R_A, R_B = ends(closure, own, A, B)
    turn = quat_log(mat_to_quat(mat_mat(transpose(R_A), R_B)))
    return turn, mat_t_vec(R_A, sub(x_b, x_a)), R_A, R_B, sub(x_b, load3(A.p_WH)), arm_b


@kernel
def bushing_rates(R_A, A, B, arm_a, arm_b):
    """Of B against A, on A axes: turn, and travel of the point of B against that of A where B is."""
    w = mat_t_vec(R_A, sub(load3(B.w_WB), load3(A.w_WB)))
    return w, mat_t_vec(R_A, sub(velocity_at(B, arm_b), velocity_at(A, arm_a)))


@kernel
def bushing_wrench(closure, own, A, B):
    """Moment and force on body b at B's origin, on W axes, and the power of the dampers."""
    turn, travel, R_A, R_B, arm_a, arm_b = bushing_stretch(closure, own, A, B)
    w, v = bushing_rates(R_A, A, B, arm_a, arm_b)
    k, c = closure.stiffness, closure.damping
    spring = rotation_vector_torque(turn, (k[0] * turn[0], k[1] * turn[1], k[2] * turn[2]))
    damper = (-c[0] * w[0], -c[1] * w[1], -c[2] * w[2])
    drag = (-c[3] * v[0], -c[4] * v[1], -c[5] * v[2])
    force = sub(drag, (k[3] * travel[0], k[4] * travel[1], k[5] * travel[2]))
    moment = add(mat_vec(R_B, spring), mat_vec(R_A, damper))
    return moment, mat_vec(R_A, force), arm_a, arm_b, dot(damper, w) + dot(drag, v)


@kernel
def bushing_energy(closure, own, A, B):
    turn, travel, _, _, _, _ = bushing_stretch(closure, own, A, B)
    energy = 0.0
    for j in range(3):
        energy += 0.5 * closure.stiffness[j] * turn[j] * turn[j]
        energy += 0.5 * closure.stiffness[3 + j] * travel[j] * travel[j]
    return energy


@kernel
def closure_energy(model, state, work):
    """In all bushings that are on. Needs poses."""
    energy = 0.0
    for i in range(model.closure.size):
        closure = model.closure[i]
        if state.closure[i].on != 0 and closure.kind == BUSHING:
            energy += bushing_energy(closure, state.closure[i], work.body[closure.a], work.body[closure.b])
    return energy


@kernel
def prepare_closures(model, state, work):
    """Rows of this state, and forces of bushings. Needs poses and velocities. Adds to work.body f, work.power."""
    if state.closing[0].rigid > 0:
        closure_rows(model, state, work)
    for i in range(model.closure.size):
        closure = model.closure[i]
        if state.closure[i].on != 0 and closure.kind == BUSHING:
            A = work.body[closure.a]
            B = work.body[closure.b]
            moment, force, arm_a, arm_b, power = bushing_wrench(closure, state.closure[i], A, B)
            add_wrench(B.f, add(moment, cross(arm_b, force)), force)
            add_wrench(A.f, scale(-1.0, add(moment, cross(arm_a, force))), scale(-1.0, force))
            work.power[W_DAMPING] += power


# ---------------------------------------------------------------- what is told of them


@kernel
def load_on_closure(model, state, work, i):
    """Moment about B's origin and force of a on b, on A axes. Needs work evaluated at the state."""
    closure = model.closure[i]
    own = state.closure[i]
    A = work.body[closure.a]
    B = work.body[closure.b]
    R_A = mat_mat(load9(A.R_WB), load9(closure.R_aA))
    if closure.kind == BUSHING:
        moment, force, _, _, _ = bushing_wrench(closure, own, A, B)
        return mat_t_vec(R_A, moment), mat_t_vec(R_A, force)
    moment, force = closure_wrench(model, work, i)
    moment = sub(moment, cross(point_on(B, own.p_bB)[0], force))
    return mat_t_vec(R_A, moment), mat_t_vec(R_A, force)


@kernel
def note_residuals(model, state, work, i):
    """How far and how fast the ends of a closure are from where they are tied. Writes state.closure."""
    own = state.closure[i]
    closure = model.closure[i]
    gap = turn = gap_rate = turn_rate = 0.0
    for r in range(closure.first_row, closure.first_row + closure.n_rows):
        row = work.closure_row[r]
        rate = row_rate(row, work)
        if row.turns != 0:
            turn += row.f * row.f
            turn_rate += rate * rate
        else:
            gap += row.f * row.f
            gap_rate += rate * rate
    if closure.kind == BUSHING:
        A = work.body[closure.a]
        B = work.body[closure.b]
        angle, travel, R_A, _, arm_a, arm_b = bushing_stretch(closure, own, A, B)
        w, v = bushing_rates(R_A, A, B, arm_a, arm_b)
        turn, gap, turn_rate, gap_rate = dot(angle, angle), dot(travel, travel), dot(w, w), dot(v, v)
    own.gap = math.sqrt(gap)
    own.turn = math.sqrt(turn)
    own.gap_rate = math.sqrt(gap_rate)
    own.turn_rate = math.sqrt(turn_rate)
    own.largest_gap = max(own.largest_gap, own.gap)
    own.largest_turn = max(own.largest_turn, own.turn)


@kernel
def note_closures(model, state, work):
    """Loads and residuals of this state. Needs work evaluated at it. Writes state.closure."""
    for i in range(model.closure.size):
        own = state.closure[i]
        if own.on != 0:
            moment, force = load_on_closure(model, state, work, i)
            store3(own.moment, moment)
            store3(own.force, force)
            own.largest_moment = max(own.largest_moment, math.sqrt(dot(moment, moment)))
            own.largest_force = max(own.largest_force, math.sqrt(dot(force, force)))
            note_residuals(model, state, work, i)

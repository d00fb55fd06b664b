"""Coordinates on the manifold: local displacements from the start of a step, and prescribed motion.

Within a step every joint is described by a displacement u from where it was at the step's start: plain numbers for
angles and travels, a rotation vector for ball joints, q = q_start exp(u). So integrators work on vectors, and
quaternions keep their norm.
"""

from docksim.algebra.elementary import cos, sin
from docksim.algebra.joints import FREE, SPHERICAL
from docksim.algebra.quat import inverse_dexp, load4, quat_exp, quat_mul, quat_normalised
from docksim.algebra.vec3 import load3
from docksim.kernel.basis.clock import middle
from docksim.model.tree import DRIVEN, HOLD, LOCKED, MOVE, RATE, SINE
from docksim.native.decorators import kernel, pure


@pure
def ball_offset(joint):
    """Where a joint's quaternion starts in q, or -1."""
    if joint.type == SPHERICAL:
        return joint.q
    if joint.type == FREE:
        return joint.q + 3
    return -1


@pure
def coordinate_index(joint, j):
    """Where the coordinate of rate j stands in q; not for the turns of ball joints."""
    i = j - joint.v
    return joint.q + i - 3 if joint.type == FREE else joint.q + i


@pure
def remember_start(state, work):
    """Keep the coordinates and rates that local displacements are measured from."""
    for i in range(state.q.size):
        work.q_start[i] = state.q[i]
    for i in range(state.beta.size):
        work.beta_start[i] = state.beta[i]
        work.dof[i].u_now = 0.0


@pure
def displace(model, state, work):
    """state.q = start displaced by work.dof.u_now."""
    for i in range(model.joint.size):
        joint = model.joint[i]
        v = joint.v
        ball = ball_offset(joint)
        if ball >= 0:
            u = (work.dof[v].u_now, work.dof[v + 1].u_now, work.dof[v + 2].u_now)
            start = load4(work.q_start[ball : ball + 4])
            state.q[ball], state.q[ball + 1], state.q[ball + 2], state.q[ball + 3] = quat_normalised(
                quat_mul(start, quat_exp(u))
            )
            for j in range(joint.nv - 3):
                state.q[joint.q + j] = work.q_start[joint.q + j] + work.dof[v + 3 + j].u_now
        else:
            for j in range(joint.nv):
                state.q[joint.q + j] = work.q_start[joint.q + j] + work.dof[v + j].u_now


@pure
def coordinate_rates(model, state, work):
    """Rates of the local displacements. Writes work.dof u_dot."""
    for j in range(state.beta.size):
        work.dof[j].u_dot = state.beta[j]
    for i in range(model.joint.size):
        joint = model.joint[i]
        if ball_offset(joint) >= 0:
            v = joint.v
            u = (work.dof[v].u_now, work.dof[v + 1].u_now, work.dof[v + 2].u_now)
            rate = inverse_dexp(u, load3(state.beta[v : v + 3]))
            work.dof[v].u_dot, work.dof[v + 1].u_dot, work.dof[v + 2].u_dot = rate


@pure
def smooth_move(x):
    """Rest to rest on [0, 1]: the quintic 10 x3 - 15 x4 + 6 x5, its first and second derivative."""
    if x <= 0.0:
        return 0.0, 0.0, 0.0
    if x >= 1.0:
        return 1.0, 0.0, 0.0
    return (
        x * x * x * (10.0 + x * (6.0 * x - 15.0)),
        30.0 * x * x * (1.0 - x) * (1.0 - x),
        60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
    )


@pure
def run_out(x):
    """What a unit rate and a unit acceleration at the start of [0, 1] become if both are at rest, and at 0, at its end.

    x - 6 x3 + 8 x4 - 3 x5 and (x2 - 3 x3 + 3 x4 - x5) / 2, each with its first and second derivative.
    """
    if x >= 1.0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    y = 1.0 - x
    return (
        (x * y * y * y * (1.0 + 3.0 * x), y * y * (1.0 + x * (2.0 - 15.0 * x)), -12.0 * x * y * (3.0 - 5.0 * x)),
        (0.5 * x * x * y * y * y, 0.5 * x * y * y * (2.0 - 5.0 * x), y * (1.0 + x * (10.0 * x - 8.0))),
    )


@pure
def landing_move(profile, drive, t):
    """Coordinate, rate and acceleration on the way from any motion to rest at the profile's target: a quintic."""
    T = profile.duration
    x = (t - drive.drive_start) / T
    way = profile.target - drive.drive_from
    rate = drive.rate_from * T
    acceleration = drive.acceleration_from * T * T
    s, s1, s2 = smooth_move(x)
    (a, a1, a2), (b, b1, b2) = run_out(x)
    return (
        drive.drive_from + way * s + (rate * a + acceleration * b),
        way * s1 / T + (rate * a1 + acceleration * b1) / T,
        way * s2 / (T * T) + (rate * a2 + acceleration * b2) / (T * T),
    )


@kernel
def piece_of(model, profile, t):
    """The knot at which the piece of a table that holds t begins; the last knot after the table's end."""
    low = profile.first_knot
    high = low + profile.n_knots - 1
    if t >= model.knot[high].time:
        return high
    while high - low > 1:
        half = (low + high) // 2
        if model.knot[half].time <= t:
            low = half
        else:
            high = half
    return low


@kernel
def table_motion(model, profile, t, t_piece):
    """The cubic piece that holds t_piece, at t; constant after the last knot."""
    knot = model.knot[piece_of(model, profile, t_piece)]
    c = knot.c
    x = t - knot.time
    y = c[0] + x * (c[1] + x * (c[2] + x * c[3]))
    return y, c[1] + x * (2.0 * c[2] + 3.0 * x * c[3]), 2.0 * c[2] + 6.0 * x * c[3]


@kernel
def prescribed_motion(model, drive, t, t_piece):
    """Coordinate, rate and acceleration of a driven coordinate; t_piece is the middle of the piece that t belongs to.

    A piece of a step that ends at a table's knot must not see beyond it: at the table's end the acceleration jumps.
    """
    start = drive.drive_from
    profile = model.profile[drive.profile]
    x = t - drive.drive_start
    if profile.kind == MOVE:
        way = profile.target - start
        T = profile.duration
        s, s1, s2 = smooth_move(x / T)
        return start + way * s, way * s1 / T, way * s2 / (T * T)
    if profile.kind == RATE:
        return start + profile.target * x, profile.target, 0.0
    if profile.kind == SINE:
        a = profile.target
        f = profile.duration
        s = sin(f * x)
        return start + a * s, a * f * cos(f * x), -a * f * f * s
    if profile.kind == HOLD:
        return start, 0.0, 0.0
    y, y1, y2 = table_motion(model, profile, x, t_piece - drive.drive_start)
    return start + y, y1, y2


@pure
def drive_coordinates(model, state, work):
    """Driven and locked coordinates are where they should be. Writes state.q, beta, work.dof beta_dot."""
    clock = state.clock[0]
    t_piece = middle(state) * model.settings[0].step
    for j in range(state.beta.size):
        mode = state.dof[j].mode
        if mode == DRIVEN:
            joint = model.joint[model.dof[j].joint]
            i = coordinate_index(joint, j)
            x, rate, acceleration = prescribed_motion(model, state.dof[j], clock.t, t_piece)
            state.q[i] = x
            state.beta[j] = rate
            work.dof[j].beta_dot = acceleration
        elif mode == LOCKED:
            state.beta[j] = 0.0
            work.dof[j].beta_dot = 0.0

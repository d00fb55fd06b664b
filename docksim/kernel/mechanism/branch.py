"""A leg in its joint coordinates, as published: closure matrices, composite bodies, sweeps, the force in the cut joint.

Golubev & Yaskevich, sections 4 to 6, corrected as in the module `reduction`. A run takes this way where a mechanism's
`method` is `joints`; it gives what the straight-line kernels give, more slowly, and shares with them no more than the
analytic closure in position and what is done with the sums.

    closure       C_d p' = C_i u - [v_0; 0],   C_d p'' = C_i u' + c,   so p' = H u + ..., p'' = H u' + h
    dynamics      A p'' + F' A0 = b + C_d' lambda,   wrench on the base = I* A0 + F p'' + n
    ring          A* = H' A H,   b* = H' (b - A h),   G* = F H,   n0* = n + F h

A and F by composite bodies from the ring to the base, b and n by a sweep out and back, v_0 the velocity of a base joint
that retracts. Link j follows joint j, and its vectors are on its own axes; joints of one axis each: y, z, stroke (UPS),
y, z, x, stroke (SPU, UCU), crank, y, z (RUS), crank, y, z, x (RSU). C_d is inverted by blocks: the axis x of a link
goes through its cut joint, so its turn moves the fourth row alone, and the other three joints are a 3 x 3.
"""

import math

from docksim.algebra.vec3 import (
    IDENTITY,
    NO_SYM,
    ZERO,
    add,
    add_sym,
    axpy,
    cross,
    dot,
    load3,
    load9,
    load_sym,
    mat_mat,
    mat_t_vec,
    mat_vec,
    scale,
    store3,
    store9,
    sub,
    sym_vec,
    turned_sym,
)
from docksim.kernel.basis.gravity import link_gravity
from docksim.kernel.basis.spatial import store6, tail3
from docksim.kernel.mechanism.couplings import actuated
from docksim.kernel.mechanism.leg_share import lane_base, moved_moment, put3
from docksim.kernel.mechanism.legs import close_leg, close_spin, crank_cosine, inputs_of, is_hunt
from docksim.model.mechanism import (
    LEG_FINE,
    SHARE_A,
    SHARE_B,
    SHARE_G,
    SHARE_I,
    SHARE_N,
    SPU,
)
from docksim.native.decorators import kernel, pure

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


# what the five types are as chains of joints


@pure
def axis_of(leg, j):
    """Which axis of its link joint j turns about or slides along."""
    if is_hunt(leg):
        return 1 if j < 2 else (2 if j == 2 else 0)
    return 1 if j == 0 else (2 if j == 1 else 0)


@pure
def slides(leg, j):
    return not is_hunt(leg) and j == inputs_of(leg) - 1


@pure
def spinning(leg):
    """Place of the turn about the link's own axis; none if the ring joint is a ball."""
    if inputs_of(leg) == 3:
        return -1
    return 3 if is_hunt(leg) else 2


@pure
def link_after(leg, j):
    """Which of the two links follows joint j; -1 where there is no mass."""
    if j == inputs_of(leg) - 1:
        return 1
    first = 0 if is_hunt(leg) else (2 if leg.type == SPU else 1)
    return 0 if j == first else -1


@pure
def tip_of(leg):
    """Cut joint on the last link."""
    return (leg.l23 if is_hunt(leg) else leg.b), 0.0, 0.0


@pure
def axis_turn(axis, s, c):
    """Rotation about one of the axes by its sine and cosine."""
    if axis == 0:
        return 1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c
    if axis == 1:
        return c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


@pure
def along(leg, j, moment, force):
    """What joint j feels of a wrench at its origin."""
    e = UNIT[axis_of(leg, j)]
    return dot(e, force) if slides(leg, j) else dot(e, moment)


# places


@kernel
def place_links(leg, out, l_0):
    """Turns and offsets from joint to joint, axes and origins of the links in B. Reads out angle; writes turn d axes r.

    A stroke belongs to the offset.
    """
    R = IDENTITY
    r = ZERO
    for j in range(inputs_of(leg)):
        d = ZERO
        turn = IDENTITY
        if slides(leg, j):
            d = (leg.a + out.angle[j, 0], 0.0, 0.0)
        else:
            turn = axis_turn(axis_of(leg, j), out.angle[j, 0], out.angle[j, 1])
        if j == 0:
            d = l_0
            turn = mat_mat(load9(leg.R_0), turn)
        elif j == 1 and is_hunt(leg):
            d = (leg.l12, 0.0, 0.0)
            turn = mat_mat(load9(leg.R_k), turn)
        r = add(r, mat_vec(R, d))
        R = mat_mat(R, turn)
        store3(out.d[j], d)
        store9(out.turn[j], turn)
        store3(out.r[j], r)
        store9(out.axes[j], R)


@pure
def joint_axis(leg, out, j):
    """In B."""
    return mat_vec(load9(out.axes[j]), UNIT[axis_of(leg, j)])


@pure
def partial_velocity(leg, out, j, end):
    """Column j of C_d: velocity of the cut joint by the rate of joint j, B axes."""
    e = joint_axis(leg, out, j)
    return e if slides(leg, j) else cross(e, sub(end, load3(out.r[j])))


# closure


@kernel
def close_rates(leg, out, R_C, d_C, end):
    """C_d inverted and H; returns how far C_d is from singular. Writes out H n_R spin_gain.

    Rows of the inverse are the travel part of H, since C_i is [-d_C~, 1].
    """
    spin = spinning(leg)
    a = 0
    b = 1
    c = 2 if spin != 2 else 3
    first = partial_velocity(leg, out, a, end)
    second = partial_velocity(leg, out, b, end)
    third = partial_velocity(leg, out, c, end)
    across = cross(second, third)
    volume = dot(first, across)
    over = 1.0 / volume
    put_rate(out.H[a], scale(over, across), d_C)
    put_rate(out.H[b], scale(over, cross(third, first)), d_C)
    put_rate(out.H[c], scale(over, cross(first, second)), d_C)
    if spin >= 0:
        last = load9(out.axes[inputs_of(leg) - 1])
        n_R = cross((last[1], last[4], last[7]), mat_vec(R_C, load3(leg.e_2)))
        store3(out.n_R, n_R)
        out.spin_gain = 1.0 / dot(n_R, joint_axis(leg, out, spin))
        for i in range(6):
            out.H[spin, i] = out.spin_gain * n_R[i] if i < 3 else 0.0
        for j in range(4):
            if j != spin and not slides(leg, j):
                share = out.spin_gain * dot(n_R, joint_axis(leg, out, j))
                for i in range(6):
                    out.H[spin, i] -= share * out.H[j, i]
    size = dot(first, first) * dot(second, second) * dot(third, third)
    return abs(volume) / math.sqrt(size)


@pure
def put_rate(row, K, d_C):
    store6(row, cross(d_C, K), K)


@pure
def joint_answer(leg, out, x, x_4, j):
    """Row j of C_d^-1 times [x; x_4]."""
    value = dot(tail3(out.H[j]), x)
    return value + out.spin_gain * x_4 if j == spinning(leg) else value


@kernel
def sweep_out(leg, out, w, eps, W, start):
    """Rates and accelerations of the links from those of B; start: acceleration of the base joint against B.

    Reads out turn d rate acceleration; writes w eps W on the links' axes.
    """
    for j in range(inputs_of(leg)):
        d = load3(out.d[j])
        turn = load9(out.turn[j])
        W = add(W, add(cross(eps, d), cross(w, cross(w, d))))
        if j == 0:
            W = add(W, start)
        W = mat_t_vec(turn, W)
        w = mat_t_vec(turn, w)
        eps = mat_t_vec(turn, eps)
        e = UNIT[axis_of(leg, j)]
        rate = scale(out.rate[j], e)
        gain = scale(out.acceleration[j], e)
        if slides(leg, j):
            W = add(axpy(2.0, cross(w, rate), W), gain)
        else:
            eps = add(add(eps, cross(w, rate)), gain)
            w = add(w, rate)
        store3(out.w[j], w)
        store3(out.eps[j], eps)
        store3(out.W[j], W)


@kernel
def closure_drift(leg, out, R_C, d_C, w_C, a_0):
    """c: what the rates alone take of the closure's acceleration. Needs a sweep out from a base at rest. Writes c."""
    n = inputs_of(leg)
    tip = tip_of(leg)
    R = load9(out.axes[n - 1])
    w = load3(out.w[n - 1])
    eps = load3(out.eps[n - 1])
    end = add(load3(out.W[n - 1]), add(cross(eps, tip), cross(w, cross(w, tip))))
    store3(out.c, sub(sub(cross(w_C, cross(w_C, d_C)), a_0), mat_vec(R, end)))
    if n == 4:
        w = mat_vec(R, w)
        e_1 = (R[1], R[4], R[7])
        e_2 = mat_vec(R_C, load3(leg.e_2))
        turning = add(cross(cross(w, e_1), e_2), cross(e_1, cross(w_C, e_2)))
        out.c[3] = -dot(load3(out.n_R), mat_vec(R, eps)) - dot(turning, sub(w, w_C))


# dynamics


@kernel
def sweep_back(leg, out, moment, force):
    """Wrench of B on the branch about B's origin, from what the last link gives away and what all links demand.

    Reads out w eps W given turn d; writes load, of each link on the next about the next one's origin, on its axes.
    """
    for j in range(inputs_of(leg) - 1, -1, -1):
        i = link_after(leg, j)
        if i >= 0:
            w = load3(out.w[j])
            eps = load3(out.eps[j])
            W = load3(out.W[j])
            m = leg.mass[i]
            s = scale(m, load3(leg.com[i]))
            J = load_sym(leg.inertia[i])
            force = add(force, add(axpy(m, W, cross(eps, s)), cross(w, cross(w, s))))
            moment = add(moment, add(add(cross(s, W), sym_vec(J, eps)), cross(w, sym_vec(J, w))))
            moment = sub(moment, load3(out.given[j]))
            force = sub(force, tail3(out.given[j]))
        store6(out.load[j], moment, force)
        turn = load9(out.turn[j])
        force = mat_vec(turn, force)
        moment = add(mat_vec(turn, moment), cross(load3(out.d[j]), force))
    return moment, force


@kernel
def composite_bodies(leg, out):
    """Inertias of the branch. Writes out A, F, and I: moment and first moment of the whole about B's origin."""
    m = 0.0
    s = ZERO
    J = NO_SYM
    for j in range(inputs_of(leg) - 1, -1, -1):
        k = link_after(leg, j)
        if k >= 0:
            m += leg.mass[k]
            s = axpy(leg.mass[k], load3(leg.com[k]), s)
            J = add_sym(J, load_sym(leg.inertia[k]))
        # what it takes to move all that is outside with joint j, carried down to the joints before and to B
        e = UNIT[axis_of(leg, j)]
        force = cross(e, s)
        moment = sym_vec(J, e)
        if slides(leg, j):
            force = scale(m, e)
            moment = cross(s, e)
        out.A[j, j] = along(leg, j, moment, force) + leg.rotor[j]
        for i in range(j, -1, -1):
            turn = load9(out.turn[i])
            force = mat_vec(turn, force)
            moment = add(mat_vec(turn, moment), cross(load3(out.d[i]), force))
            if i > 0:
                out.A[i - 1, j] = along(leg, i - 1, moment, force)
                out.A[j, i - 1] = out.A[i - 1, j]
        store6(out.F[j], moment, force)
        # the composite body on the axes before, about the origin before
        turn = load9(out.turn[j])
        d = load3(out.d[j])
        s = mat_vec(turn, s)
        J = moved_moment(m, s, turned_sym(turn, J), d)
        s = axpy(m, d, s)
    for i in range(6):
        out.I[i] = J[i]
    for i in range(3):
        out.I[6 + i] = s[i]


@kernel
def close_branch(leg, out, ring, base):
    """Closure of a branch in position and rates at the ring's pose and rates, on B axes.

    Writes out status angle R turn d axes r H n_R spin_gain margin rate.
    """
    R_C, r_C, w_C, v_C = ring
    l_0, v_0, _ = base
    d_C = mat_vec(R_C, load3(leg.l_C))
    end = add(r_C, d_C)
    close_leg(leg, out, sub(end, l_0))
    n = inputs_of(leg)
    if n == 4:
        close_spin(leg, out, mat_t_vec(load9(out.R_BE), mat_vec(R_C, load3(leg.e_2))))
    place_links(leg, out, l_0)
    out.margin = close_rates(leg, out, R_C, d_C, end)
    v = sub(add(v_C, cross(w_C, d_C)), v_0)
    turn = dot(load3(out.n_R), w_C) if n == 4 else 0.0
    for j in range(n):
        out.rate[j] = joint_answer(leg, out, v, turn, j)


@kernel
def move_branch(leg, out, ring, w_0, base):
    """Drift and dynamics of a closed branch, active forces left out. Returns the wrench of B on it by rates alone.

    Reads out given; writes c h b A F I, and what the sweeps write.
    """
    R_C, _, w_C, _ = ring
    n = inputs_of(leg)
    _, v_0, a_0 = base
    for j in range(n):
        out.acceleration[j] = 0.0
    sweep_out(leg, out, ZERO, ZERO, ZERO, ZERO)
    closure_drift(leg, out, R_C, mat_vec(R_C, load3(leg.l_C)), w_C, a_0)
    for j in range(n):
        out.h[j] = joint_answer(leg, out, load3(out.c), out.c[3], j)
    sweep_out(leg, out, w_0, ZERO, ZERO, axpy(2.0, cross(w_0, v_0), a_0))
    moment, force = sweep_back(leg, out, ZERO, ZERO)
    for j in range(n):
        out.b[j] = -along(leg, j, load3(out.load[j]), tail3(out.load[j]))
    composite_bodies(leg, out)
    return moment, force


# the ring's equations


@kernel
def share_branch(leg, out, share, k, moment, force):
    """What a branch adds to A*, b*, G*, n0*, I*; moment, force: of B on the branch by rates alone. Writes share."""
    n = inputs_of(leg)
    for j in range(n):
        out.rest[j] = out.b[j]
        for i in range(n):
            out.rest[j] -= out.A[j, i] * out.h[i]
        for a in range(6):
            x = 0.0
            for i in range(n):
                x += out.A[j, i] * out.H[i, a]
            out.AH[j, a] = x
    for a in range(6):
        for c in range(a, 6):
            x = 0.0
            for j in range(n):
                x += out.H[j, a] * out.AH[j, c]
            share[SHARE_A + inertia_place(a, c), k] = x
        x = 0.0
        for j in range(n):
            x += out.H[j, a] * out.rest[j]
        share[SHARE_B + a, k] = x
    put3(share, SHARE_N, k, moment)
    put3(share, SHARE_N + 3, k, force)
    for a in range(6):
        for j in range(n):
            share[SHARE_N + a, k] += out.F[j, a] * out.h[j]
        for c in range(6):
            x = 0.0
            for j in range(n):
                x += out.F[j, a] * out.H[j, c]
            share[SHARE_G + 6 * a + c, k] = x
    for i in range(9):
        share[SHARE_I + i, k] = out.I[i]


@pure
def inertia_place(a, c):
    """Where entry (a, c >= a) of a spatial inertia stands among its 21 numbers."""
    if a < 3 and c >= 3:
        return 6 + 3 * a + c - 3
    first = 0 if a < 3 else 15
    return first + (a % 3 if a == c else a % 3 + c % 3 + 2)


@kernel
def close_branches(model, work, mechanism, ring, w_0):
    """All legs of a mechanism in joint coordinates. Needs own R_WB p_HB, base joints. Writes work.branch, block."""
    constant = model.mechanism[mechanism]
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        leg = model.leg[k]
        out = work.branch[k]
        block = work.block[leg.block]
        lane = leg.lane
        base = lane_base(model.block[leg.block], block, lane)
        close_branch(leg, out, ring, base)
        if model.settings[0].orbit_rate != 0.0:
            weigh_links(model, work, mechanism, k)
        moment, force = move_branch(leg, out, ring, w_0, base)
        share_branch(leg, out, block.share, lane, moment, force)
        # what devices need of the driven joint, whose row of H is a gain times the link's axis
        j = actuated(leg)
        R = load9(out.R_BE)
        x = (R[0], R[3], R[6])
        put3(block.axis, 0, lane, x)
        arm = mat_vec(ring[0], load3(leg.l_C))
        put3(block.arm, 0, lane, arm)
        block.gain[lane] = dot(tail3(out.H[j]), x)
        block.drift[lane] = dot(x, load3(out.c))
        block.rate[lane] = out.rate[j]
        block.x[lane] = out.angle[j, 0]
        block.x_cos[lane] = out.angle[j, 1]
        block.margin[lane] = out.margin if out.status == LEG_FINE else 0.0
        block.reach[lane] = 0.0
        if is_hunt(leg):
            d = mat_t_vec(load9(leg.R_0), sub(add(ring[1], arm), load3(out.r[0])))
            rho2 = d[0] * d[0] + d[2] * d[2]
            block.reach[lane] = crank_cosine(leg, d[1], rho2, math.sqrt(rho2))


@kernel
def weigh_links(model, work, mechanism, k):
    """Gravity of the orbit on the links of leg k, on their axes about their origins. Writes work.branch given."""
    leg = model.leg[k]
    out = work.branch[k]
    own = work.mechanism[mechanism]
    base = work.body[model.joint[model.mechanism[mechanism].joint].pred]
    R_B = load9(own.R_WB)
    for j in range(inputs_of(leg)):
        i = link_after(leg, j)
        if i >= 0:
            R = mat_mat(R_B, load9(out.axes[j]))
            r = add(add(load3(base.p_WH), load3(own.p_HB)), mat_vec(R_B, load3(out.r[j])))
            s = mat_vec(R, scale(leg.mass[i], load3(leg.com[i])))
            J = turned_sym(R, load_sym(leg.inertia[i]))
            moment, force = link_gravity(model.settings[0], leg.mass[i], s, J, r)
            store6(out.given[j], mat_t_vec(R, moment), mat_t_vec(R, force))


@kernel
def branch_loads(leg, out, Q, base, u_dot, w_0, A_0, load):
    """Wrenches in a leg from the force in its cut joint, for an active force Q of the driven joint and an acceleration
    of the ring. Needs the branch's equations. Writes out acceleration cut load, and load as `leg_loads` does.
    """
    n = inputs_of(leg)
    for j in range(n):
        x = out.h[j]
        for i in range(6):
            x += out.H[j, i] * u_dot[i]
        out.acceleration[j] = x
    # lambda = C_d^-T (A p'' + F' A0 - b)
    lam = ZERO
    lam_4 = 0.0
    for j in range(n):
        x = -out.b[j] - (Q if j == actuated(leg) else 0.0)
        for i in range(n):
            x += out.A[j, i] * out.acceleration[i]
        for i in range(6):
            x += out.F[j, i] * A_0[i]
        lam = axpy(x, tail3(out.H[j]), lam)
        if j == spinning(leg):
            lam_4 = out.spin_gain * x
    store3(out.cut, lam)
    out.cut[3] = lam_4
    turned = scale(lam_4, load3(out.n_R)) if n == 4 else ZERO
    R = load9(out.axes[n - 1])
    on_last = mat_t_vec(R, lam)
    moment = add(cross(tip_of(leg), on_last), mat_t_vec(R, turned))
    _, v_0, a_0 = base
    sweep_out(leg, out, w_0, load3(A_0), tail3(A_0), axpy(2.0, cross(w_0, v_0), a_0))
    sweep_back(leg, out, scale(-1.0, moment), scale(-1.0, on_last))
    store_turned(load[0], load9(out.axes[0]), out.load[0])
    store_turned(load[1], R, out.load[n - 1])
    store6(load[2], scale(-1.0, turned), scale(-1.0, lam))


@pure
def store_turned(row, R, wrench):
    store6(row, mat_vec(R, load3(wrench)), mat_vec(R, tail3(wrench)))

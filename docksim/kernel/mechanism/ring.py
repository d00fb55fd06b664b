"""The docking mechanism in the tree: its ring is a body, its legs are what lies between the ring and its base.

The ring hangs on its base body by a free joint whose frames are B and C, so its coordinates, its ports, its loads and
what is joined to it are those of any body. Only the two passes differ at the ring: instead of being eliminated column
by column under known forces, its six coordinates are eliminated together with the six legs (module `reduction`), and
the base body receives P_m, z_m. Whatever hangs on the ring has by then been added to the ring's own inertia.
"""

from docksim.algebra.vec3 import (
    ZERO,
    add,
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
    transpose,
    turned_sym,
)
from docksim.kernel.basis.gravity import link_gravity
from docksim.kernel.basis.joints import joint_transform
from docksim.kernel.basis.spatial import (
    add_shifted_inertia,
    add_shifted_wrench,
    add_wrench,
    inertia_about_hinge,
    inertia_times,
    load_inertia,
    store6,
    tail3,
    turned_inertia,
)
from docksim.kernel.mechanism.base_joints import (
    couple_drive,
    find_drive_acceleration,
    place_base_joints,
    pushes,
    retraction,
)
from docksim.kernel.mechanism.branch import branch_loads, close_branches
from docksim.kernel.mechanism.couplings import (
    actuated,
    add_coupled_rotors,
    coupled_rotor_energy,
    coupling_jump_energy,
    forget_reactions,
    load_rotor_momenta,
    remember_couplings,
    rotor_reactions,
    spread_forces,
)
from docksim.kernel.mechanism.lanes import close_block, sum_block
from docksim.kernel.mechanism.leg_loads import leg_loads
from docksim.kernel.mechanism.leg_share import lane3, lane_base
from docksim.kernel.mechanism.legs import SMALL, column_sum, inputs_of, leg_motion, link_momentum, reduce_leg
from docksim.kernel.mechanism.reduction import add_leg
from docksim.kernel.mechanism.ring_equations import (
    add_total,
    eliminate_ring,
    ring_acceleration,
    shared_momenta,
    start_with_ring,
)
from docksim.model import OUT_OF_REACH, RUNNING, SINGULAR_LEG
from docksim.model.mechanism import SHARES
from docksim.model.tree import FORCED
from docksim.native.decorators import kernel, pure


@pure
def leg_closure(model, state, work):
    """The ring's motion against its base, and what all legs add to its equations.

    Reads state q beta mechanism clock, work.body R_WB w_WB; writes work.mechanism, block, branch, lost.
    """
    for i in range(model.mechanism.size):
        constant = model.mechanism[i]
        own = work.mechanism[i]
        joint = model.joint[constant.joint]
        base = work.body[joint.pred]
        R_C, r_C = joint_transform(joint, state.q)
        store9(own.R_WB, mat_mat(load9(base.R_WB), load9(joint.R_PF)))
        store9(own.R_BC, R_C)
        store3(own.p_BC, r_C)
        store3(own.p_HB, mat_vec(load9(base.R_WB), sub(load3(joint.p_PF), load3(base.p_BH))))
        store3(own.move, retraction(model, state, i))
        if constant.moves:
            place_base_joints(model, work, i)
        close_legs(model, state, work, i)
        for j in range(SHARES):
            own.total[j] = 0.0
        for j in range(constant.first_block, constant.first_block + constant.n_blocks):
            sum_block(work.block[j], own.total)
        note_lost_leg(model, work, constant)


@pure
def ring_and_base(model, state, work, i):
    """Pose and motion of a mechanism's ring against B, (R_C, r_C, w_C, v_C), and the rate of B that its legs see."""
    constant = model.mechanism[i]
    own = work.mechanism[i]
    joint = model.joint[constant.joint]
    R_C = load9(own.R_BC)
    v = joint.v
    w_C = mat_vec(R_C, (state.beta[v], state.beta[v + 1], state.beta[v + 2]))
    ring = (R_C, load3(own.p_BC), w_C, (state.beta[v + 3], state.beta[v + 4], state.beta[v + 5]))
    return ring, seen_rate(constant, mat_t_vec(load9(own.R_WB), load3(work.body[joint.pred].w_WB)))


@kernel
def close_legs(model, state, work, i):
    """Closure and shares of a mechanism's legs. Needs own R_B R_C r_C, and where its base joints are."""
    constant = model.mechanism[i]
    ring, w_0 = ring_and_base(model, state, work, i)
    if constant.by_joints:
        close_branches(model, work, i, ring, w_0)
        return
    for j in range(constant.first_block, constant.first_block + constant.n_blocks):
        close_block(model.block[j], work.block[j], ring, w_0)


@pure
def note_lost_leg(model, work, constant):
    """The first leg of a step, in any of its stages, that cannot follow its ring. Writes work.lost."""
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        leg = model.leg[k]
        block = work.block[leg.block]
        reach = block.reach[leg.lane]
        margin = block.margin[leg.lane]
        if abs(reach) > 1.0 or margin < SMALL:
            lost = work.lost[0]
            if lost.status == RUNNING:
                beyond = abs(reach) > 1.0
                lost.status = OUT_OF_REACH if beyond else SINGULAR_LEG
                lost.leg = k
                lost.value = reach if beyond else margin
            return


@pure
def seen_rate(constant, w_0):
    """Rate of the base in the mechanism's equations: none if the base is taken as inertial."""
    return scale(1.0 - constant.inertial_base, w_0)


@kernel
def detail_legs(model, state, work, mechanism):
    """A mechanism's legs link by link, gravity included, for loads and momenta. Needs the closure. Writes work.leg."""
    constant = model.mechanism[mechanism]
    (R_C, r_C, w_C, v_C), w_0 = ring_and_base(model, state, work, mechanism)
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        leg = model.leg[k]
        base = lane_base(model.block[leg.block], work.block[leg.block], leg.lane)
        leg_motion(leg, work.leg[k], R_C, r_C, w_C, v_C, w_0, base)
        for j in range(4):
            work.leg[k].Q[j] = 0.0
        work.leg[k].Q[actuated(leg)] = work.block[leg.block].Q[leg.lane]
        if model.settings[0].orbit_rate != 0.0:
            load_gravity(model, work, mechanism, k)


@kernel
def load_gravity(model, work, mechanism, k):
    """Gravity on the links of leg k is less to be demanded of its joints. Writes work.leg F N n."""
    out = work.leg[k]
    R = mat_mat(load9(work.mechanism[mechanism].R_WB), load9(out.R_BE))
    for i in range(2):
        m, mc, J, r, _, _ = leg_link_motion(model, work, mechanism, k, i)
        moment, force = link_gravity(model.settings[0], m, mc, J, r)
        moment = mat_t_vec(R, moment)
        force = mat_t_vec(R, force)
        store3(out.N[i], sub(load3(out.N[i]), moment))
        store3(out.F[i], sub(load3(out.F[i]), force))
        for j in range(inputs_of(model.leg[k])):
            out.n[j] -= dot(load3(out.g[i, j]), moment) + dot(load3(out.h[i, j]), force)


@kernel
def leg_gravity(model, work, mechanism):
    """Power of gravity on a mechanism's legs; moment about W's origin and force. Needs the legs in detail."""
    constant = model.mechanism[mechanism]
    power = 0.0
    total_moment = ZERO
    total_force = ZERO
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        for i in range(2):
            m, mc, J, r, w, v = leg_link_motion(model, work, mechanism, k, i)
            moment, force = link_gravity(model.settings[0], m, mc, J, r)
            power += dot(moment, w) + dot(force, v)
            total_moment = add(total_moment, add(moment, cross(r, force)))
            total_force = add(total_force, force)
    return power, total_moment, total_force


@kernel
def leg_details(model, state, work):
    """All legs link by link."""
    for i in range(model.mechanism.size):
        detail_legs(model, state, work, i)


@pure
def ring_articulation(model, state, work, k, n, f):
    """Backward pass at the ring: P_m and z_m to the base body; [n; f] = z + P bias of the ring on W axes.

    Reads work.body P, work.mechanism, block; writes work.mechanism, adds to the base body's P z.
    """
    link = state.link[k]
    joint = model.joint[link.joint]
    constant = model.mechanism[joint.mechanism]
    own = work.mechanism[joint.mechanism]
    base = work.body[link.parent]
    R_B = load9(own.R_WB)
    l = load3(own.p_HB)
    pull = base_pull(constant, work, base, l)
    A, B, C = load_inertia(work.body[k].P)
    on_B = turned_inertia(transpose(R_B), A, B, C)
    if constant.inertial_base:
        n, f = bias_at_rest(model.body[k], work.body[k], load3(base.w_WB))
    else:
        # B's own centripetal acceleration is in the ring's bias; here it belongs to A0
        moment, force = inertia_times(A, B, C, (0.0, 0.0, 0.0), pull)
        n = sub(n, moment)
        f = sub(f, force)
    start_with_ring(own, on_B, mat_t_vec(R_B, n), mat_t_vec(R_B, f), load3(own.p_BC))
    if work.impulsive[0] == 0.0 and (model.settings[0].orbit_rate == 0.0 or constant.by_joints):
        add_total(own, own.total, constant.leg_mass)
        add_leg_forces(model, work, constant, own)
    else:
        add_detailed_legs(model, work, constant, own)
    add_coupled_rotors(model, work, joint.mechanism)
    if pushes(state, work, joint.mechanism):
        detail_legs(model, state, work, joint.mechanism)
        couple_drive(model, state, work, joint.mechanism)
    if state.dof[joint.v].mode == FORCED:
        eliminate_ring(own)
    else:
        # the ring is held against the base: the mechanism is one rigid thing
        for i in range(21):
            own.P_m[i] = own.I[i]
        for i in range(6):
            own.z_m[i] = own.n_0[i]
    if constant.inertial_base:
        for i in range(21):
            own.P_m[i] = 0.0
    A, B, C = load_inertia(own.P_m)
    A, B, C = turned_inertia(R_B, A, B, C)
    moment, force = inertia_times(A, B, C, (0.0, 0.0, 0.0), pull)
    add_shifted_inertia(base.P, A, B, C, l)
    add_shifted_wrench(base.z, add(moment, mat_vec(R_B, load3(own.z_m))), add(force, mat_vec(R_B, tail3(own.z_m))), l)


@pure
def base_pull(constant, work, base, l):
    """Centripetal acceleration of B against the base body's hinge point; none while rates stand for accelerations."""
    w = load3(base.w_WB)
    return scale((1.0 - work.impulsive[0]) * (1.0 - constant.inertial_base), cross(w, cross(w, l)))


@pure
def bias_at_rest(constant, body, w_0):
    """The ring's bias as if its base stood still: its own gyroscopic terms without the base's rate; W axes."""
    w = load3(body.w_WB)
    J = inertia_about_hinge(constant.mass, load3(body.p_HC), turned_sym(load9(body.R_WB), load_sym(constant.inertia)))
    c = load3(body.p_HC)
    u = sub(w, w_0)
    n = sub(cross(u, sym_vec(J, u)), cross(w, sym_vec(J, w)))
    f = scale(constant.mass, sub(cross(u, cross(u, c)), cross(w, cross(w, c))))
    return add(load3(body.z), n), add(tail3(body.z), f)


@pure
def add_leg_forces(model, work, constant, own):
    """Forces of the devices, along the links on the ring joints. Adds to b*."""
    for i in range(constant.first_block, constant.first_block + constant.n_blocks):
        block = work.block[i]
        for k in range(model.block[i].n_legs):
            f = scale(block.gain[k] * block.Q[k], lane3(block.axis, k))
            add_wrench(own.b, cross(lane3(block.arm, k), f), f)


@kernel
def add_detailed_legs(model, work, constant, own):
    """The legs' sums from their details, whose loads may be momenta, or hold gravity."""
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        add_leg(model.leg[k], work.leg[k], own, load9(own.R_BC))


@pure
def ring_pass(model, state, work, k, w, v):
    """Forward pass at the ring; w, v: accelerations of the base body's hinge point. Writes work.dof beta_dot."""
    link = state.link[k]
    joint = model.joint[link.joint]
    constant = model.mechanism[joint.mechanism]
    own = work.mechanism[joint.mechanism]
    R_B = load9(own.R_WB)
    l = load3(own.p_HB)
    v_B = add(add(v, cross(w, l)), base_pull(constant, work, work.body[link.parent], l))
    store6(own.A_0, mat_t_vec(R_B, w), mat_t_vec(R_B, v_B))
    if constant.inertial_base:
        store6(own.A_0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    if state.dof[joint.v].mode == FORCED:
        ring_acceleration(own, own.A_0, own.u_dot)
    else:
        store6(own.u_dot, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    if pushes(state, work, joint.mechanism):
        find_drive_acceleration(own)
    turn = mat_t_vec(load9(own.R_BC), load3(own.u_dot))
    for i in range(3):
        work.dof[joint.v + i].beta_dot = turn[i]
        work.dof[joint.v + 3 + i].beta_dot = own.u_dot[3 + i]


@kernel
def leg_link_motion(model, work, mechanism, k, i):
    """Link i of leg k on W axes: mass, first moment, inertia, hinge position, angular velocity, hinge velocity."""
    own = work.mechanism[mechanism]
    base = work.body[model.joint[model.mechanism[mechanism].joint].pred]
    out = work.leg[k]
    n = inputs_of(model.leg[k])
    R = mat_mat(load9(own.R_WB), load9(out.R_BE))
    J = out.J[i]
    w_0 = load3(base.w_WB)
    arm = add(load3(own.p_HB), mat_vec(load9(own.R_WB), load3(out.l_0)))
    arm = add(arm, mat_vec(R, load3(out.rho[i])))
    w = add(w_0, mat_vec(R, column_sum(out.g[i], out.y, n)))
    v = add(mat_vec(load9(own.R_WB), load3(out.v_0)), mat_vec(R, column_sum(out.h[i], out.y, n)))
    v = add(v, add(load3(base.v_WH), cross(w_0, arm)))
    inertia = turned_sym(R, (J[0], J[1], J[2], J[3], J[4], J[5]))
    return out.m[i], mat_vec(R, load3(out.mc[i])), inertia, add(load3(base.p_WH), arm), w, v


@kernel
def leg_momenta(model, work, mechanism):
    """Angular momentum about W's origin, linear momentum, kinetic energy of a mechanism's legs and of what moves their
    base joints. Needs the closure."""
    constant = model.mechanism[mechanism]
    h = (0.0, 0.0, 0.0)
    p = (0.0, 0.0, 0.0)
    energy = 0.0
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        for i in range(2):
            m, mc, J, r, w, v = leg_link_motion(model, work, mechanism, k, i)
            p_i = axpy(m, v, cross(w, mc))
            h_i = add(sym_vec(J, w), cross(mc, v))
            energy += 0.5 * (dot(w, h_i) + dot(v, p_i))
            p = add(p, p_i)
            h = add(h, add(h_i, cross(r, p_i)))
        for j in range(4):
            rate = work.leg[k].rate[j]
            energy += 0.5 * model.leg[k].rotor[j] * rate * rate
    rate = work.mechanism[mechanism].move[1]
    energy += 0.5 * constant.drive_mass * rate * rate
    return h, p, energy + coupled_rotor_energy(model, work, mechanism)


@kernel
def leg_sums(model, state, work, mechanism):
    """The same from what the legs add to the ring's equations, which is far cheaper: with V = [w; v] the motion of B
    and u that of the ring against B, momentum I* V + G* u, energy (V I* V + 2 V G* u + u A* u) / 2. Only while base
    joints move are the legs taken link by link. Needs the closure.
    """
    constant = model.mechanism[mechanism]
    own = work.mechanism[mechanism]
    if own.move[1] != 0.0:
        detail_legs(model, state, work, mechanism)
        return leg_momenta(model, work, mechanism)
    joint = model.joint[constant.joint]
    base = work.body[joint.pred]
    R_B = load9(own.R_WB)
    w_0 = load3(base.w_WB)
    w = mat_t_vec(R_B, w_0)
    v = mat_t_vec(R_B, add(load3(base.v_WH), cross(w_0, load3(own.p_HB))))
    i = joint.v
    w_C = mat_vec(load9(own.R_BC), (state.beta[i], state.beta[i + 1], state.beta[i + 2]))
    v_C = (state.beta[i + 3], state.beta[i + 4], state.beta[i + 5])
    n, f, with_base, alone = shared_momenta(own.total, constant.leg_mass, w, v, w_C, v_C)
    energy = 0.5 * (dot(w, n) + dot(v, f) + with_base + alone) + coupled_rotor_energy(model, work, mechanism)
    p = mat_vec(R_B, f)
    return add(mat_vec(R_B, n), cross(add(load3(base.p_WH), load3(own.p_HB)), p)), p, energy


@kernel
def mechanism_leg_loads(model, state, work, mechanism):
    """Wrenches in all legs of a mechanism. Needs work evaluated at the state. Writes work.leg, load included."""
    constant = model.mechanism[mechanism]
    own = work.mechanism[mechanism]
    rotor_reactions(model, work, mechanism)
    spread_forces(model, work, mechanism)
    detail_legs(model, state, work, mechanism)
    w_0 = seen_rate(constant, mat_t_vec(load9(own.R_WB), load3(work.body[model.joint[constant.joint].pred].w_WB)))
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        leg = model.leg[k]
        if constant.by_joints:
            Q = work.block[leg.block].Q[leg.lane]
            base = lane_base(model.block[leg.block], work.block[leg.block], leg.lane)
            branch_loads(leg, work.branch[k], Q, base, own.u_dot, w_0, own.A_0, work.leg[k].load)
        else:
            leg_loads(leg, work.leg[k], load9(own.R_BC), own.u_dot, own.A_0)
    forget_reactions(model, work, mechanism)
    spread_forces(model, work, mechanism)


@kernel
def remember_legs(model, work):
    """Twists of the links before an impulse, on E axes. Writes work.leg before."""
    for i in range(model.mechanism.size):
        constant = model.mechanism[i]
        for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
            R = mat_mat(load9(work.mechanism[i].R_WB), load9(work.leg[k].R_BE))
            for j in range(2):
                _, _, _, _, w, v = leg_link_motion(model, work, i, k, j)
                store6(work.leg[k].before[j], mat_t_vec(R, w), mat_t_vec(R, v))
            for j in range(4):
                work.leg[k].rate_before[j] = work.leg[k].rate[j]
    remember_couplings(model, work)


@kernel
def load_leg_momenta(model, work):
    """The legs' loads become their momenta before the impulse, but for a base joint's own motion, which goes on.

    Writes work.leg F N n y_0 Q.
    """
    for k in range(model.leg.size):
        out = work.leg[k]
        v_0 = mat_t_vec(load9(out.R_BE), load3(out.v_0))
        for i in range(2):
            w = scale(-1.0, load3(out.before[i]))
            force, moment = link_momentum(out, i, w, sub(v_0, tail3(out.before[i])))
            store3(out.F[i], force)
            store3(out.N[i], moment)
        store3(out.y_0, scale(-1.0, v_0))
        out.y_0[3] = 0.0
        for j in range(4):
            out.Q[j] = model.leg[k].rotor[j] * out.rate_before[j]
        reduce_leg(model.leg[k], out, inputs_of(model.leg[k]))
    load_rotor_momenta(model, work)


@kernel
def leg_jump_energy(model, work):
    """Energy of the links' velocity jump. Needs the closure after the impulse, and what was remembered before."""
    energy = 0.0
    for i in range(model.mechanism.size):
        constant = model.mechanism[i]
        for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
            out = work.leg[k]
            R = mat_mat(load9(work.mechanism[i].R_WB), load9(out.R_BE))
            for j in range(2):
                _, _, _, _, w, v = leg_link_motion(model, work, i, k, j)
                dw = sub(mat_t_vec(R, w), load3(out.before[j]))
                dv = sub(mat_t_vec(R, v), tail3(out.before[j]))
                force, moment = link_momentum(out, j, dw, dv)
                energy += 0.5 * (dot(dw, moment) + dot(dv, force))
            for j in range(4):
                jump = out.rate[j] - out.rate_before[j]
                energy += 0.5 * model.leg[k].rotor[j] * jump * jump
    return energy + coupling_jump_energy(model, work)

"""Base joints of a mechanism that move: where they are on their ways, and what moves them.

The retraction s is the fraction of the way that all base joints of a mechanism have made. With the way l(s) of a joint,
a straight line or a spline, its tangent t and its curvature t_s,

    l_0 = home + l(s),    l_0' = t s',    l_0'' = t s'' + t_s s'^2

and s follows a quintic, or a drive with a mass of its own (module `drives`). A drive that pushes with all its force is
one more equation beside the ring's six. The loads on the base joints along their ways are affine in the accelerations:

    A* u' + G*' A0 + a s'' = b*,   wrench = I* A0 + G* u' + g s'' + n0*,   m s'' + a' u' + g' A0 = f

with a, g and m from the legs in detail: on the axes E of a link, a unit of s'' moves the base joint by tau = R' t,
which takes tau from the leg's inputs and gives it to its base joint. Eliminating s'' leaves the ring's equations in
their form, each sum less a product of a and g over m; so the coupling is exact.
"""

from docksim.algebra.vec3 import add, axpy, cross, dot, load3, load9, mat_t_vec, mat_vec, scale
from docksim.kernel.basis.coordinates import landing_move, piece_of
from docksim.kernel.basis.spatial import tail3
from docksim.kernel.mechanism.couplings import add_outer, coupling_row
from docksim.kernel.mechanism.leg_share import lane3, put3
from docksim.kernel.mechanism.legs import inputs_of
from docksim.kernel.mechanism.reduction import input_force
from docksim.model.mechanism import BRAKING, FOLLOWING, LANES, PUSHING
from docksim.model.tree import DRIVEN
from docksim.native.decorators import kernel, pure


@pure
def retraction(model, state, i):
    """Part of the base joints' travel that a mechanism has made, its rate and acceleration; of a drive that pushes
    with all its force the acceleration is found later."""
    own = state.retraction[i]
    if own.phase == FOLLOWING:
        return own.fraction, own.rate, told_acceleration(model.mechanism[i], own)
    if model.mechanism[i].drive_mass > 0.0:
        return own.fraction, own.rate, own.acceleration if own.phase == BRAKING else 0.0
    if own.mode != DRIVEN:
        return own.drive_from, 0.0, 0.0
    return landing_move(model.profile[own.profile], own, state.clock[0].t)


@kernel
def way_of(model, leg, s):
    """Way of a base joint at s, its tangent and its curvature; a curve goes on straight behind its end."""
    if leg.n_knots == 0:
        return scale(s, load3(leg.travel)), load3(leg.travel), (0.0, 0.0, 0.0)
    first = piece_of(model, leg, s)
    x = s - model.knot[first].time
    c = model.knot[first].c
    d = model.knot[first + leg.n_knots].c
    e = model.knot[first + 2 * leg.n_knots].c
    return (
        (
            c[0] + x * (c[1] + x * (c[2] + x * c[3])),
            d[0] + x * (d[1] + x * (d[2] + x * d[3])),
            e[0] + x * (e[1] + x * (e[2] + x * e[3])),
        ),
        (
            c[1] + x * (2.0 * c[2] + 3.0 * x * c[3]),
            d[1] + x * (2.0 * d[2] + 3.0 * x * d[3]),
            e[1] + x * (2.0 * e[2] + 3.0 * x * e[3]),
        ),
        (2.0 * c[2] + 6.0 * x * c[3], 2.0 * d[2] + 6.0 * x * d[3], 2.0 * e[2] + 6.0 * x * e[3]),
    )


@kernel
def place_base_joints(model, work, mechanism):
    """Base joints where the retraction has brought them. Reads own move; writes work.block way v_0 a_0 tangent."""
    constant = model.mechanism[mechanism]
    s, rate, acceleration = load3(work.mechanism[mechanism].move)
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        leg = model.leg[k]
        block = work.block[leg.block]
        way, tangent, bend = way_of(model, leg, s)
        # empty lanes go with the last leg
        for lane in range(leg.lane, LANES if leg.lane == model.block[leg.block].n_legs - 1 else leg.lane + 1):
            put3(block.way, 0, lane, way)
            put3(block.v_0, 0, lane, scale(rate, tangent))
            put3(block.a_0, 0, lane, axpy(rate * rate, bend, scale(acceleration, tangent)))
            put3(block.tangent, 0, lane, tangent)


@pure
def pushes(state, work, mechanism):
    """Is the retraction's acceleration to be found with the others? Impulses leave its rate as it is."""
    return state.retraction[mechanism].phase == PUSHING and work.impulsive[0] == 0.0


@pure
def ahead(own):
    """Which way a drive is to go."""
    return 1.0 if own.target >= own.fraction else -1.0


@pure
def told_acceleration(constant, own):
    """Of a rate loop whose rate falls with the way left; critically damped before the target."""
    T = constant.drive_response
    rate = (own.target - own.fraction) / (4.0 * T)
    return (min(max(rate, -own.rate_limit), own.rate_limit) - own.rate) / T


@kernel
def add_leg_to_drive(leg, out, own, d_C, t):
    """One leg's share of a, g, m, f. Reads the leg in detail; adds to own."""
    n = inputs_of(leg)
    R = load9(out.R_BE)
    tau = mat_t_vec(R, t)
    # force and moment that a unit of s'' demands through the base joint, with the ring at rest
    rho = load3(out.rho[1])
    first = add(load3(out.mc[0]), axpy(out.m[1], rho, load3(out.mc[1])))
    force = scale(out.m[0] + out.m[1], tau)
    moment = cross(first, tau)
    for j in range(3):
        force = axpy(-tau[j], load3(out.G_F[j]), force)
        moment = axpy(-tau[j], load3(out.G_N[j]), moment)
    # and of the ring, through the inputs
    cut_0, cut_1, cut_2 = cut_by_drive(out, 0, tau), cut_by_drive(out, 1, tau), cut_by_drive(out, 2, tau)
    cut = mat_vec(R, (cut_0, cut_1, cut_2))
    turn = cut_by_drive(out, 3, tau) if n == 4 else 0.0
    own.by_itself += dot(tau, force) - dot(t, cut)
    # the base joint's load at zero accelerations
    load = add(load3(out.F[0]), load3(out.F[1]))
    for j in range(n):
        load = axpy(out.y_0[j], load3(out.G_F[j]), load)
    load = add(load, (input_force(out, 0, n), input_force(out, 1, n), input_force(out, 2, n)))
    own.free_force -= dot(tau, load)
    by_ring = axpy(turn, load3(out.n_R), cross(d_C, cut))
    at_base = mat_vec(R, force)
    by_base = add(mat_vec(R, moment), cross(load3(out.l_0), at_base))
    for j in range(3):
        own.by_ring[j] += by_ring[j]
        own.by_ring[j + 3] += cut[j]
        own.by_base[j] += by_base[j]
        own.by_base[j + 3] += at_base[j]


@pure
def cut_by_drive(out, i, tau):
    """Force of the ring on the leg through input i by s''."""
    return dot(load3(out.G_F[i]), tau) - (out.M[i, 0] * tau[0] + out.M[i, 1] * tau[1] + out.M[i, 2] * tau[2])


@kernel
def add_rotors_to_drive(model, work, mechanism):
    """Rotors behind couplings turn with the base joints too. Adds to own."""
    constant = model.mechanism[mechanism]
    own = work.mechanism[mechanism]
    for i in range(constant.first_coupling, constant.first_coupling + constant.n_couplings):
        J = model.shaft[i].rotor
        turn, travel, drift = coupling_row(model.shaft[i], work.shaft, constant.first_leg)
        by_drive = 0.0
        for k in range(constant.n_legs):
            leg = model.leg[constant.first_leg + k]
            tangent = lane3(work.block[leg.block].tangent, leg.lane)
            by_drive -= model.shaft[i].weight[k] * dot(load3(work.shaft[constant.first_leg + k].travel), tangent)
        own.by_itself += J * by_drive * by_drive
        own.free_force -= J * by_drive * drift
        for j in range(3):
            own.by_ring[j] += J * by_drive * turn[j]
            own.by_ring[j + 3] += J * by_drive * travel[j]


@kernel
def couple_drive(model, state, work, mechanism):
    """The drive's equation, eliminated from those of the ring. Needs the legs in detail.

    Writes own by_ring by_base by_itself free_force drive_force; changes own A b G n_0 I.
    """
    constant = model.mechanism[mechanism]
    own = work.mechanism[mechanism]
    own.drive_force = ahead(state.retraction[mechanism]) * state.retraction[mechanism].force_limit
    own.free_force = own.drive_force
    own.by_itself = constant.drive_mass
    for j in range(6):
        own.by_ring[j] = 0.0
        own.by_base[j] = 0.0
    for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
        leg = model.leg[k]
        d_C = mat_vec(load9(own.R_BC), load3(leg.l_C))
        add_leg_to_drive(leg, work.leg[k], own, d_C, lane3(work.block[leg.block].tangent, leg.lane))
    add_rotors_to_drive(model, work, mechanism)
    q = 1.0 / own.by_itself
    add_outer(own.A, -q, load3(own.by_ring), tail3(own.by_ring))
    add_outer(own.I, -q, load3(own.by_base), tail3(own.by_base))
    for i in range(6):
        own.b[i] -= q * own.free_force * own.by_ring[i]
        own.n_0[i] += q * own.free_force * own.by_base[i]
        for j in range(6):
            own.G[i, j] -= q * own.by_base[i] * own.by_ring[j]


@kernel
def find_drive_acceleration(own):
    """s'' from the accelerations of ring and base. Writes own move."""
    force = own.free_force
    for i in range(6):
        force -= own.by_ring[i] * own.u_dot[i] + own.by_base[i] * own.A_0[i]
    own.move[2] = force / own.by_itself

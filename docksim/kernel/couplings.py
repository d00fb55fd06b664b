"""Couplings of the legs' driven coordinates, s = D p_a, as differentials form them, and the rotors behind them.

A rotor of inertia J behind a differential weighs J (D p_a')² / 2, so it couples the legs: with H_a, h_a the closure of
the driven joints, p_a'' = H_a u' + h_a, the ring's equations get A* += J (D H_a)' (D H_a), b* -= J (D H_a)' (D h_a).
Like all reflected rotors it is felt by the relative motion alone and carries no momentum. Joint loads follow from
active forces less what turns the rotors, Q_a - D' J D p_a''.
"""

import math

from docksim.kernel.jit import kernel, pure
from docksim.kernel.joints import ZERO
from docksim.kernel.legs import inputs_of, is_hunt
from docksim.kernel.vec3 import axpy, cross, dot, load3, load9, mat_vec, scale


@pure
def actuated(leg):
    """Which kept joint is driven: the crank, or the stroke."""
    return 0 if is_hunt(leg) else inputs_of(leg) - 1


@pure
def actuated_coordinate(leg, out):
    """Crank angle or stroke."""
    if is_hunt(leg):
        return math.atan2(out.angle[0, 0], out.angle[0, 1])
    return out.angle[inputs_of(leg) - 1, 0]


@pure
def driven_gain(leg, out):
    """Rate of the stroke or crank by the ring joint's velocity along the link, and the link's axis in B."""
    R = out.R
    return out.column[actuated(leg), 0], (R[0], R[3], R[6])


@pure
def driven_row(leg, out, R_C):
    """Row of H_a (turn, travel) and h_a of one leg: its driven rate is a gain times the ring joint's along the link."""
    gain, x_axis = driven_gain(leg, out)
    travel = scale(gain, x_axis)
    return cross(mat_vec(R_C, load3(leg.l_C)), travel), travel, gain * out.y_0[0]


@kernel
def coupling_row(shaft, legs, outs, first, R_C):
    """Row of D H_a (turn, travel), and D h_a."""
    turn = ZERO
    travel = ZERO
    drift = 0.0
    for k in range(6):
        weight = shaft.weight[k]
        if weight != 0.0:
            turn_k, travel_k, drift_k = driven_row(legs[first + k], outs[first + k], R_C)
            turn = axpy(weight, turn_k, turn)
            travel = axpy(weight, travel_k, travel)
            drift += weight * drift_k
    return turn, travel, drift


@kernel
def add_rotors(shafts, begin, end, legs, outs, first, own, R_C):
    """Rotors behind the couplings begin..end of a mechanism whose legs start at `first`. Adds to own A b."""
    for i in range(begin, end):
        J = shafts[i].rotor
        if J > 0.0:
            turn, travel, drift = coupling_row(shafts[i], legs, outs, first, R_C)
            add_outer(own.A, J, turn, travel)
            for j in range(3):
                own.b[j] -= J * drift * turn[j]
                own.b[j + 3] -= J * drift * travel[j]


@pure
def add_coupled_rotors(model, work, mechanism):
    """The same for a mechanism in the tree. Adds to work.mechanism A b."""
    constant = model.mechanism[mechanism]
    own = work.mechanism[mechanism]
    begin = constant.first_coupling
    end = begin + constant.n_couplings
    if end > begin:
        add_rotors(model.shaft, begin, end, model.leg, work.leg, constant.first_leg, own, load9(own.R_C))


@pure
def add_outer(P, J, turn, travel):
    """P + J [turn; travel] [turn; travel]', a spatial inertia in 21 numbers."""
    add_square(P[0:6], J, turn)
    add_square(P[15:21], J, travel)
    for i in range(3):
        for j in range(3):
            P[6 + 3 * i + j] += J * turn[i] * travel[j]


@pure
def add_square(S, J, a):
    S[0] += J * a[0] * a[0]
    S[1] += J * a[1] * a[1]
    S[2] += J * a[2] * a[2]
    S[3] += J * a[0] * a[1]
    S[4] += J * a[0] * a[2]
    S[5] += J * a[1] * a[2]


@kernel
def rotor_reactions(model, work, mechanism):
    """What turns the rotors behind a mechanism's couplings. Needs own.u_dot. Writes work.shaft reaction."""
    constant = model.mechanism[mechanism]
    own = work.mechanism[mechanism]
    u_dot = own.u_dot
    for i in range(constant.first_coupling, constant.first_coupling + constant.n_couplings):
        turn, travel, drift = coupling_row(model.shaft[i], model.leg, work.leg, constant.first_leg, load9(own.R_C))
        s = dot(turn, (u_dot[0], u_dot[1], u_dot[2])) + dot(travel, (u_dot[3], u_dot[4], u_dot[5])) + drift
        work.shaft[i].reaction = model.shaft[i].rotor * s


@kernel
def forget_reactions(model, work, mechanism):
    """Back to the active forces. Writes work.shaft reaction."""
    constant = model.mechanism[mechanism]
    for i in range(constant.first_coupling, constant.first_coupling + constant.n_couplings):
        work.shaft[i].reaction = 0.0


@pure
def spread_forces(model, work, mechanism):
    """Forces of all shafts on the legs' driven joints, less what turns the rotors. Writes work.leg Q."""
    constant = model.mechanism[mechanism]
    first = constant.first_leg
    for k in range(first, first + constant.n_legs):
        work.leg[k].Q[actuated(model.leg[k])] = work.shaft[k].tau
    for i in range(constant.first_coupling, constant.first_coupling + constant.n_couplings):
        spread(model, work, i, work.shaft[i].tau - work.shaft[i].reaction)


@kernel
def spread(model, work, i, force):
    """A force on coupling i acts on its legs by their weights. Adds to work.leg Q."""
    shaft = model.shaft[i]
    first = model.mechanism[shaft.mechanism].first_leg
    for k in range(6):
        if shaft.weight[k] != 0.0:
            work.leg[first + k].Q[actuated(model.leg[first + k])] += shaft.weight[k] * force


@kernel
def coupling_rate(model, work, i):
    """s' = D p_a'. Needs the closure."""
    shaft = model.shaft[i]
    first = model.mechanism[shaft.mechanism].first_leg
    rate = 0.0
    for k in range(6):
        if shaft.weight[k] != 0.0:
            rate += shaft.weight[k] * work.leg[first + k].rate[actuated(model.leg[first + k])]
    return rate


@kernel
def coupled_rotor_energy(model, work, mechanism):
    """Kinetic energy of the rotors behind a mechanism's couplings. Needs the closure."""
    constant = model.mechanism[mechanism]
    energy = 0.0
    for i in range(constant.first_coupling, constant.first_coupling + constant.n_couplings):
        rate = coupling_rate(model, work, i)
        energy += 0.5 * model.shaft[i].rotor * rate * rate
    return energy


@kernel
def remember_couplings(model, work):
    """Rates before an impulse. Writes work.shaft rate_before."""
    for i in range(model.leg.size, model.shaft.size):
        work.shaft[i].rate_before = coupling_rate(model, work, i)


@kernel
def load_rotor_momenta(model, work):
    """Loads of an impulse: the rotors' momenta before it. Adds to work.leg Q."""
    for i in range(model.leg.size, model.shaft.size):
        spread(model, work, i, model.shaft[i].rotor * work.shaft[i].rate_before)


@kernel
def coupling_jump_energy(model, work):
    """Energy of the rotors' velocity jump. Needs the closure after the impulse, and the rates before."""
    energy = 0.0
    for i in range(model.leg.size, model.shaft.size):
        jump = coupling_rate(model, work, i) - work.shaft[i].rate_before
        energy += 0.5 * model.shaft[i].rotor * jump * jump
    return energy

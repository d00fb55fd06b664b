"""Couplings of the legs' driven coordinates, s = D p_a, as differentials form them, and the rotors behind them.

A rotor of inertia J behind a differential weighs J (D p_a')² / 2, so it couples the legs: with H_a, h_a the closure of
the driven joints, p_a'' = H_a u' + h_a, the ring's equations get A* += J (D H_a)' (D H_a), b* -= J (D H_a)' (D h_a).
Like all reflected rotors it is felt by the relative motion alone and carries no momentum. Joint loads follow from
active forces less what turns the rotors, Q_a - D' J D p_a''.
"""

from docksim.algebra.elementary import atan2
from docksim.algebra.vec3 import ZERO, axpy, cross, dot, load3, mat_vec, scale, store3
from docksim.kernel.mechanism.leg_share import lane3
from docksim.kernel.mechanism.legs import inputs_of, is_hunt
from docksim.native.decorators import kernel, pure


@pure
def actuated(leg):
    """Which kept joint is driven: the crank, or the stroke."""
    return 0 if is_hunt(leg) else inputs_of(leg) - 1


@pure
def actuated_coordinate(leg, work):
    """Crank angle or stroke. Needs the closure."""
    block = work.block[leg.block]
    if is_hunt(leg):
        return atan2(block.x[leg.lane], block.x_cos[leg.lane])
    return block.x[leg.lane]


@pure
def write_row(row, gain, axis, arm, drift):
    """Row of H_a (turn, travel) and h_a of one leg: its driven rate is a gain times the ring joint's along the link."""
    travel = scale(gain, axis)
    store3(row.turn, cross(arm, travel))
    store3(row.travel, travel)
    row.drift = gain * drift


@kernel
def driven_rows(model, work):
    """H_a and h_a of all legs. Needs the closure. Writes work.shaft turn travel drift."""
    for k in range(model.leg.size):
        lane = model.leg[k].lane
        block = work.block[model.leg[k].block]
        write_row(work.shaft[k], block.gain[lane], lane3(block.axis, lane), lane3(block.arm, lane), block.drift[lane])


@pure
def detailed_row(row, leg, out, R_C):
    """The same of a leg in detail."""
    R = out.R_BE
    write_row(row, out.column[actuated(leg), 0], (R[0], R[3], R[6]), mat_vec(R_C, load3(leg.l_C)), out.y_0[0])


@kernel
def coupling_row(shaft, rows, first):
    """Row of D H_a (turn, travel), and D h_a, from the rows of the legs that start at `first`."""
    turn = ZERO
    travel = ZERO
    drift = 0.0
    for k in range(6):
        weight = shaft.weight[k]
        if weight != 0.0:
            turn = axpy(weight, load3(rows[first + k].turn), turn)
            travel = axpy(weight, load3(rows[first + k].travel), travel)
            drift += weight * rows[first + k].drift
    return turn, travel, drift


@kernel
def add_rotors(shafts, begin, end, rows, first, own):
    """Rotors behind the couplings begin..end of a mechanism whose legs start at `first`. Adds to own A b."""
    for i in range(begin, end):
        J = shafts[i].rotor
        if J > 0.0:
            turn, travel, drift = coupling_row(shafts[i], rows, first)
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
        add_rotors(model.shaft, begin, end, work.shaft, constant.first_leg, own)


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
        turn, travel, drift = coupling_row(model.shaft[i], work.shaft, constant.first_leg)
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
    """Forces of all shafts on the legs' driven joints, less what turns the rotors. Writes work.block Q."""
    constant = model.mechanism[mechanism]
    first = constant.first_leg
    for k in range(first, first + constant.n_legs):
        work.block[model.leg[k].block].Q[model.leg[k].lane] = work.shaft[k].tau
    for i in range(constant.first_coupling, constant.first_coupling + constant.n_couplings):
        spread(model, work, i, work.shaft[i].tau - work.shaft[i].reaction)


@kernel
def spread(model, work, i, force):
    """A force on coupling i acts on its legs by their weights. Adds to work.block Q."""
    shaft = model.shaft[i]
    first = model.mechanism[shaft.mechanism].first_leg
    for k in range(6):
        if shaft.weight[k] != 0.0:
            leg = model.leg[first + k]
            work.block[leg.block].Q[leg.lane] += shaft.weight[k] * force


@kernel
def coupling_rate(model, work, i):
    """s' = D p_a'. Needs the closure."""
    shaft = model.shaft[i]
    first = model.mechanism[shaft.mechanism].first_leg
    rate = 0.0
    for k in range(6):
        if shaft.weight[k] != 0.0:
            leg = model.leg[first + k]
            rate += shaft.weight[k] * work.block[leg.block].rate[leg.lane]
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
        if model.shaft[i].mechanism >= 0:
            work.shaft[i].rate_before = coupling_rate(model, work, i)


@kernel
def load_rotor_momenta(model, work):
    """Loads of an impulse: the rotors' momenta before it; rates drift as the legs' inputs do. Needs the legs' loads.

    Adds to work.leg Q; writes work.shaft turn travel drift.
    """
    driven_rows(model, work)
    for k in range(model.leg.size):
        leg = model.leg[k]
        work.shaft[k].drift = work.block[leg.block].gain[leg.lane] * work.leg[k].y_0[0]
    for i in range(model.leg.size, model.shaft.size):
        shaft = model.shaft[i]
        if shaft.mechanism < 0:
            continue
        first = model.mechanism[shaft.mechanism].first_leg
        momentum = shaft.rotor * work.shaft[i].rate_before
        for k in range(6):
            work.leg[first + k].Q[actuated(model.leg[first + k])] += shaft.weight[k] * momentum


@kernel
def coupling_jump_energy(model, work):
    """Energy of the rotors' velocity jump. Needs the closure after the impulse, and the rates before."""
    energy = 0.0
    for i in range(model.leg.size, model.shaft.size):
        if model.shaft[i].mechanism >= 0:
            jump = coupling_rate(model, work, i) - work.shaft[i].rate_before
            energy += 0.5 * model.shaft[i].rotor * jump * jump
    return energy

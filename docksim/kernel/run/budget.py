"""The energy budget of a run and its momenta, once every whole step: what the run is judged by.

Residual of the energy: kinetic and potential energy gained since the first step, less all work done. Of the momenta:
gained since the first step, less the impulse of all outer wrenches. Both are the integrator's error and nothing else.

Approach energy: when two interfaces first meet, each side is taken as one rigid thing, with the mass and inertia of all
that hangs together there, the velocity of its mass centre, and the rate of its main body (the first of its tree). With
M1, M2 their spatial inertias about one point and V the difference of their velocities there, the energy of their
relative motion is V' (M1^-1 + M2^-1)^-1 V / 2: what forces between the two can take at most, if they end as one. It is
the same in every frame: what turns or flies along with both does not count, nor do wheels that spin. An anchored side
has no M^-1. Where one tree holds both (an arm has grasped one), a side is what belongs to its vehicle.
"""

import math

from docksim.algebra.vec3 import (
    add,
    axpy,
    cross,
    dot,
    load3,
    load9,
    load_sym,
    mat_t_vec,
    mat_vec,
    scale,
    store3,
    sub,
    sym_vec,
    turned_sym,
)
from docksim.kernel.basis.spatial import add_shifted_inertia, inertia_solve, inertia_times, load_inertia, tail3
from docksim.kernel.contact.parting import parting_energy
from docksim.kernel.mechanism.ring import leg_details, leg_sums
from docksim.kernel.mechanism.ring_equations import skew
from docksim.kernel.mechanism.shafts import stored_energy
from docksim.kernel.tree.closures import closure_energy
from docksim.kernel.tree.energy import body_inertia, joint_potential, kinetic_energy, total_momentum
from docksim.kernel.tree.topology import is_anchored, tree_head
from docksim.model import N_WORKS
from docksim.model.mechanism import SHARE_I
from docksim.model.parting import HOOK, ROD, SEAL
from docksim.native.decorators import kernel, pure


@kernel
def potential_energy(model, state, work):
    """Stored in springs and stops, in what pushes two bodies apart, contacts, latches, joints. Prescribed ones count.

    Needs work evaluated at the state.
    """
    energy = 0.0
    for k in range(model.shaft.size):
        energy += stored_energy(model, work, k)
    for i in range(state.order.size):
        energy += joint_potential(model, state, model.joint[state.link[state.order[i]].joint])
    for i in range(model.parting.size):
        for kind in (ROD, SEAL, HOOK):
            energy += parting_energy(model, state, work, i, kind)
    for i in range(model.contact.size):
        energy += work.contact[i].stored
    for i in range(model.joined.size):
        energy += state.joined[i].stored
    if state.closing[0].on > 0:
        energy += closure_energy(model, state, work)
    return energy


@kernel
def note_budget(model, state, work):
    """Energies and momenta now, residuals, the largest of all. Needs work at the state. Writes state.budget."""
    own = state.budget[0]
    first = own.begun == 0
    own.kinetic, h, p, m = sum_parts(model, state, work, first)
    common = 0.0 if holds_on(model, state) else 0.5 * dot(p, p) / m
    own.potential = potential_energy(model, state, work)
    store3(own.angular_momentum, h)
    store3(own.linear_momentum, p)
    h = sub(h, load3(state.impulse))
    p = sub(p, tail3(state.impulse))
    works = 0.0
    sizes = 0.0
    for i in range(N_WORKS):
        own.work[i] = state.work_done[i]
        works += own.work[i]
        sizes += abs(own.work[i])
        own.largest_work = max(own.largest_work, abs(own.work[i]))
    if first:
        own.begun = 1
        own.kinetic_start = own.kinetic
        own.potential_start = own.potential
        own.work_start = works
        own.common_start = common
        own.least_inner = own.kinetic - common
        own.largest_inner = own.kinetic - common
        store3(own.angular_start, h)
        store3(own.linear_start, p)
    gained = (own.kinetic - own.kinetic_start) + (own.potential - own.potential_start)
    h = sub(h, load3(own.angular_start))
    p = sub(p, load3(own.linear_start))
    own.residual = max(own.residual, abs(gained - (works - own.work_start)))
    own.largest_kinetic = max(own.largest_kinetic, own.kinetic)
    own.least_inner = min(own.least_inner, own.kinetic - common)
    own.largest_inner = max(own.largest_inner, own.kinetic - common)
    pushed = abs(common - own.common_start)
    own.largest_common = max(own.largest_common, pushed)
    own.largest_energy = max(own.largest_energy, abs(own.kinetic) + abs(own.potential))
    own.largest_works = max(own.largest_works, sizes - pushed)
    own.angular_residual = max(own.angular_residual, math.sqrt(dot(h, h)))
    own.linear_residual = max(own.linear_residual, math.sqrt(dot(p, p)))
    own.largest_angular_traffic = max(own.largest_angular_traffic, own.angular_traffic)
    own.largest_linear_traffic = max(own.largest_linear_traffic, own.linear_traffic)


@kernel
def log_budget(model, state, work):
    """Energies and momenta now, for a row within a step; nothing that lasts. Needs work at the state."""
    own = state.budget[0]
    leg_details(model, state, work)
    own.kinetic = kinetic_energy(model, state, work)
    own.potential = potential_energy(model, state, work)
    h, p = total_momentum(model, state, work)
    store3(own.angular_momentum, h)
    store3(own.linear_momentum, p)


@pure
def holds_on(model, state):
    """Is any tree anchored? Then there is no common motion."""
    for k in range(1, state.link.size):
        if state.link[k].parent == 0 and is_anchored(model, state, k):
            return True
    return False


@pure
def sum_parts(model, state, work, first):
    """Kinetic energy, momenta about W's origin, mass, in one pass; on the way traffic, and how far the parts range.

    Bodies and axes give one another energy though nothing works on them. A wheel's spin, a coasting vehicle and an
    orbit's turn stay as they are. Writes state.budget traffic, state.range, work.drift.
    """
    own = state.budget[0]
    energy = 0.0
    mass = 0.0
    h = (0.0, 0.0, 0.0)
    p = (0.0, 0.0, 0.0)
    own.angular_traffic = 0.0
    own.linear_traffic = 0.0
    for i in range(model.mechanism.size):
        h_i, p_i, energy_i = leg_sums(model, state, work, i)
        h = add(h, h_i)
        p = add(p, p_i)
        mass += model.mechanism[i].leg_mass
        energy += energy_i
    for i in range(state.order.size):
        k = state.order[i]
        body = work.body[k]
        m = model.body[k].mass
        c = load3(body.p_HC)
        R = load9(body.R_WB)
        turn = mat_t_vec(R, load3(body.w_WB))
        spin = sym_vec(load_sym(model.body[k].inertia), turn)
        v = add(load3(body.v_WH), cross(load3(body.w_WB), c))
        p_k = scale(m, v)
        h_k = add(mat_vec(R, spin), cross(add(load3(body.p_WH), c), p_k))
        energy += 0.5 * (dot(turn, spin) + dot(v, p_k))
        h = add(h, h_k)
        p = add(p, p_k)
        mass += m
        own.angular_traffic += math.sqrt(dot(h_k, h_k))
        own.linear_traffic += math.sqrt(dot(p_k, p_k))
        for j in range(3):
            note_range(state.range[k], j, 0.5 * turn[j] * spin[j], first)
        store3(work.drift[k], p_k)
        work.drift[k, 3] = m
    for j in range(state.beta.size):
        energy += 0.5 * model.dof[j].armature * state.beta[j] * state.beta[j]
    note_travels(model, state, work, first)
    return energy, h, p, mass


@pure
def note_range(own, j, part, first):
    """Least and largest of one part of a body's energy."""
    own.least[j] = part if first else min(own.least[j], part)
    own.largest[j] = part if first else max(own.largest[j], part)


@pure
def note_travels(model, state, work, first):
    """Energy of each body's travel against the mass centre of its tree, legs left out. Needs work.drift momentum, mass.

    Writes state.range, work.drift.
    """
    drift = work.drift
    for i in range(state.order.size - 1, -1, -1):
        k = state.order[i]
        parent = state.link[k].parent
        if parent > 0:
            for j in range(4):
                drift[parent, j] += drift[k, j]
    for i in range(state.order.size):
        k = state.order[i]
        parent = state.link[k].parent
        body = work.body[k]
        v_tree = load3(drift[parent]) if parent > 0 else scale(1.0 / drift[k, 3], load3(drift[k]))
        store3(drift[k], v_tree)
        v = sub(add(load3(body.v_WH), cross(load3(body.w_WB), load3(body.p_HC))), v_tree)
        note_range(state.range[k], 3, 0.5 * model.body[k].mass * dot(v, v), first)


@kernel
def note_first_contact(model, state, work):
    """The budget at the first contact of any pair, from which on the approach energy is spent. Writes state.budget.

    Needs work at the state, and the contacts settled.
    """
    own = state.budget[0]
    for i in range(model.contact.size):
        if own.touched == 0 and state.contact[i].touches > 0:
            own.touched = 1
            # what the contact has stored by the end of the step in which it began was energy of motion before
            taken = 0.0
            for j in range(model.contact.size):
                taken += work.contact[j].stored
            own.approach = approach_energy(model, state, work, model.contact[i]) + taken
            own.kinetic_contact = kinetic_energy(model, state, work) + taken
            own.potential_contact = potential_energy(model, state, work) - taken
            for j in range(N_WORKS):
                own.work_contact[j] = state.work_done[j]


@kernel
def approach_energy(model, state, work, pair):
    """Energy of the relative motion of the two sides of a pair. Needs work at the state. Writes work.side."""
    x = load3(work.body[pair.body_A].p_WH)
    w_A, v_A, fixed_A = side_motion(model, state, work, pair.body_A, pair.body_B, x, work.side[0])
    w_B, v_B, fixed_B = side_motion(model, state, work, pair.body_B, pair.body_A, x, work.side[1])
    w = sub(w_B, w_A)
    v = sub(v_B, v_A)
    A_1, B_1, C_1 = load_inertia(work.side[0])
    A_2, B_2, C_2 = load_inertia(work.side[1])
    if fixed_A and fixed_B:
        return 0.0
    if fixed_A:
        n, f = inertia_times(A_2, B_2, C_2, w, v)
    elif fixed_B:
        n, f = inertia_times(A_1, B_1, C_1, w, v)
    else:
        # M1 (M1 + M2)^-1 M2 V
        n, f = inertia_times(A_2, B_2, C_2, w, v)
        add_shifted_inertia(work.side[1], A_1, B_1, C_1, (0.0, 0.0, 0.0))
        A, B, C = load_inertia(work.side[1])
        turn, travel = inertia_solve(A, B, C, n, f)
        n, f = inertia_times(A_1, B_1, C_1, turn, travel)
    return 0.5 * (dot(w, n) + dot(v, f))


@kernel
def on_side(model, state, k, body, other):
    """Does body k hang together with a pair's body, on its side of the pair?"""
    if tree_head(state, body) == tree_head(state, other):
        return model.body[k].vehicle == model.body[body].vehicle
    return tree_head(state, k) == tree_head(state, body)


@kernel
def side_motion(model, state, work, body, other, x, P):
    """One side of a pair as a rigid thing: rate, velocity at x, is it anchored? Writes its inertia about x into P."""
    for i in range(21):
        P[i] = 0.0
    p = (0.0, 0.0, 0.0)
    w = (0.0, 0.0, 0.0)
    main = -1
    fixed = False
    for i in range(state.order.size):
        k = state.order[i]
        if not on_side(model, state, k, body, other):
            continue
        own = work.body[k]
        if main < 0:
            main = k
            w = load3(own.w_WB)
            fixed = state.link[k].parent == 0 and is_anchored(model, state, k)
        m = model.body[k].mass
        c = load3(own.p_HC)
        J = body_inertia(model.body[k], own)
        p = axpy(m, add(load3(own.v_WH), cross(load3(own.w_WB), c)), p)
        add_shifted_inertia(P, J, skew(scale(m, c)), (m, m, m, 0.0, 0.0, 0.0), sub(load3(own.p_WH), x))
    for i in range(model.mechanism.size):
        base = model.joint[model.mechanism[i].joint].pred
        if on_side(model, state, base, body, other):
            _, p_i, _ = leg_sums(model, state, work, i)
            p = add(p, p_i)
            add_rigid_legs(model, work, i, work.body[base], x, P)
    # velocity of the mass centre, taken to x: p = m v_x + w x (first moment about x)
    m = P[15]
    first = (P[13], P[8], P[9])
    return w, scale(1.0 / m, sub(p, cross(w, first))), fixed


@kernel
def add_rigid_legs(model, work, i, base, x, P):
    """The legs of a mechanism as they stand, about x. Adds to P."""
    own = work.mechanism[i]
    R_B = load9(own.R_WB)
    s = own.total
    k = SHARE_I
    m = model.mechanism[i].leg_mass
    J = turned_sym(R_B, (s[k], s[k + 1], s[k + 2], s[k + 3], s[k + 4], s[k + 5]))
    mc = (s[k + 6], s[k + 7], s[k + 8])
    l = sub(add(load3(base.p_WH), load3(own.p_HB)), x)
    add_shifted_inertia(P, J, skew(mat_vec(R_B, mc)), (m, m, m, 0.0, 0.0, 0.0), l)

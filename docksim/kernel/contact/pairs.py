"""Forces between docking interfaces: penalty contact with stick-slip friction, at the gaps of `interface_gaps`.

Everything of a pair is on the axes of its first interface, A, which turn with A. Normal force, d the penetration:
Hunt and Crossley, k d (1 + c d'), or Kelvin and Voigt, k d + c d', neither pulling unless told so; or Walton and Braun,
k d where it is deeper than ever since touch, k / e^2 along the line through there elsewhere. Friction is an elastic
bristle of constant stiffness, a fraction of the normal one (Mindlin), with damping like that of the normal law,
slipping at mu N (`friction`). Its stretch grows by the displacement of B's material against A's, at the contact
point, since the step's start; that follows from the two poses alone, exactly but for the cube of the angle rolled in
one step.
A pair acts as one wrench, equal and opposite about one point, so momentum is conserved to rounding. Rims that cross
have a share of their stiffness, and a wrench of its change (`rims`). Stored: the normal springs and the
latches' ones; the bristles count as friction.
Limits: no wave travels in the parts, a contact has no area, and explicit integrators must resolve sqrt(m / k).
"""

import math

from docksim.algebra.vec3 import (
    add,
    cross,
    dot,
    load3,
    load9,
    mat_mat,
    mat_t_vec,
    mat_vec,
    scale,
    store3,
    store9,
    sub,
    transpose,
)
from docksim.kernel.basis.devices import point_on
from docksim.kernel.basis.spatial import add_wrench
from docksim.kernel.contact.friction import rubbing
from docksim.kernel.contact.interface_gaps import hull_distance, interface_gaps
from docksim.kernel.contact.latches import latch_forces
from docksim.model import W_CONTACT, W_RUBBING
from docksim.model.contact import HUNT_CROSSLEY, N_GROUPS, NO_GROUP, WALTON_BRAUN
from docksim.native.decorators import kernel, melted, pure

NOTHING = (0.0, 0.0, 0.0)
# a pair that touches is measured out to this part of its margin
BESIDE = 0.25
# a petal may be found farther than it is, by less than this [m]
UNSURE = 3e-4
UNTURNED = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@pure
def port_distance(pair, A, B):
    """Way from A's origin to B's in W, and A's arm from the hinge point of its body."""
    arm, x_A = point_on(A, pair.p_aA)
    _, x_B = point_on(B, pair.p_bB)
    return sub(x_B, x_A), x_A, arm


@pure
def forget_pair(out):
    """No force. Writes work.contact."""
    out.known = 0
    out.gap = math.inf
    out.normal_force = 0.0
    out.stored = 0.0
    out.fastest = 0.0
    for g in range(N_GROUPS):
        out.group[g] = 0.0
    store3(out.force, NOTHING)
    store3(out.moment, NOTHING)


@pure
def broad_phase(model, pair, A, B):
    """A lower bound of the distance between the interfaces of a pair."""
    way, _, _ = port_distance(pair, A, B)
    z_A = mat_vec(load9(A.R_WB), (pair.R_aA[2], pair.R_aA[5], pair.R_aA[8]))
    z_B = mat_vec(load9(B.R_WB), (pair.R_bB[2], pair.R_bB[5], pair.R_bB[8]))
    across = cross(z_A, z_B)
    a = model.interface[pair.interface_A]
    b = model.interface[pair.interface_B]
    return hull_distance(a, b, way, dot(way, z_A), dot(z_A, z_B), math.sqrt(dot(across, across)))


@pure
def contacts_near(model, state, work):
    """Is there a pair that may be in contact? Needs poses. Writes work.contact known, clears what is left of others.

    A pair with clearance left is passed over: nothing of it can have come near since that was measured.
    """
    near = False
    for i in range(model.contact.size):
        pair = model.contact[i]
        out = work.contact[i]
        if out.known != 0:
            forget_pair(out)
        if state.contact[i].clearance > 0.0:
            continue
        distance = broad_phase(model, pair, work.body[pair.body_A], work.body[pair.body_B])
        out.clearance = distance - pair.near
        if state.contact[i].engaged > 0 or distance <= max(pair.near, out.look):
            out.known = 1
            near = True
    return near


@pure
def closing_bound(model, pair, A, B):
    """The distance between any feature of A and any of B shrinks no faster than this. Needs velocities."""
    arm, x_A = point_on(A, pair.p_aA)
    w = sub(load3(B.w_WB), load3(A.w_WB))
    v_A = add(load3(A.v_WH), cross(load3(A.w_WB), arm))
    v = sub(add(load3(B.v_WH), cross(load3(B.w_WB), sub(x_A, load3(B.p_WH)))), v_A)
    lever = model.interface[pair.interface_A].reach + model.interface[pair.interface_B].reach
    return math.sqrt(dot(v, v)) + lever * math.sqrt(dot(w, w))


@pure
def pair_motion(pair, out, A, B):
    """Pose and twist of B in A. Needs poses and velocities of the bodies. Writes work.contact."""
    way, x_A, arm = port_distance(pair, A, B)
    R_W = mat_mat(load9(A.R_WB), load9(pair.R_aA))
    w = sub(load3(B.w_WB), load3(A.w_WB))
    v_A = add(load3(A.v_WH), cross(load3(A.w_WB), arm))
    v_B = add(load3(B.v_WH), cross(load3(B.w_WB), sub(x_A, load3(B.p_WH))))
    store9(out.R_WA, R_W)
    store3(out.p_WA, x_A)
    store9(out.R_AB, mat_mat(transpose(R_W), mat_mat(load9(B.R_WB), load9(pair.R_bB))))
    store3(out.p_AB, mat_t_vec(R_W, way))
    store3(out.w_AB, mat_t_vec(R_W, w))
    store3(out.v_AB, mat_t_vec(R_W, sub(v_B, v_A)))


@pure
def hysteresis(stiffness, regained, depth, rate, deepest):
    """Walton and Braun: force, the part of it whose work is stored, compression of the spring that stores it.

    Loading takes k d, of which unloading, steeper by 1 / e^2, gives back e^2; what is pressed in again follows the line
    of unloading up to where that began. Stored is e^2 F^2 / (2 k) on either line. The deepest so far is that of the
    step's start, so within a step the force is a function of the depth alone.
    """
    if depth > deepest or (depth == deepest and rate > 0.0):
        force = stiffness * depth
        return force, regained * force, depth
    force = max(stiffness * (depth - deepest * (1.0 - regained)) / regained, 0.0)
    return force, force, regained * force / stiffness


@pure
def normal_force(pair, row, depth, rate, deepest):
    """Force of the law, the elastic part of it, compression of its spring; rate is that of the penetration."""
    if pair.law == WALTON_BRAUN:
        return hysteresis(row.stiffness, pair.regained, depth, rate, deepest)
    elastic = row.stiffness * depth
    if pair.law == HUNT_CROSSLEY:
        return elastic * max(1.0 + pair.damping * rate, 0.0), elastic, depth
    force = elastic + row.share * pair.damping * rate
    if pair.adhesive == 0:
        force = max(force, 0.0)
    return force, elastic, depth


@pure
def crossing_wrench(sweep, row, stored):
    """Share of the rims at a crossing, and the wrench of its change: what all of them would store falls with it."""
    k = row.crossing
    return sweep.share[k], scale(-stored, load3(sweep.share_force[k])), scale(-stored, load3(sweep.share_moment[k]))


@melted
def row_forces(model, state, work, i):
    """Forces of all gaps of a pair. Needs its gaps. Writes work.contact, contact_row; adds to work.power."""
    pair = model.contact[i]
    out = work.contact[i]
    w = load3(out.w_AB)
    v_0 = load3(out.v_AB)
    # what is at x now was at turn x + shift at the step's start, if it belongs to B
    own = state.contact[i]
    turn = UNTURNED
    shift = NOTHING
    if own.placed != 0:
        turn = mat_mat(load9(own.R_AB), transpose(load9(out.R_AB)))
        shift = sub(load3(own.p_AB), mat_vec(turn, load3(out.p_AB)))
    force = NOTHING
    moment = NOTHING
    total = 0.0
    stored = 0.0
    lost = 0.0
    rubbed = 0.0
    fastest = 0.0
    for j in range(pair.first_row, pair.first_row + pair.rows):
        contact = work.contact_row[j]
        contact.force = 0.0
        row = model.contact_row[j]
        if not contact.gap <= 0.0 or row.group == NO_GROUP:
            continue
        n = load3(contact.normal)
        x = load3(contact.point)
        v = add(v_0, cross(w, x))
        rate = -dot(n, v)
        N, elastic, pressed = normal_force(pair, row, -contact.gap, rate, state.contact_row[j].deepest)
        if row.crossing >= 0:
            share, f, m = crossing_wrench(work.sweep[0], row, 0.5 * elastic * pressed)
            N, elastic = share * N, share * elastic
            force = add(force, f)
            moment = add(moment, m)
        f = scale(N, n)
        if pair.friction > 0.0:
            moved = sub(x, add(mat_vec(turn, x), shift))
            s_0 = load3(state.contact_row[j].bristle)
            f_t, power, s = rubbing(pair, row, s_0, moved, n, v, -contact.gap, N)
            store3(contact.stretch, s)
            rubbed += power
            f = add(f, f_t)
        contact.force = N
        force = add(force, f)
        moment = add(moment, cross(x, f))
        total += N
        lost += (N - elastic) * rate
        stored += 0.5 * elastic * pressed
        fastest = max(fastest, rate)
        out.group[row.group] += N
    out.normal_force = total
    out.stored = stored
    out.fastest = fastest
    work.power[W_CONTACT] -= lost
    work.power[W_RUBBING] += rubbed
    return force, moment


@pure
def apply_pair(out, A, B, force, moment):
    """The wrench about A's origin, on the axes of A, acts on B, and its opposite on A. Adds to work.body f."""
    R_W = load9(out.R_WA)
    f = mat_vec(R_W, force)
    m = mat_vec(R_W, moment)
    x_A = load3(out.p_WA)
    add_wrench(B.f, add(m, cross(sub(x_A, load3(B.p_WH)), f)), f)
    back = scale(-1.0, f)
    add_wrench(A.f, sub(cross(sub(x_A, load3(A.p_WH)), back), m), back)


@pure
def moved_since(interface, out):
    """How far any point of B can have come, in A, since rooms were measured [m]; what petals are found to is added."""
    if out.measured == 0:
        return math.inf
    d = sub(load3(out.p_AB), load3(out.measured_p_AB))
    turn = 0.0
    for k in range(9):
        change = out.R_AB[k] - out.measured_R_AB[k]
        turn += change * change
    return math.sqrt(dot(d, d)) + interface.reach * math.sqrt(0.5 * turn) + UNSURE


@melted
def pair_gaps(model, work, i, touching):
    """Gaps of a pair at its pose; the least, or inf. Writes work.contact_row, work.contact measured.

    Within a step, which looks for no gaps but closed ones, features that cannot touch are left out. At a state all are
    measured: of a pair that touches the near ones, unless there are none.
    """
    pair, out = model.contact[i], work.contact[i]
    rows = work.contact_row[pair.first_row : pair.first_row + pair.rows]
    look, moved = out.look, math.inf
    if look == 0.0:
        moved = moved_since(model.interface[pair.interface_B], out)
    elif touching:
        look = min(look, BESIDE * pair.margin)
    R, r = load9(out.R_AB), load3(out.p_AB)
    a, b, sweep = pair.interface_A, pair.interface_B, work.sweep[0]
    for _ in range(2):
        least = interface_gaps(model, a, b, R, r, look, sweep, rows, True, moved)
        if least < math.inf or look == out.look:
            break
        look = out.look
    if look > 0.0:
        out.measured = 1 if least < math.inf else 0
        store9(out.measured_R_AB, R)
        store3(out.measured_p_AB, r)
    return least


@kernel
def contact_forces(model, state, work):
    """Contacts and latches of all pairs that may touch. Writes work.contact, contact_row, latch; adds to body f.

    Needs poses and velocities, and `contacts_near`.
    Gaps are found if they are less than work.contact look: zero within a step, more at its start.
    """
    for i in range(model.contact.size):
        out = work.contact[i]
        if out.known == 0:
            continue
        pair = model.contact[i]
        pair_motion(pair, out, work.body[pair.body_A], work.body[pair.body_B])
        least = pair_gaps(model, work, i, state.contact[i].touching != 0)
        force = NOTHING
        moment = NOTHING
        out.clearance = min(least, out.look) - pair.margin
        if least <= out.look:
            out.gap = least
        if least <= 0.0:
            out.known = 2
            force, moment = row_forces(model, state, work, i)
        if pair.latches > 0:
            f_l, m_l = latch_forces(model, state, work, i)
            force = add(force, f_l)
            moment = add(moment, m_l)
        store3(out.force, force)
        store3(out.moment, moment)
        if force[0] != 0.0 or force[1] != 0.0 or force[2] != 0.0:
            apply_pair(out, work.body[pair.body_A], work.body[pair.body_B], force, moment)

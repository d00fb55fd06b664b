"""After each step the ends of closures are brought back to where they are tied: pose, rates, and then the momenta.

Accelerations obey the closures, so they drift by the integrator's error alone. Where the drift is more than rounding,
one round of Newton's method in the energy metric moves the pose, K L = -f, and one makes the rates obey, K L = -J V.
The second leaves all momenta; the first moves masses, so each group of bodies that hang together gets one common rigid
twist afterwards, which no closure feels, and has the momenta that it had before. Legs of docking mechanisms count.
"""

from docksim.algebra.vec3 import add, cross, dot, load3, scale, sub
from docksim.kernel.basis.coordinates import displace, remember_start
from docksim.kernel.basis.spatial import add_shifted_inertia, add_wrench, inertia_solve, load_inertia, tail3
from docksim.kernel.mechanism.ring import leg_sums
from docksim.kernel.mechanism.ring_equations import skew
from docksim.kernel.run.budget import add_rigid_legs
from docksim.kernel.tree.closing import (
    accuse,
    articulate,
    check_rates,
    choose_rows,
    fits,
    switch_closure,
    worst_row,
)
from docksim.kernel.tree.closure_sweep import solve_rows
from docksim.kernel.tree.closures import apply_rows, closure_rows, factorise_response, row_rate
from docksim.kernel.tree.energy import body_inertia, body_momentum
from docksim.kernel.tree.passes import is_free_root, motion
from docksim.kernel.tree.topology import is_anchored
from docksim.model import RUNNING
from docksim.model.closures import DRIFTED, MOVING
from docksim.model.tree import FORCED
from docksim.native.decorators import kernel

ROUNDING = 5e-14  # residuals below are left [m, rad, m/s, rad/s]
EPS = 4e-16  # and what places and velocities of this size are rounded by
ROUNDS = 12  # of Newton's method at the start of a run
BEFORE, AFTER, INERTIA = 0, 6, 12


@kernel
def forget_loads(model, state, work):
    """Only what the closures do is left of the backward pass. Writes z, bias, u, Y."""
    for k in range(1, state.link.size):
        body = work.body[k]
        for j in range(6):
            body.z[j] = 0.0
            body.bias[j] = 0.0
    for j in range(state.beta.size):
        work.dof[j].u = 0.0
    for i in range(model.mechanism.size):
        for j in range(6):
            work.mechanism[i].Y[j, 6] = 0.0


@kernel
def respond(model, state, work):
    """What the rows' L do to the rates, M^-1 J' L. Needs articulation and L. Writes beta_dot of forced ones."""
    forget_loads(model, state, work)
    work.impulsive[0] = 1.0
    apply_rows(model, state, work)
    work.impulsive[0] = 0.0


@kernel
def move_pose(model, state, work):
    """One round of Newton's method on f. Needs rows; leaves poses, velocities and rows. False if singular."""
    articulate(model, state, work)
    if not factorise_response(model, state, work):
        return False
    for c in range(work.closing[0].n):
        row = work.closure_row[work.in_use[c]]
        row.x = row.f
    solve_rows(work, work.closing[0].n)
    respond(model, state, work)
    remember_start(state, work)
    for j in range(state.beta.size):
        work.dof[j].u_now = work.dof[j].beta_dot if state.dof[j].mode == FORCED else 0.0
    displace(model, state, work)
    for j in range(state.beta.size):
        work.dof[j].u_now = 0.0
    motion(model, state, work)
    closure_rows(model, state, work)
    return True


@kernel
def move_rates(model, state, work):
    """Rates that obey all rows in use, without impulse from outside. Needs rows; leaves poses, velocities and rows."""
    articulate(model, state, work)
    if not factorise_response(model, state, work):
        return
    for c in range(work.closing[0].n):
        row = work.closure_row[work.in_use[c]]
        row.x = row_rate(row, work)
    solve_rows(work, work.closing[0].n)
    respond(model, state, work)
    for j in range(state.beta.size):
        if state.dof[j].mode == FORCED:
            state.beta[j] += work.dof[j].beta_dot
    motion(model, state, work)
    closure_rows(model, state, work)


@kernel
def is_off(work, rates):
    """Is any row in use further off than rounding?"""
    for c in range(work.closing[0].n):
        row = work.closure_row[work.in_use[c]]
        at = load3(work.body[row.b].v_WH) if rates else load3(work.body[row.b].p_WH)
        size = abs(row_rate(row, work)) if rates else abs(row.f)
        if size > ROUNDING + EPS * (abs(at[0]) + abs(at[1]) + abs(at[2])):
            return True
    return False


@kernel
def correct_drift(model, state, work):
    """End of a step. Needs state alone. Writes state.q, beta; leaves work stale."""
    motion(model, state, work)
    closure_rows(model, state, work)
    far = is_off(work, False)
    if not far and not is_off(work, True):
        return
    find_groups(model, state, work)
    sum_groups(model, state, work, BEFORE)
    if far and not move_pose(model, state, work):
        return
    move_rates(model, state, work)
    restore_momenta(model, state, work)


# ---------------------------------------------------------------- momenta of what hangs together


@kernel
def find_groups(model, state, work):
    """Bodies that trees and closures connect have one number. Writes work.marked."""
    for i in range(state.order.size):
        k = state.order[i]
        parent = state.link[k].parent
        work.marked[k] = k if parent == 0 else work.marked[parent]
    for i in range(model.closure.size):
        if state.closure[i].on != 0 and model.closure[i].n_rows > 0:
            one = work.marked[model.closure[i].a]
            other = work.marked[model.closure[i].b]
            for k in range(1, state.link.size):
                if work.marked[k] == other:
                    work.marked[k] = one


@kernel
def sum_groups(model, state, work, place):
    """Momenta of each group, about W's origin. Needs motion. Writes work.group from `place` on."""
    for k in range(state.link.size):
        for j in range(6):
            work.group[k, place + j] = 0.0
    for k in range(1, state.link.size):
        h, p = body_momentum(model.body[k], work.body[k])
        add_wrench(work.group[work.marked[k], place : place + 6], h, p)
    for i in range(model.mechanism.size):
        h, p, _ = leg_sums(model, state, work, i)
        add_wrench(work.group[work.marked[model.joint[model.mechanism[i].joint].pred], place : place + 6], h, p)


@kernel
def weigh_groups(model, state, work):
    """Inertia of each group as one rigid thing about W's origin. Writes work.group."""
    for k in range(state.link.size):
        for j in range(21):
            work.group[k, INERTIA + j] = 0.0
    for k in range(1, state.link.size):
        body = work.body[k]
        m = model.body[k].mass
        B = skew(scale(m, load3(body.p_HC)))
        P = work.group[work.marked[k], INERTIA:]
        add_shifted_inertia(P, body_inertia(model.body[k], body), B, (m, m, m, 0.0, 0.0, 0.0), load3(body.p_WH))
    for i in range(model.mechanism.size):
        base = model.joint[model.mechanism[i].joint].pred
        add_rigid_legs(model, work, i, work.body[base], (0.0, 0.0, 0.0), work.group[work.marked[base], INERTIA:])


@kernel
def is_held(model, state, work, group):
    """Is any tree of a group anchored?"""
    for k in range(1, state.link.size):
        if work.marked[k] == group and state.link[k].parent == 0 and is_anchored(model, state, k):
            return True
    return False


@kernel
def restore_momenta(model, state, work):
    """One common twist for each free group. Needs motion and the momenta before. Writes state.beta of roots."""
    find_groups(model, state, work)
    sum_groups(model, state, work, AFTER)
    weigh_groups(model, state, work)
    for i in range(state.order.size):
        k = state.order[i]
        joint = model.joint[state.link[k].joint]
        group = work.marked[k]
        if not is_free_root(state, joint, state.link[k]) or is_held(model, state, work, group):
            continue
        own = work.group[group]
        A, B, C = load_inertia(own[INERTIA:])
        dh = sub(load3(own[BEFORE:]), load3(own[AFTER:]))
        w, v = inertia_solve(A, B, C, dh, sub(tail3(own[BEFORE:]), tail3(own[AFTER:])))
        v = add(v, cross(w, load3(work.body[k].p_WH)))
        for j in range(joint.v, joint.v + 3):
            state.beta[j] += dot(load3(work.dof[j].a), w)
            state.beta[j + 3] += dot(load3(work.dof[j + 3].a), v)


# ---------------------------------------------------------------- closed from the start


@kernel
def begin_closures(model, state, work):
    """Closures that are on from the start take hold: where they find their ends, or where both are given, the pose then
    being brought there. Leaves poses and velocities. Writes state, clock status."""
    state.closing[0].waiting = 0
    motion(model, state, work)
    for i in range(model.closure.size):
        if model.closure[i].starts_on != 0:
            switch_closure(model, state, i, 1)
            if not fits(model, state, work, i):
                return
    if state.closing[0].rigid == 0:
        return
    articulate(model, state, work)
    if not choose_rows(model, state, work):
        return
    for _ in range(ROUNDS):
        if not is_off(work, False) or state.clock[0].status != RUNNING:
            break
        move_pose(model, state, work)
    r, most = worst_row(model, state, work, False)
    if most > 1e-9:
        accuse(state, work.closure_row[r].closure, DRIFTED, most)
        return
    check_rates(model, state, work, MOVING)
    if state.clock[0].status == RUNNING:
        move_rates(model, state, work)

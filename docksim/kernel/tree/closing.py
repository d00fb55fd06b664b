"""Closing and opening: where a closure takes hold, and which of its rows are solved for.

A closure that closes within a run takes its ends as it finds them, so nothing jumps but velocities: that is the impulse
of `topology.project_velocities`, with these rows in the place of accelerations. One that is closed from the start may
be given both frames; then the pose is brought to them before the first step (Newton's method, least energy).

Rows are chosen at every event and then stay, so a rank that flips within a step can do no harm: Cholesky with pivots,
scaled by what each row's mobility would be if both bodies were free. Scaled by its own mobility a row that hardly moves
would pass for a good one. What is left out follows from the rest, or nothing can move it; it is watched.
"""

import math

from docksim.algebra.vec3 import (
    add,
    cross,
    dot,
    load3,
    load9,
    load_sym,
    mat_mat,
    mat_t_vec,
    store3,
    store9,
    sub,
    sym_vec,
    transpose,
    turned_sym,
)
from docksim.kernel.basis.spatial import sym_inverse, tail3
from docksim.kernel.tree.closure_sweep import sweep
from docksim.kernel.tree.closures import NO_WAY, bushing_energy, closure_rows, ends, note_residuals, row_rate
from docksim.kernel.tree.passes import motion_in_detail, tree_articulation
from docksim.model import BAD_CLOSURE, RUNNING
from docksim.model.closures import (
    APART,
    AXES,
    BUSHING,
    CONTRADICTED,
    DRIFTED,
    LENGTH,
    NEARLY_DEPENDENT,
    NO_LENGTH,
    NOTHING_MOVES,
    POINT,
    ROD,
    SOUND,
)
from docksim.native.decorators import kernel, pure

REDUNDANT = 1e-10  # of the mobility that free bodies would have: less, and a row follows from the others
CLEAR = 1e-8  # more, and it does not; between the two nobody can say
LOOSE = 1e-6  # what rows that were left out may move [m, rad, m/s, rad/s]


@kernel
def accuse(state, i, fault, amount):
    """The run ends by closure i, if it has not ended. Writes state.closure, clock status, culprit."""
    if state.clock[0].status == RUNNING:
        state.closure[i].fault = fault
        state.closure[i].amount = amount
        state.clock[0].status = BAD_CLOSURE
        state.clock[0].culprit = -1


@kernel
def switch_closure(model, state, i, on):
    """Count it in, or out."""
    own = state.closure[i]
    closure = model.closure[i]
    change = on - own.on
    own.on = on
    state.closing[0].on += change
    if closure.n_rows > 0:
        state.closing[0].rigid += change
    for r in range(closure.first_row, closure.first_row + closure.n_rows):
        state.closure_row[r].chosen = on


@kernel
def take_hold(model, state, work, i, as_given):
    """Frame B, and a rod's length, as the ends are found; what is given as it is given, if asked for. Needs poses."""
    closure = model.closure[i]
    own = state.closure[i]
    given = closure.given if as_given else 0
    B = work.body[closure.b]
    store3(own.p_bB, load3(closure.p_bB))
    store9(own.R_bB, load9(closure.R_bB))
    x_a, x_b, _, _, R_A, _ = ends(closure, own, work.body[closure.a], B)
    if closure.kind == ROD:
        d = sub(x_b, x_a)
        own.length = closure.length if given & LENGTH else math.sqrt(dot(d, d))
        return math.sqrt(dot(d, d)) > NO_WAY
    R = load9(B.R_WB)
    if not given & POINT:
        store3(own.p_bB, add(load3(B.p_BH), mat_t_vec(R, sub(x_a, load3(B.p_WH)))))
    if not given & AXES:
        store9(own.R_bB, mat_mat(transpose(R), R_A))
    return True


@kernel
def fits(model, state, work, i):
    """Take hold as given; are the ends where they should be? Needs poses. Writes state.closure, clock status if not."""
    closure = model.closure[i]
    own = state.closure[i]
    own.fault = SOUND
    if not take_hold(model, state, work, i, True):
        accuse(state, i, NO_LENGTH, 0.0)
        return False
    if closure.given != 0:
        closure_rows(model, state, work)
        note_residuals(model, state, work, i)
        beyond = max(own.gap, own.turn)
        own.largest_gap = own.largest_turn = 0.0
        if beyond > closure.fit:
            accuse(state, i, APART, beyond)
            return False
    return True


@kernel
def close_as_found(model, state, work, i):
    """Tie two bodies as they are. Needs poses. False, and a status, if they are not where they are given."""
    if state.closure[i].on == 0:
        switch_closure(model, state, i, 1)
        if not fits(model, state, work, i):
            return False
        take_hold(model, state, work, i, False)
    return True


@kernel
def open_closure(model, state, work, i):
    """Let go; returns the energy that a bushing held. Needs poses."""
    own = state.closure[i]
    closure = model.closure[i]
    if own.on == 0:
        return 0.0
    held = 0.0
    if closure.kind == BUSHING:
        held = bushing_energy(closure, own, work.body[closure.a], work.body[closure.b])
    switch_closure(model, state, i, 0)
    for field in (own.moment, own.force):
        store3(field, (0.0, 0.0, 0.0))
    own.gap = own.turn = own.gap_rate = own.turn_rate = 0.0
    if closure.weld >= 0:
        joint = model.joint[closure.weld]
        for j in range(joint.v, joint.v + joint.nv):
            work.dof[j].tau = 0.0
    return held


# ---------------------------------------------------------------- the choice of rows


@pure
def free_mobility(constant, body, moment, force):
    """Motion that a unit wrench about the hinge point would give its own row if nothing held the body."""
    n = sub(moment, cross(load3(body.p_HC), force))
    J = turned_sym(load9(body.R_WB), load_sym(constant.inertia))
    # a rod has next to no inertia about itself
    least = 1e-9 * (constant.mass + J[0] + J[1] + J[2])
    w = sym_vec(sym_inverse((J[0] + least, J[1] + least, J[2] + least, J[3], J[4], J[5])), n)
    return dot(n, w) + dot(force, force) / constant.mass


@kernel
def note_mobilities(model, work):
    for c in range(work.closing[0].n):
        row = work.closure_row[work.in_use[c]]
        a = free_mobility(model.body[row.a], work.body[row.a], load3(row.J_a), tail3(row.J_a))
        b = free_mobility(model.body[row.b], work.body[row.b], load3(row.J_b), tail3(row.J_b))
        row.mobility = a + b


@kernel
def next_pivot(work, n):
    """The row with most mobility left; its part of what it would be free, and its number. `x` is what is left."""
    best = -1
    largest = -1.0
    for c in range(n):
        row = work.closure_row[work.in_use[c]]
        if row.L == 0.0 and row.x > largest:
            best = c
            largest = row.x
    return best, largest


@kernel
def eliminate_row(work, n, c, t):
    """Column t of the factor from row c, and what that leaves of the others. `L` tells who is done."""
    pivot = work.closure_row[work.in_use[c]]
    size = math.sqrt(pivot.x)
    pivot.L = 1.0
    for r in range(n):
        row = work.closure_row[work.in_use[r]]
        if row.L == 0.0 or r == c:
            s = work.response[r, c] / math.sqrt(row.mobility * pivot.mobility)
            for j in range(t):
                s -= work.factor[r, j] * work.factor[c, j]
            work.factor[r, t] = s / size
            if r != c:
                row.x -= work.factor[r, t] * work.factor[r, t]


@kernel
def anything_moves(model, work, i):
    """Has any row of a closure mobility of its own?"""
    closure = model.closure[i]
    for c in range(work.closing[0].n):
        row = work.closure_row[work.in_use[c]]
        if row.closure == i and work.response[c, c] > REDUNDANT * row.mobility:
            return True
    return closure.n_rows == 0


@kernel
def choose_rows(model, state, work):
    """Which rows are solved for from now on. Needs rows and the tree's articulation. False, and a status, if nobody can
    say, or a closure ties what cannot move. Writes state.closure_row; leaves what is in use to `closure_rows`."""
    for i in range(model.closure.size):
        if state.closure[i].on != 0:
            for r in range(model.closure[i].first_row, model.closure[i].first_row + model.closure[i].n_rows):
                state.closure_row[r].chosen = 1
    closure_rows(model, state, work)
    n = work.closing[0].n
    sweep(model, state, work, work.column, n, True)
    note_mobilities(model, work)
    for i in range(model.closure.size):
        if state.closure[i].on != 0 and not anything_moves(model, work, i):
            accuse(state, i, NOTHING_MOVES, 0.0)
            return False
    for c in range(n):
        row = work.closure_row[work.in_use[c]]
        row.x = work.response[c, c] / row.mobility
        row.L = 0.0
    for t in range(n):
        c, left = next_pivot(work, n)
        if left < REDUNDANT:
            break
        if left < CLEAR:
            accuse(state, work.closure_row[work.in_use[c]].closure, NEARLY_DEPENDENT, left)
            return False
        eliminate_row(work, n, c, t)
    for c in range(n):
        row = work.closure_row[work.in_use[c]]
        state.closure_row[work.in_use[c]].chosen = 1 if row.L != 0.0 else 0
        if row.L == 0.0:
            state.closure[row.closure].left_out |= 1 << (work.in_use[c] - model.closure[row.closure].first_row)
        row.L = 0.0
    closure_rows(model, state, work)
    return True


@kernel
def articulate(model, state, work):
    """Factors of the tree's backward pass at this pose; loads do not matter. Leaves poses and velocities."""
    motion_in_detail(model, state, work)
    for j in range(state.beta.size):
        work.dof[j].S = 0.0
    tree_articulation(model, state, work)


@kernel
def choose_anew(model, state, work):
    """After an event that may have changed what can move."""
    if state.closing[0].rigid > 0:
        articulate(model, state, work)
        choose_rows(model, state, work)


# ---------------------------------------------------------------- what was left out


@kernel
def worst_row(model, state, work, rates):
    """The row that is most off, in its place or in its rate, and by how much. Needs rows and motion."""
    worst = -1
    most = 0.0
    for i in range(model.closure.size):
        if state.closure[i].on != 0:
            for r in range(model.closure[i].first_row, model.closure[i].first_row + model.closure[i].n_rows):
                row = work.closure_row[r]
                size = abs(row_rate(row, work)) if rates else abs(row.f)
                if size > most:
                    worst = r
                    most = size
    return worst, most


@kernel
def check_rates(model, state, work, fault):
    """After an impulse no row moves, or prescribed motions contradict a closure. Needs motion. Writes clock status."""
    if state.closing[0].rigid > 0:
        closure_rows(model, state, work)
        r, most = worst_row(model, state, work, True)
        if most > LOOSE:
            accuse(state, work.closure_row[r].closure, fault, most)


@kernel
def watch_closures(model, state, work):
    """Rows that were left out must stay where they are. Needs rows and motion. Writes clock status."""
    if state.closing[0].rigid > 0:
        r, most = worst_row(model, state, work, True)
        if most > LOOSE:
            accuse(state, work.closure_row[r].closure, CONTRADICTED, most)
        r, most = worst_row(model, state, work, False)
        if most > LOOSE:
            accuse(state, work.closure_row[r].closure, DRIFTED, most)

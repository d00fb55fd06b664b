"""Fixed-step integrators over local coordinates u and rates beta; works and impulses are integrated alongside.

`rk4`: classical, order 4, with the rotation vector's rate to fourth order (Munthe-Kaas). `semi_implicit_euler`: order
1, good energy behaviour. `linearly_implicit`: the two-stage Rosenbrock-W method of Verwer and others, order 2 whatever
the Jacobian, gamma = 1 - 1/sqrt(2). Its Jacobian holds the joints' tangent stiffness and damping; the stage equations
(M + gamma h C + gamma2 h2 K) x = forces - gamma h K r + S lag are solved by the same recursion with S added to each
column's D, so stiff joints cost nothing more and stay stable at any step.
All expect work to be evaluated at the state, and leave the state at the next step, work stale.

Near contact a step is cut into the parts that the pair asks for, unless it is smooth: `rk4` tries it whole after a
smooth one, and takes it back to cut it if its stages do not agree. So impacts and ringing are resolved, and
what glides or rests costs no more than elsewhere.
"""

import math

from docksim.kernel.basis.clock import next_piece, next_time, step_length
from docksim.kernel.basis.coordinates import coordinate_rates, displace, drive_coordinates, remember_start
from docksim.kernel.basis.devices import settle_bristles
from docksim.kernel.contact.record import settle_contacts
from docksim.kernel.mechanism.drives import (
    finish_drives,
    keep_drives,
    leap_drives,
    mean_drives,
    move_drives,
    note_drives,
    settle_drives,
    sum_drives,
    take_back_drives,
)
from docksim.kernel.mechanism.shafts import finish_servos, finish_shafts, keep_powers, settle_shafts
from docksim.kernel.run.budget import note_first_contact
from docksim.kernel.run.closure_drift import correct_drift
from docksim.kernel.step import evaluate
from docksim.model import LINEARLY_IMPLICIT, N_WORKS, RK4, RUNNING
from docksim.native.decorators import melted, pure

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
# near contact, a whole step is rough if its stages put its end further apart than this [m, rad]
SMOOTH = 1e-9


@pure
def keep_stage(model, state, work, i, weight):
    """Rates of stage i; weighted sums of the accumulators' rates. Writes work.k_u, k_beta, k_sum."""
    for j in range(state.beta.size):
        work.k_u[i, j] = work.dof[j].u_dot
        work.k_beta[i, j] = work.dof[j].beta_dot
    for j in range(N_WORKS):
        work.k_sum[j] += weight * work.power[j]
    for j in range(6):
        work.k_sum[N_WORKS + j] += weight * work.wrench[j]
    keep_powers(model, work, weight)
    keep_drives(model, work, i)


@pure
def move(model, state, work, time):
    """The state goes to work.dof.u_now (beta is set already) at the given time."""
    displace(model, state, work)
    state.clock[0].t = time


@pure
def finish(model, state, work, time):
    """End of a step: accumulators, friction, clock, prescribed coordinates."""
    h = step_length(model, state)
    clock = state.clock[0]
    move(model, state, work, time)
    settle_bristles(model, state, work)
    for j in range(state.beta.size):
        # the displacement is in the coordinates and the bristles now
        work.dof[j].u_now = 0.0
    for j in range(N_WORKS):
        state.work_done[j] += h * work.k_sum[j]
    for j in range(6):
        state.impulse[j] += h * work.k_sum[N_WORKS + j]
    finish_shafts(model, state, work, h)
    finish_drives(model, state, work, h)
    clock.substep += 1
    if clock.substep == clock.substeps:
        finish_servos(model, state)
        next_piece(model, state)
    drive_coordinates(model, state, work)
    if state.closing[0].rigid > 0:
        correct_drift(model, state, work)


@pure
def begin(model, state, work):
    remember_start(state, work)
    settle_shafts(model, state, work)
    h = step_length(model, state)
    note_drives(model, state, work)
    changed = settle_drives(model, state, work, h)
    if changed:
        # who finds that he must push may find that he stalls
        evaluate(model, state, work)
        changed = settle_drives(model, state, work, h)
    if settle_contacts(model, state, work, h) or changed:
        evaluate(model, state, work)
    note_first_contact(model, state, work)
    for j in range(work.k_sum.size):
        work.k_sum[j] = 0.0


@melted
def stage(model, state, work, i, h, time, weight):
    """Evaluate at the start displaced by h times the rates of stage i - 1."""
    for j in range(state.beta.size):
        work.dof[j].u_now = h * work.k_u[i - 1, j]
        state.beta[j] = work.beta_start[j] + h * work.k_beta[i - 1, j]
    move_drives(model, state, work, i - 1, h)
    move(model, state, work, time)
    evaluate(model, state, work)
    coordinate_rates(model, state, work)
    keep_stage(model, state, work, i, weight)


@pure
def sum_stages(model, state, work, h):
    """Displacements and rates at the end of a step. Writes work.dof u_now, state.beta."""
    k = work.k_u
    b = work.k_beta
    for j in range(state.beta.size):
        work.dof[j].u_now = h / 6.0 * (k[0, j] + 2.0 * (k[1, j] + k[2, j]) + k[3, j])
        state.beta[j] = work.beta_start[j] + h / 6.0 * (b[0, j] + 2.0 * (b[1, j] + b[2, j]) + b[3, j])
    sum_drives(model, state, work, h / 6.0, h / 3.0, h / 6.0)


@pure
def stages_agree(state, work, bound):
    """Do the accelerations of the two stages in the middle agree, and the mean of the ends with theirs?"""
    middle = ends = 0.0
    # sums of squares: a scene that is turned as a whole has the same steps
    for j in range(state.beta.size):
        a, b, c, d = work.k_beta[0, j], work.k_beta[1, j], work.k_beta[2, j], work.k_beta[3, j]
        middle += (c - b) * (c - b)
        ends += (a - b - c + d) * (a - b - c + d)
    return middle < bound * bound and ends < 36.0 * bound * bound


@pure
def is_rough(state, work, h):
    """Was a step that was tried whole near contact a mistake? Writes state.clock smooth: will the next one be tried?

    Differences of acceleration grow with the square of the step, so a part of one tells of the whole.
    """
    clock = state.clock[0]
    if clock.finest == 1:
        return False
    clock.smooth = 1 if stages_agree(state, work, SMOOTH / (h * h * clock.substeps**4)) else 0
    return clock.substeps < clock.finest and clock.smooth == 0


@melted
def take_back(model, state, work, time):
    """Back to the start of a step, which is then cut into parts. Leaves work at the state."""
    for j in range(state.beta.size):
        work.dof[j].u_now = 0.0
        state.beta[j] = work.beta_start[j]
    take_back_drives(model, state, work)
    move(model, state, work, time)
    state.clock[0].substeps = state.clock[0].finest
    work.lost[0].status = RUNNING
    evaluate(model, state, work)


@melted
def rk4(model, state, work):
    h = step_length(model, state)
    t = state.clock[0].t
    after = next_time(model, state)
    begin(model, state, work)
    coordinate_rates(model, state, work)
    keep_stage(model, state, work, 0, 1.0 / 6.0)
    stage(model, state, work, 1, 0.5 * h, t + 0.5 * h, 1.0 / 3.0)
    stage(model, state, work, 2, 0.5 * h, t + 0.5 * h, 1.0 / 3.0)
    stage(model, state, work, 3, h, after, 1.0 / 6.0)
    if is_rough(state, work, h):
        take_back(model, state, work, t)
    else:
        sum_stages(model, state, work, h)
        finish(model, state, work, after)


@melted
def semi_implicit_euler(model, state, work):
    h = step_length(model, state)
    begin(model, state, work)
    keep_stage(model, state, work, 0, 1.0)
    for j in range(state.beta.size):
        state.beta[j] += h * work.dof[j].beta_dot
        work.dof[j].u_now = h * state.beta[j]
    leap_drives(model, state, work, h)
    finish(model, state, work, next_time(model, state))


@melted
def linearly_implicit(model, state, work):
    h = step_length(model, state)
    after = next_time(model, state)
    begin(model, state, work)

    # first stage, at the state: (1 - gamma h A) k1 = F
    work.implicit[0] = GAMMA * h
    for j in range(state.beta.size):
        work.dof[j].r = state.beta[j]
        work.dof[j].lag = 0.0
    evaluate(model, state, work)
    for j in range(state.beta.size):
        work.dof[j].u_dot = state.beta[j] + GAMMA * h * work.dof[j].beta_dot
    keep_stage(model, state, work, 0, 0.5)

    # second stage, a full step on: (1 - gamma h A) k2 = F - 2 k1, solved for k2 + 2 k1 with the same A
    work.implicit[1] = 1.0
    for j in range(state.beta.size):
        work.dof[j].u_now = h * work.k_u[0, j]
        state.beta[j] = work.beta_start[j] + h * work.k_beta[0, j]
    move_drives(model, state, work, 0, h)
    move(model, state, work, after)
    coordinate_rates(model, state, work)
    for j in range(state.beta.size):
        work.dof[j].r = work.dof[j].u_dot - 2.0 * work.k_u[0, j]
        work.dof[j].lag = 2.0 * work.k_beta[0, j]
    evaluate(model, state, work)
    for j in range(state.beta.size):
        work.dof[j].beta_dot -= work.dof[j].lag
        work.dof[j].u_dot = work.dof[j].r + GAMMA * h * work.dof[j].beta_dot
    keep_stage(model, state, work, 1, 0.5)
    work.implicit[0] = 0.0
    work.implicit[1] = 0.0

    for j in range(state.beta.size):
        work.dof[j].u_now = h * (1.5 * work.k_u[0, j] + 0.5 * work.k_u[1, j])
        state.beta[j] = work.beta_start[j] + h * (1.5 * work.k_beta[0, j] + 0.5 * work.k_beta[1, j])
    mean_drives(model, state, work, 0.5 * h)
    finish(model, state, work, after)


@melted
def integrate(model, state, work):
    """One step with the scenario's integrator."""
    kind = model.settings[0].integrator
    if kind == RK4:
        rk4(model, state, work)
    elif kind == LINEARLY_IMPLICIT:
        linearly_implicit(model, state, work)
    else:
        semi_implicit_euler(model, state, work)

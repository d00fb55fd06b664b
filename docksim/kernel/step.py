"""The page in the middle: every force and acceleration at a state."""

from docksim.algebra.vec3 import cross, load3, scale
from docksim.kernel.basis.coordinates import drive_coordinates
from docksim.kernel.basis.devices import joint_forces
from docksim.kernel.basis.spatial import add_wrench
from docksim.kernel.contact.pairs import contact_forces, contacts_near
from docksim.kernel.contact.parting import parting_forces
from docksim.kernel.mechanism.drives import finish_retraction
from docksim.kernel.mechanism.ring import leg_closure
from docksim.kernel.mechanism.shafts import shaft_forces
from docksim.kernel.tree.adaptive import begin_paths, give_learnt_torques, keep_answer_of_base, keep_base, measure_base
from docksim.kernel.tree.closures import close_loops, prepare_closures
from docksim.kernel.tree.control import control_forces
from docksim.kernel.tree.energy import total_momentum
from docksim.kernel.tree.environment import applied_loads, orbital_forces
from docksim.kernel.tree.passes import prescribed_forces, tree_acceleration, tree_articulation, tree_motion
from docksim.kernel.tree.program_loops import give_loop_torques, keep_answers, keep_still, silence
from docksim.kernel.tree.programs import (
    are_free,
    begin_program,
    give_torques,
    keep_column,
    keep_drift,
    let_go,
    prescribe,
    solve_wanted,
    wish,
    write_errors,
)
from docksim.model import N_WORKS
from docksim.model.programs import PROGRAM_BEGINS, PROGRAM_OFF
from docksim.model.tree import FORCED
from docksim.native.decorators import kernel, pure


@kernel
def evaluate(model, state, work):
    """Every force and acceleration at this state, under continuous programs. Leaves work consistent with state."""
    for i in range(model.program.size):
        if state.program[i].on != PROGRAM_OFF and model.program[i].sample_steps == 0:
            control_arm(model, state, work, i)
    respond(model, state, work)


@kernel
def control_arm(model, state, work, i):
    """The torques of a program at this state: passes with accelerations of its joints given. Writes state.shaft."""
    if not are_free(model, state, i):
        return
    if model.program[i].adaptive != 0:
        control_arm_that_learns(model, state, work, i)
        return
    if state.closing[0].rigid > 0:
        control_arm_in_loops(model, state, work, i)
        return
    out = work.program[i]
    n = model.program[i].n_joints
    for k in range(n):
        out.wanted[k] = 0.0
    prescribe(model, state, work, i)
    respond(model, state, work)
    if state.program[i].on == PROGRAM_BEGINS:
        begin_program(model, state, work, i)
    write_errors(model, state, work, i)
    keep_drift(work, i)
    for k in range(n):
        out.wanted[k] = 1.0
        prescribe(model, state, work, i)
        respond(model, state, work)
        write_errors(model, state, work, i)
        keep_column(work, i, k)
        out.wanted[k] = 0.0
    wish(model, state, work, i)
    solve_wanted(model, state, work, i, n)
    prescribe(model, state, work, i)
    respond(model, state, work)
    give_torques(model, state, work, i)
    let_go(model, state, i)


@kernel
def control_arm_in_loops(model, state, work, i):
    """The same while closures are on, by passes with torques of its joints given. Writes state.shaft."""
    silence(model, state, work, i)
    respond(model, state, work)
    if state.program[i].on == PROGRAM_BEGINS:
        begin_program(model, state, work, i)
    write_errors(model, state, work, i)
    keep_drift(work, i)
    keep_still(model, work, i)
    for k in range(model.program[i].n_joints):
        own = state.dof[model.program_joint[model.program[i].first_joint + k].v]
        torque = own.torque
        own.torque = torque + 1.0
        respond(model, state, work)
        write_errors(model, state, work, i)
        keep_column(work, i, k)
        keep_answers(model, work, i, k)
        own.torque = torque
    give_loop_torques(model, state, work, i)


@kernel
def control_arm_that_learns(model, state, work, i):
    """Joints along their paths: passes tell what the base does, and what torques add. Writes state.shaft, learnt."""
    if state.program[i].on == PROGRAM_BEGINS:
        begin_paths(model, state, i)
    respond(model, state, work)
    measure_base(model, work, i)
    silence(model, state, work, i)
    respond(model, state, work)
    keep_base(model, work, i)
    keep_still(model, work, i)
    for k in range(model.program[i].n_joints):
        own = state.dof[model.program_joint[model.program[i].first_joint + k].v]
        torque = own.torque
        own.torque = torque + 1.0
        respond(model, state, work)
        keep_answer_of_base(model, work, i, k)
        keep_answers(model, work, i, k)
        own.torque = torque
    give_learnt_torques(model, state, work, i)


@pure
def sample_programs(model, state, work):
    """Sampled programs that are due: their torques act from now on. Writes state.shaft, program."""
    for i in range(model.program.size):
        steps = model.program[i].sample_steps
        if state.program[i].on != PROGRAM_OFF and steps > 0:
            if state.clock[0].since == 0.0 and state.clock[0].step % steps == 0:
                control_arm(model, state, work, i)


@kernel
def respond(model, state, work):
    """Every force and acceleration under the torques that there are."""
    clear_sums(work)
    drive_coordinates(model, state, work)  # prescribed joints are where they should be
    tree_motion(model, state, work)  # poses, velocities, bias accelerations
    leg_closure(model, state, work)  # the docking mechanism's joints, and its legs reduced to the ring
    joint_forces(model, state, work)  # springs, dampers, friction, stops, motors
    shaft_forces(model, state, work)  # the same between the ring and its base, and servos
    parting_forces(model, state, work)  # springs that push off, rods, seals that cling
    if contacts_near(model, state, work):
        contact_forces(model, state, work)  # docking interfaces and their latches
    control_forces(model, state, work)
    applied_loads(model, state, work)  # thrusters, given wrenches
    orbital_forces(model, state, work)
    if state.closing[0].on > 0:
        prepare_closures(model, state, work)  # rows of closed loops, bushings
    implicit_terms(state, work)  # only inside a linearly implicit step
    tree_articulation(model, state, work)  # backward pass
    tree_acceleration(model, state, work)  # forward pass
    if state.closing[0].rigid > 0:
        close_loops(model, state, work)  # wrenches of closed loops, and the forward pass with them
    prescribed_forces(model, state, work)  # inverse dynamics of driven and locked joints
    finish_retraction(model, state, work)  # acceleration and work of what moves base joints
    turning_axes(model, state, work)


@pure
def clear_sums(work):
    """Powers and the total external wrench start from zero."""
    for i in range(N_WORKS):
        work.power[i] = 0.0
    for i in range(6):
        work.wrench[i] = 0.0


@pure
def implicit_terms(state, work):
    """What a linearly implicit stage adds to the joints: S to the inertia, -gamma h K r + S lag to the force."""
    gamma_h = work.implicit[0]
    for j in range(state.beta.size):
        dof = work.dof[j]
        if gamma_h == 0.0 or state.dof[j].mode != FORCED:
            dof.S = 0.0
        else:
            dof.S = gamma_h * (dof.C + gamma_h * dof.K)
            dof.tau += dof.S * dof.lag - gamma_h * dof.K * dof.r


@pure
def turning_axes(model, state, work):
    """In orbit the momentum's components change with the axes of W too. Needs legs in detail. Writes work.wrench."""
    if model.settings[0].orbit_rate != 0.0:
        turn = scale(-1.0, load3(work.body[0].w_WB))
        h, p = total_momentum(model, state, work)
        add_wrench(work.wrench, cross(turn, h), cross(turn, p))

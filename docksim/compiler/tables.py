"""Parts list to the kernel's tables: Model, State, Work and Log, with the names needed to read them back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from docksim.compiler.approach import Placement
from docksim.compiler.assembly import Assembly, assemble
from docksim.compiler.closures import closure_states, closure_table, closure_work
from docksim.compiler.contact import ContactParts, contact_parts, contact_states
from docksim.compiler.control import HOLD_MODES, hold_tables
from docksim.compiler.drives import DriveTables
from docksim.compiler.events import command_names, event_tables
from docksim.compiler.extremes import extreme_indices, extreme_states, passed_on
from docksim.compiler.joined import hooks_states, hooks_table, joined_states, joined_tables
from docksim.compiler.loads import load_states, load_tables
from docksim.compiler.mechanism import mechanism_tables
from docksim.compiler.parting import PartingTables, parting_states
from docksim.compiler.parts import JointPart
from docksim.compiler.programs import ProgramStates, program_tables, program_work
from docksim.compiler.shaft_tables import shaft_tables
from docksim.config.checks.scenario import whole_steps
from docksim.config.schema.scenario import ClohessyWiltshire, Scenario
from docksim.model import (
    BUDGET,
    CLOCK,
    LINEARLY_IMPLICIT,
    N_WORKS,
    RANGE,
    RK4,
    SEMI_IMPLICIT_EULER,
    SETTINGS,
    Model,
    State,
    Work,
    table,
)
from docksim.model.contact import SWEEP, WORK_CONTACT, WORK_LATCH, WORK_ROW
from docksim.model.events import EVENT_STATE, EXTERNAL, HOLD_STATE, RECORD
from docksim.model.log import Log, new_log
from docksim.model.mechanism import (
    LOST_LEG,
    RETRACTION_STATE,
    WORK_BLOCK,
    WORK_BRANCH,
    WORK_LEG,
    WORK_MECHANISM,
    WORK_SHAFT,
)
from docksim.model.tree import BODY, DOF, DOF_STATE, DRIVEN, FORCED, JOINT, LINK, LOCKED, MARKER, WORK_BODY, WORK_DOF

EARTH_MU = 3.986004418e14  # [m3/s2], WGS 84
EARTH_RADIUS = 6378137.0  # [m], equatorial, WGS 84
INTEGRATORS = {
    "rk4": RK4,
    "semi_implicit_euler": SEMI_IMPLICIT_EULER,
    "linearly_implicit": LINEARLY_IMPLICIT,
}


@dataclass(frozen=True)
class Compiled:
    """A scenario ready to run."""

    scenario: Scenario
    assembly: Assembly
    model: Model
    state: State
    phases: tuple[str, ...]
    placement: Placement | None = None

    @property
    def rows(self) -> int:
        """Log rows of a full run: every log_every steps, the first and the last instant."""
        return int(self.model.settings[0].n_steps // self.state.clock[0].log_every) + 2

    def new_log(self) -> Log:
        """Laid out for the whole run."""
        return new_log(self.model, self.rows)


def compile_scenario(scenario: Scenario, placement: Placement | None = None) -> Compiled:
    """Arrays of a validated scenario; `placement` is where a state that holds at contact does.

    Without it such a scenario has its parts, and not its start (docksim/simulation/first_contact.py finds it).
    """
    assembly = assemble(scenario, placement)
    step = scenario.solver.step_s
    drives = DriveTables()
    joint, dof = _joint_tables(assembly)
    load, pulse, thrusters = load_tables(scenario, assembly, step)
    hold, wheel = hold_tables(scenario, assembly, joint)
    partings = PartingTables(scenario, assembly)
    events = event_tables(scenario, assembly, joint, drives, thrusters, partings)
    contacts = contact_parts(scenario, assembly)
    dof_state = _dof_state(assembly, drives)
    mechanisms = mechanism_tables(assembly.mechanisms, drives)
    shaft, shaft_state = shaft_tables(assembly, step, drives)
    programs, program_state = program_tables(scenario, assembly, step, drives)
    model = Model(
        settings=_settings(scenario),
        body=_body_table(assembly),
        joint=joint,
        dof=dof,
        root_slot=np.array(assembly.root_slots, np.int64),
        **extreme_indices(assembly),
        passed_on=passed_on(scenario, assembly),
        closure=closure_table(scenario, assembly),
        **mechanisms,
        shaft=shaft,
        **programs,
        profile=drives.profile_table(),
        knot=drives.knot_table(),
        marker=_marker_table(assembly),
        load=load,
        pulse=pulse,
        hold=hold,
        wheel=wheel,
        **partings.tables(),
        **contacts.tables,
        hooks=hooks_table(scenario, assembly),
        **joined_tables(scenario, assembly),
        event=events.event,
        condition=events.condition,
        action=events.action,
    )
    state = _initial_state(scenario, assembly, model, contacts, dof_state, shaft_state, program_state)
    return Compiled(scenario, assembly, model, state, events.phases, placement)


def mean_motion(environment: ClohessyWiltshire) -> float:
    """Rate of the circular orbit [rad/s]."""
    if environment.mean_motion_rad_s is not None:
        return environment.mean_motion_rad_s
    radius = EARTH_RADIUS + 1000.0 * (environment.altitude_km or 0.0)
    return math.sqrt(EARTH_MU / (radius * radius * radius))


def _settings(scenario: Scenario) -> np.ndarray:
    settings = table(SETTINGS, 1)
    row = settings[0]
    row.step = scenario.solver.step_s
    row.n_steps, row.last = whole_steps(scenario.solver.duration_s, scenario.solver.step_s)
    row.log_loads = scenario.outputs.joint_loads
    row.log_rows = scenario.outputs.contact_rows
    row.integrator = INTEGRATORS[scenario.solver.integrator]
    row.tolerance = scenario.solver.tolerance or 0.0
    if isinstance(scenario.environment, ClohessyWiltshire):
        row.orbit_rate = mean_motion(scenario.environment)
        row.gravity_gradient = scenario.environment.gravity_gradient
    return settings


def _body_table(assembly: Assembly) -> np.ndarray:
    rows = table(BODY, len(assembly.bodies))
    for row, body in zip(rows, assembly.bodies):
        J = body.inertia
        row.mass = body.mass
        row.com[:] = body.com
        row.inertia[:] = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    owners = [body.name.split(".")[0] for body in assembly.bodies]
    rows["vehicle"] = [list(dict.fromkeys(owners)).index(owner) - 1 for owner in owners]
    return rows


def _joint_tables(assembly: Assembly) -> tuple[np.ndarray, np.ndarray]:
    """Joints, and their coordinates in the order of the rates."""
    joints = table(JOINT, len(assembly.joints))
    q = v = 0
    for row, part in zip(joints, assembly.joints):
        _fill_joint(row, part, q, v)
        q += len(part.start)
        v += len(part.coordinates)
    return joints, _dof_table(assembly)


def _fill_joint(row: Any, part: JointPart, q: int, v: int) -> None:
    row.type, row.pred, row.succ = part.type, part.pred, part.succ
    row.q, row.v, row.nv = q, v, len(part.coordinates)
    row.p_PF[:], row.R_PF[:] = part.F.position, part.F.axes.ravel()
    row.p_SM[:], row.R_SM[:] = part.M.position, part.M.axes.ravel()
    row.plain_F = (part.F.axes == _UNTURNED).all()
    row.plain_M = (part.M.axes == _UNTURNED).all()
    row.axis[:], row.axis_2[:] = part.axis, part.axis_2
    row.mechanism = part.mechanism


_UNTURNED = np.eye(3)
_DEVICE_FIELDS = tuple(name for name in DOF.names or () if name != "joint")


def _dof_table(assembly: Assembly) -> np.ndarray:
    """All coordinates, filled by column: a study makes this table for every case."""
    coordinates = [coordinate for part in assembly.joints for coordinate in part.coordinates]
    dofs = table(DOF, len(coordinates))
    dofs["joint"] = [i for i, part in enumerate(assembly.joints) for _ in part.coordinates]
    for name in _DEVICE_FIELDS:
        dofs[name] = [getattr(coordinate, name) for coordinate in coordinates]
    return dofs


def _dof_state(assembly: Assembly, drives: DriveTables) -> np.ndarray:
    coordinates = [c for part in assembly.joints for c in part.coordinates]
    rows = table(DOF_STATE, len(coordinates))
    for row, coordinate in zip(rows, coordinates):
        row.torque = coordinate.torque
        row.mode = LOCKED if coordinate.locked else FORCED
        if coordinate.drive is not None:
            row.mode = DRIVEN
            row.profile = drives.add(coordinate.drive)
            row.drive_from = coordinate.start
    return rows


def _marker_table(assembly: Assembly) -> np.ndarray:
    rows = table(MARKER, len(assembly.markers))
    for row, marker in zip(rows, assembly.markers.values()):
        row.body = marker.body
        row.p_BP[:], row.R_BP[:] = marker.place.position, marker.place.axes.ravel()
    return rows


def _links(assembly: Assembly) -> np.ndarray:
    """At the start body k hangs on joint k - 1 from its predecessor."""
    links = table(LINK, len(assembly.bodies))
    joint_of = {joint.succ: i for i, joint in reversed(list(enumerate(assembly.joints)))}
    for k in range(1, len(assembly.bodies)):
        links[k].joint = joint_of[k]
        links[k].parent = assembly.joints[joint_of[k]].pred
        links[k].sign = 1.0
    return links


def _initial_state(
    scenario: Scenario,
    assembly: Assembly,
    model: Model,
    contacts: ContactParts,
    dof_state: np.ndarray,
    shaft_state: np.ndarray,
    program_state: ProgramStates,
) -> State:
    links = _links(assembly)
    in_use = {int(link.joint) for link in links[1:]}
    rates = [c.rate for part in assembly.joints for c in part.coordinates]
    longest_delay = max((int(law.delay_samples) for law in model.hold), default=0)
    longest_queue = max((int(shaft.delay_samples) for shaft in model.shaft), default=0) + 1
    hold_state = table(HOLD_STATE, len(model.hold))
    hold_state["mode"] = [HOLD_MODES[v.attitude_hold.mode] for v in scenario.vehicles.values() if v.attitude_hold]
    clock = table(CLOCK, 1)
    clock["substeps"] = 1
    clock["wish"] = scenario.solver.step_s
    clock["log_every"] = clock["band_every"] = round(scenario.outputs.every_s / scenario.solver.step_s)
    return State(
        clock=clock,
        q=np.array([x for part in assembly.joints for x in part.start]),
        beta=np.array(rates),
        dof=dof_state,
        shaft=shaft_state,
        servo_queue=np.zeros((len(model.shaft), longest_queue)),
        **program_state,
        retraction=table(RETRACTION_STATE, len(model.mechanism)),
        link=links,
        order=np.arange(1, len(assembly.bodies)),
        slot_used=np.array([slot in in_use for slot in assembly.root_slots], np.int64),
        **closure_states(model),
        load=load_states(scenario),
        external=table(EXTERNAL, 0),
        **parting_states(model),
        **contact_states(model, contacts),
        hold=hold_state,
        hold_buffer=np.zeros((len(model.hold), longest_delay + 1, 3)),
        hooks=hooks_states(model.hooks),
        **joined_states(model),
        event=table(EVENT_STATE, len(model.event)),
        command=np.zeros(len(command_names(scenario)), np.int64),
        record=table(RECORD, len(model.event)),
        work_done=np.zeros(N_WORKS),
        impulse=np.zeros(6),
        budget=table(BUDGET, 1),
        range=table(RANGE, len(assembly.bodies)),
        **extreme_states(model),
    )


def new_work(model: Model, state: State) -> Work:
    """Scratch for one run; pairs of interfaces are far apart until they are looked at."""
    nv = len(model.dof)
    contact = table(WORK_CONTACT, len(model.contact))
    contact["gap"] = math.inf
    return Work(
        body=table(WORK_BODY, len(model.body)),
        dof=table(WORK_DOF, nv),
        mechanism=table(WORK_MECHANISM, len(model.mechanism)),
        leg=table(WORK_LEG, len(model.leg)),
        branch=table(WORK_BRANCH, len(model.leg)),
        block=table(WORK_BLOCK, len(model.block)),
        lost=table(LOST_LEG, 1),
        shaft=table(WORK_SHAFT, len(model.shaft)),
        **program_work(model),
        contact=contact,
        contact_row=table(WORK_ROW, len(model.contact_row)),
        latch=table(WORK_LATCH, len(model.latch)),
        sweep=table(SWEEP, 1),
        **closure_work(model),
        q_start=np.zeros_like(state.q),
        beta_start=np.zeros(nv),
        k_u=np.zeros((4, nv)),
        k_beta=np.zeros((4, nv)),
        k_sum=np.zeros(N_WORKS + 6),
        k_first=np.zeros(N_WORKS + 6),
        k_last=np.zeros(N_WORKS + 6),
        k_end=np.zeros((4, nv)),
        sums=np.zeros(N_WORKS + 6),
        current=np.zeros(1, np.int64),
        power=np.zeros(N_WORKS),
        wrench=np.zeros(6),
        implicit=np.zeros(2),
        impulsive=np.zeros(1),
        before=np.zeros((len(model.body), 6)),
        depth=np.zeros(len(model.body), np.int64),
        side=np.zeros((2, 21)),
        drift=np.zeros((len(model.body), 4)),
    )

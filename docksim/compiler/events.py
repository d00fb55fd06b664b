"""Events to conditions and actions with indices."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from docksim.compiler.assembly import Assembly
from docksim.compiler.control import HOLD_MODES
from docksim.compiler.device_events import Row, condition_row, set_rows
from docksim.compiler.drives import DriveTables
from docksim.compiler.joined import G_H, joints_of
from docksim.compiler.parting import PartingTables
from docksim.compiler.parts import DEG, Marker
from docksim.compiler.programs import program_names
from docksim.compiler.shaft_tables import shaft_names
from docksim.config.schema import scenario as schema
from docksim.config.schema.joining import joinable
from docksim.config.schema.programs import ProgramAction
from docksim.model import table
from docksim.model.events import (
    ACTION,
    AFTER_EVENT,
    ARM_LATCHES,
    AT_TIME,
    ATTITUDE_HOLD,
    CLOSE,
    CLOSURE_FORCE_ABOVE,
    CLOSURE_MOMENT_ABOVE,
    COMMANDED,
    CONDITION,
    CONTACT_ABOVE,
    COORDINATE_ABOVE,
    COORDINATE_BELOW,
    CUT,
    DISTANCE_ABOVE,
    DISTANCE_BELOW,
    DRIVE,
    EVENT,
    HOOKS_CLOSED,
    HOOKS_OPEN,
    IN_REACH,
    INHIBIT,
    JETTISON,
    JOIN,
    LATCHED,
    LEAKS,
    LOCK,
    NOT_FIRED,
    OPEN,
    OPEN_HOOKS,
    OPEN_LATCHES,
    OPEN_VALVE,
    PHASE,
    PORT_RATE_BELOW,
    PORT_SPEED_BELOW,
    PORT_TILT_BELOW,
    RELEASE,
    RETRACT,
    SEPARATE,
    SEPARATED,
    SET_VALVE,
    SETTLED,
    SPIN_ABOVE,
    SPIN_BELOW,
    STOP,
    SWITCH_PROGRAM,
    TIGHT,
    TORQUE,
)
from docksim.model.joined import N_SPACES


@dataclass
class EventTables:
    """The tables, and the names of the phases: code 0 is the start of the run."""

    event: np.ndarray
    condition: np.ndarray
    action: np.ndarray
    phases: tuple[str, ...]


@dataclass
class _Collector:
    """What the events of one scenario need while they are turned into rows."""

    scenario: schema.Scenario
    assembly: Assembly
    joints: np.ndarray
    drives: DriveTables
    thrusters: dict[str, int]
    partings: PartingTables
    phases: list[str] = field(default_factory=lambda: ["start"])

    def steps(self, seconds: float) -> float:
        return seconds / self.scenario.solver.step_s

    def joint(self, reference: str) -> int:
        return self.assembly.joint_index(reference)

    def rate(self, reference: str, coordinate: int) -> int:
        return int(self.joints[self.joint(reference)].v) + coordinate

    def port(self, reference: str) -> int:
        return list(self.assembly.markers).index(reference)

    def weld(self, ports: tuple[str, str]) -> int:
        return self.assembly.welds[frozenset(ports)]

    def hooks(self, ports: tuple[str, str]) -> int:
        return [frozenset(pair) for pair in joinable(self.scenario)].index(frozenset(ports))

    def joint_of_hooks(self, ports: tuple[str, str]) -> int:
        return [frozenset(names) for _, names, _ in joints_of(self.scenario, self.assembly)].index(frozenset(ports))

    def pair(self, name: str) -> int:
        return list(self.scenario.contacts).index(name)

    def closure(self, name: str) -> int:
        return list(self.scenario.closures).index(name)

    def phase(self, name: str) -> int:
        if name not in self.phases:
            self.phases.append(name)
        return self.phases.index(name)

    def mechanism(self, vehicle: str) -> int:
        return [name for name, v in self.scenario.vehicles.items() if v.mechanism is not None].index(vehicle)

    def hold(self, vehicle: str) -> int:
        return [name for name, v in self.scenario.vehicles.items() if v.attitude_hold is not None].index(vehicle)


def event_tables(
    scenario: schema.Scenario,
    assembly: Assembly,
    joints: np.ndarray,
    drives: DriveTables,
    thrusters: dict[str, int],
    partings: PartingTables,
) -> EventTables:
    collector = _Collector(scenario, assembly, joints, drives, thrusters, partings)
    events = table(EVENT, len(scenario.events))
    conditions: list[Row] = []
    actions: list[Row] = []
    for row, event in zip(events, scenario.events.values()):
        row.first_condition, row.first_action = len(conditions), len(actions)
        row.persistence = _persistence(event, scenario.solver.step_s)
        for condition in event.when:
            conditions += _conditions(collector, condition)
        row.n_conditions = len(conditions) - row.first_condition
        for action in event.do:
            actions += _actions(collector, action)
        row.n_actions = len(actions) - row.first_action
    return EventTables(
        events,
        _rows(CONDITION, conditions),
        _rows(ACTION, actions),
        tuple(collector.phases),
    )


def _rows(dtype: np.dtype, rows: list[Row]) -> np.ndarray:
    filled = table(dtype, len(rows))
    for target, (kind, a, b, value) in zip(filled, rows):
        target.kind, target.a, target.b, target.value = kind, a, b, value
    return filled


def _persistence(event: schema.Event, step: float) -> int:
    """Steps in a row at which all conditions must hold: from the first to the last one lies no less than `for_s`."""
    if event.for_s is None:
        return event.persistence
    return math.ceil(event.for_s / step - 1e-9) + 1


def _conditions(c: _Collector, condition: schema.Part) -> list[Row]:
    """Most conditions are one row; those on two ports are one for each bound."""
    rows: list[Row] = []
    if isinstance(condition, schema.InReachCondition):
        ports = c.hooks(condition.in_reach)
        rows.append((IN_REACH, ports, 0, 0.0))
    elif isinstance(condition, schema.AlignedCondition):
        ports = c.hooks(condition.aligned)
        if condition.tilt_below_deg is not None:
            rows.append((PORT_TILT_BELOW, ports, 0, condition.tilt_below_deg * DEG))
    else:
        return [_condition(c, condition)]
    if condition.speed_below_m_s is not None:
        rows.append((PORT_SPEED_BELOW, ports, 0, condition.speed_below_m_s))
    if condition.rate_below_deg_s is not None:
        rows.append((PORT_RATE_BELOW, ports, 0, condition.rate_below_deg_s * DEG))
    return rows


def _condition(c: _Collector, condition: schema.Part) -> Row:
    match condition:
        case schema.TimeCondition(time_s=time):
            return AT_TIME, 0, 0, c.steps(time)
        case schema.AfterCondition(after=event, delay_s=delay):
            return AFTER_EVENT, list(c.scenario.events).index(event), 0, c.steps(delay)
        case schema.NotFiredCondition(not_fired=event):
            return NOT_FIRED, list(c.scenario.events).index(event), 0, 0.0
        case schema.CommandCondition(command=name):
            return COMMANDED, command_names(c.scenario).index(name), 0, 0.0
        case schema.ContactCondition(contact=pair, force_above_N=limit):
            return CONTACT_ABOVE, c.pair(pair), 0, limit
        case schema.LatchedCondition(latched=pair, count=count):
            return LATCHED, c.pair(pair), count, 0.0
        case schema.SettledCondition(settled=pair, slower_than_m_s=limit):
            return SETTLED, c.pair(pair), 1, limit
        case schema.SeparatedCondition(separated=pair, distance_above_m=limit):
            return SEPARATED, c.pair(pair), 0, limit
        case schema.LoadOnCondition(load_on=name, force_above_N=None, moment_above_Nm=float(limit)):
            return CLOSURE_MOMENT_ABOVE, c.closure(name), 0, limit
        case schema.LoadOnCondition(load_on=name, force_above_N=float(limit)):
            return CLOSURE_FORCE_ABOVE, c.closure(name), 0, limit
        case schema.HooksClosedCondition(hooks_closed=ports):
            return HOOKS_CLOSED, c.joint_of_hooks(ports), 0, 0.0
        case schema.HooksOpenCondition(hooks_open=ports):
            return HOOKS_OPEN, c.joint_of_hooks(ports), 0, 0.0
        case schema.TightCondition(tight=ports) | schema.LeaksCondition(leaks=ports):
            kind = TIGHT if isinstance(condition, schema.TightCondition) else LEAKS
            steps = math.ceil(c.steps(condition.watch_s) - 1e-9)
            return kind, c.joint_of_hooks(ports), steps, condition.limit_g_h / G_H
        case schema.DeviceCondition():
            return condition_row(condition, shaft_names(c.assembly))
        case schema.JointCondition():
            return _joint_condition(c, condition)
        case schema.DistanceCondition(distance=(a, b), below_m=None, above_m=float(limit)):
            return DISTANCE_ABOVE, c.port(a), c.port(b), limit
        case schema.DistanceCondition(distance=(a, b), below_m=float(limit)):
            return DISTANCE_BELOW, c.port(a), c.port(b), limit
        case schema.RateCondition(rate_of=body, below_deg_s=None, above_deg_s=float(limit)):
            return SPIN_ABOVE, c.assembly.body_index(body), 0, limit * DEG
        case schema.RateCondition(rate_of=body, below_deg_s=float(limit)):
            return SPIN_BELOW, c.assembly.body_index(body), 0, limit * DEG
    raise TypeError(f"no compiler for {type(condition).__name__}")


def _joint_condition(c: _Collector, condition: schema.JointCondition) -> Row:
    kinds = (
        (condition.above_deg, COORDINATE_ABOVE, DEG),
        (condition.below_deg, COORDINATE_BELOW, DEG),
        (condition.above_m, COORDINATE_ABOVE, 1.0),
        (condition.below_m, COORDINATE_BELOW, 1.0),
    )
    limit, kind, to_si = next((limit, kind, to_si) for limit, kind, to_si in kinds if limit is not None)
    return kind, c.rate(condition.joint, condition.coordinate), 0, limit * to_si


def _actions(c: _Collector, action: schema.Part) -> list[Row]:
    """Most actions are one row; new values of devices and modes of thrusters are one each, firings are pulses."""
    match action:
        case schema.SetAction(set=command):
            return set_rows(command, shaft_names(c.assembly), c.drives)
        case schema.FireAction():
            return []
        case schema.ThrustersAction(thrusters=command):
            rows = (i for name, i in c.thrusters.items() if {name, name.split(".")[0]} & set(command.of))
            return [_inhibition(i, command.mode) for i in rows]
        case schema.PressuriseAction(pressurise=command):
            return _valve(c, command.ports, [command.space()], command.over_s)
        case schema.VentAction(vent=command):
            vented = [(space, command.to_Pa) for space in range(N_SPACES)]
            return _valve(c, command.ports, vented, command.over_s, N_SPACES)
        case schema.PhaseAction(phase=name):
            return [(PHASE, c.phase(name), 0, 0.0), *_modes(c, name)]
    return [_action(c, action)]


def _valve(
    c: _Collector, ports: tuple[str, str], spaces: list[tuple[int, float]], over_s: float, first: int = 0
) -> list[Row]:
    """Of each space first the time that it takes, then the pressure; `first`: the number of the tunnel there."""
    joint = c.joint_of_hooks(ports)
    rows = ([(SET_VALVE, joint, space, over_s), (OPEN_VALVE, joint, first + space, p)] for space, p in spaces)
    return [row for pair in rows for row in pair]


def _inhibition(thruster: int, mode: str) -> Row:
    return INHIBIT, thruster, int(mode == "inhibited"), 0.0


def _modes(c: _Collector, phase: str) -> list[Row]:
    """What a phase does to the modes of attitude holds and thrusters."""
    rows: list[Row] = []
    for name, vehicle in c.scenario.vehicles.items():
        hold = vehicle.attitude_hold
        if hold is not None and phase in hold.by_phase:
            rows.append((ATTITUDE_HOLD, c.hold(name), HOLD_MODES[hold.by_phase[phase]], 0.0))
        for key, thruster in vehicle.thrusters.items():
            if phase in thruster.by_phase:
                rows.append(_inhibition(c.thrusters[f"{name}.{key}"], thruster.by_phase[phase]))
    return rows


def _action(c: _Collector, action: schema.Part) -> Row:
    match action:
        case schema.LockAction(lock=joint):
            return LOCK, c.joint(joint), 0, 0.0
        case schema.ReleaseAction(release=joint):
            return RELEASE, c.joint(joint), 0, 0.0
        case schema.DriveAction(drive=command):
            return DRIVE, c.rate(command.joint, command.coordinate), c.drives.add(command.profile), 0.0
        case schema.TorqueAction(torque=command):
            value = command.torque_Nm if command.torque_Nm is not None else command.force_N
            return TORQUE, c.rate(command.joint, command.coordinate), 0, value or 0.0
        case schema.JoinAction(join=ports):
            return JOIN, c.weld(ports), c.hooks(ports), 0.0
        case schema.SeparateAction(separate=command):
            return SEPARATE, c.weld(command.ports), c.partings.of_ports(command), _pressure(c, command)
        case schema.CloseAction(close=name):
            return CLOSE, c.closure(name), 0, 0.0
        case schema.OpenAction(open=name):
            return OPEN, c.closure(name), 0, 0.0
        case schema.JettisonAction(jettison=command):
            return _jettison(c, command)
        case schema.CutAction(cut=thruster):
            return CUT, c.thrusters[thruster], 0, 0.0
        case schema.HoldAction(attitude_hold=command):
            return ATTITUDE_HOLD, c.hold(command.vehicle), HOLD_MODES[command.mode], 0.0
        case ProgramAction(program=command):
            return SWITCH_PROGRAM, program_names(c.scenario).index(command.of), int(command.mode == "on"), 0.0
        case schema.RetractAction(retract=command):
            return _retract(c, command)
        case schema.OpenHooksAction(open_hooks=ports):
            return OPEN_HOOKS, c.joint_of_hooks(ports), 0, 0.0
        case schema.OpenLatchesAction(open_latches=pair):
            return OPEN_LATCHES, c.pair(pair), 0, 0.0
        case schema.ArmLatchesAction(arm_latches=pair):
            return ARM_LATCHES, c.pair(pair), 0, 0.0
        case schema.StopAction():
            return STOP, 0, 0, math.nan
    raise TypeError(f"no compiler for {type(action).__name__}")


def _retract(c: _Collector, command: schema.RetractCommand) -> tuple[int, int, int, float]:
    number = c.mechanism(command.mechanism)
    part = c.assembly.mechanisms[number]
    if part.drive is None:
        return RETRACT, number, c.drives.add(command), 0.0
    rate = command.rate_m_s or part.drive.rate_m_s
    profile = c.drives.add_limit(command.fraction, rate / part.stroke)
    return RETRACT, number, profile, (command.force_N or part.drive.force_N) * part.stroke


def command_names(scenario: schema.Scenario) -> list[str]:
    """Commands that events wait for, each once, in their order."""
    conditions = (condition for event in scenario.events.values() for condition in event.when)
    return list(dict.fromkeys(one.command for one in conditions if isinstance(one, schema.CommandCondition)))


def _jettison(c: _Collector, command: schema.JettisonCommand) -> Row:
    """The body's joint is cut; the spring acts from the joint frame on the parent."""
    joint = c.joint(command.body)
    part = c.assembly.joints[joint]
    spring = c.partings.spring(command.push_off, joint, Marker(part.pred, part.F), Marker(part.succ, part.M))
    return JETTISON, joint, spring, -1.0


def _pressure(c: _Collector, command: schema.SeparateCommand) -> float:
    """The profile of the residual pressure, -1 for none."""
    return -1.0 if command.residual_pressure is None else float(c.drives.add(command.residual_pressure))

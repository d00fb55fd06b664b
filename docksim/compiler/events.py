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
from docksim.config.schema import actions as do
from docksim.config.schema import conditions as when
from docksim.config.schema import contact_events, hook_events
from docksim.config.schema.closures import CloseAction, LoadOnCondition, OpenAction
from docksim.config.schema.device_events import DeviceCondition, SetAction
from docksim.config.schema.events import Event
from docksim.config.schema.fields import Part
from docksim.config.schema.joining import joinable
from docksim.config.schema.parting import SeparateCommand
from docksim.config.schema.programs import ProgramAction
from docksim.config.schema.scenario import Scenario
from docksim.model import events as codes
from docksim.model import table
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

    scenario: Scenario
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
    scenario: Scenario,
    assembly: Assembly,
    joints: np.ndarray,
    drives: DriveTables,
    thrusters: dict[str, int],
    partings: PartingTables,
) -> EventTables:
    collector = _Collector(scenario, assembly, joints, drives, thrusters, partings)
    events = table(codes.EVENT, len(scenario.events))
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
        _rows(codes.CONDITION, conditions),
        _rows(codes.ACTION, actions),
        tuple(collector.phases),
    )


def _rows(dtype: np.dtype, rows: list[Row]) -> np.ndarray:
    filled = table(dtype, len(rows))
    for target, (kind, a, b, value) in zip(filled, rows):
        target.kind, target.a, target.b, target.value = kind, a, b, value
    return filled


def _persistence(event: Event, step: float) -> int:
    """Steps in a row at which all conditions must hold: from the first to the last one lies no less than `for_s`."""
    if event.for_s is None:
        return event.persistence
    return math.ceil(event.for_s / step - 1e-9) + 1


def _conditions(c: _Collector, condition: Part) -> list[Row]:
    """Most conditions are one row; those on two ports are one for each bound."""
    rows: list[Row] = []
    if isinstance(condition, when.InReachCondition):
        ports = c.hooks(condition.in_reach)
        rows.append((codes.IN_REACH, ports, 0, 0.0))
    elif isinstance(condition, when.AlignedCondition):
        ports = c.hooks(condition.aligned)
        if condition.tilt_below_deg is not None:
            rows.append((codes.PORT_TILT_BELOW, ports, 0, condition.tilt_below_deg * DEG))
    else:
        return [_condition(c, condition)]
    if condition.speed_below_m_s is not None:
        rows.append((codes.PORT_SPEED_BELOW, ports, 0, condition.speed_below_m_s))
    if condition.rate_below_deg_s is not None:
        rows.append((codes.PORT_RATE_BELOW, ports, 0, condition.rate_below_deg_s * DEG))
    return rows


def _condition(c: _Collector, condition: Part) -> Row:
    match condition:
        case when.TimeCondition(time_s=time):
            return codes.AT_TIME, 0, 0, c.steps(time)
        case when.AfterCondition(after=event, delay_s=delay):
            return codes.AFTER_EVENT, list(c.scenario.events).index(event), 0, c.steps(delay)
        case when.NotFiredCondition(not_fired=event):
            return codes.NOT_FIRED, list(c.scenario.events).index(event), 0, 0.0
        case when.CommandCondition(command=name):
            return codes.COMMANDED, command_names(c.scenario).index(name), 0, 0.0
        case contact_events.ContactCondition(contact=pair, force_above_N=limit):
            return codes.CONTACT_ABOVE, c.pair(pair), 0, limit
        case contact_events.LatchedCondition(latched=pair, count=count):
            return codes.LATCHED, c.pair(pair), count, 0.0
        case contact_events.SettledCondition(settled=pair, slower_than_m_s=limit):
            return codes.SETTLED, c.pair(pair), 1, limit
        case contact_events.SeparatedCondition(separated=pair, distance_above_m=limit):
            return codes.SEPARATED, c.pair(pair), 0, limit
        case LoadOnCondition(load_on=name, force_above_N=None, moment_above_Nm=float(limit)):
            return codes.CLOSURE_MOMENT_ABOVE, c.closure(name), 0, limit
        case LoadOnCondition(load_on=name, force_above_N=float(limit)):
            return codes.CLOSURE_FORCE_ABOVE, c.closure(name), 0, limit
        case hook_events.HooksClosedCondition(hooks_closed=ports):
            return codes.HOOKS_CLOSED, c.joint_of_hooks(ports), 0, 0.0
        case hook_events.HooksOpenCondition(hooks_open=ports):
            return codes.HOOKS_OPEN, c.joint_of_hooks(ports), 0, 0.0
        case hook_events.TightCondition(tight=ports) | hook_events.LeaksCondition(leaks=ports):
            kind = codes.TIGHT if isinstance(condition, hook_events.TightCondition) else codes.LEAKS
            steps = math.ceil(c.steps(condition.watch_s) - 1e-9)
            return kind, c.joint_of_hooks(ports), steps, condition.limit_g_h / G_H
        case DeviceCondition():
            return condition_row(condition, shaft_names(c.assembly))
        case when.JointCondition():
            return _joint_condition(c, condition)
        case when.DistanceCondition(distance=(a, b), below_m=None, above_m=float(limit)):
            return codes.DISTANCE_ABOVE, c.port(a), c.port(b), limit
        case when.DistanceCondition(distance=(a, b), below_m=float(limit)):
            return codes.DISTANCE_BELOW, c.port(a), c.port(b), limit
        case when.RateCondition(rate_of=body, below_deg_s=None, above_deg_s=float(limit)):
            return codes.SPIN_ABOVE, c.assembly.body_index(body), 0, limit * DEG
        case when.RateCondition(rate_of=body, below_deg_s=float(limit)):
            return codes.SPIN_BELOW, c.assembly.body_index(body), 0, limit * DEG
    raise TypeError(f"no compiler for {type(condition).__name__}")


def _joint_condition(c: _Collector, condition: when.JointCondition) -> Row:
    kinds = (
        (condition.above_deg, codes.COORDINATE_ABOVE, DEG),
        (condition.below_deg, codes.COORDINATE_BELOW, DEG),
        (condition.above_m, codes.COORDINATE_ABOVE, 1.0),
        (condition.below_m, codes.COORDINATE_BELOW, 1.0),
    )
    limit, kind, to_si = next((limit, kind, to_si) for limit, kind, to_si in kinds if limit is not None)
    return kind, c.rate(condition.joint, condition.coordinate), 0, limit * to_si


def _actions(c: _Collector, action: Part) -> list[Row]:
    """Most actions are one row; new values of devices and modes of thrusters are one each, firings are pulses."""
    match action:
        case SetAction(set=command):
            return set_rows(command, shaft_names(c.assembly), c.drives)
        case do.FireAction():
            return []
        case do.ThrustersAction(thrusters=command):
            rows = (i for name, i in c.thrusters.items() if {name, name.split(".")[0]} & set(command.of))
            return [_inhibition(i, command.mode) for i in rows]
        case hook_events.PressuriseAction(pressurise=command):
            return _valve(c, command.ports, [command.space()], command.over_s)
        case hook_events.VentAction(vent=command):
            vented = [(space, command.to_Pa) for space in range(N_SPACES)]
            return _valve(c, command.ports, vented, command.over_s, N_SPACES)
        case do.PhaseAction(phase=name):
            return [(codes.PHASE, c.phase(name), 0, 0.0), *_modes(c, name)]
    return [_action(c, action)]


def _valve(
    c: _Collector, ports: tuple[str, str], spaces: list[tuple[int, float]], over_s: float, first: int = 0
) -> list[Row]:
    """Of each space first the time that it takes, then the pressure; `first`: the number of the tunnel there."""
    joint = c.joint_of_hooks(ports)
    rows = (
        [(codes.SET_VALVE, joint, space, over_s), (codes.OPEN_VALVE, joint, first + space, p)] for space, p in spaces
    )
    return [row for pair in rows for row in pair]


def _inhibition(thruster: int, mode: str) -> Row:
    return codes.INHIBIT, thruster, int(mode == "inhibited"), 0.0


def _modes(c: _Collector, phase: str) -> list[Row]:
    """What a phase does to the modes of attitude holds and thrusters."""
    rows: list[Row] = []
    for name, vehicle in c.scenario.vehicles.items():
        hold = vehicle.attitude_hold
        if hold is not None and phase in hold.by_phase:
            rows.append((codes.ATTITUDE_HOLD, c.hold(name), HOLD_MODES[hold.by_phase[phase]], 0.0))
        for key, thruster in vehicle.thrusters.items():
            if phase in thruster.by_phase:
                rows.append(_inhibition(c.thrusters[f"{name}.{key}"], thruster.by_phase[phase]))
    return rows


def _action(c: _Collector, action: Part) -> Row:
    match action:
        case do.LockAction(lock=joint):
            return codes.LOCK, c.joint(joint), 0, 0.0
        case do.ReleaseAction(release=joint):
            return codes.RELEASE, c.joint(joint), 0, 0.0
        case do.DriveAction(drive=command):
            return codes.DRIVE, c.rate(command.joint, command.coordinate), c.drives.add(command.profile), 0.0
        case do.TorqueAction(torque=command):
            value = command.torque_Nm if command.torque_Nm is not None else command.force_N
            return codes.TORQUE, c.rate(command.joint, command.coordinate), 0, value or 0.0
        case do.JoinAction(join=ports):
            return codes.JOIN, c.weld(ports), c.hooks(ports), 0.0
        case do.SeparateAction(separate=command):
            return codes.SEPARATE, c.weld(command.ports), c.partings.of_ports(command), _pressure(c, command)
        case CloseAction(close=name):
            return codes.CLOSE, c.closure(name), 0, 0.0
        case OpenAction(open=name):
            return codes.OPEN, c.closure(name), 0, 0.0
        case do.JettisonAction(jettison=command):
            return _jettison(c, command)
        case do.CutAction(cut=thruster):
            return codes.CUT, c.thrusters[thruster], 0, 0.0
        case do.HoldAction(attitude_hold=command):
            return codes.ATTITUDE_HOLD, c.hold(command.vehicle), HOLD_MODES[command.mode], 0.0
        case ProgramAction(program=command):
            return codes.SWITCH_PROGRAM, program_names(c.scenario).index(command.of), int(command.mode == "on"), 0.0
        case do.RetractAction(retract=command):
            return _retract(c, command)
        case hook_events.OpenHooksAction(open_hooks=ports):
            return codes.OPEN_HOOKS, c.joint_of_hooks(ports), 0, 0.0
        case contact_events.OpenLatchesAction(open_latches=pair):
            return codes.OPEN_LATCHES, c.pair(pair), 0, 0.0
        case contact_events.ArmLatchesAction(arm_latches=pair):
            return codes.ARM_LATCHES, c.pair(pair), 0, 0.0
        case do.StopAction():
            return codes.STOP, 0, 0, math.nan
    raise TypeError(f"no compiler for {type(action).__name__}")


def _retract(c: _Collector, command: do.RetractCommand) -> tuple[int, int, int, float]:
    number = c.mechanism(command.mechanism)
    part = c.assembly.mechanisms[number]
    if part.drive is None:
        return codes.RETRACT, number, c.drives.add(command), 0.0
    rate = command.rate_m_s or part.drive.rate_m_s
    profile = c.drives.add_limit(command.fraction, rate / part.stroke)
    return codes.RETRACT, number, profile, (command.force_N or part.drive.force_N) * part.stroke


def command_names(scenario: Scenario) -> list[str]:
    """Commands that events wait for, each once, in their order."""
    conditions = (condition for event in scenario.events.values() for condition in event.when)
    return list(dict.fromkeys(one.command for one in conditions if isinstance(one, when.CommandCondition)))


def _jettison(c: _Collector, command: do.JettisonCommand) -> Row:
    """The body's joint is cut; the spring acts from the joint frame on the parent."""
    joint = c.joint(command.body)
    part = c.assembly.joints[joint]
    spring = c.partings.spring(command.push_off, joint, Marker(part.pred, part.F), Marker(part.succ, part.M))
    return codes.JETTISON, joint, spring, -1.0


def _pressure(c: _Collector, command: SeparateCommand) -> float:
    """The profile of the residual pressure, -1 for none."""
    return -1.0 if command.residual_pressure is None else float(c.drives.add(command.residual_pressure))

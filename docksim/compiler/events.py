"""Events to conditions and actions with indices."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from docksim.compiler.assembly import Assembly
from docksim.compiler.control import HOLD_MODES
from docksim.compiler.device_events import Row, condition_row, set_rows
from docksim.compiler.drives import DriveTables
from docksim.compiler.parts import DEG, Marker
from docksim.compiler.shaft_tables import shaft_names
from docksim.config import schema
from docksim.config.joining import joinable
from docksim.model import table
from docksim.model.events import (
    ACTION,
    AFTER_EVENT,
    ARM_LATCHES,
    AT_TIME,
    ATTITUDE_HOLD,
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
    IN_REACH,
    INHIBIT,
    JETTISON,
    JOIN,
    LATCHED,
    LOCK,
    NOT_FIRED,
    OPEN_LATCHES,
    PHASE,
    PORT_RATE_BELOW,
    PORT_SPEED_BELOW,
    PORT_TILT_BELOW,
    PUSHER,
    RELEASE,
    RETRACT,
    SEPARATE,
    SEPARATED,
    SPIN_ABOVE,
    SPIN_BELOW,
    STOP,
    TORQUE,
)

Pusher = tuple[Marker, Marker, schema.PushOff]


@dataclass
class EventTables:
    """The tables, and the names of the phases: code 0 is the start of the run."""

    event: np.ndarray
    condition: np.ndarray
    action: np.ndarray
    pusher: np.ndarray
    phases: tuple[str, ...]


@dataclass
class _Collector:
    """What the events of one scenario need while they are turned into rows."""

    scenario: schema.Scenario
    assembly: Assembly
    joints: np.ndarray
    drives: DriveTables
    thrusters: dict[str, int]
    phases: list[str] = field(default_factory=lambda: ["start"])
    pushers: list[Pusher] = field(default_factory=list)

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

    def pair(self, name: str) -> int:
        return list(self.scenario.contacts).index(name)

    def phase(self, name: str) -> int:
        if name not in self.phases:
            self.phases.append(name)
        return self.phases.index(name)

    def mechanism(self, vehicle: str) -> int:
        return [name for name, v in self.scenario.vehicles.items() if v.mechanism is not None].index(vehicle)

    def hold(self, vehicle: str) -> int:
        return [name for name, v in self.scenario.vehicles.items() if v.attitude_hold is not None].index(vehicle)

    def pusher(self, spring: schema.PushOff | None, a: Marker, b: Marker) -> int:
        """Row of a push-off spring between two frames, -1 for none."""
        if spring is None:
            return -1
        self.pushers.append((a, b, spring))
        return len(self.pushers) - 1


def event_tables(
    scenario: schema.Scenario,
    assembly: Assembly,
    joints: np.ndarray,
    drives: DriveTables,
    thrusters: dict[str, int],
) -> EventTables:
    collector = _Collector(scenario, assembly, joints, drives, thrusters)
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
        _pusher_table(collector.pushers),
        tuple(collector.phases),
    )


def _rows(dtype: np.dtype, rows: list[Row]) -> np.ndarray:
    filled = table(dtype, len(rows))
    for target, (kind, a, b, value) in zip(filled, rows):
        target.kind, target.a, target.b, target.value = kind, a, b, value
    return filled


def _pusher_table(pushers: list[Pusher]) -> np.ndarray:
    rows = table(PUSHER, len(pushers))
    for row, (a, b, spring) in zip(rows, pushers):
        row.body_A, row.body_B = a.body, b.body
        row.p_A[:], row.p_B[:] = a.place.position, b.place.position
        row.axis_A[:] = a.place.axes[:, 0]
        row.stiffness, row.stroke = spring.stiffness_N_m, spring.stroke_m
    return rows


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
        case schema.SeparatedCondition(separated=pair, distance_above_m=limit):
            return SEPARATED, c.pair(pair), 0, limit
        case schema.DeviceCondition():
            return condition_row(condition, shaft_names(c.assembly.mechanisms))
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
            return set_rows(command, shaft_names(c.assembly.mechanisms))
        case schema.FireAction():
            return []
        case schema.ThrustersAction(thrusters=command):
            rows = (i for name, i in c.thrusters.items() if {name, name.split(".")[0]} & set(command.of))
            return [_inhibition(i, command.mode) for i in rows]
        case schema.PhaseAction(phase=name):
            return [(PHASE, c.phase(name), 0, 0.0), *_modes(c, name)]
    return [_action(c, action)]


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
            a, b = (c.assembly.markers[port] for port in command.ports)
            return SEPARATE, c.weld(command.ports), c.pusher(command.push_off, a, b), 0.0
        case schema.JettisonAction(jettison=command):
            return _jettison(c, command)
        case schema.CutAction(cut=thruster):
            return CUT, c.thrusters[thruster], 0, 0.0
        case schema.HoldAction(attitude_hold=command):
            return ATTITUDE_HOLD, c.hold(command.vehicle), HOLD_MODES[command.mode], 0.0
        case schema.RetractAction(retract=command):
            return RETRACT, c.mechanism(command.mechanism), c.drives.add(command), 0.0
        case schema.OpenLatchesAction(open_latches=pair):
            return OPEN_LATCHES, c.pair(pair), 0, 0.0
        case schema.ArmLatchesAction(arm_latches=pair):
            return ARM_LATCHES, c.pair(pair), 0, 0.0
        case schema.StopAction():
            return STOP, 0, 0, math.nan
    raise TypeError(f"no compiler for {type(action).__name__}")


def command_names(scenario: schema.Scenario) -> list[str]:
    """Commands that events wait for, each once, in their order."""
    conditions = (condition for event in scenario.events.values() for condition in event.when)
    return list(dict.fromkeys(one.command for one in conditions if isinstance(one, schema.CommandCondition)))


def _jettison(c: _Collector, command: schema.JettisonCommand) -> Row:
    """The body's joint is cut; the spring acts from the joint frame on the parent."""
    joint = c.joint(command.body)
    part = c.assembly.joints[joint]
    spring = c.pusher(command.push_off, Marker(part.pred, part.F), Marker(part.succ, part.M))
    return JETTISON, joint, spring, 0.0

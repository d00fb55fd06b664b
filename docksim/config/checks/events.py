"""Do events refer to things that exist and fit: joints, coordinates, ports, bodies, thrusters, vehicles, events?"""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.checks.cycles import find_cycle
from docksim.config.checks.device_events import DeviceEventChecks
from docksim.config.errors import unknown
from docksim.config.schema import actions as do
from docksim.config.schema import conditions as when
from docksim.config.schema import names
from docksim.config.schema.closures import CloseAction, LoadOnCondition, OpenAction
from docksim.config.schema.contact import latching
from docksim.config.schema.contact_events import LatchedCondition, SettledCondition
from docksim.config.schema.device_events import DeviceCondition, SetAction
from docksim.config.schema.drives import unit_of
from docksim.config.schema.events import Event
from docksim.config.schema.fields import Part, overlap
from docksim.config.schema.joining import hooks_of, parting_faults
from docksim.config.schema.programs import ProgramAction
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Fault, Keys

MOST_STEPS = 1e15
PRESSURE_KEYS = ("tight", "leaks", "pressurise", "vent")
HOOK_KEYS = ("hooks_closed", "hooks_open", "open_hooks", *PRESSURE_KEYS)
CONTACT_KEYS = ("contact", "latched", "settled", "separated", "open_latches", "arm_latches")
LIMITS = {"above_deg": "deg", "below_deg": "deg", "above_m": "m", "below_m": "m"}
QUANTITY = {
    "deg": "a rotation; use the keys in deg (torque_Nm for its motor)",
    "m": "a translation; use the keys in m (force_N for its motor)",
}


def check_events(scenario: Scenario) -> list[Fault]:
    """Every fault of the events."""
    return _EventChecks(scenario).faults()


class _EventChecks:
    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.joints = names.joints(scenario)
        self.ports = names.ports(scenario)
        self.interfaces = names.interfaces(scenario)
        self.bodies = names.turning_bodies(scenario)
        self.thrusters = names.thrusters(scenario)
        self.jettisonable = names.jettisonable(scenario)
        actions = [action for event in scenario.events.values() for action in event.do]
        self.devices = DeviceEventChecks(scenario)
        self.joined = {frozenset(action.join) for action in actions if isinstance(action, do.JoinAction)}

    def faults(self) -> list[Fault]:
        every: list[Fault] = []
        for name, event in self.scenario.events.items():
            every += [(("events", name, *path), message) for path, message in self.event(event)]
        return [*every, *_circles(self.scenario.events), *_phases_of_modes(self.scenario)]

    def event(self, event: Event) -> Iterator[Fault]:
        for index, condition in enumerate(event.when):
            yield from ((("when", index, *path), message) for path, message in self.condition(condition))
        if event.for_s is not None:
            yield from self.countable("for_s", event.for_s, ())
        yield from self.settles(event)
        for index, action in enumerate(event.do):
            yield from ((("do", index, *path), message) for path, message in self.action(action))
        yield from _clashing_fires(event)

    def settles(self, event: Event) -> Iterator[Fault]:
        """Can what waits for a pair to settle ever come?"""
        for index, condition in enumerate(event.when):
            if not isinstance(condition, SettledCondition) or condition.settled not in self.scenario.contacts:
                continue
            pair = self.scenario.contacts[condition.settled]
            path, name, duration = ("when", index, "settled"), condition.settled, self.scenario.solver.duration_s
            if pair.failed_latches:
                yield path, f"pair '{name}' settles when all its latches hold, and latch {pair.failed_latches[0]} fails"
            if any(getattr(other, "separated", None) == name for other in event.when):
                yield path, f"pair '{name}' cannot be held and separated at once; they need events of their own"
            if event.for_s is not None and event.for_s >= duration:
                yield ("for_s",), f"{event.for_s} s is as long as the run, which ends at {duration} s; shorten it"

    # ------------------------------------------------------------ conditions

    def condition(self, condition: Part) -> Iterator[Fault]:
        if isinstance(condition, when.AfterCondition):
            yield from self.after(condition)
        elif isinstance(condition, when.JointCondition):
            yield from self.joint_condition(condition)
        elif isinstance(condition, when.DistanceCondition):
            yield from self.port_pair(condition.distance, ("distance",))
        elif isinstance(condition, when.InReachCondition):
            yield from self.in_reach(condition)
        elif isinstance(condition, when.AlignedCondition):
            yield from self.port_pair(condition.aligned, ("aligned",))
        elif isinstance(condition, when.RateCondition) and condition.rate_of not in self.bodies:
            yield ("rate_of",), unknown("vehicle or body", condition.rate_of, self.bodies)
        elif isinstance(condition, DeviceCondition):
            yield from self.devices.condition(condition)
        elif isinstance(condition, LoadOnCondition):
            yield from self.closure(condition.load_on, "load_on")
        elif isinstance(condition, when.NotFiredCondition) and condition.not_fired not in self.scenario.events:
            yield ("not_fired",), unknown("event", condition.not_fired, self.scenario.events)
        else:
            yield from self.contact(condition)

    def after(self, condition: when.AfterCondition) -> Iterator[Fault]:
        if condition.after not in self.scenario.events:
            yield ("after",), unknown("event", condition.after, self.scenario.events)
        yield from self.countable("delay_s", condition.delay_s, ())

    def in_reach(self, condition: when.InReachCondition) -> Iterator[Fault]:
        faults = list(self.port_pair(condition.in_reach, ("in_reach",)))
        yield from faults
        if not faults and hooks_of(self.scenario, condition.in_reach) is None:
            a, b = condition.in_reach
            yield ("in_reach",), f"neither {a} nor {b} has hooks, so nothing says how far they reach; give one 'hooks'"

    def countable(self, key: str, value: float, path: Keys) -> Iterator[Fault]:
        """Times are counted in steps."""
        if not value / self.scenario.solver.step_s < MOST_STEPS:
            yield (*path, key), f"{value} s is longer than any run; shorten it, or leave the event out"

    def contact(self, part: Part) -> Iterator[Fault]:
        """Conditions and actions that name a contact pair, or the ports of a joint."""
        yield from self.joint_of_hooks(part)
        key = next((key for key in CONTACT_KEYS if key in type(part).model_fields), None)
        if key is None:
            return
        pair = self.scenario.contacts.get(getattr(part, key))
        if pair is None:
            yield (key,), unknown("contact pair", getattr(part, key), self.scenario.contacts)
            return
        first, second = (self.interfaces.get(port) for port in pair.ports)
        one_vehicle = len({port.split(".")[0] for port in pair.ports}) == 1
        if key in ("contact", "separated") or first is None or second is None or one_vehicle:
            return
        latches = latching(first, second)
        if latches is None:
            yield (key,), f"pair '{getattr(part, key)}' has no latches, or no strikers for them; give them to the ports"
        elif isinstance(part, LatchedCondition) and part.count > latches[0].count:
            yield ("count",), f"{part.count} is more than the {latches[0].count} latches of pair '{part.latched}'"

    def joint_of_hooks(self, part: Part) -> Iterator[Fault]:
        """Conditions and actions that name two ports whose hooks pull."""
        key = next((key for key in HOOK_KEYS if key in type(part).model_fields), None)
        if key is None:
            return
        named = getattr(part, key)
        ports, path = (named, (key,)) if isinstance(named, tuple) else (named.ports, (key, "ports"))
        faults = list(self.port_pair(ports, path))
        yield from faults
        if not faults and frozenset(ports) not in self.joined:
            yield path, f"no event joins {ports[0]} and {ports[1]}, so their hooks never close; add a join"
            return
        hooks = hooks_of(self.scenario, ports) if not faults else None
        if not faults and (hooks is None or hooks.count is None):
            yield path, f"neither {ports[0]} nor {ports[1]} has hooks with a count, which take time; give one 'count'"
        elif not faults and key in PRESSURE_KEYS and (hooks is None or hooks.seal is None):
            yield path, f"neither {ports[0]} nor {ports[1]} has a seal to hold pressure; give the hooks a 'seal'"

    def joint_condition(self, condition: when.JointCondition) -> Iterator[Fault]:
        key = next(key for key in LIMITS if getattr(condition, key) is not None)
        yield from self.coordinate(condition.joint, condition.coordinate, LIMITS[key], (key,), ())

    # ------------------------------------------------------------ actions

    def action(self, action: Part) -> Iterator[Fault]:
        if isinstance(action, do.LockAction):
            yield from self.movable(action.lock, ("lock",))
        elif isinstance(action, do.ReleaseAction):
            yield from self.movable(action.release, ("release",))
        elif isinstance(action, do.DriveAction):
            yield from self.drive(action)
        elif isinstance(action, do.TorqueAction):
            yield from self.torque(action)
        elif isinstance(action, do.JoinAction):
            yield from self.port_pair(action.join, ("join",))
        elif isinstance(action, do.SeparateAction):
            yield from self.separate(action)
        elif isinstance(action, CloseAction):
            yield from self.closure(action.close, "close")
        elif isinstance(action, OpenAction):
            yield from self.closure(action.open, "open")
        elif isinstance(action, do.JettisonAction):
            yield from self.jettison(action)
        elif isinstance(action, do.FireAction):
            yield from self.fire(action)
        elif isinstance(action, do.CutAction):
            yield from self.thruster(action.cut, ("cut",))
        elif isinstance(action, do.ThrustersAction):
            yield from self.thrusters_of(action)
        elif isinstance(action, ProgramAction):
            yield from self.program(action)
        elif isinstance(action, do.HoldAction):
            yield from self.hold(action)
        elif isinstance(action, do.RetractAction):
            yield from self.retract(action)
        elif isinstance(action, SetAction):
            yield from ((("set", *path), message) for path, message in self.devices.command(action.set))
        else:
            yield from self.contact(action)

    def closure(self, name: str, key: str) -> Iterator[Fault]:
        if name not in self.scenario.closures:
            yield (key,), unknown("closure", name, self.scenario.closures)

    def movable(self, joint: str, path: Keys) -> Iterator[Fault]:
        facts = self.joints.get(joint)
        if facts is None:
            yield path, self.unknown_joint(joint)
        elif not facts.moves:
            yield (
                path,
                f"the joint of '{joint}' is fixed: it can be neither locked nor released; use jettison to cut it",
            )

    def drive(self, action: do.DriveAction) -> Iterator[Fault]:
        profile = action.drive.profile
        yield from self.coordinate(
            action.drive.joint, action.drive.coordinate, unit_of(profile), ("drive", "profile"), ("drive",)
        )

    def torque(self, action: do.TorqueAction) -> Iterator[Fault]:
        key, unit = ("torque_Nm", "deg") if action.torque.torque_Nm is not None else ("force_N", "m")
        yield from self.coordinate(action.torque.joint, action.torque.coordinate, unit, ("torque", key), ("torque",))

    def separate(self, action: do.SeparateAction) -> Iterator[Fault]:
        ports = action.separate.ports
        faults = list(self.port_pair(ports, ("separate", "ports")))
        yield from faults
        if not faults and frozenset(ports) not in self.joined:
            text = f"no event joins {ports[0]} and {ports[1]}, so they cannot part; add a join, or use jettison"
            yield ("separate", "ports"), text
        if not faults:
            yield from parting_faults(self.scenario, action.separate)

    def jettison(self, action: do.JettisonAction) -> Iterator[Fault]:
        body = action.jettison.body
        path: Keys = ("jettison", "body")
        if body in self.scenario.vehicles or body in (f"{name}.base" for name in self.scenario.vehicles):
            yield path, f"'{body}' is a base body, which hangs on no joint; name a body of the vehicle"
        elif body not in self.jettisonable:
            yield path, unknown("body", body, self.jettisonable)

    def thruster(self, name: str, path: Keys) -> Iterator[Fault]:
        if name not in self.thrusters:
            yield path, unknown("thruster", name, self.thrusters)

    def fire(self, action: do.FireAction) -> Iterator[Fault]:
        for index, name in enumerate(action.fire.thruster):
            yield from self.thruster(name, ("fire", "thruster", index))
        key = "duration_s" if action.fire.schedule is None else "schedule"
        yield from self.countable(key, max(sum(pulse) for pulse in action.fire.pulses), ("fire",))

    def thrusters_of(self, action: do.ThrustersAction) -> Iterator[Fault]:
        for index, name in enumerate(action.thrusters.of):
            vehicle = self.scenario.vehicles.get(name)
            if vehicle is not None and not vehicle.thrusters:
                yield ("thrusters", "of", index), f"'{name}' has no thrusters to switch; give it some, or leave it out"
            elif vehicle is None and name not in self.thrusters:
                text = unknown("thruster or vehicle", name, [*self.scenario.vehicles, *self.thrusters])
                yield ("thrusters", "of", index), text

    def program(self, action: ProgramAction) -> Iterator[Fault]:
        there = [f"{name}.{key}" for name, vehicle in self.scenario.vehicles.items() for key in vehicle.programs]
        if action.program.of not in there:
            yield ("program", "of"), unknown("program", action.program.of, there)

    def hold(self, action: do.HoldAction) -> Iterator[Fault]:
        name = action.attitude_hold.vehicle
        vehicle = self.scenario.vehicles.get(name)
        if vehicle is None:
            yield ("attitude_hold", "vehicle"), unknown("vehicle", name, self.scenario.vehicles)
        elif vehicle.attitude_hold is None:
            text = f"'{name}' has no attitude_hold to switch; add one (with mode: off to start without)"
            yield ("attitude_hold", "vehicle"), text

    def retract(self, action: do.RetractAction) -> Iterator[Fault]:
        name = action.retract.mechanism
        vehicle = self.scenario.vehicles.get(name)
        path: Keys = ("retract", "mechanism")
        if vehicle is None:
            yield path, unknown("vehicle", name, self.scenario.vehicles)
        elif vehicle.mechanism is None:
            yield path, f"'{name}' has no mechanism; name the vehicle that carries one"
        elif not any(leg.base_way() for leg in vehicle.mechanism.six_legs()):
            yield path, f"the base joints of '{name}' have no travel; give its legs a base_travel"
        elif vehicle.mechanism.retraction_drive is not None:
            if action.retract.duration_s is not None:
                yield ("retract", "duration_s"), f"'{name}' has a retraction_drive, which goes as it can; leave it out"
        elif action.retract.duration_s is None:
            yield ("retract",), f"needs duration_s, since '{name}' has no retraction_drive"
        else:
            for key in ("force_N", "rate_m_s"):
                if getattr(action.retract, key) is not None:
                    yield ("retract", key), f"'{name}' has no retraction_drive; its motion is prescribed"

    # ------------------------------------------------------------ shared

    def port_pair(self, pair: tuple[str, str], path: Keys) -> Iterator[Fault]:
        missing = [(index, port) for index, port in enumerate(pair) if port not in self.ports]
        for index, port in missing:
            yield (*path, index), unknown("port", port, self.ports)
        if not missing and self.ports[pair[0]] == self.ports[pair[1]]:
            yield path, f"{pair[0]} and {pair[1]} are on the same body; two different bodies are needed"

    def coordinate(self, joint: str, index: int, unit: str | None, unit_path: Keys, path: Keys) -> Iterator[Fault]:
        """Does the joint have this coordinate, and is it measured in this unit (any, if None)?"""
        facts = self.joints.get(joint)
        if facts is None:
            yield (*path, "joint"), self.unknown_joint(joint)
        elif not facts.units:
            yield (*path, "joint"), f"'{joint}' is a {facts.kind} joint, which has no single coordinate to name here"
        elif index >= len(facts.units):
            count = "only coordinate 0" if len(facts.units) == 1 else f"coordinates 0 to {len(facts.units) - 1}"
            yield (*path, "coordinate"), f"{index} is too high; '{joint}' has {count}"
        elif unit is not None and facts.units[index] != unit:
            yield unit_path, f"does not fit: coordinate {index} of '{joint}' is {QUANTITY[facts.units[index]]}"

    def unknown_joint(self, joint: str) -> str:
        name, _, beam = joint.partition(".")
        vehicle = self.scenario.vehicles.get(name)
        if vehicle is not None and beam in vehicle.beams:
            last = vehicle.beams[beam].segments
            return f"'{joint}' is a beam; name one of its joints: '{joint}.1' (root) to '{joint}.{last}'"
        return unknown("joint", joint, self.joints)


def _clashing_fires(event: Event) -> Iterator[Fault]:
    """Actions of one event that fire a thruster twice at once, or cut it as it begins to fire."""
    fired: dict[str, list[tuple[float, float]]] = {}
    for index, action in enumerate(event.do):
        if isinstance(action, do.CutAction) and action.cut in fired:
            text = f"'{action.cut}' is fired by this event, and a cut ends what began before; put it before the fire"
            yield ("do", index, "cut"), text
        if not isinstance(action, do.FireAction):
            continue
        for name in action.fire.thruster:
            fault = overlap([*fired.get(name, []), *action.fire.pulses]) if name in fired else ""
            if fault:
                key = "duration_s" if action.fire.schedule is None else "schedule"
                yield ("do", index, "fire", key), f"with what this event fires '{name}' before: {fault}"
            fired[name] = [*fired.get(name, []), *action.fire.pulses]


def _phases_of_modes(scenario: Scenario) -> Iterator[Fault]:
    """Phases in which control or thrusters change their mode, but which never begin."""
    actions = (action for event in scenario.events.values() for action in event.do)
    phases = list(dict.fromkeys(action.phase for action in actions if isinstance(action, do.PhaseAction)))
    for path, part in names.moded(scenario).items():
        for phase in part.by_phase:
            if phase not in phases:
                known = unknown("phase", phase, phases) if phases else f"no phase '{phase}'; no event begins one"
                yield (*path, "by_phase", phase), known


def _circles(events: dict[str, Event]) -> Iterator[Fault]:
    """Events that wait for one another."""

    def awaited(name: str) -> list[str]:
        event = events.get(name)
        return [one.after for one in event.when if isinstance(one, when.AfterCondition)] if event is not None else []

    for name, event in events.items():
        cycle = find_cycle(name, awaited)
        index = next((k for k, one in enumerate(event.when) if cycle and getattr(one, "after", None) == cycle[1]), None)
        if index is not None:
            text = f"events wait for one another: {' -> '.join(cycle)}; none of them could ever happen"
            yield ("events", name, "when", index, "after"), text

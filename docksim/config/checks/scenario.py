"""What only the whole scenario can tell: references, cycles, clashing names, times that must fit each other, sizes.

Every check yields (path, message); the loader turns paths into file and line. Events are checked in `event_checks`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from docksim.algebra.elementary import hypot
from docksim.algebra.vec3 import cross, dot
from docksim.config.checks.approach import check_approach
from docksim.config.checks.closures import check_closures
from docksim.config.checks.contact import RESERVED_CHANNELS, check_contacts
from docksim.config.checks.cycles import find_cycle
from docksim.config.checks.devices import actuators_of
from docksim.config.checks.events import check_events
from docksim.config.checks.joining import check_holds, check_joints
from docksim.config.checks.mechanism import check_mechanism
from docksim.config.checks.programs import check_programs
from docksim.config.errors import did_you_mean, one_of
from docksim.config.schema.joints import FixedJoint, axes_of
from docksim.config.schema.names import bodies_of
from docksim.config.schema.programs import AdaptiveProgram, ArmProgram
from docksim.config.schema.scenario import FreeSpace, Scenario, with_sequence
from docksim.config.schema.sequence import given_at, sequence_faults
from docksim.config.schema.vehicle import Vehicle
from docksim.config.tree import Keys

Fault = tuple[Keys, str]

MOST_STEPS = 2e9
MOST_ROWS = 5e6
MOST_DELAY = 10_000
RESERVED_IN_VEHICLE = ("base", "tip")


def check_scenario(scenario: Scenario) -> list[Fault]:
    """Every fault of a scenario whose parts are valid on their own."""
    faults = [*_times(scenario), *_vehicle_names(scenario)]
    for name, vehicle in scenario.vehicles.items():
        path: Keys = ("vehicles", name)
        for check in VEHICLE_CHECKS:
            faults += [((*path, *inner), message) for inner, message in check(vehicle)]
        faults += [((*path, *inner), message) for inner, message in _sampling(vehicle, scenario.solver.step_s)]
        faults += [((*path, *inner), message) for inner, message in _response(vehicle, scenario.solver.step_s)]
    faults += _reference(scenario)
    faults += [*check_programs(scenario), *check_holds(scenario)]
    return [
        *faults,
        *check_closures(scenario),
        *check_contacts(scenario),
        *check_approach(scenario),
        *_all_events(scenario),
    ]


def _all_events(scenario: Scenario) -> Iterator[Fault]:
    """The events, and those that the sequence stands for, each by its place in the file."""
    doubtful = list(sequence_faults(scenario.sequence, list(scenario.events)))
    yield from doubtful
    if not doubtful:
        whole = with_sequence(scenario)
        yield from ((given_at(path, scenario.sequence), message) for path, message in check_events(whole))
        yield from check_joints(whole)


# ---------------------------------------------------------------- times and sizes


def _times(scenario: Scenario) -> Iterator[Fault]:
    solver, every_s = scenario.solver, scenario.outputs.every_s
    if solver.step_s > solver.duration_s:
        yield ("solver", "step_s"), f"{solver.step_s} s is longer than duration_s, which is {solver.duration_s} s"
        return
    steps, rows = solver.duration_s / solver.step_s, solver.duration_s / every_s
    if steps > MOST_STEPS:
        advice = f"lengthen the step to {solver.duration_s / MOST_STEPS:.1g} s or more, or shorten the run"
        text = f"{solver.step_s} s makes {steps:.3g} steps, and {MOST_STEPS:.0g} is the limit; {advice}"
        yield ("solver", "step_s"), text
    if solver.tolerance is not None and solver.integrator != "rk4":
        text = f"goes with integrator: rk4, not with {solver.integrator}, whose steps are all of one length"
        yield ("solver", "tolerance"), f"{text}; leave the tolerance out, or change the integrator"
    if not is_multiple(every_s, solver.step_s):
        yield ("outputs", "every_s"), multiple_message(every_s, solver.step_s, "solver.step_s")
    if rows > MOST_ROWS:
        advice = f"log every {solver.duration_s / MOST_ROWS:.1g} s or less often"
        yield ("outputs", "every_s"), f"{every_s} s makes {rows:.3g} rows, and {MOST_ROWS:.0g} is the limit; {advice}"


def _response(vehicle: Vehicle, step_s: float) -> Iterator[Fault]:
    """A drive's rate loop is integrated explicitly."""
    drive = vehicle.mechanism.retraction_drive if vehicle.mechanism is not None else None
    if drive is not None and drive.response_s < 2.0 * step_s:
        text = f"{drive.response_s} s is less than two steps of {step_s} s, which cannot follow it"
        yield ("mechanism", "retraction_drive", "response_s"), text


def _sampling(vehicle: Vehicle, step_s: float) -> Iterator[Fault]:
    for path, loop in _sampled(vehicle):
        if not is_multiple(loop.sample_s, step_s):
            yield (*path, "sample_s"), multiple_message(loop.sample_s, step_s, "solver.step_s")
        elif loop.sample_s / step_s > MOST_STEPS:
            yield (*path, "sample_s"), f"{loop.sample_s} s is longer than any run; sample more often"
        if isinstance(loop, ArmProgram | AdaptiveProgram):
            continue
        if loop.delay_s > 0 and not is_multiple(loop.delay_s, loop.sample_s):
            yield (*path, "delay_s"), multiple_message(loop.delay_s, loop.sample_s, "sample_s")
        elif loop.delay_s / loop.sample_s > MOST_DELAY:
            count = f"{loop.delay_s} s is {loop.delay_s / loop.sample_s:.3g} samples, and {MOST_DELAY} is the limit"
            yield (*path, "delay_s"), f"{count}; shorten the delay, or sample less often"


def _sampled(vehicle: Vehicle) -> Iterator[tuple[Keys, Any]]:
    """Everything that works in samples: the attitude hold, and servos of the mechanism and of joints."""
    if vehicle.attitude_hold is not None:
        yield ("attitude_hold",), vehicle.attitude_hold
    for path, actuator in actuators_of(vehicle.mechanism) if vehicle.mechanism is not None else ():
        servo = getattr(actuator, "servo", None)
        if servo is not None and servo.sample_s is not None:
            yield ("mechanism", *path, "servo"), servo
    for name, program in vehicle.programs.items():
        if program.sample_s is not None:
            yield ("programs", name), program
    for body, part in vehicle.bodies.items():
        for keys, axis in axes_of(part.joint):
            servo = getattr(axis.actuator, "servo", None)
            if servo is not None and servo.sample_s is not None:
                yield ("bodies", body, "joint", *keys, "actuator", "servo"), servo


def is_multiple(whole: float, part: float) -> bool:
    """Whether `whole` is 1, 2, 3, ... times `part`, to a relative 1e-9."""
    ratio = whole / part
    return math.isfinite(ratio) and round(ratio) >= 1 and abs(ratio - round(ratio)) <= 1e-9 * ratio


def whole_steps(duration: float, step: float) -> tuple[int, float]:
    """Steps of a run, and what its last one takes of a whole step: 1 if the duration is a whole number of steps."""
    count = duration / step
    if abs(count - round(count)) <= max(1e-9, 1e-15 * count):
        return round(count), 1.0
    return math.ceil(count), count - math.floor(count)


def multiple_message(whole: float, part: float, name: str) -> str:
    """Why is_multiple refused, with the nearest values that would do."""
    count = whole / part
    rule = f"{whole} s must be a whole multiple of {name}, which is {part} s"
    if not math.isfinite(count):
        return rule
    near = [f"{number * part:.9g}" for number in (math.floor(count), math.ceil(count)) if number >= 1]
    return f"{rule}; the nearest: {' or '.join(dict.fromkeys(near))}"


def _reference(scenario: Scenario) -> Iterator[Fault]:
    """A reference that moves is possible only where all such points are alike."""
    reference = scenario.reference
    if reference is None:
        return
    if not isinstance(scenario.environment, FreeSpace):
        yield ("reference",), "vehicles in orbit are placed against the orbit's own reference point; remove the key"
    held = [name for name, vehicle in scenario.vehicles.items() if vehicle.anchored]
    if held and any(reference.velocity_m_s):
        given = list(reference.velocity_m_s)
        text = f"{given} m/s, but '{held[0]}' is anchored, and stands still in W; leave the velocity out, or free it"
        yield ("reference", "velocity_m_s"), text


# ---------------------------------------------------------------- names


def _vehicle_names(scenario: Scenario) -> Iterator[Fault]:
    for name in scenario.vehicles:
        if name in RESERVED_CHANNELS or name in Scenario.model_fields:
            text = f"'{name}' means something else in overrides or results; choose another name for the vehicle"
            yield ("vehicles", name), text


def _names_inside(vehicle: Vehicle) -> Iterator[Fault]:
    """Bodies, beams, wheels and base ports share the names below their vehicle."""
    owner: dict[str, str] = {}
    if vehicle.mechanism is not None:
        owner = dict.fromkeys(("ring", "legs", "couplings"), "mechanism's parts")
    for group in ("bodies", "beams", "wheels", "ports"):
        for name in getattr(vehicle, group):
            if name in RESERVED_IN_VEHICLE:
                yield (group, name), f"'{name}' is reserved; choose another name"
            elif name in owner:
                yield (
                    (group, name),
                    f"'{name}' is also the name of one of the vehicle's {owner[name]}; rename one of them",
                )
            owner.setdefault(name, group)


def _sections(vehicle: Vehicle) -> Iterator[Fault]:
    """Sections of beams lie on them."""
    for name, beam in vehicle.beams.items():
        for key, text in beam.structure.faults(beam.length_m) if beam.structure else ():
            yield ("beams", name, "structure", *key), text


def _names_of_ports(vehicle: Vehicle) -> Iterator[Fault]:
    """On a beam, 'tip' is already the body that carries its ports."""
    for name, beam in vehicle.beams.items():
        for port in RESERVED_IN_VEHICLE:
            if port in beam.ports:
                yield ("beams", name, "ports", port), f"'{port}' is reserved; choose another name"


# ---------------------------------------------------------------- the tree of a vehicle


def _parents(vehicle: Vehicle) -> Iterator[Fault]:
    known = bodies_of(vehicle)
    parts: list[tuple[Keys, str]] = [(("bodies", name), body.parent) for name, body in vehicle.bodies.items()]
    parts += [(("beams", name), beam.parent) for name, beam in vehicle.beams.items()]
    if vehicle.mechanism is not None:
        parts.append((("mechanism",), vehicle.mechanism.parent))
    for path, parent in parts:
        if parent not in known:
            yield (*path, "parent"), unknown_body(parent, vehicle)
    above = {_carried(path): parent for path, parent in parts}
    above.pop("base", None)
    for path, _ in parts:
        cycle = find_cycle(_carried(path), lambda below: [above[below]] if below in above else [])
        if cycle:
            yield (*path, "parent"), f"cyclic parents: {' -> '.join(cycle)}; one of them must hang on 'base'"


def _massless(vehicle: Vehicle) -> Iterator[Fault]:
    """What a joint moves has mass: the body's own, or that of what it carries."""
    parents = [body.parent for body in vehicle.bodies.values()] + [beam.parent for beam in vehicle.beams.values()]
    parents += [vehicle.mechanism.parent] if vehicle.mechanism is not None else []
    for name, body in vehicle.bodies.items():
        if body.mass_kg == 0.0 and name not in parents and not isinstance(body.joint, FixedJoint):
            yield ("bodies", name, "mass_kg"), "is 0, and it carries nothing: its joint would move nothing; give a mass"


def _carried(path: Keys) -> str:
    """The body that other things can be mounted on, of a body, beam or mechanism."""
    if path[0] == "mechanism":
        return "ring"
    return str(path[1]) if path[0] == "bodies" else f"{path[1]}.tip"


def _mechanism(vehicle: Vehicle) -> Iterator[Fault]:
    """Every leg must reach the ring in its reference pose."""
    if vehicle.mechanism is not None:
        yield from ((("mechanism", *path), message) for path, message in check_mechanism(vehicle.mechanism))


def unknown_body(name: str, vehicle: Vehicle) -> str:
    """The message about a body that this vehicle does not have."""
    known = bodies_of(vehicle)
    if name in vehicle.beams:
        return f"'{name}' is a beam; things are mounted on its tip: '{name}.tip'"
    return f"no body '{name}' in this vehicle; it has {one_of(known)}{did_you_mean(name, known)}"


def _carriers(vehicle: Vehicle) -> Iterator[Fault]:
    """The bodies that thrusters and loads name."""
    items = [("thrusters", name, thruster.body) for name, thruster in vehicle.thrusters.items()]
    items += [("loads", name, load.body) for name, load in vehicle.loads.items()]
    for group, name, body in items:
        if body not in bodies_of(vehicle):
            yield (group, name, "body"), unknown_body(body, vehicle)


# ---------------------------------------------------------------- wheels


def _wheels(vehicle: Vehicle) -> Iterator[Fault]:
    hold = vehicle.attitude_hold
    if hold is None or hold.actuator != "wheels":
        return
    path: Keys = ("attitude_hold", "actuator")
    if not vehicle.wheels:
        yield path, "is wheels, but the vehicle has none; add wheels, or choose jets"
    elif not _span_space([wheel.axis for wheel in vehicle.wheels.values()]):
        yield path, "is wheels, but their axes do not span all three directions; add a wheel across the others"


def _span_space(axes: list[tuple[float, float, float]]) -> bool:
    """Whether three of the axes enclose a volume that is not nearly flat."""
    units = [tuple(part / hypot(*axis) for part in axis) for axis in axes]
    return any(abs(dot(a, cross(b, c))) > 1e-6 for a, b, c in combinations(units, 3))


VEHICLE_CHECKS = (_names_inside, _names_of_ports, _sections, _parents, _massless, _carriers, _wheels, _mechanism)

"""Programs of arms: hands, targets and axes that exist, enough axes, drives that take torques, places within reach."""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.algebra.elementary import hypot
from docksim.config.errors import did_you_mean, one_of, unknown
from docksim.config.schema import names
from docksim.config.schema.joints import LinearAxis, RotaryAxis, axes_of
from docksim.config.schema.programs import ArmProgram
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Vehicle
from docksim.config.tree import Keys

Fault = tuple[Keys, str]
ROWS = {"pose": 6, "position": 3}


def check_programs(scenario: Scenario) -> Iterator[Fault]:
    """Faults of all programs."""
    for name, vehicle in scenario.vehicles.items():
        for key, program in vehicle.programs.items():
            path: Keys = ("vehicles", name, "programs", key)
            yield from (((*path, *inner), text) for inner, text in _program(scenario, name, program))


def axes_between(vehicle: Vehicle, hand: str) -> dict[str, RotaryAxis | LinearAxis]:
    """Axes of the joints between the base and the body of a port, base first."""
    axes: list[tuple[str, RotaryAxis | LinearAxis]] = []
    body = hand.rpartition(".")[0]
    while body in vehicle.bodies:
        own = vehicle.bodies[body]
        axes = [*((".".join((body, *keys)), axis) for keys, axis in axes_of(own.joint)), *axes]
        body = own.parent.removesuffix(".tip")
        body = vehicle.beams[body].parent if body in vehicle.beams else body
    return dict(axes)


def _program(scenario: Scenario, name: str, program: ArmProgram) -> Iterator[Fault]:
    vehicle = scenario.vehicles[name]
    ports = names.ports(scenario)
    own = [port.removeprefix(f"{name}.") for port in ports if port.startswith(f"{name}.")]
    if program.hand not in own:
        yield ("hand",), f"no port '{program.hand}' on '{name}'; it has {one_of(own)}{did_you_mean(program.hand, own)}"
        return
    if program.target not in ("world", "base") and program.target not in ports:
        yield ("target",), f"{unknown('port', program.target, ports)}; or 'world', or 'base'"
        return
    between = axes_between(vehicle, program.hand)
    for axis in program.axes:
        if axis not in between:
            has = one_of(list(between)) if between else "none"
            yield ("axes",), f"'{axis}' is no axis between base and '{program.hand}'; there is {has}"
            return
    axes = program.axes or list(between)
    rows = ROWS[program.controls]
    if len(axes) < rows:
        other = ", or controls: position" if program.controls == "pose" and len(axes) >= ROWS["position"] else ""
        text = (
            f"{len(axes)} axes cannot keep the {rows} rows of a {program.controls}; take an arm with more joints{other}"
        )
        yield ("controls",), text
    for axis in axes:
        servo = getattr(between[axis].actuator, "servo", None)
        if servo is None or servo.mode != "torque":
            advice = "give its joint an actuator with servo: {mode: torque}"
            yield ("axes",) if program.axes else (), f"axis '{axis}' has no drive that takes torques; {advice}"
            return
    wrong = [axis for axis in program.redundancy.posture if axis not in axes]
    if wrong:
        yield ("redundancy", "posture", wrong[0]), f"no axis '{wrong[0]}' in this program; it has {one_of(axes)}"
    yield from _reach(vehicle, program)


def _reach(vehicle: Vehicle, program: ArmProgram) -> Iterator[Fault]:
    """The links between the first joint and the hand, stretched, must reach what is told against the own base."""
    body, _, port = program.hand.rpartition(".")
    if program.target != "base" or body not in vehicle.bodies:
        return
    end, length = vehicle.bodies[body].ports[port].position_m, 0.0
    while True:
        part = vehicle.bodies[body]
        at = part.joint.child_position_m
        length += hypot(*(a - b for a, b in zip(end, at, strict=True)))
        for _, axis in axes_of(part.joint):
            if isinstance(axis, LinearAxis):
                length += max(abs(axis.upper_m if axis.upper_m is not None else math.inf), abs(axis.lower_m or 0.0))
        if part.parent not in vehicle.bodies:
            break
        end, body = part.joint.position_m, part.parent
    if part.parent != "base" or not math.isfinite(length):
        return
    for number, point in enumerate(program.waypoints):
        away = hypot(*(a - b for a, b in zip(point.position_m, part.joint.position_m, strict=True)))
        if away > length:
            text = f"{list(point.position_m)} is {away:.4g} m from the arm's first joint"
            yield ("waypoints", number, "position_m"), f"{text}, and its links reach {length:.4g} m; bring it nearer"

"""Programs of arms: hands, targets and axes that exist, enough axes, drives that take torques, places within reach."""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.algebra.elementary import hypot
from docksim.config.errors import did_you_mean, one_of, unknown
from docksim.config.schema import names
from docksim.config.schema.drives import unit_of
from docksim.config.schema.joints import LinearAxis, RotaryAxis, axes_of
from docksim.config.schema.programs import MOST_AXES, AdaptiveProgram, AnyProgram, ArmProgram
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Vehicle
from docksim.config.tree import Keys

Fault = tuple[Keys, str]
ROWS = {"pose": 6, "position": 3}
FASTEST = 0.5  # gains of an adaptive law in units of its samples


def check_programs(scenario: Scenario) -> Iterator[Fault]:
    """Faults of all programs."""
    for name, vehicle in scenario.vehicles.items():
        for key, program in vehicle.programs.items():
            path: Keys = ("vehicles", name, "programs", key)
            if isinstance(program, AdaptiveProgram):
                faults = _adaptive(vehicle, program, scenario.solver.step_s)
            else:
                faults = _program(scenario, name, program)
            yield from (((*path, *inner), text) for inner, text in faults)


def program_axes_of(vehicle: Vehicle, program: AnyProgram) -> list[str]:
    """The axes that a program drives, base first or as it names them."""
    if isinstance(program, AdaptiveProgram):
        return list(axes_between(vehicle, program.end))
    return program.axes or list(axes_between(vehicle, program.hand.rpartition(".")[0]))


def axes_between(vehicle: Vehicle, body: str) -> dict[str, RotaryAxis | LinearAxis]:
    """Axes of the joints between the base and a body, base first."""
    axes: list[tuple[str, RotaryAxis | LinearAxis]] = []
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
    between = axes_between(vehicle, program.hand.rpartition(".")[0])
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
    if (lacking := _without_drive(axes, between)) is not None:
        yield ("axes",) if program.axes else (), lacking
        return
    wrong = [axis for axis in program.redundancy.posture if axis not in axes]
    if wrong:
        yield ("redundancy", "posture", wrong[0]), f"no axis '{wrong[0]}' in this program; it has {one_of(axes)}"
    yield from _reach(vehicle, program)


def _without_drive(axes: list[str], between: dict[str, RotaryAxis | LinearAxis]) -> str | None:
    """What is to be said of the first axis whose drive takes no torques."""
    for axis in axes:
        servo = getattr(between[axis].actuator, "servo", None)
        if servo is None or servo.mode != "torque":
            advice = "give its joint an actuator with servo: {mode: torque}"
            return f"axis '{axis}' has no drive that takes torques; {advice}"
    return None


def _adaptive(vehicle: Vehicle, program: AdaptiveProgram, step_s: float) -> Iterator[Fault]:
    law, sample = program.adaptive, program.sample_s if program.sample_s is not None else step_s
    if (law.gain_1_s + law.convergence_1_s) * sample > FASTEST:
        text = f"gain and convergence, {law.gain_1_s:g} and {law.convergence_1_s:g} 1/s, are too fast for samples of"
        yield ("adaptive",), f"{text} {sample:g} s; they may add up to {FASTEST / sample:.4g} 1/s, or sample more often"
    if program.end not in vehicle.bodies:
        yield ("end",), unknown("body", program.end, vehicle.bodies)
        return
    way, bent = _way_to(vehicle, program.end)
    if bent is not None:
        yield ("end",), bent
        return
    between = axes_between(vehicle, program.end)
    if not 0 < len(between) <= MOST_AXES:
        yield ("end",), f"{len(between)} axes lie between the base and '{program.end}'; 1 to {MOST_AXES} can be led"
        return
    if (lacking := _without_drive(list(between), between)) is not None:
        yield ("end",), lacking
    for axis, path in program.paths.items():
        if axis not in between:
            yield ("paths", axis), f"{unknown('axis', axis, between)} between the base and '{program.end}'"
        elif unit_of(path) == ("deg" if isinstance(between[axis], LinearAxis) else "m"):
            kind, unit = ("slides", "m") if isinstance(between[axis], LinearAxis) else ("turns", "deg")
            yield ("paths", axis), f"axis '{axis}' {kind}; its path has keys in {unit}"
    for body in program.mass_error:
        if body not in vehicle.bodies:
            yield ("mass_error", body), unknown("body", body, vehicle.bodies)
        elif not _hangs_on(vehicle, body, way):
            yield ("mass_error", body), f"'{body}' is no part of the arm, which has {one_of(way)} and what they carry"


def _way_to(vehicle: Vehicle, end: str) -> tuple[list[str], str | None]:
    """Bodies from an arm's end to its first joint that moves; what keeps them from being rigid links."""
    way: list[str] = []
    body = end
    while body in vehicle.bodies:
        part = vehicle.bodies[body]
        if not axes_of(part.joint) and part.joint.type != "fixed":
            return way, f"joint '{body}' is {part.joint.type}, and has no drive; take an end before it"
        way.append(body)
        body = part.parent
    if body.removesuffix(".tip") in vehicle.beams:
        return way, f"beam '{body.removesuffix('.tip')}' bends, and the law is for rigid links; take it out of the arm"
    while way and not axes_of(vehicle.bodies[way[-1]].joint):
        way.pop()
    return way[::-1], None


def _hangs_on(vehicle: Vehicle, body: str, way: list[str]) -> bool:
    while body in vehicle.bodies and body not in way:
        body = vehicle.bodies[body].parent.removesuffix(".tip")
        body = vehicle.beams[body].parent if body in vehicle.beams else body
    return body in way


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

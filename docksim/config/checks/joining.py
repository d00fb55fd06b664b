"""Two ports: can their hooks make a joint, one of them, wide enough for guide pins, with real cams? Can one be held
against the other: is it there, on another vehicle, and what is to face it?
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.config.errors import unknown
from docksim.config.schema import names
from docksim.config.schema.closing import cam_end
from docksim.config.schema.hooks import Hooks
from docksim.config.schema.joining import facing, hooks_at, joinable, pin_play
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Fault, Keys

MOST_CAM_M = 0.1  # how far a cam may pull beyond touching faces: the joint is one of small motion


def check_joints(scenario: Scenario) -> Iterator[Fault]:
    """Every fault of the hooks of ports that events join or watch."""
    known = names.ports(scenario)
    for first, second in joinable(scenario):
        if first not in known or second not in known:
            continue
        given = {port: hooks for port in (first, second) if (hooks := hooks_at(scenario, port)) is not None}
        counted = [port for port, hooks in given.items() if hooks.count is not None]
        if len(counted) > 1:
            text = f"{first} has a count too, and only one of the two makes the joint; leave it out at one of them"
            yield (*_path(scenario, second), "hooks", "count"), text
        play = pin_play(scenario, (first, second))
        for port, hooks in given.items():
            faults = [*_narrow(hooks, play)] if counted else []
            faults += _drive(hooks, scenario.solver.step_s) if port in counted else []
            yield from (((*_path(scenario, port), "hooks", key), text) for key, text in faults)


def _narrow(hooks: Hooks, play: tuple[float, float] | None) -> Iterator[tuple[str, str]]:
    """Bounds that ports within the play of their pins may miss."""
    if play is None:
        return
    roll = math.degrees(play[0] / play[1])
    if hooks.window_m < play[0]:
        text = f"{hooks.window_m:g} m is less than the {play[0]:g} m that guide pins leave: hooks may miss"
        yield "window_m", f"{text}; widen it, or narrow the holes"
    if hooks.roll_deg < roll:
        text = f"{hooks.roll_deg:g} deg is less than the {roll:.3g} deg that guide pins leave: hooks may miss"
        yield "roll_deg", f"{text}; widen it, or narrow the holes"


def _drive(hooks: Hooks, step_s: float) -> Iterator[tuple[str, str]]:
    """Cams that no joint has, or that a step does not see turn."""
    if (end := cam_end(hooks)) > MOST_CAM_M:
        text = f"{hooks.preload_N:g} N ask for cams that pull {end:.3g} m beyond touching faces, at most {MOST_CAM_M:g}"
        yield "preload_N", f"{text}; lower it, or give stiffer hooks and faces"
    if hooks.drive_s < step_s:
        yield "drive_s", f"{hooks.drive_s:g} s is less than solver.step_s, which is {step_s:g}: cams would jump"


def _path(scenario: Scenario, port: str) -> Keys:
    """Where a port stands in the file."""
    return ("vehicles", port.split(".")[0], *names.port_at(scenario, port).path)


# ---------------------------------------------------------------- attitude holds against a port


def check_holds(scenario: Scenario) -> Iterator[tuple[Keys, str]]:
    """Faults of the targets of all attitude holds."""
    ports = names.ports(scenario)
    for name, vehicle in scenario.vehicles.items():
        hold, path = vehicle.attitude_hold, ("vehicles", name, "attitude_hold", "target")
        if hold is None or hold.target is None:
            continue
        if hold.target not in ports:
            yield path, unknown("port", hold.target, ports)
        elif hold.target.split(".")[0] == name:
            yield path, f"'{hold.target}' is on the vehicle itself; name a port of another one"
        elif hold.attitude is None:
            yield from ((path, text) for text in _undecided(scenario, name, hold.target))


def _undecided(scenario: Scenario, name: str, target: str) -> Iterator[str]:
    """Without an attitude it must be plain which own port is to face the target."""
    own = facing(scenario, name, target)
    if len(own) != 1:
        why = f"{' and '.join(own)} do" if own else "none does"
        advice = "give 'attitude', that of the base in the frame of the target"
        yield f"which port of '{name}' is to face '{target}'? By approach, contacts and events {why}; {advice}"

"""Can the hooks of two ports that events join make a joint: one of them, and as wide as guide pins need it?"""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.joining import hooks_at, joinable
from docksim.config.names import ports as port_names
from docksim.config.pin_play import pin_play
from docksim.config.schema import Scenario
from docksim.config.tree import Keys

Fault = tuple[Keys, str]


def check_joints(scenario: Scenario) -> Iterator[Fault]:
    """Every fault of the hooks of ports that events join or watch."""
    known = port_names(scenario)
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
            if play is not None and hooks.count is not None and hooks.window_m < play[0]:
                text = f"{hooks.window_m:g} m is less than the {play[0]:g} m that guide pins leave: hooks may miss"
                yield (*_path(scenario, port), "hooks", "window_m"), f"{text}; widen it, or narrow the holes"


def _path(scenario: Scenario, port: str) -> Keys:
    """Where a port stands in the file."""
    owner, *body, name = port.split(".")
    vehicle = scenario.vehicles[owner]
    if not body:
        return "vehicles", owner, "ports", name
    if body[0] in vehicle.bodies:
        return "vehicles", owner, "bodies", body[0], "ports", name
    if body[0] in vehicle.beams:
        return "vehicles", owner, "beams", body[0], "ports", name
    return "vehicles", owner, "mechanism", "ports", name

"""Attitude holds against a port: that it is there, on another vehicle, and what is to face it."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.errors import unknown
from docksim.config.schema import names
from docksim.config.schema.joining import facing
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Keys


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

"""What guide pins leave of offset and roll between two ports."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.schema.joining import Ports, joinable
from docksim.config.schema.placement import port_of
from docksim.config.schema.scenario import Scenario


def pin_play(scenario: Scenario, ports: Ports) -> tuple[float, float] | None:
    """Least play of the pins of either port in the other's holes, and the radius of their circle [m].

    None where no pins of the two meet holes.
    """
    faces = []
    for port in ports:
        vehicle, _, name = port.partition(".")
        faces.append(port_of(scenario.vehicles[vehicle], name)[1].interface)
    first, second = faces
    if first is None or second is None:
        return None
    met = [(a.pins, b.holes) for a, b in ((first, second), (second, first))]
    plays = [
        (holes.bore_m - pins.pin_m, pins.radius_m) for pins, holes in met if pins is not None and holes is not None
    ]
    return min(plays, default=None)


def pins_without_contact(scenario: Scenario) -> Iterator[str]:
    """Ports that events join whose pins touch nothing, as no pair is given for them, in words."""
    pairs = [set(pair.ports) for pair in scenario.contacts.values()]
    for ports in joinable(scenario):
        if set(ports) not in pairs and pin_play(scenario, ports) is not None:
            text = f"the guide pins of {ports[0]} and {ports[1]} pass through each other: no contact pair has the two"
            yield f"{text}; add one under 'contacts'"

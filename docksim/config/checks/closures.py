"""Do closures have two ends, on two bodies that may be tied?"""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.errors import unknown
from docksim.config.schema import names
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Fault, Keys


def end_bodies(scenario: Scenario) -> dict[str, str]:
    """Every end that a closure can have, with the full name of the body that it is on."""
    bodies = {name: name if "." in name else f"{name}.base" for name in names.turning_bodies(scenario)}
    return {**bodies, **names.ports(scenario)}


def check_closures(scenario: Scenario) -> Iterator[Fault]:
    """Every fault of the closures."""
    known = end_bodies(scenario)
    for name, closure in scenario.closures.items():
        path: Keys = ("closures", name)
        missing = [(index, end) for index, end in enumerate(closure.between) if end not in known]
        for index, end in missing:
            yield (*path, "between", index), unknown("vehicle, body or port", end, known)
        if missing:
            continue
        first, second = closure.between
        if known[first] == known[second]:
            yield (*path, "between"), f"{first} and {second} are on the same body; two different bodies are needed"
    if scenario.closures:
        for name, vehicle in scenario.vehicles.items():
            if vehicle.mechanism is not None and vehicle.mechanism.inertial_base:
                text = (
                    "its ring does not act on its base, so no loop can be closed beside it; leave it out, or closures"
                )
                yield ("vehicles", name, "mechanism", "inertial_base"), text

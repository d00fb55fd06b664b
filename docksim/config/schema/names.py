"""The names that events, loads and thrusters can refer to.

Inside a vehicle a body is "base", the name of a body, or "<beam>.tip". From outside, the vehicle's name comes first:
joints "chaser.panel_1" and "chaser.array.2", ports "chaser.nose" and "chaser.arm.hook", thrusters "chaser.aft", devices
"chaser.legs" (all six), "chaser.legs.3" and "chaser.couplings.axial", and joints with actuators.
"""

from __future__ import annotations

from dataclasses import dataclass

from docksim.config.schema.actuators import Actuator, RotaryActuator
from docksim.config.schema.interface import Interface
from docksim.config.schema.joints import FixedJoint, axes_of, coordinate_units
from docksim.config.schema.legs import LEGS
from docksim.config.schema.placement import PortPlace, ports_of
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import AttitudeHold, Thruster, Vehicle


@dataclass(frozen=True)
class JointFacts:
    """What events need to know of a joint: the unit of each coordinate they can name, and whether it moves at all."""

    units: tuple[str, ...]
    moves: bool
    kind: str


@dataclass(frozen=True)
class DeviceFacts:
    """What events need to know of a leg, all legs, a coupling or an axis: its unit "m" or "deg", what acts there."""

    units: frozenset[str]
    actuators: tuple[Actuator, ...]  # none in a coupling that only measures


def bodies_of(vehicle: Vehicle) -> list[str]:
    """All bodies that can carry something, by their names inside the vehicle."""
    ring = [] if vehicle.mechanism is None else ["ring"]
    return ["base", *vehicle.bodies, *ring, *(f"{beam}.tip" for beam in vehicle.beams)]


def joints(scenario: Scenario) -> dict[str, JointFacts]:
    """Every joint by its full name, the joints between beam segments included."""
    facts_of: dict[str, JointFacts] = {}
    for name, vehicle in scenario.vehicles.items():
        for body, part in vehicle.bodies.items():
            moves = not isinstance(part.joint, FixedJoint)
            facts_of[f"{name}.{body}"] = JointFacts(coordinate_units(part.joint), moves, part.joint.type)
        if vehicle.mechanism is not None:
            facts_of[f"{name}.ring"] = JointFacts((), True, "mechanism")
        for beam, flexible in vehicle.beams.items():
            facts = JointFacts(("deg",) * len(flexible.flex), True, "beam")
            facts_of |= {f"{name}.{beam}.{number}": facts for number in range(1, flexible.segments + 1)}
    return facts_of


def port_places(scenario: Scenario) -> dict[str, PortPlace]:
    """Every port by its full name."""
    return {
        f"{name}.{port}": place
        for name, vehicle in scenario.vehicles.items()
        for port, place in ports_of(vehicle).items()
    }


def ports(scenario: Scenario) -> dict[str, str]:
    """Every port by its full name, with the full name of the body it is on."""
    return {port: f"{port.split('.')[0]}.{place.carrier}" for port, place in port_places(scenario).items()}


def interfaces(scenario: Scenario) -> dict[str, Interface | None]:
    """Every port by its full name, with its interface."""
    return {port: place.port.interface for port, place in port_places(scenario).items()}


def port_at(scenario: Scenario, name: str) -> PortPlace:
    """A port by its full name."""
    vehicle, _, port = name.partition(".")
    return ports_of(scenario.vehicles[vehicle])[port]


def turning_bodies(scenario: Scenario) -> list[str]:
    """Everything that has an angular rate of its own, by full name; a vehicle's name stands for its base."""
    names: list[str] = []
    for name, vehicle in scenario.vehicles.items():
        names += [name, *(f"{name}.{body}" for body in bodies_of(vehicle)[1:])]
    return names


def thrusters(scenario: Scenario) -> list[str]:
    """Every thruster by its full name."""
    return [f"{name}.{thruster}" for name, vehicle in scenario.vehicles.items() for thruster in vehicle.thrusters]


def moded(scenario: Scenario) -> dict[tuple[str, ...], AttitudeHold | Thruster]:
    """Attitude holds and thrusters, whose mode may change with the phase, by their place in the scenario."""
    by_path: dict[tuple[str, ...], AttitudeHold | Thruster] = {}
    for name, vehicle in scenario.vehicles.items():
        if vehicle.attitude_hold is not None:
            by_path["vehicles", name, "attitude_hold"] = vehicle.attitude_hold
        for key, thruster in vehicle.thrusters.items():
            by_path["vehicles", name, "thrusters", key] = thruster
    return by_path


def jettisonable(scenario: Scenario) -> list[str]:
    """Every body on a joint, by full name."""
    return [f"{name}.{body}" for name, vehicle in scenario.vehicles.items() for body in vehicle.bodies]


def devices(scenario: Scenario) -> dict[str, DeviceFacts]:
    """Every leg, all legs of a mechanism together, every coupling, and every axis with an actuator, by full name."""
    facts_of: dict[str, DeviceFacts] = {}
    for name, vehicle in scenario.vehicles.items():
        for body, owner in vehicle.bodies.items():
            for path, axis in axes_of(owner.joint):
                if axis.actuator is not None:
                    unit = "deg" if isinstance(axis.actuator, RotaryActuator) else "m"
                    facts_of[".".join((name, body, *path))] = DeviceFacts(frozenset([unit]), (axis.actuator,))
        mechanism = vehicle.mechanism
        if mechanism is None:
            continue
        alike = mechanism.symmetric
        parts = [leg.actuator for leg in mechanism.legs or []] or ([alike.actuator] * LEGS if alike is not None else [])
        legs = [("deg" if isinstance(part, RotaryActuator) else "m", part) for part in parts]
        facts_of[f"{name}.legs"] = DeviceFacts(frozenset(unit for unit, _ in legs), tuple(part for _, part in legs))
        for number, (unit, part) in enumerate(legs, start=1):
            facts_of[f"{name}.legs.{number}"] = DeviceFacts(frozenset([unit]), (part,))
        for key, coupling in mechanism.couplings.items():
            weighted = {unit for (unit, _), weight in zip(legs, coupling.weights, strict=True) if weight}
            own = () if coupling.actuator is None else (coupling.actuator,)
            facts_of[f"{name}.couplings.{key}"] = DeviceFacts(frozenset(weighted), own)
    return facts_of

"""Faults of an approach: what it names, and what it leaves no room for."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.algebra.vec3 import Vec3
from docksim.config.errors import unknown
from docksim.config.schema import names
from docksim.config.schema.fields import Attitude
from docksim.config.schema.placement import (
    carriers,
    moves_at_start,
)
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Keys

SET_BY_APPROACH = ("position_m", "attitude", "velocity_m_s", "rate_deg_s")


def check_approach(scenario: Scenario) -> Iterator[tuple[Keys, str]]:
    """Every fault of the approach."""
    approach = scenario.approach
    if approach is None:
        return
    ports = names.ports(scenario)
    missing = [key for key in ("active", "passive") if getattr(approach, key) not in ports]
    yield from ((("approach", key), unknown("port", getattr(approach, key), ports)) for key in missing)
    if missing:
        return
    active, passive = (key.split(".")[0] for key in (approach.active, approach.passive))
    if active == passive:
        yield ("approach", "passive"), f"'{approach.passive}' is on the vehicle that comes; name a port of another one"
        return
    vehicle = scenario.vehicles[active]
    for key in SET_BY_APPROACH:
        if _is_moved(getattr(vehicle, key)):
            yield ("vehicles", active, key), "is set by 'approach'; remove it here, or the approach"
    if vehicle.anchored:
        yield ("vehicles", active, "anchored"), "a vehicle that is held cannot approach; anchor the passive one"
    meets = any({port.split(".")[0] for port in pair.ports} == {active, passive} for pair in scenario.contacts.values())
    if approach.holds_at == "contact" and not meets:
        text = f"nothing of '{active}' and '{passive}' can touch: name a pair of their ports in 'contacts', or give "
        yield ("approach", "holds_at"), text + "'holds_at: distance' and distance_m"
    for key in ("active", "passive"):
        yield from ((("approach", key), text) for text in _moving(scenario, getattr(approach, key)))


def _is_moved(value: Vec3 | Attitude) -> bool:
    """A saved scenario has every key; one that leaves the vehicle at rest in the origin is no contradiction."""
    return value.quaternion_wxyz()[0] != 1.0 if isinstance(value, Attitude) else any(value)


def _moving(scenario: Scenario, port: str) -> Iterator[str]:
    name, _, inner = port.partition(".")
    vehicle = scenario.vehicles[name]
    for carrier in carriers(vehicle, inner):
        if moves_at_start(vehicle, carrier):
            yield f"'{port}' moves in its vehicle from the start ('{carrier}' has a rate); an approach needs it at rest"

"""Names of a tree's coordinates, rates and motors; the unit ends each name, SI and radians."""

from __future__ import annotations

from typing import NamedTuple

from docksim.compiler import Compiled
from docksim.config.schema import Scenario
from docksim.model import State
from docksim.model.tree import BALL, FORCED, FREE, SPHERICAL


class Coordinate(NamedTuple):
    """A coordinate that is free to move at a state."""

    rate_index: int
    joint: int
    place: int  # within its joint
    ball: bool  # one of three turns of a ball
    position: str
    rate: str
    motor: str  # "" where the joint has none


def free_coordinates(compiled: Compiled, state: State) -> list[Coordinate]:
    """Forced coordinates of the trees as they hang together now, parents first."""
    found: list[Coordinate] = []
    for k in state.order:
        i = int(state.link[k].joint)
        row, part = compiled.model.joint[i], compiled.assembly.joints[i]
        owner = part.name or compiled.assembly.bodies[k].name
        for place in range(int(row.nv)):
            if state.dof[row.v + place].mode != FORCED:
                continue
            coordinate = part.coordinates[place]
            ball = coordinate.part == BALL
            words = _words(owner, part.type, coordinate.name, coordinate.unit)
            found.append(Coordinate(int(row.v) + place, i, place, ball, *words))
    return found


def _words(owner: str, joint: int, name: str, unit: str) -> tuple[str, str, str]:
    """Of position, rate and motor."""
    if joint in (FREE, SPHERICAL):
        if unit == "rad":
            return f"{owner}.turn_{name}_rad", f"{owner}.turn_rate_{name}_rad_s", ""
        return f"{owner}.travel_{name}_m", f"{owner}.travel_rate_{name}_m_s", ""
    stem = f"{owner}.{name}" if name else owner
    if unit == "rad":
        return f"{stem}.angle_rad", f"{stem}.rate_rad_s", f"{stem}.torque_Nm"
    return f"{stem}.position_m", f"{stem}.speed_m_s", f"{stem}.force_N"


def has_motor(scenario: Scenario, coordinate: Coordinate) -> bool:
    """Joints between the segments of a beam have no motors."""
    beams = [f"{name}.{key}." for name, vehicle in scenario.vehicles.items() for key in vehicle.beams]
    return bool(coordinate.motor) and not coordinate.motor.startswith(tuple(beams))

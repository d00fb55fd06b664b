"""What a linear model can keep of a state: the coordinates that are free, and the laws that have a tangent there.

The rest is taken out, and said: dry friction (or its bristles kept as springs, on request), stops, contact and latches.
Sampled servos become continuous laws without delay. Piecewise linear springs and dampers act with the slope of the
piece that they are on, servos at their limit with none. Names end in their unit, SI and radians.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Literal, NamedTuple

from docksim.algebra.joints import FREE, SPHERICAL
from docksim.compiler import Compiled
from docksim.compiler.shaft_tables import shaft_names
from docksim.model import State
from docksim.model.tree import BALL, FORCED
from docksim.numbers.plain import Rows

Friction = Literal["left out", "stuck"]


class Coordinate(NamedTuple):
    """A coordinate that is free to move at a state."""

    rate_index: int
    joint: int
    place: int  # within its joint
    ball: bool  # one of three turns of a ball
    position: str
    rate: str
    motor: str  # "" where the joint has none

    @property
    def owner(self) -> str:
        """What the position is of, without its unit."""
        return self.position.rsplit(".", 1)[0]


def free_coordinates(compiled: Compiled, state: State) -> list[Coordinate]:
    """Forced coordinates of the trees as they hang together now, parents first."""
    free: list[Coordinate] = []
    for k in state.order:
        i = int(state.link[k].joint)
        row, joint = compiled.model.joint[i], compiled.assembly.joints[i]
        owner = joint.name or compiled.assembly.bodies[k].name
        for place in range(int(row.nv)):
            if state.dof[row.v + place].mode != FORCED:
                continue
            coordinate = joint.coordinates[place]
            ball = coordinate.kind == BALL
            words = _words(owner, joint.type, coordinate.name, coordinate.unit)
            free.append(Coordinate(int(row.v) + place, i, place, ball, *words))
    return free


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


def smooth_laws(
    compiled: Compiled, model: SimpleNamespace, state: SimpleNamespace, free: list[Coordinate], friction: Friction
) -> list[str]:
    """Take out what has no tangent; returns notes. Changes model and state (copies, as rows)."""
    names = shaft_names(compiled.assembly)
    shafts = list(zip(names, model.shaft, state.shaft, strict=True))
    contacts = zip(compiled.scenario.contacts, state.contact, strict=True)
    kinds = {
        f"dry friction {friction if friction == 'left out' else 'as a spring, stuck'}": [
            *(coordinate.owner for coordinate in free if model.dof[coordinate.rate_index].friction > 0.0),
            *(name for name, _, own in shafts if own.friction > 0.0),
        ],
        "end stop left out, though the joint is in it": [one.owner for one in free if _in_stop(model, state, one)],
        "sampled loop taken as continuous, without delay": [
            name for name, shaft, own in shafts if own.servo_on and shaft.sample_steps > 0
        ],
        "admittance left out": [name for name, _, own in shafts if own.servo_on and own.gives_way],
        "spring or damper by table: slope of the present piece": [
            name for name, shaft, _ in shafts if shaft.spring_n > 0 or shaft.damper_n > 0
        ],
        "contact or latches left out, though they act": [name for name, own in contacts if own.touching or own.engaged],
    }
    for row in (*(model.dof[coordinate.rate_index] for coordinate in free), *model.shaft):
        row.lower, row.upper = -math.inf, math.inf
    for shaft in model.shaft:
        shaft.sample_steps = 0
    if friction == "left out":
        for row in (*(model.dof[coordinate.rate_index] for coordinate in free), *state.shaft):
            row.friction = 0.0
    model.contact = Rows()
    return [f"{what}: {_some(names)}" for what, names in kinds.items() if names]


def _some(names: list[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _in_stop(model: SimpleNamespace, state: SimpleNamespace, coordinate: Coordinate) -> bool:
    if coordinate.ball:
        return False
    dof, joint = model.dof[coordinate.rate_index], model.joint[coordinate.joint]
    x = state.q[joint.q + coordinate.place - (3 if joint.type == FREE else 0)]
    return not dof.lower <= x <= dof.upper

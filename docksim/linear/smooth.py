"""What a linear model can keep of a state: the laws that have a tangent there; the rest is taken out, and said.

Taken out: dry friction (or its bristles kept as springs, on request), stops, contact and latches. Sampled servos become
continuous laws without delay. Piecewise linear springs and dampers act with the slope of the piece that they are on,
servos at their limit with none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Literal

from docksim.compiler import Compiled
from docksim.compiler.shaft_tables import shaft_names
from docksim.linear.names import Coordinate
from docksim.model.tree import FREE
from docksim.numbers.plain import Rows

Friction = Literal["left out", "stuck"]


def smooth_part(
    compiled: Compiled, model: SimpleNamespace, state: SimpleNamespace, free: list[Coordinate], friction: Friction
) -> list[str]:
    """Take out what has no tangent; returns notes. Changes model and state (copies, as rows)."""
    notes = [
        *_listed(f"dry friction {friction if friction == 'left out' else 'as a spring, stuck'}",
                 _friction(compiled, model, state, free, friction)),
        *_listed("end stop left out, though the joint is in it", _stops(model, state, free)),
        *_listed("sampled loop taken as continuous, without delay", _sampled(compiled, model, state)),
        *_listed("admittance left out", _admittance(compiled, state)),
        *_listed("spring or damper by table: slope of the present piece", _tables(compiled, model)),
        *_listed("contact or latches left out, though they act", _contacts(compiled, state)),
    ]  # fmt: skip
    model.contact = Rows()
    return notes


def _listed(what: str, names: Iterator[str]) -> list[str]:
    found = list(names)
    shown = ", ".join(found[:6]) + (f" and {len(found) - 6} more" if len(found) > 6 else "")
    return [f"{what}: {shown}"] if found else []


def _friction(
    compiled: Compiled, model: SimpleNamespace, state: SimpleNamespace, free: list[Coordinate], friction: Friction
) -> Iterator[str]:
    for coordinate in free:
        if model.dof[coordinate.rate_index].friction > 0.0:
            yield coordinate.position.rsplit(".", 1)[0]
            if friction == "left out":
                model.dof[coordinate.rate_index].friction = 0.0
    for name, own in zip(shaft_names(compiled.assembly.mechanisms), state.shaft, strict=True):
        if own.friction > 0.0:
            yield name
            if friction == "left out":
                own.friction = 0.0


def _stops(model: SimpleNamespace, state: SimpleNamespace, free: list[Coordinate]) -> Iterator[str]:
    for coordinate in free:
        dof = model.dof[coordinate.rate_index]
        if not coordinate.ball:
            joint = model.joint[coordinate.joint]
            x = state.q[joint.q + coordinate.place - (3 if joint.type == FREE else 0)]
            if not dof.lower <= x <= dof.upper:
                yield coordinate.position.rsplit(".", 1)[0]
        dof.lower, dof.upper = -math.inf, math.inf
    for shaft in model.shaft:
        shaft.lower, shaft.upper = -math.inf, math.inf


def _sampled(compiled: Compiled, model: SimpleNamespace, state: SimpleNamespace) -> Iterator[str]:
    names = shaft_names(compiled.assembly.mechanisms)
    for name, shaft, own in zip(names, model.shaft, state.shaft, strict=True):
        if own.servo_on and shaft.sample_steps > 0:
            yield name
        shaft.sample_steps = 0


def _admittance(compiled: Compiled, state: SimpleNamespace) -> Iterator[str]:
    names = shaft_names(compiled.assembly.mechanisms)
    for name, own in zip(names, state.shaft, strict=True):
        if own.servo_on and own.gives_way:
            yield name


def _tables(compiled: Compiled, model: SimpleNamespace) -> Iterator[str]:
    for name, shaft in zip(shaft_names(compiled.assembly.mechanisms), model.shaft, strict=True):
        if shaft.spring_n > 0 or shaft.damper_n > 0:
            yield name


def _contacts(compiled: Compiled, state: SimpleNamespace) -> Iterator[str]:
    for name, own in zip(compiled.scenario.contacts, state.contact, strict=True):
        if own.touching or own.engaged:
            yield name

"""Thrusters and given loads to one table; pulses and windows in steps, whole or not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from docksim.algebra.dense import applied
from docksim.algebra.vec3 import Vec3
from docksim.compiler.assembly import Assembly, full_name
from docksim.compiler.parts import Place, within
from docksim.config.schema.actions import FireAction
from docksim.config.schema.leg_geometry import unit
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Load, Thruster
from docksim.model import W_LOADS, W_THRUSTERS, table
from docksim.model.events import LOAD, LOAD_STATE, ON_BODY_AXES, ON_WORLD_AXES, PULSE

PulseRow = tuple[int, int, float, float]


def load_tables(scenario: Scenario, assembly: Assembly, step: float) -> tuple[np.ndarray, np.ndarray, dict[str, int]]:
    """Loads, pulses, and the rows of the thrusters by reference."""
    named = acting(scenario)
    loads = table(LOAD, len(named))
    pulses: list[PulseRow] = []
    thrusters: dict[str, int] = {}
    for i, (owner, key, part) in enumerate(named):
        _place(loads[i], assembly, full_name(owner, part.body), part.position_m)
        if isinstance(part, Thruster):
            _fill_thruster(loads[i], assembly, full_name(owner, part.body), part)
            thrusters[f"{owner}.{key}"] = i
            pulses += [_pulse(i, -1, one, step) for one in part.pulses]
        else:
            _fill_load(loads[i], assembly, full_name(owner, part.body), part, step)
    for e, event in enumerate(scenario.events.values()):
        for fire in (action.fire for action in event.do if isinstance(action, FireAction)):
            pulses += [_pulse(thrusters[name], e, one, step) for name in fire.thruster for one in fire.pulses]
    pulse = table(PULSE, len(pulses))
    for row, (load, e, start, end) in zip(pulse, pulses):
        row.load, row.event, row.start, row.end = load, e, start, end
    return loads, pulse, thrusters


def load_states(scenario: Scenario) -> np.ndarray:
    """Rows as in the table of loads; what is on is known when the run begins."""
    inhibited = [isinstance(part, Thruster) and part.mode == "inhibited" for _, _, part in acting(scenario)]
    states = table(LOAD_STATE, len(inhibited))
    states["inhibited"] = inhibited
    return states


def acting(scenario: Scenario) -> list[tuple[str, str, Thruster | Load]]:
    """All that acts from outside, with its vehicle and its name."""
    named: list[tuple[str, str, Thruster | Load]] = []
    for name, vehicle in scenario.vehicles.items():
        named += [(name, key, thruster) for key, thruster in vehicle.thrusters.items()]
        named += [(name, key, load) for key, load in vehicle.loads.items()]
    return named


def _pulse(load: int, event: int, pulse: tuple[float, float], step: float) -> PulseRow:
    start, length = pulse
    return load, event, start / step, (start + length) / step


def _place(row: Any, assembly: Assembly, body: str, position: Vec3) -> None:
    frame = assembly.frames[body]
    row.body = frame.body
    row.p[:] = within(frame.place, Place(position)).position


def _fill_thruster(row: Any, assembly: Assembly, body: str, part: Thruster) -> None:
    axes = assembly.frames[body].place.axes
    row.force[:] = part.force_N * applied(axes, unit(part.direction))
    row.axes, row.work = ON_BODY_AXES, W_THRUSTERS


def _fill_load(row: Any, assembly: Assembly, body: str, part: Load, step: float) -> None:
    on_body = part.frame == "body"
    axes = assembly.frames[body].place.axes if on_body else np.eye(3)
    row.force[:] = applied(axes, part.force_N)
    row.torque[:] = applied(axes, part.torque_Nm)
    row.axes = ON_BODY_AXES if on_body else ON_WORLD_AXES
    row.start = part.start_s / step
    row.end = math.inf if part.end_s is None else part.end_s / step
    row.frequency = 2.0 * math.pi * (part.frequency_Hz or 0.0)
    row.work = W_LOADS

"""Metrics of the largest and least values of a run, from the tables that the kernel keeps at every substep.

So they depend on the scenario alone, not on what is logged. How two ports met is told as an approach states it: on the
axes of the passive port, turned by half a turn about z; the active port's origin, its velocity as seen from there, and
its attitude as yaw, pitch and roll in this order. Passive is the port of the vehicle that the scenario's approach comes
to, else the second of the pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from docksim.algebra.dense import applied, product
from docksim.algebra.elementary import asin, atan2, hypot
from docksim.algebra.rotations import TO_DEG
from docksim.compiler import Compiled
from docksim.compiler.contact import INTERFACE_AXES
from docksim.compiler.extremes import passing_ports
from docksim.compiler.shaft_tables import in_order
from docksim.config.schema.joining import active_and_passive
from docksim.model.contact import GROUP_NAMES
from docksim.model.extremes import TO_COME
from docksim.simulation.channels.contact import PEAKS

Figures = Iterator[tuple[str, float]]
HALF_TURN = np.diag([-1.0, -1.0, 1.0])


def extremes_of(compiled: Compiled, happened: bool = False) -> dict[str, float]:
    """By the names of metrics; with `happened`, also those of what has not come to pass."""
    figures: dict[str, float] = {}
    for i in range(len(compiled.model.contact)):
        figures |= _pair(compiled, i, happened)
    figures |= _passed_on(compiled)
    figures |= _legs(compiled, happened)
    figures |= _loads(compiled)
    return figures


def _pair(compiled: Compiled, i: int, happened: bool) -> Figures:
    name = list(compiled.scenario.contacts)[i]
    own, extreme = compiled.state.contact[i], compiled.state.extreme_pair[i]
    touched = happened or extreme.impact != TO_COME
    if touched:
        yield from ((f"{name}.at_contact.{key}", value) for key, value in _meeting(compiled, name, extreme))
    yield from ((f"{name}.peak_{load}", float(own.peak[k])) for k, load in enumerate(PEAKS))
    if touched:
        peaks = (float(peak) for peak in extreme.impact_peak)
        yield from ((f"{name}.first_impact.peak_{load}", peak) for load, peak in zip(PEAKS, peaks, strict=True))
    yield f"{name}.sustained_compression_N", float(extreme.lasting)
    yield from ((f"{name}.peak_{group}_force_N", float(own.group_peak[k])) for k, group in enumerate(GROUP_NAMES))
    yield f"{name}.rate_deg_s.peak", math.sqrt(extreme.rate) * TO_DEG


def _passed_on(compiled: Compiled) -> Figures:
    """What a port on joints passes on into its vehicle, beside what acts between the ports."""
    ports = passing_ports(compiled.scenario, compiled.assembly)
    for (pair, port), extreme in zip(ports, compiled.state.extreme_passed, strict=True):
        into = f"{pair}.into_{port.split('.')[0]}"
        yield from ((f"{into}.peak_{load}", float(extreme.peak[k])) for k, load in enumerate(PEAKS))


def _meeting(compiled: Compiled, name: str, extreme: Any) -> Figures:
    """The active port as seen from the passive one."""
    ports = compiled.scenario.contacts[name].ports
    _, passive = active_and_passive(compiled.scenario, ports)
    turn, place, velocity = seen_from_passive(extreme, passive == ports[0])
    yaw, pitch, roll = _yaw_pitch_roll(turn)
    yield "closing_rate_m_s", float(velocity[0])
    yield "lateral_rate_m_s", hypot(float(velocity[1]), float(velocity[2]))
    yield "lateral_offset_m", hypot(float(place[1]), float(place[2]))
    yield "roll_deg", roll * TO_DEG
    yield "pitch_yaw_deg", hypot(pitch, yaw) * TO_DEG


def seen_from_passive(extreme: Any, first_is_passive: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Attitude, place and velocity of the active port on the axes of an approach."""
    R = product(INTERFACE_AXES, extreme.R_AB.reshape(3, 3), INTERFACE_AXES.T)
    r, w, v = (applied(INTERFACE_AXES, vector) for vector in (extreme.p_AB, extreme.w_AB, extreme.v_AB))
    if first_is_passive:
        turn, place, velocity = R, r, v + np.cross(w, r)
    else:
        turn, place, velocity = R.T, -applied(R.T, r), -applied(R.T, v)
    return product(HALF_TURN, turn), applied(HALF_TURN, place), applied(HALF_TURN, velocity)


def _yaw_pitch_roll(R: np.ndarray) -> tuple[float, float, float]:
    """Turns about z, the new y and the new x [rad]."""
    pitch = asin(min(max(-float(R[2, 0]), -1.0), 1.0))
    return atan2(float(R[1, 0]), float(R[0, 0])), pitch, atan2(float(R[2, 1]), float(R[2, 2]))


def _legs(compiled: Compiled, happened: bool) -> Figures:
    """The extremes of all legs of a vehicle together, then of the vehicle's acceleration and rate."""
    owned = in_order(compiled.assembly)
    rows = compiled.state.extreme_shaft
    names = [compiled.assembly.bodies[k].name for k in compiled.model.vehicle]
    for vehicle, motion in zip(names, compiled.state.extreme_vehicle, strict=True):
        for unit in ("m", "rad"):
            legs = [k for k, one in enumerate(owned) if one.vehicle == vehicle and one.shaft.unit == unit
                    and one.shaft.place >= 0]  # fmt: skip
            if legs and (happened or np.isfinite(rows["least"][legs]).all()):
                yield from ((f"{vehicle}.legs.{key}", value) for key, value in _some_legs(rows[legs], unit))
        yield f"{vehicle}.acceleration_m_s2.peak", math.sqrt(motion.acceleration)
        yield f"{vehicle}.rate_deg_s.peak", math.sqrt(motion.rate) * TO_DEG


def _some_legs(rows: np.ndarray, unit: str) -> Figures:
    travel, rate, force, factor = "travel_m", "travel_rate_m_s", "force_N", 1.0
    if unit == "rad":
        travel, rate, force, factor = "angle_deg", "angle_rate_deg_s", "torque_Nm", TO_DEG
    yield f"{travel}.least", float(rows["least"].min()) * factor
    yield f"{travel}.largest", float(rows["largest"].max()) * factor
    yield f"{rate}.peak", float(rows["rate"].max()) * factor
    yield f"{force}.peak", float(max(-rows["least_force"].min(), rows["largest_force"].max()))


def _loads(compiled: Compiled) -> Figures:
    """What joined ports, mechanisms' bases and bodies on others carry."""
    state, model, assembly = compiled.state, compiled.model, compiled.assembly
    yield from _load(state.extreme_weld, [assembly.joints[i].name for i in model.weld])
    yield from _load(state.extreme_base, [f"{part.vehicle}.mechanism" for part in assembly.mechanisms])
    yield from _load(state.extreme_hung, [assembly.bodies[k].name for k in model.hung])


def _load(rows: np.ndarray, names: list[str]) -> Figures:
    for row, name in zip(rows, names, strict=True):
        yield f"{name}.load_moment_Nm.peak", math.sqrt(max(row.moment))
        yield f"{name}.load_force_N.peak", math.sqrt(max(row.force))

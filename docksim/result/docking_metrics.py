"""The figures of a docking: times, state at first contact, loads against the interface's limits, legs, energy budget.

Peak loads at the mating plane and by feature are those of the solver's steps; peaks of the legs are those of the logged
rows. Compression counts as sustained when it lasts LASTING_S or longer, and is held against another limit than a peak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from docksim.algebra.dense import length
from docksim.algebra.elementary import hypot
from docksim.result.docking import approach_energy, interface_of, moving_energy
from docksim.result.pairs import latches_of
from docksim.result.result import Channel

if TYPE_CHECKING:
    from docksim.config.schema import Scenario

Channels = Mapping[str, Channel]
Figures = Iterator[tuple[str, float]]
LASTING_S = 0.1
# load of the mating plane, and the limit of the interface that a peak of it is held against
LOADS = (
    ("tension_N", "tension_N"),
    ("compression_N", "compression_dynamic_N"),
    ("shear_N", "shear_N"),
    ("bending_Nm", "bending_Nm"),
    ("torsion_Nm", "torsion_Nm"),
)


def docking_metrics(channels: Channels, scenario: Scenario) -> dict[str, float]:
    """All figures of all contact pairs; nothing where a scenario has none."""
    if not scenario.contacts:
        return {}
    found: dict[str, float] = {}
    for pair in scenario.contacts:
        found.update(_times(channels, pair))
        found.update(_first_contact(channels, pair))
        found.update(_loads(channels, scenario, pair))
        found.update(_left_over(channels, pair))
    for vehicle in scenario.vehicles:
        found.update(_legs(channels, vehicle))
    found.update(_budget(channels, scenario))
    return found


def _times(channels: Channels, pair: str) -> Figures:
    for key in ("first_contact_s", "capture_s"):
        name = f"{pair}.{key}"
        if name in channels and channels[name].data[-1] >= 0.0:
            yield name, float(channels[name].data[-1])


def _first_contact(channels: Channels, pair: str) -> Figures:
    """How the two met: of the last row before the first contact, the second port seen from the first."""
    first = float(channels[f"{pair}.first_contact_s"].data[-1])
    if first < 0.0:
        return
    row = max(int(np.searchsorted(channels["time_s"].data, first, side="right")) - 1, 0)
    velocity, position = (channels[f"{pair}.{key}"].data[row] for key in ("velocity_m_s", "position_m"))
    roll, pitch, yaw = channels[f"{pair}.misalignment_deg"].data[row]
    yield f"{pair}.at_contact.closing_rate_m_s", float(-velocity[0])
    yield f"{pair}.at_contact.lateral_rate_m_s", hypot(velocity[1], velocity[2])
    yield f"{pair}.at_contact.lateral_offset_m", hypot(position[1], position[2])
    yield f"{pair}.at_contact.roll_deg", float(roll)
    yield f"{pair}.at_contact.pitch_yaw_deg", hypot(pitch, yaw)


def _loads(channels: Channels, scenario: Scenario, pair: str) -> Figures:
    """Peaks, and what part of the limit they are, where the first port's interface gives one."""
    interface = interface_of(scenario, scenario.contacts[pair].ports[0])
    limits = interface.limits if interface is not None else None
    for load, limit in LOADS:
        peak = float(channels[f"{pair}.peak_{load}"].data[-1])
        yield f"{pair}.peak_{load}", peak
        allowed = getattr(limits, limit, None)
        if allowed:
            yield f"{pair}.peak_{load}.of_limit", peak / allowed
    # the logged force is that of the first port on the second: a push is along +x of the first port
    lasting = sustained(channels["time_s"].data, channels[f"{pair}.load_force_N"].data[:, 0])
    yield f"{pair}.sustained_compression_N", lasting
    allowed = getattr(limits, "compression_N", None)
    if allowed:
        yield f"{pair}.sustained_compression_N.of_limit", lasting / allowed
    for name in channels:
        if name.startswith(f"{pair}.peak_") and name.endswith("_force_N"):
            yield name, float(channels[name].data[-1])


def sustained(time: np.ndarray, load: np.ndarray, lasting: float = LASTING_S) -> float:
    """The largest level that the load keeps for at least that long, by the logged rows."""
    level = 0.0
    end = np.searchsorted(time, time + lasting * (1.0 - 1e-9), side="left")
    for start, stop in enumerate(end):
        if stop < len(time) and load[start] > level:
            level = max(level, float(load[start : stop + 1].min()))
    return level


def _left_over(channels: Channels, pair: str) -> Figures:
    """Misalignment and rates at the end."""
    if not latches_of(channels, pair):
        return
    position, turn = (channels[f"{pair}.{key}"].data[-1] for key in ("position_m", "misalignment_deg"))
    yield f"{pair}.at_end.axial_m", float(position[0])
    yield f"{pair}.at_end.lateral_offset_m", hypot(position[1], position[2])
    yield f"{pair}.at_end.roll_deg", float(turn[0])
    yield f"{pair}.at_end.pitch_yaw_deg", hypot(turn[1], turn[2])
    yield f"{pair}.at_end.speed_m_s", float(length(channels[f"{pair}.velocity_m_s"].data[-1]))
    yield f"{pair}.at_end.rate_deg_s", float(length(channels[f"{pair}.rate_deg_s"].data[-1]))


def _legs(channels: Channels, vehicle: str) -> Figures:
    """The extremes of all legs of a vehicle together."""
    for quantity in ("travel_m", "angle_deg"):
        rows = [channels[name].data for name in _of_legs(channels, vehicle, quantity)]
        if rows:
            yield f"{vehicle}.legs.{quantity}.least", float(np.min(rows))
            yield f"{vehicle}.legs.{quantity}.largest", float(np.max(rows))
    for quantity in ("travel_rate_m_s", "angle_rate_deg_s", "force_N", "torque_Nm"):
        rows = [channels[name].data for name in _of_legs(channels, vehicle, quantity)]
        if rows:
            yield f"{vehicle}.legs.{quantity}.peak", float(np.abs(rows).max())
    if f"{vehicle}.acceleration_m_s2" in channels:
        acceleration = length(channels[f"{vehicle}.acceleration_m_s2"].data)
        yield f"{vehicle}.acceleration_m_s2.peak", float(acceleration.max())


def _of_legs(channels: Channels, vehicle: str, quantity: str) -> list[str]:
    start = f"{vehicle}.legs."
    return [name for name in channels if name.startswith(start) and name[len(start) :].split(".")[1:] == [quantity]]


def _budget(channels: Channels, scenario: Scenario) -> Figures:
    """Approach energy = stored + taken by each device + kinetic energy left + residual."""
    approach = approach_energy(scenario, channels)
    potential = channels["energy.potential_J"].data
    yield "budget.approach_J", approach
    yield "budget.stored_J", float(potential[-1] - potential[0])
    yield "budget.kinetic_left_J", moving_energy(scenario, channels, -1)
    for name, channel in channels.items():
        if name.startswith("energy.work.") and channel.data[-1] != 0.0:
            yield f"budget.taken_by.{name.removeprefix('energy.work.')}", float(-channel.data[-1])
    residual = float(np.abs(channels["energy.residual_J"].data).max())
    yield "budget.residual_J", residual
    if approach > 0.0:
        yield "budget.residual_of_approach", residual / approach

"""Channels of a docking mechanism: strokes, cranks and couplings, what acts on them, and the loads in the legs' joints.

A device that is absent has no channels; one that an event may bring to life has.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

import numpy as np

from docksim.compiler.shafts import Shaft
from docksim.model.mechanism import MEAN
from docksim.result.result import Channel

TO_DEG = 180.0 / math.pi
WHERE = (
    ("base_joint", "of the base on the first link about the base joint"),
    ("middle_joint", "of the first link on the second about the second link's origin"),
    ("ring_joint", "of the leg on the ring at the ring joint"),
)
# columns of a shaft in the log: device, its force, the work it has done
DEVICES = (("damper", 4, 9), ("brake", 5, 10), ("stop", 6, 11), ("motor", 7, 12))
SPRING, STORED, COMMAND = 3, 8, 13


def leg_channels(name: str, leg: np.ndarray) -> Iterator[Channel]:
    """Loads of the leg "<v>.legs.<k>" on the axes of the mechanism's base."""
    for i, (joint, text) in enumerate(WHERE):
        moment, force = leg[:, 6 * i : 6 * i + 3], leg[:, 6 * i + 3 : 6 * i + 6]
        yield Channel(f"{name}.{joint}_moment_Nm", "N m", "mechanism base", f"moment {text}", moment)
        yield Channel(f"{name}.{joint}_force_N", "N", "mechanism base", f"force {text}", force)


def base_channels(vehicle: str, legs: np.ndarray) -> Iterator[Channel]:
    """What a mechanism's legs together, (rows, legs, LOG_LEG), put on their base, about B's origin."""
    moment, force, joint = legs[:, :, 0:3], legs[:, :, 3:6], legs[:, :, 18:21]
    total = -np.sum(moment + np.cross(joint, force), axis=1)
    text = "of the docking mechanism on its base, through the legs"
    yield Channel(f"{vehicle}.mechanism.load_moment_Nm", "N m", "mechanism base", f"moment {text}, about B", total)
    yield Channel(f"{vehicle}.mechanism.load_force_N", "N", "mechanism base", f"force {text}", -np.sum(force, axis=1))


def shaft_channels(name: str, shaft: Shaft, alive: Collection[str], data: np.ndarray) -> Iterator[Channel]:
    """Coordinate, rate, and force, stored energy and work of every device of "<v>.legs.<k>" or "<v>.couplings.<n>"."""
    yield from _coordinate(name, shaft, data)
    suffix, unit = ("force_N", "N") if shaft.unit == "m" else ("torque_Nm", "N m")
    kind = suffix.split("_")[0]
    if shaft.has_spring:
        yield Channel(f"{name}.spring_{suffix}", unit, "joint", f"{kind} of the spring", data[:, SPRING])
    if shaft.has_spring or shaft.has_stops:
        yield Channel(f"{name}.stored_J", "J", "", "energy stored in spring and stops", data[:, STORED])
    present = {
        "damper": shaft.has_damper,
        "brake": shaft.friction > 0.0,
        "stop": shaft.has_stops,
        "motor": shaft.force != 0.0 or shaft.has_servo,
    }
    for device, force, work in DEVICES:
        if present[device] or device in alive:
            yield Channel(f"{name}.{device}_{suffix}", unit, "joint", f"{kind} of the {device}", data[:, force])
            text = f"work done on the system by the {device}"
            yield Channel(f"{name}.{device}_work_J", "J", "", text, data[:, work])
    if shaft.has_servo:
        key, factor = ("command_m", 1.0) if shaft.unit == "m" else ("command_deg", TO_DEG)
        where = "set-point of the servo" + (", against the mean of the legs" if shaft.follows == MEAN else "")
        yield Channel(f"{name}.{key}", key.split("_")[1], "joint", where, factor * data[:, COMMAND])


def _coordinate(name: str, shaft: Shaft, data: np.ndarray) -> Iterator[Channel]:
    what = "coupling" if shaft.place < 0 else "stroke" if shaft.unit == "m" else "crank"
    if shaft.unit == "m":
        yield Channel(f"{name}.travel_m", "m", "joint", what, data[:, 0])
        yield Channel(f"{name}.travel_rate_m_s", "m/s", "joint", f"rate of the {what}", data[:, 1])
        yield Channel(f"{name}.force_N", "N", "joint", f"force of all devices on the {what}", data[:, 2])
    else:
        yield Channel(f"{name}.angle_deg", "deg", "joint", f"angle of the {what}", data[:, 0] * TO_DEG)
        yield Channel(f"{name}.angle_rate_deg_s", "deg/s", "joint", f"rate of the {what}", data[:, 1] * TO_DEG)
        yield Channel(f"{name}.torque_Nm", "N m", "joint", f"torque of all devices on the {what}", data[:, 2])

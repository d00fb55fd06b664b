"""Channels of shafts: strokes, cranks, couplings, what acts on them and on joints; loads in the legs' joints.

A device that is absent has no channels; one that an event may bring to life has.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from docksim.algebra.rotations import TO_DEG
from docksim.compiler.shafts import Shaft
from docksim.model.mechanism import MEAN
from docksim.result.result import Channel
from docksim.simulation.channels.bands import band

BASE_JOINT = 0
WHERE = (
    ("base_joint", "of the base on the first link about the base joint"),
    ("middle_joint", "of the first link on the second about the second link's origin"),
    ("ring_joint", "of the leg on the ring at the ring joint"),
)
DEVICES = ("damper", "brake", "stop", "motor")


def leg_channels(name: str, leg: np.ndarray) -> Iterator[Channel]:
    """Loads of the leg "<v>.legs.<k>" on the axes of the mechanism's base."""
    for i, (joint, text) in enumerate(WHERE):
        yield Channel(f"{name}.{joint}_moment_Nm", "N m", "mechanism base", f"moment {text}", leg["moment"][:, i])
        yield Channel(f"{name}.{joint}_force_N", "N", "mechanism base", f"force {text}", leg["force"][:, i])


def base_channels(vehicle: str, legs: np.ndarray) -> Iterator[Channel]:
    """What a mechanism's legs together, (rows, legs) of the log, put on their base, about B's origin."""
    moment, force = (legs[field][:, :, BASE_JOINT] for field in ("moment", "force"))
    total = -np.sum(moment + np.cross(legs["base_joint"], force), axis=1)
    text = "of the docking mechanism on its base, through the legs"
    yield Channel(f"{vehicle}.mechanism.load_moment_Nm", "N m", "mechanism base", f"moment {text}, about B", total)
    yield Channel(f"{vehicle}.mechanism.load_force_N", "N", "mechanism base", f"force {text}", -np.sum(force, axis=1))


def retraction_channels(vehicle: str, stroke: float, rows: np.ndarray, legs: np.ndarray) -> Iterator[Channel]:
    """Of a mechanism whose base joints move: how far and how fast, what moves them, and where each of them is."""
    name, what = f"{vehicle}.retraction", "way of the base joints"
    yield Channel(f"{name}.travel_m", "m", "joint", f"{what} so far", stroke * rows["fraction"])
    yield Channel(f"{name}.rate_m_s", "m/s", "joint", f"rate of the {what}", stroke * rows["rate"])
    text = f"force along the {what}, of what moves or holds them"
    yield Channel(f"{name}.force_N", "N", "joint", text, rows["force"] / stroke)
    text = "position of the base joint"
    for k in range(legs.shape[1]):
        yield Channel(f"{vehicle}.legs.{k + 1}.base_joint_m", "m", "mechanism base", text, legs["base_joint"][:, k])


def shaft_channels(name: str, shaft: Shaft, alive: Collection[str], rows: np.ndarray) -> Iterator[Channel]:
    """Coordinate, rate, and force, stored energy and work of every device of "<v>.legs.<k>" or "<v>.couplings.<n>"."""
    yield from _coordinate(name, shaft, rows)
    suffix, unit = _suffix(shaft)
    kind = suffix.split("_")[0]
    text = f"{kind} of all devices"
    yield from band(f"{name}.{suffix}", unit, "joint", text, rows["least_force"], rows["largest_force"])
    yield from _devices(name, shaft, alive, rows)


def drive_channels(name: str, shaft: Shaft, alive: Collection[str], rows: np.ndarray) -> Iterator[Channel]:
    """Of the devices on a joint; coordinate, rate and total force are the joint's own channels."""
    yield from _devices(name, shaft, alive, rows)
    if shaft.has_servo:
        suffix, unit = _suffix(shaft)
        kind = suffix.split("_")[0]
        yield Channel(f"{name}.asked_{suffix}", unit, "joint", f"{kind} that the servo asks for", rows["asked"])
        text = "part of what the servo asks for that its motor does not give: 0 within its limits"
        short = rows["asked"] - rows["allowed"]
        part = np.divide(short, rows["asked"], out=np.zeros(len(rows)), where=short != 0.0)
        yield Channel(f"{name}.saturation", "", "", text, part)


def _suffix(shaft: Shaft) -> tuple[str, str]:
    return ("force_N", "N") if shaft.unit == "m" else ("torque_Nm", "N m")


def _devices(name: str, shaft: Shaft, alive: Collection[str], rows: np.ndarray) -> Iterator[Channel]:
    """Force, stored energy and work of every device, and the servo's set-point."""
    suffix, unit = _suffix(shaft)
    kind = suffix.split("_")[0]
    if shaft.has_spring:
        yield Channel(f"{name}.spring_{suffix}", unit, "joint", f"{kind} of the spring", rows["spring"])
    if shaft.has_spring or shaft.has_stops:
        yield Channel(f"{name}.stored_J", "J", "", "energy stored in spring and stops", rows["stored"])
    present = {
        "damper": shaft.has_damper,
        "brake": shaft.friction > 0.0,
        "stop": shaft.has_stops,
        "motor": shaft.force != 0.0 or shaft.has_servo,
    }
    for device in DEVICES:
        if present[device] or device in alive:
            yield Channel(f"{name}.{device}_{suffix}", unit, "joint", f"{kind} of the {device}", rows[device])
            text = f"work done on the system by the {device}"
            yield Channel(f"{name}.{device}_work_J", "J", "", text, rows[f"{device}_work"])
    if shaft.has_servo:
        key, factor = ("command_m", 1.0) if shaft.unit == "m" else ("command_deg", TO_DEG)
        where = "set-point of the servo" + (", against the mean of the legs" if shaft.follows == MEAN else "")
        yield Channel(f"{name}.{key}", key.split("_")[1], "joint", where, factor * rows["set_point"])


def _coordinate(name: str, shaft: Shaft, rows: np.ndarray) -> Iterator[Channel]:
    what = "coupling" if shaft.place < 0 else "stroke" if shaft.unit == "m" else "crank"
    if shaft.unit == "m":
        yield Channel(f"{name}.travel_m", "m", "joint", what, rows["coordinate"])
        yield Channel(f"{name}.travel_rate_m_s", "m/s", "joint", f"rate of the {what}", rows["rate"])
        yield Channel(f"{name}.force_N", "N", "joint", f"force of all devices on the {what}", rows["force"])
    else:
        yield Channel(f"{name}.angle_deg", "deg", "joint", f"angle of the {what}", rows["coordinate"] * TO_DEG)
        yield Channel(f"{name}.angle_rate_deg_s", "deg/s", "joint", f"rate of the {what}", rows["rate"] * TO_DEG)
        yield Channel(f"{name}.torque_Nm", "N m", "joint", f"torque of all devices on the {what}", rows["force"])

"""Channels of a docking mechanism's legs: stroke or crank, what acts on it, and the loads in the leg's joints."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from docksim import model as codes
from docksim.compiler.mechanism import MechanismPart
from docksim.result import Channel

WHERE = (
    ("base_joint", "of the base on the first link about the base joint"),
    ("middle_joint", "of the first link on the second about the second link's origin"),
    ("ring_joint", "of the leg on the ring at the ring joint"),
)


def leg_channels(mechanism: MechanismPart, block: np.ndarray) -> Iterator[Channel]:
    """Channels "<v>.legs.<k>.*", legs counted from 1; loads on the axes of the mechanism's base."""
    vehicle = mechanism.name.removesuffix(".ring")
    for k, device in enumerate(mechanism.devices):
        leg = block[:, k * codes.LOG_LEG : (k + 1) * codes.LOG_LEG]
        name = f"{vehicle}.legs.{k + 1}"
        yield from _actuated(name, device.unit, leg)
        for i, (joint, text) in enumerate(WHERE):
            moment, force = leg[:, 3 + 6 * i : 6 + 6 * i], leg[:, 6 + 6 * i : 9 + 6 * i]
            yield Channel(f"{name}.{joint}_moment_Nm", "N m", "mechanism base", f"moment {text}", moment)
            yield Channel(f"{name}.{joint}_force_N", "N", "mechanism base", f"force {text}", force)


def _actuated(name: str, unit: str, leg: np.ndarray) -> Iterator[Channel]:
    if unit == "m":
        yield Channel(f"{name}.travel_m", "m", "joint", "stroke", leg[:, 0])
        yield Channel(f"{name}.travel_rate_m_s", "m/s", "joint", "rate of the stroke", leg[:, 1])
        yield Channel(f"{name}.force_N", "N", "joint", "force of the devices along the stroke", leg[:, 2])
    else:
        to_deg = 180.0 / math.pi
        yield Channel(f"{name}.angle_deg", "deg", "joint", "crank angle", leg[:, 0] * to_deg)
        yield Channel(f"{name}.angle_rate_deg_s", "deg/s", "joint", "rate of the crank", leg[:, 1] * to_deg)
        yield Channel(f"{name}.torque_Nm", "N m", "joint", "torque of the devices on the crank", leg[:, 2])

"""Channels of control: thrusters, given loads, attitude holds, wrenches that come from outside at ports.

A thruster's impulse is its thrust times the time it was on, kept at every switch, not a sum over rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from docksim.algebra.dense import length
from docksim.algebra.elementary import sin
from docksim.algebra.rotations import TO_DEG
from docksim.compiler import Compiled
from docksim.compiler.loads import acting
from docksim.config.schema.vehicle import AttitudeHold, Load, Thruster
from docksim.model.events import HOLD_OFF, HOLD_ON
from docksim.model.log import Log
from docksim.result.result import Channel

MODES = ("off", "on", "inhibited")  # by their codes
assert MODES.index("off") == HOLD_OFF
assert MODES.index("on") == HOLD_ON


def control_channels(compiled: Compiled, log: Log) -> Iterator[Channel]:
    """Of everything that acts from outside, by name."""
    for i, (owner, key, part) in enumerate(acting(compiled.scenario)):
        name, rows = f"{owner}.{key}", log.load_on[:, i]
        if isinstance(part, Thruster):
            yield from _thruster_channels(name, part, rows)
        else:
            yield from _load_channels(f"loads.{name}", part, log.head["time"], rows["on"])
    holds = ((name, v.attitude_hold) for name, v in compiled.scenario.vehicles.items() if v.attitude_hold is not None)
    for i, (name, hold) in enumerate(holds):
        yield from _hold_channels(f"{name}.attitude_hold", hold, log.hold[:, i])
    ports = list(compiled.assembly.markers)
    for marker in dict.fromkeys(int(k) for k in compiled.state.external["marker"] if k >= 0):
        name, rows = f"external.{ports[marker]}", log.external[:, marker]
        where = f"from outside at {ports[marker]}"
        yield Channel(f"{name}.force_N", "N", "W", f"force {where}", rows["force"])
        yield Channel(f"{name}.torque_Nm", "N m", "W", f"torque {where}", rows["torque"])


def _thruster_channels(name: str, part: Thruster, rows: np.ndarray) -> Iterator[Channel]:
    yield Channel(f"{name}.on", "", "", "1 while the thruster fires", rows["on"].astype(np.int64))
    yield Channel(f"{name}.impulse_Ns", "N s", "", "impulse of the thruster so far", part.force_N * rows["spent"])


def _load_channels(name: str, part: Load, time: np.ndarray, on: np.ndarray) -> Iterator[Channel]:
    turns = 2.0 * math.pi * (part.frequency_Hz or 0.0) * (time - part.start_s)
    wave = on if part.frequency_Hz is None else on * np.array([sin(angle) for angle in turns.tolist()])
    frame = "W" if part.frame == "inertial" else "body"
    for key, unit, given in (("force_N", "N", part.force_N), ("torque_Nm", "N m", part.torque_Nm)):
        if any(given):
            what = f"{key.partition('_')[0]} of the load"
            yield Channel(f"{name}.{key}", unit, frame, what, wave[:, None] * np.asarray(given))


def _hold_channels(name: str, hold: AttitudeHold, rows: np.ndarray) -> Iterator[Channel]:
    seen = hold.target or "W"
    error = rows["error"] * TO_DEG
    yield Channel(f"{name}.mode", "", "", "mode of the attitude hold", rows["mode"].astype(np.int64), labels=MODES)
    yield Channel(f"{name}.error_deg", "deg", "body", f"rotation vector against the target in {seen}", error)
    yield Channel(f"{name}.error_size_deg", "deg", "", f"attitude error against the target in {seen}", length(error))
    yield Channel(f"{name}.torque_Nm", "N m", "body", f"torque of the {hold.actuator} on the vehicle", rows["torque"])

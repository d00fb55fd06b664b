"""A logged row as packets: motion of chosen bodies, contacts, and the description that names them."""

from __future__ import annotations

import json

import numpy as np

from docksim import __version__
from docksim.compiler import Compiled
from docksim.model import Model
from docksim.model.log import LOG_BODY, LOG_CONTACT, LOG_DOF, LOG_HEAD, LOG_LEG, LOG_SHAFT
from docksim.realtime import packets
from docksim.simulation.channels.contact import TO_PORT


def frame_names(compiled: Compiled) -> tuple[str, ...]:
    """What STATE and MOTION number: the vehicles in the order of the file, then the rings of their mechanisms."""
    names = compiled.scenario.vehicles
    return (*names, *(f"{name}.ring" for name in names if f"{name}.ring" in compiled.assembly.frames))


def contact_columns(model: Model, i: int) -> list[int]:
    """Where in a row of the log the numbers of a pair stand: gap, normal force, force, moment, latches engaged."""
    at = LOG_HEAD + (len(model.body) - 1) * LOG_BODY + len(model.dof) * LOG_DOF
    at += len(model.leg) * LOG_LEG + len(model.shaft) * LOG_SHAFT + i * LOG_CONTACT
    return [at, at + 1, *(at + 2 + j for j in TO_PORT), *(at + 5 + j for j in TO_PORT), at + 8]


class Telemetry:
    """Knows where in a row of the log everything stands. Frames are the vehicles and the rings of their mechanisms."""

    def __init__(self, compiled: Compiled) -> None:
        assembly, model = compiled.assembly, compiled.model
        self.vehicles, self.frames = tuple(compiled.scenario.vehicles), frame_names(compiled)
        self.contacts = tuple(compiled.scenario.contacts)
        self.phases = compiled.phases
        self._head = packets.STATE_HEAD.size
        columns = []
        for name in self.frames:
            first = LOG_HEAD + (assembly.body_index(name) - 1) * LOG_BODY
            columns += list(range(first, first + LOG_BODY))
        for i in range(len(self.contacts)):
            columns += contact_columns(model, i)
        self._columns = np.array(columns)
        self._payload = bytearray(self._head + 8 * len(columns))
        self._numbers = np.frombuffer(self._payload, "<f8", offset=self._head)
        self._contact_at = len(self.frames) * LOG_BODY

    def state(self, row: np.ndarray) -> bytearray:
        """Payload of STATE; the buffer is used again."""
        np.take(row, self._columns, out=self._numbers)
        packets.STATE_HEAD.pack_into(self._payload, 0, len(self.frames), len(self.contacts), int(row[1]))
        return self._payload

    def motion(self) -> bytes:
        """Payload of MOTION, all frames, from the numbers of the latest `state`."""
        found = b""
        for i in range(len(self.frames)):
            frame = self._numbers[i * LOG_BODY :]
            found += packets.MOTION_ENTRY.pack(i, *frame[:13])
        return found

    def contact(self) -> bytes:
        """Payload of CONTACT, all pairs, from the numbers of the latest `state`."""
        found = b""
        for i in range(len(self.contacts)):
            pair = self._numbers[self._contact_at + i * packets.CONTACT_WIDTH :]
            found += packets.CONTACT_ENTRY.pack(i, int(pair[8]), pair[1], *pair[2:8])
        return found

    def description(self, scenario: str, rate_Hz: float, asked: dict[str, tuple[str, ...]]) -> bytes:
        """Payload of DESCRIPTION: names in the order of the numbers, as JSON."""
        content = {
            "docksim": __version__,
            "scenario": scenario,
            "rate_Hz": rate_Hz,
            "frames": self.frames,
            "vehicles": self.vehicles,
            "contacts": self.contacts,
            "phases": self.phases,
            **asked,
        }
        return json.dumps(content).encode()


def state_numbers(payload: memoryview) -> tuple[int, np.ndarray, np.ndarray] | None:
    """Phase, frames and contacts of a STATE payload; None if its size does not fit what it says."""
    if len(payload) < packets.STATE_HEAD.size:
        return None
    frames, contacts, phase = packets.STATE_HEAD.unpack_from(payload)
    split = frames * packets.FRAME_WIDTH
    count = split + contacts * packets.CONTACT_WIDTH
    if len(payload) != packets.STATE_HEAD.size + 8 * count:
        return None
    numbers = np.frombuffer(payload, "<f8", offset=packets.STATE_HEAD.size)
    found = numbers[:split].reshape(frames, packets.FRAME_WIDTH)
    return phase, found, numbers[split:].reshape(contacts, packets.CONTACT_WIDTH)

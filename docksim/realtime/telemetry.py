"""A logged row as packets: motion of chosen bodies, contacts, and the description that names them."""

from __future__ import annotations

import json

import numpy as np

from docksim import __version__
from docksim.compiler import Compiled
from docksim.model.log import Log
from docksim.realtime import packets
from docksim.simulation.channels.contact import TO_PORT


def frame_names(compiled: Compiled) -> tuple[str, ...]:
    """What STATE and MOTION number: the vehicles in the order of the file, then the rings of their mechanisms."""
    names = compiled.scenario.vehicles
    return (*names, *(f"{name}.ring" for name in names if f"{name}.ring" in compiled.assembly.frames))


class Telemetry:
    """Packets of the frames, which are the vehicles and the rings of their mechanisms, and of the contacts."""

    def __init__(self, compiled: Compiled) -> None:
        self.vehicles, self.frames = tuple(compiled.scenario.vehicles), frame_names(compiled)
        self.contacts = tuple(compiled.scenario.contacts)
        self.phases = compiled.phases
        self._bodies = np.array([compiled.assembly.body_index(name) - 1 for name in self.frames])
        first, count = packets.STATE_HEAD.size, len(self.frames)
        split = first + count * packets.STATE_FRAME.itemsize
        self._payload = bytearray(split + len(self.contacts) * packets.STATE_CONTACT.itemsize)
        self._frame = np.ndarray(count, packets.STATE_FRAME, self._payload, first)
        self._contact = np.ndarray(len(self.contacts), packets.STATE_CONTACT, self._payload, split)

    def state(self, row: Log) -> bytearray:
        """Payload of STATE, of a log's first row; the buffer is used again."""
        body, contact = row.body[0], row.contact[0]
        for field in packets.STATE_FRAME.names or ():
            self._frame[field] = body[field][self._bodies]
        for field in packets.STATE_CONTACT.names or ():
            values = contact[field]
            self._contact[field] = values[:, TO_PORT] if values.ndim == 2 else values
        phase = int(row.head["phase"][0])
        packets.STATE_HEAD.pack_into(self._payload, 0, len(self.frames), len(self.contacts), phase)
        return self._payload

    def motion(self) -> bytes:
        """Payload of MOTION, all frames, from the numbers of the latest `state`."""
        fields = (self._frame[field].tolist() for field in ("position", "quaternion", "velocity", "rate"))
        frames = enumerate(zip(*fields, strict=True))
        return b"".join(packets.MOTION_ENTRY.pack(i, *x, *q, *v, *w) for i, (x, q, v, w) in frames)

    def contact(self) -> bytes:
        """Payload of CONTACT, all pairs, from the numbers of the latest `state`."""
        fields = (self._contact[field].tolist() for field in ("engaged", "normal_force", "force", "moment"))
        pairs = enumerate(zip(*fields, strict=True))
        return b"".join(packets.CONTACT_ENTRY.pack(i, int(held), normal, *f, *m) for i, (held, normal, f, m) in pairs)

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
    first = packets.STATE_HEAD.size
    if len(payload) < first:
        return None
    frames, contacts, phase = packets.STATE_HEAD.unpack_from(payload)
    split = first + frames * packets.STATE_FRAME.itemsize
    if len(payload) != split + contacts * packets.STATE_CONTACT.itemsize:
        return None
    found = np.ndarray(frames, packets.STATE_FRAME, payload, first)
    return phase, found, np.ndarray(contacts, packets.STATE_CONTACT, payload, split)

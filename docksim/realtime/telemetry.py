"""A logged row as packets: motion of chosen bodies, contacts, and the description that names them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np

from docksim import __version__
from docksim.compiler import Compiled
from docksim.model.log import LOG_BODY, LOG_CONTACT, Log
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
        self._reference = compiled.assembly.reference
        bodies = [compiled.assembly.body_index(name) - 1 for name in self.frames]
        self._body_numbers = np.array([k for i in bodies for k in _numbers(LOG_BODY, i, packets.STATE_FRAME)], int)
        pairs = (_numbers(LOG_CONTACT, i, packets.STATE_CONTACT, TO_PORT) for i in range(len(self.contacts)))
        self._pair_numbers = np.array([k for pair in pairs for k in pair], int)
        first, count = packets.STATE_HEAD.size, len(self.frames)
        split = first + count * packets.STATE_FRAME.itemsize
        self._payload = bytearray(split + len(self.contacts) * packets.STATE_CONTACT.itemsize)
        self._frame = np.ndarray(count, packets.STATE_FRAME, self._payload, first)
        self._contact = np.ndarray(len(self.contacts), packets.STATE_CONTACT, self._payload, split)
        self._frame_flat, self._contact_flat = self._frame.view("<f8"), self._contact.view("<f8")

    def state(self, row: Log) -> bytearray:
        """Payload of STATE, of a log's first row; the buffer is used again."""
        np.take(row.body.view(np.float64)[0], self._body_numbers, out=self._frame_flat)
        if not self._reference.is_origin:
            self._frame["position"] += self._reference.at(float(row.head["time"][0]))
            self._frame["velocity"] += self._reference.velocity
        np.take(row.contact.view(np.float64)[0], self._pair_numbers, out=self._contact_flat)
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


def _numbers(table: np.dtype, place: int, packet: np.dtype, axes: Sequence[int] = (0, 1, 2)) -> Iterator[int]:
    """Where the fields of a packet stand in a row of a table, for the entry at a place; `axes`: the order of vectors.

    All fields are floats, and one call takes them in a third of the time of a call for each field.
    """
    assert table.fields is not None
    for field in packet.names or ():
        count = packet[field].itemsize // 8
        first = (place * table.itemsize + table.fields[field][1]) // 8
        yield from (first + k for k in (axes if count == len(axes) else range(count)))


def state_numbers(payload: memoryview) -> tuple[int, np.ndarray, np.ndarray] | None:
    """Phase, frames and contacts of a STATE payload; None if its size does not fit what it says."""
    first = packets.STATE_HEAD.size
    if len(payload) < first:
        return None
    frames, contacts, phase = packets.STATE_HEAD.unpack_from(payload)
    split = first + frames * packets.STATE_FRAME.itemsize
    if len(payload) != split + contacts * packets.STATE_CONTACT.itemsize:
        return None
    motions = np.ndarray(frames, packets.STATE_FRAME, payload, first)
    return phase, motions, np.ndarray(contacts, packets.STATE_CONTACT, payload, split)

"""Packets of the bridge: one UDP datagram each, little-endian, as docs/realtime.md lists them byte by byte.

    header (40 bytes) | payload (length bytes) | CRC-32 of both (4 bytes, as zlib.crc32)

Nothing in a packet is trusted: `decode` checks size, magic, version, type, length and CRC, in this order, and returns a
word for the first fault instead of raising, since a loop with deadlines meets faults as a matter of course.
"""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

import numpy as np

MAGIC, VERSION = b"DKSM", 1
# magic, version, type, flags, sequence, echo, length of the payload, 0, sender's clock [ns], simulated time [s]
HEADER = struct.Struct("<4sBBHIIIIqd")
CRC = struct.Struct("<I")
LARGEST = 60_000

# types: what docksim tells, what it is told
STATE, DESCRIPTION, HELLO, ROW, JOINTS = 1, 2, 3, 4, 5
WRENCH, CONTACT, COMMAND, MOTION, TORQUE = 16, 17, 18, 19, 20
TYPES = frozenset((STATE, DESCRIPTION, HELLO, ROW, JOINTS, WRENCH, CONTACT, COMMAND, MOTION, TORQUE))

# flags of what docksim sends; of what it is told, only ENDED means something
NO_INPUT, STALE_INPUT, FAULTY_INPUT, LATE_CYCLE, ENDED = 1, 2, 4, 8, 16
FLAG_NAMES = {
    NO_INPUT: "no input yet",
    STALE_INPUT: "input stale",
    FAULTY_INPUT: "input refused",
    LATE_CYCLE: "cycle late",
    ENDED: "ended",
}

# payloads; quantities are in SI units and radians
STATE_HEAD = struct.Struct("<HHI")  # frames, contacts, phase
STATE_FRAME = np.dtype(
    [
        ("position", "<f8", 3),  # axes of W, as velocity and acceleration
        ("quaternion", "<f8", 4),  # w x y z, body to W
        ("velocity", "<f8", 3),
        ("rate", "<f8", 3),  # body axes, as the angular acceleration
        ("acceleration", "<f8", 3),
        ("angular_acceleration", "<f8", 3),
    ]
)
STATE_CONTACT = np.dtype(
    [
        ("gap", "<f8"),
        ("normal_force", "<f8"),
        ("force", "<f8", 3),  # of the first port on the second, axes of the first
        ("moment", "<f8", 3),  # about the second's origin
        ("engaged", "<f8"),  # latches
    ]
)
WRENCH_ENTRY = struct.Struct("<HH4x6d")  # port, axes (0 of the port, 1 of W), force 3, torque 3
CONTACT_ENTRY = struct.Struct("<HH4x7d")  # pair, latches engaged, normal force, force 3, moment 3
MOTION_ENTRY = struct.Struct("<H6x13d")  # frame, position 3, quaternion wxyz 4, velocity 3, body rate 3
COMMAND_ENTRY = struct.Struct("<H6xd32s")  # what, value, name
TORQUE_ENTRY = struct.Struct("<H6xd")  # joint, torque or force
JOINT_ENTRY = struct.Struct("<H6x3d")  # joint, coordinate, rate, torque or force of all that acts on it
ENTRIES = {
    WRENCH: WRENCH_ENTRY,
    CONTACT: CONTACT_ENTRY,
    COMMAND: COMMAND_ENTRY,
    MOTION: MOTION_ENTRY,
    TORQUE: TORQUE_ENTRY,
}
ABORT, EVENT, SET_POINT = 1, 2, 3

FAULTS = ("size", "magic", "version", "type", "length", "crc")


class Packet(NamedTuple):
    """A packet that is whole; what its payload says is still to be judged."""

    type: int
    flags: int
    sequence: int
    echo: int
    time_ns: int
    simulated_s: float
    payload: memoryview


def encode(
    type_: int,
    payload: bytes | bytearray | memoryview = b"",
    sequence: int = 0,
    echo: int = 0,
    time_ns: int = 0,
    simulated_s: float = 0.0,
    flags: int = 0,
) -> bytes:
    """A packet as bytes."""
    head = HEADER.pack(
        MAGIC, VERSION, type_, flags, sequence & 0xFFFFFFFF, echo & 0xFFFFFFFF, len(payload), 0, time_ns, simulated_s
    )
    body = head + payload
    return body + CRC.pack(zlib.crc32(body))


def decode(data: bytes | bytearray | memoryview) -> Packet | str:
    """The packet, or the first of FAULTS that it has."""
    view = memoryview(data)
    size = len(view)
    if size < HEADER.size + CRC.size or size > LARGEST:
        return "size"
    magic, version, kind, flags, sequence, echo, length, _, time_ns, simulated = HEADER.unpack_from(view)
    if magic != MAGIC:
        return "magic"
    if version != VERSION:
        return "version"
    if kind not in TYPES:
        return "type"
    if length != size - HEADER.size - CRC.size:
        return "length"
    if CRC.unpack_from(view, size - CRC.size)[0] != zlib.crc32(view[: size - CRC.size]):
        return "crc"
    return Packet(kind, flags, sequence, echo, time_ns, simulated, view[HEADER.size : size - CRC.size])


def command(what: int, name: str = "", value: float = 0.0) -> bytes:
    """Payload of a command."""
    return COMMAND_ENTRY.pack(what, value, name.encode()[:32])

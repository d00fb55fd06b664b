"""The other end of the bridge, for a rig or a controller in Python.

    with Peer(47010) as peer:
        for state in peer:
            frame = state.frames[0]
            peer.wrench(force=-200.0 * frame["position"] - 5.0 * frame["velocity"], in_world=True)

and `docksim realtime SCENARIO --bridge 47001 --peer 47010 --external PORT`. One packet of telemetry at a time: what is
told while it is looked at goes out as the answer to it, with the next look. Packets that are not whole are left out and
counted. The loop ends with the run.
"""

from __future__ import annotations

import json
import socket
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from docksim.realtime import packets

LARGEST = 65536
HELLO_S = 0.2
PAYLOAD = "payload"  # whole, but not what its type says
JOINT = np.dtype([("joint", "<u2"), ("", "V6"), ("coordinate", "<f8"), ("rate", "<f8"), ("torque", "<f8")])
ZERO = (0.0, 0.0, 0.0)
Vector = Sequence[float] | np.ndarray


class State(NamedTuple):
    """What docksim tells of one instant, SI units and radians; tables by frame, contact and joint."""

    time_s: float
    sequence: int
    flags: tuple[str, ...]  # what docksim says of what it was told: "input stale", "cycle late", ...
    phase: int
    frames: np.ndarray  # position, quaternion, velocity, rate, acceleration, angular_acceleration
    contacts: np.ndarray  # gap, normal_force, force, moment, engaged
    joints: np.ndarray  # joint, coordinate, rate, torque; those of --torque


class Peer:
    """A socket that listens for telemetry and answers it."""

    def __init__(self, port: int, address: str = "127.0.0.1", timeout_s: float | None = None) -> None:
        """`timeout_s`: how long to wait for a packet before TimeoutError; for ever if None."""
        self.faults: Counter[str] = Counter()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((address, port))
        self._socket.settimeout(timeout_s)
        self._timeout_s = timeout_s
        self._docksim: Any = None
        self._sequence = 0
        self._answers: dict[int, list[bytes]] = {}

    @property
    def port(self) -> int:
        """The one that it listens at; of use where 0 was asked for."""
        return int(self._socket.getsockname()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._socket.close()

    def hello(self, docksim: tuple[str, int], tries: int = 50) -> dict[str, Any]:
        """Introduce oneself to docksim at an address; its description: names of frames, contacts, phases, inputs."""
        self._socket.settimeout(HELLO_S)
        try:
            for _ in range(tries):
                self._socket.sendto(packets.encode(packets.HELLO), docksim)
                try:
                    packet = self._next()
                except TimeoutError:
                    continue
                if packet.type == packets.DESCRIPTION:
                    with suppress(ValueError, TypeError, RecursionError):
                        return dict(json.loads(bytes(packet.payload)))
                    self.faults[PAYLOAD] += 1
        finally:
            self._socket.settimeout(self._timeout_s)
        raise TimeoutError(f"docksim at {docksim[0]}:{docksim[1]} does not answer; is it started with --bridge?")

    def __iter__(self) -> Iterator[State]:
        joints = np.zeros(0, JOINT)
        while True:
            packet = self._next()
            try:
                if packet.type == packets.JOINTS:
                    joints = np.frombuffer(packet.payload, JOINT)
                if packet.type != packets.STATE:
                    continue
                state = _state(packet, joints)
            except (ValueError, struct.error):
                self.faults[PAYLOAD] += 1
                continue
            if packet.flags & packets.ENDED:
                return
            yield state
            self._answer(packet)

    # what docksim is told, with the answer to the state that is looked at

    def wrench(self, force: Vector = ZERO, torque: Vector = ZERO, port: int = 0, in_world: bool = False) -> None:
        """Push at a port of `--external`, by its number: force [N], torque [N m] about it, on its axes or W's."""
        self._tell(packets.WRENCH, packets.WRENCH_ENTRY.pack(port, int(in_world), *force, *torque))

    def torque(self, value: float, joint: int = 0) -> None:
        """Drive a joint of `--torque`, by its number [N m], or [N] if it slides."""
        self._tell(packets.TORQUE, packets.TORQUE_ENTRY.pack(joint, value))

    def contact(
        self, force: Vector, moment: Vector = ZERO, normal_force: float = 0.0, latches: int = 0, pair: int = 0
    ) -> None:
        """What a pair of `--measured-contact` feels: the first port on the second, axes of the first."""
        self._tell(packets.CONTACT, packets.CONTACT_ENTRY.pack(pair, latches, normal_force, *force, *moment))

    def event(self, name: str) -> None:
        """Give the command that an event waits for."""
        self._tell(packets.COMMAND, packets.command(packets.EVENT, name))

    def set_point(self, device: str, value: float) -> None:
        """The new target of a device's servo [m or rad]."""
        self._tell(packets.COMMAND, packets.command(packets.SET_POINT, device, value))

    def abort(self) -> None:
        """End the run."""
        self._tell(packets.COMMAND, packets.command(packets.ABORT))

    def _tell(self, kind: int, entry: bytes) -> None:
        self._answers.setdefault(kind, []).append(entry)

    def _answer(self, to: packets.Packet) -> None:
        for kind, entries in self._answers.items():
            self._sequence += 1
            answer = packets.encode(kind, b"".join(entries), self._sequence, to.sequence, to.time_ns, to.simulated_s)
            self._socket.sendto(answer, self._docksim)
        self._answers.clear()

    def _next(self) -> packets.Packet:
        """The next whole packet, and who sent it."""
        while True:
            data, sender = self._socket.recvfrom(LARGEST)
            packet = packets.decode(data)
            if not isinstance(packet, str):
                self._docksim = sender
                return packet
            self.faults[packet] += 1


def _state(packet: packets.Packet, joints: np.ndarray) -> State:
    frames, contacts, phase = packets.STATE_HEAD.unpack_from(packet.payload)
    first = packets.STATE_HEAD.size
    table = np.frombuffer(packet.payload, packets.STATE_FRAME, frames, first)
    touching = np.frombuffer(packet.payload, packets.STATE_CONTACT, contacts, first + table.nbytes)
    flags = tuple(text for bit, text in packets.FLAG_NAMES.items() if packet.flags & bit)
    return State(packet.simulated_s, packet.sequence, flags, phase, table, touching, joints)

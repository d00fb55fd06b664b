"""The UDP side of a paced run: a socket that never blocks, a budget of packets per cycle, and counts of all faults.

The socket is bound to loopback unless told otherwise. Packets are taken from one peer only: the one that was named, or
the first that sends a whole packet. Of each type only newer sequence numbers are taken (modulo 2**32); HELLO begins
them anew. An answer to telemetry that is older than `hold` periods is late, and not taken. If nothing is taken for
`hold` periods the input is stale: it is flagged, and what acts from outside is held, put to zero, or ends the run.
What is taken goes into a journal, from which the run can be made again.
"""

from __future__ import annotations

import select
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from docksim.realtime import packets
from docksim.realtime.inputs import Inputs
from docksim.realtime.journal import SILENCE, Journal

OnStale = Literal["hold", "zero", "stop"]
ON_STALE: tuple[str, ...] = get_args(OnStale)
BUDGET = 32  # packets looked at in a cycle; a flood waits in the system's buffer, which drops what is too much
FLAG_CYCLES = 2
LOOK_UP_S = 0.2  # how long a wait goes without asking whether it is to stop
Address = tuple[str, int]
# motion that the model cannot follow as it is now: counted and flagged, and in lock-step both sides go on
NOT_NOW = ("joined", "held", "reach")


@dataclass(frozen=True)
class Link:
    """Where to listen and talk, and how patient to be, in periods."""

    listen: Address = ("127.0.0.1", 47001)
    peer: Address | None = None
    hold: int = 2
    on_stale: OnStale = "zero"


class Bridge:
    """Takes packets in and sends packets out; counts everything."""

    def __init__(self, link: Link) -> None:
        self.link, self.peer = link, link.peer
        self.counts: Counter[str] = Counter()
        self.ages: Counter[int] = Counter()  # round trips in periods
        self.journal = Journal()
        self.sequence = 0
        self.greeted = False
        self.stale = False
        self.refused = ""  # why the last packet was
        self.heard = False  # something was taken, or refused for now only
        self.heard_echo = -1
        self._newest: dict[int, int] = {}
        self._last_taken = self._last_fault = -(10**9)
        self._received = False
        self._echo = 0
        self._buffer = bytearray(65536)
        self._view = memoryview(self._buffer)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(link.listen)
        self.socket.setblocking(False)

    @property
    def address(self) -> Address:
        return self.socket.getsockname()[:2]

    def close(self) -> None:
        self.socket.close()

    # ------------------------------------------------------------ in

    def poll(self, inputs: Inputs, row: np.ndarray) -> None:
        """Take what has come, within the budget."""
        for _ in range(BUDGET):
            try:
                size, sender = self.socket.recvfrom_into(self._buffer)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                # an answer of the network to what was sent, such as "nobody listens there"
                self.counts["network"] += 1
                break
            fault = self._judge(self._view[:size], sender[:2], inputs, row)
            self.counts["received"] += 1
            if fault:
                self.counts[fault] += 1
                self._last_fault, self.refused = self.sequence, fault
        self._watch(inputs)

    def wait(
        self,
        inputs: Inputs,
        row: np.ndarray,
        timeout_s: float,
        echo: int | None = None,
        stop: Callable[[], bool] | None = None,
        again: Callable[[], None] | None = None,
    ) -> bool:
        """Poll until the peer is heard (an answer to `echo`, if given) or has ended; False if in vain.

        A datagram may be lost, or nobody be there yet: `again` is called now and then, to send the last one again.
        """
        deadline = time.monotonic() + timeout_s
        self.heard, self.heard_echo = False, -1
        while True:
            self.poll(inputs, row)
            if inputs.ended or (self.heard and (echo is None or self.heard_echo == echo)):
                return True
            rest = deadline - time.monotonic()
            if rest <= 0.0 or (stop is not None and stop()):
                return False
            ready, _, _ = select.select([self.socket], [], [], min(rest, LOOK_UP_S))
            if not ready and again is not None:
                again()

    def _judge(self, data: memoryview, sender: Address, inputs: Inputs, row: np.ndarray) -> str:
        """Take a packet, or say what is wrong with it."""
        if self.peer is not None and sender != self.peer:
            return "foreign"
        packet = packets.decode(data)
        if isinstance(packet, str):
            return packet
        self.peer = sender
        if packet.type == packets.HELLO:
            self._newest.clear()
            self.greeted = True
            return ""
        last = self._newest.get(packet.type)
        if last is not None and not 0 < (packet.sequence - last) & 0xFFFFFFFF < 0x80000000:
            return "reordered"
        age = (self.sequence - packet.echo) & 0xFFFFFFFF if packet.echo else 0
        if age > self.link.hold:
            return "late"
        fault = inputs.take(packet, row)
        if not fault or fault in NOT_NOW:
            self._newest[packet.type] = self._echo = packet.sequence
            self.heard, self.heard_echo = True, packet.echo
        if not fault:
            self.journal.note(self.sequence, packet.type, packet.payload)
            self._received, self._last_taken = True, self.sequence
            if packet.echo:
                self.ages[age] += 1
        return fault

    def _watch(self, inputs: Inputs) -> None:
        """Is the input stale?"""
        was, self.stale = self.stale, self._received and self.sequence - self._last_taken > self.link.hold
        if self.stale and not was:
            self.counts["stale"] += 1
            if self.link.on_stale == "zero":
                inputs.silence()
                self.journal.note(self.sequence, SILENCE)

    # ------------------------------------------------------------ out

    def flags(self, late: bool, ended: bool) -> int:
        found = 0 if self._received else packets.NO_INPUT
        if self.stale:
            found |= packets.STALE_INPUT
        if self.sequence - self._last_fault <= FLAG_CYCLES:
            found |= packets.FAULTY_INPUT
        return found | (packets.LATE_CYCLE if late else 0) | (packets.ENDED if ended else 0)

    def send(self, type_: int, payload: bytes | bytearray, simulated_s: float, flags: int) -> bytes:
        """To the peer, if there is one; a packet that cannot be sent is counted and lost. Returns the packet."""
        data = packets.encode(type_, payload, self.sequence, self._echo, time.monotonic_ns(), simulated_s, flags)
        if self.peer is not None:
            self.send_to(data, self.peer)
        return data

    def send_to(self, data: bytes, address: Address) -> None:
        try:
            self.socket.sendto(data, address)
        except OSError:
            self.counts["unsent"] += 1

"""The UDP side of a paced run: a socket that never blocks, a budget of packets per cycle, and counts of all faults.

The socket is bound to loopback unless told otherwise. Packets are taken from one peer only: the one that was named, or
the first that sends a whole packet. Of each type only newer sequence numbers are taken (modulo 2**32); HELLO begins
them anew. An answer to telemetry that is older than `hold` periods, or that is still to come, is late, and not taken.
An input for which nothing is taken for `hold` periods is stale: it is flagged, and by itself held, put to zero, or the
end of the run; one that never came ends it after `grace` cycles only, since a peer may be started later.
What is taken goes into a journal, from which the run can be made again.
"""

from __future__ import annotations

import select
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from docksim.realtime import packets
from docksim.realtime.addresses import Address, resolved, written
from docksim.realtime.inputs import Inputs
from docksim.realtime.journal import SILENCE, WHICH, Journal

OnStale = Literal["hold", "zero", "stop"]
# packets looked at in a cycle, and of them those whose payload is read, which costs more; a flood waits in the system's
# buffer, which drops what is too much
BUDGET, READ_BUDGET = 32, 8
FLAG_CYCLES = 2  # a refused packet is flagged in so many
LOOK_UP_S = 0.2  # how long a wait goes without asking whether it is to stop
NEVER = "no input since the start"
# motion that the model cannot follow as it is now: counted and flagged, and in lock-step both sides go on
NOT_NOW = ("joined", "held", "reach")


class BridgeError(Exception):
    """A bridge that cannot be set up."""


@dataclass(frozen=True)
class Link:
    """Where to listen and talk, how patient to be, in periods, and whom to tell that it is set up."""

    listen: Address = ("127.0.0.1", 47001)
    peer: Address | None = None
    hold: int = 2
    on_stale: OnStale = "zero"
    note: Callable[[str], None] | None = None


class Bridge:
    """Takes packets in and sends packets out; counts everything."""

    def __init__(self, link: Link) -> None:
        self.link, self.peer = link, resolved(*link.peer) if link.peer else None
        self.counts: Counter[str] = Counter()
        self.ages: Counter[int] = Counter()  # round trips in periods
        self.journal = Journal()
        self.sequence = 0
        self.greeted = False
        self.stale = False  # is any input?
        self.overdue = ""  # input that ends the run, and why
        self.grace = 0  # cycles that an input has to come at all
        self.refused = ""  # why the last packet was
        self.heard = False  # something was taken, or refused for now only
        self.heard_echo = -1
        self._newest: dict[int, int] = {}
        self._last_fault = -(10**9)
        self._received = False
        self._read = 0  # payloads in this cycle
        self._echo = 0
        self._buffer = bytearray(65536)
        self._view = memoryview(self._buffer)
        address = resolved(*link.listen)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self.socket.bind(address)
        except OSError as error:
            self.socket.close()
            raise BridgeError(f"the bridge cannot listen at {written(address)}: {error.strerror or error}") from error
        self.socket.setblocking(False)

    @property
    def address(self) -> Address:
        return self.socket.getsockname()[:2]

    def close(self) -> None:
        self.socket.close()

    def poll(self, inputs: Inputs) -> None:
        """Take what has come, within the budget; once a cycle."""
        self._take_in(inputs)
        self._watch(inputs)

    def _take_in(self, inputs: Inputs) -> None:
        self._read = 0
        for _ in range(BUDGET):
            if self._read >= READ_BUDGET:
                break
            try:
                size, sender = self.socket.recvfrom_into(self._buffer)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                # an answer of the network to what was sent, such as "nobody listens there"
                self.counts["network"] += 1
                break
            fault = self._judge(self._view[:size], sender[:2], inputs)
            self.counts["received"] += 1
            if fault:
                self.counts[fault] += 1
                self._last_fault, self.refused = self.sequence, fault

    def wait(
        self,
        inputs: Inputs,
        timeout_s: float,
        echo: int | None = None,
        stop: Callable[[], bool] | None = None,
        again: Callable[[], None] | None = None,
    ) -> bool:
        """Take packets until the peer is heard (an answer to `echo`, if given) or has ended; False if in vain.

        A datagram may be lost, or nobody be there yet: `again` is called now and then, to send the last one again.
        """
        deadline = time.monotonic() + timeout_s
        self.heard, self.heard_echo = False, -1
        while True:
            self._take_in(inputs)
            if inputs.ended or (self.heard and (echo is None or self.heard_echo == echo)):
                self._watch(inputs)
                return True
            rest = deadline - time.monotonic()
            if rest <= 0.0 or (stop is not None and stop()):
                return False
            ready, _, _ = select.select([self.socket], [], [], min(rest, LOOK_UP_S))
            if not ready and again is not None:
                again()

    def _judge(self, data: memoryview, sender: Address, inputs: Inputs) -> str:
        """Take a packet, or say what is wrong with it."""
        if self.peer is not None and sender != self.peer:
            return "foreign"
        if len(data) > inputs.largest:
            return "size"
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
        self._read += 1
        fault = inputs.take(packet)
        if not fault or fault in NOT_NOW:
            self._newest[packet.type] = self._echo = packet.sequence
            self.heard, self.heard_echo = True, packet.echo
            inputs.ended = inputs.ended or bool(packet.flags & packets.ENDED)
        if not fault:
            self.journal.note(self.sequence, packet.type, packet.payload)
            self._received = True
            if packet.echo:
                self.ages[age] += 1
        return fault

    def _watch(self, inputs: Inputs) -> None:
        """Which inputs are stale?"""
        link, now = self.link, self.sequence
        self.stale, self.overdue = False, ""
        for i, source in enumerate(inputs.sources):
            if source.look(now, link.hold):
                self.counts["stale"] += 1
                if link.on_stale == "zero" and source.came:
                    inputs.silence(i)
                    self.journal.note(now, SILENCE, WHICH.pack(i))
            if source.stale:
                self.stale = True
                if link.on_stale == "stop" and (source.came or now >= self.grace):
                    self.overdue = f"{source.name}: {f'no input for {link.hold} periods' if source.came else NEVER}"

    def flags(self, late: bool, ended: bool) -> int:
        flags = 0 if self._received else packets.NO_INPUT
        if self.stale:
            flags |= packets.STALE_INPUT
        if self.sequence - self._last_fault <= FLAG_CYCLES:
            flags |= packets.FAULTY_INPUT
        return flags | (packets.LATE_CYCLE if late else 0) | (packets.ENDED if ended else 0)

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

"""A bridged run made again from its journal: the same packets act before the same cycles, and it ends where it ended.

Nobody is listened to and no peer is told anything; a watcher may be. Whether there is a clock does not matter.
"""

from __future__ import annotations

from docksim.realtime import packets
from docksim.realtime.bridge import Bridge, Link
from docksim.realtime.bridged import BridgedCycle
from docksim.realtime.inputs import Inputs
from docksim.realtime.journal import SILENCE, WHICH, JournalError, Kept


class Playback(Bridge):
    """In the place of the bridge: what is taken is what the journal says."""

    def __init__(self, kept: Kept) -> None:
        super().__init__(Link(("127.0.0.1", 0)))
        self.kept = kept
        self._coming = kept.entries()
        self._next = next(self._coming, None)

    def poll(self, inputs: Inputs) -> None:
        while self._next is not None and self._next[0] <= self.sequence:
            _, what, payload = self._next
            self._next = next(self._coming, None)
            self.journal.note(self.sequence, what, payload)
            self.stale = what == SILENCE
            if what == SILENCE:
                (i,) = WHICH.unpack(payload)
                if i >= len(inputs.sources):
                    raise JournalError(f"in cycle {self.sequence} an input went stale that the run did not have")
                inputs.silence(i)
                self.counts["stale"] += 1
                continue
            fault = inputs.take(packets.Packet(what, 0, 0, 0, 0, 0.0, payload))
            if fault:
                raise JournalError(f"a packet of cycle {self.sequence} was taken then and is refused now ({fault})")
            self.counts["received"] += 1
            self._received = True


class PlayedCycle(BridgedCycle):
    """The job of one period; the run ends after as many cycles as it had, in the words of then."""

    bridge: Playback

    def __call__(self, k: int) -> bool:
        asked = self.bridge.kept.asked
        if self.cycles < asked.cycles:
            return super().__call__(k)
        self.outcome = asked.outcome
        return False

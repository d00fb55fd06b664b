"""The cycle of a paced run with a bridge: take packets, go on by whole steps, tell what is.

Every cycle logs the instant at which it begins, into rows of its own; those that the scenario asks for are kept, so
that the result is that of a run without a bridge. What is sent at deadline k is the state at simulated time k periods,
and what is taken before it acts from there on: a peer that answers within a period closes the loop with a delay of one
period and the hold of another.
In lock-step there is no clock: the leader waits for the answer to its packet before its next cycle, the follower for
the next packet before its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from docksim.model import RUNNING
from docksim.model.log import Log, new_log
from docksim.realtime import packets
from docksim.realtime.addresses import Address, resolved, written
from docksim.realtime.bridge import Bridge
from docksim.realtime.inputs import Inputs
from docksim.realtime.rows import fits, mark_of, row_payload, row_width
from docksim.realtime.session import Cycle, spare
from docksim.realtime.telemetry import Telemetry
from docksim.simulation.run import Run

Role = Literal["lead", "follow"]
ANSWER_S = 5.0
FIRST_ANSWER_S = 60.0  # the peer may have to be started yet
FIRST_INPUT_S = 5.0  # and so in step with the clock, if stale input is to end the run
WATCH_RATE_HZ = 20.0


@dataclass(frozen=True)
class Talk:
    """What to send besides the state, to whom else, and whether in lock-step."""

    rate_Hz: float
    motion: bool = False
    contact: bool = False
    watcher: Address | None = None
    lockstep: Role | None = None
    listen: bool = True


class BridgedCycle(Cycle):
    """The job of one period, with packets in and out."""

    def __init__(
        self,
        run: Run,
        steps: int,
        bridge: Bridge,
        inputs: Inputs,
        talk: Talk,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(run, steps)
        self._stop = stop
        self.cycles = 0  # gone on with
        if talk.watcher is not None:
            talk = replace(talk, watcher=resolved(*talk.watcher))
        self.bridge, self.inputs, self.talk = bridge, inputs, talk
        self.telemetry = Telemetry(run.compiled)
        model = run.compiled.model
        self._log_every, self._step = (run.compiled.state.clock[key] for key in ("log_every", "step"))
        self._every = int(self._log_every[0])
        self._grain = math.gcd(steps, self._every)
        self._rows = new_log(model, steps // self._grain + 2)
        self._own, run.log = run.log, self._rows
        self._row = self._rows.picked(slice(1))
        self._watch_every = max(1, round(talk.rate_Hz / WATCH_RATE_HZ))
        self._rows_fit, self._mark = fits(row_width(model), len(model.event)), mark_of(run.compiled.scenario)
        # where everything is before the first cycle, for what is measured against it
        first = spare(run, self._rows)
        first.compiled.state.clock["log_every"] = 1
        first.advance(1)
        self._start = Log(*(table.copy() for table in self._row))
        left = int(model.settings[0].n_steps) - run.step
        # in the last cycle the model ends by itself
        bridge.grace = min(round(FIRST_INPUT_S * talk.rate_Hz), left // steps - 1)
        if bridge.link.note is not None:
            bridge.link.note(self._greeting())

    def _greeting(self) -> str:
        """Where to find the bridge, and what it waits for."""
        bridge = self.bridge
        peer = f"peer {written(bridge.peer)}" if bridge.peer else "the peer is who sends the first whole packet"
        wait = f"; in lock-step: waits for the peer, {FIRST_ANSWER_S:g} s at most" if self.talk.lockstep else ""
        return f"bridge: listening at {written(bridge.address)} (UDP), {peer}{wait}"

    def __call__(self, k: int) -> bool:
        bridge, talk = self.bridge, self.talk
        if talk.lockstep == "follow" and not self._wait(None):
            return False
        if talk.lockstep is None and talk.listen:
            bridge.poll(self.inputs)
        self.inputs.before_cycle(self._row)
        more = self._go_on()
        self.cycles += 1
        bridge.sequence += 1
        self._tell(not more)
        if more and talk.lockstep == "lead":
            more = self._wait(bridge.sequence)
        more = more and not self._ended()
        if talk.watcher is not None and (k % self._watch_every == 0 or not more):
            self._show(k, more, talk.watcher)
        return more

    def _go_on(self) -> bool:
        """So many steps; rows that the scenario asks for are kept."""
        rows, own, start = self._rows, self._own, int(self._step[0])
        rows.rows[0] = 0
        self._log_every[0] = self._grain
        more = self.run.advance(self.steps) == RUNNING
        # states that are kept between cycles are those of a plain run
        self._log_every[0] = self._every
        count = int(rows.rows[0])
        self.inputs.record(rows)
        for i in range(count):
            at_end = not more and i == count - 1
            if at_end or (start + i * self._grain) % self._every == 0:
                own.append(rows, i)
        return more

    @property
    def _time_s(self) -> float:
        """Of the instant that is told."""
        return float(self._row.head["time"][0])

    def _tell(self, ended: bool) -> None:
        bridge = self.bridge
        time_s, flags = self._time_s, bridge.flags(self.late, ended)
        state = self.telemetry.state(self._row)
        if self.talk.motion:
            bridge.send(packets.MOTION, self.telemetry.motion(), time_s, flags)
        if self.talk.contact:
            bridge.send(packets.CONTACT, self.telemetry.contact(), time_s, flags)
        if self.inputs.torques:
            bridge.send(packets.JOINTS, self.inputs.joints.payload(self._row), time_s, flags)
        if not (self.talk.motion or self.talk.contact):
            bridge.send(packets.STATE, state, time_s, flags)
        if bridge.greeted:
            bridge.greeted = False
            bridge.send(packets.DESCRIPTION, self._description(), time_s, flags)

    def _description(self) -> bytes:
        return self.telemetry.description(self.run.compiled.scenario.name, self.talk.rate_Hz, self.inputs.asked)

    def _show(self, k: int, more: bool, watcher: Address) -> None:
        """A datagram to a watcher, who may or may not be there."""
        flags = self.bridge.flags(self.late, not more)
        if (k // self._watch_every) % round(WATCH_RATE_HZ) == 0:
            self.bridge.send_to(packets.encode(packets.DESCRIPTION, self._description(), k), watcher)
        state = self.telemetry.state(self._row)
        self.bridge.send_to(packets.encode(packets.STATE, state, k, 0, 0, self._time_s, flags), watcher)
        if self._rows_fit:
            row = row_payload(self._mark, self._row, self.run.compiled.state)
            self.bridge.send_to(packets.encode(packets.ROW, row, k, 0, 0, self._time_s, flags), watcher)

    def _wait(self, echo: int | None) -> bool:
        limit_s = ANSWER_S if self.bridge.counts["received"] else FIRST_ANSWER_S
        again = partial(self._tell, False) if self.bridge.sequence else None
        if not self.bridge.wait(self.inputs, limit_s, echo, self._stop, again):
            refused = f"; the last packet was refused: {self.bridge.refused}" if self.bridge.refused else ""
            self.outcome = ("aborted", f"no answer from the peer within {limit_s:g} s{refused}")
            if self._stop is not None and self._stop():
                self.outcome = ("interrupted", "stopped by the user")
            return False
        return not self._ended()

    def _ended(self) -> bool:
        """Has something outside ended the run?"""
        if self.inputs.aborted:
            self.outcome = ("aborted", "a command from outside")
        elif self.inputs.ended:
            self.outcome = ("stopped", "the peer ended its run")
        elif self.bridge.overdue:
            self.outcome = ("aborted", self.bridge.overdue)
        else:
            return False
        return True

    def close(self) -> None:
        """The run gets its log back, with the start at least; a peer is told that this is the end."""
        self.run.log = own = self._own
        if own.rows[0] == 0:
            own.append(self._start, 0)
        if self.run.running:
            self.bridge.sequence += 1
            self._tell(True)
        self.bridge.close()

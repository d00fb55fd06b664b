"""A paced run of another process, shown by its datagrams: its rows become blocks for the page as they come.

The scenario is known here from its file, so that everything that a replay shows can be shown; the run sends its whole
row and its events twenty times a second. Nothing in a datagram is trusted: one that is not whole, or not of this
scenario, is counted and left out. The run waits for nobody; datagrams that are lost are not seen. Taking them is one
thing, done at once, and making blocks of them another, so that none is lost because the page is slow.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter

import numpy as np

from docksim.compiler import compile_scenario
from docksim.config.schema.scenario import Scenario
from docksim.model.log import Log
from docksim.realtime import packets
from docksim.realtime.bridged import WATCH_RATE_HZ
from docksim.realtime.rows import fits, log_of, mark_of, row_numbers, row_width
from docksim.realtime.watch import SILENCE_S, flag_words
from docksim.replay.live import Feed
from docksim.result.result import ResultError

LARGEST = 1e15  # of any number that is shown
FOREIGN, OTHER = "not packets of docksim", "of another scenario"


class Watched:
    """Takes datagrams in one thread, and gives their rows to a feed in another."""

    def __init__(self, scenario: Scenario) -> None:
        self.compiled = compile_scenario(scenario)
        self.feed = Feed(speed=0.0)
        self.counts: Counter[str] = Counter()
        self._mark, self._width = mark_of(scenario), row_width(self.compiled.model)
        if not fits(self._width, len(scenario.events)):
            raise ResultError(f"'{scenario.name}' has too many bodies for a page: a row of it fills no single datagram")
        self._stride = self.feed.expect(self.compiled, int(scenario.solver.duration_s * WATCH_RATE_HZ) + 1)
        self._lock = threading.Lock()
        self._rows: list[np.ndarray] = []
        self._events = np.zeros((0, 3))
        self._time_s, self._seen_s, self._flags, self._end = -math.inf, 0.0, 0, ""

    def take(self, data: bytes) -> None:
        """A datagram."""
        packet = packets.decode(data)
        if isinstance(packet, str):
            self.counts[FOREIGN] += 1
        elif packet.type == packets.ROW and not self._end:
            fault = self._take(packet)
            self.counts[fault or "rows"] += 1

    def _take(self, packet: packets.Packet) -> str:
        """Keep a row, or say what is wrong with it."""
        numbers = row_numbers(packet.payload)
        if numbers is None:
            return FOREIGN
        mark, events, row = numbers
        if mark != self._mark or len(row) != self._width:
            return OTHER
        known = len(self.compiled.model.event)
        if len(events) > known or not np.isfinite(events).all() or np.any((events < 0)[:, 0] | (events >= known)[:, 0]):
            return FOREIGN
        ended = bool(packet.flags & packets.ENDED)
        time_s = float(log_of(self.compiled.model, [row]).head["time"][0])
        with self._lock:
            if time_s < self._time_s:
                self._end = "another run began"
                return ""
            # a row of a run that diverged cannot be shown; nan compares with nothing
            if np.abs(row).max() <= LARGEST and (self.counts["rows"] % self._stride == 0 or ended):
                self._rows.append(row.copy())
            self._events, self._time_s = events.copy(), time_s
            self._seen_s, self._flags = time.monotonic(), packet.flags
            self._end = "ended" if ended else ""
        return ""

    def flush(self) -> None:
        """What has come goes to the pages."""
        with self._lock:
            rows, self._rows = self._rows, []
            events, end, silent = self._events, self._end, time.monotonic() - self._seen_s > SILENCE_S
        state = self.compiled.state
        for name, column in zip(("event", "t", "loss"), events.T, strict=True):
            state.record[name][: len(events)] = column
        state.clock["n_records"][0] = len(events)
        if not math.isfinite(self._time_s):
            self.feed.status = "a run of another scenario is sent here, and not shown" if self.counts[OTHER] else ""
        else:
            self.feed.status = "no packets" if silent else ", ".join(["running", *flag_words(self._flags)])
        if rows:
            self._show(log_of(self.compiled.model, rows), last=bool(end))
        if end:
            self.feed.end(end)

    def _show(self, rows: Log, last: bool) -> None:
        """Numbers that no run has, from somebody who knows the mark, may be more than the page's formulas can take."""
        try:
            with np.errstate(all="ignore"):
                self.feed.add(rows, last)
        except (ValueError, IndexError, ArithmeticError):
            self.counts[FOREIGN] += 1

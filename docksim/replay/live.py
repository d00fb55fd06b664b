"""A run that is shown while it goes: its rows become blocks for the page, released at the pace of a clock.

The simulation runs as fast as it can; what it has computed is cut into blocks between the chunks of the kernel, and a
page gets a block when its simulated time has come, at `speed` times real time counted from the first page that asks.
With speed 0 it gets blocks as they are made. Blocks are kept, so a page that comes late gets all of them. Long runs are
thinned evenly to what a page can hold; bands of the curves keep the extremes between the rows shown.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from docksim.compiler import Compiled
from docksim.model.log import Log, new_log
from docksim.replay.build import joined_pairs, words
from docksim.replay.page import page
from docksim.replay.panels import Panel, panels_of, values
from docksim.replay.payload import block, description, event_list
from docksim.replay.scene import build_scene
from docksim.replay.subjects import subjects
from docksim.replay.tracks import Tracker, row_limit, stride_of
from docksim.simulation.channels.run import channels_of
from docksim.simulation.run import event_records

BLOCK_S = 0.1  # simulated time of a block, at most, when paced
WAIT_S = 0.25  # between two looks for news; also how soon a page that has gone is noticed


class Feed:
    """Between one run, which writes, and any number of pages, which read."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.outcome = ""  # set when the run has ended
        self.status = ""  # of a run that goes, if there is more to say than that
        self.told_end = threading.Event()  # a page has been told everything
        self._blocks: list[tuple[float, str]] = []  # first simulated time, text
        self._news = threading.Condition()
        self._began: float | None = None  # when the first page came
        self._readers = 0
        self._left = 0.0  # when the last page went
        self._sent = 0
        self._shown = 0  # rows that are in blocks, or left out before one that is
        self._page = ""

    # the run

    def watch(self, compiled: Compiled, log: Log) -> None:
        """The run is about to begin."""
        self._log = log
        self._prepare(compiled, len(log.head))

    def expect(self, compiled: Compiled, rows: int) -> int:
        """A run elsewhere, of about so many rows; one in how many is to be given to `add`."""
        self._prepare(compiled, rows)
        # what there will be to see does not depend on the numbers
        blank = new_log(compiled.model, 1)
        blank.rows[0] = 1
        with np.errstate(all="ignore"):
            channels = channels_of(compiled, blank)
        self._describe({channel.name: channel.data for channel in channels}, "waiting for the run")
        return self._stride

    def _prepare(self, compiled: Compiled, rows: int) -> None:
        self._compiled = compiled
        self._scene = build_scene(compiled.scenario)
        self._tracker = Tracker(self._scene)
        self._panels: list[Panel] | None = None
        self._stride = stride_of(rows, row_limit(self._scene))

    def progress(self, fraction: float) -> None:
        """Between two chunks: the rows so far are whole."""
        self._cut(last=False)

    def end(self, outcome: str) -> None:
        """The run is over; no more blocks will come."""
        if hasattr(self, "_log"):
            self._cut(last=True)
        with self._news:
            self.outcome = outcome
            self._news.notify_all()

    def _cut(self, last: bool) -> None:
        """Rows since the last cut become blocks."""
        total = int(self._log.rows[0])
        rows = np.arange(self._sent, total)
        keep = rows[rows % self._stride == 0]
        self._sent = total
        if last and total and (total - 1) % self._stride:
            keep = np.append(keep, total - 1)
        if not len(keep):
            return
        first, self._shown = self._shown, int(keep[-1]) + 1
        self.add(self._log.gathered(keep, first), last)

    def add(self, rows: Log, last: bool = False) -> None:
        """Rows that follow those before become blocks; with `last`, of the end of the run."""
        columns = {c.name: c.data for c in channels_of(self._compiled, rows)}
        events = event_records(self._compiled)
        if self._panels is None:
            self._describe(columns)
        for some in self._portions(columns["time_s"]):
            tracks = self._tracker.tracks(columns, some)
            so_far = [event for event in events if event.time_s <= tracks.time[-1] or last]
            text = {"block": block(tracks, values(self._panels or [], columns, some)), "events": event_list(so_far)}
            with self._news:
                self._blocks.append((float(tracks.time[0]), json.dumps(text, separators=(",", ":"))))
                self._news.notify_all()

    def _portions(self, time_s: np.ndarray) -> Iterator[np.ndarray]:
        """Row numbers of the blocks."""
        every = np.arange(len(time_s))
        if self.speed == 0.0:
            yield every
            return
        number = np.floor((time_s - time_s[0]) / (BLOCK_S * max(self.speed, 1.0)))
        for value in np.unique(number):
            yield every[number == value]

    def _describe(self, columns: dict[str, np.ndarray], outcome: str = "running") -> None:
        """The page, once it is known what is logged."""
        scenario = self._compiled.scenario
        self._panels = panels_of(self._scene, columns, joined_pairs(columns), early=True)
        # which event will come first is not known yet: they count as the scenario names them
        first = subjects(self._scene, scenario, scenario.events)
        payload: dict[str, Any] = {
            **description(self._scene, self._panels, columns, self._tracker.anchor, first),
            "live": "frames",
            "events": [],
            "phases": list(self._compiled.phases),
            "block": None,
        }
        how = f"A live run; every {self._stride}th logged instant is shown." if self._stride > 1 else "A live run."
        text = page(payload, words(self._scene, scenario, scenario.name, outcome, "", how), live=True)
        with self._news:
            self._page = text
            self._news.notify_all()

    # the pages

    def page(self) -> str:
        """The text of the page, as soon as there is something to show; empty if the run ended without."""
        with self._news:
            while not self._page and not self.outcome:
                self._news.wait(WAIT_S)
            return self._page

    def messages(self) -> Generator[tuple[str, str], None, None]:
        """Kind and text of all messages for one page; an empty kind now and then, to see whether it is still there."""
        with self._news:
            if self._began is None:
                self._began = time.monotonic()
            self._readers += 1
        try:
            yield from self._told()
        finally:
            with self._news:
                self._readers -= 1
                self._left = time.monotonic()

    @property
    def readers(self) -> int:
        """Pages that are open."""
        return self._readers

    def deserted(self, seconds: float) -> bool:
        """Have there been pages, and have all been gone for so long?"""
        with self._news:
            return self._began is not None and not self._readers and time.monotonic() - self._left > seconds

    def _told(self) -> Iterator[tuple[str, str]]:
        given, status = 0, ""
        while True:
            ready, wait, over = self._ready(given)
            if self.status != status:
                status = self.status
                yield "status", json.dumps({"status": status})
            for text in ready:
                yield "block", text
            given += len(ready)
            if over:
                yield "end", json.dumps({"outcome": self.outcome})
                self.told_end.set()
                return
            if not ready:
                yield "", ""
                with self._news:
                    self._news.wait(wait)

    def _ready(self, given: int) -> tuple[list[str], float, bool]:
        """Blocks whose time has come, how long to wait for the next, and whether all is told."""
        with self._news:
            coming = self._blocks[given:]
            first = self._blocks[0][0] if self._blocks else 0.0
            passed = time.monotonic() - (self._began or 0.0)
            now = np.inf if self.speed == 0.0 else first + self.speed * passed
            ready = [text for start, text in coming if start <= now]
            left = coming[len(ready) :]
            wait = min(WAIT_S, (left[0][0] - now) / self.speed) if left else WAIT_S
            return ready, max(float(wait), 0.01), bool(self.outcome) and not left

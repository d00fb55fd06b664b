"""Milestones of a docking on the time axis: first contact, every latch, capture, a latch that is lost, hard dock.

Times of first contact and capture are those of the solver's steps; a latch is seen at the first logged row that counts
it, or has lost it. The instant of the hard dock is that at which hooks closed.
"""

from __future__ import annotations

import numpy as np

from docksim.model.contact import LOST
from docksim.plots.contact import contact_pairs
from docksim.plots.events import MILESTONE
from docksim.result.result import EventRecord, Result

MOST_LATCHES = 100


def marks(result: Result) -> list[EventRecord]:
    """Events of the scenario, and the milestones of every pair of interfaces."""
    pairs = contact_pairs(result)
    return [*result.events, *(mark for pair in pairs for mark in milestones(result, pair, len(pairs) > 1))]


def milestones(result: Result, pair: str, named: bool = False) -> list[EventRecord]:
    """What a docking engineer looks for first; with the pair's name where there are several."""
    found = [*_contact(result, pair), *_latches(result, pair), *_lost(result, pair), *_hard_dock(result, pair)]
    ending = f" of {pair}" if named else ""
    return [EventRecord(time, name + ending, MILESTONE) for time, name in found]


def _contact(result: Result, pair: str) -> list[tuple[float, str]]:
    names = {"first_contact_s": "first contact", "capture_s": "capture"}
    times = [(float(result[key][-1]), name) for end, name in names.items() if (key := f"{pair}.{end}") in result]
    return [(time, name) for time, name in times if time >= 0.0]


def _latches(result: Result, pair: str) -> list[tuple[float, str]]:
    """When each further latch held for the first time; the last one is the capture, which has its own mark."""
    if f"{pair}.latches_engaged" not in result:
        return []
    # a run that diverged may end without a number
    most = np.maximum.accumulate(np.nan_to_num(result[f"{pair}.latches_engaged"]))
    captured = bool(result[f"{pair}.capture_s"][-1] >= 0.0)
    count = int(min(most[-1], MOST_LATCHES)) - (1 if captured else 0)
    return [(float(result.time_s[np.argmax(most >= k)]), f"latch {k}") for k in range(1, count + 1)]


def _lost(result: Result, pair: str) -> list[tuple[float, str]]:
    """When latches let go, and which."""
    modes = [(k, channel) for k in range(1, MOST_LATCHES + 1) if (channel := f"{pair}.latches.{k}.mode") in result]
    lost = [(k, result[channel] == LOST) for k, channel in modes]
    return [(float(result.time_s[np.argmax(gone)]), f"latch {k} lost") for k, gone in lost if gone.any()]


def _hard_dock(result: Result, pair: str) -> list[tuple[float, str]]:
    docked = result.metrics.get(f"{pair}.hard_dock_s")
    return [(float(docked), "hard dock")] if isinstance(docked, (float, int)) else []

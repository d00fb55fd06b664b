"""The loop: one job per period, at absolute deadlines, and what to do when one is missed.

Cycle k is released at slot s(k) of a grid, t0 + s period; without misses s(k) = k. A cycle is late if its job ends
after the next slot. Then, by policy:

    skip       the slots that have passed are dropped and the next cycle waits for the next slot to come; simulated time
               falls behind the clock by the dropped periods and stays there
    catch-up   no slot is dropped: the next cycles follow at once until the schedule is met again; simulated time comes
               back to the clock, if the jobs are shorter than the period
    stop       the loop ends

No policy leaves out a step of the model: what is computed does not depend on the clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from docksim.realtime.clock import Clock

Policy = Literal["skip", "catch-up", "stop"]
Job = Callable[[int], bool]  # does cycle k; False if it was the last

FIRST_NS = 100_000_000  # until the first cycle, at most
COMPLETED, OVERRUN, STOPPED = "completed", "overrun", "stopped"


class Record:
    """Times of every cycle in nanoseconds, in memory that is there before the loop begins."""

    def __init__(self, cycles: int, period_ns: float) -> None:
        self.period_ns = period_ns
        self.cycles = 0
        self.skipped = 0
        self.late = False  # did the latest cycle end after the next slot?
        # full() touches every page
        self.deadline, self.wake, self.done = (np.full(cycles, -1, np.int64) for _ in range(3))


def pace(job: Job, record: Record, clock: Clock, policy: Policy, stop: Callable[[], bool] | None = None) -> str:
    """Run the job at most once per slot of the record; returns how it ended. See the module's text for the policies."""
    period = record.period_ns
    deadlines, wakes, ends = record.deadline, record.wake, record.done
    now, sleep_until = clock.now, clock.sleep_until
    start = now() + int(min(period, FIRST_NS))
    slot = 0
    for k in range(len(deadlines)):
        deadline = start + int(slot * period)
        if sleep_until(deadline):
            return STOPPED
        wake = now()
        more = job(k)
        done = now()
        deadlines[k], wakes[k], ends[k] = deadline, wake, done
        record.cycles = k + 1
        if not more:
            return COMPLETED
        slot += 1
        record.late = done > start + int(slot * period)
        if record.late:
            if policy == "stop":
                return OVERRUN
            if policy == "skip":
                passed = int((done - start) // period) + 1 - slot
                slot += passed
                record.skipped += passed
        if stop is not None and stop():
            return STOPPED
    return COMPLETED

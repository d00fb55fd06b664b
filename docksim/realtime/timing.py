"""What became of the deadlines: times of jobs and of sleeps apart, so that the model and the system are told apart.

Job time is from waking to the end of the job. Sleep overshoot is from the deadline to waking, of cycles that slept; a
cycle that began late because the one before it was long has no overshoot. An overrun is a job longer than the period:
the model or what it shares the machine with is too slow. A late cycle ended after the next deadline, whatever the
cause. Headroom is the period over the job time: how many times slower the machine could be.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from docksim.realtime.pacing import Record

QUANTILES = {"median_us": 0.5, "p99_us": 0.99, "p99_9_us": 0.999, "p99_99_us": 0.9999}


@dataclass(frozen=True)
class Spread:
    """A distribution in microseconds."""

    median_us: float
    p99_us: float
    p99_9_us: float
    p99_99_us: float
    max_us: float


@dataclass(frozen=True)
class Worst:
    """The largest of some times, and where in the run it was."""

    us: float
    cycle: int
    time_s: float  # simulated
    phase: str


@dataclass(frozen=True)
class Timing:
    """One paced run."""

    cycles: int
    period_us: float
    policy: str
    job: Spread
    overshoot: Spread
    overruns: int
    late: int
    skipped: int
    behind_us: float  # how far simulated time is behind the clock at the end
    worst_job: Worst
    worst_overshoot: Worst
    worst_lateness: Worst  # latest end of a cycle against the next deadline; below zero, all were in time
    headroom_median: float
    headroom_worst: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def job_us(record: Record) -> np.ndarray:
    """Job times of all cycles."""
    n = record.cycles
    return (record.done[:n] - record.wake[:n]) / 1e3


def overshoot_us(record: Record) -> np.ndarray:
    """Sleep overshoots of the cycles that slept."""
    n = record.cycles
    return ((record.wake[:n] - record.deadline[:n]) / 1e3)[_slept(record)]


def _slept(record: Record) -> np.ndarray:
    """Which cycles slept before they began."""
    n = record.cycles
    slept = np.ones(n, bool)
    slept[1:] = record.done[: n - 1] < record.deadline[1:n]
    return slept


def summarize(record: Record, policy: str, start_s: float, phases: np.ndarray, names: tuple[str, ...]) -> Timing:
    """`phases` has the phase code of every cycle, `start_s` is the simulated time of the first."""
    n = record.cycles
    if n == 0:
        raise ValueError("no cycle was run")
    jobs, period_us = job_us(record), record.period_ns / 1e3
    lateness = (record.done[:n] - record.deadline[:n]) / 1e3 - period_us
    overshoots = overshoot_us(record)

    def worst(values: np.ndarray, cycles: np.ndarray) -> Worst:
        i = int(np.argmax(values))
        k = int(cycles[i])
        return Worst(float(values[i]), k, start_s + k * period_us / 1e6, names[int(phases[k])])

    every = np.arange(n)
    behind = (record.deadline[n - 1] - record.deadline[0]) / 1e3 - (n - 1) * period_us
    if policy == "catch-up":
        behind = max(0.0, float(lateness[-1]))
    return Timing(
        cycles=n,
        period_us=period_us,
        policy=policy,
        job=spread(jobs),
        overshoot=spread(overshoots),
        overruns=int(np.sum(jobs > period_us)),
        late=int(np.sum(lateness > 0.0)),
        skipped=record.skipped,
        behind_us=max(0.0, float(behind)),
        worst_job=worst(jobs, every),
        worst_overshoot=worst(overshoots, every[_slept(record)]),
        worst_lateness=worst(lateness, every),
        headroom_median=period_us / max(float(np.median(jobs)), 1e-3),
        headroom_worst=period_us / max(float(jobs.max()), 1e-3),
    )


def spread(values: np.ndarray) -> Spread:
    """The distribution of some times; quantiles are values that occurred: the smallest that so many do not exceed."""
    ranked = np.sort(values)
    at = {name: float(ranked[max(0, int(np.ceil(q * len(ranked))) - 1)]) for name, q in QUANTILES.items()}
    return Spread(**at, max_us=float(ranked[-1]))

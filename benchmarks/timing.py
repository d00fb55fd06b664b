"""Timing: tasks take turns in short slices of processor time, so that other load counts little and hits all alike.

The best of many slices is the cost: whatever else runs can only add to it.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Task = Callable[[int], object]  # does its work so many times


@dataclass(frozen=True)
class Cost:
    """Seconds per call, in the order of the repeats."""

    samples: tuple[float, ...]

    @property
    def best(self) -> float:
        return min(self.samples)

    @property
    def spread(self) -> float:
        return spread(self.samples)

    def less(self, overhead: float, calls: int = 1) -> Cost:
        """The same without an overhead per call, for one of `calls` pieces of work that a call does."""
        return Cost(tuple((sample - overhead) / calls for sample in self.samples))


def spread(samples: Sequence[float]) -> float:
    """Interquartile range over the median; 0 for a single sample."""
    if len(samples) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4)
    return (high - low) / middle


def calls_for(task: Task, seconds: float) -> int:
    """How many calls take about so long; the first call, which may compile, does not count."""
    task(1)
    calls = 1
    while True:
        took = _time(task, calls)
        if took >= 0.2 * seconds or calls >= 10**7:
            return max(1, round(calls * seconds / max(took, 1e-9)))
        calls *= 4


def costs(tasks: Mapping[str, Task], repeats: int, seconds: float) -> dict[str, Cost]:
    """Cost of every task, each measured `repeats` times for about `seconds`, in turns."""
    calls = {name: calls_for(task, seconds) for name, task in tasks.items()}
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(repeats):
        for name, task in tasks.items():
            samples[name].append(_time(task, calls[name]) / calls[name])
    return {name: Cost(tuple(found)) for name, found in samples.items()}


def _time(task: Task, calls: int) -> float:
    began = time.process_time()
    task(calls)
    return time.process_time() - began

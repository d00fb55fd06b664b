"""Times of the formulations, compiled, for A of a chain: best of many short slices that take turns.

Whatever else the machine does can only add to a slice, so the best is the cost, and turns spread the rest evenly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from docksim.chain.dynamics import frames, repeats
from docksim.chain.dynamics.counts import MATRIX, sample_chain
from docksim.chain.model import ChainModel
from docksim.chain.work import make_work

Task = Callable[[int], object]


def tasks(chain: ChainModel) -> dict[str, Task]:
    """What computes A so many times, by formulation."""
    q = np.random.default_rng(1).normal(size=chain.n)
    made: dict[str, Task] = {}
    for name in MATRIX:
        work, A = make_work(chain.n), np.zeros((chain.n, chain.n))
        frames.joint_motions(chain.tables, q, work)
        made[name] = partial(repeats.repeat, repeats.FORMS.index(name), chain.tables, work, A)
    return made


def best_times(runs: dict[str, Task], slices: int = 9, seconds: float = 0.002) -> dict[str, float]:
    """Seconds for one of each task."""
    calls = {name: _calls(run, seconds) for name, run in runs.items()}
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(slices):
        for name, run in runs.items():
            best[name] = min(best[name], _clocked(run, calls[name]) / calls[name])
    return best


def matrix_times(lengths: Sequence[int], slices: int = 9, seconds: float = 0.002) -> dict[str, list[float]]:
    """Seconds for A, by formulation and number of links."""
    rows = [best_times(tasks(sample_chain(n)), slices, seconds) for n in lengths]
    return {name: [row[name] for row in rows] for name in MATRIX}


def _calls(run: Task, seconds: float) -> int:
    run(1)
    calls = 1
    while (took := _clocked(run, calls)) < 0.3 * seconds and calls < 10**7:
        calls *= 3
    return max(1, round(calls * seconds / max(took, 1e-9)))


def _clocked(run: Task, calls: int) -> float:
    began = time.process_time()
    run(calls)
    return time.process_time() - began

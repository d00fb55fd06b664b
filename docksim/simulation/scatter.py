"""A run again and again from starts a nanometre apart, to tell how far its peaks can be trusted.

A nanometre is less than anything that is built or measured, and more than the rounding of positions. Every free tree is
moved by itself, in a direction that follows from the scenario's seed and the number of the repeat.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import as_completed

import numpy as np

from docksim.config.schema.scenario import Scenario
from docksim.result.result import Result
from docksim.result.scatter import ranges
from docksim.simulation.run import Run, new_run, run_on
from docksim.simulation.threads import worker_threads

JITTER_M = 1e-9


def jittered(scenario: Scenario, number: int) -> Run:
    """The run at its start, every free tree of it moved by about a nanometre."""
    run = new_run(scenario)
    model, state = run.compiled.model, run.compiled.state
    rng = np.random.default_rng([scenario.seed, number])
    for slot in model.root_slot[state.slot_used != 0]:
        first = model.joint[slot].q
        state.q[first : first + 3] += JITTER_M * rng.standard_normal(3)
    return run


def with_scatter(
    result: Result,
    repeats: int,
    workers: int = 1,
    progress: Callable[[float], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Result:
    """The result with the ranges of its extremes over itself and so many repeats; as it is if `stop()` ends them."""

    def again(number: int) -> Result:
        return run_on(jittered(result.scenario, number), stop=stop, metrics=tuple(result.metrics))

    finished: dict[int, Result] = {}
    with worker_threads(min(workers, repeats)) as pool:
        futures = {pool.submit(again, number): number for number in range(1, repeats + 1)}
        for future in as_completed(futures):
            finished[futures[future]] = future.result()
            if progress is not None:
                progress(len(finished) / repeats)
    if any(run.outcome == "interrupted" for run in finished.values()):
        return result
    runs = [finished[number] for number in range(1, repeats + 1)]
    result.metrics |= ranges([result.metrics, *(run.metrics for run in runs)])
    result.manifest["scatter"] = {
        "repeats": repeats, "jitter_m": JITTER_M, "outcomes": [run.outcome for run in runs],
    }  # fmt: skip
    return result

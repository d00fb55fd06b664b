"""Integration of a chain's motion: states at even times, each brought back to what holds the chain.

The eighth-order method of Dormand and Prince with error control. Whatever ends a run early keeps the states so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from docksim.config.chain_task import ChainTask
from docksim.config.checks import whole_steps
from docksim.result.result import ResultError

State = tuple[np.ndarray, np.ndarray]
Progress = Callable[[float], None]
MOST_STEPS = 200_000


@dataclass(frozen=True)
class Run:
    """States at even times, and how it ended."""

    times: list[float]
    states: list[State]
    outcome: str
    reason: str


def integrate(
    task: ChainTask,
    slope: Callable[[float, np.ndarray, np.ndarray], np.ndarray],
    project: Callable[[float, np.ndarray, np.ndarray], State] | None,
    start: State,
    progress: Progress | None,
) -> Run:
    """States at even times, each projected; a step goes on from the projected state."""
    from scipy.integrate import DOP853

    n = len(start[0])

    def fun(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], slope(t, y[:n], y[n:])])

    def back(t: float, y: np.ndarray) -> State:
        return (y[:n], y[n:]) if project is None else project(t, y[:n], y[n:])

    count, last = whole_steps(task.duration_s, task.output_s)
    samples = np.linspace(0.0, task.duration_s, count + 1)
    if last != 1.0:
        # the last row is the end, less than an interval after the one before
        samples[:-1] = task.output_s * np.arange(count)
    times, states, done = [0.0], [start], 1
    try:
        solver = DOP853(
            fun, 0.0, np.concatenate(start), task.duration_s, rtol=task.tolerance, atol=1e-3 * task.tolerance
        )
        steps = 0
        while solver.status == "running":
            steps += 1
            if steps > MOST_STEPS:
                reason = f"after t = {times[-1]:.6g} s: {MOST_STEPS} steps are not enough; the motion is too fast"
                return Run(times, states, "failed", reason)
            if message := solver.step():
                return Run(times, states, "failed", f"at t = {solver.t:.6g} s: {message}")
            if not np.all(np.isfinite(solver.y)):
                return Run(times, states, "failed", f"the motion grows beyond all numbers after t = {times[-1]:.6g} s")
            dense = solver.dense_output()
            while done <= count and samples[done] <= solver.t:
                state = back(samples[done], dense(samples[done]))
                times.append(float(samples[done]))
                states.append(state)
                done += 1
            if project is not None:
                solver.y = np.concatenate(back(solver.t, solver.y))
                solver.f = fun(solver.t, solver.y)
            if progress is not None:
                progress(solver.t / task.duration_s)
    except KeyboardInterrupt:
        return Run(times, states, "interrupted", f"interrupted after t = {times[-1]:.6g} s")
    except (ResultError, ValueError, np.linalg.LinAlgError, FloatingPointError) as error:
        return Run(times, states, "failed", f"after t = {times[-1]:.6g} s: {error}")
    return Run(times, states, "completed", "")

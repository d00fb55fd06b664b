"""Integration of a chain's motion: states at even times, each brought back to what holds the chain.

The eighth-order method of Dormand and Prince with error control; where dampers are stiff, Radau's of fifth order. The
time is cut where a table has an entry, and at corners: where a drive reaches or leaves its limit, a joint its stop.
Every piece has its own formula, and its end is found by bisection on the step's polynomial. The work of drives, loads,
dampers, stops and constraints is integrated along, without a say in the size of steps. Whatever ends a run early keeps
the states so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from docksim.chain.motion.plant import WORKS, Moving
from docksim.config.checks.scenario import whole_steps
from docksim.config.schema.chain_task import ChainTask
from docksim.result.result import ResultError

State = tuple[np.ndarray, np.ndarray]
Progress = Callable[[float], None]
Dense = Callable[[float], np.ndarray]
MOST_STEPS = 200_000
STIFF = 5000.0  # decays within a run: beyond, the implicit method of Radau takes over
LOOKS = (0.25, 0.5, 0.75, 1.0)  # parts of a step at which a corner is looked for


class TooFast(ResultError):
    """More steps than anybody wants to wait for."""


@dataclass
class Run:
    """States at even times, work done until then, how long each piece of the limits held, and how it ended."""

    times: list[float]
    states: list[State]
    works: list[np.ndarray]  # (5,) each, as WORKS
    inner: list[np.ndarray]  # (r,) each, what the controller keeps
    limited_s: np.ndarray  # (2, n) time that drives and stops were at their limits
    until_s: float = 0.0  # how far it came, at or after the last row
    corners: list[float] = field(default_factory=list)  # times at which a limit began or ceased to act
    outcome: str = "completed"
    reason: str = ""


def integrate(task: ChainTask, moving: Moving, start: State, progress: Progress | None) -> Run:
    """States at even times, each projected; a step goes on from the projected state."""
    going = _Integration(task, moving, start, progress)
    run = going.run
    try:
        # a step that is tried and given up may go beyond all numbers
        with np.errstate(over="ignore", invalid="ignore"):
            going.to_the_end()
    except KeyboardInterrupt:
        run.outcome, run.reason = "interrupted", f"interrupted after t = {run.times[-1]:.6g} s"
    except (ResultError, ValueError, np.linalg.LinAlgError, FloatingPointError) as error:
        run.outcome, run.reason = "failed", f"after t = {run.times[-1]:.6g} s: {error}"
    return run


def sample_times(task: ChainTask) -> np.ndarray:
    """Times of the rows."""
    count, last = whole_steps(task.duration_s, task.output_s)
    samples = np.linspace(0.0, task.duration_s, count + 1)
    if last != 1.0:
        # the last row is the end, less than an interval after the one before
        samples[:-1] = task.output_s * np.arange(count)
    return samples


class _Integration:
    """A run under way. y is [q, q', what the controller keeps, works]."""

    def __init__(self, task: ChainTask, moving: Moving, start: State, progress: Progress | None) -> None:
        self.moving, self.progress, self.duration = moving, progress, task.duration_s
        self.n = len(start[0])
        kept = moving.inner_start
        self.t, self.y = 0.0, np.concatenate([*start, kept, np.zeros(len(WORKS))])
        self.judged = 2 * self.n + len(kept)
        self.samples, self.steps = sample_times(task), 0
        inner = sorted(t for t in moving.breaks if 0.0 < t < task.duration_s)
        self.ends = [*inner, task.duration_s]
        # works weigh nothing in the error, and do not thin the root of the mean square either
        tolerance = task.tolerance * math.sqrt(self.judged / len(self.y))
        self.errors = {
            "rtol": tolerance,
            "atol": np.concatenate([np.full(self.judged, 1e-3 * tolerance), np.full(len(WORKS), 1e30)]),
        }
        # heavily damped elements would hold an explicit method to steps far shorter than the motion needs
        self.stiff = moving.plant.fastest_decay(start[0]) * self.duration > STIFF
        self.run = Run([0.0], [start], [np.zeros(len(WORKS))], [kept], np.zeros((2, self.n)))

    def to_the_end(self) -> None:
        for end in self.ends:
            self.moving.sample(self.t, *self._state(self.y))
            while self.t < end:
                self._one_piece(end)

    def _one_piece(self, end: float) -> None:
        """From here to the next corner, or to the end of the interval; what jumps there jumps after it."""
        from scipy.integrate import DOP853, Radau

        last = math.nextafter(end, 0.0)
        pieces = self.moving.pieces(self.t, *self._state(self.y), self._inner(self.y))

        def slope(t: float, y: np.ndarray) -> np.ndarray:
            # a formula that is tried far beyond its piece may run away: no number, and the step is tried shorter
            if not np.all(np.isfinite(y)):
                return np.full(len(y), np.nan)
            q, rates = self._state(y)
            now = self.moving.at(min(t, last), q, rates, pieces, self._inner(y))
            return np.concatenate([rates, now.acceleration, now.inner_rate, now.power])

        solver = (Radau if self.stiff else DOP853)(slope, self.t, self.y, end, **self.errors)
        while solver.status == "running":
            self._step(solver)
            dense = _Late(solver)
            corner = self._corner(dense, solver.t_old, min(solver.t, last), pieces)
            until = solver.t if corner is None else corner
            self.run.limited_s += (until - solver.t_old) * (pieces[:2] != 0)
            self.run.until_s = until
            self._keep(dense, until)
            if self.progress is not None:
                self.progress(until / self.duration)
            if corner is not None:
                self.run.corners.append(corner)
                self.t, self.y = corner, self._back(corner, dense(corner))
                return
            if self.moving.held is not None:
                solver.y = self._back(solver.t, solver.y)
                solver.f = slope(solver.t, solver.y)
        self.t, self.y = float(solver.t), solver.y

    def _step(self, solver: Any) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooFast(f"{MOST_STEPS} steps are not enough; the motion is too fast")
        message = solver.step()
        if message:
            raise TooFast(message)
        if not np.all(np.isfinite(solver.y)):
            raise TooFast("the motion grows beyond all numbers")

    def _corner(self, dense: Dense, before: float, after: float, pieces: np.ndarray) -> float | None:
        """The first time in a step at which other formulas hold; None if there is none."""
        if not self.moving.has_corners:
            return None

        def other(t: float) -> bool:
            y = dense(t)
            return bool(np.any(self.moving.pieces(t, *self._state(y), self._inner(y)) != pieces))

        low = before
        for part in LOOKS:
            high = before + part * (after - before)
            if other(high):
                return _first(other, low, high)
            low = high
        return None

    def _keep(self, dense: Dense, until: float) -> None:
        """Rows up to a time."""
        while len(self.run.times) < len(self.samples) and self.samples[len(self.run.times)] <= until:
            t = float(self.samples[len(self.run.times)])
            y = self._back(t, dense(t))
            self.run.states.append(self._state(y))
            self.run.inner.append(self._inner(y).copy())
            self.run.works.append(y[self.judged :].copy())
            self.run.times.append(t)

    def _back(self, t: float, y: np.ndarray) -> np.ndarray:
        held = self.moving.held
        return y if held is None else np.concatenate([*held.project(t, *self._state(y)), y[2 * self.n :]])

    def _state(self, y: np.ndarray) -> State:
        return y[: self.n], y[self.n : 2 * self.n]

    def _inner(self, y: np.ndarray) -> np.ndarray:
        return y[2 * self.n : self.judged]


class _Late:
    """The polynomial of a step, made when it is first asked for."""

    def __init__(self, solver: Any) -> None:
        self.solver = solver

    @cached_property
    def made(self) -> Dense:
        return self.solver.dense_output()

    def __call__(self, t: float) -> np.ndarray:
        return self.made(t)


def _first(other: Callable[[float], bool], low: float, high: float) -> float:
    """Where a property begins to hold between a time without it and one with it: by bisection, on its far side."""
    while high - low > 1e-14 + 4e-16 * high:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if other(middle):
            high = middle
        else:
            low = middle
    return high

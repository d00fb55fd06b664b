"""A paced run: the scenario's model and kernel, a cycle of whole steps per period, and the result as `run` gives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from docksim.config.checks.scenario import whole_steps
from docksim.config.schema.scenario import Solver
from docksim.model import RUNNING, State
from docksim.model.log import Log, new_log
from docksim.realtime.clock import PATIENCE_S, Clock, MonotonicClock
from docksim.realtime.pacing import OVERRUN, STOPPED, Policy, Record, pace
from docksim.realtime.privileges import real_time
from docksim.realtime.timing import Timing, summarize
from docksim.result.result import Result
from docksim.simulation.run import Run

WARM_CYCLES = 50


# why a tolerance is refused
UNPACED = "makes steps as long as their error lets them be, and a cycle needs fixed ones; leave it out"


class RateError(ValueError):
    """A rate that the model's step does not fit, or a run that is no whole number of its cycles."""


@dataclass(frozen=True)
class Pace:
    """How to run: cycles per second, what to do when one is late, and what to ask of the system."""

    rate_Hz: float = 1000.0
    policy: Policy = "skip"
    priority: int | None = None
    cpu: int | None = None
    lock_memory: bool = True
    spin_us: float = 0.0


@dataclass
class Paced:
    """What a paced run leaves: its result, its times, and what the system granted."""

    result: Result
    timing: Timing
    record: Record
    phases: np.ndarray
    start_s: float
    granted: list[str] = field(default_factory=list)
    outcome: tuple[str, str] | None = None  # if something other than the model ended the run, and why


def steps_per_cycle(step_s: float, rate_Hz: float) -> int:
    """How many steps of the model one period takes; RateError if it is not a whole number."""
    exact = 1.0 / (rate_Hz * step_s)
    steps = round(exact)
    if steps < 1 or abs(exact - steps) > 1e-6 * exact:
        near = 1.0 / (max(1, steps) * step_s)
        raise RateError(
            f"a period of {1e3 / rate_Hz:.6g} ms (--rate {rate_Hz:g}) is not a whole number of steps of "
            f"{1e3 * step_s:.6g} ms (solver.step_s): choose --rate {near:.10g}, or another step with --set"
        )
    return steps


def steps_of_cycles(solver: Solver, rate_Hz: float) -> int:
    """Steps of a cycle; RateError if one is no whole number of steps, or if the run is no whole number of cycles."""
    if solver.tolerance is not None:
        raise RateError(f"solver.tolerance: {solver.tolerance:g} {UNPACED}")
    steps = steps_per_cycle(solver.step_s, rate_Hz)
    count, last = whole_steps(solver.duration_s, solver.step_s)
    if last != 1.0 or count % steps:
        period = steps * solver.step_s
        below = (count - 1) // steps
        near = [f"{number * period:.10g}" for number in (below, below + 1) if number >= 1]
        raise RateError(
            f"solver.duration_s: {solver.duration_s:.10g} s is not a whole number of cycles of {1e3 * period:.6g} ms "
            f"(--rate {rate_Hz:g}): choose --duration {' or '.join(near)}, or another --rate"
        )
    return steps


class Cycle:
    """The job of one period: so many steps in one call of the compiled code."""

    def __init__(self, run: Run, steps: int) -> None:
        self.run, self.steps = run, steps
        self.late = False  # was the cycle before this one?
        self.outcome: tuple[str, str] | None = None  # if something outside ended the run, and why

    def __call__(self, k: int) -> bool:
        return self.run.advance(self.steps) == RUNNING

    def close(self) -> None:
        """After the last cycle."""


class KeptCycle(Cycle):
    """A cycle after which the run may be kept, by a keeper that says at which step it wants to see it next."""

    def __init__(self, cycle: Cycle, keeper: Callable[[Run], int]) -> None:
        super().__init__(cycle.run, cycle.steps)
        self._cycle, self._keeper, self._next = cycle, keeper, keeper(cycle.run)

    def __call__(self, k: int) -> bool:
        self._cycle.late = self.late
        more = self._cycle(k)
        self.outcome = self._cycle.outcome
        if more and self.run.step >= self._next:
            self._next = self._keeper(self.run)
        return more

    def close(self) -> None:
        self._cycle.close()


def run_paced(
    run: Run,
    pace_: Pace,
    stop: Callable[[], bool] | None = None,
    clock: Clock | None = None,
    cycle: Cycle | None = None,
) -> Paced:
    """Run to the end, to a stop, or to an overrun if the policy is to stop; nothing that was computed is lost."""
    settings, state = run.compiled.model.settings[0], run.compiled.state
    steps = steps_of_cycles(run.compiled.scenario.solver, pace_.rate_Hz)
    job = cycle or Cycle(run, steps)
    # the last call logs the last instant and takes no step
    cycles = (int(settings.n_steps) - run.step) // steps + 1
    start_s = float(state.clock[0].t)
    record = Record(cycles, 1e9 / pace_.rate_Hz)
    phases = np.full(cycles, 0, np.int16)
    for table in run.log.tables().values():
        # pages that are touched now cost nothing later
        table[int(run.log.rows[0]) :].view(np.uint8).fill(0)
    phase = state.clock["phase"]

    def one(k: int) -> bool:
        job.late = record.late
        more = job(k)
        phases[k] = phase[0]
        return more

    _warm_up(run, steps)
    with real_time(pace_.priority, pace_.cpu, pace_.lock_memory) as granted:
        # only a sleep that is long has to look for a stop
        patient = stop if 1.0 / pace_.rate_Hz > PATIENCE_S else None
        used = clock or MonotonicClock(int(1e3 * pace_.spin_us), partial(run.advance, 0), patient)
        try:
            ended = pace(one, record, used, pace_.policy, stop)
        finally:
            job.close()
    timing = summarize(record, pace_.policy, start_s, phases, run.compiled.phases)
    outcome = job.outcome or _outcome(ended, timing) if run.running else None
    facts = {"realtime": {**timing.as_dict(), "granted": granted}}
    return Paced(run.result(outcome, **facts), timing, record, phases[: record.cycles], start_s, granted, outcome)


def _outcome(ended: str, timing: Timing) -> tuple[str, str]:
    """Of a run whose model was still running."""
    if ended == OVERRUN:
        late = f"cycle {timing.cycles - 1} ended {timing.worst_lateness.us:.0f} us after the next deadline"
        return "aborted", f"{late}; the policy is to stop"
    if ended == STOPPED:
        return "interrupted", "stopped by the user"
    return "interrupted", "the last cycle came before the last step"


def _warm_up(run: Run, steps: int) -> None:
    """The first cycles of a copy, thrown away: code and tables are in memory before the first deadline."""
    copy = spare(run, new_log(run.compiled.model, WARM_CYCLES * steps + 2))
    for _ in range(WARM_CYCLES):
        if copy.running:
            copy.advance(steps)


def spare(run: Run, log: Log) -> Run:
    """A copy of a run that goes on by itself, into a log of its own."""
    state = State(*(table.copy() for table in run.compiled.state))
    return Run(replace(run.compiled, state=state), log)

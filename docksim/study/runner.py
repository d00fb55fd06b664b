"""Run cases and write their rows, those of half a second at once: to force a commit onto a disk takes its time.

The calling thread hands out cases and writes; workers run them: threads of this process, which share one compiled
kernel that releases the interpreter lock, processes of their own, or workers of a cluster. A job is a case with its
values, or without them where they are those of the plan; the answer is its row, or none if it was told to stop. No more
cases are under way than workers can take, so memory does not depend on how many there are.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from docksim.config.loading.study import LoadedStudy
from docksim.result.result import ResultError
from docksim.simulation.threads import available_cores, worker_threads
from docksim.study.case import Job, Pool, Row, run_case
from docksim.study.cluster import cluster_pool
from docksim.study.plan import Plan
from docksim.study.statistics import clopper_pearson
from docksim.study.store import Store

BLOCK = 64  # cases between two looks at a stopping rule
LOOK_EVERY_S = 0.5
COMMIT_EVERY_S = 0.5
Stop = Callable[[], bool]
Report = Callable[[list[Row]], None]


@dataclass(frozen=True)
class StopRule:
    """When enough is known: the interval's half-width is small, or there are enough failures.

    It is looked at after every 64 cases, all of them finished, so where a study ends does not depend on the workers.
    """

    kind: str  # "half_width" or "failures"
    limit: float

    def met(self, successes: int, cases: int) -> bool:
        if self.kind == "failures":
            return cases - successes >= self.limit
        return cases > 0 and clopper_pearson(successes, cases).half_width <= self.limit


class Stopped(Exception):
    """The user wants no more."""


class Crew:
    """Workers, and the file that their rows go to. `report` gets rows that are safe on disk."""

    def __init__(self, pool: Pool, store: Store, stop: Stop | None, report: Report | None) -> None:
        self.pool, self.store, self.stop, self.report = pool, store, stop, report

    def run(self, jobs: Iterable[Job]) -> bool:
        """Run the jobs until all have their row (True), or until `stop()` (False).

        ResultError if rows cannot be written; what was reported stays.
        """
        todo = iter(jobs)
        waiting: set[Future[Row | None]] = set()
        ready: list[Future[Row | None]] = []
        committed = -COMMIT_EVERY_S
        exhausted = False
        try:
            while not exhausted or waiting:
                while not exhausted and len(waiting) < 2 * self.pool.size():
                    job = None if self._stopped() else next(todo, None)
                    if job is None:
                        exhausted = True
                    else:
                        waiting.add(self.pool.submit(job))
                finished, waiting = wait(waiting, LOOK_EVERY_S, FIRST_COMPLETED)
                if self._stopped():
                    waiting = {future for future in waiting if not future.cancel()}
                ready.extend(finished)
                over = exhausted and not waiting
                if over or time.monotonic() - committed >= COMMIT_EVERY_S:
                    done, ready = ready, []
                    self._write(done)
                    committed = time.monotonic()
        finally:
            self._write(ready)
        return not self._stopped()

    def finish(self, jobs: Iterable[Job]) -> None:
        """Run the jobs, all of them; Stopped if `stop()` came first."""
        if not self.run(jobs):
            raise Stopped

    def _stopped(self) -> bool:
        """Whether to stop; then the cases under way are told as well."""
        if self.stop is None or not self.stop():
            return False
        self.pool.end()
        return True

    def _write(self, finished: Iterable[Future[Row | None]]) -> None:
        """Commit the rows, then report them; what went wrong beside them is raised after that."""
        rows, wrong = [], None
        for future in finished:
            try:
                row = None if future.cancelled() else future.result()
            except Exception as error:
                wrong = error
            else:
                rows += [] if row is None else [row]
        self.store.write(sorted(rows, key=lambda row: row.case))
        if self.report and rows:
            self.report(rows)
        if isinstance(wrong, BrokenExecutor):
            raise ResultError("a worker process died; what was reported is safe, --resume goes on") from wrong
        if wrong is not None:
            raise wrong


@contextmanager
def crew_of(
    plan: Plan, store: Store, workers: Workers, stop: Stop | None = None, report: Report | None = None
) -> Iterator[Crew]:
    """Workers for the cases of a file; histories that are kept as cases run go beside it."""
    with open_pool(plan, store.file.parent / "histories", workers) as pool:
        yield Crew(pool, store, stop, report)


def run_cases(
    plan: Plan,
    store: Store,
    workers: Workers,
    rule: StopRule | None = None,
    stop: Stop | None = None,
    report: Report | None = None,
) -> str:
    """Fill the gaps of the table; how it ended: "complete", "interrupted" or "enough" (the stopping rule)."""
    done = store.done()
    missing = (case for case in range(1, plan.cases + 1) if case not in done)
    with crew_of(plan, store, workers, stop, report) as crew:
        # each block with the number of whole blocks before it; one block if there is no rule
        blocks = groupby(missing, key=lambda case: (case - 1) // BLOCK if rule is not None else 0)
        for block, cases in blocks:
            if rule is not None and rule.met(*store.successes(up_to=block * BLOCK)):
                return "enough"
            if not crew.run((case, None) for case in cases):
                return "interrupted"
    return "complete"


# ---------------------------------------------------------------- who runs them


@dataclass(frozen=True)
class Workers:
    """How cases are spread: so many at a time, in threads of this process or in processes, or on a cluster."""

    count: int | None = None
    processes: bool = False
    cluster: str | None = None

    @property
    def number(self) -> int:
        return self.count or available_cores()

    def facts(self) -> dict[str, Any]:
        """For the record of a session."""
        if self.cluster is not None:
            return {"cluster": self.cluster}
        return {"workers": self.number, "processes": self.processes}


@contextmanager
def open_pool(plan: Plan, histories: Path | None, workers: Workers) -> Iterator[Pool]:
    """Workers for a study. When this ends, nobody is left with a case that will not be written."""
    if workers.cluster is not None:
        opened = cluster_pool(plan, workers.cluster)
    else:
        opened = (_processes if workers.processes else _threads)(plan, histories, workers.number)
    with opened as pool:
        try:
            yield pool
        finally:
            pool.end()


@contextmanager
def _threads(plan: Plan, histories: Path | None, number: int) -> Iterator[Pool]:
    ending = threading.Event()

    def run(job: Job) -> Row | None:
        return run_case(plan, *job, ending.is_set, histories)

    # known once for all threads
    _ = plan.columns
    with worker_threads(number) as threads:
        yield Pool(lambda job: threads.submit(run, job), lambda: number, ending.set)


@contextmanager
def _processes(plan: Plan, histories: Path | None, number: int) -> Iterator[Pool]:
    context = multiprocessing.get_context("spawn")
    ending = context.Event()
    pool = ProcessPoolExecutor(number, context, _prepare, (plan.loaded, histories, ending))
    try:
        yield Pool(lambda job: pool.submit(_run_prepared, job), lambda: number, ending.set)
    finally:
        ending.set()
        pool.shutdown(cancel_futures=True)


_here: dict[str, Any] = {}


def _prepare(loaded: LoadedStudy, histories: Path | None, ending: Any) -> None:
    """In a worker process, once: the study, and a deaf ear for Ctrl-C, which the parent hears for all."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here.update(plan=Plan(loaded), histories=histories, ending=ending)


def _run_prepared(job: Job) -> Row | None:
    return run_case(_here["plan"], *job, _here["ending"].is_set, _here["histories"])

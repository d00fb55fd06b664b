"""Run cases and write their rows as they come.

The calling thread hands out cases and writes; workers run them. No more cases are under way than workers can take, so
memory does not depend on how many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from docksim.result.result import ResultError
from docksim.study.case import Row
from docksim.study.plan import Plan
from docksim.study.pools import Job, Pool, Workers, open_pool
from docksim.study.statistics import clopper_pearson
from docksim.study.store import Store

BLOCK = 64  # cases between two looks at a stopping rule
LOOK_EVERY_S = 0.5
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


class Crew:
    """Workers, and the file that their rows go to. `report` gets rows that are safe on disk."""

    def __init__(self, pool: Pool, store: Store, stop: Stop | None, report: Report | None) -> None:
        self.pool = pool
        self.store = store
        self.stop = stop
        self.report = report

    def run(self, jobs: Iterable[Job]) -> bool:
        """Run the jobs until all have their row (True), or until `stop()` (False).

        ResultError if rows cannot be written; what was reported stays.
        """
        todo = iter(jobs)
        waiting: set[Future[Row | None]] = set()
        exhausted = False
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
            self._write(finished)
        return not self._stopped()

    def _stopped(self) -> bool:
        """Whether to stop; then the cases under way are told as well."""
        if self.stop is None or not self.stop():
            return False
        self.pool.end()
        return True

    def _write(self, finished: Iterable[Future[Row | None]]) -> None:
        rows = [row for row in map(_row_of, finished) if row is not None]
        self.store.write(sorted(rows, key=lambda row: row.case))
        if self.report and rows:
            self.report(rows)


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
        for block, cases in _blocks(missing, rule):
            if rule is not None and rule.met(*store.successes(up_to=block * BLOCK)):
                return "enough"
            if not crew.run((case, None) for case in cases):
                return "interrupted"
    return "complete"


def _blocks(missing: Iterable[int], rule: StopRule | None) -> Iterator[tuple[int, Iterable[int]]]:
    """Missing cases in blocks, each with the number of whole blocks before it; one block if there is no rule."""
    if rule is None:
        return iter([(0, missing)])
    return groupby(missing, key=lambda case: (case - 1) // BLOCK)


def _row_of(future: Future[Row | None]) -> Row | None:
    try:
        return None if future.cancelled() else future.result()
    except BrokenExecutor as error:
        raise ResultError("a worker process died; what was reported is safe, --resume goes on") from error


__all__ = ["BLOCK", "Crew", "StopRule", "Workers", "crew_of", "run_cases"]

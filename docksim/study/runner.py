"""Run the cases of a study that have no row yet, in threads or processes, and write the rows as they come.

The calling thread hands out cases and writes; workers run them. Threads share one compiled kernel, which releases the
interpreter lock. No more cases are under way than workers can take, so memory does not depend on how many there are.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from docksim.batch import available_cores, worker_threads
from docksim.config.study_loader import LoadedStudy
from docksim.result import ResultError
from docksim.study.case import Row, run_case
from docksim.study.plan import Plan
from docksim.study.statistics import clopper_pearson
from docksim.study.store import Store

BLOCK = 64  # cases between two looks at a stopping rule
LOOK_EVERY_S = 0.5
Submit = Callable[[int], "Future[Row | None]"]


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


@dataclass(frozen=True)
class Workers:
    """How cases are spread: so many at a time, in threads of this process or in processes of their own."""

    count: int | None = None
    processes: bool = False

    @property
    def number(self) -> int:
        return self.count or available_cores()


def run_cases(
    plan: Plan,
    store: Store,
    workers: Workers,
    rule: StopRule | None = None,
    stop: Callable[[], bool] | None = None,
    report: Callable[[list[Row]], None] | None = None,
) -> str:
    """Fill the gaps of the table; how it ended: "complete", "interrupted" or "enough" (the stopping rule).

    `report` gets rows that are safe on disk. ResultError if they cannot be written; what was reported stays.
    """
    done = store.done()
    missing = (case for case in range(1, plan.cases + 1) if case not in done)
    ending: Any = multiprocessing.get_context("spawn").Event() if workers.processes else threading.Event()
    histories = store.file.parent / "histories"
    with _pool(plan.loaded, list(store.columns.metrics), histories, workers, ending) as submit:
        try:
            for block, cases in _blocks(missing, rule):
                if rule is not None and rule.met(*store.successes(up_to=block * BLOCK)):
                    return "enough"
                _drive(submit, cases, workers.number, store, lambda: _heard(stop, ending), report)
                if stop is not None and stop():
                    return "interrupted"
        finally:
            # whatever happened, nobody should go on with a case that will not be written
            ending.set()
    return "complete"


def _heard(stop: Callable[[], bool] | None, ending: Any) -> bool:
    """Whether to stop; then the cases under way are told as well."""
    if stop is None or not stop():
        return False
    ending.set()
    return True


def _blocks(missing: Iterable[int], rule: StopRule | None) -> Iterator[tuple[int, Iterable[int]]]:
    """Missing cases in blocks, each with the number of whole blocks before it; one block if there is no rule."""
    if rule is None:
        return iter([(0, missing)])
    return groupby(missing, key=lambda case: (case - 1) // BLOCK)


def _drive(
    submit: Submit,
    cases: Iterable[int],
    workers: int,
    store: Store,
    stop: Callable[[], bool],
    report: Callable[[list[Row]], None] | None,
) -> None:
    """Keep the workers busy until the cases are through, or `stop()`."""
    todo = iter(cases)
    waiting: set[Future[Row | None]] = set()
    exhausted = False
    while not exhausted or waiting:
        while not exhausted and len(waiting) < 2 * workers:
            case = None if stop() else next(todo, None)
            if case is None:
                exhausted = True
            else:
                waiting.add(submit(case))
        finished, waiting = wait(waiting, LOOK_EVERY_S, FIRST_COMPLETED)
        if stop():
            for future in list(waiting):
                if future.cancel():
                    waiting.discard(future)
        rows = [row for row in map(_row_of, finished) if row is not None]
        store.write(sorted(rows, key=lambda row: row.case))
        if report and rows:
            report(rows)


def _row_of(future: Future[Row | None]) -> Row | None:
    try:
        return None if future.cancelled() else future.result()
    except BrokenExecutor as error:
        raise ResultError("a worker process died; what was reported is safe, --resume goes on") from error


# ---------------------------------------------------------------- threads and processes


@contextmanager
def _pool(
    loaded: LoadedStudy, columns: list[str], histories: Path, workers: Workers, ending: Any
) -> Iterator[Submit]:
    if not workers.processes:
        plan = Plan(loaded)
        with worker_threads(workers.number) as threads:
            yield lambda case: threads.submit(run_case, plan, case, columns, ending.is_set, histories)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers.number, context, _prepare, (loaded, columns, histories, ending))
    try:
        yield lambda case: pool.submit(_run_prepared, case)
    finally:
        ending.set()
        pool.shutdown(cancel_futures=True)


_here: dict[str, Any] = {}


def _prepare(loaded: LoadedStudy, columns: list[str], histories: Path, ending: Any) -> None:
    """In a worker process, once: the study, and a deaf ear for Ctrl-C, which the parent hears for all."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _here.update(plan=Plan(loaded), columns=columns, histories=histories, ending=ending)


def _run_prepared(case: int) -> Row | None:
    return run_case(_here["plan"], case, _here["columns"], _here["ending"].is_set, _here["histories"])

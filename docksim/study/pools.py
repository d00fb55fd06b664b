"""Who runs the cases: threads of this process, processes of their own, or workers of a cluster.

Threads share one compiled kernel, which releases the interpreter lock. A job is a case with its values, or without
them where they are those of the plan; the answer is its row, or none if it was told to stop.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docksim.config.study_loader import LoadedStudy
from docksim.simulation.threads import available_cores, worker_threads
from docksim.study.case import Row, run_case
from docksim.study.plan import Plan

Job = tuple[int, Sequence[Any] | None]


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


@dataclass(frozen=True)
class Pool:
    """Where jobs go, how many can be under way, and how to tell those that are to end."""

    submit: Callable[[Job], Future[Row | None]]
    size: Callable[[], int]
    end: Callable[[], None]


@contextmanager
def open_pool(plan: Plan, histories: Path | None, workers: Workers) -> Iterator[Pool]:
    """Workers for a study. When this ends, nobody is left with a case that will not be written."""
    if workers.cluster is not None:
        # a cluster is one kind of pool, and imports this file
        from docksim.study.cluster import cluster_pool

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

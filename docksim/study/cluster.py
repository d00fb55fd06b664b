"""Cases on the workers of a dask scheduler (extra `cluster`), as threads and processes do them here.

Every worker makes its plan from the study once and runs cases from then on; rows come back and are written here, so
the table is the same, and a worker that dies only has its cases run by another. A worker whose docksim or libraries
differ from those here is refused, since its bits might, too; its processor may be another one. Time histories are made
again here at the end.

Trust: dask sends Python objects that run code when they are read. Whoever takes part can run anything as the others'
users; so all traffic is encrypted, and only who has the scheduler's key takes part (docksim/study/cluster_key.py).
"""

from __future__ import annotations

import platform
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from docksim.config.loading.study import LoadedStudy
from docksim.result.result import ResultError
from docksim.simulation.manifest import library_versions, source_commit
from docksim.simulation.run import kernel_stamp
from docksim.study.case import Job, Pool, Row, run_case
from docksim.study.cluster_key import read_key
from docksim.study.plan import Plan

MISSING = "a cluster needs dask's scheduler: pip install 'docksim[cluster]'"
SAFE = "what was reported is safe, --resume goes on"
# equal sources give equal bits, whatever compiled them
COMPILERS = ("numba", "llvmlite")
PATIENCE_S = 10.0
LOOK_EVERY_S = 2.0

Identity = tuple[tuple[str, str], ...]


@contextmanager
def cluster_pool(plan: Plan, place: str) -> Iterator[Pool]:
    """The workers of a scheduler, told by its key file."""
    client = _connected(Path(place))
    try:
        cluster = _Cluster(client, plan.loaded)
        yield Pool(cluster.submit, cluster.size, cluster.end)
    finally:
        with suppress(Exception):
            client.close()


def _connected(file: Path) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ResultError(MISSING) from None
    key = read_key(file)
    try:
        client = Client(key.address, timeout=PATIENCE_S, set_as_default=False, security=key.security())
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        advice = f"docksim cluster scheduler starts one and writes {file} anew"
        raise ResultError(f"{key.address}: no scheduler answers ({type(error).__name__}: {error}); {advice}") from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE_S)
    except TimeoutError:
        client.close()
        raise ResultError(f"{key.address}: has no workers; docksim cluster worker {file} starts one") from None
    return client


class _Cluster:
    """Jobs as tasks of a scheduler; answers as the futures that everybody else has."""

    def __init__(self, client: Any, loaded: LoadedStudy) -> None:
        self.client = client
        self.token = uuid.uuid4().hex
        # a task, not data: if its holder dies, another one makes it again
        self.study = client.submit(_held, loaded, key=f"docksim-study-{self.token}", pure=False)
        self.tasks: dict[Future[Row | None], Any] = {}
        self.ending = False
        self.lock = threading.Lock()
        self.threads, self.looked = 1, 0.0

    def submit(self, job: Job) -> Future[Row | None]:
        answer: Future[Row | None] = Future()
        case, values = job
        plain = None if values is None else list(values)
        key = f"docksim-case-{case}-{uuid.uuid4().hex}"
        task = self.client.submit(_run, self.study, self.token, (case, plain), key=key, pure=False)
        with self.lock:
            self.tasks[answer] = task
        task.add_done_callback(lambda done: self._pass_on(done, answer))
        return answer

    def size(self) -> int:
        """Threads of all workers, looked up now and then: workers come and go."""
        now = time.monotonic()
        if now - self.looked > LOOK_EVERY_S:
            self.looked = now
            with suppress(Exception):
                self.threads = max(sum(self.client.nthreads().values()), 1)
        return self.threads

    def end(self) -> None:
        """Cancel what has not begun; a case that runs comes to its end, unheard."""
        self.ending = True
        with self.lock:
            tasks = list(self.tasks.values())
        if tasks:
            with suppress(Exception):
                self.client.cancel(tasks)

    def _pass_on(self, task: Any, answer: Future[Row | None]) -> None:
        with self.lock:
            self.tasks.pop(answer, None)
        if not answer.set_running_or_notify_cancel():
            return
        try:
            answer.set_result(self._row(task))
        except BaseException as error:
            answer.set_exception(error)

    def _row(self, task: Any) -> Row | None:
        if task.status == "finished":
            row, theirs = task.result()
            _refuse_others(theirs)
            return row
        if self.ending:
            return None
        if task.status == "error":
            error = task.exception()
            raise ResultError(f"a worker failed ({type(error).__name__}: {error}); {SAFE}")
        raise ResultError(f"the scheduler is lost; {SAFE}")


def _refuse_others(theirs: Identity) -> None:
    """ResultError if a worker is not of the same kind."""
    mine, other = dict(identity()), dict(theirs)
    differ = [f"{key} {other.get(key)} there, {mine[key]} here" for key in mine if other.get(key) != mine[key]]
    if differ:
        raise ResultError(f"a worker would not give the same bits: {'; '.join(differ)}; install the same there")


@cache
def identity() -> Identity:
    """What a number can depend on."""
    facts = {
        "kernel": kernel_stamp(),
        "commit": str(source_commit().get("commit")),
        "python": platform.python_version(),
        **{name: version for name, version in library_versions() if name not in COMPILERS},
    }
    return tuple(facts.items())


# ---------------------------------------------------------------- on a worker

_plans: dict[str, Plan] = {}
_making = threading.Lock()


def _held(loaded: LoadedStudy) -> LoadedStudy:
    return loaded


def _run(loaded: LoadedStudy, token: str, job: Job) -> tuple[Row | None, Identity]:
    """The row of a case, and what it was made with."""
    with _making:
        if token not in _plans:
            _plans.clear()
            _plans[token] = Plan(loaded)
            _ = _plans[token].columns
        plan = _plans[token]
    return run_case(plan, *job), identity()

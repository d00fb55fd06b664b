"""Does parallel evaluation pay for the recurrent closed form? `python -m benchmarks.parallel [--quick]`.

N. A. Yaskevich expects it to, since the sums of different rows do not depend on each other. Here rows of A are shared
out to threads by numba's prange, every thread with sums of its own; frames and what the rows have in common are done
before. Time is that of the clock, not of processors. Compiled here: the library that is shipped has none of it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from rich.console import Console

from benchmarks.__main__ import table
from benchmarks.timing import Task
from docksim.algebra.vec3 import axpy, load3, store3
from docksim.chain.dynamics.composite import crba_matrix
from docksim.chain.dynamics.counts import sample_chain
from docksim.chain.dynamics.frames import base_axes, joint_motions
from docksim.chain.dynamics.recurrent import between_origins, recurrent_matrix, subtree_sums, turning_row
from docksim.chain.model import ChainModel
from docksim.chain.work import make_work
from docksim.native.ordinary import twin

LENGTHS = (50, 200)
AGREEMENT = 1e-13


class RowTables(NamedTuple):
    """What a row reads of the chain: a loop in parallel takes arrays one by one, not as they come."""

    parent: Any
    kind: Any
    mass: Any
    inside: Any


class RowWork(NamedTuple):
    """What a row reads and writes."""

    z: Any
    c: Any
    S: Any
    T: Any
    U: Any
    K: Any
    M: Any


@cache
def compiled() -> dict[str, Any]:
    """Loops that compute A so many times, by name: the serial forms, and the rows in parallel."""
    frame, origins, sums, row = twin(base_axes), twin(between_origins), twin(subtree_sums), twin(turning_row)
    load, store, add_scaled = twin(load3), twin(store3), twin(axpy)
    recurrent, composite = twin(recurrent_matrix), twin(crba_matrix)

    @numba.njit(error_model="numpy")
    def whole_row(chain: Any, i: int, work: Any, A: np.ndarray) -> None:
        for k in range(i + 1, len(A)):
            store(work.T[i, k], add_scaled(chain.mass[k], load(work.S[i, k]), load(work.c[k])))
        row(chain, i, work, A)

    @numba.njit(parallel=True, error_model="numpy")
    def in_parallel(times: int, chain: Any, work: Any, own: np.ndarray, A: np.ndarray) -> None:
        n, threads = len(A), len(own)
        parent, kind, mass, inside = chain.parent, chain.kind, chain.mass, chain.inside
        z, c, S, T, U, K = work.z, work.c, work.S, work.T, work.U, work.K
        for turn in range(times):
            work.shift[0, 0] = 1e-9 * turn
            frame(chain, work)
            origins(chain, work)
            sums(chain, work)
            for thread in numba.prange(threads):
                tables, mine = RowTables(parent, kind, mass, inside), RowWork(z, c, S, T, U, K, own[thread])
                # rows get shorter, so threads take them in turns
                for i in range(thread, n, threads):
                    whole_row(tables, i, mine, A)
            for i in range(n):
                for k in range(i):
                    A[i, k] = A[k, i]

    @numba.njit(error_model="numpy")
    def serial(times: int, chain: Any, work: Any, A: np.ndarray) -> None:
        for turn in range(times):
            work.shift[0, 0] = 1e-9 * turn
            frame(chain, work)
            recurrent(chain, work, A)

    @numba.njit(error_model="numpy")
    def by_composite_bodies(times: int, chain: Any, work: Any, A: np.ndarray) -> None:
        for turn in range(times):
            work.shift[0, 0] = 1e-9 * turn
            frame(chain, work)
            composite(chain, work, A)

    return {"parallel": in_parallel, "serial": serial, "composite": by_composite_bodies}


def parallel_rows(lengths: Sequence[int], repeats: int) -> list[dict[str, Any]]:
    """One row a length; times in microseconds."""
    rows = []
    for n in lengths:
        tasks, answers = _tasks(sample_chain(n))
        for task in tasks.values():
            task(1)
        for name, A in answers.items():
            apart = float(np.abs(A - answers["serial"]).max() / np.abs(A).max())
            if not apart < AGREEMENT * n:
                raise RuntimeError(f"{name} and serial disagree by {apart:.1e} of the largest entry")
        rows.append({"links": n, "threads": numba.get_num_threads(), "us": _times(tasks, repeats)})
    return rows


def _tasks(chain: ChainModel) -> tuple[dict[str, Task], dict[str, np.ndarray]]:
    loops, n = compiled(), chain.n
    answers = {name: np.zeros((n, n)) for name in loops}

    def task(name: str) -> Task:
        work = make_work(n)
        joint_motions(chain.tables, np.random.default_rng(1).normal(size=n), work)
        # sums that rows build up are a thread's own, the rest is shared
        own = (np.zeros((numba.get_num_threads(), n, 9)),) if name == "parallel" else ()
        return lambda times: loops[name](times, chain.tables, work, *own, answers[name])

    return {name: task(name) for name in loops}, answers


def _times(tasks: dict[str, Task], repeats: int) -> dict[str, float]:
    """Microseconds by the clock, best of many calls in turns: on a busy machine threads wait for each other."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(repeats):
        for name, task in tasks.items():
            began = time.perf_counter()
            task(1)
            best[name] = min(best[name], 1e6 * (time.perf_counter() - began))
    return best


def show(rows: list[dict[str, Any]], console: Console) -> None:
    columns: dict[str, Any] = {
        "N": lambda row: str(row["links"]),
        "threads": lambda row: str(row["threads"]),
        "recurrent, serial": lambda row: f"{row['us']['serial']:.3g}",
        "rows in parallel": lambda row: f"{row['us']['parallel']:.3g}",
        "times as fast": lambda row: f"{row['us']['serial'] / row['us']['parallel']:.2f}",
        "composite bodies, serial": lambda row: f"{row['us']['composite']:.3g}",
    }
    console.print(table("A(q) of N turning joints by the clock, us", columns, rows))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parallel", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats")
    repeats = 10 if parser.parse_args(arguments).quick else 3000
    show(parallel_rows(LENGTHS, repeats), Console(width=140))


if __name__ == "__main__":
    main()

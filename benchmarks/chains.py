"""Formulations of chain dynamics: operations, times, and Pinocchio's crba: `python -m benchmarks.chains [--quick]`.

A(q) of serial chains of N turning joints in general position. The five codes are timed from the joints' rotations on,
where operations are counted; against Pinocchio, composite bodies also with sines and rotations, which crba computes
too. Pinocchio's time is free of the call from Python, measured on a chain of one joint. Before anything is timed the
answers are compared. The second table is for chains as elastic links make them: many joints.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from rich.console import Console

from benchmarks.__main__ import table
from benchmarks.timing import Task, costs
from docksim.chain.dynamics.counts import MATRIX, matrix_polynomials, sample_chain
from docksim.chain.dynamics.repeats import repeat_from_coordinates
from docksim.chain.dynamics.times import tasks
from docksim.chain.model import ChainModel
from docksim.chain.work import make_work
from tests.oracle.chain_pinocchio import PinocchioChain

LENGTHS = (2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 30, 50)
MANY = (50, 100, 200)
AGREEMENT = 1e-11


def chain_rows(lengths: Sequence[int], repeats: int, seconds: float) -> list[dict[str, Any]]:
    """One row a length; times in microseconds."""
    counted = matrix_polynomials()
    overhead = costs({"call": _peer(sample_chain(1))[0]}, repeats, seconds)["call"].best
    rows = []
    for n in lengths:
        chain = sample_chain(n)
        whole, A = _with_sines(chain)
        peer, expected = _peer(chain)
        whole(1)
        disagreement = float(np.abs(A - expected).max() / np.abs(expected).max())
        if not disagreement < AGREEMENT:
            raise RuntimeError(f"the two codes disagree by {disagreement:.1e} of the largest entry")
        found = costs({**tasks(chain), "with sines": whole, "pinocchio": peer}, repeats, seconds)
        times = {name: 1e6 * cost.best for name, cost in found.items()}
        times["pinocchio"] -= 1e6 * overhead
        rows.append({"links": n, "operations": {name: one.at(n) for name, one in counted.items()}, "us": times})
    return rows


def _state(chain: ChainModel) -> np.ndarray:
    return np.random.default_rng(1).normal(size=chain.n)


def _with_sines(chain: ChainModel) -> tuple[Task, np.ndarray]:
    q, work, A = _state(chain), make_work(chain.n), np.zeros((chain.n, chain.n))
    return lambda times: repeat_from_coordinates(times, chain.tables, q, work, A), A


def _peer(chain: ChainModel) -> tuple[Task, np.ndarray]:
    """Pinocchio's crba, and its answer."""
    peer = PinocchioChain(chain)
    q = _state(chain)

    def task(times: int) -> None:
        for _ in range(times):
            pin.crba(peer.model, peer.data, q)

    return task, peer.mass_matrix(q)


def show(rows: list[dict[str, Any]], title: str, console: Console) -> None:
    columns: dict[str, Any] = {"N": lambda row: str(row["links"])}
    for name in (*MATRIX, "with sines", "pinocchio"):
        columns[name] = lambda row, name=name: f"{row['us'][name]:.3g}"
    columns["fewest operations"] = lambda row: min(MATRIX, key=lambda name: row["operations"][name])
    columns["fastest"] = lambda row: min(MATRIX, key=lambda name: row["us"][name])
    console.print(table(title, columns, rows))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chains", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats")
    repeats, seconds = (3, 0.002) if parser.parse_args(arguments).quick else (31, 0.004)
    console = Console(width=140)
    show(chain_rows(LENGTHS, repeats, seconds), "A(q) of N turning joints, us", console)
    show(chain_rows(MANY, repeats, seconds), "the same for as many joints as elastic links have, us", console)


if __name__ == "__main__":
    main()

"""Generated straight-line dynamics against the kernel of chains: `python -m benchmarks.generated [--quick]`.

Inverse dynamics and A of the shipped arms from coordinates to answer, sines included, both in compiled loops, in turns.
One rate and one coordinate change every time, so that no compiler can take the work out of a loop. Before anything is
timed the answers are compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
import numpy as np
from rich.console import Console

from benchmarks.__main__ import table
from benchmarks.generated_loops import kernel_inverse, kernel_mass
from benchmarks.timing import Task, costs
from docksim.chain import ChainModel, load_chain
from docksim.chain.dynamics.counts import count_forces, count_matrix
from docksim.chain.generation.sources import source
from docksim.chain.generation.straight_line import straight
from docksim.chain.work import make_work

CHAINS = Path(__file__).resolve().parents[1] / "configs" / "chains"
ARMS = ("planar_2r", "puma560", "station_arm_7r", "two_arms")
AGREEMENT = 1e-11
WHAT = ("inverse", "mass")


def generated(chain: ChainModel) -> dict[str, Any]:
    """Compiled loops over the generated functions, by what they compute."""
    scope: dict[str, Any] = {}
    exec(source([straight(chain, what) for what in WHAT], "numba", "arm"), scope)
    inverse, mass = scope["arm_inverse"], scope["arm_mass"]

    @numba.njit
    def many_inverse(times: int, q: np.ndarray, rates: np.ndarray, accelerations: np.ndarray, Q: np.ndarray) -> None:
        for i in range(times):
            rates[0] = 1e-9 * i
            q[1] = 0.3 + 1e-9 * i
            inverse(q, rates, accelerations, Q)

    @numba.njit
    def many_mass(times: int, q: np.ndarray, A: np.ndarray) -> None:
        for i in range(times):
            q[1] = 0.3 + 1e-9 * i
            mass(q, A)

    return {"inverse": many_inverse, "mass": many_mass}


def generated_rows(arms: Sequence[str], repeats: int, seconds: float) -> list[dict[str, Any]]:
    """One row an arm and function; times in microseconds."""
    rows = []
    for name in arms:
        chain = load_chain(CHAINS / f"{name}.yaml")
        made = generated(chain)
        for what in WHAT:
            tasks, answers = _tasks(chain, what, made[what])
            for task in tasks.values():
                task(1)
            size = np.abs(answers[0]).max()
            disagreement = float(np.abs(answers[0] - answers[1]).max() / size)
            if not disagreement < AGREEMENT:
                raise RuntimeError(f"{name}: the two codes disagree by {disagreement:.1e} of the largest entry")
            found = costs(tasks, repeats, seconds)
            kernel_us, own_us = (1e6 * found[key].best for key in ("kernel", "generated"))
            counted = count_forces(chain, "crba")[0] if what == "inverse" else count_matrix(chain, "crba")[0]
            rows.append(
                {
                    "chain": name, "what": what, "disagreement": disagreement,
                    "kernel_operations": counted.total, "operations": straight(chain, what).program.operations,
                    "kernel_us": kernel_us, "generated_us": own_us, "ratio": kernel_us / own_us,
                }
            )  # fmt: skip
    return rows


def _tasks(chain: ChainModel, what: str, many: Any) -> tuple[dict[str, Task], list[np.ndarray]]:
    """The kernel's loop and the generated one, and where their answers will be."""
    q, rates, accelerations = np.random.default_rng(1).normal(size=(3, chain.n))
    work = make_work(chain.n)
    shape = (chain.n, chain.n) if what == "mass" else (chain.n,)
    one, two = np.zeros(shape), np.zeros(shape)
    motion = [q] if what == "mass" else [q, rates, accelerations]
    loop = kernel_mass if what == "mass" else kernel_inverse
    tasks: dict[str, Task] = {
        "kernel": lambda times: loop(times, chain.tables, *motion, work, one),
        "generated": lambda times: many(times, *motion, two),
    }
    return tasks, [one, two]


def show(rows: list[dict[str, Any]], console: Console) -> None:
    columns: dict[str, Any] = {
        "chain": lambda row: row["chain"],
        "what": lambda row: row["what"],
        "kernel: operations": lambda row: f"{row['kernel_operations']:,}",
        "generated": lambda row: f"{row['operations']:,}",
        "kernel: us": lambda row: f"{row['kernel_us']:.3f}",
        "generated ": lambda row: f"{row['generated_us']:.3f}",
        "times as fast": lambda row: f"{row['ratio']:.2f}",
        "agree to": lambda row: f"{row['disagreement']:.0e}",
    }
    console.print(table("inverse dynamics and A, from coordinates on", columns, rows))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generated", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats")
    repeats, seconds = (3, 0.002) if parser.parse_args(arguments).quick else (51, 0.004)
    show(generated_rows(ARMS, repeats, seconds), Console(width=140))


if __name__ == "__main__":
    main()

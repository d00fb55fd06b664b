"""Cost against the number of bodies, docksim alone: chains and random trees, evaluation and step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.loops import passes
from benchmarks.timing import Task, costs
from benchmarks.trees import Rig, revolute_tree
from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.loop import advance

SCENARIOS = Path(__file__).resolve().parents[1] / "scenarios"


def scaling(sizes: Sequence[int], repeats: int, seconds: float) -> list[dict[str, Any]]:
    """One row per shape: microseconds of one forward dynamics at each size, and the exponent of the power law."""
    rows = []
    for shape in ("chain", "tree"):
        rigs = {n: Rig(revolute_tree(np.random.default_rng(n), n, shape == "chain")) for n in sizes}
        tasks = {str(n): lambda m, rig=rig: passes(*rig.tables, m) for n, rig in rigs.items()}
        found = costs(tasks, repeats, seconds)
        times = [1e6 * found[str(n)].best for n in sizes]
        rows.append({"shape": shape, "bodies": list(sizes), "passes_us": times, "exponent": exponent(sizes, times)})
    return rows


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """Slope of log time over log size, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def step_costs(names: Sequence[str], sizes: Sequence[int], repeats: int, seconds: float) -> list[dict[str, Any]]:
    """Steps of the whole loop: random revolute trees with RK4, and shipped scenarios as they are."""
    rigs = {f"revolute tree, {n} bodies": Rig(revolute_tree(np.random.default_rng(n), n)) for n in sizes}
    compiled = {name: rig.compiled for name, rig in rigs.items()}
    compiled |= {name: compile_scenario(load_scenario(SCENARIOS / f"{name}.yaml")) for name in names}
    return [step_cost(name, each, repeats, seconds) for name, each in compiled.items()]


def step_cost(name: str, compiled: Compiled, repeats: int, seconds: float) -> dict[str, Any]:
    cost = costs({name: stepping(compiled)}, repeats, seconds)[name]
    solver = compiled.scenario.solver
    return {
        "run": name,
        "bodies": len(compiled.model.body) - 1,
        "integrator": solver.integrator,
        "step_us": 1e6 * cost.best,
        "times_real": solver.step_s / cost.best,
        "spread": cost.spread,
    }


def stepping(compiled: Compiled) -> Task:
    """Steps of the run, logging included; it begins anew whenever it has ended."""
    model, state, log = compiled.model, compiled.state, compiled.new_log()
    work = new_work(model, state)
    start = [table.copy() for table in state]

    def task(n: int) -> None:
        done = 0
        while done < n:
            for table, first in zip(state, start):
                table[...] = first
            log.rows[0] = 0
            advance(model, state, work, log, n - done)
            done += max(1, int(state.clock[0].step))

    return task

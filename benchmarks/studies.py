"""`python -m benchmarks.studies [CASES]`: cases per hour of a study against a plain loop of docksim.run.

The case is a docking transient of 10 s in steps of 1 ms: a chaser with a six-leg mechanism and a target with two
flexible arrays. Before anything is timed the two ways are compared: the same metrics, to the bit. Wall time says what a
user waits for and counts everything else the machine does; processor time per case does not. The last lines say how
much of a case is the kernel, and what the rest is spent on, for this transient and for a case of the IDSS study.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

import docksim
from docksim.simulation import run as simulation
from docksim.simulation.run import prepare_kernel
from docksim.study.case import run_case
from docksim.study.plan import Plan, load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.table import load_table

ROOT = Path(__file__).resolve().parents[1]
TRANSIENT = {"solver.duration_s": 10.0, "solver.step_s": 0.001, "outputs.every_s": 0.01}


def study_plan(folder: Path, cases: int) -> Plan:
    """The shipped study with transients of 10 s at 1 ms, and no histories."""
    content = yaml.safe_load((ROOT / "studies" / "soft_capture.yaml").read_text(encoding="utf-8"))
    content |= {"set": TRANSIENT, "cases": cases, "histories": "none"}
    file = folder / "transients.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return load_plan(file)


def plain_loop(plan: Plan) -> list[dict[str, Any]]:
    """What a user would write without studies: load and run, case by case."""
    found = []
    for case in range(1, plan.cases + 1):
        overrides = {**TRANSIENT, **dict(zip(plan.keys, plan.values(case), strict=True))}
        found.append(docksim.run(ROOT / plan.study.base, overrides).metrics)
    return found


def timed(name: str, cases: int, work: Callable[[], Any]) -> tuple[dict[str, Any], Any]:
    wall, processor = time.perf_counter(), time.process_time()
    answer = work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    row = {"way": name, "cases_per_hour": 3600.0 * cases / wall, "processor_ms": 1e3 * processor / cases}
    return row, answer


def measure(cases: int) -> list[dict[str, Any]]:
    """One row a way; raises if the ways do not agree to the bit."""
    prepare_kernel()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = study_plan(folder, cases)
        row, expected = timed("loop of docksim.run", cases, lambda: plain_loop(plan))
        rows.append(row)
        for count in (1, 2):
            label = f"study, {count} worker{'s' * (count > 1)}"
            row, (_, file) = timed(label, cases, lambda n=count: run_study(plan, folder / str(n), Workers(n)))
            rows.append(row)
            table = load_table(file)
            for i, metrics in enumerate(expected):
                if any(table.metrics[key][i] != value for key, value in metrics.items()):
                    raise RuntimeError(f"case {i + 1}: study and loop disagree")
    return rows


def shares(plan: Plan, cases: int) -> dict[str, float]:
    """Processor time of a case in ms: the kernel, and everything around it by its parts."""
    spent: dict[str, float] = {}

    def clocked(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            began = time.thread_time()
            try:
                return work(*args, **kwargs)
            finally:
                spent[name] = spent.get(name, 0.0) + time.thread_time() - began

        return run

    parts = {"to_the_end": "kernel", "compile_scenario": "tables", "last_channels": "channels", "metrics_of": "metrics"}
    before = {name: getattr(simulation, name) for name in parts}
    run_case(plan, 1)
    try:
        for name, label in parts.items():
            setattr(simulation, name, clocked(label, before[name]))
        clocked("case", lambda: [run_case(plan, case) for case in range(2, 2 + cases)])()
    finally:
        for name, function in before.items():
            setattr(simulation, name, function)
    return {label: 1e3 * seconds / cases for label, seconds in spent.items()}


def print_shares(label: str, found: dict[str, float]) -> None:
    around = found["case"] - found["kernel"]
    words = ", ".join(f"{name} {found[name]:.1f}" for name in ("tables", "channels", "metrics"))
    share = f"{100.0 * around / found['case']:.1f} % of a case around the kernel"
    print(f"{label:<22}{found['case']:>7.1f} ms a case, kernel {found['kernel']:.1f} ms, {share} ({words} ms)")


def main() -> None:
    for row in measure(int(sys.argv[1]) if len(sys.argv) > 1 else 40):
        speed = f"{row['cases_per_hour']:>9.0f} cases an hour"
        print(f"{row['way']:<22}{speed}{row['processor_ms']:>9.1f} ms of processor a case")
    with tempfile.TemporaryDirectory() as name:
        print_shares("transient", shares(study_plan(Path(name), 40), 15))
    print_shares("IDSS study", shares(load_plan(ROOT / "studies" / "idss_nds.yaml"), 8))


if __name__ == "__main__":
    main()

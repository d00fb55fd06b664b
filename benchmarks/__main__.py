"""`python -m benchmarks [--quick] [--json FILE]`: measure, print tables, optionally keep the numbers."""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.contact import contact_steps, free_steps
from benchmarks.forward import forward
from benchmarks.mechanism import mechanism_forward, mechanism_steps, mujoco_installed
from benchmarks.scaling import scaling, step_costs
from benchmarks.start import startup

LIBRARIES = ("docksim", "numba", "numpy", "pin", "mujoco")
Rows = list[dict[str, Any]]
Columns = dict[str, Callable[..., str]]  # heading, and the text of a row


def measure(quick: bool) -> dict[str, Rows]:
    """All parts; a quick run has few repeats and small trees, and is for looking, not for quoting."""
    repeats, seconds = (3, 0.005) if quick else (101, 0.005)
    sizes = (10, 30, 100) if quick else (10, 20, 50, 100, 200, 500, 1000)
    scenarios = ("dock_and_undock", "station_visit", "boom_and_slosh")
    return {
        "forward": forward((10, 30), repeats, seconds),
        "scaling": scaling(sizes, repeats, seconds),
        "steps": step_costs(scenarios, (10, 30), repeats, seconds),
        "mechanism": mechanism_forward(("UPS", "RUS"), repeats, seconds),
        "mechanism_steps": mechanism_steps(("UPS", "RUS"), repeats, seconds),
        "contact": contact_steps(repeats, seconds),
        "contact_free": free_steps(repeats, seconds),
        "startup": startup(1 if quick else 5),
    }


FORWARD: Columns = {
    "tree": lambda row: row["tree"],
    "bodies": lambda row: str(row["bodies"]),
    "docksim": lambda row: f"{row['docksim_us']:.2f}",
    "aba": lambda row: f"{row['aba_us']:.2f}",
    "ratio": lambda row: f"{row['ratio']:.2f}",
    "median": lambda row: f"{row['ratio_median']:.2f} +- {0.5 * row['ratio_spread'] * row['ratio_median']:.2f}",
    "aba as called": lambda row: f"{row['aba_called_us']:.2f}",
    "ratio as called": lambda row: f"{row['ratio_called']:.2f}",
    "evaluate": lambda row: f"{row['evaluate_us']:.2f}",
    "agree to": lambda row: f"{row['disagreement']:.0e}",
}
STEPS: Columns = {
    "run": lambda row: row["run"],
    "bodies": lambda row: str(row["bodies"]),
    "integrator": lambda row: row["integrator"],
    "us a step": lambda row: f"{row['step_us']:.1f}",
    "times real time": lambda row: f"{row['times_real']:.0f}",
}
MECHANISM: Columns = {
    "legs": lambda row: row["legs"],
    "docksim": lambda row: f"{row['docksim_us']:.2f}",
    "with leg joints": lambda row: f"{row['with_joints_us']:.2f}",
    "evaluate": lambda row: f"{row['evaluate_us']:.2f}",
    "constraintDynamics": lambda row: f"{row['constraint_dynamics_us']:.2f}",
    "lcaba": lambda row: f"{row['lcaba_us']:.2f}",
    "ratio": lambda row: f"{row['ratio']:.2f}",
    "median": lambda row: f"{row['ratio_median']:.2f} +- {0.5 * row['ratio_spread'] * row['ratio_median']:.2f}",
    "plain": lambda row: f"{row['ratio_plain']:.2f}",
    "agree to": lambda row: f"{row['disagreement']:.0e}",
}
MECHANISM_STEPS: Columns = {
    "legs": lambda row: row["legs"],
    "code": lambda row: row["code"],
    "us a step": lambda row: f"{row['step_us']:.1f}",
    "ratio": lambda row: f"{row['ratio']:.2f}",
    "median": lambda row: f"{row['ratio_median']:.2f}",
    "closure gap, m": lambda row: f"{row['gap_m']:.0e}",
    "ring error, m": lambda row: f"{row['error_m']:.0e}",
}
CONTACT: Columns = {
    "code": lambda row: row["code"],
    "us a step": lambda row: f"{row['step_us']:.1f}",
    "times docksim": lambda row: f"{row['times']:.1f}",
    "median": lambda row: f"{row['times_median']:.1f}",
    "contacts": lambda row: f"{row['contacts']:.1f}",
}
CONTACT_FREE: Columns = {
    "scene": lambda row: row["scene"],
    "us a step": lambda row: f"{row['step_us']:.2f}",
    "ratio": lambda row: f"{row['ratio']:.3f}",
    "median": lambda row: f"{row['ratio_median']:.3f}",
}
STARTUP: Columns = {
    "what": lambda row: row["what"],
    "s": lambda row: f"{row['wall_s']:.2f}",
    "of processor time": lambda row: f"{row['processor_s']:.2f}",
}


def scaling_columns(sizes: list[int]) -> Columns:
    by_size: Columns = {str(n): lambda row, i=i: f"{row['passes_us'][i]:.1f}" for i, n in enumerate(sizes)}
    return {"shape": lambda row: row["shape"], **by_size, "exponent": lambda row: f"{row['exponent']:.3f}"}


def show(found: dict[str, Rows], console: Console) -> None:
    """The parts as tables."""
    console.print(table("forward dynamics of free-flyer trees, us: three passes and aba", FORWARD, found["forward"]))
    call = found["forward"][0]["call_us"]
    console.print(f"aba is free of the Python call, which costs {call:.2f} us; as called, it is not\n")
    sizes = scaling_columns(found["scaling"][0]["bodies"])
    console.print(table("three passes by number of bodies, us", sizes, found["scaling"]))
    console.print(table("steps of the whole loop", STEPS, found["steps"]))
    console.print(table("mechanism on a floating base, us: forward dynamics", MECHANISM, found["mechanism"]))
    console.print(table("chaser and mechanism: a step of rk4", MECHANISM_STEPS, found["mechanism_steps"]))
    if "contact" in found:
        console.print(table("chaser, mechanism, station: a step of 0.2 ms in contact", CONTACT, found["contact"]))
        console.print(table("the same between contacts: docksim, rk4", CONTACT_FREE, found["contact_free"]))
    if not mujoco_installed():
        console.print("MuJoCo is not installed: docksim's step stands alone (pip install mujoco)\n")
    console.print(table("processes, from start to end", STARTUP, found["startup"]))


def table(title: str, columns: Columns, rows: Rows) -> Table:
    made = Table(title=title, title_justify="left")
    for i, name in enumerate(columns):
        made.add_column(name, justify="left" if i == 0 else "right")
    for row in rows:
        made.add_row(*(text(row) for text in columns.values()))
    return made


def environment() -> dict[str, str]:
    """What the numbers depend on, and nothing that names the machine."""
    versions = {name: metadata.version(name) for name in LIBRARIES if _installed(name)}
    return {"machine": platform.machine(), "python": platform.python_version(), **versions}


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repeats, small trees")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the numbers")
    told = parser.parse_args(arguments)
    found = measure(told.quick)
    show(found, Console(width=120))
    if told.json:
        told.json.write_text(json.dumps({"environment": environment(), **found}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

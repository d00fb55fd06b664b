"""The search for a worst case against random cases, in four shipped boxes: rows of the table in docs/studies.md.

    python -m benchmarks.worst_cases --workers 2

Loads of the first impact do not depend on what comes after it, so runs are cut short; middle of the contact's band.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import yaml

from docksim.config.loading.files import data_root
from docksim.study.plan import Plan, load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.table import load_table
from docksim.study.worst_search import run_worst_search

BOXES = {"idss_nds": 2.0, "nds_box_18t": 2.0, "sast_apas": 2.0, "astp_apas": 3.0}  # and how long a run takes [s]
LOADS = ("compression_N", "shear_N", "bending_Nm", "torsion_Nm")
RANDOM, RUNS = 300, 150


def plan_of(name: str) -> Plan:
    """The study with short runs."""
    content = yaml.safe_load((data_root() / "studies" / f"{name}.yaml").read_text(encoding="utf-8"))
    changes = {**content.get("set", {}), "solver.duration_s": BOXES[name]}
    short = {"name": name, "set": changes, "limits": {}, "success": [], "band": False, "histories": "none"}
    base = str(data_root() / content["base"])
    use = [str(data_root() / file) for file in content["use"]]
    return load_plan({**content, **short, "base": base, "use": use, "metrics": ["dock.first_impact.*"]}, RANDOM)


def rows_of(name: str, workers: Workers, out: Path) -> None:
    """A row a load."""
    plan = plan_of(name)
    _, file = run_study(plan, out, workers)
    table = load_table(file)
    for load in LOADS:
        metric = f"dock.first_impact.peak_{load}"
        chance = float(np.nanmax(table.metric(metric)))
        answer = run_worst_search(plan, metric, out, RUNS, 2, workers)
        assert answer is not None
        worst = answer.worst
        figures = f"{chance:.0f} | {answer.largest_of_first:.0f} | {worst.value:.0f} | {worst.value / chance:.2f}"
        print(f"| `{name}` | {load} | {figures} | {worst.least:.0f} to {worst.largest:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--boxes", nargs="*", default=list(BOXES))
    asked = parser.parse_args()
    print("| box | load | random | first 48 | search | ratio | scatter |")
    for name in asked.boxes:
        with TemporaryDirectory() as folder:
            rows_of(name, Workers(asked.workers), Path(folder))


if __name__ == "__main__":
    main()

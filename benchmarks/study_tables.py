"""The table of docs/studies.md: runs the studies that come along and prints one row for each.

    python -m benchmarks.study_tables --cases 300 [--only idss_nds,idss_sxds] [--out results] [--workers 2]

Studies that are there already are gone on with. Times and loads are median / 95 % / largest; where loads are known over
the contact's band, the 95 % with soft and with stiff contact stand behind.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from docksim.config.loading.files import data_root
from docksim.study.plan import load_plan
from docksim.study.runner import Workers
from docksim.study.session import run_study
from docksim.study.summary import summarize_study
from docksim.study.table import Table, load_table

STUDIES = (
    "idss_nds", "idss_ibdm", "idss_sxds", "idss_apas", "idss_heavy", "nds_box_10t", "nds_box_18t", "sast_apas",
    "astp_apas", "mass_properties", "latch_tolerances",
)  # fmt: skip
LOADS = ("peak_tension_N", "peak_compression_N", "peak_shear_N", "peak_bending_Nm")
ENDS = (".band_low", ".band_high")


def row(table: Table) -> str:
    """Success with its interval, what was missed, time to capture, loads."""
    found = summarize_study(table)
    sure = found.success
    share = "" if sure is None else f"{sure.estimate:.3f} [{sure.low:.3f}, {sure.high:.3f}]"
    missed = ", ".join(f"{miss.name} {miss.cases}" for miss in found.missed if miss.cases) or "nothing"
    took = table.metric("dock.capture_s") - table.metric("dock.first_contact_s")
    cells = [f"`{table.study.name}`", f"{found.successes} of {found.cases}", share, missed, three(took, "{:.2f}")]
    return "| " + " | ".join([*cells, *(load(table, f"dock.{name}") for name in LOADS)]) + " |"


def load(table: Table, name: str) -> str:
    ends = [table.metrics[name + end] for end in ENDS if name + end in table.metrics]
    behind = " to ".join(f"{np.nanquantile(values, 0.95):.0f}" for values in ends)
    return three(table.metric(name), "{:.0f}") + (f" ({behind})" if ends else "")


def three(values: np.ndarray, form: str) -> str:
    if np.isnan(values).all():
        return "none"
    return " / ".join(form.format(value) for value in (*np.nanquantile(values, [0.5, 0.95]), np.nanmax(values)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--only", default=",".join(STUDIES))
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    for name in chosen.only.split(","):
        plan = load_plan(data_root() / "studies" / f"{name}.yaml", chosen.cases)
        _, file = run_study(plan, chosen.out, Workers(chosen.workers), resume=True)
        print(row(load_table(file)), flush=True)


if __name__ == "__main__":
    main()

"""Deadlines kept: the times of a paced docking next to a loop that only sleeps, in one run; and a soak.

    python -m benchmarks.realtime                        # a minute: the heaviest docking that is shipped, at 1 kHz
    python -m benchmarks.realtime --priority 80 --cpu 1  # with what the system grants
    python -m benchmarks.realtime --soak 600             # ten minutes with a bridge: is memory flat?

The bare loop runs before and after the docking, paced by the same code; what it shows is the system. Job times are on
the clock, as deadlines are, so another load of the machine counts.
"""

from __future__ import annotations

import argparse
import resource
import sys
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from docksim.config import load_scenario
from docksim.jobs.paced import Wish, run_scenario
from docksim.realtime.bridge import Link
from docksim.realtime.clock import MonotonicClock
from docksim.realtime.pacing import Record, pace
from docksim.realtime.privileges import real_time
from docksim.realtime.session import Pace
from docksim.realtime.timing import Spread, job_us, overshoot_us, spread

ROOT = Path(__file__).resolve().parents[1]
HEAVIEST = "dock_flexible_station"
BARE_CYCLES = 5000
MIB = 2**20


def bare(told: argparse.Namespace) -> Record:
    """A loop that only sleeps."""
    record = Record(BARE_CYCLES, 1e9 / told.rate)
    with real_time(told.priority, told.cpu):
        pace(lambda k: True, record, MonotonicClock(int(1e3 * told.spin)), "skip")
    return record


def distribution(told: argparse.Namespace, console: Console) -> None:
    scenario = load_scenario(ROOT / "scenarios" / f"{told.scenario}.yaml", changes(told))
    before = bare(told)
    rig = run_scenario(scenario, Wish(Pace(told.rate, "skip", told.priority, told.cpu, spin_us=told.spin)))
    after = bare(told)
    timing = rig.paced.timing
    table = Table(title=f"{told.scenario}, {timing.cycles} cycles at {told.rate:g} Hz, us", title_justify="left")
    for name in ("", "median", "99 %", "99.99 %", "worst", "median of period", "99.99 % of period"):
        table.add_column(name, justify="right")
    both = np.concatenate([overshoot_us(before), overshoot_us(after)])
    idle = np.concatenate([job_us(before), job_us(after)])
    rows = {"docking: job": timing.job, "docking: overshoot": timing.overshoot}
    for name, found in {**rows, "bare loop: job": spread(idle), "bare loop: overshoot": spread(both)}.items():
        table.add_row(name, *cells(found, timing.period_us))
    console.print(table)
    console.print(f"job overruns {timing.overruns}, late cycles {timing.late}, skipped periods {timing.skipped}, "
                  f"worst job at t = {timing.worst_job.time_s:.3f} s in phase {timing.worst_job.phase}")  # fmt: skip
    for line in rig.paced.granted:
        console.print(f"  {line}")


def cells(found: Spread, period_us: float) -> list[str]:
    values = (found.median_us, found.p99_us, found.p99_99_us, found.max_us)
    shares = (found.median_us / period_us, found.p99_99_us / period_us)
    return [f"{value:.1f}" for value in values] + [f"{share:.2%}" for share in shares]


def changes(told: argparse.Namespace) -> dict[str, float]:
    return {} if told.duration is None else {"solver.duration_s": told.duration}


def soak(told: argparse.Namespace, console: Console) -> None:
    """A docking that goes on after the hooks have closed, with a bridge; resident memory minute by minute."""
    import yaml

    keys = yaml.safe_load(load_scenario(ROOT / "scenarios" / "dock_nds.yaml").to_yaml())
    del keys["events"]["docked"]
    keys["solver"]["duration_s"] = told.soak
    sizes: list[tuple[int, float]] = []
    calls = [0]
    every = max(1, round(told.rate * told.soak / 20.0))

    def watch() -> bool:
        calls[0] += 1
        if calls[0] % every == 0:
            sizes.append((calls[0], resident()))
        return False

    wish = Wish(Pace(told.rate, "skip", told.priority, told.cpu), Link(("127.0.0.1", 0)), ["chaser.nose"],
                watcher=("127.0.0.1", 47002))  # fmt: skip
    timing = run_scenario(load_scenario(keys), wish, watch).paced.timing
    for k, size in sizes:
        console.print(f"cycle {k:8d}: {size / MIB:8.2f} MiB resident")
    console.print(f"grown from the second tenth to the end: {(sizes[-1][1] - sizes[1][1]) / 1024:.0f} KiB")
    job = f"median job {timing.job.median_us:.1f} us, 99.99 % {timing.job.p99_99_us:.1f} us"
    console.print(f"{timing.cycles} cycles, {job}, overruns {timing.overruns}, late {timing.late}")


def resident() -> float:
    """Bytes of this process in memory now; the largest so far where the system does not tell."""
    try:
        return float(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024.0


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.realtime", description=__doc__.splitlines()[0])
    parser.add_argument("--scenario", default=HEAVIEST)
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--duration", type=float, help="simulated seconds, instead of the scenario's")
    parser.add_argument("--priority", type=int)
    parser.add_argument("--cpu", type=int)
    parser.add_argument("--spin", type=float, default=0.0, metavar="US", help="wait awake for so long")
    parser.add_argument("--soak", type=float, metavar="S", help="only the soak, so many seconds")
    told = parser.parse_args(arguments)
    (soak if told.soak else distribution)(told, Console(width=120))


if __name__ == "__main__":
    main()

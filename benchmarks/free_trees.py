"""`python -m benchmarks.free_trees [--before REVISION] [--after REVISION]`: what trees without drives or closures pay.

The loop of shipped runs against an earlier version's, by default 0.5.0, the last one that had neither; sources are
taken out of git. Processes and codes take turns, as where a process has its tables counts too; the best run counts.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.start import ROOT, sources_of, timed_loop

BEFORE = "801b364"  # 0.5.0
SCENARIOS = ("tumbling_brick", "joint_gallery", "boom_and_slosh", "array_deployment")
RUNS = 5  # of a process


def seconds(name: str, ways: dict[str, tuple[Path, dict[str, str]]], processes: int) -> dict[str, float]:
    """Processor time of the loop, by code."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(processes):
        tasks = {way: timed_loop(sources, name, settings) for way, (sources, settings) in ways.items()}
        for _ in range(RUNS):
            best = {way: min(best[way], next(task)) for way, task in tasks.items()}
        for task in tasks.values():
            task.close()
    return best


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.free_trees", description=__doc__)
    parser.add_argument("--before", default=BEFORE, metavar="REVISION", help=f"what to compare with (default {BEFORE})")
    parser.add_argument("--after", metavar="REVISION", help="in place of what is here")
    parser.add_argument("--processes", type=int, default=8, metavar="N", help="of each code and run")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        ways: dict[str, tuple[Path, dict[str, str]]] = {"after": (ROOT, {})}
        for way, revision in (("before", told.before), ("after", told.after)):
            if revision is not None:
                sources = sources_of(revision, folder / way)
                if sources is None:
                    parser.error(f"git has no {revision} here: nothing to compare with")
                ways[way] = (sources, {"DOCKSIM_CACHE_DIR": str(folder / f"{way}_cache")})
        for name in SCENARIOS:
            best = seconds(name, ways, told.processes)
            ratio = best["after"] / best["before"]
            print(f"{name:18s} {best['before']:.4f} s before, {best['after']:.4f} s after: {ratio:.3f}", flush=True)


if __name__ == "__main__":
    main()

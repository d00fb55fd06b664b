"""Do dockings come out the same at an eighth of the step? Outcome, capture and the loads of the first impact.

    python -m benchmarks.contact_convergence                       # every shipped docking, to a second after capture
    python -m benchmarks.contact_convergence dock_nds dock_sxds    # some of them
    python -m benchmarks.contact_convergence --substeps 8          # with another number of contact substeps
    python -m benchmarks.contact_convergence --parts               # eight times as many substeps instead
    python -m benchmarks.contact_convergence --whole               # whole runs
    python -m benchmarks.contact_convergence --end high            # at the stiff end of the contact's band
    python -m benchmarks.contact_convergence --population 30       # peaks of whole runs, over seeded random approaches

Both the step and, with it, its contact substeps are cut. What a scenario does once a step then changes too: a sampled
servo needs one step to compute, so its delay shrinks; --parts leaves the step and cuts the substeps alone.
The first impact lasts until the surfaces part for the first time. Later ones are a rattle, in which small differences
grow: peaks of whole runs do not converge case by case, so their distribution over a population is compared. A load
counts against its own peak, or against a hundredth of its limit if that is more. Capture is timed from first contact.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ks_2samp

import docksim
from benchmarks.capture_statistics import BOXES, SYSTEMS, approaches
from benchmarks.capture_statistics import changes as case_changes
from docksim.compiler import compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.config.schema.band_ends import at_end
from docksim.config.schema.bands import ENDS, End
from docksim.kernel.loop import advance
from docksim.model import RUNNING
from docksim.result.result import Result
from docksim.simulation.run import simulate

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
FINER = 8
PAIR = "dock"
# in the order of the kernel's peaks, with a hundredth of the limits of the IDSS-like interface
LOADS = {"tension_N": 39.0, "compression_N": 35.0, "shear_N": 32.0, "bending_Nm": 28.0, "torsion_Nm": 15.0}
NORMAL_FLOOR = 35.0
AIM = 0.01


class Told(NamedTuple):
    """What is cut, and how far to run."""

    substeps: int | None = None  # contact substeps; as shipped if None
    parts: bool = False
    whole: bool = False
    end: End = "middle"  # of the bands of stiffness
    after_s: float = 1.0  # how long after capture, unless whole


@dataclass(frozen=True)
class Found:
    """Of one docking at one step."""

    outcome: str
    first_contact: float
    capture: float  # from first contact; nan if there is none
    normal: float  # peak of the first impact, of the features that bear most of it
    loads: np.ndarray  # peaks of the first impact, in the order of LOADS


def dockings() -> list[str]:
    """Every shipped scenario in which interfaces touch."""
    return [path.stem for path in sorted(SCENARIOS.glob("dock_*.yaml")) if load_scenario(path).contacts]


def step_changes(path: Path, finer: int, told: Told) -> dict[str, Any]:
    """Overrides that make a scenario's step, or its substeps, so many times shorter."""
    scenario = load_scenario(path)
    substeps = told.substeps or scenario.contacts[PAIR].substeps
    if told.parts:
        return {f"contacts.{PAIR}.substeps": substeps * finer}
    return {"solver.step_s": scenario.solver.step_s / finer, f"contacts.{PAIR}.substeps": substeps}


def first_impact(
    path: Path, changes: dict[str, Any], end: End = "middle", first: float = 0.0
) -> tuple[float, np.ndarray]:
    """Peaks of the normal force of one kind of feature, and of the loads, until the surfaces first part.

    They do not touch before `first` [s], and until then nothing is looked at.
    """
    scenario = at_end(load_scenario(path, changes), end)
    compiled = compile_scenario(scenario)
    model, state, log = compiled.model, compiled.state, compiled.new_log()
    work, own = new_work(model, state), state.contact[0]
    advance(model, state, work, log, max(int(first / scenario.solver.step_s) - 2, 0))
    normal, loads = 0.0, np.zeros(len(LOADS))
    while advance(model, state, work, log, 1) == RUNNING and own.touches < 2:
        normal, loads = float(own.group_peak[:4].max()), np.array(own.peak)
        if own.touches == 1 and not own.touching:
            break
    return normal, loads


def find(path: Path, finer: int, told: Told) -> Found:
    changes = step_changes(path, finer, told)
    over = [{"after": "captured", "delay_s": told.after_s}]
    end_of_case = {"events.end_of_case": {"when": over, "do": [{"stop": "captured", "outcome": "captured"}]}}
    ending = {} if told.whole else end_of_case
    result = simulate(at_end(load_scenario(path, changes | ending), told.end))
    first, captured = (number(result, f"{PAIR}.{name}_s") for name in ("first_contact", "capture"))
    normal, loads = first_impact(path, changes, told.end, first)
    return Found(result.outcome, first, captured - first if captured >= 0.0 else math.nan, normal, loads)


def number(result: Result, name: str) -> float:
    return float(result.metrics.get(name, -1.0))


# comparison


def load_differences(one: Found, reference: Found) -> np.ndarray:
    return np.abs(one.loads - reference.loads) / np.maximum(reference.loads, list(LOADS.values()))


def differences(one: Found, reference: Found) -> dict[str, float]:
    """Relative, by name; the time of capture is 0 where there is none in both."""
    times = 0.0
    if not (math.isnan(one.capture) and math.isnan(reference.capture)):
        times = abs(one.capture - reference.capture) / abs(reference.capture)
    return {
        "capture": times,
        "normal": abs(one.normal - reference.normal) / max(reference.normal, NORMAL_FLOOR),
        "loads": float(load_differences(one, reference).max()),
    }


def converged(one: Found, reference: Found) -> bool:
    """A time of capture that is nan in one of the two is not."""
    return one.outcome == reference.outcome and all(x < AIM for x in differences(one, reference).values())


def row(name: str, one: Found, reference: Found) -> str:
    found = differences(one, reference)
    outcome = one.outcome if one.outcome == reference.outcome else f"{one.outcome} / {reference.outcome}"
    worst = list(LOADS)[int(np.argmax(load_differences(one, reference)))]
    return (
        f"{name:24s} {outcome:24s} {one.capture:8.3f} {reference.capture:8.3f} {100.0 * found['capture']:7.2f} "
        f"{one.normal:9.1f} {reference.normal:9.1f} {100.0 * found['normal']:7.2f} "
        f"{100.0 * found['loads']:7.2f} {worst:14s} {'yes' if converged(one, reference) else 'NO'}"
    )


def compare(names: Iterable[str], told: Told, workers: int) -> None:
    print(f"{'docking':24s} {'outcome':24s} {'capture':>8s} {'fine':>8s} {'%':>7s} {'N':>9s} {'fine':>9s} {'%':>7s} "
          f"{'loads %':>7s} {'worst load':14s} within {AIM:.0%}")  # fmt: skip

    def both(name: str) -> str:
        path = SCENARIOS / f"{name}.yaml"
        return row(name, find(path, 1, told), find(path, FINER, told))

    with ThreadPoolExecutor(workers) as pool:
        for text in pool.map(both, names):
            print(text, flush=True)


# population


def population(system: str, cases: int, seed: int, told: Told, workers: int) -> None:
    """Median and 90th percentile of the peaks of whole runs, at both steps; Kolmogorov-Smirnov: are they alike?"""
    path, peaks = SYSTEMS[system], {}

    def run(case_and_finer: tuple[dict[str, Any], int]) -> list[float]:
        case, finer = case_and_finer
        result = docksim.run(path, case_changes(case, None, None) | step_changes(path, finer, told))
        return [float(result.outcome == "captured")] + [number(result, f"{PAIR}.peak_{load}") for load in LOADS]

    for finer in (1, FINER):
        with ThreadPoolExecutor(workers) as pool:
            both = [(case, finer) for case in approaches(BOXES["idss"], cases, seed)]
            peaks[finer] = np.array(list(pool.map(run, both)))
    print(f"{system}: {cases} approaches; captured {peaks[1][:, 0].sum():.0f}, fine {peaks[FINER][:, 0].sum():.0f}")
    print(f"{'peak':14s} {'median':>8s} {'fine':>8s} {'90 %':>8s} {'fine':>8s} {'case by case %':>15s} {'KS p':>6s}")
    for k, load in enumerate(LOADS, 1):
        one, fine = peaks[1][:, k], peaks[FINER][:, k]
        apart = np.median(np.abs(one - fine) / np.maximum(fine, LOADS[load]))
        low, high = (np.percentile(x, [50, 90]) for x in (one, fine))
        p = float(ks_2samp(one, fine).pvalue)
        print(f"{load:14s} {low[0]:8.1f} {high[0]:8.1f} {low[1]:8.1f} {high[1]:8.1f} {100.0 * apart:15.1f} {p:6.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Shipped dockings at their step and at an eighth of it.")
    parser.add_argument("names", nargs="*", help="scenarios; all dockings if none")
    parser.add_argument("--substeps", type=int, help="contact substeps, at both steps")
    parser.add_argument("--parts", action="store_true", help="cut the substeps, not the step")
    parser.add_argument("--whole", action="store_true", help="whole runs, not only to a second after capture")
    parser.add_argument("--end", choices=ENDS, default="middle", help="of the bands of contact stiffness")
    parser.add_argument("--population", type=int, metavar="CASES", help="peaks of whole runs instead")
    parser.add_argument("--system", choices=SYSTEMS, default="nds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    told = Told(args.substeps, args.parts, args.whole, args.end)
    if args.population:
        population(args.system, args.population, args.seed, told, args.workers)
    else:
        compare(args.names or dockings(), told, args.workers)


if __name__ == "__main__":
    main()

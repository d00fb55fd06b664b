"""How often a docking system captures, over seeded random approaches within a box of initial contact conditions.

    python -m benchmarks.capture_statistics nds                       # IDSS box, 300 cases
    python -m benchmarks.capture_statistics sxds --closing 0.06 0.10  # another band of closing rates
    python -m benchmarks.capture_statistics nds --box nds --mass 18000
    python -m benchmarks.capture_statistics sxds --corners            # every error at its limit at once
    python -m benchmarks.capture_statistics sxds --thrust 150         # post-contact thrust [N]

The state of the box is meant where the ports are MEET_M apart, about where petals meet; from there it is traced back to
the start of the run. Directions of lateral offset, lateral rate and tilt are random and independent; sizes are uniform
in the disc (offset, tilt) and in the interval (all else), as limits on vector sums ask for. A run ends a second after
capture, at a rebound, or after LONGEST_S.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import docksim
from docksim.result.result import Result

SCENARIOS = Path(__file__).resolve().parent.parent / "scenarios"
SYSTEMS = {name: SCENARIOS / f"dock_{name}.yaml" for name in ("nds", "sxds", "apas", "ibdm")}
MEET_M, START_M, LONGEST_S = 0.15, 0.35, 60.0
PEAKS = ("compression_N", "tension_N", "shear_N", "bending_Nm", "torsion_Nm")


class Case(NamedTuple):
    """What is kept of a run."""

    outcome: str
    reason: str
    metrics: dict[str, float | int | str]
    late_peak: bool  # the compression was largest after capture

    def number(self, name: str) -> float:
        return float(self.metrics[name])


class Box(NamedTuple):
    """Limits of the initial contact conditions; tilt is the vector sum of pitch and yaw."""

    closing_m_s: tuple[float, float]
    offset_m: float
    lateral_m_s: float
    roll_deg: float
    tilt_deg: float
    roll_deg_s: float = 0.2
    tilt_deg_s: float = 0.2


BOXES = {
    # International Docking System Standard, Rev. E, initial contact conditions
    "idss": Box((0.05, 0.10), 0.10, 0.04, 4.0, 4.0),
    # McFatter, Keiser, Rupp, NASA/CP-2018-219887, table 1
    "nds": Box((0.03, 0.06), 0.11, 0.04, 5.0, 5.0),
}


def turned(size: float, angle: float) -> np.ndarray:
    return size * np.array([math.cos(angle), math.sin(angle)])


def approaches(box: Box, cases: int, seed: int, corners: bool = False) -> Iterator[dict[str, Any]]:
    """Keys of `approach`, case by case; corners have every error at its limit and the slowest closing rate."""
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        angles = rng.uniform(0.0, 2.0 * math.pi, 4)
        part = np.ones(7) if corners else np.concatenate([np.sqrt(rng.uniform(size=2)), rng.uniform(size=5)])
        signs = rng.choice([-1.0, 1.0], 2)
        closing = box.closing_m_s[0] + (0.0 if corners else part[2] * (box.closing_m_s[1] - box.closing_m_s[0]))
        yield approach(
            closing,
            turned(part[0] * box.offset_m, angles[0]),
            turned(part[3] * box.lateral_m_s, angles[1]),
            np.array([signs[0] * part[4] * box.roll_deg, *turned(part[1] * box.tilt_deg, angles[2])]),
            np.array([signs[1] * part[5] * box.roll_deg_s, *turned(part[6] * box.tilt_deg_s, angles[3])]),
        )


def approach(
    closing: float, offset: np.ndarray, rate: np.ndarray, turn: np.ndarray, turn_rate: np.ndarray
) -> dict[str, Any]:
    """The state at MEET_M; the run begins at START_M."""
    keys: dict[str, Any] = {"distance_m": MEET_M, "start_distance_m": START_M, "closing_rate_m_s": closing}
    keys |= {"lateral_offset_m": offset.tolist(), "lateral_rate_m_s": rate.tolist()}
    names = ("roll", "pitch", "yaw")
    keys |= {f"{name}_deg": float(value) for name, value in zip(names, turn, strict=True)}
    return keys | {f"{name}_rate_deg_s": float(value) for name, value in zip(names, turn_rate, strict=True)}


def changes(case: dict[str, Any], mass: float | None, thrust: float | None) -> dict[str, Any]:
    """Overrides that make a case of a system's scenario."""
    captured = {"when": [{"after": "attenuate", "delay_s": 1.0}], "do": [{"stop": "captured", "outcome": "captured"}]}
    found: dict[str, Any] = {f"approach.{key}": value for key, value in case.items()}
    found |= {"events.end_of_case": captured, "solver.duration_s": LONGEST_S}
    found |= {"outputs.joint_loads": False, "outputs.every_s": 0.02}
    if mass is not None:
        found["vehicles.chaser.mass_kg"] = mass
    if thrust is not None:
        found["vehicles.chaser.thrusters.push"] = {"direction": [1.0, 0.0, 0.0], "force_N": thrust}
        fire = {"fire": {"thruster": "chaser.push", "duration_s": 4.0}}
        found["events.push"] = {"when": [{"after": "contact"}], "do": [fire]}
    return found


def run_case(system: str, case: dict[str, Any], mass: float | None, thrust: float | None) -> Case:
    result = docksim.run(SYSTEMS[system], changes(case, mass, thrust))
    return Case(result.outcome, result.reason, result.metrics, _late_peak(result))


def run_cases(
    system: str, cases: list[dict[str, Any]], mass: float | None = None, thrust: float | None = None, workers: int = 2
) -> list[Case]:
    """The runs of all cases."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda case: run_case(system, case, mass, thrust), cases))


def _late_peak(result: Result) -> bool:
    """Did the running peak of the compression still grow after the last latch had engaged?"""
    if "dock.capture_s" not in result.metrics:
        return False
    peak, after = result["dock.peak_compression_N"], result.time_s >= float(result.metrics["dock.capture_s"])
    return bool(peak[after][0] < peak[-1])


def table(runs: list[Case]) -> list[str]:
    """What came of them, as lines."""
    outcomes = Counter(run.outcome for run in runs)
    captured = [run for run in runs if run.outcome == "captured"]
    lines = [f"captured {len(captured)} of {len(runs)}; " + ", ".join(f"{n} {name}" for name, n in outcomes.items())]
    if captured:
        took = [run.number("dock.capture_s") - run.number("dock.first_contact_s") for run in captured]
        low, middle, high = np.percentile(took, [5, 50, 95])
        lines.append(f"first contact to capture: median {middle:.2f} s, 5 % {low:.2f} s, 95 % {high:.2f} s")
        late = sum(run.late_peak for run in captured)
        lines.append(f"largest compression after capture: in {late} of {len(captured)}")
    for load in PEAKS:
        peaks = [run.number(f"dock.peak_{load}") for run in runs]
        middle, high = np.percentile(peaks, [50, 95])
        lines.append(f"peak {load}: median {middle:.0f}, 95 % {high:.0f}, largest {max(peaks):.0f}")
    residual = max(run.number("budget.residual_of_approach") for run in runs)
    lines.append(f"energy residual: at most {residual:.1e} of the approach energy")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description="Capture statistics over random approaches.")
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--box", choices=BOXES, default="idss")
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--closing", type=float, nargs=2, help="band of closing rates [m/s]")
    parser.add_argument("--mass", type=float, help="of the chaser [kg]")
    parser.add_argument("--thrust", type=float, help="post-contact thrust [N]")
    parser.add_argument("--corners", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    box = BOXES[args.box]
    if args.closing:
        box = box._replace(closing_m_s=tuple(args.closing))
    cases = list(approaches(box, args.cases, args.seed, args.corners))
    runs = run_cases(args.system, cases, args.mass, args.thrust, args.workers)
    print("\n".join(table(runs)))
    for case, run in zip(cases, runs, strict=True):
        if run.outcome != "captured":
            print(f"  {run.outcome}: {run.reason} { ({k: np.round(v, 4).tolist() for k, v in case.items()}) }")


if __name__ == "__main__":
    main()

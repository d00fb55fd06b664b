"""Loads that act at once where one of them is at its peak: six components at an instant, for stress analysis.

The case with the largest peak, also over the contact's band where the study has run it, is run again: first as the
study ran it, which must give the table's numbers, then up to the peak with a row at every step. Of the two rows around
the peak, which was noted at substeps, the one nearer to it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from docksim.config.schema.band_ends import at_end
from docksim.config.schema.bands import End
from docksim.result.bands import BAND_HIGH, BAND_LOW
from docksim.result.result import Result
from docksim.simulation.run import simulate
from docksim.study.again import run_again
from docksim.study.plan import Plan
from docksim.study.table import Table

# what of force and moment each load is made of
PARTS = {
    "tension_N": ("force", (0,)),
    "compression_N": ("force", (0,)),
    "shear_N": ("force", (1, 2)),
    "bending_Nm": ("moment", (1, 2)),
    "torsion_Nm": ("moment", (0,)),
}
PEAK = re.compile(rf"([\w-]+)\.peak_({'|'.join(PARTS)})")


@dataclass(frozen=True)
class Concurrent:
    """All six components at one instant, of the first port of a pair on the second."""

    metric: str
    case: int
    time_s: float
    peak: float  # over all substeps
    load: float  # of the row
    force_N: tuple[float, ...]
    moment_Nm: tuple[float, ...]
    port: str  # whose force on its mate, on its axes


def concurrent_loads(table: Table, plan: Plan, names: Sequence[str]) -> Iterator[Concurrent]:
    """A set for each of these metrics that is the peak of a load across a pair of interfaces, and for the others of
    the pair that the table has."""
    runs: dict[tuple[int, End], Result] = {}
    pairs = dict.fromkeys(match[1] for match in map(PEAK.fullmatch, names) if match)
    others = [peak for pair in pairs for load in PARTS if (peak := f"{pair}.peak_{load}") in table.metrics]
    for name in dict.fromkeys([*names, *others]):
        match = PEAK.fullmatch(name)
        if match is None or (largest := _largest(table, name)) is None:
            continue
        metric, case, end = largest
        middle = runs[case, "middle"] = runs.get((case, "middle")) or run_again(table, plan, case)
        if (case, end) not in runs:
            runs[case, end] = simulate(at_end(middle.scenario, end))
        yield _at_peak(runs[case, end], metric, case, match[1], match[2])


def _largest(table: Table, name: str) -> tuple[str, int, End] | None:
    """Where a load is largest over the cases and the contact's band: its name there, case and end."""
    names: dict[End, str] = {"middle": name, "low": name + BAND_LOW, "high": name + BAND_HIGH}
    known = [(table.worst(own, 1), own, end) for end, own in names.items() if own in table.metrics]
    loads = [(value, own, case, end) for worst, own, end in known for case, value in worst if value > 0.0]
    return max(loads)[1:] if loads else None


def _at_peak(result: Result, metric: str, case: int, pair: str, load: str) -> Concurrent:
    peak = f"{pair}.peak_{load}"
    end_s = float(result.time_s[_reached(result, peak)])
    scenario = result.scenario
    solver = scenario.solver.model_copy(update={"duration_s": max(end_s, scenario.solver.step_s)})
    outputs = scenario.outputs.model_copy(update={"every_s": solver.step_s})
    dense = simulate(scenario.model_copy(update={"solver": solver, "outputs": outputs}))
    row = _reached(dense, peak)
    group, parts = PARTS[load]
    force, moment = dense.channel(f"{pair}.load_force_N"), dense.channel(f"{pair}.load_moment_Nm")
    acting = np.sqrt(np.sum((force if group == "force" else moment).data[:, parts] ** 2, axis=1))
    row = max((max(row - 1, 0), row), key=lambda i: float(acting[i]))
    return Concurrent(
        metric=metric,
        case=case,
        time_s=float(dense.time_s[row]),
        peak=float(result[peak][-1]),
        load=float(acting[row]),
        force_N=tuple(map(float, force.data[row])),
        moment_Nm=tuple(map(float, moment.data[row])),
        port=scenario.contacts[pair].ports[0],
    )


def _reached(result: Result, peak: str) -> int:
    """The first row by which the peak so far is that of the whole run."""
    return int(np.argmax(result[peak] >= result[peak][-1]))

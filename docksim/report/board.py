"""What a review board asks of a study: its box, masses, margins, outcomes with intervals, the worst cases with all
inputs, loads that act together, and every figure that is an estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from docksim.config.loading.files import data_root
from docksim.config.schema.dispersions import Cone, Disc, Discrete, LogNormal, Normal, TruncatedNormal, Uniform
from docksim.config.schema.fields import Inertia
from docksim.config.schema.placement import mass_centre
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Vehicle
from docksim.config.units import unit_of
from docksim.result.docking import mass_of
from docksim.result.result import ResultError
from docksim.result.summary_text import number
from docksim.study.again import plan_of
from docksim.study.concurrent import Concurrent, concurrent_loads
from docksim.study.plan import Plan
from docksim.study.summary import probability
from docksim.study.table import Table
from docksim.study.transforms import Dispersed

MOST_WORST = 3
Cells = list[list[str]]


@dataclass(frozen=True)
class Title:
    """Whose page it is; what is empty is left out."""

    title: str = ""
    author: str = ""
    revision: str = ""

    @property
    def rows(self) -> list[tuple[str, str]]:
        given = [("author", self.author), ("revision", self.revision)]
        return [*((name, text) for name, text in given if text), ("date", datetime.now(UTC).strftime("%Y-%m-%d"))]


@dataclass(frozen=True)
class Worst:
    """The worst cases of a metric, a column each: the metric, outcome, what was missed, all inputs."""

    metric: str
    cases: list[str]
    rows: Cells


@dataclass(frozen=True)
class BoardFacts:
    """Beside the statistics: what was put in, and what is to be designed for."""

    box: Cells
    masses: Cells
    margins: Cells
    outcomes: Cells
    worst: list[Worst]
    concurrent: Cells
    ports: str
    estimates: list[tuple[str, str, str]]
    notes: list[str]


def board_facts(table: Table, names: Sequence[str], told: Mapping[str, Any], runs: bool = True) -> BoardFacts:
    """Of a study's table and what it keeps of its making; with `runs`, worst cases are run again for their loads."""
    notes: list[str] = []
    try:
        plan: Plan | None = plan_of(table)
    except ResultError as error:
        plan, notes = None, [str(error)]
    loads: list[Concurrent] = []
    if plan is not None and runs:
        try:
            loads = list(concurrent_loads(table, plan, names))
        except ResultError as error:
            notes.append(f"no loads that act together: {error}")
    return BoardFacts(
        box=box_rows(table, plan, told),
        masses=[] if plan is None else mass_rows(plan.loaded.base),
        margins=list(margin_rows(table)),
        outcomes=list(outcome_rows(table)),
        worst=[worst_of(table, name) for name in names],
        concurrent=[_loads_row(one) for one in loads],
        ports=", ".join(dict.fromkeys(one.port for one in loads)),
        estimates=estimate_rows(told),
        notes=notes,
    )


# ---------------------------------------------------------------- what was put in


def box_rows(table: Table, plan: Plan | None, told: Mapping[str, Any]) -> Cells:
    """Key, distribution, limits, unit, and where it is written."""
    nominal = dict(zip(plan.keys, plan.loaded.nominal, strict=True)) if plan is not None else {}
    rows = []
    for item in table.study.dispersions:
        words, limits = distribution_of(item, nominal)
        keys = ", ".join(item.targets)
        place = told.get("dispersed", {}).get(item.targets[0], "")
        rows.append([keys, words, limits, unit_of(item.targets[0]), str(place)])
    for axis in [*table.study.grid, *table.study.sweep]:
        kind = "grid" if table.study.grid else "sweep"
        rows.append([axis.key, f"{kind}, {len(axis.values)} values", _span(axis.values), unit_of(axis.key), ""])
    return rows


def distribution_of(item: Dispersed, nominal: Mapping[str, Any]) -> tuple[str, str]:
    """A distribution in words, and its limits."""
    base = [nominal.get(key) for key in item.targets]
    match item:
        case Uniform():
            return "uniform", f"{item.low:g} to {item.high:g}"
        case Normal():
            return f"normal, mean {_of(item.mean, base)}, sigma {item.sigma:g}", "none"
        case TruncatedNormal():
            return (
                f"normal, mean {_of(item.mean, base)}, sigma {item.sigma:g}, cut off",
                f"{item.low:g} to {item.high:g}",
            )
        case LogNormal():
            return f"log-normal, median {_of(item.median, base)}, sigma of the logarithm {item.sigma_log:g}", "above 0"
        case Discrete():
            weights = f", weights {', '.join(f'{one:g}' for one in item.weights)}" if item.weights else ""
            return f"one of these{weights}", _span(item.values)
        case Disc():
            x, y = item.center if item.center is not None else base
            return f"uniform over a disc about ({number(x)}, {number(y)})", f"vector sum at most {item.radius:g}"
        case Cone():
            return "uniform over a cone about the base's direction", f"half-angle {item.half_angle_deg:g} deg"


def _of(value: float | None, base: Sequence[Any]) -> str:
    return number(base[0] if value is None else value)


def _span(values: Sequence[Any]) -> str:
    if len(values) > 6 and all(isinstance(value, int | float) for value in values):
        return f"{min(values):g} to {max(values):g}"
    return ", ".join(str(value) for value in values)


def mass_rows(scenario: Scenario) -> Cells:
    """Every vehicle as a whole, and the bodies that it is made of."""
    rows = []
    for name, vehicle in scenario.vehicles.items():
        rows.append([f"{name}, all of it", f"{mass_of(vehicle):.6g}", _vector(mass_centre(vehicle)), "", ""])
        base = [f"{vehicle.mass_kg:.6g}", _vector(vehicle.center_of_mass_m), *_moments(vehicle.inertia_kg_m2)]
        rows.append([f"{name}: base body", *base])
        rows += list(_parts(name, vehicle))
    return rows


def _parts(name: str, vehicle: Vehicle) -> Iterator[list[str]]:
    for own, body in vehicle.bodies.items():
        yield [f"{name}.{own}", f"{body.mass_kg:.6g}", _vector(body.center_of_mass_m), *_moments(body.inertia_kg_m2)]
    for own, beam in vehicle.beams.items():
        yield [f"{name}.{own}: beam with its tip", f"{beam.mass_kg + beam.tip_mass_kg:.6g}", "", "", ""]
    for own, wheel in vehicle.wheels.items():
        yield [f"{name}.{own}: wheel", f"{wheel.mass_kg:.6g}", _vector(wheel.position_m), "", ""]
    if vehicle.mechanism is not None:
        ring = vehicle.mechanism.ring
        inertia = _moments(ring.inertia_kg_m2)
        yield [f"{name}: ring of the mechanism", f"{ring.mass_kg:.6g}", _vector(ring.center_of_mass_m), *inertia]


def _vector(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def _moments(inertia: Inertia) -> tuple[str, str]:
    products = (inertia.xy, inertia.xz, inertia.yz)
    return _vector((inertia.xx, inertia.yy, inertia.zz)), _vector(products) if any(products) else "0"


def estimate_rows(told: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Every line of the used files that says that a figure is an estimate: what it says, the values, the place."""
    rows = []
    for one in told.get("estimates", []):
        values = "; ".join(f"{key} {value}" for key, value in one["values"].items())
        rows.append((str(one["text"]), values, f"{one['file']}:{one['line']}".removeprefix(f"{data_root()}/")))
    return rows


# ---------------------------------------------------------------- what came of it


def margin_rows(table: Table) -> Iterator[list[str]]:
    """Metric, limit, the largest over cases and the contact's band, the margin limit / largest - 1, its case."""
    for name, limit in table.study.limits.items():
        values = table.over_band(name)
        if not len(values) or np.all(np.isnan(values)):
            yield [name, f"{limit:g}", "no figure", "", ""]
            continue
        i = int(np.nanargmax(values))
        largest = float(values[i])
        margin = f"{limit / largest - 1.0:+.3f}" if largest > 0.0 else "unlimited"
        yield [name, f"{limit:g}", f"{largest:.5g}", margin, str(int(table.case[i]))]


def outcome_rows(table: Table) -> Iterator[list[str]]:
    """Success, every outcome and everything that was missed: cases, share with its interval."""
    yield ["success", *_counted(table, table.success)]
    for word in sorted(set(table.outcome)):
        yield [f"outcome {word}", *_counted(table, table.outcome == word)]
    for miss in table.misses():
        yield [f"missed: {miss.name}", *_counted(table, np.array([miss.name in own for own in table.missed], bool))]


def _counted(table: Table, hits: np.ndarray) -> list[str]:
    share = probability(table, hits)
    return [f"{int(hits.sum())} of {len(hits)}", "" if share is None else share.text]


def worst_of(table: Table, metric: str) -> Worst:
    """The cases with the largest values, at the end of the contact's band where they are, with all their inputs."""
    ends = {metric: table.metric(metric), **table.ends(metric)}
    worst = max(ends, key=lambda name: float(np.nan_to_num(ends[name], nan=-np.inf).max()))
    cases = table.worst_cases(worst, MOST_WORST)
    rows = [int(np.flatnonzero(table.case == one.case)[0]) for one in cases]
    lines = [
        *([name, *(f"{values[i]:.6g}" for i in rows)] for name, values in ends.items()),
        ["outcome", *(one.outcome for one in cases)],
        ["missed", *(", ".join(one.missed) or "nothing" for one in cases)],
    ]
    lines += [[key, *(number(one.inputs[key]) for one in cases)] for key in table.inputs]
    return Worst(worst, [f"case {one.case}" for one in cases], lines)


def _loads_row(one: Concurrent) -> list[str]:
    numbers = [*one.force_N, *one.moment_Nm]
    return [one.metric, f"{one.peak:.5g}", *(f"{x:.4g}" for x in numbers), f"{one.time_s:.4f}", str(one.case)]

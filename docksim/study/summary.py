"""What a study says: success with its interval, why cases fail, loads with tolerance limits, what drives them.

Percentiles and tolerance limits are those of the cases that have the metric. Grids and sweeps are not samples of
anything: they have counts and extremes, no probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from docksim.study.plan import REDRAWS
from docksim.study.reference import fast_notes
from docksim.study.sensitivity import MISSING, SobolIndex, dropped_blocks, has_salib, sobol_indices
from docksim.study.statistics import (
    CONFIDENCE,
    COVERAGE,
    Interval,
    clopper_pearson,
    correlation_threshold,
    quantile_interval,
    rank_correlation,
    replicated,
    replicated_probability,
    tolerance_limit,
    tolerance_sample_size,
    upper_bound,
)
from docksim.study.table import Miss, Table

PERCENTILES = (0.5, 0.95, 0.99)


@dataclass(frozen=True)
class Exceedance:
    """How often a metric is beyond its limit; `at_most` bounds the probability from above, for random sampling."""

    limit: float
    count: int
    cases: int
    probability: Interval | None
    at_most: float | None


@dataclass(frozen=True)
class MetricStatistics:
    """One metric over the cases that have it."""

    name: str
    cases: int
    mean: Interval
    sigma: float
    smallest: float
    largest: float
    worst_case: int
    percentiles: dict[float, Interval]
    tolerance: tuple[float, int] | None
    exceedance: Exceedance | None
    ends: tuple[MetricStatistics, ...] = ()  # the same with soft and with stiff contact

    def __str__(self) -> str:
        words = f"{self.name}: mean {self.mean.estimate:.5g}, largest {self.largest:.5g} in case {self.worst_case}"
        beyond = self.exceedance
        return words if beyond is None else f"{words}, {beyond.count} of {beyond.cases} beyond {beyond.limit:g}"


@dataclass(frozen=True)
class Driver:
    """A dispersed key that a metric goes with."""

    key: str
    coefficient: float
    significant: bool


@dataclass(frozen=True, repr=False)
class StudySummary:
    """Everything `docksim study summary` shows."""

    name: str
    sampling: str
    planned: int
    cases: int
    successes: int
    success: Interval | None
    outcomes: dict[str, int]
    missed: list[Miss]
    metrics: list[MetricStatistics]
    drivers: dict[str, list[Driver]]
    sensitivity: dict[str, list[SobolIndex]]
    cases_per_worker_hour: float | None
    notes: list[str]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __repr__(self) -> str:
        success = "" if self.success is None else f", {self.success.text} at {CONFIDENCE:.0%}"
        lines = [f"{self.name}: {self.cases} of {self.planned} cases, {self.successes} successful{success}"]
        lines += [f"  missed: {miss.name}: {miss.cases} cases" for miss in self.missed if miss.cases]
        lines += [f"  {item}" for item in self.metrics]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])


def summarize_study(table: Table, metrics: Iterable[str] = (), confidence: float = CONFIDENCE) -> StudySummary:
    """The summary of a study; statistics of the given metrics, of those with limits, or of all if there are none."""
    names = list(metrics) or list(table.study.limits) or [name for name in table.own_metrics() if name != REDRAWS]
    outcomes = {str(name): int(np.sum(table.outcome == name)) for name in sorted(set(table.outcome))}
    return StudySummary(
        name=table.study.name,
        sampling=table.study.sampling if table.is_sample else ("grid" if table.study.grid else "sweep"),
        planned=table.planned,
        cases=len(table),
        successes=int(table.success.sum()),
        success=probability(table, table.success, confidence),
        outcomes=outcomes,
        missed=table.misses(),
        metrics=[item for name in names if (item := metric_statistics(table, name, confidence)) is not None],
        drivers=_all_drivers(table, names) if table.is_sample else {},
        sensitivity=sensitivity(table, names, confidence),
        cases_per_worker_hour=3600.0 / float(np.mean(table.wall_s)) if len(table.wall_s) else None,
        notes=notes(table, names),
    )


def probability(table: Table, hits: np.ndarray, confidence: float = CONFIDENCE) -> Interval | None:
    """The share of cases as a probability; None where the study is no sample, or a design is not complete."""
    if not table.is_sample or not len(table):
        return None
    if table.study.is_random:
        return clopper_pearson(int(hits.sum()), len(hits), confidence)
    groups = table.replicates(hits)
    return None if groups is None else replicated_probability(groups, confidence)


def metric_statistics(table: Table, name: str, confidence: float = CONFIDENCE) -> MetricStatistics | None:
    """None if no case has the metric."""
    values = table.metric(name)
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    quantiles = {share: quantile_interval(known, share, confidence) for share in PERCENTILES}
    if not table.study.is_random:
        quantiles = {share: _bare(quantile.estimate) for share, quantile in quantiles.items()}
    return MetricStatistics(
        name=name,
        cases=len(known),
        mean=mean_interval(table, values, confidence),
        sigma=float(np.std(known, ddof=1)) if len(known) > 1 else math.nan,
        smallest=float(known.min()),
        largest=float(known.max()),
        worst_case=int(table.case[int(np.nanargmax(values))]),
        percentiles=quantiles,
        tolerance=tolerance_limit(known, COVERAGE, confidence) if table.study.is_random else None,
        exceedance=exceedance(table, name, confidence),
        ends=tuple(item for end in table.ends(name) if (item := metric_statistics(table, end, confidence)) is not None),
    )


def mean_interval(table: Table, values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """Student's t: over cases of a random sample, over replicates of a design."""
    known = values[~np.isnan(values)]
    if not table.is_sample or len(known) < 2:
        return _bare(float(known.mean()))
    if table.study.is_random:
        student = replicated([np.array([value]) for value in known], confidence)
        return replace(student, method="Student's t, for large samples")
    groups = table.replicates(values) if len(known) == len(values) else None
    return _bare(float(known.mean())) if groups is None else replicated(groups, confidence)


def _bare(estimate: float) -> Interval:
    return Interval(estimate, math.nan, math.nan, "no interval")


def exceedance(table: Table, name: str, confidence: float = CONFIDENCE) -> Exceedance | None:
    """Cases beyond the limit that the study sets, anywhere in the contact's band, as in success. A case without the
    metric counts as beyond: it did not end well."""
    limit = table.study.limits.get(name)
    if limit is None:
        return None
    values = table.over_band(name)
    beyond = ~(values <= limit)
    count, cases = int(beyond.sum()), len(beyond)
    bound = upper_bound(count, cases, confidence) if table.study.is_random else None
    return Exceedance(limit, count, cases, probability(table, beyond, confidence), bound)


def _all_drivers(table: Table, names: list[str]) -> dict[str, list[Driver]]:
    """Of success, where cases differ in it, and of the metrics."""
    own = {name: drivers(table, table.metric(name)) for name in names}
    success = drivers(table, table.success.astype(float))
    return {"success": success, **own} if success else own


def drivers(table: Table, values: np.ndarray) -> list[Driver]:
    """Dispersed keys by the size of their rank correlation with these values, one a case."""
    known = ~np.isnan(values)
    numeric = {key: column for key, column in table.inputs.items() if column.dtype != object}
    points = int(known.sum())
    if table.study.sampling == "saltelli":
        # a block repeats the values of its two points
        points = points * 2 // (len(table.study.factors) + 2)
    threshold = correlation_threshold(points, len(numeric))
    rhos = {key: rank_correlation(column[known], values[known]) for key, column in numeric.items()}
    varying = [Driver(key, rho, abs(rho) > threshold) for key, rho in rhos.items() if not math.isnan(rho)]
    return sorted(varying, key=lambda driver: -abs(driver.coefficient))


def sensitivity(table: Table, names: list[str], confidence: float = CONFIDENCE) -> dict[str, list[SobolIndex]]:
    """Sobol indices of success and of the metrics that vary, for a complete study of that design."""
    if table.study.sampling != "saltelli" or len(table) != table.planned or not has_salib():
        return {}
    every = {"success": sobol_indices(table, table.success.astype(float), confidence)}
    every |= {name: sobol_indices(table, table.metric(name), confidence) for name in names}
    return {name: indices for name, indices in every.items() if indices}


def _saltelli_notes(table: Table, names: list[str]) -> list[str]:
    if not has_salib():
        return [MISSING]
    if len(table) != table.planned:
        return ["Sobol indices need the whole design"]
    dropped = {name: dropped_blocks(table, table.metric(name)) for name in names}
    why = "blocks left out that have a case without it"
    return [f"Sobol indices of {name}: {count} {why}" for name, count in dropped.items() if count]


def _early_notes(table: Table) -> list[str]:
    """Cases that ended before the loads of hard docking, where hooks were to close."""
    later = [values for name, values in table.metrics.items() if name.endswith(".hard_dock_s")]
    count = int(np.sum((table.outcome == "captured") & np.isnan(later).any(axis=0))) if later else 0
    text = f"{count} cases ended captured, before hooks closed: peaks are those up to there, not of what follows"
    without = {name: int(np.isnan(table.metric(name)).sum()) for name in table.study.limits if len(table)}
    unknown = [name for name, count in without.items() if count == len(table)]
    some = [(name, count) for name, count in without.items() if 0 < count < len(table)]
    return [
        *([text] if count else []),
        *(f"{name}: no case has a figure, so its limit says nothing" for name in unknown),
        *(f"{name}: {count} cases without a figure count as beyond its limit" for name, count in some),
    ]


def notes(table: Table, names: list[str]) -> list[str]:
    """What a careful reader must know."""
    said = fast_notes(table)
    missing = table.planned - len(table)
    if missing:
        said.append(f"{missing} of {table.planned} cases have not run yet; --resume runs them")
    if table.makers > 1:
        said.append(f"rows come from {table.makers} different versions of docksim, its libraries or the machine")
    needed = tolerance_sample_size()
    if table.study.is_random and len(table) < needed:
        said.append(f"a tolerance limit ({COVERAGE:.0%} of cases, {CONFIDENCE:.0%} confidence) needs {needed} cases")
    if table.is_sample and not table.study.is_random:
        said.append(
            f"{table.study.sampling}: cases are not independent; intervals are from {table.study.replicates} "
            "replicates, percentiles have none, and tolerance limits need random sampling"
        )
    said += _saltelli_notes(table, names) if table.study.sampling == "saltelli" else []
    if not table.is_sample:
        said.append("a grid or a sweep is not a sample: shares of cases are no probabilities")
    if table.study.band is False:
        said.append("loads are those of the middle of the contact's band, as the study says (band: false)")
    if REDRAWS in table.metrics:
        again = int(np.nansum(table.metrics[REDRAWS]))
        said.append(f"redrawn {again} of {again + len(table)} draws, which were no first contacts")
    said += _early_notes(table)
    for outcome in ("too slow", "invalid", "diverged", "inaccurate", "failed"):
        count = int(np.sum(table.outcome == outcome))
        if count:
            said.append(f"{count} cases {outcome}: counted as not successful, without metrics")
    return said

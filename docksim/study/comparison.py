"""Two studies side by side, with a statement of significance.

Probabilities: Fisher's exact test; if cases of equal number have equal inputs (same seed and dispersions), such pairs
are compared instead, by McNemar's exact test, which is much sharper. Metrics: the rank-sum test of Mann and Whitney, or
for pairs Wilcoxon's signed ranks. p-values of several metrics are corrected by Holm's method.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.stats import binomtest, fisher_exact, mannwhitneyu, wilcoxon

from docksim.result.result import ResultError
from docksim.study.statistics import CONFIDENCE, Interval, clopper_pearson
from docksim.study.table import Table


@dataclass(frozen=True)
class Difference:
    """One quantity in both studies."""

    name: str
    first: float
    second: float
    p_value: float
    significant: bool
    test: str

    def statement(self) -> str:
        sign = "differs" if self.significant else "no significant difference"
        return f"{self.name}: {self.first:.6g} and {self.second:.6g}, {sign} (p = {self.p_value:.2g}, {self.test})"


@dataclass(frozen=True, repr=False)
class Comparison:
    """Success and metrics of two studies."""

    paired: bool
    first: Interval
    second: Interval
    success: Difference
    missed: list[tuple[str, int, int]]  # what cases missed, and how many in each
    metrics: list[Difference]

    def __repr__(self) -> str:
        how = "the same samples in both: compared case by case" if self.paired else "different samples"
        lines = [how, self.success.statement()]
        lines += [f"  missed: {name}: {first} and {second} cases" for name, first, second in self.missed]
        return "\n".join([*lines, *(difference.statement() for difference in self.metrics)])


def compare(first: Table, second: Table, metrics: Iterable[str] = (), confidence: float = CONFIDENCE) -> Comparison:
    """Compare two random studies; of their metrics, those given, or those that both have limits for, or all common."""
    for table in (first, second):
        if not table.study.is_random or not len(table):
            raise ResultError(f"{table.file}: only studies with random sampling, and cases, can be compared by tests")
    paired = same_samples(first, second)
    if paired:
        first, second = _common(first, second)
    names = list(metrics) or [name for name in first.study.limits if name in second.metrics]
    names = names or [name for name in first.own_metrics() if name in second.metrics]
    rates = [clopper_pearson(int(t.success.sum()), len(t), confidence) for t in (first, second)]
    if paired:
        only_first = int(np.sum(first.success & ~second.success))
        differ = only_first + int(np.sum(second.success & ~first.success))
        p = float(binomtest(only_first, differ, 0.5).pvalue) if differ else 1.0
        test = f"McNemar, {differ} of {len(first)} pairs differ"
    else:
        counts = [[int(t.success.sum()), int((~t.success).sum())] for t in (first, second)]
        p, test = float(fisher_exact(counts).pvalue), "Fisher"
    success = Difference("success", rates[0].estimate, rates[1].estimate, p, p < 1.0 - confidence, test)
    a, b = ({miss.name: miss.cases for miss in table.misses() if miss.cases} for table in (first, second))
    missed = [(name, a.get(name, 0), b.get(name, 0)) for name in dict.fromkeys([*a, *b])]
    differences = _metric_differences(first, second, names, paired, confidence)
    return Comparison(paired, rates[0], rates[1], success, missed, differences)


def same_samples(first: Table, second: Table) -> bool:
    """Whether equal case numbers have equal inputs, so that the rest of the scenario makes the difference."""
    if list(first.inputs) != list(second.inputs):
        return False
    _, i, j = np.intersect1d(first.case, second.case, return_indices=True)
    return len(i) > 0 and all(np.array_equal(first.inputs[k][i], second.inputs[k][j]) for k in first.inputs)


def _common(first: Table, second: Table) -> tuple[Table, Table]:
    _, i, j = np.intersect1d(first.case, second.case, return_indices=True)

    def rows(table: Table, chosen: np.ndarray) -> Table:
        return replace(
            table,
            case=table.case[chosen],
            outcome=table.outcome[chosen],
            reason=table.reason[chosen],
            missed=tuple(table.missed[i] for i in chosen),
            inputs={key: column[chosen] for key, column in table.inputs.items()},
            metrics={name: column[chosen] for name, column in table.metrics.items()},
        )

    return rows(first, i), rows(second, j)


def _metric_differences(
    first: Table, second: Table, names: list[str], paired: bool, confidence: float
) -> list[Difference]:
    tests = [(name, *_metric_test(first.metric(name), second.metric(name), paired)) for name in names]
    tests = [item for item in tests if not math.isnan(item[3])]
    corrected = holm([item[3] for item in tests])
    return [
        Difference(name, a, b, p, p < 1.0 - confidence, test)
        for (name, a, b, _, test), p in zip(tests, corrected, strict=True)
    ]


def _metric_test(first: np.ndarray, second: np.ndarray, paired: bool) -> tuple[float, float, float, str]:
    """Medians, the p-value and the test; NaN if there is nothing to test."""
    if paired:
        both = ~np.isnan(first) & ~np.isnan(second)
        first, second = first[both], second[both]
    else:
        first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    if not len(first) or not len(second):
        return math.nan, math.nan, math.nan, ""
    a, b = float(np.median(first)), float(np.median(second))
    if paired:
        p = 1.0 if np.array_equal(first, second) else float(wilcoxon(first, second).pvalue)
        return a, b, p, "Wilcoxon's signed ranks, medians"
    return a, b, float(mannwhitneyu(first, second).pvalue), "Mann-Whitney, medians"


def holm(p_values: list[float]) -> list[float]:
    """p-values corrected for their number (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, largest = [0.0] * len(p_values), 0.0
    for position, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - position) * p_values[i]))
        corrected[i] = largest
    return corrected

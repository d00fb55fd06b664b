"""Fast cases beside the reference: of a fast study some cases run with fixed steps and to their own end as well.

They are a study of their own in the file `reference.sqlite` beside the table. What differs is said with every summary:
outcomes, first impacts and times case by case; later peaks scatter by themselves, so of those only the mean counts,
which is a matter for `docksim study compare`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from docksim.study.table import Table, load_table

REFERENCE = "reference.sqlite"
# case by case alike, if fast cases are any good, and by how much at most
FIRST_IMPACT = ".first_impact.peak_compression_N"
TIMES = (".first_contact_s", ".capture_s")
BOUND = 0.015


@dataclass(frozen=True)
class Agreement:
    """What fast cases have in common with the same cases run the reference way."""

    cases: int
    outcomes: int  # of them that are the same
    first_impact: dict[str, tuple[float, float]]  # by metric: relative difference, median and largest
    times_s: dict[str, float]  # largest difference

    @property
    def holds(self) -> bool:
        """Do outcomes agree, and first impacts to 1.5 %?"""
        return self.outcomes == self.cases and all(largest <= BOUND for _, largest in self.first_impact.values())

    @property
    def text(self) -> str:
        """In one line."""
        words = [f"{self.outcomes} of {self.cases} outcomes agree"]
        for name, (median, largest) in self.first_impact.items():
            words.append(f"{name} differs by {median:.2%} (median), {largest:.2%} (largest)")
        words += [f"{name} by {largest:.2g} s" for name, largest in self.times_s.items()]
        return "; ".join(words)


def checked_cases(done: set[int], every: int) -> list[int]:
    """Of the cases that have run those that run the reference way: the first of each so many."""
    return [case for case in sorted(done) if (case - 1) % every == 0]


def reference_file(file: Path) -> Path:
    """Where they go, beside the table of a study."""
    return file.with_name(REFERENCE)


def agreement(table: Table) -> Agreement | None:
    """How a fast study compares with its reference cases; None if there are none."""
    file = reference_file(table.file)
    if table.study.fast is None or not file.is_file():
        return None
    other = load_table(file)
    _, mine, theirs = np.intersect1d(table.case, other.case, return_indices=True)
    if not len(mine):
        return None
    both = [name for name in table.own_metrics() if name in other.metrics]
    first, times = {}, {}
    for name in both:
        a, b = table.metrics[name][mine], other.metrics[name][theirs]
        known = ~(np.isnan(a) | np.isnan(b))
        if name.endswith(FIRST_IMPACT) and (known := known & (b > 0.0)).any():
            off = np.abs(a[known] / b[known] - 1.0)
            first[name] = (float(np.median(off)), float(off.max()))
        elif name.endswith(TIMES) and known.any():
            times[name] = float(np.abs(a[known] - b[known]).max())
    same = int(np.sum(table.outcome[mine] == other.outcome[theirs]))
    return Agreement(len(mine), same, first, times)


def fast_notes(table: Table) -> list[str]:
    """What a reader of a fast study must know."""
    fast = table.study.fast
    if fast is None:
        return []
    said = [f"fast: {fast.text}"]
    compared = agreement(table)
    if compared is not None:
        told = f"1 case in {fast.check_every} with fixed steps as well: {compared.text}"
        worse = "; that is not good enough: lessen fast.tolerance, or leave fast out"
        said.append(told if compared.holds else told + worse)
    return said

"""What rows have in common: captures counted, and counts held against a share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from docksim.study.statistics import clopper_pearson
from docksim.validation.bench import Told
from docksim.validation.row import Finding


def captured(runs: Sequence[Told]) -> int:
    """How many ended with all latches holding, no stop passed."""
    return sum(told.outcome in ("captured", "hard-docked") for told in runs)


def share(successes: int, cases: int, least: float = 0.0, most: float = 1.0) -> Finding:
    """A count against bounds on its share; whole cases, so 99 % of 6 are all 6."""
    interval = clopper_pearson(successes, cases)
    words = f"{successes} of {cases} (95 %: {100 * interval.low:.1f} to {100 * interval.high:.1f} %)"
    part = successes / cases
    figures = {"successes": successes, "cases": cases, "share": part, "low": interval.low, "high": interval.high}
    curves = {"share": part, "low": interval.low, "high": interval.high, "least": least, "most": most, "cases": cases}
    return Finding(words, least <= part <= most, figures, curves)


def outcomes(runs: Sequence[Told]) -> str:
    """Every outcome with its count."""
    return ", ".join(f"{number} {word}" for word, number in Counter(told.outcome for told in runs).most_common())

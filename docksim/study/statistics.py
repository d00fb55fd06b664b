"""Statements about a distribution from a sample of it, without assuming its shape.

Exact binomial limits (Clopper and Pearson 1934), order statistics as limits of quantiles and as tolerance limits (Wilks
1941): with confidence c at least the share p of all cases lies below the limit. These need independent cases, that is
random sampling. A Latin hypercube or Sobol study is not that; its interval comes from its replicates (Student's t), and
where all replicates agree, from the binomial: a Latin hypercube of m cases is never worse than m - 1 random ones (Owen
1997), so that is the cautious side; for Sobol points it is what experience says, not a theorem.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

CONFIDENCE = 0.95
COVERAGE = 0.95


@dataclass(frozen=True)
class Interval:
    """An estimate between two limits, and the method in words."""

    estimate: float
    low: float
    high: float
    method: str
    confidence: float = CONFIDENCE

    @property
    def half_width(self) -> float:
        return 0.5 * (self.high - self.low)

    @property
    def text(self) -> str:
        """0.97 [0.95, 0.98], or 0.97 where there are no limits."""
        limits = "" if math.isnan(self.low) else f" [{self.low:.4g}, {self.high:.4g}]"
        return f"{self.estimate:.4g}{limits}"


# ---------------------------------------------------------------- probabilities


def clopper_pearson(successes: int, cases: int, confidence: float = CONFIDENCE) -> Interval:
    """Exact two-sided binomial limits; its coverage is at least the confidence for every probability."""
    if not 0 <= successes <= cases:
        raise ValueError(f"{successes} successes of {cases} cases")
    tail = 0.5 * (1.0 - confidence)
    low = 0.0 if successes == 0 else _beta(successes, cases - successes + 1, tail)
    high = 1.0 if successes == cases else _beta(successes + 1, cases - successes, 1.0 - tail)
    estimate = successes / cases if cases else math.nan
    return Interval(estimate, low, high, "Clopper-Pearson, exact for random sampling", confidence)


def _beta(a: float, b: float, share: float) -> float:
    """The quantile of a beta distribution."""
    from scipy.special import betaincinv

    return float(betaincinv(a, b, share))


def student(freedom: float, share: float) -> float:
    """The quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, share))


def upper_bound(successes: int, cases: int, confidence: float = CONFIDENCE) -> float:
    """One-sided: the probability is below this, with confidence."""
    return 1.0 if successes == cases else _beta(successes + 1, cases - successes, confidence)


def replicated(groups: Sequence[np.ndarray], confidence: float = CONFIDENCE) -> Interval:
    """Limits of a mean from independent designs of equal size: Student's t on the means of the designs."""
    means = np.array([float(np.mean(group)) for group in groups])
    count = len(means)
    estimate = float(np.mean(means))
    reach = student(count - 1, 0.5 + 0.5 * confidence) * float(np.std(means, ddof=1)) / math.sqrt(count)
    return Interval(estimate, estimate - reach, estimate + reach, f"Student's t on {count} replicates", confidence)


def replicated_probability(groups: Sequence[np.ndarray], confidence: float = CONFIDENCE) -> Interval:
    """The same for a share of cases; where all replicates agree, their spread says nothing: the binomial stands in."""
    interval = replicated(groups, confidence)
    if interval.low == interval.high:
        cases = sum(len(group) for group in groups)
        exact = clopper_pearson(int(sum(np.sum(group) for group in groups)), cases, confidence)
        method = f"all {len(groups)} replicates agree: Clopper-Pearson, cautious for a design"
        return replace(exact, method=method)
    return replace(interval, low=max(interval.low, 0.0), high=min(interval.high, 1.0))


# ---------------------------------------------------------------- quantiles


def tolerance_sample_size(
    coverage: float = COVERAGE, confidence: float = CONFIDENCE, rank: int = 1, two_sided: bool = False
) -> int:
    """The fewest random cases whose rank-th largest value is an upper tolerance limit: 59 for 95/95 and the largest.

    Two-sided: the rank-th smallest and the rank-th largest together (93 for 95/95).
    """
    taken = 2 * rank if two_sided else rank
    fewest = taken
    while not _tolerance_confidence(fewest, coverage, taken) >= confidence:
        fewest *= 2
    low = fewest // 2
    while fewest - low > 1:
        middle = (low + fewest) // 2
        enough = _tolerance_confidence(middle, coverage, taken) >= confidence
        low, fewest = (low, middle) if enough else (middle, fewest)
    return fewest


def _tolerance_confidence(cases: int, coverage: float, taken: int) -> float:
    """P(at most n - taken of n values lie inside the share `coverage`)."""
    from scipy.stats import binom

    return float(binom.cdf(cases - taken, cases, coverage))


def tolerance_rank(cases: int, coverage: float = COVERAGE, confidence: float = CONFIDENCE) -> int:
    """The largest r such that the r-th largest of the values is an upper tolerance limit; 0 if there are too few."""
    rank = 0
    low, high = 0, cases
    while low <= high:
        middle = (low + high) // 2
        if middle == 0 or _tolerance_confidence(cases, coverage, middle) >= confidence:
            rank, low = middle, middle + 1
        else:
            high = middle - 1
    return rank


def tolerance_limit(
    values: np.ndarray, coverage: float = COVERAGE, confidence: float = CONFIDENCE
) -> tuple[float, int] | None:
    """The upper limit that the share `coverage` of all cases keeps with this confidence, and its rank from the top."""
    rank = tolerance_rank(len(values), coverage, confidence)
    return (float(np.sort(values)[-rank]), rank) if rank else None


def quantile_interval(values: np.ndarray, share: float, confidence: float = CONFIDENCE) -> Interval:
    """A quantile between two order statistics; infinite where the sample is too small to bound it."""
    from scipy.stats import binom

    ordered, count = np.sort(values), len(values)
    estimate = float(np.quantile(ordered, share)) if count else math.nan
    tail = 0.5 * (1.0 - confidence)
    # the k-th smallest lies above the quantile with P(B < k), below it with P(B >= k), B the number of values below
    below = int(binom.ppf(tail, count, share)) if count else 0
    above = int(binom.ppf(1.0 - tail, count, share)) + 1 if count else 1
    low = float(ordered[below - 1]) if below >= 1 else -math.inf
    high = float(ordered[above - 1]) if above <= count else math.inf
    return Interval(estimate, low, high, "order statistics, exact for random sampling", confidence)


# ---------------------------------------------------------------- sensitivity


def rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's coefficient, ties ranked by their mean; NaN where one of them does not vary."""
    if len(x) < 3:
        return math.nan
    from scipy.stats import rankdata

    a, b = rankdata(x), rankdata(y)
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale > 0.0 else math.nan


def correlation_threshold(cases: int, tests: int = 1, confidence: float = CONFIDENCE) -> float:
    """The size beyond which a rank correlation is not chance, for this many coefficients looked at (Bonferroni)."""
    if cases < 4:
        return 1.0
    t = student(cases - 2, 1.0 - 0.5 * (1.0 - confidence) / max(tests, 1))
    return t / math.sqrt(cases - 2 + t * t)

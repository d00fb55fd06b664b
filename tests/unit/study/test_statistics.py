"""Intervals and limits hold what they promise: exact sums where there are some, else a thousand synthetic studies."""

import math

import numpy as np
import pytest
from scipy import stats

from docksim.study.sampling import DesignSampler
from docksim.study.statistics import (
    clopper_pearson,
    correlation_threshold,
    quantile_interval,
    rank_correlation,
    replicated,
    replicated_probability,
    tolerance_limit,
    tolerance_rank,
    tolerance_sample_size,
    upper_bound,
)

STUDIES = 1000
# a share of 1000 studies has a standard error of 0.7 % at 95 %: two of its points are within 93 to 97 % nearly always
COVERED = (0.93, 0.97)


def coverage_of_binomial(n: int, p: float) -> float:
    """The exact probability that the interval holds p."""
    k = np.arange(n + 1)
    inside = [clopper_pearson(int(i), n).low <= p <= clopper_pearson(int(i), n).high for i in k]
    return float(stats.binom.pmf(k, n, p) @ np.array(inside))


@pytest.mark.parametrize("n", [1, 5, 30, 200])
@pytest.mark.parametrize("p", [0.001, 0.05, 0.3, 0.5, 0.9, 0.99])
def test_binomial_interval_never_covers_less_than_it_says(n: int, p: float) -> None:
    assert coverage_of_binomial(n, p) >= 0.95


def test_binomial_interval_covers_hardly_more_than_it_says_in_a_large_study() -> None:
    assert COVERED[0] <= coverage_of_binomial(1000, 0.9) <= COVERED[1]


def test_binomial_interval_has_the_published_values() -> None:
    # the rule of three, exactly: no failure in n cases
    assert clopper_pearson(0, 100).high == pytest.approx(1 - 0.025 ** (1 / 100), rel=1e-12)
    assert upper_bound(0, 59) == pytest.approx(1 - 0.05 ** (1 / 59), rel=1e-12)
    assert (clopper_pearson(0, 10).low, clopper_pearson(10, 10).high) == (0.0, 1.0)
    # the limits by their definition: tails of exactly 2.5 %
    found = clopper_pearson(37, 41)
    assert stats.binom.sf(36, 41, found.low) == pytest.approx(0.025, rel=1e-9)
    assert stats.binom.cdf(37, 41, found.high) == pytest.approx(0.025, rel=1e-9)
    assert (found.low, found.high) == pytest.approx(stats.binomtest(37, 41).proportion_ci()[:2], rel=1e-9)


@pytest.mark.parametrize(
    ("coverage", "confidence", "rank", "two_sided", "expected"),
    # Wilks' numbers, as they stand in every table of tolerance limits
    [(0.95, 0.95, 1, False, 59), (0.95, 0.95, 2, False, 93), (0.95, 0.95, 1, True, 93), (0.99, 0.95, 1, False, 299),
     (0.95, 0.95, 3, False, 124), (0.99, 0.99, 1, False, 459), (0.9, 0.9, 1, False, 22)],
)  # fmt: skip
def test_sample_sizes_for_tolerance_limits_are_the_published_ones(
    coverage: float, confidence: float, rank: int, two_sided: bool, expected: int
) -> None:
    assert tolerance_sample_size(coverage, confidence, rank, two_sided) == expected


def test_tolerance_rank_grows_exactly_where_the_sample_size_allows() -> None:
    assert [tolerance_rank(n) for n in (58, 59, 92, 93, 123, 124)] == [0, 1, 1, 2, 2, 3]
    assert tolerance_limit(np.arange(58.0)) is None
    assert tolerance_limit(np.arange(93.0)) == (91.0, 2)


def test_tolerance_limits_hold_in_95_of_100_synthetic_studies() -> None:
    rng = np.random.default_rng(2)
    kept = [tolerance_limit(rng.exponential(size=93))[0] >= -math.log(0.05) for _ in range(STUDIES)]
    # with 93 cases the confidence is 95.0 %, by the sum of binomials
    assert COVERED[0] <= np.mean(kept) <= COVERED[1]


@pytest.mark.parametrize(("share", "n"), [(0.5, 400), (0.95, 800)])
def test_quantile_intervals_cover_the_quantile(share: float, n: int) -> None:
    rng = np.random.default_rng(4)
    true = stats.lognorm(0.5).ppf(share)
    found = [quantile_interval(rng.lognormal(0.0, 0.5, n), share) for _ in range(STUDIES)]
    assert COVERED[0] <= np.mean([item.low <= true <= item.high for item in found]) <= COVERED[1] + 0.01


def test_quantile_that_a_sample_cannot_bound_has_no_limit() -> None:
    assert quantile_interval(np.arange(20.0), 0.99).high == math.inf


def design(kind: str, seed: int, replicates: int = 8, size: int = 32) -> np.ndarray:
    """Points of a replicated design, (replicates, size, 2)."""
    sampler = DesignSampler(kind, seed, 2, replicates * size, replicates)
    return np.array([sampler.design(i) for i in range(replicates)])


@pytest.mark.parametrize("kind", ["latin_hypercube", "sobol"])
def test_replicated_intervals_cover_the_mean_and_the_probability(kind: str) -> None:
    means, shares = [], []
    for seed in range(STUDIES):
        u = design(kind, seed)
        found = replicated(list(np.exp(u).prod(axis=2)))
        means.append(found.low <= (math.e - 1) ** 2 <= found.high)
        found = replicated_probability(list(u.sum(axis=2) < 1.7))
        shares.append(found.low <= 1 - 0.3**2 / 2 <= found.high)
    assert COVERED[0] <= np.mean(means) <= COVERED[1]
    # a share of 32 cases comes in steps, which makes the interval a little cautious
    assert COVERED[0] <= np.mean(shares) <= COVERED[1] + 0.02


def test_replicates_that_agree_do_not_pretend_to_certainty() -> None:
    found = replicated_probability([np.ones(32, bool)] * 8)
    assert (found.estimate, found.high) == (1.0, 1.0)
    assert found.low == clopper_pearson(256, 256).low
    assert "agree" in found.method


def test_rank_correlation_is_that_of_scipy_and_ignores_monotone_distortion() -> None:
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=200), 1)  # with ties
    y = x + rng.normal(size=200)
    assert rank_correlation(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert rank_correlation(x, np.exp(y)) == rank_correlation(x, y)
    assert math.isnan(rank_correlation(x, np.zeros(200)))


def test_correlations_of_pure_noise_seldom_look_significant() -> None:
    rng = np.random.default_rng(1)
    keys, cases, wrong = 8, 100, 0
    threshold = correlation_threshold(cases, keys)
    for _ in range(400):
        y = rng.normal(size=cases)
        wrong += any(abs(rank_correlation(rng.normal(size=cases), y)) > threshold for _ in range(keys))
    # one study in twenty at most; 400 studies have a standard error of 1.1 %
    assert wrong / 400 < 0.05 + 3 * 0.011

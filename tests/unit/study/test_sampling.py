"""Samplers and distributions: the right marginals, correlations and directions, and cases that depend on their number.

Tests of distributions use fixed seeds and the Kolmogorov-Smirnov distance. Its 99.9 % point is 1.95 / sqrt(n); with a
sampler that is right a fixed seed passes for good, with one that is wrong by a few per cent it fails at these sizes.
"""

import math

import numpy as np
import pytest
from scipy import stats

from docksim.config.schema.dispersions import (
    Cone,
    Correlation,
    Disc,
    Discrete,
    LogNormal,
    Normal,
    TruncatedNormal,
    Uniform,
)
from docksim.study.sampling import DesignSampler, RandomSampler
from docksim.study.transforms import Transform, values_of

N = 8_000


def ks_limit(n: int) -> float:
    return 1.95 / math.sqrt(n)


def points(n: int, dimensions: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).random((n, dimensions))


MARGINALS = [
    (Normal(type="normal", key="k", mean=3.0, sigma=2.0), stats.norm(3.0, 2.0)),
    (Normal(type="normal", key="k", sigma=2.0), stats.norm(7.0, 2.0)),
    (Uniform(type="uniform", key="k", low=-1.0, high=4.0), stats.uniform(-1.0, 5.0)),
    (LogNormal(type="log_normal", key="k", median=5.0, sigma_log=0.3), stats.lognorm(0.3, scale=5.0)),
    (
        TruncatedNormal(type="truncated_normal", key="k", mean=1.0, sigma=2.0, low=0.0, high=2.5),
        stats.truncnorm(-0.5, 0.75, 1.0, 2.0),
    ),
    (
        # far in the upper tail, where 1 - P has no digits left
        TruncatedNormal(type="truncated_normal", key="k", mean=0.0, sigma=1.0, low=9.0, high=11.0),
        stats.truncnorm(9.0, 11.0),
    ),
    (
        TruncatedNormal(type="truncated_normal", key="k", mean=0.0, sigma=1.0, low=-11.0, high=-9.0),
        stats.truncnorm(-11.0, -9.0),
    ),
]


@pytest.mark.parametrize(("dispersion", "expected"), MARGINALS, ids=lambda x: type(x).__name__)
def test_value_is_the_quantile_of_its_distribution(dispersion, expected) -> None:
    for u in (1e-6, 0.01, 0.3, 0.5, 0.77, 0.999, 1 - 1e-9):
        value = values_of(dispersion, [u], [7.0])[0]
        # an independent implementation of the same quantile; cdf(value) has the digits of u
        assert value == pytest.approx(expected.ppf(u), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("dispersion", "expected"), MARGINALS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("kind", ["random", "latin_hypercube", "sobol"])
def test_samples_have_the_marginal_distribution(kind: str, dispersion, expected) -> None:
    n = 2048
    sampler = RandomSampler(5, 1) if kind == "random" else DesignSampler(kind, 5, 1, n, 2)
    values = [values_of(dispersion, sampler.point(case), [7.0])[0] for case in range(1, n + 1)]
    assert stats.kstest(values, expected.cdf).statistic < ks_limit(n)


def test_truncated_values_stay_inside_their_limits_at_the_very_ends() -> None:
    item = TruncatedNormal(type="truncated_normal", key="k", mean=0.0, sigma=1.0, low=30.0, high=60.0)
    for u in (2.0**-54, 0.5, 1 - 2.0**-53):
        assert 30.0 <= values_of(item, [u], [0.0])[0] <= 60.0


def test_discrete_values_come_by_their_weights() -> None:
    item = Discrete(type="discrete", key="k", values=["rk4", 2, True], weights=[1.0, 2.0, 5.0])
    found = [values_of(item, [u], [None])[0] for u in (np.arange(800) + 0.5) / 800]
    assert [found.count("rk4"), found.count(2), sum(value is True for value in found)] == [100, 200, 500]


def test_disc_is_uniform_over_its_area() -> None:
    item = Disc(type="disc", keys=["a", "b"], radius=0.1, center=(2.0, -1.0))
    xy = np.array([values_of(item, u, [0.0, 0.0]) for u in points(N, 2)]) - [2.0, -1.0]
    r = np.hypot(*xy.T)
    assert r.max() <= 0.1 * (1 + 1e-12)
    # area inside a radius goes with its square; a radius drawn uniformly would miss by 0.25
    assert stats.kstest((r / 0.1) ** 2, "uniform").statistic < ks_limit(N)
    assert stats.kstest((np.arctan2(xy[:, 1], xy[:, 0]) / (2 * np.pi)) % 1.0, "uniform").statistic < ks_limit(N)
    # along any chord direction, too: the coordinate of a uniform disc has the semicircle law
    assert stats.kstest(xy @ [0.6, 0.8], stats.semicircular(scale=0.1).cdf).statistic < ks_limit(N)


@pytest.mark.parametrize("half_angle_deg", [0.01, 4.0, 60.0, 180.0])
def test_cone_of_a_vector_is_uniform_over_the_solid_angle(half_angle_deg: float) -> None:
    item = Cone(type="cone", keys=["x", "y", "z"], half_angle_deg=half_angle_deg)
    axis = np.array([0.3, -2.0, 0.7])
    vectors = np.array([values_of(item, u, axis) for u in points(3000, 2)])
    # the vector only turns; 1e-14 is a few roundings
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), np.linalg.norm(axis), rtol=1e-14)
    check_cap(vectors / np.linalg.norm(axis), axis / np.linalg.norm(axis), half_angle_deg)


@pytest.mark.parametrize("half_angle_deg", [0.5, 4.0, 30.0])
def test_cone_of_yaw_and_pitch_is_uniform_over_the_solid_angle(half_angle_deg: float) -> None:
    item = Cone(type="cone", keys=["yaw", "pitch"], half_angle_deg=half_angle_deg)
    nominal = [179.0, 40.0]
    yaw, pitch = np.array([values_of(item, u, nominal) for u in points(3000, 2)]).T
    check_cap(pointing(yaw, pitch), pointing(*map(np.atleast_1d, nominal))[0], half_angle_deg)
    # no jump by a turn: yaw stays near its nominal value
    assert np.abs(yaw - 179.0).max() < 90.0


def pointing(yaw_deg: np.ndarray, pitch_deg: np.ndarray) -> np.ndarray:
    """The x axis after a turn about z and one about the new y."""
    y, p = np.radians(yaw_deg), np.radians(pitch_deg)
    return np.column_stack([np.cos(y) * np.cos(p), np.sin(y) * np.cos(p), -np.sin(p)])


def check_cap(directions: np.ndarray, axis: np.ndarray, half_angle_deg: float) -> None:
    half = np.radians(half_angle_deg)
    # 1 - cos by half the chord squared: digits for narrow cones
    height = 0.5 * np.sum((directions - axis) ** 2, axis=1)
    full = 2.0 * np.sin(half / 2) ** 2
    assert height.max() <= full * (1 + 1e-6)
    # area of a cap goes with its height (Archimedes)
    assert stats.kstest(height / full, "uniform").statistic < ks_limit(len(directions))
    side = np.cross(axis, [1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    azimuth = np.arctan2(directions @ np.cross(axis, side), directions @ side)
    assert stats.kstest((azimuth / (2 * np.pi)) % 1.0, "uniform").statistic < ks_limit(len(directions))


def test_correlated_keys_have_their_correlation_and_keep_their_marginals() -> None:
    items = [
        Normal(type="normal", key="a", mean=1.0, sigma=2.0),
        Uniform(type="uniform", key="b", low=0.0, high=1.0),
        Disc(type="disc", keys=["d", "e"], radius=1.0),
        Normal(type="normal", key="c", mean=0.0, sigma=0.1),
    ]
    matrix = [[1.0, 0.8, -0.5], [0.8, 1.0, -0.2], [-0.5, -0.2, 1.0]]
    transform = Transform(items, [Correlation(keys=["c", "a", "b"], matrix=matrix)], [0.0] * 5)
    assert transform.dimensions == 5
    a, b, d, _, c = np.array([transform.values(u) for u in points(N, 5)]).T
    # standard error of a correlation near 0.8: (1 - rho^2) / sqrt(N) = 0.004; two and a half of them
    assert np.corrcoef(a, c)[0, 1] == pytest.approx(0.8, abs=0.01)
    # between a normal and a uniform key the rank correlation follows from the copula
    for x, y, rho in ((a, b, -0.2), (c, b, -0.5)):
        assert stats.spearmanr(x, y).statistic == pytest.approx(6 / np.pi * np.arcsin(rho / 2), abs=0.028)
    assert abs(stats.spearmanr(a, d).statistic) < 0.028  # 2.5 / sqrt(N): the disc stays independent
    assert stats.kstest(a, stats.norm(1.0, 2.0).cdf).statistic < ks_limit(N)
    assert stats.kstest(b, "uniform").statistic < ks_limit(N)


def test_random_case_depends_on_seed_and_number_alone() -> None:
    one, other = RandomSampler(5, 6), RandomSampler(5, 6)
    forward = [one.point(case).tobytes() for case in range(1, 50)]
    backward = [other.point(case).tobytes() for case in range(49, 0, -1)]
    assert forward == backward[::-1]
    assert RandomSampler(5, 3).point(7).tobytes() == one.point(7)[:3].tobytes()  # a further dispersion changes no other
    assert one.point(7).tobytes() == np.random.default_rng([5, 7]).random(6).tobytes()
    assert RandomSampler(6, 6).point(7).tobytes() != one.point(7).tobytes()


@pytest.mark.parametrize("kind", ["latin_hypercube", "sobol"])
def test_every_replicate_of_a_design_fills_every_stratum_once(kind: str) -> None:
    replicates, size = 4, 64
    sampler = DesignSampler(kind, 11, 5, replicates * size, replicates)
    rows = np.array([sampler.point(case) for case in range(1, replicates * size + 1)])
    blocks = rows.reshape(replicates, size, 5)
    for block in blocks:
        for column in block.T:
            assert sorted(np.floor(column * size).astype(int)) == list(range(size))
    # replicates are different designs
    assert not np.array_equal(np.sort(blocks[0], axis=0), np.sort(blocks[1], axis=0))
    again = DesignSampler(kind, 11, 5, replicates * size, replicates)
    assert all(again.point(case).tobytes() == rows[case - 1].tobytes() for case in (256, 3, 130, 1))


@pytest.mark.parametrize("kind", ["random", "latin_hypercube", "sobol"])
def test_mean_of_a_sum_scatters_as_the_sampler_should(kind: str) -> None:
    n, d, replicates, studies = 128, 4, 2, 60
    means = []
    for seed in range(studies):
        sampler = RandomSampler(seed, d) if kind == "random" else DesignSampler(kind, seed, d, n, replicates)
        means.append(np.mean([sampler.point(case).sum() for case in range(1, n + 1)]))
    # random cases: variance d / 12 over n; a design leaves of it only the place within one of m strata, 1 / m^2
    strata = 1 if kind == "random" else n // replicates
    # a standard deviation from 60 studies has a relative error of 1 / sqrt(120), 9 %; three of them
    assert np.std(means) == pytest.approx(math.sqrt(d / 12 / n) / strata, rel=0.28)


def test_sobol_points_fill_every_elementary_box_once() -> None:
    # what makes it more than a Latin hypercube: in the first two dimensions every box of area 1 / 64 holds one point
    sampler = DesignSampler("sobol", 4, 2, 128, 2)
    for i in range(2):
        x, y = sampler.design(i).T
        for bits in range(7):
            boxes = np.floor(x * 2**bits) * 2 ** (6 - bits) + np.floor(y * 2 ** (6 - bits))
            assert sorted(boxes.astype(int)) == list(range(64)), bits

"""Points of the unit cube, one a case: random, Latin hypercube, Sobol, Saltelli. Cases count from 1.

The rules, on which the repeatability of every study rests:
- random: case n is the stream numpy.random.default_rng([seed, n]); it depends on seed and n alone, so a study can be
  made longer, cut short or filled in, in any order; the r-th redraw of a case is the stream of [seed, n, r];
- latin_hypercube, sobol: a study of N cases is R independent designs of N / R cases one after the other; case n depends
  on (seed, N, R, n). Latin hypercube: a random order of N / R strata in each dimension, a random place in each stratum.
  Sobol: the Joe-Kuo sequence; the digits that tell the points of a design apart are shifted by a random number in each
  dimension (a digital shift), and every point has a random place of its own in its finest stratum. A shift of all
  digits would give all points the same place there, and a mean the error 1 / m instead of 1 / m^1.5.
- saltelli: R designs as well, each of m blocks of D + 2 cases for D factors. A block has two points A and B, halves of
  one Sobol point in twice as many dimensions; its cases are A, then for every factor A with that factor's coordinates
  from B, then B (Saltelli et al. 2010). Each case alone is a fair sample.
No coordinate is ever 0 or 1, where a distribution without limits has no value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

import numpy as np

SMALLEST = 2.0**-54
LARGEST = 1.0 - 2.0**-53
SOBOL_BITS = 30


class Sampler(Protocol):
    """Where the cases lie."""

    def point(self, case: int) -> np.ndarray:
        """The point of a case, its coordinates strictly between 0 and 1."""


class RandomSampler:
    """Independent cases."""

    def __init__(self, seed: int, dimensions: int) -> None:
        self.seed = seed
        self.dimensions = dimensions

    def point(self, case: int, redraw: int = 0) -> np.ndarray:
        stream = [self.seed, case, redraw] if redraw else [self.seed, case]
        return _inside(np.random.default_rng(stream).random(self.dimensions))


class DesignSampler:
    """Replicated designs: case n is row (n - 1) mod m of design (n - 1) div m, where m = cases / replicates."""

    def __init__(self, kind: str, seed: int, dimensions: int, cases: int, replicates: int) -> None:
        self.size = cases // replicates
        make = {"latin_hypercube": _latin_hypercube, "sobol": _sobol}[kind]
        # one design at a time is at work, its neighbours at the edges
        self.design = lru_cache(maxsize=4)(lambda i: make(seed, dimensions, self.size, i))

    def point(self, case: int) -> np.ndarray:
        i, row = divmod(case - 1, self.size)
        return self.design(i)[row]


class SaltelliSampler:
    """The design for Sobol indices; `factors` are the coordinates of each factor."""

    def __init__(
        self, seed: int, dimensions: int, cases: int, replicates: int, factors: Sequence[Sequence[int]]
    ) -> None:
        self.factors = [list(columns) for columns in factors]
        self.rows = len(factors) + 2
        self.pairs = DesignSampler("sobol", seed, 2 * dimensions, cases // self.rows, replicates)

    def point(self, case: int) -> np.ndarray:
        block, row = divmod(case - 1, self.rows)
        a, b = np.split(self.pairs.point(block + 1), 2)
        if row == self.rows - 1:
            return b
        mixed = a.copy()
        if row > 0:
            columns = self.factors[row - 1]
            mixed[columns] = b[columns]
        return mixed


def _latin_hypercube(seed: int, dimensions: int, size: int, replicate: int) -> np.ndarray:
    points = np.empty((size, dimensions))
    for j in range(dimensions):
        rng = np.random.default_rng([seed, size, replicate, j])
        points[:, j] = (rng.permutation(size) + rng.random(size)) / size
    return _inside(points)


def _sobol(seed: int, dimensions: int, size: int, replicate: int) -> np.ndarray:
    rng = np.random.default_rng([seed, size, replicate])
    shift = rng.integers(0, size, dimensions)
    return _inside(((_sobol_strata(dimensions, size) ^ shift) + rng.random((size, dimensions))) / size)


@lru_cache(maxsize=4)
def _sobol_strata(dimensions: int, size: int) -> np.ndarray:
    """The first points of the sequence, a power of 2, by the number of their stratum in each dimension."""
    from scipy.stats import qmc

    sequence = qmc.Sobol(dimensions, scramble=False, bits=SOBOL_BITS).random(size)
    return np.floor(sequence * size).astype(np.int64)


def _inside(points: np.ndarray) -> np.ndarray:
    return np.clip(points, SMALLEST, LARGEST)

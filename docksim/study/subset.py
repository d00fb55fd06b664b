"""Small probabilities by subset simulation (Au and Beck 2001).

P(g >= b) of a function g of independent standard normal variables is the product of probabilities that are not small:
of reaching a first level, of reaching the second given the first, and so on. The first set of points is random. The
best share p of each set begins chains of a Markov process that stays above their level; where more points tie at the
level, chance decides which of all that reached it begin one, so that they are a fair sample. Candidates keep a part of
where they are, z' = sqrt(1 - s²) z + s n (Papaioannou et al. 2015), so no coordinate is favoured and many of them do
no harm. The step s is adapted to accept 44 %, one number for all chains, after every step that all have made.

The coefficient of variation is that of the sum of what every point adds to log P, points of one family together: all
that come from the same chain, up to LAG levels back. So correlation within chains, between chains from one seed's chain
and between neighbouring levels is counted (in the spirit of Olsson and Douc 2019); older kinship is not.

Every random number comes from (seed, level, step), so the answer depends on the seed and on g alone. `evaluate` gets
the points of one step together, as many as there are chains, and may use as many workers as it likes. Limits: g must
lead to the event, so that better points are nearer to it; an event that comes without warning, or a second region that
no chain begins in, is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from docksim.algebra.dense import length
from docksim.algebra.elementary import exp, log1p
from docksim.algebra.normal import quantiles
from docksim.study.sampling import LARGEST, SMALLEST
from docksim.study.statistics import student

ACCEPTED = 0.44
LAG = 2
FAMILY = 4  # chains that count as one degree of freedom; intervals then cover what they say
FIRST_STEP = 0.6
SMALLEST_STEP, LARGEST_STEP = 0.02, 1.0

# number of the first point, the points (a row each); their values of g
Evaluate = Callable[[int, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Level:
    """One set of points: what it had to exceed, the share that goes beyond the next threshold, and its variation.

    `accepted` is the share of candidates that chains took, NaN in the first set, which has no chains.
    """

    threshold: float
    next_threshold: float
    share: float
    variation: float
    accepted: float


@dataclass(frozen=True)
class Estimate:
    """A probability with its coefficient of variation.

    `reached` is False if the levels came to an end before the event: then the probability is that of the last level, an
    upper estimate. `likeliest` is the number of the point of the event with the smallest `distance` from the middle, in
    standard deviations.
    """

    probability: float
    variation: float
    reached: bool
    why: str
    points: int
    chains: int
    levels: list[Level]
    likeliest: int | None
    distance: float

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Limits of a log-normal estimate, by Student's t: the scatter itself is known from few families only."""
        reach = student(max(self.chains / FAMILY, 1.0), 0.5 + 0.5 * confidence)
        reach *= math.sqrt(log1p(self.variation**2))
        return self.probability * exp(-reach), min(1.0, self.probability * exp(reach))


@dataclass
class _Set:
    """The points of one level: row s of each array is step s of all chains; the first set is one step of all points."""

    z: list[np.ndarray]
    g: list[np.ndarray]
    number: list[np.ndarray]
    parents: np.ndarray  # the chain of the set before in which each chain began
    step: float = FIRST_STEP
    accepted: list[float] = field(default_factory=list)

    def flat(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.concatenate(self.z), np.concatenate(self.g), np.concatenate(self.number)

    def additions(self, goal: float, share: float) -> np.ndarray:
        """What every chain adds to the error of log P."""
        hits = np.array(self.g) >= goal
        return np.asarray((hits - share).sum(axis=0) / (share * hits.size))

    def heirs(self, seeds: np.ndarray) -> _Set:
        """The beginning of the next set."""
        z, g, number = self.flat()
        return _Set([z[seeds]], [g[seeds]], [number[seeds]], seeds % len(self.g[0]), self.step)


def subset_simulation(
    evaluate: Evaluate,
    dimensions: int,
    threshold: float,
    samples: int,
    chains: int,
    seed: int,
    most_levels: int = 12,
    first: np.ndarray | None = None,
    passed: Callable[[Level], None] | None = None,
) -> Estimate:
    """P(g >= threshold). `first` are the points of the first set; standard normal numbers from the seed if left out.

    `passed` gets every level as soon as it is known.
    """
    points = _noise([seed, 0, 0], (samples, dimensions)) if first is None else first
    current = _Set([points], [evaluate(1, points)], [np.arange(1, samples + 1)], np.arange(samples))
    spent, level = samples, -math.inf
    levels: list[Level] = []
    additions: list[np.ndarray] = []
    parents: list[np.ndarray] = []
    while True:
        g = current.flat()[1]
        goal = min(_next_level(g, level, chains), threshold)
        share = float(np.mean(g >= goal))
        additions.append(current.additions(goal, share))
        parents.append(current.parents)
        variation = _family_variation(additions[-1:], [current.parents])
        accepted = float(np.mean(current.accepted)) if current.accepted else math.nan
        levels.append(Level(level, goal, share, variation, accepted))
        if passed:
            passed(levels[-1])
        why = _end(goal, level, threshold, len(levels), most_levels)
        if why is not None:
            return _estimate(current, levels, _family_variation(additions, parents), threshold, why, spent)
        level = goal
        current = current.heirs(_seeds(g, level, chains, [seed, len(levels), 0]))
        _extend(current, evaluate, level, samples // chains - 1, spent + 1, [seed, len(levels)])
        spent += samples - chains


def _next_level(g: np.ndarray, level: float, chains: int) -> float:
    """What so many points reach; if ties keep that from rising, the next value that is there."""
    goal = float(np.sort(g)[-chains])
    return goal if goal > level else float(np.min(g[g > level], initial=np.max(g)))


def _seeds(g: np.ndarray, level: float, chains: int, seed: list[int]) -> np.ndarray:
    """Points that begin chains: as many of all that reached the level, each in turn again if there are too few."""
    reached = np.argsort(-g, kind="stable")[: np.count_nonzero(g >= level)]
    if len(reached) != chains:
        reached = reached[np.argsort(np.random.default_rng(seed).random(len(reached)), kind="stable")]
    return np.resize(reached, chains)


def _end(goal: float, level: float, threshold: float, count: int, most: int) -> str | None:
    """Why there is no further level; None if there is."""
    if goal >= threshold:
        return ""
    if goal <= level:
        return f"the best cases are all alike at {goal:.6g}: the metric does not lead to the event"
    return f"{most} levels, and the event is not reached" if count >= most else None


def _extend(current: _Set, evaluate: Evaluate, level: float, steps: int, number: int, seed: list[int]) -> None:
    """Extend all chains step by step; `number` is that of the next point to be evaluated."""
    for k in range(steps):
        z, s = current.z[-1], current.step
        noise = _noise([*seed, k + 1], z.shape)
        candidate = math.sqrt(1.0 - s * s) * z + s * noise
        reached = evaluate(number, candidate)
        taken = reached >= level
        current.z.append(np.where(taken[:, None], candidate, z))
        current.g.append(np.where(taken, reached, current.g[-1]))
        current.number.append(np.where(taken, np.arange(number, number + len(z)), current.number[-1]))
        current.accepted.append(float(taken.mean()))
        number += len(z)
        # one number for all chains, with a gain that falls (Robbins and Monro)
        factor = exp((current.accepted[-1] - ACCEPTED) / math.sqrt(k + 1.0))
        current.step = min(max(s * factor, SMALLEST_STEP), LARGEST_STEP)


def _noise(seed: list[int], shape: tuple[int, ...]) -> np.ndarray:
    """Standard normal numbers by their quantiles: numpy's own take the logarithm of the system in the tails."""
    return quantiles(np.clip(np.random.default_rng(seed).random(shape), SMALLEST, LARGEST))


def _family_variation(additions: list[np.ndarray], parents: list[np.ndarray]) -> float:
    """From what chains add to the error of log P, level by level, those of a family taken together."""

    def of_family(level: int, back: int) -> np.ndarray:
        """The sums over all chains that descend from the same chain so many levels back."""
        family = np.arange(len(additions[level]))
        for k in range(back):
            family = parents[level - k][family]
        return np.bincount(family, additions[level], len(additions[level - back]))

    variance = 0.0
    for i in range(len(additions)):
        lag = min(LAG, i)
        own = of_family(i, lag)
        others = [of_family(i - k, lag - k) for k in range(1, lag + 1)]
        variance += math.fsum(own * own) + 2.0 * math.fsum(math.fsum(own * other) for other in others)
    return math.sqrt(max(variance, 0.0))


def _estimate(current: _Set, levels: list[Level], variation: float, threshold: float, why: str, spent: int) -> Estimate:
    z, g, number = current.flat()
    inside = np.flatnonzero(g >= threshold)
    nearest = inside[np.argmin(np.sum(z[inside] ** 2, axis=1))] if len(inside) else None
    return Estimate(
        probability=math.prod(level.share for level in levels),
        variation=variation,
        reached=not why,
        why=why,
        points=spent,
        chains=len(current.g[-1]) if len(levels) > 1 else spent,
        levels=levels,
        likeliest=None if nearest is None else int(number[nearest]),
        distance=math.nan if nearest is None else float(length(z[nearest])),
    )

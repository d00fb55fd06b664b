"""The largest value of a function over a box, from few values of it.

First corners, a fraction of all of them in which every edge of the box is met as often as its opposite: rows of a
Hadamard matrix and the same with all signs turned (Plackett and Burman 1946; the turned half keeps main effects clear
of products of two coordinates). As many points again have half of their factors in the middle: two rings hit each other
hardest where nothing guides them aside. Then points in sets of six, chosen among many near the best ones and between
them: a smooth guess through the ranks of all values known (kriging with a rational kernel, coordinates weighed by how
much the ranks go with them or with their squares) tells what each may come to, from what it expects alone to what it
leaves open.

Points are rows of coordinates from -1 to 1. Some pairs of coordinates may be limited together, to the unit disc. Sets
do not depend on how many are evaluated at a time, and every random number follows from the seed, so the way is the same
for any number of workers. A value of minus infinity says that there is nothing at a point. What is found is no proof:
a narrow peak between the points is missed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from docksim.algebra.dense import applied, dot, product, solve
from docksim.algebra.normal import quantiles

FIRST = 48  # points before the search, at most
FULL = 4  # coordinates of a box all of whose corners are taken
SET = 6  # points that are chosen together
CANDIDATES = 360  # of which a set is chosen
PARENTS = 8
ODD = (0.0, 0.3, 0.7, 1.2, 1.8, 2.5)  # standard deviations that members of a set count on beyond what is expected
NUGGET = 0.02  # of the variance: what is rough below the scale of the guess
FAR = 1e3  # times the size of the box
SAME = 1e-9  # squared distance of points that are one
LEAST_WEIGHT = 0.15  # of a coordinate that ranks do not go with
# the number of the first point, the points; their values
Evaluate = Callable[[int, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Box:
    """So many coordinates from -1 to 1; of the pairs in `discs` the sum of squares is at most 1."""

    width: int
    discs: Sequence[tuple[int, int]] = ()

    @property
    def factors(self) -> list[list[int]]:
        """The coordinates that move by themselves, and the pairs that move together."""
        paired = {column for pair in self.discs for column in pair}
        return [[column] for column in range(self.width) if column not in paired] + [list(pair) for pair in self.discs]

    def inside(self, points: np.ndarray) -> np.ndarray:
        """The points, those beyond the box put onto its edge."""
        points = np.clip(points, -1.0, 1.0)
        for i, j in self.discs:
            far = np.maximum(np.sqrt(points[:, i] ** 2 + points[:, j] ** 2), 1.0)
            points[:, i], points[:, j] = points[:, i] / far, points[:, j] / far
        return points


def search(evaluate: Evaluate, box: Box, runs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """All points and their values, in the order in which they were chosen; the best one is the answer."""
    points = first_points(box, seed)[:runs]
    values = evaluate(1, points)
    while len(points) < runs:
        chosen = _next(box, points, values, [seed, len(points)])[: runs - len(points)]
        values = np.concatenate([values, evaluate(len(points) + 1, chosen)])
        points = np.concatenate([points, chosen])
    return points, values


# ---------------------------------------------------------------- corners


def first_points(box: Box, seed: int) -> np.ndarray:
    """Corners, then the same with half of their factors in the middle, by chance; at most 48, none of them twice."""
    edges = corners(box, seed)
    rng = np.random.default_rng([seed, 1])
    inner = edges * spread_out(box, rng.random((len(edges), len(box.factors))) < 0.5)
    points = np.concatenate([edges, inner]) + 0.0  # there is one zero
    return points[np.sort(np.unique(points, axis=0, return_index=True)[1])][:FIRST]


def corners(box: Box, seed: int) -> np.ndarray:
    """All corners of a small box, else a seeded fraction."""
    rng = np.random.default_rng([seed, 0])
    if box.width <= FULL:
        signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * box.width, indexing="ij")).reshape(box.width, -1).T
        return box.inside(rng.permutation(signs))
    order = next((n for n in (8, 12, 16, 20, 24) if n >= box.width), 24)
    half = hadamard(order)
    # beyond 24 coordinates some share a column, with signs of their own
    columns = np.concatenate([rng.permutation(order) for _ in range(-(-box.width // order))])[: box.width]
    half = half[:, columns] * rng.choice([-1.0, 1.0], box.width)
    return box.inside(np.stack([half, -half], axis=1).reshape(-1, box.width))


def hadamard(order: int) -> np.ndarray:
    """Signs whose columns are orthogonal: doubled, or of an order q + 1, q prime, by quadratic residues (Paley)."""
    if order in (8, 16):
        signs = np.ones((1, 1))
        while len(signs) < order:
            signs = np.block([[signs, signs], [signs, -signs]])
        return signs
    q = order - 1
    residues = {k * k % q for k in range(1, q)}
    signs = np.ones((order, order))
    for i in range(q):
        for j in range(q):
            signs[i + 1, j + 1] = -1.0 if i == j or (j - i) % q not in residues else 1.0
    return signs


# ---------------------------------------------------------------- sets of points


def _next(box: Box, points: np.ndarray, values: np.ndarray, seed: list[int]) -> np.ndarray:
    """The points to evaluate next."""
    rng = np.random.default_rng(seed)
    candidates = np.unique(box.inside(_candidates(box, points, values, rng)), axis=0)
    candidates = candidates[_squares(points, candidates).min(axis=0) > SAME]
    expected, spread = guess(box, points, values, candidates)
    chosen: list[int] = []
    for odd in ODD:
        order = np.argsort(-(expected + odd * spread), kind="stable")
        chosen.append(next(int(i) for i in order if int(i) not in chosen))
    return np.asarray(candidates[chosen])


def _candidates(box: Box, points: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Points near the best ones, some factors moved, or put onto an edge or into the middle, and mixtures of two."""
    best = points[np.argsort(-values, kind="stable")[:PARENTS]]
    shape, factors = (CANDIDATES, points.shape[1]), (CANDIDATES, len(box.factors))
    one, other = (best[np.minimum(rng.geometric(0.3, CANDIDATES) - 1, len(best) - 1)] for _ in range(2))
    mixed = np.where(spread_out(box, rng.random(factors) < 0.5), one, other)
    start = np.where(rng.random((CANDIDATES, 1)) < 0.3, mixed, one)
    moved = start + rng.choice([0.08, 0.25, 0.6], (CANDIDATES, 1)) * rng.uniform(-1.7, 1.7, shape)
    far = FAR * rng.uniform(-1.0, 1.0, shape)  # the box puts it onto an edge, a disc in any direction
    way = spread_out(box, rng.random(factors))
    changed = np.where(way < 0.25, far, np.where(way < 0.4, 0.0, moved))
    return np.where(spread_out(box, rng.random(factors) < 0.3), changed, start)


def spread_out(box: Box, of_factors: np.ndarray) -> np.ndarray:
    """What is known of every factor, for every coordinate."""
    wide = np.empty((len(of_factors), box.width), of_factors.dtype)
    for i, columns in enumerate(box.factors):
        wide[:, columns] = of_factors[:, i, None]
    return wide


def guess(box: Box, points: np.ndarray, values: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is expected at other points, as normal scores of the ranks, and its standard deviation."""
    scores = ranked(values)
    scale = np.sqrt(_weights(box, points, scores))
    known, asked = points * scale, others * scale
    apart = _squares(known, known)
    reach = float(np.sort(apart, axis=None)[apart.size // 2])
    covariance = 1.0 / (1.0 + apart / reach)
    cross = 1.0 / (1.0 + _squares(known, asked) / reach)
    solved = solve(covariance + NUGGET * np.eye(len(points)), np.concatenate([scores[:, None], cross], axis=1))
    expected = applied(cross.T, solved[:, 0])
    return expected, np.sqrt(np.maximum(1.0 - dot(cross.T, solved[:, 1:].T), 0.0))


def ranked(values: np.ndarray) -> np.ndarray:
    """Normal scores of ranks: one value far beyond all others is the best, and no more than that."""
    order = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return np.asarray(quantiles((order + 0.5) / len(values)))


def _weights(box: Box, points: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Of every coordinate, by the correlation of the scores with it or with its square; those of a disc have one."""
    squares = points * points
    for i, j in box.discs:
        squares[:, i] = squares[:, j] = squares[:, i] + squares[:, j]
    along = np.maximum(_correlated(points, scores), _correlated(squares, scores))
    for i, j in box.discs:
        along[i] = along[j] = max(along[i], along[j])
    return np.asarray(LEAST_WEIGHT + along / max(float(along.max()), 1e-12))


def _correlated(points: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Sizes of correlations, but for a factor that all have."""
    centred = points - points.mean(axis=0)
    return np.asarray(np.abs(applied(centred.T, scores)) / np.sqrt(np.maximum(dot(centred.T, centred.T), 1e-12)))


def _squares(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Squared distances of all rows of one from all rows of the other."""
    return np.asarray(np.maximum(dot(a, a)[:, None] + dot(b, b)[None, :] - 2.0 * product(a, b.T), 0.0))

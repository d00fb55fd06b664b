"""From a point of the unit cube to the values of the dispersed keys.

Every dispersion takes as many coordinates as it has degrees of freedom: one for a distribution of one key, two for a
disc or a cone. Correlated keys go through a Gaussian copula: coordinates become independent standard normal numbers,
are mixed by the Cholesky factor of the correlation matrix, and become coordinates again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from docksim.algebra.dense import cholesky
from docksim.algebra.elementary import asin, atan2, cos, exp, hypot, sin
from docksim.algebra.normal import normal_probability, normal_quantile, probabilities, quantiles
from docksim.config.schema.dispersions import (
    Cone,
    Correlation,
    Disc,
    Discrete,
    LogNormal,
    Normal,
    OneKey,
    TruncatedNormal,
    Uniform,
)
from docksim.study.sampling import LARGEST, SMALLEST

Dispersed = Normal | TruncatedNormal | Uniform | LogNormal | Discrete | Disc | Cone


class Transform:
    """All dispersions of a study together; `nominal` holds the base scenario's value of every key."""

    def __init__(
        self, dispersions: Sequence[Dispersed], correlations: Sequence[Correlation], nominal: Sequence[Any]
    ) -> None:
        self.dispersions = list(dispersions)
        counts = [len(item.targets) for item in self.dispersions]
        starts = np.cumsum([0, *counts])
        self.nominal = [list(nominal[a:b]) for a, b in pairwise(starts)]
        self.widths = [1 if isinstance(item, OneKey) else 2 for item in self.dispersions]
        self.groups = [self._group(item) for item in correlations]

    @property
    def dimensions(self) -> int:
        return sum(self.widths)

    def columns(self, members: Sequence[int]) -> list[int]:
        """The coordinates of some of the dispersions, by their numbers."""
        starts = np.cumsum([0, *self.widths])
        return [column for i in members for column in range(int(starts[i]), int(starts[i + 1]))]

    def values(self, point: np.ndarray) -> list[Any]:
        """One value for every key, in the order of the dispersions."""
        u = self._correlated(point)
        values: list[Any] = []
        start = 0
        for item, width, nominal in zip(self.dispersions, self.widths, self.nominal, strict=True):
            values += values_of(item, [float(x) for x in u[start : start + width]], nominal)
            start += width
        return values

    def _group(self, correlation: Correlation) -> tuple[np.ndarray, np.ndarray]:
        """The coordinates of a correlated group, and the Cholesky factor that mixes them."""
        starts = np.cumsum([0, *self.widths])
        where = {item.key: int(starts[i]) for i, item in enumerate(self.dispersions) if isinstance(item, OneKey)}
        return np.array([where[key] for key in correlation.keys]), cholesky(correlation.rows())

    def _correlated(self, point: np.ndarray) -> np.ndarray:
        if not self.groups:
            return point
        u = point.copy()
        for columns, factor in self.groups:
            # rows one by one: the same bits whatever library multiplies matrices
            z = quantiles(point[columns])
            mixed = [math.fsum(factor[i, : i + 1] * z[: i + 1]) for i in range(len(columns))]
            u[columns] = np.clip(probabilities(np.array(mixed)), SMALLEST, LARGEST)
        return u


def values_of(item: Dispersed, u: Sequence[float], nominal: Sequence[Any]) -> list[Any]:
    """The values of one dispersion at its coordinates."""
    match item:
        case Normal():
            return [_or(item.mean, nominal) + item.sigma * normal_quantile(u[0])]
        case TruncatedNormal():
            return [_truncated(item, _or(item.mean, nominal), u[0])]
        case Uniform():
            # by weights, so that limits far apart do not overflow; rounding must not leave them either
            return [min(max((1.0 - u[0]) * item.low + u[0] * item.high, item.low), item.high)]
        case LogNormal():
            return [_or(item.median, nominal) * exp(item.sigma_log * normal_quantile(u[0]))]
        case Discrete():
            return [_chosen(item, u[0])]
        case Disc():
            return _in_disc(item, u, nominal)
        case Cone():
            return _in_cone(item, u, nominal)


def _or(given: float | None, nominal: Sequence[Any]) -> float:
    return float(nominal[0]) if given is None else given


def _truncated(item: TruncatedNormal, mean: float, u: float) -> float:
    """By the inverse of the distribution, from the tail that is nearer, where the digits are."""
    a, b = (item.low - mean) / item.sigma, (item.high - mean) / item.sigma
    # the upper tail, mirrored: P(z > x) shrinks from the value at a to the one at b
    z = -_between(-a, -b, u) if a > 0.0 else _between(a, b, u)
    value = mean + item.sigma * z if math.isfinite(z) else (item.low if a > 0.0 else item.high)
    return min(max(value, item.low), item.high)


def _between(a: float, b: float, u: float) -> float:
    """The normal number a share u of the probability from a to b."""
    first, last = normal_probability(a), normal_probability(b)
    return normal_quantile(first + u * (last - first))


def _chosen(item: Discrete, u: float) -> Any:
    weights = item.weights or [1.0] * len(item.values)
    scaled = np.array(weights) / max(weights)
    shares = np.cumsum(scaled) / scaled.sum()
    return item.values[min(int(np.searchsorted(shares, u, side="right")), len(shares) - 1)]


def _in_disc(item: Disc, u: Sequence[float], nominal: Sequence[Any]) -> list[float]:
    """Area grows with the square of the radius, so the radius goes with the root."""
    x, y = item.center if item.center is not None else (float(nominal[0]), float(nominal[1]))
    r, angle = item.radius * math.sqrt(u[0]), 2.0 * math.pi * u[1]
    return [x + r * cos(angle), y + r * sin(angle)]


def _in_cone(item: Cone, u: Sequence[float], nominal: Sequence[Any]) -> list[float]:
    """The solid angle of a cap goes with one minus the cosine, written as a sine so that narrow cones keep digits."""
    half = math.radians(item.half_angle_deg)
    tilt = 2.0 * asin(sin(half / 2.0) * math.sqrt(u[0]))
    azimuth = 2.0 * math.pi * u[1]
    local = (cos(tilt), sin(tilt) * cos(azimuth), sin(tilt) * sin(azimuth))
    if len(nominal) == 2:
        return _yaw_pitch(local, *map(float, nominal))
    return _around(local, np.array([float(c) for c in nominal]))


def _yaw_pitch(local: tuple[float, float, float], yaw_deg: float, pitch_deg: float) -> list[float]:
    """Yaw and pitch of a direction that is given about the nominal x axis; yaw stays near its nominal value."""
    y, p = math.radians(yaw_deg), math.radians(pitch_deg)
    a, b, c = local
    along, down = a * cos(p) + c * sin(p), c * cos(p) - a * sin(p)
    turn = math.degrees(atan2(b, along))
    pitch = math.degrees(atan2(-down, hypot(along, b)))
    return [math.degrees(y) + turn, pitch]


def _around(local: tuple[float, float, float], vector: np.ndarray) -> list[float]:
    """The direction `local`, given about an axis, with the vector as that axis; the vector's length is kept."""
    length = float(np.sqrt(np.sum(vector * vector)))
    if length == 0.0:
        return [0.0, 0.0, 0.0]
    axis = vector / length
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    second = np.cross(axis, helper)
    second /= np.sqrt(np.sum(second * second))
    third = np.cross(axis, second)
    a, b, c = local
    return [float(x) for x in length * (a * axis + b * second + c * third)]

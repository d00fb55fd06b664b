"""Weighted linear least squares for several sensors of unknown noise, with intervals, and what data cannot tell.

Rows of sensor i have independent noise of one deviation s_i, estimated from the residuals: ordinary least squares
first, then weights 1 / s_i, until the weights settle. The degrees of freedom of sensor i are its rows less the sum of
their leverages. Intervals are t-intervals from (WT S^-1 W)^-1. They hold for white noise on the measured forces;
errors of the motion are not in them. The correlation of neighbouring residuals is returned, so that a reader sees
when the noise is not white and the intervals are too narrow.

Columns are brought to equal size before ranks are judged. A combination with a singular value below RANK_LIMIT of the
largest cannot be told: figures that take part in one come back as nan.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RANK_LIMIT = 1e-9
_PART = 1e-6  # of a unit null vector: what counts as taking part
_ROUNDS = 8
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Fit:
    """W x = y, sensors along axis 1 of W (T, n, r) and y (T, n)."""

    values: np.ndarray  # (r,) nan where the data cannot tell
    least_norm: np.ndarray  # (r,) with the smallest of all solutions there
    covariance: np.ndarray  # (r, r) of those that can be told, nan elsewhere
    half_width: np.ndarray  # (r,) of the confidence interval
    noise: np.ndarray  # (n,) deviation of each sensor
    predicted: np.ndarray  # (T, n)
    freedom: float
    condition: float  # of the weighted, column-scaled matrix, over what can be told
    unknown: tuple[tuple[int, ...], ...]  # groups of columns whose combinations cannot be told
    neighbours: np.ndarray  # (n,) correlation of neighbouring residuals
    information: np.ndarray  # (r, r) WT S^-1 W

    @property
    def told(self) -> np.ndarray:
        return ~np.isnan(self.values)


def fit(W: np.ndarray, y: np.ndarray, confidence: float = 0.95) -> Fit:
    """The weighted fit. Needs more rows than columns."""
    from scipy.stats import t as student

    count, sensors, columns = W.shape
    size = np.sqrt(np.einsum("tij,tij->j", W, W))
    # a column that is all rounding must not be blown up to look like one that says something
    says = size > _ROUNDING * size.max(initial=0.0)
    W = np.where(says, W, 0.0)
    scale = np.where(says, size, 1.0)
    noise = np.ones(sensors)
    for _ in range(_ROUNDS):
        before = noise
        x, hat, s, Vt, rank = _solve(W / scale / noise[:, None], y / noise)
        residual = y - (W / scale) @ x
        freedom = np.maximum(count - hat.sum(axis=0), 1.0)
        noise = np.sqrt((residual**2).sum(axis=0) / freedom)
        # a sensor without any residual must not take all the weight
        noise = np.maximum(noise, 1e-12 * (float(np.abs(y).max(initial=0.0)) or 1.0))
        if np.allclose(noise, before, rtol=1e-3):
            break
    null = Vt[rank:]
    lost = np.abs(null).max(axis=0, initial=0.0) > _PART
    covariance = (Vt[:rank].T / s[:rank] ** 2) @ Vt[:rank] / np.outer(scale, scale)
    covariance[lost] = covariance[:, lost] = np.nan
    values = np.where(lost, np.nan, x / scale)
    left = count * sensors - rank
    width = student.ppf(0.5 + confidence / 2, left) if left > 0 else np.inf
    weighted = (W / noise[:, None]).reshape(-1, columns)
    return Fit(
        values,
        x / scale,
        covariance,
        width * np.sqrt(np.diag(covariance)),
        noise,
        y - residual,
        float(left),
        float(s[0] / s[rank - 1]) if rank else np.inf,
        _groups(null, columns),
        _neighbours(residual),
        weighted.T @ weighted,
    )


def _solve(W: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Least squares of least norm, leverages (T, n), singular values, right vectors, rank."""
    count, sensors, columns = W.shape
    U, s, Vt = np.linalg.svd(W.reshape(-1, columns), full_matrices=False)
    rank = int(np.sum(s > RANK_LIMIT * s[0])) if len(s) and s[0] > 0.0 else 0
    x = Vt[:rank].T @ ((U[:, :rank].T @ y.ravel()) / s[:rank])
    hat = (U[:, :rank] ** 2).sum(axis=1).reshape(count, sensors)
    return x, hat, s, Vt, rank


def _groups(null: np.ndarray, columns: int) -> tuple[tuple[int, ...], ...]:
    """Columns that are lost together: linked by the projector on the null space."""
    projector = np.abs(null.T @ null) if len(null) else np.zeros((columns, columns))
    waiting = [c for c in range(columns) if projector[c].max(initial=0.0) > _PART**2]
    groups = []
    while waiting:
        group, edge = {waiting[0]}, [waiting[0]]
        while edge:
            near = set(np.flatnonzero(projector[edge.pop()] > _PART).tolist()) & set(waiting)
            edge += sorted(near - group)
            group |= near
        groups.append(tuple(sorted(group)))
        waiting = [c for c in waiting if c not in group]
    return tuple(groups)


def _neighbours(residual: np.ndarray) -> np.ndarray:
    centred = residual - residual.mean(axis=0)
    power = (centred**2).sum(axis=0)
    product = (centred[1:] * centred[:-1]).sum(axis=0)
    return np.divide(product, power, out=np.zeros_like(power), where=power > 0.0)

"""Sobol indices: what share of a metric's variance goes with which factor, from a study with `sampling: saltelli`.

First order: the share that would go if the factor alone were known; total: the share that would stay if all but the
factor were known, its interactions included. Factors are dispersions, a disc or a cone as one, and so are correlated
keys, since variance cannot be divided between them. The estimators are those of Saltelli et al. (2010) in SALib, on
all replicates together; intervals come from leaving out one replicate at a time (jackknife, Student's t), because the
points of a Sobol design are not independent and resampling them would not tell its error.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from docksim.study.statistics import CONFIDENCE, Interval, student
from docksim.study.table import Table

MISSING = "Sobol indices need SALib: pip install 'docksim[sensitivity]'"
METHOD = "SALib (Saltelli 2010), jackknife over {} replicates"


@dataclass(frozen=True)
class SobolIndex:
    """Shares of the variance that go with a factor."""

    factor: str
    first: Interval
    total: Interval


def has_salib() -> bool:
    """Whether the extra is installed."""
    return find_spec("SALib") is not None


def sobol_indices(table: Table, values: np.ndarray, confidence: float = CONFIDENCE) -> list[SobolIndex]:
    """The indices of every factor, the largest total first; none where the values do not vary.

    `values` has one number a case of the whole design. Blocks of cases in which one has none are left out.
    """
    names = [name for name, _ in table.study.factors]
    blocks = values.reshape(-1, len(names) + 2)
    replicate = np.repeat(np.arange(table.study.replicates), len(blocks) // table.study.replicates)
    whole = ~np.isnan(blocks).any(axis=1)
    blocks, replicate = blocks[whole], replicate[whole]
    if len(np.unique(replicate)) < table.study.replicates or np.ptp(blocks) == 0.0:
        return []
    estimate = _indices(blocks)
    without = np.array([_indices(blocks[replicate != r]) for r in range(table.study.replicates)])
    first, total = (_jackknife(estimate[k], without[:, k], confidence) for k in (0, 1))
    indices = [SobolIndex(*item) for item in zip(names, first, total, strict=True)]
    return sorted(indices, key=lambda index: -index.total.estimate)


def _indices(blocks: np.ndarray) -> np.ndarray:
    """First-order and total indices, a row each, of blocks A, A with one factor from B, ..., B."""
    from SALib.analyze.sobol import first_order, total_order

    scaled = (blocks - blocks.mean()) / blocks.std()
    a, mixed, b = scaled[:, 0], scaled[:, 1:-1].T, scaled[:, -1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([[estimator(a, column, b) for column in mixed] for estimator in (first_order, total_order)])


def _jackknife(estimate: np.ndarray, without: np.ndarray, confidence: float) -> list[Interval]:
    count = len(without)
    spread = np.sqrt((count - 1) / count * np.sum((without - without.mean(axis=0)) ** 2, axis=0))
    reach = student(count - 1, 0.5 + 0.5 * confidence) * spread
    limits = zip(estimate.tolist(), reach.tolist(), strict=True)
    return [Interval(x, x - r, x + r, METHOD.format(count), confidence) for x, r in limits]


def dropped_blocks(table: Table, values: np.ndarray) -> int:
    """How many blocks of the design have a case without the value."""
    return int(np.isnan(values.reshape(-1, len(table.study.factors) + 2)).any(axis=1).sum())

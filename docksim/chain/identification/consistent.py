"""Link parameters that a real body can have, nearest to identified base parameters.

A link is real if its pseudo-inertia P = [[int r rT dm, h], [hT, m]] is positive definite: positive mass, mass centre
and inertia with the triangle inequality, all at once (Wensing, Kim and Slotine 2018). Written as P = L0 U UT L0T, with
L0 the Cholesky factor of the link as the file has it and U upper triangular with the exponentials of four unknowns on
its diagonal, every choice of ten real unknowns is a real link: no constraint is left (log-Cholesky; Rucker and Wensing
2022). The unknowns are dimensionless, zero for the link as it is in the file.

Minimised is the misfit of the base parameters in the metric of the data (what the fit's residual grows by), plus
PULL times the squares of the unknowns. The pull decides what the data cannot: of all real links with the same motion,
those nearest to the file's are taken. Where the data speak it is next to nothing: a factor of e in a link's mass costs
as much as a hundredth of a standard deviation does. Figures of drives are squares of unknowns, so never negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.identification.regressor import COLUMNS, PER_LINK, ROWS, pseudo_inertias

PULL = 1e-2
_UPPER = np.triu_indices(4, 1)
_BALL = np.diag([0.01, 0.01, 0.01, 1.0])  # for a link that is massless in the file: 1 kg, 0.1 m of gyration


@dataclass(frozen=True)
class RealLinks:
    """Ten figures a link (n, 10), the base and drive parameters they give, and how far those are from the fit."""

    parameters: np.ndarray
    values: np.ndarray
    misfit: float  # squared distance from the unconstrained fit, in standard deviations of the data
    smallest: float  # smallest eigenvalue ratio of the pseudo-inertias: positive for real links


def real_links(values: np.ndarray, information: np.ndarray, Y: np.ndarray, nominal: np.ndarray) -> RealLinks:
    """Nearest real links. `values` (r,) fitted, drives last; `information` their inverse covariance."""
    from scipy.optimize import least_squares

    n = len(nominal) // PER_LINK
    root = _root(information)
    factors = np.stack([_factor(P) for P in pseudo_inertias(nominal.reshape(n, PER_LINK))])
    known = np.nan_to_num(values)

    def links(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        U, dU = _triangles(x[: n * PER_LINK].reshape(n, PER_LINK))
        LU = factors @ U
        P = LU @ np.swapaxes(LU, 1, 2)
        half = np.einsum("nab,nubc,ndc->nuad", factors, dU, LU)
        dP = half + np.swapaxes(half, 2, 3)
        return P[:, ROWS, COLUMNS], dP[:, :, ROWS, COLUMNS]

    def outcome(x: np.ndarray) -> np.ndarray:
        p, _ = links(x)
        return np.concatenate([Y @ p.ravel(), x[n * PER_LINK :] ** 2])

    def residual(x: np.ndarray) -> np.ndarray:
        return np.concatenate([root @ (outcome(x) - known), PULL * x[: n * PER_LINK]])

    def slope(x: np.ndarray) -> np.ndarray:
        _, dp = links(x)
        inner = np.einsum("rnp,nup->rnu", Y.reshape(len(Y), n, PER_LINK), dp).reshape(len(Y), -1)
        top = np.zeros((len(known), len(x)))
        top[: len(Y), : n * PER_LINK] = inner
        top[len(Y) :, n * PER_LINK :] = np.diag(2.0 * x[n * PER_LINK :])
        pull = np.zeros((n * PER_LINK, len(x)))
        pull[:, : n * PER_LINK] = PULL * np.eye(n * PER_LINK)
        return np.vstack([root @ top, pull])

    spread = np.sqrt(1.0 / np.maximum(np.diag(information)[len(Y) :], 1e-300))
    start = np.concatenate([np.zeros(n * PER_LINK), np.sqrt(np.maximum(known[len(Y) :], spread))])
    solution = least_squares(residual, start, slope, method="lm", max_nfev=300, xtol=1e-9, ftol=1e-9)
    p, _ = links(solution.x)
    gap = root @ (outcome(solution.x) - known)
    eigen = np.linalg.eigvalsh(pseudo_inertias(p))
    return RealLinks(p, outcome(solution.x), float(gap @ gap), float((eigen[:, 0] / eigen[:, -1]).min()))


def _root(information: np.ndarray) -> np.ndarray:
    """R with RT R the information, for semi-definite ones too."""
    s, V = np.linalg.eigh(information)
    return np.sqrt(np.maximum(s, 0.0))[:, None] * V.T


def _factor(P: np.ndarray) -> np.ndarray:
    """Cholesky factor of a link, made slightly fatter where it is a point, a rod or nothing."""
    if P[3, 3] <= 0.0:
        P = _BALL
    floor = 1e-6 * np.trace(P[:3, :3]) + 1e-9 * P[3, 3]
    fat = P + np.diag([floor, floor, floor, 0.0])
    low = np.linalg.eigvalsh(fat)[0]
    if low <= 0.0:
        fat = fat + (1e-9 * np.trace(fat) - low) * np.eye(4)
    return np.linalg.cholesky(fat)


def _triangles(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """U (n, 4, 4) of unknowns (n, 10): four logarithms, six entries above them; and dU (n, 10, 4, 4)."""
    n = len(x)
    U, dU = np.zeros((n, 4, 4)), np.zeros((n, PER_LINK, 4, 4))
    for i in range(4):
        U[:, i, i] = dU[:, i, i, i] = np.exp(np.clip(x[:, i], -50.0, 50.0))
    for u, (row, column) in enumerate(zip(*_UPPER, strict=True)):
        U[:, row, column] = x[:, 4 + u]
        dU[:, 4 + u, row, column] = 1.0
    return U, dU

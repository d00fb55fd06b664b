"""Small dense algebra, the same bits on every processor: no BLAS, no LAPACK, which choose their code by the processor.

numpy's sums, products, quotients and roots of elements are rounded in one way everywhere; what is summed here is summed
in the order of the index. What is infinite or not a number goes through without a warning, as in BLAS. Arrays may be
stacked: the last axes are the matrices and vectors.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SWEEPS = 60  # Jacobi converges quadratically; eight are typical
NEGLIGIBLE = 1e-15  # singular values that count as zero, against the largest


@np.errstate(over="ignore", invalid="ignore")
def product(*factors: Any) -> np.ndarray:
    """Product of matrices (..., m, k) and (..., k, n), from the left."""
    left = np.asarray(factors[0], float)
    for factor in factors[1:]:
        b = np.asarray(factor, float)
        total = left[..., :, 0, None] * b[..., 0, None, :]
        for k in range(1, b.shape[-2]):
            total = total + left[..., :, k, None] * b[..., k, None, :]
        left = total
    return left


@np.errstate(over="ignore", invalid="ignore")
def applied(matrix: Any, vector: Any) -> np.ndarray:
    """A matrix (..., m, k) times a vector (..., k)."""
    a, v = np.asarray(matrix, float), np.asarray(vector, float)
    total = a[..., 0] * v[..., 0, None]
    for k in range(1, v.shape[-1]):
        total = total + a[..., k] * v[..., k, None]
    return total


@np.errstate(over="ignore", invalid="ignore")
def dot(a: Any, b: Any) -> Any:
    """Scalar product along the last axis."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    total = a[..., 0] * b[..., 0]
    for k in range(1, a.shape[-1]):
        total = total + a[..., k] * b[..., k]
    return total


def length(vector: Any) -> Any:
    """Along the last axis."""
    return np.sqrt(dot(vector, vector))


def solve(matrix: Any, right: Any) -> np.ndarray:
    """x of A x = b, by elimination with the largest pivot of each column."""
    a = np.array(matrix, float)
    x = np.array(right, float)
    n = len(a)
    for i in range(n):
        pivot = i + int(np.argmax(np.abs(a[i:, i])))
        if a[pivot, i] == 0.0:
            raise ZeroDivisionError("the matrix is singular")
        a[[i, pivot]], x[[i, pivot]] = a[[pivot, i]], x[[pivot, i]]
        factors = a[i + 1 :, i] / a[i, i]
        a[i + 1 :] = a[i + 1 :] - np.multiply.outer(factors, a[i])
        x[i + 1 :] = x[i + 1 :] - np.multiply.outer(factors, x[i])
    for i in range(n - 1, -1, -1):
        # one term after the other, in the order of the index
        terms = (a[i, i + 1 :] * x[i + 1 :].T).T
        x[i] = np.subtract.reduce(np.concatenate([x[i : i + 1], terms])) / a[i, i]
    return x


def cholesky(matrix: Any) -> np.ndarray:
    """Lower triangle L with A = L L'."""
    a = np.asarray(matrix, float).tolist()
    n = len(a)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            left = a[i][j]
            for k in range(j):
                left -= L[i][k] * L[j][k]
            if i > j:
                L[i][j] = left / L[j][j]
            elif left > 0.0:
                L[i][i] = math.sqrt(left)
            else:
                raise ValueError("the matrix is not positive definite")
    return np.array(L)


def pseudo_inverse(matrix: Any) -> np.ndarray:
    """Of Moore and Penrose, by the singular values of a one-sided Jacobi iteration."""
    w, v = _orthogonal(np.array(matrix, float).T)
    squares = dot(w.T, w.T)
    largest = float(squares.max(initial=0.0))
    inverse = np.zeros(w.shape[:1] + v.shape[:1])
    for j, square in enumerate(squares):
        if square > NEGLIGIBLE * NEGLIGIBLE * largest:
            inverse = inverse + w[:, j, None] * (v[None, :, j] / square)
    return inverse


def _orthogonal(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The columns turned into each other until they are orthogonal, W = B V, and the turns V (Hestenes)."""
    w, v = columns.copy(), np.eye(columns.shape[1])
    pairs = [(p, q) for q in range(w.shape[1]) for p in range(q)]
    for _ in range(SWEEPS):
        if not sum(_turned_apart(w, v, p, q) for p, q in pairs):
            break
    return w, v


def _turned_apart(w: np.ndarray, v: np.ndarray, p: int, q: int) -> bool:
    """One Jacobi rotation, in place; False when the two columns are orthogonal to rounding."""
    a, b, c = (float(dot(w[:, i], w[:, j])) for i, j in ((p, p), (q, q), (p, q)))
    if abs(c) <= 1e-16 * math.sqrt(a * b):
        return False
    theta = (b - a) / (2.0 * c)
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(1.0 + theta * theta))
    cosine = 1.0 / math.sqrt(1.0 + t * t)
    sine = t * cosine
    for m in (w, v):
        m[:, p], m[:, q] = cosine * m[:, p] - sine * m[:, q], sine * m[:, p] + cosine * m[:, q]
    return True

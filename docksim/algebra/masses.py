"""Inertia of rigid bodies as matrices: its six entries, point masses, other points and other axes; cross products of
arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from docksim.algebra.dense import dot


def cross_matrix(a: np.ndarray) -> np.ndarray:
    """a~ of vectors (..., 3): a~ b = a x b."""
    out = np.zeros((*a.shape, 3), a.dtype)
    out[..., 2, 1] = a[..., 0]
    out[..., 0, 2] = a[..., 1]
    out[..., 1, 0] = a[..., 2]
    return out - np.swapaxes(out, -1, -2)


def symmetric(six: Any) -> np.ndarray:
    """The matrix of xx yy zz xy xz yz."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def six_entries(matrix: np.ndarray) -> np.ndarray:
    """xx yy zz xy xz yz of matrices (..., 3, 3)."""
    return matrix[..., (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]


def point_inertia(arm: np.ndarray) -> np.ndarray:
    """Of a unit mass at a place, about the origin: what a body's inertia has more there than about its centre."""
    return np.asarray(dot(arm, arm) * np.eye(3) - np.outer(arm, arm))


def about_point(p: np.ndarray, mass: float, moment: np.ndarray, inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First moment and inertia about p, from those about the origin: J - (p~ c~' + c~ p~') + m p~ p~'."""
    mixed = np.outer(p, moment) - 0.5 * mass * np.outer(p, p)
    mixed = mixed + mixed.T
    return moment - mass * p, inertia - np.trace(mixed) * np.eye(3) + mixed

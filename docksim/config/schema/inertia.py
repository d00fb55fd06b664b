"""Can a rigid body have this inertia matrix?

A body's principal moments are positive, and none exceeds the sum of the other two. They are found by Jacobi rotations:
exact to rounding also for nearly equal moments, where closed forms lose half the digits.
"""

from __future__ import annotations

import math

from docksim.algebra.elementary import hypot

SLACK = 1e-9  # relative; lets flat plates, where the largest moment equals the sum, pass in spite of rounding
SWEEPS = 30  # Jacobi converges quadratically; six sweeps are typical

Rows = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


def inertia_fault(matrix: Rows) -> str | None:
    """What is wrong with the matrix, as a message, or None when a body can have it."""
    low, middle, high = principal_moments(matrix)
    shown = f"principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg m2"
    if not low > 0.0:
        return f"not positive definite ({shown}); a body's moments of inertia are all greater than zero"
    if high > (low + middle) * (1.0 + SLACK):
        return (
            f"violates the triangle inequality ({shown}); no body has a principal moment greater than the sum of the"
            " other two: check the figures, the units and the signs of xy, xz, yz"
        )
    return None


def principal_moments(matrix: Rows) -> tuple[float, float, float]:
    """Eigenvalues of a symmetric 3x3 matrix, smallest first."""
    scale = max(abs(entry) for row in matrix for entry in row)
    if scale == 0.0:
        return (0.0, 0.0, 0.0)
    a = [[entry / scale for entry in row] for row in matrix]
    for _ in range(SWEEPS):
        if a[0][1] == a[0][2] == a[1][2] == 0.0:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            _rotate(a, p, q)
    low, middle, high = sorted(a[k][k] * scale for k in range(3))
    return (low, middle, high)


def _rotate(a: list[list[float]], p: int, q: int) -> None:
    """One Jacobi rotation: makes a[p][q] zero, in place."""
    if abs(a[p][q]) < 1e-30:
        a[p][q] = a[q][p] = 0.0
        return
    theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
    t = math.copysign(1.0, theta) / (abs(theta) + hypot(theta, 1.0))
    c = 1.0 / hypot(t, 1.0)
    s = t * c
    r = 3 - p - q
    a[p][p] -= t * a[p][q]
    a[q][q] += t * a[p][q]
    a[p][q] = a[q][p] = 0.0
    a[p][r], a[q][r] = c * a[p][r] - s * a[q][r], s * a[p][r] + c * a[q][r]
    a[r][p], a[r][q] = a[p][r], a[q][r]

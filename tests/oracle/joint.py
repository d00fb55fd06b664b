"""The balance of a joint, independently: scipy minimises the energy of hooks, faces, seal and rods under given loads.

Gaps are metres at points (y, z) of the port; loads pull the faces apart along x and turn them about y and z.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize

UNIT = 1e-5  # what the minimiser sees as 1 [m]


@dataclass
class Joint:
    """Eight hooks and what else is in the row "closure" of the design's checks."""

    hooks: int = 8
    radius: float = 0.5
    hook: float = 5e7
    face: float = 4e8
    preload: float = 24500.0
    seal: float = 22000.0
    depth: float = 1.2e-3
    exponent: float = 2.4
    seal_radius: float = 0.45
    points: int = 48
    rods: float = 2000.0  # all four, the same over their way

    def around(self, count: int, radius: float, first: float = 0.0) -> np.ndarray:
        angle = first + 2.0 * np.pi * np.arange(count) / count
        return radius * np.column_stack([np.cos(angle), np.sin(angle)])

    def seal_force(self, gap: np.ndarray | float) -> np.ndarray:
        return self.seal * (np.maximum(self.depth - np.asarray(gap), 0.0) / self.depth) ** self.exponent

    def closed_gap(self) -> float:
        """Where all hooks at their preload hold the faces."""

        def left(gap: float) -> float:
            push = self.hooks * self.face * max(-gap, 0.0)
            return float(self.hooks * self.preload - push - self.seal_force(gap) - self.rods)

        return float(brentq(left, -1e-3, 1e-3, xtol=1e-18, rtol=1e-15))

    def cam(self) -> float:
        return self.preload / self.hook - self.closed_gap()

    def energy(self, x: np.ndarray, cams: np.ndarray) -> float:
        """Stored at gap and slopes x; cams of hooks that do not grip are -inf."""
        gap = x[0] + self.around(self.hooks, self.radius) @ x[1:]
        sealed = x[0] + self.around(self.points, self.seal_radius) @ x[1:]
        depth = np.maximum(self.depth - sealed, 0.0)
        stored = 0.5 * self.hook * np.maximum(gap + cams, 0.0) ** 2 + 0.5 * self.face * np.maximum(-gap, 0.0) ** 2
        pressed = self.seal_force(sealed) / self.points * depth / (self.exponent + 1.0)
        return float(stored.sum() + pressed.sum() - self.rods * x[0])

    def balance(self, pull: Sequence[float], cams: np.ndarray) -> np.ndarray:
        """Gap and slopes under a pull along x and moments along the slopes."""
        load = np.asarray(pull, float)

        def potential(u: np.ndarray) -> float:
            return self.energy(u * UNIT, cams) - float(load @ u) * UNIT

        start = np.array([self.closed_gap() / UNIT, 0.0, 0.0])
        for method, options in (("BFGS", {"gtol": 1e-9}), ("Nelder-Mead", {"xatol": 1e-8, "fatol": 1e-14})):
            start = minimize(potential, start, method=method, options={"maxiter": 4000, **options}).x
        return np.asarray(start) * UNIT

    def forces(self, x: np.ndarray, cams: np.ndarray) -> np.ndarray:
        """Of all hooks."""
        gap = x[0] + self.around(self.hooks, self.radius) @ x[1:]
        return self.hook * np.maximum(gap + cams, 0.0)

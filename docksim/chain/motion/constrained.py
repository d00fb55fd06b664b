"""Motion of a chain under holonomic constraints f(q, t) = 0 (Zaremba 1990, 2.16-2.19), without drift.

    A q'' + b = Q + GT N        N = -D^-1 {G A^-1 (Q - b) + c},   D = G A^-1 GT,   G q'' + c = 0

c is G' q' plus the time derivative of df/dt. These equations hold f'' at zero, not f: rounding and step errors would
grow linearly in f' and quadratically in f. So every state is brought back to f = 0, f' = 0 after a step, by the
smallest motion in the metric of the kinetic energy (Newton with G at each iterate; the rates in one linear step). The
residual stays at rounding level however long the run, and energy is not touched to first order.

Constraints must be independent: a row that no joint can influence, or that says what others say, is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.dynamics.formulations import Singular
from docksim.chain.model import ChainModel
from docksim.chain.motion.conditions import Conditions, Value
from docksim.chain.motion.plant import Plant
from docksim.result.result import ResultError

INDEPENDENT = 1e-7  # smallest over largest singular value of the scaled gradient
_ROUNDS = 60


class Infeasible(ResultError):
    """Constraints that cannot be met, or are not independent."""


@dataclass(frozen=True)
class Held:
    """Accelerations and reactions at a state."""

    acceleration: np.ndarray  # (n,)
    reaction: np.ndarray  # (m,) N, in the rows' units: N for m, N m for rad
    joint_reaction: np.ndarray  # (n,) GT N


class Constrained:
    """A chain under constraints."""

    def __init__(self, model: ChainModel, conditions: Conditions, plant: Plant | None = None) -> None:
        self.model, self.conditions = model, conditions
        self.plant = plant or Plant(model)
        self.dynamics = self.plant.dynamics

    def at(self, t: float, q: np.ndarray, rates: np.ndarray, Q: np.ndarray) -> Held:
        """(2.17) with the reactions of (2.19)."""
        value = self.conditions(self.model, q, rates, t)
        A, b = self.plant.equations(t, q, rates)
        half, D = self._schur(A, value)
        free = np.linalg.solve(A, Q - b)
        N = -np.linalg.solve(D, value.gradient @ free + value.drift)
        return Held(free + half @ N, N, value.gradient.T @ N)

    def _schur(self, A: np.ndarray, value: Value) -> tuple[np.ndarray, np.ndarray]:
        """A^-1 GT and D."""
        half = np.linalg.solve(A, value.gradient.T)
        return half, value.gradient @ half

    def project(self, t: float, q: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest state on the constraints. Starts close to them: a few Newton steps."""
        q = self.place(t, q, rounds=8)
        return q, self.rates(t, q, rates)

    def place(self, t: float, q: np.ndarray, rounds: int = _ROUNDS) -> np.ndarray:
        """The configuration nearest to q that meets f = 0, by damped Newton steps; Infeasible if there is none."""
        zero = np.zeros(self.model.n)
        value = self.conditions(self.model, q, zero, t)
        A = self._matrix(q)
        size = _size(value.f)
        for _ in range(rounds):
            if size == 0.0:
                break
            step = -self._step(A, value)
            better = self._shorter(t, q, step, size)
            if better is None:
                break
            q, value, new = better
            done = new > 0.25 * size and new < 1e-12
            size = new
            if done:
                break
            A = self.dynamics.mass_matrix(q)
        if size > 1e-9:
            raise Infeasible(self._cannot(t, value))
        return q

    def _matrix(self, q: np.ndarray) -> np.ndarray:
        """A, refused where some joint moves nothing that has inertia."""
        try:
            self.dynamics.forward(q, np.zeros(self.model.n), np.zeros(self.model.n))
        except Singular as error:
            raise Infeasible(str(error)) from None
        return self.dynamics.mass_matrix(q)

    def _shorter(
        self, t: float, q: np.ndarray, step: np.ndarray, size: float
    ) -> tuple[np.ndarray, Value, float] | None:
        """A part of the step after which f is smaller; None if there is none."""
        largest = float(np.abs(step).max())
        part = min(1.0, 1.0 / largest) if largest > 0.0 else 1.0
        while part > 1e-6:
            tried = q + part * step
            value = self.conditions(self.model, tried, np.zeros(self.model.n), t)
            if (new := _size(value.f)) < size:
                return tried, value, new
            part *= 0.5
        return None

    def _step(self, A: np.ndarray, value: Value) -> np.ndarray:
        """A^-1 GT D^-1 f, of least norm where D has no inverse."""
        half, D = self._schur(A, value)
        try:
            return half @ np.linalg.solve(D, value.f)
        except np.linalg.LinAlgError:
            return half @ (np.linalg.pinv(D, rcond=1e-12, hermitian=True) @ value.f)

    def rates(self, t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """The rates nearest to these, in the metric of the kinetic energy, that meet f' = 0."""
        A = self.dynamics.mass_matrix(q)
        for _ in range(2):
            value = self.conditions(self.model, q, rates, t)
            half, D = self._schur(A, value)
            rates = rates - half @ np.linalg.solve(D, value.rate)
        return rates

    def check(self, t: float, q: np.ndarray) -> None:
        """Refuse constraints that depend on each other at this configuration."""
        value = self.conditions(self.model, q, np.zeros(self.model.n), t)
        m, n = value.gradient.shape
        rows = self.conditions.rows
        if m > n:
            raise Infeasible(f"{m} constraints on {n} joints: nothing can move; take at most {n}")
        root = np.linalg.cholesky(self.dynamics.mass_matrix(q))
        scaled = np.linalg.solve(root, value.gradient.T)
        size = np.linalg.norm(scaled, axis=0)
        reach = np.linalg.norm(np.linalg.inv(root), 2)
        dead = [row for row, length in zip(rows, size, strict=True) if length < INDEPENDENT * reach]
        if dead:
            raise Infeasible(f"no joint can influence {', '.join(dead)} here; leave it out of the constraints")
        s, Vt = np.linalg.svd(scaled / size)[1:]
        if s[-1] < INDEPENDENT * s[0]:
            part = [row for row, share in zip(rows, Vt[-1], strict=True) if abs(share) > 1e-3]
            raise Infeasible(
                f"the constraints {', '.join(part)} are not independent at t = {t:.6g} s: one follows from the others,"
                " or the chain is in a singular position; leave one out, or start elsewhere"
            )

    def _cannot(self, t: float, value: Value) -> str:
        unit = dict(zip(self.conditions.rows, self.conditions.units, strict=True))
        worst = sorted(zip(np.abs(value.f), self.conditions.rows, strict=True), reverse=True)[:3]
        words = ", ".join(f"{row} {size:.4g} {unit[row]}" for size, row in worst)
        return (
            f"the constraints cannot be met at t = {t:.6g} s: the nearest configuration found leaves {words};"
            " out of reach, contradicting each other, or too far from the start"
        )


def _size(f: np.ndarray) -> float:
    return float(np.abs(f).max(initial=0.0))

"""The stabilising control along a program f(q, t) = 0 (Zaremba 1990, 3.1):

    Q = b - A {G+ (c + G1 f' + G0 f) - (1 - G+ G) v}

so that f'' + G1 f' + G0 f = 0: every error dies out with the two poles that make up its own row of G1 and G0, which
are diagonal, exactly, as long as the controller's masses are right. G+ is the pseudo-inverse:

    fewer conditions than joints     the rest of the motion is v, projected so that it cannot disturb the program
    as many                          all joints are determined
    more                             accelerations of least squared error: the program is met only where it can be

With v = 0 the joints left free keep the rates they have, and drift; `damping` and `posture` make v a second-order law
of its own. Near a singular position G+ is cut at SINGULAR of the largest singular value, and the run says so.

Joints without a drive (p: elements of elastic links, a free base) follow the driven ones (a) by their own equations:

    X = App^-1 Apa     x = App^-1 bp          qp'' = -X qa'' - x
    Gg = Ga - Gp X     cg = c - Gp x          f'' = Gg qa'' + cg
    qa'' = va - Gg+ (Gg va + cg + G1 f' + G0 f)
    Qa = (Aaa - Apa' X) qa'' + ba - Apa' x    Qp = 0

so that the law holds as before while Gg has full rank. What the joints left to themselves do is another matter: a
program for the far end of an elastic link is refused, since keeping it still makes the link swing ever more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from docksim.chain.motion.conditions import Conditions, Value
from docksim.chain.motion.plant import Plant
from docksim.config.schema.chain_conditions import ConditionPart, Poles

SINGULAR = 1e-6
Redundant = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Command:
    """What the controller does at an instant."""

    force: np.ndarray  # (n,) Q, zero for joints without a drive
    acceleration: np.ndarray  # (n,) that it asks for
    value: Value
    rank: int


class ProgramControl:
    """The law for one chain, as the controller knows it."""

    def __init__(self, plant: Plant, conditions: Conditions, poles: Sequence[Poles], redundant: Redundant) -> None:
        self.plant, self.conditions, self.redundant = plant, conditions, redundant
        self.model = plant.model
        self.driven, self.passive = self.model.driven, np.flatnonzero(self.model.passive)
        self.G1, self.G0 = np.array([pair.gains() for pair in poles]).T

    def at(self, t: float, q: np.ndarray, rates: np.ndarray) -> Command:
        """(3.1), for the driven joints."""
        a, p = self.driven, self.passive
        value = self.conditions(self.model, q, rates, t)
        A, b = self.plant.equations(t, q, rates)
        A_pa = A[np.ix_(p, a)]
        X, x = self._followed(A[np.ix_(p, p)], A_pa, b[p])
        G = value.gradient[:, a] - value.gradient[:, p] @ X
        drift = value.drift - value.gradient[:, p] @ x
        inverse, rank = pseudo_inverse(G)
        v = self.redundant(q, rates)[a]
        own = v - inverse @ (G @ v + drift + self.G1 * value.rate + self.G0 * value.f)
        acceleration, force = np.empty(len(q)), np.zeros(len(q))
        acceleration[a], acceleration[p] = own, -X @ own - x
        force[a] = (A[np.ix_(a, a)] - A_pa.T @ X) @ own + b[a] - A_pa.T @ x
        return Command(force, acceleration, value, rank)

    def _followed(self, A_pp: np.ndarray, A_pa: np.ndarray, b_p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """X and x."""
        if not len(b_p):
            return A_pa, b_p
        solution = np.linalg.solve(A_pp, np.column_stack([A_pa, b_p]))
        return solution[:, :-1], solution[:, -1]


def row_poles(program: Sequence[ConditionPart], otherwise: Poles) -> list[Poles]:
    """The poles of every row of a program."""
    poles: list[Poles] = []
    for part in program:
        own = part.poles or [otherwise]
        poles += own if len(own) > 1 else own * part.row_count
    return poles


def by_the_poles(G1: np.ndarray, G0: np.ndarray, f: np.ndarray, rate: np.ndarray, time: np.ndarray) -> np.ndarray:
    """(T, m) how errors f with rates f' at time zero die out: the solution of f'' + G1 f' + G0 f = 0, row by row."""
    s = G1 / 2.0
    w = np.sqrt((G0 - s * s).astype(complex))
    double = np.abs(w) < 1e-9 * s
    t = time[:, None]
    # a double pole has sin(w t) / w = t
    wave = np.where(double, t, np.real(np.sin(w * t) / np.where(double, 1.0, w)))
    return np.exp(-s * t) * (np.real(np.cos(w * t)) * f + wave * (rate + s * f))


def pseudo_inverse(G: np.ndarray) -> tuple[np.ndarray, int]:
    """G+ and the rank of G."""
    U, s, Vt = np.linalg.svd(G, full_matrices=False)
    rank = int(np.sum(s > SINGULAR * s[0])) if len(s) and s[0] > 0.0 else 0
    return (Vt[:rank].T / s[:rank]) @ U[:, :rank].T, rank


def redundant_law(kind: str, frequency_Hz: float, posture: np.ndarray) -> Redundant:
    """v(q, q'): nothing, damping of the rates, or a critically damped return to a posture."""
    w = 2.0 * math.pi * frequency_Hz
    if kind == "none":
        return lambda q, rates: np.zeros_like(q)
    if kind == "damping":
        return lambda q, rates: -2.0 * w * rates
    return lambda q, rates: -2.0 * w * rates - w * w * (q - posture)

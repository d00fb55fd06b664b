"""The stabilising control along a program f(q, t) = 0 (Zaremba 1990, 3.1):

    Q = b - A {G+ (c + G1 f' + G0 f) - (1 - G+ G) v}

so that f'' + G1 f' + G0 f = 0: every error dies out with the two poles that make up G1 and G0, exactly, as long as the
controller's masses are right. G+ is the pseudo-inverse:

    fewer conditions than joints     the rest of the motion is v, projected so that it cannot disturb the program
    as many                          all joints are determined
    more                             accelerations of least squared error: the program is met only where it can be

With v = 0 the joints left free keep the rates they have, and drift; `damping` and `posture` make v a second-order law
of its own. Near a singular position G+ is cut at SINGULAR of the largest singular value, and the run says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from docksim.chain.conditions import Conditions, Value
from docksim.chain.dynamics import Dynamics
from docksim.chain.model import ChainModel
from docksim.config.chain_task import Poles

SINGULAR = 1e-6
Redundant = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Command:
    """What the controller does at an instant."""

    force: np.ndarray  # (n,) Q
    acceleration: np.ndarray  # (n,) that it asks for
    value: Value
    rank: int


class ProgramControl:
    """The law for one chain, as the controller knows it."""

    def __init__(self, model: ChainModel, conditions: Conditions, poles: Poles, redundant: Redundant) -> None:
        self.model, self.conditions, self.redundant = model, conditions, redundant
        self.dynamics = Dynamics(model)
        self.G1, self.G0 = gains(poles)

    def at(self, t: float, q: np.ndarray, rates: np.ndarray) -> Command:
        """(3.1)."""
        value = self.conditions(self.model, q, rates, t)
        inverse, rank = pseudo_inverse(value.gradient)
        v = self.redundant(q, rates)
        wanted = value.drift + self.G1 * value.rate + self.G0 * value.f
        acceleration = v - inverse @ (value.gradient @ v + wanted)
        return Command(self.dynamics.inverse(q, rates, acceleration), acceleration, value, rank)


def gains(poles: Poles) -> tuple[float, float]:
    """G1 and G0, the same for all rows, from two poles."""
    if poles.real_1_s is not None:
        one, two = poles.real_1_s
        return -(one + two), one * two
    w = 2.0 * math.pi * (poles.frequency_Hz or 0.0)
    return 2.0 * poles.damping_ratio * w, w * w


def by_the_poles(G1: float, G0: float, f: np.ndarray, rate: np.ndarray, time: np.ndarray) -> np.ndarray:
    """(T, m) how errors f with rates f' at time zero die out: the solution of f'' + G1 f' + G0 f = 0."""
    s = G1 / 2.0
    w = np.sqrt(complex(G0 - s * s))
    # a double pole has sin(w t) / w = t
    wave = time if abs(w) < 1e-9 * s else np.real(np.sin(w * time) / w)
    level = np.real(np.cos(w * time))
    return np.exp(-s * time)[:, None] * (np.outer(level, f) + np.outer(wave, rate + s * f))


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

"""Conditions on a chain and their derivatives along a motion, exact, by the complex step.

f(q, t) moves on by  f'' = G q'' + c(q, q', t).  What a small departure dq from the motion does to it is

    df'' = G dq'' + 2 G' dq' + G'' dq        2 G' = dc/dq',   G'' = dc/dq + d(G q'')/dq

G' and G'' are the rates of the gradient along the motion, the target's own motion included: f'' of the departed state
is the second rate of G dq. Every entry is the imaginary part of G or c at a state with an imaginary step of STEP: no
difference is taken, so nothing cancels. A second derivative would not be exact this way; none is needed, since c has
it already.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.model import ChainModel
from docksim.chain.motion.conditions import Conditions

STEP = 1e-30


@dataclass(frozen=True)
class Departures:
    """How conditions answer to small departures from a motion; SI and radians."""

    gradient: np.ndarray  # (m, n) G
    rate: np.ndarray  # (m, n) G' along the motion
    second: np.ndarray  # (m, n) G'' along the motion
    curvature: np.ndarray  # (m, n, n) dG/dq, symmetric in its last two


def departures(
    model: ChainModel, conditions: Conditions, t: float, q: np.ndarray, rates: np.ndarray, accelerations: np.ndarray
) -> Departures:
    """At a state of the motion."""
    steps = 1j * STEP * np.eye(model.n)
    by_q = [conditions(model, q + step, rates, t) for step in steps]
    by_rate = [conditions(model, q, rates + step, t) for step in steps]
    curvature = np.stack([one.gradient.imag / STEP for one in by_q], axis=-1)
    drift_by_q, drift_by_rate = (np.stack([one.drift.imag / STEP for one in some], -1) for some in (by_q, by_rate))
    return Departures(
        gradient=conditions(model, q, rates, t).gradient,
        rate=0.5 * drift_by_rate,
        second=drift_by_q + np.einsum("mij,i->mj", curvature, accelerations),
        curvature=curvature,
    )

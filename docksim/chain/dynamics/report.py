"""One look at a chain: A, b, inverse and forward dynamics in a state, and how well the four formulations agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.dynamics.formulations import METHODS, Dynamics, Vector
from docksim.chain.model import ChainModel

PLAIN_UP_TO = 30  # joints; beyond, compiling is quicker than plain Python


@dataclass(frozen=True, eq=False)
class Report:
    """A q'' + b = Q in one state, SI."""

    names: tuple[str, ...]
    prismatic: np.ndarray
    q: np.ndarray
    rates: np.ndarray
    accelerations: np.ndarray  # asked for
    drives: np.ndarray  # forces of the drives that were asked for
    A: np.ndarray
    b: np.ndarray
    forces: np.ndarray  # that make the accelerations
    response: np.ndarray  # accelerations that the drives make
    method: str
    disagreement: dict[str, float]  # largest relative difference of A, b, forces, response among the formulations


def report(
    chain: ChainModel, q: Vector, rates: Vector, accelerations: Vector, drives: Vector, method: str = "crba"
) -> Report:
    """The state by one formulation, compared with the others. Raises Singular where A has no inverse."""
    answers = {}
    for name in METHODS:
        code = Dynamics(chain, name, compiled=chain.n > PLAIN_UP_TO)
        answers[name] = (
            code.mass_matrix(q),
            code.bias(q, rates),
            code.inverse(q, rates, accelerations),
            code.forward(q, rates, drives),
        )
    own = answers[method]
    worst = {
        word: max(_difference(other[i], own[i]) for other in answers.values())
        for i, word in enumerate(("A", "b", "inverse", "forward"))
    }
    q, rates, accelerations, drives = (np.asarray(part, float) for part in (q, rates, accelerations, drives))
    return Report(chain.names, chain.prismatic, q, rates, accelerations, drives, *own, method, worst)


def _difference(a: np.ndarray, b: np.ndarray) -> float:
    size = float(np.abs(b).max(initial=0.0))
    return float(np.abs(a - b).max(initial=0.0)) / size if size > 0.0 else 0.0

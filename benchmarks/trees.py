"""Free-flyer trees to measure: random bodies, the same for docksim and for the peer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from docksim.compiler import Compiled
from docksim.model import Work
from tests.oracle.tree_description import TreeBody, random_state, random_tree
from tests.support.harness import compile_tree

MIXED = ("revolute", "prismatic", "cylindrical", "universal", "spherical")


def revolute_tree(rng: np.random.Generator, n: int, chain: bool = False) -> list[TreeBody]:
    """Revolute joints in the form of robot description files: axes along x, y or z, body frame at the joint.

    Both codes are at their best with these.
    """
    bodies = random_tree(rng, n, ("revolute",))
    axes = np.eye(3)[rng.integers(3, size=n)]
    changes: dict[str, Any] = {"child_position": np.zeros(3), "child_rotation": np.eye(3), "rotor": ()}
    plain = [bodies[0]]
    for k in range(1, n):
        parent = k - 1 if chain else bodies[k].parent
        # joints half a metre apart at most, so that a long chain stays well-conditioned
        plain.append(replace(bodies[k], axis=axes[k], parent=parent, position=0.5 * bodies[k].position, **changes))
    return plain


def mixed_tree(rng: np.random.Generator, n: int) -> list[TreeBody]:
    """Joints with one to three coordinates in general positions."""
    return random_tree(rng, n, MIXED)


class Rig:
    """A tree at a random state, compiled, with random joint forces."""

    def __init__(self, bodies: list[TreeBody], seed: int = 1, **sections: Any) -> None:
        rng = np.random.default_rng(seed)
        self.bodies = bodies
        self.theta, self.beta = random_state(rng, bodies)
        compiled, work = compile_tree(bodies, self.theta, self.beta, **sections)
        self.compiled: Compiled = compiled
        self.work: Work = work
        self.tau = rng.normal(size=len(self.beta))
        # nothing acts on the root, whose forces the peer must not get either
        self.tau[:6] = 0.0
        self.work.dof["tau"][: len(self.tau)] = self.tau

    @property
    def tables(self) -> tuple[Any, Any, Any]:
        return self.compiled.model, self.compiled.state, self.work

    def acceleration(self) -> np.ndarray:
        return np.array(self.work.dof["beta_dot"][: len(self.beta)])

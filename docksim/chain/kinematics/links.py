"""Links of a chain in the world, in motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.kinematics.points import point_twist, world_links
from docksim.chain.kinematics.screws import link_poses, world_poses
from docksim.chain.model import ChainModel
from docksim.numbers.counting import plain


@dataclass(frozen=True)
class Kinematics:
    """Links of a chain in the world, in motion."""

    model: ChainModel
    q: np.ndarray
    rates: np.ndarray
    R: np.ndarray  # (n, 3, 3)
    p: np.ndarray  # (n, 3)
    axes: np.ndarray  # (n, 3) of the joints

    def twists(self, k: int, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian (6, n) [v; w] of a point (in the world) that link k carries, and its drift, on world axes."""
        kind = np.result_type(self.p, self.rates)
        J, drift = np.zeros((6, self.model.n), kind), np.empty(6, kind)
        code = plain(point_twist) if np.iscomplexobj(J) else point_twist
        code(self.model.tables, self.p, self.axes, self.rates, k, point, J, drift)
        return J, drift


def kinematics(model: ChainModel, q: np.ndarray, rates: np.ndarray) -> Kinematics:
    """The links at a state, which may be complex."""
    if np.iscomplexobj(q):
        R, p = world_poses(model, *link_poses(model, q))
        return Kinematics(model, q, rates, R, p, np.einsum("kab,kb->ka", R, model.axis))
    R, p, axes = np.empty((model.n, 9)), np.empty((model.n, 3)), np.empty((model.n, 3))
    world_links(model.tables, q, R, p, axes)
    return Kinematics(model, q, rates, R.reshape(model.n, 3, 3), p, axes)

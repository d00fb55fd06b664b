"""A chain's poses and screws at a configuration, in the letters of Zaremba (1990); names of its channels.

Works on complex configurations too, so that derivatives can be checked by the complex step.
"""

from __future__ import annotations

import numpy as np

from docksim.chain.kinematics.derivatives import Screws, mises_matrix, turns
from docksim.chain.model import ChainModel

BASE = -1


def joint_screws(model: ChainModel) -> np.ndarray:
    """f (n, 6), [v; w] on the links' own axes: constant, since the origin of a link lies on its joint."""
    f = np.zeros((model.n, 6))
    sliding = model.prismatic
    f[sliding, :3] = model.axis[sliding]
    f[~sliding, 3:] = model.axis[~sliding]
    return f


def link_poses(model: ChainModel, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """C (n, 3, 3) and O (n, 3) of each link in its parent's frame."""
    own = turns(model.axis, np.where(model.prismatic, 0.0, q))
    slide = np.where(model.prismatic, q, 0.0)[:, None] * model.axis
    return model.R_fix @ own, model.p_fix + np.einsum("kab,kb->ka", model.R_fix, slide)


def world_poses(model: ChainModel, C: np.ndarray, O: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R (n, 3, 3) and p (n, 3) of each link in the world."""
    R, p = np.empty_like(C), np.empty_like(O)
    for k, parent in enumerate(model.parent):
        if parent == BASE:
            R[k], p[k] = C[k], O[k]
        else:
            R[k], p[k] = R[parent] @ C[k], p[parent] + R[parent] @ O[k]
    return R, p


def inertias(model: ChainModel) -> np.ndarray:
    """Theta (n, 6, 6) of the links in their own frames."""
    mass = np.where(model.mass > 0.0, model.mass, 1.0)
    Theta = mises_matrix(mass, model.moment / mass[:, None], model.inertia)
    Theta[:, :3, :3] = model.mass[:, None, None] * np.eye(3)
    return Theta


def screws_at(model: ChainModel, q: np.ndarray) -> Screws:
    """Everything the derivative theorems need."""
    C, O = link_poses(model, np.asarray(q))
    return Screws(model.parent, C, O, joint_screws(model), inertias(model))


# ---------------------------------------------------------------- names with units


def coordinate_names(model: ChainModel) -> tuple[str, ...]:
    return _names(model, "angle_rad", "travel_m")


def rate_names(model: ChainModel) -> tuple[str, ...]:
    return _names(model, "rate_rad_s", "rate_m_s")


def effort_names(model: ChainModel) -> tuple[str, ...]:
    return _names(model, "torque_Nm", "force_N")


def _names(model: ChainModel, turning: str, sliding: str) -> tuple[str, ...]:
    return tuple(
        f"{link}.{sliding if slides else turning}" for link, slides in zip(model.names, model.prismatic, strict=True)
    )

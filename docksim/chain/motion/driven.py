"""A chain under its drives: servos that look in samples, friction that sticks.

Friction of a joint whose drive has a presliding displacement d is a bristle, as that of joints on vehicles: its
stretch z follows the joint, and slips at d, where it pulls with the Coulomb level F. The force is -F z / d; a joint
under a smaller load rests on it. Pieces of a run end where a bristle begins or ceases to slip: piece 0 stretches, +-1
slips.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from docksim.chain.model import ChainModel
from docksim.chain.motion.constrained import Constrained
from docksim.chain.motion.drives import Drives
from docksim.chain.motion.plant import Moving, Plant
from docksim.config.schema.chain_loads import JointDrive


def presliding(model: ChainModel, drives: dict[str, JointDrive]) -> np.ndarray:
    """(n,) displacement at which friction slips; infinite where it does not stick."""
    out = np.full(model.n, np.inf)
    for link, drive in drives.items():
        k = model.names.index(link)
        if model.prismatic[k] and drive.presliding_m is not None:
            out[k] = drive.presliding_m
        if not model.prismatic[k] and drive.presliding_deg is not None:
            out[k] = np.radians(drive.presliding_deg)
    return out


def without_sticking(model: ChainModel, displacement: np.ndarray) -> ChainModel:
    """The chain with the friction that is left to be rounded."""
    return replace(model, friction=np.where(np.isinf(displacement), model.friction, 0.0))


class Driven(Moving):
    """A plant under its drives; what it keeps are the stretches of the bristles, as parts of their displacements."""

    def __init__(
        self, plant: Plant, drives: Drives, friction: np.ndarray, displacement: np.ndarray, held: Constrained | None
    ) -> None:
        super().__init__(plant, drives, drives.breaks, held)
        self.drives = drives
        self.sticking = np.flatnonzero(np.isfinite(displacement))
        self.level, self.displacement = friction[self.sticking], displacement[self.sticking]
        self.inner_start = np.zeros(len(self.sticking))

    @property
    def has_corners(self) -> bool:
        return super().has_corners or len(self.sticking) > 0

    def sample(self, t: float, q: np.ndarray, rates: np.ndarray) -> None:
        self.drives.sample(t, q, rates)

    def pieces(self, t: float, q: np.ndarray, rates: np.ndarray, inner: np.ndarray) -> np.ndarray:  # type: ignore[override]
        signs = super().pieces(t, q, rates, inner)
        slips = np.zeros((1, len(q)), np.int8)
        moving = rates[self.sticking]
        slips[0, self.sticking] = np.sign(inner) * ((np.abs(inner) >= 1.0) & (inner * moving > 0.0))
        return np.concatenate([signs, slips])

    def inner_rate(
        self, t: float, q: np.ndarray, rates: np.ndarray, inner: np.ndarray, pieces: np.ndarray
    ) -> np.ndarray:
        return np.where(pieces[2, self.sticking] == 0, rates[self.sticking] / self.displacement, 0.0)

    def rubbing(self, inner: np.ndarray, pieces: np.ndarray) -> np.ndarray:
        out = np.zeros(self.plant.model.n)
        out[self.sticking] = -self.level * inner
        return out

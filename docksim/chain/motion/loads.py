"""Wrenches from outside on links of a chain: constant, by a table, or swinging; on the world's axes or the link's own.

For the formulations a wrench is [force; moment] at the link's origin, on its axes. For the work it does, and for linear
models, the generalised forces come from the Jacobians of the loaded points, by which each way checks the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from docksim.chain.kinematics.links import Kinematics
from docksim.chain.kinematics.screws import screws_at, world_poses
from docksim.chain.model import ChainModel
from docksim.config.schema.chain_loads import Load

Factor = Callable[[float], float]


@dataclass(frozen=True)
class PointLoad:
    """One wrench, at a point in the frame of the link that carries it."""

    link: int
    point: np.ndarray  # (3,)
    force: np.ndarray  # (3,) on link axes if it turns with the link, on the world's if not
    moment: np.ndarray
    turns: bool
    factor: Factor
    known: bool

    def on_link(self, t: float, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment at the point, on link axes; R takes those to the world's."""
        share = self.factor(t)
        if self.turns:
            return share * self.force, share * self.moment
        return share * (R.T @ self.force), share * (R.T @ self.moment)


class Loads:
    """All loads of a task."""

    def __init__(self, model: ChainModel, loads: Sequence[Load] = ()) -> None:
        self.model = model
        self.parts = tuple(_point_load(model, load) for load in loads)
        self.breaks = {t for load in loads if load.table is not None for t in load.table.time_s}

    def known(self) -> Loads:
        """Those that a controller knows of."""
        loads = Loads(self.model)
        loads.parts = tuple(part for part in self.parts if part.known)
        return loads

    def wrenches(self, t: float, state: Kinematics) -> np.ndarray:
        """(n, 6) [force; moment] at the links' origins, on their axes."""
        total = np.zeros((self.model.n, 6))
        for part in self.parts:
            force, moment = part.on_link(t, state.R[part.link])
            total[part.link, :3] += force
            total[part.link, 3:] += moment + np.cross(part.point, force)
        return total

    def generalised(self, t: float, state: Kinematics) -> np.ndarray:
        """(n,) forces on the joints, by the Jacobians of the points."""
        total = np.zeros(self.model.n)
        for part in self.parts:
            R = state.R[part.link]
            J, _ = state.twists(part.link, state.p[part.link] + R @ part.point)
            force, moment = part.on_link(t, R)
            total += J[:3].T @ (R @ force) + J[3:].T @ (R @ moment)
        return total

    def slope(self, t: float, q: np.ndarray) -> np.ndarray:
        """(n, n) derivative of the generalised forces by the coordinates, exact: by the complex step."""
        columns = np.empty((self.model.n, self.model.n))
        for j in range(self.model.n):
            moved = q.astype(complex)
            moved[j] += 1e-30j
            columns[:, j] = self._by_twists(t, moved).imag / 1e-30
        return columns

    def _by_twists(self, t: float, q: np.ndarray) -> np.ndarray:
        screws = screws_at(self.model, q)
        R, _ = world_poses(self.model, screws.C, screws.O)
        total = np.zeros(self.model.n, q.dtype)
        for part in self.parts:
            force, moment = part.on_link(t, R[part.link])
            total += screws.twist[part.link] @ np.concatenate([force, moment + np.cross(part.point, force)])
        return total


def _point_load(model: ChainModel, load: Load) -> PointLoad:
    k, point = model.point_from_end(load.link, load.point_m)
    end = model.R_end[k]
    turns = load.axes == "link"
    force, moment = (np.array(part) for part in (load.force_N, load.moment_Nm))
    if turns:
        force, moment = end @ force, end @ moment
    return PointLoad(k, point, force, moment, turns, _factor(load), load.known)


def _factor(load: Load) -> Factor:
    if load.sine is not None:
        w, phase = 2.0 * math.pi * load.sine.frequency_Hz, math.radians(load.sine.phase_deg)
        return lambda t: math.sin(w * t + phase)
    if load.table is not None:
        return table(load.table.time_s, load.table.factor)
    return lambda t: 1.0


def table(times: Sequence[float], values: Sequence[float]) -> Factor:
    """Straight lines between entries, constant outside."""
    knots, heights = np.array(times), np.array(values)
    return lambda t: float(np.interp(t, knots, heights))

"""A chain with all that acts on it in a run: A(q) q'' + b(t, q, q') = Q, and what drives, stops and constraints do.

b holds loads, springs and dampers, and Coulomb friction rounded at zero rate (tanh of the rate over ROUNDED), so that a
step size exists. Drives give what they are asked for as far as limits let them; joints without a drive get nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from docksim.chain.dynamics.formulations import Dynamics
from docksim.chain.kinematics.links import kinematics
from docksim.chain.model import ChainModel
from docksim.chain.motion.limits import Limits
from docksim.chain.motion.loads import Loads

if TYPE_CHECKING:
    from docksim.chain.motion.constrained import Constrained

ROUNDED = 0.01  # rate below which friction fades out [rad/s], [m/s]
WORKS = ("drives", "loads", "dampers", "stops", "constraints")
NOTHING = np.empty(0)
Wanted = Callable[[float, np.ndarray, np.ndarray], np.ndarray]


class Plant:
    """A chain under loads."""

    def __init__(self, model: ChainModel, loads: Loads | None = None, method: str = "crba") -> None:
        self.model, self.loads, self.method = model, loads or Loads(model), method
        self.dynamics = Dynamics(replace(model, friction=np.zeros(model.n)), method)
        self._last: tuple[bytes, tuple[np.ndarray, np.ndarray]] = (b"", (np.empty(0), np.empty(0)))

    def model_at(self, _: float) -> ChainModel:
        """The chain at a time."""
        return self.model

    def equations(self, t: float, q: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A and b, without the stops; those of the last state are kept, since controller and plant ask for the same."""
        state = np.concatenate([[t], q, rates]).tobytes()
        if state != self._last[0]:
            self._last = state, self._equations(t, q, rates)
        return self._last[1]

    def _equations(self, t: float, q: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        wrenches = None
        if self.loads.parts:
            wrenches = self.loads.wrenches(t, kinematics(self.model, q, rates))
        A, b = self.dynamics.matrix_and_bias(q, rates, wrenches)
        return A, b + self.friction(rates)

    def friction(self, rates: np.ndarray) -> np.ndarray:
        """(n,) against the motion."""
        return self.model.friction * np.tanh(rates / ROUNDED)

    def fastest_decay(self, q: np.ndarray) -> float:
        """The largest rate at which a damper stops a mass [1/s]: explicit steps must be as short."""
        A, _ = self.equations(0.0, q, np.zeros(len(q)))
        return float(np.abs(np.linalg.eigvals(np.linalg.solve(A, np.diag(self.model.damping)))).max(initial=0.0))

    def acceleration(self, t: float, q: np.ndarray, rates: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """What these forces make."""
        A, b = self.equations(t, q, rates)
        return np.linalg.solve(A, Q - b)


@dataclass(frozen=True)
class Instant:
    """All forces at a state, and what they make."""

    acceleration: np.ndarray  # (n,)
    wanted: np.ndarray  # (n,) asked of the drives
    force: np.ndarray  # (n,) of the drives
    stop: np.ndarray  # (n,) of the stops
    reaction: np.ndarray  # (m,) of constraints
    joint_reaction: np.ndarray  # (n,)
    power: np.ndarray  # (5,) as WORKS, on the chain
    inner_rate: np.ndarray  # (r,) of what the controller keeps


class Moving:
    """A plant in motion: what its drives are asked for, what may hold it, and what a controller keeps (inner)."""

    inner_start = NOTHING

    def __init__(self, plant: Plant, wanted: Wanted, breaks: set[float], held: Constrained | None = None) -> None:
        self.plant, self.wanted, self.held = plant, wanted, held
        self.breaks = breaks | plant.loads.breaks
        self.limits = Limits(plant.model)

    def asked(self, t: float, q: np.ndarray, rates: np.ndarray, _: np.ndarray) -> np.ndarray:
        """Of the drives."""
        return self.wanted(t, q, rates)

    def sample(self, t: float, q: np.ndarray, rates: np.ndarray) -> None:
        """A piece begins: who looks in samples may look."""

    def inner_rate(
        self, t: float, q: np.ndarray, rates: np.ndarray, inner: np.ndarray, pieces: np.ndarray
    ) -> np.ndarray:
        """How what the controller, or friction that sticks, keeps changes."""
        return NOTHING

    def rubbing(self, inner: np.ndarray, pieces: np.ndarray) -> np.ndarray:
        """(n,) of friction that sticks, on the joints."""
        return np.zeros(self.plant.model.n)

    @property
    def has_corners(self) -> bool:
        """May other formulas come to hold on the way?"""
        return self.limits.drives or self.limits.stops

    def pieces(self, t: float, q: np.ndarray, rates: np.ndarray, inner: np.ndarray = NOTHING) -> np.ndarray:
        """(2 or 3, n) which formulas hold for drives, stops, friction that sticks; zeros where there are none."""
        signs = np.zeros((2, len(q)), np.int8)
        if self.limits.drives:
            signs[0] = self.limits.drive_pieces(self.asked(t, q, rates, inner), rates)
        if self.limits.stops:
            signs[1] = self.limits.stop_pieces(q, rates)
        return signs

    def at(
        self, t: float, q: np.ndarray, rates: np.ndarray, pieces: np.ndarray, inner: np.ndarray = NOTHING
    ) -> Instant:
        """The state by the formulas of these pieces."""
        wanted = self.asked(t, q, rates, inner)
        force = self.limits.force(wanted, rates, pieces[0])
        stop = self.limits.stop_force(q, rates, pieces[1])
        rubbing = self.rubbing(inner, pieces)
        if self.held is None:
            acceleration = self.plant.acceleration(t, q, rates, force + stop + rubbing)
            reaction, joint_reaction = np.zeros(0), np.zeros(len(q))
        else:
            held = self.held.at(t, q, rates, force + stop + rubbing)
            acceleration, reaction, joint_reaction = held.acceleration, held.reaction, held.joint_reaction
        power = np.array(
            [force @ rates, self._of_loads(t, q, rates), self._lost(rates) + rubbing @ rates, stop @ rates, 0.0]
        )
        power[4] = joint_reaction @ rates
        kept = self.inner_rate(t, q, rates, inner, pieces)
        return Instant(acceleration, wanted, force, stop, reaction, joint_reaction, power, kept)

    def _of_loads(self, t: float, q: np.ndarray, rates: np.ndarray) -> float:
        if not self.plant.loads.parts:
            return 0.0
        return float(self.plant.loads.generalised(t, kinematics(self.plant.model, q, rates)) @ rates)

    def _lost(self, rates: np.ndarray) -> float:
        return -float((self.plant.model.damping * rates + self.plant.friction(rates)) @ rates)

"""Adaptive control of a chain in base parameters (Slotine and Li 1987): joints follow their paths, masses are learnt.

With e = q - q_d, and gains l, K, G:

    s = e' + l e        v = q' - s        a = v'
    Q = Y(q, q', v, a) p - K s + Q_known        p' = -G Y' s

Y p = A a + C(q, q') v + g is linear in the base parameters p: the columns of the regressor W that are basic. C is that
of Christoffel's symbols, for which s'(A' - 2 C) s = 0; since rates enter W quadratically it comes by polarisation,
2 C(q, q') v = W(q' + v) - W(q') - W(v) + W(0). Springs, dampers, friction, rotors and known loads are known: Q_known.
Then V = s'A s / 2 + (p - p_true)' G^-1 (p - p_true) / 2 falls, V' = -s'(K + D) s with the joints' damping D, so that
s and e die out; p comes to the true values only as far as the motion tells them apart. Limits of the drives are no
part of this.

K is `gain` times the diagonal of A as it is known at the start. G is diagonal: `adaptation` times the square of each
parameter's natural size over M L^2, with M the mass of the chain as known and L its length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from docksim.chain.identification.baseparams import POWERS, base_parameters, characteristic_length
from docksim.chain.identification.regressor import inertial_parameters, regressor
from docksim.chain.kinematics.links import kinematics
from docksim.chain.model import ChainModel
from docksim.chain.motion.conditions import Conditions
from docksim.chain.motion.plant import ROUNDED, Moving, Plant
from docksim.config.schema.chain_task import Adaptive


@dataclass(frozen=True, eq=False)
class Adaptation:
    """What the controller believes over time, and the function that falls."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    estimates: np.ndarray  # (T, r) base parameters
    true: np.ndarray  # (T, r)
    lyapunov_J: np.ndarray  # (T,) V


@dataclass(frozen=True)
class Law:
    """The law at an instant."""

    force: np.ndarray  # (n,) Q
    regressor: np.ndarray  # (n, r) Y
    s: np.ndarray  # (n,)


class AdaptiveControl:
    """The law for one chain, as far as the controller knows it."""

    def __init__(self, known: Plant, conditions: Conditions, gains: Adaptive, q: np.ndarray) -> None:
        self.known, self.model, self.conditions, self.gains = known, known.model, conditions, gains
        self.base = base_parameters(self.model)
        self.columns = self.base.columns
        self.guess = self.parameters(self.model)
        self.K = gains.gain_1_s * np.diag(known.equations(0.0, q, np.zeros(len(q)))[0])
        M, L = float(self.model.mass.sum()), characteristic_length(self.model)
        sizes = M * L ** POWERS[self.columns % len(POWERS)]
        self.G = gains.adaptation_1_s2 * sizes**2 / (M * L * L)
        self._last: tuple[bytes, Law | None] = (b"", None)

    def parameters(self, model: ChainModel) -> np.ndarray:
        """Base parameters of a chain of this one's geometry."""
        return self.base.values(inertial_parameters(model))

    def at(self, t: float, q: np.ndarray, rates: np.ndarray, estimate: np.ndarray) -> Law:
        """Forces and the regressor; those of the last state are kept, since motor and adaptation ask for the same."""
        state = np.concatenate([[t], q, rates, estimate]).tobytes()
        if self._last[0] != state or self._last[1] is None:
            self._last = state, self._at(t, q, rates, estimate)
        law = self._last[1]
        assert law is not None
        return law

    def _at(self, t: float, q: np.ndarray, rates: np.ndarray, estimate: np.ndarray) -> Law:
        value = self.conditions(self.model, q, rates, t)
        # rows are joints, in the order of the task
        G = value.gradient
        e, rate, wanted = G.T @ value.f, G.T @ value.rate, -(G.T @ value.drift)
        s = rate + self.gains.convergence_1_s * e
        v, a = rates - s, wanted - self.gains.convergence_1_s * rate
        Y = reference_regressor(self.model, q, rates, v, a)[:, self.columns]
        return Law(Y @ estimate - self.K * s + self._joints(t, q, rates, v, a), Y, s)

    def _joints(self, t: float, q: np.ndarray, rates: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """What springs, dampers, friction and rotors of the joints and known loads ask for."""
        model = self.model
        force = model.stiffness * (q - model.rest) + model.damping * v + model.rotor * a
        force = force + model.friction * np.tanh(rates / ROUNDED)
        if self.known.loads.parts:
            force = force - self.known.loads.generalised(t, kinematics(model, q, rates))
        return np.asarray(force)

    def lyapunov_J(self, s: np.ndarray, A: np.ndarray, estimate: np.ndarray, true: np.ndarray) -> float:
        """V."""
        apart = estimate - true
        return float(0.5 * s @ A @ s + 0.5 * apart @ (apart / self.G))


def reference_regressor(
    model: ChainModel, q: np.ndarray, rates: np.ndarray, v: np.ndarray, a: np.ndarray
) -> np.ndarray:
    """(n, 10 n) of A a + C(q, q') v + g, with C of Christoffel's symbols."""
    zero = np.zeros_like(q)
    speeds = np.array([zero, rates + v, rates, v, zero])
    W = regressor(model, np.tile(q, (5, 1)), speeds, np.array([a, zero, zero, zero, zero]))
    return np.asarray(W[0] + 0.5 * (W[1] - W[2] - W[3] + W[4]))


class AdaptiveMoving(Moving):
    """A plant under the law; the estimate is a part of the state."""

    def __init__(self, plant: Plant, control: AdaptiveControl, breaks: set[float]) -> None:
        super().__init__(plant, lambda t, q, rates: control.at(t, q, rates, control.guess).force, breaks)
        self.control = control
        self.inner_start = control.guess

    def asked(self, t: float, q: np.ndarray, rates: np.ndarray, inner: np.ndarray) -> np.ndarray:
        return self.control.at(t, q, rates, inner).force

    def inner_rate(self, t: float, q: np.ndarray, rates: np.ndarray, inner: np.ndarray, _: np.ndarray) -> np.ndarray:
        law = self.control.at(t, q, rates, inner)
        return -self.control.G * (law.regressor.T @ law.s)


class ChangingPlant(Plant):
    """A chain some of whose links become heavier or lighter at given times, at the rates they have."""

    def __init__(self, first: Plant, later: list[tuple[float, Plant]]) -> None:
        super().__init__(first.model, first.loads, first.method)
        self.later = later
        self.gained: dict[float, float] = {}  # energy that came in at a time, with the mass
        self.energy = lambda model, q, rates: 0.0

    def at(self, t: float) -> Plant | None:
        """The chain that a time has; None for the first."""
        return next((plant for start, plant in reversed(self.later) if t >= start), None)

    def model_at(self, t: float) -> ChainModel:
        plant = self.at(t)
        return self.model if plant is None else plant.model

    def equations(self, t: float, q: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        before = self.model
        for start, changed in self.later:
            if t >= start and start not in self.gained:
                # the first state that is asked for from then on is the one at that time
                self.gained[start] = self.energy(changed.model, q, rates) - self.energy(before, q, rates)
            before = changed.model
        plant = self.at(t)
        return super().equations(t, q, rates) if plant is None else plant.equations(t, q, rates)


def adaptation(moving: AdaptiveMoving, times: list[float], states: list, inner: list[np.ndarray]) -> Adaptation:
    """Estimates and V at all rows."""
    control, plant = moving.control, moving.plant
    true = np.array([control.parameters(plant.model_at(t)) for t in times])
    V = []
    for t, (q, rates), estimate, right in zip(times, states, inner, true, strict=True):
        A, _ = plant.equations(t, q, rates)
        V.append(control.lyapunov_J(control.at(t, q, rates, estimate).s, A, estimate, right))
    return Adaptation(control.base.names, control.base.units, np.array(inner), true, np.array(V))

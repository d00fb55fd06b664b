"""The kernel's own source on dual numbers: accelerations, motions and inertia of a tree with their exact derivatives.

Every free coordinate is displaced by a dual of value zero, as the integrators displace it (a rotation vector for balls,
q exp(u)), every rate and every input gets its own direction, and `evaluate` runs as plain Python. One pass gives all
derivatives, to rounding. It takes a fraction of a second for a satellite, some seconds for a hundred coordinates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from docksim.algebra.masses import cross_matrix, symmetric
from docksim.compiler.tables import new_work
from docksim.kernel.basis.coordinates import displace, drive_coordinates, remember_start
from docksim.kernel.mechanism.couplings import coupling_rate
from docksim.kernel.mechanism.ring import leg_details, leg_link_motion
from docksim.kernel.step import evaluate
from docksim.kernel.tree.control import hold_torque
from docksim.kernel.tree.energy import body_inertia
from docksim.kernel.tree.passes import motion
from docksim.model import Model, State
from docksim.model.events import HOLD_ON
from docksim.numbers.dual import Dual, dual_math, slope_of
from docksim.numbers.plain import bundle, plain, value_of


class Point:
    """A state as rows, in which numbers may be duals with `size` directions."""

    def __init__(self, model: Model, state: State) -> None:
        self.model = bundle(model)
        self.state = bundle(state)
        self.work = bundle(new_work(model, state))
        self.size = 0

    def dual(self, value: float, direction: int) -> Dual:
        slope = np.zeros(self.size)
        slope[direction] = 1.0
        return Dual(value, slope)

    def displace(self, indices: Sequence[int]) -> None:
        """Coordinates and rates of these indices, in the directions 0 .. n - 1 and n .. 2 n - 1."""
        n = len(indices)
        self._run(drive_coordinates)
        plain(remember_start, dual_math)(self.state, self.work)
        for i, j in enumerate(indices):
            self.work.dof[j].u_now = self.dual(0.0, i)
            self.state.beta[j] = self.dual(float(self.state.beta[j]), n + i)
        self._run(displace)

    def attitude_torques(self) -> list[tuple[Any, ...]]:
        """What each attitude hold asks for at this state, as a continuous law without delay and dead band."""
        self._run(motion)
        for law in self.model.hold:
            # not zero: the law has no slope at the edge of its band
            law.stiffness = np.array([max(k, 1e-200) for k in law.stiffness], object)
            law.dead_band = -1e-100
        law_of = plain(hold_torque, dual_math)
        time = self.state.clock[0].t
        nothing = (0.0, 0.0, 0.0)
        return [
            law_of(self.model, self.work, law, time) if own.mode == HOLD_ON else nothing
            for law, own in zip(self.model.hold, self.state.hold, strict=True)
        ]

    def evaluate(self) -> None:
        """Every force and acceleration, and the legs link by link."""
        self._run(evaluate)
        self._run(leg_details)

    def _run(self, kernel: Any) -> None:
        plain(kernel, dual_math)(self.model, self.state, self.work)

    def values(self, numbers: Any) -> np.ndarray:
        return np.array([float(value_of(x)) for x in np.ravel(numbers)])

    def slopes(self, numbers: Any) -> np.ndarray:
        """(numbers, directions)"""
        return np.array([slope_of(x, self.size) for x in np.ravel(numbers)]).reshape(-1, self.size)

    def frame(self, body: int, position: Any, axes: np.ndarray) -> Frame:
        """A frame on a body and how it moves."""
        row = self.work.body[body]
        R = np.array(row.R_WB, object).reshape(3, 3)
        arm = R @ (np.asarray(position, object) - row.p_BH)
        w = np.array(row.w_WB, object)
        return Frame(row.p_WH + arm, R @ axes.astype(object), row.v_WH + np.cross(w, arm), w)

    def mass_matrix(self, directions: slice, indices: Sequence[int]) -> np.ndarray:
        """Kinetic energy is b' M b / 2 in the rates b, whose directions are given. Needs an evaluated point."""
        M = np.diag([float(self.model.dof[j].armature) for j in indices])
        inertia_of = plain(body_inertia, dual_math)
        for k in self.state.order:
            constant, body = self.model.body[k], self.work.body[k]
            first = constant.mass * self.values(body.p_HC)
            J = self.values(inertia_of(constant, body))
            M += _energy(constant.mass, first, J, self.slopes(body.w_WB), self.slopes(body.v_WH), directions)
        for i in range(self.model.mechanism.size):
            M += self._legs(i, directions)
        return M

    def _legs(self, i: int, directions: slice) -> np.ndarray:
        """Links and rotors of the legs of one mechanism."""
        constant = self.model.mechanism[i]
        link_of: Callable[..., Any] = plain(leg_link_motion, dual_math)
        rate_of = plain(coupling_rate, dual_math)
        n = directions.stop - directions.start
        M = np.zeros((n, n))
        rotors = []
        for k in range(constant.first_leg, constant.first_leg + constant.n_legs):
            for link in range(2):
                m, mc, J, _, w, v = link_of(self.model, self.work, i, k, link)
                M += _energy(
                    float(value_of(m)), self.values(mc), self.values(J), self.slopes(w), self.slopes(v), directions
                )
            rotors += list(zip(self.model.leg[k].rotor, self.slopes(self.work.leg[k].rate), strict=True))
        for k in range(constant.first_coupling, constant.first_coupling + constant.n_couplings):
            rotors.append((self.model.shaft[k].rotor, self.slopes([rate_of(self.model, self.work, k)])[0]))
        for inertia, slope in rotors:
            M += inertia * np.outer(slope[directions], slope[directions])
        return M


class Frame:
    """A frame on a body, in W: origin, axes, velocity of the origin, angular velocity; of duals."""

    def __init__(self, origin: np.ndarray, axes: np.ndarray, velocity: np.ndarray, rate: np.ndarray) -> None:
        self.origin, self.axes, self.velocity, self.rate = origin, axes, velocity, rate

    def own_rate(self) -> np.ndarray:
        """On its own axes."""
        return self.axes.T @ self.rate

    def turn(self, point: Point) -> np.ndarray:
        """(3, directions): small rotation on its own axes."""
        now = point.values(self.axes).reshape(3, 3)
        change = now.T @ np.moveaxis(point.slopes(self.axes).reshape(3, 3, -1), -1, 0)
        return np.array([change[:, 2, 1], change[:, 0, 2], change[:, 1, 0]])


def _energy(
    mass: float, first: np.ndarray, J: np.ndarray, turns: np.ndarray, travels: np.ndarray, directions: slice
) -> np.ndarray:
    """Mass matrix of one body: first moment and inertia (xx, yy, zz, xy, xz, yz) about the point that travels."""
    w, v = turns[:, directions], travels[:, directions]
    coupling = w.T @ cross_matrix(first) @ v
    return w.T @ symmetric(J) @ w + mass * v.T @ v + coupling + coupling.T

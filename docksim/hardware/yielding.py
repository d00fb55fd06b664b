"""What holds a ring before capture: the force that tilts it, moves it aside or pushes it in, by statics.

The ring is brought from its reference pose by a given tilt, lateral travel or travel inward, slowly, base held, and the
work that its devices take up is differentiated by the way. Counted are springs (linear, caged, by table), constant
forces, dry friction and brakes, of legs and couplings alike, and position servos that are on, which push in proportion
up to their limit. Every shaft is taken to move one way, so friction resists it with the elastic bristle of a run, full
beyond the presliding. Left out are dampers, inertia, velocity servos, stops, and load cells (a leg that gives way to
what its cell feels resists with the spring of its admittance alone, below its dead band not at all).

A tilt is caused by a force along the axis at the ring's edge, the circle of its joints. It also pushes the ring in,
which something else holds: the mean of the driven joints is kept at its reference. What the ring does beside the tilt
is one of two: its centre is held, or centre and roll go where the resistance is least, as between petals that slide.
The second is never stiffer than the first; a ring between petals is somewhere between the two. A tilt is taken towards
all sides, since couplings and friction are not alike in all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from docksim.compiler.shafts import Shaft
from docksim.hardware.mechanism import Mechanism
from docksim.model.mechanism import LEG_FINE, MEAN, POSITION

TILTS_DEG = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0)
TRAVELS_M = (0.01, 0.02, 0.04, 0.06, 0.08, 0.10)
SIDES = 12
# half a central difference of the work, in rad or m: its curvature within the step against rounding
STEP = 1e-3
# of the coordinates by travel and roll, likewise
DIFFERENCE = 1e-6
# stiffness of what holds the mean of the legs [N/m or N m/rad]: a kilonewton moves it by a micrometre
HOLD = 1e9
# too weak to count, so that a ring that nothing holds has a place to go to [N/m, N m/rad]
WEAK = 1e-3
SEARCHES, HALVINGS = 80, 12


@dataclass(frozen=True)
class Resistance:
    """Force at one size of a motion: of the weakest side, split, and of the strongest."""

    size: float  # deg or m
    springs_N: float
    friction_N: float
    force_N: float
    strongest_N: float


@dataclass(frozen=True)
class Yielding:
    """Resistance to four motions; sizes beyond the first that a side cannot reach are left out."""

    radius_m: float  # of the edge at which a tilting force acts
    tilt: tuple[Resistance, ...]  # centre and roll free
    tilt_centre_held: tuple[Resistance, ...]
    lateral: tuple[Resistance, ...]  # the ring stays parallel
    inward: tuple[Resistance, ...]


def yielding(mechanism: Mechanism) -> Yielding:
    """All figures, at the sizes of the table."""
    across = sides()
    return Yielding(
        mechanism.ring_radius,
        tilt_resistance(mechanism, TILTS_DEG, across),
        tilt_resistance(mechanism, TILTS_DEG, across, centre_held=True),
        travel_resistance(mechanism, TRAVELS_M, across),
        travel_resistance(mechanism, TRAVELS_M, np.array([[-1.0, 0.0, 0.0]])),
    )


def tilt_resistance(
    mechanism: Mechanism, sizes_deg: Sequence[float], axes: np.ndarray, centre_held: bool = False
) -> tuple[Resistance, ...]:
    """Force at the ring's edge, for turns about the axes (n, 3)."""
    sizes = np.radians(sizes_deg)
    # what goes where resistance is least: travel along the axis, travel across, roll
    places = (0,) if centre_held else (0, 1, 2, 3)
    slopes = _Way(mechanism, axes, turns=True, places=places).slopes(sizes) / mechanism.ring_radius
    return _weakest(sizes_deg, slopes)


def travel_resistance(mechanism: Mechanism, sizes_m: Sequence[float], axes: np.ndarray) -> tuple[Resistance, ...]:
    """Force along the axes (n, 3) on a ring that stays parallel."""
    return _weakest(sizes_m, _Way(mechanism, axes, turns=False, places=()).slopes(np.asarray(sizes_m)))


def _weakest(sizes: Sequence[float], slopes: np.ndarray) -> tuple[Resistance, ...]:
    """From forces (sizes, sides, 2) of springs and friction."""
    resistances = []
    for size, forces in zip(sizes, slopes, strict=True):
        if not np.all(np.isfinite(forces)):
            break
        total = forces.sum(axis=1)
        springs, friction = map(float, forces[np.argmin(total)])
        resistances.append(Resistance(float(size), springs, friction, springs + friction, float(total.max())))
    return tuple(resistances)


def sides() -> np.ndarray:
    """(SIDES, 3) unit vectors across the docking axis."""
    angle = np.linspace(0.0, 2.0 * math.pi, SIDES, endpoint=False)
    return np.column_stack([np.zeros(SIDES), np.cos(angle), np.sin(angle)])


class _Way:
    """Rings side by side, each moved along one way: turned about its axis, or carried along it."""

    def __init__(self, mechanism: Mechanism, axes: np.ndarray, turns: bool, places: tuple[int, ...]) -> None:
        self.mechanism, self.axes, self.turns, self.places = mechanism, axes, turns, list(places)
        self.laws, self.legs = [_Law(shaft) for shaft in mechanism.shafts], len(mechanism.legs)
        self.starts = np.array([shaft.start for shaft in mechanism.shafts])
        self.round = np.array([shaft.turns for shaft in mechanism.actuators], bool)
        self.attitude = Rotation.from_quat(np.roll(mechanism.reference[1], -1))

    def slopes(self, sizes: np.ndarray) -> np.ndarray:
        """(sizes, sides, 2) derivatives of the work that springs and friction take up; nan where out of reach."""
        # all sizes, sides and both ends of the difference at once
        shape = (len(sizes), len(self.axes))
        ends = [np.repeat(sizes + sign * STEP, len(self.axes)) for sign in (1.0, -1.0)]
        size, axis = np.concatenate(ends), np.tile(self.axes, (2 * len(sizes), 1))
        springs, friction = self.work(self.coordinates(size, axis, self.settled(size, axis)))
        works = np.column_stack([springs, friction]).reshape(2, *shape, 2)
        return np.asarray((works[0] - works[1]) / (2.0 * STEP))

    def settled(self, size: np.ndarray, axis: np.ndarray) -> np.ndarray:
        """(n, 4) travel of the centre and roll beside the given motion: Newton's method on the work, damped."""
        q = np.zeros((len(size), 4))
        if not self.places:
            return q
        for k in range(SEARCHES):
            x = self.coordinates(size, axis, q)
            J = self.jacobian(size, axis, q)
            # slopes as they are converge fast, secants never go too far: in turn
            force, slope = self.resisting(x, secant=k % 2 == 1)
            gradient = np.einsum("ns,nsp->np", force, J) + WEAK * q[:, self.places]
            H = np.einsum("nsp,ns,nsr->npr", J, slope, J) + WEAK * np.eye(len(self.places))
            way = np.zeros_like(q)
            way[:, self.places] = -np.linalg.solve(H, gradient[:, :, None])[:, :, 0]
            # halve the step where the work would grow
            before, step = self.held_work(x), np.ones(len(size))
            for _ in range(HALVINGS):
                grows = ~(self.held_work(self.coordinates(size, axis, q + step[:, None] * way)) <= before)
                if not grows.any():
                    break
                step[grows] *= 0.5
            moved = np.where(np.isfinite(before)[:, None], step[:, None] * way, 0.0)
            q = q + moved
            if np.abs(moved).max() < 1e-9:
                break
        return q

    def coordinates(self, size: np.ndarray, axis: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(n, shafts); nan where a leg cannot follow."""
        position = np.asarray(self.mechanism.reference[0]) + q[:, :3]
        turn = Rotation.from_rotvec(q[:, 3:] * [1.0, 0.0, 0.0])
        if self.turns:
            turn = Rotation.from_rotvec(size[:, None] * axis) * turn
        else:
            position = position + size[:, None] * axis
        joints, status = self.mechanism.closures(position, (turn * self.attitude).as_matrix())
        x = joints[:, np.arange(self.legs), self.mechanism.driven]
        # an angle is the one nearest its reference
        way = x - self.starts[: self.legs]
        x = np.where(self.round, x - 2.0 * math.pi * np.floor(way / (2.0 * math.pi) + 0.5), x)
        x[np.any(status != LEG_FINE, axis=1)] = np.nan
        return np.hstack([x, x @ self.mechanism.weights.T])

    def jacobian(self, size: np.ndarray, axis: np.ndarray, q: np.ndarray) -> np.ndarray:
        """(n, shafts + 1, places) coordinates and the legs' mean by what the ring is free to do; zero out of reach."""
        columns = []
        for place in self.places:
            off = DIFFERENCE * np.eye(4)[place]
            far, near = (self.coordinates(size, axis, q + sign * off) for sign in (1.0, -1.0))
            columns.append((far - near) / (2.0 * DIFFERENCE))
        J = np.nan_to_num(np.stack(columns, axis=2))
        return np.concatenate([J, J[:, : self.legs].mean(axis=1, keepdims=True)], axis=1)

    def mean_moved(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(np.mean((x - self.starts)[:, : self.legs], axis=1))

    def work(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Taken up by springs, and by friction [J]."""
        mean = self.mean_moved(x)
        springs, friction = np.sum([law.work(x[:, i], mean) for i, law in enumerate(self.laws)], axis=0)
        return springs, friction

    def held_work(self, x: np.ndarray) -> np.ndarray:
        """With what holds the mean of the legs."""
        springs, friction = self.work(x)
        return np.asarray(springs + friction + 0.5 * HOLD * self.mean_moved(x) ** 2)

    def resisting(self, x: np.ndarray, secant: bool) -> tuple[np.ndarray, np.ndarray]:
        """(n, shafts + 1) forces by which the shafts resist, then that on the mean of the legs, and their slopes."""
        mean = self.mean_moved(x)
        pairs = [law.force(x[:, i], mean, secant) for i, law in enumerate(self.laws)]
        force, slope = (np.nan_to_num(np.stack(values, axis=1)) for values in zip(*pairs, strict=True))
        hold = np.nan_to_num(HOLD * mean)
        return np.column_stack([force, hold]), np.column_stack([slope, np.full_like(hold, HOLD)])


class _Law:
    """Resistance of one shaft: what it takes up, its derivative, and the derivative of that."""

    def __init__(self, shaft: Shaft) -> None:
        self.shaft, self.gain = shaft, 0.0
        if shaft.servo_on and shaft.mode == POSITION:
            self.gain = shaft.stiffness_gain
            if shaft.gives_way:
                # inner loop and admittance in series
                softer = shaft.admittance_stiffness
                self.gain *= softer / (softer + shaft.stiffness_gain)
        self.bristle = shaft.friction / shaft.presliding
        self.at_ease = self.spring(np.array([shaft.start]))[2]

    def spring(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force against the spring, its slope and its energy, by the constants of a run."""
        shaft = self.shaft
        if not shaft.spring:
            stretch = x - shaft.rest
            stiffness = np.full_like(x, shaft.stiffness)
            return stiffness * stretch, stiffness, 0.5 * stiffness * stretch * stretch
        knots = np.array(shaft.spring)
        at, force, slope, energy = knots[np.maximum(np.searchsorted(knots[:, 0], x, "right") - 1, 0)].T
        d = x - at
        return -(force + slope * d), -slope, energy - d * (force + 0.5 * d * slope)

    def work(self, x: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Taken up by spring, servo and constant force, and by friction."""
        shaft, moved = self.shaft, x - self.shaft.start
        springs = self.spring(x)[2] - self.at_ease - shaft.force * moved
        springs = springs + _bounded_work(self.gain, shaft.force_limit, self._off(moved, mean))
        return springs, _bounded_work(self.bristle, shaft.friction, moved)

    def force(self, x: np.ndarray, mean: np.ndarray, secant: bool) -> tuple[np.ndarray, np.ndarray]:
        """And slope; the mean counts as fixed, since it is held."""
        shaft, moved = self.shaft, x - self.shaft.start
        force, slope, _ = self.spring(x)
        servo, stiff = _bounded(self.gain, shaft.force_limit, self._off(moved, mean), secant)
        friction, sticking = _bounded(self.bristle, shaft.friction, moved, secant)
        return force + servo + friction - shaft.force, slope + stiff + sticking

    def _off(self, moved: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """How far the servo is from its set-point."""
        return moved - mean if self.shaft.follows == MEAN else moved


def _bounded(slope: float, limit: float, x: np.ndarray, secant: bool) -> tuple[np.ndarray, np.ndarray]:
    """Force in proportion, up to a limit, and its slope, or that of the line from zero to it."""
    force = np.clip(slope * x, -limit, limit)
    beyond = np.abs(force) / np.maximum(np.abs(x), 1e-12) if secant else 0.0
    return force, np.where(np.abs(force) < limit, slope, beyond)


def _bounded_work(slope: float, limit: float, x: np.ndarray) -> np.ndarray:
    """Its integral."""
    if slope == 0.0:
        return np.zeros_like(x)
    inner = np.minimum(np.abs(x), limit / slope)
    outer = np.abs(x) - inner
    return 0.5 * slope * inner * inner + np.where(outer > 0.0, outer * min(limit, 1e300), 0.0)

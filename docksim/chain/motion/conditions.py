"""Conditions f(q, t) = 0 with all that equations of motion need of them.

For each: f, its rate f', the gradient G = df/dq (Zaremba's capital gamma), and the drift c in f'' = G q'' + c, which is
G' q' plus the time derivative of df/dt (2.18).

An attitude's error is the rotation vector v of R_WDT R_WT (D desired, T tool), a true function of q; its gradient is
E(v) times the angular part of the twists, not the twists themselves. It is defined for errors of less than half a turn.

All of them take complex coordinates and rates too: derivatives are imaginary parts, see condition_derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from docksim.chain.build import rotation
from docksim.chain.kinematics.derivatives import cross
from docksim.chain.kinematics.links import Kinematics, kinematics
from docksim.chain.kinematics.paths import (
    Path,
    Point,
    Turning,
    around,
    rate_matrix,
    rotation_vector,
    smooth,
    standing,
    swinging,
    turning,
)
from docksim.chain.model import ChainModel
from docksim.chain.motion.closures import ends_of, relation, row_names
from docksim.config.schema.chain_conditions import (
    AnyCondition,
    ClosureCondition,
    CouplingCondition,
    DistanceCondition,
    JointCondition,
    OnPoint,
    PlaneCondition,
    PoseCondition,
    PositionCondition,
)

AXES = "xyz"


@dataclass(frozen=True)
class Value:
    """A condition at an instant."""

    f: np.ndarray  # (m,)
    rate: np.ndarray  # (m,)
    gradient: np.ndarray  # (m, n)
    drift: np.ndarray  # (m,)


@dataclass(frozen=True)
class Condition:
    """Rows with names and units ('m' or 'rad'), and how to compute them."""

    name: str
    rows: tuple[str, ...]
    units: tuple[str, ...]
    compute: Callable[[Kinematics, float], Value]


class OutOfReach(NamedTuple):
    """Which part of a program, when, how far from the first joint [m], and how far the links reach [m]."""

    part: int
    time_s: float
    away: float
    length: float


@dataclass(frozen=True)
class Conditions:
    """All conditions of a task as one vector."""

    parts: tuple[Condition, ...]

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(f"{part.name}.{row}" if row else part.name for part in self.parts for row in part.rows)

    @property
    def units(self) -> tuple[str, ...]:
        return tuple(unit for part in self.parts for unit in part.units)

    def __call__(self, model: ChainModel, q: np.ndarray, rates: np.ndarray, t: float) -> Value:
        if not self.parts:
            return Value(np.zeros(0), np.zeros(0), np.zeros((0, model.n)), np.zeros(0))
        state = kinematics(model, q, rates)
        values = [part.compute(state, t) for part in self.parts]
        return Value(*(np.concatenate([getattr(one, key) for one in values]) for key in Value.__annotations__))


# ---------------------------------------------------------------- from the file


def build_conditions(model: ChainModel, parts: Sequence[AnyCondition], q: np.ndarray) -> Conditions:
    """Conditions of a task; what has no target takes what is found at the configuration q."""
    start = kinematics(model, q, np.zeros(model.n))
    names: list[str] = []
    built = []
    for i, part in enumerate(parts):
        name = part.name or f"{part.type}{i + 1 if len(parts) > 1 else ''}"
        names.append(name if name not in names else f"{name}_{i + 1}")
        built.append(_BUILDERS[part.type](names[-1], part, start))
    return Conditions(tuple(built))


def out_of_reach(
    model: ChainModel, parts: Sequence[AnyCondition], q: np.ndarray, times: np.ndarray
) -> OutOfReach | None:
    """The first point that is to be led farther than the links reach when they are stretched; None if there is none."""
    start = kinematics(model, q, np.zeros(model.n))
    for i, part in enumerate(parts):
        if not isinstance(part, PositionCondition | PoseCondition):
            continue
        k, local, here = _carried(part, start)
        if isinstance(part, PositionCondition):
            path, axes = _path(part, here), [AXES.index(axis) for axis in part.axes]
        else:
            path, axes = _pose_path(part, here, start.R[k])[0], [0, 1, 2]
        length = float(np.linalg.norm(local))
        while True:
            length += max(abs(model.lower[k]), abs(model.upper[k])) if model.prismatic[k] else 0.0
            if model.parent[k] < 0:
                break
            length += float(np.linalg.norm(model.p_fix[k]))
            k = model.parent[k]
        away = np.array([np.linalg.norm((path(t)[0] - model.p_fix[k])[axes]) for t in times])
        if away.max() > length:
            first = int(np.argmax(away > length))
            return OutOfReach(i, float(times[first]), float(away[first]), length)
    return None


def _joint(name: str, part: JointCondition, start: Kinematics) -> Condition:
    model = start.model
    k = model.names.index(part.link)
    slides = bool(model.prismatic[k])
    factor = 1.0 if slides else np.pi / 180.0
    if part.waypoints:
        marks = [factor * _of_two(one.angle_deg, one.travel_m) for one in part.waypoints]
        path = smooth([one.time_s for one in part.waypoints], np.array(marks)[:, None], part.law)
    else:
        given = part.travel_m if slides else part.angle_deg
        middle = np.array([start.q[k] if given is None else factor * given])
        swing = part.sine
        path = standing(middle)
        if swing is not None:
            size = factor * _of_two(swing.amplitude_m if slides else swing.amplitude_deg, None)
            path = swinging(middle, size, swing.frequency_Hz)
    row = np.zeros((1, model.n))
    row[0, k] = 1.0
    return Condition(name, ("",), ("m" if slides else "rad",), _linear(row, path))


def _of_two(one: float | None, other: float | None) -> float:
    return one if one is not None else other if other is not None else 0.0


def _linear(rows: np.ndarray, path: Path) -> Callable[[Kinematics, float], Value]:
    def compute(at: Kinematics, t: float) -> Value:
        target, rate, acceleration = path(t)
        return Value(rows @ at.q - target, rows @ at.rates - rate, rows, -acceleration)

    return compute


def _coupling(name: str, part: CouplingCondition, start: Kinematics) -> Condition:
    model = start.model
    row = np.zeros((1, model.n))
    for link, ratio in part.ratios.items():
        row[0, model.names.index(link)] = ratio
    slides = all(model.prismatic[model.names.index(link)] for link in part.ratios)
    return Condition(name, ("",), ("m" if slides else "rad",), _linear(row, standing(row @ start.q)))


def _carried(part: OnPoint, start: Kinematics) -> tuple[int, np.ndarray, np.ndarray]:
    """Link, the point in its frame, and where it is at the start."""
    k, local = start.model.point_from_end(part.link, part.point_m)
    return k, local, start.p[k] + start.R[k] @ local


def _position(name: str, part: PositionCondition, start: Kinematics) -> Condition:
    k, local, here = _carried(part, start)
    pick = [AXES.index(axis) for axis in part.axes]
    path = _path(part, here)

    def compute(at: Kinematics, t: float) -> Value:
        target, rate, acceleration = path(t)
        point = at.p[k] + at.R[k] @ local
        J, drift = at.twists(k, point)
        J, drift = J[:3], drift[:3]
        return Value((point - target)[pick], (J @ at.rates - rate)[pick], J[pick], (drift - acceleration)[pick])

    return Condition(name, tuple(part.axes), ("m",) * len(pick), compute)


def _path(part: PositionCondition, here: np.ndarray) -> Path:
    if part.circle is not None:
        return around(part.circle)
    if part.waypoints is not None:
        times = [one.time_s for one in part.waypoints]
        return smooth(times, np.array([one.position_m for one in part.waypoints]), part.law)
    return standing(here if part.at_m is None else np.array(part.at_m))


def _pose(name: str, part: PoseCondition, start: Kinematics) -> Condition:
    k, local, here = _carried(part, start)
    end = start.model.R_end[k]
    path, attitude = _pose_path(part, here, start.R[k] @ end)

    def compute(at: Kinematics, t: float) -> Value:
        target, rate, acceleration = path(t)
        point = at.p[k] + at.R[k] @ local
        J, drift = at.twists(k, point)
        turn = _attitude_error(at.R[k] @ end, J[3:], drift[3:], at.rates, attitude(t))
        return Value(
            np.concatenate([point - target, turn.f]),
            np.concatenate([J[:3] @ at.rates - rate, turn.rate]),
            np.vstack([J[:3], turn.gradient]),
            np.concatenate([drift[:3] - acceleration, turn.drift]),
        )

    rows = (*AXES, *(f"turn_{axis}" for axis in AXES))
    return Condition(name, rows, ("m",) * 3 + ("rad",) * 3, compute)


def _pose_path(part: PoseCondition, here: np.ndarray, axes: np.ndarray) -> tuple[Path, Turning]:
    if part.waypoints is None:
        place = here if part.at_m is None else np.array(part.at_m)
        return standing(place), turning([0.0], [axes if part.attitude is None else rotation(part.attitude)])
    times = [one.time_s for one in part.waypoints]
    path = smooth(times, np.array([one.position_m for one in part.waypoints]), "rest")
    return path, turning(times, [rotation(one.attitude) for one in part.waypoints])


def _attitude_error(R: np.ndarray, J: np.ndarray, drift: np.ndarray, rates: np.ndarray, target: Point) -> Value:
    R_WD, w_D, dw_D = target
    error = R_WD.T @ R
    vector = rotation_vector(error)
    J_tool = R.T @ J
    carried = error.T @ w_D
    w = J_tool @ rates - carried
    # the derivative of components on turning axes: that of the vector less its own turning, which w x w leaves out
    dw = R.T @ drift + cross(w, carried) - error.T @ dw_D
    E, _ = rate_matrix(vector, np.zeros(3))
    rate = E @ w
    E, dE = rate_matrix(vector, rate)
    return Value(vector, rate, E @ J_tool, E @ dw + dE @ w)


def _plane(name: str, part: PlaneCondition, start: Kinematics) -> Condition:
    k, local, here = _carried(part, start)
    normal = np.array(part.normal) / np.linalg.norm(part.normal)
    through = here if part.through_m is None else np.array(part.through_m)

    def compute(at: Kinematics, t: float) -> Value:
        point = at.p[k] + at.R[k] @ local
        J, drift = at.twists(k, point)
        G = (normal @ J[:3])[None]
        return Value(np.array([normal @ (point - through)]), G @ at.rates, G, np.array([normal @ drift[:3]]))

    return Condition(name, ("",), ("m",), compute)


def _distance(name: str, part: DistanceCondition, start: Kinematics) -> Condition:
    k, local, here = _carried(part, start)
    centre = np.array(part.from_m)
    length = float(np.linalg.norm(here - centre)) if part.distance_m is None else part.distance_m

    def compute(at: Kinematics, t: float) -> Value:
        point = at.p[k] + at.R[k] @ local
        J, drift = at.twists(k, point)
        arm = point - centre
        size = max(np.sqrt(arm @ arm), 1e-12, key=np.real)
        along = arm / size
        G = (along @ J[:3])[None]
        v = J[:3] @ at.rates
        across = (v @ v - (along @ v) ** 2) / size
        return Value(np.array([size - length]), G @ at.rates, G, np.array([along @ drift[:3] + across]))

    return Condition(name, ("",), ("m",), compute)


def _closure(name: str, part: ClosureCondition, start: Kinematics) -> Condition:
    ends = ends_of(part, start)

    def compute(at: Kinematics, t: float) -> Value:
        here = relation(part, *ends, at)
        return Value(here.f, here.rate, here.gradient, here.drift)

    rows = row_names(part)
    return Condition(name, rows, tuple("rad" if row.startswith("turn") else "m" for row in rows), compute)


_BUILDERS: dict[str, Callable[..., Condition]] = {
    "joint": _joint,
    "coupling": _coupling,
    "position": _position,
    "pose": _pose,
    "plane": _plane,
    "distance": _distance,
    "closure": _closure,
}

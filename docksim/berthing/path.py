"""The way of the hand: poses in the frame of the arm's vehicle, against time.

Poses of the carried port are given as in an approach: on the axes of the berth turned by half a turn about z. Between
two poses the port goes straight and turns about one axis, both by the quintic 10 x3 - 15 x4 + 6 x5, at rest at the
ends. The last way in begins likewise, goes on at a constant rate through the berth, and ends as it began: by then the
joints have been released.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from docksim.algebra.dense import length, product
from docksim.algebra.rotations import pose, rotation_vectors, turn
from docksim.berthing.arm import inverse
from docksim.config.schema.berthing import BerthingPlan, Waypoint

FACING = pose(turn((0.0, 0.0, 1.0), np.pi), np.zeros(3))  # two ports that face each other


@dataclass(frozen=True)
class Scene:
    """Constant frames: the berth in the arm's vehicle, port and grapple in the cargo, and the port at the start."""

    berth: np.ndarray
    port: np.ndarray
    grapple: np.ndarray
    start: np.ndarray  # pose of the port in the arm's vehicle

    def hand(self, port: np.ndarray) -> np.ndarray:
        """Where the hand is, when it holds the grapple and the port is there."""
        return product(port, inverse(self.port), self.grapple, FACING)

    def before_berth(self, way: Waypoint) -> np.ndarray:
        """Pose of the port, in the arm's vehicle."""
        yaw, pitch, roll = np.radians([way.yaw_deg, way.pitch_deg, way.roll_deg])
        axes = product(turn((0, 0, 1), yaw), turn((0, 1, 0), pitch), turn((1, 0, 0), roll))
        return product(self.berth, FACING, pose(axes, (-way.distance_m, *way.lateral_offset_m)))


def smooth(x: float) -> float:
    """Rest to rest on [0, 1]."""
    x = min(max(x, 0.0), 1.0)
    return x * x * x * (10.0 + x * (6.0 * x - 15.0))


def between(a: np.ndarray, b: np.ndarray, s: float) -> np.ndarray:
    """A fraction s of the way from pose a to pose b: straight, about one axis."""
    vector = rotation_vectors(product(a[:3, :3].T, b[:3, :3]))
    angle = float(length(vector))
    axes = product(a[:3, :3], turn(vector / angle, s * angle) if angle > 0.0 else np.eye(3))
    return pose(axes, (1.0 - s) * a[:3, 3] + s * b[:3, 3])


def instants(duration: float, step: float) -> np.ndarray:
    """From 0 to the duration, evenly, no farther apart than the step."""
    return np.linspace(0.0, duration, max(2, int(np.ceil(duration / step - 1e-9))) + 1)


def reach(plan: BerthingPlan, scene: Scene) -> Iterator[tuple[float, np.ndarray]]:
    """Times and poses of the hand, from its stand-off to the grapple."""
    end = scene.hand(scene.start)
    start = end.copy()
    start[:3, 3] -= plan.reach.stand_off_m * end[:3, 0]
    for t in instants(plan.reach.duration_s, plan.knot_s):
        yield float(t), between(start, end, smooth(t / plan.reach.duration_s))


def carry(plan: BerthingPlan, scene: Scene) -> Iterator[tuple[float, np.ndarray]]:
    """Times and poses of the port, from where it is to beyond the berth."""
    at, here = 0.0, scene.start
    yield at, here
    for way in plan.carry:
        there = scene.before_berth(way)
        for t in instants(way.duration_s, plan.knot_s)[1:]:
            yield at + float(t), between(here, there, smooth(t / way.duration_s))
        at, here = at + way.duration_s, there
    for t, travelled in insertion(plan):
        yield at + t, product(here, pose(np.eye(3), (travelled, 0.0, 0.0)))


def _ramped(x: float) -> float:
    """Way, over rate and time, of a rate that grows from nothing by the quintic's first half."""
    return x * x * x * x * (2.5 + x * (x - 3.0))


def insertion(plan: BerthingPlan) -> Iterator[tuple[float, float]]:
    """Times and ways along the axis after the last pose."""
    rate, ramp = plan.insertion.closing_rate_m_s, plan.insertion.ramp_s
    run_up = 0.5 * rate * ramp
    cruise = plan.carry[-1].distance_m / rate  # through the berth, and a run-out beyond
    for t in instants(2.0 * ramp + cruise, plan.knot_s)[1:]:
        if t <= ramp:
            x = t / ramp
            yield float(t), rate * ramp * _ramped(x)
        elif t <= ramp + cruise:
            yield float(t), run_up + rate * (float(t) - ramp)
        else:
            x = (2.0 * ramp + cruise - t) / ramp
            yield float(t), 2.0 * run_up + rate * cruise - rate * ramp * _ramped(x)

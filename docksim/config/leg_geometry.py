"""A leg at one pose of the ring, just enough of it to place symmetric legs and to refuse a reference out of reach.

Plain tuples and the standard library. The full closure, with its rates and forces, is in the compiled kernels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from docksim.algebra.elementary import acos, atan2, hypot
from docksim.config.fields import Quaternion
from docksim.config.mechanism import HuntLeg, RingPose, StewartLeg

Vector = tuple[float, float, float]


def plus(a: Vector, b: Vector, factor: float = 1.0) -> Vector:
    return (a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2])


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a: Vector) -> Vector:
    size = hypot(*a)
    return (a[0] / size, a[1] / size, a[2] / size)


def turned(q: Quaternion, v: Vector) -> Vector:
    """Inner components to outer ones."""
    t = cross(q[1:], v)
    t = (2.0 * t[0], 2.0 * t[1], 2.0 * t[2])
    return plus(plus(v, t, q[0]), cross(q[1:], t))


def turned_back(q: Quaternion, v: Vector) -> Vector:
    """Outer components to inner ones."""
    return turned((q[0], -q[1], -q[2], -q[3]), v)


def quaternion_of_axes(x: Vector, y: Vector, z: Vector) -> Quaternion:
    """The attitude of a frame with these unit axes; the largest component is found first, so nothing cancels."""
    squares = (
        1.0 + x[0] + y[1] + z[2],
        1.0 + x[0] - y[1] - z[2],
        1.0 - x[0] + y[1] - z[2],
        1.0 - x[0] - y[1] + z[2],
    )
    rows = (
        (squares[0], y[2] - z[1], z[0] - x[2], x[1] - y[0]),
        (y[2] - z[1], squares[1], x[1] + y[0], z[0] + x[2]),
        (z[0] - x[2], x[1] + y[0], squares[2], y[2] + z[1]),
        (x[1] - y[0], z[0] + x[2], y[2] + z[1], squares[3]),
    )
    row = rows[squares.index(max(squares))]
    size = hypot(*row)
    return (row[0] / size, row[1] / size, row[2] / size, row[3] / size)


def on_ring(pose: RingPose, joint: Vector) -> Vector:
    """A point of the ring in B."""
    return plus(pose.position_m, turned(pose.attitude.quaternion_wxyz(), joint))


@dataclass(frozen=True)
class CrankReach:
    """Where the rod's sphere about the ring joint meets the crank's circle: only if near <= rod <= far."""

    near_m: float  # least distance of the ring joint from the circle
    far_m: float  # greatest
    gamma: float  # angle of the ring joint about the crank axis [rad]
    cos_beta: float  # angle from there to the crank

    def reaches(self, leg: HuntLeg) -> bool:
        return self.near_m <= leg.rod_m <= self.far_m

    def angle(self, elbow: int) -> float:
        """The crank's angle [rad], within half a turn."""
        theta = self.gamma + elbow * acos(min(max(self.cos_beta, -1.0), 1.0))
        return math.remainder(theta, 2.0 * math.pi)


def crank_reach(leg: HuntLeg, pose: RingPose) -> CrankReach:
    """Reach of a Hunt leg at a pose."""
    span = plus(on_ring(pose, leg.ring_joint_m), leg.base_joint_m, -1.0)
    x, y, z = turned_back(leg.base_axes.quaternion_wxyz(), span)
    rho, crank = hypot(x, z), leg.crank_m
    cos_beta = (crank * crank + rho * rho - leg.rod_m * leg.rod_m + y * y) / max(2.0 * crank * rho, 1e-300)
    near, far = hypot(y, rho - crank), hypot(y, rho + crank)
    return CrankReach(near, far, atan2(-z, x), cos_beta)


def driven_at(leg: StewartLeg | HuntLeg, pose: RingPose) -> float:
    """Stroke [m] or crank angle [rad] at a pose that the leg reaches; of an angle, the turn nearest its limits."""
    if isinstance(leg, HuntLeg):
        angle, limits = crank_reach(leg, pose).angle(leg.elbow), leg.actuator
        if limits.lower_deg is None or limits.upper_deg is None:
            return angle
        middle = math.radians(0.5 * (limits.lower_deg + limits.upper_deg))
        return angle - 2.0 * math.pi * round((angle - middle) / (2.0 * math.pi))
    span = plus(on_ring(pose, leg.ring_joint_m), leg.base_joint_m, -1.0)
    return hypot(*span) - leg.lower_length_m - leg.upper_arm_m

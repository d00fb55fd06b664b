"""A leg at one pose of the ring, just enough of it to place symmetric legs and to refuse a reference out of reach.

Plain tuples and the standard library. The full closure, with its rates and forces, is in the compiled kernels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from docksim.algebra.elementary import acos, atan2, hypot
from docksim.algebra.quat import quat_t_vec, quat_vec
from docksim.algebra.vec3 import Vec3, add, sub
from docksim.config.schema.legs import HuntLeg, RingPose, StewartLeg


def unit(a: Vec3) -> Vec3:
    size = hypot(*a)
    return (a[0] / size, a[1] / size, a[2] / size)


def on_ring(pose: RingPose, joint: Vec3) -> Vec3:
    """A point of the ring in B."""
    return add(pose.position_m, quat_vec(pose.attitude.quaternion_wxyz(), joint))


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
    span = sub(on_ring(pose, leg.ring_joint_m), leg.base_joint_m)
    x, y, z = quat_t_vec(leg.base_axes.quaternion_wxyz(), span)
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
    span = sub(on_ring(pose, leg.ring_joint_m), leg.base_joint_m)
    return hypot(*span) - leg.lower_length_m - leg.upper_arm_m

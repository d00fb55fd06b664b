"""Six equal legs from two radii and a few angles, written out as if they had been given one by one.

Base joints lie in pairs about the azimuths first_pair, +120, +240 deg, ring joints in pairs half-way between: the two
legs of a base pair lean away from each other, each to the ring pair on its side. Every leg's axes come from its own
geometry at the reference pose, so all legs are alike up to a turn or a mirror image.
"""

from __future__ import annotations

import math

from docksim.algebra.elementary import cos, hypot, sin
from docksim.algebra.quat import mat_to_quat, quat_t_vec, quat_vec
from docksim.algebra.vec3 import Vec3, axpy, cross, dot, sub
from docksim.config.schema.fields import Attitude
from docksim.config.schema.leg_geometry import crank_reach, on_ring, unit
from docksim.config.schema.legs import HuntLeg, RingPose, StewartLeg, SymmetricHunt, SymmetricStewart
from docksim.config.schema.retraction import Knot

AXIS: Vec3 = (1.0, 0.0, 0.0)


def written_out(part: SymmetricStewart | SymmetricHunt, pose: RingPose) -> tuple[StewartLeg | HuntLeg, ...]:
    """The six legs, the ring in its reference pose."""
    legs: list[StewartLeg | HuntLeg] = []
    for k, (base_deg, ring_deg) in enumerate(zip(*azimuths_deg(part), strict=True)):
        base = on_circle(part.base_radius_m, base_deg, part.base_height_m)
        ring = on_circle(part.ring_radius_m, ring_deg, part.ring_height_m)
        # ring-side universal joint: its z axis radial, across the leg
        outward = radial(ring_deg)
        ring_axes = attitude_of(cross(AXIS, outward), outward)
        if isinstance(part, SymmetricStewart):
            legs.append(_stewart_leg(part, pose, base, ring, ring_axes, outward))
        else:
            legs.append(_hunt_leg(part, pose, base, ring, ring_axes, base_deg, mirror=1 if k % 2 else -1))
    return tuple(legs)


def azimuths_deg(part: SymmetricStewart | SymmetricHunt) -> tuple[list[float], list[float]]:
    """Azimuths of the base joints and of the ring joints, leg by leg."""
    start, spread, gather = part.first_pair_azimuth_deg, part.base_half_angle_deg, part.ring_half_angle_deg
    sides = [(start + 120.0 * pair, side) for pair in range(3) for side in (-1, 1)]
    base = part.base_azimuths_deg or [middle + side * (spread or 0.0) for middle, side in sides]
    ring = part.ring_azimuths_deg or [middle + side * (60.0 - (gather or 0.0)) for middle, side in sides]
    return list(base), list(ring)


def radial(azimuth_deg: float) -> Vec3:
    angle = math.radians(azimuth_deg)
    return (0.0, cos(angle), sin(angle))


def on_circle(radius: float, azimuth_deg: float, height: float) -> Vec3:
    _, y, z = radial(azimuth_deg)
    return (height, radius * y, radius * z)


def attitude_of(x: Vec3, z: Vec3) -> Attitude:
    """Axes with this x and this z, which are unit vectors at right angles."""
    y = cross(z, x)
    return Attitude(quaternion=mat_to_quat((x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])))


def spin_branch(z_link: Vec3, z_ring: Vec3) -> int:
    """The branch whose turn about the link is within a quarter turn at the reference pose."""
    return 1 if dot(z_link, z_ring) >= 0.0 else -1


def _stewart_leg(
    part: SymmetricStewart, pose: RingPose, base: Vec3, ring: Vec3, ring_axes: Attitude, outward: Vec3
) -> StewartLeg:
    span = sub(on_ring(pose, ring), base)
    length, along = hypot(*span), unit(span)
    # first axis of the base joint: in the base plane, across the leg
    sideways = cross(AXIS, along)
    y = unit(sideways) if hypot(*sideways) > 1e-6 else unit(cross(radial_of(base), along))
    z = cross(along, y)
    lower, arm = part.lower_length_m, part.upper_arm_m
    if lower is None:
        lower = length - arm if arm is not None else 0.5 * length
    if arm is None:
        arm = length - lower
    spun = spin_branch(z, quat_vec(pose.attitude.quaternion_wxyz(), outward))
    return StewartLeg(
        type=part.type,
        base_joint_m=base,
        base_axes=attitude_of(along, z),
        base_travel_m=_travel(part, base),
        base_path_m=_path(part, base),
        ring_joint_m=ring,
        ring_axes=ring_axes,
        lower_length_m=lower,
        upper_arm_m=arm,
        spin=1 if spun * part.spin > 0 else -1,
        turn_inertia_kg_m2=part.turn_inertia_kg_m2,
        lower=part.lower,
        upper=part.upper,
        actuator=part.actuator,
    )


def _travel(part: SymmetricStewart | SymmetricHunt, base: Vec3) -> Vec3:
    _, y, z = radial_of(base)
    return (part.base_travel_axial_m, part.base_travel_radial_m * y, part.base_travel_radial_m * z)


def _path(part: SymmetricStewart | SymmetricHunt, base: Vec3) -> list[Knot] | None:
    if part.base_path_m is None:
        return None
    _, y, z = radial_of(base)
    return [(s, axial, outward * y, outward * z) for s, axial, outward in part.base_path_m]


def radial_of(point: Vec3) -> Vec3:
    return unit((0.0, point[1], point[2]))


def _hunt_leg(
    part: SymmetricHunt, pose: RingPose, base: Vec3, ring: Vec3, ring_axes: Attitude, base_deg: float, mirror: int
) -> HuntLeg:
    # crank axis y tangential, crank along x of B at angle zero and outward from there
    inward = radial(base_deg + mirror * part.crank_axis_turn_deg + 180.0)
    leg = HuntLeg(
        type=part.type,
        base_joint_m=base,
        base_axes=attitude_of(AXIS, inward),
        base_travel_m=_travel(part, base),
        base_path_m=_path(part, base),
        ring_joint_m=ring,
        ring_axes=ring_axes,
        crank_m=part.crank_m,
        rod_m=part.rod_m,
        turn_inertia_kg_m2=part.turn_inertia_kg_m2,
        crank=part.crank,
        rod=part.rod,
        actuator=part.actuator,
    )
    reach = crank_reach(leg, pose)
    # the sine of the crank angle says how far out the elbow is
    outer = 1 if sin(reach.angle(1)) >= sin(reach.angle(-1)) else -1
    elbow = outer if part.elbow == "outward" else -outer
    # z axis of the rod before it spins: e_z after turns about y and z of the elbow is e_y's turn alone
    theta = reach.angle(elbow)
    q = leg.base_axes.quaternion_wxyz()
    span = quat_t_vec(q, sub(on_ring(pose, ring), base))
    rod = axpy(-part.crank_m, (cos(theta), 0.0, -sin(theta)), span)
    z = unit(quat_vec(q, cross(rod, (0.0, 1.0, 0.0)))) if hypot(rod[0], rod[2]) > 0 else AXIS
    z_ring = quat_vec(pose.attitude.quaternion_wxyz(), quat_vec(ring_axes.quaternion_wxyz(), (0.0, 0.0, 1.0)))
    spun = spin_branch(z, z_ring) * part.spin
    return leg.model_copy(update={"elbow": elbow, "spin": 1 if spun > 0 else -1})

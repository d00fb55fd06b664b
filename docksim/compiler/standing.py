"""How the two sides of a joint stand to each other as a run starts, and its axes one after the other."""

from __future__ import annotations

from docksim.algebra.joints import FREE, SPHERICAL, UNIVERSAL
from docksim.algebra.quat import axis_quat
from docksim.algebra.vec3 import Vec3, load3, scale
from docksim.compiler.parts import Coordinate, JointPart, Place
from docksim.config.rigid import Pose, quaternion_of

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def is_element(joint: JointPart) -> bool:
    """Of a beam: its coordinates are named after what bends."""
    return any(coordinate.name in ("twist", "bend_y", "bend_z") for coordinate in joint.coordinates)


def axes_of(joint: JointPart) -> list[tuple[Coordinate, Vec3]]:
    """Coordinates one after the other, each with its axis before those after it move."""
    if is_element(joint):
        return [(one, {"twist": X, "bend_y": Y, "bend_z": Z}[one.name]) for one in joint.coordinates]
    axes = [joint.axis, joint.axis_2 if joint.type == UNIVERSAL else joint.axis]
    return list(zip(joint.coordinates, axes, strict=False))


def standing(joint: JointPart) -> Pose:
    """The frame on the carried side in the other one, as the run starts."""
    if joint.type in (SPHERICAL, FREE):
        start = [one.start for one in joint.coordinates if one.unit == "m"]
        return Pose(joint.quaternion, load3(start) if start else (0.0, 0.0, 0.0), None)
    place = Pose()
    for coordinate, axis in axes_of(joint):
        if coordinate.unit == "m":
            place = place.then(Pose(p=scale(coordinate.start, axis)))
        elif coordinate.start != 0.0:
            place = place.then(Pose(axis_quat(axis, coordinate.start), rpy=None))
    return place


def pose_of(place: Place) -> Pose:
    """As quaternion; exactly none where there is no turn."""
    R = place.axes.tolist()
    if R == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]:
        return Pose(p=place.position)
    x, y, z = ((R[0][k], R[1][k], R[2][k]) for k in range(3))
    return Pose(quaternion_of(x, y, z), place.position, None)

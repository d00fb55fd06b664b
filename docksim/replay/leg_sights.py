"""The mechanisms in a scene: two links a leg, the balls in their joints, the circle of base joints, and the ring."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from docksim.algebra.vec3 import load3
from docksim.compiler.assembly import Assembly
from docksim.compiler.mechanism import MechanismPart
from docksim.compiler.parts import Place
from docksim.config.schema.legs import HuntLeg, StewartLeg
from docksim.drawing.mechanism import outline
from docksim.drawing.meshes import Mesh, axes_along, ball, merged, rod, torus
from docksim.replay.sights import COLOURS, DARK, LegSet, Link, Part, Point, Scene

LEG_COLOURS = ("#5b6570", "#c9ced4")
LEG_RADII = (0.044, 0.027)  # of lower and upper link, over the radius of the ring joints' circle
X_AXIS = np.array([1.0, 0.0, 0.0])


def add_legs(scene: Scene, assembly: Assembly, mechanism: MechanismPart) -> None:
    """All of one mechanism."""
    joint = assembly.joints[mechanism.joint]
    base, ring = joint.pred - 1, mechanism.body - 1
    rings = np.array([leg.ring_joint_m for leg in mechanism.legs])
    size = float(np.hypot(rings[:, 1], rings[:, 2]).mean())
    radii = LEG_RADII[0] * size, LEG_RADII[1] * size
    scene.legs.append(LegSet(mechanism, base, joint.F, len(scene.links)))
    for leg in mechanism.legs:
        _add_leg(scene, leg, joint.F, (base, ring), radii)
    bases = np.array([leg.base_joint_m for leg in mechanism.legs])
    number = scene.vehicle_of(ring)
    circle = _through(bases, 0.8 * radii[0]).moved(joint.F.position, joint.F.axes)
    scene.parts.append(Part(base, circle, DARK, "ring", 1.0, number))
    scene.parts.append(Part(ring, _through(rings, 0.8 * radii[0]), COLOURS[number % len(COLOURS)], "ring", 1.0, number))


def _add_leg(
    scene: Scene, leg: StewartLeg | HuntLeg, place: Place, bodies: tuple[int, int], radii: tuple[float, float]
) -> None:
    base, ring = bodies
    number, moves = scene.vehicle_of(ring), bool(leg.base_way())
    start = np.asarray(place.position) + place.axes @ np.asarray(leg.base_joint_m)
    lower = Point(base, load3(start.tolist()), scene.new_track() if moves else -1)
    upper = Point(ring, leg.ring_joint_m)
    if isinstance(leg, HuntLeg):
        elbow = Point(base, load3(start.tolist()), scene.new_track())
        scene.links.append(Link(lower, elbow, rod(leg.crank_m, radii[0]), LEG_COLOURS[0]))
        scene.links.append(Link(elbow, upper, rod(leg.rod_m, radii[1]), LEG_COLOURS[1]))
    else:
        scene.links.append(Link(lower, upper, rod(leg.lower_length_m, radii[0]), LEG_COLOURS[0]))
        scene.links.append(Link(upper, lower, rod(leg.upper_arm_m, radii[1]), LEG_COLOURS[1]))
    scene.parts.append(Part(ring, ball(1.7 * radii[1]).moved(leg.ring_joint_m), DARK, "ring", 1.0, number))
    if not moves:
        scene.parts.append(Part(base, ball(1.35 * radii[0]).moved(start), DARK, "ring", 1.0, number))


def _through(joints: np.ndarray, tube: float) -> Mesh:
    """A ring through joints, or rods from joint to joint where they lie on no circle about the axis."""
    line = outline(joints, X_AXIS)
    radii = np.hypot(line[:, 1], line[:, 2])
    if np.ptp(radii) < 1e-6 * radii.max() and np.ptp(line[:, 0]) < 1e-9:
        return torus(float(radii[0]), tube, float(line[0, 0]))
    return merged(rod(float(np.linalg.norm(b - a)), tube, 10).moved(a, axes_along(b - a)) for a, b in pairwise(line))

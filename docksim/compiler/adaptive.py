"""The arm of an adaptive program to the kernel's tables: its links, and what the controller believes they weigh.

What hangs on a link off the arm counts as fixed to it where the run starts. Figures are those of the distribution of
mass about the joint, in a frame L with z along its axis: second moments S_ij (entries of the integral of r r' dm),
first moments S_i, mass m. What a turn about z does not tell apart from mass on the link before it (m, S_z, S_zz) goes
over to that one, as do all second moments of a slide: seven and four are left, and on the base nothing is learnt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from docksim.algebra.dense import length, product
from docksim.algebra.quat import Quat, axis_quat
from docksim.algebra.rotations import rotation_matrix
from docksim.algebra.vec3 import Vec3, scale
from docksim.compiler.assembly import Assembly
from docksim.compiler.closures import frame_of_axis
from docksim.compiler.parts import Coordinate, JointPart, Place
from docksim.compiler.standing import axes_of, pose_of, standing
from docksim.config.rigid import NO_TURN, Mass, Pose, inverse
from docksim.config.schema.chain_task import Adaptive
from docksim.model.programs import S_M, S_X, S_XX, S_XY, S_XZ, S_Y, S_YY, S_YZ, S_Z

Z: Vec3 = (0.0, 0.0, 1.0)
# rows and columns of the 4 x 4 matrix of a distribution of mass, by figure
ROWS, COLUMNS = (0, 1, 2, 0, 0, 1, 0, 1, 2, 3), (0, 1, 2, 1, 2, 2, 3, 3, 3, 3)
OF_A_TURN = (S_XX, S_YY, S_XY, S_XZ, S_YZ, S_X, S_Y)
OF_A_SLIDE = (S_X, S_Y, S_Z, S_M)


@dataclass
class ArmLink:
    """A link, at zero coordinate in the frame of the one before."""

    coordinate: Coordinate
    pose: Pose
    mass: Mass = field(default_factory=Mass)

    @property
    def travels(self) -> bool:
        return self.coordinate.unit == "m"

    @property
    def kinds(self) -> tuple[int, ...]:
        return OF_A_SLIDE if self.travels else OF_A_TURN


@dataclass(frozen=True)
class Believed:
    """An arm as its controller knows it at the start."""

    root: int  # body that carries the first link
    links: tuple[ArmLink, ...]
    figures: tuple[dict[int, float], ...]  # by link and kind
    gains: tuple[float, ...]
    sizes: dict[int, float]  # natural sizes of figures, squared, over M L^2


def believed_arm(assembly: Assembly, end: str, law: Adaptive, mass_error: dict[str, float]) -> Believed:
    """The arm from the first joint that moves to the body `end`; factors on masses by names of bodies."""
    root, links = _Walk(assembly, mass_error).arm(assembly.body_index(end))
    masses = [distribution(link.mass) for link in links]
    gains = tuple(law.gain_1_s * inertia for inertia in _inertias(links, masses))
    figures = [_figures(link, mass) for link, mass in zip(links, regrouped(links, masses), strict=True)]
    return Believed(root, tuple(links), tuple(figures), gains, _sizes(links))


class _Walk:
    """From the base outwards; `here` is a body's place in the frame of its link."""

    def __init__(self, assembly: Assembly, mass_error: dict[str, float]) -> None:
        self.assembly, self.mass_error = assembly, mass_error
        tree = [joint for joint in assembly.joints if joint.succ > 0 and not joint.is_weld]
        self.on = {joint.succ: joint for joint in tree}
        self.carried: dict[int, list[JointPart]] = {}
        for joint in tree:
            self.carried.setdefault(joint.pred, []).append(joint)

    def arm(self, end: int) -> tuple[int, list[ArmLink]]:
        way = [self.on[end]]
        while self.on[way[0].pred].pred != 0:
            way.insert(0, self.on[way[0].pred])
        while not way[0].coordinates:
            way.pop(0)
        links: list[ArmLink] = []
        bodies = {joint.succ for joint in way}
        here = Pose()
        for joint in way:
            here = here.then(pose_of(joint.F))
            for coordinate, axis in axes_of(joint):
                turn = Pose(turn_to(axis), rpy=None)
                links.append(ArmLink(coordinate, here.then(turn)))
                here = inverse(turn)
            here = here.then(inverse(pose_of(joint.M)))
            self._add(links[-1], joint.succ, here, bodies)
        return way[0].pred, links

    def _add(self, link: ArmLink, body: int, place: Pose, way: set[int]) -> None:
        """A body, and all that hangs on it off the way."""
        part = self.assembly.bodies[body]
        known = 1.0 / self.mass_error.get(part.name, 1.0)
        xx, yy, zz, xy, xz, yz = (known * float(part.inertia[i]) for i in zip(ROWS[:6], COLUMNS[:6], strict=True))
        own = Mass(known * part.mass, part.com, (xx, yy, zz, xy, xz, yz))
        link.mass = link.mass.with_other(own.seen_from(place))
        for joint in self.carried.get(body, []):
            if joint.succ not in way:
                there = place.then(pose_of(joint.F)).then(standing(joint)).then(inverse(pose_of(joint.M)))
                self._add(link, joint.succ, there, way)


def turn_to(axis: Vec3) -> Quat:
    """A frame whose z is the axis."""
    return NO_TURN if axis == Z else pose_of(Place(axes=frame_of_axis(axis))).q


def distribution(mass: Mass) -> np.ndarray:
    """The 4 x 4 matrix of a distribution of mass about the frame's origin: second moments, first moments, mass."""
    c, (xx, yy, zz, xy, xz, yz) = mass.centre, mass.inertia
    out = np.zeros((4, 4))
    half = 0.5 * (xx + yy + zz)
    for value, i, j in zip((half - xx, half - yy, half - zz, -xy, -xz, -yz), ROWS, COLUMNS):
        out[i, j] = out[j, i] = value + mass.mass * c[i] * c[j]
    for i in range(3):
        out[i, 3] = out[3, i] = mass.mass * c[i]
    out[3, 3] = mass.mass
    return out


def seen_from(pose: Pose, mass: np.ndarray) -> np.ndarray:
    """A distribution in the frame in which its own lies at a pose."""
    H = np.eye(4)
    H[:3, :3], H[:3, 3] = rotation_matrix(pose.q), pose.p
    return product(H, mass, H.T)


def regrouped(links: Sequence[ArmLink], masses: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What joints cannot tell from mass on the link before goes there, from the tip to the base, where it is lost."""
    out = [mass.copy() for mass in masses]
    for k in range(len(links) - 1, 0, -1):
        moved = np.zeros((4, 4))
        if links[k].travels:
            moved[:3, :3] = out[k][:3, :3]
        else:
            moved[2:, 2:] = out[k][2:, 2:]
        out[k - 1] += seen_from(links[k].pose, moved)
    return out


def _figures(link: ArmLink, mass: np.ndarray) -> dict[int, float]:
    return {kind: float(mass[ROWS[kind], COLUMNS[kind]]) for kind in link.kinds}


def _inertias(links: Sequence[ArmLink], masses: Sequence[np.ndarray]) -> list[float]:
    """The diagonal of the mass matrix at the start, rotors included, as if the base stood still."""
    out, beyond = [], np.zeros((4, 4))
    for link, mass in zip(reversed(links), reversed(masses), strict=True):
        beyond = beyond + mass
        moves = beyond[3, 3] if link.travels else beyond[0, 0] + beyond[1, 1]
        out.append(float(moves) + link.coordinate.armature)
        start = link.coordinate.start
        step = Pose(p=scale(start, Z)) if link.travels else Pose(axis_quat(Z, start), rpy=None)
        beyond = seen_from(link.pose.then(step), beyond)
    return out[::-1]


def _sizes(links: Sequence[ArmLink]) -> dict[int, float]:
    """(M L^power)^2 / (M L^2): M the arm's mass as believed, L the farthest of joints and mass centres from a joint."""
    M = math.fsum(link.mass.mass for link in links)
    reaches = [*(link.pose.p for link in links[1:]), *(link.mass.centre for link in links)]
    L = max(float(length(reach)) for reach in reaches) or 1.0
    powers = {kind: 2 if kind <= S_YZ else 0 if kind == S_M else 1 for kind in range(10)}
    return {kind: M * L ** (2 * power - 2) for kind, power in powers.items()}

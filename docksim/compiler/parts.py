"""The neutral parts list between a scenario and its tables: bodies, joints, coordinates, ports. SI units, radians."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from docksim.algebra.dense import applied, product
from docksim.algebra.joints import FREE, SPHERICAL
from docksim.algebra.rotations import rotation_matrix
from docksim.algebra.vec3 import ZERO, Vec3
from docksim.config.schema.fields import Attitude
from docksim.model.tree import BALL, SCALAR

DEG = math.pi / 180.0


def radians3(vector_deg: Vec3) -> Vec3:
    return (math.radians(vector_deg[0]), math.radians(vector_deg[1]), math.radians(vector_deg[2]))


@dataclass(frozen=True)
class Place:
    """A frame on a body: its origin and axes in the body's frame."""

    position: Vec3 = ZERO
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))


def axes_of(attitude: Attitude) -> np.ndarray:
    """Inner components to outer ones."""
    return rotation_matrix(attitude.quaternion_wxyz())


def placed(position: Vec3, attitude: Attitude) -> Place:
    return Place(position, axes_of(attitude))


def within(outer: Place, inner: Place) -> Place:
    """A frame given in another frame on the same body."""
    x, y, z = np.asarray(outer.position) + applied(outer.axes, inner.position)
    return Place((float(x), float(y), float(z)), product(outer.axes, inner.axes))


@dataclass
class Coordinate:
    """One rate of a joint, with its devices. Field names are those of the kernel's coordinate table."""

    name: str = ""  # "", "first", "second", "rotation", "translation", or an axis of a ball joint
    unit: str = "rad"  # or "m"
    kind: int = SCALAR
    start: float = 0.0
    rate: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    presliding: float = 1.0
    lower: float = -math.inf
    upper: float = math.inf
    stop_stiffness: float = 0.0
    stop_damping: float = 0.0
    armature: float = 0.0
    torque: float = 0.0
    locked: bool = False
    drive: object | None = None  # a drive of the schema
    devices: Any = None  # a Shaft, where the coordinate has devices beyond its own


@dataclass
class JointPart:
    """A joint between frame F on body `pred` and frame M on body `succ` (indices; 0 is the world)."""

    name: str
    type: int
    pred: int
    succ: int
    F: Place = field(default_factory=Place)
    M: Place = field(default_factory=Place)
    axis: Vec3 = (1.0, 0.0, 0.0)
    axis_2: Vec3 = (0.0, 1.0, 0.0)
    coordinates: list[Coordinate] = field(default_factory=list)
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # start of ball and free joints
    mechanism: int = -1  # the docking mechanism whose ring the joint carries
    is_weld: bool = False  # between two ports, used while they are joined

    @property
    def start(self) -> list[float]:
        """Initial entries of State.q."""
        travels = [c.start for c in self.coordinates if c.kind == SCALAR]
        has_ball = self.type in (SPHERICAL, FREE)
        return travels + list(self.quaternion) if has_ball else travels


@dataclass
class BodyPart:
    name: str
    mass: float
    com: Vec3
    inertia: np.ndarray  # 3 x 3 about the mass centre, body axes


@dataclass
class Marker:
    """A port, or another named frame on a body."""

    body: int
    place: Place


def six_coordinates(
    locked: bool = False, velocity: Vec3 = ZERO, rate: Vec3 = ZERO, offset: Vec3 = ZERO
) -> list[Coordinate]:
    """Of a free joint: turns on M axes first, then travels on F axes."""
    turns = [Coordinate(n, "rad", BALL, rate=w, locked=locked) for n, w in zip("xyz", rate)]
    travels = [Coordinate(n, "m", SCALAR, start=p, rate=v, locked=locked) for n, p, v in zip("xyz", offset, velocity)]
    return turns + travels

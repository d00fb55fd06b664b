"""What a scene consists of. Bodies are numbered as in the assembly, less the world."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from docksim.compiler.contact import PairPart
from docksim.compiler.mechanism import MechanismPart
from docksim.compiler.parts import Marker, Place
from docksim.drawing.meshes import Mesh

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")
GREY, DARK = "#8a8f98", "#4a4f57"


@dataclass(frozen=True, eq=False)
class Part:
    """A solid that moves with a body."""

    body: int
    mesh: Mesh
    colour: str
    kind: str  # hull, frame (edges of a hull), mount, interface, ring, body, beam
    opacity: float = 1.0
    vehicle: int = 0


@dataclass(frozen=True, eq=False)
class Point:
    """A point of a body; with a track, one that moves in it (see tracks)."""

    body: int
    position: tuple[float, float, float]
    track: int = -1


@dataclass(frozen=True, eq=False)
class Link:
    """A rod that starts at one point and points at another."""

    start: Point
    end: Point
    mesh: Mesh
    colour: str


@dataclass(frozen=True, eq=False)
class LatchSight:
    """A latch of a pair; it is open or closed by the pair's track."""

    pair: int
    number: int
    body: int
    position: np.ndarray
    axes: np.ndarray
    failed: bool


@dataclass(frozen=True, eq=False)
class LegSet:
    """The legs of one mechanism, for the tracks: which bodies they join, and where B is on its body."""

    part: MechanismPart
    base_body: int
    place: Place
    first_link: int  # each leg has two, in order


@dataclass
class Scene:
    """Everything."""

    names: list[str] = field(default_factory=list)
    vehicles: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    latches: list[LatchSight] = field(default_factory=list)
    legs: list[LegSet] = field(default_factory=list)
    pairs: list[PairPart] = field(default_factory=list)
    pair_markers: list[tuple[Marker, Marker]] = field(default_factory=list)
    markers: dict[str, Marker] = field(default_factory=dict)  # all ports
    labels: list[tuple[int, tuple[float, float, float], str]] = field(default_factory=list)
    focus: tuple[Marker, Marker] | None = None  # active and passive port
    focus_radius: float = 1.0
    moving_points: int = 0
    notes: list[str] = field(default_factory=list)  # what cannot be shown as it was given

    def vehicle_of(self, body: int) -> int:
        """Number of the vehicle that a body belongs to."""
        return self.vehicles.index(self.names[body].split(".")[0])

    def new_track(self) -> int:
        """Number of a point that moves in its body."""
        self.moving_points += 1
        return self.moving_points - 1

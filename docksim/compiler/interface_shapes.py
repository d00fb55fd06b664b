"""Docking interfaces as a drawing gives them, and the numbers that contact needs of them.

The frame of an interface has its origin in the middle of the mating plane and z out of it, towards the mate; azimuth is
about z from x. Two equal interfaces with a petal at azimuth 0 are mated when the second one is turned by half a turn
about y: its petals then lie at 60, 180 and 300 deg between those of the first.

A petal is a patch of an oblique cone. Its base arc lies on a circle about z in the mating plane; its rulings run to an
apex in the petal's middle plane, so the tip arc is the base arc shrunk towards the apex. The middle ruling leans
inward by the cant, measured from the mating plane to the ruling. Length and tip half-width fix where the apex is: the
half-width falls linearly from the base's to nothing at the apex. The sizes given here are a representative choice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from docksim.algebra.dense import length
from docksim.algebra.elementary import atan, cos, hypot, sin, tan
from docksim.compiler.guides import Guide, hole_rows, pin_rows, swept
from docksim.config.schema.fields import Vec3
from docksim.config.schema.interface import Interface, Petals
from docksim.model.contact import (
    ARC_PARTS,
    AROUND,
    CAPSULE,
    COVER_ROWS,
    F_CAPSULE,
    F_EDGE,
    F_FACE,
    F_HOLE,
    F_PETAL,
    F_PIN,
    F_POINT,
    F_RIM,
    F_SPHERE,
    FACE_POINT,
    FEATURE_NAMES,
    FEATURE_PAIRS,
    GUIDE,
    INTERFACE,
    N_KINDS,
    PETAL,
    RULINGS,
    SPHERE,
    ContactTables,
    FeaturePair,
)

ABSENT_M = -1e3  # radius of a ring or face that is not there: no gap to it is ever small


@dataclass(frozen=True)
class PetalShape:
    """One guide petal as a drawing gives it; metres and radians."""

    base_radius: float
    half_angle: float
    cant: float
    length: float
    tip_half_width: float
    plate_radius: float
    below: float  # how far the rulings go on below the mating plane

    @property
    def base_half_width(self) -> float:
        return self.base_radius * sin(self.half_angle)

    @property
    def s_tip(self) -> float:
        """What is left of the base at the tip, seen from the apex."""
        return self.tip_half_width / self.base_half_width

    @property
    def apex(self) -> tuple[float, float]:
        """Radius and height of the apex."""
        to_apex = self.length / (1.0 - self.s_tip)
        return self.base_radius - to_apex * cos(self.cant), to_apex * sin(self.cant)


@dataclass(frozen=True)
class InterfaceShape:
    """A ring with equal petals, evenly spaced from an azimuth on; metres and radians."""

    rim_radius: float
    rim_height: float
    rim_tube: float
    face_inner: float
    face_outer: float
    face_depth: float
    face_points: int
    petal: PetalShape | None
    petals: int
    first_azimuth: float
    spheres: Sequence[tuple[Sequence[float], float]]
    capsules: Sequence[tuple[Sequence[float], Sequence[float], float]]  # both ends, radius
    pins: tuple[Guide, ...]
    holes: tuple[Guide, ...]


def petal_shape(petals: Petals) -> PetalShape:
    """One of a file's petals."""
    return PetalShape(
        petals.base_radius_m,
        math.radians(petals.half_angle_deg),
        math.radians(petals.cant_deg),
        petals.length_m,
        petals.tip_half_width_m,
        petals.plate_radius_m,
        petals.below_m,
    )


def shape_of(interface: Interface) -> InterfaceShape:
    """The surfaces of a file's interface: port axes y, z, x, radians; what is absent has a negative radius."""
    rim, face, petals = interface.rim, interface.face, interface.petals
    return InterfaceShape(
        rim_radius=rim.radius_m if rim else 0.0,
        rim_height=rim.height_m if rim else 0.0,
        rim_tube=rim.tube_m if rim else ABSENT_M,
        face_inner=(face.inner_m or -face.outer_m) if face else ABSENT_M,  # no wall on the axis of a full disc
        face_outer=face.outer_m if face else ABSENT_M,
        face_depth=face.depth_m if face else 0.0,
        face_points=face.points if face else 0,
        petal=petal_shape(petals) if petals else None,
        petals=petals.count if petals else 0,
        first_azimuth=math.radians(petals.first_azimuth_deg) if petals else 0.0,
        spheres=tuple((_interface_axes(s.center_m), s.radius_m) for s in interface.spheres),
        capsules=tuple((_interface_axes(c.start_m), _interface_axes(c.end_m), c.radius_m) for c in interface.capsules),
        pins=pin_rows(interface.pins),
        holes=hole_rows(interface.holes),
    )


def _interface_axes(x: Vec3) -> Vec3:
    """A point on port axes."""
    return x[1], x[2], x[0]


@lru_cache(maxsize=256)
def petal_row(shape: PetalShape, azimuth: float) -> np.ndarray:
    """One row of PETAL, made once for all cases of a study; nobody may write to it."""
    row = np.zeros(1, PETAL)
    radius, height = shape.apex
    c, s = cos(azimuth), sin(azimuth)
    out, across = np.array([c, s, 0.0]), np.array([-s, c, 0.0])
    apex = radius * out + np.array([0.0, 0.0, height])
    phi = np.linspace(-shape.half_angle, shape.half_angle, RULINGS)
    row["apex"], row["G"] = apex, -apex
    row["e1"], row["e2"] = shape.base_radius * out, shape.base_radius * across
    row["s_tip"], row["s_low"] = shape.s_tip, 1.0 + shape.below / height
    row["radius"] = shape.plate_radius
    row["ruling_step"] = phi[1] - phi[0]
    row["ruling_tau"] = [tan(0.5 * x) for x in phi.tolist()]
    row["ruling_cos"], row["ruling_sin"] = ([f(x) for x in phi.tolist()] for f in (cos, sin))
    for name, angle in (("left", -shape.half_angle), ("right", shape.half_angle)):
        low, tip = (patch_point(row[0], s_end, angle) for s_end in (row["s_low"][0], row["s_tip"][0]))
        row[f"{name}_from"], row[f"{name}_along"] = low, tip - low
    (row["cover_x"], row["cover_y"], row["cover_z"]), row["cover_radius"] = _cover(row[0], shape.half_angle)
    row.flags.writeable = False
    return row


def patch_point(row: np.void, s: float, phi: float) -> np.ndarray:
    """A point of the patch, interface frame."""
    return row["apex"] + s * (row["G"] + cos(phi) * row["e1"] + sin(phi) * row["e2"])


def _cover(row: np.void, half_angle: float) -> tuple[np.ndarray, float]:
    """Centres, as columns, and radius of spheres that cover the patch, one for each cell of a grid."""
    centres, radii = [], []
    ends = np.linspace(row["s_low"], row["s_tip"], len(COVER_ROWS) + 1)
    for (low, high), count in zip(pairwise(ends), COVER_ROWS, strict=True):
        angles = np.linspace(-half_angle, half_angle, count + 1)
        for left, right in pairwise(angles):
            points = _cell_hull(row, (low, high), left, right)
            centres.append(0.5 * (points.min(axis=0) + points.max(axis=0)))
            radii.append(length(points - centres[-1]).max())
    return np.array(centres).T, float(max(radii))


def _cell_hull(row: np.void, ends: tuple[float, float], left: float, right: float) -> np.ndarray:
    """Points whose hull holds a cell of the patch: of each arc the ends, and where the tangents at its ends meet."""
    points = []
    stretch = 1.0 / cos(0.5 * (right - left))
    for s in ends:
        centre = row["apex"] + s * row["G"]
        meet = centre + stretch * (patch_point(row, s, 0.5 * (left + right)) - centre)
        points += [patch_point(row, s, left), patch_point(row, s, right), meet]
    return np.array(points)


def _interface_row(shape: InterfaceShape, petals: np.ndarray) -> np.ndarray:
    row = np.zeros(1, INTERFACE)
    for name in ("rim_radius", "rim_height", "rim_tube", "face_inner", "face_outer", "face_depth"):
        row[name] = getattr(shape, name)
    if shape.face_inner == 0.0:
        row["face_inner"] = -shape.face_outer  # a disc has no wall on its axis
    row["count"] = _counts(shape)
    angles = [2.0 * math.pi * k / AROUND for k in range(AROUND)]
    row["around_cos"], row["around_sin"] = ([f(x) for x in angles] for f in (cos, sin))
    part = 2.0 * math.pi / (AROUND * ARC_PARTS)
    row["part_cos"], row["part_sin"], row["part_tau"] = cos(part), sin(part), tan(0.5 * part)
    row["ring_width"] = _ring_width(shape)
    half_pitch = math.pi / max(len(petals), 1)
    row["half_pitch_cos"], row["half_pitch_sin"] = cos(half_pitch), sin(half_pitch)
    row["top"], row["base_radius"], row["tip_radius"] = _hull(shape, petals)
    row["reach"] = hypot(row["base_radius"][0], max(row["top"][0], _depth(shape, petals)))
    return row


def _ring_width(shape: InterfaceShape) -> float:
    """How wide the ring's face is, or its tube; at most a quarter of the radius, so that rims that cross bear."""
    if shape.face_points == 0 or shape.face_outer <= 0.0:
        return 0.0
    return min(max(shape.face_outer - max(shape.face_inner, 0.0), 2.0 * shape.rim_tube), 0.25 * shape.rim_radius)


def _swept_points(shape: InterfaceShape, petals: np.ndarray) -> list[tuple[float, float, float]]:
    """Distance from the axis, z and radius of points whose hull about the axis holds all but rim and face."""
    points = [(np.asarray(centre, float), radius) for centre, radius in shape.spheres]
    points += [(np.asarray(end, float), radius) for *ends, radius in shape.capsules for end in ends]
    points += [(np.array(x), radius) for x, radius in swept(shape.pins, shape.holes)]
    for petal in petals:
        phi = 2.0 * atan(petal["ruling_tau"][-1])
        ends = [patch_point(petal, s, angle) for s in (petal["s_tip"], petal["s_low"]) for angle in (-phi, 0.0, phi)]
        points += [(x, petal["radius"]) for x in ends]
    return [(hypot(x[0], x[1]), x[2], radius) for x, radius in points]


def _hull(shape: InterfaceShape, petals: np.ndarray) -> tuple[float, float, float]:
    """top, base_radius and tip_radius: the two discs."""
    points = _swept_points(shape, petals)
    top = max([0.0, shape.rim_height + shape.rim_tube] + [z + radius for _, z, radius in points])
    base = max([shape.rim_radius + shape.rim_tube, shape.face_outer] + [q + radius for q, _, radius in points])
    # at height z the cone between the discs must be as wide as what is there
    tip = [base - (base - q - radius) * top / (z + radius) for q, z, radius in points if z + radius > 0.0]
    return top, base, max([0.0, *tip])


def _depth(shape: InterfaceShape, petals: np.ndarray) -> float:
    """How far the interface reaches behind the mating plane."""
    points = [radius - z for _, z, radius in _swept_points(shape, petals)]
    return max([shape.rim_tube - shape.rim_height, shape.face_depth, *points])


class GapRow(NamedTuple):
    """One row of the gaps between two interfaces."""

    name: str
    group: int
    crossing: int = -1  # of two rims, from 0


def gap_rows(shapes: tuple[InterfaceShape, InterfaceShape]) -> list[GapRow]:
    """The rows of the gaps between two interfaces A and B, in order."""
    counts_A, counts_B = (_counts(shape) for shape in shapes)
    rows = []
    for pair in FEATURE_PAIRS:
        for k_A, k_B in _numbers(pair, counts_A[pair.kind_A], counts_B[pair.kind_B]):
            names = {"A": _feature_name(pair.kind_A, k_A), "B": _feature_name(pair.kind_B, k_B)}
            for n in range(pair.crossings):
                rows.append(GapRow(pair.name.format(**names, n=n + 1), pair.group, n))
            if pair.crossings == 0:
                rows.append(GapRow(pair.name.format(**names), pair.group))
    return rows


def _numbers(pair: FeaturePair, count_A: int, count_B: int) -> list[tuple[int, int]]:
    """Which feature of A meets which one of B, row by row."""
    if pair.matched:
        return [(k, k) for k in range(count_A)] if count_A == count_B else []
    if pair.own:
        same = [(k, k) for k in range(count_A if pair.own == 1 else count_B)]
        return same if count_A and count_B else []
    if pair.by_B:
        return [(k_A, k_B) for k_B in range(count_B) for k_A in range(count_A)]
    return [(k_A, k_B) for k_A in range(count_A) for k_B in range(count_B)]


def _feature_name(kind: int, number: int) -> str:
    names = FEATURE_NAMES[kind]
    return names[number % len(names)].format(number // len(names) + 1)


def _counts(shape: InterfaceShape) -> list[int]:
    """How many features of each kind there are."""
    petals = shape.petals if shape.petal else 0
    rim, face = int(shape.rim_tube > ABSENT_M), int(shape.face_outer > ABSENT_M)
    counts = {F_RIM: rim, F_FACE: face, F_POINT: shape.face_points, F_PETAL: petals, F_EDGE: 2 * petals}
    counts |= {F_SPHERE: len(shape.spheres), F_CAPSULE: len(shape.capsules)}
    counts |= {F_PIN: 2 * len(shape.pins), F_HOLE: len(shape.holes)}
    return [counts[kind] for kind in range(N_KINDS)]


def contact_tables(shapes: Sequence[InterfaceShape]) -> ContactTables:
    """The tables of these interfaces."""
    blocks = {
        F_PETAL: [np.zeros(0, PETAL), *map(_petal_rows, shapes)],
        F_POINT: [np.zeros(0, FACE_POINT), *map(_face_rows, shapes)],
        F_SPHERE: [np.zeros(0, SPHERE), *map(_sphere_rows, shapes)],
        F_CAPSULE: [np.zeros(0, CAPSULE), *map(_capsule_rows, shapes)],
        F_PIN: [np.zeros(0, GUIDE), *(np.array(list(shape.pins), GUIDE) for shape in shapes)],
        F_HOLE: [np.zeros(0, GUIDE), *(np.array(list(shape.holes), GUIDE) for shape in shapes)],
    }
    interfaces = [np.zeros(0, INTERFACE)]
    for k, shape in enumerate(shapes):
        row = _interface_row(shape, blocks[F_PETAL][k + 1])
        for kind, rows in blocks.items():
            row["first"][0, kind] = sum(map(len, rows[: k + 1]))
        interfaces.append(row)
    return ContactTables(*(np.concatenate(rows).view(np.recarray) for rows in (interfaces, *blocks.values())))


def _petal_rows(shape: InterfaceShape) -> np.ndarray:
    if shape.petal is None:
        return np.zeros(0, PETAL)
    azimuths = [shape.first_azimuth + 2.0 * math.pi * k / shape.petals for k in range(shape.petals)]
    return np.concatenate([np.zeros(0, PETAL), *(petal_row(shape.petal, azimuth) for azimuth in azimuths)])


def _sphere_rows(shape: InterfaceShape) -> np.ndarray:
    return np.array([(tuple(centre), radius) for centre, radius in shape.spheres], SPHERE)


def _capsule_rows(shape: InterfaceShape) -> np.ndarray:
    rows = [(tuple(start), tuple(np.subtract(end, start)), radius) for start, end, radius in shape.capsules]
    return np.array(rows, CAPSULE)


def _face_rows(shape: InterfaceShape) -> np.ndarray:
    """Points in the middle of the ring face, the first at the middle of the first petal."""
    rows = np.zeros(shape.face_points, FACE_POINT)
    angles = [shape.first_azimuth + 2.0 * math.pi * k / shape.face_points for k in range(shape.face_points)]
    radius = 0.5 * (shape.face_inner + shape.face_outer)
    for row, angle in zip(rows, angles, strict=True):
        row["position"] = radius * cos(angle), radius * sin(angle), 0.0
    return rows

"""Every pair of contact primitives against brute force; in full by `python -m tests.support.contact_pairs 10000`.

A case is drawn at random and gives two answers: docksim's gap, point and normal, and those of the oracle, with the
distance by which the second best minimum is farther. Placements where the skeletons cross, at a depth of the sum of
the radii, have no normal and are not drawn: contact is over long before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from docksim.compiler.interface_shapes import PetalShape, contact_tables
from docksim.kernel.contact.gaps import capsule_capsule, point_face, sphere_face, sphere_rim
from docksim.kernel.contact.petal import petal_on_rim, petal_on_sphere, rim_on_petal
from tests.oracle.contact_shapes import Distance, Petal, Point, Rim, ring_solid, segments
from tests.support.contact import RIMS, SHAPE, TABLES, args, gaps, inverse, new_gaps, random_pose
from tests.support.shapes import interface_shape

PETAL, RIM = Petal(), Rim()
SWEEP = new_gaps((SHAPE, SHAPE))[1][0]
# a longer, steeper, narrower petal that continues deeper, on a wider rim
OTHER_PETAL = Petal(0.4, 0.55, np.radians(25.0), np.radians(55.0), 0.26, 0.05, 0.006, 0.02)
OTHER_RIM = Rim(0.575, -0.012, 0.012)
OTHER = interface_shape(
    rim_radius=0.575,
    rim_height=-0.012,
    rim_tube=0.012,
    petal=PetalShape(0.55, float(np.radians(25.0)), float(np.radians(55.0)), 0.26, 0.05, 0.006, 0.02),
    first_azimuth=0.4,
)
OTHER_TABLES = contact_tables([OTHER, OTHER])


@dataclass(frozen=True)
class Answer:
    gap: float
    point: np.ndarray
    normal: np.ndarray
    second: float = np.inf  # how much farther the second best minimum is


def _ours(result: tuple) -> Answer:
    return Answer(result[0], np.array(result[1]), np.array(result[2]))


def _theirs(x: np.ndarray, r_x: float, y: np.ndarray, r_y: float, second: float = np.inf) -> Answer | None:
    """From the nearest points of two skeletons; nothing if they cross."""
    d = float(np.linalg.norm(y - x))
    if d < 1e-4:
        return None
    normal = (y - x) / d
    gap = d - r_x - r_y
    return Answer(gap, x + (r_x + 0.5 * gap) * normal, normal, second)


Case = tuple[Answer, Answer | None]
_PETAL_RIM, _OTHER_PETAL_RIM = Distance(PETAL, RIM), Distance(OTHER_PETAL, OTHER_RIM)
_RIM_RIM = Distance(RIM, RIM, count_a=721)
_PETAL_POINT = Distance(PETAL, Point((0.0, 0.0, 0.0)))
_RIM_POINT = Distance(RIM, Point((0.0, 0.0, 0.0)), count_a=721)


def petal_rim(rng: np.random.Generator) -> Case:
    at = random_pose(rng)
    _, x, y, second = _PETAL_RIM.at(*at)
    ours = petal_on_rim(TABLES.petal[0], *args(at), RIM.radius, RIM.height, RIM.tube, np.inf, SWEEP)
    return _ours(ours), _theirs(x, PETAL.plate_radius, y, RIM.tube, second)


def rim_petal(rng: np.random.Generator) -> Case:
    """The other way round, with the other shape."""
    at = random_pose(rng, z=0.25)
    _, x, y, second = _OTHER_PETAL_RIM.at(*inverse(at))
    rim = OTHER_RIM
    ours = rim_on_petal(rim.radius, rim.height, rim.tube, OTHER_TABLES.petal[0], *args(at), np.inf, SWEEP)
    # the oracle's points are in the frame of B
    return _ours(ours), _theirs(at[0] @ y + at[1], rim.tube, at[0] @ x + at[1], OTHER_PETAL.plate_radius, second)


def petal_sphere(rng: np.random.Generator) -> Case:
    """A sphere up to 0.1 m from a point of the petal."""
    low, high = np.array(PETAL.box()).T
    x = PETAL.point(rng.uniform(low, high)) + rng.uniform(0.0, 0.1) * _direction(rng)
    _, on_petal, _, second = _PETAL_POINT.at(np.eye(3), x)
    ours = petal_on_sphere(TABLES.petal[0], tuple(map(float, x)), 0.02, np.inf, SWEEP)
    return _ours(ours), _theirs(on_petal, PETAL.plate_radius, x, 0.02, second)


def rim_rim(rng: np.random.Generator) -> Case:
    at = random_pose(rng, z=0.1)
    _, x, y, second = _RIM_RIM.at(*at)
    ours = min(gaps(at)[RIMS], key=lambda row: row.gap)
    return _ours((ours.gap, ours.point, ours.normal)), _theirs(x, RIM.tube, y, RIM.tube, second)


def sphere_on_rim(rng: np.random.Generator) -> Case:
    x = rng.uniform(-1.0, 1.0, 3) * np.array([1.0, 1.0, 0.5])
    ours = sphere_rim(tuple(map(float, x)), 0.03, RIM.radius, RIM.height, RIM.tube)
    _, on_rim, _, _ = _RIM_POINT.at(np.eye(3), x)
    return _ours(ours), _theirs(x, 0.03, on_rim, RIM.tube)


def capsules(rng: np.random.Generator) -> Case:
    """Two segments of the size of a petal's edge; every fourth pair is parallel to within 1e-3 rad."""
    p_A, d_A, p_B, d_B = rng.uniform(-0.2, 0.2, (4, 3))
    if rng.random() < 0.25:
        d_B = rng.uniform(-1.5, 1.5) * d_A + 1e-3 * np.linalg.norm(d_A) * _direction(rng)
    _, x, y = segments(p_A, d_A, p_B, d_B)
    a, along_a, b, along_b = (tuple(map(float, v)) for v in (p_A, d_A, p_B, d_B))
    ours = capsule_capsule(a, along_a, 0.005, b, along_b, 0.006)
    return _ours(ours[:3]), _theirs(x, 0.005, y, 0.006)


def face_point(rng: np.random.Generator) -> Case:
    """A point about a ring face, on either side of every edge and bisector."""
    q, angle, z = rng.uniform(0.57, 0.65), rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-0.04, 0.02)
    x = np.array([q * np.cos(angle), q * np.sin(angle), z])
    gap, foot = ring_solid(x, 0.600, 0.620, 0.018)
    return _ours(point_face(tuple(map(float, x)), 0.600, 0.620, 0.018)), Answer(gap, 0.5 * (x + foot), (foot - x) / gap)


def ball_face(rng: np.random.Generator) -> Case:
    """A ball of 25 mm about the same face, its centre outside the ring or just within."""
    radius, q, angle, z = 0.025, rng.uniform(0.56, 0.66), rng.uniform(0.0, 2.0 * np.pi), rng.uniform(-0.05, 0.04)
    x = np.array([q * np.cos(angle), q * np.sin(angle), z])
    depth, foot = ring_solid(x, 0.600, 0.620, 0.018)
    normal = (foot - x) / depth
    answer = Answer(depth - radius, 0.5 * (x + radius * normal + foot), normal)
    return _ours(sphere_face(tuple(map(float, x)), radius, 0.600, 0.620, 0.018)), answer


def _direction(rng: np.random.Generator) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


PAIRS: dict[str, Callable[[np.random.Generator], Case]] = {
    "petal on rim": petal_rim,
    "rim on petal, another shape": rim_petal,
    "petal on sphere": petal_sphere,
    "rim on rim": rim_rim,
    "sphere on rim": sphere_on_rim,
    "capsule on capsule": capsules,
    "point on ring face": face_point,
    "sphere on ring face": ball_face,
}


@dataclass(frozen=True)
class Worst:
    """The largest differences over many cases."""

    drawn: int = 0
    compared: int = 0  # of which the skeletons do not cross
    gap: float = 0.0
    placed: int = 0  # of which the minimum is unique
    point: float = 0.0
    normal: float = 0.0

    def and_case(self, case: Case) -> Worst:
        ours, theirs = case
        if theirs is None:
            return replace(self, drawn=self.drawn + 1)
        gap = max(self.gap, abs(ours.gap - theirs.gap))
        worse = replace(self, drawn=self.drawn + 1, compared=self.compared + 1, gap=gap)
        # two minima as good as each other to a micrometre: either place is right
        if theirs.second < 1e-6:
            return worse
        point = max(self.point, float(np.abs(ours.point - theirs.point).max()))
        normal = max(self.normal, float(np.abs(ours.normal - theirs.normal).max()))
        return replace(worse, placed=self.placed + 1, point=point, normal=normal)


def worst_of(name: str, count: int, seed: int) -> Worst:
    rng = np.random.default_rng(seed)
    worst = Worst()
    for _ in range(count):
        worst = worst.and_case(PAIRS[name](rng))
    return worst


if __name__ == "__main__":
    for pair in sys.argv[2:] or PAIRS:
        w = worst_of(pair, int(sys.argv[1]), 2026)
        print(f"{pair:30s} {w.drawn:6d} drawn {w.compared:6d} compared: gap {w.gap:.1e} m;", end=" ")
        print(f"{w.placed:6d} unique: point {w.point:.1e} m, normal {w.normal:.1e}", flush=True)

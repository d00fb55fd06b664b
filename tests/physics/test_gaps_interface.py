"""All gaps between two docking interfaces: symmetries, the broad phase, and what touches first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from docksim.compiler.interface_shapes import ABSENT_M, contact_tables, gap_rows
from docksim.kernel.contact.interface_gaps import interface_gaps
from docksim.model.contact import GAP
from tests.oracle.contact_shapes import segments
from tests.support.contact import (
    FACING,
    NAMES,
    RIMS,
    SHAPE,
    TABLES,
    Pose,
    args,
    gaps,
    inverse,
    new_gaps,
    pose,
    random_pose,
    turn,
)
from tests.support.shapes import interface_shape

ROOT = Path(__file__).resolve().parent.parent.parent
PETALS_A, PETALS_B, EDGES = slice(0, 3), slice(3, 6), slice(6, 12)
FACE_A, FACE_B = slice(14, 26), slice(26, 38)
THIRD = turn([0.0, 0.0, 2.0 * np.pi / 3.0])
MIRROR = np.diag([1.0, -1.0, 1.0])
# Newton's iterations end where their last step is below 1e-6, so two ways to the same minimum differ by its square
# times the flatness of the minimum in place, and by rounding in the gap
SAME_GAP, SAME_PLACE = 1e-12, 1e-9


def same(ours: np.recarray, theirs: np.recarray, R: np.ndarray, r: np.ndarray, sign: float = 1.0) -> None:
    """Rows agree when those of `theirs` are moved by (R, r); below -12 mm the skeletons are about to cross."""
    assert (np.isfinite(ours.gap) == np.isfinite(theirs.gap)).all()
    ours, theirs = ours[np.isfinite(ours.gap)], theirs[np.isfinite(ours.gap)]
    assert np.abs(ours.gap - theirs.gap).max() < SAME_GAP
    for a, b in zip(ours, theirs, strict=True):
        if a.gap > -0.012:
            assert np.abs(a.point - (R @ b.point + r)).max() < SAME_PLACE
            assert np.abs(a.normal - sign * (R @ b.normal)).max() < 100.0 * SAME_PLACE


def by_gap(rows: np.recarray) -> np.recarray:
    return rows[np.argsort(rows.gap)]


@pytest.mark.parametrize("seed", range(20))
def test_swapping_the_interfaces_swaps_the_rows_and_turns_the_normals(seed: int) -> None:
    at = random_pose(np.random.default_rng(seed))
    R, r = at
    ours, theirs = gaps(at), gaps(inverse(at))
    same(ours[PETALS_A], theirs[PETALS_B], R, r, -1.0)
    same(ours[PETALS_B], theirs[PETALS_A], R, r, -1.0)
    same(ours[FACE_A], theirs[FACE_B], R, r, -1.0)
    same(by_gap(ours[EDGES]), by_gap(theirs[EDGES]), R, r, -1.0)
    same(ours[RIMS], theirs[RIMS], R, r, -1.0)


@pytest.mark.parametrize("seed", range(20))
def test_a_third_of_a_turn_of_either_interface_only_renames_its_features(seed: int) -> None:
    at = random_pose(np.random.default_rng(seed))
    R, r = at
    ours = gaps(at)
    of_A = gaps((THIRD @ R, THIRD @ r))
    same(np.roll(of_A[PETALS_A], -1), ours[PETALS_A], THIRD, np.zeros(3))
    same(of_A[PETALS_B], ours[PETALS_B], THIRD, np.zeros(3))
    same(np.roll(of_A[EDGES], -2), ours[EDGES], THIRD, np.zeros(3))
    same(of_A[RIMS], ours[RIMS], THIRD, np.zeros(3))
    of_B = gaps((R @ THIRD, r))
    same(of_B[PETALS_A], ours[PETALS_A], np.eye(3), np.zeros(3))
    same(np.roll(of_B[PETALS_B], 1), ours[PETALS_B], np.eye(3), np.zeros(3))
    same(of_B[EDGES], ours[EDGES], np.eye(3), np.zeros(3))


@pytest.mark.parametrize("seed", range(20))
def test_a_mirrored_pose_has_mirrored_gaps(seed: int) -> None:
    R, r = random_pose(np.random.default_rng(seed))
    ours, theirs = gaps((R, r)), gaps((MIRROR @ R @ MIRROR, MIRROR @ r))
    swapped = [0, 2, 1]
    same(theirs[PETALS_A][swapped], ours[PETALS_A], MIRROR, np.zeros(3))
    same(theirs[PETALS_B][swapped], ours[PETALS_B], MIRROR, np.zeros(3))
    # right edges become left ones
    same(theirs[EDGES][[1, 0, 5, 4, 3, 2]], ours[EDGES], MIRROR, np.zeros(3))
    # a crossing changes its sense, and so its row
    same(theirs[RIMS][::-1], ours[RIMS], MIRROR, np.zeros(3))


def test_every_contact_point_lies_midway_on_a_unit_normal_pointing_from_A_to_B() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        rows = gaps(random_pose(rng))
        there = np.isfinite(rows.gap)
        # of the two crossings of the rims there may be one
        assert np.delete(there, RIMS).all()
        assert there[RIMS].any()
        assert np.abs(np.linalg.norm(rows.normal[there], axis=1) - 1.0).max() < 1e-14
    # seated rings: B lies in +z of A
    assert (gaps(pose(0.002, x=0.003)).normal[12:, 2] > 0.98).all()


def test_edges_that_meet_are_those_of_neighbours() -> None:
    """Among all 36 pairs of edges, the six that are computed hold the nearest one, for rolls within 25 deg."""
    rng = np.random.default_rng(3)
    petals = TABLES.petal[:3]
    for _ in range(100):
        lateral, tilt = rng.uniform(-0.05, 0.05, 2), rng.uniform(-4.0, 4.0, 2)
        R, r = pose(rng.uniform(0.02, 0.3), *lateral, *tilt, rng.uniform(-25.0, 25.0))
        edges = [(p[f"{side}_from"], p[f"{side}_along"]) for p in petals for side in ("left", "right")]
        every = [segments(p, d, R @ q + r, R @ e)[0] - 0.01 for p, d in edges for q, e in edges]
        assert gaps((R, r)).gap[EDGES].min() == pytest.approx(min(every), abs=1e-12)


# broad phase


def test_broad_phase_hides_nothing_within_the_margin() -> None:
    rng = np.random.default_rng(4)
    hidden = 0
    for k in range(900):
        at = random_pose(rng, lateral=0.3, tilt_deg=30.0, z=0.6)
        margin = (0.0, 0.01, 0.05)[k % 3]
        every, near = gaps(at).gap, gaps(at, margin).gap
        within = every <= margin
        assert (near[within] == every[within]).all()
        assert np.isinf(near[~within]).all()
        hidden += int((~within).sum())
    assert hidden > 6000


def test_broad_phase_holds_for_any_attitude() -> None:
    rng = np.random.default_rng(5)
    touching = 0
    for _ in range(800):
        at = turn(rng.normal(size=3) * 2.0), rng.uniform(-1.2, 1.2, 3)
        every, near = gaps(at).gap, gaps(at, 0.01).gap
        within = every <= 0.01
        touching += within.any()
        assert (near[within] == every[within]).all()
    assert touching > 64


# the five classic interactions (Syromyatnikov): who touches first, and where


def first_contact(**offsets: float) -> tuple[float, str, np.recarray]:
    """Axial separation at first contact, by marching: no gap falls faster than B comes down."""
    z = 0.5
    for _ in range(500):
        rows = gaps(pose(z, **offsets))
        least = rows.gap.min()
        if least < 1e-12:
            return z, NAMES[int(np.argmin(rows.gap))], rows
        z -= least
    raise AssertionError("no contact")


def test_central_impact_ends_face_on_face_without_touching_a_petal() -> None:
    z, _, rows = first_contact()
    assert z == pytest.approx(0.0, abs=1e-12)
    assert np.abs(rows.gap[FACE_A.start :]).max() < 1e-12
    assert abs(rows.gap[RIMS].min()) < 1e-12
    assert rows.gap[:12].min() > 0.5e-3


@pytest.mark.parametrize(("roll", "z"), [(5.0, 0.0421191), (10.0, 0.0858697), (20.0, 0.1625951)])
def test_impact_with_roll_is_edge_on_edge_at_all_three_neighbours(roll: float, z: float) -> None:
    found, name, rows = first_contact(roll=roll)
    assert "left edge" in name
    assert np.abs(rows.gap[[7, 9, 11]]).max() < 1e-11
    # regression values; that edges and no others meet follows from the test of all 36 pairs
    assert found == pytest.approx(z, abs=1e-7)
    mirrored, name, _ = first_contact(roll=-roll)
    assert "right edge" in name
    assert mirrored == pytest.approx(found, abs=1e-11)


def test_guide_on_guide_is_an_edge_near_the_tip() -> None:
    z, name, rows = first_contact(x=0.05, y=0.05, about_x=4.0, about_y=4.0, roll=4.0)
    assert "edge" in name
    assert 0.14 < z < 0.18
    assert rows.gap[:6].min() > 0.04


@pytest.mark.parametrize("x", [-0.02, -0.05, -0.10])
def test_guide_on_ring_is_where_the_middle_ruling_meets_the_rim(x: float) -> None:
    z, name, _ = first_contact(x=x)
    assert name in ("petal 1 of A on rim of B", "rim of A on petal 1 of B")
    # in the plane of symmetry: the ruling x + z = 0.5974 m at 45 deg, the rim's centre at (0.610 + x, z + 0.010),
    # apart by the radii, 15 mm
    assert z == pytest.approx(0.5974 + 0.015 * np.sqrt(2.0) - 0.610 - x - 0.010, abs=1e-11)


def test_ring_on_ring_is_a_tilted_seated_pair() -> None:
    tilt = 0.1
    z, name, rows = first_contact(about_y=-tilt)
    assert "rim" in name or "face" in name
    assert rows.gap[:12].min() > 1e-4
    # the lower side of B's face, at 0.610 m, meets A's face
    assert z == pytest.approx(0.610 * np.sin(np.radians(tilt)), rel=1e-3)


def test_first_contacts_over_the_box_happen_between_four_centimetres_and_eighteen() -> None:
    """Corners of a contact box of 0.1 m, 4 deg and 4 deg."""
    signs = np.array(np.meshgrid(*[(-1.0, 1.0)] * 5)).reshape(5, -1).T
    found = []
    for a, b, c, d, e in signs:
        found.append(first_contact(x=0.07 * a, y=0.07 * b, about_x=2.8 * c, about_y=2.8 * d, roll=4.0 * e)[0])
    assert min(found) > 0.04
    assert max(found) < 0.18


# interfaces of other kinds


def test_spheres_meet_spheres_rims_petals_and_faces_both_ways() -> None:
    balls = [((0.1, 0.2, 0.3), 0.05), ((0.5, 0.0, 0.1), 0.02)]
    probe = interface_shape(rim_radius=0.0, face_points=0, petal=None, spheres=balls)
    shapes = (probe, interface_shape(spheres=[((0.3, 0.0, 0.2), 0.04)]))
    tables, names = contact_tables(shapes), [row.name for row in gap_rows(shapes)]
    at: Pose = (turn([0.05, 0.02, 0.3]) @ FACING, np.array([0.02, 0.01, 0.15]))
    there = gaps(at, tables=tables, shapes=shapes)
    back = gaps(inverse(at), tables=contact_tables(shapes[::-1]), shapes=shapes[::-1])
    assert len(there) == len(back) == len(names)
    swap = str.maketrans("AB", "BA")
    mirrored = {_reversed(row.name).translate(swap): gap for row, gap in zip(gap_rows(shapes[::-1]), back, strict=True)}
    compared = 0
    for name, row in zip(names, there, strict=True):
        if "sphere" in name:
            other = mirrored[name]
            compared += 1
            assert row.gap == pytest.approx(other.gap, abs=1e-12)
            assert row.point == pytest.approx(at[0] @ other.point + at[1], abs=1e-9)
            assert row.normal == pytest.approx(-at[0] @ other.normal, abs=1e-7)
    assert compared == 2 + 3 + 6 + 3


@pytest.mark.parametrize("petals", [(3, 3), (3, 4), (0, 3), (0, 0)])
@pytest.mark.parametrize("balls", [(0, 0), (2, 1), (0, 3)])
def test_kernel_fills_every_row_of_the_table_and_none_beyond(petals: tuple[int, int], balls: tuple[int, int]) -> None:
    ball = ((0.1, 0.2, 0.3), 0.05)
    a, b = (
        interface_shape(petals=n, face_points=4 + m, spheres=m * [ball]) for n, m in zip(petals, balls, strict=True)
    )
    rows = len(gap_rows((a, b)))
    out, sweep = np.zeros(rows + 1, GAP).view(np.recarray), new_gaps((a, b))[1]
    out.gap = -np.inf
    interface_gaps(contact_tables((a, b)), 0, 1, *args(pose(0.1)), np.inf, sweep[0], out)
    found = out.gap[:rows]
    # coaxial rims have no second crossing
    assert np.isfinite(found).sum() == rows - 1
    assert found.max() == np.inf
    assert out.gap[rows] == -np.inf


@pytest.mark.parametrize("seed", range(40))
def test_what_had_more_room_than_the_pair_has_moved_is_left_out_and_the_rest_is_the_same(seed: int) -> None:
    """Rows are measured, B moves by half a millimetre: what touches has the same bits, what is left out is open.

    No point of B, within its reach, comes farther than the shift and the chord of the turn together.
    """
    rng = np.random.default_rng(seed)
    R, r = random_pose(rng, lateral=0.02, tilt_deg=3.0, z=0.01)
    step, swing = turn(rng.normal(0.0, 3e-4, 3)), rng.normal(0.0, 3e-4, 3)
    out, sweep = new_gaps((SHAPE, SHAPE))
    interface_gaps(TABLES, 0, 1, *args((R, r)), 0.004, sweep[0], out, True)
    later = (step @ R, r + swing)
    chord = np.linalg.norm(later[0] - R, 2)
    moved = np.linalg.norm(swing) + chord * float(TABLES.interface[0].reach)
    interface_gaps(TABLES, 0, 1, *args(later), 0.0, sweep[0], out, True, moved + 3e-4)
    whole, sweep = new_gaps((SHAPE, SHAPE))
    interface_gaps(TABLES, 0, 1, *args(later), np.inf, sweep[0], whole, True)
    touching = whole.gap <= 0.0
    for field in ("gap", "point", "normal"):
        assert np.array_equal(out[field][touching], whole[field][touching])
    assert (out.gap[~touching] == np.inf).all()
    # rims are always looked at
    spared = out.room > moved + 3e-4
    assert spared.sum() > 0.9 * (whole.gap > 0.006).sum() > 0
    assert not (spared & touching).any()


@pytest.mark.parametrize("seed", range(15))
def test_capsules_meet_capsules_as_segments_with_radii(seed: int) -> None:
    rng = np.random.default_rng(seed)
    none = {"rim_radius": 0.0, "rim_tube": ABSENT_M, "face_outer": ABSENT_M, "face_points": 0, "petal": None}
    rods = [[(*rng.uniform(-0.3, 0.3, (2, 3)), rng.uniform(0.01, 0.05)) for _ in range(count)] for count in (2, 3)]
    shapes = tuple(interface_shape(**none, capsules=some) for some in rods)
    tables, names = contact_tables(shapes), [row.name for row in gap_rows(shapes)]
    R, r = turn(rng.uniform(-3.0, 3.0, 3)), rng.uniform(-0.6, 0.6, 3)
    found = {name: row for name, row in zip(names, gaps((R, r), tables=tables, shapes=shapes)) if "capsule" in name}
    assert len(found) == 6
    for i, (p, end, radius) in enumerate(rods[0]):
        for k, (q, other_end, other_radius) in enumerate(rods[1]):
            distance, x, y = segments(p, end - p, R @ q + r, R @ (other_end - q))
            row = found[f"capsule {i + 1} of A on capsule {k + 1} of B"]
            assert row.gap == pytest.approx(distance - radius - other_radius, abs=1e-12)
            normal = (y - x) / distance
            assert row.point == pytest.approx(x + (radius + 0.5 * row.gap) * normal, abs=1e-9)
            assert row.normal == pytest.approx(normal, abs=1e-7)
    # the broad phase hides none, and what is beyond the margin is not told
    least = min(row.gap for row in found.values())
    near = gaps((R, r), max(least, 0.0) + 1e-9, tables, shapes)
    assert near.gap.min() == least
    assert not (np.isfinite(near.gap) & (near.gap > max(least, 0.0) + 1e-9)).any()
    assert np.isinf(gaps((R, r), least - 1e-9, tables, shapes).gap).all()


def _reversed(name: str) -> str:
    """ "x of A on y of B" as "y of B on x of A"."""
    first, _, second = name.partition(" on ")
    return f"{second} on {first}" if second else name


# the kernel is plain Python


def numbers() -> str:
    """Every number of a few poses, exactly."""
    rng = np.random.default_rng(9)
    rows = [gaps(random_pose(rng), margin) for margin in (np.inf, 0.02) for _ in range(12)]
    values = [value for row in rows for value in (*row.gap, *row.point.ravel(), *row.normal.ravel())]
    return " ".join(float(value).hex() for value in values)


def test_plain_python_gives_the_same_bits() -> None:
    program = "from tests.physics.test_gaps_interface import numbers; print(numbers())"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    plain = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert plain.stdout.split() == numbers().split()

"""The constants of petals and interfaces, from a drawing's numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from docksim.compiler.interface_shapes import (
    contact_tables,
    gap_rows,
    patch_point,
    petal_row,
)
from docksim.model.contact import COVER, EDGES, F_PETAL, F_POINT, FACES, PETALS, SPHERES
from tests.oracle.contact_shapes import Petal, samples
from tests.support.contact import FACING, TABLES, turn
from tests.support.shapes import interface_shape, petal_shape

SHAPE = petal_shape()


def patch(azimuth: float = 0.0, count: int = 41) -> np.ndarray:
    """Dense points of a petal's patch, from the drawing."""
    return samples(Petal(azimuth), count)[1]


def test_apex_follows_from_length_cant_and_widths() -> None:
    # 0.21 m of a ruling shrink the half-width from 0.28963 to 0.06 m; the whole of it would take 0.26487 m
    assert SHAPE.apex == pytest.approx((0.41011, 0.18729), abs=1e-5)


def test_corners_lie_on_the_base_circle_and_at_the_tips_half_width() -> None:
    for azimuth in (0.0, 2.0):
        row = petal_row(SHAPE, azimuth)[0]
        back = turn([0.0, 0.0, -azimuth])
        for side, sign in (("left", -1.0), ("right", 1.0)):
            base = patch_point(row, 1.0, sign * SHAPE.half_angle)
            assert (math.hypot(base[0], base[1]), base[2]) == pytest.approx((0.5974, 0.0), abs=1e-15)
            low, tip = row[f"{side}_from"], row[f"{side}_from"] + row[f"{side}_along"]
            assert low[2] == pytest.approx(-0.012, abs=1e-15)
            assert (back @ tip)[1] == pytest.approx(sign * 0.06, abs=1e-15)
        tip = back @ patch_point(row, row["s_tip"], 0.0)
        assert tip == pytest.approx((0.5974 - 0.21 * math.sqrt(0.5), 0.0, 0.21 * math.sqrt(0.5)), abs=1e-15)


def test_rows_describe_the_same_patch_as_the_drawing() -> None:
    drawing, row = Petal(1.0), petal_row(SHAPE, 1.0)[0]
    for t, phi in samples(drawing, 7)[0]:
        assert patch_point(row, 1.0 - t, phi) == pytest.approx(drawing.point((t, phi)), abs=1e-15)


def test_cover_spheres_hold_the_whole_patch() -> None:
    row = petal_row(SHAPE, 0.7)[0]
    centres = np.stack([row["cover_x"], row["cover_y"], row["cover_z"]], axis=1)
    assert len(centres) == COVER
    distance, _ = cKDTree(centres).query(patch(0.7, 161))
    assert distance.max() <= row["cover_radius"]


def test_two_discs_and_a_sphere_hold_the_whole_interface() -> None:
    row = TABLES.interface[0]
    points = np.concatenate([patch(2.0 * np.pi * k / 3.0) for k in range(3)])
    q, z = np.hypot(points[:, 0], points[:, 1]) + 0.005, points[:, 2] + 0.005
    cone = row.base_radius + (row.tip_radius - row.base_radius) * np.clip(z / row.top, 0.0, 1.0)
    assert (q <= cone + 1e-12).all()
    assert z.max() <= row.top + 1e-12
    assert np.linalg.norm(points, axis=1).max() + 0.005 <= row.reach
    assert np.hypot(0.62, 0.02) <= row.reach


def test_half_a_turn_about_y_interleaves_the_petals_without_overlap() -> None:
    ours = np.concatenate([patch(2.0 * np.pi * k / 3.0, 81) for k in range(3)])
    theirs = ours @ FACING.T
    azimuth = sorted(math.degrees(math.atan2(*(FACING @ row.e1)[1::-1])) % 360.0 for row in TABLES.petal[:3])
    assert azimuth == pytest.approx([60.0, 180.0, 300.0], abs=1e-9)
    nearest = cKDTree(ours).query(theirs)[0].min()
    # two plates of 5 mm radius; the samples are up to 8 mm apart, so they miss at most 2 mm of a distance of 14 mm
    assert nearest - 2.0e-3 > 2.0 * SHAPE.plate_radius


def test_rows_of_the_gaps_are_counted_and_named() -> None:
    shape = interface_shape()
    names = {row.name for row in gap_rows((shape, shape))}
    assert len(gap_rows((shape, shape))) == len(names) == 6 + 6 + 2 + 24
    sphere = interface_shape(rim_radius=0.0, face_points=0, petal=None, spheres=[((0.0, 0.0, 0.0), 0.1)])
    assert len(gap_rows((sphere, shape))) == 3 + 2 + 12 + 1 + 1 + 3


def test_rows_of_the_gaps_are_in_this_order_under_these_names_and_groups() -> None:
    balls = [((0.0, 0.0, 0.0), 0.1), ((0.0, 0.0, 0.5), 0.1)]
    a = interface_shape(petals=2, face_points=1, spheres=balls[:1])
    b = interface_shape(petals=2, face_points=1, spheres=balls)
    rod = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.5), 0.1)
    a, b = replace(a, capsules=[rod, rod]), replace(b, capsules=[rod])
    rows = gap_rows((a, b))
    assert [row.crossing for row in rows] == 8 * [-1] + [0, 1] + 18 * [-1]
    assert [(row.name, row.group) for row in rows] == [
        ("petal 1 of A on rim of B", PETALS),
        ("petal 2 of A on rim of B", PETALS),
        ("rim of A on petal 1 of B", PETALS),
        ("rim of A on petal 2 of B", PETALS),
        ("right edge of petal 1 of A on its neighbour", EDGES),
        ("left edge of petal 1 of A on its neighbour", EDGES),
        ("right edge of petal 2 of A on its neighbour", EDGES),
        ("left edge of petal 2 of A on its neighbour", EDGES),
        ("rim on rim, crossing 1", FACES),
        ("rim on rim, crossing 2", FACES),
        ("face point 1 of A", FACES),
        ("face point 1 of B", FACES),
        ("sphere 1 of A on sphere 1 of B", SPHERES),
        ("sphere 1 of A on sphere 2 of B", SPHERES),
        ("sphere 1 of A on rim of B", SPHERES),
        ("rim of A on sphere 1 of B", SPHERES),
        ("rim of A on sphere 2 of B", SPHERES),
        ("sphere 1 of A on petal 1 of B", SPHERES),
        ("sphere 1 of A on petal 2 of B", SPHERES),
        ("petal 1 of A on sphere 1 of B", SPHERES),
        ("petal 2 of A on sphere 1 of B", SPHERES),
        ("petal 1 of A on sphere 2 of B", SPHERES),
        ("petal 2 of A on sphere 2 of B", SPHERES),
        ("sphere 1 of A on face of B", SPHERES),
        ("face of A on sphere 1 of B", SPHERES),
        ("face of A on sphere 2 of B", SPHERES),
        ("capsule 1 of A on capsule 1 of B", SPHERES),
        ("capsule 2 of A on capsule 1 of B", SPHERES),
    ]


def test_interfaces_share_the_tables() -> None:
    tables = contact_tables([interface_shape(), interface_shape(petals=4, face_points=6), interface_shape()])
    assert tables.interface.first[:, F_PETAL].tolist() == [0, 3, 7]
    assert tables.interface.first[:, F_POINT].tolist() == [0, 12, 18]
    assert len(tables.petal) == 10

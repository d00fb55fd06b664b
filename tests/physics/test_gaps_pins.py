"""Gaps of guide pins in their holes: against outlines and brute force, their gradients, symmetry, the broad phase."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from docksim.compiler.guides import hole_rows, pin_rows
from docksim.compiler.interface_shapes import ABSENT_M, InterfaceShape, contact_tables, gap_rows
from docksim.config.schema.pins import Holes, Pins
from tests.oracle.guide_shapes import (
    Line,
    height_profile,
    hole_outline,
    least_around,
    pin_outline,
    to_outline,
    within,
)
from tests.support.contact import FACING, Pose, gaps, inverse, turn
from tests.support.shapes import interface_shape

PINS = Pins(count=1, radius_m=0.6, pin_m=0.015, taper_deg=20.0, cylinder_m=0.020, nose_m=0.005)
HOLES = Holes(
    azimuths_deg=[180.0], radius_m=0.6, bore_m=0.01625, chamfer_m=0.010, edge_m=0.001, depth_m=0.060, face_m=0.10
)
BARE = interface_shape(
    rim_radius=0.0, rim_tube=ABSENT_M, face_inner=ABSENT_M, face_outer=ABSENT_M, face_points=0, petal=None, petals=0
)
AT = np.array([0.6, 0.0, 0.0])  # of the pin, and of its hole when mated
TILTS = [(1.0, 1e-10), (2.0, 3e-8), (4.0, 3e-6)]


def frame(pins: Pins | None, holes: Holes | None = None) -> InterfaceShape:
    return replace(BARE, pins=pin_rows(pins), holes=hole_rows(holes))


def both(azimuth: float = 0.0, sense: float = 1.0, **holes: Any) -> InterfaceShape:
    """Two pins and two holes, turned by an azimuth, or mirrored."""
    around = [azimuth + sense * 30.0, azimuth + sense * 215.0]
    opposite = [azimuth + sense * 150.0, azimuth + sense * -35.0]
    pins = PINS.model_copy(update={"count": None, "azimuths_deg": around})
    return frame(pins, HOLES.model_copy(update={"azimuths_deg": opposite, **holes}))


def rows(shapes: tuple[InterfaceShape, InterfaceShape], at: Pose, margin: float = np.inf) -> np.recarray:
    return gaps(at, margin, contact_tables(shapes), shapes)


def single(at: Pose, pins: Pins = PINS, holes: Holes = HOLES) -> np.recarray:
    """Nose and flank of one pin of A in its hole of B."""
    return rows((frame(pins), frame(None, holes)), at)


def hole_at(x: float, y: float, z: float, tilt: Any = (0.0, 0.0, 0.0)) -> Pose:
    """B, so that the centre of its hole is at (x, y, z) from the pin's foot."""
    R = turn(tilt) @ FACING
    return R, AT + [x, y, z] - R @ [-0.6, 0.0, 0.0]


def signed(distance: np.ndarray, inside: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(inside, -distance, distance))


def test_pin_with_its_axis_along_the_holes_is_as_far_from_it_as_the_two_outlines() -> None:
    rng = np.random.default_rng(11)
    pin, pieces = pin_outline(PINS), hole_outline(HOLES)
    # the part of the bore and of the face that a pin may come near to
    ends = (
        Line(pieces[0].points(2)[1] - [0.0, 0.04], pieces[0].points(2)[1]),
        Line(pieces[4].points(2)[0], AT[:2] * 0.1),
    )
    hole = np.concatenate([piece.points(4001) for piece in (*pieces[1:4], *ends)])
    inside = height_profile(pin)
    met = {0: 0, 1: 0}
    for _ in range(200):
        e, z, angle = 0.03 * rng.random() ** 2, rng.uniform(0.0, 0.06), rng.uniform(0.0, 2.0 * math.pi)
        found = single(hole_at(e * math.cos(angle), e * math.sin(angle), z)).gap
        # one side, one contact
        assert np.isfinite(found).sum() == 1
        # in the plane of both axes, on the side towards which the pin is off; heights run the other way
        theirs = np.stack([np.abs(hole[:, 0] - e), z - hole[:, 1]], axis=1)
        if not within(theirs, inside).any():
            # points 10 um apart at most, across roundings of 1 mm or more: half of that is off by 1e-8
            assert found.min() == pytest.approx(to_outline(theirs, pin).min(), abs=3e-8)
            met[int(found.argmin())] += 1
    assert min(met.values()) > 20, met


@pytest.mark.parametrize(("tilt_deg", "tolerance"), [(0.0, 1e-12), *TILTS])
def test_flank_is_the_nearest_point_of_the_bores_edge(tilt_deg: float, tolerance: float) -> None:
    rng = np.random.default_rng(3)
    pin, (radius, height) = pin_outline(PINS), HOLES.edge_corner_m
    inside, counted = height_profile(pin), 0
    for _ in range(150):
        tilt = math.radians(tilt_deg) * math.sqrt(rng.random())
        around, angle, e = *rng.uniform(0.0, 2.0 * math.pi, 2), rng.uniform(0.001, 0.008)
        off = (e * math.cos(angle), e * math.sin(angle), rng.uniform(0.0, 0.03))
        at = hole_at(*off, (tilt * math.cos(around), tilt * math.sin(around), 0.0))
        found = single(at)
        if not found.gap[1] < 0.002:
            continue

        def distance(phi: np.ndarray, at: Pose = at) -> np.ndarray:
            circle = np.stack([radius * np.cos(phi) - 0.6, radius * np.sin(phi), np.full_like(phi, height)], axis=1)
            x = circle @ at[0].T + at[1] - AT
            points = np.stack([np.hypot(x[:, 0], x[:, 1]), x[:, 2]], axis=1)
            return signed(to_outline(points, pin), within(points, inside)) - HOLES.edge_m

        assert found.gap[1] == pytest.approx(least_around(distance), abs=tolerance)
        counted += 1
    assert counted > 60


def test_nose_is_a_ball_against_the_nearest_point_of_face_chamfer_and_bore() -> None:
    rng = np.random.default_rng(5)
    hole, counted = hole_outline(HOLES), set()
    wall = height_profile(hole)
    for _ in range(150):
        tilt = rng.uniform(-0.07, 0.07, 2)
        at = hole_at(*rng.uniform(-0.03, 0.03, 2), rng.uniform(0.03, 0.055), (*tilt, 0.0))
        found = single(at).gap[0]
        x = at[0].T @ (AT + [0.0, 0.0, PINS.nose_height_m] - at[1]) - [-0.6, 0.0, 0.0]
        ball = np.array([[math.hypot(x[0], x[1]), x[2]]])
        if math.isfinite(found):
            sunk = (ball[:, 1] < 0.0) & ~within(ball, wall)
            assert found == pytest.approx(float(signed(to_outline(ball, hole), sunk)[0]) - PINS.nose_m, abs=1e-12)
            counted.add("face" if ball[0, 0] > 0.027 else "chamfer" if ball[0, 0] > 0.02 else "bore")
    assert counted == {"face", "chamfer", "bore"}


def near(rng: np.random.Generator, reach: float = 0.012, tilt: float = 0.04) -> Pose:
    """Two frames that are nearly mated."""
    R = turn(rng.uniform(-tilt, tilt, 3) * [1.0, 1.0, 0.3]) @ FACING
    return R, np.array([*rng.uniform(-reach, reach, 2), rng.uniform(0.0, 0.05)])


def moved(at: Pose, motion: np.ndarray) -> Pose:
    """Turned about A's origin, then shifted."""
    by = turn(motion[:3])
    return by @ at[0], by @ at[1] + motion[3:]


def test_normal_and_point_are_the_gradient_of_the_gap() -> None:
    rng = np.random.default_rng(7)
    shapes = both(lengthened=[2], lengthened_m=0.004), both()
    h, counted = 1e-6, 0
    for _ in range(40):
        R, r = near(rng)
        found = rows(shapes, (R, r))
        for k in np.flatnonzero(np.abs(found.gap) < 0.003):
            n, x = found.normal[k], found.point[k]
            for motion in np.eye(6):
                ahead, behind = (
                    rows(shapes, (turn(s * h * motion[:3]) @ R, turn(s * h * motion[:3]) @ r + s * h * motion[3:])).gap[
                        k
                    ]
                    for s in (1.0, -1.0)
                )
                if math.isfinite(ahead) and math.isfinite(behind):
                    rate = n @ (motion[3:] + np.cross(motion[:3], x))
                    # what the search leaves of the edge's point is squared in the gap, not in its gradient
                    assert (ahead - behind) / (2.0 * h) == pytest.approx(rate, abs=2e-4)
                    counted += 1
    assert counted > 300


def test_either_interface_may_be_the_first() -> None:
    rng = np.random.default_rng(9)
    one, other = both(lengthened=[1], lengthened_m=0.003), both(bore_m=0.017)
    for _ in range(40):
        at = near(rng)
        ours, theirs = rows((one, other), at), rows((other, one), inverse(at))
        swapped = theirs[[4, 5, 6, 7, 0, 1, 2, 3]]
        assert ours.gap == pytest.approx(swapped.gap, abs=1e-14)
        for k in np.flatnonzero(np.isfinite(ours.gap)):
            assert ours.normal[k] == pytest.approx(-at[0] @ swapped.normal[k], abs=1e-12)
            assert ours.point[k] == pytest.approx(at[0] @ swapped.point[k] + at[1], abs=1e-13)


def test_turned_and_mirrored_frames_have_the_same_gaps() -> None:
    rng = np.random.default_rng(13)
    third, mirror = turn([0.0, 0.0, 2.0 * math.pi / 3.0]), np.diag([1.0, -1.0, 1.0])
    plain, mirrored = both(), both(sense=-1.0)
    # a third of a turn for A; seen from B, which faces it, the other way
    turned = both(azimuth=120.0), both(azimuth=-120.0)
    for _ in range(40):
        R, r = near(rng)
        ours = rows((plain, plain), (R, r)).gap
        about = third @ R @ turn([0.0, 0.0, 2.0 * math.pi / 3.0])
        assert rows(turned, (about, third @ r)).gap == pytest.approx(ours, abs=1e-12)
        reflected = mirror @ R @ mirror, mirror @ r
        assert rows((mirrored, mirrored), reflected).gap == pytest.approx(ours, abs=1e-12)


def test_lengthened_hole_gives_way_radially_and_nowhere_else() -> None:
    long = HOLES.model_copy(update={"lengthened": [1], "lengthened_m": 0.004})
    play = HOLES.bore_m - PINS.pin_m
    for x, y, room in ((0.002, 0.0, play), (0.003, 0.0, play - 0.001), (0.0, 0.001, play - 0.001)):
        assert single(hole_at(x, y, 0.0), holes=long).gap.min() == pytest.approx(room, abs=1e-12)


def test_broad_phase_passes_over_nothing_that_is_within_the_margin() -> None:
    rng = np.random.default_rng(17)
    shapes = both(), both()
    assert contact_tables(shapes).interface.top == pytest.approx(2 * [PINS.length_m], abs=1e-15)
    for _ in range(100):
        R, r = near(rng, 0.05, 0.2)
        r[2] += rng.uniform(0.0, 0.2)
        least = rows(shapes, (R, r)).gap.min()
        if math.isfinite(least):
            assert rows(shapes, (R, r), least + 1e-9).gap.min() == least
            assert np.isinf(rows(shapes, (R, r), least - 1e-9).gap).all()


def test_pins_that_look_away_meet_nothing() -> None:
    for at in ((np.eye(3), np.zeros(3)), hole_at(0.0, 0.0, 0.01, (0.7, 0.0, 0.0))):
        assert np.isinf(single(at).gap).all()


def test_pin_beside_the_plate_meets_its_side_with_the_nose() -> None:
    nose = PINS.nose_height_m
    # the nose below the rim of the plate, above it, and past its corner
    for e, z in ((0.2, 0.02), (0.11, 0.03), (0.101, 0.0), (0.09, nose + 0.01), (0.12, nose + 0.01)):
        beside, above = e - (HOLES.face - HOLES.edge_m), z - nose + HOLES.edge_m
        distance = math.hypot(max(beside, 0.0), max(above, 0.0)) - HOLES.edge_m
        gap = single(hole_at(e, 0.0, z)).gap
        assert gap[0] == pytest.approx(distance - PINS.nose_m, abs=1e-12), (e, z)


def test_rows_of_pins_are_named_and_found_by_their_own_holes() -> None:
    names = [row.name for row in gap_rows((both(), frame(None, HOLES)))]
    assert names == [f"{part} of pin {k} of A in its hole" for k in (1, 2) for part in ("nose", "flank")]
    assert [row.name for row in gap_rows((frame(None, HOLES), frame(PINS)))] == [
        "nose of pin 1 of B in its hole",
        "flank of pin 1 of B in its hole",
    ]
    assert gap_rows((frame(PINS), frame(PINS))) == []
    mated = rows((both(), both()), (FACING, np.zeros(3))).gap
    play = HOLES.bore_m - PINS.pin_m
    assert mated[1::2] == pytest.approx(4 * [play], abs=1e-15)

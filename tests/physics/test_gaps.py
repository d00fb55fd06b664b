"""Gaps between contact primitives: against brute force, by continuity, and by the law of their rate of change."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from docksim.kernel.contact.gaps import (
    capsule_capsule,
    latch_offset,
    point_face,
    sphere_plane,
    sphere_rim,
    sphere_sphere,
)
from docksim.kernel.contact.petal import petal_on_rim, petal_on_sphere
from tests.support.contact import RIMS, TABLES, Pose, args, gaps, pose, random_pose, turn
from tests.support.contact_pairs import PAIRS, RIM, SWEEP, worst_of

PETAL = TABLES.petal[0]
S_TIP, S_LOW, TAU = float(PETAL.s_tip), float(PETAL.s_low), float(PETAL.ruling_tau[-1])


def on_rim(at: Pose) -> tuple[float, np.ndarray, np.ndarray, float, float]:
    gap, point, normal, s, tau = petal_on_rim(PETAL, *args(at), RIM.radius, RIM.height, RIM.tube, np.inf, SWEEP)
    return gap, np.array(point), np.array(normal), s, tau


def feature(s: float, tau: float) -> str:
    """Which part of the petal: face, edge, tip, base, or a corner."""
    along = "tip" if s <= S_TIP else "base" if s >= S_LOW else ""
    across = "edge" if abs(tau) >= TAU else ""
    return " ".join(filter(None, (along, across))) or "face"


# brute force: 60 placements each here, 10,000 by `python -m tests.support.contact_pairs 10000`


@pytest.mark.parametrize("name", PAIRS)
def test_gap_point_and_normal_are_those_of_brute_force(name: str) -> None:
    worst = worst_of(name, 60, 1)
    assert worst.placed > 45
    # the gap is stationary, so it is exact to rounding; rim on rim stops at a slope that costs 1e-12 m at most
    assert worst.gap < 2e-12
    # the place is good to the square of Newton's last step, 1e-6, times the flatness of the minimum
    assert worst.point < 1e-9
    # and the normal to that over the distance of the skeletons, which is drawn down to 0.1 mm
    assert worst.normal < 1e-8


def test_petal_touches_by_all_its_features_among_the_placements_of_the_comparison() -> None:
    rng = np.random.default_rng(1)
    seen = {feature(*on_rim(random_pose(rng, z=0.25))[3:]) for _ in range(2000)}
    assert seen == {"face", "edge", "tip", "base", "tip edge", "base edge"}


# known answers


def test_two_spheres_share_the_point_midway_between_their_surfaces() -> None:
    gap, point, normal = sphere_sphere((0.0, 0.0, 0.0), 1.0, (0.0, 0.0, 2.5), 1.0)
    assert (gap, point, normal) == (0.5, (0.0, 0.0, 1.25), (0.0, 0.0, 1.0))
    gap, point, normal = sphere_sphere((0.0, 0.0, 0.0), 1.0, (1.0, 0.0, 0.0), 0.5)
    assert (gap, point, normal) == (-0.5, (0.75, 0.0, 0.0), (1.0, 0.0, 0.0))


def test_sphere_on_plane_is_measured_along_the_normal() -> None:
    gap, point, normal = sphere_plane((3.0, 4.0, 0.3), 0.25, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert gap == pytest.approx(0.05, abs=1e-16)
    assert point == pytest.approx((3.0, 4.0, 0.025), abs=1e-16)
    assert normal == (0.0, 0.0, -1.0)


def test_coincident_centres_still_give_a_unit_normal() -> None:
    for _, _, normal in (
        sphere_sphere((0.1, 0.2, 0.3), 1.0, (0.1, 0.2, 0.3), 1.0),
        sphere_rim((0.0, 0.61, -0.01), 0.1, 0.61, -0.01, 0.01),
        sphere_rim((0.0, 0.0, -0.01), 0.1, 0.61, -0.01, 0.01),
        capsule_capsule((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.1, (0.5, -1.0, 0.0), (0.0, 2.0, 0.0), 0.1)[:3],
        petal_on_sphere(PETAL, tuple(map(float, PETAL.left_from)), 0.1, np.inf, SWEEP)[:3],
    ):
        assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-15)


def test_parallel_capsules_touch_in_the_middle_of_their_overlap() -> None:
    a, along = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)
    gap, point, normal, s, _ = capsule_capsule(a, along, 0.1, (0.4, 0.0, 1.0), (2.0, 0.0, 0.0), 0.2)
    assert (gap, s, normal) == (pytest.approx(0.7, abs=1e-15), pytest.approx(0.7, abs=1e-15), (0.0, 0.0, 1.0))
    assert point == pytest.approx((0.7, 0.0, 0.45), abs=1e-15)


def test_coaxial_rims_have_an_exact_gap_though_no_nearest_point() -> None:
    for z in (-0.002, 0.0, 0.03):
        rims = gaps(pose(z))[RIMS]
        nearest = rims[rims.gap.argmin()]
        assert nearest.gap == pytest.approx(z, abs=1e-15)
        assert nearest.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)
        assert np.hypot(*nearest.point[:2]) == pytest.approx(0.61, abs=1e-15)


def test_face_gap_is_continuous_when_a_point_slips_over_the_edge() -> None:
    path = [(q, 0.0, -0.002) for q in np.linspace(0.61, 0.63, 2001)]
    gap = np.array([point_face(x, 0.6, 0.62, 0.02)[0] for x in path])
    # it moves by 1e-5 m a step
    assert np.abs(np.diff(gap)).max() < 1.001e-5
    assert gap[0] == -0.002
    assert gap[-1] == pytest.approx(0.01, abs=1e-15)


def test_latch_offset_is_axial_radial_and_tangential() -> None:
    radial = (np.cos(2.0), np.sin(2.0), 0.0)
    at = np.array([0.6 * radial[0], 0.6 * radial[1], 0.01])
    tangential = np.array([-radial[1], radial[0], 0.0])
    x = at + 0.004 * np.array([0.0, 0.0, 1.0]) + 0.008 * np.array(radial) + 0.03 * tangential
    assert latch_offset(tuple(at), radial, tuple(x)) == pytest.approx((0.004, 0.008, 0.03), abs=1e-15)


# motion


def path(rng: np.random.Generator, steps: int) -> tuple[list[Pose], np.ndarray, np.ndarray]:
    """Poses along a steady turn and drift of B through the placements of contact; velocity and rate per step."""
    R, r = random_pose(rng, z=0.15)
    v, w = rng.uniform(-0.2, 0.2, 3) / steps, rng.uniform(-0.3, 0.3, 3) / steps
    return [(turn(k * w) @ R, r + k * v) for k in range(steps)], v, w


def test_gap_is_continuous_along_smooth_paths_from_feature_to_feature() -> None:
    rng = np.random.default_rng(3)
    changes = set()
    for _ in range(25):
        poses, v, w = path(rng, 400)
        answers = [on_rim(at) for at in poses]
        gap = np.array([a[0] for a in answers])
        # no point of the rim moves farther in a step than the centre does plus the rate times the rim's distance
        farthest = np.linalg.norm(v) + np.linalg.norm(w) * np.hypot(RIM.radius, RIM.height)
        assert np.abs(np.diff(gap)).max() <= farthest + 1e-12
        names = [feature(*a[3:]) for a in answers]
        changes |= {frozenset(pair) for pair in pairwise(names) if pair[0] != pair[1]}
    # the paths did cross these borders
    for pair in (("face", "edge"), ("face", "tip"), ("face", "base"), ("edge", "base edge"), ("base", "base edge")):
        assert frozenset(pair) in changes


def test_gap_changes_at_the_normal_velocity_of_the_contact_point() -> None:
    rng = np.random.default_rng(4)
    h, wrong, checked = 1e-6, 0, 0
    for _ in range(400):
        at = random_pose(rng)
        gap, point, normal, _, _ = on_rim(at)
        # skeletons that cross have no normal
        if gap < -0.012:
            continue
        v, w = rng.normal(size=(2, 3))
        ahead, behind = (on_rim((turn(k * h * w) @ at[0], at[1] + k * h * v))[0] for k in (0.5, -0.5))
        rate = normal @ (v + np.cross(w, point - at[1]))
        checked += 1
        # central difference: h^2 times a third derivative of up to 1/(3 mm)^2, and rounding over h
        wrong += abs((ahead - behind) / h - rate) > 1e-6
    assert checked > 300
    # where two minima tie within the step the rate jumps; among these placements none does
    assert wrong == 0


def test_normal_is_continuous_where_the_place_is() -> None:
    rng = np.random.default_rng(5)
    followed = 0
    for _ in range(4):
        poses, _, _ = path(rng, 2000)
        answers = [on_rim(at) for at in poses]
        for a, b in pairwise(answers):
            here = np.linalg.norm(b[1] - a[1])
            if min(a[0], b[0]) < -0.01 or here > 2e-3:
                continue
            followed += 1
            # a skeleton distance of at least 5 mm, and points that move by `here` on both skeletons
            assert np.linalg.norm(b[2] - a[2]) < 2.0 * (2.0 * here + 4e-4) / 0.005
    assert followed > 6000


def test_gap_falls_steadily_into_deep_penetration() -> None:
    """B pushed 14 mm into a petal along the normal: the gap falls by as much, to 14 mm of the 15 mm of the radii."""
    rng = np.random.default_rng(6)
    tried = 0
    while tried < 20:
        R, r = random_pose(rng)
        gap, _, normal, _, _ = on_rim((R, r))
        # start at touch; the far side of the rim must not be nearer
        r = r - gap * normal
        if not 0.0 < gap < 0.02 or abs(on_rim((R, r))[0]) > 2e-4:
            continue
        tried += 1
        depth = np.linspace(0.0, 0.014, 15)
        found = np.array([on_rim((R, r - d * normal))[0] for d in depth])
        assert (np.diff(found) < 0.0).all()
        # a push along the first normal is nearly the new one's direction: the sum stays within a tenth
        assert np.abs(found - found[0] + depth).max() < 1.4e-3


def test_beyond_the_limit_the_place_is_only_the_sweeps_but_never_hides_a_contact() -> None:
    rng = np.random.default_rng(7)
    approximate = 0
    for _ in range(1000):
        at = random_pose(rng)
        exact = on_rim(at)[0]
        rough = petal_on_rim(PETAL, *args(at), RIM.radius, RIM.height, RIM.tube, 0.01, SWEEP)[0]
        approximate += rough != exact
        assert rough == exact or min(rough, exact) > 0.01
    assert approximate > 330

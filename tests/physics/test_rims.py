"""Rims that cross: where, with which share of the contact, with which potential, and that rings are solids."""

from __future__ import annotations

import numpy as np
import pytest

from docksim.compiler.interface_shapes import contact_tables
from docksim.kernel.contact.interface_gaps import interface_gaps
from docksim.model import DONE
from tests.physics.ring_rigs import FACE, FIFTY_FOUR, STIFFNESS, Placement, collide, ring_depth, ring_pair
from tests.support.contact import FACING, Pose, args, new_gaps, pose, turn
from tests.support.contact_rigs import energies, momenta
from tests.support.rigs import worst
from tests.support.shapes import interface_shape

RINGS = (interface_shape(petal=None), interface_shape(petal=None))
TABLES = contact_tables(RINGS)
ROWS, SWEEP = new_gaps(RINGS)
CROSSINGS, TUBES = slice(0, 2), 0.020
ELASTIC = {"damping_s_m": 0.0, "friction": 0.0}


def found(at: Pose, margin: float = 0.0, bearing: bool = True) -> np.recarray:
    """Rows at a pose; the shares of the crossings are then in SWEEP."""
    ROWS.gap = np.inf
    interface_gaps(TABLES, 0, 1, *args(at), margin, SWEEP[0], ROWS, bearing)
    return ROWS


def aslant(rng: np.random.Generator, lateral: float, tilt_deg: float, depth: float = 0.012) -> Pose:
    """A ring near another one, its lowest point up to `depth` below the other's face, or as much above it."""
    a, b, roll = rng.uniform(0.0, 2.0 * np.pi, 3)
    tilt, off = np.radians(tilt_deg) * rng.random(), lateral * rng.random()
    R = turn(tilt * np.array([np.cos(a), np.sin(a), 0.0])) @ turn([0.0, 0.0, roll]) @ FACING
    z = rng.uniform(-depth, depth) + 0.61 * np.sin(tilt) * rng.random()
    return R, np.array([off * np.cos(b), off * np.sin(b), z])


def by_samples(at: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Local minima of the gap along B's rim, and how it curves there [m/rad2], from samples alone."""
    angle = np.linspace(0.0, 2.0 * np.pi, 40000, endpoint=False)
    circle = np.stack([0.61 * np.cos(angle), 0.61 * np.sin(angle), np.full_like(angle, -0.01)], axis=1)
    x = circle @ at[0].T + at[1]
    D = np.hypot(np.hypot(x[:, 0], x[:, 1]) - 0.61, x[:, 2] + 0.01)
    before, after = np.roll(D, 1), np.roll(D, -1)
    at_least = (D <= before) & (D < after)
    return D[at_least] - TUBES, (before + after - 2.0 * D)[at_least] / (angle[1] - angle[0]) ** 2


@pytest.mark.parametrize(("lateral", "tilt_deg"), [(0.06, 8.0), (1.25, 10.0), (1.25, 80.0)])
def test_both_crossings_are_the_minima_of_samples(lateral: float, tilt_deg: float) -> None:
    rng = np.random.default_rng(1)
    both = 0
    for _ in range(150):
        at = aslant(rng, lateral, tilt_deg)
        theirs, curves = by_samples(at)
        ours = np.sort(found(at, 0.03, bearing=False).gap[CROSSINGS])
        ours = ours[np.isfinite(ours)]
        sharp = np.sort(theirs[(theirs < 0.03) & (curves > 0.01)])
        # samples are 0.1 mm apart: where the skeletons are 1 mm apart or more, a minimum is lower by 1 micron at most
        assert len(ours) >= len(sharp)
        for gap in sharp[sharp > -0.019]:
            assert np.abs(ours - gap).min() < 2e-6
        both += len(sharp) == 2
    assert both > 10


def test_share_is_none_for_coaxial_rings_all_for_crossing_ones_and_smooth_between() -> None:
    shares = []
    for off in np.linspace(0.0, 0.05, 501):
        rows = found(pose(-0.001, x=off))
        shares.append(SWEEP[0].share[0] if np.isfinite(rows.gap[0]) else 0.0)
        assert np.isfinite(rows.gap[0]) == np.isfinite(rows.gap[1])
    offsets, shares = np.linspace(0.0, 0.05, 501), np.array(shares)
    # e^2 from half the square of the face's width, 20 mm, to twice that; circles cross at sin(angle) = e / rho nearly
    assert (shares[offsets < 0.01414] == 0.0).all()
    assert (shares[offsets > 0.0284] == 1.0).all()
    part = np.clip((offsets**2 - 0.5 * 0.02**2) / (1.5 * 0.02**2), 0.0, 1.0)
    assert np.abs(shares - part**2 * (3.0 - 2.0 * part)).max() < 2e-3
    assert (np.diff(shares) >= 0.0).all()
    # the same by tilt: H = 20 mm sin(tilt) / rho
    for tilt, expected in ((0.9, 0.0), (3.8, 1.0)):
        rows = found(pose(0.61 * np.sin(np.radians(tilt)) - 0.001, about_y=tilt))
        assert np.isfinite(rows.gap[CROSSINGS]).sum() == (expected > 0.0)
        assert expected == 0.0 or SWEEP[0].share[int(np.argmin(rows.gap[CROSSINGS]))] == expected


def test_faces_that_lie_flat_have_their_own_stiffness_and_no_more_when_set_off() -> None:
    model = ring_pair(False, 0.1, 1e-3).model
    rows = model.contact_row
    faces = rows["crossing"] < 0
    assert rows["stiffness"][faces].sum() == pytest.approx(FACE, rel=1e-12)
    assert rows["stiffness"][~faces].tolist() == [STIFFNESS, STIFFNESS]
    depth, stiffness = 1e-4, {}
    for off in (0.0, 0.005, 0.0095, *np.linspace(0.011, 0.3, 24)):
        stiffness[off] = []
        for azimuth in np.linspace(0.0, 2.0 * np.pi / 12.0, 25):
            at = found(pose(-depth, x=off * np.cos(azimuth), y=off * np.sin(azimuth)))
            share = np.where(np.isfinite(at.gap[CROSSINGS]), SWEEP[0].share, 0.0)
            on_face = (at.gap[2:] < 0.0) & (np.abs(at.normal[2:, 2]) > 0.5)
            stiffness[off].append(STIFFNESS * share.sum() + FACE / 24.0 * on_face.sum())
    for off in (0.0, 0.005, 0.0095):
        assert stiffness[off] == pytest.approx(25 * [FACE], rel=1e-12)
    means = [np.mean(found) for found in stiffness.values()]
    assert max(means) < 1.02 * FACE
    assert min(means) > 0.4 * FACE


def energy_and_wrench(at: Pose) -> tuple[float, np.ndarray]:
    """What the crossings store [J], and their force and moment on B about A's origin."""
    rows, stored, wrench = found(at), 0.0, np.zeros(6)
    for k in range(2):
        gap = rows.gap[k]
        if gap < 0.0:
            share, energy = float(SWEEP[0].share[k]), 0.5 * STIFFNESS * gap * gap
            push = -STIFFNESS * share * gap * rows.normal[k]
            stored += share * energy
            wrench[:3] += push - energy * SWEEP[0].share_force[k]
            wrench[3:] += np.cross(rows.point[k], push) - energy * SWEEP[0].share_moment[k]
    return stored, wrench


@pytest.mark.parametrize(("lateral", "tilt_deg"), [(0.04, 5.0), (0.03, 0.5), (1.25, 60.0)])
def test_force_and_moment_of_the_crossings_are_the_slope_of_a_potential(lateral: float, tilt_deg: float) -> None:
    rng = np.random.default_rng(2)
    partly = borne = 0
    for _ in range(150):
        at = aslant(rng, lateral, tilt_deg, depth=0.004)
        stored, wrench = energy_and_wrench(at)
        shares, rows = SWEEP[0].share.copy(), found(at).gap[CROSSINGS]
        partly += ((shares > 0.0) & (shares < 1.0) & (rows < 0.0)).any()
        borne += stored > 0.0
        v, w, h = rng.normal(size=3), rng.normal(size=3), 1e-7
        ahead, behind = (
            energy_and_wrench((turn(k * h * w) @ at[0], turn(k * h * w) @ at[1] + k * h * v))[0] for k in (1, -1)
        )
        power = wrench[:3] @ v + wrench[3:] @ w
        # contact that begins or ends within h stores next to nothing
        assert -(ahead - behind) / (2.0 * h) == pytest.approx(power, abs=2e-4 * (1.0 + np.abs(wrench).max()))
    assert borne > 22
    assert partly > 15 or tilt_deg == 60.0


def test_a_mirrored_pose_has_the_mirrored_wrench_and_the_other_way_round_the_opposite() -> None:
    rng = np.random.default_rng(6)
    for _ in range(100):
        R, r = aslant(rng, 0.05, 5.0, depth=0.004)
        stored, wrench = energy_and_wrench((R, r))
        mirror = np.diag([1.0, -1.0, 1.0])
        same, image = energy_and_wrench((mirror @ R @ mirror, mirror @ r))
        scale = 1e-7 * (1.0 + np.abs(wrench).max())
        assert same == pytest.approx(stored, abs=1e-7 * stored)
        # to the precision of normal and share; a moment is an axial vector
        assert image == pytest.approx(np.concatenate([mirror @ wrench[:3], -mirror @ wrench[3:]]), abs=scale)
        # on A, seen from B, about B's origin
        same, back = energy_and_wrench((R.T, -R.T @ r))
        assert same == pytest.approx(stored, abs=1e-7 * stored)
        assert R @ back[:3] == pytest.approx(-wrench[:3], abs=scale)
        assert R @ back[3:] + np.cross(r, R @ back[:3]) == pytest.approx(-wrench[3:], abs=scale)


def test_potential_of_the_crossings_is_continuous_where_minima_come_merge_and_go() -> None:
    rng = np.random.default_rng(3)
    steps, changes = 400, 0
    for _ in range(10):
        R, r = aslant(rng, 0.04, 4.0, depth=0.003)
        v, w = rng.uniform(-0.05, 0.05, 3) * [1.0, 1.0, 0.05], rng.uniform(-0.02, 0.02, 3) * [1.0, 1.0, 0.0]
        path = [(turn(s * w) @ R, r + s * v) for s in np.arange(steps) / steps]
        energy, wrench = (np.array(some) for some in zip(*map(energy_and_wrench, path), strict=True))
        every = np.array([found(at, bearing=False).gap[CROSSINGS].copy() for at in path])
        # B turns about its origin, the moment is about A's
        power = wrench[:, :3] @ v + wrench[:, 3:] @ w - [np.cross(w, at[1]) @ f for at, f in zip(path, wrench[:, :3])]
        lost = np.diff(energy) + 0.5 * (power[1:] + power[:-1]) / steps
        # beyond half of the tubes a run would have broken down long ago
        shallow = (every > -0.008).all(axis=1)
        shallow = shallow[1:] & shallow[:-1]
        # the trapezoidal rule, with a kink in the force where a share begins or ends
        assert np.abs(lost[shallow]).max(initial=0.0) < 5e-4 * energy.max() + 1e-4
        changes += (np.diff(np.isfinite(every).sum(axis=1)) != 0)[shallow].sum()
    assert changes > 3


@pytest.mark.parametrize(("lateral", "tilt_deg", "least"), [(0.03, 3.0, 300), (0.018, 1.2, 20)])
def test_faces_are_left_alone_only_where_no_crossing_has_a_share(lateral: float, tilt_deg: float, least: int) -> None:
    """The short way out against all of it: of poses near the limit, those without a share are those without rows."""
    rng = np.random.default_rng(4)
    bears = 0
    for _ in range(1000):
        at = aslant(rng, lateral, tilt_deg)
        bearing = np.isfinite(found(at, 0.01).gap[CROSSINGS])
        every = found(at, 0.01, bearing=False).gap[CROSSINGS]
        shares = np.where(np.isfinite(every), SWEEP[0].share, 0.0)
        assert (bearing == (shares > 0.0)).all()
        bears += bearing.any()
    assert least < bears < 950


@pytest.fixture(scope="module")
def crossing_runs() -> list[tuple[Placement, object, object]]:
    """Elastic rims without help from their faces, over all shares, at 0.1 m/s."""
    rng = np.random.default_rng(5)
    compiled = ring_pair(False, 0.9, 2e-4, ELASTIC | {"band": {"petals": STIFFNESS, "faces": 1.0}}, every=2e-3)
    runs = []
    for k in range(30):
        offset = rng.uniform(0.022, 0.05) if k % 2 else rng.uniform(0.05, 1.2)
        tilt = rng.uniform(0.0, 3.0) if k % 2 else rng.uniform(0.0, 40.0)
        case = Placement(offset, *rng.uniform(0.0, 360.0, 1), tilt, *rng.uniform(0.0, 360.0, 2))
        runs.append((case, *collide(compiled, case)))
    return runs


def test_elastic_rims_give_back_what_they_took(crossing_runs: list) -> None:
    hits = 0
    for case, log, state in crossing_runs:
        energy, _ = energies(log)
        exchanged = np.ptp(log.head["kinetic"])
        hits += state.contact[0].touches > 0
        # RK4 with steps of 0.2 ms, contacts of some 20 ms that begin and end within a step
        assert np.abs(energy - energy[0]).max() <= 1e-4 * exchanged + 1e-9 * energy[0], case
    assert hits > 22


def test_crossing_rims_conserve_momentum(crossing_runs: list) -> None:
    for _, log, _ in crossing_runs:
        h, p = momenta(log)
        assert worst(p, p[0]) < 1e-11 * np.linalg.norm(p[0])
        assert worst(h, h[0]) < 1e-10 * (np.linalg.norm(h[0]) + 2.4 * np.linalg.norm(p[0]))


@pytest.mark.parametrize("petals", [False, True], ids=["rings", "interfaces"])
def test_none_of_54_placements_passes(petals: bool) -> None:
    """Whole interfaces come from farther away, as their petals reach farther, and faster."""
    compiled = ring_pair(petals, 1.5, 5e-4, every=0.02, pair={"substeps": 3})
    for case in FIFTY_FOUR:
        if petals:
            case = Placement(case.offset, case.azimuth, case.tilt, ahead=0.17, speed=0.25)
        log, state = collide(compiled, case)
        assert state.clock[0].status == DONE
        assert state.contact[0].touches > 0, case
        # 0.1 m/s against 6.5e6 N/m, or two of them, goes 1.3 mm deep; one that passes is 20 mm deep, and
        # a row is logged every 2 or 5 mm
        assert ring_depth(log) < (4e-3 if petals else 2e-3), case
        energy, works = energies(log)
        exchanged = np.abs(log.head["work"]).sum(axis=1).max() + np.ptp(log.head["kinetic"])
        assert np.abs(energy - energy[0] - works).max() < 5e-4 * exchanged, case

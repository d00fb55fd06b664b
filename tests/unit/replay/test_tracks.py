"""What moves in the replay is what was logged; what was not logged agrees with what was."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from docksim.algebra.rotations import rotation_matrix
from docksim.config.schema.legs import HuntLeg
from docksim.model.contact import ARMED, ENGAGED, FAILED, LOST, OPENED
from docksim.replay.pair_tracks import Columns, shared
from docksim.replay.panels import between
from docksim.replay.scene import build_scene
from docksim.replay.sights import Point, Scene
from docksim.replay.tracks import Tracker, Tracks, contact_force, row_limit, rows_to_keep
from docksim.result.result import EventRecord, Result
from tests.unit.replay.runs import docking, legs, poor_docking, retracting


def columns_of(result: Result) -> dict[str, np.ndarray]:
    return {name: channel.data for name, channel in result.channels.items()}


def instants(result: Result) -> dict[str, np.ndarray]:
    """Without what was between the rows."""
    return {name: data for name, data in columns_of(result).items() if not name.endswith((".least", ".largest"))}


def followed(result: Result, columns: Columns | None = None) -> tuple[Scene, Tracks]:
    scene = build_scene(result.scenario)
    found = columns or columns_of(result)
    rows = np.arange(len(result.time_s))
    return scene, Tracker(scene).tracks(found, rows)


# ---------------------------------------------------------------- instants


def test_all_rows_are_kept_if_they_fit() -> None:
    time = np.linspace(0.0, 1.0, 50)
    assert np.array_equal(rows_to_keep(time, [], np.zeros(50), 50), np.arange(50))


def test_thinning_keeps_ends_events_and_peaks() -> None:
    time, force = np.linspace(0.0, 10.0, 1001), np.zeros(1001)
    force[377] = 5000.0
    events = [EventRecord(3.333, "a"), EventRecord(0.0, "b"), EventRecord(11.0, "late")]
    kept = set(rows_to_keep(time, events, force, 100).tolist())
    assert {0, 1000, 333, 334, 377} <= kept
    # one in eleven, three for the first event, one peak, the end
    assert len(kept) <= 92 + 5


def test_peak_of_every_stretch_of_a_long_contact_is_kept() -> None:
    rng = np.random.default_rng(1)
    force = rng.uniform(1.0, 2.0, 5000)
    kept = rows_to_keep(np.arange(5000.0), [], force, 500)
    for first in range(0, 5000, 10):
        assert first + int(np.argmax(force[first : first + 10])) in kept


def test_many_bodies_leave_room_for_fewer_rows() -> None:
    few, many = Scene(["a"] * 3), Scene(["a"] * 200)
    assert row_limit(few) == 4000
    # a row of 200 bodies has 5.6 kB
    assert 900 < row_limit(many) < 1100


# ---------------------------------------------------------------- poses


def test_anchor_and_positions_add_up_to_the_channels() -> None:
    result = docking()
    scene, tracks = followed(result)
    for k, name in enumerate(scene.names):
        whole = tracks.anchor + tracks.position[:, k]
        assert np.allclose(whole, result[f"{name}.position_m"], atol=1e-15)
        assert np.array_equal(tracks.attitude[:, k], result[f"{name}.attitude"])


def test_single_precision_keeps_a_micrometre_far_from_the_origin() -> None:
    result = docking()
    columns = columns_of(result)
    far = {f"{v}.position_m": columns[f"{v}.position_m"] + [7e6, -2e6, 1e5] for v in result.scenario.vehicles}
    _, near_tracks = followed(result)
    _, far_tracks = followed(result, columns | far)
    # double precision at 7000 km has steps of 1e-9 m, single precision would have half a metre
    assert np.abs(far_tracks.position.astype(np.float32) - near_tracks.position).max() < 1e-6


# ---------------------------------------------------------------- legs


def world(scene: Scene, tracks: Tracks, point: Point) -> np.ndarray:
    own = tracks.points[:, point.track] if point.track >= 0 else np.tile(point.position, (len(tracks.time), 1))
    turn = rotation_matrix(tracks.attitude[:, point.body])
    return tracks.position[:, point.body] + np.einsum("nij,nj->ni", turn, own)


@pytest.mark.parametrize("make", [legs, retracting])
def test_links_keep_their_lengths_all_the_way(make: Any) -> None:
    result = make()
    scene, tracks = followed(result)
    (mechanism,) = scene.legs
    moved = False
    for k, leg in enumerate(mechanism.part.legs):
        first, second = scene.links[2 * k : 2 * k + 2]
        hunt = isinstance(leg, HuntLeg)
        base, ring = (world(scene, tracks, point) for point in (first.start, second.end if hunt else first.end))
        if isinstance(leg, HuntLeg):
            elbow = world(scene, tracks, first.end)
            # the elbow comes from the logged angle; that it meets the rod is not put in
            assert np.allclose(np.linalg.norm(elbow - base, axis=1), leg.crank_m, atol=1e-9)
            assert np.allclose(np.linalg.norm(ring - elbow, axis=1), leg.rod_m, atol=1e-9)
        else:
            # nor is the logged stroke used at all
            length = result[f"satellite.legs.{k + 1}.travel_m"] + leg.lower_length_m + leg.upper_arm_m
            assert np.allclose(np.linalg.norm(ring - base, axis=1), length, atol=1e-9)
            moved = moved or float(np.ptp(length)) > 1e-3
    assert moved


# ---------------------------------------------------------------- contact


def test_arrows_and_latches_add_up_to_the_logged_load() -> None:
    result = docking()
    scene, tracks = followed(result, instants(result))
    total = np.zeros((len(tracks.time), 3))
    np.add.at(total, tracks.touch_row, tracks.touch[:, 3:])
    load = result["dock.load_force_N"]
    assert np.abs(load).max() > 100.0
    # latches pull the second port back, along the axis of the first
    total[:, 0] -= tracks.pull.sum(axis=1)
    assert np.allclose(total, load, atol=1e-6 * np.abs(load).max())
    assert len(scene.latches) == tracks.pull.shape[1] == 3


def test_moment_of_the_arrows_is_the_logged_one() -> None:
    result = docking()
    _, tracks = followed(result, instants(result))
    silent = np.all(tracks.pull == 0.0, axis=1)
    forces, moments = np.zeros((2, len(tracks.time), 3))
    np.add.at(forces, tracks.touch_row, tracks.touch[:, 3:])
    np.add.at(moments, tracks.touch_row, np.cross(tracks.touch[:, :3], tracks.touch[:, 3:]))
    # the logged moment is about the second port, on the axes of the first
    turn = Rotation.from_euler("ZYX", result["dock.misalignment_deg"][:, ::-1], degrees=True)
    found = moments - np.cross(turn.apply(-result["dock.position_m"], inverse=True), forces)
    logged = result["dock.load_moment_Nm"]
    rows = silent & (np.abs(forces).max(axis=1) > 1.0)
    assert rows.sum() > 3
    assert np.allclose(found[rows], logged[rows], atol=1e-6 * np.abs(logged).max())


def test_shares_of_a_group_are_the_forces_of_its_features() -> None:
    result = docking()
    columns = instants(result)
    unlogged = {name: data for name, data in columns.items() if ".rows." not in name}
    exact, guessed = followed(result, columns)[1], followed(result, unlogged)[1]
    assert len(exact.touch) == len(guessed.touch) > 10
    # without damping a feature's force is its stiffness times its penetration
    assert np.allclose(guessed.touch, exact.touch, atol=1e-6 * np.abs(exact.touch).max())


def test_shares_add_up_and_nothing_pulls() -> None:
    gap, groups = np.array([-1e-3, -3e-3, 2e-3, np.inf, -1e-3]), np.array([0, 0, 0, 1, 2])
    depth = np.maximum(-gap, 0.0)
    assert shared(depth, gap, groups, [400.0, 50.0, 0.0, 0.0]) == pytest.approx([100.0, 300.0, 0.0, 0.0, 0.0])
    # what has parted again since the row before: the nearest
    parted = np.array([2e-3, 1e-3, 5e-3])
    assert shared(np.zeros(3), parted, np.array([0, 0, 1]), [70.0, 0.0]) == pytest.approx([0.0, 70.0, 0.0])


def test_as_many_latches_hold_as_were_logged_and_those_that_pull_do() -> None:
    result = docking()
    _, tracks = followed(result)
    bits = np.unpackbits(tracks.latched.astype(np.uint8), axis=1, bitorder="little")[:, :3].astype(bool)
    counts = result["dock.latches_engaged"]
    assert counts.max() == 3
    assert np.array_equal(bits.sum(axis=1), counts)
    assert not np.any((tracks.pull > 0.0) & ~bits)


def test_latches_that_failed_or_come_late_are_shown_so() -> None:
    result = poor_docking()
    scene, tracks = followed(result)
    assert [latch.failed for latch in scene.latches] == [False, True, False]
    held = tracks.latched[:, 0].tolist()
    # the first; none, since both are opened when the third comes; armed again, the first, and the third later
    assert [bits for bits, _ in groupby(held)] == [0b000, 0b001, 0b000, 0b001, 0b101]


def test_latches_that_let_go_are_shown_so() -> None:
    result = docking()
    _, tracks = followed(result)
    modes = np.stack([result[f"dock.latches.{k}.mode"] for k in (1, 2, 3)])
    assert np.array_equal(tracks.lost[:, 0], ((modes == LOST) * [[1], [2], [4]]).sum(axis=0))
    assert tracks.lost[-1, 0] == 0b111
    assert not np.any(tracks.latched & tracks.lost)
    assert not np.any(followed(poor_docking())[1].lost)


def test_modes_of_all_latches_are_logged_one_by_one() -> None:
    result = poor_docking()
    modes = np.stack([result[f"dock.latches.{k}.mode"] for k in (1, 2, 3)])
    courses = [[mode for mode, _ in groupby(row.tolist())] for row in modes]
    assert courses == [[ARMED, ENGAGED, OPENED, ARMED, ENGAGED], [FAILED], [ARMED, OPENED, ARMED, ENGAGED]]
    assert np.array_equal((modes == ENGAGED).sum(axis=0), result["dock.latches_engaged"])
    labels = result.channels["dock.latches.1.mode"].labels
    modes = (ARMED, ENGAGED, OPENED, FAILED, LOST)
    assert [labels[mode] for mode in modes] == ["armed", "engaged", "opened", "failed", "lost"]


def test_blocks_one_after_the_other_give_the_same_tracks() -> None:
    result = docking()
    scene, whole = followed(result)
    columns, tracker, bits = columns_of(result), Tracker(scene), []
    for rows in np.array_split(np.arange(len(result.time_s)), 7):
        bits.append(tracker.tracks(columns, rows).latched)
    assert np.array_equal(np.concatenate(bits), whole.latched)


def test_contact_force_is_the_sum_over_pairs() -> None:
    result = docking()
    scene = build_scene(result.scenario)
    columns = columns_of(result)
    largest = contact_force(scene, columns, len(result.time_s))
    assert np.all(largest >= (1.0 - 1e-12) * result["dock.normal_force_N"])
    assert largest.max() >= max(result.metrics[f"dock.peak_{group}_force_N"] for group in ("petals", "faces"))
    plain = contact_force(scene, instants(result), len(result.time_s))
    assert np.allclose(plain, result["dock.normal_force_N"], rtol=1e-12)


def test_extremes_of_rows_that_are_left_out_belong_to_the_next_that_is_shown() -> None:
    largest = np.array([0.0, 3.0, 1.0, 9.0, 2.0, 5.0, 1.0])
    assert between(largest, np.array([0, 2, 4, 6]), np.maximum).tolist() == [0.0, 3.0, 9.0, 5.0]
    # a block that goes on where another ended stands for itself
    assert between(largest, np.array([4, 5]), np.maximum).tolist() == [2.0, 5.0]

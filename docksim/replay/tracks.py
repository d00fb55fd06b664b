"""From the channels of a run to what moves in the replay: poses, elbows, latches, contact forces, at chosen instants.

Which instants: all logged rows if they fit, else every k-th, and always the first, the last, the rows on both sides of
every event, and in each stretch between kept rows the one with the largest contact force, its extremes between rows
counted; so neither an event nor a peak is lost. Between instants the page interpolates.

Positions are kept against one vehicle, the anchor, before they are rounded to single precision, so that a docking far
from W's origin stays sharp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docksim.algebra.rotations import rotation_matrix
from docksim.drawing.mechanism import place_legs
from docksim.model.contact import GROUP_NAMES, LATCHES
from docksim.replay.pair_tracks import Columns, PairTracker
from docksim.replay.sights import LegSet, Link, Scene
from docksim.result.result import LARGEST, EventRecord

MOST_ROWS = 4000
MOST_BYTES = 6_000_000  # of poses, before they are written as text


@dataclass(frozen=True, eq=False)
class Tracks:
    """n instants."""

    time: np.ndarray  # (n,)
    anchor: np.ndarray  # (n, 3) position of the anchor in W
    position: np.ndarray  # (n, bodies, 3) from the anchor, W axes
    attitude: np.ndarray  # (n, bodies, 4) w x y z, body to W
    points: np.ndarray  # (n, moving points, 3) in the frame of the body that carries each
    latched: np.ndarray  # (n, pairs) bit k: latch k holds
    lost: np.ndarray  # (n, pairs) bit k: latch k has let go
    touch_row: np.ndarray  # (m,) instant of every touch, by number
    touch_pair: np.ndarray  # (m,)
    touch: np.ndarray  # (m, 6) place and force on the second port, axes of the first port
    pull: np.ndarray  # (n, latches of the scene) force of each latch, positive when it holds
    phase: np.ndarray  # (n,) code


def rows_to_keep(
    time: np.ndarray, events: Sequence[EventRecord], force: np.ndarray, most: int = MOST_ROWS
) -> np.ndarray:
    """Indices of the instants shown; see the module's text."""
    n = len(time)
    stride = stride_of(n, most)
    keep = set(range(0, n, stride)) | {n - 1}
    if stride > 1:
        for event in events:
            after = int(np.searchsorted(time, event.time_s))
            keep |= {max(after - 1, 0), min(after, n - 1)}
        for first in range(0, n, stride):
            block = force[first : first + stride]
            if block.max(initial=0.0) > 0.0:
                keep.add(first + int(np.argmax(block)))
    return np.array(sorted(keep))


def stride_of(rows: int, most: int) -> int:
    """One in how many rows is kept, events and peaks aside."""
    return max(1, -(-rows // max(most, 2)))


def row_limit(scene: Scene) -> int:
    """How many rows the bodies leave room for."""
    each = 28 * len(scene.names) + 12 * scene.moving_points + 100
    return int(min(MOST_ROWS, max(400, MOST_BYTES // each)))


def contact_force(scene: Scene, columns: Columns, rows: int) -> np.ndarray:
    """(rows,) sum of the normal forces of all pairs, the largest of each group since the row before."""
    names = [f"{pair.name}.{group}_force_N" for pair in scene.pairs for group in GROUP_NAMES[:LATCHES]]
    forces = [columns.get(name + LARGEST, columns.get(name)) for name in names]
    return np.sum([np.zeros(rows), *(force for force in forces if force is not None)], axis=0)


class Tracker:
    """Turns rows of a run into tracks, block by block."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        focus = scene.focus[1].body - 1 if scene.focus else 0
        self.anchor = scene.names.index(scene.names[focus].split(".")[0])
        sides = zip(scene.pairs, scene.pair_markers, strict=True)
        self._pairs = [PairTracker(part, [(scene.names[m.body - 1], m.place) for m in pair]) for part, pair in sides]

    def tracks(self, columns: Columns, rows: np.ndarray) -> Tracks:
        """Of these rows."""
        names = self.scene.names
        place = np.stack([columns[f"{name}.position_m"][rows] for name in names], axis=1)
        turn = np.stack([columns[f"{name}.attitude"][rows] for name in names], axis=1)
        anchor = place[:, self.anchor].copy()
        latched, lost = np.zeros((2, len(rows), len(self._pairs)), np.uint16)
        touches: list[tuple[float, ...]] = []
        for i, pair in enumerate(self._pairs):
            latched[:, i], lost[:, i] = pair.latches(columns, rows)
            touches += [(n, i, *values) for n, *values in pair.touches(columns, rows)]
        table = np.array(sorted(touches), float).reshape(-1, 8)
        return Tracks(
            columns["time_s"][rows],
            anchor,
            place - anchor[:, None],
            turn,
            self._points(columns, rows),
            latched,
            lost,
            table[:, 0].astype(np.uint32),
            table[:, 1].astype(np.uint32),
            table[:, 2:],
            self._pulls(columns, rows),
            columns["phase"][rows] if "phase" in columns else np.zeros(len(rows), int),
        )

    # legs

    def _points(self, columns: Columns, rows: np.ndarray) -> np.ndarray:
        points = np.zeros((len(rows), self.scene.moving_points, 3))
        for legs in self.scene.legs:
            if any(link.start.track >= 0 or link.end.track >= 0 for link in self._links(legs)):
                self._fill(points, legs, columns, rows)
        return points

    def _links(self, legs: LegSet) -> list[Link]:
        return self.scene.links[legs.first_link : legs.first_link + 2 * len(legs.part.legs)]

    def _fill(self, out: np.ndarray, legs: LegSet, columns: Columns, rows: np.ndarray) -> None:
        """Base joints that are retracted, and elbows, in the frame of the body that carries the mechanism."""
        base, ring = (self.scene.names[body] for body in (legs.base_body, legs.part.body - 1))
        R_0, R_C = (rotation_matrix(columns[f"{name}.attitude"][rows]) for name in (base, ring))
        R_B = R_0 @ legs.place.axes
        origin = columns[f"{base}.position_m"][rows] + R_0 @ np.asarray(legs.place.position)
        to_B = np.swapaxes(R_B, 1, 2)
        position = np.einsum("nij,nj->ni", to_B, columns[f"{ring}.position_m"][rows] - origin)
        vehicle = legs.part.vehicle
        driven = np.zeros((len(rows), len(legs.part.legs)))
        for k in range(driven.shape[1]):
            angle = columns.get(f"{vehicle}.legs.{k + 1}.angle_deg")
            driven[:, k] = 0.0 if angle is None else np.radians(angle[rows])
        names = [f"{vehicle}.legs.{k + 1}.base_joint_m" for k in range(driven.shape[1])]
        bases = [columns[name][rows] for name in names] if names[0] in columns else None
        placed = place_legs(legs.part.legs, position, to_B @ R_C, driven, bases)
        for k, link in enumerate(self._links(legs)[::2]):
            for point, where in ((link.start, placed.base_joints), (link.end, placed.first_ends)):
                if point.track >= 0:
                    out[:, point.track] = np.asarray(legs.place.position) + where[:, k] @ legs.place.axes.T

    # latches

    def _pulls(self, columns: Columns, rows: np.ndarray) -> np.ndarray:
        out = np.zeros((len(rows), len(self.scene.latches)))
        for k, latch in enumerate(self.scene.latches):
            name = f"{self.scene.pairs[latch.pair].name}.latch_{latch.number + 1}_force_N"
            out[:, k] = columns[name][rows] if name in columns else 0.0
        return out

"""Two interfaces over a run: which latches hold, where they touch, and with what force.

Where two interfaces touch is not logged; it is worked out from the logged poses, by the gap functions of the contact
itself. If the forces of single features are not logged (outputs.contact_rows), the logged sum of each group (petals,
edges, faces, spheres) is shared among its touching features as their penetrations. These are normal forces; friction is
not shown. Of a group it is the largest sum since the row before: an impact is shorter than what lies between. If
nothing of the group touches any more, the feature that is nearest bears it all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.contact import INTERFACE_AXES, PairPart
from docksim.compiler.parts import Place
from docksim.model.contact import ENGAGED, GROUP_NAMES, LATCHES, LOST
from docksim.result.result import LARGEST
from docksim.simulation.channels.contact import TO_PORT
from docksim.simulation.mating import Mating

NEARBY = 0.02  # how far two features may have come apart since they touched [m]
Columns = Mapping[str, np.ndarray]
Touch = tuple[float, ...]  # instant by number, place and force on the second port, axes of the first


class PairTracker:
    """One pair."""

    def __init__(self, part: PairPart, ports: Sequence[tuple[str, Place]]) -> None:
        """`ports`: the body of each, and where it is on it."""
        self.part, self.ports = part, ports
        self._mating = Mating(*part.interfaces)
        self._groups = np.array([row.group for row in self._mating.rows])

    def latches(self, columns: Columns, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Bits of the latches that hold, and of those that are lost, (rows,) each."""
        held, lost = np.zeros((2, len(rows)), np.uint16)
        for k in range(self.part.latches[0].count if self.part.latches is not None else 0):
            mode = columns.get(f"{self.part.name}.latches.{k + 1}.mode")
            if mode is not None:
                held |= np.where(mode[rows] == ENGAGED, 1 << k, 0).astype(np.uint16)
                lost |= np.where(mode[rows] == LOST, 1 << k, 0).astype(np.uint16)
        return held, lost

    def touches(self, columns: Columns, rows: np.ndarray) -> list[Touch]:
        """Place and force of all that touches."""
        R, r = self.poses(columns, rows)
        # (rows, groups) largest sum of each group's normal forces since the row before; latches aside
        names = [f"{self.part.name}.{group}_force_N" for group in GROUP_NAMES[:LATCHES]]
        none = np.zeros(int(rows.max(initial=-1)) + 1)
        sums = np.stack([columns.get(name + LARGEST, columns.get(name, none))[rows] for name in names], axis=1)
        touching = np.flatnonzero((sums > 0.0).any(axis=1)).tolist()
        return [(float(n), *own) for n in touching for own in self._touches(columns, rows[n], R[n], r[n], sums[n])]

    def poses(self, columns: Columns, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Axes (n, 3, 3) and origin (n, 3) of the second port in the first, interface axes."""
        frames = []
        for name, place in self.ports:
            R = rotation_matrix(columns[f"{name}.attitude"][rows])
            origin = columns[f"{name}.position_m"][rows] + R @ np.asarray(place.position)
            frames.append((R @ place.axes @ INTERFACE_AXES, origin))
        (R_A, x_A), (R_B, x_B) = frames
        to_A = np.swapaxes(R_A, 1, 2)
        return to_A @ R_B, np.einsum("nij,nj->ni", to_A, x_B - x_A)

    def _touches(self, columns: Columns, row: int, R: np.ndarray, r: np.ndarray, sums: np.ndarray) -> Iterator[Touch]:
        """Place and force of every feature pair that overlaps, or did since the row before."""
        name = self.part.name
        gaps = self._mating.rows_at(R, r, 0.0, bearing=True)
        logged = [f"{name}.rows.{feature.replace(' ', '_')}.force_N" for feature in self.part.row_names]
        weights = np.where(gaps.gap < 0.0, -gaps.gap, 0.0)
        if logged[0] in columns:
            weights = np.array([columns[channel][row] for channel in logged])
            own = np.array([weights[self._groups == group].sum() for group in range(LATCHES)])
            sums = np.where(own > 0.0, own, sums)
        if any(total > 0.0 and not weights[self._groups == group].any() for group, total in enumerate(sums)):
            # a group that has parted again
            gaps = self._mating.rows_at(R, r, NEARBY, bearing=True)
        forces = shared(weights, gaps.gap, self._groups, sums)
        for k in np.flatnonzero((forces > 0.0) & np.isfinite(gaps.gap)):
            yield (*gaps.point[k][TO_PORT], *(forces[k] * gaps.normal[k][TO_PORT]))


def shared(weights: np.ndarray, gap: np.ndarray, groups: np.ndarray, sums: Sequence[float] | np.ndarray) -> np.ndarray:
    """(rows,) normal forces: the sum of each group, shared among its rows as their weights; without any, the nearest
    bears it."""
    forces = np.zeros(len(gap))
    for number, total in enumerate(sums):
        own = np.where(groups == number, weights, 0.0)
        near = np.where(groups == number, gap, np.inf)
        if own.sum() > 0.0:
            forces += total * own / own.sum()
        elif len(near) and np.isfinite(near.min()):
            forces[np.argmin(near)] += total
    return forces

"""Gaps between docking interfaces without a run: mated, on the way in, and at the start of a scenario."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from docksim.algebra.elementary import hypot
from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.approach import Placement, starts
from docksim.compiler.contact import pair_parts
from docksim.compiler.interface_shapes import GapRow, InterfaceShape, contact_tables, gap_rows, shape_of
from docksim.config.schema.interface import Interface
from docksim.config.schema.placement import Frame, inverse, port_frame, within
from docksim.config.schema.scenario import Scenario
from docksim.kernel.contact.interface_gaps import interface_gaps
from docksim.model.contact import EDGES, FACES, GAP, PETALS, PINS, SPHERES, SWEEP, ContactTables

FACING = np.diag([-1.0, 1.0, -1.0])  # interface axes: half a turn about y, which is z of the port
MARGIN = 1.0
# a seated face is at gap 0, give or take rounding
SEATED = 1e-9
# deeper than this is an overlap [m]
DEPTH = 1e-6
# what meets in each group
MEETINGS = {
    PETALS: "petal on rim",
    EDGES: "petal on petal",
    FACES: "face on face",
    SPHERES: "spheres",
    PINS: "pin in hole",
}
# port axes x, y, z are z, x, y of the interface
TO_INTERFACE = [1, 2, 0]


@lru_cache(maxsize=16)
def _tables(first: InterfaceShape, second: InterfaceShape) -> tuple[ContactTables, list[GapRow]]:
    """Only read; a study asks for the same ones in every case."""
    return contact_tables((first, second)), gap_rows((first, second))


class Mating:
    """Two interfaces, or one and its equal."""

    def __init__(self, interface: Interface, other: Interface | None = None) -> None:
        self.tables, self.rows = _tables(shape_of(interface), shape_of(other or interface))

    def gaps_at(self, R: np.ndarray, r: np.ndarray, bearing: bool = False) -> dict[str, float]:
        """Gap of every pair of features that is within a metre, by name; pose of the second, interface axes.

        Of `bearing` ones only: without rims where the faces stand for them.
        """
        gaps = self.rows_at(R, r, MARGIN, bearing).gap.tolist()
        return {row.name: gap for row, gap in zip(self.rows, gaps, strict=True) if math.isfinite(gap)}

    def rows_at(self, R: np.ndarray, r: np.ndarray, margin: float, bearing: bool = False) -> np.recarray:
        """GAP of every pair of features, with point and normal where it is within the margin."""
        rows, sweep = (np.zeros(n, dtype).view(np.recarray) for n, dtype in ((len(self.rows), GAP), (1, SWEEP)))
        rows["gap"] = np.inf
        turn, shift = tuple(map(float, R.ravel())), tuple(map(float, r))
        interface_gaps(self.tables, 0, 1, turn, shift, margin, sweep[0], rows, bearing)
        return rows

    def least_gap(self, R: np.ndarray, r: np.ndarray) -> float:
        """Of those that bear, however far apart the two are; inf if nothing of them can meet."""
        return float(self.rows_at(R, r, hypot(*r.tolist()) + self.reach(0) + self.reach(1), bearing=True).gap.min())

    def reach(self, k: int) -> float:
        """Radius of a sphere about the origin that holds all of the first (0) or the second (1)."""
        return float(self.tables.interface[k].reach)

    def gaps(self, distance: float, lateral: tuple[float, float] = (0.0, 0.0)) -> dict[str, float]:
        """The same of two that face each other; `lateral` along the port's y and z [m]."""
        return self.gaps_at(FACING, np.array([lateral[0], lateral[1], distance]))

    def clearances(self) -> dict[str, float]:
        """Least gap of each group of features when mated, by what meets in it."""
        least: dict[str, float] = {}
        gaps = self.gaps(0.0)
        for row in self.rows:
            if row.name in gaps:
                meeting = MEETINGS[row.group] if row.crossing < 0 else "rim on rim"
                least[meeting] = min(gaps[row.name], least.get(meeting, np.inf))
        return least

    def first_touch(self, lateral: tuple[float, float], farthest: float = 1.0) -> float:
        """Axial distance of the ports at which something first touches, coming in along the axis; 0 when seated.

        Marched in steps of 2 mm, then halved: contact is never at a fixed distance.
        """
        steps = np.arange(farthest, 0.0, -0.002)
        near = next((d for d in steps if self._touches(d, lateral)), 0.0)
        if near == 0.0:
            return 0.0
        far = near + 0.002
        for _ in range(30):
            middle = 0.5 * (near + far)
            near, far = (middle, far) if self._touches(middle, lateral) else (near, middle)
        return float(0.5 * (near + far))

    def _touches(self, distance: float, lateral: tuple[float, float]) -> bool:
        return min(self.gaps(distance, lateral).values(), default=np.inf) < SEATED


def overlaps(scenario: Scenario, placement: Placement | None = None) -> dict[str, str]:
    """What is wrong with pairs whose interfaces overlap at the start, by the pair's name."""
    wrong = {}
    begun = starts(scenario, placement)
    for part in pair_parts(scenario):
        ports, mating = part.pair.ports, Mating(*part.interfaces)
        owners = [(begun[name], port) for name, _, port in (reference.partition(".") for reference in ports)]
        first, second = (within(own.base, port_frame(own.vehicle, port)) for own, port in owners)
        gaps = mating.gaps_at(*relative_pose(first, second), bearing=True)
        name = min(gaps, key=gaps.__getitem__, default="")
        if name and gaps[name] < -DEPTH:
            features = f"{name} (A: {ports[0]}, B: {ports[1]})"
            wrong[part.name] = f"the interfaces overlap at the start, by {-1e3 * gaps[name]:.3g} mm: {features}"
    return wrong


def relative_pose(first: Frame, second: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Axes and origin of the second port in the first, both on interface axes."""
    origin, turn = within(inverse(first), second)
    return rotation_matrix(turn)[np.ix_(TO_INTERFACE, TO_INTERFACE)], np.array(origin)[TO_INTERFACE]

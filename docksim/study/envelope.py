"""The boundary of success in two keys, by refining a coarse grid where success changes.

The two axes of a study's `grid` are the coarse grid. A cell that holds points of both kinds on its edge is split in
four, again and again; the work grows with the length of the boundary, not with the area. Every point on the boundary is
known to half the finest cell. Limit: an island, or a channel, that slips between the points of the coarse grid is not
seen; the coarse grid says how small it may be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docksim.config.errors import ScenarioError
from docksim.result.result import ResultError
from docksim.study.plan import Plan
from docksim.study.runner import Report, Stop, Stopped, Workers, crew_of
from docksim.study.session import FREE_KEYS, session
from docksim.study.store import Store, save_json

FILE = "envelope.sqlite"
MOST_LEVELS = 12
Node = tuple[int, int]
Point = tuple[float, float]
Judge = Callable[[list[Node]], list[bool]]


@dataclass(frozen=True)
class Cell:
    """A square of the refined grid: its lower corner and its size, counted in finest cells."""

    i: int
    j: int
    size: int

    def corners(self) -> list[Node]:
        far_i, far_j = self.i + self.size, self.j + self.size
        return [(self.i, self.j), (far_i, self.j), (far_i, far_j), (self.i, far_j)]

    def edge(self) -> Iterable[Node]:
        """All points of the finest grid on the edge."""
        for k in range(self.size + 1):
            yield from ((self.i + k, self.j), (self.i + k, self.j + self.size))
            yield from ((self.i, self.j + k), (self.i + self.size, self.j + k))

    def quarters(self) -> list[Cell]:
        half = self.size // 2
        return [Cell(self.i + a, self.j + b, half) for a in (0, half) for b in (0, half)]


@dataclass(frozen=True)
class Envelope:
    """What is known of success over two keys; `segments` are the pieces of the boundary, in the keys' units."""

    keys: tuple[str, str]
    axes: tuple[list[float], list[float]]  # the coarse grid
    levels: int
    known: dict[Node, bool]
    cells: list[Cell]

    def value(self, node: Node) -> Point:
        x, y = (_between(axis, index, 2**self.levels) for axis, index in zip(self.axes, node, strict=True))
        return x, y

    def mixed(self, cell: Cell) -> bool:
        return len({self.known[node] for node in cell.edge() if node in self.known}) > 1

    @property
    def segments(self) -> list[tuple[Point, Point]]:
        """Across every finest cell that the boundary crosses, from the middle of an edge to the middle of another."""
        return [piece for cell in self.cells if self.mixed(cell) for piece in self._pieces(cell)]

    def _pieces(self, cell: Cell) -> list[tuple[Point, Point]]:
        corners = cell.corners()
        crossed = []
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            if self.known[a] != self.known[b]:
                (xa, ya), (xb, yb) = self.value(a), self.value(b)
                crossed.append((0.5 * (xa + xb), 0.5 * (ya + yb)))
        return [(crossed[k], crossed[k + 1]) for k in range(0, len(crossed) - 1, 2)]

    def share(self) -> tuple[float, float]:
        """The least and the largest share of the area that can be successful."""
        least = most = total = 0.0
        for cell in self.cells:
            (x0, y0), (x1, y1) = self.value((cell.i, cell.j)), self.value((cell.i + cell.size, cell.j + cell.size))
            area = abs((x1 - x0) * (y1 - y0))
            total += area
            if self.mixed(cell):
                most += area
            elif self.known[(cell.i, cell.j)]:
                least += area
                most += area
        return least / total, most / total

    def as_dict(self) -> dict[str, Any]:
        points = [[*self.value(node), success] for node, success in sorted(self.known.items())]
        least, most = self.share()
        return {
            "keys": list(self.keys),
            "levels": self.levels,
            "cases": len(self.known),
            "successful_share": [least, most],
            "points": points,
            "boundary": self.segments,
        }

    def save(self, file: Path) -> None:
        """All or nothing."""
        save_json(file, self.as_dict())


def _between(axis: Sequence[float], index: int, fine: int) -> float:
    """The value at a finest index, linear between the coarse ones, and exactly theirs where they are."""
    k, rest = divmod(index, fine)
    return axis[k] if rest == 0 else axis[k] + (axis[k + 1] - axis[k]) * (rest / fine)


def trace(keys: tuple[str, str], axes: tuple[list[float], list[float]], levels: int, judge: Judge) -> Envelope:
    """Refine until the boundary is known to the finest cell. `judge` tells success at points of the finest grid."""
    size = 2**levels
    cells = [Cell(size * i, size * j, size) for i in range(len(axes[0]) - 1) for j in range(len(axes[1]) - 1)]
    traced = Envelope(keys, axes, levels, {}, cells)
    while True:
        new = sorted({node for cell in traced.cells for node in cell.corners()} - set(traced.known))
        traced.known.update(zip(new, judge(new), strict=True))
        coarse = [cell for cell in traced.cells if cell.size > 1 and traced.mixed(cell)]
        if not coarse:
            return traced
        kept = [cell for cell in traced.cells if cell not in set(coarse)]
        fine = [quarter for cell in coarse for quarter in cell.quarters()]
        traced = Envelope(keys, axes, levels, traced.known, kept + fine)


def trace_study(
    plan: Plan,
    levels: int,
    out: Path = Path("results"),
    workers: Workers | None = None,
    resume: bool = False,
    stop: Stop | None = None,
    begun: Callable[[Store], None] | None = None,
    report: Report | None = None,
) -> Envelope | None:
    """The envelope of a study whose grid has two axes of numbers; None if `stop()` came before it was known.

    Every point is a row of OUT/<study>/envelope.sqlite as soon as it is known, and is not run again, with `resume`, for
    this or any other number of levels. `begun` and `report` are those of run_study.
    """
    x, y = _axes(plan)
    if not 0 <= levels <= MOST_LEVELS:
        raise ResultError(f"{levels} levels: between 0 and {MOST_LEVELS} are possible")
    keys = (plan.study.grid[0].key, plan.study.grid[1].key)
    frame = Envelope(keys, (x, y), levels, {}, [])
    fine = 2 ** (MOST_LEVELS - levels)
    width = 2**MOST_LEVELS * (len(y) - 1) + 1

    def number(node: Node) -> int:
        """The case of a point: its place in the finest grid there can be, so that it is the same for all levels."""
        return fine * node[0] * width + fine * node[1] + 1

    free = (*FREE_KEYS, "metrics")
    workers = workers or Workers()
    file = out / plan.study.name / FILE
    with session(plan, file, workers, resume, free, "search for an envelope") as store:
        if begun:
            begun(store)
        known = store.verdicts()
        with crew_of(plan, store, workers, stop, report) as crew:

            def judge(nodes: list[Node]) -> list[bool]:
                crew.finish((number(node), frame.value(node)) for node in nodes if number(node) not in known)
                known.update(store.verdicts())
                return [known[number(node)] for node in nodes]

            try:
                return trace(frame.keys, frame.axes, levels, judge)
            except Stopped:
                return None


def _axes(plan: Plan) -> tuple[list[float], list[float]]:
    axes = plan.study.grid
    if len(axes) != 2 or any(len(axis.values) < 2 for axis in axes):
        text = "an envelope needs a grid of two axes, each with two values or more"
        raise ScenarioError([plan.loaded.problem(("grid",), text)])
    if not all(isinstance(value, (int, float)) for axis in axes for value in axis.values):
        raise ScenarioError([plan.loaded.problem(("grid",), "an envelope needs axes of numbers")])
    x, y = ([float(value) for value in axis.values] for axis in axes)
    return x, y

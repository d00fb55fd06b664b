"""The envelope against dense grids and against shapes whose area is known."""

import json
import math
from pathlib import Path

import pytest

from docksim.config import ScenarioError
from docksim.study.case import run_values
from docksim.study.envelope import Envelope, Node, trace, trace_study
from tests.studies import HALF_DEG_S, brick_plan

AXIS = [i / 4 - 1.0 for i in range(9)]
LEVELS = 4
RADIUS = 0.71


def inside(x: float, y: float) -> bool:
    """A tilted ellipse with a bite taken out of it."""
    u, v = 0.8 * x + 0.6 * y, 0.8 * y - 0.6 * x
    return (u / RADIUS) ** 2 + (v / 0.5) ** 2 <= 1.0 and math.hypot(x - 0.5, y - 0.3) > 0.3


def traced(shape=inside) -> tuple[Envelope, list[Node]]:
    asked: list[Node] = []
    frame = Envelope(("x", "y"), (AXIS, AXIS), LEVELS, {}, [])

    def judge(nodes: list[Node]) -> list[bool]:
        asked.extend(nodes)
        return [shape(*frame.value(node)) for node in nodes]

    return trace(("x", "y"), (AXIS, AXIS), LEVELS, judge), asked


def test_envelope_says_the_same_as_a_dense_grid_with_a_fraction_of_the_cases() -> None:
    found, asked = traced()
    for cell in found.cells:
        if not found.mixed(cell):
            for i in range(cell.i, cell.i + cell.size + 1):
                for j in range(cell.j, cell.j + cell.size + 1):
                    assert inside(*found.value((i, j))) == found.known[(cell.i, cell.j)]
    dense = (8 * 2**LEVELS + 1) ** 2
    assert len(asked) == len(set(asked)) == len(found.known) < 0.12 * dense


def test_boundary_lies_within_half_a_finest_cell_of_the_true_one() -> None:
    def disc(x: float, y: float) -> bool:
        return math.hypot(x, y) <= RADIUS

    found, _ = traced(disc)
    cell = 0.25 / 2**LEVELS
    ends = [point for piece in found.segments for point in piece]
    # an end is the middle of an edge that the circle crosses, so at most half an edge away from it
    assert max(abs(math.hypot(*point) - RADIUS) for point in ends) <= 0.5 * cell
    # and it closes: every end belongs to two pieces
    assert all(ends.count(point) == 2 for point in ends)
    least, most = found.share()
    assert least < math.pi * RADIUS**2 / 4 < most
    assert most - least == pytest.approx(len(found.segments) * cell**2 / 4)


def test_envelope_without_a_boundary_needs_the_coarse_grid_only() -> None:
    found, asked = traced(lambda x, y: True)
    assert (len(asked), found.segments, found.share()) == (81, [], (1.0, 1.0))


def test_envelope_of_a_study_is_the_boundary_of_its_cases(tmp_path: Path) -> None:
    # the largest rate of a brick turning about x and y: success inside a circle, but for the coupling of the axes
    axes = [
        {"key": "brick.rate_deg_s.0", "values": {"from": 0.0, "to": 40.0, "count": 3}},
        {"key": "brick.rate_deg_s.1", "values": {"from": 0.0, "to": 40.0, "count": 3}},
    ]
    success = [{"metric": "brick.rate_deg_s.peak", "below": HALF_DEG_S}]
    changes = {"solver.duration_s": 0.05, "solver.step_s": 0.01, "brick.rate_deg_s.2": 0.0}
    plan = brick_plan(tmp_path, dispersions=None, cases=None, grid=axes, success=success, set=changes)
    found = trace_study(plan, 3)
    for (i, j), verdict in found.known.items():
        row = run_values(plan, 0, (i * 2.5, j * 2.5), [])
        assert row is not None
        assert row.success == verdict
    for a, b in found.segments:
        for point in (a, b):
            # half an edge of 2.5 deg/s, and a rate that grows by less than 0.2 deg/s in 0.05 s
            assert abs(math.hypot(*point) - HALF_DEG_S) < 1.25 + 0.2
    found.save(tmp_path / "out" / "envelope.json")
    saved = json.loads((tmp_path / "out" / "envelope.json").read_text())
    assert saved["cases"] == len(found.known) < 17**2


def test_envelope_needs_a_grid_of_two_axes_of_numbers(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="two axes"):
        trace_study(brick_plan(tmp_path), 2)
    axes = [{"key": "brick.mass_kg", "values": [1.0, 2.0]}, {"key": "solver.integrator", "values": ["rk4", "rk4"]}]
    with pytest.raises(ScenarioError, match="axes of numbers"):
        trace_study(brick_plan(tmp_path, dispersions=None, cases=None, grid=axes), 2)

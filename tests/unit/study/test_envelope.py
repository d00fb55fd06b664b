"""The envelope against dense grids and against shapes whose area is known."""

import json
import math
from pathlib import Path

import pytest

from docksim.config import ScenarioError
from docksim.result.result import ResultError
from docksim.study.case import Row, run_case
from docksim.study.envelope import Envelope, Node, trace, trace_study
from docksim.study.plan import Plan
from docksim.study.runner import Workers
from tests.support.studies import HALF_DEG_S, brick_plan

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


def circle_plan(folder: Path, **changes: object) -> Plan:
    """The largest rate of a brick turning about x and y: success inside a circle, but for the coupling of the axes."""
    axes = [
        {"key": "brick.rate_deg_s.0", "values": {"from": 0.0, "to": 40.0, "count": 3}},
        {"key": "brick.rate_deg_s.1", "values": {"from": 0.0, "to": 40.0, "count": 3}},
    ]
    success = [{"metric": "brick.rate_deg_s.peak", "below": HALF_DEG_S}]
    short = {"solver.duration_s": 0.05, "solver.step_s": 0.01, "brick.rate_deg_s.2": 0.0}
    return brick_plan(
        folder, **{"dispersions": None, "cases": None, "grid": axes, "success": success, "set": short, **changes}
    )


def test_envelope_of_a_study_is_the_boundary_of_its_cases(tmp_path: Path) -> None:
    plan = circle_plan(tmp_path)
    found = trace_study(plan, 3, tmp_path)
    assert found is not None
    for (i, j), verdict in found.known.items():
        row = run_case(plan, 1, (i * 2.5, j * 2.5))
        assert row is not None
        assert row.success == verdict
    for a, b in found.segments:
        for point in (a, b):
            # half an edge of 2.5 deg/s, and a rate that grows by less than 0.2 deg/s in 0.05 s
            assert abs(math.hypot(*point) - HALF_DEG_S) < 1.25 + 0.2
    found.save(tmp_path / "out" / "envelope.json")
    saved = json.loads((tmp_path / "out" / "envelope.json").read_text())
    assert saved["cases"] == len(found.known) < 17**2


def test_envelope_goes_on_where_it_stopped_and_finer_runs_nothing_twice(tmp_path: Path) -> None:
    plan = circle_plan(tmp_path)
    whole = trace_study(plan, 3, tmp_path / "whole", Workers(2))
    assert whole is not None
    # stopped after a dozen points
    cases: list[int] = []

    def count(rows: list[Row]) -> None:
        cases.extend(row.case for row in rows)

    stopped = trace_study(plan, 3, tmp_path, Workers(1), stop=lambda: len(cases) >= 12, report=count)
    assert stopped is None
    with pytest.raises(ResultError, match="--resume"):
        trace_study(plan, 3, tmp_path)
    for levels in (1, 3):
        found = trace_study(plan, levels, tmp_path, Workers(2), resume=True, report=count)
    assert found is not None
    assert found == whole
    # points of the coarser grid and those before the stop were not run again
    assert len(cases) == len(set(cases)) == len(whole.known)
    other = circle_plan(tmp_path, success=[{"metric": "brick.rate_deg_s.peak", "below": 30.0}])
    with pytest.raises(ResultError, match=r"holds another study \(success differ"):
        trace_study(other, 3, tmp_path, resume=True)


def test_envelope_needs_a_grid_of_two_axes_of_numbers(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="two axes"):
        trace_study(brick_plan(tmp_path), 2, tmp_path)
    axes = [{"key": "brick.mass_kg", "values": [1.0, 2.0]}, {"key": "solver.integrator", "values": ["rk4", "rk4"]}]
    with pytest.raises(ScenarioError, match="axes of numbers"):
        trace_study(brick_plan(tmp_path, dispersions=None, cases=None, grid=axes), 2, tmp_path)

"""The worst case of a box: the search on functions whose largest value is known, a study with a known worst edge."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import ScenarioError
from docksim.result.result import Result, ResultError
from docksim.study import worst_search
from docksim.study.again import case_of
from docksim.study.plan import load_plan
from docksim.study.runner import Workers
from docksim.study.sampling import LARGEST
from docksim.study.search import FIRST, Box, corners, first_points, hadamard, search
from docksim.study.session import run_study
from docksim.study.store import Store
from docksim.study.table import load_table
from docksim.study.worst_search import FARTHEST, cube_point, run_worst_search
from tests.support.studies import brick_plan, digest, study_file

PEAK = "brick.rate_deg_s.peak"
DISCS = Box(12, [(1, 2), (3, 4), (5, 6), (8, 9)])

# ---------------------------------------------------------------- the method


def inner_peak(points: np.ndarray) -> np.ndarray:
    """Largest, 0, in the inside of the box, with one factor at an edge."""
    goal = np.array([1.0, 0.0, 0.1, -0.2, 0.0, 0.1, 0.2, 0.0, -0.1, 0.3, 0.0, 0.1])
    return np.asarray(-np.sum((points - goal) ** 2, axis=1))


def corner_peak(points: np.ndarray) -> np.ndarray:
    """Largest, 12, in one corner, where products of coordinates count as much as they do alone."""
    signs = np.where(np.arange(12) % 3 == 0, -1.0, 1.0)
    turned = points * signs
    return np.asarray(turned.sum(axis=1) * 0.5 + 0.5 * (turned * np.roll(turned, 1, axis=1)).sum(axis=1))


@pytest.mark.parametrize("order", [8, 12, 16, 20, 24])
def test_every_edge_of_a_corner_set_meets_every_other_as_often_as_its_opposite(order: int) -> None:
    signs = hadamard(order)
    assert np.array_equal(signs.T @ signs, order * np.eye(order))
    folded = corners(Box(order), seed=3)
    assert len(folded) == 2 * order <= FIRST
    assert np.array_equal(folded.T @ folded, 2 * order * np.eye(order))
    # the turned half: sums of products of three columns vanish, so main effects are clear of products of two
    assert np.abs(np.einsum("ij,ik,il->jkl", folded, folded, folded)).max() == 0.0


def test_small_boxes_have_all_corners_and_large_ones_not_more_than_first() -> None:
    assert {tuple(row) for row in corners(Box(3), 1)} == {(a, b, c) for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)}
    assert [len(first_points(Box(width), 1)) for width in (1, 4, 5, 12, 24, 60)] == [3, 29, 32, 48, 48, 48]


def test_points_stay_in_the_box_and_in_its_discs() -> None:
    points, _ = search(lambda _, some: corner_peak(some), DISCS, 80, seed=2)
    assert np.abs(points).max() <= 1.0
    assert max(float(np.hypot(points[:, i], points[:, j]).max()) for i, j in DISCS.discs) <= 1.0 + 1e-15
    assert len(np.unique(points.round(9), axis=0)) == len(points) == 80, "no point twice"


def test_no_point_is_tried_twice_in_a_small_box() -> None:
    points, _ = search(lambda _, some: some.sum(axis=1), Box(2), 60, seed=1)
    assert len(np.unique(points.round(9), axis=0)) == len(points) == 60


@pytest.mark.parametrize(("g", "largest"), [(inner_peak, 0.0), (corner_peak, 12.0)])
def test_search_goes_far_beyond_what_300_random_points_find(g, largest: float) -> None:
    found = float(search(lambda _, some: g(some), Box(12), 120, seed=5)[1].max())
    chance = float(g(np.random.default_rng(5).uniform(-1.0, 1.0, (300, 12))).max())
    # chance is far off, and the search at least four fifths of the way from there to what there is
    assert chance < largest - 1.0
    assert found > largest - 0.2 * (largest - chance)


def test_nothing_at_a_point_keeps_the_search_away_and_does_not_stop_it() -> None:
    def half(_: int, points: np.ndarray) -> np.ndarray:
        return np.where(points[:, 0] > 0.2, -math.inf, points.sum(axis=1))

    points, values = search(half, Box(6), 90, seed=1)
    # 5 + 0.2 is the supremum; a tenth of a coordinate short of it is near
    assert values.max() > 4.9
    assert np.mean(points[60:, 0] > 0.2) < 0.5


def test_set_by_set_is_the_same_as_all_at_once_and_a_longer_search_goes_on() -> None:
    asked: list[tuple[int, int]] = []

    def g(number: int, points: np.ndarray) -> np.ndarray:
        asked.append((number, len(points)))
        return inner_peak(points)

    short, _ = search(g, Box(12), 58, seed=4)
    assert asked == [(1, 48), (49, 6), (55, 4)]
    longer, _ = search(g, Box(12), 70, seed=4)
    assert np.array_equal(longer[:58], short)


# ---------------------------------------------------------------- of a study


def test_box_is_reached_to_its_edge_and_distributions_without_limits_to_three_deviations(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path)
    edge = plan.transform.values(cube_point(plan.transform.dispersions, np.array([1.0, 1.0, 0.6, 0.8])))
    middle = plan.transform.values(cube_point(plan.transform.dispersions, np.zeros(4)))
    mass, rate, *velocity = edge
    assert math.isclose(mass - middle[0], FARTHEST * 0.1, rel_tol=1e-9)
    # the cube is open: the edge is reached to the last bits
    assert math.isclose(rate, 15.0, rel_tol=1e-15)
    assert middle[1] == 10.0
    # the disc's direction is kept, and its radius; to the rounding of an angle
    nominal = np.array(middle[2:])
    assert np.allclose(np.array(velocity) - nominal, [0.06, 0.08], atol=1e-12)
    assert cube_point(plan.transform.dispersions, np.array([0.0, 1.0, 0.0, 0.0]))[1] == LARGEST


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study's file, and the answer to its worst rate."""
    folder = tmp_path_factory.mktemp("hunted")
    file = study_file(folder, limits={PEAK: 1.0})
    told = ["study", "worst", str(file), "--metric", PEAK, "--runs", "44", "--repeats", "2", "--out", str(folder)]
    done = CliRunner().invoke(main, told)
    assert done.exit_code == 0, done.output
    assert "case 1:" not in done.output
    (folder / "said.txt").write_text(done.output)
    return folder


def test_worst_case_is_the_known_one_with_all_its_inputs(hunted: Path) -> None:
    answer = json.loads((hunted / "brick" / f"worst-{PEAK}.json").read_text())
    worst = answer["contenders"][0]
    # the faster it turns about x, the larger the rate: nothing else counts
    assert math.isclose(worst["inputs"]["brick.rate_deg_s.0"], 15.0, rel_tol=1e-15)
    assert set(worst["inputs"]) == {"brick.mass_kg", "brick.rate_deg_s.0", *(f"brick.velocity_m_s.{i}" for i in (1, 2))}
    assert worst["missed"] == [f"over limit {PEAK}"]
    # a free body has nothing to rattle with
    assert worst["largest"] - worst["least"] < 1e-9
    said = (hunted / "said.txt").read_text()
    assert "it does not rattle" in " ".join(said.split())
    assert "brick.mass_kg: no limits, looked at to 3 standard deviations" in said
    assert f"worst-{PEAK}.sqlite --case {worst['case']}" in said.replace("\n", "")


def test_run_repeats_the_worst_case_from_the_table_alone(hunted: Path, tmp_path: Path) -> None:
    answer = json.loads((hunted / "brick" / f"worst-{PEAK}.json").read_text())
    case, value = answer["contenders"][0]["case"], answer["contenders"][0]["value"]
    table = hunted / "brick" / f"worst-{PEAK}.sqlite"
    command = ["run", str(table), "--case", str(case), "--out", str(tmp_path), "--no-figures"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 1, done.output  # it misses its limit
    assert f"over limit {PEAK}" in done.output
    [folder] = (tmp_path / f"brick-search-{case}").iterdir()
    assert Result.load(folder).metrics[PEAK] == value
    missing = CliRunner().invoke(main, ["run", str(table), "--case", "99", "--out", str(tmp_path)])
    assert (missing.exit_code, "has no case 99: the search did not go there" in missing.output) == (1, True)


def test_cases_of_a_study_run_from_its_table_too(tmp_path: Path) -> None:
    file = study_file(tmp_path, cases=2)
    run_study(load_plan(file), tmp_path, Workers(1))
    of_file, of_folder = case_of(file, 2), case_of(tmp_path / "brick", 2)
    file.unlink()
    assert of_folder.name == of_file.name == "brick-case-2"
    assert of_folder.scenario.to_yaml() == of_file.scenario.to_yaml()


def test_stopped_search_goes_on_to_the_same_bits_with_any_workers(tmp_path: Path, hunted: Path) -> None:
    plan, rows = brick_plan(tmp_path, limits={PEAK: 1.0}), []
    stopped = run_worst_search(plan, PEAK, tmp_path, 44, 0, Workers(2), stop=lambda: len(rows) > 10, report=rows.extend)
    assert stopped is None
    assert len(rows) < 44
    answer = run_worst_search(plan, PEAK, tmp_path, 44, 0, Workers(1), resume=True)
    assert answer is not None
    assert answer.scatter == "not looked at"
    assert digest(Path(answer.file)) == digest(hunted / "brick" / f"worst-{PEAK}.sqlite")


def test_words_are_kept_as_they_were(tmp_path: Path) -> None:
    word = {"type": "discrete", "key": "outputs.joint_loads", "values": [False, True]}
    rate = {"type": "uniform", "key": "brick.rate_deg_s.0", "low": 5.0, "high": 15.0}
    plan = brick_plan(tmp_path, dispersions=[word, rate])
    answer = run_worst_search(plan, PEAK, tmp_path, 10, 0, Workers(1))
    assert answer is not None
    again = case_of(Path(answer.file), answer.worst.case).scenario
    assert again.outputs.joint_loads is bool(answer.worst.inputs["outputs.joint_loads"])


def test_the_largest_median_is_the_answer_not_one_lucky_knock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = brick_plan(tmp_path)
    # the largest of all is alone with its value, the next one is not
    repeats = iter([[20.0, 21.0], [37.0, 38.9], [1.0, 1.0]])
    monkeypatch.setattr(worst_search, "repeated", lambda *_: next(repeats))
    answer = run_worst_search(plan, PEAK, tmp_path, 20, 2, Workers(1))
    assert answer is not None
    assert [one.median for one in answer.contenders] == [38.9, 21.0, 1.0]
    assert "the interfaces rattle, take the range and not one knock" in answer.scatter


def test_wrong_questions_are_told_with_what_to_do(tmp_path: Path) -> None:
    plan = brick_plan(tmp_path)
    with pytest.raises(ResultError, match=r"no metric 'brick.rate_deg_s.peek'; .*did you mean 'brick.rate_deg_s.peak'"):
        run_worst_search(plan, "brick.rate_deg_s.peek", tmp_path)
    axis = [{"key": "brick.mass_kg", "values": [9.0, 10.0]}]
    grid = load_plan(study_file(tmp_path, "grid", dispersions=None, cases=None, grid=axis))
    with pytest.raises(ScenarioError, match="looked for in a box of dispersions; a grid or a sweep has none"):
        run_worst_search(grid, PEAK, tmp_path)
    answer = run_worst_search(plan, PEAK, tmp_path, 10, 0, Workers(1))
    assert answer is not None
    with pytest.raises(ResultError, match="exists; --resume goes on with it"):
        run_worst_search(plan, PEAK, tmp_path, 10, 0, Workers(1))
    with pytest.raises(ResultError, match=r"its answer is in worst-brick.rate_deg_s.peak.json"):
        load_table(Path(answer.file))
    with pytest.raises(ResultError, match="holds another study"):
        run_worst_search(brick_plan(tmp_path, seed=4), PEAK, tmp_path, 10, 0, Workers(1), resume=True)
    store = Store.open(Path(answer.file), read_only=True)
    assert store.inputs(11) is None
    store.connection.close()

"""Sobol indices through the whole path, a study file to its summary, on a function whose indices are known."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.config import ScenarioError
from docksim.result.result import Channel, Result
from docksim.study.sampling import DesignSampler, SaltelliSampler
from docksim.study.sensitivity import sobol_indices
from docksim.study.session import run_study
from docksim.study.statistics import replicated
from docksim.study.summary import summarize_study
from docksim.study.table import Table, load_table
from tests.support.studies import BRICK, brick_plan, study_file

METRIC = "brick.rate_deg_s.peak"
KEYS = [f"brick.rate_deg_s.{i}" for i in range(3)]
ANGLES = [{"type": "uniform", "key": key, "low": -math.pi, "high": math.pi} for key in KEYS]
# Ishigami and Homma 1990, a = 7, b = 0.1: variances by hand
A, B = 7.0, 0.1
V1 = 0.5 * (1.0 + B * math.pi**4 / 5.0) ** 2
V2 = A**2 / 8.0
V13 = B**2 * math.pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
FIRST = np.array([V1, V2, 0.0]) / (V1 + V2 + V13)
TOTAL = np.array([V1 + V13, V2, V13]) / (V1 + V2 + V13)


def ishigami(x: np.ndarray) -> np.ndarray:
    return np.sin(x[..., 0]) + A * np.sin(x[..., 1]) ** 2 + B * x[..., 2] ** 4 * np.sin(x[..., 0])


def stand_in(scenario, *_):
    """A run whose metric is the function of the brick's rates."""
    value = float(ishigami(np.array(scenario.vehicles["brick"].rate_deg_s)))
    return Result(scenario, [Channel("time_s", "s", "", "", np.zeros(1))], "completed", metrics={METRIC: value})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    folder = tmp_path_factory.mktemp("ishigami")
    plan = brick_plan(folder, sampling="saltelli", cases=8 * 32 * 5, dispersions=ANGLES, metrics=[METRIC])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("docksim.study.case.simulate_over", stand_in)
        return load_table(run_study(plan, folder)[1])


def test_indices_of_ishigami_are_those_of_the_closed_form_within_their_intervals(table: Table) -> None:
    found = {index.factor: index for index in summarize_study(table, [METRIC]).sensitivity[METRIC]}
    assert list(found) == sorted(found, key=lambda key: -found[key].total.estimate)
    for key, first, total in zip(KEYS, FIRST, TOTAL, strict=True):
        for interval, truth in ((found[key].first, first), (found[key].total, total)):
            # 256 pairs: an interval must hold the truth, and still tell a half from nothing
            assert interval.low <= truth <= interval.high
            assert interval.half_width < 0.25


def test_indices_of_ishigami_converge_to_the_closed_form(table: Table) -> None:
    large = replace(table, planned=8 * 512 * 5)
    found = {index.factor: index for index in sobol_indices(large, synthetic(large, seed=1))}
    # 4096 pairs at the rate of random points: 0.08 / 4 is 0.02; a Sobol design does better
    assert [found[key].first.estimate for key in KEYS] == pytest.approx(FIRST, abs=0.01)
    assert [found[key].total.estimate for key in KEYS] == pytest.approx(TOTAL, abs=0.01)


def test_cases_of_the_design_are_fair_samples_of_the_mean(table: Table) -> None:
    inside = []
    for seed in range(75):
        groups = synthetic(table, seed).reshape(table.study.replicates, -1)
        interval = replicated(list(groups))
        inside.append(interval.low < A / 2 < interval.high)
    # the mean of the function is a / 2; three standard errors of 150 statements of 95 %, two of these 75
    assert abs(np.mean(inside) - 0.95) < 3.0 * 0.018


def test_summary_shows_the_shares(table: Table) -> None:
    done = CliRunner(env={"COLUMNS": "120"}).invoke(main, ["study", "summary", str(table.file), "--metric", METRIC])
    assert done.exit_code == 0, done.output
    assert "with interactions (total)" in done.output
    assert "no factor alone" in done.output


def synthetic(table: Table, seed: int) -> np.ndarray:
    """The function on another design, of the table's planned size."""
    sampler = SaltelliSampler(seed, 3, table.planned, table.study.replicates, [[0], [1], [2]])
    points = np.array([sampler.point(case) for case in range(1, table.planned + 1)])
    return ishigami(np.pi * (2.0 * points - 1.0))


def test_intervals_cover_the_truth_as_often_as_they_say(table: Table) -> None:
    small = replace(table, planned=8 * 16 * 5)
    inside = []
    for seed in range(75):
        for index in sobol_indices(small, synthetic(small, seed)):
            k = KEYS.index(index.factor)
            inside += [index.first.low <= FIRST[k] <= index.first.high, index.total.low <= TOTAL[k] <= index.total.high]
    # 450 statements of 95 %, six from each design; a t interval over replicates of a ratio is not exact
    assert 0.91 < np.mean(inside) < 0.99


def test_a_block_without_a_value_is_left_out_and_the_rest_stands(table: Table) -> None:
    values = table.metric(METRIC).copy()
    values[7] = np.nan
    found = {index.factor: index.first.estimate for index in sobol_indices(table, values)}
    assert [found[key] for key in KEYS] == pytest.approx(FIRST, abs=0.1)
    holed = replace(table, metrics={METRIC: values})
    assert any("1 blocks left out" in note for note in summarize_study(holed, [METRIC]).notes)
    assert sobol_indices(table, np.ones(len(table))) == []


def test_design_has_pairs_of_points_and_one_factor_changed_at_a_time() -> None:
    pairs = DesignSampler("sobol", 5, 6, 32, 4)
    sampler = SaltelliSampler(5, 3, 32 * 4, 4, [[0, 2], [1]])
    for block in range(32):
        a, b = np.split(pairs.point(block + 1), 2)
        rows = [sampler.point(4 * block + row) for row in range(1, 5)]
        np.testing.assert_array_equal(rows, [a, [b[0], a[1], b[2]], [a[0], b[1], a[2]], b])


def test_disc_and_correlated_keys_are_one_factor_each(tmp_path: Path) -> None:
    pair = ["brick.mass_kg", "brick.rate_deg_s.0"]
    plan = brick_plan(tmp_path, correlations=[{"keys": pair, "coefficient": 0.5}], sampling="saltelli", cases=64)
    assert [name for name, _ in plan.study.factors] == [", ".join(pair), ", ".join(BRICK["dispersions"][2]["keys"])]
    first, second, third, last = (plan.values(case) for case in range(1, 5))
    # from A the first factor changes, then the second alone, and B has both of them
    assert second == last[:2] + first[2:]
    assert third == first[:2] + last[2:]


def test_number_of_cases_must_fill_the_design(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"multiple of replicates times \(factors \+ 2\), 8 x 5.*try 80"):
        brick_plan(tmp_path, sampling="saltelli", cases=24)
    with pytest.raises(ScenarioError, match=r"not a power of 2; try 160"):
        brick_plan(tmp_path, sampling="saltelli", cases=120)


def test_without_salib_the_summary_says_what_to_install(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docksim.study.summary.has_salib", lambda: False)
    found = summarize_study(table, [METRIC])
    assert found.sensitivity == {}
    assert any("docksim[sensitivity]" in note for note in found.notes)


def test_study_file_of_the_design_is_checked(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["check", str(study_file(tmp_path, sampling="saltelli", cases=80))])
    assert done.exit_code == 0, done.output

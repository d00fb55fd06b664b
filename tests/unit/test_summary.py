"""The numbers of the summary table."""

import json
from typing import Any

import numpy as np
import pytest

from docksim.result.files import plain
from docksim.result.result import Channel, Result
from docksim.result.summary import EnergyResidual, MomentumResidual, summarize
from tests.support import samples

TIME = Channel("time_s", "s", "", "time", np.array([0.0, 1.0, 2.0]))


def of(*channels: Channel, **more: Any) -> Result:
    return Result(samples.scenario(), [TIME, *channels], "completed", **more)


def test_energy_residual_is_relative_to_the_largest_energy_or_work() -> None:
    # 12 J was the largest between two rows, and 1.5 times the largest energy or work
    metrics = {"energy.residual_J": 12.0, "energy.residual_relative": 1.5}
    result = of(Channel("energy.residual_J", "J", "", "", np.array([0.0, 9.0, -2.0])), metrics=metrics)
    assert summarize(result).energy_residual == EnergyResidual(final=-0.25, largest=1.5)


def test_momentum_residuals_are_the_largest_magnitudes_in_their_unit() -> None:
    vector = Channel("momentum.linear_residual", "kg m/s", "W", "", np.array([[0.0, 0, 0], [3, 4, 0], [1, 1, 1]]))
    metrics = {"momentum.linear_residual_kg_m_s": 6.0, "momentum.linear_residual_relative": 0.01}
    found = summarize(of(vector, metrics=metrics)).momentum_residuals
    assert found == {"linear": MomentumResidual(6.0, "kg m/s", 0.01)}


def test_warnings_of_the_run_are_in_the_summary() -> None:
    assert summarize(of(warnings=["look here"])).as_dict()["warnings"] == ["look here"]


def test_real_time_factor_is_simulated_over_wall_time() -> None:
    summary = summarize(of(manifest={"wall_time_s": 0.5}))
    assert (summary.simulated_s, summary.wall_s, summary.real_time_factor) == (2.0, 0.5, 4.0)


def test_what_is_not_there_is_left_out() -> None:
    summary = summarize(of())
    assert (summary.wall_s, summary.real_time_factor, summary.energy_residual) == (None, None, None)
    assert summary.momentum_residuals == {}


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_short_results_have_a_summary_that_is_json(rows: int) -> None:
    content = plain(summarize(samples.result(rows=rows)).as_dict())
    assert json.loads(json.dumps(content, allow_nan=False))["metrics"]["rows"] == rows

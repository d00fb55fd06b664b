"""The numbers of the summary table."""

import json
from typing import Any

import numpy as np
import pytest

from docksim.result.files import plain
from docksim.result.result import Channel, Result
from docksim.result.summary import EnergyResidual, MomentumResidual, summarize
from tests import samples

TIME = Channel("time_s", "s", "", "time", np.array([0.0, 1.0, 2.0]))


def of(*channels: Channel, **more: Any) -> Result:
    return Result(samples.scenario(), [TIME, *channels], "completed", **more)


def test_energy_residual_is_relative_to_the_largest_energy_or_work() -> None:
    result = of(
        Channel("energy.kinetic_J", "J", "", "", np.array([3.0, 4.0, 1.0])),
        Channel("energy.work.damping_J", "J", "", "", np.array([0.0, -5.0, -8.0])),
        Channel("energy.residual_J", "J", "", "", np.array([0.0, 9.0, -2.0])),
    )
    assert summarize(result).energy_residual == EnergyResidual(final=-0.25, largest=1.125)


def test_momentum_residuals_are_the_largest_magnitudes_in_their_unit() -> None:
    vector = Channel("momentum.linear_residual", "kg m/s", "W", "", np.array([[0.0, 0, 0], [3, 4, 0], [1, 1, 1]]))
    scalar = Channel("momentum.angular_residual", "", "W", "", np.array([0.0, -0.5, 0.25]))
    found = summarize(of(vector, scalar, metrics={"momentum.linear_residual_relative": 0.01})).momentum_residuals
    assert found["linear"] == MomentumResidual(5.0, "kg m/s", 0.01)
    assert found["angular"] == MomentumResidual(0.5, "", None)


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

"""Every shipped scenario runs to the end it is meant to have, finite, with budgets that close."""

import re
from typing import NamedTuple

import numpy as np
import pytest

from tests.support.shipped import NAMES, changed, shipped
from tests.system.bits_of_runs import assert_bits_of_the_table

RESIDUALS = {
    "energy": "energy.residual_relative",
    "linear": "momentum.linear_residual_relative",
    "angular": "momentum.angular_residual_relative",
}


class Expected(NamedTuple):
    """How a run ends, and bounds of its relative residuals.

    The default is rounding: sums over some 1e4 steps of numbers that are known to 1e-16 each.
    """

    outcome: str = "completed"
    energy: float = 1e-12
    linear: float = 1e-12
    angular: float = 1e-12


EXPECTED = {
    # a sampled servo holds its force between samples, which the works follow exactly: truncation at 1 ms
    "admittance_capture": Expected(),
    "array_deployment": Expected(),
    # truncation of order 4 at 5 ms of arrays that swing at a few rad/s
    "array_slew": Expected(energy=1e-11),
    # the linearly implicit method is of order 2 and keeps no momentum exactly; the dish rings at 60 rad/s, step 0.25 ms
    "boom_and_slosh": Expected(energy=5e-5, linear=2e-6, angular=2e-7),
    # caged spring and bristle have kinks, crossed within steps of 1 ms
    "differential_capture": Expected(energy=3e-7),
    # the push-off spring runs out inside a step, where its force has a kink; arrays at 5 ms
    "dock_and_undock": Expected("stopped", energy=1e-6, linear=1e-10, angular=1e-10),
    # twelve hooks close within 200 steps, in pieces that keep work and store together to 1e-10 each
    "docked_loads": Expected("hard-docked", energy=1e-7),
    "free_flying_arm": Expected(),
    "iss_free_rotation": Expected(),
    # the push-off spring's kink again, on a light cover: 45 steps of 5 ms for the whole push
    "jettison_cover": Expected(energy=3e-5),
    # stops and friction bristles have kinks; momentum feels the truncation of order 4 at 1 ms
    "joint_gallery": Expected(energy=3e-6, linear=1e-11, angular=1e-11),
    # legs and rotors of a few kilograms on soft springs; truncation of order 4 at 1 ms
    "leg_gallery": Expected(energy=1e-9, linear=1e-11, angular=1e-11),
    # torques are held between samples, which the works follow exactly
    "load_learnt": Expected("completed"),
    "orbit_drift": Expected(),
    # servos reach their limits and set-points stop inside steps of 2 ms, where forces have kinks
    "servo_capture": Expected(energy=1e-10),
    "soft_capture": Expected(),
    # semi-implicit Euler is of order 1
    # a bushing of some 14 rad/s at 5 ms, order 4
    "strut_linkage": Expected(energy=1e-8, linear=1e-11, angular=1e-11),
    "station_visit": Expected(energy=3e-6, linear=3e-8, angular=1e-8),
    "thruster_pulses": Expected(),
    "tumbling_brick": Expected(),
    # torques are held between samples, which the works follow exactly
    "tumbling_capture": Expected("stopped"),
    "two_arms_one_load": Expected(),
    # rods and seal end where steps are cut; what is left of the pressure has a kink within a step of 1 ms;
    # hooks book their work to 1e-7
    "undock_late_hook": Expected("undocked", energy=1e-7),
    "undock_tipoff": Expected("undocked", energy=1e-7),
    "wheel_hold": Expected(),
}

# residual, step to halve, and the least factor: 2^order less a quarter for what is not asymptotic yet
TRUNCATION = [
    ("boom_and_slosh", "energy", 0.002, 3.0),
    ("boom_and_slosh", "linear", 0.002, 3.0),
    ("boom_and_slosh", "angular", 0.002, 3.0),
    ("station_visit", "energy", 0.01, 1.5),
    ("station_visit", "linear", 0.01, 1.5),
    ("station_visit", "angular", 0.01, 1.5),
    ("dock_and_undock", "linear", 0.01, 12.0),
    ("joint_gallery", "linear", 0.002, 12.0),
    ("joint_gallery", "angular", 0.002, 12.0),
]


def test_every_shipped_scenario_is_tested_here() -> None:
    assert sorted(EXPECTED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_scenario_has_the_bits_of_the_table(name: str) -> None:
    assert_bits_of_the_table(name, shipped(name))


@pytest.mark.parametrize("name", NAMES)
def test_scenario_runs_to_its_end_with_finite_channels(name: str) -> None:
    result = shipped(name)
    assert result.outcome == EXPECTED[name].outcome, result.reason
    for key, channel in result.channels.items():
        assert np.isfinite(channel.data).all(), key
    solver = result.scenario.solver
    if result.outcome == "completed":
        assert result.time_s[-1] == pytest.approx(solver.duration_s, abs=0.5 * solver.step_s)


@pytest.mark.parametrize("name", NAMES)
def test_scenario_closes_its_energy_and_momentum_budgets(name: str) -> None:
    found = {key: shipped(name).metrics[metric] for key, metric in RESIDUALS.items()}
    bounds = {key: getattr(EXPECTED[name], key) for key in RESIDUALS}
    assert {key: value for key, value in found.items() if value > bounds[key]} == {}


@pytest.mark.parametrize(("name", "kind", "step", "factor"), TRUNCATION)
def test_larger_residuals_are_truncation_and_shrink_with_the_step(
    name: str, kind: str, step: float, factor: float
) -> None:
    coarse, fine = (changed(name, solver__step_s=h).metrics[RESIDUALS[kind]] for h in (step, 0.5 * step))
    assert float(coarse) / float(fine) > factor


@pytest.mark.parametrize("name", NAMES)
def test_every_event_fires_and_attitudes_stay_normalised(name: str) -> None:
    result = shipped(name)
    assert sorted(event.name for event in result.events) == sorted(result.scenario.events)
    for key, channel in result.channels.items():
        if key.endswith(".attitude"):
            # written from a rotation matrix, a dozen operations after the last normalisation
            np.testing.assert_allclose(np.linalg.norm(channel.data, axis=1), 1.0, rtol=0.0, atol=1e-14, err_msg=key)


def test_diverged_run_keeps_finite_rows_and_says_where_and_when() -> None:
    # twice the step: beyond the stability limit of semi-implicit Euler for the wings' highest mode
    result = changed("station_visit", solver__step_s=0.02)
    assert result.outcome == "diverged"
    found = re.fullmatch(
        r"non-finite state at t = (\S+) s \(step (\d+)\), body '(.+)', phase DOCKED; try .*", result.reason
    )
    assert found, result.reason
    time, step, body = float(found[1]), int(found[2]), found[3]
    assert time == pytest.approx(0.02 * step)
    assert f"{body}.position_m" in result.channels
    # the last row is the last instant before that at which rows are due
    assert result.time_s[-1] < time <= result.time_s[-1] + 0.1 + 1e-9
    for key, channel in result.channels.items():
        assert np.isfinite(channel.data).all(), key

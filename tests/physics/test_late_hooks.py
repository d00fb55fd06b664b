"""Hooks that let go late tip a ship off: closed forms, scipy's two rigid bodies, several of them, those driven open."""

from __future__ import annotations

import math

import numpy as np
import pytest

import docksim
from tests.oracle.parting import Hook
from tests.physics.test_parting import (
    INERTIA,
    PORTS,
    REDUCED,
    WELD,
    WORK,
    closed,
    docked,
    metric,
    oracle,
    tip_off,
    undocked,
)


@pytest.mark.parametrize(("tau", "told"), [(0.02, 0.034), (0.05, 0.085), (0.1, 0.171), (0.2, 0.342)])
def test_a_late_hook_tips_off_as_the_closed_form_and_scipy_have_it(tau: float, told: float) -> None:
    late = {"late_to_open": [{"hook": 3, "by_s": tau}]}
    result = undocked(late, outputs={"every_s": 0.001})
    assert closed(result) == pytest.approx(told, abs=5.1e-4)
    # as it opens the rate is that of the thrusts so far; then rods that have more way left take a little back
    at = int(np.searchsorted(result.time_s, 0.01 + tau - 1e-9))
    opened = np.linalg.norm(result["chaser.rate_deg_s"][at])
    assert opened == pytest.approx(closed(result), rel=6e-3)
    assert metric(result, "tip_off.chaser_deg_s") == pytest.approx(closed(result), rel=2.5e-2)
    # the pull at which the hook's place stays shut: A_eh / A_hh of what the rods push with
    arm = 0.5 * 0.5
    shut = 1 / REDUCED / (1 / REDUCED + arm / INERTIA[1] + arm / 2e7)
    pull = result[f"{WELD}.late_hook_3_force_N"]
    assert pull[11] == pytest.approx(2000.0 * shut, rel=1e-4)
    assert pull[at + 1] == 0.0
    # azimuth of hook 3 of 8: 90 degrees
    hook = Hook(np.array([2.0, 0.0, 0.5]), 5e7, 2000.0 * shut, tau)
    expected = oracle(result, hook)
    assert tip_off(result) == pytest.approx(np.degrees(expected["rates"][1]), abs=1e-5 * told)
    # what it had stored goes with it
    assert result["energy.work.impulses_J"][-1] == pytest.approx(-0.5 * pull[at - 1] ** 2 / 5e7, rel=1e-2)


def test_two_late_hooks_begin_with_pulls_at_which_neither_place_opens() -> None:
    late = {"late_to_open": [{"hook": 1, "by_s": 0.05}, {"hook": 4, "by_s": 0.05}]}
    result = undocked(late, outputs={"every_s": 0.001})
    pulls = np.array([result[f"{WELD}.late_hook_{k}_force_N"][10:60] for k in (1, 4)])
    assert pulls.min() > 0.0
    # equal by symmetry, and without a tremor that a wrong first pull would leave: 2e3 N on 5e7 N/m
    assert pulls[0] == pytest.approx(pulls[1], rel=1e-6)
    assert np.abs(np.diff(pulls[0])).max() < 1.0
    # as with one of them
    assert metric(result, "tip_off.chaser_deg_s") == pytest.approx(closed(result), rel=2.5e-2)


def test_three_late_hooks_around_hold_all_until_they_open_together() -> None:
    late = {"late_to_open": [{"hook": k, "by_s": 0.1} for k in (1, 4, 6)]}
    result = undocked(late)
    assert closed(result) < 1e-7
    assert metric(result, "tip_off.chaser_deg_s") < 1e-4
    assert metric(result, "separation.speed_m_s") == pytest.approx(math.sqrt(2 * WORK / REDUCED), rel=1e-4)


def test_hooks_that_were_driven_open_are_late_against_those_in_time() -> None:
    late = {"late_to_open": [{"hook": 3, "by_s": 0.0505}], "drive_s": 0.1}
    scenario = docked(late, solver={"duration_s": 1.2, "step_s": 0.001}, outputs={"every_s": 0.001})
    scenario["events"]["open"] = {"when": {"hooks_closed": PORTS}, "do": {"open_hooks": PORTS}}
    scenario["events"]["undock"]["when"] = [{"hooks_open": PORTS}, {"after": "open", "delay_s": 0.12}]
    result = docksim.run(scenario)
    opened = next(event.time_s for event in result.events if event.name == "open")
    pulls = result.time_s[result[f"{WELD}.late_hook_3_force_N"] > 0.0]
    assert pulls[0] == pytest.approx(opened + 0.12)
    assert pulls[-1] == pytest.approx(opened + 0.15, abs=1e-9)
    # 0.1 of drive and 0.0505 of delay, less the 0.12 until the two part
    assert closed(result) == pytest.approx(0.3418 * 0.0305 / 0.2, rel=1e-3)
    assert metric(result, "tip_off.chaser_deg_s") == pytest.approx(closed(result), rel=2.5e-2)
    assert result.metrics["energy.residual_relative"] < 1e-6

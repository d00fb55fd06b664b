"""A ring that resists before capture: what speed and thrust it takes, as published of the differential-coupled unit.

Two ships of 6.7 t and 16.8 t, 7 deg askew, run by the experiments of `docksim validate`, which has the whole searches.
Here each search is two runs, one at either end of the band that passes.
"""

from __future__ import annotations

import pytest

import docksim
from docksim.simulation.run import simulate
from docksim.validation.apas import ships, tilting_force
from docksim.validation.apas import took as time_to_capture
from docksim.validation.bench import Told, told_of
from tests.support.shipped import SCENARIOS

SLOW, ASKEW, EQUIVALENT = 0.05, 7.0, 16.8 / (6.7 + 16.8)


def met(speed: float = SLOW, **keys: float) -> Told:
    return told_of(simulate(ships(speed, **keys)))


def took(**keys: float) -> float:
    return time_to_capture(met(**keys))


def test_slow_approach_askew_rebounds_without_thrust() -> None:
    assert took(tilt=ASKEW, duration=8.0) == float("inf")


def test_thrust_below_what_tilts_the_ring_takes_long_and_thrust_above_it_is_soon_enough() -> None:
    """Syromyatnikov: capture at any speed once the thrust, 1.5 kN, exceeds the force that tilts the ring."""
    assert 3.0 < took(tilt=ASKEW, thrust=600.0, duration=8.0) < float("inf")
    assert took(tilt=ASKEW, thrust=1500.0, duration=4.0) < 1.5


@pytest.mark.parametrize(("part", "soon"), [(0.7, False), (1.1, True)])
def test_with_attitude_held_capture_begins_where_thrust_passes_the_force_that_tilts_the_ring(
    part: float, soon: bool
) -> None:
    """The criterion itself, between 0.7 and 1.1 of the static force, ships' inertia times 100."""
    thrust = part * tilting_force(ships(SLOW)) / EQUIVALENT
    assert (took(tilt=ASKEW, thrust=thrust, held=100.0, duration=4.0) < 3.0) is soon


@pytest.mark.parametrize(("speed", "caught"), [(0.10, False), (0.18, True)])
def test_slowest_capture_without_thrust_is_near_the_published_speed(speed: float, caught: bool) -> None:
    """0.14 m/s were needed, with little thrust."""
    assert (met(speed, tilt=ASKEW, duration=8.0).outcome == "captured") is caught


@pytest.mark.parametrize(("error", "soon"), [({"tilt": 0.75 * 7.0}, False), ({"lateral": 0.16}, True)])
def test_capture_is_more_sensitive_to_angle_than_to_lateral_error(error: dict[str, float], soon: bool) -> None:
    """Schliesing: angular misalignment first, lateral last; 600 N, within 3 s."""
    assert (took(**error, thrust=600.0, duration=4.0) < 3.0) is soon


@pytest.mark.parametrize("friction_Nm", [0.0, 4.0])
def test_passive_ring_captures_at_its_contact_speed_whatever_its_arms_friction(friction_Nm: float) -> None:
    change = {
        "chaser.mechanism.symmetric.actuator.friction_Nm": friction_Nm,
        "events.end_of_case": {"when": [{"after": "captured"}], "do": [{"stop": "captured", "outcome": "captured"}]},
        "outputs.joint_loads": False,
    }
    assert docksim.run(SCENARIOS / "dock_sxds.yaml", change).outcome == "captured"


def test_dry_friction_of_arms_takes_energy_that_a_slow_capture_would_need() -> None:
    """Of the approach energy, before capture: none without it."""
    result = docksim.run(SCENARIOS / "dock_missed.yaml", {"solver.duration_s": 30.0, "outputs.joint_loads": False})
    taken = -sum(float(result[f"chaser.legs.{k}.brake_work_J"][-1]) for k in range(1, 7))
    assert 0.1 < taken / float(result.metrics["budget.approach_J"]) < 1.0

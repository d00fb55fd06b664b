"""Springs, dampers and brakes on the docking mechanism's shafts against their closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from docksim.hardware.mechanism import Mechanism
from tests.oracle.rotations import axis_turn
from tests.physics.shaft_rigs import HUNT, MASS, Run, along, mechanism, parallel, scenario
from tests.support.mechanisms import attitude, matrix

DEG = math.pi / 180.0
STROKES = np.linspace(-0.15, 0.15, 601)
STILL = np.zeros_like(STROKES)


def spring(keys: dict[str, object], x: np.ndarray) -> np.ndarray:
    return Mechanism.load(parallel(keys)).device_forces("legs.2", x, np.zeros_like(x))["spring"]


# ---------------------------------------------------------------- springs

CAGED = {"stiffness_N_m": 900.0, "preload_N": 40.0, "rebound_stiffness_N_m": 2500.0, "preload_give_m": 0.004}
REST = 0.01


def caged_force(x: np.ndarray) -> np.ndarray:
    d = REST - x
    inside = (40.0 + 900.0 * 0.004) * d / 0.004
    return np.where(d >= 0.004, 40.0 + 900.0 * d, np.where(d >= 0.0, inside, 2500.0 * d))


def caged_energy(x: np.ndarray) -> np.ndarray:
    d = REST - x
    at_give = 0.5 * (40.0 + 900.0 * 0.004) * 0.004
    far = at_give + 40.0 * (d - 0.004) + 450.0 * (d**2 - 0.004**2)
    return np.where(d >= 0.004, far, np.where(d >= 0.0, at_give * (d / 0.004) ** 2, 1250.0 * d**2))


def test_caged_spring_has_preload_give_and_a_rebound_of_its_own() -> None:
    force = spring({**CAGED, "rest_m": REST}, STROKES)
    # rounding of a few operations on forces of 200 N
    assert np.max(np.abs(force - caged_force(STROKES))) < 1e-11


def test_caged_spring_without_rebound_key_resists_both_ways_alike() -> None:
    force = spring({"stiffness_N_m": 900.0, "preload_N": 40.0, "rest_m": REST}, STROKES)
    longer = STROKES > REST
    assert np.max(np.abs(force[longer] + 900.0 * (STROKES[longer] - REST))) < 1e-11


def test_stored_energy_of_a_caged_spring_is_its_integral_in_a_run() -> None:
    run = Run(scenario(parallel({**CAGED, "rest_m": REST}), 1.0, 2e-4), along(-0.6))
    x = run["v.legs.4.travel_m"]
    # the cage, the preloaded side, and the rebound
    assert x.min() < -0.02
    assert x.max() > REST + 0.005
    assert np.max(np.abs(run["v.legs.4.spring_force_N"] - caged_force(x))) < 1e-10
    assert np.max(np.abs(run["v.legs.4.stored_J"] - caged_energy(x))) < 1e-12
    # rk4 loses its order where a kink falls within a step: there half the jump of the slope, 1e4 N/m, times the square
    # of the step's way, 0.12 mm, six times, is more than it can miss; of 10.8 J
    assert np.max(np.abs(run["energy.residual_J"])) < 6.0 * 0.5 * 1e4 * 1.2e-4**2


def test_spring_table_is_linear_between_rows_and_beyond_and_conserves_energy() -> None:
    rows = [[-0.1, 150.0], [-0.02, 60.0], [0.0, 0.0], [0.05, -30.0]]
    force = spring({"spring_table": rows}, STROKES)
    x, f = np.array(rows).T
    expected = np.interp(STROKES, x, f)
    expected = np.where(STROKES < -0.1, 150.0 - 1125.0 * (STROKES + 0.1), expected)
    expected = np.where(STROKES > 0.05, -30.0 - 600.0 * (STROKES - 0.05), expected)
    assert np.max(np.abs(force - expected)) < 1e-11
    run = Run(scenario(parallel({"spring_table": rows}), 1.5, 5e-4), along(0.3))
    kinetic = 0.5 * MASS * run["v.legs.1.travel_rate_m_s"] ** 2
    stored = run.all_legs("stored_J").sum(axis=1)
    assert stored[0] == 0.0
    assert stored.max() > 2.0
    # kinks again, of up to 2400 N/m, at 0.15 mm a step: measured 4e-6 J
    assert np.max(np.abs(kinetic + stored - kinetic[0])) < 1e-5


def test_tables_on_a_crank_are_in_degrees() -> None:
    legs = Mechanism.load(mechanism(HUNT, {"spring_table": [[-90.0, 30.0], [90.0, -30.0]]}))
    turns = Mechanism.load(mechanism(HUNT, {"damping_table": [[0.0, 0.0], [30.0, 5.0]]}))
    x = np.array([-1.0, 0.2, 1.1])
    assert legs.device_forces(0, x, 0 * x)["spring"] == pytest.approx(-30.0 * x / (90.0 * DEG), rel=1e-14)
    assert turns.device_forces(0, 0 * x, x)["damper"] == pytest.approx(-5.0 * x / (30.0 * DEG), rel=1e-14)


# ---------------------------------------------------------------- dampers


def damper(keys: dict[str, object], rate: np.ndarray) -> np.ndarray:
    return Mechanism.load(parallel(keys)).device_forces(0, np.zeros_like(rate), rate)["damper"]


def test_damping_table_is_odd_opposes_motion_and_never_weakens_beyond_its_end() -> None:
    rates = np.linspace(-0.5, 0.5, 401)
    force = damper({"damping_table": [[0.0, 0.0], [0.1, 50.0], [0.3, 30.0]]}, rates)
    expected = -np.sign(rates) * np.interp(np.abs(rates), [0.0, 0.1, 0.3], [0.0, 50.0, 30.0])
    assert np.max(np.abs(force - expected)) < 1e-12
    rising = damper({"damping_table": [[-0.2, -5.0], [0.0, 0.0], [0.1, 50.0]]}, rates)
    assert np.max(np.abs(rising + np.where(rates < 0.0, 25.0, 500.0) * rates)) < 1e-12


def test_eddy_current_brake_peaks_at_its_rate_and_slows_the_ring_as_integrated_by_hand() -> None:
    peak, at = 25.0, 0.08
    eddy = {"eddy_current": {"peak_force_N": peak, "at_rate_m_s": at}}
    rates = np.linspace(0.001, 1.0, 5000)
    force = -damper(eddy, rates)
    assert force.max() <= peak
    # to the grid's spacing
    assert rates[force.argmax()] == pytest.approx(at, abs=2e-4)
    assert -damper(eddy, np.array([at]))[0] == pytest.approx(peak, rel=1e-15)

    run = Run(scenario(parallel(eddy), 0.2, 2.5e-4), along(0.3))
    v, t = run["v.legs.3.travel_rate_m_s"], run["time_s"]
    # m v' = -12 F_p s / (1 + s²), s = v / v_p: ln s + s² / 2 falls in proportion to time
    fallen = np.log(v / at) + 0.5 * (v / at) ** 2
    # fourth order at 0.25 ms against a time constant of 16 ms near the end: 5e-10 of a range of 12.5
    assert np.max(np.abs(fallen - fallen[0] + 12.0 * peak * t / (MASS * at))) < 1e-8
    taken = -run.all_legs("damper_work_J").sum(axis=1)
    assert np.max(np.abs(taken - 0.5 * MASS * (v[0] ** 2 - v**2))) < 1e-8


def test_viscous_damper_and_eddy_current_brake_add() -> None:
    rates = np.linspace(-0.3, 0.3, 31)
    eddy = {"eddy_current": {"peak_force_N": 25.0, "at_rate_m_s": 0.08}}
    both = damper({**eddy, "damping_Ns_m": 70.0}, rates)
    assert np.allclose(both, damper(eddy, rates) - 70.0 * rates, rtol=1e-14, atol=0.0)


# ---------------------------------------------------------------- brakes and stops


@pytest.mark.parametrize("adjustment", [0.0, 30.0])
def test_brake_slides_at_its_slip_force_and_takes_the_energy(adjustment: float) -> None:
    brake = {"normal_force_N": 400.0, "friction_coefficient": 0.2, "self_adjustment": adjustment}
    slip = 0.2 * 400.0 / (1.0 + 0.2 * adjustment)
    run = Run(scenario(parallel({"brake": brake, "presliding_m": 1e-4}), 0.1, 2e-4), along(0.3))
    x, v = run["v.legs.1.travel_m"], run["v.legs.1.travel_rate_m_s"]
    # until it comes to rest
    sliding = (x > 2e-4) & (np.cumprod(v > 0.0) == 1)
    assert np.all(np.abs(run["v.legs.1.brake_force_N"][sliding] + slip) < 1e-12)
    # from where it slips on the ring slows evenly
    a, b = np.flatnonzero(sliding)[[0, -1]]
    slowed = v[a] - v[b]
    assert slowed == pytest.approx(6.0 * slip / MASS * (run["time_s"][b] - run["time_s"][a]), rel=1e-12)
    taken = run.all_legs("brake_work_J").sum(axis=1)
    # the bristle's corner is met within a step of 0.06 mm: half a step's work at most of 0.1 mm
    assert np.max(np.abs(taken + 0.5 * MASS * (v[0] ** 2 - v**2))) < 1e-3


def test_brake_torque_has_the_mean_radius() -> None:
    brake = {"normal_force_N": 400.0, "friction_coefficient": 0.2, "self_adjustment": 10.0, "mean_radius_m": 0.05}
    legs = Mechanism.load(mechanism(HUNT, {"brake": brake}))
    assert legs.device_forces(0, [0.0], [0.1])["brake"][0] == pytest.approx(-0.05 * 80.0 / 3.0, rel=1e-14)


def test_stop_pushes_back_stores_and_loses_as_hunt_and_crossley_say() -> None:
    keys = {"upper_m": 0.05, "stop_stiffness_N_m": 4e4, "stop_damping_s_m": 0.8, "stop_travel_m": 0.03}
    run = Run(scenario(parallel(keys), 0.4, 1e-4), along(0.3))
    x, v = run["v.legs.5.travel_m"], run["v.legs.5.travel_rate_m_s"]
    depth = np.maximum(x - 0.05, 0.0)
    assert depth.max() > 0.003
    assert v[-1] < 0.0
    expected = -4e4 * depth * np.maximum(1.0 + 0.8 * v, 0.0)
    assert np.max(np.abs(run["v.legs.5.stop_force_N"] - expected)) < 1e-9
    assert np.max(np.abs(run["v.legs.5.stored_J"] - 2e4 * depth**2)) < 1e-12
    # the rest is gone when it has left the stop; entering and leaving fall within steps: 1e-6 J of 2.7 J
    lost = -run.all_legs("stop_work_J")[-1].sum()
    assert lost == pytest.approx(0.5 * MASS * (v[0] ** 2 - v[-1] ** 2), abs=1e-5)
    assert lost > 0.1


def turned_cranks(shift: float) -> dict[str, Any]:
    """The mechanism of cranks with all crank angles counted from elsewhere: larger by `shift` [rad]."""
    keys = mechanism(HUNT, {"stiffness_Nm_rad": 100.0, "friction_Nm": 0.2})
    legs = [leg.model_dump(exclude_none=True) for leg in Mechanism.load(keys).legs]
    for leg, part in zip(legs, Mechanism.load(keys).legs, strict=True):
        leg["base_axes"] = attitude(matrix(part.base_axes) @ axis_turn(np.array([0.0, 1.0, 0.0]), -shift))
    return {"ring": keys["ring"], "reference": keys["reference"], "legs": legs}


def test_a_crank_that_passes_half_a_turn_goes_on_counting() -> None:
    plain = Run(scenario(turned_cranks(0.0), 0.2), along(-0.1))
    start = plain["v.legs.1.angle_deg"][0]
    # the first crank starts a degree short of 180 and turns by more
    turned = Run(scenario(turned_cranks(math.radians(179.0 - start)), 0.2), along(-0.1))
    angle = turned["v.legs.1.angle_deg"]
    assert angle.min() < 180.0 < angle.max()
    assert np.max(np.abs(np.diff(angle))) < 1.0
    # the same motion, whatever its angles are called; rounding of the turned axes over 200 steps
    for name in ("torque_Nm", "spring_torque_Nm", "brake_torque_Nm", "stored_J"):
        channel = f"v.legs.1.{name}"
        assert np.allclose(turned[channel], plain[channel], rtol=0.0, atol=1e-10), name


def test_a_crank_starts_at_the_turn_nearest_the_middle_of_its_limits() -> None:
    at_start = math.degrees(Mechanism.load(mechanism(HUNT)).shafts[0].start)
    limits = {"lower_deg": at_start + 320.0, "upper_deg": at_start + 400.0}
    run = Run(scenario(mechanism(HUNT, {**limits, "stiffness_Nm_rad": 100.0}), 0.01))
    assert run["v.legs.1.angle_deg"] == pytest.approx(at_start + 360.0, abs=1e-9)
    assert np.all(run["v.legs.1.stop_torque_Nm"] == 0.0)

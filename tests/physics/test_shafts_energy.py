"""Runs with every device at once: who did what work, what events set, how a run ends at a stop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.hardware.mechanism import Mechanism
from tests.physics.shaft_rigs import HUNT, MASS, STEWART, Run, along, mechanism, parallel, scenario

RATE = (0.05, -0.1, 0.08, -0.15, 0.06, -0.04)
# smooth laws: fourth order must show
SMOOTH = {
    "stiffness_N_m": 700.0,
    "damping_Ns_m": 30.0,
    "eddy_current": {"peak_force_N": 15.0, "at_rate_m_s": 0.06},
    "force_N": 4.0,
    "servo": {"stiffness_N_m": 300.0, "damping_Ns_m": 20.0, "follows": "mean"},
}
COUPLED = {
    "axial": {
        "weights": [1.0] * 6,
        "linear": {"stiffness_N_m": 60.0, "rotor_mass_kg": 4.0, "damping_Ns_m": 10.0},
    },
    "tilt": {
        "weights": [1.0, 0.5, -0.5, -1.0, -0.5, 0.5],
        "linear": {"eddy_current": {"peak_force_N": 10.0, "at_rate_m_s": 0.1}, "screw": {
            "lead_mm": 30.0, "rotor_inertia_kg_m2": 2e-5}},
    },
}  # fmt: skip
# everything with corners as well
ROUGH = {
    **SMOOTH,
    "spring_table": [[-0.1, 90.0], [0.0, 0.0], [0.1, -50.0]],
    "friction_N": 5.0,
    "presliding_m": 5e-4,
    "lower_m": -0.005,
    "upper_m": 0.006,
    "stop_stiffness_N_m": 2e4,
    "stop_damping_s_m": 0.5,
}
del ROUGH["stiffness_N_m"]


def floating(mounted: dict[str, Any], step: float, duration: float = 1.0, **sections: Any) -> dict[str, Any]:
    keys = scenario(mounted, duration, step, **sections)
    keys["vehicles"]["v"] |= {"anchored": False, "mass_kg": 500.0, "inertia_kg_m2": [200.0, 250.0, 300.0]}
    keys["outputs"] = {"every_s": 0.02}
    return keys


def relative_residual(run: Run) -> float:
    return float(np.abs(run["energy.residual_J"]).max() / run["energy.kinetic_J"][0])


def test_energy_budget_closes_at_fourth_order_with_smooth_devices_and_coupled_rotors() -> None:
    coarse, fine = (Run(floating(mechanism(STEWART, SMOOTH, COUPLED), step), RATE) for step in (0.004, 0.002))
    assert relative_residual(fine) < 1e-8
    # a sixteenth for half the step; 11 leaves room for higher orders' share
    assert relative_residual(fine) < relative_residual(coarse) / 11.0
    for part in ("linear", "angular"):
        # reflected rotors carry no momentum, so it stays to the integrator's error
        assert np.abs(fine[f"momentum.{part}_residual"]).max() < 1e-7


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit_euler", "linearly_implicit"])
def test_works_by_device_add_up_to_the_totals(integrator: str) -> None:
    keys = floating(mechanism(STEWART, ROUGH, COUPLED), 0.0005)
    keys["solver"]["integrator"] = integrator
    run = Run(keys, RATE)
    assert run.outcome == "completed", run.reason
    for device, total in (("damper", "joint_damping"), ("brake", "joint_friction"), ("stop", "joint_stops"),
                          ("motor", "joint_motors")):  # fmt: skip
        parts = sum(data for name, data in run.channels.items() if name.endswith(f".{device}_work_J"))
        assert abs(parts[-1]) > 1e-3
        # the same numbers added in another order
        assert np.allclose(parts, run[f"energy.work.{total}_J"], rtol=0.0, atol=1e-12)
    stored = sum(data for name, data in run.channels.items() if name.endswith(".stored_J"))
    assert np.allclose(stored, run["energy.potential_J"], rtol=0.0, atol=1e-13)
    # corners cost the orders above two, and the first-order method has its own error; measured 1e-6, 3e-3, 1e-5
    assert relative_residual(run) < {"rk4": 1e-5, "semi_implicit_euler": 0.01, "linearly_implicit": 1e-4}[integrator]


def test_work_of_each_device_is_the_integral_of_its_force_times_the_rate() -> None:
    run = Run(scenario(mechanism(STEWART, SMOOTH, COUPLED), 1.0), RATE)
    t = run["time_s"]
    for name in ("legs.2", "couplings.axial", "couplings.tilt"):
        rate = run[f"v.{name}.travel_rate_m_s"]
        for device in ("damper", "motor"):
            if f"v.{name}.{device}_force_N" in run.channels:
                power = run[f"v.{name}.{device}_force_N"] * rate
                # Simpson's rule over the logged rows: fourth order too
                by_hand = np.sum((power[:-2:2] + 4.0 * power[1:-1:2] + power[2::2]) * (t[2::2] - t[:-2:2]) / 6.0)
                assert run[f"v.{name}.{device}_work_J"][-1] == pytest.approx(by_hand, abs=1e-9), (name, device)


def test_cranks_have_all_devices_too() -> None:
    keys = {
        "stiffness_Nm_rad": 60.0, "preload_Nm": 1.0, "preload_give_deg": 1.0, "damping_table": [[0, 0], [20, 3.0]],
        "friction_Nm": 0.5, "presliding_deg": 0.2, "lower_deg": -170.0, "upper_deg": 170.0,
        "eddy_current": {"peak_torque_Nm": 2.0, "at_rate_deg_s": 10.0}, "torque_Nm": 0.5, "torque_limit_Nm": 4.0,
        "servo": {"stiffness_Nm_rad": 40.0, "damping_Nms_rad": 4.0, "sample_s": 0.002},
        "gear": {"ratio": 30.0, "rotor_inertia_kg_m2": 1e-4},
    }  # fmt: skip
    couplings = {"sum": {"weights": [1.0] * 6, "rotary": {"stiffness_Nm_rad": 5.0, "rotor_inertia_kg_m2": 0.2}}}
    run = Run(floating(mechanism(HUNT, keys, couplings), 0.0005), RATE)
    assert run.outcome == "completed", run.reason
    for device in ("spring", "damper", "brake", "stop", "motor"):
        assert f"v.legs.6.{device}_torque_Nm" in run.channels
    for device in ("spring", "damper", "brake", "motor"):
        assert np.ptp(run[f"v.legs.6.{device}_torque_Nm"]) > 0.1
    # a held force jumps between steps, not within; corners of brake and cage remain
    assert relative_residual(run) < 1e-4
    assert run["v.couplings.sum.angle_deg"] == pytest.approx(run.all_legs("angle_deg").sum(axis=1), abs=1e-9)


# ---------------------------------------------------------------- events


def setting(*commands: Any, when: Any = 0.1) -> dict[str, Any]:
    condition = {"time_s": when} if isinstance(when, float) else when
    return {"change": {"when": condition, "do": [{"set": command} for command in commands]}}


def test_events_set_forces_dampers_and_brakes_of_all_legs() -> None:
    legs = {"damping_Ns_m": 10.0, "eddy_current": {"peak_force_N": 5.0, "at_rate_m_s": 0.1}}
    new = {"device": "v.legs", "force_N": 7.0, "damping_Ns_m": 200.0, "friction_N": 3.0, "eddy_peak_force_N": 0.0}
    run = Run(scenario(parallel(legs), 3.0, events=setting(new)), along(0.2))
    t, v = run["time_s"], run["v.legs.6.travel_rate_m_s"]
    before, after = t < 0.1 - 1e-9, t > 0.13
    s = v / 0.1
    expected = np.where(before, -10.0 * v - 10.0 * s / (1.0 + s**2), -200.0 * v)
    assert np.max(np.abs(run["v.legs.6.damper_force_N"] - expected)) < 1e-12
    assert np.all(run["v.legs.6.brake_force_N"][before] == 0.0)
    assert np.all(run["v.legs.6.motor_force_N"][before] == 0.0)
    assert np.all(run["v.legs.6.motor_force_N"][~before] == 7.0)
    assert run["v.legs.6.brake_force_N"][after] == pytest.approx(-3.0, abs=1e-12)
    # 7 N less 3 N of friction against 200 N s/m
    assert v[-1] == pytest.approx(0.02, rel=1e-9)


def test_a_new_friction_level_keeps_the_force_as_far_as_it_can() -> None:
    """Stuck at 8 N: a higher level changes nothing, a lower one lets go."""
    legs = {"damping_Ns_m": 300.0, "friction_N": 20.0, "presliding_m": 1e-3}
    higher = Run(scenario(parallel(legs), 4.0, 2e-3, push=48.0, events=setting(
        {"device": "v.legs", "friction_N": 35.0}, when=2.0)))  # fmt: skip
    force = higher["v.legs.1.brake_force_N"]
    assert force[-1] == pytest.approx(-8.0, rel=1e-9)
    assert np.ptp(force[900:]) < 1e-6
    assert np.ptp(higher["v.legs.1.travel_m"][900:]) < 1e-9
    lower = Run(scenario(parallel(legs), 4.0, 2e-3, push=48.0, events=setting(
        {"device": "v.legs", "friction_N": 5.0}, when=2.0)))  # fmt: skip
    assert lower["v.legs.1.brake_force_N"][-1] == -5.0
    assert lower["v.legs.1.travel_rate_m_s"][-1] == pytest.approx(3.0 / 300.0, rel=1e-9)
    released = Run(scenario(parallel(legs), 4.0, 2e-3, push=48.0, events=setting(
        {"device": "v.legs", "friction_N": 0.0}, when=2.0)))  # fmt: skip
    assert released["v.legs.1.brake_force_N"][-1] == 0.0
    assert released["v.legs.1.travel_rate_m_s"][-1] == pytest.approx(8.0 / 300.0, rel=1e-9)


def test_servos_are_switched_on_without_a_bump_and_retuned_by_events() -> None:
    servo = {"enabled": False, "stiffness_N_m": 100.0, "damping_Ns_m": 10.0, "target_m": 0.0, "rate_limit_m_s": 0.1}
    new = {"enabled": True, "stiffness_N_m": 900.0, "damping_Ns_m": 300.0, "target_m": 0.08, "rate_limit_m_s": 0.05,
           "force_limit_N": 50.0}  # fmt: skip
    run = Run(scenario(parallel({"servo": servo}), 5.0, events=setting({"device": "v.legs", "servo": new})), along(0.3))
    t, x, command = run["time_s"], run["v.legs.2.travel_m"], run["v.legs.2.command_m"]
    off = t < 0.1 - 1e-9
    assert np.array_equal(command[off], x[off])
    assert np.all(run["v.legs.2.motor_force_N"][off] == 0.0)
    at = int(np.flatnonzero(~off)[0])
    assert command[at] == x[at] == pytest.approx(0.03, abs=1e-12)
    ramp = np.minimum(x[at] + 0.05 * (t[at:] - t[at]), 0.08)
    assert np.max(np.abs(command[at:] - ramp)) < 1e-12
    assert np.abs(run["v.legs.2.motor_force_N"]).max() == 50.0
    assert x[-1] == pytest.approx(0.08, abs=1e-6)


def test_a_servo_changes_to_velocity_and_is_switched_off_by_events() -> None:
    servo = {"stiffness_N_m": 900.0, "damping_Ns_m": 200.0, "target_m": 0.02, "sample_s": 0.005, "delay_s": 0.01}
    turn = {"mode": "velocity", "target_rate_m_s": -0.03}
    events = {
        **setting({"device": "v.legs", "servo": turn}, when=2.0),
        "off": {"when": {"time_s": 4.0}, "do": [{"set": {"device": "v.legs", "servo": {"enabled": False}}}]},
    }
    run = Run(scenario(parallel({"servo": servo}), 5.0, events=events))
    t, v = run["time_s"], run["v.legs.3.travel_rate_m_s"]
    assert run["v.legs.3.travel_m"][1999] == pytest.approx(0.02, abs=1e-4)
    assert v[3999] == pytest.approx(-0.03, rel=1e-9)
    off = t >= 4.0
    assert np.all(run["v.legs.3.motor_force_N"][off] == 0.0)
    assert np.ptp(v[off]) < 1e-12


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({"device": "v.legs.2", "above_m": 0.03}, lambda r: r["v.legs.2.travel_m"] >= 0.03),
        ({"device": "v.legs.2", "rate_below_m_s": 0.1}, lambda r: r["v.legs.2.travel_rate_m_s"] <= 0.1),
        ({"device": "v.legs.2", "force_below_N": -20.0}, lambda r: r["v.legs.2.force_N"] <= -20.0),
        ({"device": "v.couplings.sum", "above_m": 0.2}, lambda r: r["v.couplings.sum.travel_m"] >= 0.2),
        ({"device": "v.couplings.sum", "force_below_N": -6.0}, lambda r: r["v.couplings.sum.force_N"] <= -6.0),
        ({"device": "v.couplings.sum", "rate_below_m_s": 0.5}, lambda r: r["v.couplings.sum.travel_rate_m_s"] <= 0.5),
    ],
)
def test_conditions_on_devices_fire_at_the_first_step_where_they_hold(condition: Any, holds: Any) -> None:
    stop = {"there": {"when": condition, "do": [{"stop": "there"}]}}
    couplings = {"sum": {"weights": [1.0] * 6, "linear": {"stiffness_N_m": 30.0, "damping_Ns_m": 1.0}}}
    mounted = parallel({"stiffness_N_m": 500.0}, couplings)
    run = Run(scenario(mounted, 3.0, events=stop), along(0.4))
    assert run.outcome == "stopped"
    met = holds(run)
    assert met[-1]
    assert not met[:-1].any()
    assert len(met) > 20


# ---------------------------------------------------------------- over-stroke


def test_a_stop_compressed_beyond_its_travel_ends_the_run_by_name() -> None:
    legs = {"upper_m": 0.05, "stop_stiffness_N_m": 100.0, "stop_travel_m": 0.01}
    result = docksim.run(scenario(parallel(legs), 3.0, push=60.0))
    assert result.outcome == "over-stroke"
    assert result.reason.startswith("leg 1 of 'v' at 0.06")
    assert "limit 0.0500 m and 0.0100 m of stop, at t = " in result.reason
    x = result["v.legs.1.travel_m"]
    assert x[-1] > 0.06 >= x[-2]


def test_a_coupling_over_its_stroke_is_named_too() -> None:
    sum_of_legs = {"weights": [1.0] * 6, "linear": {"lower_m": -0.3, "stop_stiffness_N_m": 0.0, "stop_travel_m": 0.02}}
    result = docksim.run(scenario(parallel({}, {"axial": sum_of_legs}), 3.0, push=-60.0))
    assert result.outcome == "over-stroke"
    assert result.reason.startswith("coupling 'axial' of 'v' at -0.32")


def test_a_crank_over_its_stroke_is_told_in_degrees() -> None:
    starts = [math.degrees(shaft.start) for shaft in Mechanism.load(mechanism(HUNT)).shafts]
    legs = {"lower_deg": min(starts) - 3.0, "upper_deg": max(starts) + 3.0, "stop_travel_deg": 2.0}
    legs["stop_stiffness_Nm_rad"] = 1.0
    result = docksim.run(scenario(mechanism(HUNT, legs), 3.0, push=-200.0))
    assert result.outcome == "over-stroke"
    assert " deg and 2.0000 deg of stop, at t = " in result.reason
    assert all(np.isfinite(result[name]).all() for name in result)


def test_stops_of_a_leg_take_up_what_is_left_of_the_motion() -> None:
    """The energy of an approach ends in spring, damper and stop: nothing is lost between the accounts."""
    legs = {"stiffness_N_m": 50.0, "damping_Ns_m": 5.0, "lower_m": -0.04, "stop_stiffness_N_m": 3e4}
    run = Run(scenario(parallel(legs), 0.5, 1e-4), along(-0.3))
    assert run["v.legs.1.stop_force_N"].max() > 50.0
    given = 0.5 * MASS * 0.3**2
    assert np.abs(run["energy.residual_J"]).max() < 1e-6 * given

"""Runs with devices do what their scenarios say: who absorbs, who sticks, who keeps its limits, who goes beyond."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.cli import main
from docksim.result.result import Result
from tests.support.shipped import SCENARIOS, changed, shipped

SOFT_STOP = {"lower_m": -0.01, "stop_stiffness_N_m": 100.0, "stop_travel_m": 0.005}
TOTALS = {
    "damper": "joint_damping",
    "brake": "joint_friction",
    "stop": "joint_stops",
    "motor": "joint_motors",
}


def between(result: Result, first: str, second: str) -> np.ndarray:
    """Rows after one event and before another."""
    times = {event.name: event.time_s for event in result.events}
    return (result.time_s > times[first]) & (result.time_s < times[second])


@pytest.mark.parametrize("name", ["differential_capture", "servo_capture", "admittance_capture", "soft_capture"])
def test_accounts_of_all_devices_make_up_the_totals(name: str) -> None:
    result = shipped(name)
    for device, total in TOTALS.items():
        accounts = [result[key] for key in result if key.endswith(f".{device}_work_J")]
        # the arrays of the target have dampers too
        beams = result[f"energy.work.{total}_J"] - sum(accounts, np.zeros(len(result.time_s)))
        if device == "damper":
            assert np.all(np.diff(beams) <= 1e-12)
        else:
            # sums of some 1e4 steps in another order
            assert np.max(np.abs(beams)) < 1e-11


def test_axial_brake_takes_the_approach_and_holds_without_creep() -> None:
    result = shipped("differential_capture")
    taken = {key.split(".")[2]: -result[key][-1] for key in result if "couplings" in key and key.endswith("_work_J")}
    brake = -result["chaser.couplings.axial.brake_work_J"][-1]
    # 10 t at 0.1 m/s against 5 t: nearly 17 J to lose
    assert brake > 0.9 * 0.5 * (10e3 * 5e3 / 15e3) * 0.1**2
    assert brake > 10.0 * (sum(taken.values()) - taken["axial"])
    # the target's arrays go on pulling at it: while the brake holds, the shaft moves by less than its bristle and back
    held = between(result, "capture", "open_brake") & (result.time_s > 10.0)
    force, travel = (result[f"chaser.couplings.axial.{key}"][held] for key in ("brake_force_N", "travel_m"))
    level = result.scenario.vehicles["chaser"].mechanism.couplings["axial"].linear.brake.slip
    assert np.max(np.abs(force)) < level * (1.0 + 1e-12)
    assert np.ptp(travel) < 0.001
    third = len(travel) // 3
    assert abs(travel[:third].mean() - travel[-third:].mean()) < 1e-4


def test_brake_that_is_opened_lets_the_caged_spring_bring_the_ring_out() -> None:
    result = shipped("differential_capture")
    travel = result["chaser.couplings.axial.travel_m"]
    before, after = travel[between(result, "capture", "open_brake")][-1], travel[-1]
    assert before < -0.004
    # at rest again within the play that 60 N of friction leave on a spring of 20 kN/m beyond its rest
    assert abs(after) < 60.0 / 20e3 + 1e-3


def test_servos_keep_their_limit_until_an_event_raises_it() -> None:
    result = shipped("servo_capture")
    attenuating = between(result, "capture", "align")
    forces = np.array([result[f"chaser.legs.{k}.motor_force_N"][attenuating] for k in range(1, 7)])
    assert np.max(np.abs(forces)) == 20.0
    strokes = np.array([result[f"chaser.legs.{k}.travel_m"] for k in range(1, 7)])
    # they hold the legs together while the ring comes in by centimetres
    spread = np.ptp(strokes, axis=0)[attenuating]
    assert spread.max() < 0.01
    assert strokes.mean(axis=0)[attenuating][-1] < -0.05


def test_mean_length_is_driven_no_faster_than_its_rate_limit() -> None:
    result = shipped("servo_capture")
    command = result["chaser.couplings.mean.command_m"][between(result, "align", "hold")]
    every = result.scenario.outputs.every_s
    # the set-point is logged every 20 ms
    assert np.max(np.abs(np.diff(command))) <= 0.015 * every * (1.0 + 1e-9)
    assert command[-1] == pytest.approx(-0.1, abs=1e-12)


def test_admittance_lets_the_legs_give_way_and_draws_them_back() -> None:
    result = shipped("admittance_capture")
    for k in range(1, 7):
        stroke, command = (result[f"chaser.legs.{k}.{key}"] for key in ("travel_m", "command_m"))
        held = between(result, "capture", "hold")
        assert stroke.min() < -0.04
        assert abs(stroke[held][-1]) < 0.3 * abs(stroke.min())
        # the stiff loop follows: an error is a force of the ring over 40 kN/m
        assert np.max(np.abs(stroke - command)) < 600.0 / 4e4


def test_stop_compressed_too_far_ends_the_run_by_leg_value_and_time() -> None:
    keys = {f"chaser__mechanism__symmetric__actuator__{key}": value for key, value in SOFT_STOP.items()}
    result = changed("soft_capture", **keys)
    assert result.outcome == "over-stroke"
    assert "of 'chaser' at -0.015" in result.reason
    assert "limit -0.0100 m and 0.0050 m of stop, at t = " in result.reason
    # found at the end of a step of 2 ms, at some 0.03 m/s
    deepest = min(result[f"chaser.legs.{k}.travel_m"][-1] for k in range(1, 7))
    assert deepest == pytest.approx(-0.015, abs=1e-4)


def test_over_stroke_is_told_on_the_command_line(tmp_path: Path) -> None:
    actuator = "chaser.mechanism.symmetric.actuator"
    changes = [word for key, value in SOFT_STOP.items() for word in ("--set", f"{actuator}.{key}={value}")]
    out = ["--out", str(tmp_path), "--no-plots"]
    done = CliRunner().invoke(main, ["run", str(SCENARIOS / "soft_capture.yaml"), *changes, *out])
    assert done.exit_code == 1
    # the table may break its lines
    told = " ".join(done.output.split())
    assert "over-stroke" in told
    assert "of 'chaser' at -0.015" in told

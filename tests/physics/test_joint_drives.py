"""Drives on the joints of a scenario: against closed forms, by momentum and energy, on every axis, through events."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import docksim
from docksim.compiler import compile_scenario
from docksim.compiler.shaft_tables import in_order
from docksim.config import load_scenario
from docksim.result.result import Result
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.run import Run

J, LIMIT, STIFFNESS, DAMPING, TARGET = 2.0, 0.4, 20.0, 2.0 * math.sqrt(40.0), 0.8


def turntable(actuator: dict[str, Any], **solver: Any) -> dict[str, Any]:
    """A disc of 2 kg m² on a revolute joint of what stands still."""
    joint = {"type": "revolute", "axis": [0.0, 0.0, 1.0], "actuator": actuator}
    disc = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, J], "joint": joint}
    return {
        "vehicles": {"v": {"mass_kg": 1.0, "inertia_kg_m2": [1, 1, 1], "anchored": True, "bodies": {"disc": disc}}},
        "solver": {"duration_s": 8.0, "step_s": 0.001, **solver},
        "outputs": {"every_s": 0.02},
    }


def saturated() -> dict[str, Any]:
    servo = {"stiffness_Nm_rad": STIFFNESS, "damping_Nms_rad": DAMPING, "target_deg": math.degrees(TARGET)}
    return {"torque_limit_Nm": LIMIT, "servo": servo}


def pieces(times: np.ndarray) -> np.ndarray:
    """Closed form of the limited loop: a parabola while the torque is limited, critically damped in between."""
    w, top = math.sqrt(STIFFNESS / J), LIMIT / J
    found, begin, q, v = np.empty_like(times), 0.0, 0.0, 0.0

    def asked(q: float, v: float) -> float:
        return (STIFFNESS * (TARGET - q) - DAMPING * v) / J

    while begin < times[-1]:
        a, sign = asked(q, v), math.copysign(1.0, asked(q, v))
        turning = -w * w * v - 2.0 * w * sign * top
        limited = abs(a) > top * (1.0 + 1e-9) or (abs(a) > top * (1.0 - 1e-9) and sign * turning > 0.0)
        motion = _parabola(q, v, sign * top) if limited else _damped(q - TARGET, v, w)
        edge: Callable[[float], float] = (
            (lambda t, m=motion, s=sign: s * asked(*m(t)) - top)
            if limited
            else (lambda t, m=motion: abs(asked(*m(t))) - top)
        )
        grid = np.linspace(1e-4, times[-1] - begin + 1e-4, 8000)
        over = np.array([edge(t) for t in grid])
        change = np.flatnonzero(over < 0.0 if limited else over > 0.0)
        end = times[-1] - begin + 1.0
        if len(change):
            k = int(change[0])
            end = brentq(edge, grid[k - 1], grid[k], xtol=1e-14) if k else 1e-4
        inside = (times >= begin) & (times <= begin + end)
        found[inside] = [motion(t - begin)[0] for t in times[inside]]
        q, v = motion(end)
        begin += end
    return found


def _parabola(q: float, v: float, a: float) -> Callable[[float], tuple[float, float]]:
    return lambda t: (q + v * t + 0.5 * a * t * t, v + a * t)


def _damped(e: float, v: float, w: float) -> Callable[[float], tuple[float, float]]:
    def at(t: float) -> tuple[float, float]:
        decay = math.exp(-w * t)
        return TARGET + decay * (e + (v + w * e) * t), decay * (v - w * (v + w * e) * t)

    return at


def test_limited_loop_is_parabolas_and_decay_in_pieces() -> None:
    # a corner within a step costs the square of the step: some 2e-8 rad at 1 ms
    result = docksim.run(turntable(saturated(), step_s=0.0001))
    angle = np.radians(result["v.disc.angle_deg"])
    assert np.abs(angle - pieces(result.time_s)).max() < 1e-8
    # it speeds up and brakes at its limit
    torque = result["v.disc.motor_torque_Nm"]
    assert torque.max() == pytest.approx(LIMIT, abs=1e-15)
    assert torque.min() == pytest.approx(-LIMIT, abs=1e-15)
    saturation = result["v.disc.saturation"]
    assert saturation[0] == pytest.approx(1.0 - LIMIT / (STIFFNESS * TARGET), rel=1e-12)
    assert saturation[-1] == 0.0


def test_torque_falls_with_the_rate_to_nothing_at_the_speed_limit() -> None:
    # J v' = T (1 - v / v_m): v = v_m (1 - exp(-t T / (J v_m)))
    top = math.radians(90.0)
    servo = {"mode": "torque", "target_torque_Nm": 100.0}
    result = docksim.run(turntable({"torque_limit_Nm": 3.0, "speed_limit_deg_s": 90.0, "servo": servo}))
    expected = top * (1.0 - np.exp(-result.time_s * 3.0 / (J * top)))
    assert np.abs(np.radians(result["v.disc.angle_rate_deg_s"]) - expected).max() < 1e-10


def test_velocity_loop_reaches_its_rate_by_its_time_constant() -> None:
    servo = {"mode": "velocity", "damping_Nms_rad": 4.0, "target_rate_deg_s": 30.0}
    result = docksim.run(turntable({"servo": servo}))
    expected = 30.0 * (1.0 - np.exp(-result.time_s * 4.0 / J))
    assert np.abs(result["v.disc.angle_rate_deg_s"] - expected).max() < 1e-9


def test_gear_makes_the_rotor_felt_by_the_square_of_its_ratio() -> None:
    servo = {"mode": "torque", "target_torque_Nm": 1.0}
    gear = {"ratio": 50.0, "rotor_inertia_kg_m2": 4e-4}
    result = docksim.run(turntable({"servo": servo, "gear": gear}))
    assert np.radians(result["v.disc.angle_rate_deg_s"][-1]) == pytest.approx(8.0 / (J + 1.0), rel=1e-12)


def test_sampled_and_delayed_loop_is_the_recursion_by_hand() -> None:
    servo = {"stiffness_Nm_rad": 8.0, "damping_Nms_rad": 6.0, "target_deg": 30.0, "sample_s": 0.05, "delay_s": 0.1}
    result = docksim.run(turntable({"torque_limit_Nm": 2.0, "servo": servo}))
    q = v = t = torque = 0.0
    waiting = [0.0, 0.0]
    found = []
    for step in range(8000):
        found.append(q)
        if step % 50 == 0:
            asked = min(max(8.0 * (math.radians(30.0) - q) - 6.0 * v, -2.0), 2.0)
            waiting.append(asked)
            due = waiting.pop(0)
        # what is computed at a sample acts from the next step on
        q, v, t = q + 1e-3 * v + 0.5e-6 * torque / J, v + 1e-3 * torque / J, t + 1e-3
        torque = due
    assert np.abs(np.radians(result["v.disc.angle_deg"][:-1]) - found[::20]).max() < 1e-11


def test_set_point_follows_a_path_and_the_coordinate_follows_the_set_point() -> None:
    path = {"kind": "move", "to_deg": 60.0, "duration_s": 5.0}
    servo = {"stiffness_Nm_rad": 2e4, "damping_Nms_rad": 4e2, "path": path}
    result = docksim.run(turntable({"servo": servo}))
    x = np.clip(result.time_s / 5.0, 0.0, 1.0)
    assert np.abs(result["v.disc.command_deg"] - 60.0 * x**3 * (10 - 15 * x + 6 * x * x)).max() < 1e-10
    # the lag of the acceleration: J a / k
    assert np.abs(result["v.disc.angle_deg"] - result["v.disc.command_deg"]).max() < 1.1 * 60.0 * 5.78 / 25.0 * J / 2e4


def arm(integrator: str = "rk4", step: float = 0.001) -> dict[str, Any]:
    """A free-flyer whose joints, one of each type with axes, all have drives and devices."""
    rotary = {
        "torque_limit_Nm": 15.0,
        "speed_limit_deg_s": 80.0,
        "friction_Nm": 0.2,
        "presliding_deg": 0.2,
        "damping_Nms_rad": 0.3,
        "gear": {"ratio": 30.0, "rotor_inertia_kg_m2": 1e-4},
        "spring_table": [[-90.0, 2.0], [0.0, 0.0], [90.0, -4.0]],
        "servo": {"stiffness_Nm_rad": 60.0, "damping_Nms_rad": 20.0, "target_deg": 35.0, "rate_limit_deg_s": 20.0},
    }
    linear = {
        "force_limit_N": 30.0,
        "upper_m": 0.15,
        "stop_travel_m": 0.1,
        "brake": {"normal_force_N": 2.0, "friction_coefficient": 0.3},
        "presliding_m": 1e-3,
        "servo": {"stiffness_N_m": 300.0, "damping_Ns_m": 80.0, "target_m": 0.1},
    }
    body = {"mass_kg": 8.0, "center_of_mass_m": [0.4, 0.05, 0.0], "inertia_kg_m2": [0.3, 0.8, 0.9]}
    joints = {
        "shoulder": {"type": "universal", "axis": [0, 0, 1], "axis_2": [0, 1, 0], "first": {"actuator": rotary},
                     "second": {"actuator": rotary}},
        "slide": {"type": "prismatic", "axis": [1, 0, 0], "actuator": linear},
        "turret": {"type": "cylindrical", "axis": [1, 0, 0], "rotation": {"actuator": rotary},
                   "translation": {"actuator": linear}},
        "wrist": {"type": "revolute", "axis": [0, 1, 0], "actuator": rotary},
    }  # fmt: skip
    bodies, parent = {}, "base"
    for name, joint in joints.items():
        bodies[name] = {**body, "parent": parent, "joint": {**deepcopy(joint), "position_m": [0.8, 0.0, 0.0]}}
        parent = name
    craft = {"mass_kg": 200.0, "inertia_kg_m2": [60, 70, 80], "rate_deg_s": [1, -2, 0.5], "bodies": bodies}
    return {
        "vehicles": {"v": craft},
        "solver": {"duration_s": 4.0, "step_s": step, "integrator": integrator},
        "outputs": {"every_s": 0.05},
    }


@pytest.fixture(scope="module")
def flown() -> Result:
    return docksim.run(arm())


def test_drives_on_every_axis_keep_momentum_and_close_the_energy(flown: Result) -> None:
    assert float(flown.metrics["momentum.linear_residual_relative"]) < 1e-11
    assert float(flown.metrics["momentum.angular_residual_relative"]) < 1e-11
    # friction's corners, at 1 ms
    assert np.abs(flown["energy.residual_J"]).max() < 1e-5 * np.abs(flown["energy.work.joint_motors_J"]).max()
    names = ("shoulder.first", "shoulder.second", "slide", "turret.rotation", "turret.translation", "wrist")
    total = sum(flown[f"v.{name}.motor_work_J"] for name in names)
    assert np.abs(total - flown["energy.work.joint_motors_J"]).max() < 1e-12
    for name in names:
        assert np.abs(flown[f"v.{name}.motor_work_J"]).max() > 1e-3, name


def test_linearly_implicit_steps_agree_with_explicit_ones(flown: Result) -> None:
    implicit = docksim.run(arm("linearly_implicit", 0.0005))
    for name in ("shoulder.first", "wrist", "turret.rotation"):
        apart = np.abs(implicit[f"v.{name}.angle_deg"] - flown[f"v.{name}.angle_deg"]).max()
        assert apart < 2e-3, name


def test_stiff_loop_is_steady_in_linearly_implicit_steps_however_long() -> None:
    servo = {"stiffness_Nm_rad": 2e6, "damping_Nms_rad": 4e3, "target_deg": 10.0, "rate_limit_deg_s": 5.0}
    result = docksim.run(turntable({"servo": servo}, step_s=0.02, integrator="linearly_implicit"))
    assert result["v.disc.angle_deg"][-1] == pytest.approx(10.0, abs=1e-6)


def test_events_set_drives_and_look_at_them() -> None:
    scenario = turntable({"servo": {"stiffness_Nm_rad": 80.0, "damping_Nms_rad": 25.0, "target_deg": 20.0}})
    path = {"kind": "move", "to_deg": -30.0, "duration_s": 2.0}
    scenario["events"] = {
        "there": {
            "when": {"device": "v.disc", "above_deg": 19.0},
            "do": {"set": {"device": "v.disc", "servo": {"path": path}}},
        },
        "off": {
            "when": {"after": "there", "delay_s": 3.0},
            "do": {"set": {"device": "v.disc", "servo": {"enabled": False}}},
        },
        "push": {"when": {"after": "off"}, "do": {"set": {"device": "v.disc", "torque_Nm": 0.5}}},
        "felt": {"when": [{"after": "push"}, {"device": "v.disc", "torque_above_Nm": 0.4}], "do": {"phase": "FELT"}},
    }
    result = docksim.run(scenario)
    at = {event.name: event.time_s for event in result.events}
    assert at["there"] < at["off"] <= at["push"] <= at["felt"] < at["push"] + 0.01
    there = np.searchsorted(result.time_s, at["there"] + 2.5)
    assert result["v.disc.angle_deg"][there] == pytest.approx(-30.0, abs=0.5)
    last = result["v.disc.angle_rate_deg_s"][-1] - result["v.disc.angle_rate_deg_s"][-2]
    assert last == pytest.approx(math.degrees(0.5 / J) * 0.02, rel=1e-9)


def test_a_released_joint_begins_where_it_is() -> None:
    servo = {"stiffness_Nm_rad": 50.0, "damping_Nms_rad": 20.0, "target_deg": 40.0, "rate_limit_deg_s": 10.0}
    scenario = turntable({"servo": servo, "torque_limit_Nm": 1e3})
    joint = scenario["vehicles"]["v"]["bodies"]["disc"]["joint"]
    joint |= {"drive": {"kind": "rate", "rate_deg_s": 5.0}}
    scenario["events"] = {"free": {"when": {"time_s": 4.0}, "do": {"release": "v.disc"}}}
    result = docksim.run(scenario)
    k = int(np.searchsorted(result.time_s, 4.02))
    assert np.all(result["v.disc.motor_torque_Nm"][: k - 1] == 0.0)
    assert result["v.disc.command_deg"][k] == pytest.approx(20.0 + 10.0 * 0.02, abs=1e-6)
    assert abs(float(result["energy.residual_J"][-1])) < 1e-9


def test_run_that_is_kept_and_gone_on_with_has_the_same_bits(flown: Result, tmp_path: Path) -> None:
    run = Run(compile_scenario(load_scenario(arm())))
    run.advance(1737)
    run = read_checkpoint(write_checkpoint(run, tmp_path / "kept.npz"))
    run.advance(1 << 30)
    rows = run.log.filled().shaft
    for k, name in enumerate(one.name for one in in_order(run.compiled.assembly)):
        motor = "motor_force_N" if f"{name}.motor_force_N" in flown else "motor_torque_Nm"
        assert np.array_equal(rows["motor"][:, k], flown[f"{name}.{motor}"]), name

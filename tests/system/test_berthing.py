"""Berthing with an arm, rigid and elastic: outcome, budgets, loads, the program, the station's reaction."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.config import load_scenario
from docksim.result.result import Result
from tests.physics.test_beam_sections import (
    assert_moments_are_stiffness_times_curvature,
    assert_root_bears_what_was_logged_there,
)
from tests.support.shipped import SCENARIOS, matrices
from tests.system.bits_of_runs import assert_bits_of_the_table

NAMES = ["berth_module", "berth_module_elastic", "berth_module_held"]


@functools.cache
def berthing(name: str) -> Result:
    return docksim.run(SCENARIOS / f"{name}.yaml")


def row(result: Result, time: float) -> int:
    return int(np.searchsorted(result.time_s, time))


def event(result: Result, name: str) -> float:
    return next(e.time_s for e in result.events if e.name == name)


def test_every_berthing_that_is_shipped_is_tested_here() -> None:
    assert sorted(path.stem for path in SCENARIOS.glob("berth_*.yaml")) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_berthing_has_the_bits_of_the_table(name: str) -> None:
    assert_bits_of_the_table(name, berthing(name))


@pytest.mark.parametrize("name", NAMES)
def test_module_is_grappled_carried_caught_and_hard_docked(name: str) -> None:
    result = berthing(name)
    assert result.outcome == "hard-docked", result.reason
    order = ("reach", "grapple", "carry", "limp", "contact", "seat", "captured", "hooks")
    times = [event(result, key) for key in order]
    assert times == sorted(times)
    # the hand joins the two vehicles long before; hard dock is the join at the berth
    assert result.metrics["berth.hard_dock_s"] == pytest.approx(event(result, "hooks"))
    assert result["berth.latches_engaged"].max() == 3
    for key, channel in result.channels.items():
        assert np.isfinite(channel.data).all(), key


# rk4 at 2 ms: the rigid arm's wrist is damped at some 800/s, the elastic arm has modes near 1000 rad/s that are damped:
# what is lost is truncation, 17 and 13 times less at half the step
@pytest.mark.parametrize(
    ("name", "momentum"), [("berth_module", 1e-11), ("berth_module_elastic", 1e-7), ("berth_module_held", 1e-11)]
)
def test_energy_and_momentum_budgets_close(name: str, momentum: float) -> None:
    metrics = berthing(name).metrics
    assert float(metrics["budget.approach_J"]) > 1.0
    assert float(metrics["budget.residual_of_approach"]) < 1e-3
    assert float(metrics["momentum.linear_residual_relative"]) < momentum
    assert float(metrics["momentum.angular_residual_relative"]) < momentum


def with_prescribed_joints(name: str) -> dict[str, Any]:
    """The same scenario without servos: joints are driven along the plan, exactly, and released."""
    content = load_scenario(SCENARIOS / f"{name}.yaml").model_dump(exclude_none=True)
    for body in content["vehicles"]["station"]["bodies"].values():
        del body["joint"]["actuator"]
        body["joint"]["drive"] = {"kind": "hold"}
    for event in content["events"].values():
        event["do"] = [_without_servo(action) for action in event["do"]]
    return content


def _without_servo(action: dict[str, Any]) -> dict[str, Any]:
    if "set" not in action:
        return action
    joint, servo = action["set"]["device"], action["set"]["servo"]
    return {"drive": {"joint": joint, "profile": servo["path"]}} if "path" in servo else {"release": joint}


def test_servos_meet_the_berth_as_prescribed_joints_do() -> None:
    exact, servos = docksim.run(with_prescribed_joints("berth_module")).metrics, berthing("berth_module").metrics
    apart = {key: abs(float(servos[key]) - float(exact[key])) for key in exact if "at_contact" in key}
    assert apart["berth.at_contact.lateral_offset_m"] < 1e-3
    assert max(apart["berth.at_contact.roll_deg"], apart["berth.at_contact.pitch_yaw_deg"]) < 0.05
    assert apart["berth.at_contact.closing_rate_m_s"] < 1e-4
    assert apart["berth.at_contact.lateral_rate_m_s"] < 1e-4


def test_drives_of_the_arm_stay_within_their_torque() -> None:
    result = berthing("berth_module")
    for joint in load_scenario(SCENARIOS / "berth_module.yaml").vehicles["station"].bodies:
        assert np.abs(result[f"station.{joint}.motor_torque_Nm"]).max() < 1200.0
        assert result[f"station.{joint}.saturation"].max() == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_loads_stay_within_the_limits_of_the_interface(name: str) -> None:
    metrics = berthing(name).metrics
    limits = {key: value for key, value in metrics.items() if key.endswith(".of_limit")}
    assert len(limits) == 6
    assert {key: value for key, value in limits.items() if float(value) >= 1.0} == {}


def test_port_follows_the_program_but_for_what_the_module_drifted_before_the_grapple() -> None:
    result = berthing("berth_module")
    at_hold = row(result, event(result, "carry") + 100.0)
    position, misalignment = result["berth.position_m"][at_hold], result["berth.misalignment_deg"][at_hold]
    # the hand takes the module as it finds it: 0.5 mm/s along, 0.3 mm/s across and 0.005 deg/s for 21 s, the turn about
    # the mass centre with an arm of 3 m; and the station moves by a millimetre while the arm reaches out
    assert abs(position[0] + 0.3) < 0.02
    assert np.linalg.norm(position[1:]) < 0.02
    assert 0.05 < np.linalg.norm(misalignment) < 0.15


def test_station_reacts_so_that_the_common_mass_centre_stays() -> None:
    result = berthing("berth_module")
    weighed = np.zeros_like(result["station.position_m"])
    parts = {"station": result.scenario.vehicles["station"], "module": result.scenario.vehicles["module"]}
    parts |= {f"station.{name}": body for name, body in result.scenario.vehicles["station"].bodies.items()}
    for name, part in parts.items():
        arms = np.einsum("nij,j->ni", matrices(result[f"{name}.attitude"]), np.array(part.center_of_mass_m))
        weighed += part.mass_kg * (result[f"{name}.position_m"] + arms)
    centre = weighed / sum(part.mass_kg for part in parts.values())
    drift = 10000.0 * np.array(result["module.velocity_m_s"][0]) / sum(part.mass_kg for part in parts.values())
    expected = centre[0] + np.outer(result.time_s, drift)
    # positions of some 10 m, known to rounding
    assert np.abs(centre - expected).max() < 1e-9
    moved = np.linalg.norm(result["station.position_m"] - result["station.position_m"][0], axis=1)
    assert 0.05 < moved.max() < 0.2


def test_station_turns_while_the_module_swings_and_rests_afterwards() -> None:
    result = berthing("berth_module")
    q = result["station.attitude"]
    turned = 2.0 * np.degrees(np.arccos(np.clip(np.abs(q @ q[0]), 0.0, 1.0)))
    assert 0.1 < turned[-1] < 0.3
    rates = np.linalg.norm(result["station.rate_deg_s"], axis=1)
    carrying = (result.time_s > event(result, "carry")) & (result.time_s < event(result, "limp"))
    # hard-docked, all that is left is the little angular momentum that the module came with
    assert rates[-1] < 0.02 * rates[carrying].max()


def test_elastic_booms_swing_and_the_program_knows_nothing_of_it() -> None:
    rigid, elastic = berthing("berth_module"), berthing("berth_module_elastic")
    end = row(rigid, min(event(rigid, "limp"), event(elastic, "limp")) - 1.0)
    apart = np.linalg.norm(rigid["berth.position_m"][:end] - elastic["berth.position_m"][:end], axis=1)
    carrying = rigid.time_s[:end] > event(rigid, "carry")
    assert 0.002 < apart[carrying].max() < 0.1
    for joint in ("elbow", "shoulder_pitch"):
        same = rigid[f"station.{joint}.command_deg"][:end] - elastic[f"station.{joint}.command_deg"][:end]
        # set-points: the same table at the same times, from servos that are let go at other times
        assert np.abs(same).max() < 1e-12


def test_a_module_that_is_only_held_by_the_arm_is_not_hard_docked() -> None:
    content = load_scenario(SCENARIOS / "berth_module.yaml").model_dump(exclude_none=True)
    content["solver"] |= {"duration_s": 25.0}
    content["outputs"] |= {"every_s": 0.1}
    result = docksim.run(content)
    assert event(result, "grapple") < 25.0
    assert result.outcome == "not captured"


def test_moment_in_an_elastic_boom_is_its_stiffness_times_its_curvature() -> None:
    result = berthing("berth_module_elastic")
    assert_moments_are_stiffness_times_curvature(result)
    assert_root_bears_what_was_logged_there(result)


def test_hand_that_stays_on_carries_the_loop_until_it_lets_go() -> None:
    """The hooks close a loop: an impulse with a loss, then a load round it; opened, nothing is left of it."""
    result = berthing("berth_module_held")
    hooks, let_go = event(result, "hooks"), event(result, "let_go")
    loss = next(e.energy_loss_J for e in result.events if e.name == "hooks")
    assert 1e-4 < loss < 1.0
    held = np.linalg.norm(result["station.wrist_roll.grip+module.grapple.load_force_N"], axis=1)
    joined = np.linalg.norm(result["module.hatch+station.berth.load_force_N"], axis=1)
    time = result.time_s
    during = (time > hooks + 0.1) & (time < let_go - 0.1)
    assert held[during].min() > 1.0
    assert joined[during].min() > 1.0
    assert held[time > let_go + 0.1].max() == 0.0
    assert joined[time < hooks - 0.1].max() == 0.0
    # no other forces act on the module but those of seal and petals, which are inside the join
    gained = (
        result["module.velocity_m_s"][row(result, let_go - 0.1)] - result["module.velocity_m_s"][row(result, hooks)]
    )
    assert np.linalg.norm(gained) < 1e-3

"""Actuators on joints that cannot be: what is wrong, where, and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from docksim.config import ScenarioError, load_scenario

SERVO = {"stiffness_Nm_rad": 10.0, "damping_Nms_rad": 5.0}


def faults(joint: dict[str, Any], do: dict[str, Any] | None = None) -> list[str]:
    body = {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}
    content: dict[str, Any] = {
        "vehicles": {"v": {**body, "bodies": {"arm": {**body, "joint": joint}}}},
        "solver": {"duration_s": 1.0, "step_s": 0.01},
        "outputs": {"every_s": 0.1},
    }
    if do is not None:
        content["events"] = {"one": {"when": {"time_s": 0.5}, "do": do}}
    try:
        load_scenario(content)
    except ScenarioError as error:
        return [f"{problem.key}: {problem.message}" for problem in error.problems]
    return []


def turning(**actuator: Any) -> dict[str, Any]:
    return {"type": "revolute", "axis": [0, 0, 1], "actuator": actuator}


WHERE = "vehicles.v.bodies.arm.joint"
JOINTS: list[tuple[dict[str, Any], str]] = [
    ({"type": "fixed", "actuator": {}}, f"{WHERE}.actuator: a fixed joint has no axis to drive; remove it"),
    ({"type": "spherical", "drive": {}}, f"{WHERE}.drive: a spherical joint has no axis to drive; remove it"),
    (turning(torque_limit_Nm=0.0, servo=SERVO), f"{WHERE}.actuator.torque_limit_Nm: 0.0 must be greater than 0"),
    (turning(torque_limit_Nm=-5.0, servo=SERVO), f"{WHERE}.actuator.torque_limit_Nm: -5.0 must be greater than 0"),
    (
        turning(torque_limit_Nm=1.0, speed_limit_deg_s=0.0, servo=SERVO),
        f"{WHERE}.actuator.speed_limit_deg_s: 0.0 must be greater than 0",
    ),
    (
        turning(speed_limit_deg_s=10.0, servo=SERVO),
        f"{WHERE}.actuator.speed_limit_deg_s: needs torque_limit_Nm: the force at rest",
    ),
    (
        turning(servo={**SERVO, "sample_s": 0.02, "delay_s": 0.03}),
        f"{WHERE}.actuator.servo.delay_s: 0.03 s must be a whole multiple of sample_s, which is 0.02 s; the nearest",
    ),
    (
        turning(servo={**SERVO, "sample_s": 0.025}),
        f"{WHERE}.actuator.servo.sample_s: 0.025 s must be a whole multiple of solver.step_s",
    ),
    (turning(servo={**SERVO, "follows": "mean"}), f"{WHERE}.actuator: servo.follows: mean is for the six legs"),
    (
        turning(servo={**SERVO, "target_torque_Nm": 1.0}),
        f"{WHERE}.actuator.servo.target_torque_Nm: belongs to mode: to",
    ),
    (
        turning(servo={"mode": "torque", "damping_Nms_rad": 1.0}),
        f"{WHERE}.actuator.servo.damping_Nms_rad: belongs to a position or velocity loop",
    ),
    (
        turning(servo={**SERVO, "target_deg": 1.0, "path": {"kind": "move", "to_deg": 1.0, "duration_s": 1.0}}),
        f"{WHERE}.actuator.servo.path: excludes target_deg; the path says where the set-point goes",
    ),
    (
        {**turning(damping_Nms_rad=1.0), "damping_Nms_rad": 2.0},
        f"{WHERE}.actuator: has damping_Nms_rad, and the joint has it too; give it in one place",
    ),
    (
        {**turning(gear={"ratio": 5.0, "rotor_inertia_kg_m2": 1.0}), "rotor_inertia_kg_m2": 2.0},
        f"{WHERE}.actuator: has a rotor, and the joint has rotor_inertia_kg_m2; give one of them",
    ),
    (
        {**turning(upper_deg=10.0), "angle_deg": 20.0},
        f"{WHERE}.actuator: the joint starts at a coordinate that lies ab",
    ),
    ({**turning(), "actuator": {"force_limit_N": 1.0}}, f"{WHERE}.actuator.force_limit_N: unknown key"),
]

COMMANDS: list[tuple[dict[str, Any], str]] = [
    ({"device": "v.am", "torque_Nm": 1.0}, "device: no device 'v.am'"),
    ({"device": "v.arm", "force_N": 1.0}, "force_N: does not fit: 'v.arm' is an angle, in deg and N m; use torque_Nm"),
    (
        {"device": "v.arm", "servo": {"path": {"kind": "move", "to_m": 1.0, "duration_s": 1.0}}},
        "servo.path: does not fit: 'v.arm' is an angle, in deg and N m",
    ),
    (
        {"device": "v.arm", "servo": {"target_torque_Nm": 1.0}},
        "servo.target_torque_Nm: belongs to mode: torque, and 'v",
    ),
]


@pytest.mark.parametrize(("joint", "message"), JOINTS)
def test_an_actuator_that_cannot_be_is_refused_with_key_and_advice(joint: dict[str, Any], message: str) -> None:
    found = faults(joint)
    assert any(fault.startswith(message) for fault in found), found


@pytest.mark.parametrize(("command", "message"), COMMANDS)
def test_a_command_that_does_not_fit_a_joint_is_refused(command: dict[str, Any], message: str) -> None:
    found = faults(turning(servo=SERVO), {"set": command})
    assert any(fault.startswith(f"events.one.do.set.{message}") for fault in found), found


def test_a_valid_actuator_has_no_faults() -> None:
    assert faults(turning(servo=SERVO, torque_limit_Nm=3.0), {"set": {"device": "v.arm", "torque_Nm": 1.0}}) == []

"""The condition `device` and the action `set`: names of devices, units, and what a device must have to be set."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.docks import faults
from tests.unit.config.test_devices import HUNT, ONES, SERVO, STEWART, data

SPEED = {"mode": "velocity", "damping_Ns_m": 100.0}
COUPLINGS = {
    "axial": {"weights": ONES, "linear": {"lower_m": -1.0, "upper_m": 1.0, "servo": {**SERVO, "enabled": False}}},
    "eddy": {"weights": [1, -1, 0, 0, 0, 0], "linear": {"eddy_current": {"peak_force_N": 9.0, "at_rate_m_s": 0.1}}},
    "table": {"weights": ONES, "linear": {"damping_table": [[0, 0], [1, 2]]}},
    "speed": {"weights": ONES, "linear": {"servo": SPEED}},
    "gauge": {"weights": ONES},
}


def scenario(
    when: Any = None, do: Any = None, mechanism: dict[str, Any] | None = None, **solver: float
) -> dict[str, Any]:
    """A chaser with strokes and couplings, a visitor with cranks, and one event."""
    body = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 20.0, 25.0]}
    own = mechanism or data(STEWART, **COUPLINGS)
    vehicles = {"chaser": {**body, "mechanism": own}, "visitor": {**body, "mechanism": data(HUNT)}}
    event = {"when": when or {"time_s": 0.0}, "do": do or {"phase": "NEXT"}}
    return {"vehicles": vehicles, "solver": {"duration_s": 1.0, **solver}, "events": {"one": event}}


CONDITIONS: list[tuple[dict[str, Any], str]] = [
    ({"device": "chaser.legs.1"}, "when: needs exactly one of above_m, below_m, above_deg"),
    ({"device": "chaser.legs.1", "above_m": 0.0, "rate_below_m_s": 1.0}, "when.rate_below_m_s: excludes 'above_m'"),
    ({"device": "chaser.leg.1", "above_m": 0.0}, "when.device: no device 'chaser.leg.1'; there is chaser.legs, chaser"),
    ({"device": "chaser.legs.7", "above_m": 0.0}, "when.device: no device 'chaser.legs.7'"),
    ({"device": "chaser.couplings.axal", "above_m": 0.0}, "when.device: no device 'chaser.couplings.axal'"),
    ({"device": "chaser.legs", "above_m": 0.0}, "when.device: 'chaser.legs' are six legs; a condition looks at one"),
    ({"device": "chaser.legs.1", "above_deg": 0.0}, "when.above_deg: does not fit: 'chaser.legs.1' is a stroke, in m "),
    ({"device": "visitor.legs.1", "force_above_N": 0.0}, "when.force_above_N: does not fit: 'visitor.legs.1' is a cra"),
    ({"device": "chaser.couplings.gauge", "force_above_N": 1.0}, "when.force_above_N: 'chaser.couplings.gauge' has no"),
]

COMMANDS: list[tuple[dict[str, Any], str]] = [
    ({"device": "chaser.legs"}, "do.set: sets nothing; give at least one of force_N, torque_Nm"),
    ({"device": "chaser.legs", "servo": {}}, "do.set.servo: sets nothing; give at least one of enabled, mode"),
    ({"force_N": 1.0}, "do.set.device: missing; add the key 'device'"),
    ({"device": "chaser.coupling.axial", "force_N": 1.0}, "do.set.device: no device 'chaser.coupling.axial'"),
    ({"device": "chaser.legs", "torque_Nm": 1.0}, "do.set.torque_Nm: does not fit: 'chaser.legs' is a stroke, in m an"),
    ({"device": "visitor.legs.2", "damping_Ns_m": 1.0}, "do.set.damping_Ns_m: does not fit: 'visitor.legs.2' is a cra"),
    ({"device": "chaser.legs", "friction_N": -1.0}, "do.set.friction_N: -1.0 must be at least 0"),
    ({"device": "chaser.couplings.gauge", "force_N": 1.0}, "do.set.device: 'chaser.couplings.gauge' has no devices an"),
    ({"device": "chaser.couplings.table", "damping_Ns_m": 1.0}, "do.set.damping_Ns_m: the damper of 'chaser.couplings"),
    ({"device": "chaser.legs.2", "eddy_peak_force_N": 1.0}, "do.set.eddy_peak_force_N: 'chaser.legs.2' has no eddy_cu"),
    ({"device": "chaser.legs", "servo": {"enabled": True}}, "do.set.servo: 'chaser.legs' has no servo; add one to the"),
    ({"device": "chaser.couplings.axial", "servo": {"target_deg": 1.0}}, "do.set.servo.target_deg: does not fit: 'cha"),
    ({"device": "chaser.couplings.axial", "servo": {"target_m": 1.5}}, "do.set.servo.target_m: 1.5 lies above upper_m"),
    ({"device": "chaser.couplings.axial", "servo": {"target_rate_m_s": 1.5}}, "do.set.servo.target_rate_m_s: belongs "),
    ({"device": "chaser.couplings.speed", "servo": {"target_m": 0.5}}, "do.set.servo.target_m: belongs to mode: posit"),
    ({"device": "chaser.couplings.speed", "servo": {"mode": "position"}}, "do.set.servo.mode: position needs stiffnes"),
    ({"device": "chaser.couplings.axial", "servo": {"mode": "speed"}}, "do.set.servo.mode: 'speed' is not known; choo"),
    ({"device": "chaser.couplings.axial", "servo": {"force_limit_N": 0.0}}, "do.set.servo.force_limit_N: 0.0 must be "),
    ({"device": "chaser.couplings.axial", "servo": {"admittance": False}}, "do.set.servo.admittance: the servo of 'ch"),
    ({"device": "chaser.couplings.axial", "servo": {"gain": 0.0}}, "do.set.servo.gain: unknown key; known here: enabl"),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "wanted"), CONDITIONS)
def test_condition_on_what_is_not_there_is_refused(condition: dict[str, Any], wanted: str) -> None:
    found = faults(scenario(when=condition))
    assert len(found) == 1
    assert found[0].startswith(f"events.one.{wanted}"), found


@pytest.mark.parametrize(("command", "wanted"), COMMANDS)
def test_setting_what_a_device_does_not_have_is_refused(command: dict[str, Any], wanted: str) -> None:
    found = faults(scenario(do={"set": command}))
    assert len(found) == 1
    assert found[0].startswith(f"events.one.{wanted}"), found


def test_wrong_unit_is_answered_with_the_right_key() -> None:
    (found,) = faults(scenario(do={"set": {"device": "visitor.legs", "friction_N": 1.0}}))
    assert found.endswith("'visitor.legs' is a crank, in deg and N m; use friction_Nm")
    (found,) = faults(scenario(when={"device": "chaser.legs.3", "rate_above_deg_s": 1.0}))
    assert found.endswith("use rate_above_m_s")


def test_misspelt_device_is_answered_with_a_suggestion() -> None:
    (found,) = faults(scenario(do={"set": {"device": "chaser.couplings.axal", "friction_N": 1.0}}))
    assert found.endswith("did you mean 'chaser.couplings.axial'?")


def test_scenario_without_a_mechanism_has_no_devices() -> None:
    content = scenario(do={"set": {"device": "chaser.legs", "force_N": 1.0}})
    content["vehicles"] = {"chaser": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]}}
    (found,) = faults(content)
    text = "no vehicle of this scenario has a mechanism or a joint with an 'actuator'"
    assert found == f"events.one.do.set.device: no device 'chaser.legs'; {text}"


def test_legs_of_both_families_are_set_one_by_one() -> None:
    from tests.unit.config.test_devices import mixed

    both = scenario(do={"set": {"device": "chaser.legs", "force_N": 1.0}}, mechanism=mixed({}))
    (found,) = faults(both)
    assert "strokes and cranks; set the legs one by one" in found
    for leg, key in ((5, "force_N"), (6, "torque_Nm")):
        assert faults(scenario(do={"set": {"device": f"chaser.legs.{leg}", key: 1.0}}, mechanism=mixed({}))) == []


def test_velocity_loop_can_become_a_position_loop_with_a_stiffness() -> None:
    command = {"device": "chaser.couplings.speed", "servo": {"mode": "position", "stiffness_N_m": 5.0, "target_m": 0.1}}
    assert faults(scenario(do={"set": command})) == []
    # and may be aimed later, by another action
    aim = {"device": "chaser.couplings.speed", "servo": {"target_m": 0.1}}
    assert faults(scenario(do=[{"set": command}, {"set": aim}])) == []
    follower = data(STEWART, {"servo": {**SERVO, "follows": "mean"}})
    command = {"device": "chaser.legs", "servo": {"mode": "velocity"}}
    (found,) = faults(scenario(do={"set": command}, mechanism=follower))
    assert "velocity is not for a servo that follows the mean" in found


def test_all_that_a_device_has_can_be_set() -> None:
    commands = [
        {"device": "chaser.legs", "force_N": 1.0, "friction_N": 2.0, "damping_Ns_m": 3.0},
        {"device": "visitor.legs.6", "torque_Nm": 1.0, "friction_Nm": 2.0, "damping_Nms_rad": 3.0},
        {"device": "chaser.couplings.eddy", "eddy_peak_force_N": 0.0},
        {"device": "chaser.couplings.axial", "servo": {"enabled": True, "target_m": 0.5, "force_limit_N": 10.0}},
    ]
    when = {"device": "visitor.legs.2", "torque_below_Nm": -1.0}
    assert faults(scenario(when=when, do=[{"set": command} for command in commands])) == []


@pytest.mark.parametrize(
    ("times", "wanted"),
    [
        ({"sample_s": 0.0015}, "sample_s: 0.0015 s must be a whole multiple of solver.step_s, which is 0.001 s; the n"),
        ({"sample_s": 0.01, "delay_s": 0.015}, "delay_s: 0.015 s must be a whole multiple of sample_s, which is 0.01 "),
        ({"sample_s": 1e8}, "sample_s: 100000000.0 s is longer than any run; sample more often"),
        ({"sample_s": 0.001, "delay_s": 11.0}, "delay_s: 11.0 s is 1.1e+04 samples, and 10000 is the limit; shorten"),
    ],
)
def test_samples_of_servos_fit_the_step(times: dict[str, float], wanted: str) -> None:
    actuator = {"servo": {**SERVO, **times}}
    for mechanism, path in (
        (data(STEWART, actuator), "symmetric.actuator"),
        (data(STEWART, a={"weights": ONES, "linear": actuator}), "couplings.a.linear"),
    ):
        (found,) = faults(scenario(mechanism=mechanism))
        assert found.startswith(f"vehicles.chaser.mechanism.{path}.servo.{wanted}"), found


def test_body_cannot_take_the_name_of_the_couplings() -> None:
    content = scenario()
    joint = {"type": "fixed"}
    content["vehicles"]["chaser"]["bodies"] = {
        "couplings": {"mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0], "joint": joint}
    }
    (found,) = faults(content)
    assert "'couplings' is also the name of one of the vehicle's mechanism's parts" in found


def test_fault_in_a_mechanism_is_all_that_is_told_of_it() -> None:
    """An event on the devices of a broken mechanism may be right: it is looked at when the mechanism is mended."""
    content = scenario(do={"set": {"device": "chaser.couplings.axial", "servo": {"target_m": 0.5}}})
    content["vehicles"]["chaser"]["mechanism"]["couplings"]["axial"] = {
        "weights": ONES,
        "linear": {"servo": {"stiffness_N_m": -1.0}},
    }
    (found,) = faults(content)
    assert found == "vehicles.chaser.mechanism.couplings.axial.linear.servo.stiffness_N_m: -1.0 must be at least 0"
    content["events"]["one"]["do"]["set"]["device"] = "visitor.legs"
    assert len(faults(content)) == 2

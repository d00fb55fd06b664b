"""Devices in mechanism files: what may stand together, what a coupling needs, and messages that say what is wrong."""

from __future__ import annotations

import math
from typing import Any

import pytest

from docksim.config import ScenarioError, load_mechanism
from docksim.config.checks.devices import coupled_at_reference
from docksim.config.schema.actuators import LinearActuator, RotaryActuator
from docksim.config.schema.device_parts import Gear, LinearBrake, RotaryBrake, Screw
from docksim.config.schema.mechanism import Mechanism

RING = {"mass_kg": 38.0, "inertia_kg_m2": [13.5, 7.5, 7.5]}
CIRCLES = {"base_radius_m": 0.62, "ring_radius_m": 0.60, "base_half_angle_deg": 16.5, "ring_half_angle_deg": 16.5}
STEWART = {"type": "UPS", **CIRCLES}
HUNT = {"type": "RUS", **CIRCLES, "crank_m": 0.25, "rod_m": 0.48}
ONES = [1.0] * 6
SERVO = {"stiffness_N_m": 1e4, "damping_Ns_m": 500.0}
ADMITTING = {**SERVO, "sample_s": 0.01, "admittance": {"mass_kg": 5.0, "damping_Ns_m": 1.0}}
CRANK_SERVO = {"stiffness_Nm_rad": 1e3, "damping_Nms_rad": 50.0}


def data(legs: dict[str, Any], actuator: dict[str, Any] | None = None, **couplings: Any) -> dict[str, Any]:
    """A mechanism of equal legs."""
    part = {**legs, "actuator": actuator or {}}
    head: dict[str, Any] = {"ring": RING, "reference": {"position_m": [0.4, 0.0, 0.0]}}
    return {**head, "symmetric": part, "couplings": couplings}


def mixed(actuator: dict[str, Any], **couplings: Any) -> dict[str, Any]:
    """Five legs with strokes, the last with a crank."""
    legs = [leg.model_dump(exclude_none=True) for leg in load_mechanism(data(STEWART, actuator)).six_legs()]
    crank = load_mechanism(data(HUNT)).six_legs()[5].model_dump(exclude_none=True)
    head: dict[str, Any] = {"ring": RING, "reference": {"position_m": [0.4, 0.0, 0.0]}}
    return {**head, "legs": [*legs[:5], crank], "couplings": couplings}


def faults(content: dict[str, Any]) -> list[str]:
    try:
        load_mechanism(content)
    except ScenarioError as error:
        return [f"{problem.key}: {problem.message}" for problem in error.problems]
    return []


# ---------------------------------------------------------------- figures


def test_brake_that_unloads_itself_hardly_depends_on_the_coefficient() -> None:
    plain = [LinearBrake(normal_force_N=100.0, friction_coefficient=mu).slip for mu in (0.2, 0.4)]
    adjusted = [
        LinearBrake(normal_force_N=100.0, friction_coefficient=mu, self_adjustment=50.0).slip for mu in (0.2, 0.4)
    ]
    assert plain == pytest.approx([20.0, 40.0])
    # mu N / (1 + mu s): 20 / 11 and 40 / 21, 5 percent apart while mu doubles
    assert adjusted == pytest.approx([20.0 / 11.0, 40.0 / 21.0])
    turning = RotaryBrake(normal_force_N=100.0, friction_coefficient=0.2, mean_radius_m=0.05)
    assert turning.slip == pytest.approx(1.0)


def test_rotors_are_felt_through_screw_and_gear() -> None:
    # one turn of the screw is 20 mm, so 1 m/s is 2 pi 50 rad/s of the screw, three times that of the rotor
    screw = Screw(lead_mm=20.0, gear_ratio=3.0, rotor_inertia_kg_m2=1e-5)
    assert screw.reflected == pytest.approx(1e-5 * (3.0 * 2.0 * math.pi * 50.0) ** 2)
    assert LinearActuator(screw=screw).rotor == screw.reflected
    assert LinearActuator(rotor_mass_kg=4.0).rotor == 4.0
    gear = Gear(ratio=50.0, rotor_inertia_kg_m2=1e-5)
    assert RotaryActuator(gear=gear).rotor == gear.reflected == pytest.approx(0.025)


def test_values_of_both_families_are_asked_for_in_the_same_words() -> None:
    linear = LinearActuator(lower_m=-0.1, force_N=3.0, rotor_mass_kg=2.0, force_limit_N=9.0)
    rotary = RotaryActuator(lower_deg=-90.0, torque_Nm=3.0, rotor_inertia_kg_m2=2.0, torque_limit_Nm=9.0)
    for stem in ("force", "rotor_mass", "force_limit"):
        assert linear.si(stem) == rotary.si(stem)
    assert (linear.si("lower"), rotary.si("lower")) == (-0.1, pytest.approx(-math.pi / 2))
    assert linear.si("upper") is rotary.si("upper") is None


def test_every_key_of_one_actuator_has_a_twin_in_the_other() -> None:
    from docksim.config.schema.twins import stem_of

    pair = [{stem_of(key) for key in part.model_fields} for part in (LinearActuator, RotaryActuator)]
    assert pair[0] ^ pair[1] == {"screw", "gear"}


def test_coupling_at_the_reference_is_the_weighted_sum() -> None:
    mechanism = load_mechanism(data({**STEWART, "lower_length_m": 0.2, "upper_arm_m": 0.2}, sum={"weights": ONES}))
    stroke = coupled_at_reference(mechanism.couplings["sum"], mechanism.six_legs(), mechanism) / 6.0
    azimuth = math.radians(60.0 - 2 * 16.5)
    square = 0.4**2 + 0.62**2 + 0.6**2 - 2 * 0.62 * 0.6 * math.cos(azimuth)
    assert stroke == pytest.approx(math.sqrt(square) - 0.4, abs=1e-12)


def test_crank_angle_is_counted_in_the_turn_of_its_limits() -> None:
    """A reference near 57 deg is 417 deg to a crank between 400 and 450 deg."""
    coupling = {"weights": ONES, "rotary": {"lower_deg": 2400.0}}
    near = load_mechanism(data(HUNT, sum={"weights": ONES}))
    there = load_mechanism(data(HUNT, {"lower_deg": 400.0, "upper_deg": 450.0}, sum=coupling))
    values = [coupled_at_reference(one.couplings["sum"], one.six_legs(), one) for one in (near, there)]
    assert values[1] - values[0] == pytest.approx(6 * 2.0 * math.pi, abs=1e-9)
    (found,) = faults(data(HUNT, {"lower_deg": 430.0, "upper_deg": 450.0}))
    assert "the reference pose needs a crank angle of 41" in found


# ---------------------------------------------------------------- refusals

ACTUATORS: list[tuple[dict[str, Any], str]] = [
    ({"stop_travel_m": 0.0}, "stop_travel_m: 0.0 must be greater than 0"),
    ({"preload_N": -1.0}, "preload_N: -1.0 must be at least 0"),
    ({"preload_N": 5.0}, "preload_N: needs a spring; give stiffness_N_m"),
    ({"preload_N": 5.0, "stiffness_N_m": 1.0, "preload_give_m": 0.0}, "preload_give_m: 0.0 must be greater than 0"),
    ({"rebound_stiffness_N_m": -2.0}, "rebound_stiffness_N_m: -2.0 must be at least 0"),
    ({"spring_table": [[0, 1]]}, "spring_table: has 1 of the 2 needed"),
    ({"spring_table": [[0, 1], [0, 2]]}, "spring_table: does not increase: 0.0 comes after 0.0"),
    ({"spring_table": [[0, 1], [1, 2, 3]]}, "spring_table.1: expected a row of 2 numbers, got 3"),
    ({"spring_table": [[0, 1], [1, math.nan]]}, "spring_table.1.1: nan is not a finite number"),
    ({"spring_table": [[0, 1], [1, 0]], "stiffness_N_m": 2.0}, "spring_table: excludes stiffness_N_m; the table is"),
    ({"spring_table": [[0, 1], [1, 0]], "preload_N": 2.0}, "spring_table: excludes preload_N"),
    ({"spring_table": [[0, 1], [1, 0]], "rest_m": 0.0}, "spring_table: excludes rest_m"),
    ({"spring_table": [[0, 1], [1, 0]], "rebound_stiffness_N_m": 0.0}, "spring_table: excludes rebound_stiffness_N_m"),
    ({"damping_table": [[0, 0], [1, 5]], "damping_Ns_m": 2.0}, "damping_table: excludes damping_Ns_m"),
    ({"damping_table": [[0.1, 1], [1, 5]]}, "damping_table: must contain the row [0, 0]"),
    ({"damping_table": [[0, 0], [1, -5]]}, "damping_table: row [1.0, -5.0] would drive the motion"),
    ({"damping_table": [[0, 0], [2, 5], [1, 6]]}, "damping_table: does not increase: 1.0 comes after 2.0"),
    ({"eddy_current": {"peak_force_N": 0.0, "at_rate_m_s": 0.1}}, "eddy_current.peak_force_N: 0.0 must be greater"),
    ({"eddy_current": {"peak_force_N": 5.0}}, "eddy_current.at_rate_m_s: missing; add the key 'at_rate_m_s'"),
    ({"eddy_current": {"peak_torque_Nm": 5.0, "at_rate_m_s": 1.0}}, "eddy_current.peak_torque_Nm: unknown key"),
    ({"brake": {"normal_force_N": 5.0}}, "brake.friction_coefficient: missing"),
    (
        {"brake": {"normal_force_N": 5.0, "friction_coefficient": 0.1}, "friction_N": 1.0},
        "brake: excludes friction_N; give one of them",
    ),
    (
        {"brake": {"normal_force_N": 5.0, "friction_coefficient": 0.1, "mean_radius_m": 0.1}},
        "brake.mean_radius_m: unknown key",
    ),
    (
        {"brake": {"normal_force_N": 5.0, "friction_coefficient": 0.1, "self_adjustment": -1.0}},
        "brake.self_adjustment: -1.0 must be at least 0",
    ),
    ({"screw": {"lead_mm": 0.0, "rotor_inertia_kg_m2": 1e-5}}, "screw.lead_mm: 0.0 must be greater than 0"),
    ({"screw": {"lead_m": 0.02, "rotor_inertia_kg_m2": 1e-5}}, "screw.lead_m: unknown key; units are part of the key"),
    ({"screw": {"lead_mm": 5.0, "rotor_inertia_kg_m2": 1e-5}, "rotor_mass_kg": 1.0}, "screw: excludes rotor_mass_kg"),
    ({"screw": {"lead_mm": 1e-200, "rotor_inertia_kg_m2": 1e-5}}, "screw: the rotor as it is felt is inf; give"),
    ({"brake": {"normal_force_N": 1e15, "friction_coefficient": 1e15}}, "brake: the force at which it slips is 1e+30"),
    (
        {"spring_table": [[0, 1], [1e9, 2]]},
        "spring_table: 1000000000.0 is out of all proportion; at most 1e+06",
    ),
    ({"spring_table": [[0, 1], [1e-300, 2]]}, "spring_table: 0.0 and 1e-300 are too close; 1e-09 is the least"),
    ({"stiffness_N_m": 1.0, "preload_give_m": 1e-300}, "preload_give_m: 1e-300 is too small; 1e-09 is the least"),
    ({"stiffness_N_m": 1.0, "rest_m": 1e9}, "rest_m: 1000000000.0 is out of all proportion; at most 1e+06 in size"),
    ({"gear": {"ratio": 5.0, "rotor_inertia_kg_m2": 1e-5}}, "gear: unknown key"),
]

SERVOS: list[tuple[dict[str, Any], str]] = [
    ({"damping_Ns_m": 5.0}, "servo.stiffness_N_m: missing; a position loop needs it, or choose mode: velocity"),
    ({**SERVO, "mode": "velocity"}, "servo.stiffness_N_m: belongs to mode: position"),
    ({"mode": "velocity", "target_m": 0.1}, "servo.target_m: belongs to mode: position; a velocity loop has target_ra"),
    ({"mode": "velocity", "follows": "mean"}, "servo.follows: mean is for mode: position"),
    ({"mode": "speed"}, "servo.mode: 'speed' is not known; choose one of position, velocity"),
    ({**SERVO, "target_rate_m_s": 0.1}, "servo.target_rate_m_s: belongs to mode: velocity; a position loop has target"),
    ({**SERVO, "rate_limit_m_s": 0.0}, "servo.rate_limit_m_s: 0.0 must be greater than 0"),
    ({**SERVO, "delay_s": 0.1}, "servo.delay_s: 0.1 s needs sample_s; a continuous servo has no delay"),
    ({**SERVO, "sample_s": 0.0}, "servo.sample_s: 0.0 must be greater than 0"),
    ({**SERVO, "target_deg": 3.0}, "servo.target_deg: unknown key; units are part of the key, and this one is wanted"),
    ({**SERVO, "target_m": 0.3}, "servo: target_m lies above upper_m, which is 0.2"),
    ({**SERVO, "target_m": -0.3}, "servo: target_m lies below lower_m, which is -0.2"),
    ({**SERVO, "admittance": {"mass_kg": 5.0, "damping_Ns_m": 9.0}}, "servo.admittance: needs sample_s; the force of"),
    (
        {"mode": "velocity", "sample_s": 0.01, "admittance": {"mass_kg": 5.0, "damping_Ns_m": 9.0}},
        "servo.admittance: moves a set-point, so it needs mode: position",
    ),
    (
        {**SERVO, "sample_s": 0.01, "admittance": {"mass_kg": 0.0, "damping_Ns_m": 9.0}},
        "servo.admittance.mass_kg: 0.0 must be greater than 0",
    ),
    (
        {**SERVO, "sample_s": 0.01, "admittance": {"mass_kg": 1.0, "damping_Ns_m": 300.0}},
        "servo.admittance: mass_kg 1.0 is so small that the set-point would run away with sample_s 0.01; more than 1.5",
    ),
]


@pytest.mark.parametrize(("actuator", "wanted"), ACTUATORS)
def test_actuator_that_contradicts_itself_is_refused(actuator: dict[str, Any], wanted: str) -> None:
    found = faults(data(STEWART, actuator))
    assert [line for line in found if line.startswith(f"symmetric.actuator.{wanted}")], found


@pytest.mark.parametrize(("servo", "wanted"), SERVOS)
def test_servo_that_contradicts_itself_is_refused(servo: dict[str, Any], wanted: str) -> None:
    found = faults(data(STEWART, {"lower_m": -0.2, "upper_m": 0.2, "servo": servo}))
    assert [line for line in found if line.startswith(f"symmetric.actuator.{wanted}")], found


def test_refusals_of_cranks_name_the_keys_of_cranks() -> None:
    brake = {"normal_force_N": 5.0, "mean_radius_m": 0.1, "friction_coefficient": 0.1}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"preload_Nm": 1.0}, "preload_Nm: needs a spring; give stiffness_Nm_rad"),
        ({"spring_table": [[0, 1], [9, 0]], "rest_deg": 1.0}, "spring_table: excludes rest_deg"),
        ({"brake": brake, "friction_Nm": 1.0}, "brake: excludes friction_Nm"),
        ({"gear": {"ratio": 5.0, "rotor_inertia_kg_m2": 1e-5}, "rotor_inertia_kg_m2": 1.0}, "gear: excludes rotor_ine"),
        ({"servo": {"stiffness_Nm_rad": 5.0, "target_deg": 99.0}, "upper_deg": 90.0}, "servo: target_deg lies above u"),
        ({"stop_travel_deg": 0.0}, "stop_travel_deg: 0.0 must be greater than 0"),
    ]
    for actuator, wanted in cases:
        found = faults(data(HUNT, actuator))
        assert [line for line in found if line.startswith(f"symmetric.actuator.{wanted}")], found


def test_admittance_is_refused_from_the_edge_of_stability_on() -> None:
    """Just inside the bound the recursion z' += h (F - c z' - k z) / m, z += h z' decays; at the bound it does not."""
    h, c, k = 0.01, 300.0, 2e4
    edge = 0.5 * c * h + 0.25 * k * h**2
    for factor, refused in ((1.001, False), (0.999, True)):
        mass, z, rate = factor * edge, 1.0, 0.0
        for _ in range(100_000):
            rate += h * (-c * rate - k * z) / mass
            z += h * rate
        assert (abs(z) > 1.0) is refused
        admittance = {"mass_kg": mass, "damping_Ns_m": c, "stiffness_N_m": k}
        servo = {**SERVO, "sample_s": h, "admittance": admittance}
        assert bool(faults(data(STEWART, {"servo": servo}))) is refused


COUPLINGS: list[tuple[dict[str, Any], str]] = [
    ({"weights": [0.0] * 6}, "a.weights: are all zero; the coupling would measure nothing"),
    ({"weights": [1.0] * 5}, "a.weights: has 5 of the 6 needed"),
    ({"weights": [1.0] * 7}, "a.weights:"),
    ({"weights": ONES, "rotary": {}}, "a.rotary: does not fit: the weighted legs have strokes; use 'linear'"),
    ({"weights": ONES, "linear": {}, "rotary": {}}, "a.rotary: excludes 'linear'"),
    ({"weights": ONES, "linear": {"lower_m": 0.5}}, "a.linear.lower_m: 0.5 is not kept at the reference pose, where"),
    ({"weights": ONES, "linear": {"upper_m": -0.5}}, "a.linear.upper_m: -0.5 is not kept at the reference pose"),
    (
        {"weights": ONES, "linear": {"servo": {**SERVO, "follows": "mean"}}},
        "a.linear.servo.follows: mean is for the servos of legs",
    ),
    (
        {"weights": ONES, "linear": {"servo": ADMITTING}},
        "a.linear.servo.admittance: is for the servos of legs",
    ),
    ({"wieghts": ONES}, "a.wieghts: unknown key; did you mean 'weights'?"),
]


@pytest.mark.parametrize(("coupling", "wanted"), COUPLINGS)
def test_coupling_that_cannot_be_is_refused(coupling: dict[str, Any], wanted: str) -> None:
    found = faults(data(STEWART, a=coupling))
    assert [line for line in found if line.startswith(f"couplings.{wanted}")], found


def test_coupling_name_is_a_name() -> None:
    found = faults(data(STEWART, **{"sum of all": {"weights": ONES}}))
    assert "'sum of all' cannot be a name" in found[0]


def test_coupling_adds_legs_of_one_family_only() -> None:
    (found,) = faults(mixed({}, a={"weights": ONES}))
    assert found.startswith("couplings.a.weights:")
    assert "legs 1, 2, 3, 4, 5 have strokes and legs 6 have cranks" in found
    assert faults(mixed({}, a={"weights": [1.0] * 5 + [0.0], "linear": {}})) == []
    (found,) = faults(mixed({}, a={"weights": [0.0] * 5 + [1.0], "linear": {}}))
    assert found == "couplings.a.linear: does not fit: the weighted legs have cranks; use 'rotary'"


def test_mean_length_needs_legs_of_one_family() -> None:
    servo = {**SERVO, "follows": "mean"}
    assert faults(data(STEWART, {"servo": servo})) == []
    assert faults(data(HUNT, {"servo": {**CRANK_SERVO, "follows": "mean"}})) == []
    found = faults(mixed({"servo": servo}))
    assert len(found) == 5
    assert found[0].startswith("legs.0.actuator.servo.follows: mean needs six legs of one family")


def test_everything_at_once_loads_and_survives_being_written() -> None:
    admittance = {"mass_kg": 50.0, "damping_Ns_m": 200.0, "dead_band_N": 2.0, "travel_limit_m": 0.1}
    actuator = {
        "preload_N": 50.0, "stiffness_N_m": 500.0, "rebound_stiffness_N_m": 100.0, "damping_table": [[0, 0], [0.1, 30]],
        "eddy_current": {"peak_force_N": 100.0, "at_rate_m_s": 0.05}, "force_limit_N": 500.0,
        "brake": {"normal_force_N": 100.0, "friction_coefficient": 0.2, "self_adjustment": 10.0},
        "screw": {"lead_mm": 20.0, "rotor_inertia_kg_m2": 5e-5},
        "servo": {**SERVO, "sample_s": 0.01, "delay_s": 0.02, "admittance": admittance},
    }  # fmt: skip
    couplings = {"sum": {"weights": ONES, "linear": {"spring_table": [[-1, 5], [0, 0], [1, -2]]}}}
    mechanism = load_mechanism(data(STEWART, actuator, **couplings))
    assert load_mechanism(mechanism.model_dump(mode="json", exclude_none=True)) == mechanism
    assert isinstance(mechanism, Mechanism)

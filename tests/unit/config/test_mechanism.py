"""Mechanism files: the two ways to describe legs, and messages that say what is wrong, where, all at once."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from docksim.config import ScenarioError, load_mechanism, load_scenario
from docksim.config.schema.legs import HuntLeg, StewartLeg
from docksim.config.schema.mechanism import Mechanism

HEAD = """\
ring: {mass_kg: 38, inertia_kg_m2: [13.5, 7.5, 7.5]}
reference: {position_m: [0.4, 0, 0]}
"""
STEWART = (
    HEAD
    + """\
symmetric:
  type: UPS
  base_radius_m: 0.62
  ring_radius_m: 0.60
  base_half_angle_deg: 8
  ring_half_angle_deg: 8
"""
)
HUNT = (
    HEAD
    + """\
symmetric:
  type: RUS
  base_radius_m: 0.62
  ring_radius_m: 0.60
  base_half_angle_deg: 16.5
  ring_half_angle_deg: 16.5
  crank_m: 0.25
  rod_m: 0.48
"""
)


@pytest.fixture
def load(write: Callable[[str, str], Path]) -> Callable[[str], Mechanism]:
    """Loads a text as the file m.yaml."""

    def load(text: str) -> Mechanism:
        write("m.yaml", text)
        return load_mechanism("m.yaml")

    return load


@pytest.fixture
def faults(load: Callable[[str], Mechanism]) -> Callable[[str], list[str]]:
    def faults(text: str) -> list[str]:
        try:
            load(text)
        except ScenarioError as error:
            return str(error).splitlines()
        return []

    return faults


# ---------------------------------------------------------------- symmetric legs


def azimuth(point: tuple[float, float, float]) -> float:
    return math.degrees(math.atan2(point[2], point[1])) % 360.0


def test_symmetric_legs_pair_up_by_turns_at_base_and_ring(load: Callable[[str], Mechanism]) -> None:
    legs = load(STEWART).six_legs()
    assert [azimuth(leg.base_joint_m) for leg in legs] == pytest.approx([352, 8, 112, 128, 232, 248])
    assert [azimuth(leg.ring_joint_m) for leg in legs] == pytest.approx([308, 52, 68, 172, 188, 292])
    assert all(math.hypot(*leg.base_joint_m) == pytest.approx(0.62) for leg in legs)
    assert all(math.hypot(*leg.ring_joint_m) == pytest.approx(0.60) for leg in legs)


def test_lengths_left_out_give_zero_stroke_at_the_reference(load: Callable[[str], Mechanism]) -> None:
    span = math.hypot(0.4, *(0.62 * math.cos(math.radians(8)) - 0.6 * math.cos(math.radians(52)),
                             0.62 * math.sin(math.radians(8)) - 0.6 * math.sin(math.radians(52))))  # fmt: skip
    for text, arm in ((STEWART, 0.5 * span), (STEWART + "  upper_arm_m: 0.2\n", 0.2)):
        for leg in load(text).six_legs():
            assert isinstance(leg, StewartLeg)
            assert leg.upper_arm_m == pytest.approx(arm, abs=1e-12)
            assert leg.lower_length_m + leg.upper_arm_m == pytest.approx(span, abs=1e-12)


def test_azimuths_can_be_given_one_by_one(load: Callable[[str], Mechanism]) -> None:
    text = STEWART.replace("base_half_angle_deg: 8", "base_azimuths_deg: [0, 10, 120, 130, 240, 250]")
    assert [azimuth(leg.base_joint_m) for leg in load(text).six_legs()] == pytest.approx([0, 10, 120, 130, 240, 250])


def test_elbow_words_choose_the_side_of_the_crank(load: Callable[[str], Mechanism]) -> None:
    def elbow_radius(leg: Any, mechanism: Mechanism) -> float:
        from docksim.config.schema.leg_geometry import crank_reach

        return float(0.62 + leg.crank_m * math.sin(crank_reach(leg, mechanism.reference).angle(leg.elbow)))

    outward, inward = load(HUNT), load(HUNT + "  elbow: inward\n")
    for out, into in zip(outward.six_legs(), inward.six_legs(), strict=True):
        assert isinstance(out, HuntLeg)
        assert elbow_radius(out, outward) > 0.62 > elbow_radius(into, inward)


def test_crank_axes_are_tangential(load: Callable[[str], Mechanism]) -> None:
    from docksim.algebra.quat import quat_vec
    from docksim.algebra.vec3 import dot

    for leg in load(HUNT).six_legs():
        axis = quat_vec(leg.base_axes.quaternion_wxyz(), (0.0, 1.0, 0.0))
        assert dot(axis, leg.base_joint_m) == pytest.approx(0.0, abs=1e-14)
        assert axis[0] == pytest.approx(0.0, abs=1e-14)


def test_written_out_legs_load_as_explicit_ones(load: Callable[[str], Mechanism]) -> None:
    for text in (STEWART, HUNT):
        mechanism = load(text)
        legs = [leg.model_dump(exclude_none=True) for leg in mechanism.six_legs()]
        data = mechanism.model_dump(exclude_none=True, exclude={"symmetric"})
        assert load_mechanism({**data, "legs": legs}).six_legs() == mechanism.six_legs()


def test_part_of_a_mechanism_can_come_from_another_file(write: Any) -> None:
    write("configs/mechanisms/base.yaml", STEWART)
    write("m.yaml", "use: configs/mechanisms/base.yaml\nring: {mass_kg: 50}\n")
    assert load_mechanism("m.yaml").ring.mass_kg == 50.0


# ---------------------------------------------------------------- messages


def explicit(legs: str) -> str:
    return HEAD + "legs:\n" + legs


LEG = "  - {type: UPS, base_joint_m: [0, 0.6, 0], ring_joint_m: [0, 0, 0.6], lower_length_m: 0.5, upper_arm_m: 0.5}\n"
CRANK = "  - {type: RUS, base_joint_m: [0, 0.6, 0], ring_joint_m: [0, 0.6, 0], crank_m: 0.2, rod_m: 0.05}\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (HEAD, ["m.yaml:1: needs exactly one of symmetric, legs"]),
        (STEWART + "legs: []\n", ["m.yaml:9: legs:"]),
        (explicit(5 * LEG), ["m.yaml:3: legs:", "6"]),
        (STEWART.replace("UPS", "UPX"), ["m.yaml:4: symmetric.type: 'UPX' is not known", "did you mean 'UPS'?"]),
        (
            STEWART.replace("  type: UPS\n", ""),
            ["m.yaml:3: symmetric.type: missing; choose one of UPS, SPU, UCU, RUS, RSU"],
        ),
        (
            STEWART.replace("ring_radius_m", "ring_radius_mm"),
            ["ring_radius_mm: unknown key", "wanted in m as 'ring_radius_m'"],
        ),
        (
            STEWART.replace("base_half_angle_deg: 8", "base_half_angle_deg: 60"),
            ["m.yaml:7:", "60 must be less than 60"],
        ),
        (
            STEWART.replace("  base_half_angle_deg: 8\n", ""),
            ["needs exactly one of base_half_angle_deg, base_azimuths_deg"],
        ),
        (STEWART + "  base_azimuths_deg: [0, 1, 2, 3, 4, 5]\n", ["m.yaml:9: symmetric.base_azimuths_deg: excludes"]),
        (STEWART + "  crank_m: 0.2\n", ["m.yaml:9: symmetric.crank_m: unknown key"]),
        (STEWART + "  upper_arm_m: 2\n", ["m.yaml:9: symmetric.upper_arm_m: 2.0 m leaves nothing of the leg"]),
        (
            STEWART + "  lower: {mass_kg: 0, inertia_kg_m2: [1, 1, 1]}\n",
            ["m.yaml:9: symmetric.lower.inertia_kg_m2: a link"],
        ),
        (STEWART + "  lower: {mass_kg: -1}\n", ["m.yaml:9: symmetric.lower.mass_kg: -1 must be at least 0"]),
        (STEWART + "  turn_inertia_kg_m2: [1]\n", ["1 numbers; a leg of type UPS needs 2 (y, z), or none"]),
        (
            STEWART + "  actuator: {lower_m: 0.1, upper_m: -0.1}\n",
            ["m.yaml:9: symmetric.actuator.upper_m: -0.1 must be greater"],
        ),
        (
            STEWART + "  actuator: {lower_m: 0.1}\n",
            ["m.yaml:9: symmetric.actuator: the reference pose needs a stroke of"],
        ),
        (STEWART + "  spin: 2\n", ["m.yaml:9: symmetric.spin:"]),
        (HUNT + "  elbow: 1\n", ["m.yaml:11: symmetric.elbow:"]),
        (
            HUNT.replace("rod_m: 0.48", "rod_m: 0.1"),
            ["m.yaml:10: symmetric.rod_m: 0.1 m does not reach", "a rod between"],
        ),
        (
            HUNT + "  actuator: {upper_deg: 20}\n",
            ["m.yaml:11: symmetric.actuator: the reference pose needs a crank angle of"],
        ),
        (explicit(5 * LEG + CRANK), ["m.yaml:9: legs.5.rod_m: 0.05 m does not reach the ring"]),
        (
            explicit(5 * LEG + CRANK.replace("rod_m", "rodd_m")),
            ["m.yaml:9: legs.5.rodd_m: unknown key; did you mean 'rod_m'?"],
        ),
        (
            explicit(5 * LEG + LEG.replace("[0, 0, 0.6]", "[-0.4, 0.6, 0]")),
            ["legs.5.ring_joint_m: the ring joint lies on"],
        ),
        (STEWART.replace("13.5", "100"), ["m.yaml:1: ring.inertia_kg_m2:"]),
    ],
)
def test_mistake_is_told_with_file_line_and_key(
    faults: Callable[[str], list[str]], text: str, wanted: list[str]
) -> None:
    found = "\n".join(faults(text))
    assert found
    assert all(words in found for words in wanted), found


def test_all_mistakes_are_told_at_once(faults: Callable[[str], list[str]]) -> None:
    text = STEWART.replace("mass_kg: 38", "mass_kg: -38").replace("0.62", "zero") + "  lowr: {mass_kg: 1}\n"
    found = faults(text)
    assert len(found) == 3
    assert [line.split(":")[1] for line in found] == ["1", "5", "9"]


def test_missing_file_and_text_that_is_no_mapping_are_told(write: Any) -> None:
    write("list.yaml", "- 1\n")
    for name, words in (("gone.yaml", "file not found"), ("list.yaml", "expected a mapping")):
        with pytest.raises(ScenarioError, match=words):
            load_mechanism(name)


def test_every_key_of_a_mechanism_has_a_description() -> None:
    def parts(schema: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        return [(schema["title"], schema), *schema["$defs"].items()]

    for name, part in parts(Mechanism.model_json_schema()):
        for key, content in part.get("properties", {}).items():
            assert content.get("description", "").endswith("."), f"{name}.{key}"


def test_a_mechanism_out_of_reach_on_a_vehicle_is_refused_with_the_scenario() -> None:
    legs = {"type": "RUS", "base_radius_m": 0.6, "ring_radius_m": 0.6, "base_half_angle_deg": 8.0}
    legs |= {"ring_half_angle_deg": 8.0, "crank_m": 0.05, "rod_m": 0.05}
    ring = {"mass_kg": 40.0, "inertia_kg_m2": [13.0, 7.0, 7.0]}
    mount = {"ring": ring, "reference": {"position_m": [0.4, 0.0, 0.0]}, "symmetric": legs}
    vehicle = {"mass_kg": 500.0, "inertia_kg_m2": [200.0, 300.0, 350.0], "mechanism": mount}
    with pytest.raises(ScenarioError) as raised:
        load_scenario({"vehicles": {"v": vehicle}, "solver": {"duration_s": 1.0}})
    assert raised.value.problems[0].key.startswith("vehicles.v.mechanism.symmetric")

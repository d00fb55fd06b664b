"""URDFs as chains: what is read, what is refused, with file, line and what to do; and chains on vehicles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.chain.build import build_chain
from docksim.config import ScenarioError, load_scenario
from docksim.config.loading.chain import read_chain
from docksim.config.loading.urdf import UrdfChoice
from docksim.config.schema.editor import scenario_json_schema
from docksim.config.schema.writer import content_to_yaml

Write = Callable[[str, str], Path]
HEAVY = '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<limit lower="-1" upper="2" effort="30" velocity="0.5"/>'


def link(name: str, inside: str = HEAVY) -> str:
    return f'<link name="{name}">{inside}</link>\n'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = LIMIT) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>{inside}</joint>\n'


# an arm of two links, a flange without mass, and a finger beside it
ARM = (
    link("foot") + link("upper") + link("lower") + link("flange", "") + link("finger")
    + joint("shoulder", "foot", "upper", inside=LIMIT + '<dynamics damping="0.3" friction="0.2"/>')
    + joint("elbow", "upper", "lower", "prismatic") + joint("mount", "lower", "flange", "fixed", "")
    + joint("grip", "lower", "finger", "continuous", "")
)  # fmt: skip


def robot(inside: str) -> str:
    return f'<?xml version="1.0"?>\n<robot name="arm">\n{inside}</robot>\n'


@pytest.fixture
def faults(write: Write) -> Callable[..., list[str]]:
    def faults(text: str, choice: UrdfChoice | None = None) -> list[str]:
        write("arm.urdf", text)
        with pytest.raises(ScenarioError) as caught:
            read_chain("arm.urdf", choice)
        return str(caught.value).splitlines()

    return faults


# ---------------------------------------------------------------- what is read


def test_urdf_keeps_names_places_limits_damping_and_friction(write: Write) -> None:
    write("arm.urdf", robot(ARM))
    chain = read_chain("arm.urdf")
    model = build_chain(chain)
    assert chain.root is not None
    assert (chain.root.name, chain.root.mass_kg) == ("foot", 2.0)
    assert model.names == ("upper", "lower", "finger")
    assert list(model.prismatic) == [False, True, False]
    assert np.allclose(model.lower, [-1.0, -1.0, -np.inf], rtol=1e-15)
    assert np.allclose(model.upper, [2.0, 2.0, np.inf], rtol=1e-15)
    assert np.allclose(model.rate_limit, [0.5, 0.5, np.inf], rtol=1e-15)
    assert list(model.effort_limit) == [30.0, 30.0, np.inf]
    assert list(model.damping) == [0.3, 0.0, 0.0]
    assert list(model.friction) == [0.2, 0.0, 0.0]
    assert chain.bodies is not None
    assert chain.bodies["lower"].frames["flange"].position_m == (0.0, 0.0, 0.5)


def test_urdf_written_as_a_chain_file_is_the_same_chain(write: Write) -> None:
    write("arm.urdf", robot(ARM))
    first = read_chain("arm.urdf")
    write("arm.yaml", content_to_yaml(first.model_dump(exclude_unset=True, exclude_none=True)))
    assert read_chain("arm.yaml").model_dump() == first.model_dump()


def test_tip_holds_what_is_off_the_way_and_adds_its_mass(write: Write) -> None:
    write("arm.urdf", robot(ARM))
    chain = read_chain("arm.urdf", UrdfChoice(tip="flange"))
    model = build_chain(chain)
    assert model.names == ("upper", "lower")
    assert model.mass[1] == 4.0
    # the finger sits at (0, 0, 0.5) of the lower link: two equal masses, the centre between them
    assert np.allclose(model.com[1], [0.0, 0.0, 0.25], rtol=1e-15)
    assert np.allclose(np.diag(model.inertia[1]), [0.2 + 2 * 0.25, 0.2 + 2 * 0.25, 0.2], rtol=1e-14)
    assert list(model.p_end[1]) == [0.0, 0.0, 0.5]


def test_joint_whose_range_leaves_zero_out_starts_half_way(write: Write) -> None:
    inside = link("foot") + link("arm") + joint("j", "foot", "arm", inside='<limit lower="1" upper="2"/>')
    write("arm.urdf", robot(inside))
    notes: list[str] = []
    assert build_chain(read_chain("arm.urdf", notes=notes)).home == pytest.approx(1.5, rel=1e-15)
    assert notes == ["joint 'j': zero is beyond its limits; it starts half-way between them"]


def test_visuals_become_solids_and_missing_meshes_are_told(write: Write) -> None:
    shapes = (
        '<visual><geometry><box size="1 2 3"/></geometry>'
        '<material name="red"><color rgba="1 0 0 1"/></material></visual>'
        '<visual><origin xyz="1 0 0"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual>'
        '<visual><geometry><mesh filename="package://arm/meshes/a.stl" scale="2 2 2"/></geometry></visual>'
        '<visual><geometry><mesh filename="b.stl"/></geometry></visual>'
    )
    write("arm/meshes/a.stl", "")
    write("arm/urdf/arm.urdf", robot(link("foot") + link("upper", HEAVY + shapes) + joint("j", "foot", "upper")))
    notes: list[str] = []
    chain = read_chain("arm/urdf/arm.urdf", notes=notes)
    assert chain.bodies is not None
    box, rod, there, absent = chain.bodies["upper"].visuals
    assert (box.type, box.colour, rod.type, rod.position_m) == ("box", "#ff0000", "cylinder", (1.0, 0.0, 0.0))
    assert Path(there.mesh_file) == Path("arm/meshes/a.stl").resolve()
    assert there.scale == (2.0, 2.0, 2.0)
    assert absent.mesh_file == "b.stl"
    assert len(notes) == 1
    assert notes[0].startswith("arm/urdf/arm.urdf:4: link 'upper': <mesh filename> 'b.stl': no such mesh")


# ---------------------------------------------------------------- what is refused

BAD = {
    "floating": (joint("j", "a", "b", "floating", ""), "5: joint 'j': type 'floating' leaves six directions free"),
    "planar": (joint("j", "a", "b", "planar", ""), "5: joint 'j': type 'planar' leaves three directions free"),
    "type": (joint("j", "a", "b", "hinge", ""), "5: joint 'j': type 'hinge' is unknown; there is revolute"),
    "no type": (
        '<joint name="j"><parent link="a"/><child link="b"/></joint>',
        "5: joint 'j': has no 'type'; there is revolute",
    ),
    "mimic": (
        joint("j", "a", "b", inside=LIMIT + '<mimic joint="k"/>'),
        "5: joint 'j': <mimic>: moves with 'k', and coupled joints are not modelled; hold it (--fix)",
    ),
    "no limit": (joint("j", "a", "b", inside=""), "5: joint 'j': a revolute joint needs <limit"),
    "order of limits": (
        joint("j", "a", "b", inside='<limit lower="2" upper="1"/>'),
        "5: joint 'j': <limit>: lower 2 is not below upper 1; mend them, or make the joint 'continuous' or 'fixed'",
    ),
    "negative limit": (
        joint("j", "a", "b", inside='<limit lower="0" upper="1" effort="-3"/>'),
        "5: joint 'j': <limit effort>: -3 is negative",
    ),
    "negative damping": (
        joint("j", "a", "b", inside=LIMIT + '<dynamics damping="-1"/>'),
        "5: joint 'j': <dynamics damping>: -1 is negative",
    ),
    "no number": (
        joint("j", "a", "b", inside='<limit lower="x" upper="1"/>'),
        "5: joint 'j': <limit lower>: expected a number, got 'x'",
    ),
    "not finite": (
        joint("j", "a", "b").replace("0 0 0.5", "0 0 inf"),
        "5: joint 'j': <origin xyz>: expected 3 numbers, got '0 0 inf'",
    ),
    "two numbers": (
        joint("j", "a", "b").replace("0 0 0.5", "0 0"),
        "5: joint 'j': <origin xyz>: expected 3 numbers, got '0 0'",
    ),
    "axis": (joint("j", "a", "b").replace("0 1 0", "0 0 0"), "5: joint 'j': <axis xyz>: has no direction"),
    "unknown parent": (joint("j", "c", "b"), "5: joint 'j': <parent>: no link 'c'; there is a, b"),
    "no parent": (joint("j", "a", "b").replace('<parent link="a"/>', ""), "5: joint 'j': <parent>: give one"),
    "two roots": ("", "4: has 2 roots: a, b; one link carries all others"),
    "cycle": (
        joint("j", "a", "b") + joint("k", "b", "a"),
        "3: link 'a': carries itself, over k, j; no link stands on nothing",
    ),
    "two parents": (
        joint("j", "a", "b") + joint("k", "a", "b"),
        "6: joint 'k': carries 'b', as 'j' does; links that close a loop are not read",
    ),
    "two names": (link("b") + joint("j", "a", "b"), "5: link 'b': is the name of another link in line 4"),
    "nothing moves": (joint("j", "a", "b", "fixed", ""), "2: has no joint that moves"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_joint_is_refused_with_its_line_and_what_to_do(case: str, faults: Callable[..., list[str]]) -> None:
    inside, message = BAD[case]
    found = faults(robot(link("a") + link("b") + inside))
    assert len(found) == 1
    assert found[0].startswith(f"arm.urdf:{message}")


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ("", "link 'b': moves on joint 'j' and has no mass; give it <inertial>, or hold the joint (--fix)"),
        ("<inertial/>", "link 'b': <mass value>: there is none; give the link's mass in kg"),
        (HEAVY.replace('"2"', '"-2"'), "link 'b': <mass value>: -2 kg is negative; give the link's mass in kg"),
        (HEAVY.replace('"2"', '"0"'), "link 'b': <mass value>: 0 kg, but it has an inertia; give a mass, or zeros"),
        ('<inertial><mass value="2"/></inertial>', "link 'b': <inertial> has no <inertia>"),
        (HEAVY.replace('ixx="0.1"', 'ixx="0.3"'), "link 'b': <inertia>: violates the triangle inequality"),
        (HEAVY.replace('ixx="0.1"', 'ixx="-0.1"'), "link 'b': <inertia>: not positive definite"),
    ],
)
def test_bad_mass_is_refused_with_its_line(inside: str, message: str, faults: Callable[..., list[str]]) -> None:
    found = faults(robot(link("a") + link("b", inside) + joint("j", "a", "b")))
    assert found[0].startswith(f"arm.urdf:4: {message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot><link", "1: XML syntax: unclosed token"),
        ("<robot>\n</robt>", "2: XML syntax: mismatched tag"),
        ("", "1: XML syntax: no element found"),
        ('<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><robot>&b;</robot>', "1: a document type"),
        ('<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>', "1: a document type"),
        ("<robot>&b;</robot>", "1: XML syntax: undefined entity"),
        ('<robot name="a\x9bb"/>', "1: text with the control character U+009B"),
        ("<mujoco/>", "1: <mujoco> is no URDF"),
        ("<robot/>", "1: has no <link>"),
        ('<robot><xacro:macro name="x"/></robot>', "1: is written in xacro; expand it first"),
        ("<robot>" + 100 * "<a>" + 100 * "</a>" + "</robot>", "1: elements nested more than 60 levels deep"),
    ],
)
def test_what_is_no_urdf_is_refused(text: str, message: str, faults: Callable[..., list[str]]) -> None:
    found = faults(text)
    assert len(found) == 1
    assert found[0].startswith(f"arm.urdf:{message}")


def test_unknown_tip_and_joint_are_told(faults: Callable[..., list[str]]) -> None:
    assert faults(robot(ARM), UrdfChoice(tip="flang"))[0].endswith("did you mean 'flange'?")
    assert "no joint 'gripp'" in faults(robot(ARM), UrdfChoice(fix=("gripp",)))[0]


def test_coupled_joint_may_be_held(write: Write) -> None:
    inside = ARM.replace('"continuous">', '"continuous"><mimic joint="elbow"/>')
    write("arm.urdf", robot(inside))
    assert build_chain(read_chain("arm.urdf", UrdfChoice(fix=("grip",)))).names == ("upper", "lower")


# ---------------------------------------------------------------- on a vehicle


def tug(use: str) -> str:
    head = "vehicles:\n  tug:\n    mass_kg: 300\n    inertia_kg_m2: [40, 50, 60]\n"
    return f"{head}    use_chain: {use}\n    bodies: {{upper: {{mass_kg: 3}}}}\nsolver: {{duration_s: 1}}\n"


@pytest.fixture
def bodies(write: Write) -> Callable[[str], Any]:
    write("configs/arm.urdf", robot(ARM))

    def bodies(use: str) -> Any:
        return load_scenario(write("s.yaml", tug(use))).vehicles["tug"].bodies

    return bodies


def test_links_become_bodies_and_keys_beside_override(bodies: Callable[[str], Any]) -> None:
    found = bodies("configs/arm.urdf")
    assert list(found) == ["foot", "upper", "lower", "finger"]
    assert found["foot"].joint.type == "fixed"
    assert found["upper"].parent == "foot"
    assert (found["upper"].mass_kg, found["lower"].mass_kg) == (3.0, 2.0)
    assert found["upper"].joint.friction_Nm == 0.2
    assert found["lower"].ports["flange"].position_m == (0.0, 0.0, 0.5)


def test_place_prefix_and_keys_of_every_joint(bodies: Callable[[str], Any]) -> None:
    use = (
        "{file: configs/arm.urdf, at: {position_m: [1, 2, 3]}, tip: flange, prefix: left_, every_joint: {locked: true}}"
    )
    found = bodies(f"[configs/arm.urdf, {use}]")
    assert list(found)[4:] == ["left_foot", "left_upper", "left_lower"]
    assert found["left_foot"].joint.position_m == (1.0, 2.0, 3.0)
    assert found["left_lower"].joint.locked
    assert found["left_lower"].mass_kg == 4.0
    assert not found["lower"].joint.locked


def test_limits_come_along_where_joints_have_actuators(bodies: Callable[[str], Any]) -> None:
    servo = "servo: {mode: torque}"
    found = bodies(f"{{file: configs/arm.urdf, tip: lower, fix: [elbow], every_joint: {{actuator: {{{servo}}}}}}}")
    actuator = found["upper"].joint.actuator
    assert actuator.torque_limit_Nm == 30.0
    assert actuator.speed_limit_deg_s == pytest.approx(np.degrees(0.5), rel=1e-15)
    assert bodies("configs/arm.urdf")["upper"].joint.actuator is None


def test_joints_without_drives_get_no_actuator(write: Write) -> None:
    loose = "{type: revolute, axis: [0, 0, 1], passive: true}"
    write("configs/arm.urdf", robot(ARM))
    write("configs/arm.yaml", f"bodies: {{upper: {{mass_kg: 1, center_of_mass_m: [1, 0, 0], joint: {loose}}}}}\n")
    use = "{file: configs/arm.yaml, every_joint: {friction_Nm: 0.5, actuator: {torque_Nm: 1.0}}}"
    joint = load_scenario(write("s.yaml", tug(use))).vehicles["tug"].bodies["upper"].joint
    assert joint.actuator is None
    assert joint.friction_Nm == 0.5


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("{file: configs/am.urdf}", "s.yaml:5: use_chain.file: no file 'configs/am.urdf'"),
        ("{fil: configs/arm.urdf}", "s.yaml:5: vehicles.tug.use_chain.file: missing"),
        ("{file: configs/arm.urdf, prefix: 7}", "s.yaml:5: vehicles.tug.use_chain.prefix: 7 is not text"),
        (
            "{file: configs/arm.urdf, parent: nose}",
            "s.yaml:5: vehicles.tug.bodies.foot.parent: no body 'nose'",
        ),
        (
            "[configs/arm.urdf, configs/arm.urdf]",
            "s.yaml:5: vehicles.tug.use_chain.1: 'foot' is also a link of another",
        ),
        ("{file: s.yaml}", "s.yaml: is no chain, but a scenario"),
        ("{file: configs/arm.urdf, tip: flang}", "s.yaml:5: vehicles.tug.use_chain.tip: no link 'flang'; there is"),
        ("{file: configs/arm.urdf, fix: [gripp]}", "s.yaml:5: vehicles.tug.use_chain.fix: no joint 'gripp'; there is"),
        (
            "{file: configs/arm.urdf, every_joint: {angle_degg: 3}}",
            "s.yaml:5: vehicles.tug.bodies.upper.joint.angle_degg: unknown key",
        ),
    ],
)
def test_bad_use_of_a_chain_is_told_with_file_and_line(use: str, message: str, bodies: Callable[[str], Any]) -> None:
    with pytest.raises(ScenarioError) as caught:
        bodies(use)
    assert message in str(caught.value)


def test_link_with_a_name_that_means_something_on_a_vehicle_needs_a_prefix(write: Write) -> None:
    """Many public robots stand on a link `base`."""
    write("configs/arm.urdf", robot(ARM.replace("foot", "base")))
    with pytest.raises(ScenarioError) as caught:
        load_scenario(write("s.yaml", tug("configs/arm.urdf")))
    assert str(caught.value).endswith(
        "s.yaml:5: vehicles.tug.use_chain.prefix: 'base' is a link of this chain, and a word of its own in a vehicle; "
        "give it a prefix, as arm_"
    )
    text = tug("{file: configs/arm.urdf, prefix: arm_}").replace("{upper:", "{arm_upper:")
    assert "arm_base" in load_scenario(write("s.yaml", text)).vehicles["tug"].bodies


def test_massless_body_must_carry_something(write: Write) -> None:
    empty = "{mass_kg: 0, inertia_kg_m2: [0, 0, 0], joint: {type: revolute, axis: [0, 0, 1]}}"
    text = tug("configs/arm.urdf").replace("{upper: {mass_kg: 3}}", f"{{stub: {empty}}}")
    write("configs/arm.urdf", robot(ARM))
    with pytest.raises(ScenarioError, match=r"stub\.mass_kg: is 0, and it carries nothing"):
        load_scenario(write("s.yaml", text))


def test_override_of_use_chain_names_what_can_be_overridden(bodies: Callable[[str], Any]) -> None:
    bodies("configs/arm.urdf")
    with pytest.raises(ScenarioError, match="change the bodies that it has made"):
        load_scenario("s.yaml", {"tug.use_chain.prefix": "x"})
    changed = load_scenario("s.yaml", {"tug.bodies.upper.joint.angle_deg": 5.0})
    assert changed.vehicles["tug"].bodies["upper"].joint.angle_deg == 5.0


def test_editors_know_use_chain() -> None:
    schema = scenario_json_schema()
    assert "use_chain" in schema["$defs"]["Vehicle"]["properties"]
    assert "every_joint" in schema["$defs"]["UseChain"]["properties"]

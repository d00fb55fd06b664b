"""The schema as the source of documentation, the editor's schema, and what importing it costs."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from docksim.config import Problem, Scenario, ScenarioError, data_root, scenario_json_schema
from docksim.config.loading.reading import Budget, NodeReader
from docksim.config.loading.syntax import compose
from docksim.config.schema import scenario as home
from docksim.config.schema.actions import LockAction
from docksim.config.schema.conditions import TimeCondition
from docksim.config.schema.drives import RotaryRate
from docksim.config.schema.events import Event
from docksim.config.schema.fields import Inertia, Part
from docksim.config.schema.joints import (
    CylindricalJoint,
    FixedJoint,
    FreeJoint,
    PrismaticJoint,
    RevoluteJoint,
    SphericalJoint,
    UniversalJoint,
    coordinate_units,
)
from docksim.config.schema.scenario import Solver
from docksim.config.schema.study import Study
from docksim.config.schema.vehicle import Body
from docksim.config.tree import plain
from docksim.config.units import UNITS, same_quantity, split_unit
from tests.unit.config.texts import FULL

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = scenario_json_schema()
NO_UNIT = {
    "exponent",
    "factor",
    "tight_at",
    "efficiency",
    "hook",  # of seals and hooks
    "seed",
    "coordinate",
    "persistence",
    "segments",
    "damping_ratio",
    "ratio",
    "fraction",
    "gear_ratio",
    "tangential_ratio",
    "friction",
    "spring_factor",
    "restitution",
    "substeps",
    "check_every",
    "count",
    "samples",
    "level_probability",
    "most_levels",
    "points",
    "latch",
    "friction_coefficient",
    "self_adjustment",
    "quaternion",
    "xx",
    "yy",
    "zz",
    "xy",
    "xz",
    "yz",
    "replicates",
    "sigma_log",
    "tolerance",
}
# numbers of a dispersion are in the unit of the key they are about, which the key says; those of a band are stiffness
UNIT_SAID_ABOVE = {(name, key) for name, keys in {
    "Normal": ("sigma",),
    "TruncatedNormal": ("sigma", "low", "high"),
    "Uniform": ("low", "high"),
    "Disc": ("radius",),
    "Band": ("low", "middle", "high"),
}.items() for key in keys}  # fmt: skip


def all_parts(part: type[Part] = Part) -> set[type[Part]]:
    return {part} | {leaf for child in part.__subclasses__() for leaf in all_parts(child)}


def test_study_files_are_part_of_the_schema() -> None:
    # so that the rules here hold for them, too, whatever else has been imported
    assert Study in all_parts()


@pytest.mark.parametrize("part", sorted(all_parts(), key=lambda part: part.__name__), ids=lambda part: part.__name__)
def test_every_part_and_key_is_documented(part: type[Part]) -> None:
    assert part.__doc__
    undocumented = [key for key, field in part.model_fields.items() if not field.description]
    assert undocumented == []


def test_keys_with_a_unit_say_it_in_their_description() -> None:
    brackets = {(part, key): f"[{UNITS[split_unit(key)[1]].replace('m2', 'm²').replace('s2', 's²')}]"
                for part in all_parts() for key in part.model_fields if split_unit(key)[1]}  # fmt: skip
    missing = [
        f"{part.__name__}.{key}"
        for (part, key), bracket in brackets.items()
        if bracket not in str(part.model_fields[key].description)
    ]
    assert missing == []


def test_numbers_without_a_unit_are_those_that_have_none() -> None:
    bare = {
        (part.__name__, key)
        for part in all_parts()
        for key, field in part.model_fields.items()
        if field.annotation in (int, float) and not split_unit(key)[1]
    }
    assert bare >= UNIT_SAID_ABOVE
    assert {key for _, key in bare - UNIT_SAID_ABOVE} <= NO_UNIT


@pytest.mark.parametrize(
    ("key", "stem", "unit"),
    [
        ("mass_kg", "mass", "kg"),
        ("inertia_kg_m2", "inertia", "kg_m2"),
        ("rate_deg_s", "rate", "deg_s"),
        ("stiffness_Nm_rad", "stiffness", "Nm_rad"),
        ("damping_Ns_m", "damping", "Ns_m"),
        ("EI_y_Nm2", "EI_y", "Nm2"),
        ("flex", "flex", ""),
    ],
)
def test_unit_is_the_end_of_the_key(key: str, stem: str, unit: str) -> None:
    assert split_unit(key) == (stem, unit)


def test_only_the_unit_may_differ_for_the_same_quantity() -> None:
    assert same_quantity("mass_lb", ["mass_kg", "rotor_mass_kg"]) == ["mass_kg"]
    assert same_quantity("above", ["above_deg", "above_m"]) == ["above_deg", "above_m"]
    assert same_quantity("mass_of_rotor", ["mass_kg"]) == []
    assert same_quantity("mass_kgs_per_hour", ["mass_kg"]) == ["mass_kg"]


# ---------------------------------------------------------------- the editor's schema


def fits(node: dict[str, Any], value: Any) -> bool:
    """Does a value fit a JSON schema? Only the words that ours uses."""
    if "$ref" in node:
        return fits(SCHEMA["$defs"][node["$ref"].rpartition("/")[2]], value)
    if "anyOf" in node and not any(fits(option, value) for option in node["anyOf"]):
        return False
    if "const" in node and value != node["const"]:
        return False
    if "enum" in node and value not in node["enum"]:
        return False
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int}
    kind = node.get("type")
    if kind == "number" and (isinstance(value, bool) or not isinstance(value, (int, float))):
        return False
    if kind in kinds and not isinstance(value, kinds[kind]):
        return False
    if isinstance(value, dict):
        known, others = node.get("properties", {}), node.get("additionalProperties", True)
        extra = [key for key in value if key not in known]
        if others is False and extra:
            return False
        pairs = [(known[key], value[key]) for key in value if key in known]
        pairs += [(others, value[key]) for key in extra if isinstance(others, dict)]
        return all(fits(inner, item) for inner, item in pairs)
    if isinstance(value, list):
        right = node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value))
        return right and all(fits(node.get("items", {}), item) for item in value)
    return True


def raw(text: str) -> Any:
    return yaml.safe_load(text.replace("1e4", "1.0e+4").replace("9e4", "9.0e+4").replace("5e3", "5.0e+3")
                          .replace("4e5", "4.0e+5").replace("1e8", "1.0e+8").replace("1.5e8", "1.5e+8"))  # fmt: skip


def test_full_scenario_fits_the_editor_schema() -> None:
    assert fits(SCHEMA, raw(FULL))


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_scenario_fits_the_editor_schema(path: Path) -> None:
    # read as docksim reads: 2.0e4 is a number
    text = path.read_text(encoding="utf-8")
    assert fits(SCHEMA, plain(NodeReader(path.name, Budget(), []).read(compose(text, path.name))))


@pytest.mark.parametrize(
    ("old", "new"),
    [("mass_kg: 9000", "mas_kg: 9000"), ("mass_kg: 9000", "mass_kg: heavy"), ("[-5, 0, 0]", "[-5, 0]")]
    + [("type: revolute", "type: revolut"), ("{lock: chaser.panel}", "{lok: chaser.panel}"), ("[40, 10, 50]", "[4]")],
)
def test_mistake_does_not_fit_the_editor_schema(old: str, new: str) -> None:
    assert not fits(SCHEMA, raw(FULL.replace(old, new)))


def test_part_with_use_needs_nothing_else_in_the_editor() -> None:
    partial = {"bodies": {"use": "x.yaml", "p": {"joint": {"angle_deg": 3.0}}, "gone": None}}
    assert fits(SCHEMA, {"use": ["a.yaml", "b.yaml"], "vehicles": {"a": {"use": "c.yaml", **partial}}})


def test_every_mapping_of_the_editor_schema_admits_use() -> None:
    def objects(node: Any) -> list[dict[str, Any]]:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else []
        own = [node] if isinstance(node, dict) and node.get("type") == "object" else []
        return own + [found for child in inner for found in objects(child)]

    found = objects(SCHEMA)
    assert len(found) > 50
    assert all("use" in node["properties"] for node in found)


def test_every_property_of_the_editor_schema_has_help() -> None:
    for part in [SCHEMA, *SCHEMA["$defs"].values()]:
        # a reference alone takes the description of the part it refers to
        assert all(content.keys() & {"description", "$ref"} for content in part["properties"].values())


# ---------------------------------------------------------------- Python


def test_parts_can_be_built_in_python() -> None:
    event = Event(when=TimeCondition(time_s=1.0), do=[LockAction(lock="a.b")])
    assert event.when == [TimeCondition(time_s=1.0)]
    joint = RevoluteJoint(axis=(0.0, 0.0, 1.0), drive=RotaryRate(rate_deg_s=3.0))
    body = Body(mass_kg=1.0, inertia_kg_m2=Inertia(xx=1.0, yy=1.0, zz=1.0), joint=joint)
    assert body.joint.type == "revolute"


def test_one_number_stands_for_three_axes() -> None:
    assert SphericalJoint(stiffness_Nm_rad=3.0).stiffness_Nm_rad == (3.0, 3.0, 3.0)


def test_three_forms_of_an_inertia_are_the_same() -> None:
    forms = ([1.0, 2.0, 2.5], [[1, 0, 0], [0, 2, 0], [0, 0, 2.5]], {"xx": 1, "yy": 2, "zz": 2.5})
    assert len({repr(Inertia.model_validate(form).matrix()) for form in forms}) == 1


def test_parts_do_not_change_after_loading() -> None:
    with pytest.raises(ValidationError):
        Solver(duration_s=1.0).duration_s = 2.0


def test_coordinates_of_the_joint_types() -> None:
    axis = (1.0, 0.0, 0.0)
    assert coordinate_units(RevoluteJoint(axis=axis)) == ("deg",)
    assert coordinate_units(PrismaticJoint(axis=axis)) == ("m",)
    assert coordinate_units(CylindricalJoint(axis=axis)) == ("deg", "m")
    assert coordinate_units(UniversalJoint(axis=axis, axis_2=(0.0, 1.0, 0.0))) == ("deg", "deg")
    assert coordinate_units(FreeJoint()) == coordinate_units(FixedJoint()) == ()


def test_error_prints_and_pickles_with_all_its_problems() -> None:
    error = ScenarioError([Problem("a.yaml", 3, "k", "bad"), Problem("b.yaml", None, "", "worse")])
    assert str(error) == "a.yaml:3: k: bad\nb.yaml: worse"
    copy = pickle.loads(pickle.dumps(error))
    assert copy.problems == error.problems
    assert str(copy) == str(error)


def test_data_root_holds_the_configurations() -> None:
    assert (data_root() / "configs" / "vehicles").is_dir()


def test_importing_the_schema_does_not_import_the_engine() -> None:
    heavy = ("numba", "scipy", "matplotlib", "numpy", "pandas")
    loading = "import sys, docksim.config.schema.editor, docksim.config.loading.scenario"
    code = f"{loading}; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_scenario_is_what_the_loader_gives() -> None:
    assert Scenario is home.Scenario

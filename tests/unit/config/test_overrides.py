"""Single keys changed by dotted path, from Python and from the command line."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from docksim.config import Scenario, ScenarioError, load_scenario, parse_override
from tests.unit.config.texts import FULL, SMALL

Load = Callable[..., Scenario]
Faults = Callable[..., list[str]]


# ---------------------------------------------------------------- what they change


@pytest.mark.parametrize("key", ["vehicles.chaser.mass_kg", "chaser.mass_kg"])
def test_vehicle_may_stand_first(load: Load, key: str) -> None:
    assert load(FULL, overrides={key: 8000}).vehicles["chaser"].mass_kg == 8000.0


def test_key_that_the_file_leaves_out_can_be_set(load: Load) -> None:
    assert load(SMALL, overrides={"solver.step_s": 0.01}).solver.step_s == 0.01
    assert load(SMALL, overrides={"outputs.every_s": 1}).outputs.every_s == 1.0
    assert load(SMALL, overrides={"chaser.attitude.rotation_vector_deg": [0, 0, 1]}).vehicles["chaser"].attitude


def test_list_items_go_by_index(load: Load) -> None:
    found = load(FULL, overrides={"chaser.position_m.1": 7, "events.capture.do.2.phase": "SOFT"})
    assert found.vehicles["chaser"].position_m == (-5.0, 7.0, 0.0)
    assert found.events["capture"].do[2].phase == "SOFT"


def test_item_of_a_default_list_can_be_set(load: Load) -> None:
    assert load(SMALL, overrides={"chaser.rate_deg_s.2": 3}).vehicles["chaser"].rate_deg_s == (0.0, 0.0, 3.0)


def test_mapping_merges_and_list_replaces(load: Load) -> None:
    found = load(FULL, overrides={"solver": {"step_s": 0.001}, "chaser.position_m": [1, 2, 3]})
    assert (found.solver.duration_s, found.solver.step_s) == (60.0, 0.001)
    assert found.vehicles["chaser"].position_m == (1.0, 2.0, 3.0)


def test_none_removes(load: Load) -> None:
    found = load(FULL, overrides={"chaser.loads.shake": None, "events.end": None})
    assert found.vehicles["chaser"].loads == {}
    assert "end" not in found.events


def test_new_type_clears_the_joint_whatever_the_order(load: Load) -> None:
    changes = {"chaser.bodies.panel.joint.axis": [1, 0, 0], "chaser.bodies.panel.joint.type": "prismatic"}
    event = {"events.deployed": None}
    one = load(FULL, overrides={**changes, **event})
    other = load(FULL, overrides={**dict(reversed(changes.items())), **event})
    assert one == other
    assert one.vehicles["chaser"].bodies["panel"].joint.type == "prismatic"


def test_other_form_of_attitude_replaces(load: Load) -> None:
    found = load(FULL, overrides={"chaser.attitude.quaternion": [1, 0, 0, 0]})
    assert found.vehicles["chaser"].attitude.yaw_pitch_roll_deg is None


def test_override_reaches_into_a_used_part(write: Callable[[str, str], Path]) -> None:
    write("craft.yaml", "mass_kg: 1\ninertia_kg_m2: [1, 1, 1]\nports: {p: {position_m: [1, 1, 1]}}\n")
    path = write("s.yaml", "vehicles: {a: {use: craft.yaml}}\nsolver: {duration_s: 1}\n")
    found = load_scenario(path, {"a.mass_kg": 2, "a.ports.p.position_m.0": 5})
    assert found.vehicles["a"].mass_kg == 2.0
    assert found.vehicles["a"].ports["p"].position_m == (5.0, 1.0, 1.0)


def test_override_can_use_a_file(write: Callable[[str, str], Path]) -> None:
    write("hold.yaml", "stiffness_Nm_rad: 1\ndamping_Nms_rad: 1\ntorque_limit_Nm: 1\n")
    path = write("s.yaml", SMALL)
    found = load_scenario(path, {"chaser.attitude_hold": {"use": "hold.yaml"}})
    assert found.vehicles["chaser"].attitude_hold is not None


def test_overrides_leave_the_source_alone() -> None:
    data = {"vehicles": {"a": {"mass_kg": 1, "inertia_kg_m2": [1, 1, 1]}}, "solver": {"duration_s": 1}}
    assert load_scenario(data, {"a.mass_kg": 2}).vehicles["a"].mass_kg == 2.0
    assert data["vehicles"]["a"]["mass_kg"] == 1


def test_numpy_values_are_numbers(load: Load) -> None:
    changes = {"chaser.mass_kg": np.float64(5.5), "seed": np.int64(3), "chaser.position_m": np.array([1.0, 2.0, 3.0])}
    found = load(SMALL, overrides=changes)
    assert (found.vehicles["chaser"].mass_kg, found.seed) == (5.5, 3)
    assert found.vehicles["chaser"].position_m == (1.0, 2.0, 3.0)


def test_scenario_object_can_be_loaded_again_with_changes(load: Load) -> None:
    first = load(FULL)
    assert load_scenario(first) == first
    assert load_scenario(first, {"chaser.mass_kg": 1e4}).vehicles["chaser"].mass_kg == 1e4


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("chaser.mas_kg", 1, "<override>: vehicles.chaser.mas_kg: unknown key; did you mean 'mass_kg'?"),
        ("chaser.mass_lb", 1, "<override>: vehicles.chaser.mass_lb: unknown key; units are part of the key, and this"),
        ("chaser.mass_kg", "9000", "<override>: vehicles.chaser.mass_kg: '9000' is text because of its quotes"),
        ("chaser.mass_kg", -1, "<override>: vehicles.chaser.mass_kg: -1 must be greater than 0"),
        ("chsr.mass_kg", 1, "<override>: chsr.mass_kg: begins with neither a key of the scenario (name, description"),
        (
            "chaser.bodies.panl.mass_kg",
            1,
            "<override>: chaser.bodies.panl.mass_kg: vehicles.chaser.bodies has no 'panl",
        ),
        ("chaser.position_m.3", 1, "<override>: chaser.position_m.3: '3' is not an item of vehicles.chaser.position_m"),
        ("chaser.position_m.x", 1, "<override>: chaser.position_m.x: 'x' is not an item of vehicles.chaser.position_m"),
        ("chaser.mass_kg.x", 1, "<override>: chaser.mass_kg.x: leads into vehicles.chaser.mass_kg, which is neither"),
        ("chaser..mass_kg", 1, "<override>: chaser..mass_kg: not a dotted path; write it like chaser.mass_kg"),
        ("", 1, "<override>: not a dotted path"),
        ("chaser.use", "x.yaml", "<override>: chaser.use: is worked in before overrides are; change the keys"),
        ("chaser.bodys.panel.mass_kg", 1, "<override>: vehicles.chaser.bodys: unknown key; did you mean 'bodies'?"),
        ("solver.step_s", {1, 2}, "<override>: solver.step_s: a value of type set cannot stand in a scenario"),
        (3, 1, "<override>: 3: an override goes by a dotted path"),
    ],
)
def test_override_that_leads_nowhere_is_refused(faults: Faults, key: str, value: object, expected: str) -> None:
    found = faults(FULL, overrides={key: value})
    assert found[0].startswith(expected), found


@pytest.mark.parametrize(
    ("key", "end"),
    [
        ("chsr.mass_kg", "; did you mean 'chaser'?"),
        ("solvr.step_s", "; did you mean 'solver'?"),
        ("chaser.bodies.panl.mass_kg", "(it has panel, cover, slide, sleeve, ball); did you mean 'panel'?"),
    ],
)
def test_misspelt_path_comes_with_a_suggestion(faults: Faults, key: str, end: str) -> None:
    (found,) = faults(FULL, overrides={key: 1})
    assert found.endswith(end)


def test_command_line_names_its_own_option(write: Callable[[str, str], Path]) -> None:
    write("s.yaml", SMALL)
    with pytest.raises(ScenarioError) as caught:
        load_scenario("s.yaml", {"chaser.mas_kg": 1}, override_origin="--set")
    assert str(caught.value) == "--set: vehicles.chaser.mas_kg: unknown key; did you mean 'mass_kg'?"


def test_faults_of_file_and_overrides_come_together(faults: Faults) -> None:
    found = faults(SMALL.replace("100", "heavy"), overrides={"nobody.x": 1, "solver.step_s": "fast"})
    assert len(found) == 3


# ---------------------------------------------------------------- key=value


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("chaser.mass_kg=9e3", ("chaser.mass_kg", 9000.0)),
        ("chaser.mass_kg = 1e-3", ("chaser.mass_kg", 1e-3)),
        ("a=[1, 2.5, on]", ("a", [1, 2.5, "on"])),
        ("a={kind: hold}", ("a", {"kind": "hold"})),
        ("a=true", ("a", True)),
        ("a=null", ("a", None)),
        ("a='12'", ("a", "12")),
        ("a=some words", ("a", "some words")),
        ("a=b=c", ("a", "b=c")),
    ],
)
def test_value_is_read_as_in_a_file(text: str, pair: tuple[str, object]) -> None:
    key, value = parse_override(text)
    assert (key, value) == pair
    assert type(value) is type(pair[1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("chaser.mass_kg", "--set: chaser.mass_kg: expected key=value, such as chaser.mass_kg=9000"),
        ("=3", "--set: =3: expected key=value"),
        ("a=", "--set: a: has no value after '='; give one, or null to remove the key"),
        ("a=[1", "--set: a: YAML syntax: the bracket [ is not closed"),
        ("a=!!int 3", "--set: a: YAML syntax: tags such as"),
        ("a={b: 1, b: 2}", "--set: a: duplicate key; first given in line 1"),
        ("a=#", "--set: a: has no value after '='"),
    ],
)
def test_malformed_assignment_is_refused(text: str, expected: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        parse_override(text)
    assert str(caught.value).startswith(expected)

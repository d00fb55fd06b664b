"""`use:` pulls files in: what overrides what, where files are looked for, and what they may not do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from docksim.config import ScenarioError, data_root, load_scenario
from tests.unit.config.texts import SMALL

Write = Callable[[str, str], Path]

CRAFT = """\
mass_kg: 500
inertia_kg_m2: [100, 100, 100]
position_m: [1, 2, 3]
attitude: {yaw_pitch_roll_deg: [90, 0, 0]}
ports:
  nose: {position_m: [1, 0, 0]}
  tail: {position_m: [-1, 0, 0]}
bodies:
  panel:
    mass_kg: 10
    inertia_kg_m2: [1, 1, 1]
    joint: {type: revolute, axis: [0, 0, 1], position_m: [0, 1, 0], angle_deg: 5}
attitude_hold: {stiffness_Nm_rad: 1, damping_Nms_rad: 1, torque_limit_Nm: 1}
"""


def scenario(body: str) -> str:
    """A scenario whose one vehicle is given by indented lines."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"vehicles:\n  chaser:\n{lines}solver: {{duration_s: 10}}\n"


@pytest.fixture
def chaser(write: Write) -> Callable[[str], object]:
    """The vehicle that some lines describe; configs/craft.yaml can be used."""
    write("configs/craft.yaml", CRAFT)

    def chaser(body: str) -> object:
        return load_scenario(write("scenarios/s.yaml", scenario(body))).vehicles["chaser"]

    return chaser


def problems(path: object) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        load_scenario(path)
    return str(caught.value).splitlines()


# ---------------------------------------------------------------- what overrides what


def test_used_mapping_is_complete_on_its_own(chaser: Callable) -> None:
    assert chaser("use: configs/craft.yaml").mass_kg == 500.0


def test_keys_beside_use_override_wherever_use_stands(chaser: Callable) -> None:
    assert chaser("mass_kg: 600\nuse: configs/craft.yaml").mass_kg == 600.0
    assert chaser("use: configs/craft.yaml\nmass_kg: 600").mass_kg == 600.0


def test_mappings_merge_deeply_and_lists_replace(chaser: Callable) -> None:
    found = chaser("use: configs/craft.yaml\nposition_m: [7, 8, 9]\nports:\n  nose: {position_m: [5, 0, 0]}\n  new: {}")
    assert found.position_m == (7.0, 8.0, 9.0)
    assert list(found.ports) == ["nose", "tail", "new"]
    assert found.ports["nose"].position_m == (5.0, 0.0, 0.0)
    assert found.ports["tail"].position_m == (-1.0, 0.0, 0.0)


def test_joint_of_the_same_type_merges(chaser: Callable) -> None:
    joint = chaser("use: configs/craft.yaml\nbodies:\n  panel:\n    joint: {angle_deg: 9}").bodies["panel"].joint
    assert (joint.angle_deg, joint.position_m) == (9.0, (0.0, 1.0, 0.0))
    text = "use: configs/craft.yaml\nbodies:\n  panel:\n    joint: {type: revolute, angle_deg: 9}"
    assert chaser(text).bodies["panel"].joint == joint


def test_joint_of_another_type_replaces(chaser: Callable) -> None:
    text = "use: configs/craft.yaml\nbodies:\n  panel:\n    joint: {type: prismatic, axis: [1, 0, 0]}"
    joint = chaser(text).bodies["panel"].joint
    assert (joint.type, joint.position_m) == ("prismatic", (0.0, 0.0, 0.0))


def test_new_form_of_an_attitude_drops_the_old_one(chaser: Callable) -> None:
    attitude = chaser("use: configs/craft.yaml\nattitude: {rotation_vector_deg: [0, 0, 5]}").attitude
    assert attitude.yaw_pitch_roll_deg is None
    assert attitude.rotation_vector_deg == (0.0, 0.0, 5.0)


def test_null_removes_what_was_pulled_in(chaser: Callable) -> None:
    found = chaser("use: configs/craft.yaml\nattitude_hold: null\nposition_m:\nbodies: {panel: null}")
    assert found.attitude_hold is None
    assert found.position_m == (0.0, 0.0, 0.0)
    assert found.bodies == {}


def test_conditions_and_actions_of_an_event_replace(write: Write) -> None:
    write("base.yaml", SMALL + "events:\n  e: {when: {time_s: 1}, do: {stop: early}, persistence: 3}\n")
    path = write("s.yaml", "use: base.yaml\nevents:\n  e: {when: {rate_of: chaser, below_deg_s: 1}}\n")
    event = load_scenario(path).events["e"]
    assert event.when[0].model_dump(exclude_none=True) == {"rate_of": "chaser", "below_deg_s": 1.0}
    assert event.persistence == 3


def test_later_file_in_a_list_wins_and_keys_beside_win_over_all(write: Write) -> None:
    write("a.yaml", "mass_kg: 1\ninertia_kg_m2: [1, 1, 1]\nsource: a\n")
    write("b.yaml", "mass_kg: 2\nsource: b\n")
    path = write("s.yaml", scenario("use: [a.yaml, b.yaml]\nsource: own"))
    found = load_scenario(path).vehicles["chaser"]
    assert (found.mass_kg, found.source) == (2.0, "own")


def test_files_can_use_files_from_their_own_folder(write: Write) -> None:
    write("configs/deep/part.yaml", "mass_kg: 3\n")
    write("configs/deep/craft.yaml", "use: part.yaml\ninertia_kg_m2: [1, 1, 1]\n")
    path = write("scenarios/s.yaml", scenario("use: configs/deep/craft.yaml"))
    assert load_scenario(path).vehicles["chaser"].mass_kg == 3.0


def test_use_works_at_the_top_and_inside_lists(write: Write) -> None:
    write("base.yaml", SMALL)
    write("stop.yaml", "stop: enough\n")
    path = write("s.yaml", "use: base.yaml\nevents:\n  e:\n    when: {time_s: 1}\n    do: [{use: stop.yaml}]\n")
    loaded = load_scenario(path)
    assert loaded.events["e"].do[0].stop == "enough"
    assert loaded.name == "s"


def test_order_of_names_is_that_of_the_base(write: Write) -> None:
    write("base.yaml", SMALL)
    path = write("s.yaml", "vehicles: {new: {mass_kg: 1, inertia_kg_m2: [1, 1, 1]}}\nuse: base.yaml\n")
    assert list(load_scenario(path).vehicles) == ["chaser", "new"]


# ---------------------------------------------------------------- where files are looked for


def test_nearest_place_wins(write: Write) -> None:
    craft = "mass_kg: {}\ninertia_kg_m2: [1, 1, 1]\n"
    write("configs/craft.yaml", craft.format(1))
    write("scenarios/configs/other.yaml", craft.format(0))
    path = write("scenarios/s.yaml", scenario("use: configs/craft.yaml"))
    # scenarios has a configs folder itself, so it is the tree, and the upper one is outside
    assert "no file 'configs/craft.yaml'" in problems(path)[0]
    write("scenarios/configs/craft.yaml", craft.format(2))
    assert load_scenario(path).vehicles["chaser"].mass_kg == 2.0


def test_own_data_are_found_from_anywhere(write: Write) -> None:
    part = next((data_root() / "configs" / "vehicles").glob("*.yaml"))
    path = write("s.yaml", scenario(f"use: configs/vehicles/{part.name}"))
    assert load_scenario(path).vehicles["chaser"].mass_kg > 0


def test_dict_uses_files_from_the_current_folder(write: Write) -> None:
    write("configs/craft.yaml", CRAFT)
    data = {"vehicles": {"chaser": {"use": "configs/craft.yaml"}}, "solver": {"duration_s": 1}}
    assert load_scenario(data).vehicles["chaser"].mass_kg == 500.0
    assert load_scenario({**data, "vehicles": {"chaser": {"use": Path("configs/craft.yaml")}}}) == load_scenario(data)


def test_missing_file_suggests_its_neighbour(write: Write) -> None:
    write("configs/craft.yaml", CRAFT)
    path = write("scenarios/s.yaml", scenario("use: configs/crft.yaml"))
    (found,) = problems(path)
    assert ":3: vehicles.chaser.use: no file 'configs/crft.yaml', neither beside the file that uses it nor" in found
    assert found.endswith("; did you mean 'configs/craft.yaml'?")


# ---------------------------------------------------------------- lines


def test_fault_in_a_used_file_is_located_there(write: Write) -> None:
    write("configs/craft.yaml", CRAFT.replace("mass_kg: 10\n", "mass_kg: ten\n"))
    write("scenarios/s.yaml", scenario("use: configs/craft.yaml\nrate_deg_s: [1]"))
    found = problems("scenarios/s.yaml")
    assert [line.split(": ")[0] for line in found] == ["scenarios/s.yaml:4", "configs/craft.yaml:10"]
    assert "vehicles.chaser.bodies.panel.mass_kg: 'ten' is text" in found[1]


def test_fault_in_an_overriding_key_is_located_in_the_scenario(write: Write) -> None:
    write("configs/craft.yaml", CRAFT)
    write("scenarios/s.yaml", scenario("use: configs/craft.yaml\nbodies:\n  panel:\n    mass_kg: -1"))
    assert problems("scenarios/s.yaml") == [
        "scenarios/s.yaml:6: vehicles.chaser.bodies.panel.mass_kg: -1 must be at least 0"
    ]


def test_syntax_error_in_a_used_file_is_located_there(write: Write) -> None:
    write("configs/craft.yaml", "mass_kg: 1\nmass_kg: [\n")
    write("scenarios/s.yaml", scenario("use: configs/craft.yaml\nposition_m: 3"))
    found = problems("scenarios/s.yaml")
    # what the broken file would have brought is not reported as missing, but other faults are
    assert len(found) == 2
    assert found[0].startswith("scenarios/s.yaml:4: vehicles.chaser.position_m: ")
    assert found[1].startswith("configs/craft.yaml:3: YAML syntax")


def test_keys_missing_elsewhere_are_still_reported(write: Write) -> None:
    text = scenario("use: nowhere.yaml").replace("solver", "  other: {mass_kg: 1}\nsolver")
    write("s.yaml", text)
    assert [line.split(": ")[1] for line in problems("s.yaml")] == [
        "vehicles.chaser.use",
        "vehicles.other.inertia_kg_m2",
    ]


# ---------------------------------------------------------------- refused


def test_file_that_uses_itself_is_refused_with_the_chain(write: Write) -> None:
    write("s.yaml", "use: s.yaml\n")
    assert problems("s.yaml")[0] == "s.yaml:1: use: cyclic include: s.yaml -> s.yaml"


def test_cycle_through_three_files_is_refused_with_the_chain(write: Write) -> None:
    write("a.yaml", "use: b.yaml\nmass_kg: 1\ninertia_kg_m2: [1, 1, 1]\n")
    write("b.yaml", "ports: {p: {use: c.yaml}}\n")
    write("c.yaml", "use: a.yaml\n")
    write("s.yaml", scenario("use: a.yaml"))
    (found,) = problems("s.yaml")
    assert found == ("c.yaml:1: vehicles.chaser.ports.p.use: cyclic include: a.yaml -> b.yaml -> c.yaml -> a.yaml")


def test_the_same_file_twice_is_no_cycle(write: Write) -> None:
    write("a.yaml", "mass_kg: 1\ninertia_kg_m2: [1, 1, 1]\n")
    path = write("s.yaml", "vehicles: {one: {use: a.yaml}, two: {use: a.yaml}}\nsolver: {duration_s: 1}\n")
    assert len(load_scenario(path).vehicles) == 2


def test_includes_cannot_multiply_without_end(write: Write) -> None:
    for level in range(18):
        write(f"f{level}.yaml", f"a: {{use: f{level + 1}.yaml}}\nb: {{use: f{level + 1}.yaml}}\n")
    write("f18.yaml", "a: 1\n")
    write("s.yaml", "use: f0.yaml\n")
    assert any("more than 2000 files pulled in" in line for line in problems("s.yaml"))


def test_endless_chain_of_files_is_refused(write: Write) -> None:
    for level in range(30):
        write(f"f{level}.yaml", f"use: f{level + 1}.yaml\n")
    write("s.yaml", "use: f0.yaml\n")
    assert "more than 20 files that use one another" in problems("s.yaml")[0]


@pytest.mark.parametrize("value", ["3", "{a: 1}", "[a.yaml, 3]", "''", "", "[[a.yaml]]"])
def test_use_takes_only_paths(write: Write, value: str) -> None:
    write("a.yaml", CRAFT)
    write("s.yaml", scenario(f"use: {value}"))
    assert problems("s.yaml")[0].startswith("s.yaml:3: vehicles.chaser.use: expected the path of a file, or a list of")


class TestPathsOutsideTheTree:
    """The tree is inner/, which has a configs folder; the secret lies beside it."""

    @pytest.fixture(autouse=True)
    def tree(self, write: Write) -> None:
        write("secret.yaml", CRAFT)
        write("inner/configs/craft.yaml", CRAFT)
        self.write = write

    def found(self, use: str) -> str:
        return problems(self.write("inner/scenarios/s.yaml", scenario(f"use: {use}")))[0]

    def test_dots_that_lead_out_are_refused(self) -> None:
        assert "'../../secret.yaml' leads outside the tree" in self.found("../../secret.yaml")
        assert "leads outside the tree" in self.found("configs/../../secret.yaml")

    def test_dots_that_stay_inside_are_fine(self) -> None:
        path = self.write("inner/scenarios/s.yaml", scenario("use: ../configs/craft.yaml"))
        assert load_scenario(path).vehicles["chaser"].mass_kg == 500.0

    def test_absolute_path_outside_is_refused(self, tmp_path: Path) -> None:
        assert "leads outside the tree" in self.found(str(tmp_path / "secret.yaml"))
        assert "leads outside the tree" in self.found("/etc/passwd")

    def test_absolute_path_inside_is_fine(self, tmp_path: Path) -> None:
        path = self.write("inner/scenarios/s.yaml", scenario(f"use: {tmp_path / 'inner/configs/craft.yaml'}"))
        assert load_scenario(path).vehicles["chaser"].mass_kg == 500.0

    def test_link_that_leads_out_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "inner/configs/link.yaml").symlink_to(tmp_path / "secret.yaml")
        assert "'configs/link.yaml' leads outside the tree" in self.found("configs/link.yaml")

    def test_linked_folder_that_leads_out_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "inner/configs/out").symlink_to(tmp_path, target_is_directory=True)
        assert "leads outside the tree" in self.found("configs/out/secret.yaml")

    def test_link_to_itself_is_no_file(self, tmp_path: Path) -> None:
        (tmp_path / "inner/configs/loop.yaml").symlink_to(tmp_path / "inner/configs/loop.yaml")
        assert "no file 'configs/loop.yaml'" in self.found("configs/loop.yaml")

    def test_file_that_does_not_exist_outside_tells_nothing(self) -> None:
        assert "leads outside the tree" in self.found("../../not_there.yaml")

    @pytest.mark.parametrize("path", ["a" * 5000, "configs", "."])
    def test_path_that_is_no_file_is_refused(self, path: str) -> None:
        assert "no file" in self.found(path)


def test_shipped_scenario_is_found_by_its_name_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_scenario("scenarios/tumbling_brick.yaml").name == "tumbling_brick"
    (tmp_path / "scenarios").mkdir()
    own = tmp_path / "scenarios" / "tumbling_brick.yaml"
    own.write_text("vehicles: {mine: {mass_kg: 1.0, inertia_kg_m2: [1.0, 1.0, 1.0]}}\nsolver: {duration_s: 1.0}\n")
    assert list(load_scenario("scenarios/tumbling_brick.yaml").vehicles) == ["mine"]


def test_shipped_files_are_not_a_way_out_of_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ScenarioError, match="file not found"):
        load_scenario("scenarios/../../nowhere/x.yaml")

"""Every key of the schema answers by its path, and a value of a file tells where it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from docksim.config import load_scenario
from docksim.config.loading.files import data_root, found_file, shadowed
from docksim.config.loading.layers import given
from docksim.config.loading.shipped import FOLDERS, example, shipped
from docksim.config.schema.editor import scenario_json_schema
from docksim.config.schema.keys import UnknownKey, all_keys, below, containing, find


def test_every_key_of_the_schema_answers_with_its_own_meaning() -> None:
    keys = all_keys()
    # each once, none without words
    assert all(key.meaning and key.kind for key in keys)
    silent = [key.text for key in keys if key.meaning not in [found.meaning for found in find(key.text)]]
    assert silent == []


def test_no_key_of_the_schema_is_left_out() -> None:
    def names(node: object) -> set[str]:
        if isinstance(node, list):
            return set().union(*map(names, node))
        if not isinstance(node, dict):
            return set()
        own = set(node["properties"]) if isinstance(node.get("properties"), dict) else set()
        return own.union(*map(names, node.values()))

    assert names(scenario_json_schema()) <= {key.path[-1] for key in all_keys()}


def test_key_has_unit_bounds_default_and_place() -> None:
    (key,) = find("approach.closing_rate_m_s")
    assert (key.unit, key.default, key.kind) == ("m/s", "required", "number")
    assert key.bounds.startswith(">= 0")
    (mass,) = find("anything.mass_kg")
    assert mass.path == ("vehicles", "anything", "mass_kg")
    assert {one.file for one in find("cases")} == {"study"}


def test_phases_and_items_go_by_name_by_number_or_not_at_all() -> None:
    ways = [find(f"sequence{item}.do.set.servo.stiffness_N_m") for item in ("", ".4", ".ATTENUATE")]
    assert len({one[0].meaning for one in ways}) == 1


def test_last_word_alone_finds_all_its_places() -> None:
    assert len(find("presliding_m")) > 2
    assert {key.path[-1] for key in find("presliding_m")} == {"presliding_m"}


def test_end_of_a_path_finds_all_its_places(tmp_path: Path) -> None:
    assert [key.text for key in find("attitude_hold.target")] == ["vehicles.<name>.attitude_hold.target"]
    assert {key.path[-2:] for key in find("servo.stiffness_N_m")} == {("servo", "stiffness_N_m")}
    assert [key.text for key in find("chaser.mass_kg")] == ["vehicles.chaser.mass_kg"], "a vehicle goes first"
    own = given(Path("dock_nds"), "servo.force_limit_N")
    assert own
    assert all(one.path.endswith("servo.force_limit_N") for one in own)


def test_keys_below_are_those_of_the_part() -> None:
    (approach,) = find("approach")
    texts = [key.text for key in below(approach)]
    assert texts[0] == "approach"
    assert "approach.roll_deg" in texts
    assert all(text.startswith("approach") for text in texts)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("chaser.mas_kg", "vehicles.chaser has no key 'mas_kg'; did you mean 'mass_kg'"),
        ("aproach", "no key 'aproach'; did you mean 'approach'"),
        ("approach.rol_deg", "did you mean 'roll_deg'"),
        ("aproach.roll_deg", r"vehicles\.aproach has no key 'roll_deg'.*; or was 'approach\.roll_deg' meant\?"),
        ("", "no key given"),
    ],
)
def test_unknown_key_is_answered_with_what_there_is(path: str, words: str) -> None:
    with pytest.raises(UnknownKey, match=words):
        find(path)


def test_hint_at_another_first_word_leads_to_a_key() -> None:
    with pytest.raises(UnknownKey) as refused:
        find("aproach.rolling")
    assert "meant" not in str(refused.value)


def test_only_keys_of_the_same_kind_of_part_are_told_below() -> None:
    stroke, crank = find("chaser.mechanism.symmetric.actuator")
    assert (stroke.part, crank.part) == ("SymmetricStewart", "SymmetricHunt")
    names = [{own.path[-1] for own in below(one)} for one in (stroke, crank)]
    assert "lower_m" in names[0] - names[1]
    assert "lower_deg" in names[1] - names[0]


def test_word_that_is_nowhere_is_answered_with_one_that_is() -> None:
    with pytest.raises(UnknownKey, match="did you mean 'stiffness'"):
        containing("stifness")


def test_words_are_searched_in_names_and_meanings() -> None:
    found = containing("preload")
    assert any("preload" in key.path[-1] for key in found)
    assert any("preload" not in key.path[-1] for key in found)


def test_value_comes_with_all_its_layers_and_the_phases_that_change_it(tmp_path: Path) -> None:
    (tmp_path / "low.yaml").write_text("mass_kg: 1.0\ninertia_kg_m2: [1.0, 1.0, 1.0]\n")
    (tmp_path / "high.yaml").write_text("use: low.yaml\n\nmass_kg: 2.0\n")
    (tmp_path / "top.yaml").write_text("vehicles:\n  ship:\n    use: high.yaml\n    mass_kg: 3.0\n")
    file = tmp_path / "top.yaml"
    (mass,) = given(file, "ship.mass_kg", {"ship.mass_kg": 4.0})
    assert [(layer.value, Path(layer.place.file).name, layer.place.line) for layer in mass.layers] == [
        (4.0, "--set", None), (3.0, "top.yaml", 4), (2.0, "high.yaml", 3), (1.0, "low.yaml", 1),
    ]  # fmt: skip
    (inertia,) = given(file, "ship.inertia_kg_m2")
    assert [layer.value for layer in inertia.layers] == [[1.0, 1.0, 1.0]]
    assert given(file, "ship.position_m")[0].layers == []
    with pytest.raises(LookupError, match=r"neither a key of the scenario .* nor a vehicle"):
        given(file, "shipp.mass_kg")


def test_last_word_alone_finds_its_values_in_a_file() -> None:
    (rate,) = given(Path("dock_nds"), "closing_rate_m_s")
    assert rate.path == "approach.closing_rate_m_s"
    # the file that was read, not the name that was asked for
    assert rate.layers[0].place.file.endswith("scenarios/dock_nds.yaml")


def test_three_layers_of_springs_of_a_docking_are_told_with_their_phases() -> None:
    (spring,) = given(found_file(Path("dock_nds")), "chaser.mechanism.symmetric.actuator.servo.stiffness_N_m")
    # the value that counts is the one that the loaded scenario has
    mechanism = load_scenario("dock_nds").vehicles["chaser"].mechanism
    assert mechanism is not None
    servo = mechanism.six_legs()[0].actuator.servo
    assert servo is not None
    assert spring.layers[0].value == servo.stiffness_N_m
    assert len(spring.layers) == 2
    assert [layer.phase.split(",")[0] for layer in spring.later] == ["ATTENUATE", "ALIGN"]
    assert all("chaser.legs" in layer.phase for layer in spring.later)
    for layer in [*spring.layers, *spring.later]:
        line = found_file(Path(layer.place.file)).read_text().splitlines()[layer.place.line - 1]  # type: ignore[operator]
        assert "servo" in line or "stiffness_N_m" in line


def test_phase_of_a_sequence_can_be_overridden_by_name() -> None:
    change = {"sequence.ATTENUATE.timeout_s": 33.0}
    events = load_scenario("dock_nds", change).events
    assert "attenuate_timeout" in events
    with pytest.raises(Exception, match=r"'ATENUATE' is not an item .* or by name .*did you mean 'ATTENUATE'"):
        load_scenario("dock_nds", {"sequence.ATENUATE.timeout_s": 33.0})


def shown_example(path: str, part: str = "") -> tuple[str, object]:
    """The file and the value of the example of a key."""
    key = next(one for one in find(path) if part in one.part)
    below_it = {one.path[-1] for one in below(key) if one.path != key.path}
    layer = example(key.file, key.route, below_it)
    assert layer is not None
    lines = (data_root() / layer.place.file).read_text(encoding="utf-8").splitlines()
    assert layer.place.line is not None
    assert key.path[-1] in lines[layer.place.line - 1]
    return layer.place.file, layer.value


def test_examples_are_values_of_that_key() -> None:
    file, value = shown_example("approach.closing_rate_m_s")
    assert file.startswith("scenarios/")
    assert 0.0 < value < 1.0  # type: ignore[operator]
    # not the time-out of a case, which is a key of studies
    assert shown_example("sequence.ATTENUATE.timeout_s")[0].startswith(("scenarios/", "configs/systems/"))
    assert shown_example("chaser.beams.wing.mass_kg")[0] == "configs/appendages/boom.yaml"
    assert "lower_deg" in shown_example("chaser.mechanism.symmetric.actuator", "Hunt")[1]  # type: ignore[operator]
    assert example("scenario", ("approach", "no_such_key")) is None


def test_shipped_files_say_what_they_are() -> None:
    for folder in FOLDERS:
        assert shipped(folder)
        assert [one.name for one in shipped(folder) if not one.about] == []


def test_scenario_goes_by_its_name_and_a_local_one_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = found_file(Path("dock_nds")).resolve()
    monkeypatch.chdir(tmp_path)
    assert found_file(Path("dock_nds")).samefile(own)
    assert not shadowed(Path("dock_nds"))
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "dock_nds.yaml").write_text("name: mine\n")
    assert found_file(Path("dock_nds")) == Path("scenarios/dock_nds.yaml")
    assert shadowed(Path("dock_nds"))
    assert shadowed(Path("scenarios/dock_nds.yaml"))
    assert not shadowed(Path("scenarios/other.yaml"))
    with pytest.raises(Exception, match=r"file not found; shipped with docksim: scenarios/dock_sxds\.yaml\?"):
        load_scenario("dock_sxd")

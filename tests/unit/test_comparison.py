"""Two results side by side: what differs, where it is written, what came of it, and curves from first contact."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.config.loading.given import given
from docksim.plots.run.compare import aligned
from docksim.result.comparison import SINGLE, compare_results, content_differences, key_differences, place_of
from docksim.result.result import Metrics, Result, ResultError
from tests.support import samples
from tests.support.studies import study_file

ROOT = Path(__file__).resolve().parents[2]
SHORT = {"solver.duration_s": 0.05, "solver.step_s": 0.01}
FACTS = {"file": "one.yaml", "changes": {}, "phases": {"ATTENUATE": 4}}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two saved runs that differ in one key."""
    out = tmp_path_factory.mktemp("runs")
    brick = str(ROOT / "scenarios" / "tumbling_brick.yaml")
    one = docksim.run(brick, SHORT, out=out)
    other = docksim.Scenario(brick, SHORT).set("brick.mass_kg", 20.0).run(out=out)
    assert one.folder is not None and other.folder is not None  # noqa: PT018
    return one.folder, other.folder


def compared(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["compare", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout


# ---------------------------------------------------------------- what differs


def test_two_runs_that_differ_in_one_key_yield_one_row_with_file_and_line(runs: tuple[Path, Path]) -> None:
    a, b = (Result.load(folder) for folder in runs)
    [one] = key_differences(a, b)
    assert (one.key, one.first, one.second) == ("brick.mass_kg", 2.26796185, 20.0)
    file, line = one.first_place.rsplit(":", 1)
    assert "mass_kg: 2.26796185" in Path(file).read_text().splitlines()[int(line) - 1]
    assert one.second_place == "set"
    assert b.given["changes"] == {**SHORT, "brick.mass_kg": 20.0}


def test_command_tells_keys_outcomes_ratio_and_files(runs: tuple[Path, Path], tmp_path: Path) -> None:
    said = compared(*map(str, runs), "--label", "light", "--label", "heavy", "--no-figures", "--metric", "*.peak")
    rows = [line.split() for line in said.splitlines()]
    assert ["brick.mass_kg", "2.26796", "20"] in rows
    assert any(row[:1] == ["brick.rate_deg_s.peak"] and row[-1] == "1.000" for row in rows)
    assert "light" in said and "heavy" in said  # noqa: PT018
    named = compared(*map(str, runs), "--no-figures")
    assert "mass_kg 2.26796" in named and "mass_kg 20" in named  # noqa: PT018
    told = json.loads(compared(*map(str, runs), "--json", "--out", str(tmp_path), "--what", "energy"))
    assert [one["key"] for one in told["keys"]] == ["brick.mass_kg"]
    assert [Path(file).name for file in told["files"]] == ["energy.png"]
    assert Path(told["files"][0]).is_file()


def test_same_run_has_no_difference(runs: tuple[Path, Path]) -> None:
    a = Result.load(runs[0])
    told = compare_results(a, a, ("one", "other"))
    assert told.keys == [] == told.origin
    assert not any(one.differs for one in told.metrics)
    assert "the same result twice" in CliRunner().invoke(main, ["compare", str(runs[0]), str(runs[0])]).output


def test_keys_of_phases_that_were_written_out_as_events_are_told_where_the_sequence_has_them() -> None:
    places = {
        "system.yaml": {"sequence.4.do.0.set.servo.stiffness_N_m": 54, "sequence.4.do.1.set.servo.stiffness_N_m": 55}
    }
    key = "events.attenuate.do.{}.set.servo.stiffness_N_m"
    assert place_of(key.format(1), {**FACTS, "places": places}) == "system.yaml:54"
    assert place_of(key.format(2), {**FACTS, "places": places}) == "system.yaml:55"
    changed = {**places, "--set": {"sequence.4.do.0.set.servo.stiffness_N_m": None}}
    del changed["system.yaml"]["sequence.4.do.0.set.servo.stiffness_N_m"]
    assert place_of(key.format(1), {**FACTS, "places": changed}) == "--set"
    changed["--set"]["sequence.4.timeout_s"] = None
    assert place_of("events.attenuate_timeout.when.0.delay_s", {**FACTS, "places": changed}) == "--set"


def test_keys_that_no_file_gives_are_defaults_and_forms_that_were_written_otherwise_have_their_place() -> None:
    places = {"one.yaml": {"vehicles.chaser.inertia_kg_m2": 7, "solver.step_s": 3}}
    told = {**FACTS, "places": places}
    assert place_of("vehicles.chaser.inertia_kg_m2.xx", told) == "one.yaml:7"
    assert place_of("vehicles.chaser.mass_kg", told) == "default"
    assert place_of("solver.integrator", told) == "default"
    [one] = content_differences({"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}, {}, {})
    assert (one.key, one.first, one.second, one.first_place) == ("a.b", 1, None, "")


OFFSET = {"approach": {"lateral_offset_m": [0.0, 0.0]}}


def test_values_of_a_case_are_told_as_its_own() -> None:
    told = {**FACTS, "places": {}, "study": "box", "case": 7, "inputs": {"chaser.mass_kg": 3.0}}
    [one] = content_differences({"vehicles": {"chaser": {"mass_kg": 3.0}}}, {"vehicles": {}}, told, {})[:1]
    assert one.first_place == "case 7 of box"
    # one item of a list is dispersed, the list differs
    told["inputs"] = {"approach.lateral_offset_m.0": 0.1}
    [one] = content_differences({"approach": {"lateral_offset_m": [0.1, 0.0]}}, OFFSET, told, {})
    assert one.first_place == "case 7 of box"
    assert content_differences(OFFSET | {"fast": None}, OFFSET, {}, {}) == []


# ---------------------------------------------------------------- metrics


def test_ratio_ranges_and_the_note_on_single_peaks() -> None:
    a, b = samples.result(rows=3), samples.result(rows=3)
    a.metrics = Metrics({"dock.first_contact_s": 1.0, "dock.peak_shear_N": 100.0, "dock.outcome": "captured"})
    b.metrics = Metrics({"dock.first_contact_s": 1.0, "dock.peak_shear_N": 150.0, "dock.outcome": "rebounded"})
    told = compare_results(a, b, ("a", "b"))
    ratios = {one.name: one.ratio for one in told.metrics if one.differs}
    assert ratios == {"dock.peak_shear_N": 1.5, "dock.outcome": None}
    assert SINGLE in told.notes
    for one, ends in ((a, (90.0, 120.0)), (b, (118.0, 160.0))):
        one.metrics |= {"dock.peak_shear_N.low": ends[0], "dock.peak_shear_N.high": ends[1]}
        one.manifest["scatter"] = {"repeats": 8}
    [pair] = [one for one in compare_results(a, b, ("a", "b")).metrics if one.name == "dock.peak_shear_N"]
    assert pair.apart is False
    b.metrics["dock.peak_shear_N.low"] = 121.0
    told = compare_results(a, b, ("a", "b"), ["dock.peak_shear_N"])
    assert [one.apart for one in told.metrics] == [True]
    assert SINGLE not in told.notes
    with pytest.raises(ResultError, match=r"no metric 'dock.peak_sheer_N'.*; \* stands for any part of a name"):
        compare_results(a, b, ("a", "b"), ["dock.peak_sheer_N"])


def test_times_are_counted_from_first_contact_and_what_never_came_stays_so() -> None:
    plain = samples.result(rows=5)
    zero = np.zeros(5)
    touched = {
        "dock.gap_m": docksim.result.result.Channel("dock.gap_m", "m", "", "", zero),
        "dock.first_contact_s": docksim.result.result.Channel("dock.first_contact_s", "s", "", "", zero + 1.5),
        "dock.capture_s": docksim.result.result.Channel("dock.capture_s", "s", "", "", zero - 1.0),
    }
    one = replace_channels(plain, touched)
    later = {**touched, "dock.first_contact_s": replace(touched["dock.first_contact_s"], data=zero + 2.5)}
    moved = aligned({"one": one, "other": replace_channels(plain, later)})
    assert moved is not None
    assert np.array_equal(moved["one"].time_s, one.time_s - 1.5)
    assert np.array_equal(moved["other"].time_s, one.time_s - 2.5)
    assert moved["one"]["dock.first_contact_s"][-1] == 0.0
    assert moved["one"]["dock.capture_s"][-1] < 0.0
    assert [event.time_s for event in moved["one"].events] == [event.time_s - 1.5 for event in one.events]
    never = {**touched, "dock.first_contact_s": replace(touched["dock.first_contact_s"], data=zero - 1.0)}
    assert aligned({"one": one, "other": replace_channels(plain, never)}) is None


def replace_channels(result: Result, channels: dict) -> Result:
    return Result(None, {**result.channels, **channels}, result.outcome, events=result.events)


# ---------------------------------------------------------------- what is kept


def test_case_of_a_study_keeps_its_inputs_and_compares_with_another(tmp_path: Path) -> None:
    file = study_file(tmp_path, cases=2)
    for case in ("1", "2"):
        told = ["run", str(file), "--case", case, "--out", str(tmp_path), "--no-figures"]
        assert CliRunner().invoke(main, told).exit_code == 0
    folders = [str(tmp_path / f"brick-case-{case}") for case in (1, 2)]
    told = json.loads(compared(*folders, "--no-figures", "--json"))
    differing = {one["key"]: one["second_place"] for one in told["keys"]}
    assert differing["brick.mass_kg"] == "case 2 of brick"
    assert set(differing) == {"brick.mass_kg", "brick.rate_deg_s", "brick.velocity_m_s"}


def test_two_studies_are_told_apart_by_keys_and_tests(tmp_path: Path) -> None:
    for name, changes in (("one", {}), ("other", {"set": {"solver.duration_s": 0.5, "solver.step_s": 0.005}})):
        file = study_file(tmp_path, name, cases=8, **changes)
        assert CliRunner().invoke(main, ["study", str(file), "--out", str(tmp_path), "--json"]).exit_code == 0
    folders = [str(tmp_path / name) for name in ("one", "other")]
    said = compared(*folders, "--metric", "brick.rate_deg_s.peak")
    assert "solver.step_s" in said
    assert "the same samples in both: compared case by case" in said
    assert "no significant difference" in said
    keys = {one["key"]: one["first_place"] for one in json.loads(compared(*folders, "--json"))["keys"]}
    # the study's own line, not that of the base
    assert keys["solver.step_s"].startswith(str(tmp_path / "one.yaml:"))
    mixed = CliRunner().invoke(main, ["compare", folders[0], str(tmp_path / "none")])
    assert (mixed.exit_code, "no such result folder" in mixed.output) == (1, True)


def test_labels_come_in_twos_and_differ() -> None:
    for labels, words in ((["a"], "give it twice"), (["a", "a"], "need different names")):
        done = CliRunner().invoke(main, ["compare", "x", "y", *(word for one in labels for word in ("--label", one))])
        assert (done.exit_code, words in done.output) == (2, True)


def test_estimates_are_those_of_lines_that_count() -> None:
    told = given(ROOT / "scenarios" / "dock_nds.yaml")
    texts = {one["text"] for one in told["estimates"]}
    assert (
        "estimate: uniform cylinder, diameter 4 m, length 8.1 m (maker's page); high, since the trunk is light" in texts
    )
    keys = {key for one in told["estimates"] for key in one["values"]}
    assert "chaser.mechanism.ring.mass_kg" in keys
    changed = given(ROOT / "scenarios" / "dock_nds.yaml", {"chaser.mechanism.ring.mass_kg": 30.0})
    assert "chaser.mechanism.ring.mass_kg" not in {key for one in changed["estimates"] for key in one["values"]}
    assert len(changed["estimates"]) == len(told["estimates"]) - 1


def test_damaged_facts_are_one_line(runs: tuple[Path, Path], tmp_path: Path) -> None:
    place = Path(shutil.copytree(runs[0], tmp_path / "copy"))
    for content in ('{"places": {"a": {"b": "c"}}}', '{"estimates": [{"text": 3}]}', "[]"):
        (place / "given.json").write_text(content)
        with pytest.raises(ResultError, match=r"given\.json: damaged"):
            Result.load(place)
    (place / "given.json").unlink()
    assert Result.load(place).given == {}

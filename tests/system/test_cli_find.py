"""The commands that help to find one's way: explain, list, show, completion, names of files and of runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from docksim.cli import main
from docksim.cli.complete import complete_keys
from docksim.cli.saved import saved
from docksim.config.loading.study import load_study
from docksim.result.result import ResultError


def said(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(words))
    assert result.exit_code == code, result.output
    return result


def test_key_is_explained_with_an_example_that_names_its_file() -> None:
    text = said("explain", "approach.closing_rate_m_s").output
    assert "Speed along the axis" in text
    assert "unit     m/s" in text
    line = next(line for line in text.splitlines() if "example" in line)
    assert "closing_rate_m_s: 0." in line
    assert "scenarios/dock_" in line


def test_unknown_key_fails_with_a_suggestion() -> None:
    assert "did you mean 'approach'" in said("explain", "aproach", code=1).stderr
    assert "in its name or meaning" in said("explain", "--find", "xyzzy", code=1).stderr


def test_values_of_a_file_come_with_lines_and_phases() -> None:
    text = said("explain", "chaser.mechanism.symmetric.actuator.servo.stiffness_N_m", "--in", "dock_nds").output
    assert "value    150.0" in text
    assert "over     8000.0" in text
    assert "in ATTENUATE, chaser.legs" in text
    default = said("explain", "chaser.position_m", "--in", "dock_nds", "--set", "chaser.mass_kg=1").output
    assert "not given in dock_nds; its default" in default
    own = said("explain", "chaser.mas_kg", "--in", "dock_nds", code=1)
    assert own.stdout == ""
    assert "vehicles.chaser has no key 'mas_kg'; did you mean 'mass_kg'?" in own.stderr
    found = json.loads(
        said("explain", "chaser.mass_kg", "--in", "dock_nds", "--set", "chaser.mass_kg=9", "--json").stdout
    )
    assert found["values"][0]["layers"][0]["value"] == 9


def test_shipped_files_are_listed_and_shown() -> None:
    assert "dock_nds" in said("list", "scenarios").output
    names = json.loads(said("list", "--json").stdout)
    assert {"scenarios", "studies", "configs"} <= set(names)
    assert "approach:" in said("show", "dock_nds").output
    assert "base:" in said("show", "studies/soft_capture").output, "a scenario has that name too"
    assert "ring:" in said("show", "configs/mechanisms/nds_like.yaml").output
    assert "mass_kg" in said("show", "tumbling_brick", "--resolved").output
    assert "did you mean 'dock_nds'" in said("show", "dock_nsd", code=1).stderr


def test_study_goes_by_a_name_that_a_scenario_has_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_study("soft_capture").study.base == "scenarios/soft_capture.yaml"
    said("study", "soft_capture", "--cases", "2", "--workers", "1")
    assert (tmp_path / "results/soft_capture/study.sqlite").is_file()
    # a file of that name is the user's, and it is said
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies/soft_capture.yaml").write_text("base: x.yaml\n")
    told = said("study", "soft_capture", code=1).stderr
    assert "studies/soft_capture.yaml: your own file; docksim comes with another" in told
    assert "studies/soft_capture.yaml:1: needs exactly one of" in told


def test_part_of_a_scenario_says_what_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind, words in (
        ("vehicle", "vehicles: {NAME: {use: my.yaml}}"),
        ("mechanism", "docksim mechanism inspect my.yaml"),
    ):
        said("new", kind, "my.yaml", "--force")
        for verb in ("check", "run"):
            (line,) = said(verb, "my.yaml", code=1).stderr.splitlines()
            assert line.startswith("my.yaml: is no scenario, but "), line
            assert words in line
    said("new", "docking", "my.yaml", "--force")
    assert said("interface", "show", "my.yaml", code=1).stderr == (
        "my.yaml: is no interface, but a scenario: docksim run my.yaml runs it\n"
    )
    assert (
        "is no mechanism, but an interface"
        in said("mechanism", "inspect", "configs/interfaces/idss_like.yaml", code=1).stderr
    )
    for name in ("berthing/module_plan", "chains/planar_2r", "hooks/idss_like", "interfaces/idss_frame", "boxes/idss"):
        assert len(said("run", f"configs/{name}.yaml", code=1).stderr.splitlines()) == 1


def test_completion_is_one_line_for_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "bash_source" in said("completion", "bash").stdout
    monkeypatch.setenv("SHELL", "/bin/zsh")
    assert "zsh_source" in said("completion").stdout
    monkeypatch.setenv("SHELL", "/bin/odd")
    assert "which shell" in said("completion", code=2).stderr


def test_shell_offers_names_and_keys() -> None:
    run = main.get_command(main.make_context("docksim", ["about"]), "run")  # type: ignore[attr-defined]
    context = run.make_context("run", ["dock_nds"])
    (files,) = (param for param in run.params if param.name == "files")
    assert "dock_nds_edge" in [item.value for item in files.shell_complete(context, "dock_nds")]
    assert [item.value for item in complete_keys(context, files, "chas")] == ["chaser"]
    assert "chaser.mass_kg" in [item.value for item in complete_keys(context, files, "chaser.m")]
    assert complete_keys(context, files, "nothing.of.this") == []


def test_newest_run_is_taken_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for age, name in ((200, "2026-01-01T00-00-00Z"), (100, "2026-01-02T00-00-00Z"), (300, "other")):
        folder = tmp_path / "results" / "my" / name
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("{}")
        os.utime(folder / "manifest.json", (1e9 - age, 1e9 - age))
    assert saved(Path("results/my")) == saved(Path("my")) == Path("results/my/2026-01-02T00-00-00Z")
    assert "results/my: the newest of its 3 runs is 2026-01-02T00-00-00Z" in capsys.readouterr().err
    assert saved(Path("results/my/other")) == Path("results/my/other")
    with pytest.raises(ResultError, match="no such result folder; did you mean 'my'"):
        saved(Path("results/mys"))
    with pytest.raises(
        ResultError, match=r"is a scenario, not a result; docksim run my\.yaml first, then docksim plot results/my"
    ):
        saved(Path("my.yaml"))


def test_result_of_an_older_format_is_refused_in_words(tmp_path: Path) -> None:
    run = tmp_path / "run"
    said("run", "tumbling_brick", "--set", "solver.duration_s=0.1", "--figures", "none", "--out", str(run))
    manifest = next(run.rglob("manifest.json"))
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 0}))
    words = f"{manifest}: result format 0, this version of docksim reads format 1; docksim run {manifest.parent}/scen"
    for verb in ("replay", "plot", "report", "export"):
        more = ["--to", "csv"] if verb == "export" else []
        assert words in said(verb, str(manifest.parent), *more, code=1).stderr


def test_kind_of_figure_that_a_run_does_not_have_is_answered_with_those_it_has(tmp_path: Path) -> None:
    said("run", "tumbling_brick", "--set", "solver.duration_s=0.1", "--figures", "none", "--out", str(tmp_path))
    told = said("plot", str(tmp_path / "tumbling_brick"), "--what", "hooks").stderr
    assert "nothing to draw; there is something of motion, energy, momentum" in told


def test_inspecting_a_scenario_can_name_the_vehicle() -> None:
    assert "UPS" in said("mechanism", "inspect", "dock_nds", "--vehicle", "chaser", "--no-figures").output
    assert (
        "no mechanism on a vehicle 'station'"
        in said("mechanism", "inspect", "dock_nds", "--vehicle", "station", code=1).stderr
    )

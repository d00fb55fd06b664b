"""Scenarios and results as a Python user holds them: keys, completion, words for mistakes, arrays of other packages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.config import load_scenario
from docksim.result.result import Channel, Metrics
from docksim.result.result import Result as Plain

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """\
import docksim

scenario = docksim.Scenario.load("dock_nds")
scenario.chaser.mass_kg = 9000.0
result = scenario.run()
reveal_type(docksim.run("dock_nds"))
reveal_type(result.metrics)
reveal_type(docksim.Simulation(scenario).time)
study = docksim.run_study({"base": scenario, "cases": 4}, workers=2, progress=lambda done, cases: print(done))
reveal_type(study)
reveal_type(study.summary())
reveal_type(study.worst("dock.peak_shear_N")[0].inputs)
reveal_type(study.rerun(3))
reveal_type(study.compare(docksim.Study.load("results/box")))
docksim.run_study("box.yaml", worker=2)
docksim.run(3)
"""
# packages beneath docksim, whose types no line of the script asks for, would take six seconds
CHECKED = """\
[mypy]
follow_imports = silent
[mypy-numpy.*,scipy.*,matplotlib.*,pandas.*,xarray.*,pydantic.*,pydantic_core.*,click.*,rich.*,yaml.*,jinja2.*,PIL.*]
follow_imports = skip
follow_imports_for_stubs = True
"""


@pytest.fixture
def scenario() -> docksim.Scenario:
    return docksim.Scenario.load("dock_nds")


@pytest.fixture(scope="module")
def result() -> docksim.Result:
    return docksim.run("tumbling_brick", {"solver.duration_s": 0.5})


def test_keys_are_read_by_attribute_and_by_path(scenario: docksim.Scenario) -> None:
    resolved = load_scenario("dock_nds")
    assert scenario.chaser.mass_kg == scenario["chaser.mass_kg"] == resolved.vehicles["chaser"].mass_kg
    assert scenario["approach.closing_rate_m_s"] == scenario.approach.closing_rate_m_s == 0.06
    assert scenario.approach.lateral_offset_m[0] == scenario["approach.lateral_offset_m.0"]
    assert scenario["sequence.ATTENUATE.timeout_s"] == scenario.sequence[4].timeout_s
    assert scenario.vehicles.chaser.keys() == scenario.chaser.keys()
    assert "mass_kg" in scenario.chaser
    assert repr(scenario.solver).startswith("solver:\n  duration_s:")
    assert scenario.resolved == resolved


def test_what_may_be_typed_is_offered(scenario: docksim.Scenario) -> None:
    assert {"mass_kg", "ports", "mechanism"} <= set(dir(scenario.chaser))
    assert {"chaser", "station", "approach", "set", "run", "check"} <= set(dir(scenario))
    assert {"run", "Scenario", "Simulation", "load"} <= set(dir(docksim))
    assert not {"Any", "TYPE_CHECKING", "import_module"} & set(dir(docksim))
    with pytest.raises(AttributeError, match=r"chaser has no 'mas_kg'; did you mean 'mass_kg'\?"):
        scenario.chaser.mas_kg
    with pytest.raises(KeyError, match=r"scenario 'dock_nds' has no 'chaserr'; did you mean 'chaser'\?"):
        scenario["chaserr"]


def test_a_change_is_checked_and_a_refused_one_leaves_all_as_it_was(scenario: docksim.Scenario) -> None:
    scenario.chaser.mass_kg = 9000.0
    assert scenario.set("approach.closing_rate_m_s", 0.05) is scenario
    scenario.set({"solver.duration_s": 2.0, "outputs.every_s": 0.02})
    scenario["approach.lateral_offset_m.0"] = 0.02
    changes = scenario.changes
    assert list(changes) == [
        "chaser.mass_kg", "approach.closing_rate_m_s", "solver.duration_s", "outputs.every_s",
        "approach.lateral_offset_m.0",
    ]  # fmt: skip
    with pytest.raises(docksim.ScenarioError, match=r"set: vehicles.chaser.mas_kg: unknown key; did you mean"):
        scenario.set("chaser.mas_kg", 1.0)
    with pytest.raises(docksim.ScenarioError, match=r"set: vehicles.chaser.mass_kg: "):
        scenario.chaser.mass_kg = -1.0
    with pytest.raises(TypeError, match="give a value too"):
        scenario.set("chaser.mass_kg")
    assert scenario.changes == changes
    assert scenario.resolved == load_scenario("dock_nds", changes)
    other = scenario.copy().set("chaser.mass_kg", 1000.0)
    assert (scenario.chaser.mass_kg, other.chaser.mass_kg) == (9000.0, 1000.0)


def test_a_later_change_of_a_key_comes_last(scenario: docksim.Scenario) -> None:
    scenario.set("approach.lateral_offset_m.0", 0.02).set("approach.lateral_offset_m", [0.01, 0.0])
    assert scenario.approach.lateral_offset_m == (0.01, 0.0)
    scenario.set("approach.lateral_offset_m.0", 0.03)
    assert scenario.approach.lateral_offset_m == (0.03, 0.0)


@pytest.mark.parametrize("kind", ["docking", "spin", "two_vehicles"])
def test_starts_of_ones_own_are_valid(kind: str, tmp_path: Path) -> None:
    scenario = docksim.Scenario.new(kind)
    assert scenario.check() == []
    file = tmp_path / "mine.yaml"
    assert scenario.to_yaml(file) == file.read_text(encoding="utf-8")
    assert load_scenario(file) == scenario.resolved
    with pytest.raises(docksim.ScenarioError, match=r"no start 'dokcing'.*did you mean 'docking'"):
        docksim.Scenario.new("dokcing")


def test_check_warns_and_refuses_as_the_command_does(scenario: docksim.Scenario) -> None:
    first, *_ = scenario.copy().set("approach.closing_rate_m_s", 60.0).check()
    assert first.startswith("set: approach.closing_rate_m_s: warning: 60 m/s is")
    assert "was mm/s meant" in first
    with pytest.raises(docksim.ScenarioError, match="overlap"):
        scenario.set("approach.distance_m", 0.0).check()


def test_load_of_a_scenario_says_what_to_do(tmp_path: Path) -> None:
    for name in ("scenarios/dock_nds.yaml", "dock_nds"):
        with pytest.raises(docksim.ScenarioError, match=r"is a scenario.*docksim.Scenario.load\('.*dock_nds.*opens it"):
            docksim.load(name)
    with pytest.raises(docksim.ResultError, match="no such"):
        docksim.load(tmp_path / "nothing")


def test_a_result_is_small_in_words(result: docksim.Result) -> None:
    assert result.keys() == list(result.channels) == result._ipython_key_completions_()
    with pytest.raises(KeyError, match=r"no metric 'brick.rat_deg_s.peak'.*did you mean 'brick.rate_deg_s.peak'"):
        result.metrics["brick.rat_deg_s.peak"]
    assert len(result) == len(result.channels)
    assert result
    assert len(repr(result.channels)) < 300
    assert len(repr(result.metrics)) < 600
    channel = result.channel("brick.rate_deg_s")
    assert repr(channel) == f"<Channel brick.rate_deg_s [deg/s] 'angular rate against W', {channel.data.shape}>"
    assert result.metrics.text("brick.rate_deg_s.peak").endswith(" deg/s")


def test_metrics_know_their_units() -> None:
    metrics = Metrics({"dock.peak_bending_Nm": 12.0, "dock.peak_bending_Nm.of_limit": 0.1, "dock.outcome": "captured"})
    assert [metrics.unit(name) for name in metrics] == ["N m", "", ""]
    assert [metrics.text(name) for name in metrics] == ["12 N m", "0.1", "captured"]
    assert repr(metrics).startswith("<3 metrics: dock.peak_bending_Nm = 12 N m, ")


def test_xarray_keeps_numbers_units_and_frames(result: docksim.Result) -> None:
    data = result.to_xarray()
    back = []
    for name, variable in [("time_s", data["time_s"]), *data.data_vars.items()]:
        about: dict[str, Any] = result.channel(str(name)).__dict__
        if name != "time_s":
            words = tuple(variable[variable.dims[1]].values) if variable.ndim == 2 else ()
            labels = tuple(variable.attrs.get("labels", ()))
            given = (variable.attrs["units"], variable.attrs["frame"], variable.attrs["long_name"])
            back.append(Channel(str(name), *given, variable.values, words, labels))
            assert {key: value for key, value in back[-1].__dict__.items() if key != "data"} == {
                key: value for key, value in about.items() if key != "data"
            }
        assert variable.values.tobytes() == about["data"].tobytes()
    assert len(back) == len(result) - 1
    assert data.attrs["outcome"] == result.outcome
    assert float(data["brick.position_m"].sel(xyz="x")[-1]) == result["brick.position_m"][-1, 0]


def test_a_missing_package_is_named_with_its_extra(result: docksim.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    for package, call in (("xarray", result.to_xarray), ("pandas", result.to_dataframe)):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(docksim.ResultError, match=rf"needs {package}, .*pip install 'docksim\[{package}\]'"):
            call()


def test_a_notebook_sees_outcome_loads_and_a_figure(tmp_path: Path) -> None:
    docked = docksim.run("dock_nds", {"solver.duration_s": 5.5})
    page = docked._repr_html_()
    for text in ("dock_nds", docked.outcome, "dock: compression", "of the limit", "<svg"):
        assert text in page
    assert "<script" not in page
    figures = docked.plot("ports")
    assert "ports_dock" in figures
    assert figures._repr_html_().count("<svg") == len(figures)
    assert tmp_path / "ports_dock.png" in figures.save(tmp_path)
    with pytest.raises(docksim.ResultError, match="no figure of the kind 'prots'"):
        docked.plot("prots")
    folder = docked.save(tmp_path / "kept")
    again = docksim.load(folder)
    assert isinstance(again, docksim.Result)
    assert isinstance(again, Plain)
    assert np.array_equal(again["dock.position_m"], docked["dock.position_m"])


def test_mypy_sees_the_types_of_a_users_script(tmp_path: Path) -> None:
    script, config = tmp_path / "script.py", tmp_path / "mypy.ini"
    script.write_text(SCRIPT, encoding="utf-8")
    config.write_text(CHECKED, encoding="utf-8")
    assert (ROOT / "docksim" / "py.typed").is_file()
    command = [sys.executable, "-m", "mypy", f"--config-file={config}", f"--cache-dir={tmp_path}", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    for text in (
        "docksim.scripting.result.Result", "docksim.result.result.Metrics", "float", "docksim.scripting.study.Study",
        "docksim.study.summary.StudySummary", "dict[str, Any]", "docksim.study.comparison.Comparison",
    ):  # fmt: skip
        assert f'type is "{text}"' in done.stdout.replace("builtins.", ""), done.stdout
    assert done.stdout.count("docksim.scripting.result.Result") == 2
    assert 'Unexpected keyword argument "worker" for "run_study"' in done.stdout
    assert 'Argument 1 to "run" has incompatible type "int"' in done.stdout

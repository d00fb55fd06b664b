"""The scenarios that `docksim new` writes run for real, and tell what their comments promise."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import docksim
from docksim.cli import main
from docksim.cli.new import KINDS, starting_files
from docksim.config import load_scenario
from docksim.config.loading.scenario import load_mechanism
from docksim.result.result import Result
from docksim.study.plan import load_plan

SCENARIOS = ("spin", "two_vehicles", "docking")
TEMPLATES = Path(docksim.__file__).parent / "cli" / "templates"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Every template, run and saved."""
    folder = tmp_path_factory.mktemp("templates")
    found = {}
    for kind in SCENARIOS:
        file = folder / f"my {kind}.yaml"
        file.write_text(starting_files(kind, file)[file], encoding="utf-8")
        found[kind] = docksim.run(file, out=folder / "results")
    return found


def test_every_kind_has_its_template_and_every_template_its_kind() -> None:
    used = [template for kinds, _ in KINDS.values() for template in kinds.values()]
    assert sorted(file.stem for file in TEMPLATES.glob("*.yaml")) == sorted(used)


def test_spin_turns_over_about_its_middle_axis(results: dict[str, Result]) -> None:
    result = results["spin"]
    assert result.outcome == "completed"
    rate = result["satellite.rate_deg_s"][:, 1]
    # started at +20 deg/s about y, it must come by -20 deg/s; the small tilt costs far less than 1 deg/s of that
    assert rate[0] == pytest.approx(20.0, abs=1e-12)
    assert rate.min() == pytest.approx(-20.0, abs=1.0)


def test_two_vehicles_meet_stay_and_part(results: dict[str, Result]) -> None:
    result = results["two_vehicles"]
    assert (result.outcome, [event.name for event in result.events]) == ("stopped", ["contact", "undock", "clear"])
    contact, undock, _ = result.events
    assert contact.energy_loss_J > 0
    assert undock.time_s - contact.time_s == pytest.approx(30.0, abs=1e-12)
    names = result.channel("phase").labels
    assert [names[code] for code in np.unique(result["phase"])][-2:] == ["DOCKED", "DEPARTURE"]


def test_docking_goes_from_contact_to_closed_hooks(results: dict[str, Result]) -> None:
    result = results["docking"]
    assert result.outcome == "hard-docked", result.reason
    names = [event.name for event in result.events]
    assert names[0] == "contact"
    assert names.index("attenuate") < names.index("hooks")
    assert result["dock.latches_engaged"].max() == 3


def test_saved_scenario_is_the_one_that_ran_and_runs_again_bit_for_bit(results: dict[str, Result]) -> None:
    """The docking takes long to run again: equal scenarios give equal bits, as tests of determinism tell."""
    for kind, result in results.items():
        assert result.folder is not None
        saved = load_scenario(result.folder / "scenario.yaml")
        assert saved == result.scenario
        if kind == "docking":
            continue
        again = docksim.run(result.folder / "scenario.yaml")
        assert list(again) == list(result)
        for name in result:
            assert again[name].tobytes() == result[name].tobytes(), name


def written(kind: str, folder: Path, base: str | None = None) -> Path:
    for path, text in starting_files(kind, folder / "my.yaml", base).items():
        path.write_text(text, encoding="utf-8")
    return folder / "my.yaml"


def test_study_varies_the_approach_of_its_base_or_a_mass(tmp_path: Path) -> None:
    plan = load_plan(written("study", tmp_path))
    assert {name.split(".")[0] for name in plan.keys} == {"approach", "chaser"}
    spin = written("spin", tmp_path).rename(tmp_path / "base.yaml")
    plan = load_plan(written("study", tmp_path, str(spin)))
    assert list(plan.keys) == ["satellite.mass_kg"]


def test_vehicle_and_mechanism_fit_into_a_docking(tmp_path: Path) -> None:
    mechanism = written("mechanism", tmp_path).rename(tmp_path / "ring.yaml")
    assert len(load_mechanism(mechanism).six_legs()) == 6
    ship = written("vehicle", tmp_path).rename(tmp_path / "ship.yaml")
    docking = written("docking", tmp_path)
    changed = docking.read_text().replace("configs/vehicles/crew_dragon_like.yaml", ship.name)
    docking.write_text(changed.replace("{position_m: [3.9,", f"{{use: {mechanism.name}, position_m: [3.6,"))
    scenario = load_scenario(docking)
    assert scenario.vehicles["chaser"].inertia_kg_m2.xx == 9500.0


def test_berthing_can_be_planned_and_its_scenario_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written("berthing", tmp_path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["berth", "plan", "my_plan.yaml", "--out", "my_program.yaml", "--no-figures"])
    assert result.exit_code == 0, result.output
    scenario = load_scenario(file)
    assert {"reach", "grapple", "carry", "limp", "seat"} <= set(scenario.events)

"""The scenarios that `docksim new` writes run for real, and tell what their comments promise."""

from pathlib import Path

import numpy as np
import pytest

import docksim
from docksim.cli.new import KINDS, starting_scenario
from docksim.config import load_scenario
from docksim.result.result import Result

TEMPLATES = Path(docksim.__file__).parent / "cli" / "templates"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """Every template, run and saved."""
    folder = tmp_path_factory.mktemp("templates")
    found = {}
    for kind in KINDS:
        file = folder / f"my {kind}.yaml"
        file.write_text(starting_scenario(kind, file.stem), encoding="utf-8")
        found[kind] = docksim.run(file, out=folder / "results")
    return found


def test_every_kind_has_its_template_and_every_template_its_kind() -> None:
    assert sorted(file.stem for file in TEMPLATES.glob("*.yaml")) == sorted(KINDS)


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

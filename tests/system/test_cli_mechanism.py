"""docksim mechanism inspect, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from matplotlib.figure import Figure

from docksim.cli import main
from docksim.hardware.mechanism import Mechanism
from docksim.plots.hardware import figures as hardware
from tests.support.mechanisms import SHIPPED
from tests.support.shipped import SCENARIOS

FIGURES = ("mechanism", "workspace", "resistance", "devices")


pytestmark = pytest.mark.usefixtures("wide_folder")


def inspect(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["mechanism", "inspect", *arguments])


def test_inspect_shows_a_table_and_writes_figures() -> None:
    result = inspect(str(SHIPPED[0]))
    assert result.exit_code == 0, result.output
    for words in ("leg", "Jacobian condition", "singularity margin", "IDSS misalignments", "ring on its springs", "Hz"):
        assert words in result.output
    folder = Path("results/mechanisms") / SHIPPED[0].stem
    assert {path.name for path in folder.iterdir()} == {f"{name}.png" for name in FIGURES}
    assert str(folder / "mechanism.png") in result.output


def test_inspect_tells_what_acts_on_what() -> None:
    """Every coupling has its legs and its devices, with the force at which a self-adjusting brake slips."""
    apas = next(path for path in SHIPPED if path.stem == "apas_like")
    result = inspect(str(apas), "--no-figures")
    assert result.exit_code == 0, result.output
    for words in (
        "0.167: 1 2 3 4 5 6", "-0.25: 3 4 5 6", "caged spring 350 N and 2000 N/m, 20000 N/m beyond its rest",
        # 0.12 x 6000 / (1 + 0.12 x 6)
        "brake slips at 418.6 N (264.7 to 519.2 N", "rotor felt as 39.48 kg", "eddy-current brake, at most 60 N",
    ):  # fmt: skip
        assert words in " ".join(result.output.split()), words


def test_inspect_tells_what_resists_a_tilt_of_a_mechanism_and_of_that_of_a_scenario() -> None:
    apas = next(path for path in SHIPPED if path.stem == "apas_like")
    for path, pushed in ((apas, 350.0 + 418.6), (SCENARIOS / "dock_apas.yaml", 800.0 + 3976.7)):
        result = inspect(str(path), "--no-figures")
        assert result.exit_code == 0, result.output
        rows = [line.split() for line in result.output.splitlines()]
        # springs + friction, weakest side, strongest; a scenario may change what acts along the axis
        assert ["7", "deg", "360", "464", "824", "1038", "912", "to", "1109"] in rows
        (inward,) = (float(row[-1]) for row in rows if row[:5] == ["is", "pushed", "in", "0.01", "m"])
        # preload and brake of the mean length by the legs' cosine, 10 mm in; 2000 N/m on 6 mm
        assert inward == pytest.approx(0.625 * (pushed + 2000.0 * 0.0063), rel=2e-3)


def test_scenario_without_a_mechanism_is_refused() -> None:
    result = inspect(str(SCENARIOS / "tumbling_brick.yaml"))
    assert result.exit_code == 1
    assert "tumbling_brick.yaml: vehicles: none of them has a mechanism" in result.output


def test_figures_go_where_and_how_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    # what they show takes longest, and is not what is asked here
    monkeypatch.setattr(hardware, "mechanism_figures", empty_figures)
    assert inspect(str(SHIPPED[0]), "--out", "here", "--format", "svg").exit_code == 0
    assert {path.name for path in Path("here").iterdir()} == {f"{name}.svg" for name in FIGURES}


def empty_figures(mechanism: Mechanism, name: str) -> dict[str, Figure]:
    return {figure: Figure() for figure in FIGURES}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_machine_readable_figures_are_json_without_infinities(path: Path) -> None:
    result = inspect(str(path), "--json", "--no-figures")
    found = json.loads(result.output, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert len(found["legs"]) == 6
    assert found["singularity_margin"] > 0.1
    assert not Path("results").exists()


def test_bad_file_is_refused_with_its_line() -> None:
    Path("bad.yaml").write_text("ring: {mass_kg: 1, inertia_kg_m2: [1, 1, 1]}\nreferenc: 1\n")
    result = inspect("bad.yaml")
    assert result.exit_code == 1
    assert "bad.yaml:2: referenc: unknown key; did you mean 'reference'?" in result.output
    assert inspect("gone.yaml").exit_code == 1

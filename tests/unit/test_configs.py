"""The parts and scenarios that come along: all of them load, and every figure says where it is from."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from docksim.config.loading.chain import read_chain
from docksim.config.loading.scenario import load_interface, load_mechanism, load_scenario

ROOT = Path(__file__).resolve().parents[2]
VEHICLES = sorted((ROOT / "configs" / "vehicles").glob("*.yaml"))
APPENDAGES = sorted((ROOT / "configs" / "appendages").glob("*.yaml"))
MECHANISMS = sorted((ROOT / "configs" / "mechanisms").glob("*.yaml"))
INTERFACES = sorted((ROOT / "configs" / "interfaces").glob("*.yaml"))
CHAINS = sorted((ROOT / "configs" / "chains").glob("*.yaml"))
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))
# keys whose figures need a source or the word estimate beside them
FIGURES = re.compile(
    r"\b(mass_kg|center_of_mass_m|inertia_kg_m2|position_m|length_m|EI_\w+|GJ_\w+|tip_mass_kg|\w+_radius_m):"
)


def stem(path: Path) -> str:
    return path.stem


def vehicle_with(kind: str, path: Path) -> dict[str, Any]:
    """A scenario whose one vehicle carries the appendage."""
    base = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]}
    return scenario_of(base | {kind: {"part": {"use": path.relative_to(ROOT).as_posix()}}})


def scenario_of(vehicle: dict[str, Any]) -> dict[str, Any]:
    return {"name": "part", "vehicles": {"carrier": vehicle}, "solver": {"duration_s": 1.0}}


def test_the_folders_are_not_empty() -> None:
    assert len(VEHICLES) >= 12
    assert len(APPENDAGES) >= 3
    assert len(MECHANISMS) >= 4
    assert len(INTERFACES) >= 3
    assert len(CHAINS) >= 5
    assert len(SCENARIOS) >= 10


@pytest.mark.parametrize("path", VEHICLES, ids=stem)
def test_vehicle_is_valid_and_names_its_source(path: Path) -> None:
    scenario = load_scenario(scenario_of({"use": path.relative_to(ROOT).as_posix()}))
    vehicle = scenario.vehicles["carrier"]
    assert vehicle.source.strip()
    assert all(body.source.strip() for body in vehicle.bodies.values())
    assert all(beam.source.strip() for beam in vehicle.beams.values())


@pytest.mark.parametrize("path", APPENDAGES, ids=stem)
def test_appendage_is_valid_and_names_its_source(path: Path) -> None:
    kind = "beams" if "length_m" in yaml.safe_load(path.read_text(encoding="utf-8")) else "bodies"
    vehicle = load_scenario(vehicle_with(kind, path)).vehicles["carrier"]
    assert getattr(vehicle, kind)["part"].source.strip()


@pytest.mark.parametrize("path", MECHANISMS, ids=stem)
def test_mechanism_is_valid_and_names_its_source(path: Path) -> None:
    assert load_mechanism(path).source.strip()


@pytest.mark.parametrize("path", INTERFACES, ids=stem)
def test_interface_is_valid_and_names_its_source(path: Path) -> None:
    assert load_interface(path).source.strip()


@pytest.mark.parametrize("path", CHAINS, ids=stem)
def test_chain_is_valid_and_names_its_source(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert read_chain(path).source.strip()


@pytest.mark.parametrize("path", VEHICLES + APPENDAGES + MECHANISMS + CHAINS, ids=stem)
def test_every_figure_has_a_remark_beside_it(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if FIGURES.search(line.split("#")[0]) and "#" not in line] == []


@pytest.mark.parametrize("path", SCENARIOS, ids=stem)
def test_scenario_is_valid_and_begins_with_what_it_shows(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# ")
    scenario = load_scenario(path)
    assert scenario.name == path.stem
    assert scenario.description


def test_brick_is_the_published_one_converted_to_si() -> None:
    # slug ft^2 to kg m^2: 0.3048 m x 4.4482216152605 N, both exact by definition
    published = (0.001894220, 0.006211019, 0.007194665)
    brick = load_scenario(ROOT / "scenarios" / "tumbling_brick.yaml").vehicles["brick"]
    matrix = brick.inertia_kg_m2.matrix()
    expected = [moment * 0.3048 * 4.4482216152605 for moment in published]
    # two roundings
    assert [matrix[i][i] for i in range(3)] == pytest.approx(expected, rel=1e-15)

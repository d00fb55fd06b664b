"""docksim interface show and docksim tune-contact, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import docksim
from tests.support.commands import call
from tests.support.docks import dock

pytestmark = pytest.mark.usefixtures("wide_folder")


def test_show_prints_a_table_and_writes_a_figure() -> None:
    result = call("interface", "show", "configs/interfaces/idss_like.yaml")
    assert result.exit_code == 0, result.output
    for words in ("passage", "lateral error guided", "mated, petal on rim", "first touch, 100 mm", "limit, shear",
                  "19.8 N at most, 0.146 J over 12.6 mm", "59.4 N, 0.437 J", "0.0605 J", "10.4 ms",
                  "6 mm at 0 deg, 2.5 mm at 4 deg"):  # fmt: skip
        assert words in result.output
    assert sorted(path.name for path in Path("results/interfaces/idss_like").iterdir()) == ["interface.png", "pawl.png"]


def test_show_speaks_json_and_draws_where_it_is_told() -> None:
    probe = "configs/interfaces/spheres_probe.yaml"
    result = call("interface", "show", probe, "--json", "--out", "o", "--format", "svg")
    assert result.exit_code == 0, result.output
    # two balls of 50 mm on ports that are 0.2 m apart
    assert json.loads(result.output)["first_touch_m"]["0"][0] == pytest.approx(0.2, abs=1e-8)
    assert [path.name for path in Path("o").iterdir()] == ["interface.svg"]


def test_show_refuses_a_file_with_every_fault() -> None:
    Path("bad.yaml").write_text("rim: {radius_m: -1, height_m: 1, tube_m: 0.1}\n", encoding="utf-8")
    result = call("interface", "show", "bad.yaml")
    assert result.exit_code == 1
    assert "bad.yaml:1: rim.radius_m: -1 must be at least 1e-06" in result.output
    assert "bad.yaml:1: rim.height_m: 1 must be at most 0" in result.output


def test_overlap_at_the_start_is_refused_by_check_and_run_alike() -> None:
    # 0.1 m off to the side the two first touch at 0.0896 m
    data = dock(approach__distance_m=0.085, approach__lateral_offset_m=[0.0, 0.1])
    Path("s.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    checked = call("check", "s.yaml")
    assert checked.exit_code == 1
    assert checked.output.startswith("s.yaml: contacts.dock: the interfaces overlap at the start, by ")
    result = docksim.run("s.yaml")
    assert result.outcome == "failed"
    # the same features and the same depth, though the one comes from the file and the other from the compiled tree
    assert checked.output.strip() == f"s.yaml: {result.reason}"


def test_scenario_that_begins_apart_passes_the_check() -> None:
    hooks = {"reach_m": 0.01, "window_m": 0.01, "tilt_deg": 1.0, "roll_deg": 4.0, "rate_m_s": 0.01}
    data = dock(vehicles__station__ports__dock__hooks=hooks)
    Path("s.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    assert call("check", "s.yaml").output == "s.yaml: ok\n"


def test_tune_contact_shows_its_formulas_and_lines_for_the_files() -> None:
    result = call("tune-contact", "--masses", "12000", "400000", "--speed", "0.1", "--ring-mass", "38")
    assert result.exit_code == 0, result.output
    for words in ("m1 m2 / (m1 + m2)", "F / d", "v sqrt(k m)", "ln((1 + c v) / (1 - e c v))", "beyond the load limit"):
        assert words in result.output
    assert "contact: {stiffness_N_m: 6.5e+06, damping_s_m: 3.731, friction: 0.1}" in result.output
    assert "substeps: 5" in result.output


def test_tune_contact_knows_hysteresis_and_warns_of_dampers_that_make_the_peak() -> None:
    case = ("tune-contact", "--masses", "12e3", "4e5", "--speed", "0.1", "--restitution", "0.3", "--ring-mass", "38")
    damped, lost = call(*case), call(*case, "--law", "walton_braun")
    assert "is above 1: the damper makes the peak force; take --law walton_braun" in damped.output
    assert "7.222e+07 N/m  =  k / e^2, e = 0.3 at any speed" in lost.output
    assert "contact: {stiffness_N_m: 6.5e+06, law: walton_braun, restitution: 0.3, friction: 0.1}" in lost.output
    # a 75th of the period of unloading: a third of 0.2 ms
    assert "substeps: 17" in lost.output


def test_tune_contact_speaks_json() -> None:
    result = call("tune-contact", "--masses", "100", "100", "--speed", "0.01", "--json")
    assert json.loads(result.output)["reduced_mass_kg"] == 50.0


@pytest.mark.parametrize(
    "arguments",
    [("--masses", "0", "1", "--speed", "1"), ("--masses", "1", "1", "--speed", "nan"), ("--masses", "1", "1"),
     ("--masses", "1", "1", "--speed", "1", "--restitution", "0"), ("--masses", "1", "1", "--speed", "1e300")],
)  # fmt: skip
def test_tune_contact_refuses_what_makes_no_sense(arguments: tuple[str, ...]) -> None:
    assert call("tune-contact", *arguments).exit_code == 2

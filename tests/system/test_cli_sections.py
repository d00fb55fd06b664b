"""docksim sections: what a user types, gets, and is told."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.io import loadmat

import docksim
from docksim.cli import main

BOOM = "configs/chains/inspection_boom.yaml"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["sections", *map(str, words)])


def test_chain_at_rest_gives_loads_margins_and_sag(tmp_path: Path) -> None:
    words = (BOOM, "--tool-force-N", 0, 0, -40, "--out", tmp_path)
    found = json.loads(run(*words, "--json", "--no-figures").stdout)
    column = found["lines"][0]["largest"]
    # all that hangs on the column is its weight and the load
    assert column["axial_N"]["size"] == pytest.approx(9.81 * (20.0 + 2.0 + 3.9 + 2.2 + 6.0) + 40.0, rel=1e-12)
    assert found["lines"][1]["margins"]["bending"] > 0.0
    assert found["tool"]["sag_m"][2] < 0.0
    shown = run(*words)
    assert shown.exit_code == 0, shown.output
    assert "sag [mm]" in shown.stdout
    assert "N/m at the softest" in shown.stdout
    assert {path.name for path in tmp_path.iterdir()} >= {
        "sections.csv",
        "sections.npz",
        "diagram.csv",
        "sections_camera.png",
    }
    with np.load(tmp_path / "sections.npz") as archive:
        assert np.array_equal(
            loadmat(tmp_path / "sections.mat")["lower_boom_gauge_bending_y_Nm"].ravel(),
            archive["lower_boom.gauge.bending_y_Nm"],
        )


def test_example_of_the_page_runs(tmp_path: Path) -> None:
    page = Path("docs/chains.md").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if "docksim sections configs/chains/puma560.yaml" in line)
    words = shlex.split(line, comments=True)[2:]
    assert run(*words, "--no-figures", "--out", tmp_path).exit_code == 0


def test_task_is_looked_at_along_its_motion_and_at_rest_on_its_way(tmp_path: Path) -> None:
    words = ("configs/tasks/overdetermined.yaml", "--points", 5, "--no-figures", "--json", "--out", tmp_path)
    moving, resting = (json.loads(run(*words, *more).stdout)["lines"] for more in ((), ("--static",)))
    # the pendulum's first link at rest: a moment of weights, and nothing else
    assert moving[0]["largest"]["bending_Nm"]["size"] != resting[0]["largest"]["bending_Nm"]["size"]
    header = (tmp_path / "diagram.csv").read_text().splitlines()
    assert header[0].startswith("line,time_s,distance_m,axial_N,axial_N.least")
    assert len(header) > 10


def test_beams_of_a_saved_run_have_sections(tmp_path: Path) -> None:
    sides = ("array_left", "array_right")
    strong = {f"satellite.beams.{side}.structure": {"allowable": {"bending_Nm": 50.0}} for side in sides}
    result = docksim.run("scenarios/array_slew.yaml", {"solver.duration_s": 1.0, **strong}, out=tmp_path)
    assert result.folder is not None
    shown = run(result.folder, "--margins")
    assert shown.exit_code == 0, shown.output
    assert "bending" in shown.stdout
    made = {path.name for path in (result.folder / "sections").iterdir()}
    assert {"sections.csv", "sections.mat", "diagram.npz", "sections_satellite_array_left.png"} <= made


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("none.yaml",), 1, "none.yaml: file not found"),
        ((BOOM, "--at", "boom.angle_deg=3"), 2, "no link 'boom'"),
        ((BOOM, "--static"), 2, "--static goes with a task"),
        ((BOOM, "--margins"), 1, f"{BOOM}:6: bodies.column.structure.allowable: missing, so there is no margin"),
        (("configs/tasks/puma_guided.yaml", "--at", "waist.angle_deg=3"), 2, "--at does not go with a task"),
        (("configs/tasks/puma_guided.yaml", "--static"), 1, "puma_guided.yaml:15: constraint: at rest, what"),
        (("scenarios/array_slew.yaml",), 1, "is a scenario; run it"),
    ],
)
def test_what_cannot_be_is_said(words: tuple[str, ...], code: int, message: str, tmp_path: Path) -> None:
    result = run(*words, "--no-figures", "--out", tmp_path)
    assert (result.exit_code, message in result.output) == (code, True), result.output

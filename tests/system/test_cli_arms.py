"""docksim chain import, docksim chain from: the files they write, and what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from docksim.chain import load_chain
from docksim.cli import main
from tests.support.urdf_texts import public, random_urdf


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(random_urdf(np.random.default_rng(0)))
    return Path("arm.urdf")


def test_import_writes_a_chain_file_that_all_commands_read(arm: Path) -> None:
    found = run("chain", "import", str(arm))
    assert found.exit_code == 0, found.output
    assert "5 joints" in found.output
    one, other = load_chain("arm.yaml"), load_chain(arm)
    assert np.array_equal(one.inertia, other.inertia)
    assert run("chain", "inspect", "arm.yaml", "--no-figures").exit_code == 0
    again = run("chain", "import", str(arm))
    assert again.exit_code == 1
    assert "arm.yaml exists; --force overwrites it" in again.output
    assert run("chain", "import", str(arm), "--force").exit_code == 0


def test_import_with_a_tip_says_what_meshes_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ur.urdf").write_text(public("arms/ur5e/ur5e.urdf"))
    found = run("chain", "import", "ur.urdf", "--tip", "flange", "--fix", "elbow_joint", "--out", "five.yaml")
    assert found.exit_code == 0, found.output
    assert "note: ur.urdf:36: link 'shoulder_link': <mesh filename> 'visual/shoulder.obj': no such mesh" in found.stderr
    chain = load_chain("five.yaml")
    assert chain.n == 5
    assert not np.allclose(chain.R_end[-1], np.eye(3))  # as the frame of the flange is turned


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["import", "arm.yml"], "arm.yml is no URDF; its name ends in .urdf"),
        (["import", "gone.urdf"], "gone.urdf: file not found"),
        (["import", "arm.urdf", "--tip", "l99"], "no link 'l99'"),
        (["import", "arm.urdf", "--out", "arm.urdf/place.yaml"], "arm.urdf is no folder"),
        (["from", "gone.yaml", "--vehicle", "a"], "gone.yaml: file not found"),
        (["from", "scenarios/berth_module.yaml", "--vehicle", "stations"], "did you mean 'station'?"),
    ],
)
def test_wrong_use_is_told(words: list[str], message: str, arm: Path) -> None:
    found = run("chain", *words)
    assert found.exit_code != 0
    assert message in found.output


def test_arm_of_a_shipped_scenario_becomes_a_chain(arm: Path) -> None:
    file = ["scenarios/berth_module.yaml", "--vehicle", "station", "--to", "wrist_roll.grip", "--out", "found.yaml"]
    found = run("chain", "from", *file)
    assert found.exit_code == 0, found.output
    assert load_chain("found.yaml").n == 7

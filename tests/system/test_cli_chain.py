"""docksim chain dynamics, chain counts, baseparams, as a user calls them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from docksim.chain import inverse, load_chain
from tests.support.commands import call

CHAINS = Path(__file__).resolve().parents[2] / "configs" / "chains"
PUMA = str(CHAINS / "puma560.yaml")


pytestmark = pytest.mark.usefixtures("wide_folder")


def test_dynamics_shows_the_state_the_matrix_and_the_agreement() -> None:
    result = call("chain", "dynamics", PUMA, "--at", "upper_arm.angle_deg=-45", "--counts")
    assert result.exit_code == 0, result.output
    for words in ("upper_arm", "-45 deg", "A [kg m²]", "the four formulations agree", "composite bodies (CRBA)"):
        assert words in result.output


def test_dynamics_as_json_is_what_the_api_computes() -> None:
    at = ["--at", "waist.rate_deg_s=57.29577951308232", "--at", "forearm.acceleration_deg_s2=57.29577951308232"]
    result = call("chain", "dynamics", PUMA, *at, "--json", "--out", "out/state.npz")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    arm = load_chain(PUMA)
    expected = inverse(arm, arm.home, [1, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0])
    # plain Python against compiled code
    np.testing.assert_allclose(found["inverse"], expected, atol=1e-12)
    assert max(found["disagreement"].values()) < 1e-11
    with np.load("out/state.npz") as kept:
        np.testing.assert_array_equal(kept["A"], found["A"])
        assert kept["names"].tolist() == list(arm.names)


def test_a_drive_moves_the_arm() -> None:
    still = json.loads(call("chain", "dynamics", PUMA, "--json").output)
    moved = json.loads(call("chain", "dynamics", PUMA, "--drive", "waist.torque_Nm=10", "--json").output)
    change = np.array(moved["forward"]) - still["forward"]
    np.testing.assert_allclose(np.array(moved["A"]) @ change, [10, 0, 0, 0, 0, 0], atol=1e-11)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--at", "upper_arn.angle_deg=3"), "no link 'upper_arn'"),
        (("--at", "waist.angle=3"), "'waist' has angle_rad, angle_deg, rate_rad_s"),
        (("--at", "waist.angle_deg=many"), "'many' is no finite number"),
        (("--drive", "waist=3"), "expected LINK.QUANTITY=VALUE, for example waist.torque_Nm=10"),
        (("--drive", "waist.force_N=3"), "'waist' has torque_Nm"),
        (("--drive", "waist.torque_Nm=nan"), "'nan' is no finite number"),
        (("--method", "lagrange"), "'lagrange' is not one of 'kane', 'recurrent', 'crba', 'twists'"),
        (("--out", "/proc/none/x.npz"), "cannot write /proc/none/x.npz"),
    ],
)
def test_wrong_words_are_explained(arguments: tuple[str, ...], words: str) -> None:
    result = call("chain", "dynamics", PUMA, *arguments)
    assert result.exit_code in (1, 2)
    # click frames and folds what it says
    assert words in " ".join(result.output.replace("│", " ").split()), result.output


def test_chain_without_inertia_is_refused_by_name() -> None:
    Path("bare.yaml").write_text("denavit_hartenberg:\n  - {type: revolute, alpha_deg: 0, a_m: 1, d_m: 0}\n")
    result = call("chain", "dynamics", "bare.yaml")
    assert result.exit_code == 1
    assert (
        "bare.yaml:2: denavit_hartenberg.0: A is singular: nothing with inertia moves with joint 'link1'"
        in result.output
    )


@pytest.mark.parametrize("command", [("chain", "dynamics"), ("baseparams",)])
def test_file_that_is_no_chain_is_refused_with_its_faults(command: tuple[str, ...]) -> None:
    Path("x.yaml").write_text("denavit_hartenberg:\n  - {type: revolute, alpha_deg: 0, a_m: 1}\n")
    result = call(*command, "x.yaml")
    assert result.exit_code == 1
    assert "x.yaml:2: denavit_hartenberg.0.d_m: missing" in result.output
    assert "y.yaml: file not found" in call(*command, "y.yaml").output


def test_counts_shows_formulas_and_draws() -> None:
    result = call("chain", "counts")
    assert result.exit_code == 0, result.output
    for words in ("4.5N³ + 37N² + 243.5N - 19", "8.5N² + 270.5N - 100", "2,149,800", "14N³ + 129N² - 59N"):
        assert words in result.output
    assert Path("results/chains/counts/counts.png").stat().st_size > 10_000
    found = json.loads(call("chain", "counts", "--json", "--no-figures").output)
    assert found["links"][0] == 2
    assert found["links"][-1] == 50
    assert found["operations"]["crba"][-1] == 34675


def test_baseparams_prints_expressions_and_writes_y() -> None:
    result = call("baseparams", PUMA, "--length", "mm", "--out", "y.csv")
    assert result.exit_code == 0, result.output
    for words in ("36 base parameters of 60", "Ixx3 - 412.09 (m3 + m4 + m5 + m6)", "without any effect: Iyy1"):
        assert words in result.output
    with open("y.csv", newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    assert len(rows) == 37
    assert rows[0][:3] == ["base", "Ixx1", "Iyy1"]
    call("baseparams", PUMA, "--out", "y.npz")
    with np.load("y.npz") as kept:
        assert kept["Y"].shape == (36, 60)
        # mm to m: a coefficient of mass in an inertia is a million times smaller
        mass = rows[0].index("m2") - 1
        assert float(rows[1][mass + 1]) == pytest.approx(1e6 * kept["Y"][0, mass], rel=1e-12)


def test_baseparams_without_gravity_are_fewer() -> None:
    assert json.loads(call("baseparams", PUMA, "--json").output)["number"] == 36
    assert json.loads(call("baseparams", PUMA, "--json", "--no-gravity").output)["number"] < 36


def test_baseparams_refuses_other_kinds_of_file() -> None:
    result = call("baseparams", PUMA, "--out", "y.xlsx")
    assert result.exit_code == 2
    assert "must end in .npz or .csv" in result.output


@pytest.mark.parametrize("path", sorted(CHAINS.glob("*.yaml")), ids=lambda path: path.stem)
def test_inspect_shows_and_draws_every_shipped_chain(path: Path) -> None:
    result = call("chain", "inspect", str(path))
    assert result.exit_code == 0, result.output
    arm = load_chain(path)
    assert all(name in result.output for name in arm.names)
    assert f"{arm.n} joints, {arm.mass.sum():.5g} kg" in result.output
    assert (Path("results/chains") / path.stem / "chain.png").stat().st_size > 10_000


def test_inspect_says_where_joints_and_ends_are() -> None:
    result = call("chain", "inspect", PUMA, "--at", "waist.angle_deg=90", "--no-figures")
    # the elbow of the stretched arm, a quarter turn about z
    assert "-0.15 0.432 0" in result.output
    assert "far end of flange at -0.15 0.412 0.503 m" in result.output
    assert not Path("results").exists()
    assert "no link 'hip'" in call("chain", "inspect", PUMA, "--at", "hip.angle_deg=1").output

"""docksim chain generate and chain equations, as a user calls them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from docksim.chain import Dynamics, load_chain
from docksim.cli import main
from tests.support.commands import call

CHAINS = Path(__file__).resolve().parents[2] / "configs" / "chains"
PUMA = str(CHAINS / "puma560.yaml")
LONG = "bodies:\n" + "".join(
    f"  b{k}: {{parent: {f'b{k - 1}' if k else 'base'}, joint: {{type: revolute, axis: [0, 0, 1]}}, mass_kg: 1}}\n"
    for k in range(70)
)


pytestmark = pytest.mark.usefixtures("wide_folder")


def words_of(result: Result) -> str:
    """Without the frames and folds of click."""
    return " ".join(result.output.replace("│", " ").split())


def test_generated_file_computes_what_the_chain_does() -> None:
    wanted = ("--what", "inverse", "--what", "mass", "--to", "python", "--name", "arm")
    result = call("chain", "generate", PUMA, *wanted, "--out", "made/arm.py")
    assert result.exit_code == 0, result.output
    assert "made/arm.py" in result.output
    assert "arm_inverse: 346 operations: 188 multiplications, 158 additions, 5 sines, 5 cosines" in result.output
    scope: dict = {}
    exec(Path("made/arm.py").read_text(), scope)
    motion = np.random.default_rng(0).normal(size=(3, 6))
    own = Dynamics(load_chain(PUMA), compiled=False)
    np.testing.assert_allclose(scope["arm_inverse"](*motion), own.inverse(*motion), atol=1e-11)
    np.testing.assert_allclose(scope["arm_mass"](motion[0]), own.mass_matrix(motion[0]), atol=1e-12)


def test_code_goes_to_standard_output_by_itself() -> None:
    result = CliRunner().invoke(main, ["chain", "generate", PUMA])
    assert result.stdout.startswith("// Dynamics of the chain puma560")
    assert result.stdout.endswith("}\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (PUMA, "--name", "my arm"),
            '"my arm" is no name of a function: letters, digits and _ after a letter, as my_arm',
        ),
        (("my-arm.yaml",), '"my-arm" is no name of a function'),
        ((PUMA, "--out", "/proc/none/x.c"), "cannot write /proc/none/x.c"),
        ((PUMA, "--what", "energy"), "'energy' is not one of 'inverse', 'forward', 'mass'"),
        ((PUMA, "--to", "fortran"), "'fortran' is not one of 'c', 'numba', 'python'"),
        (("none.yaml",), "none.yaml: file not found"),
        (("long.yaml",), "long.yaml: has 70 joints; code without loops is written for at most 60"),
        (
            ("bare.yaml", "--what", "forward"),
            "bare.yaml:2: denavit_hartenberg.0: A is singular: nothing with inertia moves with joint 'link1'",
        ),
    ],
)
def test_what_cannot_be_generated_is_explained(arguments: tuple[str, ...], words: str) -> None:
    Path("long.yaml").write_text(LONG)
    Path("bare.yaml").write_text("denavit_hartenberg:\n  - {type: revolute, alpha_deg: 0, a_m: 1, d_m: 0}\n")
    Path("my-arm.yaml").write_text(Path(PUMA).read_text())
    result = call("chain", "generate", *arguments)
    assert result.exit_code in (1, 2)
    assert words in words_of(result), result.output


def test_equations_are_printed_and_written() -> None:
    result = call("chain", "equations", str(CHAINS / "planar_2r.yaml"))
    assert result.exit_code == 0, result.output
    assert "A12 = Ixx2\n    + Sx2*(2 + c2)\n    - Sy2*s2\n" in result.output
    written = call("chain", "equations", PUMA, "--to", "latex", "--nonzero", "--digits", "4", "--out", "made/puma.tex")
    assert written.exit_code == 0, written.output
    text = Path("made/puma.tex").read_text()
    assert "A_{55} &= I_{xx5} \\\\\n    &\\quad + I_{zz5}" in text
    assert text.count("\\begin{align*}") == text.count("\\end{align*}") == 6


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((str(CHAINS / "elastic_boom_2r.yaml"),), "has 26 joints, and its equations more than 20000 products"),
        ((PUMA, "--out", "/proc/none/x.tex"), "cannot write /proc/none/x.tex"),
        ((PUMA, "--to", "word"), "'word' is not one of 'text', 'latex'"),
        ((PUMA, "--digits", "0"), "0 is not in the range 1<=x<=17"),
        (("none.yaml",), "none.yaml: file not found"),
    ],
)
def test_what_cannot_be_printed_is_explained(arguments: tuple[str, ...], words: str) -> None:
    result = call("chain", "equations", *arguments)
    assert result.exit_code in (1, 2)
    assert words in words_of(result), result.output

"""Chain files: rows or bodies, and messages that say what is wrong, where, all at once."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from docksim.chain import ChainModel, load_chain
from docksim.cli import main
from docksim.config import ScenarioError

ROW = "{type: revolute, alpha_deg: 90, a_m: 0.1, d_m: 0.2, mass_kg: 1}"
ROWS = f"denavit_hartenberg:\n  - {ROW}\n"
BODIES = """\
bodies:
  hand: {parent: arm, mass_kg: 1, joint: {type: prismatic, position_m: [1, 0, 0], axis: [2, 0, 0]}}
  arm: {mass_kg: 2, center_of_mass_m: [0.5, 0, 0], joint: {type: revolute, axis: [0, 0, 3], angle_deg: 30}}
"""


@pytest.fixture
def chain(write: Callable[[str, str], Path]) -> Callable[[str], ChainModel]:
    def chain(text: str) -> ChainModel:
        write("c.yaml", text)
        return load_chain("c.yaml")

    return chain


@pytest.fixture
def faults(chain: Callable[[str], ChainModel]) -> Callable[[str], list[str]]:
    def faults(text: str) -> list[str]:
        with pytest.raises(ScenarioError) as caught:
            chain(text)
        return str(caught.value).splitlines()

    return faults


def test_rows_are_classic_with_the_frame_at_the_far_end(chain: Callable[[str], ChainModel]) -> None:
    """A_k = Rot z(theta) Trans z(d) Trans x(a) Rot x(alpha), multiplied out by hand."""
    rows = [("revolute", 90.0, 0.3, 0.2, 20.0), ("prismatic", -90.0, 0.1, 0.4, 70.0), ("revolute", 30.0, 0.0, 0.1, 0.0)]
    text = "denavit_hartenberg:\n" + "".join(
        f"  - {{type: {kind}, alpha_deg: {alpha}, a_m: {a}, d_m: {d}, theta_deg: {theta}}}\n"
        for kind, alpha, a, d, theta in rows
    )
    model = chain(text)
    q = np.array([0.4, 0.25, -0.7])
    T = np.eye(4)
    for (kind, alpha, a, d, theta), x in zip(rows, q, strict=True):
        angle = np.radians(theta) + (x if kind == "revolute" else 0.0)
        ct, st, ca, sa = np.cos(angle), np.sin(angle), np.cos(np.radians(alpha)), np.sin(np.radians(alpha))
        d = d + (x if kind == "prismatic" else 0.0)
        T = T @ [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    R, p = model.world_pose(q)
    # a few products of rotations
    np.testing.assert_allclose(R[-1] @ model.R_end[-1], T[:3, :3], atol=1e-15)
    np.testing.assert_allclose(p[-1] + R[-1] @ model.p_end[-1], T[:3, 3], atol=1e-15)


def test_masses_of_rows_are_moved_to_the_joint(chain: Callable[[str], ChainModel]) -> None:
    model = chain(
        "denavit_hartenberg:\n  - {type: revolute, alpha_deg: 90, a_m: 2, d_m: 1, mass_kg: 3,"
        " center_of_mass_m: [-0.5, 0, 0.25], inertia_kg_m2: [1, 2, 2.5]}\n"
    )
    # alpha 90: z of the row's frame is -y of the link's, y is z
    centre = np.array([1.5, -0.25, 1.0])
    central = np.diag([1.0, 2.5, 2.0])
    expected = central + 3.0 * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    np.testing.assert_allclose(model.com[0], centre, atol=1e-15)
    np.testing.assert_allclose(model.inertia[0], expected, atol=1e-14)


def test_bodies_are_sorted_and_axes_are_made_unit(chain: Callable[[str], ChainModel]) -> None:
    model = chain(BODIES)
    assert model.names == ("arm", "hand")
    assert model.parent.tolist() == [-1, 0]
    np.testing.assert_array_equal(model.axis, [[0, 0, 1], [1, 0, 0]])
    assert model.prismatic.tolist() == [False, True]
    assert model.home[0] == pytest.approx(np.pi / 6, rel=1e-15)


def test_the_base_carries_the_whole_chain(chain: Callable[[str], ChainModel]) -> None:
    base = "base: {position_m: [1, 2, 3], attitude: {rotation_vector_deg: [0, 90, 0]}}\n"
    plain, moved = chain(ROWS), chain(base + ROWS)
    (R,), (p,) = moved.world_pose([0.3])
    turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    np.testing.assert_allclose(R, turn @ plain.world_pose([0.3])[0][0], atol=1e-15)
    np.testing.assert_allclose(p, [1, 2, 3], atol=1e-15)


def row(keys: str) -> str:
    return f"denavit_hartenberg:\n  - {{{keys}}}\n"


FLAT = "alpha_deg: 0, a_m: 0, d_m: 0"
TUBE = "elastic: {mass_kg: 1, EI_y_Nm2: 1, EI_z_Nm2: 1}"
MANY = TUBE.replace("{", "{segments: 60, ")
AT = "c.yaml:2: denavit_hartenberg.0"
FAULTS = [
    (row(f"type: revolut, {FLAT}"), f"{AT}.type: 'revolut' is not known; choose one of revolute, prismatic; did you"),
    (row("type: revolute, alpha_deg: 0, a_m: 0"), f"{AT}.d_m: missing; add the key 'd_m': Offset d"),
    (row("type: prismatic, alpha_deg: 0, a_m: 0"), f"{AT}.theta_deg: missing; add the key 'theta_deg'"),
    (row(f"type: revolute, {FLAT}, alpha_rad: 1"), f"{AT}.alpha_rad: unknown key; units are part of the key, and this"),
    (row("type: revolute, alpha_deg: 0, a_m: 1431.8, d_m: 0"), f"{AT}.a_m: 1431.8 m is no length of a link"),
    (row(f"type: revolute, {FLAT}, {TUBE}"), f"{AT}.elastic: a link with a_m 0 and d_m 0 has no length to bend along"),
    ("denavit_hartenberg:\n  - [0, 90, 0.1]\n", f"{AT}: expected a mapping with the key 'type' (revolute, prismatic)"),
    ("denavit_hartenberg: []\n", "denavit_hartenberg: is empty; at least 1 is needed"),
    (ROWS + BODIES, "excludes 'denavit_hartenberg'; give exactly one of denavit_hartenberg, bodies"),
    ("gravity_m_s2: [0, 0, -9.81]\n", "needs exactly one of denavit_hartenberg, bodies"),
    (BODIES.replace("parent: arm", "parent: arn"), "c.yaml:2: bodies.hand.parent: no body 'arn'; there is base"),
    (BODIES.replace("arm: {mass", "arm: {parent: hand, mass"), "cyclic parents: hand -> arm -> hand"),
    (BODIES.replace("[2, 0, 0]", "[0, 0, 0]"), "bodies.hand.joint.axis: [0.0, 0.0, 0.0] has no direction"),
    (BODIES.replace("hand: {parent: arm,", "base: {parent: arm,"), "'base' is the name of what carries the chain"),
    (BODIES.replace("arm: {mass", f"arm: {{{TUBE}, mass"), "needs the far end of the link: give 'end'"),
    (ROWS.replace("mass_kg: 1", "inertia_kg_m2: [1, 1, 1]"), f"{AT}.inertia_kg_m2: a link of mass_kg 0 has no inertia"),
    (ROWS.replace("mass_kg: 1", "mass_kg: 1, inertia_kg_m2: [1, 1, 3]"), "violates the triangle inequality"),
    (ROWS.replace("mass_kg: 1", "mass_kg: 1e300"), f"{AT}.mass_kg: 1e+300 must be at most 1e+15"),
    (BODIES.replace("[1, 0, 0]", "[1431, 0, 0]"), "bodies.hand.joint.position_m: 1431 m is no length of a link"),
    ("vehicles: {}\n", "c.yaml: is no chain, but a scenario: docksim run c.yaml runs it"),
    ("chain: puma560.yaml\n", "c.yaml: is no chain, but a task of a chain: docksim chain simulate c.yaml"),
    (ROWS.replace("mass_kg: 1", "lower_deg: 10, upper_deg: -10"), f"{AT}.upper_deg: -10.0 must be greater"),
    (ROWS.replace("mass_kg: 1", "elastic: {mass_kg: 1, EI_y_Nm2: 1}"), "EI_z_Nm2: missing; flex includes bend_z"),
    (ROWS + f"  - {ROW.replace('mass_kg: 1', 'name: link1')}\n", "name: 'link1' is the name of another row"),
    ("denavit_hartenberg:\n" + 3 * f"  - {ROW.replace('mass_kg: 1', MANY)}\n", "has 363 joints with those of its"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_fault_is_named_with_file_line_key_and_remedy(
    text: str, message: str, faults: Callable[[str], list[str]]
) -> None:
    assert any(message in fault for fault in faults(text)), faults(text)


def test_several_faults_are_told_at_once(faults: Callable[[str], list[str]]) -> None:
    text = "denavit_hartenberg:\n" + "  - {type: revolute, alpha_deg: x, a_m: 0}\n" * 2
    assert len(faults(text)) == 4


def test_check_knows_chains(write: Callable[[str, str], Path]) -> None:
    write("good.yaml", ROWS)
    write("bad.yaml", BODIES.replace("parent: arm", "parent: arn"))
    assert CliRunner().invoke(main, ["check", "good.yaml"]).output == "good.yaml: ok\n"
    assert "bad.yaml:2: bodies.hand.parent: no body 'arn'" in CliRunner().invoke(main, ["check", "bad.yaml"]).output


def test_chains_of_the_documentation_load(write: Callable[[str, str], Path]) -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "chains.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", text, flags=re.MULTILINE)
    wanted = re.compile(r"^    (denavit_hartenberg|bodies):", re.MULTILINE)
    chains = [textwrap.dedent(block) for block in blocks if wanted.search(block)]
    assert len(chains) == 2
    for number, block in enumerate(chains):
        write(f"{number}.yaml", block)
        assert load_chain(f"{number}.yaml").n == 2


def test_schema_for_editors_describes_every_key() -> None:
    content = json.loads(CliRunner().invoke(main, ["schema", "--chain"]).output)
    assert content["title"] == "docksim chain"
    row = content["$defs"]["RevoluteRow"]["properties"]
    assert {"alpha_deg", "a_m", "d_m", "theta_deg", "mass_kg"} <= set(row)
    assert all("description" in key for name, key in row.items() if name != "use")

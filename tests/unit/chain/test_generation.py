"""Generated code: the formulations' and Pinocchio's answers, the same bits in three languages, operations as said."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.chain import ChainModel, Dynamics, load_chain
from docksim.chain.dynamics.formulations import Singular
from docksim.chain.generation.sources import check_name, operations, source
from docksim.chain.generation.straight_line import MOST_JOINTS, Straight, TooLong, straight
from docksim.numbers.counting import ADD, DIVIDE, MULTIPLY, TRIG, Tally, counting_math, values_of
from tests.oracle.c_text import compiled, compiler, translated
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain

CHAINS = Path(__file__).resolve().parents[3] / "configs" / "chains"
SHIPPED = ("planar_2r", "puma560", "station_arm_7r", "two_arms", "elastic_boom_2r", "inspection_boom")
ELASTIC = ("elastic_boom_2r", "inspection_boom")
WHAT = ("inverse", "forward", "mass")
CASES = (*SHIPPED, *range(8))
_made: dict[Any, tuple[ChainModel, list[Straight]]] = {}


def case(key: Any) -> tuple[ChainModel, list[Straight]]:
    """A chain and its three functions; random ones have 1 to 8 links of both kinds, every other one branches."""
    if key not in _made:
        if isinstance(key, str):
            chain = load_chain(CHAINS / f"{key}.yaml")
        else:
            chain = random_chain(np.random.default_rng(key), 1 + key % 8, 0.3, (0.0, 0.5)[key % 2])
        _made[key] = chain, [straight(chain, what) for what in WHAT]
    return _made[key]


def in_python(functions: list[Straight]) -> dict[str, Any]:
    scope: dict[str, Any] = {}
    exec(source(functions, "python", "arm"), scope)
    return scope


def off(found: Any, expected: np.ndarray) -> float:
    """Of the largest entry."""
    return float(np.abs(np.array(found) - expected).max() / np.abs(expected).max())


@pytest.mark.parametrize("key", CASES)
def test_code_is_the_dynamics(key: Any) -> None:
    chain, functions = case(key)
    code, own = in_python(functions), Dynamics(chain)
    for q, rates, accelerations in np.random.default_rng(1).normal(size=(3, 3, chain.n)):
        force = own.inverse(q, rates, accelerations)
        assert off(code["arm_inverse"](q, rates, accelerations), force) < 1e-12
        assert off(code["arm_mass"](q), own.mass_matrix(q)) < 1e-12
        response = code["arm_forward"](q, rates, force)
        assert off(own.inverse(q, rates, response), force) < 1e-12
        # springs of the booms ask for 1e7 N m at such angles: rounding of these, no more, is left of its accelerations
        assert off(response, accelerations) < (1e-9 if key in ELASTIC else 1e-12)


@pytest.mark.parametrize("key", CASES)
def test_code_of_the_links_is_pinocchios(key: Any) -> None:
    chain, functions = case(key)
    if key in ELASTIC:
        # a boom: Pinocchio knows nothing of its springs
        none = np.zeros(chain.n)
        chain = replace(chain, rotor=none, stiffness=none, damping=none, friction=none)
        functions = [straight(chain, what) for what in ("inverse", "mass")]
    code, peer = in_python(functions), PinocchioChain(chain)
    q, rates, accelerations = np.random.default_rng(2).normal(size=(3, chain.n))
    assert off(code["arm_inverse"](q, rates, accelerations), peer.inverse(q, rates, accelerations)) < 1e-12
    assert off(code["arm_mass"](q), peer.mass_matrix(q)) < 1e-12


def test_rotors_springs_dampers_and_friction_are_in_it() -> None:
    chain = random_chain(np.random.default_rng(4), 4, 0.4)
    figures = np.random.default_rng(5).uniform(0.2, 1.0, (5, 4))
    names = ("rotor", "stiffness", "rest", "damping", "friction")
    chain = replace(chain, **dict(zip(names, figures, strict=True)))
    functions = [straight(chain, what) for what in WHAT]
    text = source(functions, "c", "arm")
    code, own = in_python(functions), Dynamics(chain, compiled=False)
    q, rates, accelerations = np.random.default_rng(6).normal(size=(3, 4))
    # a joint that stands still has no friction
    rates[1] = 0.0
    force = own.inverse(q, rates, accelerations)
    assert off(code["arm_inverse"](q, rates, accelerations), force) < 1e-12
    assert off(code["arm_forward"](q, rates, force), accelerations) < 1e-12
    assert "In it, too, of the joints: rotor, stiffness, damping, friction." in text
    answer = np.zeros(4)
    translated(text)["arm_inverse"](q, rates, accelerations, answer)
    assert answer.tolist() == list(code["arm_inverse"](q, rates, accelerations))


# ---------------------------------------------------------------- languages


def test_c_numba_and_python_give_the_same_bits(tmp_path: Path) -> None:
    functions = case("puma560")[1]
    text = source(functions, "c", "arm")
    in_numba: dict[str, Any] = {}
    exec(source(functions, "numba", "arm"), in_numba)
    python = in_python(functions)
    ways = [translated(text), in_numba, *([compiled(text, tmp_path)] if compiler() else [])]
    for motion in np.random.default_rng(3).normal(size=(5, 3, 6)):
        for what, given in (("inverse", 3), ("forward", 3), ("mass", 1)):
            arguments = [np.ascontiguousarray(part) for part in motion[:given]]
            expected = np.array(python[f"arm_{what}"](*arguments))
            for way in ways:
                # numba takes A as rows and columns, C one after the other
                answer = np.zeros(expected.shape if way is in_numba else expected.size)
                way[f"arm_{what}"](*arguments, answer)
                assert np.array_equal(answer.ravel(), expected.ravel())


@pytest.mark.parametrize("key", CASES)
def test_c_and_python_give_the_same_bits_for_every_chain(key: Any, tmp_path: Path) -> None:
    """The text of C read as Python everywhere; by the compiler where it takes little time."""
    chain, functions = case(key)
    text, python = source(functions, "c", "arm"), in_python(functions)
    short = sum(function.program.operations for function in functions) < 500
    ways = [translated(text), *([compiled(text, tmp_path)] if compiler() and short else [])]
    motion = np.random.default_rng(7).normal(size=(3, chain.n))
    for function in functions:
        arguments = [np.ascontiguousarray(part) for part in motion[: len(function.arguments)]]
        expected = np.array(python[f"arm_{function.what}"](*arguments))
        for way in ways:
            answer = np.zeros(expected.size)
            way[f"arm_{function.what}"](*arguments, answer)
            assert np.array_equal(answer, expected.ravel())


def test_code_needs_nothing_of_docksim_and_parses() -> None:
    functions = case("two_arms")[1]
    for language, imports in (("python", {"math"}), ("numba", {"math", "numba"})):
        tree = ast.parse(source(functions, language, "arm"))
        assert {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} == imports
    assert re.findall(r"#include (.*)", source(functions, "c", "arm")) == ["<math.h>"]


def test_head_says_what_it_computes_units_joints_and_cost() -> None:
    text = source(case("two_arms")[1], "c", "arm")
    for words in (
        "arm_inverse: force of each drive for a motion: force = A(q) acceleration + b(q, rate)",
        '0  "carriage" slides: m, m/s, m/s^2, N',
        '1  "torso" turns: rad, rad/s, rad/s^2, N m',
        "Gravity (0, 0, -9.81) m/s^2. The 29 base parameters of the links are worked into the numbers.",
        operations(case("two_arms")[1][0]),
    ):
        assert words in text


def test_names_of_joints_cannot_leave_their_comment() -> None:
    chain = replace(case("planar_2r")[0], names=("*/ evil\n); \\", "\\"))
    for language in ("c", "python"):
        text = source([straight(chain, "mass")], language, "arm")
        assert re.search(r'^(//|#)     0  ".*evil\\n.*" turns', text, re.M)
        assert not re.search(r"\\$", text, re.M)


# ---------------------------------------------------------------- operations


@pytest.mark.parametrize("key", ["puma560", "two_arms", 7])
def test_count_is_that_of_counting_numbers_and_of_lines(key: Any) -> None:
    chain, functions = case(key)
    for function in functions:
        tally = Tally()
        scope: dict[str, Any] = {}
        text = source([function], "python", "arm")
        # the imports bring the floats' sines
        exec(re.sub(r"^from math.*$", "", text, flags=re.M), scope)
        scope |= {"sin": counting_math.sin, "cos": counting_math.cos}
        motion = np.random.default_rng(3).normal(size=(3, chain.n))[: len(function.arguments)]
        found = scope[f"arm_{function.what}"](*(tally.cells(part) for part in motion))
        assert np.isfinite(values_of(found)).all()
        counts = function.program.counts
        assert tally.counts[MULTIPLY] == counts["*"]
        assert tally.counts[ADD] == counts["+"] + counts["-"]
        assert tally.counts[DIVIDE] == counts["/"]
        assert tally.counts[TRIG] == counts["sin"] + counts["cos"]
        lines = len(re.findall(r"^    \w+ = \S+ [-+*/] \S+$", text, re.M))
        assert lines == function.program.operations == int(re.search(r"(\d+) operations", text).group(1))


def test_puma_takes_few_operations() -> None:
    # 2,163 by the kernel; 582 was a prototype's
    assert case("puma560")[1][0].program.operations <= 350


def test_puma_with_all_base_parameters_takes_no_more_than_the_published_kind() -> None:
    """The file's links are symmetric and leave 17 of the 36 zero; here none is."""
    chain = case("puma560")[0]
    points = np.random.default_rng(3).normal(size=(6, 5, 3))
    second = np.einsum("kpi,kpj->kij", points, points)
    inertia = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    full = replace(chain, mass=np.full(6, 5.0), moment=points.sum(1), inertia=inertia)
    assert straight(full, "inverse").program.operations <= 520


def test_nothing_is_computed_twice_and_nothing_in_vain() -> None:
    for function in case("station_arm_7r")[1]:
        program = function.program
        assert len(set(program.lines)) == len(program.lines)
        used = {one for line in program.lines if line.what != "input" for one in line.operands if isinstance(one, int)}
        used |= {one for _, one in program.outputs if isinstance(one, int)}
        assert used == set(range(len(program.lines)))
        constants = [one for line in program.lines for one in line.operands if isinstance(one, float)]
        assert 0.0 not in constants
        products = [line.operands for line in program.lines if line.what == "*"]
        assert not any(1.0 in (abs(one) for one in pair if isinstance(one, float)) for pair in products)


# ---------------------------------------------------------------- what cannot be


def test_joint_without_inertia_is_refused_by_name() -> None:
    chain = load_chain(CHAINS / "planar_2r.yaml")
    massless = replace(
        chain, mass=np.array([1.0, 0.0]), moment=chain.moment * [[1], [0]], inertia=chain.inertia * [[[1]], [[0]]]
    )
    with pytest.raises(Singular, match="joint 'link2'"):
        straight(massless, "forward")
    assert straight(massless, "inverse").program.operations > 0


def test_long_chains_are_refused() -> None:
    chain = random_chain(np.random.default_rng(0), MOST_JOINTS + 1)
    with pytest.raises(TooLong, match="has 61 joints; code without loops is written for at most 60"):
        straight(chain, "mass")


@pytest.mark.parametrize(
    ("name", "better"), [("my-arm", "my_arm"), ("7r", "chain_7r"), ("", "chain"), ("рука", "chain")]
)
def test_names_that_no_function_can_have_are_refused_with_a_better_one(name: str, better: str) -> None:
    with pytest.raises(ValueError, match=f"is no name of a function: .* as {better}$"):
        check_name(name)

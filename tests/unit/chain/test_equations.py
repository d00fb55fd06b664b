"""Equations in print: what is printed is evaluated, line by line, and must be the dynamics."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.chain import ChainModel, Dynamics, load_chain
from docksim.chain.generation.printed import printed
from docksim.chain.generation.trigonometric import Equations, equations
from docksim.chain.model import REVOLUTE
from tests.oracle.chain_random import random_chain

CHAINS = Path(__file__).resolve().parents[3] / "configs" / "chains"
READABLE = ("planar_2r", "puma560", "station_arm_7r", "two_arms")
_made: dict[str, Equations] = {}


def of(name: str) -> Equations:
    if name not in _made:
        _made[name] = equations(load_chain(CHAINS / f"{name}.yaml"))
    return _made[name]


def from_latex(text: str) -> str:
    """LaTeX lines in the words of the text; whatever is not understood makes evaluation fail."""
    text = re.sub(r"^(%.*|\\paragraph.*|\\allowdisplaybreaks|\\(begin|end)\{align\*\})$", "", text, flags=re.M)
    text = re.sub(r"\\quad \\text.*?( \\\\)?$", "", text, flags=re.M)
    text = re.sub(r"( \\\\)\n *&\\quad", " ", text).replace(r"\\", "").replace("&=", "=").replace(r"\quad", "")
    text = re.sub(r" \\cdot 10\^\{(-?\d+)\}", r"e\1", text)
    text = re.sub(r"\^\{(\d+)\}", r"^\1", text)
    text = re.sub(r"_\{([\w,-]+)\}", lambda at: at.group(1).replace(",", "_").replace("-", "m"), text)
    text = re.sub(r"\\operatorname\{sign\}", "sign", text)
    return text.replace(r" \, ", "*").replace(r"\cos", "cos").replace(r"\sin", "sin")


def evaluated(text: str, q: np.ndarray, rates: np.ndarray) -> dict[str, Any]:
    """All names of the text with their values."""
    names: dict[str, Any] = {"cos": math.cos, "sin": math.sin, "sign": np.sign}
    names |= {f"q{k + 1}": x for k, x in enumerate(q)} | {f"v{k + 1}": x for k, x in enumerate(rates)}
    whole = re.sub(r"#.*", "", text)
    whole = re.sub(r"\n +", " ", whole).replace("^", "**")
    for line in whole.splitlines():
        if line.strip():
            exec(line.strip(), names)
    return names


def matrix_and_bias(text: str, chain: ChainModel, q: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    names, n = evaluated(text, q, rates), chain.n
    between = "" if n < 10 else "_"
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(i, n):
            A[i, j] = A[j, i] = names.get(f"A{i + 1}{between}{j + 1}", 0.0)
    return A, np.array([names[f"b{i + 1}"] for i in range(n)])


def assert_is_the_dynamics(text: str, chain: ChainModel, tolerance: float = 1e-12) -> None:
    q, rates = np.random.default_rng(1).normal(size=(2, chain.n))
    A, b = matrix_and_bias(text, chain, q, rates)
    own = Dynamics(chain)
    expected, bias = own.mass_matrix(q), own.bias(q, rates)
    assert np.abs(A - expected).max() < tolerance * np.abs(expected).max()
    assert np.abs(b - bias).max() < tolerance * np.abs(bias).max()


@pytest.mark.parametrize("name", READABLE)
def test_printed_text_is_the_dynamics(name: str) -> None:
    # the station arm's text is long: what its file makes zero is left out
    assert_is_the_dynamics(printed(of(name), nonzero=name == "station_arm_7r"), of(name).chain)


@pytest.mark.parametrize("name", ["planar_2r", "puma560", "two_arms"])
def test_latex_is_the_dynamics(name: str) -> None:
    assert_is_the_dynamics(from_latex(printed(of(name), "latex")), of(name).chain)


def test_zeros_can_be_left_out() -> None:
    short = printed(of("puma560"), nonzero=True)
    assert_is_the_dynamics(short, of("puma560").chain)
    assert len(short) < 0.5 * len(printed(of("puma560")))
    assert "Ixy6" not in re.sub(r"#.*", "", short)


@pytest.mark.parametrize("seed", range(4))
def test_oblique_axes_sliding_joints_branches_and_devices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    chain = random_chain(rng, 3, 0.4, 0.5 * (seed % 2))
    figures = dict(zip(("rotor", "stiffness", "rest", "damping", "friction"), rng.uniform(0.1, 1.0, (5, 3))))
    chain = replace(chain, **figures)
    found = equations(chain)
    assert_is_the_dynamics(printed(found), chain)
    assert_is_the_dynamics(from_latex(printed(found, "latex")), chain)


def test_axes_that_point_both_ways_are_one_group() -> None:
    """A plane chain, some axes turned over: differences of angles."""
    links = [
        {"type": "revolute", "alpha_deg": 180.0 if k == 0 else 0.0, "a_m": 0.3, "d_m": 0.0, "mass_kg": 1.0 + k}
        for k in range(4)
    ]
    chain = load_chain({"gravity_m_s2": [1.0, -9.0, 0.0], "denavit_hartenberg": links})
    text = printed(equations(chain))
    assert_is_the_dynamics(text, chain)
    assert "c1m2m3 = cos(q1 - q2 - q3)" in text


def test_ten_joints_have_indices_of_two_digits() -> None:
    rng = np.random.default_rng(0)
    chain = random_chain(rng, 10, 1.0)
    chain = replace(chain, kind=np.where(np.arange(10) == 7, REVOLUTE, chain.kind))
    found = equations(chain)
    assert "A9_10 = " in printed(found)
    assert_is_the_dynamics(printed(found), chain)
    assert_is_the_dynamics(from_latex(printed(found, "latex")), chain)


@pytest.mark.parametrize("name", READABLE)
def test_coefficients_have_the_rank_of_the_base_parameters(name: str) -> None:
    found = of(name)
    rows = [values for one in (*found.A.values(), *found.weights.values()) for values in one.values()]
    assert np.linalg.matrix_rank(np.array(rows)) == len(found.base.columns)


def test_wrist_of_the_puma_reads_as_in_the_textbook() -> None:
    text = re.sub(r"\n +", " ", printed(of("puma560")))
    entry = re.search(r"^A55 = (.*)$", text, re.M).group(1)
    assert entry == "Ixx5 + Izz5 + Ixx6*c6^2 + Iyy6*(1 - c6^2) - 2*Ixy6*s6*c6"


def test_lines_can_be_read() -> None:
    assert max(len(line) for line in printed(of("puma560")).splitlines()) <= 120


def test_christoffel_symbols_conserve_energy() -> None:
    """v' (dA/dt - 2 C) v = 0: from the sums alone, dA/dt by differences."""
    found = of("two_arms")
    found = replace(found, weights={})
    text, n, rng = printed(found), 6, np.random.default_rng(3)
    q, v = rng.normal(size=(2, n))
    (A, b), step = matrix_and_bias(text, found.chain, q, v), 1e-6
    ahead, behind = (matrix_and_bias(text, found.chain, q + s * step * v, v)[0] for s in (1, -1))
    # differences of second order over 1e-6 leave 1e-9 of the largest
    assert v @ ((ahead - behind) / (2 * step)) @ v == pytest.approx(2 * v @ b, abs=1e-8 * np.abs(A).max())

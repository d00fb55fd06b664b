"""Base parameters: the published table of the PUMA 560, Pinocchio's regressor, forces that depend on nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from docksim.chain import BaseParameters, ChainModel, base_parameters, load_chain
from docksim.chain.identification.baseparams import parameter_name
from docksim.validation.dynamics import PRINTED
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain

CHAINS = Path(__file__).resolve().parents[2] / "configs" / "chains"


@pytest.fixture(scope="module")
def puma() -> BaseParameters:
    return base_parameters(load_chain(CHAINS / "puma560.yaml"))


def test_puma_has_the_printed_parameters_coefficient_for_coefficient(puma: BaseParameters) -> None:
    found = {
        name: {parameter_name(int(j)): float(row[j]) for j in np.flatnonzero(row)}
        for name, row in zip(puma.names, puma.in_length(1e-3), strict=True)
    }
    assert len(PRINTED) == 36
    assert set(found) == {terms[0][1][0] for terms in PRINTED}
    for terms in PRINTED:
        printed = {name: value for value, names in terms for name in names}
        row = found[terms[0][1][0]]
        assert set(row) == set(printed)
        for name, value in printed.items():
            # squares of lengths are printed to whole mm2: half a unit; all else to the last digit
            assert row[name] == pytest.approx(value, rel=1e-12, abs=0.5 if abs(value) > 1e5 else 0.0)


def test_squares_of_lengths_of_the_puma_are_exact(puma: BaseParameters) -> None:
    row = puma.in_length(1e-3)[puma.names.index("Ixx2")]
    # rounding of one orthogonal sweep
    assert -row[19] == pytest.approx(431.8**2, rel=1e-12)


def test_puma_in_words(puma: BaseParameters) -> None:
    words = puma.expressions(1e-3)
    assert words[0] == "Ixx1 + Izz1 + Izz2 + Iyy3 + 300 (Sz2 + Sy3) + 22500 (m2 + m3 + m4 + m5 + m6)"
    assert "Sz3 - Sy4 + 433.1 (m4 + m5 + m6)" in words
    assert puma.unidentifiable() == ("Iyy1", "Ixy1", "Ixz1", "Iyz1", "Sx1", "Sy1", "Sz1", "m1")


def regressor(chain: ChainModel, seed: int, states: int = 40) -> np.ndarray:
    """Pinocchio's, over random states, by the ten parameters of each link in the order of PARAMETERS."""
    rng = np.random.default_rng(seed)
    peer = PinocchioChain(chain)
    W = np.concatenate([peer.regressor(*rng.normal(size=(3, chain.n))) for _ in range(states)])
    W = W.reshape(len(W), chain.n, 10)
    # m, S, then the tensor xx, xy, yy, xz, yz, zz: I_xx = yy + zz, I_xy = -xy of second moments
    m, S = W[..., :1], W[..., 1:4]
    xx, xy, yy, xz, yz, zz = np.moveaxis(W[..., 4:], -1, 0)
    return np.concatenate([np.stack([yy + zz, xx + zz, xx + yy, -xy, -xz, -yz], axis=-1), S, m], axis=-1).reshape(
        len(W), -1
    )


def rank(W: np.ndarray) -> int:
    """Columns scaled, those of pure rounding left out."""
    size = np.linalg.norm(W, axis=0)
    W = W[:, size > 1e-9 * size.max()] / size[size > 1e-9 * size.max()]
    values = np.linalg.svd(W, compute_uv=False)
    return int(np.sum(values > 1e-9 * values[0]))


SHAPES = [(n, s, b) for n in (1, 2, 3, 5, 8) for s, b in ((0.0, 0.0), (0.5, 0.0), (0.3, 0.5))] + [(20, 0.2, 0.2)]


@pytest.mark.parametrize("gravity", [True, False], ids=["gravity", "none"])
@pytest.mark.parametrize(("n", "sliding", "branching"), SHAPES)
def test_number_is_the_rank_of_pinocchios_regressor(n: int, sliding: float, branching: float, gravity: bool) -> None:
    chain = random_chain(np.random.default_rng(100 + n), n, sliding, branching, gravity)
    assert len(base_parameters(chain).columns) == rank(regressor(chain, n))


@pytest.mark.parametrize("name", ["planar_2r", "station_arm_7r", "two_arms"])
def test_number_of_shipped_chains_is_the_rank_of_pinocchios_regressor(name: str) -> None:
    """Parallel and crossing axes: special positions."""
    chain = load_chain(CHAINS / f"{name}.yaml")
    assert len(base_parameters(chain).columns) == rank(regressor(chain, 1))


@pytest.mark.parametrize("branching", [0.0, 0.5])
def test_forces_depend_on_the_base_parameters_only(branching: float) -> None:
    """W p = W_basic (Y p) for any parameters at all, also such as no body has."""
    chain = random_chain(np.random.default_rng(7), 6, 0.3, branching)
    found = base_parameters(chain)
    W = regressor(chain, 2)
    np.testing.assert_allclose(W[:, found.columns] @ found.Y, W, atol=1e-11 * np.abs(W).max())


def test_fifty_general_turning_joints_have_seven_parameters_each() -> None:
    """Each further joint in general position adds seven to the first one's three: known since the eighties."""
    chain = random_chain(np.random.default_rng(0), 50, 0.0)
    assert len(base_parameters(chain).columns) == 3 + 7 * 49


def test_masses_do_not_matter() -> None:
    chain = load_chain(CHAINS / "puma560.yaml")
    bare = replace(chain, mass=0.0 * chain.mass, moment=0.0 * chain.moment, inertia=0.0 * chain.inertia)
    np.testing.assert_array_equal(base_parameters(bare).Y, base_parameters(chain).Y)


def test_only_a_vertical_first_axis_hides_the_weight_of_the_first_link() -> None:
    chain = load_chain(CHAINS / "puma560.yaml")
    tilted = replace(chain, gravity=np.array([1.0, 0.0, -9.0]))
    # its two moments across the axis now weigh
    assert len(base_parameters(tilted).columns) == 38
    none = replace(chain, gravity=np.zeros(3))
    # shoulder and elbow are parallel: the second joint's weight shows only by gravity
    assert len(base_parameters(none).columns) == rank(regressor(none, 3))

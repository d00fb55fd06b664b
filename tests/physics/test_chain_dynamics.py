"""Dynamics of chains: four formulations, Pinocchio, and closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

from docksim.chain import ChainModel, Dynamics, load_chain
from docksim.chain.dynamics.counts import sample_chain
from docksim.chain.dynamics.formulations import METHODS, Singular
from docksim.chain.dynamics.kane import kane_matrix
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain

CHAINS = Path(__file__).resolve().parents[2] / "configs" / "chains"
# share of sliding joints, share of joints that do not hang on the last link
SHAPES = {"turning": (0.0, 0.0), "both kinds": (0.4, 0.0), "branching": (0.3, 0.4)}


def state(chain: ChainModel, seed: int) -> np.ndarray:
    """q, q', q'' of every joint."""
    return np.random.default_rng(seed).normal(size=(3, chain.n))


def near(found: np.ndarray, expected: np.ndarray, relative: float) -> None:
    np.testing.assert_allclose(found, expected, atol=relative * np.abs(expected).max(), rtol=0.0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20, 50])
def test_four_formulations_agree_with_pinocchio(n: int, shape: str) -> None:
    chain = random_chain(np.random.default_rng(n), n, *SHAPES[shape])
    q, rates, accelerations = state(chain, n)
    peer = PinocchioChain(chain)
    A, b = peer.mass_matrix(q), peer.bias(q, rates)
    forces = peer.inverse(q, rates, accelerations)
    for method in METHODS:
        code = Dynamics(chain, method)
        # sums of up to 50 links: rounding leaves 1e-14
        near(code.mass_matrix(q), A, 1e-12)
        near(code.bias(q, rates), b, 1e-12)
        near(code.inverse(q, rates, accelerations), forces, 1e-12)


@pytest.mark.parametrize("n", [2, 7, 20, 50])
def test_forward_dynamics_undoes_inverse_dynamics(n: int) -> None:
    chain = random_chain(np.random.default_rng(n), n, 0.3, 0.2)
    q, rates, accelerations = state(chain, n)
    forces = PinocchioChain(chain).inverse(q, rates, accelerations)
    condition = np.linalg.cond(PinocchioChain(chain).mass_matrix(q))
    for method in METHODS:
        # A of a long chain is near singular: rounding grows by its condition number
        near(Dynamics(chain, method).forward(q, rates, forces), accelerations, 1e-14 * condition)


@pytest.mark.parametrize("shape", SHAPES)
def test_kane_as_printed_is_kane_trimmed(shape: str) -> None:
    chain = random_chain(np.random.default_rng(3), 12, *SHAPES[shape])
    code = Dynamics(chain, "kane")
    A = code.mass_matrix(state(chain, 0)[0])
    printed = np.empty_like(A)
    kane_matrix(chain.tables, code.work, printed)
    # the same sum in another order
    near(printed, A, 1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_plain_python_gives_what_compiled_code_gives(method: str) -> None:
    chain = random_chain(np.random.default_rng(5), 6, 0.3, 0.3)
    q, rates, accelerations = state(chain, 1)
    # compilers may fuse a multiplication and an addition
    near(
        Dynamics(chain, method, compiled=False).inverse(q, rates, accelerations),
        Dynamics(chain, method).inverse(q, rates, accelerations),
        1e-13,
    )


@pytest.mark.parametrize("method", METHODS)
def test_two_rods_are_the_double_pendulum_of_the_textbooks(method: str) -> None:
    chain = load_chain(CHAINS / "planar_2r.yaml")
    q1, q2, w1, w2 = 0.3, 0.8, 1.1, -0.7
    g, h = 9.81, 0.5 * np.sin(q2)
    # m = 1 kg, l = 1 m, uniform: I = ml2/3 each
    a11, a12, a22 = 5.0 / 3.0 + np.cos(q2), 1.0 / 3.0 + 0.5 * np.cos(q2), 1.0 / 3.0
    weight = np.array([1.5 * np.cos(q1) + 0.5 * np.cos(q1 + q2), 0.5 * np.cos(q1 + q2)]) * g
    b = np.array([-h * (2.0 * w1 * w2 + w2 * w2), h * w1 * w1]) + weight
    code = Dynamics(chain, method)
    # the file has the moment of a rod, 1/12, to 13 digits
    near(code.mass_matrix([q1, q2]), np.array([[a11, a12], [a12, a22]]), 1e-12)
    near(code.bias([q1, q2], [w1, w2]), b, 1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_power_of_the_drives_is_the_rate_of_energy(method: str) -> None:
    """q' . Q = d/dt (1/2 q' A q' + U), by a central difference along q(t)."""
    chain = random_chain(np.random.default_rng(8), 5, 0.4, 0.3)
    q, rates, accelerations = state(chain, 2)
    code = Dynamics(chain, method)

    def energy(t: float) -> float:
        x, v = q + rates * t + 0.5 * accelerations * t * t, rates + accelerations * t
        R, p = chain.world_pose(x)
        height = chain.mass @ (p @ chain.gravity) + np.einsum("kij,kj->i", R, chain.moment) @ chain.gravity
        return float(0.5 * v @ code.mass_matrix(x) @ v - height)

    step = 1e-4
    slope = (energy(step) - energy(-step)) / (2.0 * step)
    power = rates @ code.inverse(q, rates, accelerations)
    # second order in the step, rounding 1e-15 / 1e-4
    assert slope == pytest.approx(power, rel=1e-6)


@pytest.mark.parametrize("name", [path.stem for path in sorted(CHAINS.glob("*.yaml"))])
def test_shipped_chains_agree_with_pinocchio(name: str) -> None:
    chain = load_chain(CHAINS / f"{name}.yaml")
    q, rates, accelerations = 0.3 * state(chain, 4)
    forces = PinocchioChain(chain).inverse(q, rates, accelerations)
    for method in METHODS:
        # the elastic boom has light elements beside heavy loads
        near(Dynamics(chain, method, joints=False).inverse(q, rates, accelerations), forces, 1e-12)


def test_joints_add_rotors_springs_dampers_and_friction() -> None:
    row = {"type": "revolute", "alpha_deg": 0.0, "a_m": 1.0, "d_m": 0.0, "mass_kg": 2.0}
    spring = {"stiffness_Nm_rad": 5.0, "rest_deg": 90.0, "damping_Nms_rad": 7.0}
    drive = {"rotor_inertia_kg_m2": 3.0, "friction_Nm": 11.0}
    chain = load_chain({"denavit_hartenberg": [{**row, **spring, **drive}]})
    for method in METHODS:
        code = Dynamics(chain, method)
        assert code.mass_matrix([0.4])[0, 0] == pytest.approx(5.0, rel=1e-15)
        expected = 5.0 * (0.4 - np.pi / 2.0) + 7.0 * 0.2 + 11.0
        assert code.bias([0.4], [0.2])[0] == pytest.approx(expected, rel=1e-14)
        assert code.inverse([0.4], [0.2], [1.5])[0] == pytest.approx(expected + 7.5, rel=1e-14)


def test_a_joint_that_moves_nothing_is_named() -> None:
    rows = [{"type": "revolute", "name": name, "alpha_deg": 90.0, "a_m": 0.3, "d_m": 0.0} for name in ("hip", "knee")]
    chain = load_chain({"denavit_hartenberg": [{**rows[0], "mass_kg": 1.0}, rows[1]]})
    with pytest.raises(Singular, match="nothing with inertia moves with joint 'knee'"):
        Dynamics(chain).forward([0.1, 0.2], [0.0, 0.0], [1.0, 1.0])


def test_wrong_vectors_and_methods_are_refused() -> None:
    chain = sample_chain(3)
    with pytest.raises(ValueError, match=r"q has the shape \(2,\); the chain has 3 joints"):
        Dynamics(chain).mass_matrix([0.0, 0.0])
    with pytest.raises(ValueError, match="rates holds a number that is not finite"):
        Dynamics(chain).bias([0.0] * 3, [0.0, np.nan, 0.0])
    with pytest.raises(ValueError, match="no formulation 'lagrange'; choose one of kane"):
        Dynamics(chain, "lagrange")


# ---------------------------------------------------------------- elastic links


def boom(segments: int, end: list[float], rigid: dict | None = None) -> ChainModel:
    """A cantilever of 3 kg on a turning joint, EI 50 and 80 N m2, GJ 30 N m2."""
    elastic = {
        "mass_kg": 3.0, "segments": segments, "flex": ["bend_y", "bend_z", "twist"], "EI_y_Nm2": 50.0, "EI_z_Nm2": 80.0,
        "GJ_Nm2": 30.0, "width_m": 0.02,
    }  # fmt: skip
    body = {"joint": {"type": "revolute", "axis": [0, 0, 1]}, "end": {"position_m": end}, **(rigid or {})}
    return load_chain({"bodies": {"boom": {**body, "elastic": elastic}}})


def frequencies(chain: ChainModel) -> np.ndarray:
    """Of the elastic joints, the link's own held [rad/s]."""
    A = Dynamics(chain).mass_matrix(chain.home)[1:, 1:]
    return np.sqrt(eigh(np.diag(chain.stiffness[1:]), A, eigvals_only=True))


@pytest.mark.parametrize("end", [[2.0, 0.0, 0.0], [0.0, 0.0, 2.0], [1.2, -1.6, 0.0]])
def test_elastic_link_bends_as_the_beam_of_euler_and_bernoulli(end: list[float]) -> None:
    exact = 1.875104069**2 * np.sqrt(np.array([50.0, 80.0]) / (3.0 * 2.0**3))
    coarse, fine = frequencies(boom(6, end))[:2], frequencies(boom(12, end))[:2]
    # elements of width 0.02 m add little rotary inertia; the error falls with the square of the number of elements
    np.testing.assert_allclose(fine, exact, rtol=3e-3)
    np.testing.assert_allclose((coarse - exact) / (fine - exact), 4.0, rtol=0.1)


def test_elastic_link_twists_as_a_shaft() -> None:
    end = [2.0, 0.0, 0.0]
    shaft = 0.5 * np.pi * np.sqrt(30.0 / (3.0 * 0.02**2 / 4.0 * 2.0))
    found = frequencies(boom(24, end))
    # the first twisting mode lies far above the first bending ones; second order in 1/24
    assert np.abs(found / shaft - 1.0).min() < 1e-3


def test_stiff_elastic_chain_moves_as_its_rigid_twin() -> None:
    """With the elastic joints at zero, A of the links' own joints is that of links with the beams' masses."""
    rigid = {"mass_kg": 4.0, "center_of_mass_m": [2.1, 0.1, 0.2], "inertia_kg_m2": [0.3, 0.4, 0.5]}
    hand = {
        "parent": "boom", "mass_kg": 1.5, "center_of_mass_m": [0.2, 0.0, 0.1],
        "joint": {"type": "revolute", "position_m": [2.0, 0.0, 0.0], "axis": [0, 1, 1]},
    }  # fmt: skip
    root = {"joint": {"type": "revolute", "axis": [0, 0, 1]}, **rigid}
    elastic = {"mass_kg": 3.0, "segments": 5, "EI_y_Nm2": 50.0, "EI_z_Nm2": 80.0, "width_m": 0.1}
    soft = load_chain(
        {"bodies": {"boom": {**root, "end": {"position_m": [2.0, 0.0, 0.0]}, "elastic": elastic}, "hand": hand}}
    )
    # the beam as a body of its own on the same joint
    centre = np.array([(4.0 * 2.1 + 3.0 * 1.0) / 7.0, 4.0 * 0.1 / 7.0, 4.0 * 0.2 / 7.0])
    whole = {**root, "mass_kg": 7.0, "center_of_mass_m": centre.tolist()}
    stiff = load_chain({"bodies": {"boom": whole, "hand": hand}})
    own = [0, soft.n - 1]
    q = np.zeros(soft.n)
    q[own] = [0.4, -0.7]
    A = Dynamics(soft).mass_matrix(q)[np.ix_(own, own)]
    B = Dynamics(stiff).mass_matrix([0.4, -0.7])
    # entries with the hand do not depend on how the boom's inertia is spread
    assert A[0, 1] == pytest.approx(B[0, 1], rel=1e-13)
    assert A[1, 1] == pytest.approx(B[1, 1], rel=1e-13)
    # about z of the joint: rigid part and uniform tube by hand
    tube = 3.0 * (2.0**2 / 3.0 + 0.1**2 / 8.0)
    hand_only = B[0, 0] - (0.5 + 7.0 * (centre[0] ** 2 + centre[1] ** 2))
    # the tube in five pieces is the tube in one
    assert A[0, 0] == pytest.approx(0.5 + 4.0 * (2.1**2 + 0.1**2) + tube + hand_only, rel=1e-12)

"""Zaremba's derivative theorems, orders 1 to 3, against derivatives that are exact for another reason.

In a turning joint's coordinate every quantity is a trigonometric polynomial of degree two at most, in a sliding
joint's a polynomial of degree two at most. Sampled at eight points of the circle, or at three points of the line, such
functions have derivatives of any order that are exact to rounding, without any step size.
"""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from docksim.chain.kinematics.derivatives import christoffel
from docksim.chain.kinematics.screws import screws_at
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain

POINTS = 8
# entries are of order one and the weights of a third derivative of order ten: some 1e-14 is rounding
TOLERANCE = 1e-12


def stencil(sliding, order):
    """Shifts and weights of a derivative of a given order."""
    if sliding:
        weights = {0: [0, 1, 0], 1: [-0.5, 0, 0.5], 2: [1, -2, 1], 3: [0, 0, 0]}[order]
        return np.array([-1.0, 0.0, 1.0]), np.array(weights, float)
    shifts = 2 * np.pi * np.arange(POINTS) / POINTS
    waves = np.arange(-3, 4)
    # the function at zero shift from its samples, wave by wave
    weights = np.array([np.sum((1j * waves) ** order * np.exp(-1j * waves * s)) / POINTS for s in shifts])
    return shifts, weights.real


def exact(chain, q, ts, quantity):
    """The derivative of `quantity(screws)` by the coordinates ts."""
    if not ts:
        return quantity(screws_at(chain, q))
    t, rest = ts[0], [s for s in ts if s != ts[0]]
    total = 0.0
    for shift, weight in zip(*stencil(chain.prismatic[t], ts.count(t)), strict=True):
        moved = q.copy()
        moved[t] += shift
        total = total + weight * exact(chain, moved, rest, quantity)
    return total


CHAINS = {"serial": (4, 0.3, 0.0), "branching": (5, 0.3, 0.6)}


@pytest.fixture(params=CHAINS.values(), ids=CHAINS)
def case(request):
    n, sliding, branching = request.param
    rng = np.random.default_rng(n)
    chain = random_chain(rng, n, sliding=sliding, branching=branching)
    assert any(chain.prismatic)
    assert not all(chain.prismatic)
    return chain, rng.normal(size=n)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_twists_are_products_of_twists(case, order):
    chain, q = case
    screws = screws_at(chain, q)
    for ts in combinations_with_replacement(range(chain.n), order):
        forward = exact(chain, q, list(ts), lambda s: s.twist)
        back = exact(chain, q, list(ts), lambda s: s.back)
        for k in range(chain.n):
            for i in range(chain.n):
                # the order in which the coordinates are named does not matter
                assert screws.twist_derivative(k, i, ts[::-1]) == pytest.approx(forward[k, i], abs=TOLERANCE)
                assert screws.back_twist_derivative(k, i, ts) == pytest.approx(back[k, i], abs=TOLERANCE)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_inertias_and_of_the_mass_matrix_follow(case, order):
    chain, q = case
    screws = screws_at(chain, q)
    for ts in combinations_with_replacement(range(chain.n), order):
        inertia = exact(chain, q, list(ts), lambda s: s.Theta_star)
        for i in range(chain.n):
            assert screws.inertia_derivative(i, ts) == pytest.approx(inertia[i, i], abs=TOLERANCE)
        matrix = exact(chain, q, list(ts), lambda s: s.mass_derivative())
        assert screws.mass_derivative(ts) == pytest.approx(matrix, abs=TOLERANCE)


def test_mass_matrix_and_christoffel_symbols_give_pinocchios_dynamics(case):
    chain, q = case
    rates = np.random.default_rng(1).normal(size=chain.n)
    screws = screws_at(chain, q)
    other = PinocchioChain(chain)
    assert screws.mass_derivative() == pytest.approx(other.mass_matrix(q), abs=1e-12)
    quadratic = np.einsum("isj,s,j->i", christoffel(screws.gradient()), rates, rates)
    # without its value at rest the bias is what the rates add
    assert quadratic == pytest.approx(other.bias(q, rates) - other.bias(q, 0 * rates), abs=1e-11)


def test_complex_step_agrees_with_the_first_derivative(case):
    chain, q = case
    for t in range(chain.n):
        moved = q.astype(complex)
        moved[t] += 1e-30j
        slope = screws_at(chain, moved).mass_derivative().imag / 1e-30
        assert screws_at(chain, q).mass_derivative((t,)) == pytest.approx(slope, abs=1e-12)


def test_sixth_derivative_of_a_turning_joint_repeats_the_second(case):
    # waves 1 and 2: the theorem of any order must keep d6 - 5 d4 - ... = 0 as x(x+1)(x+4) does for x = d2
    chain, q = case
    t = int(np.flatnonzero(~chain.prismatic)[-1])
    screws = screws_at(chain, q)
    second, fourth, sixth = (screws.mass_derivative((t,) * order) for order in (2, 4, 6))
    assert sixth + 5 * fourth + 4 * second == pytest.approx(0 * second, abs=1e-9)

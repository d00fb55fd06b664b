"""Linear models of chains: against Pinocchio's derivatives, differences of the dynamics, and oscillations in a run."""

import dataclasses

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.io import loadmat
from scipy.signal import StateSpace

from docksim.chain import load_chain
from docksim.chain.dynamics.formulations import Dynamics
from docksim.chain.linear.constrained import freedoms, linearize_held
from docksim.chain.linear.linearize import coefficients, linearize_chain
from docksim.chain.motion.conditions import build_conditions
from docksim.chain.motion.constrained import Constrained
from docksim.chain.motion.typed import state_point
from docksim.config.schema.chain_conditions import DistanceCondition, PoseCondition, PositionCondition
from tests.oracle.chain_pinocchio import PinocchioChain
from tests.oracle.chain_random import random_chain


def sprung(chain, rng):
    """The chain with springs, dampers and rotors in its joints."""
    n = chain.n
    more = {name: rng.uniform(0.5, 2.0, n) for name in ("stiffness", "damping", "rotor", "rest")}
    return dataclasses.replace(chain, **more)


@pytest.mark.parametrize(("n", "branching"), [(1, 0.0), (3, 0.0), (7, 0.0), (8, 0.5)])
def test_coefficients_are_pinocchios_derivatives_of_inverse_dynamics(n, branching):
    rng = np.random.default_rng(n)
    chain = random_chain(rng, n, branching=branching)
    q, rates, accelerations = rng.normal(size=(3, n))
    found = coefficients(chain, q, rates, accelerations)
    other = PinocchioChain(chain)
    by_q, by_rate, A = pin.computeRNEADerivatives(
        other.model, other.data, other._in(q), other._in(rates), other._in(accelerations)
    )
    pick = np.ix_(other.order, other.order)
    # both are exact: what is left is rounding of sums of some hundred terms
    scale = np.abs(by_q).max() + np.abs(by_rate).max()
    assert found.b_by_q + found.Aqdd_by_q == pytest.approx(by_q[pick], abs=1e-12 * scale * n)
    assert found.b_by_rate == pytest.approx(by_rate[pick], abs=1e-12 * scale * n)
    A = np.triu(A) + np.triu(A, 1).T
    assert found.A == pytest.approx(A[pick], abs=1e-12 * scale)
    assert found.b == pytest.approx(other.bias(q, rates), abs=1e-12 * scale)


def test_state_space_is_the_tangent_of_forward_dynamics():
    rng = np.random.default_rng(5)
    chain = sprung(random_chain(rng, 4), rng)
    q, rates, accelerations = rng.normal(size=(3, 4))
    model = linearize_chain(chain, q, rates, accelerations)
    dynamics = Dynamics(chain)
    Q = dynamics.inverse(q, rates, accelerations)

    def slope(x, u):
        return np.concatenate([x[4:], dynamics.forward(x[:4], x[4:], Q + u)])

    x, zero, h = np.concatenate([q, rates]), np.zeros(4), 1e-5
    A = np.array([(slope(x + h * e, zero) - slope(x - h * e, zero)) / (2 * h) for e in np.eye(8)]).T
    B = np.array([(slope(x, h * e) - slope(x, -h * e)) / (2 * h) for e in np.eye(4)]).T
    # central differences: h² times third derivatives of some hundred, and 1e-16 / h of rounding
    assert model.A == pytest.approx(A, abs=1e-6)
    assert model.B == pytest.approx(B, abs=1e-8)
    assert slope(x, zero)[4:] == pytest.approx(accelerations, abs=1e-10)


def test_double_pendulum_has_its_textbook_modes():
    model = linearize_chain(load_chain("configs/chains/planar_2r.yaml"), np.array([-np.pi / 2, 0.0]))
    # two equal uniform rods: w² = (3 -+ 6 / sqrt 7) g / l
    expected = [np.sqrt((3 + sign * 6 / np.sqrt(7)) * 9.81) / (2 * np.pi) for sign in (-1, 1)]
    # the file's inertia has 12 digits
    assert [mode.frequency_Hz for mode in model.modes()] == pytest.approx(expected, rel=1e-11)
    assert all(mode.damping_ratio == 0.0 for mode in model.modes())


def test_upright_pendulum_diverges_and_weightless_arm_is_free():
    chain = load_chain("configs/chains/planar_2r.yaml")
    kinds = [mode.kind for mode in linearize_chain(chain, np.array([np.pi / 2, 0.0])).modes()]
    assert kinds.count("divergence") == 2
    weightless = dataclasses.replace(chain, gravity=np.zeros(3))
    assert [mode.kind for mode in linearize_chain(weightless).modes()] == ["free"] * 4


def test_damped_modes_are_seen_in_a_run_of_the_full_equations():
    rng = np.random.default_rng(2)
    chain = sprung(random_chain(rng, 3, sliding=0.0, gravity=False), rng)
    chain = dataclasses.replace(chain, damping=0.05 * chain.damping)
    home = chain.rest
    model = linearize_chain(chain, home)
    mode = next(mode for mode in model.modes() if mode.kind == "oscillation")
    size = 1e-5
    dynamics = Dynamics(chain)

    def slope(t, x):
        return np.concatenate([x[3:], dynamics.forward(x[:3], x[3:], np.zeros(3))])

    start = np.concatenate([home, np.zeros(3)]) + size * mode.vector.real
    times = np.linspace(0.0, 3.0 / mode.frequency_Hz, 30)
    run = solve_ivp(slope, (0.0, times[-1]), start, t_eval=times, rtol=1e-11, atol=1e-16)
    expected = size * (mode.vector[:, None] * np.exp(mode.eigenvalue * times)).real
    # the nonlinear terms are of the second order: size² times curvatures of order ten
    deviation = run.y - np.concatenate([home, np.zeros(3)])[:, None]
    assert deviation == pytest.approx(expected, abs=3e-9)


def test_exports_read_back_bit_for_bit(tmp_path):
    rng = np.random.default_rng(3)
    model = linearize_chain(sprung(random_chain(rng, 3), rng))
    with np.load(model.to_npz(tmp_path / "m.npz"), allow_pickle=False) as archive:
        assert all(np.array_equal(archive[key], getattr(model, key)) for key in "ABCD")
        assert tuple(archive["states"]) == model.states
        # scipy's and python-control's state spaces take the four matrices as they are
        system = StateSpace(archive["A"], archive["B"], archive["C"], archive["D"])
        assert system.A.shape == (6, 6)
    content = loadmat(model.to_mat(tmp_path / "m.mat"))
    assert np.array_equal(content["A"], model.A)
    assert content["inputs"][1, 0][0] == model.inputs[1]
    assert np.array_equal(content["Kz"], model.K)


def test_skeleton_moves_as_its_jacobian_says():
    chain = load_chain("configs/chains/station_arm_7r.yaml")
    rng = np.random.default_rng(0)
    q, step = chain.home + rng.normal(size=7) * 0.3, 1e-6 * rng.normal(size=7)
    one, two = (linearize_chain(chain, q + sign * step).skeleton.points for sign in (1, -1))
    expected = linearize_chain(chain, q).skeleton.jacobian @ step
    # second-order terms are even in the step and drop out
    assert 0.5 * (one - two) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("30", "expected LINK.QUANTITY=VALUE"),
        ("elbow.angle_deg=30", "no link 'elbow'; there is link1, link2"),
        ("link1.angle_dg=30", "did you mean 'angle_deg'"),
        ("link1.angle_deg=far", "no finite number"),
        ("link1.angle_deg=nan", "no finite number"),
        ("link1.travel_m=1", "'link1' has angle_rad, angle_deg"),
    ],
)
def test_points_that_mean_nothing_are_refused(word, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        state_point(load_chain("configs/chains/planar_2r.yaml"), [word])


def test_points_are_read_in_degrees_and_radians():
    chain = load_chain("configs/chains/planar_2r.yaml")
    q, rates, accelerations = state_point(
        chain, ["link1.angle_deg=90", "link2.rate_rad_s=-2", "link2.acceleration_deg_s2=180"]
    )
    assert q == pytest.approx([np.pi / 2, 0])
    assert rates.tolist() == [0, -2]
    assert accelerations == pytest.approx([0, np.pi])


@pytest.mark.parametrize(
    "part",
    [
        DistanceCondition(type="distance", from_m=(1.5, 0.5, 0.2)),
        PositionCondition(type="position", axes=["x", "z"]),
        PoseCondition(type="pose"),
    ],
    ids=lambda part: part.type,
)
def test_model_under_constraints_is_the_tangent_of_the_constrained_motion(part):
    rng = np.random.default_rng(6)
    chain = sprung(random_chain(rng, 8, sliding=0.2), rng)
    q, Q = rng.normal(size=(2, 8))
    held = Constrained(chain, build_conditions(chain, [part], q))
    model = linearize_held(held, q, Q, "held")
    names = [f"{link}.{'travel_m' if slides else 'angle_rad'}" for link, slides in zip(chain.names, chain.prismatic)]
    chosen = [names.index(name) for name in model.coordinates]
    effort = ("torque_Nm", "force_N")
    drive = np.array([value for name, value in model.operating_point.items() if name.endswith(effort)])
    T, same = freedoms(held.conditions(chain, q, np.zeros(8), 0.0).gradient)
    assert same == chosen
    free = len(chosen)

    def accelerations(z, v, u):
        """Of the chosen coordinates, at a state on the constraints near the point."""
        there = held.place(0.0, q + T @ z)
        rates = held.rates(0.0, there, T @ v)
        found = held.at(0.0, there, rates, drive + u).acceleration[chosen]
        return found, there[chosen] - q[chosen], rates[chosen]

    h = 1e-4
    still, still_u = np.zeros(free), np.zeros(8)
    lower = model.A[free:]
    for e in np.eye(free):
        # what the chosen coordinates really did on the way back to the constraint is what counts
        one, z1, v1 = accelerations(h * e, still, still_u)
        two, z2, v2 = accelerations(-h * e, still, still_u)
        expected = lower @ np.concatenate([z1 - z2, v1 - v2])
        # even terms drop out of the difference: h³ times third derivatives of some hundred
        assert one - two == pytest.approx(expected, abs=1e-8 * max(1.0, np.abs(lower).max()))
        one, z1, v1 = accelerations(still, h * e, still_u)
        two, z2, v2 = accelerations(still, -h * e, still_u)
        assert one - two == pytest.approx(lower @ np.concatenate([z1 - z2, v1 - v2]), abs=1e-8)
    u = h * rng.normal(size=8)
    pushed = accelerations(still, still, u)[0]
    assert pushed == pytest.approx(model.B[free:] @ u, abs=1e-10)


def test_hanging_double_pendulum_with_its_tip_on_a_vertical_guide_has_the_frequency_of_the_closed_form():
    chain = load_chain("configs/chains/planar_2r.yaml")
    q = np.array([-np.pi / 2, 0.0])
    held = Constrained(chain, build_conditions(chain, [PositionCondition(type="position", axes=["x"])], q))
    (mode,) = linearize_held(held, q, np.zeros(2), "tied").modes()
    # small angles a and b = -a of the rods from the vertical; m = l = 1. Twice the kinetic energy is a'² (1/3 of the
    # first rod, 1/4 + 1/12 of the second), twice the potential energy g a² (1/2 of the first, 1 + 1/2 of the second)
    inertia, weight = 1 / 3 + 1 / 4 + 1 / 12, 9.81 * (1 / 2 + 1 + 1 / 2)
    # the file's inertia has 12 digits
    assert mode.frequency_Hz == pytest.approx(np.sqrt(weight / inertia) / (2 * np.pi), rel=1e-11)

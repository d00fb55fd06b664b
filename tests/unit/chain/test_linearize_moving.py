"""Linear models along constraints that move: against differences, neighbours on the guide, and the model at rest."""

import dataclasses

import numpy as np
import pytest

from docksim.chain import load_chain
from docksim.chain.build import build_chain
from docksim.chain.linear.condition_derivatives import departures
from docksim.chain.linear.constrained import (
    freedoms,
    linearize_along,
    linearize_held,
    linearize_point,
    linearize_task,
    moving_point,
    tangent,
)
from docksim.chain.linear.linearize import coefficients
from docksim.chain.motion.conditions import Condition, Conditions, Value, build_conditions
from docksim.chain.motion.constrained import Constrained
from docksim.chain.motion.drives import Drives
from docksim.config.loading.chain_task import load_task
from docksim.config.schema.chain_conditions import DistanceCondition, PositionCondition
from tests.oracle.chain_random import random_chain
from tests.unit.chain.test_conditions import KINDS

GUIDED = "configs/tasks/puma_guided.yaml"
# away from singular positions of the wrist, where derivatives of any order are large
START = np.radians([10.0, -30.0, 60.0, 50.0, 50.0, 40.0])


def guided():
    """The task with the moving guide alone: two rows on six joints."""
    loaded = load_task(GUIDED)
    return dataclasses.replace(loaded, task=loaded.task.model_copy(update={"constraint": loaded.task.constraint[:1]}))


def slope(of, h=3e-4):
    """d/dx of a function of one number at zero: fourth order, so that rounding over h is all that is left."""
    return (8.0 * (of(h) - of(-h)) - (of(2.0 * h) - of(-2.0 * h))) / (12.0 * h)


def test_departures_of_an_arm_on_a_moving_circle_are_the_tangent_of_its_motion():
    loaded = guided()
    chain = build_chain(loaded.chain)
    rng = np.random.default_rng(4)
    held = Constrained(chain, build_conditions(chain, loaded.task.constraint, START))
    t, Q = 0.37, 5.0 * rng.normal(size=6)
    q = held.place(t, START)
    rates = held.rates(t, q, 0.5 * rng.normal(size=6))
    found = tangent(held, moving_point(held, t, q, rates, Q))

    def at(row, e, x):
        state = [q, rates, Q]
        state[row] = state[row] + x * e
        return held.at(t, *state)

    for row in range(3):
        by_reaction, by_acceleration = found.reaction()[row], found.acceleration()[row]
        for k, e in enumerate(np.eye(6)):
            # in rates and forces the motion is of the second order: any step is exact
            h = (3e-4, 0.1, 0.1)[row]
            reaction = slope(lambda x, row=row, e=e: at(row, e, x).reaction, h)
            acceleration = slope(lambda x, row=row, e=e: at(row, e, x).acceleration, h)
            # h⁴ times fifth derivatives, and rounding over h
            assert by_reaction[:, k] == pytest.approx(reaction, abs=1.3e-9 * np.abs(by_reaction).max())
            assert by_acceleration[:, k] == pytest.approx(acceleration, abs=3e-10 * np.abs(by_acceleration).max())


@pytest.mark.parametrize("part", KINDS.values(), ids=KINDS)
def test_rates_of_the_gradient_are_those_along_the_motion(part):
    rng = np.random.default_rng(7)
    chain = random_chain(rng, 4, sliding=0.0)
    q, rates, accelerations = rng.normal(size=(3, 4))
    conditions = build_conditions(chain, [part], q + 0.1)
    found = departures(chain, conditions, 1.3, q, rates, accelerations)

    def gradient(x):
        place = q + rates * x + 0.5 * accelerations * x * x
        return conditions(chain, place, rates + accelerations * x, 1.3 + x).gradient

    def rate(x):
        place, moving = q + rates * x + 0.5 * accelerations * x * x, rates + accelerations * x
        return departures(chain, conditions, 1.3 + x, place, moving, accelerations).rate

    # fourth-order differences of functions whose fifth derivatives are of order a thousand
    assert found.rate == pytest.approx(slope(gradient), abs=1e-9)
    assert found.second == pytest.approx(slope(rate), abs=1e-8)
    assert found.curvature == pytest.approx(np.swapaxes(found.curvature, 1, 2), abs=1e-13)


@pytest.mark.parametrize(
    "part",
    [DistanceCondition(type="distance", from_m=(1.5, 0.5, 0.2)), PositionCondition(type="position", axes=["x", "z"])],
    ids=lambda part: part.type,
)
def test_model_at_rest_is_that_of_standing_constraints(part):
    rng = np.random.default_rng(6)
    chain = random_chain(rng, 6, sliding=0.2)
    chain = dataclasses.replace(chain, stiffness=rng.uniform(0.5, 2.0, 6), damping=rng.uniform(0.5, 2.0, 6))
    q, zero = rng.normal(size=6), np.zeros(6)
    held = Constrained(chain, build_conditions(chain, [part], q))
    model = linearize_held(held, q, zero, "held")
    value = held.conditions(chain, q, zero, 0.0)
    N = held.at(0.0, q, zero, zero).reaction
    T, chosen = freedoms(value.gradient)

    def along(v):
        # at rest the drift of rates v is vT d(GT N)/dq v: sums of unit vectors give every entry
        return N @ held.conditions(chain, q, v, 0.0).drift

    e = np.eye(6)
    own = [along(one) for one in e]
    H = np.array([[0.5 * (along(e[i] + e[j]) - own[i] - own[j]) for j in range(6)] for i in range(6)])
    links = coefficients(chain, q, zero, zero)
    K = T.T @ (links.b_by_q + np.diag(chain.stiffness) - H) @ T
    M = T.T @ links.A @ T
    free = len(chosen)
    lower = np.hstack([-np.linalg.solve(M, K), -np.linalg.solve(M, T.T @ np.diag(chain.damping) @ T)])
    assert model.A[free:] == pytest.approx(lower, abs=1e-11 * np.abs(lower).max())
    assert model.B[free:] == pytest.approx(np.linalg.solve(M, T.T), rel=1e-11)


def test_neighbours_on_a_moving_guide_accelerate_and_pull_as_the_models_say():
    loaded = guided()
    chain = build_chain(loaded.chain)
    held = Constrained(chain, build_conditions(chain, loaded.task.constraint, START))
    Q, rng = Drives(chain, loaded.task.drives, chain.home).constant, np.random.default_rng(8)

    def on_the_guide(t, q, rates):
        q = held.place(t, q)
        return q, held.rates(t, q, rates)

    states = [(t, *on_the_guide(t, START, 0.3 * rng.normal(size=6))) for t in (0.0, 0.4, 1.7)]
    models = linearize_along(loaded, states, "guided")
    free = len(models[0].coordinates)
    assert len({model.coordinates for model in models}) == 1
    chosen = [chain.names.index(name.split(".")[0]) for name in models[0].coordinates]
    for model, (t, q, rates) in zip(models, states, strict=True):
        shift, push = rng.normal(size=(2, 6))

        def side(x, t=t, q=q, rates=rates, shift=shift, push=push):
            # a neighbour on the guide itself: what its chosen joints did is what the model is about
            near = on_the_guide(t, q + x * shift, rates + x * push)
            found = held.at(t, *near, Q)
            return np.concatenate([near[0][chosen], near[1][chosen], found.acceleration[chosen], found.reaction])

        x, slopes, pull = np.split(slope(side, 1e-4), [2 * free, 3 * free])
        # h⁴ times fifth derivatives, and rounding over h
        assert slopes == pytest.approx(model.A[free:] @ x, abs=1e-7 * np.abs(slopes).max())
        assert pull == pytest.approx(model.C[2 * free :] @ x, abs=1e-7 * np.abs(pull).max())


def test_a_task_with_a_moving_guide_is_linearised_in_motion_with_its_reactions(tmp_path):
    model = linearize_task(load_task(GUIDED))
    assert model.outputs[2:4] == ("reaction.guide.y_N", "reaction.guide.z_N")
    assert model.C.shape == (7, 2)
    assert model.operating_point["waist.rate_rad_s"] != 0.0
    with np.load(model.to_npz(tmp_path / "m.npz"), allow_pickle=False) as archive:
        assert tuple(archive["outputs"]) == model.outputs
        assert np.array_equal(archive["D"], model.D)


def test_a_point_on_a_straight_guide_that_moves_has_the_textbook_spring():
    # a weightless rod of one turning joint and one slide, led sideways at the rate w of its own turning joint:
    # r'' = w² r is the whole motion along the rod, z'' = w² z that of departures; the guide's moment is 2 m r r' w,
    # so dN = 2 m w (r' dr + r dr')
    chain = load_chain(
        {
            "bodies": {
                "arm": {"joint": {"type": "revolute", "axis": [0, 0, 1]}, "mass_kg": 0.0},
                "bead": {"parent": "arm", "joint": {"type": "prismatic", "axis": [1, 0, 0]}, "mass_kg": 2.0},
            }
        }
    )
    w, r, r_rate, m = 0.7, 1.3, 0.4, 2.0

    def turned(at, t):
        row = np.array([[1.0, 0.0]])
        return Value(row @ at.q - w * t, row @ at.rates - w, row, np.zeros(1))

    held = Constrained(chain, Conditions((Condition("turn", ("",), ("rad",), turned),)))
    point = moving_point(held, 0.5, np.array([w * 0.5, r]), np.array([w, r_rate]), np.zeros(2))
    model = linearize_point(held, point, "bead")
    assert point.reaction == pytest.approx([2 * m * r * r_rate * w], rel=1e-13)
    assert model.A == pytest.approx(np.array([[0.0, 1.0], [w * w, 0.0]]), abs=1e-13)
    assert model.C[2] == pytest.approx([2 * m * w * r_rate, 2 * m * w * r], rel=1e-12)

"""Conditions on a chain: rate, gradient and drift of every kind against differences of f in time."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from docksim.chain.kinematics.paths import rate_matrix, rotation_vector, turned
from docksim.chain.motion.conditions import build_conditions
from docksim.config.schema.chain_conditions import (
    Circle,
    ClosureCondition,
    CouplingCondition,
    DistanceCondition,
    JointCondition,
    JointWaypoint,
    PlaneCondition,
    PointWaypoint,
    PoseCondition,
    PoseWaypoint,
    PositionCondition,
)
from docksim.config.schema.fields import Attitude
from tests.oracle.chain_random import random_chain


def waypoints(kind, key, *values):
    return [kind(time_s=float(i), **{key: value}) for i, value in enumerate(values)]


def closure(kind):
    keys = {"axis": (0.3, 1.0, -0.5)} if kind in ("hinge", "point_on_line", "planar") else {}
    keys |= {"point_b_m": (0.2, 0.1, -0.4)} if kind == "rod" else {}
    return ClosureCondition(
        type="closure", kind=kind, link_a="link4", link_b="link1", point_a_m=(0.1, 0.2, 0.3), **keys
    )


PLACES = ((0.3, -0.2, 0.5), (0.6, 0.1, -0.2), (-0.4, 0.7, 0.1))
TURNS = [Attitude(rotation_vector_deg=v) for v in ((10.0, 20.0, 30.0), (-40.0, 10.0, 70.0))]
POSES = [PoseWaypoint(time_s=3.0 * i, position_m=PLACES[i], attitude=TURNS[i]) for i in range(2)]
KINDS = {
    "joint": JointCondition(type="joint", link="link2", angle_deg=20.0),
    "joint path": JointCondition(
        type="joint", link="link2", waypoints=waypoints(JointWaypoint, "angle_deg", 0.0, 20.0, -5.0)
    ),
    "coupling": CouplingCondition(type="coupling", ratios={"link1": 2.0, "link3": -1.0}),
    "position": PositionCondition(type="position", point_m=(0.1, 0.2, 0.3), axes=["z", "x"]),
    "spline": PositionCondition(
        type="position", waypoints=waypoints(PointWaypoint, "position_m", *PLACES), law="spline"
    ),
    "stops": PositionCondition(type="position", waypoints=waypoints(PointWaypoint, "position_m", *PLACES)),
    "circle": PositionCondition(
        type="position", circle=Circle(center_m=PLACES[0], normal=(1.0, 2.0, 0.5), radius_m=0.4, period_s=3.0)
    ),
    "pose": PoseCondition(type="pose", point_m=(0.1, 0.0, 0.2), waypoints=POSES),
    "plane": PlaneCondition(type="plane", link="link3", normal=(1.0, -2.0, 0.3)),
    "distance": DistanceCondition(type="distance", from_m=(1.5, 0.5, 0.2)),
    **{f"closure {kind}": closure(kind) for kind in ("weld", "hinge", "ball", "point_on_line", "planar", "rod")},
    "closure to the world": ClosureCondition(type="closure", kind="weld", link_a="link3"),
    "closure given": ClosureCondition(type="closure", link_a="link2", link_b="link4", point_b_m=(0.3, -0.2, 0.1)),
}


@pytest.mark.parametrize("part", KINDS.values(), ids=KINDS)
def test_rate_gradient_and_drift_are_derivatives_of_the_condition(part):
    rng = np.random.default_rng(7)
    chain = random_chain(rng, 4, sliding=0.0)
    q, rates, accelerations = rng.normal(size=(3, 4))
    conditions = build_conditions(chain, [part], q + 0.1)

    def along(t):
        return conditions(chain, q + rates * t + 0.5 * accelerations * t * t, rates + accelerations * t, 1.3 + t)

    now, h = along(0.0), 1e-4
    rate = (along(h).f - along(-h).f) / (2 * h)
    second = (along(h).rate - along(-h).rate) / (2 * h)
    # central differences at h = 1e-4: h² times third derivatives of order ten or hundred
    assert now.rate == pytest.approx(rate, abs=2e-6)
    assert now.gradient @ accelerations + now.drift == pytest.approx(second, abs=2e-6)
    still = conditions(chain, q, 0 * rates, 1.3)
    assert now.rate - still.rate == pytest.approx(now.gradient @ rates, abs=1e-12)


@pytest.mark.parametrize("part", [part for part in KINDS.values() if part.type not in ("joint",)])
def test_conditions_without_a_target_hold_what_they_find(part):
    if part.type == "closure" and part.kind != "rod":
        part = part.model_copy(update={"point_b_m": None})
    targets = {"at_m", "waypoints", "circle", "through_m", "distance_m", "attitude", "length_m"}
    free = targets & set(type(part).model_fields)
    bare = part.model_copy(update=dict.fromkeys(free))
    chain = random_chain(np.random.default_rng(3), 4, sliding=0.0)
    found = build_conditions(chain, [bare], chain.home + 0.4)(chain, chain.home + 0.4, np.zeros(4), 0.0)
    assert found.f == pytest.approx(0 * found.f, abs=1e-14)


@pytest.mark.parametrize("size", [1e-9, 0.009, 0.011, 1.0, 3.1])
def test_rotation_vectors_and_their_rates_hold_at_all_sizes(size):
    rng = np.random.default_rng(0)
    vector = rng.normal(size=3)
    vector *= size / np.linalg.norm(vector)
    assert turned(vector) == pytest.approx(Rotation.from_rotvec(vector).as_matrix(), abs=1e-14)
    assert rotation_vector(turned(vector)) == pytest.approx(vector, abs=1e-13)
    # v of R exp(w t) has the rate E w at t = 0; and E itself changes at dE
    w, h = rng.normal(size=3), 1e-6
    later, earlier = (rotation_vector(turned(vector) @ turned(sign * h * w)) for sign in (1, -1))
    rate = (later - earlier) / (2 * h)
    E, _ = rate_matrix(vector, np.zeros(3))
    # near half a turn derivatives grow like 1 / (pi - x)
    assert E @ w == pytest.approx(rate, rel=1e-6, abs=1e-8)
    direction = rng.normal(size=3) * size
    _, dE = rate_matrix(vector, direction)
    one, two = (rate_matrix(vector + sign * 1e-6 * direction, np.zeros(3))[0] for sign in (1, -1))
    assert dE == pytest.approx((one - two) / 2e-6, rel=1e-5, abs=1e-8)

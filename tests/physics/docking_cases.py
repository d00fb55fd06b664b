"""Two random vehicles that an event joins, and what must hold afterwards."""

import numpy as np

from docksim.kernel.tree.passes import tree_motion
from tests.oracle.pinocchio_tree import PinocchioTree, random_state, random_tree
from tests.oracle.tree_description import SPEEDS
from tests.physics import dense_stack
from tests.physics.tree_cases import Case, add_port, axis_keys, entries, one_of_each, relative, start_scenario, together

# rounding of some hundred operations, as a part of the sum of the bodies' momenta
MOMENTUM = 1e-12
# rounding of 1e-16 times the condition of the dense saddle-point matrices, up to 3e5 (seen: 6e-13)
BOUND = 1e-10
NOW = {"time_s": 0.0}
RATES = ("rate_deg_s", "velocity_m_s")


def two_trees(rng, chains):
    """Two random trees; or two chains, each with all joint types between the root and the tip."""
    if chains:
        return one_of_each(rng), one_of_each(rng)
    return random_tree(rng, int(rng.integers(1, 9))), random_tree(rng, int(rng.integers(1, 9)))


class Docking:
    """Two random vehicles with a port each, anywhere or at the tips, and a scenario that joins them at once."""

    def __init__(self, seed, chains=False, turned=False):
        rng = self.rng = np.random.default_rng(seed)
        a, b = two_trees(rng, chains)
        self.bodies, self.size_a = together(a, b), len(a)
        theta, beta = random_state(rng, self.bodies)
        self.scenario = start_scenario(self.bodies, theta, beta)
        self.a = len(a) - 1 if chains else int(rng.integers(len(a)))
        self.b = len(a) + (len(b) - 1 if chains else int(rng.integers(len(b))))
        self.ports = [add_port(rng, self.scenario, k) for k in (self.a, self.b)]
        pair = self.ports[::-1] if turned else self.ports
        self.scenario["events"] = {"dock": {"when": NOW, "do": {"join": pair}}}
        self.roots = np.array([body.parent < 0 for body in self.bodies for _ in range(SPEEDS[body.joint])])

    def compiled(self):
        self.case = Case.of(self.bodies, self.scenario)
        tree_motion(*self.case.tables)
        return self.case

    def point(self, theta):
        """Port B in W."""
        r, R = PinocchioTree(self.bodies).body_poses(theta)
        port = entries(self.scenario)[self.b]["ports"]["port"]["position_m"]
        return r[self.b] + R[self.b] @ port

    def rows(self, theta):
        return dense_stack.weld_rows(PinocchioTree(self.bodies), theta, self.a, self.b, self.point(theta))


def check_momentum(case, record):
    p, h = case.traffic()
    assert np.linalg.norm(record.dp) < MOMENTUM * p
    assert np.linalg.norm(record.dh) < MOMENTUM * h


def check_velocities(docking, theta, expected):
    """Rates of all joints (the roots' are not comparable: one is gone) and velocities of all bodies."""
    case = docking.case
    joints = ~docking.roots
    assert relative(case.beta[joints], expected[joints]) < BOUND
    assert relative(case.motion()[0], case.oracle.body_velocities(theta, expected)) < BOUND


def hold_some(docking):
    """Some joints are locked, some driven at their rate; returns which speeds are prescribed, and which driven."""
    prescribed = np.zeros(len(docking.roots), bool)
    driven = prescribed.copy()
    first = 0
    for body, keys in zip(docking.bodies, entries(docking.scenario), strict=True):
        joint, n = keys.get("joint"), SPEEDS[body.joint]
        here = slice(first, first + n)
        first += n
        if joint is None or n == 0 or docking.rng.random() < 0.4:
            continue
        if body.joint in ("spherical", "free") or docking.rng.random() < 0.4:
            for part in [axis for axis, _ in axis_keys(joint)] or [joint]:
                part["locked"] = True
                part |= {key: [0.0] * 3 if "initial" in part else 0.0 for key in part if key in RATES}
        else:
            for axis, turns in axis_keys(joint):
                key, rate = ("rate_deg_s", axis["rate_deg_s"]) if turns else ("rate_m_s", axis["velocity_m_s"])
                axis["drive"] = {"kind": "rate", key: rate}
            driven[here] = True
        prescribed[here] = True
    return prescribed, driven


def add_motors(docking):
    for keys in entries(docking.scenario):
        for axis, turns in axis_keys(keys.get("joint", {"type": "root"})):
            axis["torque_Nm" if turns else "force_N"] = float(docking.rng.normal())

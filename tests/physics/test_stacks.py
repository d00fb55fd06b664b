"""Three vehicles joined in turn, parted and cut; welds are turned round like other joints. Bounds: docking_cases.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from docksim.kernel.loop import decide
from docksim.kernel.step import evaluate
from tests.oracle.pinocchio_tree import PinocchioTree, random_state
from tests.oracle.tree_description import JOINT_TYPES
from tests.physics import dense_stack
from tests.physics.docking_cases import BOUND, NOW, check_momentum, two_trees
from tests.physics.tree_cases import Case, add_port, cut, relative, start_scenario, together

SOME = settings(max_examples=15, deadline=None, derandomize=True)
SEEDS = st.integers(0, 2**32 - 1)


class Stack:
    """Three random vehicles; welds between ports on any two bodies, one after the other."""

    def __init__(self, seed, chains):
        self.rng = np.random.default_rng(seed)
        trees = [tree for _ in range(2) for tree in two_trees(self.rng, chains)][:3]
        self.firsts = np.cumsum([0, *(len(tree) for tree in trees)])
        self.bodies = together(*trees)
        self.scenario = start_scenario(self.bodies, *random_state(self.rng, self.bodies))
        self.scenario["events"] = {}
        self.welds = []

    def do(self, name, action):
        """An event right after those before it, in the same step."""
        self.scenario["events"][name] = {"when": NOW, "do": action}

    def weld(self, i, j):
        """Join a random body of vehicle i to a random one of vehicle j; returns the ports."""
        pair = [int(self.rng.integers(self.firsts[v], self.firsts[v + 1])) for v in (i, j)]
        ports = [add_port(self.rng, self.scenario, k, f"to_{v}") for k, v in zip(pair, (j, i), strict=True)]
        self.do(f"join_{i}_{j}", {"join": ports})
        self.welds.append(pair)
        return ports

    def fired(self):
        case = Case.of(self.bodies, self.scenario)
        decide(*case.tables)
        evaluate(*case.tables)
        assert case.compiled.state.clock[0].n_records == len(self.scenario["events"])
        return case

    def rows(self, tree, theta, beta):
        """Velocity rows and acceleration biases of all welds; any point will do, here the second body's origin."""
        points = [tree.body_poses(theta)[0][b] for _, b in self.welds]
        G = [dense_stack.weld_rows(tree, theta, a, b, x) for (a, b), x in zip(self.welds, points, strict=True)]
        bias = [dense_stack.weld_bias(tree, theta, beta, a, b, x) for (a, b), x in zip(self.welds, points, strict=True)]
        return np.vstack(G), np.concatenate(bias)

    def check_motion(self, case, bodies, roots=()):
        """Bodies accelerate as the dense stack does."""
        tree = PinocchioTree(bodies)
        theta, beta = case.full_state(roots)
        G, bias = self.rows(tree, theta, beta)
        free = np.zeros(len(beta), bool)
        right = -tree.inverse(theta, beta, 0.0 * beta)
        expected = dense_stack.constrained(tree.mass_matrix(theta), right, G, -bias, free, 0.0 * beta)
        assert relative(case.motion()[1], tree.body_motion(theta, beta, expected.x)[1]) < BOUND


@SOME
@given(seed=SEEDS, chains=st.booleans(), other_way=st.booleans())
def test_three_vehicles_joined_in_turn_agree_with_dense_impulses_and_accelerations(seed, chains, other_way):
    stack = Stack(seed, chains)
    stack.weld(0, 1)
    pair = stack.fired()
    # a stack that hangs under a third vehicle is turned round as a whole, its weld included
    stack.weld(*((2, 1) if other_way else (1, 2)))
    theta, beta = pair.full_state()
    G, _ = stack.rows(pair.oracle, theta, beta)
    free = np.zeros(len(beta), bool)
    expected, loss = dense_stack.jump(pair.oracle.mass_matrix(theta), beta, G, free, beta)
    case = stack.fired()
    assert relative(case.motion()[0], pair.oracle.body_velocities(theta, expected.x)) < BOUND
    assert case.compiled.state.record[1].loss == pytest.approx(loss, rel=BOUND)
    for record in case.compiled.state.record:
        check_momentum(case, record)
    stack.check_motion(case, stack.bodies)


@SOME
@given(seed=SEEDS, chains=st.booleans(), other_way=st.booleans())
def test_parting_one_joint_of_three_leaves_the_other(seed, chains, other_way):
    stack = Stack(seed, chains)
    ports = stack.weld(0, 1)
    stack.weld(*((2, 1) if other_way else (1, 2)))
    before = stack.fired()
    stack.do("part", {"separate": {"ports": ports}})
    stack.welds.pop(0)
    case = stack.fired()
    # nothing but the new root's coordinates is computed anew: rounding
    assert relative(case.motion()[0], before.motion()[0]) < 1e-13
    check_momentum(case, case.compiled.state.record[2])
    stack.check_motion(case, stack.bodies)


@SOME
@given(seed=SEEDS, other_way=st.booleans())
def test_cutting_a_joint_of_a_stack_lets_go_what_hangs_on_it_now(seed, other_way):
    stack = Stack(seed, chains=True)
    stack.weld(0, 1)
    stack.weld(*((2, 1) if other_way else (1, 2)))
    before = stack.fired()
    v = int(stack.rng.integers(3))
    k = int(stack.rng.integers(stack.firsts[v] + 1, stack.firsts[v + 1]))
    stack.do("away", {"jettison": {"body": f"v{v}.b{k}"}})
    case = stack.fired()
    assert relative(case.motion()[0], before.motion()[0]) < 1e-13
    check_momentum(case, case.compiled.state.record[2])
    stack.check_motion(case, cut(stack.bodies, k), (k,))


def test_the_stacks_really_turn_round():
    """Every joint type is traversed backwards in some case, and so is the weld."""
    seen = set()
    for seed in range(20):
        stack = Stack(seed, chains=True)
        stack.weld(0, 1)
        stack.weld(2, 1)
        case = stack.fired()
        welds = case.compiled.assembly.welds.values()
        for link in case.compiled.state.link[1:]:
            if link.sign < 0.0:
                child = case.compiled.model.joint[link.joint].succ - 1
                seen.add("weld" if link.joint in welds else stack.bodies[child].joint)
    assert seen == {"weld", *JOINT_TYPES}

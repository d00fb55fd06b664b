"""Random trees with random closures, as scenarios and as the dense oracle sees them.

`python -m tests.physics.closure_cases 300` compares so many of them, and so many with welds or balls alone with
Pinocchio's constraintDynamics, where that has a unique answer.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin

import docksim
from docksim.compiler.closures import frame_of_axis
from docksim.kernel.loop import decide
from docksim.kernel.step import evaluate
from docksim.kernel.tree.closures import note_closures
from docksim.model import BAD_CLOSURE
from docksim.model.closures import NOTHING_MOVES
from docksim.native.libraries import register
from tests.oracle import closures as dense
from tests.oracle.tree_description import SPEEDS, random_state, random_tree, slices
from tests.physics.tree_cases import Case, axis_keys, entries, relative, start_scenario, together
from tests.support.harness import floats
from tests.support.kernels import LIBRARY
from tests.support.rigs import Keys, body, lone, simulate

BOUND = 1e-9
INDEPENDENT = 1e-3  # least singular value of rows of length one
KINDS = ("weld", "hinge", "ball", "point_on_line", "planar", "rod")


class Loop:
    """One or two trees, some joints locked and some with motors, and closures that an event closes at once."""

    def __init__(self, seed: int, kinds: tuple[str, ...] = KINDS) -> None:
        rng = np.random.default_rng(seed)
        count = int(rng.integers(5, 14))
        trees = [random_tree(rng, count)]
        if rng.random() < 0.3:
            trees.append(random_tree(rng, int(rng.integers(2, 6))))
        self.bodies = together(*trees)
        self.theta, self.beta = random_state(rng, self.bodies)
        self.ties = [self._tie(rng, str(rng.choice(kinds))) for _ in range(int(rng.integers(1, 4)))]
        self.prescribed = np.zeros(len(self.beta), bool)
        self.tau = np.zeros(len(self.beta))
        self.scenario = self._scenario(rng)

    def _tie(self, rng: np.random.Generator, kind: str) -> dense.Tie:
        a, b = (int(k) for k in rng.choice(len(self.bodies), 2, replace=False))
        axis = rng.normal(size=3)
        axes = frame_of_axis((axis[0], axis[1], axis[2])) if kind in ("hinge", "point_on_line", "planar") else np.eye(3)
        return dense.Tie(kind, a, b, rng.uniform(-0.7, 0.7, 3), axes, rng.uniform(-0.7, 0.7, 3))

    def _name(self, k: int) -> str:
        root = k
        while self.bodies[root].parent >= 0:
            root = self.bodies[root].parent
        vehicle = f"v{sum(body.parent < 0 for body in self.bodies[:root])}"
        return vehicle if root == k else f"{vehicle}.b{k}"

    def _scenario(self, rng: np.random.Generator) -> dict[str, Any]:
        closures = {f"c{i}": self._keys(tie) for i, tie in enumerate(self.ties)}
        events = {"close": {"when": {"time_s": 0.0}, "do": [{"close": name} for name in closures]}}
        quarter = rng.random() < 0.3
        speeds = slices(self.bodies, SPEEDS)
        scenario = start_scenario(self.bodies, self.theta, self.beta, closures=closures, events=events)
        for k, keys in enumerate(entries(scenario)):
            for i, (axis, turns) in enumerate(axis_keys(keys.get("joint", {"type": "root"}))):
                j = speeds[k].start + i
                if quarter and rng.random() < 0.3:
                    self.prescribed[j], self.beta[j] = True, 0.0
                    axis["locked"] = True
                    axis.pop("rate_deg_s" if turns else "velocity_m_s")
                else:
                    self.tau[j] = rng.normal()
                    axis["torque_Nm" if turns else "force_N"] = float(self.tau[j])
        return scenario

    def _keys(self, tie: dense.Tie) -> dict[str, Any]:
        keys = {"kind": tie.kind, "between": [self._name(tie.a), self._name(tie.b)], "point_m": floats(tie.point)}
        if tie.kind in ("hinge", "point_on_line", "planar"):
            keys["axis"] = floats(tie.axes[:, 2])
        if tie.kind == "rod":
            keys["other_point_m"] = floats(tie.other)
        return {**keys, "on": False}

    def case(self) -> Case:
        return Case.of(self.bodies, self.scenario)

    def rows(self, tree: Any, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All rows and their drifts."""
        found = [dense.rows(tree, self.theta, beta, tie)[:2] for tie in self.ties]
        return np.vstack([G for G, _ in found]), np.concatenate([g for _, g in found])

    def independence(self, tree: Any) -> float:
        """Least singular value of the rows in the metric of the free masses, each of length one."""
        free = ~self.prescribed
        G = self.rows(tree, self.beta)[0][:, free]
        L = np.linalg.cholesky(tree.mass_matrix(self.theta)[np.ix_(free, free)])
        rows = np.linalg.solve(L, G.T)
        sizes = np.linalg.norm(rows, axis=0)
        if sizes.min() < 1e-6:
            return 0.0
        return float(np.linalg.svd(rows / sizes, compute_uv=False)[-1])


def compare(loop: Loop) -> float | None:
    """Largest relative difference of velocities, loss, accelerations and wrenches; None if nothing can move."""
    case = loop.case()
    tree, state, n = case.oracle, case.compiled.state, len(loop.beta)
    M = tree.mass_matrix(loop.theta)
    G, _ = loop.rows(tree, loop.beta)
    independent = loop.independence(tree) > INDEPENDENT
    decide(*case.tables)
    if state.clock[0].status == BAD_CLOSURE:
        assert not independent
        assert NOTHING_MOVES in state.closure["fault"]
        return None
    after = dense.solve(M, M @ loop.beta, G, np.zeros(len(G)), loop.prescribed, np.zeros(n)).beta_dot
    jump = after - loop.beta
    loss = 0.5 * jump @ M @ jump
    apart = [relative(case.beta, after), abs(state.record[0].loss / loss - 1.0)]

    evaluate(*case.tables)
    note_closures(*case.tables)
    G, g = loop.rows(tree, after)
    h = tree.inverse(loop.theta, after, np.zeros(n))
    expected = dense.solve(M, loop.tau - h, G, -g, loop.prescribed, np.zeros(n))
    apart.append(relative(case.work.dof["beta_dot"][:n], expected.beta_dot))
    if independent:
        held = np.where(loop.prescribed, case.work.dof["tau"][:n], 0.0)
        apart.append(relative(held, expected.held))
        first = 0
        for tie, own in zip(loop.ties, state.closure, strict=True):
            count = 1 if tie.kind == "rod" else sum(dense.MASKS[tie.kind])
            L = expected.L[first : first + count]
            first += count
            if tie.kind == "rod":
                apart.append(relative([np.linalg.norm(own.force)], [abs(L[0])]))
            else:
                apart.append(relative([*own.moment, *own.force], dense.wrench(tie, L)))
    return max(apart)


def compare_with_pinocchio(loop: Loop) -> float | None:
    """Largest relative difference of accelerations from constraintDynamics; None if that has no unique answer."""
    case = loop.case()
    if loop.independence(case.oracle) < INDEPENDENT or loop.prescribed.any():
        return None
    decide(*case.tables)
    evaluate(*case.tables)
    return relative(case.work.dof["beta_dot"][: len(loop.beta)], pinocchios(case.oracle, loop, case.beta))


def pinocchios(tree: Any, loop: Loop, beta: np.ndarray) -> np.ndarray:
    """Accelerations by constraintDynamics, the ties' frames laid on each body where the other's is."""
    r, R = tree.body_poses(loop.theta)
    constraints = pin.StdVec_RigidConstraintModel()
    for tie in loop.ties:
        A = pin.SE3(R[tie.a] @ tie.axes, r[tie.a] + R[tie.a] @ tie.point)
        places = [tree.placement[k] * pin.SE3(R[k], r[k]).inverse() * A for k in (tie.a, tie.b)]
        kind = pin.ContactType.CONTACT_6D if tie.kind == "weld" else pin.ContactType.CONTACT_3D
        joints = [tree.joint_of[k] for k in (tie.a, tie.b)]
        constraints.append(pin.RigidConstraintModel(kind, tree.model, joints[0], places[0], joints[1], places[1]))
    data = pin.StdVec_RigidConstraintData()
    data.extend([model.createData() for model in constraints])
    pin.initConstraintDynamics(tree.model, tree.data, constraints, data)
    q, T = tree.pin_q(loop.theta), tree.transform(loop.theta)
    settings = pin.ProximalSettings(1e-13, 0.0, 1)
    a = pin.constraintDynamics(tree.model, tree.data, q, T @ beta, T @ loop.tau, constraints, data, settings)
    return T.T @ (a - tree._transform_rate(loop.theta, beta))


def arm(parent: str, at: list[float], angle: float, rate: float = 0.0, **keys: Any) -> Keys:
    joint = {"type": "revolute", "position_m": at, "axis": [0.0, 0.1, 1.0], "angle_deg": angle, "rate_deg_s": rate}
    return body(20.0, [0.2, 2.0, 2.0], joint | keys, (0.5, 0.0, 0.0), parent)


def two_arms(**closure: Any) -> Keys:
    """A free base with two arms of two links, whose tips are tied from the start or by an event."""
    bodies = {
        "a1": arm("base", [0.0, 0.5, 0.0], 30.0, 5.0, stiffness_Nm_rad=3.0, rest_deg=10.0),
        "a2": arm("a1", [1.0, 0.0, 0.0], 20.0, -3.0),
        "b1": arm("base", [0.0, -0.5, 0.0], -30.0),
        "b2": arm("b1", [1.0, 0.0, 0.0], -20.0, 2.0, stiffness_Nm_rad=2.0),
    }
    tie = {"kind": "ball", "between": ["base.a2", "base.b2"], "point_m": [1.0, 0.0, 0.0], "on": False}
    return {
        "vehicles": {"base": lone(500.0, [100.0, 120.0, 90.0], rate_deg_s=[1.0, 2.0, 3.0], bodies=bodies)},
        "closures": {"grip": tie | closure},
        "events": {"go": {"when": {"time_s": 0.0}, "do": {"close": "grip"}}},
    }


def run_for(keys: Keys, duration: float, step: float = 1e-3, **sections: Any) -> docksim.Result:
    keys = copy.deepcopy(keys)
    return simulate(keys.pop("vehicles"), duration, step, **{**keys, **sections})


def main(many: int) -> None:
    """Compare so many random trees, by the kernels that the tests have compiled."""
    register(LIBRARY)
    ways: dict[str, Callable[[int], float | None]] = {
        "with a dense solve": lambda seed: compare(Loop(seed)),
        "with constraintDynamics": lambda seed: compare_with_pinocchio(Loop(seed, (("weld", "ball")[seed % 2],))),
    }
    for way, difference in ways.items():
        compared = [(apart, seed) for seed in range(many) if (apart := difference(seed)) is not None]
        worst, seed = max(compared)
        print(f"{len(compared)} of {many} compared {way}; largest relative difference {worst:.2g}, of seed {seed}")


if __name__ == "__main__":
    main(int(sys.argv[1]))

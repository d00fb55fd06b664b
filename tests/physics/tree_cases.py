"""Random vehicles as scenarios and compiled models, and the kernel's answers in the terms of the oracles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.run.budget import note_budget
from docksim.kernel.tree.energy import kinetic_energy, total_momentum
from docksim.model import Work
from tests.oracle.pinocchio_tree import PinocchioTree
from tests.oracle.rotations import random_rotation
from tests.oracle.tree_description import COORDINATES, JOINT_TYPES, SPEEDS, TreeBody, random_tree, slices
from tests.support.harness import floats, quaternion, tree_scenario

# coordinates of the single-axis joints: where their keys stand below the joint, and whether they turn
AXES = {
    "revolute": (("", True),),
    "prismatic": (("", False),),
    "cylindrical": (("rotation", True), ("translation", False)),
    "universal": (("first", True), ("second", True)),
}


def relative(ours: Any, theirs: Any) -> float:
    """Largest difference over the largest entry (or 1): entries of one vector share one scale."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    return float(np.max(np.abs(ours - theirs), initial=0.0) / max(np.max(np.abs(theirs), initial=0.0), 1.0))


def together(*trees: list[TreeBody]) -> list[TreeBody]:
    """Several trees in one list."""
    bodies: list[TreeBody] = []
    for tree in trees:
        first = len(bodies)
        bodies += [body if body.parent < 0 else replace(body, parent=body.parent + first) for body in tree]
    return bodies


def one_of_each(rng: np.random.Generator) -> list[TreeBody]:
    """A chain with a joint of every type, in random order."""
    tips = [random_tree(rng, 2, (joint,))[1] for joint in rng.permutation(JOINT_TYPES)]
    return [random_tree(rng, 1)[0], *(replace(body, parent=k) for k, body in enumerate(tips))]


def cut(bodies: list[TreeBody], k: int) -> list[TreeBody]:
    """The bodies with body k as a root of its own."""
    plain = {"position": np.zeros(3), "rotation": np.eye(3), "child_position": np.zeros(3), "child_rotation": np.eye(3)}
    return [replace(b, parent=-1, joint="free", rotor=(), **plain) if i == k else b for i, b in enumerate(bodies)]


def entries(scenario: dict[str, Any]) -> list[dict[str, Any]]:
    """Keys of every body of a tree scenario, in the order of the bodies; a root's are its vehicle's."""
    return [part for v in scenario["vehicles"].values() for part in (v, *v["bodies"].values())]


def axis_keys(joint: dict[str, Any]) -> list[tuple[dict[str, Any], bool]]:
    """Keys of each single-axis coordinate of a joint, and whether it turns."""
    return [(joint.setdefault(key, {}) if key else joint, turns) for key, turns in AXES.get(joint["type"], ())]


def start_scenario(bodies: list[TreeBody], theta: np.ndarray, beta: np.ndarray, **sections: Any) -> dict[str, Any]:
    """A scenario that starts at the given coordinates and speeds."""
    scenario = tree_scenario(bodies, **sections)
    rows = zip(entries(scenario), bodies, slices(bodies, COORDINATES), slices(bodies, SPEEDS), strict=True)
    for keys, body, at_q, at_v in rows:
        q, v = floats(theta[at_q]), floats(beta[at_v])
        rate = floats(np.degrees(v[:3]))
        joint = keys.get("joint", {"type": "root"})
        if body.parent < 0:
            keys |= {"position_m": q[:3], "attitude": {"quaternion": q[3:]}, "velocity_m_s": v[3:], "rate_deg_s": rate}
        elif body.joint == "free":
            joint |= {"offset_m": q[:3], "initial": {"quaternion": q[3:]}, "velocity_m_s": v[3:], "rate_deg_s": rate}
        elif body.joint == "spherical":
            joint |= {"initial": {"quaternion": q}, "rate_deg_s": rate}
        for (axis, turns), x, speed in zip(axis_keys(joint), q, v, strict=False):
            if turns:
                axis |= {"angle_deg": float(np.degrees(x)), "rate_deg_s": float(np.degrees(speed))}
            else:
                axis |= {"travel_m": x, "velocity_m_s": speed}
    return scenario


def add_port(rng: np.random.Generator, scenario: dict[str, Any], k: int, name: str = "port") -> str:
    """A port anywhere on body k of the list, in any attitude; returns its reference."""
    keys = entries(scenario)[k]
    place = {"position_m": floats(rng.normal(size=3)), "attitude": {"quaternion": quaternion(random_rotation(rng))}}
    keys.setdefault("ports", {})[name] = place
    for vehicle, part in scenario["vehicles"].items():
        if part is keys:
            return f"{vehicle}.{name}"
        for body, own in part["bodies"].items():
            if own is keys:
                return f"{vehicle}.{body}.{name}"
    raise LookupError(k)


@dataclass
class Case:
    """A compiled scenario of a list of bodies, with Pinocchio's view of the same bodies."""

    bodies: list[TreeBody]
    compiled: Compiled
    work: Work

    @classmethod
    def of(cls, bodies: list[TreeBody], scenario: dict[str, Any]) -> Case:
        compiled = compile_scenario(load_scenario(scenario))
        return cls(bodies, compiled, new_work(compiled.model, compiled.state))

    @property
    def tables(self) -> tuple[Any, Any, Work]:
        return self.compiled.model, self.compiled.state, self.work

    @property
    def oracle(self) -> PinocchioTree:
        return PinocchioTree(self.bodies)

    @property
    def theta(self) -> np.ndarray:
        return self.compiled.state.q[: sum(COORDINATES[body.joint] for body in self.bodies)].copy()

    @property
    def beta(self) -> np.ndarray:
        return self.compiled.state.beta[: sum(SPEEDS[body.joint] for body in self.bodies)].copy()

    def traffic(self):
        """Sums of the sizes of the bodies' momenta: linear, angular."""
        note_budget(*self.tables)
        noted = self.compiled.state.budget[0]
        return noted.linear_traffic, noted.angular_traffic

    def kinetic(self) -> float:
        return kinetic_energy(*self.tables)

    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """Linear, and angular about W's origin."""
        h, p = total_momentum(*self.tables)
        return np.array(p), np.array(h)

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """Positions of the body frames' origins, and rotations, as last evaluated."""
        rows = self.work.body[1:]
        R = rows["R_WB"].reshape(-1, 3, 3)
        return rows["p_WH"] - np.einsum("kij,kj->ki", R, rows["p_BH"]), R

    def root_state(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds of a free root for body k, from the poses and velocities last evaluated."""
        (r, R), (V, _) = self.poses(), self.motion()
        return np.array([*r[k], *quaternion(R[k])]), np.array([*(R[k].T @ V[k, :3]), *V[k, 3:]])

    def full_state(self, roots: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds as Pinocchio needs them, whatever body heads a tree now; `roots` are cut off bodies.

        Joint coordinates keep their meaning when the tree is turned round; those of roots come from the poses.
        """
        rows = zip(self.bodies, slices(self.bodies, COORDINATES), slices(self.bodies, SPEEDS), strict=True)
        parts = [
            self.root_state(k) if body.parent < 0 or k in roots else (self.theta[at_q], self.beta[at_v])
            for k, (body, at_q, at_v) in enumerate(rows)
        ]
        theta, beta = (np.concatenate(column) for column in zip(*parts, strict=True))
        return theta, beta

    def motion(self) -> tuple[np.ndarray, np.ndarray]:
        """Velocities and accelerations of the body frames' origins, [angular; linear], as last evaluated."""
        rows = self.work.body[1:]
        w, alpha = rows["w_WB"], rows["A_WH"][:, :3]
        arm = -np.einsum("kij,kj->ki", rows["R_WB"].reshape(-1, 3, 3), rows["p_BH"])
        v = rows["v_WH"] + np.cross(w, arm)
        a = rows["A_WH"][:, 3:] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
        return np.hstack([w, v]), np.hstack([alpha, a])

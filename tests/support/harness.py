"""From a neutral tree description to a compiled docksim model, and the kernel's answers as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from docksim.kernel.tree.passes import (
    joint_wrench,
    prescribed_forces,
    tree_acceleration,
    tree_articulation,
    tree_motion,
)
from docksim.model import Work
from docksim.model.tree import DRIVEN, FORCED
from tests.oracle.tree_description import TreeBody


def quaternion(rotation: np.ndarray) -> list[float]:
    """Unit quaternion (w, x, y, z) of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return [float(w), float(x), float(y), float(z)]


def floats(values: Any) -> list[float]:
    return [float(value) for value in values]


def mass_properties(body: TreeBody) -> dict[str, Any]:
    inertia = [floats(row) for row in 0.5 * (body.inertia + np.transpose(body.inertia))]
    return {"mass_kg": float(body.mass), "center_of_mass_m": floats(body.com), "inertia_kg_m2": inertia}


def joint_keys(body: TreeBody) -> dict[str, Any]:
    """The joint of a tree body in scenario keys."""
    keys: dict[str, Any] = {
        "type": body.joint,
        "position_m": floats(body.position),
        "attitude": {"quaternion": quaternion(np.asarray(body.rotation))},
        "child_position_m": floats(body.child_position),
        "child_attitude": {"quaternion": quaternion(np.asarray(body.child_rotation))},
    }
    rotor = floats(body.rotor)
    if body.joint in ("revolute", "prismatic", "cylindrical", "universal"):
        keys["axis"] = floats(body.axis)
    if body.joint == "universal":
        keys["axis_2"] = floats(body.axis_2)
    if rotor:
        rotary, linear = "rotor_inertia_kg_m2", "rotor_mass_kg"
        match body.joint:
            case "revolute":
                keys[rotary] = rotor[0]
            case "prismatic":
                keys[linear] = rotor[0]
            case "universal":
                keys["first"], keys["second"] = {rotary: rotor[0]}, {rotary: rotor[1]}
            case "cylindrical":
                keys["rotation"], keys["translation"] = {rotary: rotor[0]}, {linear: rotor[1]}
    return keys


def tree_scenario(bodies: list[TreeBody], **sections: Any) -> dict[str, Any]:
    """A scenario of the bodies: every root is a vehicle `v0`, `v1`, ..., its bodies `b<index>`."""
    vehicles: dict[str, Any] = {}
    owner: dict[int, str] = {}
    for k, body in enumerate(bodies):
        if body.parent < 0:
            owner[k] = f"v{len(vehicles)}"
            vehicles[owner[k]] = {**mass_properties(body), "bodies": {}}
        else:
            owner[k] = owner[body.parent]
            parent = "base" if bodies[body.parent].parent < 0 else f"b{body.parent}"
            keys = {**mass_properties(body), "parent": parent, "joint": joint_keys(body)}
            vehicles[owner[k]]["bodies"][f"b{k}"] = keys
    solver = {"duration_s": 1.0, "step_s": 0.001}
    return {"vehicles": vehicles, "solver": solver, "outputs": {"every_s": 0.01}, **sections}


def compile_tree(bodies: list[TreeBody], theta: np.ndarray, beta: np.ndarray, **sections: Any) -> tuple[Compiled, Work]:
    """Compiled model at the given state; body k of the list is body k + 1 of the model."""
    compiled = compile_scenario(load_scenario(tree_scenario(bodies, **sections)))
    compiled.state.q[: len(theta)] = theta
    compiled.state.beta[: len(beta)] = beta
    return compiled, new_work(compiled.model, compiled.state)


def solve(
    compiled: Compiled,
    work: Work,
    tau: np.ndarray,
    prescribed: np.ndarray | None = None,
    beta_dot: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The kernel's three passes at the state: forward, inverse or mixed. Returns all accelerations and all forces.

    `tau` holds the known forces (ball and free coordinates included), `beta_dot` the accelerations of the prescribed
    ones; entries of the other side are not read.
    """
    model, state = compiled.model, compiled.state
    n = len(tau)
    mask = np.zeros(n, bool) if prescribed is None else prescribed
    state.dof["mode"][:n] = np.where(mask, DRIVEN, FORCED)
    tree_motion(model, state, work)
    work.dof["tau"][:n] = np.where(mask, 0.0, tau)
    if beta_dot is not None:
        work.dof["beta_dot"][:n] = np.where(mask, beta_dot, 0.0)
    tree_articulation(model, state, work)
    tree_acceleration(model, state, work)
    prescribed_forces(model, state, work)
    return np.array(work.dof["beta_dot"][:n]), np.array(work.dof["tau"][:n])


def joint_loads(compiled: Compiled, work: Work) -> np.ndarray:
    """Wrench of the parent on each body about its hinge point, W axes."""
    rows = [np.concatenate(joint_wrench(work.body[k])) for k in range(1, len(compiled.assembly.bodies))]
    return np.array(rows)

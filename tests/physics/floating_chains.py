"""Chains and URDFs on a floating vehicle, as scenarios and as Pinocchio sees them.

`python -m tests.physics.floating_chains FOLDER` compares every URDF in it, its joints uncoupled.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.parts import JointPart
from docksim.compiler.tables import new_work
from docksim.config import ScenarioError, load_scenario
from tests.oracle import urdf_pinocchio as pinocchio
from tests.support.harness import solve
from tests.support.urdf_texts import uncoupled

MASS, INERTIA = 300.0, [40.0, 50.0, 60.0]


def on_a_tug(use: Any) -> Compiled:
    tug = {"mass_kg": MASS, "inertia_kg_m2": INERTIA, "use_chain": use}
    return compile_scenario(load_scenario({"vehicles": {"tug": tug}, "solver": {"duration_s": 1.0, "step_s": 0.001}}))


def link_of(joint: JointPart, coordinate: int) -> str:
    """What Pinocchio's model calls the joint: the elements of an elastic link are those of the chain."""
    name = joint.name.split(".", 1)[1]
    link, beam, number = name.rpartition("_beam.")
    return f"{link}.{number}.{joint.coordinates[coordinate].name}" if beam else name


def apart(compiled: Compiled, model: Any, joints: dict[str, int], seed: int, states: int = 20) -> float:
    """Largest difference of accelerations of base and joints at random states, relative to the largest of each kind."""
    pinocchio.with_base(model, MASS, np.diag(INERTIA))
    rng = np.random.default_rng(seed)
    state, work = compiled.state, new_work(compiled.model, compiled.state)
    root, *others = [joint for joint in compiled.assembly.joints if joint.coordinates]
    links = [link_of(joint, k) for joint in others for k in range(len(joint.coordinates))]
    assert set(links) == set(joints)
    n = len(links)
    worst = 0.0
    for _ in range(states):
        quaternion = rng.normal(size=4)
        quaternion /= np.linalg.norm(quaternion)
        omega, velocity = rng.normal(size=(2, 3))
        q, rates, forces = rng.uniform(-0.5, 0.5, n), rng.normal(size=n), 10.0 * rng.normal(size=n)
        state.q[: 7 + n] = [*root.start[:3], *quaternion, *q]
        state.beta[: 6 + n] = [*omega, *velocity, *rates]
        found, _ = solve(compiled, work, np.concatenate([np.zeros(6), forces]))
        by_link = (dict(zip(links, values, strict=True)) for values in (q, rates, forces))
        base, expected = pinocchio.accelerations(model, joints, (quaternion, omega, velocity), *by_link)
        wanted = np.array([expected[link] for link in links])
        pairs = ((found[:6], base), (found[6:], wanted))
        worst = max(worst, *(np.abs(ours - theirs).max() / np.abs(theirs).max() for ours, theirs in pairs))
    return worst


def main(folder: Path) -> None:
    found: list[float] = []
    files = sorted(folder.resolve().rglob("*.urdf"))
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        for file in files:
            text = uncoupled(file.read_text(encoding="utf-8"))
            Path("arm.urdf").write_text(text, encoding="utf-8")
            try:
                compiled = on_a_tug({"file": "arm.urdf", "prefix": "arm_"})
            except ScenarioError as error:
                print(f"refused: {file.name}:{error.problems[0].line}: {error.problems[0].message}")
                continue
            found.append(apart(compiled, *pinocchio.of_urdf(text, "arm_"), seed=4))
    print(f"{len(found)} of {len(files)} were read; largest relative difference {max(found):.2g}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Chains and URDFs on a floating vehicle, against Pinocchio's articulated bodies on a free flyer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.chain import load_chain
from docksim.compiler import Compiled, compile_scenario
from docksim.compiler.parts import JointPart
from docksim.compiler.tables import new_work
from docksim.config import load_scenario
from tests.oracle import urdf_pinocchio as pinocchio
from tests.support.harness import solve
from tests.support.urdf_texts import PUBLIC, public, random_urdf

SHIPPED = sorted(Path("configs/chains").glob("*.yaml"))
ELASTIC = Path("configs/chains/inspection_boom.yaml")
MASS, INERTIA = 300.0, [40.0, 50.0, 60.0]
STATES = 20
# double precision through chains of up to 26 joints
CLOSE = 1e-10


def on_a_tug(use: Any) -> Compiled:
    tug = {"mass_kg": MASS, "inertia_kg_m2": INERTIA, "use_chain": use}
    return compile_scenario(load_scenario({"vehicles": {"tug": tug}, "solver": {"duration_s": 1.0, "step_s": 0.001}}))


def link_of(joint: JointPart, coordinate: int) -> str:
    """What Pinocchio's model calls the joint: the elements of an elastic link are those of the chain."""
    name = joint.name.split(".", 1)[1]
    link, beam, number = name.rpartition("_beam.")
    return f"{link}.{number}.{joint.coordinates[coordinate].name}" if beam else name


def compare(compiled: Compiled, model: Any, joints: dict[str, int], seed: int) -> None:
    """Accelerations of base and joints at random states, relative to the largest of each kind."""
    pinocchio.with_base(model, MASS, np.diag(INERTIA))
    rng = np.random.default_rng(seed)
    state, work = compiled.state, new_work(compiled.model, compiled.state)
    root, *others = [joint for joint in compiled.assembly.joints if joint.coordinates]
    links = [link_of(joint, k) for joint in others for k in range(len(joint.coordinates))]
    assert set(links) == set(joints)
    n = len(links)
    for _ in range(STATES):
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
        assert np.abs(found[:6] - base).max() < CLOSE * np.abs(base).max()
        assert np.abs(found[6:] - wanted).max() < CLOSE * np.abs(wanted).max()


@pytest.mark.parametrize("file", SHIPPED, ids=lambda path: path.stem)
def test_shipped_chain_floats_as_pinocchio_says(file: Path) -> None:
    compare(on_a_tug(str(file)), *pinocchio.of_chain(load_chain(file)), seed=1)


def test_run_with_massless_bodies_and_beams_closes_its_budgets() -> None:
    tug = {"mass_kg": MASS, "inertia_kg_m2": INERTIA, "rate_deg_s": [1.0, 2.0, 3.0], "use_chain": str(ELASTIC)}
    solver = {"duration_s": 0.5, "step_s": 0.0005}
    found = docksim.run({"vehicles": {"tug": tug}, "solver": solver, "outputs": {"every_s": 0.1}}).metrics
    # RK4 at this step; momentum to rounding
    assert found["energy.residual_relative"] < 1e-10
    assert found["momentum.linear_residual_relative"] < 1e-13
    assert found["momentum.angular_residual_relative"] < 1e-13


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_urdf_with_all_kinds_of_joints_floats_as_pinocchio_reads_it(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_as_pinocchio_does(random_urdf(np.random.default_rng(seed)), tmp_path, monkeypatch)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_urdf_floats_as_pinocchio_reads_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_as_pinocchio_does(public(name), tmp_path, monkeypatch)


def read_as_pinocchio_does(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    Path("arm.urdf").write_text(text)
    compare(on_a_tug("arm.urdf"), *pinocchio.of_urdf(text), seed=4)

"""Chains and URDFs on a floating vehicle, against Pinocchio's articulated bodies on a free flyer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import docksim
from docksim.chain import load_chain
from tests.oracle import urdf_pinocchio as pinocchio
from tests.physics.floating_chains import INERTIA, MASS, apart, on_a_tug
from tests.support.urdf_texts import PUBLIC, public, random_urdf

SHIPPED = sorted(Path("configs/chains").glob("*.yaml"))
ELASTIC = Path("configs/chains/inspection_boom.yaml")
# double precision through chains of up to 26 joints
CLOSE = 1e-10


@pytest.mark.parametrize("file", SHIPPED, ids=lambda path: path.stem)
def test_shipped_chain_floats_as_pinocchio_says(file: Path) -> None:
    assert apart(on_a_tug(str(file)), *pinocchio.of_chain(load_chain(file)), seed=1) < CLOSE


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
    assert apart(on_a_tug("arm.urdf"), *pinocchio.of_urdf(text), seed=4) < CLOSE

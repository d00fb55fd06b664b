"""Scenarios whose legs go through joint coordinates, as published, against the kernel's runs of the same scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docksim.config import load_scenario
from docksim.config.errors import ScenarioError
from docksim.config.schema.writer import scenario_to_yaml
from docksim.result.summary import summarize
from docksim.result.summary_text import balance_rows
from docksim.simulation.run import Run, at_the_start, simulate

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"
NEAR = {"approach.distance_m": 0.04}  # contact begins within 0.02 s
ORBIT = {"environment": {"kind": "clohessy_wiltshire", "altitude_km": 420.0}}
RETRACTING = {
    "vehicles.chaser.mechanism.symmetric.base_travel_axial_m": -0.05,
    "events.pull": {"when": {"time_s": 0.01}, "do": [{"retract": {"mechanism": "chaser", "duration_s": 0.3}}]},
}
# Gough-Stewart and Hunt legs through first contact; five types on a base that turns, and in orbit; moving base joints
CASES: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "nds": ("dock_nds", "chaser", NEAR, 200),
    "sxds": ("dock_sxds", "chaser", NEAR, 200),
    "five types": ("leg_gallery", "satellite", {"events.release_ring.when.time_s": 0.05}, 300),
    "in orbit": ("leg_gallery", "satellite", {"events.release_ring.when.time_s": 0.05} | ORBIT, 300),
    "retracting": ("soft_capture", "chaser", RETRACTING, 200),
}


def run_by(method: str, name: str, vehicle: str, changes: dict[str, Any]) -> Run:
    keys = {f"vehicles.{vehicle}.mechanism.method": method, **changes}
    return Run(at_the_start(load_scenario(SCENARIOS / f"{name}.yaml", keys)))


@pytest.mark.parametrize("case", CASES)
def test_accelerations_at_every_state_and_the_motion_are_the_kernels(case: str) -> None:
    """At every step the kernel's state is evaluated by joints; beside it a run by joints goes its own way."""
    name, vehicle, changes, steps = CASES[case]
    kernel, joints, alone = (run_by(method, name, vehicle, changes) for method in ("kernel", "joints", "joints"))
    largest = 0.0
    for _ in range(steps):
        kernel.advance(1)
        alone.advance(1)
        for ours, theirs in zip(joints.compiled.state, kernel.compiled.state, strict=True):
            ours[...] = theirs
        kernel.advance(0)
        joints.advance(0)
        ring = kernel.work.mechanism[0].u_dot
        largest = max(largest, float(np.max(np.abs(ring))))
        # a ring between balanced springs has rounding for an acceleration: 1e-12 m/s2, rad/s2
        np.testing.assert_allclose(joints.work.mechanism[0].u_dot, ring, rtol=1e-12, atol=1e-12 * max(largest, 1.0))
        ours, theirs = joints.work.dof.beta_dot, kernel.work.dof.beta_dot
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12 * max(float(np.max(np.abs(theirs))), 1.0))
    assert largest > 1e-3
    for part in ("q", "beta"):
        ours, theirs = getattr(alone.compiled.state, part), getattr(kernel.compiled.state, part)
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


def test_a_docking_by_joints_has_the_kernels_loads_and_balances() -> None:
    """Forces in all joints of all legs through first contact, and momentum and energy kept by themselves."""
    changes = NEAR | {"solver.duration_s": 0.3}
    found = {}
    for method in ("kernel", "joints"):
        keys = {"vehicles.chaser.mechanism.method": method, **changes}
        found[method] = simulate(load_scenario(SCENARIOS / "dock_sxds.yaml", keys))
    ours, theirs = found["joints"], found["kernel"]
    loads = [name for name in theirs.channels if name.startswith("chaser.legs.") and "_joint_" in name]
    assert len(loads) >= 24
    for name in loads:
        # moments of ball joints are nothing but rounding
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-9, err_msg=name)
    assert max(float(np.max(np.abs(theirs[name]))) for name in loads) > 10.0
    assert abs(summarize(ours).energy_residual.largest) < 1e-6  # type: ignore[union-attr]
    assert ours.manifest["mechanisms"] == {"chaser": "joints"}
    assert theirs.manifest["mechanisms"] == {"chaser": "kernel"}
    assert ("legs of chaser", "by joint coordinates, as published (method: joints)") in list(
        balance_rows(summarize(ours))
    )
    assert not any(row.startswith("legs of") for row, _ in balance_rows(summarize(theirs)))


def test_a_leg_out_of_reach_is_named_by_both() -> None:
    """A ring thrown out of reach of its cranks ends the run with the same words."""
    changes = {"vehicles.satellite.loads.push.force_N": [4e5, 0.0, 0.0], "events.release_ring.when.time_s": 0.01}
    changes |= {"vehicles.satellite.loads.push.start_s": 0.02, "solver.duration_s": 1.0}
    reasons = []
    for method in ("kernel", "joints"):
        keys = {"vehicles.satellite.mechanism.method": method, **changes}
        result = simulate(load_scenario(SCENARIOS / "leg_gallery.yaml", keys))
        reasons.append((result.outcome, result.reason.split(" (")[0], result.simulated_s))
    assert reasons[0] == reasons[1]
    assert "is out of reach" in reasons[0][1]


def test_the_method_survives_writing_and_reading(tmp_path: Path) -> None:
    scenario = load_scenario(SCENARIOS / "dock_nds.yaml", {"vehicles.chaser.mechanism.method": "joints"})
    file = tmp_path / "written.yaml"
    file.write_text(scenario_to_yaml(scenario), encoding="utf-8")
    mechanism = load_scenario(file).vehicles["chaser"].mechanism
    assert mechanism is not None
    assert mechanism.method == "joints"


def test_another_method_is_refused_by_key_and_choices() -> None:
    keys = {"vehicles.chaser.mechanism.method": "newton"}
    with pytest.raises(ScenarioError, match=r"mechanism\.method: .newton. is not known; choose one of kernel, joints"):
        load_scenario(SCENARIOS / "dock_nds.yaml", keys)

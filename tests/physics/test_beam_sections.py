"""Loads along beams of a run: stiffness times curvature at every hinge, the root's own wrench, with the tree as it was
built and turned around, in free space and in orbit."""

from __future__ import annotations

import numpy as np
import pytest

import docksim
from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.beam import first_frequency
from docksim.config import ScenarioError, load_scenario
from docksim.config.schema.structure import Structure
from docksim.result.result import Result, ResultError
from docksim.result.sections import LineLoads
from docksim.simulation.beam_sections import beam_line, beam_lines, beams_of

BOOM = {
    "position_m": [-1.0, 0, 0], "attitude": {"yaw_pitch_roll_deg": [180.0, 0, 0]}, "length_m": 2.0, "mass_kg": 4.0,
    "width_m": 0.1, "thickness_m": 0.05, "EI_y_Nm2": 1000.0, "EI_z_Nm2": 800.0, "flex": ["bend_y", "bend_z"],
    "segments": 3, "tip_mass_kg": 2.0, "ports": {"hand": {}},
}  # fmt: skip
SCENARIO = {
    "vehicles": {
        "a": {"mass_kg": 3000.0, "inertia_kg_m2": [3000.0] * 3, "ports": {"nose": {"position_m": [1.0, 0, 0]}}},
        "b": {
            "mass_kg": 100.0, "inertia_kg_m2": [10.0] * 3, "position_m": [4.0, 0, 0], "beams": {"boom": BOOM},
            "velocity_m_s": [-0.01, 0.03, 0.02], "rate_deg_s": [10.0, 20.0, -30.0],
        },
    },
    "events": {"hold": {"when": {"time_s": 0.05}, "do": [{"join": ["a.nose", "b.boom.hand"]}]}},
    "solver": {"duration_s": 0.2}, "outputs": {"every_s": 0.01},
}  # fmt: skip


def hinge_lines(result: Result) -> list[LineLoads]:
    """Loads along the beams of a run, with sections named after the hinges."""
    found = []
    for name, beam in beams_of(result).items():
        places = {f"hinge{i}": (i - 0.5) * beam.length_m / beam.segments for i in range(1, beam.segments + 1)}
        found.append(beam_line(result, name, beam.model_copy(update={"structure": Structure(sections=places)})))
    return found


def assert_moments_are_stiffness_times_curvature(result: Result) -> None:
    for line in hinge_lines(result):
        beam = beams_of(result)[line.name]
        damping = 2.0 * beam.damping_ratio / first_frequency(beam)
        for i in range(1, beam.segments + 1):
            outer, inner = (rotation_matrix(result[f"{line.name}.{j}.attitude"]) for j in (i, i - 1))
            moment = np.einsum("tab,tb->ta", outer, line.loads[:, line.named[f"hinge{i}"], 3:])
            # a universal joint: bending about y of the inner segment, then about z of the outer one
            for flex, EI, axis in (
                ("bend_y", beam.EI_y_Nm2, inner[:, :, 1]),
                ("bend_z", beam.EI_z_Nm2, outer[:, :, 2]),
            ):
                angle = np.radians(result[f"{line.name}.{i}.{flex}.angle_deg"])
                rate = np.radians(result[f"{line.name}.{i}.{flex}.angle_rate_deg_s"])
                found, k = np.sum(axis * moment, axis=1), (EI or 0.0) * beam.segments / beam.length_m
                assert found == pytest.approx(k * (angle + damping * rate), abs=1e-9 * np.abs(found).max())


def assert_root_bears_what_was_logged_there(result: Result, rows: slice = slice(None)) -> None:
    for line in hinge_lines(result):
        # the wrench of the fixed joint at the root: the lines are made without it
        root = np.hstack([result[f"{line.name}.0.load_force_N"], result[f"{line.name}.0.load_moment_Nm"]])[rows]
        assert -line.loads[rows, 0] == pytest.approx(root, abs=1e-10 * np.abs(root).max())


@pytest.mark.parametrize("orbit", [False, True], ids=["free space", "orbit"])
def test_boom_that_is_caught_by_its_tip_bears_what_bends_it_before_and_after(orbit: bool) -> None:
    # an orbit of twenty seconds: what turns with it is seen
    around = {"environment": {"kind": "clohessy_wiltshire", "mean_motion_rad_s": 0.3}} if orbit else {}
    result = docksim.run({**SCENARIO, **around})
    assert [event.name for event in result.events] == ["hold"]
    assert_moments_are_stiffness_times_curvature(result)
    # a heavier vehicle at the tip: from then on the boom hangs on it, and the root's joint is another's
    assert_root_bears_what_was_logged_there(result, slice(0, 5))
    (line,) = hinge_lines(result)
    k = line.named["hinge3"]
    assert line.position_m[:, k] == pytest.approx(result["b.boom.3.position_m"], abs=1e-12)
    assert line.acceleration_m_s2[:, k] == pytest.approx(result["b.boom.3.acceleration_m_s2"], abs=1e-12)
    # the base is all that is beyond the root: what moves it comes through there
    R = rotation_matrix(result["b.boom.0.attitude"])
    push = np.einsum("tab,tb->ta", R, line.loads[:, 0, :3])
    if not orbit:
        assert push == pytest.approx(100.0 * result["b.acceleration_m_s2"], abs=1e-9 * np.abs(push).max())
        # until it is caught, nothing but the tip mass is beyond the tip
        outer = rotation_matrix(result["b.boom.3.attitude"])[:5]
        pull = np.einsum("tab,tb->ta", outer, line.loads[:5, -1, :3])
        assert -pull == pytest.approx(2.0 * line.acceleration_m_s2[:5, -1], abs=1e-10)
        assert line.loads[:5, -1, 3:] == pytest.approx(np.zeros((5, 3)), abs=1e-10)


def test_a_run_without_loads_or_beams_and_a_section_off_the_beam_are_told() -> None:
    bare = {**SCENARIO, "solver": {"duration_s": 0.01}, "outputs": {"every_s": 0.01, "joint_loads": False}}
    with pytest.raises(ResultError, match=r"did not log the loads of its joints.*outputs.joint_loads: true"):
        beam_lines(docksim.run(bare))
    with pytest.raises(ResultError, match="has no beams"):
        beam_lines(docksim.run("scenarios/tumbling_brick.yaml", {"solver.duration_s": 0.1}))
    change = {"b.beams.boom.structure": {"sections": {"far": 3.0}}}
    with pytest.raises(ScenarioError, match=r"b.beams.boom.structure.sections.far: 3 m is beyond the end"):
        load_scenario(SCENARIO, change)

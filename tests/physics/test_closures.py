"""Closures: against dense solves on Pinocchio's matrices, conservation, closed forms, orders of convergence.

Bound of the dense comparison: 1e-9, as the matrices have condition numbers up to 3e5 and rows may be nearly parallel
(seen: 1e-12); a wrong sign shows at order one. Rows that depend on each other have no unique wrench: there only motion
is compared.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import docksim
from docksim.config import ScenarioError, load_scenario
from docksim.jobs.examine import examined
from docksim.linear.tree import linearize_scenario
from docksim.plots.run.figures import all_figures
from docksim.replay.scene import build_scene
from docksim.result.result import ResultError
from tests.physics.closure_cases import BOUND, KINDS, Loop, compare, compare_with_pinocchio, run_for, two_arms
from tests.support.rigs import Keys, body, final, lone, scenario, simulate


def test_closures_agree_with_a_dense_solve_on_pinocchios_matrices() -> None:
    compared = [apart for seed in range(36) if (apart := compare(Loop(seed))) is not None]
    assert len(compared) > 30
    assert max(compared) < BOUND


@pytest.mark.parametrize("kind", ["weld", "ball"])
def test_welds_and_balls_agree_with_pinocchios_constraint_dynamics(kind: str) -> None:
    compared = [compare_with_pinocchio(Loop(seed, (kind,))) for seed in range(100, 124)]
    compared = [apart for apart in compared if apart is not None]
    assert len(compared) >= 4
    assert max(compared) < BOUND


# ---------------------------------------------------------------- runs


TIES: dict[str, Keys] = {
    "ball": {},
    "hinge": {"axis": [0.0, 0.1, 1.0]},
    "point_on_line": {"axis": [1.0, 0.0, 0.0]},
    "planar": {"axis": [1.0, 0.0, 0.0]},
    "rod": {},
}


@pytest.mark.parametrize("kind", TIES)
def test_ends_stay_together_and_momenta_and_energy_are_kept(kind: str) -> None:
    """Over 100 s. At 10 ms every step drifts and is put right, and the budget has the method's own error."""
    result = run_for(two_arms(kind=kind, **TIES[kind]), 100.0, 0.01, outputs={"every_s": 0.1})
    found = result.metrics
    assert found["closures.grip.largest_gap_m"] < 1e-13
    assert found["closures.grip.largest_turn_deg"] < 1e-11
    assert found["energy.residual_of_exchanged"] < 1e-10
    assert found["momentum.linear_residual_relative"] < 1e-10
    assert found["momentum.angular_residual_relative"] < 1e-10
    assert np.ptp(result["base.a1.angle_deg"]) > 1.0


def test_loss_of_closing_is_the_kinetic_energy_that_is_gone_and_momentum_stays() -> None:
    keys = two_arms()
    keys["events"]["go"]["when"] = {"time_s": 0.005}
    result = run_for(keys, 0.01)
    loss = result.events[0].energy_loss_J
    assert loss > 0.01
    assert result["energy.work.impulses_J"][-1] == pytest.approx(-loss, rel=1e-12)
    total = result["energy.kinetic_J"] + result["energy.potential_J"]
    assert total[0] - total[-1] == pytest.approx(loss, rel=1e-10)
    assert result.metrics["momentum.angular_residual_relative"] < 1e-13


def errors(keys: Keys, integrator: str, steps: list[float], duration: float) -> list[float]:
    """Of the last coordinates at each step, against a sixteenth of the shortest with rk4."""
    tables = copy.deepcopy(keys)
    vehicles = tables.pop("vehicles")

    def end(step: float, method: str) -> np.ndarray:
        return np.array(final(scenario(vehicles, duration, step, every=duration, integrator=method, **tables)).state.q)

    exact = end(steps[-1] / 16.0, "rk4")
    return [float(np.abs(end(step, integrator) - exact).max()) for step in steps]


@pytest.mark.parametrize(
    ("integrator", "order", "step"),
    [("rk4", 4, 0.04), ("linearly_implicit", 2, 0.01), ("semi_implicit_euler", 1, 0.005)],
)
def test_order_of_the_integrator_is_kept_in_a_closed_loop(integrator: str, order: int, step: float) -> None:
    keys = two_arms()
    keys["vehicles"]["base"]["bodies"]["a1"]["joint"] |= {"stiffness_Nm_rad": 200.0, "damping_Nms_rad": 5.0}
    coarse, fine = errors(keys, integrator, [step, 0.5 * step], 2.0)
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.35)


# ---------------------------------------------------------------- closed forms


def pair(distance: float, **second: Any) -> Keys:
    return {
        "a": lone(30.0, 2.0, velocity_m_s=[0.0, -0.2, 0.0]),
        "b": lone(20.0, 1.0, position_m=[distance, 0.0, 0.0], velocity_m_s=[0.0, 0.3, 0.0], **second),
    }


def test_rod_between_two_vehicles_carries_the_centripetal_force() -> None:
    """Two points that circle about each other: mu v2 / l, at any time."""
    rod = {"kind": "rod", "between": ["a", "b"], "length_m": 2.0}
    result = simulate(pair(2.0), 5.0, 5e-3, closures={"strut": rod})
    pull = 12.0 * 0.5**2 / 2.0
    assert np.linalg.norm(result["closures.strut.force_N"], axis=1) == pytest.approx(pull, rel=1e-10)
    way = result["b.position_m"] - result["a.position_m"]
    angle = 0.25 * result.time_s
    assert np.abs(way - 2.0 * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], 1)).max() < 1e-8


def test_bushing_swings_as_its_closed_form() -> None:
    """Along the line of two masses: x'' + 2 d x' + w2 x = 0 with the reduced mass, closed at a speed of 0.1 m/s."""
    vehicles = {"a": lone(30.0, 2.0), "b": lone(20.0, 1.0, position_m=[1.0, 0.0, 0.0], velocity_m_s=[0.1, 0.0, 0.0])}
    k, c, mu = 480.0, 6.0, 12.0
    tie = {"kind": "bushing", "between": ["a", "b"], "stiffness_N_m": k, "damping_Ns_m": c}
    result = simulate(vehicles, 3.0, 1e-3, closures={"mount": tie})
    d = c / (2.0 * mu)
    w = np.sqrt(k / mu - d * d)
    x = 0.1 / w * np.exp(-d * result.time_s) * np.sin(w * result.time_s)
    assert np.abs((result["b.position_m"] - result["a.position_m"])[:, 0] - 1.0 - x).max() < 1e-10
    assert result["closures.mount.gap_m"] == pytest.approx(np.abs(x), abs=1e-10)
    assert result.metrics["energy.residual_of_exchanged"] < 1e-10


def test_bushing_of_three_different_stiffnesses_keeps_energy_through_large_turns() -> None:
    vehicles = pair(1.0, rate_deg_s=[60.0, 80.0, -70.0])
    tie = {"kind": "bushing", "between": ["a", "b"], "point_m": [1.0, 0.0, 0.0]}
    tie |= {"stiffness_N_m": [200.0, 300.0, 500.0], "stiffness_Nm_rad": [3.0, 5.0, 9.0]}
    result = simulate(vehicles, 4.0, 1e-3, closures={"mount": tie})
    assert result["closures.mount.turn_deg"].max() > 30.0
    assert result.metrics["energy.residual_of_exchanged"] < 1e-9
    assert result.metrics["momentum.angular_residual_relative"] < 1e-11


def four_bar(coupler: float = 2.0, **closure: Any) -> Keys:
    """Crank and rocker of 1 m on a base, a coupler on the crank that is to be pinned to the rocker's end."""

    def hinge(parent: str, at: list[float], angle: float, mass: float, com: float) -> Keys:
        joint = {"type": "revolute", "position_m": at, "axis": [0.0, 0.0, 1.0], "angle_deg": angle}
        return body(mass, [0.1, 1.0, 1.0], joint, (com, 0.0, 0.0), parent)

    bodies = {
        "crank": hinge("base", [0.0, 0.0, 0.0], 70.0, 3.0, 0.5),
        "coupler": hinge("crank", [1.0, 0.0, 0.0], -70.0, 5.0, 1.0),
        "rocker": hinge("base", [2.0, 0.0, 0.0], 70.0, 3.0, 0.5),
    }
    bodies["crank"]["joint"]["torque_Nm"] = 0.5
    pin_joint = {"kind": "hinge", "between": ["rig.coupler", "rig.rocker"], "axis": [0.0, 0.0, 1.0]}
    pin_joint |= {"point_m": [coupler, 0.0, 0.0], **closure}
    return {"vehicles": {"rig": lone(50.0, 20.0, bodies=bodies)}, "closures": {"pin": pin_joint}}


def test_parallelogram_moves_as_one_and_its_redundant_rows_are_told() -> None:
    """A hinge in the plane: five rows of rank two, and none of the five is ever off."""
    result = run_for(four_bar(), 2.0, 5e-3)
    crank, coupler, rocker = (result[f"rig.{name}.angle_deg"] for name in ("crank", "coupler", "rocker"))
    assert np.ptp(crank) > 10.0
    assert np.abs(rocker - crank).max() < 1e-10
    assert np.abs(coupler + crank).max() < 1e-10
    assert result.metrics["closures.pin.largest_gap_m"] < 1e-13
    assert result.metrics["energy.residual_of_exchanged"] < 1e-9
    [warning] = result.warnings
    assert warning.startswith("closures.pin: 3 of its 5 directions follow from the rest or cannot move (turn about x")


# ---------------------------------------------------------------- what does not go together


def fate(keys: Keys, duration: float = 0.05) -> str:
    keys = copy.deepcopy(keys)
    result = docksim.run(scenario(keys.pop("vehicles"), duration, **keys))
    assert result.outcome == "failed"
    return result.reason


def test_given_ends_that_nearly_meet_are_brought_together_before_the_run() -> None:
    result = run_for(four_bar(other_point_m=[1.0003, 0.0, 0.0]), 0.2, 5e-3)
    assert result.metrics["closures.pin.largest_gap_m"] < 1e-13
    way = result["rig.rocker.angle_deg"][0] - 70.0
    assert 1e-4 < abs(way) < 0.1


def test_given_ends_that_do_not_meet_are_refused() -> None:
    reason = fate(four_bar(other_point_m=[1.01, 0.0, 0.0]))
    assert reason.startswith("closures.pin at t = 0 s: its ends are 0.01 m (or rad) from where both are given")
    rod = {"kind": "rod", "between": ["a", "b"], "length_m": 1.5}
    assert "its ends are 0.5 m" in fate({"vehicles": pair(2.0), "closures": {"strut": rod}})


def test_hinge_out_of_the_plane_cannot_hold_and_is_told() -> None:
    reason = fate(four_bar(other_point_m=[1.0, 0.0, 5e-4]))
    assert reason.startswith("closures.pin at t = 0 s: it cannot hold beside the other closures: 0.0005 m")
    assert "line up its points and axes" in reason


def test_loop_whose_joints_are_all_driven_is_refused_with_what_to_do() -> None:
    keys = two_arms()
    for link in keys["vehicles"]["base"]["bodies"].values():
        link["joint"] = {key: link["joint"][key] for key in ("type", "position_m", "axis", "angle_deg")}
        link["joint"]["drive"] = {"kind": "move", "to_deg": 40.0, "duration_s": 5.0}
    reason = fate(keys)
    assert reason.startswith("event 'go' at t = 0 s: closures.grip: no joint between its ends is free to move")
    assert reason.endswith("release a joint, or use a bushing")


def test_two_drives_on_a_loop_of_one_freedom_contradict_each_other() -> None:
    keys = four_bar()
    for name, to in (("crank", 80.0), ("rocker", 90.0)):
        joint = keys["vehicles"]["rig"]["bodies"][name]["joint"]
        joint.pop("torque_Nm", None)
        joint["drive"] = {"kind": "move", "to_deg": to, "duration_s": 1.0}
    reason = fate(keys, 1.0)
    assert "closures.pin at t = " in reason
    assert "driven apart by prescribed motions" in reason


def test_ends_that_move_apart_at_the_start_are_refused_and_an_event_may_close_them() -> None:
    keys = two_arms(on=True)
    reason = fate(keys)
    assert "its ends move against each other at" in reason
    assert "let an event close it" in reason


def test_rod_without_length_is_refused() -> None:
    rod = {"kind": "rod", "between": ["a", "b"]}
    assert "a rod has no direction there" in fate({"vehicles": pair(0.0), "closures": {"strut": rod}})


def test_closure_that_cannot_hold_at_the_start_is_told_before_the_run_with_its_line(tmp_path: Path) -> None:
    keys = four_bar(other_point_m=[1.0, 0.0, 5e-4])
    file = tmp_path / "s.yaml"
    file.write_text(load_scenario(scenario(keys["vehicles"], 0.05, closures=keys["closures"])).to_yaml())
    line = 1 + [text.strip() for text in file.read_text().splitlines()].index("pin:")
    with pytest.raises(ScenarioError, match=rf"s\.yaml:{line}: closures\.pin: it cannot hold .*; line up its points"):
        examined(load_scenario(file), str(file))
    file.write_text(file.read_text().replace("0.0005", "0.0"))
    assert examined(load_scenario(file), str(file)) == ([], [])


# ---------------------------------------------------------------- events, checkpoints


def test_closure_that_carries_too_much_is_opened_by_an_event() -> None:
    keys = two_arms()
    keys["vehicles"]["base"]["bodies"]["a2"]["joint"]["torque_Nm"] = 4.0
    keys["events"]["break"] = {"when": {"load_on": "grip", "force_above_N": 6.0}, "do": {"open": "grip"}}
    result = run_for(keys, 1.0)
    parted = next(event.time_s for event in result.events if event.name == "break")
    force = np.linalg.norm(result["closures.grip.force_N"], axis=1)
    before = result.time_s < parted
    assert force[before][:-1].max() <= 6.0
    assert not force[~before].any()
    assert not result["closures.grip.on"][~before].any()
    assert result.metrics["energy.residual_of_exchanged"] < 1e-10


# ---------------------------------------------------------------- linear models, figures, replay


def test_linear_model_has_bushings_and_refuses_loops_that_rows_close() -> None:
    vehicles = {"a": lone(30.0, 2.0), "b": lone(20.0, 1.0, position_m=[1.0, 0.0, 0.0])}
    tie = {
        "kind": "bushing",
        "between": ["a", "b"],
        "stiffness_N_m": [480.0, 0.0, 0.0],
        "damping_Ns_m": [6.0, 0.0, 0.0],
    }
    model = linearize_scenario(load_scenario(scenario(vehicles, 1.0, closures={"mount": tie})))
    swings = np.linalg.eigvals(model.A)
    d = 6.0 / (2.0 * 12.0)
    assert np.abs(swings - (-d + 1j * np.sqrt(480.0 / 12.0 - d * d))).min() < 1e-9
    keys = four_bar()
    loop = scenario(keys["vehicles"], 1.0, closures=keys["closures"])
    with pytest.raises(ResultError, match=r"closures\.pin is closed: .*; open it, or use a bushing"):
        linearize_scenario(load_scenario(loop))


def test_closures_are_drawn_and_seen_in_replay() -> None:
    keys = pair(2.0, rate_deg_s=[0.0, 0.0, 20.0])
    soft = {"kind": "bushing", "between": ["a", "b"], "point_m": [0.5, 0.0, 0.0], "stiffness_N_m": 200.0}
    strut = {"kind": "rod", "between": ["a", "b"], "length_m": 2.0}
    result = simulate(keys, 1.0, 5e-3, closures={"mount": soft, "strut": strut})
    (figure,) = all_figures(result, ["closures"]).values()
    force, moment, stretch, turn = figure.axes
    assert [axes.get_ylabel() for axes in (force, moment, stretch, turn)] == [
        "force [N]", "moment [N m]", "stretch [mm]", "turn [deg]"
    ]  # fmt: skip
    drawn = {line.get_label(): line.get_ydata() for line in force.get_lines()}
    for name in ("mount", "strut"):
        told = np.linalg.norm(result[f"closures.{name}.force_N"], axis=1)
        assert max(drawn[name]) == pytest.approx(told.max(), rel=1e-6)
    scene = build_scene(result.scenario)
    (link,) = scene.links
    assert (link.start.body, link.end.body) == (0, 1)
    blocks = [part for part in scene.parts if part.kind == "port" and part.body == 0]
    assert any(np.allclose(part.mesh.vertices.mean(axis=0), [0.5, 0.0, 0.0], atol=1e-9) for part in blocks)


def test_kinds_are_all_compared() -> None:
    """The random trees have every kind that has rows."""
    assert {tie.kind for seed in range(36) for tie in Loop(seed).ties} == set(KINDS)

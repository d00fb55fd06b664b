"""First contact at the state that was asked for: placements against flights integrated by other means, and runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import docksim
from docksim import __version__
from docksim.compiler import compile_scenario
from docksim.compiler.approach import Placement, VehicleStart, starts
from docksim.compiler.contact import pair_parts
from docksim.config import Scenario, load_scenario
from docksim.config.schema.placement import port_frame
from docksim.linear.tree import state_at
from docksim.realtime import fmu
from docksim.result.result import Result
from docksim.simulation.checkpoint import read_checkpoint, write_checkpoint
from docksim.simulation.first_contact import LEAD, NoFirstContact, PlacementError, find_start
from docksim.simulation.mating import Mating
from docksim.simulation.run import Run, at_the_start, new_run
from docksim.simulation.stability import Start
from docksim.study.plan import Plan, load_plan
from tests.support.docks import dock

ROOT = Path(__file__).resolve().parents[2]
CASES = 100
FACING = np.diag([-1.0, -1.0, 1.0])  # half a turn about z
TO_INTERFACE = [1, 2, 0]  # port axes x, y, z are z, x, y of the interface


@pytest.fixture(scope="module")
def box() -> Plan:
    return load_plan(ROOT / "studies" / "nds_box_10t.yaml")


def drawn(plan: Plan, case: int) -> Scenario:
    """A case of the box as it is drawn first, without reading the rest of the scenario again."""
    values = dict(zip(plan.keys, plan.transform.values(plan.random.point(case)), strict=True))
    names = {key.split(".")[1] for key in values if key.startswith("approach.")}
    pairs = {
        name: tuple(values[f"approach.{name}.{i}"] for i in (0, 1)) for name in names if name.startswith("lateral")
    }
    changes = {name: pairs[name] if name in pairs else values[f"approach.{name}"] for name in names}
    base = plan.loaded.base
    assert base.approach is not None
    return base.model_copy(update={"approach": base.approach.model_copy(update=changes)})


class Flyer:
    """A rigid body without forces, by Euler's equations to the second order of the time."""

    def __init__(self, start: VehicleStart, port: str) -> None:
        vehicle = start.vehicle
        self.inertia = np.array(vehicle.inertia_kg_m2.matrix())
        self.centre = np.array(vehicle.center_of_mass_m)
        self.R = Rotation.from_quat(np.roll(start.base[1], -1)).as_matrix()
        self.w = np.array(start.rate)
        self.v = np.array(start.velocity) + self.R @ np.cross(self.w, self.centre)
        self.x = np.array(start.base[0]) + self.R @ self.centre
        place, turn = port_frame(vehicle, port)
        self.place, self.turn = np.array(place), Rotation.from_quat(np.roll(turn, -1)).as_matrix()

    def port(self, time_s: float) -> tuple[np.ndarray, np.ndarray]:
        """Position and axes of the port."""
        # a rate that changes evenly turns by its middle value, but for the cube of the time
        middle = self.w - 0.5 * time_s * np.linalg.solve(self.inertia, np.cross(self.w, self.inertia @ self.w))
        R = self.R @ Rotation.from_rotvec(time_s * middle).as_matrix()
        return self.x + time_s * self.v + R @ (self.place - self.centre), R @ self.turn


class Meeting:
    """The two vehicles of a scenario from its start on."""

    def __init__(self, scenario: Scenario, found: Placement) -> None:
        approach, begun = scenario.approach, starts(scenario, found)
        assert approach is not None
        ends = [port.partition(".") for port in (approach.active, approach.passive)]
        self.active, self.passive = (Flyer(begun[name], port) for name, _, port in ends)
        part, *_ = pair_parts(scenario)
        assert part.pair.ports == (approach.active, approach.passive)
        self.mating = Mating(*part.interfaces)

    def gap(self, time_s: float) -> float:
        (x_A, R_A), (x_P, R_P) = self.active.port(time_s), self.passive.port(time_s)
        R, r = (R_A.T @ R_P)[np.ix_(TO_INTERFACE, TO_INTERFACE)], (R_A.T @ (x_P - x_A))[TO_INTERFACE]
        return self.mating.least_gap(R, r)

    def seen(self, time_s: float) -> tuple[np.ndarray, np.ndarray]:
        """Position of the active port and its roll, pitch and yaw [deg], as an approach has them."""
        (x_A, R_A), (x_P, R_P) = self.active.port(time_s), self.passive.port(time_s)
        F = R_P @ FACING
        turns = Rotation.from_matrix(F.T @ R_A).as_euler("ZYX", degrees=True)
        return F.T @ (x_A - x_P), turns[::-1]


def test_cases_of_a_box_first_touch_in_the_state_that_was_drawn(box: Plan) -> None:
    redrawn, off = 0, []
    for case in range(1, CASES + 1):
        scenario = drawn(box, case)
        approach = scenario.approach
        assert approach is not None
        try:
            found = find_start(scenario)
        except NoFirstContact:
            redrawn += 1
            continue
        assert found is not None
        # the gap is open until then, and closed there
        meeting = Meeting(scenario, found)
        gaps = [meeting.gap(share * found.before_s) for share in (0.0, 0.4, 0.8, 0.99, 1.0)]
        assert gaps[0] >= 0.99 * LEAD
        assert min(gaps[:-1]) > 0.0
        place, turns = meeting.seen(found.before_s)
        off.append([gaps[-1], *(place[1:] - approach.lateral_offset_m), -place[0] - found.distance_m,
                    *(turns - [approach.roll_deg, approach.pitch_deg, approach.yaw_deg])])  # fmt: skip
    worst = np.abs(off).max(axis=0)
    # 0.1 mm and 0.05 deg are asked for; 0.1 um of gap, and 0.1 s in which rates turn, leave a thousandth of it
    assert worst[:4].max() < 1e-6
    assert worst[4:].max() < 5e-5
    assert 0 < redrawn < 0.05 * CASES


def test_nothing_touches_on_the_way_to_the_distance_that_is_found(box: Plan) -> None:
    for case in (1, 2, 4):
        scenario = drawn(box, case)
        found = find_start(scenario)
        assert found is not None
        for farther in np.arange(0.002, 0.4, 0.004):
            apart = Meeting(scenario, Placement(found.distance_m + farther))
            assert 0.0 < apart.gap(0.0) <= farther + 1e-6
        assert Meeting(scenario, Placement(found.distance_m - 1e-5)).gap(0.0) < 0.0


# ---------------------------------------------------------------- runs


AT_CONTACT = {
    "holds_at": "contact", "distance_m": None, "closing_rate_m_s": 0.07, "lateral_offset_m": [0.05, -0.03],
    "lateral_rate_m_s": [0.01, 0.02], "roll_deg": 3.0, "pitch_deg": -2.0, "yaw_deg": 3.0,
    "roll_rate_deg_s": 0.1, "pitch_rate_deg_s": -0.2, "yaw_rate_deg_s": 0.15,
}  # fmt: skip
TURNING = {"rate_deg_s": [1.0, -2.0, 0.5], "attitude": {"yaw_pitch_roll_deg": [30.0, -50.0, 70.0]}}


def meeting_run(asked: dict[str, Any], station: dict[str, Any], duration_s: float, alike: bool = False) -> Result:
    changes = {f"vehicles__station__{key}": value for key, value in station.items()}
    if alike:
        changes |= {f"vehicles__{name}__inertia_kg_m2": [500.0] * 3 for name in ("chaser", "station")}
    changes |= {f"approach__{key}": value for key, value in {**AT_CONTACT, **asked}.items()}
    solver = {"duration_s": duration_s, "step_s": 0.0005}
    return docksim.run(dock(**changes, sequence=[], solver=solver, outputs={"every_s": 0.0005}))


def assert_met(result: Result) -> None:
    met = {key.split(".")[-1]: value for key, value in result.metrics.items() if ".at_contact." in key}
    assert met["lateral_offset_m"] == pytest.approx(np.hypot(0.05, 0.03), abs=1e-4)
    assert met["lateral_rate_m_s"] == pytest.approx(np.hypot(0.01, 0.02), abs=1e-4)
    assert met["closing_rate_m_s"] == pytest.approx(0.07, abs=1e-4)
    assert met["roll_deg"] == pytest.approx(3.0, abs=0.05)
    assert met["pitch_yaw_deg"] == pytest.approx(np.hypot(2.0, 3.0), abs=0.05)


@pytest.mark.parametrize("station", [{}, TURNING], ids=["at_rest", "turning"])
def test_run_begins_a_millimetre_before_the_state_that_was_asked_for(station: dict[str, Any]) -> None:
    result = meeting_run({}, station, 0.06)
    states = result.manifest["approach"]
    assert result.metrics["dock.first_contact_s"] == pytest.approx(states["contact_after_s"], abs=6e-4)
    assert states["contact_after_s"] < 0.06
    assert_met(result)
    # both states are told: the one that was asked for, and the first row of the run
    asked = {key: value for key, value in AT_CONTACT.items() if key not in ("holds_at", "distance_m")}
    assert {key: states["at_contact"][key] for key in asked} == {
        k: pytest.approx(v, abs=1e-9) for k, v in asked.items()
    }
    start, row = states["at_start"], result["dock.position_m"][0]
    np.testing.assert_allclose(row, [-start["distance_m"], *start["lateral_offset_m"]], atol=1e-9)
    turns = [start[f"{name}_deg"] for name in ("roll", "pitch", "yaw")]
    np.testing.assert_allclose(result["dock.misalignment_deg"][0], turns, atol=1e-9)
    seen = [start["closing_rate_m_s"], *start["lateral_rate_m_s"]]
    np.testing.assert_allclose(result["dock.velocity_m_s"][0], seen, atol=1e-9)


def test_run_that_shows_the_approach_comes_to_the_same_state() -> None:
    # seconds of flight beside a station that turns; equal moments of inertia keep rates constant
    result = meeting_run({"start_distance_m": 0.35}, TURNING, 4.5, alike=True)
    assert result["dock.position_m"][0, 0] == pytest.approx(-0.35, abs=0.05)
    assert result.metrics["dock.first_contact_s"] > 2.0
    assert_met(result)


def test_saved_scenario_makes_the_same_run_again(tmp_path: Path) -> None:
    result = meeting_run({}, TURNING, 0.06)
    folder = result.save(tmp_path / "run")
    again = docksim.run(folder / "scenario.yaml")
    assert again.metrics == result.metrics
    assert again.manifest["approach"] == docksim.load(folder).manifest["approach"] == result.manifest["approach"]


def test_every_way_into_a_run_begins_alike(tmp_path: Path) -> None:
    scenario = load_scenario(dock(**{f"approach__{key}": value for key, value in AT_CONTACT.items()}))
    run = new_run(scenario)
    begun = run.compiled.state.q.tolist()
    (tmp_path / fmu.SCENARIO).write_text(scenario.to_yaml(), encoding="utf-8")
    (tmp_path / fmu.WISH).write_text(
        json.dumps({"docksim_version": __version__, "ports": [], "torques": []}), encoding="utf-8"
    )
    ways = {
        "checkpoint": read_checkpoint(write_checkpoint(run, tmp_path / "kept.npz")).compiled,
        "fmu": fmu.Instance(tmp_path)._run.compiled,
        "linear": state_at(scenario, None),
        "stability": Start(at_the_start(scenario)).compiled,
    }
    assert {name: way.state.q.tolist() for name, way in ways.items()} == dict.fromkeys(ways, begun)
    # and none begins where nothing was placed
    with pytest.raises(ValueError, match="has not been placed"):
        Run(compile_scenario(scenario))


@pytest.mark.parametrize("higher", [0.0, 0.002])
def test_run_begins_before_the_pawls_where_they_are_met_before_the_surfaces(higher: float) -> None:
    # without an error the faces meet when the pawls have long been passed
    straight = {"holds_at": "contact", "distance_m": None, "closing_rate_m_s": 0.05}
    changes = {f"approach__{key}": value for key, value in straight.items()}
    scenario = load_scenario(dock(**changes, contacts__dock__latch_errors=[{"latch": 2, "height_m": higher}]))
    found = find_start(scenario)
    (part,) = pair_parts(scenario)
    assert found is not None
    assert part.latches is not None
    latches, strikers, _ = part.latches
    meet = latches.height_m + strikers.height_m + latches.window_axial_m + latches.travel_m + higher
    assert found.distance_m == pytest.approx(0.0, abs=1e-6)
    assert meet < found.distance_m + 0.05 * found.before_s <= meet + 0.5 * LEAD + 1e-6


# ---------------------------------------------------------------- what is none


def refused(**asked: Any) -> PlacementError:
    changes = {f"approach__{key}": value for key, value in {**AT_CONTACT, **asked}.items()}
    with pytest.raises(PlacementError) as caught:
        find_start(load_scenario(dock(**changes)))
    return caught.value


def test_state_in_which_the_interfaces_part_is_no_first_contact() -> None:
    # the petals on the side to which the chaser is off touch; it draws back from them faster than it comes
    error = refused(closing_rate_m_s=0.01, lateral_offset_m=[0.08, 0.0], lateral_rate_m_s=[-0.1, 0.0])
    assert isinstance(error, NoFirstContact)
    assert "approach.holds_at: not a first contact: traced back from the touch" in str(error)


def test_interfaces_that_miss_one_another_are_named() -> None:
    error = refused(lateral_offset_m=[3.0, 0.0])
    assert isinstance(error, NoFirstContact)
    assert "approach.lateral_offset_m: the interfaces pass one another and never touch" in str(error)


def test_start_beyond_the_touch_is_refused() -> None:
    error = refused(start_distance_m=0.02)
    assert not isinstance(error, NoFirstContact)
    assert "approach.start_distance_m: 0.02 is too near: the interfaces touch at 0.0" in str(error)


def test_distance_of_a_base_scenario_is_not_used_where_the_state_holds_at_contact() -> None:
    changes = {f"approach__{key}": value for key, value in AT_CONTACT.items()}
    found = [find_start(load_scenario(dock(**{**changes, "approach__distance_m": d}))) for d in (None, 0.01, 2.0)]
    assert found[0] == found[1] == found[2]

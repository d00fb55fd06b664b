"""Figures of devices: forces with the limits of the moment, set-points as servos see them, energy by device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from docksim.config import load_scenario
from docksim.plots.files import write_figures
from docksim.plots.run import figures as plots
from docksim.plots.run.devices import absorbed, absorbed_figure, limit_of
from docksim.result.result import Channel, EventRecord, Result
from tests.support.figure_boxes import lines, quantity
from tests.unit.config.test_devices import ONES, SERVO, STEWART, data

TIME = np.linspace(0.0, 10.0, 101)
SWING = np.sin(TIME)
BRAKE = {"normal_force_N": 100.0, "friction_coefficient": 0.4}


def result(*channels: Channel, outcome: str = "completed", **stops: float) -> Result:
    """A run in which an event at 4 s loosens the brake and gives the servos more force."""
    actuator = {"force_limit_N": 20.0, "servo": {**SERVO, "follows": "mean"}, **stops}
    mechanism = data(STEWART, actuator, axial={"weights": ONES, "linear": {"brake": BRAKE}})
    vehicle = {"mass_kg": 100.0, "inertia_kg_m2": [10.0, 20.0, 25.0], "mechanism": mechanism}
    do = [
        {"set": {"device": "v.couplings.axial", "friction_N": 10.0}},
        {"set": {"device": "v.legs", "servo": {"force_limit_N": 300.0}}},
    ]
    events = {"loosen": {"when": {"time_s": 4.0}, "do": do}}
    scenario = load_scenario({"vehicles": {"v": vehicle}, "solver": {"duration_s": 10.0}, "events": events})
    time = Channel("time_s", "s", "", "", TIME)
    return Result(scenario, [time, *channels], outcome, events=[EventRecord(4.0, "loosen")])


def channel(name: str, values: np.ndarray, unit: str = "N") -> Channel:
    return Channel(name, unit, "joint", "", values)


def legs(key: str, factor: float = 1.0, unit: str = "N") -> list[Channel]:
    return [channel(f"v.legs.{k}.{key}", factor * k * SWING, unit) for k in range(1, 7)]


def test_limits_are_those_of_the_moment() -> None:
    found = result()
    slip, servo = limit_of(found, "v.couplings.axial", "brake"), limit_of(found, "v.legs.3", "motor")
    assert slip is not None
    assert servo is not None
    late = TIME > 4.0
    assert set(slip[~late]) == {40.0}
    assert set(slip[late]) == {10.0}
    assert (set(servo[~late]), set(servo[late])) == ({20.0}, {300.0})
    assert limit_of(found, "v.legs.3", "spring") is None


def test_forces_are_drawn_by_device_for_legs_and_by_coupling() -> None:
    names = {"brake": 39.0 * SWING, "stop": 0.0 * TIME}
    own = [channel(f"v.couplings.axial.{kind}_force_N", values) for kind, values in names.items()]
    figure = plots.all_figures(result(*legs("damper_force_N"), *legs("motor_force_N", 3.0), *own), ["devices"])[
        "devices_v"
    ]
    dampers = lines(figure, "damper force [N]")
    assert list(dampers) == ["1", "2", "3", "4", "5", "6"]
    assert np.array_equal(dampers["4"], 4 * SWING)
    axial = lines(figure, "axial force [N]")
    # a device that never acts is left out; the limit is drawn on both sides
    assert list(axial) == ["brake", "limit", "_limit"]
    assert np.array_equal(axial["limit"], -axial["_limit"])
    motors = lines(figure, "motor force [N]")
    assert np.nanmax(motors["limit, to 300 N"]) == 20.0
    assert np.isnan(motors["limit, to 300 N"][-1])


def test_limit_that_is_far_away_is_named_and_not_drawn() -> None:
    figure = plots.all_figures(result(*legs("motor_force_N", 0.1)), ["devices"])["devices_v"]
    (axes,) = figure.axes
    assert list(lines(figure, "motor force [N]")) == ["1", "2", "3", "4", "5", "6"]
    assert axes.get_legend().get_title().get_text() == "v.legs, limit 20 N"


def test_strokes_are_drawn_as_their_servos_see_them() -> None:
    text = "set-point of the servo, against the mean of the legs"
    commands = [Channel(f"v.legs.{k}.command_m", "m", "joint", text, 0.0 * TIME) for k in range(1, 7)]
    channels = legs("travel_m", 0.01, "m") + commands
    figure = plots.all_figures(result(*channels), ["devices"])["servos_v"]
    assert [quantity(axes) for axes in figure.axes] == [f"leg {k} [m]" for k in range(1, 7)]
    found = lines(figure, "leg 6 [m]")
    # the mean of 1 to 6 is 3.5
    assert found["stroke less mean"] == pytest.approx(0.01 * 2.5 * SWING)
    assert not np.any(found["set-point"])


def test_bars_are_the_energy_that_left_the_system() -> None:
    ramp = TIME / 10.0
    channels = [
        channel("v.legs.1.damper_work_J", -3.0 * ramp, "J"),
        channel("v.legs.1.motor_work_J", 2.0 * ramp, "J"),
        channel("v.legs.2.damper_work_J", 0.0 * ramp, "J"),
        channel("v.couplings.axial.brake_work_J", -5.0 * ramp, "J"),
        channel("v.couplings.axial.damper_work_J", -1.0 * ramp, "J"),
    ]
    parts = absorbed(result(*channels), "v")
    assert {name: {kind: values[-1] for kind, values in works.items()} for name, works in parts.items()} == {
        "leg 1": {"damper": 3.0, "motor": -2.0},
        "axial": {"damper": 1.0, "brake": 5.0},
    }
    (axes,) = absorbed_figure("title", parts).axes
    spans = [(bar.get_x(), bar.get_width()) for bars in axes.containers for bar in bars]
    assert spans == [(0.0, 3.0), (0.0, -2.0), (0.0, 1.0), (1.0, 5.0)]
    assert [text.get_text() for text in axes.texts] == ["1 J", "6 J"]
    assert axes.get_xlabel().startswith("energy absorbed [J]")


@pytest.mark.filterwarnings("error")
def test_diverged_devices_are_drawn_without_complaint(tmp_path: Any) -> None:
    wild = np.where(TIME > 5.0, np.nan, 1e300 * SWING)
    channels = [channel("v.couplings.axial.brake_force_N", wild), channel("v.legs.1.damper_work_J", wild, "J")]
    figures = plots.all_figures(result(*channels, outcome="diverged"), ["devices"])
    assert set(figures) == {"devices_v", "absorbed_v"}
    assert len(write_figures(figures, tmp_path)) == 2


def test_figures_of_a_saved_run_whose_scenario_is_lost_have_no_limits(tmp_path: Any) -> None:
    folder = result(*legs("motor_force_N", 3.0)).save(tmp_path / "run")
    assert "limit, to 300 N" in lines(
        plots.all_figures(Result.load(folder), ["devices"])["devices_v"], "motor force [N]"
    )
    (folder / "scenario.yaml").write_text("vehicles: 1\n")
    assert list(lines(plots.all_figures(Result.load(folder), ["devices"])["devices_v"], "motor force [N]")) == list(
        "123456"
    )


def test_vehicle_without_a_mechanism_has_no_device_figures() -> None:
    assert plots.all_figures(result(), ["devices"]) == {}

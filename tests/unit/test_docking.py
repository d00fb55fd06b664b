"""Outcomes and figures of a docking, from made-up channels whose answers are known."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from docksim.config.schema import JoinAction, PhaseAction, SeparateAction, SeparateCommand
from docksim.result.docking import approach_energy, interface_of, outcome_of_docking, total_mass
from docksim.result.docking_metrics import docking_metrics, sustained
from docksim.result.metrics import metrics_of
from docksim.result.result import Channel, EventRecord

ROWS = 11
PORTS = ("chaser.ring.face", "station.dock")
LIMITS = {
    "tension_N": 3900.0,
    "compression_N": 3500.0,
    "compression_dynamic_N": 6500.0,
    "shear_N": 3200.0,
    "bending_Nm": 2800.0,
    "torsion_Nm": None,
}


def scenario(**actions: list[Any]) -> Any:
    """A 12 t chaser and a 400 t station, with events that do the given actions."""
    part = SimpleNamespace
    face = part(interface=part(limits=part(**LIMITS)))
    link = part(mass_kg=4.0)
    leg = part(lower=link, upper=None)
    mechanism = part(ports={"face": face}, ring=part(mass_kg=40.0), six_legs=lambda: (leg,) * 6)
    common: dict[str, Any] = {"bodies": {}, "wheels": {}, "anchored": False}
    wing = part(mass_kg=90.0, tip_mass_kg=10.0)
    return part(
        contacts={"dock": part(ports=PORTS)},
        vehicles={
            "chaser": part(mass_kg=11936.0, ports={}, mechanism=mechanism, beams={}, **common),
            "station": part(mass_kg=399900.0, ports={"dock": face}, mechanism=None, beams={"wing": wing}, **common),
        },
        events={name: part(do=do) for name, do in actions.items()},
    )


def channels(engaged: int = 0, touched: float = 0.45, away: float = 0.02, force: float = 0.0) -> dict[str, Channel]:
    """Eleven rows, a tenth of a second apart; the chaser moved at 0.1 m/s until row 4."""
    time = 0.1 * np.arange(ROWS)
    ramp = np.linspace(0.0, 1.0, ROWS)
    speed = np.where(np.arange(ROWS) < 5, -0.1, away)
    momentum = np.outer(np.full(ROWS, -1200.0), [1.0, 0.0, 0.0])
    kinetic = np.where(np.arange(ROWS) < 5, 60.0, 5.0)
    values: dict[str, np.ndarray] = {
        "time_s": time,
        "energy.kinetic_J": kinetic,
        "energy.potential_J": np.where(np.arange(ROWS) < 5, 0.0, 2.0),
        "energy.residual_J": 0.01 * ramp,
        "energy.work.joint_damping_J": np.where(np.arange(ROWS) < 5, 0.0, -53.0),
        "energy.work.thrusters_J": np.zeros(ROWS),
        "momentum.linear_kg_m_s": momentum,
        "momentum.linear_traffic": np.full(ROWS, 1200.0),
        "momentum.linear_residual": np.zeros((ROWS, 3)),
        "momentum.angular_traffic": np.ones(ROWS),
        "momentum.angular_residual": np.zeros((ROWS, 3)),
        "dock.first_contact_s": np.where(time >= touched, touched, -1.0) if touched >= 0 else np.full(ROWS, -1.0),
        "dock.capture_s": np.where(time >= 0.8, 0.75, -1.0) if engaged == 3 else np.full(ROWS, -1.0),
        "dock.latches_engaged": np.where(time >= 0.8, engaged, 0).astype(float),
        "dock.normal_force_N": np.full(ROWS, force),
        "dock.load_force_N": np.outer(100.0 * ramp, [1.0, 0.0, 0.0]),
        "dock.position_m": np.outer(ramp[::-1], [0.5, 0.03, 0.04]),
        "dock.velocity_m_s": np.stack([speed, 0.03 + 0 * ramp, 0.04 + 0 * ramp], axis=1),
        "dock.misalignment_deg": np.outer(ramp[::-1], [2.0, 3.0, 4.0]),
        "dock.rate_deg_s": np.zeros((ROWS, 3)),
        "dock.peak_compression_N": 3250.0 * ramp,
        "dock.peak_latches_force_N": 70.0 * ramp,
        "chaser.acceleration_m_s2": np.outer(ramp, [0.0, 3.0, 4.0]),
        "station.load_force_N": np.zeros((ROWS, 3)),
    }
    values |= {f"dock.peak_{load}": 10.0 * ramp for load in ("tension_N", "shear_N", "bending_Nm", "torsion_Nm")}
    values |= {f"dock.latch_{k}_force_N": np.zeros(ROWS) for k in (1, 2, 3)}
    values |= {f"chaser.legs.{k}.travel_m": (-1) ** k * 0.02 * k * ramp for k in range(1, 7)}
    values |= {f"chaser.legs.{k}.force_N": -50.0 * k * ramp for k in range(1, 7)}
    return {name: Channel(name, "", "", "", data) for name, data in values.items()}


def ended(found: dict[str, Channel], *events: EventRecord, plan: Any = None) -> tuple[str, str]:
    return outcome_of_docking(plan or scenario(), found, events, "completed", "")


def test_all_latches_at_the_end_are_a_capture() -> None:
    outcome, reason = ended(channels(engaged=3))
    assert outcome == "captured"
    assert "all 3 latches" in reason


def test_two_of_three_latches_are_no_capture() -> None:
    outcome, reason = ended(channels(engaged=2, force=5.0))
    assert outcome == "timed out"
    assert "2 of 3 latches" in reason


def test_leaving_without_contact_is_a_rebound() -> None:
    outcome, reason = ended(channels())
    assert outcome == "rebounded"
    assert "first contact at t = 0.45 s" in reason
    assert "0.02 m/s" in reason


def test_still_closing_or_touching_at_the_end_is_a_time_out() -> None:
    assert ended(channels(away=-0.01))[0] == "timed out"
    assert ended(channels(force=1.0))[0] == "timed out"


def test_no_contact_at_all_is_a_time_out() -> None:
    outcome, reason = ended(channels(touched=-1.0))
    assert (outcome, "no contact" in reason) == ("timed out", True)


def test_join_of_the_two_vehicles_is_a_hard_dock_and_its_separation_an_undocking() -> None:
    join = JoinAction(join=("chaser.nose", "station.dock"))
    part = SeparateAction(separate=SeparateCommand(ports=("station.dock", "chaser.nose")))
    plan = scenario(hooks=[PhaseAction(phase="HOOKS"), join], undock=[part])
    hooks, undock = EventRecord(0.9, "hooks"), EventRecord(0.95, "undock")
    assert ended(channels(engaged=3), hooks, plan=plan) == ("hard-docked", "event 'hooks' at t = 0.9 s")
    assert ended(channels(engaged=3), hooks, undock, plan=plan)[0] == "undocked"
    # a join of others says nothing about the pair
    other = scenario(hooks=[JoinAction(join=("chaser.nose", "tug.nose"))])
    assert ended(channels(engaged=3), hooks, plan=other)[0] == "captured"


def test_ends_that_are_not_the_end_of_time_stay_as_they_are() -> None:
    for outcome in ("over-stroke", "diverged", "stopped", "aborted"):
        assert outcome_of_docking(scenario(), channels(engaged=3), [], outcome, "why") == (outcome, "why")


def test_pair_without_latches_leaves_the_outcome_alone() -> None:
    found = {name: channel for name, channel in channels().items() if ".latch_" not in name}
    assert outcome_of_docking(scenario(), found, [], "completed", "") == ("completed", "")


def test_open_budget_is_told_with_the_outcome() -> None:
    found = channels(engaged=3)
    # 0.1 % of the 58 J of approach is 0.058 J
    found["energy.residual_J"] = Channel("energy.residual_J", "J", "", "", np.linspace(0.0, -0.07, ROWS))
    outcome, reason = ended(found)
    assert outcome == "captured"
    assert "energy budget open by 0.07 J of 58.3 J" in reason
    assert "smaller step_s" in reason
    # no step helps a run whose motion is given
    _, reason = outcome_of_docking(scenario(), found, [], "completed", "", driven=True)
    assert "motion came from outside" in reason
    assert "step_s" not in reason


def test_approach_energy_is_against_the_common_mass_centre_before_contact() -> None:
    plan = scenario()
    assert total_mass(plan) == 11936.0 + 40.0 + 24.0 + 400000.0
    # 12 t at 0.1 m/s against 400 t: half the reduced mass times the speed squared
    reduced = 12e3 * 4e5 / 4.12e5
    assert approach_energy(plan, channels()) == pytest.approx(0.5 * reduced * 0.01, rel=1e-12)
    plan.vehicles["station"].anchored = True
    assert approach_energy(plan, channels()) == 60.0


def test_figures_at_first_contact_are_those_of_the_row_before_it() -> None:
    found = docking_metrics(channels(), scenario(), [])
    # touched at 0.45 s, so row 4 of 10: 0.6 of the way still to go
    assert found["dock.at_contact.closing_rate_m_s"] == pytest.approx(0.1)
    assert found["dock.at_contact.lateral_rate_m_s"] == pytest.approx(0.05)
    assert found["dock.at_contact.lateral_offset_m"] == pytest.approx(0.6 * 0.05)
    assert found["dock.at_contact.roll_deg"] == pytest.approx(1.2)
    assert found["dock.at_contact.pitch_yaw_deg"] == pytest.approx(3.0)
    assert found["dock.at_end.lateral_offset_m"] == 0.0
    assert "dock.capture_s" not in found
    assert docking_metrics(channels(engaged=3), scenario(), [])["dock.capture_s"] == 0.75


def test_loads_are_held_against_their_limits_where_there_are_any() -> None:
    found = docking_metrics(channels(), scenario(), [])
    assert found["dock.peak_compression_N"] == 3250.0
    assert found["dock.peak_compression_N.of_limit"] == 0.5
    assert found["dock.peak_tension_N.of_limit"] == pytest.approx(10.0 / 3900.0)
    assert "dock.peak_torsion_Nm.of_limit" not in found
    assert found["dock.peak_latches_force_N"] == 70.0
    # the ramp of 100 N keeps 90 N over its last tenth of a second
    assert found["dock.sustained_compression_N"] == pytest.approx(90.0)
    assert found["dock.sustained_compression_N.of_limit"] == pytest.approx(90.0 / 3500.0)


def test_sustained_load_ignores_what_is_shorter() -> None:
    time = 0.01 * np.arange(100)
    load = np.where((time > 0.195) & (time < 0.245), 900.0, 40.0)
    assert sustained(time, load) == 40.0
    load = np.where((time > 0.195) & (time < 0.305), 900.0, 40.0)
    assert sustained(time, load) == 900.0
    assert sustained(time, -load) == 0.0


def test_legs_are_summed_up_together() -> None:
    found = docking_metrics(channels(), scenario(), [])
    assert found["chaser.legs.travel_m.least"] == pytest.approx(-0.10)
    assert found["chaser.legs.travel_m.largest"] == pytest.approx(0.12)
    assert found["chaser.legs.force_N.peak"] == pytest.approx(300.0)
    assert found["chaser.acceleration_m_s2.peak"] == pytest.approx(5.0)


def test_budget_adds_up_to_the_approach_energy() -> None:
    found = docking_metrics(channels(), scenario(), [])
    common = 1200.0**2 / (2.0 * 4.12e5)
    assert found["budget.approach_J"] == pytest.approx(60.0 - common)
    assert found["budget.kinetic_left_J"] == pytest.approx(5.0 - common)
    assert found["budget.taken_by.joint_damping_J"] == 53.0
    assert "budget.taken_by.thrusters_J" not in found
    total = found["budget.stored_J"] + found["budget.kinetic_left_J"] + found["budget.taken_by.joint_damping_J"]
    assert total == pytest.approx(found["budget.approach_J"], rel=1e-12)
    assert found["budget.residual_of_approach"] == pytest.approx(0.01 / (60.0 - common))


def test_figures_of_the_docking_come_before_those_of_every_run() -> None:
    names = list(metrics_of(channels(), scenario(), []))
    assert names[0] == "dock.first_contact_s"
    assert "energy.residual_relative" in names
    assert not math.isnan(metrics_of(channels())["energy.residual_relative"])


def test_port_is_found_on_base_and_ring() -> None:
    plan = scenario()
    assert interface_of(plan, "chaser.ring.face") is plan.vehicles["chaser"].mechanism.ports["face"].interface
    assert interface_of(plan, "station.dock") is plan.vehicles["station"].ports["dock"].interface

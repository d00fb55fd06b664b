"""Outcomes and figures of a docking, from made-up channels whose answers are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from docksim.config.outcomes import DOCKING_OUTCOMES, MEANINGS, OUTCOMES, SUCCESSES
from docksim.config.schema.contact_events import OpenLatchesAction
from docksim.config.schema.names import port_at
from docksim.result.docking import outcome_of_docking, total_mass
from docksim.result.metrics import docking_metrics, metrics_of
from docksim.result.pairs import WORST_FIRST, JoinedPorts, PairOutcome, outcome_of_pairs, pair_outcomes
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
# as the kernel's tables give them
MEASURED = {
    "dock.at_contact.closing_rate_m_s": 0.1,
    "dock.peak_tension_N": 10.0,
    "dock.peak_compression_N": 3250.0,
    "dock.peak_torsion_Nm": 10.0,
    "dock.first_impact.peak_shear_N": 7.0,
    "dock.sustained_compression_N": 90.0,
    "dock.peak_latches_force_N": 70.0,
    "chaser.legs.travel_m.least": -0.1,
    "chaser.acceleration_m_s2.peak": 5.0,
    "chaser.rate_deg_s.peak": 0.2,
}


def scenario(**actions: list[Any]) -> Any:
    """A 12 t chaser and a 400 t station, with events that do the given actions."""
    part = SimpleNamespace
    face = part(interface=part(limits=part(**LIMITS)))
    link = part(mass_kg=4.0)
    leg = part(lower=link, upper=None)
    mechanism = part(ports={"face": face}, ring=part(mass_kg=40.0), six_legs=lambda: (leg,) * 6)
    common: dict[str, Any] = {"bodies": {}, "wheels": {}, "anchored": False}
    wing = part(mass_kg=90.0, tip_mass_kg=10.0, ports={})
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
    speed = np.where(np.arange(ROWS) < 5, 0.1, -away)
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
        "station.load_force_N": np.zeros((ROWS, 3)),
    }
    values |= {f"dock.latch_{k}_force_N": np.zeros(ROWS) for k in (1, 2, 3)}
    return {name: Channel(name, "", "", "", data) for name, data in values.items()}


HOOKS = JoinedPorts(
    "chaser.nose", "station.dock", checked=True, joined=True, joined_s=0.9, refused=False,
    stand=dict.fromkeys(("axial_m", "lateral_m", "tilt_deg", "roll_deg", "speed_m_s", "rate_deg_s"), 0.0),
)  # fmt: skip


def ended(
    found: dict[str, Channel],
    *events: EventRecord,
    plan: Any = None,
    ports: Sequence[JoinedPorts] = (),
    as_told: tuple[str, str] = ("completed", ""),
    figures: dict[str, float | int | str] | None = None,
) -> tuple[str, str]:
    plan = plan or scenario()
    pairs = pair_outcomes(plan, found, events, as_told[0], ports, figures)
    return outcome_of_docking(*as_told, pairs, ports)


def test_all_latches_at_the_end_are_a_capture() -> None:
    outcome, reason = ended(channels(engaged=3))
    assert outcome == "captured"
    assert "all 3 latches" in reason


def test_two_of_three_latches_are_no_capture() -> None:
    outcome, reason = ended(channels(engaged=2, force=5.0))
    assert outcome == "not captured"
    assert "2 of 3 latches" in reason


def test_leaving_without_contact_is_a_rebound() -> None:
    outcome, reason = ended(channels())
    assert outcome == "rebounded"
    assert "first contact at t = 0.45 s" in reason
    assert "0.02 m/s" in reason


def test_still_closing_or_touching_at_the_end_is_no_capture() -> None:
    assert ended(channels(away=-0.01))[0] == "not captured"
    assert ended(channels(force=1.0))[0] == "not captured"


def test_no_contact_at_all_is_no_capture() -> None:
    outcome, reason = ended(channels(touched=-1.0))
    assert (outcome, "no contact" in reason) == ("not captured", True)


def test_ports_that_are_joined_are_a_hard_dock_whatever_else_holds() -> None:
    assert ended(channels(engaged=3), ports=[HOOKS]) == (
        "hard-docked",
        "'dock': chaser.nose and station.dock are joined",
    )
    assert ended(channels(), ports=[HOOKS])[0] == "hard-docked"
    # a join of others says nothing about the pair
    assert ended(channels(engaged=3), ports=[replace(HOOKS, passive="tug.nose")])[0] == "captured"
    # nor does an arm's hand that holds the vehicle, where there are ports at the pair
    hand = replace(HOOKS, active="chaser.grapple", passive="station.arm.hand")
    assert ended(channels(engaged=3), ports=[hand, replace(HOOKS, joined=False, joined_s=None)])[0] == "captured"


def test_ports_at_another_pair_join_that_pair_alone() -> None:
    plan = scenario()
    plan.contacts["dock"].ports = ("chaser.ring.face", "station.spare")
    plan.contacts["other"] = SimpleNamespace(ports=("chaser.tail", "station.dock"))
    (pair,) = pair_outcomes(plan, channels(engaged=3), [], "completed", [HOOKS])
    assert pair.word == "captured"


def test_undocked_is_what_was_let_go_and_holds_no_longer() -> None:
    parted = replace(HOOKS, joined=False)
    assert ended(channels(), ports=[parted])[0] == "undocked"
    # latches that still hold overrule the separation
    assert ended(channels(engaged=3), ports=[parted])[0] == "captured"
    found = channels(engaged=3)
    found["dock.latches_engaged"].data[-1] = 0
    plan = scenario(free=[OpenLatchesAction(open_latches="dock")])
    assert ended(found, EventRecord(0.9, "free"), plan=plan)[0] == "undocked"


def test_latches_that_no_event_opened_were_lost() -> None:
    found = channels(engaged=3)
    found["dock.latches_engaged"].data[-1] = 2
    outcome, reason = ended(found)
    assert outcome == "latch lost"
    assert "all 3 latches held at t = 0.75 s, 2 at the end, and no event opened them" in reason


def test_latch_that_let_go_is_no_success_even_if_hooks_closed_later() -> None:
    found = channels(engaged=3)
    for k in (1, 2, 3):
        mode = np.where(np.arange(ROWS) > 8, k == 2, 0)
        found[f"dock.latches.{k}.mode"] = Channel(
            f"dock.latches.{k}.mode", "", "", "", mode, labels=("engaged", "lost")
        )
    for claim in ("completed", "stopped", "hard-docked"):
        outcome, reason = ended(found, ports=[HOOKS], as_told=(claim, "why"))
        assert outcome == "latch lost"
        assert reason.endswith("'dock': latch 2 let go under load")


@pytest.mark.parametrize("claim", ["completed", "stopped", "captured"])
def test_load_beyond_its_limit_is_no_success(claim: str) -> None:
    figures: dict[str, float | int | str] = {"dock.peak_tension_N.of_limit": 1.01, "dock.peak_shear_N.of_limit": 0.9}
    outcome, reason = ended(channels(engaged=3), as_told=(claim, "why"), figures=figures)
    assert outcome == "overloaded"
    assert reason.endswith("'dock': peak_tension_N is 1.01 of its limit")
    figures["dock.peak_tension_N.of_limit"] = 1.0
    assert ended(channels(engaged=3), as_told=(claim, "why"), figures=figures)[0] in ("captured", claim)
    # of a pair without latches, too
    found = {name: channel for name, channel in channels().items() if ".latch_" not in name}
    figures["dock.peak_tension_N.of_limit"] = 1.01
    assert ended(found, figures=figures)[0] == "overloaded"


@pytest.mark.parametrize(
    ("claim", "engaged", "ports", "outcome"),
    [
        ("hard-docked", 3, [], "captured"),
        ("hard-docked", 0, [], "rebounded"),
        ("hard-docked", 3, [HOOKS], "hard-docked"),
        ("captured", 3, [], "captured"),
        ("captured", 2, [], "not captured"),
        ("captured", 3, [HOOKS], "hard-docked"),
        ("undocked", 3, [], "captured"),
        ("undocked", 0, [HOOKS], "hard-docked"),
        ("rebounded", 3, [], "captured"),
        ("rebounded", 0, [], "rebounded"),
        ("rebounded", 2, [], "rebounded"),
    ],
)
def test_claim_of_a_stop_stands_only_if_the_state_bears_it_out(claim, engaged, ports, outcome) -> None:
    found, reason = ended(channels(engaged=engaged), ports=ports, as_told=(claim, "event 'x': why"))
    assert found == outcome
    assert reason.startswith("event 'x': why")
    assert (f"claims '{claim}', but 'dock': " in reason) == (claim != outcome)


def test_claims_where_there_are_no_latches_are_held_against_joins() -> None:
    found = {name: channel for name, channel in channels().items() if ".latch_" not in name}
    assert ended(found, as_told=("hard-docked", "why")) == (
        "stopped",
        "why; claims 'hard-docked', but nothing is joined",
    )
    assert ended(found, as_told=("hard-docked", "why"), ports=[HOOKS]) == ("hard-docked", "why")
    assert ended(found, as_told=("undocked", "why"), ports=[HOOKS])[0] == "stopped"
    assert ended(found, as_told=("undocked", "why")) == ("undocked", "why")


def test_verdicts_of_the_sequence_stand_with_the_state_beside_them() -> None:
    for word in ("timed out", "aborted"):
        outcome, reason = ended(channels(engaged=3), as_told=(word, "why"))
        assert (outcome, reason) == (word, "why; 'dock': all 3 latches hold, not hard-docked")


def test_ends_that_are_no_docking_stay_as_they_are() -> None:
    for outcome in ("over-stroke", "diverged", "failed", "interrupted", "stopped"):
        assert ended(channels(engaged=3), as_told=(outcome, "why")) == (outcome, "why")
    (pair,) = pair_outcomes(scenario(), channels(engaged=3), [], "over-stroke")
    assert pair.word == "over-stroke"


def test_worst_of_the_pairs_that_met_is_the_outcome() -> None:
    words = (
        "hard-docked",
        "captured",
        "undocked",
        "not captured",
        "rebounded",
        "overloaded",
        "latch lost",
        "misaligned",
    )
    pairs = [PairOutcome(word, word, "why") for word in words]
    for k in range(len(pairs)):
        worst = outcome_of_pairs(pairs[: k + 1])
        assert worst is not None
        assert worst.word == words[k]
    # one that never met says nothing, unless none did
    absent = PairOutcome("far", "not captured", "no contact", met=False)
    for order in ([absent, pairs[1]], [pairs[1], absent]):
        assert outcome_of_pairs(order) is pairs[1]
    assert outcome_of_pairs([absent, absent]) is absent
    assert outcome_of_pairs([]) is None


def test_every_word_is_defined_once_and_no_failure_is_a_success() -> None:
    assert set(SUCCESSES) == {"completed", "stopped", "hard-docked", "captured", "undocked"}
    assert {*DOCKING_OUTCOMES, *SUCCESSES, *WORST_FIRST} <= set(OUTCOMES)
    assert len(set(MEANINGS.values())) == len(OUTCOMES)


def test_pair_without_latches_leaves_the_outcome_alone() -> None:
    found = {name: channel for name, channel in channels().items() if ".latch_" not in name}
    assert ended(found) == ("completed", "")


def test_mass_is_that_of_everything_on_the_vehicles() -> None:
    assert total_mass(scenario()) == 11936.0 + 40.0 + 24.0 + 400000.0


def test_figures_measured_in_the_run_stand_in_their_places() -> None:
    found = docking_metrics(channels(engaged=3), scenario(), MEASURED)
    times = ["dock.first_contact_s", "dock.capture_s", "dock.after_capture_s"]
    assert list(found)[:4] == [*times, "dock.at_contact.closing_rate_m_s"]
    assert found["dock.after_capture_s"] == pytest.approx(channels()["time_s"].data[-1] - 0.75)
    assert found["dock.capture_s"] == 0.75
    assert found["dock.first_impact.peak_shear_N"] == 7.0
    assert found["dock.at_end.lateral_offset_m"] == 0.0
    assert found["chaser.legs.travel_m.least"] == -0.1
    assert found["chaser.acceleration_m_s2.peak"] == 5.0
    # rates and loads are of every run, and stand at its end
    assert "chaser.rate_deg_s.peak" not in found
    assert list(metrics_of(channels(), scenario(), measured=MEASURED))[-1] == "chaser.rate_deg_s.peak"
    assert "chaser.rate_deg_s.peak" not in metrics_of(channels(), scenario(), [], MEASURED)
    # what has not come to pass is absent
    assert not any("at_contact" in name for name in docking_metrics(channels(touched=-1.0), scenario(), {}))
    assert "dock.capture_s" not in docking_metrics(channels(), scenario(), {})


def test_loads_are_held_against_their_limits_where_there_are_any() -> None:
    found = docking_metrics(channels(), scenario(), MEASURED)
    assert found["dock.peak_compression_N"] == 3250.0
    assert found["dock.peak_compression_N.of_limit"] == 0.5
    assert found["dock.peak_tension_N.of_limit"] == pytest.approx(10.0 / 3900.0)
    assert "dock.peak_torsion_Nm.of_limit" not in found
    assert found["dock.peak_latches_force_N"] == 70.0
    assert found["dock.sustained_compression_N.of_limit"] == pytest.approx(90.0 / 3500.0)


def test_figures_of_the_docking_come_before_those_of_every_run() -> None:
    measured = {**MEASURED, "dock.hook_plane.axial_m": 0.25}
    names = list(metrics_of(channels(), scenario(), None, measured))
    assert names.index("dock.hook_plane.axial_m") < names.index("dock.first_contact_s")
    assert names.index("dock.first_contact_s") < names.index("chaser.rate_deg_s.peak")


def test_port_is_found_on_base_and_ring() -> None:
    plan = scenario()
    face, dock = (port_at(plan, name) for name in ("chaser.ring.face", "station.dock"))
    assert face == (plan.vehicles["chaser"].mechanism.ports["face"], "ring", ("mechanism", "ports", "face"))
    assert dock == (plan.vehicles["station"].ports["dock"], "base", ("ports", "dock"))

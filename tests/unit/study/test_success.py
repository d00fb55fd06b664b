"""What counts as success of a case: a run that ended well, all conditions of the study, all its limits."""

from __future__ import annotations

from typing import Any

import pytest

from docksim.config.outcomes import CASE_OUTCOMES, NO_FIGURES, SUCCESSES
from docksim.config.schema.study import Study
from docksim.study.success import OF_DOCKING, misses, required

CAPTURED: dict[str, Any] = {
    "dock.outcome": "captured", "dock.capture_s": 4.2, "dock.after_capture_s": 15.0, "events.captured.time_s": 4.2,
    "dock.peak_tension_N": 90.0,
}  # fmt: skip
CAPTURE = {"captured": "dock"}
TENSION = "dock.peak_tension_N"


def study(*success: dict[str, Any], **limits: float) -> Study:
    named = {f"dock.peak_{name}": limit for name, limit in limits.items()}
    grid = [{"key": "x", "values": [1.0, 2.0]}]
    return Study.model_validate({"base": "x.yaml", "grid": grid, "success": list(success), "limits": named})


@pytest.mark.parametrize("outcome", CASE_OUTCOMES)
def test_run_that_did_not_end_well_misses_that_whatever_events_fired(outcome: str) -> None:
    for asked in (study(), study({"event": "captured"}), study({"metric": TENSION, "below": 99.0})):
        assert misses(asked, outcome, CAPTURED) == (() if outcome in SUCCESSES else (outcome,))


def test_study_may_ask_for_the_very_outcome_that_is_no_success() -> None:
    asked = study({"outcome": "rebounded"})
    assert misses(asked, "rebounded", {}) == ()
    assert misses(asked, "captured", {}) == ("not rebounded",)
    assert misses(asked, "over-stroke", {}) == ("over-stroke",)


def test_capture_is_success_if_it_holds_at_the_end_of_a_run_that_is_long_enough() -> None:
    assert misses(study(CAPTURE), "captured", CAPTURED) == ()
    assert misses(study(CAPTURE), "stopped", CAPTURED) == ()
    hooked = {**CAPTURED, "dock.outcome": "hard-docked", "dock.after_capture_s": 3.0}
    assert misses(study(CAPTURE), "hard-docked", hooked) == ()


@pytest.mark.parametrize(
    ("outcome", "changes", "missed"),
    [
        ("captured", {"dock.after_capture_s": 14.9}, "run too short"),
        ("latch lost", {"dock.outcome": "latch lost"}, "latch lost"),
        ("over-stroke", {"dock.outcome": "over-stroke", "dock.after_capture_s": 1.0}, "over-stroke"),
        ("over-stroke", {"dock.outcome": "over-stroke", "dock.after_capture_s": None}, "over-stroke"),
        ("overloaded", {"dock.outcome": "overloaded"}, "overloaded"),
        ("undocked", {"dock.outcome": "undocked"}, "undocked"),
        ("timed out", {}, "timed out"),
        ("rebounded", {"dock.outcome": "rebounded", "dock.after_capture_s": None}, "not captured"),
        ("timed out", {"dock.outcome": "not captured", "dock.after_capture_s": None}, "not captured"),
        ("stopped", {"dock.outcome": "rebounded", "dock.after_capture_s": None}, "not captured"),
        ("captured", {TENSION: 101.0}, f"over limit {TENSION}"),
        ("captured", {f"{TENSION}.band_high": 101.0}, f"over limit {TENSION}"),
        ("captured", {f"{TENSION}.band_low": 101.0, f"{TENSION}.band_high": 95.0}, f"over limit {TENSION}"),
        ("captured", {TENSION: None}, f"no figure of {TENSION}"),
        ("diverged", {TENSION: 1e9}, "diverged"),
    ],
)
def test_each_miss_of_a_docking_has_its_own_name(outcome: str, changes: dict[str, Any], missed: str) -> None:
    assert misses(study(CAPTURE, tension_N=100.0), outcome, {**CAPTURED, **changes}) == (missed,)


def test_case_may_miss_several_and_each_is_told() -> None:
    short = {**CAPTURED, "dock.after_capture_s": 2.0, TENSION: 300.0, "dock.peak_shear_N": 70.0}
    found = misses(study(CAPTURE, tension_N=100.0, shear_N=60.0), "captured", short)
    assert found == ("run too short", f"over limit {TENSION}", "over limit dock.peak_shear_N")
    lost = {**short, "dock.outcome": "latch lost"}
    assert misses(study(CAPTURE, tension_N=100.0), "timed out", lost)[:2] == ("timed out", "latch lost")


def test_success_holds_over_the_contacts_band() -> None:
    assert misses(study(CAPTURE), "captured", CAPTURED, ["captured", "hard-docked"]) == ()
    found = misses(study(CAPTURE), "captured", CAPTURED, ["rebounded", "captured"])
    assert found == ("rebounded at an end of the band",)
    assert misses(study(CAPTURE), "latch lost", {**CAPTURED, "dock.outcome": "latch lost"}, ["rebounded"]) == (
        "latch lost",
    )


@pytest.mark.parametrize("outcome", NO_FIGURES)
def test_figures_of_a_run_that_means_little_are_not_held_against_limits(outcome: str) -> None:
    assert misses(study(CAPTURE, {"event": "x"}, tension_N=1.0), outcome, CAPTURED) == (outcome,)


def test_what_a_study_asks_for_is_listed_whether_missed_or_not() -> None:
    asked = study(CAPTURE, {"event": "latched"}, {"outcome": "hard-docked"}, tension_N=100.0)
    rest = ["no event 'latched'", "not hard-docked", f"over limit {TENSION}"]
    assert list(required(asked)) == [*OF_DOCKING, *rest]
    assert {"not captured", "latch lost", "over-stroke", "run too short"} <= set(OF_DOCKING)

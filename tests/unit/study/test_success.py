"""What counts as success of a case: a run that ended well, and all conditions of the study."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from docksim.config.outcomes import CASE_OUTCOMES, SUCCESSES
from docksim.config.study import EventHappens, MetricWithin, OutcomeIs
from docksim.study.case import failure, succeeded

CAPTURED: dict[str, Any] = {"events.captured.time_s": 4.2, "dock.peak_tension_N": 90.0}


def study(*success: Any) -> Any:
    return SimpleNamespace(success=list(success))


@pytest.mark.parametrize("outcome", CASE_OUTCOMES)
def test_run_that_did_not_end_well_is_no_success_whatever_events_fired(outcome: str) -> None:
    for asked in (
        study(),
        study(EventHappens(event="captured")),
        study(MetricWithin(metric="dock.peak_tension_N", below=99.0)),
    ):
        assert succeeded(asked, outcome, CAPTURED) == (outcome in SUCCESSES)
        assert (failure(asked, outcome, CAPTURED) == f"outcome {outcome}") == (outcome not in SUCCESSES)


@pytest.mark.parametrize(
    "outcome", ["over-stroke", "misaligned", "overloaded", "latch lost", "timed out", "not captured"]
)
def test_words_for_dockings_that_failed_are_no_success(outcome: str) -> None:
    assert not succeeded(study(EventHappens(event="captured")), outcome, CAPTURED)


def test_study_may_ask_for_the_very_outcome_that_is_no_success() -> None:
    assert succeeded(study(OutcomeIs(outcome="rebounded")), "rebounded", {})
    assert not succeeded(study(OutcomeIs(outcome="rebounded")), "captured", {})
    assert not succeeded(study(OutcomeIs(outcome="rebounded")), "over-stroke", {})

"""The sequence of a scenario, written out as events."""

from __future__ import annotations

from docksim.config.schema import Scenario
from docksim.config.sequence import events_of


def with_sequence(scenario: Scenario) -> Scenario:
    """The scenario with the events of its sequence, and the sequence gone. Events with the same name stay."""
    if not scenario.sequence:
        return scenario
    events = {**events_of(scenario.sequence), **scenario.events}
    return scenario.model_copy(update={"events": events, "sequence": []})

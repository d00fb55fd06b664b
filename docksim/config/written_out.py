"""What a scenario says in short, written out: the sequence as events, the approach as an initial state."""

from __future__ import annotations

from docksim.config.approach import with_approach
from docksim.config.schema import Scenario
from docksim.config.sequence import events_of


def with_sequence(scenario: Scenario) -> Scenario:
    """The scenario with the events of its sequence, and the sequence gone. Events with the same name stay."""
    if not scenario.sequence:
        return scenario
    events = {**events_of(scenario.sequence), **scenario.events}
    return scenario.model_copy(update={"events": events, "sequence": []})


def written_out(scenario: Scenario) -> Scenario:
    """A checked scenario as the compiler takes it."""
    return with_approach(with_sequence(scenario))

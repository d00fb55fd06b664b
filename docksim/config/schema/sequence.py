"""The docking sequence: a table of phases, read as events that wait for one another.

A phase begins when the one before has begun and its own conditions hold; if they do not within `timeout_s` of that,
the actions on_timeout are taken instead and the sequence goes no further. The events are named after the phases in
lower case, and "<phase>_timeout".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from pydantic import BeforeValidator, Field

from docksim.config.schema.actions import PhaseAction, StopAction
from docksim.config.schema.conditions import AfterCondition, NotFiredCondition, TimeCondition
from docksim.config.schema.events import Action, Condition, Event, Lasting
from docksim.config.schema.fields import OR_SINGLE, Name, Positive, as_list
from docksim.config.tree import Keys

Conditions = Annotated[list[Condition], BeforeValidator(as_list), OR_SINGLE]
Actions = Annotated[list[Action], BeforeValidator(as_list), OR_SINGLE]


class Phase(Lasting):
    """One phase of the docking sequence."""

    phase: Name = Field(description="Name of the phase; in lower case also of its event.")
    when: Conditions = Field(
        default_factory=list, description="What must hold for it to begin; at once after the last one if left out."
    )
    do: Actions = Field(default_factory=list, description="What happens as it begins, in this order.")
    timeout_s: Positive | None = Field(
        None, description="Longest wait for this phase, from the beginning of the last one [s]; forever if left out."
    )
    on_timeout: Actions = Field(
        default_factory=list, description="What happens then; the run stops, timed out, if left out."
    )

    @property
    def event(self) -> str:
        """Name of the event with which it begins."""
        return self.phase.lower()

    @property
    def timeout(self) -> str:
        """Name of the event that gives it up."""
        return f"{self.event}_timeout"


def events_of(sequence: Sequence[Phase]) -> dict[str, Event]:
    """The events that the phases stand for. What a phase gives comes first among the conditions."""
    events: dict[str, Event] = {}
    for before, phase in zip([None, *sequence], sequence, strict=False):
        events[phase.event] = _begin(before, phase)
        if phase.timeout_s is not None:
            events[phase.timeout] = _give_up(before, phase, phase.timeout_s)
    return events


def _begin(before: Phase | None, phase: Phase) -> Event:
    implied: list[Condition] = [] if before is None else [AfterCondition(after=before.event)]
    if phase.timeout_s is not None:
        implied.append(NotFiredCondition(not_fired=phase.timeout))
    when = [*phase.when, *implied] or [TimeCondition(time_s=0.0)]
    do = [PhaseAction(phase=phase.phase), *phase.do]
    return Event(when=when, do=do, persistence=phase.persistence, for_s=phase.for_s)


def _give_up(before: Phase | None, phase: Phase, timeout_s: float) -> Event:
    since = TimeCondition(time_s=timeout_s)
    late: Condition = since if before is None else AfterCondition(after=before.event, delay_s=timeout_s)
    text = f"phase {phase.phase} did not begin within {timeout_s:g} s"
    stop: list[Action] = [StopAction(stop=text, outcome="timed out")]
    return Event(when=[late, NotFiredCondition(not_fired=phase.event)], do=phase.on_timeout or stop)


def given_at(path: Keys, sequence: Sequence[Phase]) -> Keys:
    """Where something of a generated event stands in the sequence; other paths as they are."""
    for index, phase in enumerate(sequence):
        here: Keys = ("sequence", index)
        if path[:2] == ("events", phase.event):
            key, rest = path[2], path[3:]
            if key == "do" and rest:
                rest = (int(rest[0]) - 1, *rest[1:])
            return (*here, key, *rest)
        if path[:3] == ("events", phase.timeout, "do"):
            return (*here, "on_timeout", *path[3:])
        if path[:2] == ("events", phase.timeout):
            return (*here, "timeout_s")
    return path


def sequence_faults(sequence: Sequence[Phase], events: Sequence[str]) -> Iterator[tuple[Keys, str]]:
    """Names that stand for two things."""
    taken = dict.fromkeys(events, "an event")
    for index, phase in enumerate(sequence):
        for name in (phase.event, *([phase.timeout] if phase.timeout_s is not None else [])):
            if name in taken:
                yield ("sequence", index, "phase"), f"its event '{name}' is also {taken[name]}; rename one of them"
            taken.setdefault(name, f"the event of phase {phase.phase}")
        if phase.on_timeout and phase.timeout_s is None:
            yield ("sequence", index, "on_timeout"), "never happens without timeout_s; give one, or remove the key"

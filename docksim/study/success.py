"""What counts as success of a case, in one place: a case succeeds if it misses nothing of what follows.

- The run ended well (SUCCESSES of docksim/config/outcomes.py), or with the very word that a condition asks for: no
  over-stroke, no latch lost, no load beyond what its interface bears, nothing timed out.
- It ended well at both ends of the contact's band too, where they are run.
- Every condition of the study holds. `captured` asks that all latches of a pair engaged, that all are engaged at the
  end or hooks closed, and that the run went on long enough after capture for the latches to be pulled at.
- No metric is beyond the study's limit; where it is known as a band, the largest over the band counts. A case that
  misses nothing else, and has no figure to hold against a limit, misses that figure.

What a case misses has a name of its own, and is counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from docksim.config.outcomes import NO_FIGURES, NOT_HELD, SUCCESSES
from docksim.config.schema.study import Captured, Condition, EventHappens, MetricWithin, OutcomeIs, Study
from docksim.result.bands import over_band
from docksim.study.columns import event_metric

NOT_CAPTURED, TOO_SHORT = "not captured", "run too short"
# of a docking, told even where no case misses it
OF_DOCKING = (NOT_CAPTURED, "latch lost", "over-stroke", "overloaded", TOO_SHORT)
ROUNDING_S = 1e-6  # of times


def misses(study: Study, outcome: str, metrics: Mapping[str, Any], ends: Iterable[str] = ()) -> tuple[str, ...]:
    """What a case misses, by name; nothing if it is a success.

    `metrics` are those of the run, words included; `ends` are outcomes at the ends of the contact's band.
    """
    if outcome in NO_FIGURES:
        return (outcome,)
    asked = [condition.outcome for condition in study.success if isinstance(condition, OutcomeIs)]
    ended_well = outcome in (*SUCCESSES, *asked)
    missed = [miss for condition in study.success for miss in _of_condition(condition, outcome, ended_well, metrics)]
    # of a pair that was not captured the outcome says how
    if not ended_well and not (NOT_CAPTURED in missed and outcome in NOT_HELD):
        missed.insert(0, outcome)
    missed += [f"{word} at an end of the band" for word in ends if ended_well and word not in (*SUCCESSES, *asked)]
    # held against a limit is the largest of the metric over its band
    missed += [_beyond(n) for n, most in study.limits.items() if max(over_band(metrics, n), default=most) > most]
    unknown = [f"no figure of {name}" for name in study.limits if metrics.get(name) is None]
    return tuple(dict.fromkeys(missed or unknown))


def required(study: Study) -> Iterator[str]:
    """What a case of the study can miss, as far as the study's file says it."""
    for condition in study.success:
        if isinstance(condition, Captured):
            yield from OF_DOCKING
        elif isinstance(condition, EventHappens):
            yield _no_event(condition)
        elif isinstance(condition, MetricWithin):
            yield _out_of_bounds(condition)
        else:
            yield f"not {condition.outcome}"
    yield from map(_beyond, study.limits)


def _of_condition(condition: Condition, outcome: str, ended_well: bool, metrics: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(condition, Captured):
        # an over-stroke ends a run before anybody can tell
        yield from _of_capture(condition, metrics) if outcome != "over-stroke" else ()
    elif isinstance(condition, EventHappens):
        if metrics.get(event_metric(condition.event)) is None:
            yield _no_event(condition)
    elif isinstance(condition, MetricWithin):
        if not _within(condition, over_band(metrics, condition.metric)):
            yield _out_of_bounds(condition)
    elif ended_well and outcome != condition.outcome:
        yield f"not {condition.outcome}"


def _of_capture(condition: Captured, metrics: Mapping[str, Any]) -> Iterator[str]:
    """Captured at all; still held at the end; for long enough, unless hooks closed."""
    word = metrics.get(f"{condition.captured}.outcome")
    after_s = metrics.get(f"{condition.captured}.after_capture_s")
    if word == "hard-docked":
        return
    if after_s is None:
        yield NOT_CAPTURED
        return
    if word != "captured":
        yield str(word)
    if word in ("captured", "overloaded") and after_s < condition.for_s - ROUNDING_S:
        yield TOO_SHORT


def _within(condition: MetricWithin, values: list[float]) -> bool:
    if not values:
        return False
    low = -float("inf") if condition.above is None else condition.above
    high = float("inf") if condition.below is None else condition.below
    return bool(low <= min(values) and max(values) <= high)


def _no_event(condition: EventHappens) -> str:
    return f"no event '{condition.event}'"


def _out_of_bounds(condition: MetricWithin) -> str:
    return f"{condition.metric} out of bounds"


def _beyond(name: str) -> str:
    return f"over limit {name}"

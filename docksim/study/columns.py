"""The metrics that the table of a study keeps: those of a run, and for every event the time of its first firing.

A metric that a run may or may not have (the time of a capture, for one) is a column as well; it is empty where the run
has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from docksim.config.errors import Problem, unknown
from docksim.config.loading.study import LoadedStudy
from docksim.config.schema.band_ends import banded
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.study import EventHappens, MetricWithin, Study
from docksim.config.tree import Keys
from docksim.result.bands import band_names, is_band_end, load_names, middle_of
from docksim.simulation.run import metric_names

# metrics whose meaning changed, and with it their name: old names, or patterns of them, and what to write instead
RENAMED = {
    "budget.kinetic_left_J": "'budget.left_J' is what is left of the approach energy, the motion together left out",
}


def _no_metric(name: str, names: list[str]) -> str:
    """What to say of a metric that there is not, or is no more."""
    hints = (f"'{name}' is no more: {hint}" for old, hint in RENAMED.items() if fnmatchcase(name, old))
    return next(hints, "") or unknown("metric", name, names)


def event_metric(event: str) -> str:
    """The metric that says when an event fired first."""
    return f"events.{event}.time_s"


def all_metrics(study: Study, scenario: Scenario) -> list[str]:
    """Every metric that a case may have; loads with those of the ends of their band, where the study runs them."""
    names = metric_names(scenario)
    if runs_band(study, scenario, names):
        names = list(band_names(names, scenario.contacts))
    return [*names, *(event_metric(name) for name in scenario.events)]


def runs_band(study: Study, scenario: Scenario, names: Iterable[str]) -> bool:
    """Is every case run at both ends of its contact's band, too? A limit that holds at one stiffness says little, so
    that is how it is where loads are judged and nothing else is said."""
    if study.band is not None or not banded(scenario):
        return bool(study.band and banded(scenario))
    judged = {*study.limits, *(item.metric for item in study.success if isinstance(item, MetricWithin))}
    asked = any(is_band_end(name) for _, name in named_metrics(study))
    return asked or not judged.isdisjoint(load_names(names, scenario.contacts))


def metric_columns(study: Study, names: list[str]) -> list[str]:
    """Of these metrics, those that fit the study's patterns, and those that its conditions look at; a load with both
    ends of its band."""
    needed = {name for _, name in named_metrics(study)}
    needed |= {event_metric(item.event) for item in study.success if isinstance(item, EventHappens)}
    kept = {name for name in names if name in needed or any(fnmatchcase(name, pattern) for pattern in study.metrics)}
    return [name for name in names if name in kept or middle_of(name) in kept]


def named_metrics(study: Study) -> Iterator[tuple[Keys, str]]:
    """Every metric that the study speaks of by name, with the place where it does."""
    for i, item in enumerate(study.success):
        if isinstance(item, MetricWithin):
            yield ("success", i, "metric"), item.metric
    yield from ((("limits", name), name) for name in study.limits)
    if study.histories.metric is not None:
        yield ("histories", "metric"), study.histories.metric
    if study.rare is not None:
        yield ("rare", "metric"), study.rare.metric


def metric_faults(loaded: LoadedStudy, names: list[str]) -> list[Problem]:
    """Metrics that do not exist, and patterns that fit none."""
    wrong: list[tuple[Keys, str]] = [(path, name) for path, name in named_metrics(loaded.study) if name not in names]
    for i, pattern in enumerate(loaded.study.metrics):
        if not any(fnmatchcase(name, pattern) for name in names):
            wrong.append((("metrics", i), pattern))
    problems = [loaded.problem(path, _no_metric(name, names)) for path, name in wrong]
    if loaded.study.band and not banded(loaded.base):
        text = "no contact pair of the base has a band of stiffness (contact: band: ...); remove the key, or give one"
        problems.append(loaded.problem(("band",), text))
    return problems

"""What a report says of a study, as rows of text: success, metrics with tolerance limits, limits, drivers, origin."""

from __future__ import annotations

from dataclasses import dataclass

import yaml

from docksim.report.facts import Rows, origin_rows
from docksim.result.bands import contact_of
from docksim.study.statistics import CONFIDENCE
from docksim.study.store import Store
from docksim.study.summary import Driver, Exceedance, MetricStatistics, StudySummary, summarize_study
from docksim.study.table import Miss, Table

MOST_DRIVERS = 5


@dataclass(frozen=True)
class StudyFacts:
    """Everything but the figures."""

    name: str
    folder: str
    description: str
    summary: Rows
    metrics: list[list[str]]
    limits: list[list[str]]
    drivers: Rows
    sobol: list[list[str]]
    notes: list[str]
    study: str
    scenario: str
    origin: Rows
    command: str


def study_facts(table: Table, metrics: list[str]) -> StudyFacts:
    said = summarize_study(table, metrics)
    store = Store.open(table.file, read_only=True)
    try:
        about, sessions = store.about(), store.sessions()
    finally:
        store.connection.close()
    content = table.study.model_dump(mode="json", exclude_defaults=True)
    return StudyFacts(
        name=said.name,
        folder=str(table.file.parent),
        description=table.study.description,
        summary=list(_summary(said)),
        metrics=[row for item in said.metrics for row in _metric(item)],
        limits=[_limit(item.name, item.exceedance) for item in said.metrics if item.exceedance is not None],
        drivers=[(name, _driver_words(drivers)) for name, drivers in said.drivers.items()],
        # shares of the variance, where the sampling of the study gives them
        sobol=[
            [name, index.factor, index.first.text, index.total.text]
            for name, indices in said.sensitivity.items()
            for index in indices
        ],
        notes=said.notes,
        study=yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110),
        scenario=str(about.get("base", "")),
        origin=origin_rows({**(sessions[-1] if sessions else {}), "seed": table.study.seed}),
        command=f"docksim study {table.study.name}.yaml   # the study below, saved as a file",
    )


def _summary(said: StudySummary) -> Rows:
    rows = [
        ("cases", f"{said.cases} of {said.planned}, {said.sampling}"),
        ("successful", f"{said.successes} of {said.cases}"),
    ]
    if said.success is not None:
        rows.append(("probability", f"{said.success.text} at {CONFIDENCE:.0%}; {said.success.method}"))
    rows += [(f"outcome {name}", str(count)) for name, count in said.outcomes.items()]
    rows += [(f"missed: {one.name}", missed_text(one)) for one in said.missed]
    return rows


def missed_text(miss: Miss) -> str:
    """3, or "3, 2 of them nothing else" where some cases missed more than this."""
    return str(miss.cases) if miss.cases == miss.alone else f"{miss.cases}, {miss.alone} of them nothing else"


def _metric(item: MetricStatistics) -> list[list[str]]:
    """The metric, and below it the same at the ends of the contact's band."""
    return [[item.name, *_statistics(item)], *([contact_of(end.name), *_statistics(end)] for end in item.ends)]


def _statistics(item: MetricStatistics) -> list[str]:
    tolerance = "" if item.tolerance is None else f"{item.tolerance[0]:.5g}"
    shares = [f"{value.estimate:.5g}" for value in item.percentiles.values()]
    return [f"{item.mean.estimate:.5g}", *shares, tolerance, f"{item.largest:.5g}", str(item.worst_case)]


def _limit(name: str, beyond: Exceedance) -> list[str]:
    share = "" if beyond.probability is None else beyond.probability.text
    bound = "" if beyond.at_most is None else f"{beyond.at_most:.3g}"
    return [name, f"{beyond.limit:g}", f"{beyond.count} of {beyond.cases}", share, bound]


def _driver_words(drivers: list[Driver]) -> str:
    sure = [f"{one.key} {one.coefficient:+.2f}" for one in drivers if one.significant][:MOST_DRIVERS]
    return ", ".join(sure) or "none"

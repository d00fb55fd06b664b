"""The summary of a study as tables on standard output."""

from __future__ import annotations

import math
from collections.abc import Sequence

import click
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text

from docksim.cli.tables import fact_table, left, listing, print_table, right
from docksim.result.bands import contact_of
from docksim.result.summary_text import number
from docksim.study.rare import RareEvent
from docksim.study.sensitivity import SobolIndex
from docksim.study.statistics import CONFIDENCE, COVERAGE
from docksim.study.summary import MetricStatistics, StudySummary
from docksim.study.table import Case
from docksim.study.worst_search import WorstCase

MAX_METRICS = 30
MAX_DRIVERS = 5


def show_summary(study: StudySummary) -> None:
    """Success, outcomes, what was missed, metrics with limits, drivers, then what a careful reader must know."""
    print_table(head_table(study))
    if study.missed:
        print_table(missed_table(study))
    if study.metrics:
        print_table(metric_table(study))
    if any(item.exceedance for item in study.metrics):
        print_table(limit_table(study))
    if any(study.drivers.values()):
        print_table(driver_table(study))
    for name, indices in study.sensitivity.items():
        print_table(sensitivity_table(name, indices))
    for note in study.notes:
        click.echo(f"note: {note}")


def head_table(study: StudySummary) -> RichTable:
    """The study as a whole."""
    table = fact_table(study.name)
    table.add_row("cases", f"{study.cases} of {study.planned}, {study.sampling}")
    table.add_row("successful", f"{study.successes} of {study.cases}")
    if study.success is not None:
        table.add_row("probability", Text(f"{study.success.text} at {CONFIDENCE:.0%}; {study.success.method}"))
    for name, count in study.outcomes.items():
        table.add_row(f"outcome {name}", str(count))
    if study.cases_per_worker_hour is not None:
        table.add_row("speed", f"{study.cases_per_worker_hour:.0f} cases an hour and worker")
    return table


def _listing(first: str, others: Sequence[str], no_wrap: bool = False) -> RichTable:
    """Names at the left, figures at the right."""
    return listing("", Column(first, overflow="fold", min_width=30), *right(*others, wrap=not no_wrap), tight=True)


def missed_table(study: StudySummary) -> RichTable:
    """What cases without success missed; one case may miss several."""
    table = _listing("missed", ("cases", "nothing else"), no_wrap=True)
    for miss in study.missed:
        table.add_row(Text(miss.name), str(miss.cases), str(miss.alone))
    return table


def metric_table(study: StudySummary) -> RichTable:
    """One row a metric."""
    tolerance = f"{COVERAGE:.0%}/{CONFIDENCE:.0%}"
    headings = ("mean", "median", "95th", "99th", tolerance, "largest", "in case")
    table = _listing("metric", headings, no_wrap=True)
    for item in study.metrics[:MAX_METRICS]:
        table.add_row(Text(item.name), *_statistics(item))
        for end in item.ends:
            table.add_row(Text(f"  {contact_of(end.name)}"), *_statistics(end))
    if len(study.metrics) > MAX_METRICS:
        table.add_row(f"… {len(study.metrics) - MAX_METRICS} more; --metric chooses")
    return table


def _statistics(item: MetricStatistics) -> list[str]:
    sizes = [item.mean.estimate, *(value.estimate for value in item.percentiles.values())]
    limit = "-" if item.tolerance is None else f"{item.tolerance[0]:.5g}"
    return [*(f"{size:.5g}" for size in sizes), limit, f"{item.largest:.5g}", str(item.worst_case)]


def limit_table(study: StudySummary) -> RichTable:
    """Metrics against the limits that the study sets."""
    table = _listing("metric", ("limit", "cases beyond", "probability", f"at most ({CONFIDENCE:.0%})"))
    for item in study.metrics:
        beyond = item.exceedance
        if beyond is not None:
            share = "-" if beyond.probability is None else beyond.probability.text
            bound = "-" if beyond.at_most is None else f"{beyond.at_most:.3g}"
            table.add_row(Text(item.name), f"{beyond.limit:g}", f"{beyond.count} of {beyond.cases}", share, bound)
    return table


def driver_table(study: StudySummary) -> RichTable:
    """What each metric goes with: rank correlations that are not chance."""
    headings = ("metric", "rank correlation with dispersed keys (those beyond chance)")
    table = listing("", *left(*headings, fold=True), tight=True)
    for name, drivers in list(study.drivers.items())[:MAX_METRICS]:
        beyond = [f"{item.key} {item.coefficient:+.2f}" for item in drivers if item.significant][:MAX_DRIVERS]
        table.add_row(Text(name), Text(", ".join(beyond) or "none"))
    return table


def sensitivity_table(name: str, indices: list[SobolIndex]) -> RichTable:
    """Shares of the variance of one metric, factor by factor."""
    table = _listing("factor", ("alone (first order)", "with interactions (total)"))
    table.title, table.title_justify = Text(f"shares of the variance of {name}", "bold"), "left"
    for index in indices:
        shares = [f"{x.estimate:.3f} [{x.low:.3f}, {x.high:.3f}]" for x in (index.first, index.total)]
        table.add_row(Text(index.factor), *shares)
    rest = 1.0 - sum(index.first.estimate for index in indices)
    table.add_row("no factor alone", f"{rest:.3f}", "")
    return table


def rare_tables(event: RareEvent) -> list[RichTable]:
    """The event with its probability and likeliest case, then the levels."""
    estimate = event.estimate
    low, high = estimate.interval()
    head = fact_table(event.event)
    head.add_row("probability", f"{estimate.probability:.3g} [{low:.2g}, {high:.2g}] at 95%")
    head.add_row("coefficient of variation", f"{estimate.variation:.2f}")
    # how many random cases would give the same coefficient of variation
    p, spread = estimate.probability, estimate.variation
    random_cases = (1.0 - p) / (p * spread**2) if spread > 0.0 and p < 1.0 else float(estimate.points)
    head.add_row("cases", f"{estimate.points}; random ones would need {random_cases:.2g}")
    if event.case is not None:
        value = "no value" if event.value is None else number(event.value)
        head.add_row("likeliest case", f"{event.case}: {value}, {estimate.distance:.2f} standard deviations out")
        for key, item in event.inputs.items():
            head.add_row(Text(f"  {key}"), number(item) if isinstance(item, (int, float)) else str(item))
    headings = right("level", "from", "to", "share", "variation", "accepted", wrap=True)
    levels = listing("", *headings, tight=True)
    for i, level in enumerate(estimate.levels, 1):
        cells = [number(x) if math.isfinite(x) else "-" for x in (level.threshold, level.next_threshold)]
        accepted = "-" if math.isnan(level.accepted) else f"{level.accepted:.2f}"
        levels.add_row(str(i), *cells, f"{level.share:.3g}", f"{level.variation:.2f}", accepted)
    return [head, levels]


def worst_tables(answer: WorstCase) -> list[RichTable]:
    """The worst case with how it was found, then it and the next ones side by side with all their inputs."""
    one = answer.worst
    head = fact_table(f"{answer.study}: worst {answer.metric}")
    head.add_row("worst case", f"{one.case}: {number(one.value)}, {one.outcome}")
    head.add_row("missed", Text(", ".join(one.missed) or "nothing: a success of its study"))
    head.add_row("scatter", Text(answer.scatter))
    best = number(answer.largest_of_first)
    head.add_row("cases", f"{answer.runs}; the largest of the first {answer.first}, corners and such, is {best}")
    names = [f"case {each.case}" for each in answer.contenders]
    inputs = _listing("", names, no_wrap=True)
    inputs.add_row(Text(answer.metric), *(number(each.value) for each in answer.contenders))
    if answer.repeats:
        inputs.add_row("  least over its starts", *(number(each.least) for each in answer.contenders))
        inputs.add_row("  median", *(number(each.median) for each in answer.contenders))
        inputs.add_row("  largest", *(number(each.largest) for each in answer.contenders))
    for key in one.inputs:
        inputs.add_row(Text(key), *(number(each.inputs[key]) for each in answer.contenders))
    return [head, inputs]


def case_table(metric: str, cases: Sequence[Case]) -> RichTable:
    """The worst cases of a metric side by side with all their inputs."""
    table = _listing("worst cases", [f"case {one.case}" for one in cases])
    table.add_row(Text(metric), *(number(one.value) for one in cases))
    table.add_row("outcome", *(one.outcome for one in cases))
    table.add_row("missed", *(Text(", ".join(one.missed) or "nothing") for one in cases))
    for key in cases[0].inputs if cases else ():
        table.add_row(Text(key), *(number(one.inputs[key]) for one in cases))
    return table

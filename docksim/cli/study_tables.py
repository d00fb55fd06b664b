"""The summary of a study as tables on standard output."""

from __future__ import annotations

import math

import click
from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from docksim.cli.tables import number, print_table
from docksim.study.statistics import CONFIDENCE, COVERAGE, Interval
from docksim.study.summary import StudySummary
from docksim.study.table import Table

MAX_METRICS = 30
MAX_DRIVERS = 5


def show_summary(found: StudySummary) -> None:
    """Success, outcomes, metrics with limits, drivers, then what a careful reader must know."""
    print_table(head_table(found))
    if found.metrics:
        print_table(metric_table(found))
    if any(item.exceedance for item in found.metrics):
        print_table(limit_table(found))
    if any(found.drivers.values()):
        print_table(driver_table(found))
    for note in found.notes:
        click.echo(f"note: {note}")


def head_table(found: StudySummary) -> RichTable:
    """The study as a whole."""
    table = RichTable(box=box.SIMPLE_HEAD, show_header=False, title=Text(found.name, "bold"), title_justify="left")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("cases", f"{found.cases} of {found.planned}, {found.sampling}")
    table.add_row("successful", f"{found.successes} of {found.cases}")
    if found.success is not None:
        table.add_row("probability", Text(f"{span(found.success)} at {CONFIDENCE:.0%}; {found.success.method}"))
    for name, count in found.outcomes.items():
        table.add_row(f"outcome {name}", str(count))
    for why, count in found.failures.items():
        table.add_row("not successful", Text(f"{count}: {why}"))
    if found.cases_per_worker_hour is not None:
        table.add_row("speed", f"{found.cases_per_worker_hour:.0f} cases an hour and worker")
    return table


def span(interval: Interval) -> str:
    """0.97 [0.95, 0.98]."""
    if math.isnan(interval.low):
        return f"{interval.estimate:.4g}"
    return f"{interval.estimate:.4g} [{interval.low:.4g}, {interval.high:.4g}]"


def metric_table(found: StudySummary) -> RichTable:
    """One row a metric."""
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("metric", overflow="fold", min_width=30)
    tolerance = f"{COVERAGE:.0%}/{CONFIDENCE:.0%}"
    for heading in ("mean", "median", "95th", "99th", tolerance, "largest", "in case"):
        table.add_column(heading, justify="right", no_wrap=True)
    for item in found.metrics[:MAX_METRICS]:
        sizes = [item.mean.estimate, *(value.estimate for value in item.percentiles.values())]
        limit = "-" if item.tolerance is None else f"{item.tolerance[0]:.5g}"
        cells = [*(f"{size:.5g}" for size in sizes), limit, f"{item.largest:.5g}", str(item.worst_case)]
        table.add_row(Text(item.name), *cells)
    if len(found.metrics) > MAX_METRICS:
        table.add_row(f"… {len(found.metrics) - MAX_METRICS} more; --metric chooses")
    return table


def limit_table(found: StudySummary) -> RichTable:
    """Metrics against the limits that the study sets."""
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("metric", overflow="fold", min_width=30)
    for heading in ("limit", "cases beyond", "probability", f"at most ({CONFIDENCE:.0%})"):
        table.add_column(heading, justify="right")
    for item in found.metrics:
        beyond = item.exceedance
        if beyond is not None:
            share = "-" if beyond.probability is None else span(beyond.probability)
            bound = "-" if beyond.at_most is None else f"{beyond.at_most:.3g}"
            table.add_row(Text(item.name), f"{beyond.limit:g}", f"{beyond.count} of {beyond.cases}", share, bound)
    return table


def driver_table(found: StudySummary) -> RichTable:
    """What each metric goes with: rank correlations that are not chance."""
    table = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("metric", overflow="fold")
    table.add_column("rank correlation with dispersed keys (those beyond chance)", overflow="fold")
    for name, drivers in list(found.drivers.items())[:MAX_METRICS]:
        beyond = [f"{item.key} {item.coefficient:+.2f}" for item in drivers if item.significant][:MAX_DRIVERS]
        table.add_row(Text(name), Text(", ".join(beyond) or "none"))
    return table


def show_worst(table: Table, metrics: list[str], count: int) -> None:
    """The worst cases of every metric, by number, to be run again with docksim run STUDY --case N."""
    for name in metrics:
        listed = ", ".join(f"case {case}: {number(value)}" for case, value in table.worst(name, count))
        click.echo(f"worst {name}: {listed}")

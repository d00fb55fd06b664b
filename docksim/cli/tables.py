"""Summary tables on standard output. User's words are shown as they are, never read as markup."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from docksim.batch import RunReport, counts
from docksim.outcomes import SUCCESSES
from docksim.result import Metric
from docksim.summary import Summary

MAX_METRICS = 30
_SHOWN_ABOVE = ("energy.residual", "momentum.linear_residual", "momentum.angular_residual")
_COLOURS = {**dict.fromkeys(SUCCESSES, "green"), "interrupted": "yellow"}


def show_run(report: RunReport) -> None:
    """The full summary of one run, then where its files are."""
    if report.problems:
        for problem in report.problems:
            click.echo(str(problem), err=True)
        return
    if report.summary is None:
        click.echo(f"{report.source}: {report.outcome}: {report.reason}", err=True)
        return
    print_table(run_table(report, report.summary))
    if report.folder:
        click.echo(f"result   {report.folder}")
    for i, path in enumerate(report.figures):
        click.echo(f"{'figures' if i == 0 else '':<9}{path}")
    _echo_warnings(report)


def show_batch(reports: Sequence[RunReport]) -> None:
    """One row per file, every fault, and where the results are."""
    print_table(batch_table(reports))
    for report in reports:
        if report.folder:
            click.echo(f"result   {report.folder}")
    for report in reports:
        for problem in report.problems:
            click.echo(str(problem), err=True)
        _echo_warnings(report)
    click.echo(", ".join(f"{number} {outcome}" for outcome, number in counts(reports).items()))


def run_table(report: RunReport, summary: Summary) -> Table:
    """Outcome, times, balances; then events; then metrics."""
    table = Table(box=box.SIMPLE_HEAD, show_header=False, title=Text(report.scenario, "bold"), title_justify="left")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row("outcome", _outcome(report.outcome))
    if report.reason:
        table.add_row("reason", Text(report.reason))
    for name, value in _balance_rows(summary):
        table.add_row(name, Text(value))
    _add_part(table, "events", list(_event_rows(summary)))
    _add_part(table, "metrics", list(_metric_rows(summary)))
    return table


def _add_part(table: Table, heading: str, rows: Sequence[tuple[str, str]]) -> None:
    """Rows under a heading of their own; nothing if there are none."""
    if rows:
        table.add_section()
        table.add_row(Text(heading, "bold"))
    for name, value in rows:
        table.add_row(Text(name), Text(value))


def batch_table(reports: Sequence[RunReport]) -> Table:
    """One row per file, in the order they were given."""
    names = short_names([report.source for report in reports])
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("file", overflow="fold")
    table.add_column("outcome", no_wrap=True)
    for name in ("simulated", "wall", "speed", "residual"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("reason", overflow="fold")
    for report, name in zip(reports, names, strict=True):
        table.add_row(Text(name), _outcome(report.outcome), *_figures(report), Text(report.reason))
    return table


def _figures(report: RunReport) -> list[str]:
    summary = report.summary
    if summary is None:
        return ["", "", "", ""]
    return [
        f"{number(summary.simulated_s)} s",
        _with(summary.wall_s, " s"),
        _with(summary.real_time_factor, "×"),
        _with(summary.energy_residual.final if summary.energy_residual else None, ""),
    ]


def _balance_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    yield "simulated time", f"{number(summary.simulated_s)} s"
    if summary.wall_s is not None:
        yield "wall time", f"{summary.wall_s:.3g} s"
    if summary.real_time_factor is not None:
        yield "real-time factor", f"{summary.real_time_factor:.3g}"
    if residual := summary.energy_residual:
        yield (
            "energy residual",
            f"{residual.final:.2e} at the end, {residual.largest:.2e} at most, of the largest energy",
        )
    for name, left in summary.momentum_residuals.items():
        relative = "" if left.relative is None else f", relative {left.relative:.2e}"
        yield f"{name} momentum residual", f"{left.largest:.2e} {left.unit}".rstrip() + f" at most{relative}"


def _event_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    for event in summary.events:
        words = f"{event.name}: {event.text}" if event.text else event.name
        loss = f" (energy loss {number(event.energy_loss_J)} J)" if event.energy_loss_J else ""
        yield f"{event.time_s:.6g} s", words + loss


def _metric_rows(summary: Summary) -> Iterator[tuple[str, str]]:
    items = list(condensed({k: v for k, v in summary.metrics.items() if not k.startswith(_SHOWN_ABOVE)}).items())
    yield from items[:MAX_METRICS]
    if len(items) > MAX_METRICS:
        yield "…", f"{len(items) - MAX_METRICS} more in metrics.json"


def condensed(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Metrics as text, those of a beam's segments in one line: the largest, "chaser.array.*.load_force_N.peak"."""
    groups: dict[str, list[Metric]] = {}
    for name, value in metrics.items():
        groups.setdefault(re.sub(r"\.\d+(?=\.)", ".*", name), []).append(value)
    return {name: _largest(values) for name, values in groups.items()}


def _largest(values: list[Metric]) -> str:
    numbers = [value for value in values if not isinstance(value, str)]
    if len(values) == 1 or len(numbers) < len(values):
        return ", ".join(number(value) for value in values)
    return f"{number(max(numbers))}, largest of {len(values)}"


def number(value: Any) -> str:
    """Six digits are enough to read; the files have them all."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _with(value: float | None, ending: str) -> str:
    return "" if value is None else f"{value:.3g}{ending}"


def _outcome(outcome: str) -> Text:
    return Text(outcome, _COLOURS.get(outcome, "red"))


def short_names(files: Sequence[str]) -> list[str]:
    """File names without the folder that all of them share."""
    folders = {Path(file).parent for file in files}
    return [Path(file).name for file in files] if len(folders) == 1 else list(files)


def _echo_warnings(report: RunReport) -> None:
    for warning in report.warnings:
        click.echo(f"{report.source}: warning: {warning}", err=True)


def print_table(table: Table) -> None:
    """As wide as the terminal; at least 100 columns into a pipe or file."""
    width = shutil.get_terminal_size((100, 40)).columns
    Console(width=width).print(table)

"""Summary tables on standard output. User's words are shown as they are, never read as markup."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from docksim import __version__
from docksim.config.errors import listed
from docksim.config.outcomes import SUCCESSES
from docksim.jobs.batch import RunReport, counts
from docksim.result.bands import NO_LIMITS, WITHIN
from docksim.result.files import plain
from docksim.result.summary import Summary
from docksim.result.summary_text import balance_rows, event_rows, load_rows, metric_rows, number, peak_rows

WIDEST = 10_000
_COLOURS = {**dict.fromkeys(SUCCESSES, "green"), "interrupted": "yellow"}


def show_run(report: RunReport) -> None:
    """The full summary of one run, then where its files are."""
    if report.problems:
        for line in listed(report.problems):
            click.echo(line, err=True)
        return
    if report.summary is None:
        click.echo(f"{report.source}: {report.outcome}: {report.reason}", err=True)
        return
    print_table(run_table(report, report.summary))
    if report.folder:
        click.echo(f"result   {report.folder}")
    for i, path in enumerate(report.figures):
        click.echo(f"{'figures' if i == 0 else '':<9}{path}")
    # what else could be drawn, and how
    if report.more_figures:
        click.echo(f"more     {', '.join(report.more_figures)}")
        click.echo(f"         docksim plot {report.folder} --what {report.more_figures[0]}, or all by --figures all")
    for i, path in enumerate(report.checkpoints):
        click.echo(f"{'kept' if i == 0 else '':<9}{path}")
    _echo_warnings(report, report.warnings)


def show_batch(reports: Sequence[RunReport]) -> None:
    """One row per file, every fault, and where the results are."""
    print_table(batch_table(reports))
    for report in reports:
        if report.folder:
            click.echo(f"result   {report.folder}")
    for report in reports:
        for line in listed(report.problems):
            click.echo(line, err=True)
        _echo_warnings(report, report.all_warnings)
    click.echo(", ".join(f"{number} {outcome}" for outcome, number in counts(reports).items()))


def run_table(report: RunReport, summary: Summary) -> Table:
    """Outcome, times, balances; then events; then metrics."""
    table = fact_table(report.scenario)
    table.add_row("outcome", _outcome(report.outcome))
    if report.reason:
        table.add_row("reason", Text(report.reason))
    if report.missed is not None:
        table.add_row("missed", Text(", ".join(report.missed) or "nothing: a success of its study"))
    for text in summary.warnings:
        table.add_row("warning", Text(text, "yellow"))
    for name, value in (*balance_rows(summary), *peak_rows(summary)):
        loud = name == "loads" and not value.startswith((WITHIN, NO_LIMITS))
        table.add_row(name, Text(value, "bold red" if loud else ""))
    _add_section(table, "events", list(event_rows(summary)))
    _add_section(table, "loads, contact soft / middle / stiff", list(load_rows(summary)))
    _add_section(table, "metrics", list(metric_rows(summary)))
    return table


def _add_section(table: Table, heading: str, rows: Sequence[tuple[str, str]]) -> None:
    """Rows under a heading of their own; nothing if there are none."""
    if rows:
        table.add_section()
        table.add_row(Text(heading, "bold"))
    for name, value in rows:
        table.add_row(Text(name), Text(value))


def batch_table(reports: Sequence[RunReport]) -> Table:
    """One row per file, in the order they were given."""
    names = short_names([report.source for report in reports])
    figures = right("simulated", "wall", "speed", "residual")
    columns = [*left("file", fold=True), *left("outcome"), *figures, *left("reason", fold=True)]
    table = listing("", *columns, tight=True)
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


def _with(value: float | None, ending: str) -> str:
    return "" if value is None else f"{value:.3g}{ending}"


def _outcome(outcome: str) -> Text:
    return Text(outcome, _COLOURS.get(outcome, "red"))


def short_names(files: Sequence[str]) -> list[str]:
    """File names without the folder that all of them share."""
    folders = {Path(file).parent for file in files}
    return [Path(file).name for file in files] if len(folders) == 1 else list(files)


def _echo_warnings(report: RunReport, warnings: Sequence[str]) -> None:
    for warning in warnings:
        click.echo(f"{report.source}: warning: {warning}", err=True)


def left(*names: str, fold: bool = False) -> list[Column]:
    """Columns of words, which are cut or folded where they are too long."""
    return [Column(name, overflow="fold") if fold else Column(name, no_wrap=True) for name in names]


def right(*names: str, wrap: bool = False) -> list[Column]:
    """Columns of figures."""
    return [Column(name, justify="right", no_wrap=not wrap) for name in names]


def listing(title: str, *columns: Column, tight: bool = False) -> Table:
    """A table with headings, under a title or none; `tight` leaves no room at the left of a column."""
    heading, padding = (Text(title, "bold") if title else None), ((0, 1, 0, 0) if tight else (0, 1))
    return Table(*columns, box=box.SIMPLE_HEAD, title=heading, title_justify="left", padding=padding)


def fact_table(title: str = "", rows: Iterable[tuple[str, str]] = ()) -> Table:
    """Names and values, without headings."""
    table = listing(title, *left(""), *left("", fold=True))
    table.show_header = False
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return table


def echo_json(content: dict[str, Any]) -> None:
    """What machines read, with the version; JSON has no infinity, which is null."""
    click.echo(json.dumps(plain({"docksim_version": __version__, **content}), indent=1, allow_nan=False))


def print_table(table: Table) -> None:
    """As wide as the terminal; 100 columns into a pipe or file, and more where a cell would be cut."""
    width = shutil.get_terminal_size((100, 40)).columns
    if not sys.stdout.isatty():
        wide = Console(width=WIDEST)
        for column in table.columns:
            # what a row is about stays in one piece
            if column.no_wrap or column is table.columns[0]:
                # by itself rich counts its longest word alone
                column.no_wrap = True
                column.min_width = max(wide.measure(cell).maximum for cell in (column.header, *column.cells))
            else:
                column.min_width, column.overflow = None, "fold"
        width = max(width, wide.measure(table).minimum)
    Console(width=width).print(table)

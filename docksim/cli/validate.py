"""docksim validate: published cases against what docksim finds, as a table."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from docksim.cli.interrupt import interruptible
from docksim.cli.loading import complaints
from docksim.cli.options import json_option
from docksim.cli.tables import echo_json, left, listing, print_table
from docksim.jobs.compiling import LINE_EVERY_S, compile_first
from docksim.jobs.signals import interrupted
from docksim.result.arrays import write_text
from docksim.validation.bench import Bench, Kept
from docksim.validation.judge import UnknownRow, chosen, counts, judged
from docksim.validation.page import page
from docksim.validation.registry import ROWS
from docksim.validation.row import GROUPS, Answer, Row

_COLOURS = {"pass": "green", "fail": "red", "not run": "yellow"}


@click.command(short_help="Hold docksim against published cases, and print the table.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--full", is_flag=True, help="Full populations: more than an hour on two cores.  [default: a minute]")
@click.option("--list", "listed", is_flag=True, help="Names of the rows, and what is published; nothing is run.")
@json_option
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE.md", help="Write the table as a page, with figures."
)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Runs at a time.  [default: all cores]")
@click.option(
    "--keep", type=click.Path(path_type=Path), default=Path("results/validation"), show_default=True,
    help="Folder that keeps finished runs; the next validation takes them from there.",
)  # fmt: skip
@click.pass_context
def validate(
    context: click.Context, names: tuple[str, ...], full: bool, listed: bool, as_json: bool, out: Path | None,
    workers: int | None, keep: Path,
) -> None:  # fmt: skip
    """Run published cases and populations, and say which of them docksim meets.

    Every row has its source and a band; docs/validation.md is the table in its full size. Ctrl-C loses nothing:
    finished runs are kept, and the same command goes on with them, unless sources or scenarios have changed.
    Exit code: 0 if all rows pass, 1 if one fails, 130 or 143 if it was interrupted.

    \b
    Examples:
    docksim validate
    docksim validate apas_thrust apas_slowest --full
    docksim validate --full --out validation.md
    """
    try:
        rows = chosen(ROWS, names)
    except UnknownRow as error:
        raise click.UsageError(str(error)) from error
    if listed:
        _list(rows, as_json)
        return
    with complaints():
        answers = _answers(rows, full, workers, keep)
        if out is not None:
            _write(answers, out, full)
    _show(answers, full, as_json)
    verdicts = {answer.verdict for answer in answers}
    context.exit(interrupted() if "not run" in verdicts else int("fail" in verdicts))


def _list(rows: Sequence[Row], as_json: bool) -> None:
    if as_json:
        said = ("name", "group", "published", "source", "band", "reason", "tuned", "lacks")
        echo_json({"rows": [{key: getattr(row, key) for key in said} for row in rows]})
        return
    for row in rows:
        click.echo(f"{row.name:20} {row.published}")


class _Progress:
    """A line for every row as it begins and ends, and now and then how far a long one is."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._console = Console(stderr=True)
        self._row, self._last = "", time.monotonic()

    def note(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def begun(self, index: int, row: Row) -> None:
        self._row, self._last = f"[{index + 1}/{self._rows}] {row.name}", time.monotonic()

    def runs(self, done: int, of: int) -> None:
        if time.monotonic() - self._last >= LINE_EVERY_S:
            self._last = time.monotonic()
            self.note(f"{self._row}: {done} of {of} runs")

    def ended(self, answer: Answer) -> None:
        if answer.verdict != "not run":
            self.note(f"{self._row}: {answer.verdict}, {answer.ours}")


def _answers(rows: Sequence[Row], full: bool, workers: int | None, keep: Path) -> list[Answer]:
    """Every row's answer, with progress on standard error."""
    progress, answers = _Progress(len(rows)), list[Answer]()
    compile_first(progress.note)
    try:
        with interruptible(progress.note) as stop:
            bench = Bench(Kept(keep), workers, stop.is_set, progress.runs)
            for answer in judged(rows, bench, full, progress.begun):
                answers.append(answer)
                progress.ended(answer)
    except KeyboardInterrupt:
        click.echo(f"aborted; finished runs are kept in {keep}", err=True)
        # workers may be inside a long compiled call; waiting for them is what the user does not want
        os._exit(interrupted())
    if any(answer.verdict == "not run" for answer in answers):
        progress.note(f"interrupted; finished runs are kept in {keep}, and the same command goes on")
    return answers


def _show(answers: Sequence[Answer], full: bool, as_json: bool) -> None:
    if as_json:
        echo_json({"full": full, "counts": counts(answers), "rows": [answer.as_dict() for answer in answers]})
        return
    for group, heading in GROUPS.items():
        mine = [answer for answer in answers if answer.row.group == group]
        if mine:
            print_table(_table(heading, mine))
    for answer in answers:
        if answer.verdict == "fail" and answer.row.lacks:
            click.echo(f"{answer.row.name}: what the model lacks: {answer.row.lacks}")
    click.echo(counts(answers) + ("" if full else "; small sizes, --full runs the populations"))


def _table(heading: str, answers: Sequence[Answer]) -> Table:
    widths = {"published": 8, "source": 6, "passes if": 6, "ours": 6}
    texts = [Column(name, ratio=ratio, overflow="fold") for name, ratio in widths.items()]
    table = listing(heading, *left("row"), *texts, *left("verdict"))
    table.show_lines = True
    for answer in answers:
        row = answer.row
        said = (row.name, row.published, row.source, row.band, f"{answer.ours}\n({answer.size})".lstrip())
        table.add_row(*map(Text, said), Text(answer.verdict, _COLOURS[answer.verdict]))
    return table


def _write(answers: Sequence[Answer], out: Path, full: bool) -> None:
    """The page, and its figures in a folder `figures` beside it."""
    # a table by itself draws nothing
    from docksim.plots.files import write_figures
    from docksim.plots.validation import CAPTIONS, validation_figures

    figures = write_figures(validation_figures(answers), out.parent / "figures", "svg")
    shown = {f"figures/{path.name}": CAPTIONS[path.stem] for path in figures}
    click.echo(str(write_text(out, page(answers, shown, full))), err=True)

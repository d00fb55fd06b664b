"""docksim study: run a study, sum it up, compare two."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from docksim.study.plan import Plan
    from docksim.study.runner import StopRule

INTERRUPTED = 130
FIGURE_FORMATS = ("png", "svg", "pdf")


class _StudyGroup(click.Group):
    """`docksim study FILE` is short for `docksim study run FILE`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_StudyGroup, short_help="Run, sum up and compare Monte Carlo studies, grids and sweeps.")
def study() -> None:
    """Many cases of one scenario: docksim study FILE runs a study file.

    \b
    Examples:
    docksim study studies/soft_capture.yaml --workers 2
    docksim study studies/soft_capture.yaml --cases 5000 --resume
    docksim study summary results/soft_capture
    docksim study compare results/soft_capture results/heavy/soft_capture
    """


@study.command(name="run", short_help="Run a study file (the word run may be left out).")
@click.argument("file", type=click.Path())
@click.option("--cases", type=click.IntRange(min=1), metavar="N", help="Number of cases, instead of the file's.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Cases at a time.  [default: all cores]")
@click.option("--processes", is_flag=True, help="Workers are processes instead of threads.")
@click.option("--resume", is_flag=True, help="Go on with a study: run the cases that have no row yet.")
@click.option("--stop-when", metavar="RULE", help="half-width=0.01 (of the interval of success), or failures=20.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True, help="Where to save."
)
@click.pass_context
def run_file(
    context: click.Context,
    file: str,
    cases: int | None,
    workers: int | None,
    processes: bool,
    resume: bool,
    stop_when: str | None,
    out: Path,
) -> None:
    """Run the cases of a study FILE; rows are saved in OUT/<study>/study.sqlite as they finish.

    Ctrl-C, a crash or a power cut loses nothing that was reported; --resume goes on where it stopped.
    """
    from docksim.config import ScenarioError
    from docksim.result import ResultError
    from docksim.study.plan import load_plan
    from docksim.study.runner import Workers

    rule = stop_rule(stop_when)
    try:
        plan = load_plan(file, cases)
        ended = _run(plan, out, Workers(workers, processes), resume, rule)
    except (ScenarioError, ResultError) as error:
        click.echo(str(error), err=True)
        context.exit(1)
    _show(out / plan.study.name, (), None)
    context.exit(INTERRUPTED if ended == "interrupted" else 0)


def stop_rule(text: str | None) -> StopRule | None:
    """half-width=0.01 or failures=20 as a rule."""
    from docksim.study.runner import StopRule

    if text is None:
        return None
    kind, _, value = text.partition("=")
    kind = kind.strip().replace("-", "_")
    try:
        limit = float(value)
    except ValueError:
        limit = 0.0
    if kind not in ("half_width", "failures") or not 0.0 < limit < float("inf"):
        raise click.BadParameter(f"{text!r}: expected half-width=0.01 or failures=20", param_hint="--stop-when")
    return StopRule(kind, limit)


def _run(plan: Plan, out: Path, workers: Any, resume: bool, rule: StopRule | None) -> str:
    """Run with progress on standard error; a second Ctrl-C leaves at once, the rows on disk stay whole."""
    from docksim.cli.interrupt import interruptible
    from docksim.cli.study_progress import StudyDisplay
    from docksim.study.session import run_study

    display = StudyDisplay(plan)
    try:
        with interruptible(display.note) as stop, display:
            ended, file = run_study(plan, out, workers, resume, rule, stop.is_set, display.begun, display.finished)
    except KeyboardInterrupt:
        click.echo("aborted; what was reported is safe", err=True)
        # workers may be inside a long compiled call; waiting for them is what the user does not want
        os._exit(INTERRUPTED)
    click.echo({"complete": "", "enough": "enough is known: "}.get(ended, f"{ended}; --resume goes on: ") + str(file))
    return ended


@study.command(name="summary", short_help="Success, loads, limits and drivers of a study.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--metric", "metrics", multiple=True, help="Show this metric.  [default: those with limits, or all]")
@click.option("--worst", type=click.IntRange(min=1), metavar="N", help="List the worst N cases of each metric.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable summary on standard output.")
def summary(path: Path, metrics: tuple[str, ...], worst: int | None, as_json: bool) -> None:
    """What the study in PATH (a folder such as results/<study>, or its file) says so far."""
    from docksim.result import ResultError

    try:
        _show(path, metrics, worst, as_json)
    except ResultError as error:
        raise click.ClickException(str(error)) from error


def _show(path: Path, metrics: tuple[str, ...], worst: int | None, as_json: bool = False) -> None:
    from docksim.study.summary import summarize_study
    from docksim.study.table import load_table

    table = load_table(path)
    found = summarize_study(table, metrics)
    if as_json:
        _echo_json(found.as_dict())
        return
    from docksim.cli.study_tables import show_summary, show_worst

    show_summary(found)
    if worst is not None:
        show_worst(table, [item.name for item in found.metrics], worst)


@study.command(name="compare", short_help="Two studies side by side, with significance.")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--metric", "metrics", multiple=True, help="Compare this metric.  [default: those with limits, or all]")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable comparison on standard output.")
def compare_studies(first: Path, second: Path, metrics: tuple[str, ...], as_json: bool) -> None:
    """Compare success and metrics of two studies with random sampling."""
    from dataclasses import asdict

    from docksim.result import ResultError
    from docksim.study.comparison import compare
    from docksim.study.table import load_table

    try:
        found = compare(load_table(first), load_table(second), metrics)
    except ResultError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        _echo_json(asdict(found))
        return
    click.echo("the same samples in both: compared case by case" if found.paired else "different samples")
    for difference in (found.success, *found.metrics):
        click.echo(difference.statement())


def _echo_json(content: dict[str, Any]) -> None:
    import json

    from docksim import __version__
    from docksim.result_files import plain

    click.echo(json.dumps(plain({"docksim_version": __version__, **content}), indent=1, allow_nan=False))


@study.command(name="envelope", short_help="Where success ends, in two keys, by refining a grid.")
@click.argument("file", type=click.Path())
@click.option("--levels", type=click.IntRange(0, 12), default=3, show_default=True, help="Halvings of the coarse grid.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Cases at a time.  [default: all cores]")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--format", "kind", type=click.Choice(FIGURE_FORMATS), default="png", show_default=True)
@click.pass_context
def envelope(context: click.Context, file: str, levels: int, workers: int | None, out: Path, kind: str) -> None:
    """The boundary of success over the two axes of the grid in a study FILE; saved as OUT/<study>/envelope.json."""
    from docksim.config import ScenarioError
    from docksim.plots.files import write_figures
    from docksim.plots.study import envelope_figure
    from docksim.result import ResultError
    from docksim.study.envelope import trace_study
    from docksim.study.plan import load_plan
    from docksim.study.runner import Workers

    try:
        plan = load_plan(file)
        found = trace_study(plan, levels, Workers(workers))
        folder = out / plan.study.name
        found.save(folder / "envelope.json")
        figures = write_figures({"envelope": envelope_figure(found, plan.study.name)}, folder, kind)
    except (ScenarioError, ResultError) as error:
        click.echo(str(error), err=True)
        context.exit(1)
    least, most = found.share()
    parts = [2**levels * (len(axis) - 1) + 1 for axis in found.axes]
    click.echo(f"{len(found.known)} cases instead of {parts[0] * parts[1]} of a full grid")
    click.echo(f"successful share of the area: {least:.4f} to {most:.4f}")
    for path in (folder / "envelope.json", *figures):
        click.echo(str(path))


@study.command(name="plot", short_help="Distributions of the metrics of a study.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--metric", "metrics", multiple=True, help="Draw this metric.  [default: those with limits, or all]")
@click.option("--format", "kind", type=click.Choice(FIGURE_FORMATS), default="png", show_default=True)
def plot(path: Path, metrics: tuple[str, ...], kind: str) -> None:
    """Draw how often the metrics of the study in PATH exceed what; figures go beside its file."""
    import re

    from docksim.plots.files import write_figures
    from docksim.plots.study import distribution_figure
    from docksim.result import ResultError
    from docksim.study.table import load_table

    try:
        table = load_table(path)
        names = metrics or tuple(table.study.limits) or tuple(table.metrics)
        figures = {re.sub(r"[^A-Za-z0-9_.+-]", "_", name): distribution_figure(table, name) for name in names}
        for written in write_figures(figures, table.file.parent / "figures", kind):
            click.echo(str(written))
    except ResultError as error:
        raise click.ClickException(str(error)) from error

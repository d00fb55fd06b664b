"""docksim study envelope, rare and worst: where success ends, how unlikely an event is, and the worst case of a box."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.cli.complete import StudyPath
from docksim.cli.loading import refusals
from docksim.cli.options import echo_paths, figure_format, json_option
from docksim.cli.study_options import running_options, watched
from docksim.cli.study_tables import rare_tables, worst_tables
from docksim.cli.tables import echo_json, print_table
from docksim.jobs.signals import interrupted
from docksim.jobs.study_display import StudyDisplay
from docksim.study.envelope import trace_study
from docksim.study.plan import load_plan
from docksim.study.rare import run_rare
from docksim.study.runner import Workers
from docksim.study.worst_search import REPEATS, RUNS, run_worst_search


@click.command(name="envelope", short_help="Where success ends, in two keys, by refining a grid.")
@click.argument("file", type=StudyPath())
@click.option("--levels", type=click.IntRange(0, 12), default=3, show_default=True, help="Halvings of the coarse grid.")
@figure_format
@json_option
@running_options
@click.pass_context
def envelope(
    context: click.Context, file: str, levels: int, kind: str, as_json: bool, workers: Workers, resume: bool, out: Path
) -> None:
    """The boundary of success over the two axes of the grid in a study FILE.

    Points go to OUT/<study>/envelope.sqlite as they are known, the boundary to envelope.json and a figure beside it.
    --resume goes on, also with more levels: no point is run twice.
    """
    from docksim.plots.files import write_figures
    from docksim.plots.study.cases import envelope_figure

    with refusals():
        plan = load_plan(file)
        display = StudyDisplay(plan, known_end=False)
        with watched(display) as stop:
            traced = trace_study(plan, levels, out, workers, resume, stop, display.begun, display.finished)
        folder = out / plan.study.name
        if traced is None:
            click.echo(f"interrupted; --resume goes on: {folder / 'envelope.sqlite'}")
            context.exit(interrupted())
        traced.save(folder / "envelope.json")
        figures = write_figures({"envelope": envelope_figure(traced.as_dict(), plan.study.name)}, folder, kind)
    if as_json:
        return echo_json({**traced.as_dict(), "files": [str(folder / "envelope.json"), *map(str, figures)]})
    least, most = traced.share()
    rows, columns = (2**traced.levels * (len(axis) - 1) + 1 for axis in traced.axes)
    click.echo(f"{len(traced.known)} cases instead of {rows * columns} of a full grid")
    click.echo(f"successful share of the area: {least:.4f} to {most:.4f}")
    echo_paths([folder / "envelope.json", *figures])


@click.command(name="rare", short_help="The probability of a rare event, by subset simulation.")
@click.argument("file", type=StudyPath())
@json_option
@running_options
@click.pass_context
def rare(context: click.Context, file: str, as_json: bool, workers: Workers, resume: bool, out: Path) -> None:
    """How likely the event is that the section `rare` of a study FILE names: a metric beyond a threshold.

    For probabilities too small for random cases. Cases go to OUT/<study>/rare.sqlite as they finish, the answer to
    rare.json; Ctrl-C loses nothing, --resume goes on.
    """
    with refusals():
        plan = load_plan(file)
        display = StudyDisplay(plan, known_end=False)
        with watched(display) as stop:
            event = run_rare(plan, out, workers, resume, stop, display.begun, display.finished, display.note)
    folder = out / plan.study.name
    if event is None:
        click.echo(f"interrupted; --resume goes on: {folder / 'rare.sqlite'}")
        context.exit(interrupted())
    if as_json:
        echo_json(event.as_dict())
        return
    for table in rare_tables(event):
        print_table(table)
    if not event.estimate.reached:
        click.echo(f"note: {event.estimate.why}; the probability is at most of this size")
    if event.without_metric:
        click.echo(f"note: {event.without_metric} cases have no such metric and count as the event")
    click.echo(str(folder / "rare.json"))


@click.command(name="worst", short_help="The worst case of a box for one metric, by corners and a search.")
@click.argument("file", type=StudyPath())
@click.option("--metric", required=True, help="What is to be largest, such as dock.first_impact.peak_compression_N.")
@click.option("--runs", type=click.IntRange(10, 10_000), default=RUNS, show_default=True, help="Cases to spend.")
@click.option("--repeats", type=click.IntRange(0, 1000), default=REPEATS, show_default=True,
              help="Runs of each of the worst cases from starts a nanometre apart, for the scatter of their peaks."
)  # fmt: skip
@click.option("--fast", is_flag=True, help="Steps as long as a tolerance of 1e-6 lets them be; see fast in the docs.")
@json_option
@running_options
@click.pass_context
def worst(
    context: click.Context, file: str, metric: str, runs: int, repeats: int, fast: bool, as_json: bool,
    workers: Workers, resume: bool, out: Path,
) -> None:  # fmt: skip
    """The case with the largest value of a metric in the box of a study FILE: corners first, then a search.

    Cases go to OUT/<study>/worst-<metric>.sqlite as they finish, the answer to a .json beside it; docksim run FILE
    --case N repeats each. Ctrl-C loses nothing, --resume goes on, also with more --runs. Peaks after several knocks
    scatter by themselves: the worst cases are repeated, and the answer is the largest median.

    \b
    Example:
    docksim study worst studies/idss_nds.yaml --metric dock.first_impact.peak_compression_N --workers 2
    """
    with refusals():
        plan = load_plan(file, fast=fast)
        display = StudyDisplay(plan, known_end=False)
        with watched(display) as stop:
            answer = run_worst_search(
                plan, metric, out, runs, repeats, workers, resume, stop, display.begun, display.finished
            )
    if answer is None:
        click.echo(f"interrupted; --resume goes on: {out / plan.study.name / f'worst-{metric}.sqlite'}")
        context.exit(interrupted())
    if as_json:
        echo_json(answer.as_dict())
        return
    for table in worst_tables(answer):
        print_table(table)
    for note in answer.notes:
        click.echo(f"note: {note}")
    click.echo(answer.command)

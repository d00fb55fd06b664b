"""docksim study: run a study, sum it up, compare two, draw one."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from docksim.cli.complete import StudyPath
from docksim.cli.loading import complaints, refusals
from docksim.cli.options import echo_paths, figure_format, json_option, kinds
from docksim.cli.study_options import running_options, watched
from docksim.cli.study_search import envelope, rare, worst
from docksim.cli.study_tables import MAX_METRICS, case_table, show_summary
from docksim.cli.tables import echo_json, print_table
from docksim.jobs.signals import interrupted
from docksim.jobs.study_display import StudyDisplay
from docksim.study.plan import load_plan
from docksim.study.runner import StopRule, Workers
from docksim.study.session import run_study
from docksim.study.summary import summarize_study
from docksim.study.table import load_table

CASES_ABREAST = 3


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
    docksim study envelope studies/soft_capture_envelope.yaml
    docksim study rare studies/soft_capture_rare.yaml
    docksim study worst studies/idss_nds.yaml --metric dock.first_impact.peak_compression_N
    """


@study.command(name="run", short_help="Run a study file (the word run may be left out).")
@click.argument("file", type=StudyPath())
@click.option("--cases", type=click.IntRange(min=1), metavar="N", help="Number of cases, instead of the file's.")
@click.option("--stop-when", metavar="RULE", help="half-width=0.01 (of the interval of success), or failures=20.")
@click.option("--fast", is_flag=True, help="Steps as long as a tolerance of 1e-6 lets them be; see fast in the docs.")
@json_option
@running_options
@click.pass_context
def run_file(
    context: click.Context, file: str, cases: int | None, stop_when: str | None, fast: bool, as_json: bool,
    workers: Workers, resume: bool, out: Path,
) -> None:  # fmt: skip
    """Run the cases of a study FILE; rows are saved in OUT/<study>/study.sqlite twice a second.

    Ctrl-C, a crash or a power cut loses nothing that was reported; --resume goes on where it stopped. With --fast one
    case in fifty runs with fixed steps as well, and the summary compares.
    """
    rule = stop_rule(stop_when)
    with refusals():
        plan = load_plan(file, cases, fast)
        display = StudyDisplay(plan)
        with watched(display) as stop:
            ended, table = run_study(plan, out, workers, resume, rule, stop, display.begun, display.finished)
    words = {"complete": "", "enough": "enough is known: "}
    if speed := display.speed(workers.number if workers.cluster is None else None):
        click.echo(speed, err=as_json)
    click.echo(words.get(ended, f"{ended}; --resume goes on: ") + str(table), err=as_json)
    _show(out / plan.study.name, (), None, as_json)
    context.exit(interrupted() if ended == "interrupted" else 0)


def stop_rule(text: str | None) -> StopRule | None:
    """half-width=0.01 or failures=20 as a rule."""
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


@study.command(name="summary", short_help="Success, what cases missed, loads, limits and drivers.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--metric", "metrics", multiple=True, help="Show this metric.  [default: those with limits, or all]")
@click.option("--worst", type=click.IntRange(min=1), metavar="N", help="The worst N of each metric, all inputs.")
@json_option
def summary(path: Path, metrics: tuple[str, ...], worst: int | None, as_json: bool) -> None:
    """What the study in PATH (a folder such as results/<study>, or its file) says so far.

    Success is one rule: the run ended well, all conditions hold, no limit is exceeded. What cases missed of it is
    counted apart.
    """
    with complaints():
        _show(path, metrics, worst, as_json)


def _show(path: Path, metrics: tuple[str, ...], worst: int | None, as_json: bool = False) -> None:
    table = load_table(path)
    said = summarize_study(table, metrics)
    cases = {item.name: table.worst_cases(item.name, worst) for item in said.metrics} if worst is not None else {}
    if as_json:
        told = {name: [one._asdict() for one in own] for name, own in cases.items()}
        echo_json({**said.as_dict(), **({"worst": told} if worst is not None else {})})
        return
    show_summary(said)
    for name, own in list(cases.items())[:MAX_METRICS]:
        for first in range(0, len(own), CASES_ABREAST):
            print_table(case_table(name, own[first : first + CASES_ABREAST]))


@study.command(name="compare", short_help="Two studies side by side, with significance.")
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--metric", "metrics", multiple=True, help="Compare this metric.  [default: those with limits, or all]")
@json_option
def compare_studies(first: Path, second: Path, metrics: tuple[str, ...], as_json: bool) -> None:
    """Compare success, what was missed of it, and metrics of two studies with random sampling."""
    from docksim.study.comparison import compare

    with complaints():
        comparison = compare(load_table(first), load_table(second), metrics)
    if as_json:
        echo_json(asdict(comparison))
        return
    click.echo(str(comparison))


@study.command(name="plot", short_help="Figures of a study: scatter, loads, convergence, drivers.")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--what", multiple=True, callback=kinds, metavar="KIND,...", help="Kinds; a wrong one lists all.")
@click.option("--metric", "metrics", multiple=True, help="Draw this metric.  [default: those with limits, or a few]")
@figure_format
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the figures.  [default: beside the study]")
@json_option
def plot(
    path: Path, what: tuple[str, ...], metrics: tuple[str, ...], kind: str, out: Path | None, as_json: bool
) -> None:
    """Draw the study in PATH (a folder such as results/<study>, or its file); docksim plot does the same."""
    # who runs a study draws nothing
    from docksim.cli.results import draw_study

    folder = out or (path if path.is_dir() else path.parent) / "figures"
    with complaints():
        echo_paths(draw_study(path, what, metrics, kind, folder), as_json)


for command in (envelope, rare, worst):
    study.add_command(command)

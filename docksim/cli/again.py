"""docksim realtime --again: a bridged run made again from the journal in its result folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click

from docksim.cli.interrupt import interruptible, tell_aborted
from docksim.cli.options import INTERRUPTED, is_given
from docksim.cli.realtime_tables import rig_json, show_rig
from docksim.cli.tables import show_run
from docksim.jobs.again import Verdict, run_again
from docksim.jobs.batch import Job
from docksim.jobs.paced import Rig
from docksim.realtime.pacing import Policy
from docksim.realtime.session import Pace
from docksim.result.result import ResultError

ALWAYS = ("again", "paced", "watch", "watcher", "open_network", "out", "as_json", "figures", "no_figures")
WITH_CLOCK = ("policy", "priority", "cpu", "spin_us")


def make_again(context: click.Context, file: str | None, options: dict[str, Any]) -> int:
    """Run, compare, show; the exit code: 0 if all bits are the same."""
    _check_usage(context, file, options["paced"])
    job = Job({}, options["out"], options["figures"])
    try:
        report, rig, verdict = _run(job, options)
    except ResultError as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        tell_aborted(job.saved)
        return INTERRUPTED
    _show(report, rig, verdict, options["as_json"])
    if verdict is None:
        return INTERRUPTED if report.outcome == "interrupted" else 1
    return 0 if verdict.same and report.folder is not None else 1


def _check_usage(context: click.Context, file: str | None, paced: bool) -> None:
    if file is not None:
        raise click.UsageError("--again takes the scenario from the result folder: leave FILE out")
    for parameter in context.command.params:
        name = parameter.name or ""
        if not is_given(context, name) or name in (*ALWAYS, "file"):
            continue
        if name not in WITH_CLOCK:
            raise click.UsageError(f"--again makes the run as it was; {parameter.opts[0]} cannot change it")
        if not paced:
            raise click.UsageError(f"--again goes without a clock; {parameter.opts[0]} needs --paced")


def _run(job: Job, options: dict[str, Any]) -> tuple[Any, Rig, Verdict | None]:
    def note(text: str) -> None:
        click.echo(text, err=True)

    pace = None
    if options["paced"]:
        policy = cast("Policy", options["policy"])
        pace = Pace(policy=policy, priority=options["priority"], cpu=options["cpu"], spin_us=options["spin_us"])
    with interruptible(note) as stop:
        return run_again(Path(options["again"]), job, pace, options["watcher"], stop.is_set, note)


def _show(report: Any, rig: Rig, verdict: Verdict | None, as_json: bool) -> None:
    if as_json:
        click.echo(rig_json(report, rig, again=None if verdict is None else verdict.as_dict()))
        return
    show_run(report)
    show_rig(rig)
    if verdict is None:
        click.echo("not compared: it was ended before its end", err=True)
        return
    what = f"{verdict.channels} channels, {verdict.rows} rows{', as far as its journal goes' if verdict.full else ''}"
    if verdict.same:
        click.echo(f"the same bits as {verdict.folder}: {what}")
    else:
        click.echo(f"not the same as {verdict.folder}: {verdict.difference}", err=True)

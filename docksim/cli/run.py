"""docksim run: one file or many."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from docksim.cli.complete import ScenarioPath, complete_keys
from docksim.cli.interrupt import interruptible, tell_aborted
from docksim.cli.loading import overrides, tell_shadowed
from docksim.cli.options import Number, figures_asked, json_option, run_figures
from docksim.cli.progress import Display
from docksim.cli.tables import echo_json, show_batch, show_run
from docksim.jobs.batch import Job, RunReport, run_batch
from docksim.jobs.signals import interrupted
from docksim.plots.kinds import Choice

POSITIVE = Number(min=0.0, min_open=True, max=1e12)


@click.command(short_help="Run scenario files.")
@click.argument("files", nargs=-1, type=ScenarioPath(), metavar="FILE...")
@click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="KEY=VALUE",
    shell_complete=complete_keys,
    help="Change a key of every scenario.",
)
@click.option("--case", type=click.IntRange(min=1), metavar="N",
              help="FILE is a study, or a table of one or of a search: run this case and say what it misses of success."
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True, help="Where to save."
)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Runs at a time.  [default: all cores]")
@click.option("--checkpoint-every", type=POSITIVE, metavar="S", help="Keep the run every S seconds of simulated time.")
@click.option("--checkpoint-at", type=POSITIVE, multiple=True, metavar="S", help="Keep the run at this time.")
@click.option("--from", "checkpoint", type=click.Path(path_type=Path), metavar="CHECKPOINT",
              help="Go on from a checkpoint, with the same bits; FILE may be left out.")  # fmt: skip
@click.option("--scatter", type=click.IntRange(min=0, max=1000), default=0, metavar="N",
              help="Repeat each run N times from starts a nanometre apart, and give peaks with their range."
)  # fmt: skip
@click.option("--band/--no-band", default=True, show_default=True,
              help="Contact with a band of stiffness: run it soft and stiff too, and give loads as low / middle / high."
)  # fmt: skip
@json_option
@run_figures
@click.pass_context
def run(
    context: click.Context, files: tuple[str, ...], assignments: tuple[str, ...], case: int | None, out: Path,
    workers: int | None, checkpoint_every: float | None, checkpoint_at: tuple[float, ...], checkpoint: Path | None,
    scatter: int, band: bool, as_json: bool, figures: Choice, no_figures: bool,
) -> None:  # fmt: skip
    """Run scenario files; several are run in parallel, and one that fails does not stop the others.

    A scenario whose contact stiffness is a band is run three times, for its loads with soft, middle and stiff contact;
    the result is that of the middle, and `overloaded` if a load is beyond its limit in any of them.

    Results are saved in OUT/<scenario>/<time of the run>, checkpoints in OUT/<scenario>/checkpoints. Ctrl-C ends the
    runs and keeps what they have so far; with checkpoints, it writes another.

    FILE may be the name of a scenario that comes with docksim (docksim list scenarios).

    Exit code: 0 hard-docked, captured, undocked, completed, stopped; 1 any other outcome, or a file that is refused; 2
    wrong usage; 130 ended by Ctrl-C, 143 by SIGTERM.

    \b
    Examples:
    docksim run dock_nds
    docksim run scenarios/*.yaml --set solver.step_s=0.0005 --workers 4
    docksim run scenarios/dock_nds.yaml --no-band
    docksim run scenarios/dock_nds.yaml --scatter 8
    docksim run studies/soft_capture.yaml --case 137
    docksim run scenarios/dock_nds.yaml --checkpoint-at 5
    docksim run --from results/dock_nds/checkpoints/.../step-5000.npz
    """
    if case is not None and assignments:
        raise click.UsageError("--case runs a case as the study has it; --set cannot change it")
    if scatter and case is not None:
        raise click.UsageError("--scatter repeats runs of scenarios; a study never repeats a case, it has others")
    if scatter and (checkpoint is not None or checkpoint_every is not None or checkpoint_at):
        raise click.UsageError("--scatter repeats whole runs from their start; it does not go with checkpoints")
    if checkpoint is not None:
        files = _resumed(files, assignments, checkpoint)
    if not files:
        raise click.UsageError("Missing argument 'FILE...'.")
    job = Job(
        overrides(assignments),
        out,
        figures_asked(context, figures, no_figures),
        override_origin="--set",
        case=case,
        checkpoint_every_s=checkpoint_every,
        checkpoint_at_s=checkpoint_at,
        resume=checkpoint,
        scatter=scatter,
        band=band,
    )
    tell_shadowed(files)
    reports = _run_all(files, job, workers)
    if as_json:
        echo_json({"runs": [report.as_dict() for report in reports]})
    elif len(reports) == 1:
        show_run(reports[0])
    else:
        show_batch(reports)
    context.exit(exit_code(reports))


def _resumed(files: tuple[str, ...], assignments: tuple[str, ...], checkpoint: Path) -> tuple[str, ...]:
    """What to run from a checkpoint: its own scenario, or a file that must be the same."""
    if len(files) > 1:
        raise click.UsageError("--from goes on with one run: give one FILE, or none")
    if assignments and not files:
        raise click.UsageError("--from goes on with the scenario as it was; --set cannot change it")
    return files or (str(checkpoint),)


def exit_code(reports: Sequence[RunReport]) -> int:
    if any(report.outcome == "interrupted" for report in reports):
        return interrupted()
    return 0 if all(report.ok for report in reports) else 1


def _run_all(files: Sequence[str], job: Job, workers: int | None) -> list[RunReport]:
    """Run with progress on standard error; a second Ctrl-C leaves at once, results on disk stay whole."""
    display = Display(files)
    try:
        with interruptible(display.note) as stop, display:
            return run_batch(files, job, workers, display.update, stop.is_set, display.finished)
    except KeyboardInterrupt:
        tell_aborted(job.saved)
        # worker threads may be inside a long compiled call; waiting for them is what the user does not want
        os._exit(interrupted())

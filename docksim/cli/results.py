"""docksim plot: figures of saved results and studies."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from docksim.chain.motion.saved import is_motion, read_motion
from docksim.cli.complete import ResultPath
from docksim.cli.loading import complaints
from docksim.cli.options import Number, echo_paths, figure_format, json_option, kinds_or_channels
from docksim.cli.saved import is_study_folder, saved
from docksim.jobs.batch import draw_into
from docksim.plots.chain.motion import motion_figures
from docksim.plots.files import write_figures
from docksim.plots.kinds import MOTION_KINDS, RESULT_KINDS, STUDY_KINDS, is_channel
from docksim.plots.run.channels import channel_panels, stem_of
from docksim.plots.run.compare import overlay_figures, overlay_panels, result_labels
from docksim.plots.run.figures import kinds_of
from docksim.result.parts import rows_between
from docksim.result.result import Result, ResultError
from docksim.study.table import load_table, study_file
from docksim.study.worst import run_worst


@click.command(short_help="Draw the figures of saved results, motions of chains and studies.")
@click.argument("results", nargs=-1, required=True, type=ResultPath(path_type=Path), metavar="RESULT...")
@click.option(
    "--what",
    multiple=True,
    callback=kinds_or_channels,
    metavar="KIND,...",
    help="Draw only these kinds, named above, or channels of a result, such as dock.normal_force_N or 'chaser.*'.",
)
@click.option("--from", "from_s", type=Number(), metavar="S", help="Curves of results from this time on [s].")
@click.option("--to", "to_s", type=Number(), metavar="S", help="Curves of results up to this time [s].")
@click.option("--overlay", is_flag=True, help="Draw the same curves of all results into one set of figures.")
@figure_format
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the figures.  [default: RESULT/figures, or overlay]"
)
@json_option
@click.pass_context
def plot(
    context: click.Context, results: tuple[Path, ...], what: tuple[str, ...], from_s: float | None, to_s: float | None,
    overlay: bool, kind: str, out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Draw the figures of saved results (folders such as results/<scenario>/<run>; results/<scenario> means its newest
    run), of motions of chains (results/chains/<task>) and of studies (results/<study>).

    \b
    Kinds of figures of a result: phases, motion, ports, ring, legs, joints, loads, contact, capture,
    interface, hooks, closures, separation, arm, control, devices, energy, momentum. Of a study:
    scatter, envelope, histogram, exceedance, convergence, sensitivity, worst. Of a chain's motion:
    joints, energy, constraint, program.

    \b
    Examples:
    docksim plot results/dock_nds
    docksim plot results/dock_nds/2026-11-16T12-25-07Z --what ports,energy --format pdf
    docksim plot results/dock_nds --what dock.normal_force_N --from 2.1 --to 2.4
    docksim plot results/dock_nds/* --overlay --what interface
    """
    if overlay:
        if from_s is not None or to_s is not None:
            raise click.UsageError("--overlay draws whole runs; leave out --from and --to")
        echo_paths(_overlaid(results, what, kind, out or Path("overlay")), as_json)
        return
    failed, written = False, []
    for path in results:
        there = ""
        try:
            folder = saved(path)
            place = _figure_folder(folder, out, several=len(results) > 1)
            if is_study_folder(folder):
                paths = draw_study(folder, of(what, STUDY_KINDS, folder), (), kind, place)
            elif is_motion(folder):
                wanted = of(what, MOTION_KINDS, folder) or tuple(MOTION_KINDS)
                figures = motion_figures(read_motion(folder))
                paths = write_figures({name: figures[name] for name in figures if name in wanted}, place, kind)
            else:
                result, asked = Result.load(folder), _of_runs(what, folder)
                paths = draw_into(result, place, kind, asked, rows_between(result, from_s, to_s))
                kinds = [] if paths else kinds_of(result)
                there = f"; there is something of {', '.join(kinds)}" if kinds else ""
        except ResultError as error:
            click.echo(str(error), err=True)
            failed = True
            continue
        written += paths
        if not as_json:
            echo_paths(paths)
        if not paths:
            click.echo(f"{path}: nothing to draw{there}", err=True)
    if as_json:
        echo_paths(written, as_json)
    context.exit(1 if failed else 0)


def draw_study(path: Path, what: tuple[str, ...], metrics: tuple[str, ...], kind: str, out: Path) -> list[Path]:
    """Draw and write figures of a study, or of an envelope that has no table."""
    # the statistics of studies take longer to import than a result to draw
    from docksim.plots.study.figures import envelope_of, study_figures

    if path.is_dir() and not study_file(path).is_file() and (path / "envelope.json").is_file():
        return write_figures(envelope_of(path, path.resolve().name), out, kind)
    table = load_table(path)
    worst = run_worst(table, metrics) if "worst" in what else {}
    return write_figures(study_figures(table, what, metrics, worst), out, kind)


def of(what: tuple[str, ...], known: dict[str, str], folder: Path) -> tuple[str, ...]:
    """The kinds that fit; an error where some are wanted and none does."""
    fitting = tuple(name for name in what if name in known)
    if what and not fitting:
        raise ResultError(f"{folder}: has no figures of the kind {', '.join(what)}; it has {', '.join(known)}")
    return fitting


def _of_runs(what: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The kinds that fit runs of scenarios, and channels."""
    return of(what, RESULT_KINDS | dict.fromkeys(filter(is_channel, what), ""), folder)


def _overlaid(folders: tuple[Path, ...], what: tuple[str, ...], kind: str, out: Path) -> list[Path]:
    """All results must be readable: a comparison with one missing would mislead."""
    if len(folders) < 2:
        raise click.UsageError("--overlay compares two results or more")
    if chains := [str(folder) for folder in folders if is_motion(folder)]:
        raise click.UsageError(f"--overlay compares runs of scenarios; {chains[0]} is a chain's motion")
    with complaints():
        results = result_labels({folder: Result.load(folder) for folder in map(saved, folders)})
        asked = _of_runs(what, folders[0])
        named = [name for name in asked if not is_channel(name)]
        figures = overlay_figures(results, named) if named or not asked else {}
        for pattern in filter(is_channel, asked):
            figures |= overlay_panels(results, stem_of(pattern), pattern, partial(channel_panels, pattern))
        return write_figures(figures, out, kind)


def _figure_folder(folder: Path, out: Path | None, several: bool) -> Path:
    """Several results into one folder get a subfolder each: <scenario>-<run>."""
    if out is None:
        return (folder if folder.is_dir() else folder.parent) / "figures"
    place = folder.resolve()
    return out / f"{place.parent.name}-{place.name}" if several else out

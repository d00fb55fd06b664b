"""docksim plot, export: from saved results and studies to figures and files."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.cli.kinds import kinds
from docksim.cli.options import figure_format
from docksim.plots.kinds import RESULT_KINDS, STUDY_KINDS

EXPORT_KINDS = ("csv", "mat", "h5")



@click.command(short_help="Draw the figures of saved results and studies.")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT...")
@click.option("--what", multiple=True, callback=kinds, metavar="KIND,...", help="Draw only these kinds, named above.")
@click.option("--overlay", is_flag=True, help="Draw the same curves of all results into one set of figures.")
@figure_format
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder for the figures.  [default: RESULT/figures, or overlay]"
)
@click.pass_context
def plot(
    context: click.Context, results: tuple[Path, ...], what: tuple[str, ...], overlay: bool, kind: str, out: Path | None
) -> None:
    """Draw the figures of saved results (folders such as results/<scenario>/<run>) and studies (results/<study>).

    \b
    Kinds of figures of a result: phases, motion, ports, ring, legs, joints, loads, contact, capture,
    interface, devices, energy, momentum. Of a study: scatter, envelope, histogram, exceedance,
    convergence, sensitivity, worst.

    \b
    Examples:
    docksim plot results/dock_nds/2026-11-16T12-25-07Z --what ports,energy --format pdf
    docksim plot results/dock_nds/* --overlay --what interface
    """
    from docksim.result.result import ResultError

    if overlay:
        _show(_overlaid(results, what, kind, out or Path("overlay")))
        return
    failed = False
    for folder in results:
        try:
            paths = _draw(folder, what, kind, _figure_folder(folder, out, several=len(results) > 1))
        except ResultError as error:
            click.echo(str(error), err=True)
            failed = True
            continue
        _show(paths)
        if not paths:
            click.echo(f"{folder}: nothing to draw", err=True)
    context.exit(1 if failed else 0)


def _show(paths: list[Path]) -> None:
    for path in paths:
        click.echo(str(path))


def _draw(folder: Path, what: tuple[str, ...], kind: str, out: Path) -> list[Path]:
    from docksim.cli.study import draw_study, is_study_folder
    from docksim.jobs.batch import draw_into
    from docksim.result.result import Result

    if is_study_folder(folder):
        return draw_study(folder, of(what, STUDY_KINDS, folder), (), kind, out)
    return draw_into(Result.load(folder), out, kind, of(what, RESULT_KINDS, folder))


def of(what: tuple[str, ...], known: dict[str, str], folder: Path) -> tuple[str, ...]:
    """The kinds that fit; an error where some are wanted and none does."""
    from docksim.result.result import ResultError

    fitting = tuple(name for name in what if name in known)
    if what and not fitting:
        raise ResultError(f"{folder}: has no figures of the kind {', '.join(what)}; it has {', '.join(known)}")
    return fitting


def _overlaid(folders: tuple[Path, ...], what: tuple[str, ...], kind: str, out: Path) -> list[Path]:
    """All results must be readable: a comparison with one missing would mislead."""
    from docksim.plots.compare import overlay_figures, result_labels
    from docksim.plots.files import write_figures
    from docksim.result.result import Result, ResultError

    if len(folders) < 2:
        raise click.UsageError("--overlay compares two results or more")
    try:
        results = result_labels({folder: Result.load(folder) for folder in folders})
        return write_figures(overlay_figures(results, of(what, RESULT_KINDS, folders[0])), out, kind)
    except ResultError as error:
        raise click.ClickException(str(error)) from error


def _figure_folder(folder: Path, out: Path | None, several: bool) -> Path:
    """Several results into one folder get a subfolder each: <scenario>-<run>."""
    if out is None:
        return (folder if folder.is_dir() else folder.parent) / "figures"
    place = folder.resolve()
    return out / f"{place.parent.name}-{place.name}" if several else out


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--to", "kind", type=click.Choice(EXPORT_KINDS), required=True, help="Kind of file.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: RESULT/data.KIND]")
def export(result: Path, kind: str, out: Path | None) -> None:
    """Write a saved RESULT as CSV, MATLAB or HDF5."""
    from docksim.result.export import export as write
    from docksim.result.result import Result, ResultError

    try:
        click.echo(str(write(Result.load(result), kind, out)))
    except ResultError as error:
        raise click.ClickException(str(error)) from error

"""docksim plot, export: from saved results to figures and files."""

from __future__ import annotations

from pathlib import Path

import click

FIGURE_FORMATS = ("png", "svg", "pdf")
EXPORT_KINDS = ("csv", "mat", "h5")


@click.command(short_help="Draw the figures of saved results.")
@click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RESULT...")
@click.option("--format", "kind", type=click.Choice(FIGURE_FORMATS), default="png", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the figures.  [default: RESULT/figures]")
@click.pass_context
def plot(context: click.Context, results: tuple[Path, ...], kind: str, out: Path | None) -> None:
    """Draw the figures of saved results (folders such as results/<scenario>/<run>)."""
    from docksim.result import ResultError

    failed = False
    for folder in results:
        try:
            paths = _draw(folder, kind, _figure_folder(folder, out, several=len(results) > 1))
        except ResultError as error:
            click.echo(str(error), err=True)
            failed = True
            continue
        for path in paths:
            click.echo(str(path))
        if not paths:
            click.echo(f"{folder}: nothing to draw", err=True)
    context.exit(1 if failed else 0)


def _draw(folder: Path, kind: str, out: Path) -> list[Path]:
    from docksim.batch import draw_into
    from docksim.result import Result

    return draw_into(Result.load(folder), out, kind)


def _figure_folder(folder: Path, out: Path | None, several: bool) -> Path:
    """Several results into one folder get a subfolder each: <scenario>-<run>."""
    if out is None:
        return folder / "figures"
    place = folder.resolve()
    return out / f"{place.parent.name}-{place.name}" if several else out


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--to", "kind", type=click.Choice(EXPORT_KINDS), required=True, help="Kind of file.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: RESULT/data.KIND]")
def export(result: Path, kind: str, out: Path | None) -> None:
    """Write a saved RESULT as CSV, MATLAB or HDF5."""
    from docksim.export import export as write
    from docksim.result import Result, ResultError

    try:
        click.echo(str(write(Result.load(result), kind, out)))
    except ResultError as error:
        raise click.ClickException(str(error)) from error

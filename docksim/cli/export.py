"""docksim export: saved results as files of other programs."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.chain.motion.saved import is_motion, motion_result
from docksim.cli.loading import complaints
from docksim.cli.saved import saved
from docksim.result.export import export as write
from docksim.result.result import Result

EXPORT_KINDS = ("csv", "mat", "h5")


@click.command()
@click.argument("result", type=click.Path(path_type=Path))
@click.option("--to", "kind", type=click.Choice(EXPORT_KINDS), required=True, help="Kind of file.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: RESULT/data.KIND]")
def export(result: Path, kind: str, out: Path | None) -> None:
    """Write a saved RESULT, or a chain's motion, as CSV, MATLAB or HDF5."""
    with complaints():
        result = saved(result, "export")
        click.echo(str(write(motion_result(result) if is_motion(result) else Result.load(result), kind, out)))

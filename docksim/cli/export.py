"""docksim export: saved results and tables of studies as files of other programs."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.chain.motion.saved import is_motion, motion_result
from docksim.cli.complete import ResultPath
from docksim.cli.loading import complaints
from docksim.cli.options import Number, echo_paths, json_option, listed
from docksim.cli.saved import is_study_folder, saved
from docksim.result.export import WRITERS
from docksim.result.export import export as write
from docksim.result.parts import part_of
from docksim.result.result import Result, ResultError
from docksim.study.export import TABLE_WRITERS, export_table
from docksim.study.table import load_table

EXPORT_KINDS = tuple(dict.fromkeys([*WRITERS, *TABLE_WRITERS]))


@click.command()
@click.argument("result", type=ResultPath(path_type=Path))
@click.option("--to", "kind", type=click.Choice(EXPORT_KINDS), required=True, help="Kind of file.")
@click.option("--channels", multiple=True, callback=listed, metavar="PATTERN,...", help="Only these of a result.")
@click.option("--every", type=Number(min=0, min_open=True), metavar="S", help="One row of a result each S seconds.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: data.KIND, or table.KIND]")
@json_option
def export(
    result: Path, kind: str, channels: tuple[str, ...], every: float | None, out: Path | None, as_json: bool
) -> None:
    """Write a saved RESULT, a chain's motion, or the table of a study.

    Results become csv, mat (MATLAB) or h5 (HDF5), tables of studies csv, mat or parquet. With --every rows are left
    out, never made up; channels of extremes between rows keep all peaks.

    \b
    Examples:
    docksim export results/dock_nds --to csv --channels 'chaser.*,dock.*_force_N' --every 0.1
    docksim export results/box --to parquet
    """
    with complaints():
        place = saved(result, "export")
        echo_paths([_written(place, kind, channels, every, out)], as_json)


def _written(place: Path, kind: str, channels: tuple[str, ...], every: float | None, out: Path | None) -> Path:
    if is_study_folder(place):
        if channels or every is not None:
            raise ResultError(f"{place}: is a study; --channels and --every are for results of runs")
        return export_table(load_table(place), kind, out)
    result = motion_result(place) if is_motion(place) else Result.load(place)
    return write(part_of(result, channels, every), kind, out)

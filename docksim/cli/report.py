"""docksim report, gallery: results, a study, or all shipped scenarios as one HTML file."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.cli.complete import ResultPath
from docksim.cli.loading import complaints
from docksim.cli.options import echo_paths, json_option, kinds
from docksim.cli.results import of
from docksim.cli.saved import is_study_folder, saved
from docksim.config.errors import unknown
from docksim.plots.kinds import RESULT_KINDS, STUDY_KINDS
from docksim.plots.run.compare import result_labels
from docksim.report import picture_of, report_of_results, report_of_study, write_report
from docksim.report.board import Title
from docksim.report.gallery import gallery_page, shipped_scenarios
from docksim.result.result import Result, ResultError
from docksim.study.table import load_table


@click.command(short_help="One self-contained HTML file of a result, several, or a study.")
@click.argument("paths", nargs=-1, required=True, type=ResultPath(path_type=Path), metavar="RESULT|STUDY...")
@click.option("--what", multiple=True, callback=kinds, metavar="KIND,...", help="Kinds of figures, as in docksim plot.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: report.html beside the result]")
@click.option("--title", default="", help="At the top, instead of the name.")
@click.option("--author", default="", help="Beside the date.")
@click.option("--revision", default="", help="The same.")
@click.option("--no-runs", is_flag=True, help="Of a study: run no worst case again, leave loads that act at once out.")
@json_option
def report(
    paths: tuple[Path, ...], what: tuple[str, ...], out: Path | None, title: str, author: str, revision: str,
    no_runs: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write a report of a saved RESULT or STUDY; several results are compared.

    The file holds everything: tables, figures, inputs, versions and the command to run it again. It opens offline,
    loads nothing, and prints well, to PDF too. That of a study is for a review board: margins, outcomes with intervals,
    loads that act at once (worst cases are run again for them), worst cases with all inputs, box, masses, drawings of
    interface and approach, and every figure that is an estimate.

    \b
    Examples:
    docksim report results/dock_nds
    docksim report results/dock_nds/* --what interface,energy --out comparison.html
    docksim report results/idss_nds --title "Loads of soft capture" --author "A. Analyst" --revision B
    """
    with complaints():
        folders, heading = tuple(saved(path, "report") for path in paths), Title(title, author, revision)
        echo_paths([_write(folders, what, out, heading, not no_runs)], as_json)


def _write(paths: tuple[Path, ...], what: tuple[str, ...], out: Path | None, heading: Title, runs: bool) -> Path:
    studies = [path for path in paths if is_study_folder(path)]
    if studies and len(paths) > 1:
        raise ResultError(f"{studies[0]}: a report is of one study, or of results; write one report each")
    if studies:
        page = report_of_study(load_table(paths[0]), of(what, STUDY_KINDS, paths[0]), (), heading, runs)
        folder = paths[0] if paths[0].is_dir() else paths[0].parent
        return write_report(page, out or folder / "report.html")
    results = result_labels({path: Result.load(path) for path in paths})
    seen = "".join(picture_of(result) for result in results.values() if len(results) == 1)
    page = report_of_results(results, of(what, RESULT_KINDS, paths[0]), seen, heading)
    return write_report(page, out or (paths[0] / "report.html" if len(results) == 1 else Path("report.html")))


@click.command(short_help="Run the shipped scenarios and show them on one page.")
@click.argument("names", nargs=-1, metavar="[SCENARIO]...")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results/gallery.html"), show_default=True,
              metavar="FILE", help="The page.")  # fmt: skip
@json_option
def gallery(names: tuple[str, ...], out: Path, as_json: bool) -> None:
    """Run the scenarios that docksim comes with, or some of them by name, and write one HTML page with figures.

    \b
    Examples:
    docksim gallery
    docksim gallery dock_nds soft_capture --out two.html
    """
    files = {file.stem: file for file in shipped_scenarios()}
    for name in names:
        if name not in files:
            raise click.UsageError(unknown("scenario", name, files))
    page = gallery_page([files[name] for name in names or files], lambda text: click.echo(text, err=True))
    with complaints():
        echo_paths([write_report(page, out)], as_json)

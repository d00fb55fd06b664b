"""docksim compare: what differs between two results, or two studies, and what came of it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Column, Table
from rich.text import Text

from docksim.cli.complete import ResultPath
from docksim.cli.loading import complaints
from docksim.cli.options import echo_paths, figure_format, json_option, kinds, listed, no_figures
from docksim.cli.saved import is_study_folder, saved
from docksim.cli.tables import echo_json, left, listing, print_table, right
from docksim.result.comparison import Comparison, KeyDifference, MetricPair, compare_results, value_text
from docksim.result.result import Result, ResultError
from docksim.result.summary_text import number

if TYPE_CHECKING:
    from docksim.study.comparison import Comparison as Tested

MOST = 40  # rows of a table, unless all are asked for


@click.command(short_help="What differs between two results or studies, and what came of it.")
@click.argument("first", type=ResultPath(path_type=Path), metavar="A")
@click.argument("second", type=ResultPath(path_type=Path), metavar="B")
@click.option("--label", "labels", multiple=True, metavar="NAME", help="What to call A, then B; give it twice.")
@click.option("--metric", "metrics", multiple=True, callback=listed, metavar="PATTERN,...",
              help="Compare these.  [default: those that differ; of studies those with limits]")  # fmt: skip
@click.option("--what", multiple=True, callback=kinds, metavar="KIND,...", help="Kinds of figures, as in docksim plot.")
@no_figures("Draw nothing.")
@figure_format
@click.option("--out", type=click.Path(path_type=Path), default=Path("comparison"), show_default=True,
              help="Folder for the figures.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Tables in full.")
@json_option
def compare(
    first: Path, second: Path, labels: tuple[str, ...], metrics: tuple[str, ...], what: tuple[str, ...],
    no_figures: bool, kind: str, out: Path, everything: bool, as_json: bool,
) -> None:  # fmt: skip
    """Compare two saved results A and B, or two studies: keys of the scenario that differ, with file and line; metrics
    side by side with their ratio; curves in one set of figures, aligned to first contact.

    Of two single runs peaks may differ by chance. Two studies are compared with tests that tell design from chance.

    \b
    Examples:
    docksim compare results/dock_nds/2026-11-16T12-25-07Z results/dock_nds --label soft --label stiff
    docksim compare results/dock_nds results/dock_ibdm --metric 'dock.peak_*'
    docksim compare results/idss_nds heavy/idss_nds
    """
    # what draws and tests is waited for by who compares
    from docksim.jobs import comparing

    if len(labels) not in (0, 2):
        raise click.UsageError("--label names both: give it twice, for A and for B")
    if len(set(labels)) == 1:
        raise click.UsageError(f"--label {labels[0]}: the two need different names")
    with complaints():
        folders = saved(first, "compare"), saved(second, "compare")
        of_studies = [is_study_folder(folder) for folder in folders]
        if any(of_studies) and not all(of_studies):
            raise ResultError(f"{folders[of_studies.index(True)]}: is a study, and the other is a result")
        if all(of_studies):
            keys, tested = comparing.studies(folders, metrics)
            names = (labels[0], labels[1]) if labels else (str(folders[0]), str(folders[1]))
            return _show_studies(keys, tested, names, everything, as_json)
        a, b = (Result.load(folder) for folder in folders)
        names = comparing.named(folders, a, b, labels)
        comparison = compare_results(a, b, names, metrics)
        files = [] if no_figures else comparing.drawn(dict(zip(names, (a, b), strict=True)), what, kind, out)
    if as_json:
        return echo_json({**comparison.as_dict(), "files": list(map(str, files))})
    show_comparison(comparison, everything, bool(metrics))
    echo_paths(files)


# ---------------------------------------------------------------- tables


def _show_studies(
    keys: list[KeyDifference], tested: Tested, names: tuple[str, str], everything: bool, as_json: bool
) -> None:
    if as_json:
        return echo_json({"labels": names, "keys": [asdict(one) for one in keys], **asdict(tested)})
    _show_keys(keys, names, everything)
    click.echo(str(tested))


def show_comparison(comparison: Comparison, everything: bool = False, asked: bool = False) -> None:
    """Outcomes, what differs, metrics with their ratio, notes."""
    labels = comparison.labels
    head = listing("", *left("", *labels), tight=True)
    head.add_row("outcome", *comparison.outcomes)
    for name, a, b in comparison.origin:
        head.add_row(Text(name), Text(a), Text(b))
    print_table(head)
    _show_keys(comparison.keys, labels, everything)
    rows = [one for one in comparison.metrics if asked or everything or one.differs]
    if rows:
        print_table(metric_table(rows if everything else rows[:MOST], labels))
    else:
        click.echo("no metric differs")
    if not everything and len(rows) > MOST:
        click.echo(f"{len(rows) - MOST} more metrics differ; --all shows them, --metric chooses")
    for note in comparison.notes:
        click.echo(f"note: {note}")


def _show_keys(keys: list[KeyDifference], labels: tuple[str, str], everything: bool) -> None:
    if not keys:
        click.echo("no key of the scenario differs")
        return
    table = listing("what differs", *left("key", *labels, fold=True), tight=True)
    for one in keys if everything else keys[:MOST]:
        table.add_row(Text(one.key), _cell(one.first, one.first_place), _cell(one.second, one.second_place))
    print_table(table)
    if not everything and len(keys) > MOST:
        click.echo(f"{len(keys) - MOST} more keys differ; --all shows them")


def _cell(value: Any, place: str) -> Text:
    """A value, and below it where it is written."""
    return Text(value_text(value)) + Text(f"\n{place}" if place else "", "dim")


def metric_table(rows: list[MetricPair], labels: tuple[str, str]) -> Table:
    """Side by side with the ratio, and the ranges where there are some."""
    ranged = any(one.ranges for one in rows)
    first = Column("metric", overflow="fold", min_width=30)
    columns = [first, *right(*labels, "ratio", wrap=True), *(left("ranges") if ranged else [])]
    table = listing("metrics", *columns, tight=True)
    for one in rows:
        ratio = "" if one.ratio is None else f"{one.ratio:.3f}"
        cells = [
            f"{number(value)}{_range(one, i)} {one.unit}".strip() for i, value in enumerate((one.first, one.second))
        ]
        apart = {None: "", True: "apart", False: "overlap"}[one.apart]
        table.add_row(Text(one.name), *cells, ratio, *([apart] if ranged else []))
    return table


def _range(one: MetricPair, i: int) -> str:
    return f" ({number(one.ranges[i][0])} to {number(one.ranges[i][1])})" if one.ranges else ""

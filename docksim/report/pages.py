"""The pages: facts and figures into templates, and the page into a file.

Templates escape everything that is put into them; only our own drawings are put in as they are. A page has no scripts,
and its policy forbids it to load anything.

Figures are SVG without what a page does not need, names inside them unique on the page. Coordinates of paths are
rounded to hundredths of a point, far below what can be seen or printed; comments and metadata go. Text is drawn as
outlines, so a page looks the same on every machine.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.figure import Figure

from docksim import __version__
from docksim.config.schema.names import interfaces
from docksim.plots import style
from docksim.plots.hardware.interface import interface_figure
from docksim.plots.kinds import RESULT_KINDS, STUDY_KINDS
from docksim.plots.run.compare import overlay_figures
from docksim.plots.run.figures import all_figures, chosen
from docksim.plots.study.approach import approach_figure
from docksim.plots.study.figures import study_figures
from docksim.replay.still import DPI, still
from docksim.report.board import Title, board_facts, estimate_rows
from docksim.report.facts import facts_of
from docksim.report.study_facts import study_facts
from docksim.result.arrays import write_text
from docksim.result.comparison import Comparison, compare_results
from docksim.result.result import Result, ResultError
from docksim.study.again import plan_of
from docksim.study.differences import given_of_table
from docksim.study.table import Table
from docksim.study.worst import drawn_metrics, run_worst

NO_TITLE = Title()
# drawn of several results, unless asked otherwise
COMPARED = ("ports", "interface", "energy")

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
_PATH = re.compile(r'\bd="[^"]*"')
_DIGITS = re.compile(r"(?<=\.\d\d)\d+")
_SPACE = re.compile(r"\s*\n\s*")
NAMES = (' id="', "url(#", 'xlink:href="#')


def report_of_results(
    results: Mapping[str, Result], what: Iterable[str] = (), seen: str = "", heading: Title = NO_TITLE
) -> str:
    """One result in full, with the picture `seen` if there is one, or several side by side with curves overlaid."""
    kinds = list(what)
    if len(results) == 1:
        [result] = results.values()
        drawings = _drawings((kind, all_figures(result, [kind])) for kind in chosen(kinds))
        told = {"facts": facts_of(result), "heading": heading, "estimates": estimate_rows(result.given)}
        title = heading.title or result.scenario_name
        return rendered("result.html", drawings=drawings, title=title, seen=seen, **told)
    drawings = _drawings((kind, overlay_figures(results, [kind])) for kind in chosen(kinds or COMPARED))
    facts = {name: facts_of(result) for name, result in results.items()}
    side_by_side = _compared(results) if len(results) == 2 else None
    title = heading.title or ", ".join(results)
    told = {"facts": facts, "heading": heading, "compared": side_by_side}
    return rendered("several.html", drawings=drawings, title=title, **told)


def _compared(results: Mapping[str, Result]) -> Comparison:
    (one, first), (other, second) = results.items()
    return compare_results(first, second, (one, other))


def report_of_study(
    table: Table, what: Iterable[str] = (), metrics: Iterable[str] = (), heading: Title = NO_TITLE, runs: bool = True
) -> str:
    """A study: what it says, how, and from which cases. With `runs` worst cases are run again for loads at once."""
    asked = set(what)
    names = drawn_metrics(table, list(metrics))
    kinds = [kind for kind in STUDY_KINDS if kind in asked or not asked]
    # worst cases are run again only where they were asked for
    worst = run_worst(table, names) if "worst" in asked else {}
    drawings = _drawings((kind, study_figures(table, [kind], names, worst)) for kind in kinds)
    told = given_of_table(table)
    board = board_facts(table, names, told, runs)
    scene = list(_scene(table, len(drawings)))
    title = heading.title or table.study.name
    facts = study_facts(table, names)
    return rendered(
        "study.html", drawings=drawings, facts=facts, board=board, scene=scene, heading=heading, title=title
    )


def _scene(table: Table, number: int) -> Iterator[Drawing]:
    """The interfaces and the approach of a study, where it has one."""
    try:
        base = plan_of(table).loaded.base
    except ResultError:
        return
    approach = base.approach
    if approach is None:
        return
    interface = interfaces(base).get(approach.active)
    if interface is not None:
        figure = interface_figure(f"{approach.active}: its interface", interface)
        yield drawing("interface", "the interface of the active port, with its mate", figure, number + 1)
    figure = approach_figure(table.study.name, approach, interface, table.inputs)
    yield drawing("approach", "where the active port comes from, over all cases", figure, number + 2)


def write_report(page: str, file: Path) -> Path:
    """All or nothing."""
    return write_text(file, page)


def _drawings(figures: Iterable[tuple[str, Mapping[str, Figure]]]) -> list[Drawing]:
    """Every figure with what its kind shows."""
    texts = {**RESULT_KINDS, **STUDY_KINDS}
    named = [(name, texts[kind], figure) for kind, some in figures for name, figure in some.items()]
    return [drawing(name, caption, figure, i) for i, (name, caption, figure) in enumerate(named, start=1)]


def rendered(template: str, **content: Any) -> str:
    """A template with its content, all of it escaped but our own drawings."""
    loader = PackageLoader("docksim.report", "templates")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return environment.get_template(template).render(version=__version__, made=made, **content)


class Drawing(NamedTuple):
    """A figure on the page, its name and what it shows."""

    name: str
    caption: str
    svg: Markup


def drawing(name: str, caption: str, figure: Figure, number: int) -> Drawing:
    """The figure as SVG to be put into a page as it is; `number` makes its inner names unique."""
    stream = io.StringIO()
    with rc_context(style.RC):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return Drawing(name, caption, Markup(smaller(stream.getvalue(), f"f{number}-")))  # our own markup


def picture_of(result: Result) -> str:
    """A still of the replay as the address of its own data; empty for a result that cannot be replayed."""
    stream = io.BytesIO()
    try:
        still(result).savefig(stream, format="png", dpi=DPI)
    except ResultError:
        return ""
    return f"data:image/png;base64,{base64.b64encode(stream.getvalue()).decode('ascii')}"


def smaller(text: str, prefix: str) -> str:
    """The <svg> element without comments, metadata and needless digits, with a prefix to all names inside."""
    text = _METADATA.sub("", _COMMENT.sub("", text[text.index("<svg") :]))
    for name in NAMES:
        text = text.replace(name, name + prefix)
    # transforms keep their digits: letters are scaled by a few hundredths
    text = _PATH.sub(lambda path: _DIGITS.sub("", path[0]), text)
    return _SPACE.sub("\n", text).strip()

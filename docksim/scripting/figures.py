"""Figures and cards of results for notebooks: pieces of HTML that need nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

from markupsafe import Markup
from matplotlib.figure import Figure

from docksim.plots.files import write_figures
from docksim.plots.kinds import RESULT_KINDS, STUDY_KINDS, is_channel
from docksim.plots.run.figures import WHOLE, all_figures, kinds_of, main_kinds
from docksim.plots.study.figures import study_figures
from docksim.report.facts import facts_of
from docksim.report.pages import drawing, rendered
from docksim.report.study_facts import study_facts
from docksim.result.result import Result, ResultError
from docksim.study.table import Table
from docksim.study.worst import drawn_metrics, run_worst

# what a card shows, the first of these that there is
TELLING = ("interface", "capture", "contact", "joints", "motion")
_numbers = count(1000)


class Figures(dict[str, Figure]):
    """Figures by name; a notebook shows them below each other, `save` writes them."""

    def save(self, folder: str | Path, kind: str = "png") -> list[Path]:
        """Write them as png, svg or pdf; the files."""
        return write_figures(self, Path(folder), kind)

    def _repr_html_(self) -> str:
        return "".join(f'<div style="max-width: 46rem">{svg(name, figure)}</div>' for name, figure in self.items())


def figures_of(result: Result, what: Sequence[str] = (), rows: slice = WHOLE) -> Figures:
    """Of these kinds and channels, or of the main kinds that it has."""
    if wrong := [name for name in what if name not in RESULT_KINDS and not is_channel(name)]:
        there = f"{', '.join(RESULT_KINDS)}, and channels by their names"
        raise ResultError(f"no figure of the kind '{wrong[0]}'; there are {there}")
    return Figures(all_figures(result, what or main_kinds(kinds_of(result)), rows))


def card(result: Result) -> str:
    """Outcome, loads against limits and one small figure."""
    there = kinds_of(result)
    kind = next((kind for kind in TELLING if kind in there), None)
    figures = all_figures(result, [kind]) if kind else {}
    drawings = [svg(name, figure) for name, figure in list(figures.items())[:1]]
    return rendered("card.html", facts=facts_of(result), drawings=drawings, size=repr(result))


def figures_of_study(table: Table, what: Sequence[str] = (), metrics: Sequence[str] = ()) -> Figures:
    """Of these kinds, or all; worst cases are run again where their histories were not kept and they are asked for."""
    if wrong := [kind for kind in what if kind not in STUDY_KINDS]:
        raise ResultError(f"no figure of the kind '{wrong[0]}'; there are {', '.join(STUDY_KINDS)}")
    return Figures(study_figures(table, what, metrics, run_worst(table, metrics) if "worst" in what else {}))


def study_card(table: Table) -> str:
    """Success, the metrics that matter, limits, and what a careful reader must know."""
    return rendered("study_card.html", facts=study_facts(table, drawn_metrics(table)))


def table_of(heads: Sequence[str], body: Sequence[Sequence[object]]) -> str:
    """Rows of words and numbers."""
    return rendered("table.html", heads=heads, body=body)


def svg(name: str, figure: Figure) -> Markup:
    """Of the figure, names inside it unique among the outputs of a notebook."""
    return drawing(name, "", figure, next(_numbers)).svg

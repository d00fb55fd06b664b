"""The pages: facts and figures into templates, and the page into a file.

Templates escape everything that is put into them; only our own drawings are put in as they are. A page has no scripts,
and its policy forbids it to load anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from matplotlib.figure import Figure

from docksim import __version__
from docksim.plots.compare import overlay_figures
from docksim.plots.figures import all_figures, chosen
from docksim.plots.kinds import RESULT_KINDS, STUDY_KINDS
from docksim.plots.study import drawn_metrics, study_figures
from docksim.report.drawings import Drawing, drawing
from docksim.report.facts import facts_of
from docksim.report.study_facts import study_facts
from docksim.result.result import Result, ResultError
from docksim.study.table import Table

# drawn of several results, unless asked otherwise
COMPARED = ("ports", "interface", "energy")


def report_of_results(results: Mapping[str, Result], what: Iterable[str] = ()) -> str:
    """One result in full, or several side by side with their curves overlaid."""
    kinds = list(what)
    if len(results) == 1:
        [result] = results.values()
        drawings = _drawings((kind, all_figures(result, [kind])) for kind in chosen(kinds))
        return rendered("result.html", drawings=drawings, facts=facts_of(result), title=result.scenario_name)
    drawings = _drawings((kind, overlay_figures(results, [kind])) for kind in chosen(kinds or COMPARED))
    facts = {name: facts_of(result) for name, result in results.items()}
    return rendered("several.html", drawings=drawings, facts=facts, title=", ".join(results))


def report_of_study(table: Table, what: Iterable[str] = (), metrics: Iterable[str] = ()) -> str:
    """A study: what it says, how, and from which cases."""
    asked = set(what)
    names = drawn_metrics(table, list(metrics))
    kinds = [kind for kind in STUDY_KINDS if kind in asked or not asked]
    # worst cases are run again only where they were asked for
    drawings = _drawings((kind, study_figures(table, [kind], names, again=kind in asked)) for kind in kinds)
    return rendered("study.html", drawings=drawings, facts=study_facts(table, names), title=table.study.name)


def write_report(page: str, file: Path) -> Path:
    """All or nothing."""
    hidden = file.with_name(f".partial-{os.getpid()}-{file.name}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        hidden.write_text(page, encoding="utf-8")
        return hidden.replace(file)
    except OSError as error:
        raise ResultError(f"cannot write the report {file}: {error.strerror or error}") from error


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

"""The gallery: every shipped scenario run, with a still and its most telling figures, on one HTML page.

A run that fails is on the page with its reason and stops nothing. Of each run the first few kinds of figures that it
has are shown; `docksim plot` and `docksim report` show all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from docksim.config import ScenarioError, load_scenario
from docksim.config.loading.files import data_root
from docksim.config.outcomes import SUCCESSES
from docksim.plots.kinds import RESULT_KINDS
from docksim.plots.run.figures import all_figures
from docksim.report.pages import Drawing, drawing, picture_of, rendered
from docksim.result.result import Result
from docksim.simulation.run import simulate
from docksim.simulation.threads import describe

# what a docking engineer looks at first, then what every run has
TELLING = ("phases", "capture", "separation", "hooks", "contact", "ring", "ports", "joints", "motion", "energy")
MOST = 3  # figures of a run


@dataclass(frozen=True)
class Exhibit:
    """A scenario on the page."""

    name: str
    description: str
    outcome: str
    reason: str
    good: bool
    drawings: list[Drawing] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    picture: str = ""  # the still of its replay


def shipped_scenarios() -> list[Path]:
    """All scenario files that docksim comes with."""
    return sorted((data_root() / "scenarios").glob("*.yaml"))


def exhibits(files: Iterable[Path], report: Callable[[str], None] = print) -> Iterator[Exhibit]:
    """Run the scenarios one after the other."""
    number = 0
    for file in files:
        report(f"{file.stem} …")
        exhibit = _exhibit(file, number)
        number += len(exhibit.drawings)
        yield exhibit


def _exhibit(file: Path, number: int) -> Exhibit:
    try:
        scenario = load_scenario(file)
        result = simulate(scenario)
    except ScenarioError as error:
        return Exhibit(file.stem, "", "invalid", str(error), good=False)
    except Exception as error:
        return Exhibit(file.stem, "", "failed", describe(error), good=False)
    drawings = list(telling_figures(result, number))
    good = result.outcome in SUCCESSES
    told = (scenario.description, result.outcome, result.reason, good, drawings, result.warnings)
    return Exhibit(file.stem, *told, picture_of(result))


def telling_figures(result: Result, number: int = 0) -> Iterator[Drawing]:
    """The first page of the first few kinds that the run has; contact is that of a pair whose capture is not shown."""
    shown: list[str] = []
    for kind in TELLING:
        pages = all_figures(result, [kind]).items()
        for name, figure in [page for page in pages if page[0].replace("contact", "capture", 1) not in shown][:1]:
            shown.append(name)
            yield drawing(name, RESULT_KINDS[kind], figure, number + len(shown))
        if len(shown) == MOST:
            return


def gallery_page(files: Sequence[Path], report: Callable[[str], None] = print) -> str:
    """The page of some scenarios."""
    return rendered("gallery.html", title="gallery", exhibits=list(exhibits(files, report)))

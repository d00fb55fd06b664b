"""Two results, or two studies, compared: their names, their figures, their tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from docksim.plots.files import write_figures
from docksim.plots.kinds import RESULT_KINDS
from docksim.plots.run.compare import FROM_CONTACT, TIME, aligned, overlay_figures, result_labels
from docksim.result.comparison import KeyDifference, labels_of
from docksim.result.result import Result, ResultError
from docksim.study.comparison import Comparison, compare
from docksim.study.differences import study_differences
from docksim.study.table import load_table

DRAWN = ("ports", "interface", "energy")
Two = tuple[Path, Path]


def named(folders: Two, first: Result, second: Result, labels: Sequence[str]) -> tuple[str, str]:
    """The names given, or what differs if that is short, or the shortest that tell the two apart."""
    if len(labels) == 2:
        return labels[0], labels[1]
    if folders[0] == folders[1]:
        raise ResultError(f"{folders[0]}: the same result twice")
    if first.scenario_name == second.scenario_name and (told := labels_of(first, second)) is not None:
        return told
    a, b = result_labels(dict(zip(folders, (first, second), strict=True)))
    return a, b


def drawn(results: dict[str, Result], what: Iterable[str], kind: str, out: Path) -> list[Path]:
    """The same curves of both in one set of figures, from first contact where both had one."""
    asked = tuple(name for name in what if name in RESULT_KINDS) or DRAWN
    shifted = aligned(results)
    return write_figures(overlay_figures(shifted or results, asked, FROM_CONTACT if shifted else TIME), out, kind)


def studies(folders: Two, metrics: Iterable[str]) -> tuple[list[KeyDifference], Comparison]:
    """What differs between two studies, and what chance makes of it."""
    first, second = (load_table(folder) for folder in folders)
    return study_differences(first, second), compare(first, second, metrics)

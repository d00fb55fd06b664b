"""How far a study is, where its user looks: in a notebook, on a terminal, or by a function of his own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from typing import Any

from docksim.jobs.study_display import StudyDisplay
from docksim.study.plan import Plan

Progress = bool | Callable[[int, int], Any] | None


def display_of(plan: Plan, progress: Progress) -> StudyDisplay:
    """What shows it; left to itself, what fits the surroundings."""
    if callable(progress):
        return ToFunction(plan, progress)
    in_notebook = _shell() is not None
    if progress is False or (progress is None and not in_notebook and not sys.stderr.isatty()):
        return ToFunction(plan, lambda done, cases: None)
    return InNotebook(plan) if in_notebook else StudyDisplay(plan)


def _shell() -> Any:
    """The shell of the notebook that this runs in; None anywhere else. Nothing is imported for it."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = ask() if ask is not None else None
    return shell if hasattr(shell, "kernel") else None


class ToFunction(StudyDisplay):
    """Calls a function with the cases done and how many there are."""

    def __init__(self, plan: Plan, function: Callable[[int, int], Any]) -> None:
        self._function = function
        super().__init__(plan)

    @property
    def is_live(self) -> bool:
        return True

    def show(self, text: str) -> None:
        self._function(self.done, self.cases)

    def note(self, text: str) -> None:
        pass


class InNotebook(StudyDisplay):
    """A bar with the line below it, in one place of a notebook's cell."""

    def __init__(self, plan: Plan) -> None:
        self._handle: Any = None
        super().__init__(plan)

    @property
    def is_live(self) -> bool:
        return True

    def show(self, text: str) -> None:
        bar = f'<progress value="{self.done}" max="{self.cases}" style="width: 24rem"></progress>'
        self._place(f"{bar}<br>{escape(text)}")

    def note(self, text: str) -> None:
        self._place(escape(text))

    def _place(self, html: str) -> None:
        show = sys.modules["IPython.display"]
        if self._handle is None:
            self._handle = show.display(show.HTML(html), display_id=True)
        else:
            self._handle.update(show.HTML(html))

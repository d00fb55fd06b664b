"""Progress of a study on standard error: cases done, rate, time left, success so far with its interval."""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console

from docksim.cli.compiling import compile_first
from docksim.study.case import Row
from docksim.study.plan import Plan
from docksim.study.statistics import clopper_pearson
from docksim.study.store import Store

LINE_EVERY_S = 10.0
REFRESH_S = 0.2


class StudyDisplay:
    """One line that is rewritten on a terminal, else a line now and then. Counts only what is safe on disk."""

    def __init__(self, plan: Plan, console: Console | None = None, known_end: bool = True) -> None:
        """`known_end` is False where nobody knows how many cases it will take."""
        self._cases: int | None = plan.cases if known_end else None
        self._random = plan.is_random
        self._console = console or Console(stderr=True)
        self._done = self._new = self._successes = 0
        self._began = self._last = time.monotonic()
        self._open_line = False
        compile_first(self.note)

    def __enter__(self) -> StudyDisplay:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._open_line:
            self._console.print()

    def note(self, text: str) -> None:
        if self._open_line:
            self._console.print()
            self._open_line = False
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def begun(self, store: Store) -> None:
        """The file is open; it may hold rows already."""
        self._successes, self._done = store.successes()
        self._began = self._last = time.monotonic()
        if self._done:
            self.note(f"{self._counted()} are there already")

    def finished(self, rows: list[Row]) -> None:
        """Rows that are on disk."""
        self._done += len(rows)
        self._new += len(rows)
        self._successes += sum(row.success for row in rows)
        now = time.monotonic()
        every = REFRESH_S if self._console.is_terminal else LINE_EVERY_S
        if now - self._last >= every or self._done == self._cases:
            self._last = now
            self._show(self.line(now - self._began))

    def _counted(self) -> str:
        return f"{self._done} cases" if self._cases is None else f"{self._done} of {self._cases} cases"

    def line(self, elapsed_s: float) -> str:
        """How far the study is, in one line."""
        rate = self._new / max(elapsed_s, 1e-9)
        words = f"{self._counted()}, {3600.0 * rate:.0f} an hour"
        if self._cases is None:
            return words
        left = (self._cases - self._done) / rate if rate > 0.0 else float("inf")
        words = f"{words}, {_duration(left)} left"
        if self._random:
            found = clopper_pearson(self._successes, self._done)
            return f"{words}, success {found.estimate:.4f} [{found.low:.4f}, {found.high:.4f}]"
        return f"{words}, {self._successes} successful"

    def _show(self, text: str) -> None:
        if self._console.is_terminal:
            self._console.print(f"\r{text}\x1b[K", end="", markup=False, highlight=False, soft_wrap=True)
            self._open_line = True
        else:
            self.note(text)


def _duration(seconds: float) -> str:
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000.0 else f"{seconds / 3600:.1f} h"

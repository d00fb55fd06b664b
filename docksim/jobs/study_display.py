"""How far a study is, in words, while it runs."""

from __future__ import annotations

import time
from typing import Any

from rich.console import Console

from docksim.jobs.compiling import LINE_EVERY_S, compile_first
from docksim.study.case import Row
from docksim.study.plan import Plan
from docksim.study.statistics import clopper_pearson
from docksim.study.store import Store

REFRESH_S = 0.2
ENOUGH = 0.7  # of their time that workers spend in cases, unless they wait for something


class StudyDisplay:
    """Cases done, rate, time left, success so far with its interval: one line that is rewritten on a terminal, else a
    line now and then. Counts only what is safe on disk. Others show it elsewhere."""

    def __init__(self, plan: Plan, console: Console | None = None, known_end: bool = True) -> None:
        """`known_end` is False where nobody knows how many cases it will take."""
        self._cases: int | None = plan.cases if known_end else None
        self._random = plan.study.is_random
        self._console = console or Console(stderr=True)
        self._done = self._new = self._successes = 0
        self._cases_s = self._kernel_s = 0.0
        self._began = self._last = self._last_row = time.monotonic()
        self._open_line = False
        compile_first(self.note)

    @property
    def done(self) -> int:
        """Cases that are on disk."""
        return self._done

    @property
    def cases(self) -> int:
        """How many there are to be, as far as it is known."""
        return self._done if self._cases is None else self._cases

    def __enter__(self) -> StudyDisplay:
        return self

    def __exit__(self, *_: Any) -> None:
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
            more = self._cases is not None and self._done > self._cases
            beyond = f", more than the {self._cases} asked for; what follows is of all" if more else " already"
            self.note(f"{f'{self._done} cases' if more else self._counted()} are there{beyond}")

    def finished(self, rows: list[Row]) -> None:
        """Rows that are on disk."""
        self._done += len(rows)
        self._new += len(rows)
        self._cases_s += sum(row.wall_s for row in rows)
        self._kernel_s += sum(row.kernel_s for row in rows)
        self._successes += sum(row.success for row in rows)
        now = self._last_row = time.monotonic()
        if now - self._last >= (REFRESH_S if self.is_live else LINE_EVERY_S) or self._done == self._cases:
            self._last = now
            self.show(self.line(now - self._began))

    @property
    def is_live(self) -> bool:
        """Can a line be rewritten?"""
        return self._console.is_terminal

    def show(self, text: str) -> None:
        """How far it is, instead of what was shown before where that can be."""
        if not self.is_live:
            self.note(text)
            return
        self._console.print(f"\r{text}\x1b[K", end="", markup=False, highlight=False, soft_wrap=True)
        self._open_line = True

    def speed(self, workers: int | None) -> str:
        """Cases an hour since the start, and what bounds them; nothing if none has run."""
        took = self._last_row - self._began
        if not self._new or took <= 0.0:
            return ""
        words = f"{3600.0 * self._new / took:.0f} cases an hour, {1e3 * self._cases_s / self._new:.0f} ms a case"
        if workers is None:
            return words
        busy, kernel = self._cases_s / (took * workers), self._kernel_s / max(self._cases_s, 1e-9)
        if busy < ENOUGH:
            return f"{words}: workers wait, busy {busy:.0%} of the time; give more cases, or look at the disk"
        bound = "the kernel" if kernel >= 0.5 else "what is around the kernel"
        words = f"{words}, {kernel:.0%} of it in the kernel"
        return f"{words}; {workers} workers busy {min(busy, 1.0):.0%} of the time: {bound} bounds it"

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
            success = clopper_pearson(self._successes, self._done)
            return f"{words}, success {success.estimate:.4f} [{success.low:.4f}, {success.high:.4f}]"
        return f"{words}, {self._successes} successful"


def _duration(seconds: float) -> str:
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000.0 else f"{seconds / 3600:.1f} h"

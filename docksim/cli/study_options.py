"""What the commands that run cases of a study have in common: options, Ctrl-C, the cluster, progress."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from docksim.cli.interrupt import interruptible
from docksim.cli.progress import LINE_EVERY_S, compile_first
from docksim.entry import interrupted
from docksim.study.case import Row
from docksim.study.plan import Plan
from docksim.study.runner import Workers
from docksim.study.statistics import clopper_pearson
from docksim.study.store import Store

REFRESH_S = 0.2
ENOUGH = 0.7  # of their time that workers spend in cases, unless they wait for something


def running_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--workers, --processes and --cluster as one argument `workers`, --resume and --out."""

    at_least_one = click.IntRange(min=1)

    @click.option("--workers", "count", type=at_least_one, metavar="N", help="Cases at a time.  [default: all cores]")
    @click.option("--processes", is_flag=True, help="Workers are processes instead of threads.")
    @click.option("--cluster", metavar="KEYFILE", help="Workers are those of its scheduler; see docksim cluster.")
    @click.option("--resume", is_flag=True, help="Go on: run the cases that have no row yet.")
    @click.option("--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True, help="Folder.")
    @functools.wraps(command)
    def wrapped(*args: Any, count: int | None, processes: bool, cluster: str | None, **kwargs: Any) -> Any:
        if cluster is not None and (count is not None or processes):
            raise click.UsageError("--cluster has the workers of its scheduler; leave out --workers and --processes")
        return command(*args, workers=Workers(count, processes, cluster), **kwargs)

    return wrapped


@contextmanager
def watched(display: StudyDisplay) -> Iterator[Callable[[], bool]]:
    """Whether to stop, while the display is open; a second Ctrl-C leaves at once, the rows on disk stay whole."""
    try:
        with interruptible(display.note) as stop, display:
            yield stop.is_set
    except KeyboardInterrupt:
        click.echo("aborted; what was reported is safe", err=True)
        # workers may be inside a long compiled call; waiting for them is what the user does not want
        os._exit(interrupted())


class StudyDisplay:
    """Cases done, rate, time left, success so far with its interval: one line that is rewritten on a terminal, else a
    line now and then. Counts only what is safe on disk."""

    def __init__(self, plan: Plan, console: Console | None = None, known_end: bool = True) -> None:
        """`known_end` is False where nobody knows how many cases it will take."""
        self._cases: int | None = plan.cases if known_end else None
        self._random = plan.is_random
        self._console = console or Console(stderr=True)
        self._done = self._new = self._successes = 0
        self._cases_s = self._kernel_s = 0.0
        self._began = self._last = self._last_row = time.monotonic()
        self._open_line = False
        compile_first(self.note)

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
        every = REFRESH_S if self._console.is_terminal else LINE_EVERY_S
        if now - self._last >= every or self._done == self._cases:
            self._last = now
            text = self.line(now - self._began)
            if self._console.is_terminal:
                self._console.print(f"\r{text}\x1b[K", end="", markup=False, highlight=False, soft_wrap=True)
                self._open_line = True
            else:
                self.note(text)

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

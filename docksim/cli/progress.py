"""Progress on standard error: a bar on a terminal once a run lasts over a second, else a line now and then."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from docksim.jobs.compiling import LINE_EVERY_S, compile_first

if TYPE_CHECKING:
    from docksim.jobs.batch import RunReport

BAR_AFTER_S = 1.0


class Display:
    """Shows how far a batch is; may be told so from any thread."""

    def __init__(self, files: Sequence[str], console: Console | None = None) -> None:
        self._files = list(files)
        self._fractions = [0.0] * len(files)
        self._done = 0
        self._console = console or Console(stderr=True)
        self._lock = threading.RLock()
        self._bar: Progress | None = None
        self._began = self._last_line = time.monotonic()
        self._kernel_checked = False

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *_: Any) -> None:
        with self._lock:
            if self._bar:
                self._bar.stop()
                self._bar = None

    def note(self, text: str) -> None:
        """A line of its own, above the bar."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def update(self, index: int, fraction: float) -> None:
        """File `index` is done to this fraction; the first call comes before anything is compiled."""
        with self._lock:
            if not self._kernel_checked:
                self._kernel_checked = True
                compile_first(self.note)
            self._fractions[index] = min(max(fraction, 0.0), 1.0)
            self._refresh()

    def finished(self, index: int, report: RunReport) -> None:
        """File `index` has ended, well or not."""
        with self._lock:
            self._fractions[index] = 1.0
            self._done += 1
            if len(self._files) > 1 and not self._console.is_terminal:
                self.note(f"[{self._done}/{len(self._files)}] {report.source}: {report.outcome}")
            self._refresh()

    def _refresh(self) -> None:
        now = time.monotonic()
        if now - self._began < BAR_AFTER_S:
            return
        total = sum(self._fractions) / len(self._fractions)
        if self._console.is_terminal:
            if self._bar is None:
                columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
                self._bar = Progress(*columns, console=self._console, transient=True)
                self._bar.add_task(self._label(), total=1.0)
                self._bar.start()
            self._bar.update(self._bar.task_ids[0], completed=total, description=self._label())
        elif now - self._last_line >= LINE_EVERY_S:
            self._last_line = now
            self.note(f"{self._label()}: {total:.0%}")

    def _label(self) -> str:
        if len(self._files) == 1:
            return self._files[0]
        return f"{self._done} of {len(self._files)} files"

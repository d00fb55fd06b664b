"""Ctrl-C, or SIGTERM: the first one asks runs to stop and keeps what they have, the second one leaves at once.

While the kernel is compiled there is nothing to keep, and no way to ask: then the first one leaves at once, too. Once
runs are asked to stop, no compiling begins.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from docksim.jobs.signals import SIGNALS, heard, interrupt
from docksim.simulation.threads import COMPILING, STOPPING


@contextmanager
def interruptible(note: Callable[[str], None]) -> Iterator[threading.Event]:
    """An event that the first Ctrl-C or SIGTERM sets; the second one raises KeyboardInterrupt."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(signum: int, frame: FrameType | None) -> None:
        stop.set()
        STOPPING.set()
        heard(signum)
        for one in SIGNALS:
            signal.signal(one, interrupt)
        if COMPILING.locked():
            note("the kernel was being compiled; there is nothing to save")
            raise KeyboardInterrupt
        note("stopping and saving what is there; Ctrl-C again leaves at once")

    before = [signal.signal(one, ask) for one in SIGNALS]
    try:
        yield stop
    finally:
        STOPPING.clear()
        for one, handler in zip(SIGNALS, before, strict=True):
            signal.signal(one, handler)


def tell_aborted(saved: Iterable[Path]) -> None:
    """Last words after the second one; what is on the disk is named."""
    for folder in saved:
        click.echo(f"saved in {folder}", err=True)
    click.echo("aborted", err=True)

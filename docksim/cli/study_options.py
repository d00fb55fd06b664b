"""What the commands that run cases of a study have in common: options, Ctrl-C, the cluster."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from docksim.cli.interrupt import interruptible
from docksim.jobs.signals import interrupted
from docksim.jobs.study_display import StudyDisplay
from docksim.study.runner import Workers


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

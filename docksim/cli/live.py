"""docksim replay --live: a run in a thread, its pages served from this one, both ended by Ctrl-C."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import click

from docksim.cli.interrupt import interruptible
from docksim.cli.loading import scenario_of_file
from docksim.config import Scenario
from docksim.config.outcomes import SUCCESSES
from docksim.replay.live import Feed
from docksim.replay.page import library_text
from docksim.replay.server import LiveServer
from docksim.result.files import check_writable, save_run
from docksim.result.result import Result, ResultError
from docksim.simulation.run import simulate
from docksim.simulation.threads import describe

RESULTS = Path("results")
GRACE_S = 10.0


def run_live(file: str, assignments: Sequence[str], speed: float, show: bool) -> int:
    """Run, serve, save; the exit code."""
    scenario = scenario_of_file(file, assignments)
    try:
        # what is missing is told before anything runs
        library_text()
        check_writable(RESULTS, scenario.name)
    except ResultError as error:
        raise click.ClickException(str(error)) from error
    feed = Feed(speed)
    with LiveServer(feed) as server, interruptible(lambda text: click.echo(text, err=True)) as stop:
        click.echo(server.address)
        click.echo("open it in a browser on this computer; Ctrl-C ends", err=True)
        run = _Run(scenario, feed, stop)
        run.start()
        if show:
            open_in_browser(server.address)
        # short waits, so that Ctrl-C is heard at once
        while run.is_alive():
            run.join(0.1)
        code = run.report()
        # until a page has all of it; a page that was closed may be opened again for a while
        while not (stop.is_set() or feed.told_end.wait(0.1) or feed.deserted(GRACE_S)):
            pass
    return code


class _Run(threading.Thread):
    """The simulation, and the result it leaves."""

    def __init__(self, scenario: Scenario, feed: Feed, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.scenario, self.feed, self.stop_asked = scenario, feed, stop
        self.result: Result | None = None
        self.failure = ""

    def run(self) -> None:
        try:
            self.result = simulate(self.scenario, self.feed.progress, self.stop_asked.is_set, watch=self.feed.watch)
        except Exception as error:
            self.failure = describe(error)
        self.feed.end(self.result.outcome if self.result else "failed")

    def report(self) -> int:
        """Save what is there and say where."""
        if self.result is None:
            click.echo(f"{self.scenario.name}: {self.failure}", err=True)
            return 1
        try:
            folder = save_run(self.result, RESULTS)
        except ResultError as error:
            click.echo(str(error), err=True)
            return 1
        reason = f" ({self.result.reason})" if self.result.reason else ""
        click.echo(f"{self.result.outcome}{reason}, saved in {folder}", err=True)
        if self.result.outcome == "interrupted":
            return 130
        return 0 if self.result.outcome in SUCCESSES else 1


def open_in_browser(address: str) -> None:
    """Or say that there is none."""
    if not webbrowser.open(address):
        click.echo(f"no browser found; open {address}", err=True)

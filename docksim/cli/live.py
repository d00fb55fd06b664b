"""docksim replay --live: a run in a thread, its pages served from this one, both ended by Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from docksim.config import Scenario
    from docksim.replay.live import Feed
    from docksim.result.result import Result

RESULTS = Path("results")
GRACE_S = 10.0


def run_live(file: str, assignments: Sequence[str], speed: float, show: bool) -> int:
    """Run, serve, save; the exit code."""
    from docksim.cli.interrupt import interruptible
    from docksim.replay.live import Feed
    from docksim.replay.page import library_text
    from docksim.replay.server import LiveServer
    from docksim.result.files import check_writable
    from docksim.result.result import ResultError

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
            from docksim.cli.replay import open_in_browser

            open_in_browser(server.address)
        # short waits, so that Ctrl-C is heard at once
        while run.is_alive():
            run.join(0.1)
        code = run.report()
        # until a page has all of it; a page that was closed may be opened again for a while
        while not (stop.is_set() or feed.told_end.wait(0.1) or feed.deserted(GRACE_S)):
            pass
    return code


def scenario_of_file(file: str, assignments: Sequence[str]) -> Scenario:
    """The scenario with its changes, or what is wrong with it."""
    from docksim.cli.run import overrides
    from docksim.config import ScenarioError, load_scenario

    try:
        return load_scenario(file, overrides(assignments), override_origin="--set")
    except ScenarioError as error:
        raise click.ClickException(str(error)) from error


class _Run(threading.Thread):
    """The simulation, and the result it leaves."""

    def __init__(self, scenario: Scenario, feed: Feed, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.scenario, self.feed, self.stop_asked = scenario, feed, stop
        self.result: Result | None = None
        self.failure = ""

    def run(self) -> None:
        from docksim.simulation.run import simulate

        try:
            self.result = simulate(self.scenario, self.feed.progress, self.stop_asked.is_set, watch=self.feed.watch)
        except Exception as error:
            from docksim.simulation.threads import describe

            self.failure = describe(error)
        self.feed.end(self.result.outcome if self.result else "failed")

    def report(self) -> int:
        """Save what is there and say where."""
        from docksim.config.outcomes import SUCCESSES
        from docksim.result.files import save_run
        from docksim.result.result import ResultError

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

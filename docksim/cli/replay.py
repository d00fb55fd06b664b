"""docksim replay: a result, or a run as it goes, in three dimensions in a browser.

Live, a run goes in a thread, its pages are served from this one, and both are ended by Ctrl-C.
"""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import click

from docksim.cli.interrupt import interruptible
from docksim.cli.loading import complaints, scenario_of_file
from docksim.cli.options import Number, echo_paths, json_option
from docksim.cli.saved import RESULTS, saved
from docksim.config import Scenario
from docksim.config.outcomes import SUCCESSES
from docksim.jobs.signals import interrupted
from docksim.replay.build import write_replay
from docksim.replay.live import Feed
from docksim.replay.scene import build_scene
from docksim.replay.server import LiveServer
from docksim.result.files import check_writable, save_run
from docksim.result.result import Result, ResultError
from docksim.simulation.run import simulate
from docksim.simulation.threads import describe

GRACE_S = 10.0


@click.command(short_help="Show a result, or a run as it goes, in 3-D in a browser.")
@click.argument("target", type=click.Path(), metavar="RESULT|SCENARIO")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="[default: RESULT/replay.html, or replay.png]",
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
@click.option("--still", "as_still", is_flag=True, help="One picture instead of a page, made without a browser.")
@click.option("--at", "at_s", type=Number(0.0, 1e12), metavar="S",
              help="With --still: the instant.  [default: that of the largest contact force]")  # fmt: skip
@click.option("--live", is_flag=True, help="Run SCENARIO, and show it while it runs, on this computer only.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="With --live: change a key.")
@click.option(
    "--speed", type=Number(0.0, 1e6), default=1.0, show_default=True, metavar="X",
    help="With --live: times real time, as far as the computer can; 0 is as fast as it goes.",
)  # fmt: skip
@json_option
@click.pass_context
def replay(
    context: click.Context, target: str, out: Path | None, show: bool, as_still: bool, at_s: float | None, live: bool,
    assignments: tuple[str, ...], speed: float, as_json: bool,
) -> None:  # fmt: skip
    """Write a saved RESULT (a folder such as results/<scenario>/<run>; results/<scenario> means its newest run) as one
    file that any browser shows, offline.

    \b
    Examples:
    docksim replay results/dock_nds --open
    docksim replay results/dock_nds/2026-01-31T12-00-00Z --still
    docksim replay --live scenarios/dock_nds.yaml --speed 2
    """
    if live and out is not None:
        raise click.UsageError("--out is for a saved result; a live run is saved under results/, as by docksim run")
    if live and as_still:
        raise click.UsageError("--still is for a saved result")
    if at_s is not None and not as_still:
        raise click.UsageError("--at is for --still; a page shows every instant")
    if live and as_json:
        raise click.UsageError("--json is for a saved result; docksim run --json tells how a run ended")
    if assignments and not live:
        raise click.UsageError("--set is for --live; a saved result cannot be changed")
    if live:
        context.exit(run_live(target, assignments, speed, show))
    with complaints():
        folder = saved(Path(target), "replay")
        result = Result.load(folder)
        if as_still:
            from docksim.replay.still import write_still

            file = write_still(result, out or folder / "replay.png", at_s)
        else:
            file = write_replay(result, out or folder / "replay.html")
    for note in build_scene(result.scenario).notes:
        click.echo(f"note: {note}", err=True)
    echo_paths([file], as_json)
    if show:
        open_in_browser(file.resolve().as_uri())


# ---------------------------------------------------------------- live


def run_live(file: str, assignments: Sequence[str], speed: float, show: bool) -> int:
    """Run, serve, save; the exit code."""
    scenario = scenario_of_file(file, assignments)
    # what is missing is told before anything runs
    with complaints():
        check_writable(RESULTS, scenario.name)
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
            return interrupted()
        return 0 if self.result.outcome in SUCCESSES else 1


def open_in_browser(address: str) -> None:
    """Or say that there is none."""
    if not webbrowser.open(address):
        click.echo(f"no browser found; open {address}", err=True)

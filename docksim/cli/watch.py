"""docksim watch: a paced run as it goes, in a process of its own."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import click

from docksim.cli.interrupt import interruptible
from docksim.cli.loading import complaints, scenario_of_file
from docksim.cli.replay import GRACE_S, open_in_browser
from docksim.jobs.signals import interrupted
from docksim.realtime.watch import show
from docksim.replay.server import LiveServer
from docksim.replay.watched import Watched

WATCH_PORT = 47002
FLUSH_S = 0.1


@click.command(short_help="Show a paced run as it goes.")
@click.option("--port", type=click.IntRange(1, 65535), default=WATCH_PORT, show_default=True, help="Listen here (UDP).")
@click.option("--once", is_flag=True, help="End with the run; with --page, also if nobody looks at it.")
@click.option("--page", "file", type=click.Path(), metavar="FILE",
              help="Show it in 3-D in a browser: FILE is the scenario that is run.")  # fmt: skip
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="With --page: as for the run.")
@click.option("--open", "show_page", is_flag=True, help="With --page: open it in the browser.")
def watch(port: int, once: bool, file: str | None, assignments: tuple[str, ...], show_page: bool) -> None:
    """Show what `docksim realtime --watch FILE` sends, in this terminal or in a browser; the run waits for neither.

    \b
    Examples:
    docksim watch
    docksim watch --page scenarios/dock_nds.yaml --open
    """
    if file is None and (assignments or show_page):
        raise click.UsageError("--set and --open are for --page")
    try:
        if file is None:
            show(port, once)
        else:
            _show_page(file, assignments, port, show_page, once)
    except OSError as error:
        raise click.ClickException(f"cannot listen at port {port}: {error.strerror or error}") from error


def _show_page(file: str, assignments: tuple[str, ...], port: int, show_page: bool, once: bool) -> None:
    """Serve the page of one run, from before its first row until a page has its last, or if `once` none is left."""
    scenario = scenario_of_file(file, assignments)
    with complaints():
        watched = Watched(scenario)
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with listener, LiveServer(watched.feed) as server, interruptible(lambda text: None) as stop:
        listener.bind(("127.0.0.1", port))
        click.echo(server.address)
        click.echo(f"waiting for docksim realtime --watch {file}; Ctrl-C ends", err=True)
        if show_page:
            open_in_browser(server.address)
        threading.Thread(target=_listen, args=(listener, watched, stop), daemon=True).start()
        told: set[str] = set()
        while not (watched.feed.outcome or stop.is_set()):
            watched.flush()
            _tell(watched, told)
            stop.wait(FLUSH_S)
        if stop.is_set():
            raise click.exceptions.Exit(interrupted())
        while not (stop.is_set() or watched.feed.told_end.wait(0.1) or watched.feed.deserted(GRACE_S)):
            if once and not watched.feed.readers:
                break
        stop.set()


def _listen(listener: socket.socket, watched: Watched, stop: threading.Event) -> None:
    """Take datagrams as they come."""
    listener.settimeout(0.1)
    while not stop.is_set():
        with suppress(OSError):
            watched.take(listener.recv(65536))


def _tell(watched: Watched, told: set[str]) -> None:
    """What cannot be shown, once."""
    for what in set(watched.counts) - told - {"rows"}:
        told.add(what)
        advice = "; give the file, and the --set, of the run" if what == "of another scenario" else ""
        click.echo(f"there are datagrams that are {what}, and not shown{advice}", err=True)

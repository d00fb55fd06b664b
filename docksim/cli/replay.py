"""docksim replay: a result, or a run as it goes, in three dimensions in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.cli.live import open_in_browser, run_live
from docksim.cli.options import Number
from docksim.replay.build import write_replay
from docksim.result.result import Result, ResultError


@click.command(short_help="Show a result, or a run as it goes, in 3-D in a browser.")
@click.argument("target", type=click.Path(), metavar="RESULT|SCENARIO")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="[default: RESULT/replay.html]"
)
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
@click.option("--live", is_flag=True, help="Run SCENARIO, and show it while it runs, on this computer only.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="With --live: change a key.")
@click.option(
    "--speed", type=Number(0.0, 1e6), default=1.0, show_default=True, metavar="X",
    help="With --live: times real time, as far as the computer can; 0 is as fast as it goes.",
)  # fmt: skip
@click.pass_context
def replay(
    context: click.Context,
    target: str,
    out: Path | None,
    show: bool,
    live: bool,
    assignments: tuple[str, ...],
    speed: float,
) -> None:
    """Write a saved RESULT (a folder such as results/<scenario>/<run>) as one file that any browser shows, offline.

    \b
    Examples:
    docksim replay results/dock_nds/2026-01-31T12-00-00Z --open
    docksim replay --live scenarios/dock_nds.yaml --speed 2
    """
    if live and out is not None:
        raise click.UsageError("--out is for a saved result; a live run is saved under results/, as by docksim run")
    if assignments and not live:
        raise click.UsageError("--set is for --live; a saved result cannot be changed")
    if live:
        context.exit(run_live(target, assignments, speed, show))
    file = _write(Path(target), out)
    click.echo(str(file))
    if show:
        open_in_browser(file.resolve().as_uri())


def _write(folder: Path, out: Path | None) -> Path:
    if folder.suffix in (".yaml", ".yml") and folder.is_file():
        raise click.ClickException(f"{folder} is a scenario: docksim run it first, or give --live")
    try:
        return write_replay(Result.load(folder), out or folder / "replay.html")
    except ResultError as error:
        raise click.ClickException(str(error)) from error

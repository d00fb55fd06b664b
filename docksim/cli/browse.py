"""docksim list, show: what comes with docksim."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Column

from docksim.cli.complete import complete_shipped
from docksim.cli.loading import complaints, overrides
from docksim.cli.options import json_option
from docksim.cli.tables import echo_json, listing, print_table
from docksim.config import load_scenario
from docksim.config.errors import did_you_mean
from docksim.config.loading.shipped import FOLDERS, Shipped, shipped


@click.command(name="list", short_help="Scenarios, studies and parts that come with docksim.")
@click.argument("folder", required=False, type=click.Choice(FOLDERS))
@json_option
def list_shipped(folder: str | None, as_json: bool) -> None:
    """List what comes with docksim, by the names that commands and `use:` take.

    \b
    Examples:
    docksim list
    docksim list configs
    """
    folders = FOLDERS if folder is None else (folder,)
    if as_json:
        return echo_json({one: [own._asdict() for own in shipped(one)] for one in folders})
    for one in folders:
        table = listing(one, Column("name", no_wrap=True), Column("shows" if one == "scenarios" else "is"))
        for own in shipped(one):
            table.add_row(own.name, own.about)
        print_table(table)


@click.command(short_help="Print a file that comes with docksim.")
@click.argument("name", shell_complete=complete_shipped)
@click.option("--resolved", is_flag=True, help="A scenario with everything it uses and every default written out.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="With --resolved: change a key first.")
@click.option("--path", "only_path", is_flag=True, help="Only where the file is.")
@json_option
def show(name: str, resolved: bool, assignments: tuple[str, ...], only_path: bool, as_json: bool) -> None:
    """Print a scenario, study or part that comes with docksim, by the NAME that `docksim list` gives it.

    \b
    Examples:
    docksim show dock_nds
    docksim show configs/mechanisms/nds_like.yaml
    docksim show dock_nds --resolved
    """
    if assignments and not resolved:
        raise click.UsageError("--set changes the resolved scenario: give --resolved too")
    own = _named(name)
    text = own.file.read_text(encoding="utf-8")
    if resolved:
        with complaints():
            text = load_scenario(own.file, overrides(assignments), override_origin="--set").to_yaml()
    if as_json:
        return echo_json({"name": own.name, "file": str(own.file), "text": text})
    click.echo(f"{own.file}\n" if only_path else text, nl=False)


def _named(name: str) -> Shipped:
    files = [one for folder in FOLDERS for one in shipped(folder)]
    ends = tuple(f"/{Path(name + ending).as_posix()}" for ending in ("", ".yaml"))
    for one in files:
        if name in (one.name, Path(one.name).stem) or one.file.as_posix().endswith(ends):
            return one
    hint = did_you_mean(name, [one.name for one in files])
    raise click.ClickException(f"nothing that comes with docksim is called '{name}'{hint}; docksim list shows all")

"""docksim new: a commented scenario to start from."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import click

from docksim.files.writing import write_text

KINDS = ("spin", "two_vehicles", "docking")
_NAME = "@NAME@"


@click.command(short_help="Write a commented starting scenario.")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def new(kind: str, file: Path, force: bool) -> None:
    """Write a commented starting scenario of the given KIND to FILE.

    \b
    spin          one free rigid body
    two_vehicles  a chaser with flexible arrays docks with a station and leaves again
    docking       petals, latches and a soft mechanism, from first contact to closed hooks
    """
    try:
        write_text(file, starting_scenario(kind, file.stem), replace=force)
    except FileExistsError:
        raise click.ClickException(f"{file} exists; --force overwrites it") from None
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror or error}") from error
    click.echo(f"{file} written; next: docksim run {file}")


def starting_scenario(kind: str, stem: str) -> str:
    """The text of a template, named after its file as far as names allow."""
    text = files("docksim").joinpath("cli", "templates", f"{kind}.yaml").read_text(encoding="utf-8")
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", stem).lstrip(".")[:100] or kind
    return text.replace(_NAME, json.dumps(name))

"""docksim completion: the line that a shell reads at its start."""

from __future__ import annotations

import os
from pathlib import Path

import click

LINES = {
    "bash": 'eval "$(_DOCKSIM_COMPLETE=bash_source docksim)"',
    "zsh": 'eval "$(_DOCKSIM_COMPLETE=zsh_source docksim)"',
    "fish": "_DOCKSIM_COMPLETE=fish_source docksim | source",
}
FILES = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/completions/docksim.fish"}


@click.command(short_help="The line that makes your shell complete docksim's commands.")
@click.argument("shell", required=False, type=click.Choice(list(LINES)))
def completion(shell: str | None) -> None:
    """Print the line that makes SHELL complete commands, options, shipped names, saved runs and keys of --set.

    SHELL is the one you use if left out. Put the line into the file that is named, and open a new shell.
    """
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in LINES:
        raise click.UsageError(f"which shell? docksim completion {'|'.join(LINES)}")
    click.echo(LINES[name])
    click.echo(f"put this line into {FILES[name]} and open a new shell", err=True)

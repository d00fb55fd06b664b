"""Commands as a user types them, run in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from docksim.cli import main


def call(*words: object) -> Result:
    """`docksim` with these words."""
    return CliRunner().invoke(main, [str(word) for word in words])

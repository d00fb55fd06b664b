"""What options of several commands have in common: numbers in a range, figures and their format."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# exit code of what Ctrl-C has ended, as shells have it
INTERRUPTED = 130
FIGURE_FORMATS = ("png", "svg", "pdf")

figure_format = click.option(
    "--format", "kind", type=click.Choice(FIGURE_FORMATS), default="png", show_default=True, help="Of the figures."
)


class Number(click.FloatRange):
    """A finite number in a range; nan compares with nothing, so a range by itself lets it pass."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        return number if math.isfinite(number) else self.fail(f"{value} is not a finite number", param, ctx)


def save_figures(figures: Mapping[str, Figure], folder: Path, kind: str, quiet: bool = False) -> list[Path]:
    """Draw them into files, and name these unless told to be quiet."""
    from docksim.plots.files import write_figures
    from docksim.result import ResultError

    try:
        paths = write_figures(figures, folder, kind)
    except ResultError as error:
        raise click.ClickException(str(error)) from error
    for path in [] if quiet else paths:
        click.echo(str(path))
    return paths

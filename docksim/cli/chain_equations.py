"""docksim chain equations: the equations of motion of a chain in print."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.chain.build import load_chain
from docksim.chain.generation.printed import FORMATS, printed
from docksim.chain.generation.trigonometric import TooManyTerms
from docksim.chain.generation.trigonometric import equations as expanded
from docksim.cli.chain_generate import put_text
from docksim.cli.options import json_option
from docksim.config import ScenarioError


@click.command(short_help="Equations of motion of a chain in print, in base parameters.")
@click.argument("file", type=click.Path())
@click.option("--to", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Form.")
@click.option("--digits", type=click.IntRange(1, 17), default=15, show_default=True, help="Of the numbers.")
@click.option("--nonzero", is_flag=True, help="Without base parameters that the masses in FILE make zero.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write there, not to standard output.")
@json_option
@click.pass_context
def equations(
    context: click.Context, file: str, form: str, digits: int, nonzero: bool, out: Path | None, as_json: bool
) -> None:
    """A(q), weights and Christoffel symbols of the chain in FILE as sums of products of sines and cosines.

    Each is linear in the base parameters, one line for each: which parameter acts where can be read off. The text can
    be evaluated line by line (^ is power); LaTeX needs amsmath.

    \b
    Examples:
    docksim chain equations configs/chains/planar_2r.yaml
    docksim chain equations configs/chains/puma560.yaml --to latex --digits 6 --nonzero --out puma560.tex
    """
    try:
        text = printed(expanded(load_chain(file)), form, digits, nonzero)
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    except TooManyTerms as error:
        click.echo(f"{file}: {error}", err=True)
        context.exit(1)
    put_text(text, out, as_json)

"""docksim chain generate: the dynamics of a chain as a source file for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.chain.build import load_chain
from docksim.chain.dynamics.formulations import Singular
from docksim.chain.generation.sources import LANGUAGES, check_name, operations, source
from docksim.chain.generation.straight_line import WHAT, TooLong, straight
from docksim.cli.loading import complaints
from docksim.cli.options import echo_paths, json_option
from docksim.cli.tables import echo_json
from docksim.config import ScenarioError
from docksim.config.loading.chain import link_error
from docksim.result.arrays import write_text


@click.command(short_help="Dynamics of a chain as C, numba or Python code without loops.")
@click.argument("file", type=click.Path())
@click.option(
    "--what", "what", multiple=True, type=click.Choice(WHAT), default=("inverse",), show_default=True,
    help="Forces of a motion, accelerations under forces, or the matrix A; several go into one file.",
)  # fmt: skip
@click.option("--to", "language", type=click.Choice(LANGUAGES), default="c", show_default=True, help="Language.")
@click.option("--name", help="Start of the functions' names.  [default: name of FILE]")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write there, not to standard output.")
@json_option
@click.pass_context
def generate(
    context: click.Context, file: str, what: tuple[str, ...], language: str, name: str | None, out: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Inverse dynamics, forward dynamics or A of the chain in FILE as straight-line code that stands alone.

    Geometry, gravity and the base parameters of the links are worked into its numbers; what is zero, one or repeated
    is left out. The head of the code says what it computes, its units, and how many operations it takes.

    \b
    Examples:
    docksim chain generate configs/chains/puma560.yaml --out puma560.c
    docksim chain generate configs/chains/puma560.yaml --what inverse --what mass --to numba --out puma560.py
    """
    try:
        stem = check_name(Path(file).stem if name is None else name)
        arm = load_chain(file)
        functions = [straight(arm, one) for one in dict.fromkeys(what)]
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    except Singular as error:
        click.echo(str(link_error(file, error.link, str(error))), err=True)
        context.exit(1)
    except TooLong as error:
        click.echo(f"{file}: {error}", err=True)
        context.exit(1)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--name") from None
    text = source(functions, language, stem)
    put_text(text, out, as_json)
    for function in functions:
        click.echo(f"{stem}_{function.what}: {operations(function)}", err=True)


def put_text(text: str, out: Path | None, as_json: bool) -> None:
    """To a file, whole or not at all, or to standard output."""
    if out is not None:
        with complaints():
            echo_paths([write_text(out, text)], as_json)
    elif as_json:
        echo_json({"text": text})
    else:
        click.echo(text, nl=False)

"""docksim baseparams: the base inertial parameters of a chain, as expressions and as a matrix."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from docksim.chain.baseparams import POWERS, BaseParameters, base_parameters, parameter_name
from docksim.chain.build import load_chain
from docksim.chain.model import ChainModel
from docksim.chain.regressor import inertial_parameters
from docksim.cli.tables import print_table
from docksim.config import ScenarioError

LENGTHS = {"m": 1.0, "mm": 1e-3}
UNITS = {"kg m2": "kg {}²", "kg m": "kg {}", "kg": "kg"}


@click.command(short_help="Base inertial parameters of a chain: expressions and the matrix Y.")
@click.argument("file", type=click.Path())
@click.option("--length", type=click.Choice(tuple(LENGTHS)), default="m", show_default=True, help="Unit of length.")
@click.option("--no-gravity", is_flag=True, help="Leave gravity out, as on a horizontal table or in orbit.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write Y: .npz or .csv.")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, on standard output.")
@click.pass_context
def baseparams(
    context: click.Context, file: str, length: str, no_gravity: bool, out: Path | None, as_json: bool
) -> None:
    """The fewest combinations of the links' masses, first moments and inertias that the chain in FILE moves by.

    Only geometry, joint types and the direction of gravity matter. Ixx2 is the integral of x² dm of link 2 (Ixy of x y
    dm), Sx2 its first moment, m2 its mass, all in the frame in which the file gives masses: for Denavit-Hartenberg
    rows frame k at the far end of link k. A base parameter is its first term, plus what cannot be told from it.
    """
    if out is not None and out.suffix not in (".npz", ".csv"):
        raise click.BadParameter(f"'{out}' must end in .npz or .csv", param_hint="--out")
    try:
        arm = load_chain(file)
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    if no_gravity:
        arm = replace(arm, gravity=0.0 * arm.gravity)
    found = base_parameters(arm)
    if out is not None:
        _save(found, out, length)
    if as_json:
        click.echo(json.dumps(_content(arm, found, length), indent=1))
        return
    _show(Path(file).stem, arm, found, length)
    if out is not None:
        click.echo(str(out))


def _values(arm: ChainModel, found: BaseParameters, length: str) -> np.ndarray:
    """Values of the base parameters by the masses in the file."""
    scaled: np.ndarray = found.values(inertial_parameters(arm)) / LENGTHS[length] ** POWERS[found.columns % 10]
    return scaled


def _content(arm: ChainModel, found: BaseParameters, length: str) -> dict[str, Any]:
    return {
        "number": len(found.columns),
        "of": found.Y.shape[1],
        "length": length,
        "links": found.links,
        "base": found.names,
        "expressions": found.expressions(LENGTHS[length], 10),
        "values": [float(value) for value in _values(arm, found, length)],
        "parameters": [parameter_name(j) for j in range(found.Y.shape[1])],
        "Y": found.in_length(LENGTHS[length]).tolist(),
        "without_effect": found.unidentifiable(),
    }


def _save(found: BaseParameters, out: Path, length: str) -> None:
    Y = found.in_length(LENGTHS[length])
    names = [parameter_name(j) for j in range(Y.shape[1])]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.suffix == ".npz":
            with out.open("wb") as stream:
                np.savez(
                    stream, Y=Y, base=np.array(found.names), parameters=np.array(names), columns=found.columns,
                    links=np.array(found.links), length=np.array(length),
                )  # fmt: skip
            return
        with out.open("w", newline="", encoding="utf-8") as text:
            writer = csv.writer(text)
            writer.writerow(["base", *names])
            writer.writerows([name, *(repr(float(value)) for value in row)] for name, row in zip(found.names, Y))
    except OSError as error:
        raise click.ClickException(f"cannot write {out}: {error.strerror or error}") from error


def _show(stem: str, arm: ChainModel, found: BaseParameters, length: str) -> None:
    number, of = len(found.columns), found.Y.shape[1]
    title = Text(f"{stem}: {number} base parameters of {of}, lengths in {length}", "bold")
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", padding=(0, 1, 0, 0))
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("base parameter", overflow="fold")
    massive = bool(arm.mass.any())
    if massive:
        table.add_column("value", justify="right", no_wrap=True)
        table.add_column("unit", no_wrap=True)
    values = _values(arm, found, length)
    for i, (words, unit) in enumerate(zip(found.expressions(LENGTHS[length]), found.units)):
        value = f"{values[i]:.5g}" if math.isfinite(values[i]) else "-"
        more = [value, UNITS[unit].format(length)] if massive else []
        table.add_row(str(i + 1), words, *more)
    print_table(table)
    names = ", ".join(f"{k + 1} {name}" for k, name in enumerate(found.links))
    click.echo(f"links: {names}")
    left = found.unidentifiable()
    if left:
        click.echo(f"without any effect: {', '.join(left)}")

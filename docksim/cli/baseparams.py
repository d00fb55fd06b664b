"""docksim baseparams: the base inertial parameters of a chain, as expressions and as a matrix."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import click
import numpy as np

from docksim.chain.build import load_chain
from docksim.chain.identification.baseparams import POWERS, BaseParameters, base_parameters, parameter_name
from docksim.chain.identification.regressor import inertial_parameters
from docksim.chain.model import ChainModel
from docksim.cli.loading import complaints, refusals
from docksim.cli.options import json_option
from docksim.cli.tables import left, listing, print_table, right
from docksim.result.arrays import write_npz, write_text

LENGTHS = {"m": 1.0, "mm": 1e-3}
UNITS = {"kg m2": "kg {}²", "kg m": "kg {}", "kg": "kg"}


@click.command(short_help="Base inertial parameters of a chain: expressions and the matrix Y.")
@click.argument("file", type=click.Path())
@click.option("--length", type=click.Choice(tuple(LENGTHS)), default="m", show_default=True, help="Unit of length.")
@click.option("--no-gravity", is_flag=True, help="Leave gravity out, as on a horizontal table or in orbit.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write Y: .npz or .csv.")
@json_option
def baseparams(file: str, length: str, no_gravity: bool, out: Path | None, as_json: bool) -> None:
    """The fewest combinations of the links' masses, first moments and inertias that the chain in FILE moves by.

    Only geometry, joint types and the direction of gravity matter. Ixx2 is the integral of x² dm of link 2 (Ixy of x y
    dm), Sx2 its first moment, m2 its mass, all in the frame in which the file gives masses: for Denavit-Hartenberg
    rows frame k at the far end of link k. A base parameter is its first term, plus what cannot be told from it.
    """
    if out is not None and out.suffix not in (".npz", ".csv"):
        raise click.BadParameter(f"'{out}' must end in .npz or .csv", param_hint="--out")
    with refusals():
        arm = load_chain(file)
    if no_gravity:
        arm = replace(arm, gravity=0.0 * arm.gravity)
    base = base_parameters(arm)
    if out is not None:
        _save(base, out, length)
    if as_json:
        click.echo(json.dumps(_content(arm, base, length), indent=1))
        return
    _show(Path(file).stem, arm, base, length)
    if out is not None:
        click.echo(str(out))


def _values(arm: ChainModel, base: BaseParameters, length: str) -> np.ndarray:
    """Values of the base parameters by the masses in the file."""
    scaled: np.ndarray = base.values(inertial_parameters(arm)) / LENGTHS[length] ** POWERS[base.columns % 10]
    return scaled


def _content(arm: ChainModel, base: BaseParameters, length: str) -> dict[str, Any]:
    return {
        "number": len(base.columns),
        "of": base.Y.shape[1],
        "length": length,
        "links": base.links,
        "base": base.names,
        "expressions": base.expressions(LENGTHS[length], 10),
        "values": [float(value) for value in _values(arm, base, length)],
        "parameters": [parameter_name(j) for j in range(base.Y.shape[1])],
        "Y": base.in_length(LENGTHS[length]).tolist(),
        "without_effect": base.unidentifiable(),
    }


def _save(base: BaseParameters, out: Path, length: str) -> None:
    Y = base.in_length(LENGTHS[length])
    names = [parameter_name(j) for j in range(Y.shape[1])]
    with complaints():
        if out.suffix == ".npz":
            arrays = {"Y": Y, "base": np.array(base.names), "parameters": np.array(names), "columns": base.columns}
            write_npz(out, arrays | {"links": np.array(base.links), "length": np.array(length)})
            return
        text = StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(["base", *names])
        writer.writerows([name, *(repr(float(value)) for value in row)] for name, row in zip(base.names, Y))
        write_text(out, text.getvalue())


def _show(stem: str, arm: ChainModel, base: BaseParameters, length: str) -> None:
    number, of = len(base.columns), base.Y.shape[1]
    massive = bool(arm.mass.any())
    columns = [*right(""), *left("base parameter", fold=True), *([*right("value"), *left("unit")] if massive else [])]
    table = listing(f"{stem}: {number} base parameters of {of}, lengths in {length}", *columns, tight=True)
    values = _values(arm, base, length)
    for i, (words, unit) in enumerate(zip(base.expressions(LENGTHS[length]), base.units)):
        value = f"{values[i]:.5g}" if math.isfinite(values[i]) else "-"
        more = [value, UNITS[unit].format(length)] if massive else []
        table.add_row(str(i + 1), words, *more)
    print_table(table)
    names = ", ".join(f"{k + 1} {name}" for k, name in enumerate(base.links))
    click.echo(f"links: {names}")
    without = base.unidentifiable()
    if without:
        click.echo(f"without any effect: {', '.join(without)}")

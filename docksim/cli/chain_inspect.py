"""docksim chain inspect: a chain in a table, and a figure to check by eye."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from docksim.chain.build import load_chain
from docksim.chain.model import ChainModel
from docksim.chain.motion.typed import state_point
from docksim.cli.options import figure_format, json_option, no_figures, save_figures
from docksim.cli.tables import echo_json, print_table
from docksim.config import ScenarioError

MOST_ROWS = 60


@click.command(name="inspect", short_help="Table and figure of a chain file.")
@click.argument("file", type=click.Path())
@click.option("--at", "points", multiple=True, metavar="LINK.angle_deg=VALUE", help="Draw it in another state.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the figure.  [default: results/chains/NAME]")
@figure_format
@no_figures("Only the table.")
@json_option
@click.pass_context
def inspect_chain(
    context: click.Context, file: str, points: tuple[str, ...], out: Path | None, kind: str, no_figures: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Joints, axes, ends and masses of the chain in FILE, in the world: is it the arm that was meant?"""
    try:
        arm = load_chain(file)
        q = state_point(arm, points)[0]
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--at") from None
    stem = Path(file).stem
    if not as_json:
        show_chain(stem, arm, q)
    folder = out or Path("results") / "chains" / stem
    files = [] if no_figures else _draw(stem, arm, q, folder, kind, as_json)
    if as_json:
        echo_json({**chain_facts(arm, q), "files": [str(file) for file in files]})


def _draw(stem: str, arm: ChainModel, q: np.ndarray, folder: Path, kind: str, quiet: bool) -> list[Path]:
    from docksim.plots.chain.view import chain_figure, drawing_of

    return save_figures({"chain": chain_figure(stem, drawing_of(arm, q))}, folder, kind, quiet)


def chain_facts(arm: ChainModel, q: np.ndarray) -> dict[str, Any]:
    """What the table shows, for machines: SI and radians."""
    R, p = arm.world_pose(q)
    links = [
        {
            "link": arm.names[k], "on": None if arm.parent[k] < 0 else arm.names[arm.parent[k]],
            "slides": bool(arm.prismatic[k]), "q": float(q[k]), "range": [float(arm.lower[k]), float(arm.upper[k])],
            "at_m": p[k].tolist(), "axis": (R[k] @ arm.axis[k]).tolist(), "mass_kg": float(arm.mass[k]),
            "end_m": (p[k] + R[k] @ arm.p_end[k]).tolist(),
        }
        for k in range(arm.n)
    ]  # fmt: skip
    return {"links": links, "mass_kg": float(arm.mass.sum()), "gravity_m_s2": arm.gravity.tolist()}


def show_chain(stem: str, arm: ChainModel, q: np.ndarray) -> None:
    """Its links in a table, far ends, and mass."""
    R, p = arm.world_pose(q)
    table = Table(box=box.SIMPLE_HEAD, title=Text(stem, "bold"), title_justify="left", padding=(0, 1, 0, 0))
    table.add_column("", justify="right")
    table.add_column("link", no_wrap=True)
    table.add_column("on", justify="right")
    table.add_column("joint", no_wrap=True)
    for heading in ("q", "range", "at [m]", "axis", "mass"):
        table.add_column(heading, justify="right", no_wrap=True)
    for k in range(min(arm.n, MOST_ROWS)):
        sliding = bool(arm.prismatic[k])
        unit, factor = ("m", 1.0) if sliding else ("deg", math.degrees(1.0))
        limits = [f"{factor * limit:.4g}" if math.isfinite(limit) else "-" for limit in (arm.lower[k], arm.upper[k])]
        table.add_row(
            str(k + 1), Text(arm.names[k]), "base" if arm.parent[k] < 0 else str(arm.parent[k] + 1),
            "slides" if sliding else "turns", f"{factor * q[k] + 0.0:.4g} {unit}",
            "-" if limits == ["-", "-"] else f"{limits[0]} to {limits[1]}", _vector(p[k]), _vector(R[k] @ arm.axis[k]),
            f"{arm.mass[k]:.4g} kg",
        )  # fmt: skip
    print_table(table)
    if arm.n > MOST_ROWS:
        click.echo(f"... and {arm.n - MOST_ROWS} more")
    for k in range(arm.n):
        if not np.any(arm.parent == k):
            click.echo(f"far end of {arm.names[k]} at {_vector(p[k] + R[k] @ arm.p_end[k])} m")
    gravity = f"gravity [{_vector(arm.gravity)}] m/s²" if arm.gravity.any() else "no gravity"
    click.echo(f"{arm.n} joints, {arm.mass.sum():.5g} kg, {gravity}")


def _vector(value: np.ndarray) -> str:
    return " ".join(f"{round(float(part), 3) + 0.0:g}" for part in value)

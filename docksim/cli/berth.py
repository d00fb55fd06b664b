"""docksim berth plan: the program of an arm that carries a free vehicle to a port."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from docksim.berthing import Program, plan_berthing
from docksim.cli.loading import complaints, refusals
from docksim.cli.options import echo_paths, figure_format, json_option, no_figures, save_figures
from docksim.cli.tables import left, listing, print_table, right
from docksim.config.loading.berthing import load_berthing
from docksim.config.schema.writer import content_to_yaml
from docksim.result.arrays import write_text


@click.group()
def berth() -> None:
    """Plan a berthing."""


@berth.command(short_help="The arm's program for a plan file: joint tables, figure, demands.")
@click.argument("file", type=click.Path())
@click.option(
    "--out", type=click.Path(path_type=Path), help="The program's file.  [default: results/berthing/NAME/program.yaml]"
)
@figure_format
@no_figures("Only the program and the table.")
@json_option
def plan(file: str, out: Path | None, kind: str, no_figures: bool, as_json: bool) -> None:
    """Joint angles that carry the vehicle of the plan in FILE, such as configs/berthing/module_plan.yaml, to its berth.

    The program is a part of a scenario: pull it in with `use`, beside the setup and a sequence.
    """
    with refusals():
        program = plan_berthing(*load_berthing(file), name=file)
    folder = Path("results") / "berthing" / Path(file).stem
    written = [_write(program, file, out or folder / "program.yaml")]
    if not no_figures:
        from docksim.plots.berthing import arm_figure

        figures = {f"{(out or Path('program')).stem}_arm": arm_figure(program)}
        written += save_figures(figures, folder if out is None else out.parent, kind, quiet=True)
    if as_json:
        click.echo(json.dumps(_figures(program), indent=1))
        return
    _show(Path(file).stem, program)
    echo_paths(written)


def _write(program: Program, file: str, out: Path) -> Path:
    head = (
        f"# Program of the arm, written by `docksim berth plan` from {Path(file).name}. Pull it in with `use`, beside\n"
        "# the setup of that plan; make it again after changing either.\n"
    )
    with complaints():
        return write_text(out, head + content_to_yaml(program.content()))


def _figures(program: Program) -> dict[str, Any]:
    return {
        "reach_s": float(program.reach.time[-1]),
        "carry_s": float(program.carry.time[-1]),
        "largest_rate_deg_s": program.largest_rate_deg_s,
        "largest_path_error_m": program.largest_path_error_m,
        "worst_condition": program.worst_condition,
        "seat_torques_Nm": [float(program.plan.insertion.seat_N * x) for x in program.unit_push],
    }


def _show(name: str, program: Program) -> None:
    figures = right("at first", "at the grapple", "released at", "largest rate", "seating torque", wrap=True)
    table = listing(name, *left("joint"), *figures)
    for row in program.joint_rows():
        table.add_row(*(Text(cell) for cell in row))
    print_table(table)
    click.echo(
        f"reach {program.reach.time[-1]:g} s, carry {program.carry.time[-1]:g} s; hand within "
        f"{1e3 * program.largest_path_error_m:.2g} mm of the planned way; condition of the hand's motion at most "
        f"{program.worst_condition:.3g}"
    )

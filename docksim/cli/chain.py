"""docksim chain: dynamics of a chain by four formulations, what they cost; inspection and tasks from beside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from docksim.chain.build import load_chain
from docksim.chain.dynamics.counts import (
    KOSYNKA,
    MATRIX,
    Polynomial,
    count_matrix,
    force_polynomials,
    matrix_polynomials,
    value_at,
)
from docksim.chain.dynamics.formulations import METHODS, Singular
from docksim.chain.dynamics.literal import sum_polynomials
from docksim.chain.dynamics.report import Report, report
from docksim.chain.dynamics.times import matrix_times
from docksim.chain.model import ChainModel
from docksim.chain.motion.typed import drive_forces, state_point
from docksim.cli.chain_equations import equations
from docksim.cli.chain_generate import generate
from docksim.cli.chain_import import from_scenario, import_urdf
from docksim.cli.chain_inspect import inspect_chain
from docksim.cli.chain_tables import MOST_COLUMNS, counts_tables, matrix_table, operations_table, state_table
from docksim.cli.chain_tasks import adapt, constrain, program, simulate
from docksim.cli.loading import complaints
from docksim.cli.options import figure_format, json_option, no_figures, save_figures
from docksim.cli.tables import print_table
from docksim.config import ScenarioError
from docksim.config.loading.chain import link_error
from docksim.result.arrays import write_npz

LENGTHS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)


@click.group(short_help="Chains of links: arms and trees of joints.")
def chain() -> None:
    """Chains of links: arms and trees of joints, from a file in configs/chains, a URDF, or a vehicle."""


for command in (import_urdf, from_scenario, inspect_chain, simulate, constrain, program, adapt, generate, equations):
    chain.add_command(command)


# ---------------------------------------------------------------- dynamics


@chain.command(short_help="A, b, inverse and forward dynamics of a chain in a state.")
@click.argument("file", type=click.Path())
@click.option(
    "--at", "points", multiple=True, metavar="LINK.QUANTITY=VALUE",
    help="Coordinate, rate or acceleration: waist.angle_deg=30, waist.rate_deg_s=10; rail.travel_m=0.2 and such.",
)  # fmt: skip
@click.option("--drive", "drives", multiple=True, metavar="LINK.torque_Nm=VALUE", help="Drive torque (or force_N).")
@click.option("--method", type=click.Choice(METHODS), default="crba", show_default=True, help="Formulation shown.")
@click.option("--counts", is_flag=True, help="Also the operations that each formulation takes for this chain.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.npz", help="Keep the matrices.")
@json_option
@click.pass_context
def dynamics(
    context: click.Context, file: str, points: tuple[str, ...], drives: tuple[str, ...], method: str, counts: bool,
    out: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """A(q) q'' + b(q, q') = Q of the chain in FILE, by all four formulations, which must agree.

    The state is the file's own (angle_deg, travel_m), at rest, unless --at changes it. Two answers: the forces for the
    accelerations given by --at (inverse), and the accelerations for the forces given by --drive (forward).

    \b
    Example:
    docksim chain dynamics configs/chains/puma560.yaml --at upper_arm.angle_deg=-45 --at waist.rate_deg_s=60
    """
    try:
        arm = load_chain(file)
        state = state_point(arm, points)
        state_report = report(arm, *state, drive_forces(arm, drives), method=method)
    except Singular as error:
        click.echo(str(link_error(file, error.link, str(error))), err=True)
        context.exit(1)
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--at, --drive") from None
    if out is not None:
        _save(state_report, out)
    counted = _counts_of(arm) if counts else {}
    if as_json:
        click.echo(json.dumps({**_content(state_report), **({"operations": counted} if counts else {})}, indent=1))
        return
    _show(Path(file).stem, state_report)
    if counts:
        print_table(operations_table(Path(file).stem, counted))
    if out is not None:
        click.echo(str(out))


def _save(report: Report, out: Path) -> None:
    with complaints():
        write_npz(out, {"names": np.array(report.names), **_arrays(report)})


def _arrays(report: Report) -> dict[str, Any]:
    return {
        "q": report.q, "rates": report.rates, "accelerations": report.accelerations, "drives": report.drives,
        "A": report.A, "b": report.b, "inverse": report.forces, "forward": report.response,
    }  # fmt: skip


def _content(report: Report) -> dict[str, Any]:
    arrays = {key: value.tolist() for key, value in _arrays(report).items()}
    return {"links": report.names, "method": report.method, **arrays, "disagreement": report.disagreement}


def _show(name: str, report: Report) -> None:
    print_table(state_table(name, report))
    if len(report.names) > MOST_COLUMNS:
        click.echo(f"A is {len(report.names)} x {len(report.names)}: --out FILE.npz or --json for its entries")
    else:
        print_table(matrix_table(report))
    words = ", ".join(f"{key} to {value:.0e}" for key, value in report.disagreement.items())
    click.echo(f"shown by {report.method}; the four formulations agree, relative: {words}")


# ---------------------------------------------------------------- counts


def _counts_of(arm: ChainModel) -> dict[str, dict[str, int]]:
    own = {name: count_matrix(arm, name)[0] for name in MATRIX}
    return {
        name: {"multiplications": count.multiplications, "additions": count.additions} for name, count in own.items()
    }


@chain.command(short_help="Operations and times of the formulations, N = 2 to 50, beside the published ones.")
@click.option("--times", is_flag=True, help="Also measure times, compiled (half a minute at first, then seconds).")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the figure.  [default: results/chains/counts]")
@figure_format
@no_figures("Only the tables.")
@json_option
def counts(times: bool, out: Path | None, kind: str, no_figures: bool, as_json: bool) -> None:
    """What the formulations cost: operations for A(q) of a serial chain of N turning joints, counted by running them.

    Beside them the formulas published by N. A. Yaskevich. See docs/chains.md for where and why they differ.
    """
    polynomials = matrix_polynomials()
    measured = None
    if times:
        click.echo("measuring; the first time this compiles for half a minute", err=True)
        measured = {name: [1e6 * one for one in row] for name, row in matrix_times(LENGTHS).items()}
    if as_json:
        click.echo(json.dumps(_counts_content(polynomials, measured), indent=1))
    else:
        for table in counts_tables(polynomials, sum_polynomials(), force_polynomials(), LENGTHS, measured):
            print_table(table)
    if not no_figures:
        _draw(polynomials, measured, out or Path("results") / "chains" / "counts", kind, quiet=as_json)


def _counts_content(polynomials: dict[str, Polynomial], measured: dict[str, list[float]] | None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "links": LENGTHS,
        "polynomials": {name: [float(part) for part in one.total] for name, one in polynomials.items()},
        "operations": {name: [one.at(n) for n in LENGTHS] for name, one in polynomials.items()},
        "recurrent_sums": {
            name: {
                "multiplications": [float(part) for part in one.multiplications],
                "additions": [float(part) for part in one.additions],
            }
            for name, one in sum_polynomials().items()
        },
    }
    return {**made, "times_us": measured} if measured else made


def _draw(
    polynomials: dict[str, Polynomial], measured: dict[str, list[float]] | None, folder: Path, kind: str, quiet: bool
) -> None:
    from docksim.plots.chain.counts import counts_figure

    named = {MATRIX[name][0]: [one.at(n) for n in LENGTHS] for name, one in polynomials.items()}
    formulas = {words: formula for words, formula in (*MATRIX.values(), KOSYNKA) if formula}
    published = {words: [value_at(formula, n) for n in LENGTHS] for words, formula in formulas.items()}
    shown = {MATRIX[name][0]: row for name, row in measured.items()} if measured else None
    figure = counts_figure(LENGTHS, named, published, shown, "inertia matrix of a serial chain of N turning joints")
    save_figures({"counts": figure}, folder, kind, quiet)

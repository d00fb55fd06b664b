"""docksim chain constrain, program: a chain under constraints, or controlled along a program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from docksim.chain.motion import ChainMotion, run_constrained, run_program
from docksim.chain.motion_files import motion_columns, write_columns
from docksim.cli.options import INTERRUPTED, figure_format, no_figures
from docksim.cli.tables import print_table
from docksim.config import ScenarioError
from docksim.config.chain_task import load_task
from docksim.result.result import ResultError


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What both commands take."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Machine-readable summary on standard output."),
        no_figures("Only the table and the data."),
        figure_format,
        click.option("--out", type=click.Path(path_type=Path), help="Folder.  [default: results/chains/NAME]"),
        click.argument("file", type=click.Path()),
    ):
        command = option(command)
    return command


@click.command(short_help="Motion of a chain under holonomic constraints, with reactions.")
@_options
@click.pass_context
def constrain(context: click.Context, file: str, out: Path | None, kind: str, no_figures: bool, as_json: bool) -> None:
    """Run the task in FILE, which has a chain and a `constraint`: motion, reactions, errors, energy.

    Constraints hold to rounding however long the run. Writes motion.csv, motion.npz and figures.
    """
    _run(context, file, "constraint", out, None if no_figures else kind, as_json)


@click.command(short_help="Control of a chain along a program motion, with assigned poles.")
@_options
@click.pass_context
def program(context: click.Context, file: str, out: Path | None, kind: str, no_figures: bool, as_json: bool) -> None:
    """Run the task in FILE, which has a chain and a `program`: how errors die out, and what the drives need.

    Writes motion.csv, motion.npz and figures. The motion can be linearised along: docksim linearize CHAIN --along FILE.
    """
    _run(context, file, "program", out, None if no_figures else kind, as_json)


def _run(context: click.Context, file: str, section: str, out: Path | None, kind: str | None, as_json: bool) -> None:
    try:
        loaded = load_task(file)
        if not getattr(loaded.task, section):
            other = "program" if section == "constraint" else "constrain"
            raise loaded.error((), f"has no {section}; run it with: docksim chain {other} {file}")
        with _Bar(quiet=as_json) as bar:
            motion = (run_constrained if section == "constraint" else run_program)(loaded, bar.update)
        paths = _write(motion, out or Path("results") / "chains" / motion.name, kind)
    except (ScenarioError, ResultError) as error:
        text = str(error) if isinstance(error, ScenarioError) else f"{file}: {error}"
        click.echo(text, err=True)
        context.exit(1)
    if as_json:
        click.echo(json.dumps(summary(motion), indent=1))
    else:
        _show(motion, paths)
    context.exit({"completed": 0, "interrupted": INTERRUPTED}.get(motion.outcome, 1))


class _Bar:
    """A progress bar on a terminal, nothing elsewhere."""

    def __init__(self, quiet: bool) -> None:
        console = Console(stderr=True)
        self.progress = Progress(console=console, transient=True, disable=quiet or not console.is_terminal)
        self.task = self.progress.add_task("running", total=1.0)

    def __enter__(self) -> _Bar:
        self.progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.progress.stop()

    def update(self, part: float) -> None:
        self.progress.update(self.task, completed=part)


def _write(motion: ChainMotion, folder: Path, kind: str | None) -> list[Path]:
    paths = write_columns(motion_columns(motion), folder, "motion")
    if kind is None:
        return paths
    from docksim.plots.chain_motion import motion_figures
    from docksim.plots.files import write_figures

    return paths + write_figures(motion_figures(motion), folder, kind)


def summary(motion: ChainMotion) -> dict[str, Any]:
    """Figures of a run, units in the names."""
    found: dict[str, Any] = {
        "name": motion.name,
        "outcome": motion.outcome,
        "reason": motion.reason,
        "simulated_s": float(motion.time_s[-1]),
        "largest_error": {row: float(np.abs(motion.f[:, j]).max()) for j, row in enumerate(motion.rows)},
        "last_error": {row: float(abs(motion.f[-1, j])) for j, row in enumerate(motion.rows)},
        "error_units": dict(zip(motion.rows, motion.units, strict=True)),
        "largest_drive": {k: float(v) for k, v in zip(motion.model.names, np.abs(motion.force).max(0), strict=True)},
        "energy_change_J": float(motion.energy_J[-1] - motion.energy_J[0]),
        "notes": list(motion.notes),
    }
    if motion.kind == "constraint":
        largest = np.abs(motion.reaction).max(axis=0)
        found["largest_reaction"] = {row: float(value) for row, value in zip(motion.rows, largest, strict=True)}
    return found


def _show(motion: ChainMotion, paths: list[Path]) -> None:
    figures = summary(motion)
    title = f"{motion.name}: {motion.outcome}, {figures['simulated_s']:.6g} s"
    table = Table(box=box.SIMPLE_HEAD, title=Text(title, "bold"), title_justify="left")
    held = motion.kind == "constraint"
    table.add_column("constraint" if held else "program", no_wrap=True)
    for heading in ("largest error", "last error", *(("largest reaction",) if held else ())):
        table.add_column(heading, justify="right", no_wrap=True)
    for row, unit in figures["error_units"].items():
        cells = [f"{figures[key][row]:.3g} {unit}" for key in ("largest_error", "last_error")]
        if held:
            cells.append(f"{figures['largest_reaction'][row]:.4g} {'N' if unit == 'm' else 'N m'}")
        table.add_row(Text(row), *cells)
    print_table(table)
    if motion.reason:
        click.echo(f"{motion.name}: {motion.outcome}: {motion.reason}", err=True)
    for note in motion.notes:
        click.echo(f"note: {note}", err=True)
    for path in paths:
        click.echo(str(path))

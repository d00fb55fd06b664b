"""docksim chain simulate, constrain, program, adapt: a chain left to drives and loads, held, or led along a program."""

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

from docksim.chain.dynamics.formulations import METHODS
from docksim.chain.motion.plant import WORKS
from docksim.chain.motion.runs import ChainMotion, run_adaptive, run_constrained, run_free, run_program
from docksim.chain.motion.saved import write_motion
from docksim.cli.options import figure_format, json_option, no_figures
from docksim.cli.tables import print_table
from docksim.config import ScenarioError
from docksim.config.loading.chain_task import LoadedTask, load_task
from docksim.jobs.signals import interrupted
from docksim.result.result import ResultError


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What all commands take."""
    for option in (
        json_option,
        no_figures("Only the table and the data."),
        figure_format,
        click.option("--out", type=click.Path(path_type=Path), help="Folder.  [default: results/chains/NAME]"),
        click.option("--method", type=click.Choice(METHODS), default="crba", show_default=True, help="Formulation."),
        click.argument("file", type=click.Path()),
    ):
        command = option(command)
    return command


@click.command(short_help="Motion of a chain under drives, loads, springs, stops and gravity.")
@_options
@click.pass_context
def simulate(context: click.Context, /, file: str, **options: Any) -> None:
    """Run the task in FILE, which has a chain, and drives and loads as it likes: motion, energy and work.

    Any of the four formulations can be integrated. Drives are cut off at their limits, stops push back. Writes
    motion.csv, motion.npz, motion.json and figures.

    \b
    Example:
    docksim chain simulate configs/tasks/pendulum_load.yaml --method recurrent
    """
    _run(context, file, "free", **options)


@click.command(short_help="Motion of a chain under holonomic constraints, with reactions.")
@_options
@click.pass_context
def constrain(context: click.Context, /, file: str, **options: Any) -> None:
    """Run the task in FILE, which has a chain and a `constraint`: motion, reactions, errors, energy.

    Constraints hold to rounding however long the run. Writes motion.csv, motion.npz, motion.json and figures.
    """
    _run(context, file, "constraint", **options)


@click.command(short_help="Control of a chain along a program motion, with assigned poles.")
@_options
@click.pass_context
def program(context: click.Context, /, file: str, **options: Any) -> None:
    """Run the task in FILE, which has a chain and a `program`: how errors die out, and what the drives need.

    Writes motion.csv, motion.npz, motion.json and figures. For linear models along the motion there is
    `docksim linearize CHAIN --along FILE`.
    """
    _run(context, file, "program", **options)


@click.command(short_help="Adaptive control: joints follow their paths, masses are learnt.")
@_options
@click.pass_context
def adapt(context: click.Context, /, file: str, **options: Any) -> None:
    """Run the task in FILE, which has a chain, `adaptive`, and a program for every joint.

    The controller begins with the masses of the chain's file; mass_error and mass_changes say what they really are.
    Writes motion.csv, motion.npz, motion.json and figures, base parameters as they are learnt among them.

    \b
    Example:
    docksim chain adapt configs/tasks/planar_adapts.yaml
    """
    _run(context, file, "adaptive", **options)


RUNS = {
    "adaptive": (run_adaptive, "adapt"),
    "free": (run_free, "simulate"),
    "constraint": (run_constrained, "constrain"),
    "program": (run_program, "program"),
}


def _run(
    context: click.Context, file: str, wanted: str, method: str, out: Path | None, kind: str, no_figures: bool,
    as_json: bool,
) -> None:  # fmt: skip
    try:
        loaded = load_task(file)
        task = loaded.task.kind
        if task != wanted:
            more = wanted == "free" or task == "adaptive"
            what = f"has {'adaptive control' if task == 'adaptive' else f'a {task}'}" if more else f"has no {wanted}"
            key = (task,) if more else ()
            raise loaded.error(key, f"{what}; run it with: docksim chain {RUNS[task][1]} {file}")
        with _Bar(quiet=as_json) as bar:
            motion = RUNS[wanted][0](loaded, bar.update, method)
        paths = _write(motion, loaded, out or Path("results") / "chains" / motion.name, None if no_figures else kind)
    except (ScenarioError, ResultError) as error:
        text = str(error) if isinstance(error, ScenarioError) else f"{file}: {error}"
        click.echo(text, err=True)
        context.exit(1)
    if as_json:
        click.echo(json.dumps(summary(motion), indent=1))
    else:
        _show(motion, paths)
    context.exit({"completed": 0, "interrupted": interrupted()}.get(motion.outcome, 1))


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


def _write(motion: ChainMotion, loaded: LoadedTask, folder: Path, kind: str | None) -> list[Path]:
    paths = write_motion(motion, loaded, folder)
    if kind is None:
        return paths
    from docksim.plots.chain.motion import motion_figures
    from docksim.plots.files import write_figures

    return paths + write_figures(motion_figures(motion), folder, kind)


def summary(motion: ChainMotion) -> dict[str, Any]:
    """Figures of a run, units in the names."""
    content: dict[str, Any] = {
        "name": motion.name,
        "outcome": motion.outcome,
        "reason": motion.reason,
        "simulated_s": float(motion.time_s[-1]),
        "largest_error": {row: float(np.abs(motion.f[:, j]).max()) for j, row in enumerate(motion.rows)},
        "last_error": {row: float(abs(motion.f[-1, j])) for j, row in enumerate(motion.rows)},
        "error_units": dict(zip(motion.rows, motion.units, strict=True)),
        "largest_drive": {k: float(v) for k, v in zip(motion.model.names, np.abs(motion.force).max(0), strict=True)},
        "limited": _limited(motion),
        "energy_change_J": float(motion.energy_J[-1] - motion.energy_J[0]),
        "work_J": {name: float(value) for name, value in zip(WORKS, motion.work_J[-1], strict=True)},
        "energy_residual_J": float(np.abs(motion.residual_J).max()),
        "notes": list(motion.notes),
    }
    if motion.missed is not None:
        content["missed"] = {row: float(value) for row, value in zip(motion.rows, motion.missed, strict=True)}
    if motion.adaptation is not None:
        V = motion.adaptation.lyapunov_J
        content["lyapunov_J"] = {"first": float(V[0]), "last": float(V[-1])}
    if motion.kind == "constraint":
        largest = np.abs(motion.reaction).max(axis=0)
        content["largest_reaction"] = {row: float(value) for row, value in zip(motion.rows, largest, strict=True)}
    return content


def _limited(motion: ChainMotion) -> dict[str, dict[str, float]]:
    """Share of the time that drives and stops were at their limits, by link, where they were."""
    words = ("drive_share_of_time", "stop_share_of_time")
    shares = {
        link: {word: float(part) for word, part in zip(words, column, strict=True) if part > 0.0}
        for link, column in zip(motion.model.names, motion.limited.T, strict=True)
    }
    return {link: share for link, share in shares.items() if share}


def _show(motion: ChainMotion, paths: list[Path]) -> None:
    figures = summary(motion)
    title = f"{motion.name}: {motion.outcome}, {figures['simulated_s']:.6g} s"
    if motion.rows:
        print_table(_conditions_table(motion, figures, title))
    else:
        print_table(_joints_table(motion, title))
    works = ", ".join(f"{name} {value:.4g}" for name, value in figures["work_J"].items() if value != 0.0)
    change = f"energy changes by {figures['energy_change_J']:.4g} J"
    click.echo(f"{change}, work [J]: {works or 'none'}; the budget closes to {figures['energy_residual_J']:.1e} J")
    if "lyapunov_J" in figures:
        first, last = figures["lyapunov_J"].values()
        click.echo(f"V, which falls between changes of mass: {first:.4g} J to {last:.4g} J")
    if motion.reason:
        click.echo(f"{motion.name}: {motion.outcome}: {motion.reason}", err=True)
    for note in motion.notes:
        click.echo(f"note: {note}", err=True)
    for path in paths:
        click.echo(str(path))


def _joints_table(motion: ChainMotion, title: str) -> Table:
    """Where the joints end, and the largest they did; elements of elastic links by their largest angle."""
    table = Table(box=box.SIMPLE_HEAD, title=Text(title, "bold"), title_justify="left")
    table.add_column("joint", no_wrap=True)
    for heading in ("at the end", "least", "largest", "fastest", "largest drive"):
        table.add_column(heading, justify="right", no_wrap=True)
    for k, name in enumerate(motion.model.names):
        if name not in motion.model.owners:
            continue
        slides = bool(motion.model.prismatic[k])
        unit, force, factor = ("m", "N", 1.0) if slides else ("deg", "N m", float(np.degrees(1.0)))
        q, rate = factor * motion.q[:, k], factor * np.abs(motion.rates[:, k]).max()
        drive = "-" if motion.model.passive[k] else f"{np.abs(motion.force[:, k]).max():.4g} {force}"
        places = (f"{value:.4g} {unit}" for value in (q[-1], q.min(), q.max()))
        table.add_row(Text(name), *places, f"{rate:.4g} {unit}/s", drive)
    return table


def _conditions_table(motion: ChainMotion, figures: dict[str, Any], title: str) -> Table:
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
    return table

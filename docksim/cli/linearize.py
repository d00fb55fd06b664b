"""docksim linearize: exact linear models of chains, spacecraft and docked stacks, with their modes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import click

from docksim.chain.build import build_chain, load_chain
from docksim.chain.linearize import linearize_chain
from docksim.chain.linearize_constrained import linearize_motion, linearize_task
from docksim.chain.model import ChainModel
from docksim.chain.program_points import motion_points, state_point
from docksim.cli.linearize_tables import content, show
from docksim.cli.loading import overrides
from docksim.cli.options import figure_format, no_figures
from docksim.config import ScenarioError, load_scenario
from docksim.config.chain_task import LoadedTask, load_task, top_keys
from docksim.linear.model import LinearModel
from docksim.linear.series import series_arrays
from docksim.linear.tree import linearize_scenario
from docksim.result.arrays import write_mat, write_npz
from docksim.result.result import ResultError


@click.command(short_help="Exact linear model of a chain or scenario: A, B, C, D, modes.")
@click.argument("file", type=click.Path())
@click.option(
    "--at", "points", multiple=True, metavar="POINT",
    help="Of a chain: LINK.angle_deg=30 and such, once a figure. Of a scenario: the time [s] of a run.",
)  # fmt: skip
@click.option("--along", type=click.Path(), metavar="PROGRAM", help="A task of a chain, or recorded motion.")
@click.option("--samples", type=click.IntRange(2, 10_000), default=50, show_default=True, help="Models along it.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Change a key of the scenario.")
@click.option("--stuck", is_flag=True, help="Of a scenario: dry friction holds, as the springs of its bristles.")
@click.option("--hold", is_flag=True, help="Of a scenario: close the attitude-hold loops.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder.  [default: results/linear/NAME]")
@figure_format
@no_figures("Only the table and the matrices.")
@click.option("--json", "as_json", is_flag=True, help="Modes and operating point on standard output.")
def linearize(
    file: str,
    points: tuple[str, ...],
    along: str | None,
    samples: int,
    assignments: tuple[str, ...],
    stuck: bool,
    hold: bool,
    out: Path | None,
    kind: str,
    no_figures: bool,
    as_json: bool,
) -> None:
    """The linear model of FILE about a state: a chain file, a task of a chain, or a scenario.

    Writes model.npz and model.mat (A, B, C, D and the second-order matrices, with names), and a figure of the modes.
    Along a task's motion, a model at every sample: series.npz, series.mat, with A of shape (samples, n, n). Under
    constraints, standing or moving, the change of their reactions is among the outputs.

    \b
    Examples:
    docksim linearize configs/chains/puma560.yaml --at upper_arm.angle_deg=-45 --at forearm.angle_deg=90
    docksim linearize configs/chains/puma560.yaml --along configs/tasks/puma_circle.yaml
    docksim linearize configs/chains/puma560.yaml --along configs/tasks/puma_guided.yaml
    docksim linearize scenarios/dock_nds.yaml --at 20
    """
    scenario_options = {"--set": bool(assignments), "--stuck": stuck, "--hold": hold}
    try:
        chain = _chain(file)
        if chain is None:
            if along:
                raise click.UsageError("--along goes with a chain; a scenario is linearised --at a time of its run")
            models = [_of_scenario(file, points, assignments, stuck, hold)]
        else:
            wrong = [name for name, given in scenario_options.items() if given]
            if wrong:
                raise click.UsageError(f"{wrong[0]} goes with a scenario; {file} is a chain")
            models = _of_chain(file, chain, points, along, samples)
        folder = out or Path("results") / "linear" / models[0].name
        paths = _write(models, folder, None if no_figures else kind)
    except (ScenarioError, ResultError) as error:
        raise SystemExit(_refused(str(error))) from None
    if as_json:
        click.echo(json.dumps([content(model) for model in models] if along else content(models[0]), indent=1))
        return
    show(models)
    for path in paths:
        click.echo(str(path))


def _refused(text: str) -> int:
    click.echo(text, err=True)
    return 1


# ---------------------------------------------------------------- what the file is


def _chain(file: str) -> ChainModel | None:
    """The chain of a chain file, or of a task; None if the file is a scenario."""
    keys = top_keys(file)
    if "chain" in keys:
        return build_chain(load_task(file).chain)
    return load_chain(file) if keys & {"denavit_hartenberg", "bodies"} else None


def _of_scenario(file: str, points: Sequence[str], assignments: Sequence[str], stuck: bool, hold: bool) -> LinearModel:
    if len(points) > 1:
        raise click.BadParameter("a scenario is linearised at one time of its run", param_hint="--at")
    at_s = _time(points[0]) if points else None
    scenario = load_scenario(file, overrides(assignments), override_origin="--set")
    return linearize_scenario(scenario, at_s, friction="stuck" if stuck else "left out", attitude_hold=hold)


def _time(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise click.BadParameter(f"'{text}' is no time in seconds; FILE is a scenario", param_hint="--at")
    return value


def _of_chain(
    file: str, chain: ChainModel, points: Sequence[str], along: str | None, samples: int
) -> list[LinearModel]:
    name = Path(file).stem
    if along is None and (held := _held(file)) is not None:
        if points:
            raise click.UsageError(f"--at goes with a chain; {file} has its own start under its constraints")
        return [held]
    if along is None:
        try:
            state = state_point(chain, points)
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--at") from None
        return [linearize_chain(chain, *state, name=name)]
    if points:
        raise click.UsageError("--at and --along exclude each other")
    if "constraint" in top_keys(along):
        return linearize_motion(_task_of(along, chain), samples, Path(along).stem)
    motion = motion_points(chain, along, samples)
    return [
        linearize_chain(chain, q, rates, accelerations, name=name, time_s=time_s)
        for time_s, q, rates, accelerations in motion
    ]


def _held(file: str) -> LinearModel | None:
    """The model under constraints of a task that has them."""
    if "constraint" not in top_keys(file):
        return None
    return linearize_task(load_task(file))


def _task_of(file: str, chain: ChainModel) -> LoadedTask:
    """A task of this chain."""
    loaded = load_task(file)
    if (names := build_chain(loaded.chain).names) != chain.names:
        raise ResultError(f"{file}: is a task of another chain, with the links {', '.join(names)}")
    return loaded


# ---------------------------------------------------------------- out


def _write(models: Sequence[LinearModel], folder: Path, kind: str | None) -> list[Path]:
    if len(models) == 1:
        paths = [models[0].to_npz(folder / "model.npz"), models[0].to_mat(folder / "model.mat")]
    else:
        content = series_arrays(models)
        paths = [write_npz(folder / "series.npz", content), write_mat(folder / "series.mat", content)]
    if kind is None:
        return paths
    from docksim.plots.files import write_figures
    from docksim.plots.modes import along_figure, mode_figure

    if len(models) > 1:
        drawn = along_figure(f"{models[0].name}: eigenvalues along the motion", models)
        return paths + write_figures({"along": drawn}, folder, kind)
    figure = mode_figure(models[0])
    return paths + (write_figures({"modes": figure}, folder, kind) if figure is not None else [])

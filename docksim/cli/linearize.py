"""docksim linearize: exact linear models of chains, spacecraft and docked stacks, with their modes."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from docksim.chain.build import build_chain, load_chain
from docksim.chain.linear.constrained import linearize_motion, linearize_task
from docksim.chain.linear.linearize import linearize_chain
from docksim.chain.linear.points import motion_points
from docksim.chain.model import ChainModel
from docksim.chain.motion.typed import state_point
from docksim.cli.loading import overrides, refusals
from docksim.cli.options import echo_paths, figure_format, json_option, no_figures
from docksim.cli.tables import left, listing, print_table, right
from docksim.config import load_scenario
from docksim.config.loading.chain_task import load_task, top_keys
from docksim.linear.model import LinearModel, Mode, series_arrays
from docksim.linear.tree import linearize_scenario
from docksim.result.arrays import write_mat, write_npz
from docksim.result.result import ResultError

MOST_ROWS = 24


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
@json_option
def linearize(
    file: str, points: tuple[str, ...], along: str | None, samples: int, assignments: tuple[str, ...], stuck: bool,
    hold: bool, out: Path | None, kind: str, no_figures: bool, as_json: bool,
) -> None:  # fmt: skip
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
    with refusals():
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
    if as_json:
        click.echo(json.dumps([content(model) for model in models] if along else content(models[0]), indent=1))
        return
    show(models)
    echo_paths(paths)


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
    try:
        at_s = float(points[0]) if points else None
    except ValueError:
        at_s = math.nan
    if at_s is not None and not math.isfinite(at_s):
        raise click.BadParameter(f"'{points[0]}' is no time in seconds; FILE is a scenario", param_hint="--at")
    scenario = load_scenario(file, overrides(assignments), override_origin="--set")
    return linearize_scenario(scenario, at_s, friction="stuck" if stuck else "left out", attitude_hold=hold)


def _of_chain(
    file: str, chain: ChainModel, points: Sequence[str], along: str | None, samples: int
) -> list[LinearModel]:
    name = Path(file).stem
    if along is None and "constraint" in top_keys(file):
        held = linearize_task(load_task(file))
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
        task = load_task(along)
        if (names := build_chain(task.chain).names) != chain.names:
            raise ResultError(f"{along}: is a task of another chain, with the links {', '.join(names)}")
        return linearize_motion(task, samples, Path(along).stem)
    motion = motion_points(chain, along, samples)
    return [
        linearize_chain(chain, q, rates, accelerations, name=name, time_s=time_s)
        for time_s, q, rates, accelerations in motion
    ]


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


def content(model: LinearModel) -> dict[str, Any]:
    """Modes and operating point as plain data."""
    modes = [
        {
            "real_1_s": mode.eigenvalue.real,
            "imaginary_1_s": mode.eigenvalue.imag,
            "frequency_Hz": mode.frequency_Hz,
            "damping_ratio": None if mode.free else mode.damping_ratio,
            "kind": mode.kind,
        }
        for mode in model.modes()
    ]
    return {
        "name": model.name,
        "time_s": model.time_s,
        "states": list(model.states),
        "inputs": list(model.inputs),
        "operating_point": dict(model.operating_point),
        "modes": modes,
        "notes": list(model.notes),
    }


def show(models: Sequence[LinearModel]) -> None:
    """The modes of one model in a table, or what a series holds."""
    first = models[0]
    where = f"{len(first.states)} states, {len(first.inputs)} inputs, {len(first.outputs)} outputs"
    if len(models) > 1:
        span = f"{models[0].time_s:.6g} to {models[-1].time_s:.6g} s"
        click.echo(f"{first.name}: {len(models)} models from {span}, {where}")
    else:
        figures = right("mode", "frequency", "damping", "real part")
        table = listing(f"{first.name}: {where}", *figures, *left("kind"), *left("moves most", fold=True))
        for cells in _mode_rows(first):
            table.add_row(*(Text(cell) for cell in cells))
        print_table(table)
    for note in dict.fromkeys(note for model in models for note in model.notes):
        click.echo(f"note: {note}", err=True)


def _mode_rows(model: LinearModel) -> list[tuple[str, ...]]:
    modes = model.modes()
    free = sum(mode.free for mode in modes)
    rows: list[tuple[str, ...]] = []
    if free:
        rows.append((f"1-{free}" if free > 1 else "1", "0 Hz", "", "", "free", "nothing holds it back"))
    for number, mode in enumerate(modes, 1):
        if mode.free:
            continue
        if len(rows) == MOST_ROWS:
            rows.append(("…", "", "", "", "", f"{len(modes) - number + 1} more in the files"))
            break
        swings = mode.frequency_Hz > 0.0
        rows.append(
            (
                str(number),
                f"{mode.frequency_Hz:.4g} Hz" if swings else "",
                f"{100 * mode.damping_ratio:.3g} %" if swings else "",
                f"{mode.eigenvalue.real:.4g} /s",
                mode.kind,
                _movers(model, mode),
            )
        )
    return rows


def _movers(model: LinearModel, mode: Mode) -> str:
    """The three coordinates with the largest share."""
    size = abs(mode.shape)
    order = sorted(range(len(size)), key=lambda i: -size[i])[:3]
    names = model.coordinates or model.states
    owners = [name.rpartition(".")[0] or name for name in names]
    words = [owner if owners.count(owner) == 1 else name for owner, name in zip(owners, names, strict=True)]
    bare = [word.removesuffix("_rad").removesuffix("_m") for word in words]
    return ", ".join(f"{bare[i]} {size[i]:.2g}" for i in order if size[i] > 0.05)

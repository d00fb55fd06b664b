"""docksim sections: loads inside links and beams, margins, sag and compliance of the tool."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.table import Table
from rich.text import Text

from docksim.chain.build import build_chain
from docksim.chain.motion.files import write_columns
from docksim.chain.motion.typed import state_point
from docksim.chain.sections.accuracy import ToolAccuracy, tool_accuracy
from docksim.chain.sections.in_motion import of_state, of_task
from docksim.cli.loading import refusals
from docksim.cli.options import Number, echo_paths, figure_format, json_option, no_figures, save_figures
from docksim.cli.tables import left, listing, print_table, right
from docksim.config import ScenarioError
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import chain_file, load_task, missing, top_keys
from docksim.config.schema.chain_structure import links_of
from docksim.config.tree import Keys
from docksim.result.arrays import write_mat
from docksim.result.export import matlab_names
from docksim.result.result import Result, ResultError
from docksim.result.sections import UNITS, LineLoads, diagram_columns, summary
from docksim.simulation.beam_sections import beam_lines

ZERO = (0.0, 0.0, 0.0)


@click.command(short_help="Loads inside links and beams: diagrams, margins, sag of the tool.")
@click.argument("source", metavar="FILE_OR_RESULT", type=click.Path())
@click.option(
    "--at", "points", multiple=True, metavar="LINK.QUANTITY=VALUE",
    help="Of a chain: coordinate, rate or acceleration, once a figure. At home and at rest if left out.",
)  # fmt: skip
@click.option(
    "--tool-force-N", "force", type=Number(), nargs=3, default=ZERO, help="Of a chain: on the tool, world axes."
)
@click.option("--tool-moment-Nm", "moment", type=Number(), nargs=3, default=ZERO, help="The same, a moment.")
@click.option("--static", is_flag=True, help="Of a task: the places of its motion, but at rest in each.")
@click.option("--margins", is_flag=True, help="Refuse links and beams that say nothing of what they bear.")
@click.option("--points", "count", type=click.IntRange(2, 1001), default=21, show_default=True, help="Along a link.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder.  [default: results/sections/NAME, RESULT/sections]"
)
@figure_format
@no_figures("Only tables and data.")
@json_option
def sections(
    source: str, points: tuple[str, ...], force: tuple[float, ...], moment: tuple[float, ...], static: bool,
    margins: bool, count: int, out: Path | None, kind: str, no_figures: bool, as_json: bool,
) -> None:  # fmt: skip
    """Axial force, shear, torsion and bending along every link or beam, over time and at the worst instant.

    Of a chain file at a state (sag and compliance of its tool besides), of a task along its motion, of a saved run for
    the beams of its vehicles. Writes sections.csv, .npz and .mat over time, diagram.csv along the links, and figures.

    \b
    Examples:
    docksim sections configs/chains/inspection_boom.yaml --tool-force-N 0 0 -40
    docksim sections configs/tasks/boom_raise.yaml
    docksim sections results/berth_module_elastic/RUN
    """
    with refusals():
        folder, lines, tool = _lines(source, points, (*force, *moment), static, count)
        if margins:
            _refuse_unjudged(source, lines)
        paths = _write(lines, out or folder, None if no_figures else kind)
    if as_json:
        click.echo(json.dumps({"lines": summary(lines), **({"tool": _content(tool)} if tool else {})}, indent=1))
        return
    print_table(loads_table(Path(source).stem, lines))
    if tool is not None:
        print_table(accuracy_table(tool))
        softest, hardest = (f"{stiffness:.4g} N/m at the" for stiffness in tool.stiffness_N_m())
        click.echo(f"stiffness of the tool against forces: {softest} softest, {hardest} hardest")
        if tool.rigid:
            click.echo(f"note: drives taken as rigid, for want of servo_stiffness: {', '.join(tool.rigid)}", err=True)
    echo_paths(paths)


def _lines(
    source: str, points: Sequence[str], wrench: Sequence[float], static: bool, count: int
) -> tuple[Path, list[LineLoads], ToolAccuracy | None]:
    """Folder to write to, loads along the lines, and the tool's accuracy where there is one."""
    if Path(source).is_dir():
        _only_chains("a saved run", points, wrench, static)
        return Path(source) / "sections", beam_lines(Result.load(source), count), None
    keys = top_keys(source)
    if "vehicles" in keys:
        raise ResultError(f"{source}: is a scenario; run it with docksim run, and give the folder of its result")
    folder = Path("results") / "sections" / Path(source).stem
    if "chain" in keys:
        _only_chains("a task", points, wrench, False)
        return folder, of_task(load_task(source), count, static), None
    chain = read_chain(source)
    try:
        state = state_point(build_chain(chain), points)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--at") from None
    if static:
        raise click.UsageError("--static goes with a task; a chain is at rest unless --at moves it")
    return folder, of_state(chain, state, np.array(wrench), count), tool_accuracy(chain, state[0], np.array(wrench))


def _only_chains(what: str, points: Sequence[str], wrench: Sequence[float], static: bool) -> None:
    given = {"--at": bool(points), "--tool-force-N or --tool-moment-Nm": any(wrench), "--static": static}
    for option, asked in given.items():
        if asked:
            raise click.UsageError(f"{option} does not go with {what}")


def _refuse_unjudged(source: str, lines: Sequence[LineLoads]) -> None:
    """Margins were asked for, and some line has nothing to compare with."""
    bare = [line.name for line in lines if not line.allowable and line.distance_m[-1] > 0.0]
    if not bare:
        return
    text = "missing, so there is no margin; give axial_N, shear_N, torsion_Nm or bending_Nm, or leave --margins out"
    if Path(source).is_dir():
        file = str(Path(source) / "scenario.yaml")
        keys: list[Keys] = [("vehicles", name.partition(".")[0], "beams", name.partition(".")[2]) for name in bare]
    else:
        file = chain_file(load_task(source)) if "chain" in top_keys(source) else source
        chain = read_chain(file)
        keys = [links_of(chain)[name][0] for name in bare]
    raise ScenarioError([missing(file, (*key, "structure", "allowable"), text) for key in keys])


def _write(lines: Sequence[LineLoads], folder: Path, kind: str | None) -> list[Path]:
    columns: dict[str, Any] = {"time_s": lines[0].time_s}
    for line in lines:
        columns |= line.columns()
    names = matlab_names(list(columns))
    mat = write_mat(folder / "sections.mat", {names[key]: values for key, values in columns.items()})
    paths = [*write_columns(columns, folder, "sections"), mat]
    paths += write_columns(diagram_columns(lines), folder, "diagram")
    if kind is None:
        return paths
    from docksim.plots.chain.sections import section_figures

    return paths + save_figures(section_figures(lines), folder, kind, quiet=True)


def _content(tool: ToolAccuracy) -> dict[str, Any]:
    softest, hardest = tool.stiffness_N_m()
    return {
        "sag_m": tool.sag_m.tolist(),
        "tilt_rad": tool.tilt_rad.tolist(),
        "compliance": tool.compliance.tolist(),
        "softest_N_m": softest if np.isfinite(softest) else None,
        "hardest_N_m": hardest if np.isfinite(hardest) else None,
        "rigid_drives": list(tool.rigid),
    }


# ---------------------------------------------------------------- tables


def loads_table(name: str, lines: Sequence[LineLoads]) -> Table:
    """Largest loads of every line, where and when, and its least margin."""
    loads = (f"{kind} [{unit.replace('Nm', 'N m')}]" for kind, unit in UNITS.items())
    table = listing(f"{name}: largest loads", *left("along"), *right(*loads, "bending at", "margin"), tight=True)
    for line in lines:
        worst = line.worst("bending")
        place = f"{line.distance_m[worst.section]:.4g} m"
        if len(line.time_s) > 1:
            place += f", {line.time_s[worst.row]:.4g} s"
        table.add_row(
            Text(line.name), *(f"{line.worst(kind).size:.4g}" for kind in UNITS), place if worst.size else "-",
            _margin(line),
        )  # fmt: skip
    return table


def _margin(line: LineLoads) -> Text:
    margins = line.margins()
    if not margins:
        return Text("-")
    kind = min(margins, key=lambda key: margins[key])
    if not math.isfinite(margins[kind]):
        return Text("no load")
    return Text(f"{margins[kind]:+.2f} {kind}", "bold red" if margins[kind] < 0.0 else "")


def accuracy_table(tool: ToolAccuracy) -> Table:
    """Sag, tilt and stiffness of the tool."""
    table = listing("the tool, under weight and load", *left(""), *right(*"xyz"))
    table.add_row(Text("sag [mm]"), *(f"{1e3 * value + 0.0:.4g}" for value in tool.sag_m))
    table.add_row(Text("tilt [deg]"), *(f"{value + 0.0:.4g}" for value in np.degrees(tool.tilt_rad)))
    table.add_row(Text("gives way [mm/N]"), *(f"{1e3 * value + 0.0:.4g}" for value in np.diag(tool.compliance)[:3]))
    return table

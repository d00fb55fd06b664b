"""docksim fmu: a scenario for other simulators."""

from __future__ import annotations

from pathlib import Path

import click

from docksim.cli.loading import overrides
from docksim.cli.options import echo_paths, json_option
from docksim.config import ScenarioError, load_scenario
from docksim.config.loading.scenario import problems_at
from docksim.realtime.fmu import FmuError, export_fmu
from docksim.realtime.inputs import InputError
from docksim.realtime.session import UNPACED


@click.command(short_help="Export a scenario as an FMU for co-simulation (FMI 2.0).")
@click.argument("file", type=click.Path())
@click.option("--external", "ports", multiple=True, metavar="PORT", help="Wrenches at this port are inputs.")
@click.option("--torque", "torques", multiple=True, metavar="JOINT", help="The torque of this joint is an input.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Change a key of the scenario.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FMU", help="File to write.  [default: <scenario>.fmu]")
@json_option
@click.pass_context
def fmu(
    context: click.Context,
    /,
    file: str,
    ports: tuple[str, ...],
    torques: tuple[str, ...],
    assignments: tuple[str, ...],
    out: Path | None,
    as_json: bool,
) -> None:
    """Export the scenario in FILE; needs PythonFMU (pip install 'docksim[fmi]').

    The FMU calls the docksim that is installed where it is imported; docs/realtime.md has its limits.

    \b
    Example:
    docksim fmu scenarios/dock_nds.yaml --external chaser.nose --out dock.fmu
    """
    try:
        scenario = load_scenario(file, overrides(assignments), override_origin="--set")
        if scenario.solver.tolerance is not None:
            fault = f"{scenario.solver.tolerance:g} {UNPACED}"
            raise ScenarioError(problems_at(file, [(("solver", "tolerance"), fault)], overrides(assignments)))
        echo_paths([export_fmu(scenario, ports, out or Path(f"{scenario.name}.fmu"), torques)], as_json)
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="--external or --torque") from error
    except FmuError as error:
        raise click.ClickException(str(error)) from error

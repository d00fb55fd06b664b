"""docksim new: a commented scenario, study or part to start from."""

from __future__ import annotations

import json
import os
import re
from importlib.resources import files
from pathlib import Path

import click

from docksim.cli.complete import ScenarioPath
from docksim.cli.loading import complaints
from docksim.cli.options import json_option
from docksim.cli.tables import echo_json
from docksim.config import load_scenario
from docksim.files.writing import write_text

# kind: its files, by what is added to the name that was asked for, and what to do with them
KINDS = {
    "spin": ({"": "spin"}, "docksim run {file}"),
    "two_vehicles": ({"": "two_vehicles"}, "docksim run {file}"),
    "docking": ({"": "docking"}, "docksim run {file}"),
    "study": ({"": "study"}, "docksim study {file}"),
    "vehicle": ({"": "vehicle"}, "vehicles: {{chaser: {{use: {file}}}}} in a scenario"),
    "mechanism": ({"": "mechanism"}, "docksim mechanism inspect {file}"),
    "berthing": (
        {"": "berthing", "_setup": "berthing_setup", "_plan": "berthing_plan"},
        "docksim berth plan {stem}_plan.yaml --out {stem}_program.yaml, then docksim run {file}",
    ),
}
BASE = "scenarios/dock_nds.yaml"
OF_AN_APPROACH = """\
  - {type: uniform, key: approach.closing_rate_m_s, low: 0.05, high: 0.10}
  - {type: disc, keys: [approach.lateral_offset_m.0, approach.lateral_offset_m.1], radius: 0.10}
  - {type: cone, keys: [approach.yaw_deg, approach.pitch_deg], half_angle_deg: 4.0}
  - {type: uniform, key: approach.roll_deg, low: -4.0, high: 4.0}"""
OF_A_MASS = "  - {{type: normal, key: {vehicle}.mass_kg, sigma: {sigma:g}}}"


@click.command(short_help="Write a commented scenario, study or part to start from.")
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--base", type=ScenarioPath(), metavar="SCENARIO", help=f"Of a study: what it varies.  [default: {BASE}]")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@json_option
def new(kind: str, file: Path, base: str | None, force: bool, as_json: bool) -> None:
    """Write a commented start of the given KIND to FILE.

    \b
    spin          one free rigid body
    two_vehicles  a chaser with flexible arrays docks with a station and leaves again
    docking       petals, latches and a soft mechanism, from first contact to closed hooks
    study         a scenario over a box of approaches; --base names it
    vehicle       a part: mass, inertia, ports
    mechanism     a part: a ring on six legs
    berthing      an arm takes a module to its port; three files
    """
    if base is not None and kind != "study":
        raise click.UsageError("--base is for a study")
    texts = starting_files(kind, file, base)
    if not file.parent.is_dir():
        raise click.ClickException(f"cannot write {file}: No such folder")
    taken = [str(path) for path in texts if os.path.lexists(path)]
    if taken and not force:
        raise click.ClickException(f"{taken[0]} exists; --force overwrites it")
    for path, text in texts.items():
        try:
            write_text(path, text, replace=force)
        except OSError as error:
            raise click.ClickException(f"cannot write {path}: {error.strerror or error}") from error
    following = KINDS[kind][1].format(file=file, stem=file.with_suffix(""))
    if as_json:
        return echo_json({"files": [str(path) for path in texts], "next": following})
    click.echo(f"{', '.join(map(str, texts))} written; next: {following}")


def starting_files(kind: str, file: Path, base: str | None = None) -> dict[Path, str]:
    """Texts of all files of a kind, named after the file that was asked for."""
    return {
        file.with_name(f"{file.stem}{end}{file.suffix}"): _filled(template, file, base)
        for end, template in KINDS[kind][0].items()
    }


def _filled(template: str, file: Path, base: str | None) -> str:
    """The text of a template, its scenario named after its file as far as names allow."""
    text = files("docksim").joinpath("cli", "templates", f"{template}.yaml").read_text(encoding="utf-8")
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", file.stem).lstrip(".")[:100] or template
    values = {"@NAME@": json.dumps(name), "@STEM@": file.stem, "@FILE@": file.name}
    if "@BASE@" in text:
        path = f"scenarios/{base}.yaml" if base and not Path(base).suffix else base or BASE
        values |= {"@BASE@": json.dumps(path), "@DISPERSIONS@": _dispersions(path)}
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def _dispersions(base: str) -> str:
    """What can vary in this scenario: its approach, or the mass of its first vehicle."""
    with complaints():
        scenario = load_scenario(base)
    vehicle = next(iter(scenario.vehicles))
    mass = OF_A_MASS.format(vehicle=vehicle, sigma=0.01 * scenario.vehicles[vehicle].mass_kg)
    # the approach of a checked scenario is written out as states: the file still has it
    has_approach = scenario.approach is not None
    return f"{OF_AN_APPROACH}\n{mass}" if has_approach else mass

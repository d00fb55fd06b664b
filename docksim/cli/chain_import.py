"""docksim chain import, docksim chain from: chain files from URDFs, and from vehicles of scenarios."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from docksim.chain.build import build_chain
from docksim.chain.from_vehicle import NoChain, chain_of_vehicle
from docksim.cli.chain_inspect import chain_facts, show_chain
from docksim.cli.options import json_option
from docksim.cli.tables import echo_json
from docksim.config import ScenarioError, load_scenario
from docksim.config.loading.chain import read_chain
from docksim.config.loading.urdf import SUFFIXES, UrdfChoice
from docksim.config.schema.chain import Chain
from docksim.config.schema.writer import content_to_yaml
from docksim.files.writing import write_text

out_option = click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.yaml", help="Chain file to write."
)
force_option = click.option("--force", is_flag=True, help="Overwrite an existing file.")


@click.command(name="import", short_help="A chain file from a URDF.")
@click.argument("file", type=click.Path())
@click.option("--tip", metavar="LINK", help="Only joints on the way to this link move; it becomes the tool.")
@click.option("--fix", multiple=True, metavar="JOINT", help="Hold a joint at zero; may be repeated.")
@out_option
@force_option
@json_option
@click.pass_context
def import_urdf(
    context: click.Context, file: str, tip: str | None, fix: tuple[str, ...], out: Path | None, force: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Write the links of the URDF in FILE as a chain file, beside it as NAME.yaml unless --out says otherwise.

    Joints: revolute, continuous, prismatic, fixed. What is fixed to a link becomes part of it and keeps its name as a
    frame. Limits of place, rate and effort, damping and friction are taken over. floating, planar and mimic joints are
    refused unless they are held. All commands about chains read a URDF as it is, and a vehicle too, by `use_chain`.

    \b
    Examples:
    docksim chain import arm.urdf
    docksim chain import hand.urdf --tip palm --fix finger_joint --out palm.yaml
    """
    if not file.lower().endswith(SUFFIXES):
        raise click.BadParameter(f"{file} is no URDF; its name ends in .urdf", param_hint="FILE")
    notes: list[str] = []
    try:
        chain = read_chain(file, UrdfChoice(tip, fix), notes)
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    _write(chain, out or Path(file).with_suffix(".yaml"), force, notes, as_json)


@click.command(name="from", short_help="A chain file from bodies of a vehicle.")
@click.argument("scenario", type=click.Path())
@click.option("--vehicle", required=True, metavar="NAME", help="The vehicle.")
@click.option("--from", "start", default="base", show_default=True, metavar="BODY", help="What the chain stands on.")
@click.option(
    "--to", "tips", multiple=True, metavar="BODY[.PORT]",
    help="Its far end; may be repeated. Joints off the way are held.  [default: all that hangs on the first]",
)  # fmt: skip
@click.option("--floating", is_flag=True, help="What it stands on floats: three slides and three turns, no drives.")
@out_option
@force_option
@json_option
@click.pass_context
def from_scenario(
    context: click.Context, scenario: str, vehicle: str, start: str, tips: tuple[str, ...], floating: bool,
    out: Path | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write bodies of a vehicle of SCENARIO as a chain file: for base parameters, identification, linear models, code.

    Joints keep places, limits, springs, dampers, friction and rotors, and start where the scenario has them. Beams
    become their elements. The chain's far ends are bodies, or ports on them.

    \b
    Examples:
    docksim chain from scenarios/berth_module.yaml --vehicle station --to wrist_roll.grip --out arm.yaml
    docksim chain from scenarios/free_flying_arm.yaml --vehicle servicer --floating --out servicer.yaml
    """
    try:
        reading = chain_of_vehicle(load_scenario(scenario), vehicle, start, tips, floating)
    except ScenarioError as error:
        click.echo(str(error), err=True)
        context.exit(1)
    except NoChain as error:
        raise click.ClickException(str(error)) from None
    _write(reading.chain, out or Path(f"{vehicle}.yaml"), force, reading.notes, as_json)


def _write(chain: Chain, out: Path, force: bool, notes: Sequence[str], as_json: bool) -> None:
    """The file, what is in it, and what comes next."""
    try:
        content = _beside(chain.model_dump(exclude_unset=True, exclude_none=True), out.parent)
        write_text(out, content_to_yaml(content), replace=force)
    except FileExistsError:
        raise click.ClickException(f"{out} exists; --force overwrites it, --out names another file") from None
    except OSError as error:
        raise click.ClickException(f"cannot write {out}: {error.strerror or error}") from error
    model = build_chain(chain)
    if as_json:
        return echo_json({**chain_facts(model, model.home), "notes": list(notes), "files": [str(out)]})
    show_chain(out.stem, model, model.home)
    for note in notes:
        click.echo(f"note: {note}", err=True)
    click.echo(f"{out} written; next: docksim chain inspect {out}, or in a vehicle: use_chain: {{file: {out}}}")


def _beside(content: Any, folder: Path) -> Any:
    """Paths of meshes as seen from the folder of the file that is written."""
    if isinstance(content, list):
        return [_beside(part, folder) for part in content]
    if not isinstance(content, dict):
        return content
    moved = {key: _beside(part, folder) for key, part in content.items()}
    file = moved.get("mesh_file")
    return {**moved, "mesh_file": os.path.relpath(file, folder)} if file and Path(file).is_file() else moved

"""docksim check, schema, new: scenario files without running them."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from docksim.config import Scenario

KINDS = ("spin", "two_vehicles", "docking")
_NAME = "@NAME@"


@click.command(short_help="Validate scenario files without running them.")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable findings on standard output.")
@click.pass_context
def check(context: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    """Validate scenario, study, chain and task files without running them; every fault with its file, line and key."""
    findings = {file: problems(file) for file in files}
    if as_json:
        listed = [{"file": file, "valid": not found, "problems": found} for file, found in findings.items()]
        click.echo(json.dumps({"files": listed}, indent=1))
    else:
        for file, found in findings.items():
            for problem in found:
                click.echo(problem["text"], err=True)
            if not found:
                click.echo(f"{file}: ok")
    context.exit(1 if any(findings.values()) else 0)


def problems(file: str) -> list[dict[str, Any]]:
    """What is wrong with a file, for machines and (under "text") for people; empty if nothing is."""
    from docksim.config import ScenarioError, load_scenario
    from docksim.config.chain_loader import read_chain
    from docksim.config.chain_task import load_task, top_keys
    from docksim.config.study_loader import is_study
    from docksim.study.plan import load_plan

    try:
        keys = top_keys(file)
        if "chain" in keys:
            load_task(file)
        elif keys & {"denavit_hartenberg", "bodies"}:
            read_chain(file)
        elif is_study(file):
            load_plan(file)
        else:
            _refuse_overlap(load_scenario(file, None), file)
    except ScenarioError as error:
        return [{**asdict(problem), "text": str(problem)} for problem in error.problems]
    except Exception as error:
        from docksim.simulation.threads import describe

        message = describe(error)
        return [{"file": file, "line": None, "key": "", "message": message, "text": f"{file}: {message}"}]
    return []


def _refuse_overlap(scenario: Scenario, file: str) -> None:
    """Interfaces that overlap at the start, which a run would refuse."""
    if not scenario.contacts:
        return
    from docksim.config import Problem, ScenarioError
    from docksim.hardware.mating import overlaps

    found = [Problem(file, None, f"contacts.{name}", text) for name, text in overlaps(scenario).items()]
    if found:
        raise ScenarioError(found)


@click.command()
@click.option("--study", "kind", flag_value="study", help="The schema of study files instead.")
@click.option("--chain", "kind", flag_value="chain", help="The schema of chain files instead.")
@click.option("--task", "kind", flag_value="task", help="The schema of tasks of chains instead.")
def schema(kind: str | None) -> None:
    """Print the JSON schema of scenario files, for editors."""
    from docksim.config import editor

    makers = {
        "study": editor.study_json_schema,
        "chain": editor.chain_json_schema,
        "task": editor.task_json_schema,
    }
    found = makers.get(kind or "", editor.scenario_json_schema)()
    click.echo(json.dumps(found, indent=2, ensure_ascii=False))


@click.command(short_help="Write a commented starting scenario.")
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def new(kind: str, file: Path, force: bool) -> None:
    """Write a commented starting scenario of the given KIND to FILE.

    \b
    spin          one free rigid body
    two_vehicles  a chaser with flexible arrays docks with a station and leaves again
    docking       petals, latches and a soft mechanism, from first contact to closed hooks
    """
    try:
        with file.open("w" if force else "x", encoding="utf-8") as stream:
            stream.write(starting_scenario(kind, file.stem))
    except FileExistsError:
        raise click.ClickException(f"{file} exists; --force overwrites it") from None
    except OSError as error:
        raise click.ClickException(f"cannot write {file}: {error.strerror or error}") from error
    click.echo(f"{file} written; next: docksim run {file}")


def starting_scenario(kind: str, stem: str) -> str:
    """The text of a template, named after its file as far as names allow."""
    from importlib.resources import files

    text = files("docksim").joinpath("cli", "templates", f"{kind}.yaml").read_text(encoding="utf-8")
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", stem).lstrip(".")[:100] or kind
    return text.replace(_NAME, json.dumps(name))

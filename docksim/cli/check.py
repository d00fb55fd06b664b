"""docksim check: scenario files without running them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, NamedTuple

import click

from docksim.cli.complete import ScenarioPath
from docksim.cli.loading import tell_shadowed
from docksim.cli.options import json_option
from docksim.config import Problem, ScenarioError, load_scenario
from docksim.config.errors import listed
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import load_task, top_keys
from docksim.config.loading.study import is_study
from docksim.jobs.examine import examined
from docksim.simulation.threads import describe
from docksim.study.plan import load_plan


@click.command(short_help="Validate scenario files without running them.")
@click.argument("files", nargs=-1, required=True, type=ScenarioPath(), metavar="FILE...")
@json_option
@click.pass_context
def check(context: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    """Validate scenario, study, chain and task files without running them; every fault with its file, line and key.

    Warnings tell of scenarios that are valid and yet unlikely to give good numbers, such as a step that is too long
    for a stiff joint or contact.
    """
    tell_shadowed(files)
    findings = {file: examine(file) for file in files}
    if as_json:
        told = [
            {"file": file, "valid": not own.problems, "problems": own.problems, "warnings": own.warnings}
            for file, own in findings.items()
        ]
        click.echo(json.dumps({"files": told}, indent=1))
    else:
        for file, own in findings.items():
            for line in [*listed(problem["text"] for problem in own.problems), *(one["text"] for one in own.warnings)]:
                click.echo(line, err=True)
            if not own.problems:
                click.echo(f"{file}: ok")
    context.exit(1 if any(own.problems for own in findings.values()) else 0)


class Findings(NamedTuple):
    """What is wrong with a file, and what is doubtful; each for machines and (under "text") for people."""

    problems: list[dict[str, Any]]
    warnings: list[dict[str, Any]]


def examine(file: str) -> Findings:
    """Everything that can be said of a file without running it."""
    try:
        keys = top_keys(file)
        if "chain" in keys:
            load_task(file)
        elif keys & {"denavit_hartenberg", "bodies"}:
            read_chain(file)
        elif is_study(file):
            load_plan(file)
        else:
            certain, doubtful = examined(load_scenario(file, None), file)
            return Findings([_listed(problem) for problem in certain], [_listed(problem) for problem in doubtful])
    except ScenarioError as error:
        return Findings([_listed(problem) for problem in error.problems], [])
    except Exception as error:
        message = describe(error)
        return Findings([{"file": file, "line": None, "key": "", "message": message, "text": f"{file}: {message}"}], [])
    return Findings([], [])


def _listed(problem: Problem) -> dict[str, Any]:
    return {**asdict(problem), "text": str(problem)}

"""docksim check: scenario files without running them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, NamedTuple

import click

from docksim.cli.complete import ScenarioPath
from docksim.cli.loading import tell_shadowed
from docksim.config import Problem, Scenario, ScenarioError, load_scenario
from docksim.config.checks.contact import capsules_alone, overdamped_pairs
from docksim.config.checks.doubts import doubtful_approach
from docksim.config.errors import listed
from docksim.config.loading.chain import read_chain
from docksim.config.loading.chain_task import load_task, top_keys
from docksim.config.loading.scenario import problems_at
from docksim.config.loading.study import is_study
from docksim.config.schema.joining import joins_without_hooks
from docksim.config.schema.pin_play import pins_without_contact
from docksim.simulation.first_contact import PlacementError, find_start
from docksim.simulation.mating import overlaps
from docksim.simulation.run import prepare_kernel
from docksim.simulation.stability import too_stiff
from docksim.simulation.threads import describe
from docksim.simulation.tolerances import tolerance_text
from docksim.study.plan import load_plan


@click.command(short_help="Validate scenario files without running them.")
@click.argument("files", nargs=-1, required=True, type=ScenarioPath(), metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable findings on standard output.")
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
            scenario = load_scenario(file, None)
            _refuse_start(scenario, file)
            return _doubts(scenario, file)
    except ScenarioError as error:
        return Findings([_listed(problem) for problem in error.problems], [])
    except Exception as error:
        message = describe(error)
        return Findings([{"file": file, "line": None, "key": "", "message": message, "text": f"{file}: {message}"}], [])
    return Findings([], [])


def _listed(problem: Problem) -> dict[str, Any]:
    return {**asdict(problem), "text": str(problem)}


def _doubts(scenario: Scenario, file: str) -> Findings:
    """Approaches that look mistaken, joins that nothing can refuse, capsules that meet nothing, dampers that outweigh
    their springs, and what the step is too long for: joints, legs and contacts, which are faults where the run is lost
    for certain."""
    stiff = too_stiff(scenario)
    certain = problems_at(file, [(one.path, one.text) for one in stiff if one.certain])
    told = [*joins_without_hooks(scenario), *capsules_alone(scenario), *pins_without_contact(scenario)]
    doubtful = [Problem(file, None, "", f"warning: {text}") for text in told]
    placed = [
        *doubtful_approach(scenario),
        *overdamped_pairs(scenario),
        *((one.path, one.text) for one in stiff if not one.certain),
    ]
    doubtful += problems_at(file, [(path, f"warning: {text}") for path, text in placed])
    if scenario.solver.tolerance is not None:
        doubtful += problems_at(file, [(("solver", "tolerance"), tolerance_text(scenario.solver.tolerance))])
    return Findings([_listed(problem) for problem in certain], [_listed(problem) for problem in doubtful])


def _refuse_start(scenario: Scenario, file: str) -> None:
    """A state at contact that has no start, and interfaces that overlap at the start, which a run would refuse."""
    if not scenario.contacts:
        return
    prepare_kernel()
    try:
        start = find_start(scenario)
    except PlacementError as error:
        raise ScenarioError(problems_at(file, error.faults)) from None
    overlapping = [Problem(file, None, f"contacts.{name}", text) for name, text in overlaps(scenario, start).items()]
    if overlapping:
        raise ScenarioError(overlapping)

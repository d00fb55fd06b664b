"""docksim check: scenario files without running them."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from docksim.config import Problem, Scenario, ScenarioError, load_scenario
from docksim.config.chain_loader import read_chain
from docksim.config.chain_task import load_task, top_keys
from docksim.config.contact_checks import capsules_alone
from docksim.config.joining import joins_without_hooks
from docksim.config.study_loader import is_study
from docksim.hardware.mating import overlaps
from docksim.simulation.threads import describe
from docksim.study.plan import load_plan


@click.command(short_help="Validate scenario files without running them.")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable findings on standard output.")
@click.pass_context
def check(context: click.Context, files: tuple[str, ...], as_json: bool) -> None:
    """Validate scenario, study, chain and task files without running them; every fault with its file, line and key."""
    findings = {file: _findings(file) for file in files}
    if as_json:
        listed = [
            {"file": file, "valid": not found, "problems": found, "warnings": warnings}
            for file, (found, warnings) in findings.items()
        ]
        click.echo(json.dumps({"files": listed}, indent=1))
    else:
        for file, (found, warnings) in findings.items():
            for problem in found:
                click.echo(problem["text"], err=True)
            for warning in warnings:
                click.echo(f"{file}: warning: {warning}", err=True)
            if not found:
                click.echo(f"{file}: ok")
    context.exit(1 if any(found for found, _ in findings.values()) else 0)


def _findings(file: str) -> tuple[list[dict[str, Any]], list[str]]:
    """What is wrong with a file, and what a run of it would do that may not be meant."""
    warnings: list[str] = []
    return problems(file, warnings), warnings


def problems(file: str, warnings: list[str]) -> list[dict[str, Any]]:
    """What is wrong with a file, for machines and (under "text") for people; empty if nothing is. Adds warnings."""
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
            _refuse_overlap(scenario, file)
            warnings += [*joins_without_hooks(scenario), *capsules_alone(scenario)]
    except ScenarioError as error:
        return [{**asdict(problem), "text": str(problem)} for problem in error.problems]
    except Exception as error:
        message = describe(error)
        return [{"file": file, "line": None, "key": "", "message": message, "text": f"{file}: {message}"}]
    return []


def _refuse_overlap(scenario: Scenario, file: str) -> None:
    """Interfaces that overlap at the start, which a run would refuse."""
    if not scenario.contacts:
        return
    found = [Problem(file, None, f"contacts.{name}", text) for name, text in overlaps(scenario).items()]
    if found:
        raise ScenarioError(found)

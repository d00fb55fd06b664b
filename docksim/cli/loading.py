"""Scenario files as commands are given them: the file, and the changes of --set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from docksim.config import ScenarioError, load_scenario, parse_override
from docksim.config.schema import Scenario


def overrides(assignments: Iterable[str]) -> dict[str, Any]:
    """Keys and values of all --set options; a later one wins."""
    found: dict[str, Any] = {}
    for text in assignments:
        try:
            key, value = parse_override(text)
        except ScenarioError as error:
            words = "; ".join(f"{problem.key}: {problem.message}" for problem in error.problems)
            raise click.BadParameter(words, param_hint="--set") from error
        found[key] = value
    return found


def scenario_of_file(file: str, assignments: Sequence[str]) -> Scenario:
    """The scenario with its changes, or what is wrong with it."""
    try:
        return load_scenario(file, overrides(assignments), override_origin="--set")
    except ScenarioError as error:
        raise click.ClickException(str(error)) from error

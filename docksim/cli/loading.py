"""Files as commands are given them: a scenario with the changes of --set, and what is said of what is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from docksim.config import ScenarioError, load_scenario, parse_override
from docksim.config.errors import MOST_LISTED
from docksim.config.loading.files import shadowed
from docksim.config.schema.scenario import Scenario
from docksim.result.result import ResultError


def overrides(assignments: Iterable[str]) -> dict[str, Any]:
    """Keys and values of all --set options; a later one wins."""
    changes: dict[str, Any] = {}
    for text in assignments:
        try:
            key, value = parse_override(text)
        except ScenarioError as error:
            words = "; ".join(str(replace(problem, file="", line=None)) for problem in error.problems[:MOST_LISTED])
            raise click.BadParameter(words, param_hint="--set") from error
        changes[key] = value
    return changes


def tell_shadowed(files: Iterable[str | Path]) -> None:
    """Say which files hide one that comes with docksim."""
    for file in files:
        if shadowed(Path(file)):
            click.echo(f"{file}: your own file; docksim comes with another of this name, which is not used", err=True)


def scenario_of_file(file: str, assignments: Sequence[str]) -> Scenario:
    """The scenario with its changes, or what is wrong with it."""
    tell_shadowed([file])
    with complaints():
        return load_scenario(file, overrides(assignments), override_origin="--set")


@contextmanager
def complaints() -> Iterator[None]:
    """What cannot be read or written ends the command with the line "Error: ..." and exit code 1."""
    try:
        yield
    except (ScenarioError, ResultError) as error:
        raise click.ClickException(str(error)) from error


@contextmanager
def refusals() -> Iterator[None]:
    """A refused file, or a result that cannot be written, ends the command with all its faults and exit code 1."""
    try:
        yield
    except (ScenarioError, ResultError) as error:
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(1) from None

"""What a shell offers after the tab key: shipped names, files, saved runs, keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from docksim.cli.loading import tell_shadowed
from docksim.cli.saved import RESULTS
from docksim.config import ScenarioError
from docksim.config.loading.files import named_study
from docksim.config.loading.scenario import Loading
from docksim.config.loading.shipped import shipped
from docksim.config.schema.keys import UnknownKey, below, find
from docksim.config.schema.scenario import Scenario

MOST = 60


class ScenarioPath(click.Path):
    """A file; names of scenarios and studies that come with docksim are offered too."""

    folders: tuple[str, ...] = ("scenarios", "studies")

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        names = [one for folder in self.folders for one in shipped(folder)]
        own = [CompletionItem(one.name, help=one.about) for one in names if one.name.startswith(incomplete)]
        return [*own, *super().shell_complete(ctx, param, incomplete)]


class StudyPath(ScenarioPath):
    """A study's file; a name that a scenario has too is the study's."""

    folders = ("studies",)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        file = named_study(str(super().convert(value, param, ctx)))
        tell_shadowed([file])
        return file


class ResultPath(click.Path):
    """A folder; names of what was run are offered too."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        names = sorted(one.name for one in RESULTS.iterdir() if one.is_dir()) if RESULTS.is_dir() else []
        own = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return [*own, *super().shell_complete(ctx, param, incomplete)]


def complete_shipped(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of all files that come with docksim."""
    names = [one for folder in ("scenarios", "studies", "configs") for one in shipped(folder)]
    return [CompletionItem(one.name, help=one.about) for one in names if one.name.startswith(incomplete)]


def complete_keys(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Keys that may follow, for --set and explain: those of the scenario that is named, else those of the schema."""
    keys = list(Scenario.model_fields)
    before, _, start = incomplete.rpartition(".")
    if "=" in incomplete:
        return []
    if not before:
        names = [*keys, *_vehicles(ctx)]
    else:
        try:
            tops = find(before if before.split(".")[0] in keys else f"vehicles.{before}")
        except UnknownKey:
            return []
        names = [one.path[-1] for key in tops for one in below(key) if one.path[:-1] == key.path]
    lead = f"{before}." if before else ""
    return [CompletionItem(f"{lead}{name}") for name in dict.fromkeys(names) if name.startswith(start)][:MOST]


def _vehicles(ctx: click.Context) -> list[str]:
    """The vehicles of the files that were given."""
    given = ctx.params.get("files") or ctx.params.get("file") or ()
    names: list[str] = []
    for file in [given] if isinstance(given, str) else given:
        try:
            tree = Loading(Path(file), str(file)).tree().value
        except ScenarioError:
            continue
        vehicles = tree.get("vehicles") if isinstance(tree, dict) else None
        names += list(vehicles.value) if vehicles is not None and isinstance(vehicles.value, dict) else []
    return names

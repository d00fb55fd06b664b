"""From a task file to a checked task and its chain, or to a list of all faults of both."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from docksim.config.checks.chain_task import task_faults
from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.chain import read_chain
from docksim.config.loading.files import display, found_file, resolve_use, tree_root, used_file
from docksim.config.loading.scenario import Loading
from docksim.config.schema.chain import Chain
from docksim.config.schema.chain_task import ChainTask
from docksim.config.tree import Entry, Keys, dotted, nearest, places


@dataclass(frozen=True)
class LoadedTask:
    """A checked task and its chain, with the places of its keys."""

    task: ChainTask
    chain: Chain
    file: str
    where: dict[Keys, Any]

    def error(self, path: Keys, message: str) -> ScenarioError:
        """A fault of the task file, at its line."""
        place = nearest(self.where, path)
        return ScenarioError([Problem(place.file, place.line, dotted(path), message)])


def top_keys(source: str | Path) -> set[str]:
    """Keys at the top of a file: chains, tasks and scenarios are told apart by them. None, if it cannot be read."""
    try:
        tree = Loading(source, str(source)).tree()
    except (ScenarioError, RecursionError):
        return set()
    return set(tree.value) if isinstance(tree.value, dict) else set()


def load_task(source: str | PathLike[str]) -> LoadedTask:
    """The checked task in a file; ScenarioError with every problem."""
    loading = Loading(source)
    name = loading.name
    with loading.within_depth():
        tree = loading.with_name(loading.tree())
        _refuse_others(tree, name)
        task = loading.checked(tree, ChainTask, lambda _: [])
    folder = found_file(Path(name)).resolve().parent
    chain = read_chain(display(used_file(task.chain, folder, dict(places(tree))[("chain",)], "chain")))
    loading.report(task_faults(task, chain), tree)
    if loading.problems:
        raise ScenarioError(loading.in_order())
    return LoadedTask(task, chain, name, dict(places(tree)))


def _refuse_others(tree: Entry, name: str) -> None:
    """A chain or a scenario in place of a task, told in one line."""
    keys = set(tree.value) if isinstance(tree.value, dict) else set()
    for key, word in (("denavit_hartenberg", "chain"), ("bodies", "chain"), ("vehicles", "scenario")):
        if key in keys and "chain" not in keys:
            has = "a task has 'chain' and 'duration_s', as those in configs/tasks"
            raise ScenarioError([Problem(name, None, "", f"is a {word}, not a task; {has}")])


def missing(file: str, path: Keys, message: str) -> Problem:
    """A key that a file should have, at the line of what is nearest to it."""
    place = nearest(dict(places(Loading(file).tree())), path)
    return Problem(place.file, place.line, dotted(path), message)


def chain_file(loaded: LoadedTask) -> str:
    """The chain's file."""
    folder = found_file(Path(loaded.file)).resolve().parent
    return display(resolve_use(loaded.task.chain, folder, tree_root(folder)))

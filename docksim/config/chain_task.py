"""A task of a chain: free motion, motion under constraints, or control along a program."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from docksim.config.chain import Chain
from docksim.config.chain_conditions import AnyCondition, Poles
from docksim.config.chain_loader import read_chain
from docksim.config.chain_loads import JointDrive, Load
from docksim.config.chain_task_checks import task_faults
from docksim.config.errors import Problem, ScenarioError
from docksim.config.fields import NonNegative, Part, Positive, Reference, as_list, refuse
from docksim.config.files import display, found_file, resolve_use, tree_root
from docksim.config.loader import Loading
from docksim.config.reading import TOO_DEEP
from docksim.config.tree import Entry, Keys, places

MOST_ROWS = 1_000_000


class JointStart(Part):
    """State of one joint at the start."""

    angle_deg: float | None = Field(None, description="Angle of a turning joint [deg]; its home if left out.")
    rate_deg_s: float = Field(0.0, description="Rate of a turning joint [deg/s].")
    travel_m: float | None = Field(None, description="Travel of a sliding joint [m]; its home if left out.")
    rate_m_s: float = Field(0.0, description="Rate of a sliding joint [m/s].")


class Redundancy(Part):
    """What the joints do with the freedom that the program leaves: the vector v of the law."""

    type: Literal["damping", "posture", "none"] = Field(
        "damping",
        description="damping: rates die out; posture: towards a configuration; none: v = 0, joints may drift.",
    )
    frequency_Hz: Positive = Field(0.5, description="How fast: natural frequency, critically damped [Hz].")
    posture: dict[Reference, JointStart] = Field(
        default_factory=dict, description="Configuration, by link; home where left out."
    )


class ChainTask(Part):
    """A chain, how it starts, and what holds or drives it."""

    name: str = Field(
        "task", pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$", max_length=100, description="The file's name if left out."
    )
    description: str = Field("", description="What it is for, in words.")
    chain: Reference = Field(description="Path of the chain file.")
    duration_s: Positive = Field(description="Length of the motion [s].")
    output_s: Positive = Field(0.01, description="Time between rows of the result [s].")
    tolerance: Annotated[float, Field(ge=1e-13, le=1e-3)] = Field(
        1e-9, description="Relative error allowed in a step of the integration."
    )
    initial: dict[Reference, JointStart] = Field(default_factory=dict, description="Joints that start off home.")
    drives: dict[Reference, JointDrive] = Field(
        default_factory=dict, description="Forces of the drives, of a free or a constrained motion."
    )
    loads: Annotated[list[Load], BeforeValidator(as_list)] = Field(
        default_factory=list, description="Wrenches from outside, at points of links."
    )
    constraint: Annotated[list[AnyCondition], BeforeValidator(as_list)] = Field(
        default_factory=list, description="What holds the chain."
    )
    program: Annotated[list[AnyCondition], BeforeValidator(as_list)] = Field(
        default_factory=list, description="What the chain shall follow."
    )
    poles: Poles = Field(
        default_factory=lambda: Poles(frequency_Hz=1.0),
        description="How errors of the program shall die out, where a condition has no poles of its own.",
    )
    redundancy: Redundancy = Field(
        default_factory=Redundancy, description="What the joints do with the freedom that the program leaves."
    )
    mass_error: dict[Reference, NonNegative] = Field(
        default_factory=dict, description="Factor on the mass of a link that the controller does not know of."
    )

    @model_validator(mode="after")
    def _check(self) -> ChainTask:
        faults = []
        if self.constraint and self.program:
            faults.append(("program", "excludes 'constraint'; remove one of them"))
        if self.program and self.drives:
            text = "goes with free or constrained motion; along a program the controller drives the joints"
            faults.append(("drives", text))
        if not self.program and self.mass_error:
            faults.append(("mass_error", "goes with program: there is no controller that could be wrong"))
        if self.duration_s / self.output_s > MOST_ROWS:
            faults.append(("output_s", f"makes more than {MOST_ROWS} rows; take a longer one"))
        refuse(faults)
        return self


@dataclass(frozen=True)
class LoadedTask:
    """A checked task and its chain, with the places of its keys."""

    task: ChainTask
    chain: Chain
    file: str
    where: dict[Keys, Any]

    def error(self, path: Keys, message: str) -> ScenarioError:
        """A fault of the task file, at its line."""
        place = next(self.where[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self.where)
        return ScenarioError([Problem(place.file, place.line, ".".join(map(str, path)), message)])


def top_keys(source: str | Path) -> set[str]:
    """Keys at the top of a file: chains, tasks and scenarios are told apart by them. None, if it cannot be read."""
    try:
        tree = Loading(source, str(source)).tree()
    except (ScenarioError, RecursionError):
        return set()
    return set(tree.value) if isinstance(tree.value, dict) else set()


def load_task(source: str | PathLike[str]) -> LoadedTask:
    """The checked task in a file; ScenarioError with every problem."""
    name = fspath(source) or "."
    loading = Loading(source, name)
    try:
        tree = loading.with_name(loading.tree())
        _refuse_others(tree, name)
        task = loading.checked(tree, ChainTask, lambda _: [])
    except RecursionError:
        raise ScenarioError([Problem(name, None, "", TOO_DEEP)]) from None
    chain = _chain_of(task, tree, name)
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
    where = dict(places(Loading(file, file).tree()))
    place = next(where[path[:n]] for n in range(len(path), -1, -1) if path[:n] in where)
    return Problem(place.file, place.line, ".".join(map(str, path)), message)


def chain_file(loaded: LoadedTask) -> str:
    """The chain's file."""
    folder = found_file(Path(loaded.file)).resolve().parent
    return display(resolve_use(loaded.task.chain, folder, tree_root(folder)))


def _chain_of(task: ChainTask, tree: Entry, name: str) -> Chain:
    folder = found_file(Path(name)).resolve().parent
    try:
        file = resolve_use(task.chain, folder, tree_root(folder))
    except LookupError as error:
        place = dict(places(tree))[("chain",)]
        raise ScenarioError([Problem(place.file, place.line, "chain", str(error.args[0]))]) from None
    return read_chain(display(file))

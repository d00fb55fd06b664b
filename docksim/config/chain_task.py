"""A task of a chain: motion under constraints, or control along a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from docksim.config.chain import Chain
from docksim.config.chain_conditions import (
    AnyCondition,
    CouplingCondition,
    JointCondition,
    OnPoint,
)
from docksim.config.chain_loader import read_chain
from docksim.config.errors import Problem, ScenarioError, unknown
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


class JointDrive(Part):
    """A constant drive force."""

    torque_Nm: float = Field(0.0, description="Of a turning joint [N m].")
    force_N: float = Field(0.0, description="Of a sliding joint [N].")


class Poles(Part):
    """How errors shall die out: f'' + G1 f' + G0 f = 0 in every component, by its two poles."""

    frequency_Hz: Positive | None = Field(None, description="Natural frequency of the pair [Hz].")
    damping_ratio: Positive = Field(1.0, description="Damping ratio of the pair; 1 is the fastest without overshoot.")
    real_1_s: list[float] | None = Field(None, min_length=2, max_length=2, description="Two real poles [1/s] instead.")

    @model_validator(mode="after")
    def _check(self) -> Poles:
        faults = []
        if (self.frequency_Hz is None) == (self.real_1_s is None):
            faults.append(("", "needs frequency_Hz or real_1_s, one of them"))
        if self.real_1_s is not None and max(self.real_1_s) >= 0.0:
            faults.append(("real_1_s", f"{self.real_1_s}: poles of a decay are negative"))
        refuse(faults)
        return self


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
        default_factory=dict, description="Constant drive forces, of a constrained motion."
    )
    constraint: Annotated[list[AnyCondition], BeforeValidator(as_list)] = Field(
        default_factory=list, description="What holds the chain."
    )
    program: Annotated[list[AnyCondition], BeforeValidator(as_list)] = Field(
        default_factory=list, description="What the chain shall follow."
    )
    poles: Poles = Field(
        default_factory=lambda: Poles(frequency_Hz=1.0), description="How errors of the program shall die out."
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
        if bool(self.constraint) == bool(self.program):
            found = "both" if self.program else "neither"
            faults.append(("", f"needs constraint or program, one of them; found {found}"))
        if self.program and self.drives:
            faults.append(("drives", "goes with constraint; along a program the controller drives the joints"))
        if self.constraint and self.mass_error:
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
    loading.report(_faults(task, chain), tree)
    if loading.problems:
        raise ScenarioError(loading.in_order())
    return LoadedTask(task, chain, name, dict(places(tree)))


def _refuse_others(tree: Entry, name: str) -> None:
    """A chain or a scenario in place of a task, told in one line."""
    keys = set(tree.value) if isinstance(tree.value, dict) else set()
    for key, word in (("denavit_hartenberg", "chain"), ("bodies", "chain"), ("vehicles", "scenario")):
        if key in keys and "chain" not in keys:
            has = "a task has 'chain', and 'constraint' or 'program', as those in configs/tasks"
            raise ScenarioError([Problem(name, None, "", f"is a {word}, not a task; {has}")])


def _chain_of(task: ChainTask, tree: Entry, name: str) -> Chain:
    folder = found_file(Path(name)).resolve().parent
    try:
        file = resolve_use(task.chain, folder, tree_root(folder))
    except LookupError as error:
        place = dict(places(tree))[("chain",)]
        raise ScenarioError([Problem(place.file, place.line, "chain", str(error.args[0]))]) from None
    return read_chain(display(file))


# ---------------------------------------------------------------- what only chain and task together can tell


def link_kinds(chain: Chain) -> dict[str, str]:
    """Names of the links and the types of their joints."""
    if chain.denavit_hartenberg is not None:
        return {row.name or f"link{k + 1}": row.type for k, row in enumerate(chain.denavit_hartenberg)}
    return {name: body.joint.type for name, body in (chain.bodies or {}).items()}


def elastic_links(chain: Chain) -> list[str]:
    """Names of the links that bend."""
    links = chain.denavit_hartenberg if chain.denavit_hartenberg is not None else list((chain.bodies or {}).values())
    return [name for name, link in zip(link_kinds(chain), links, strict=True) if link.elastic is not None]


def _faults(task: ChainTask, chain: Chain) -> Iterator[tuple[Keys, str]]:
    kinds = link_kinds(chain)
    if task.program and (elastic := elastic_links(chain)):
        what = f"link '{elastic[0]}' of the chain is elastic, and program control would hold it stiff"
        yield ("program",), f"{what}: it drives every joint; leave 'elastic' out of the chain, or give a constraint"
    maps: list[tuple[Keys, dict[str, Any]]] = [
        (("initial",), task.initial),
        (("drives",), task.drives),
        (("redundancy", "posture"), task.redundancy.posture),
    ]
    for path, found in maps:
        for link, part in found.items():
            yield from _unit_faults((*path, link), link, part, kinds)
    for link in task.mass_error:
        if link not in kinds:
            yield ("mass_error", link), unknown("link", link, kinds)
    for section in ("constraint", "program"):
        for i, condition in enumerate(getattr(task, section)):
            yield from _condition_faults((section, i), condition, kinds)


def _condition_faults(path: Keys, condition: Any, kinds: dict[str, str]) -> Iterator[tuple[Keys, str]]:
    if isinstance(condition, CouplingCondition):
        for link in condition.ratios:
            if link not in kinds:
                yield (*path, "ratios", link), unknown("link", link, kinds)
    elif isinstance(condition, OnPoint):
        if condition.link is not None and condition.link not in kinds:
            yield (*path, "link"), unknown("link", condition.link, kinds)
    elif isinstance(condition, JointCondition):
        yield from _unit_faults((*path, "link"), condition.link, condition, kinds)
        for j, waypoint in enumerate(condition.waypoints or []):
            yield from _unit_faults((*path, "waypoints", j), condition.link, waypoint, kinds, needed=True)


_OTHER = {
    "revolute": {"travel_m": "angle_deg", "rate_m_s": "rate_deg_s", "force_N": "torque_Nm"},
    "prismatic": {"angle_deg": "travel_m", "rate_deg_s": "rate_m_s", "torque_Nm": "force_N"},
}


def _unit_faults(
    path: Keys, link: str, part: Any, kinds: dict[str, str], needed: bool = False
) -> Iterator[tuple[Keys, str]]:
    """Metres for a turning joint, degrees for a sliding one."""
    if link not in kinds:
        yield path, unknown("link", link, kinds)
        return
    for wrong, right in _OTHER[kinds[link]].items():
        if wrong in part.model_fields_set and getattr(part, wrong) is not None:
            yield path, f"{wrong}: the joint of '{link}' is {kinds[link]}; use {right}"
    main = "angle_deg" if kinds[link] == "revolute" else "travel_m"
    if needed and getattr(part, main) is None:
        yield path, f"{main} is missing"

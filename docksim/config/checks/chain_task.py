"""What only a chain and a task together can tell: names of links, units of their joints, what can be driven at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from docksim.config.errors import unknown
from docksim.config.schema.chain import Chain, PrismaticJoint, PrismaticRow, RevoluteJoint, RevoluteRow
from docksim.config.schema.chain_conditions import (
    ClosureCondition,
    CouplingCondition,
    JointCondition,
    OnLink,
)
from docksim.config.schema.chain_loads import JointDrive
from docksim.config.tree import Keys

if TYPE_CHECKING:
    from docksim.config.schema.chain_task import ChainTask

MOST_SAMPLES = 100_000
Fault = tuple[Keys, str]
Axes = dict[str, RevoluteRow | PrismaticRow | RevoluteJoint | PrismaticJoint]


def axes_of(chain: Chain) -> Axes:
    """Links by name, with what the file says of their joints."""
    if chain.denavit_hartenberg is not None:
        return {row.name or f"link{k + 1}": row for k, row in enumerate(chain.denavit_hartenberg)}
    return {name: body.joint for name, body in (chain.bodies or {}).items()}


def elastic_below(chain: Chain, link: str | None) -> list[str]:
    """Elastic links on the way from the base to the far end of a link, this one included; None is the last link."""
    names = list(axes_of(chain))
    if chain.denavit_hartenberg is not None:
        above = dict(zip(names, ["", *names], strict=False))
        elastic = {name for name, row in zip(names, chain.denavit_hartenberg, strict=True) if row.elastic is not None}
        link = link or names[-1]
    else:
        bodies = chain.bodies or {}
        above = {name: body.parent for name, body in bodies.items()}
        elastic = {name for name, body in bodies.items() if body.elastic is not None}
        if link is None:
            # which branch comes last is for the builder to say: any of them may carry the point
            return [name for name in names if name in elastic]
    way: list[str] = []
    while link in above:
        way.insert(0, link)
        link = above[link]
    return [name for name in way if name in elastic]


def task_faults(task: ChainTask, chain: Chain) -> Iterator[Fault]:
    """All that is wrong."""
    axes = axes_of(chain)
    maps: list[tuple[Keys, dict[str, Any]]] = [
        (("initial",), task.initial),
        (("drives",), task.drives),
        (("redundancy", "posture"), task.redundancy.posture),
    ]
    for path, by_link in maps:
        for link, part in by_link.items():
            yield from _unit_faults((*path, link), link, part, axes)
    for link in task.mass_error:
        if link not in axes:
            yield ("mass_error", link), unknown("link", link, axes)
    for section in ("constraint", "program"):
        for i, condition in enumerate(getattr(task, section)):
            yield from _condition_faults((section, i), condition, axes)
    for i, condition in enumerate(task.constraint):
        if condition.poles is not None:
            yield ("constraint", i, "poles"), "goes with program: a constraint holds, it has no error that dies out"
    for i, load in enumerate(task.loads):
        if load.link is not None and load.link not in axes:
            yield ("loads", i, "link"), unknown("link", load.link, axes)
    yield from _start_faults(task, axes)
    yield from _drive_faults(task, axes)
    yield from _program_faults(task, chain, axes)
    if task.adaptive is not None:
        yield from _adaptive_faults(task, chain, axes)


def _start_faults(task: ChainTask, axes: Axes) -> Iterator[Fault]:
    """A start beyond a stop."""
    for link, start in task.initial.items():
        if link not in axes:
            continue
        key, unit = ("angle_deg", "deg") if axes[link].type == "revolute" else ("travel_m", "m")
        value = getattr(start, key)
        lower, upper = (getattr(axes[link], f"{side}_{unit}") for side in ("lower", "upper"))
        if value is not None and lower is not None and value < lower:
            yield ("initial", link, key), f"{value} starts below the stop of '{link}' at {lower} {unit}"
        if value is not None and upper is not None and value > upper:
            yield ("initial", link, key), f"{value} starts above the stop of '{link}' at {upper} {unit}"


def _sticking_faults(link: str, drive: JointDrive, axes: Axes) -> Iterator[Fault]:
    kind, key = ("friction_N", "presliding_m") if axes[link].type == "prismatic" else ("friction_Nm", "presliding_deg")
    if getattr(drive, key) is not None and not getattr(axes[link], kind):
        yield ("drives", link, key), f"the joint of '{link}' has no friction that could stick; give it {kind}"


def _drive_faults(task: ChainTask, axes: Axes) -> Iterator[Fault]:
    for path, links in ((("drives",), task.drives), (("redundancy", "posture"), task.redundancy.posture)):
        for link in links:
            if link in axes and axes[link].passive:
                yield (*path, link), f"the joint of '{link}' is passive: it has no drive; leave it out"
    for link, drive in task.drives.items():
        if link not in axes:
            continue
        yield from _sticking_faults(link, drive, axes)
        if drive.servo is not None:
            sample = drive.servo.sample_s
            if sample is not None and task.duration_s / sample > MOST_SAMPLES:
                text = f"{sample:g} s makes {task.duration_s / sample:.3g} samples; at most {MOST_SAMPLES:,} are taken"
                yield ("drives", link, "servo", "sample_s"), text
            yield from _unit_faults(("drives", link, "servo"), link, drive.servo, axes)
            for j, waypoint in enumerate(drive.servo.waypoints or []):
                yield from _unit_faults(("drives", link, "servo", "waypoints", j), link, waypoint, axes, needed=True)
        if drive.table is not None:
            yield from _unit_faults(("drives", link, "table"), link, drive.table, axes, needed=True)


def _program_faults(task: ChainTask, chain: Chain, axes: Axes) -> Iterator[Fault]:
    """Programs that no drive can follow, or that would make an elastic arm swing ever more."""
    if task.program and all(axis.passive for axis in axes.values()):
        yield ("program",), "all joints of the chain are passive: there is no drive to follow a program"
        return
    for i, condition in enumerate(task.program):
        if isinstance(condition, JointCondition) and _passive([condition.link], axes):
            text = f"the joint of '{condition.link}' is passive: no drive moves it; give the program to driven joints"
            yield ("program", i, "link"), text
        elif isinstance(condition, CouplingCondition) and _passive(list(condition.ratios), axes):
            text = "all its joints are passive: no drive moves them; give the program to driven joints"
            yield ("program", i, "ratios"), text
        elif isinstance(condition, ClosureCondition):
            text = "a closure is no motion to be followed; give it to 'constraints', or a pose to the program"
            yield ("program", i, "type"), text
        elif isinstance(condition, OnLink) and (elastic := elastic_below(chain, condition.link)):
            yield ("program", i), _non_minimum_phase(elastic)


def _adaptive_faults(task: ChainTask, chain: Chain, axes: Axes) -> Iterator[Fault]:
    """All joints are driven, and each has one path."""
    for i, change in enumerate(task.mass_changes):
        if change.link not in axes:
            yield ("mass_changes", i, "link"), unknown("link", change.link, axes)
    loose = [name for name, axis in axes.items() if axis.passive] or elastic_links(chain)
    if loose:
        yield ("adaptive",), f"'{loose[0]}' moves without a drive; the law is for chains whose joints all have drives"
        return
    given = [part.link if isinstance(part, JointCondition) else None for part in task.program]
    if None in given:
        text = "adaptive control leads joints: give conditions of type: joint, one for each"
        yield ("program", given.index(None)), text
        return
    missing = next((name for name in axes if name not in given), None)
    if missing is not None:
        yield ("program",), f"adaptive control leads every joint, and '{missing}' has no condition of type: joint"
    elif len(given) > len(axes):
        twice = next(i for i, name in enumerate(given) if name in given[:i])
        yield ("program", twice, "link"), f"'{given[twice]}' has a condition already; remove one of them"


def elastic_links(chain: Chain) -> list[str]:
    """Links that bend."""
    if chain.denavit_hartenberg is not None:
        named = zip(axes_of(chain), chain.denavit_hartenberg, strict=True)
        return [name for name, row in named if row.elastic is not None]
    return [name for name, body in (chain.bodies or {}).items() if body.elastic is not None]


def _non_minimum_phase(elastic: Sequence[str]) -> str:
    named = ", ".join(f"'{link}'" for link in elastic)
    bends = f"a link that bends, {named}" if len(elastic) == 1 else f"links that bend, {named}"
    return (
        f"the point is carried by {bends}, and a program for it is non-minimum phase: holding the point still, the"
        " drives would make the links swing ever more; give the program to the joints (type: joint), or take"
        " 'elastic' out of the chain"
    )


def _passive(links: Sequence[str], axes: Axes) -> bool:
    return all(link in axes and axes[link].passive for link in links)


def _condition_faults(path: Keys, condition: Any, axes: Axes) -> Iterator[Fault]:
    if isinstance(condition, CouplingCondition):
        for link in condition.ratios:
            if link not in axes:
                yield (*path, "ratios", link), unknown("link", link, axes)
    elif isinstance(condition, ClosureCondition):
        for key in ("link_a", "link_b"):
            if (link := getattr(condition, key)) is not None and link not in axes:
                yield (*path, key), unknown("link", link, axes)
    elif isinstance(condition, OnLink):
        if condition.link is not None and condition.link not in axes:
            yield (*path, "link"), unknown("link", condition.link, axes)
    elif isinstance(condition, JointCondition):
        yield from _unit_faults((*path, "link"), condition.link, condition, axes)
        for j, waypoint in enumerate(condition.waypoints or []):
            yield from _unit_faults((*path, "waypoints", j), condition.link, waypoint, axes, needed=True)
        if condition.sine is not None:
            yield from _unit_faults((*path, "sine"), condition.link, condition.sine, axes, needed=True)


_TURNING_TO_SLIDING = {
    "angle_deg": "travel_m",
    "amplitude_deg": "amplitude_m",
    "rate_deg_s": "rate_m_s",
    "torque_Nm": "force_N",
    "stiffness_Nm_rad": "stiffness_N_m",
    "damping_Nms_rad": "damping_Ns_m",
    "target_rate_deg_s": "target_rate_m_s",
    "presliding_deg": "presliding_m",
}
_OTHER = {
    "revolute": {sliding: turning for turning, sliding in _TURNING_TO_SLIDING.items()},
    "prismatic": _TURNING_TO_SLIDING,
}


def _unit_faults(path: Keys, link: str, part: Any, axes: Axes, needed: bool = False) -> Iterator[Fault]:
    """Metres for a turning joint, degrees for a sliding one; with `needed`, the first key that a part of it has."""
    if link not in axes:
        yield path, unknown("link", link, axes)
        return
    kind = axes[link].type
    wrong_keys = [key for key in _OTHER[kind] if key in part.model_fields_set and getattr(part, key) is not None]
    for wrong in wrong_keys:
        yield path, f"{wrong}: the joint of '{link}' is {kind}; use {_OTHER[kind][wrong]}"
    main = next(key for key in _OTHER[kind].values() if key in type(part).model_fields)
    if needed and not wrong_keys and getattr(part, main) is None:
        yield path, f"{main} is missing"

"""`use_chain` in a vehicle: the links of a chain become its bodies and beams; keys beside it override them.

A link keeps its frame: frame k of a row, at the far end, or the body's own at its joint. An elastic link becomes a
massless body on its joint, a beam NAME_beam clamped to it, and NAME_end at the beam's tip, which carries what else the
link weighs and whatever hangs on it. The chain's root is a body on a fixed joint. Limits of rate and torque belong to
drives: they come along where `every_joint` gives joints an `actuator`. Gravity is the scenario's.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import ValidationError

from docksim.config.checks.scenario import RESERVED_IN_VEHICLE
from docksim.config.errors import Problem, ScenarioError
from docksim.config.loading.chain_bodies import ChainParts
from docksim.config.loading.explain import explain
from docksim.config.schema.chain import Chain
from docksim.config.schema.use_chain import UseChain
from docksim.config.tree import Entry, Keys, Place, dotted, entry_of, merge, nearest, places, plain

Read = Callable[[UseChain, Place], tuple[Chain, Entry]]


def with_chains(tree: Entry, read: Read, problems: list[Problem], absent: list[Keys]) -> Entry:
    """The scenario with every vehicle's `use_chain` worked in. `absent` gets vehicles whose chain cannot be had."""
    vehicles = tree.value.get("vehicles") if isinstance(tree.value, dict) else None
    if vehicles is None or not isinstance(vehicles.value, dict):
        return tree
    built = {
        name: _vehicle(entry, ("vehicles", name), read, problems, absent) for name, entry in vehicles.value.items()
    }
    assert isinstance(tree.value, dict)
    return Entry({**tree.value, "vehicles": Entry(built, vehicles.place)}, tree.place)


def _vehicle(entry: Entry, path: Keys, read: Read, problems: list[Problem], absent: list[Keys]) -> Entry:
    if not isinstance(entry.value, dict) or "use_chain" not in entry.value:
        return entry
    own = {key: value for key, value in entry.value.items() if key != "use_chain"}
    wanted = entry.value["use_chain"]
    several = isinstance(wanted.value, list)
    made = Entry({}, entry.place)
    for index, one in enumerate(wanted.value if isinstance(wanted.value, list) else [wanted]):
        where: Keys = (*path, "use_chain", *((index,) if several else ()))
        try:
            made = _joined(made, _parts(one, where, read), where)
        except ScenarioError as error:
            problems += error.problems
            absent.append(path)
    return merge(made, Entry(own, entry.place))


def _parts(entry: Entry, where: Keys, read: Read) -> Entry:
    """Bodies and beams of one chain."""
    data, known = plain(entry), dict(places(entry))
    try:
        how = UseChain.model_validate(data)
    except ValidationError as error:
        faults = list(explain(error.errors(include_url=False), data, UseChain))
        at = [nearest(known, path) for path, _ in faults]
        raise ScenarioError(
            Problem(place.file, place.line, dotted((*where, *path)), message)
            for place, (path, message) in zip(at, faults, strict=True)
        ) from None
    try:
        chain, tree = read(how, entry.place)
    except ScenarioError as error:
        chosen = [problem for problem in error.problems if (how.tip or how.fix) and problem.key in ("tip", "fix")]
        if not chosen:
            raise
        at = [nearest(known, (problem.key,)) for problem in chosen]
        raise ScenarioError(
            Problem(place.file, place.line, dotted((*where, problem.key)), problem.message)
            for place, problem in zip(at, chosen, strict=True)
        ) from None
    parts = ChainParts(chain, how)
    reserved = [name for name in (*parts.bodies, *parts.beams) if name in RESERVED_IN_VEHICLE]
    if reserved:
        text = f"'{reserved[0]}' is a link of this chain, and a word of its own in a vehicle; give it a prefix, as arm_"
        raise ScenarioError([Problem(entry.place.file, entry.place.line, dotted((*where, "prefix")), text)])
    every = entry.value.get("every_joint") if isinstance(entry.value, dict) else None
    return _placed(parts, tree, entry.place, how.parent, every)


def _placed(parts: ChainParts, tree: Entry, own: Place, parent: str, every: Entry | None) -> Entry:
    """Bodies and beams with the lines of the links they come from; what `use_chain` itself says has its own.

    Joints that the chain has as passive get no actuator.
    """
    known = dict(places(tree))
    made: dict[str, Entry] = {}
    for group, named in (("bodies", parts.bodies), ("beams", parts.beams)):
        entries: dict[str, Entry] = {}
        for name, (path, keys) in named.items():
            over: dict[str, Entry] = {"parent": Entry(parent, own)} if keys["parent"] == parent else {}
            if every is not None and keys.get("joint", {"type": "fixed"})["type"] != "fixed":
                over["joint"] = _without_drive(every) if name in parts.passive else every
            part = entry_of(keys, known.get(path, own))
            entries[name] = merge(part, Entry(over, part.place))
        if entries:
            made[group] = Entry({**entries}, own)
    return Entry({**made}, own)


def _without_drive(every: Entry) -> Entry:
    keys = every.value if isinstance(every.value, dict) else {}
    return Entry({key: value for key, value in keys.items() if key != "actuator"}, every.place)


def _joined(first: Entry, second: Entry, where: Keys) -> Entry:
    """Parts of two chains; names that both have are refused."""
    assert isinstance(first.value, dict)
    assert isinstance(second.value, dict)
    groups: dict[str, Entry] = dict(first.value)
    for group, entry in second.value.items():
        assert isinstance(entry.value, dict)
        before = groups[group].value if group in groups else {}
        assert isinstance(before, dict)
        twice = next((name for name in entry.value if name in before), None)
        if twice is not None:
            text = f"'{twice}' is also a link of another chain of this vehicle; give one of them a prefix"
            raise ScenarioError([Problem(entry.place.file, entry.place.line, dotted(where), text)])
        groups[group] = Entry({**before, **entry.value}, entry.place)
    return Entry(groups, first.place)

"""Ports that events join: which of two is the passive one, and what their hooks allow."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.events import AlignedCondition, InReachCondition, JoinAction
from docksim.config.hooks import Hooks, tighter
from docksim.config.placement import port_of
from docksim.config.schema import Scenario

Ports = tuple[str, str]


def hooks_of(scenario: Scenario, ports: Ports) -> Hooks | None:
    """What the hooks of two ports allow, the tighter of each; None where neither has any."""
    blocks = []
    for port in ports:
        vehicle, _, name = port.partition(".")
        blocks.append(port_of(scenario.vehicles[vehicle], name)[1].hooks)
    return tighter(*blocks)


def active_and_passive(scenario: Scenario, ports: Ports) -> Ports:
    """The port that comes, and the one it comes to: as the approach has their vehicles, else in the order given."""
    passive = scenario.approach.passive.split(".")[0] if scenario.approach is not None else None
    owners = [port.split(".")[0] for port in ports]
    if owners[0] == passive and owners[1] != passive:
        return ports[1], ports[0]
    return ports


def joinable(scenario: Scenario) -> list[Ports]:
    """Every two ports that an event joins or watches, once, in the order of the events."""
    found: dict[frozenset[str], Ports] = {}
    for event in scenario.events.values():
        for part in (*event.when, *event.do):
            if isinstance(part, InReachCondition):
                found.setdefault(frozenset(part.in_reach), part.in_reach)
            elif isinstance(part, AlignedCondition):
                found.setdefault(frozenset(part.aligned), part.aligned)
            elif isinstance(part, JoinAction):
                found.setdefault(frozenset(part.join), part.join)
    return list(found.values())


def joins_without_hooks(scenario: Scenario) -> Iterator[str]:
    """Joins that happen wherever the ports are, in words."""
    for name, event in scenario.events.items():
        for action in event.do:
            if isinstance(action, JoinAction) and hooks_of(scenario, action.join) is None:
                a, b = action.join
                text = f"event '{name}' joins {a} and {b}, which have no hooks: however far apart they are"
                yield f"{text}; give one of the ports 'hooks'"

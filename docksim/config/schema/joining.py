"""Ports that events join: which of two is the passive one, what their hooks allow and their guide pins leave."""

from __future__ import annotations

from collections.abc import Iterator

from docksim.config.schema.actions import JoinAction
from docksim.config.schema.conditions import AlignedCondition, InReachCondition
from docksim.config.schema.hooks import Hooks, tighter
from docksim.config.schema.names import port_at
from docksim.config.schema.parting import SeparateCommand
from docksim.config.schema.scenario import Scenario

Ports = tuple[str, str]


def hooks_of(scenario: Scenario, ports: Ports) -> Hooks | None:
    """What the hooks of two ports allow, the tighter of each; None where neither has any."""
    first, second = (hooks_at(scenario, port) for port in ports)
    return tighter(first, second)


def hooks_at(scenario: Scenario, port: str) -> Hooks | None:
    """The hooks of one port."""
    return port_at(scenario, port).port.hooks


def carrier_of(scenario: Scenario, ports: Ports) -> str:
    """The port whose hooks make the joint, and that rods, seal and hooks stand on."""
    first, second = (hooks_at(scenario, port) for port in ports)
    return ports[0] if second is None or (second.count is None and first is not None) else ports[1]


def parting_faults(scenario: Scenario, command: SeparateCommand) -> Iterator[tuple[tuple[str, ...], str]]:
    """Where a separation and the hooks of its ports do not go together."""
    hooks = hooks_of(scenario, command.ports)
    if command.push_off is not None and hooks is not None and hooks.rods is not None:
        carrier = carrier_of(scenario, command.ports)
        yield ("separate", "push_off"), f"'{carrier}' has rods that push; leave push_off out, or the hooks' rods"
    if command.residual_pressure is not None and (hooks is None or hooks.seal is None):
        text = "presses within a seal, and neither port has one; give one of the ports' hooks a 'seal'"
        yield ("separate", "residual_pressure"), text


def active_and_passive(scenario: Scenario, ports: Ports) -> Ports:
    """The port that comes, and the one it comes to: as the approach has their vehicles, else in the order given."""
    passive = scenario.approach.passive.split(".")[0] if scenario.approach is not None else None
    owners = [port.split(".")[0] for port in ports]
    if owners[0] == passive and owners[1] != passive:
        return ports[1], ports[0]
    return ports


def joinable(scenario: Scenario) -> list[Ports]:
    """Every two ports that an event joins or watches, once, in the order of the events."""
    pairs: dict[frozenset[str], Ports] = {}
    for event in scenario.events.values():
        for part in (*event.when, *event.do):
            if isinstance(part, InReachCondition):
                pairs.setdefault(frozenset(part.in_reach), part.in_reach)
            elif isinstance(part, AlignedCondition):
                pairs.setdefault(frozenset(part.aligned), part.aligned)
            elif isinstance(part, JoinAction):
                pairs.setdefault(frozenset(part.join), part.join)
    return list(pairs.values())


def facing(scenario: Scenario, vehicle: str, target: str) -> list[str]:
    """Ports of a vehicle that are to meet a port of another one: by the approach, else by contacts and events."""
    approach = scenario.approach
    by_approach = [(approach.active, approach.passive)] if approach is not None else []
    by_others = [*(contact.ports for contact in scenario.contacts.values()), *joinable(scenario)]
    return _ends(by_approach, vehicle, target) or _ends(by_others, vehicle, target)


def _ends(pairs: list[Ports], vehicle: str, target: str) -> list[str]:
    """The ports of a vehicle in those pairs whose other port is the target, each once."""
    ends = [end for ports in pairs for end in (ports, ports[::-1])]
    return list(dict.fromkeys(own for own, other in ends if other == target and own.split(".")[0] == vehicle))


def joins_without_hooks(scenario: Scenario) -> Iterator[str]:
    """Joins that happen wherever the ports are, in words."""
    for name, event in scenario.events.items():
        for action in event.do:
            if isinstance(action, JoinAction) and hooks_of(scenario, action.join) is None:
                a, b = action.join
                text = f"event '{name}' joins {a} and {b}, which have no hooks: however far apart they are"
                yield f"{text}; give one of the ports 'hooks'"


def pin_play(scenario: Scenario, ports: Ports) -> tuple[float, float] | None:
    """Least play of the pins of either port in the other's holes, and the radius of their circle [m].

    None where no pins of the two meet holes.
    """
    first, second = (port_at(scenario, port).port.interface for port in ports)
    if first is None or second is None:
        return None
    met = [(a.pins, b.holes) for a, b in ((first, second), (second, first))]
    plays = [
        (holes.bore_m - pins.pin_m, pins.radius_m) for pins, holes in met if pins is not None and holes is not None
    ]
    return min(plays, default=None)


def pins_without_contact(scenario: Scenario) -> Iterator[str]:
    """Ports that events join whose pins touch nothing, as no pair is given for them, in words."""
    pairs = [set(pair.ports) for pair in scenario.contacts.values()]
    for ports in joinable(scenario):
        if set(ports) not in pairs and pin_play(scenario, ports) is not None:
            text = f"the guide pins of {ports[0]} and {ports[1]} pass through each other: no contact pair has the two"
            yield f"{text}; add one under 'contacts'"

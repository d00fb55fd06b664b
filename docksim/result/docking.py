"""What a docking came to: the outcome of a run in which two interfaces with latches meet.

Outcomes of the run itself (over-stroke, diverged, a stop by an event) stay as they are; of a run that came to its end
the last state decides. Captured means that every latch of the pair is engaged. Everything is read from channels, events
and the resolved scenario, so that a saved result gives the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from docksim.algebra.dense import dot
from docksim.config.interface import Interface
from docksim.config.schema import JoinAction, Scenario, SeparateAction
from docksim.result.result import Channel, EventRecord

Channels = Mapping[str, Channel]
# a budget of energy that is open by more than this part of the approach energy is told with the outcome
OPEN_BUDGET = 1e-3
LINKS = ("lower", "upper", "crank", "rod")


def outcome_of_docking(
    scenario: Scenario,
    channels: Channels,
    events: Iterable[EventRecord],
    outcome: str,
    reason: str,
    driven: bool = False,
) -> tuple[str, str]:
    """Outcome and reason, in the words of docking where the run has latches and came to its end.

    `driven`: its motion came from outside.
    """
    pair = next((name for name in scenario.contacts if latches_of(channels, name)), None)
    if pair is None or not len(channels["time_s"].data):
        return outcome, reason
    if outcome == "completed":
        outcome, reason = _at_the_end(scenario, channels, pair, events)
    return outcome, "; ".join(text for text in (reason, _open_budget(scenario, channels, driven)) if text)


def _at_the_end(scenario: Scenario, channels: Channels, pair: str, events: Iterable[EventRecord]) -> tuple[str, str]:
    joined = _joined(scenario, pair, list(events))
    if joined is not None:
        return joined
    engaged, all_of_them = int(channels[f"{pair}.latches_engaged"].data[-1]), latches_of(channels, pair)
    if engaged == all_of_them:
        return "captured", f"'{pair}': all {engaged} latches hold at the end of the run, not hard-docked"
    return _without_capture(channels, pair, f"{engaged} of {all_of_them} latches engaged")


def _open_budget(scenario: Scenario, channels: Channels, driven: bool) -> str:
    """What is wrong with the energy budget, or nothing."""
    approach = approach_energy(scenario, channels)
    residual = float(np.abs(channels["energy.residual_J"].data).max())
    if residual <= OPEN_BUDGET * approach:
        return ""
    advice = "try a smaller step_s, or more substeps of the contact pair"
    if driven:
        advice = "motion came from outside, and its work is in no budget"
    return f"energy budget open by {residual:.3g} J of {approach:.3g} J of approach energy ({advice})"


def _without_capture(channels: Channels, pair: str, latches: str) -> tuple[str, str]:
    first = float(channels[f"{pair}.first_contact_s"].data[-1])
    if first < 0.0:
        return "timed out", f"'{pair}': no contact before the end of the run"
    away = float(channels[f"{pair}.velocity_m_s"].data[-1, 0])
    free = float(channels[f"{pair}.normal_force_N"].data[-1]) == 0.0
    touched = f"first contact at t = {first:.6g} s, {latches}"
    if free and away > 0.0:
        return "rebounded", f"'{pair}': {touched}; apart and leaving at {away:.3g} m/s"
    return "timed out", f"'{pair}': {touched}; the two were still together at the end of the run"


def _joined(scenario: Scenario, pair: str, events: list[EventRecord]) -> tuple[str, str] | None:
    """Hard-docked or undocked, if events joined the two vehicles or parted them again; None if they never were one."""
    changes = [(event, mated) for event in events for mated in _mating(scenario, event.name, pair)]
    if not changes:
        return None
    event, mated = changes[-1]
    return ("hard-docked" if mated else "undocked"), f"event '{event.name}' at t = {event.time_s:.6g} s"


def _mating(scenario: Scenario, event: str, pair: str) -> list[bool]:
    """True for each join of the pair's two vehicles that an event makes, False for each separation."""
    at_pair = _joined_ports(scenario, pair)
    found = []
    for action in scenario.events[event].do if event in scenario.events else ():
        ports, joins = _ports_of(action)
        if ports in at_pair:
            found.append(joins)
    return found


def _joined_ports(scenario: Scenario, pair: str) -> set[frozenset[str]]:
    """Ports by which events join the two vehicles of a pair: those at the pair, else all.

    An arm's hand that holds the other vehicle joins them too, and is no docking where hooks are.
    """
    actions = [action for event in scenario.events.values() for action in event.do]
    every = {ports for ports, _ in map(_ports_of, actions) if _owners(ports) == vehicles_of(scenario, pair)}
    own = {ports for ports in every if ports & set(scenario.contacts[pair].ports)}
    return own or every


def _ports_of(action: object) -> tuple[frozenset[str], bool]:
    """The ports that an action joins (True) or separates; none for other actions."""
    if isinstance(action, JoinAction):
        return frozenset(action.join), True
    return frozenset(action.separate.ports if isinstance(action, SeparateAction) else ()), False


def hard_dock_time(scenario: Scenario, pair: str, events: Iterable[EventRecord]) -> float | None:
    """When the two vehicles of a pair became one tree, if they did [s]."""
    return next((event.time_s for event in events if True in _mating(scenario, event.name, pair)), None)


def _owners(ports: Iterable[str]) -> frozenset[str]:
    return frozenset(port.split(".")[0] for port in ports)


def vehicles_of(scenario: Scenario, pair: str) -> frozenset[str]:
    """The two vehicles of a contact pair."""
    return _owners(scenario.contacts[pair].ports)


def latches_of(channels: Channels, pair: str) -> int:
    """How many latches a pair has."""
    return sum(name.startswith(f"{pair}.latch_") and name.endswith("_force_N") for name in channels)


def interface_of(scenario: Scenario, port: str) -> Interface | None:
    """The interface that a port such as "chaser.nose" or "chaser.ring.face" carries."""
    owner, *body, name = port.split(".")
    vehicle = scenario.vehicles[owner]
    if not body:
        ports = vehicle.ports
    elif body == ["ring"] and vehicle.mechanism is not None:
        ports = vehicle.mechanism.ports
    else:
        ports = (vehicle.bodies.get(body[0]) or vehicle.beams[body[0]]).ports
    return ports[name].interface


def approach_energy(scenario: Scenario, channels: Channels) -> float:
    """Kinetic energy against the common mass centre at the last row before the first contact [J]."""
    first = [float(channels[f"{pair}.first_contact_s"].data[-1]) for pair in scenario.contacts]
    touched = min([time for time in first if time >= 0.0], default=0.0)
    row = max(int(np.searchsorted(channels["time_s"].data, touched, side="right")) - 1, 0)
    return moving_energy(scenario, channels, row)


def moving_energy(scenario: Scenario, channels: Channels, row: int) -> float:
    """Kinetic energy of a row less that of all mass moving with the common mass centre [J]."""
    kinetic = float(channels["energy.kinetic_J"].data[row])
    if any(vehicle.anchored for vehicle in scenario.vehicles.values()):
        return kinetic
    momentum = channels["momentum.linear_kg_m_s"].data[row]
    return kinetic - float(dot(momentum, momentum)) / (2.0 * total_mass(scenario))


def total_mass(scenario: Scenario) -> float:
    """Of all vehicles with everything on them [kg]."""
    mass = 0.0
    for vehicle in scenario.vehicles.values():
        mass += vehicle.mass_kg + sum(body.mass_kg for body in vehicle.bodies.values())
        mass += sum(wheel.mass_kg for wheel in vehicle.wheels.values())
        mass += sum(beam.mass_kg + beam.tip_mass_kg for beam in vehicle.beams.values())
        if vehicle.mechanism is not None:
            links = [getattr(leg, name, None) for leg in vehicle.mechanism.six_legs() for name in LINKS]
            mass += vehicle.mechanism.ring.mass_kg + sum(link.mass_kg for link in links if link is not None)
    return mass

"""Do contacts, approach and sequence fit the rest of the scenario: ports, interfaces, latches, names?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

from docksim.algebra.elementary import sin
from docksim.config.errors import unknown
from docksim.config.schema import names
from docksim.config.schema.contact import ContactPair, LatchError, latching
from docksim.config.schema.contact_laws import overdamped
from docksim.config.schema.interface import Contact, Interface, Latches, Petals, Strikers
from docksim.config.schema.pins import pin_faults
from docksim.config.schema.scenario import Scenario
from docksim.config.tree import Fault, Keys

RESERVED_CHANNELS = ("energy", "momentum", "reference", "relative", "phase", "time_s")


def check_contacts(scenario: Scenario) -> Iterator[Fault]:
    """Every fault of the contact pairs."""
    interfaces = names.interfaces(scenario)
    seen: dict[frozenset[str], str] = {}
    for name, pair in scenario.contacts.items():
        path: Keys = ("contacts", name)
        if name in RESERVED_CHANNELS or name in scenario.vehicles:
            yield path, f"'{name}' means something else in results; choose another name for the pair"
        faults = list(_ports(pair, interfaces))
        yield from (((*path, *inner), message) for inner, message in faults)
        if faults:
            continue
        other = seen.setdefault(frozenset(pair.ports), name)
        if other != name:
            yield (*path, "ports"), f"are those of pair '{other}' already; one pair is enough"
        first, second = (interfaces[port] for port in pair.ports)
        if first is not None and second is not None:
            yield from (((*path, *inner), message) for inner, message in _latches(pair, first, second))
            yield from (((*path, "ports"), message) for message in _pins(pair.ports, first, second))


def capsules_alone(scenario: Scenario) -> Iterator[str]:
    """Pairs of which one side has capsules, and the other none that they could meet, in words."""
    interfaces = names.interfaces(scenario)
    for name, pair in scenario.contacts.items():
        sides = [(port, interfaces[port]) for port in pair.ports]
        having = [port for port, interface in sides if interface is not None and interface.capsules]
        if len(having) == 1:
            bare = next(port for port in pair.ports if port not in having)
            text = f"contacts.{name}: the capsules of {having[0]} meet capsules only, and {bare} has none"
            yield f"{text}; they pass through it"


def overdamped_pairs(scenario: Scenario) -> Iterator[tuple[Keys, str]]:
    """Pairs whose dampers outweigh their springs at the closing rate of the approach: where, and in words."""
    interfaces, approach = names.interfaces(scenario), scenario.approach
    for name, pair in scenario.contacts.items():
        if approach is None or {approach.active, approach.passive} != set(pair.ports):
            continue
        first = interfaces[pair.ports[0]]
        law = pair.contact or (first.contact if first is not None else Contact())
        if law.law == "hunt_crossley" and (text := overdamped(law.damping, approach.closing_rate_m_s)):
            yield ("contacts", name), text


def _ports(pair: ContactPair, interfaces: dict[str, Interface | None]) -> Iterator[Fault]:
    for index, port in enumerate(pair.ports):
        if port not in interfaces:
            yield ("ports", index), unknown("port", port, interfaces)
        elif interfaces[port] is None:
            yield ("ports", index), f"'{port}' has no interface; give the port one, such as configs/interfaces/*.yaml"
    if pair.ports[0].split(".")[0] == pair.ports[1].split(".")[0]:
        yield ("ports",), f"{pair.ports[0]} and {pair.ports[1]} are on one vehicle; contact is between two"


def _latches(pair: ContactPair, first: Interface, second: Interface) -> Iterator[Fault]:
    latches = latching(first, second)
    named = [(("failed_latches", k), number) for k, number in enumerate(pair.failed_latches)]
    off = [(("latch_errors", k, "latch"), one.latch) for k, one in enumerate(pair.latch_errors)]
    count = 0 if latches is None else latches[0].count
    for names_of_list in (named, off):
        before: set[int] = set()
        for path, number in names_of_list:
            if not 1 <= number <= count:
                have = f"latches 1 to {count}" if count else "no latches, or no strikers for them"
                yield path, f"no latch {number}; this pair has {have}"
            elif number in before:
                yield path, f"latch {number} is named twice"
            before.add(number)
    if latches is not None:
        yield from _mismatch(latches[0], latches[1], ("ports",))
        for k, one in enumerate(pair.latch_errors):
            yield from ((("latch_errors", k, *inner), text) for inner, text in _error_faults(one, *latches[:2]))


def _pins(ports: tuple[str, str], first: Interface, second: Interface) -> Iterator[str]:
    """Where both sides have pins or holes, every pin must enter a hole of the other side when they are mated."""
    guided = [side.pins is not None or side.holes is not None for side in (first, second)]
    for (port, one), (other_port, other) in permutations(zip(ports, (first, second), strict=True)):
        if all(guided) and one.pins is not None:
            yield from pin_faults(one.pins, other.holes, (port, other_port))


def _error_faults(error: LatchError, latches: Latches, strikers: Strikers) -> Iterator[Fault]:
    """What a latch that is off in this way would not do any more."""
    axial = latches.height_m + error.height_m + strikers.height_m
    if abs(axial) > latches.window_axial_m:
        text = f"mated, the striker of this latch lies {1e3 * abs(axial):.3g} mm off along the axis, and "
        yield ("height_m",), f"{text}window_axial_m is {latches.window_axial_m}"
    if latches.pawl is None:
        if error.friction is not None:
            yield ("friction",), "belongs to a pawl; these latches have a pawl_force_table"
        return
    ruined = latches.pawl_with(error.spring_factor, error.friction).faults()
    keys = {"pivot_friction_N": "spring_factor", "ramp_deg": "friction"}
    yield from (((keys.get(key, key),), f"with this, {text}") for key, text in ruined)


def _mismatch(latches: Latches, strikers: Strikers, path: Keys) -> Iterator[Fault]:
    """When mated, every latch must have a striker within its window."""
    axial = abs(latches.height_m + strikers.height_m)
    radial = abs(latches.radius_m - strikers.radius_m)
    if axial > latches.window_axial_m:
        text = f"mated, strikers lie {1e3 * axial:.3g} mm off along the axis, and window_axial_m is "
        yield path, f"{text}{latches.window_axial_m}: latch and striker need opposite heights"
    if radial > latches.radial_m:
        text = f"mated, strikers lie {1e3 * radial:.3g} mm off radially, and the window is "
        yield path, f"{text}{latches.radial_m}: latch and striker need the same radius"
    off = max(map(abs, _azimuth_errors(latches, strikers)))
    if latches.radius_m * sin(min(off, 0.5 * math.pi)) > latches.window_tangential_m:
        text = f"mated, the latches miss their strikers by {math.degrees(off):.3g} deg of azimuth"
        yield path, f"{text}; seen from the latches a striker at azimuth a lies at 180 - a deg"


def _azimuth_errors(latches: Latches, strikers: Strikers) -> list[float]:
    """From each latch to the nearest striker as the mate, turned by half a turn about z, shows it [rad]."""
    seats = [math.pi - math.radians(azimuth_deg(strikers, k)) for k in range(strikers.count)]
    pawls = [math.radians(azimuth_deg(latches, k)) for k in range(latches.count)]
    return [min((math.remainder(seat - pawl, 2.0 * math.pi) for seat in seats), key=abs) for pawl in pawls]


def azimuth_deg(group: Petals | Latches | Strikers, number: int) -> float:
    """Azimuth of the petal, latch or striker with this number, from 0."""
    return group.first_azimuth_deg + 360.0 * number / group.count

"""Where an approach begins whose state holds at the first touch of the interfaces (`approach.holds_at: contact`).

1. Distance of the ports at the touch, offset and angles as given: from where nothing can touch yet, the ports come
   nearer by the gap, again and again (no gap shrinks faster than their distance), until it is 0.1 um.
2. Back in time on the free flights of the two vehicles, until the gap is a millimetre and no pawl is in reach of its
   striker; there the run begins, or farther away if the approach has `start_distance_m`. Interfaces that overlap on
   this way have touched before: the state is none of a first contact.

Gaps are those of all pairs of `contacts` between the two vehicles, as a run finds them. Limits: see the flights of
docksim/compiler/approach.py; a solver's step then meets the touch a step early or late (0.1 m/s, 0.25 ms: 25 um).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from docksim.algebra.elementary import hypot
from docksim.algebra.quat import quat_vec
from docksim.algebra.vec3 import ZERO, axpy
from docksim.compiler import Compiled
from docksim.compiler.approach import Flight, Placement, VehicleStart, meeting, seen_from_passive, start_of
from docksim.compiler.contact import PairPart, pair_parts, pawl_in_reach
from docksim.config.errors import Problem, ScenarioError
from docksim.config.schema.contact import Approach
from docksim.config.schema.placement import Frame, port_frame, within
from docksim.config.schema.scenario import Scenario
from docksim.config.schema.vehicle import Vehicle
from docksim.config.tree import Keys
from docksim.simulation.mating import Mating, relative_pose

TOUCH = 1e-7  # a gap that is none [m]
LEAD = 1e-3  # gap at which a run begins [m]
MOST_STEPS = 1000  # of half a millimetre: what has not parted after half a metre is no first contact


class PlacementError(ScenarioError):
    """An approach whose state holds at contact, and that has no start."""

    @property
    def faults(self) -> list[tuple[Keys, str]]:
        """As `problems_at` takes them, which knows the lines."""
        return [(tuple(problem.key.split(".")), problem.message) for problem in self.problems]


class NoFirstContact(PlacementError):
    """The state is not that of a first contact."""


def find_start(scenario: Scenario) -> Placement | None:
    """Where the state of an approach holds at contact, and when the run begins; None if it holds elsewhere.

    NoFirstContact where the state is none; PlacementError where the run would begin after it.
    """
    approach = scenario.approach
    if approach is None or approach.holds_at != "contact":
        return None
    search = _Search(scenario, approach)
    distance = search.touch()
    return Placement(distance, search.lead(distance))


def both_states(compiled: Compiled) -> dict[str, Any] | None:
    """The states of an approach at contact and at the start of the run, in its own words; None if it has none."""
    scenario, placement = compiled.scenario, compiled.placement
    approach = scenario.approach
    if approach is None or placement is None:
        return None
    passive = _at_home(scenario.vehicles[_owner(approach.passive)])
    active = meeting(approach, scenario.vehicles[_owner(approach.active)], passive, placement.distance_m)
    before = (Flight(start).at(-placement.before_s) for start in (active, passive))
    at_contact, at_start = seen_from_passive(approach, active, passive), seen_from_passive(approach, *before)
    return {"contact_after_s": placement.before_s, "at_contact": at_contact, "at_start": at_start}


class _Search:
    """The two vehicles, and the gap between them."""

    def __init__(self, scenario: Scenario, approach: Approach) -> None:
        self.name, self.approach = scenario.name, approach
        ends = (approach.active, approach.passive)
        self.active, passive = (scenario.vehicles[_owner(end)] for end in ends)
        self.passive = _at_home(passive)
        owners = [_owner(end) for end in ends]
        between = [part for part in pair_parts(scenario) if {_owner(port) for port in part.pair.ports} == set(owners)]
        self.pairs = [(part, Mating(*part.interfaces)) for part in between]
        # every port with the number of its vehicle, and its frame there
        names = {*ends, *(port for part in between for port in part.pair.ports)}
        self.ports = {name: (owners.index(_owner(name)), _frame(scenario, name)) for name in names}
        # no point of an interface is farther from the ports of the approach
        self.reach = max(
            sum(
                mating.reach(k) + math.dist(self.ports[port][1][0], self.ports[ends[self.ports[port][0]]][1][0])
                for k, port in enumerate(part.pair.ports)
            )
            for part, mating in self.pairs
        )
        self.near = meeting(approach, self.active, self.passive, 0.0).base
        goal = within(self.passive.base, self.ports[approach.passive][1])
        self.axis = quat_vec(goal[1], (-1.0, 0.0, 0.0))

    def touch(self) -> float:
        """Distance of the ports along the axis at which something first touches."""
        far = distance = self.reach
        gap = self._gap_at(far)
        while gap > TOUCH:
            if distance < -self.reach or gap == math.inf:
                text = "the interfaces pass one another and never touch; lessen lateral_offset_m"
                raise self._error(NoFirstContact, "lateral_offset_m", text)
            far, distance = distance, distance - gap
            gap = self._gap_at(distance)
        # a feature that is only seen from nearby
        while gap < -TOUCH:
            middle = 0.5 * (far + distance)
            between = self._gap_at(middle)
            if between > TOUCH:
                far = middle
            else:
                distance, gap = middle, between
        return distance

    def lead(self, distance: float) -> float:
        """How long before the touch the run begins."""
        active = meeting(self.approach, self.active, self.passive, distance)
        flights = Flight(active), Flight(self.passive)
        stride = 0.5 * LEAD / self._speed()
        gap, before = 0.0, 0.0
        for step in range(1, MOST_STEPS + 1):
            before = step * stride
            bases = flights[0].base(-before), flights[1].base(-before)
            gap = self._gap(bases)
            if gap < -TOUCH:
                break
            if gap >= LEAD and not any(pawl_in_reach(part, *self._pose(part, bases)) for part, _ in self.pairs):
                return self._farther(flights, distance, before)
        what = f"overlap {1e3 * before:.3g} ms before" if gap < -TOUCH else f"are still {1e3 * gap:.3g} mm apart"
        text = (
            f"not a first contact: traced back from the touch, ports {distance:.4g} m apart, the interfaces {what}; "
            "change rates or angles, or give 'holds_at: distance'"
        )
        raise self._error(NoFirstContact, "holds_at", text)

    def _farther(self, flights: tuple[Flight, Flight], distance: float, before: float) -> float:
        """The same with a start at a given distance, all the way back to it."""
        start = self.approach.start_distance_m
        if start is None:
            return before
        wanted = (start - distance) / self.approach.closing_rate_m_s
        if wanted < before:
            text = f"{start} is too near: the interfaces touch at {distance:.4g} m; leave it out to begin just before"
            raise self._error(PlacementError, "start_distance_m", text)
        while before < wanted:
            gap = self._gap((flights[0].base(-before), flights[1].base(-before)))
            if gap < -TOUCH:
                text = f"the interfaces overlap {before:.3g} s before the touch at {distance:.4g} m; begin nearer"
                raise self._error(PlacementError, "start_distance_m", text)
            before += max(gap, LEAD) / self._speed()
        return wanted

    def _speed(self) -> float:
        """No gap changes faster."""
        approach = self.approach
        turning = math.radians(hypot(approach.roll_rate_deg_s, approach.pitch_rate_deg_s, approach.yaw_rate_deg_s))
        return hypot(approach.closing_rate_m_s, *approach.lateral_rate_m_s) + turning * self.reach

    def _gap_at(self, distance: float) -> float:
        """With the ports so far apart, offset and angles as given."""
        position, axes = self.near
        return self._gap(((axpy(-distance, self.axis, position), axes), self.passive.base))

    def _gap(self, bases: tuple[Frame, Frame]) -> float:
        """The least of all pairs."""
        return min(mating.least_gap(*self._pose(part, bases)) for part, mating in self.pairs)

    def _pose(self, part: PairPart, bases: tuple[Frame, Frame]) -> tuple[np.ndarray, np.ndarray]:
        """Of a pair's second interface in the first."""
        first, second = (within(bases[k], port) for k, port in (self.ports[name] for name in part.pair.ports))
        return relative_pose(first, second)

    def _error(self, kind: type[PlacementError], key: str, text: str) -> PlacementError:
        return kind([Problem(self.name, None, f"approach.{key}", text)])


def _owner(port: str) -> str:
    return port.partition(".")[0]


def _at_home(vehicle: Vehicle) -> VehicleStart:
    """At rest in the origin, where floats are finest: what one vehicle sees of another is the same anywhere."""
    start = start_of(vehicle)
    return start._replace(base=(ZERO, start.base[1]), velocity=ZERO)


def _frame(scenario: Scenario, port: str) -> Frame:
    """In the base frame of its vehicle."""
    name, _, inner = port.partition(".")
    return port_frame(scenario.vehicles[name], inner)

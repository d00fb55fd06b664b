"""What acts between two bodies that part, as rows of tables: rods, seal and late hooks of ports, or one spring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from docksim.algebra.dense import applied
from docksim.algebra.elementary import cos, sin
from docksim.compiler.assembly import Assembly
from docksim.compiler.parts import DEG, Marker
from docksim.config.schema.hooks import Hooks
from docksim.config.schema.joining import Ports, carrier_of, hooks_of, joinable
from docksim.config.schema.parting import PushOff, SeparateCommand
from docksim.config.schema.scenario import Scenario
from docksim.model import Model, table
from docksim.model.parting import HOOK, PARTING, PARTING_STATE, ROD, SEAL, TIE, TIE_STATE

# kind, place on port axes, push at the end, slope, way; number of a hook from 0, delay
Tie = tuple[int, np.ndarray, float, float, float, int, float]


@dataclass
class Parting:
    """Two bodies that a joint holds together, and what acts between them once it is cut."""

    weld: int
    plate: Marker
    carrier: Marker
    ties: list[Tie]
    names: tuple[str, str]  # whose rates are told, the plate's side first
    free: bool = False
    area: float = 0.0
    vented: float = 0.0


class PartingTables:
    """Collects them; two ports have one row for all events that part them."""

    def __init__(self, scenario: Scenario, assembly: Assembly) -> None:
        self._scenario, self._assembly = scenario, assembly
        self.rows: list[Parting] = []
        self._by_ports: dict[frozenset[str], int] = {}
        for ports in joinable(scenario):
            hooks = hooks_of(scenario, ports)
            if frozenset(ports) in assembly.welds and hooks is not None and hooks.rods is not None:
                self._of_hooks(ports, hooks)

    def of_ports(self, command: SeparateCommand) -> int:
        """Row of two ports that part, -1 if nothing acts between them."""
        hooks = hooks_of(self._scenario, command.ports)
        weld = self._assembly.welds[frozenset(command.ports)]
        if command.push_off is not None:
            return self.spring(command.push_off, weld, *(self._assembly.markers[port] for port in command.ports))
        if hooks is None or hooks.count is None:
            return -1
        return self._of_hooks(command.ports, hooks)

    def spring(self, spring: PushOff | None, joint: int, plate: Marker, carrier: Marker) -> int:
        """Row of a spring along x of the first frame that pushes at the second, -1 for none."""
        if spring is None:
            return -1
        tie: Tie = (ROD, np.zeros(3), 0.0, spring.stiffness_N_m, spring.stroke_m, 0, 0.0)
        names = tuple(self._assembly.bodies[marker.body].name for marker in (plate, carrier))
        return self._add(Parting(joint, plate, carrier, [tie], (names[0], names[1])))

    def _of_hooks(self, ports: Ports, hooks: Hooks) -> int:
        key = frozenset(ports)
        if key not in self._by_ports:
            carrier = carrier_of(self._scenario, ports)
            plate = ports[1] if carrier == ports[0] else ports[0]
            self._by_ports[key] = self._add(
                Parting(
                    weld=self._assembly.welds[key],
                    plate=self._assembly.markers[plate],
                    carrier=self._assembly.markers[carrier],
                    ties=[*_rods(hooks), *_late_hooks(hooks), *_seal(hooks)],
                    names=(plate.split(".")[0], carrier.split(".")[0]),
                    free=hooks.rods is not None and not hooks.rods.stowed,
                    area=hooks.seal.areas()[0] if hooks.seal is not None else 0.0,
                    vented=hooks.seal.vented_at_m if hooks.seal is not None else 0.0,
                )
            )
        return self._by_ports[key]

    def _add(self, row: Parting) -> int:
        self.rows.append(row)
        return len(self.rows) - 1

    def tables(self) -> dict[str, np.ndarray]:
        """Partings and ties."""
        parts, ties = table(PARTING, len(self.rows)), table(TIE, sum(len(row.ties) for row in self.rows))
        n = 0
        for target, row in zip(parts, self.rows):
            target.weld, target.free, target.area, target.vented = row.weld, row.free, row.area, row.vented
            target.body_A, target.body_B = row.plate.body, row.carrier.body
            target.p_aA[:], target.axis_A[:] = row.plate.place.position, row.plate.place.axes[:, 0]
            target.p_bB[:] = row.carrier.place.position
            target.owner_A, target.owner_B = map(self._assembly.body_index, row.names)
            target.first_tie, target.n_ties = n, len(row.ties)
            for tie in row.ties:
                _fill_tie(ties[n], tie, row.carrier)
                n += 1
        return {"parting": parts, "tie": ties}


def _fill_tie(target: np.record, tie: Tie, carrier: Marker) -> None:
    target.kind, place, target.ended, target.slope, target.end, target.hook, target.delay = tie
    target.p[:] = np.asarray(carrier.place.position) + applied(carrier.place.axes, place)


def _around(radius: float, count: int, first_deg: float) -> Iterator[np.ndarray]:
    """Places evenly around the axis of a port."""
    for i in range(count):
        azimuth = (first_deg + 360.0 * i / count) * DEG
        yield np.array([0.0, radius * cos(azimuth), radius * sin(azimuth)])


def _rods(hooks: Hooks) -> Iterator[Tie]:
    rods = hooks.rods
    if rods is not None:
        places = _around(rods.radius_m, rods.count, rods.first_azimuth_deg)
        ones = [1.0] * rods.count
        for place, force, way in zip(places, rods.force_factors or ones, rods.stroke_factors or ones, strict=True):
            ended, stroke = force * rods.extended_N, way * rods.stroke_m
            yield ROD, place, ended, (force * rods.compressed_N - ended) / stroke, stroke, 0, 0.0


def _late_hooks(hooks: Hooks) -> Iterator[Tie]:
    places = list(_around(hooks.radius_m or 0.0, hooks.count or 0, hooks.first_azimuth_deg))
    for late in hooks.late_to_open:
        yield HOOK, places[late.hook - 1], 0.0, hooks.stiffness_N_m or 0.0, 0.0, late.hook - 1, late.by_s


def _seal(hooks: Hooks) -> Iterator[Tie]:
    seal = hooks.seal
    if seal is not None and seal.adhesion_N > 0.0:
        for place in _around(seal.radius_m, seal.points, 0.0):
            yield SEAL, place, -seal.adhesion_N / seal.points, 0.0, seal.adhesion_stretch_m, 0, 0.0


def parting_states(model: Model) -> dict[str, np.ndarray]:
    """Nothing has parted; rods that are not stowed may push."""
    parts = table(PARTING_STATE, len(model.parting))
    parts["live"] = model.parting["free"]
    parts["profile"] = parts["drive_start"] = parts["clear"] = -1
    return {"parting": parts, "tie": table(TIE_STATE, len(model.tie))}

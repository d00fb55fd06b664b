"""What comes from outside and how it reaches the model: between two cycles, by tables that the kernel reads anyway.

A wrench at a port is one more row of the given loads, rewritten in place and held for a cycle; its work is booked as
that of the loads. A pair whose contact is measured has its rows put out of force, so that gaps are still found; the
measured wrench acts on both bodies, equal and opposite at the second port's origin, with the poses of a cycle ago. The
conditions `contact` and `latched` of its events see the measured values at the first step of a cycle; the log has them.
A vehicle or ring whose motion is given (`motion`) has its coordinates overwritten at the start of each cycle, and goes
by its own dynamics within it.
Payloads are checked for size, range and finite numbers before anything is written.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from docksim import model as codes
from docksim.compiler import Compiled
from docksim.compiler.shaft_tables import shaft_names
from docksim.config.schema import CommandCondition
from docksim.model import table
from docksim.realtime import packets
from docksim.realtime.compensation import Line, Path
from docksim.realtime.motion import Frames
from docksim.realtime.passivity import Passivity
from docksim.realtime.telemetry import contact_columns, frame_names
from docksim.realtime.vectors import Numbers, added, motion_of, turned, turned_back

FOREVER = 2**62
NO_DETOUR = Path()
LARGEST_FORCE = 1e7  # [N], [N m]: more than any docking bears
LARGEST_TARGET = 1e6  # [m], [rad]


class InputError(ValueError):
    """A port, pair or device that the scenario does not have."""


class Inputs:
    """Takes packets and writes what they say into the tables of a run."""

    def __init__(
        self,
        compiled: Compiled,
        ports: Sequence[str] = (),
        measured: Sequence[str] = (),
        path: Path = NO_DETOUR,
        period: float = 1e-3,
    ) -> None:
        """Wrenches are taken at `ports`; the contact of the pairs `measured` comes from outside, by the `path`."""
        self.ports, self.measured = tuple(ports), tuple(measured)
        self.aborted = self.ended = False
        self.followed = 0  # packets of motion taken
        self._check(compiled)
        self._first = len(compiled.model.load)
        self.compiled = self._widened(compiled)
        model, self._state = self.compiled.model, self.compiled.state
        self._force, self._torque = model.load["force"], model.load["torque"]
        self._point, self._axes = model.load["p"], model.load["axes"]
        self._place = [compiled.assembly.markers[port].place for port in self.ports]
        self._pairs = [list(compiled.scenario.contacts).index(name) for name in self.measured]
        self._told: list[Numbers] = [(0.0,) * 7 for _ in self._pairs]
        self._engaged = [0] * len(self._pairs)
        self._lines = [Line(path, period) for _ in self._pairs]
        contact = self._state.contact
        self._normal, self._held, self._capture = contact["normal_force"], contact["engaged"], contact["capture"]
        self._peak, self._latches = contact["peak"], [int(model.contact["latches"][i]) for i in self._pairs]
        self._columns = [contact_columns(compiled.model, i)[1:] for i in self._pairs]
        self._sides = [self._pair_sides(name) for name in self.measured]
        bodies = [(first[0], second[0]) for first, second in self._sides]
        self._passive = [Passivity(pair, period) for pair in bodies] if path.passive else []
        self._frames = Frames(self.compiled, frame_names(compiled))
        self._shafts = {name: k for k, name in enumerate(shaft_names(compiled.assembly.mechanisms))}
        self._commands = _command_rows(self.compiled)

    def _check(self, compiled: Compiled) -> None:
        for port in self.ports:
            if port not in compiled.assembly.markers:
                raise InputError(f"no port '{port}'; there are {', '.join(compiled.assembly.markers) or 'none'}")
        for pair in self.measured:
            if pair not in compiled.scenario.contacts:
                raise InputError(f"no contact '{pair}'; there are {', '.join(compiled.scenario.contacts) or 'none'}")

    def _widened(self, compiled: Compiled) -> Compiled:
        """The same model with a load for every port and two for every measured pair, whose own forces are gone."""
        model, state, markers = compiled.model, compiled.state, compiled.assembly.markers
        ends = [port for name in self.measured for port in compiled.scenario.contacts[name].ports]
        rows = table(codes.LOAD, len(self.ports) + len(ends))
        for row, port in zip(rows, (*self.ports, *ends)):
            row.body, row.p[:] = markers[port].body, markers[port].place.position
            row.end_step, row.work, row.axes = FOREVER, codes.W_LOADS, codes.ON_WORLD_AXES
        contact_row, latch = model.contact_row.copy(), state.latch.copy()
        for name in self.measured:
            pair = model.contact[list(compiled.scenario.contacts).index(name)]
            contact_row["group"][int(pair.first_row) : int(pair.first_row + pair.rows)] = codes.NO_GROUP
            latch["mode"][int(pair.first_latch) : int(pair.first_latch + pair.latches)] = codes.FAILED
        load = np.concatenate([model.load, rows]).view(np.recarray)
        on = np.concatenate([state.load, table(codes.LOAD_STATE, len(rows))]).view(np.recarray)
        return replace(
            compiled,
            model=model._replace(load=load, contact_row=contact_row),
            state=state._replace(load=on, latch=latch),
        )

    def _pair_sides(self, name: str) -> list[tuple[int, Numbers, Numbers]]:
        """Body, axes and place of both ports of a pair."""
        found = [self.compiled.assembly.markers[port] for port in self.compiled.scenario.contacts[name].ports]
        return [(one.body, one.place.axes.ravel().tolist(), [float(x) for x in one.place.position]) for one in found]

    # ------------------------------------------------------------ packets

    def take(self, packet: packets.Packet, row: np.ndarray) -> str:
        """Write what a packet says; "" if it was taken, else why not. `row` is the latest logged row."""
        if packet.flags & packets.ENDED:
            self.ended = True
        kind, payload = packet.type, packet.payload
        if kind == packets.WRENCH:
            return self._each(payload, packets.WRENCH_ENTRY, self._wrench, row)
        if kind == packets.CONTACT:
            return self._each(payload, packets.CONTACT_ENTRY, self._contact, row)
        if kind == packets.MOTION:
            found = _entries(payload, packets.MOTION_ENTRY)
            fault = self._frames.take(found) if found else "payload"
            self.followed += not fault
            return fault
        if kind == packets.COMMAND:
            return self._each(payload, packets.COMMAND_ENTRY, self._command, row)
        return "unasked"

    def _each(self, payload: memoryview, entry: struct.Struct, act: Callable[..., str], row: np.ndarray) -> str:
        """All entries are judged before the first acts."""
        found = _entries(payload, entry)
        if not found:
            return "payload"
        for dry in (True, False):
            for values in found:
                fault = act(values, row, dry)
                if fault:
                    return fault
        return ""

    def _wrench(self, values: tuple[float, ...], row: np.ndarray, dry: bool) -> str:
        port, axes = int(values[0]), int(values[1])
        if port >= len(self.ports) or axes not in (0, 1):
            return "index"
        if not _bounded(values[2:], LARGEST_FORCE):
            return "value"
        if not dry:
            k, turn = self._first + port, self._place[port].axes
            self._axes[k] = codes.ON_WORLD_AXES if axes else codes.ON_BODY_AXES
            self._force[k] = values[2:5] if axes else turn @ values[2:5]
            self._torque[k] = values[5:8] if axes else turn @ values[5:8]
        return ""

    def _contact(self, values: tuple[float, ...], row: np.ndarray, dry: bool) -> str:
        pair, engaged = int(values[0]), int(values[1])
        if pair >= len(self.measured):
            return "index"
        if not _bounded(values[2:], LARGEST_FORCE) or engaged > 100:
            return "value"
        if not dry:
            self._told[pair], self._engaged[pair] = values[2:9], engaged
        return ""

    def _push(self, pair: int, wrench: Sequence[float], row: np.ndarray) -> None:
        """The wrench of the first port on the second, axes of the first, about the second's origin, on both.

        Plain floats: arrays of three would cost ten times as much.
        """
        (body_A, turn_A, _), (body_B, _, at_B) = self._sides[pair]
        (x_A, R_A, *_), (x_B, R_B, *_) = motion_of(row, body_A), motion_of(row, body_B)
        k = self._first + len(self.ports) + 2 * pair
        f, m = (turned(R_A, turned(turn_A, part)) for part in (wrench[1:4], wrench[4:7]))
        arm_B = turned(R_B, at_B)
        arm_A = added(added(x_B, arm_B), x_A, -1.0)
        if self._passive:
            f, m = self._passive[pair].scaled((f, m), (arm_A, arm_B), row)
        self._force[k + 1], self._torque[k + 1] = f, m
        self._force[k], self._torque[k] = [-x for x in f], [-x for x in m]
        self._point[k] = turned_back(R_A, arm_A)

    def _command(self, values: tuple[int, float, bytes], row: np.ndarray, dry: bool) -> str:
        what, value, raw = values
        name = raw.split(b"\0")[0].decode("utf-8", "replace")
        if what == packets.ABORT:
            self.aborted = self.aborted or not dry
        elif what == packets.EVENT:
            if name not in self._commands:
                return "name"
            if not dry:
                self.compiled.model.condition["value"][self._commands[name]] = -math.inf
        elif what == packets.SET_POINT:
            if name not in self._shafts:
                return "name"
            if not _bounded((value,), LARGEST_TARGET):
                return "value"
            if not dry:
                self._state.shaft["target"][self._shafts[name]] = value
        else:
            return "index"
        return ""

    def before_cycle(self, row: np.ndarray) -> None:
        """What was measured acts, and events see it."""
        for pair, i in enumerate(self._pairs):
            wrench = self._lines[pair].through(self._told[pair])
            self._push(pair, wrench, row)
            self._normal[i], self._held[i] = wrench[0], self._engaged[pair]
            if self._capture[i] < 0.0 and self._engaged[pair] >= self._latches[pair] > 0:
                self._capture[i] = self._state.clock["t"][0]
            _, x, y, z, m_x, m_y, m_z = self._told[pair]
            peaks = (0.0 - x, x, math.hypot(y, z), math.hypot(m_y, m_z), abs(m_x))
            self._peak[i] = [max(old, new) for old, new in zip(self._peak[i].tolist(), peaks)]

    def record(self, rows: np.ndarray) -> None:
        """Logged rows of a cycle have the loads and latches of measured pairs as they were told, not the model's."""
        for pair, columns in enumerate(self._columns):
            rows[:, columns] = (*self._told[pair], self._engaged[pair])

    def silence(self) -> None:
        """Nothing acts from outside any more."""
        self._force[self._first :] = 0.0
        self._torque[self._first :] = 0.0
        self._told = [(0.0,) * 7 for _ in self._pairs]


def _entries(payload: memoryview, entry: struct.Struct) -> list[tuple[Any, ...]]:
    """The entries of a payload; none if its size does not fit."""
    return list(entry.iter_unpack(payload)) if len(payload) % entry.size == 0 else []


def _bounded(values: Sequence[float], limit: float) -> bool:
    return all(-limit <= value <= limit for value in values)  # false for nan


def _command_rows(compiled: Compiled) -> dict[str, list[int]]:
    """Rows of the conditions that wait for each command."""
    found: dict[str, list[int]] = {}
    for row, event in zip(compiled.model.event, compiled.scenario.events.values()):
        for i, condition in enumerate(event.when):
            if isinstance(condition, CommandCondition):
                found.setdefault(condition.command, []).append(int(row.first_condition) + i)
    return found

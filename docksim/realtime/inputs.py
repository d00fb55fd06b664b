"""What comes from outside and how it reaches the model: between two cycles, by tables that the kernel reads anyway.

A wrench at a port is one more row of the given loads, rewritten in place and held for a cycle; its work is booked as
that of the loads. Torques of joints go to their motors (`joints`). A pair whose contact is measured has its rows put
out of force, so that gaps are still found, and two more loads (`measured`). A vehicle or ring whose motion is given
(`motion`) has its coordinates overwritten at the start of each cycle, and goes by its own dynamics within it. All are
taken only where they were asked for. Payloads are checked for size before they are unpacked, and for range and finite
numbers before anything is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from docksim.compiler import Compiled
from docksim.compiler.events import command_names
from docksim.compiler.shaft_tables import shaft_names
from docksim.config.checks.scenario import is_multiple, multiple_message
from docksim.model import table
from docksim.model.contact import FAILED, NO_GROUP
from docksim.model.events import EXTERNAL, ON_BODY_AXES, ON_WORLD_AXES
from docksim.model.log import Log
from docksim.realtime import packets
from docksim.realtime.compensation import Path
from docksim.realtime.joints import Joints, joint_axes
from docksim.realtime.measured import MeasuredPair
from docksim.realtime.motion import Frames
from docksim.realtime.sources import Source
from docksim.realtime.telemetry import frame_names
from docksim.simulation.commands import LARGEST_FORCE

NO_DETOUR = Path()
LARGEST_TARGET = 1e6  # [m], [rad]
MOST_COMMANDS = 8  # in a packet
ALL = "all"  # frames


class InputError(ValueError):
    """A port, pair or frame that the scenario does not have, or that is named twice; a delay that no cycles make."""


class Inputs:
    """Takes packets and writes what they say into the tables of a run."""

    def __init__(
        self,
        compiled: Compiled,
        ports: Sequence[str] = (),
        measured: Sequence[str] = (),
        path: Path = NO_DETOUR,
        period: float = 1e-3,
        motion: Sequence[str] = (),
        torques: Sequence[str] = (),
    ) -> None:
        """Wrenches are taken at `ports`; the contact of the pairs `measured` comes from outside, by the `path`; so do
        the `motion` of frames, or of all, and the `torques` of joints."""
        names = frame_names(compiled)
        self.ports, self.measured = tuple(ports), tuple(measured)
        self.motion = names if list(motion) == [ALL] else tuple(motion)
        self.torques = tuple(torques)
        self.asked = {
            "external": self.ports,
            "measured_contact": self.measured,
            "measured_motion": self.motion,
            "torque": self.torques,
        }
        self.aborted = self.ended = False
        self.followed = 0  # packets of motion taken
        _check("port", self.ports, compiled.assembly.markers)
        _check("contact", self.measured, compiled.scenario.contacts)
        _check("frame", self.motion, names)
        _check("joint with an axis", self.torques, joint_axes(compiled))
        if self.motion:
            _check_reference(compiled.assembly.reference.velocity)
        if self.measured and path.delay > 0.0 and not is_multiple(path.delay, period):
            raise InputError(f"--rig-delay: {multiple_message(path.delay, period, 'the period')}")
        self.compiled = self._widened(compiled)
        # fields, not rows: a row costs as much as all the rest
        external = self.compiled.state.external
        self._force, self._torque, self._axes = external["force"], external["torque"], external["axes"]
        self._command_came, self._target = self.compiled.state.command, self.compiled.state.shaft["target"]
        self._place = [compiled.assembly.markers[port].place for port in self.ports]
        rows = range(len(self.ports), len(external), 2)
        self._pairs = [MeasuredPair(self.compiled, name, k, path, period) for name, k in zip(self.measured, rows)]
        self.joints = Joints(self.compiled, self.torques)
        self._frames = Frames(self.compiled, names, [names.index(name) for name in self.motion])
        self._shafts = {name: k for k, name in enumerate(shaft_names(compiled.assembly))}
        self._commands = {name: k for k, name in enumerate(command_names(compiled.scenario))}
        self._wrench_sources = [Source(f"wrench at {name}") for name in self.ports]
        self._contact_sources = [Source(f"contact of {name}") for name in self.measured]
        self._motion_sources = {names.index(name): Source(f"motion of {name}") for name in self.motion}
        self._torque_sources = [Source(f"torque of {name}") for name in self.torques]
        # ports, then pairs, then frames, then joints, each in the order in which they were asked for
        first = [*self._wrench_sources, *self._contact_sources]
        self.sources = [*first, *self._motion_sources.values(), *self._torque_sources]
        # most entries of a packet, by its type; none where nothing was asked for
        self._most = {
            packets.WRENCH: len(self.ports),
            packets.CONTACT: len(self.measured),
            packets.MOTION: len(self.motion),
            packets.COMMAND: MOST_COMMANDS,
            packets.TORQUE: len(self.torques),
        }
        largest = max(most * packets.ENTRIES[kind].size for kind, most in self._most.items())
        self.largest = packets.HEADER.size + largest + packets.CRC.size  # packet that can be of any use [bytes]

    def _widened(self, compiled: Compiled) -> Compiled:
        """With a wrench for every port and two for every measured pair, whose own forces are gone."""
        model, state, markers = compiled.model, compiled.state, compiled.assembly.markers
        ends = [port for name in self.measured for port in compiled.scenario.contacts[name].ports]
        external = table(EXTERNAL, len(self.ports) + len(ends))
        external["marker"][len(self.ports) :] = -1  # contacts are logged by pair
        external["marker"][: len(self.ports)] = [list(markers).index(port) for port in self.ports]
        for row, port in zip(external, (*self.ports, *ends)):
            row.body, row.p[:], row.axes = markers[port].body, markers[port].place.position, ON_WORLD_AXES
        contact_row, latch, extreme_pair = model.contact_row.copy(), state.latch.copy(), state.extreme_pair.copy()
        for name in self.measured:
            i = list(compiled.scenario.contacts).index(name)
            pair, extreme_pair["measured"][i] = model.contact[i], 1
            contact_row["group"][int(pair.first_row) : int(pair.first_row + pair.rows)] = NO_GROUP
            latch["mode"][int(pair.first_latch) : int(pair.first_latch + pair.latches)] = FAILED
        return replace(
            compiled,
            model=model._replace(contact_row=contact_row),
            state=state._replace(external=external, latch=latch, extreme_pair=extreme_pair),
        )

    def take(self, packet: packets.Packet) -> str:
        """Write what a packet says; "" if it was taken, else why not. All entries are judged before the first acts."""
        most = self._most.get(packet.type, 0)
        if not most:
            return "unasked"
        entry, size = packets.ENTRIES[packet.type], len(packet.payload)
        fits = size % entry.size == 0 and size <= most * entry.size
        entries = list(entry.iter_unpack(packet.payload)) if fits else []
        # two for the same port, pair or frame do not go together
        twice = packet.type != packets.COMMAND and len({values[0] for values in entries}) < len(entries)
        if not entries or twice:
            return "payload"
        if packet.type == packets.MOTION:
            return self._motion(entries)
        act = self._acts[packet.type]
        for dry in (True, False):
            for values in entries:
                fault = act(self, values, dry)
                if fault:
                    return fault
        return ""

    def _wrench(self, values: tuple[float, ...], dry: bool) -> str:
        port, axes = int(values[0]), int(values[1])
        if port >= len(self.ports) or axes not in (0, 1):
            return "index"
        if not _bounded(values[2:], LARGEST_FORCE):
            return "value"
        if not dry:
            turn = self._place[port].axes
            self._axes[port] = ON_WORLD_AXES if axes else ON_BODY_AXES
            self._force[port] = values[2:5] if axes else turn @ values[2:5]
            self._torque[port] = values[5:8] if axes else turn @ values[5:8]
            self._wrench_sources[port].taken = True
        return ""

    def _contact(self, values: tuple[float, ...], dry: bool) -> str:
        pair, engaged = int(values[0]), int(values[1])
        if pair >= len(self.measured):
            return "index"
        if not _bounded(values[2:], LARGEST_FORCE) or engaged > self._pairs[pair].latches:
            return "value"
        if not dry:
            self._pairs[pair].tell(values[2:9], engaged)
            self._contact_sources[pair].taken = True
        return ""

    def _torque_of_joint(self, values: tuple[float, ...], dry: bool) -> str:
        joint, torque = int(values[0]), values[1]
        if joint >= len(self.torques):
            return "index"
        if not _bounded((torque,), LARGEST_FORCE):
            return "value"
        if not dry:
            self.joints.set(joint, torque)
            self._torque_sources[joint].taken = True
        return ""

    def _motion(self, entries: list[tuple[Any, ...]]) -> str:
        fault = self._frames.take(entries)
        if not fault:
            self.followed += 1
            for values in entries:
                self._motion_sources[int(values[0])].taken = True
        return fault

    def _command(self, values: tuple[int, float, bytes], dry: bool) -> str:
        what, value, raw = values
        name = raw.split(b"\0")[0].decode("utf-8", "replace")
        if what == packets.ABORT:
            self.aborted = self.aborted or not dry
        elif what == packets.EVENT:
            if name not in self._commands:
                return "name"
            if not dry:
                self._command_came[self._commands[name]] = 1
        elif what == packets.SET_POINT:
            if name not in self._shafts:
                return "name"
            if not _bounded((value,), LARGEST_TARGET):
                return "value"
            if not dry:
                self._target[self._shafts[name]] = value
        else:
            return "index"
        return ""

    _acts: ClassVar[dict[int, Callable[..., str]]] = {
        packets.WRENCH: _wrench,
        packets.CONTACT: _contact,
        packets.COMMAND: _command,
        packets.TORQUE: _torque_of_joint,
    }

    def before_cycle(self, row: Log) -> None:
        """What was measured acts, and events see it; row: logged at the start of the last cycle."""
        for pair in self._pairs:
            pair.before_cycle(row)

    def record(self, log: Log) -> None:
        """Logged rows of a cycle have what was told of measured pairs, not the model's."""
        for pair in self._pairs:
            pair.record(log)

    def silence(self, i: int) -> None:
        """Nothing acts from this source any more; what moves goes on by its own dynamics."""
        ports = len(self.ports)
        if i < ports:
            self._force[i] = self._torque[i] = 0.0
        elif i < ports + len(self._pairs):
            self._pairs[i - ports].silence()
        elif i >= len(self.sources) - len(self.torques):
            self.joints.set(i - len(self.sources) + len(self.torques), 0.0)


def _check(what: str, asked: Sequence[str], there: Iterable[str]) -> None:
    names = list(there)
    for k, name in enumerate(asked):
        if name not in names:
            raise InputError(f"no {what} '{name}'; there are {', '.join(names) or 'none'}")
        if name in asked[:k]:
            raise InputError(f"{what} '{name}' is asked for twice; name it once")


def _check_reference(velocity: Sequence[float]) -> None:
    """Measured motion is told in W, and always late."""
    if any(velocity):
        raise InputError(
            f"the run's reference moves at {list(velocity)} m/s in W, so measured motion would be off by "
            f"{1e-3 * math.hypot(*velocity):.3g} m for every millisecond of delay; give the scenario a reference "
            "that stands still, and vehicles against it"
        )


def _bounded(values: Sequence[float], limit: float) -> bool:
    return all(-limit <= value <= limit for value in values)  # false for nan

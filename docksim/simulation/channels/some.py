"""A few channels of a few rows, without the others: what a control law measures, many times a second."""

from __future__ import annotations

from collections.abc import Sequence

from docksim.compiler import Compiled
from docksim.config.errors import unknown
from docksim.model.log import Log
from docksim.result.result import Channel
from docksim.simulation.channels.relative import meeting_channels
from docksim.simulation.channels.run import body_channels, channels_of, in_world, joint_coordinate_channels


class Gauge:
    """Reads channels of a few rows. Motion of bodies, joints and of ports that may touch comes cheaply; if any
    other channel is among them, all are made, some milliseconds a reading."""

    def __init__(self, compiled: Compiled, names: Sequence[str]) -> None:
        self.compiled, self.names = compiled, tuple(names)
        assembly, pairs = compiled.assembly, compiled.scenario.contacts
        owners = {name.rpartition(".")[0] for name in names}
        ports = [port for pair in pairs.values() for port in pair.ports] if owners & set(pairs) else []
        carriers = {assembly.markers[port].body for port in ports}
        self._bodies = [
            (k, body.name) for k, body in enumerate(assembly.bodies[1:]) if body.name in owners or k + 1 in carriers
        ]
        self._joints = [
            (part, row)
            for part, row in zip(assembly.joints, compiled.model.joint)
            if not part.is_weld and part.pred > 0 and part.coordinates and any(o.startswith(part.name) for o in owners)
        ]
        self._pairs = bool(ports)

    def read(self, log: Log) -> list[Channel]:
        """The channels asked for, in this order; KeyError names what there is not."""
        channels = {channel.name: channel for channel in self._few(log)}
        if not set(self.names) <= set(channels):
            channels = {channel.name: channel for channel in channels_of(self.compiled, log)}
        if missing := [name for name in self.names if name not in channels]:
            raise KeyError(unknown("channel", missing[0], channels))
        return [channels[name] for name in self.names]

    def _few(self, log: Log) -> list[Channel]:
        channels = [Channel("time_s", "s", "", "simulated time", log.head["time"])]
        for k, name in self._bodies:
            channels += body_channels(name, log.body[:, k])
        for part, row in self._joints:
            channels += joint_coordinate_channels(part, log.dof[:, int(row.v) : int(row.v + row.nv)])
        seen = {channel.name: channel.data for channel in channels}
        contacts = self.compiled.scenario.contacts if self._pairs else ()
        pairs = meeting_channels(self.compiled, seen, contacts)
        reference = self.compiled.assembly.reference
        return [*(channels if reference.is_origin else in_world(reference, channels)), *pairs]

"""Torques of joints from outside, and what a controller needs to know of them: coordinates and rates.

A torque goes to the servo of the joint's actuator where that is in mode torque, and its limits, sampling and delay hold
for it; else it takes the place of the joint's constant torque. It is held until the next one comes.
"""

from __future__ import annotations

from collections.abc import Sequence

from docksim.compiler import Compiled
from docksim.compiler.shaft_tables import in_order
from docksim.model.log import Log
from docksim.model.mechanism import EFFORT
from docksim.realtime import packets

Axis = tuple[int, str]  # place in State.beta, "rad" or "m"


def joint_axes(compiled: Compiled) -> dict[str, Axis]:
    """Every axis of the vehicles' joints by name: "station.elbow", "v.gimbal.first"."""
    axes: dict[str, Axis] = {}
    v = 0
    for joint in compiled.assembly.joints:
        for i, coordinate in enumerate(joint.coordinates):
            own = f"{joint.name}.{coordinate.name}" if coordinate.name else joint.name
            if joint.pred > 0 and not joint.is_weld and joint.mechanism < 0 and coordinate.name not in ("x", "y", "z"):
                axes[own] = (v + i, coordinate.unit)
        v += len(joint.coordinates)
    return axes


class Joints:
    """The axes whose torques come from outside."""

    def __init__(self, compiled: Compiled, names: Sequence[str]) -> None:
        axes = joint_axes(compiled)
        self.names, self.units = tuple(names), tuple(axes[name][1] for name in names)
        self._v = [axes[name][0] for name in names]
        self._motor = compiled.state.dof["torque"]
        self._asked, mode = compiled.state.shaft["target_force"], compiled.state.shaft["mode"]
        shafts = {one.name: k for k, one in enumerate(in_order(compiled.assembly)) if one.mechanism < 0}
        self._shaft = [shafts[name] if name in shafts and mode[shafts[name]] == EFFORT else -1 for name in names]

    def set(self, i: int, torque: float) -> None:
        if self._shaft[i] >= 0:
            self._asked[self._shaft[i]] = torque
        else:
            self._motor[self._v[i]] = torque

    def states(self, row: Log) -> list[tuple[float, float, float]]:
        """Coordinate, rate and torque of each, of a log's first row."""
        dof = row.dof[0]
        return [(float(dof[v].coordinate), float(dof[v].rate), float(dof[v].force)) for v in self._v]

    def payload(self, row: Log) -> bytes:
        """Of JOINTS."""
        return b"".join(packets.JOINT_ENTRY.pack(i, *state) for i, state in enumerate(self.states(row)))

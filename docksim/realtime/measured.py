"""A pair whose contact is measured: the model's own forces and latches are out of force, what a peer tells acts.

The measured wrench acts on both bodies, equal and opposite at the second port's origin, with the poses of a cycle ago.
The conditions `contact` and `latched` of events see the measured values at the first step of a cycle. The log has them
as they were told, with peaks, first contact, touches and capture as the model would have noted them; two interfaces
that overlap by their geometry alone do not touch. A touch begins when the normal force that acts rises above zero.
A peer tells how many latches hold, not which: they are logged as the first so many, those that the scenario lets fail
last.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from docksim.algebra.vec3 import Numbers, add, mat_t_vec, mat_vec, sub
from docksim.compiler import Compiled
from docksim.model.contact import ARMED, ENGAGED, FAILED
from docksim.model.log import Log
from docksim.realtime.compensation import Line, Path
from docksim.realtime.passivity import Passivity, motion_of
from docksim.simulation.channels.contact import TO_PORT

NOTHING: Numbers = (0.0,) * 7


class MeasuredPair:
    """What was told of one pair, and how it reaches the tables of a run."""

    def __init__(self, compiled: Compiled, name: str, external: int, path: Path, period: float) -> None:
        """`external`: the row of the wrenches for the first port; the next is that for the second."""
        model, contact = compiled.model, compiled.state.contact
        self._i = i = list(compiled.scenario.contacts).index(name)
        self._external = external
        self.latches = int(model.contact["latches"][i])
        self._wrench, self._engaged = NOTHING, 0
        latch = int(model.contact["first_latch"][i])
        self._latches = slice(latch, latch + self.latches)
        self._modes = _modes(self.latches, compiled.scenario.contacts[name].failed_latches)
        self._line = Line(path, period)
        # fields, not rows: a row costs as much as all the rest
        self._force, self._torque, self._point = (compiled.state.external[key] for key in ("force", "torque", "p"))
        self._normal, self._held, self._capture = contact["normal_force"], contact["engaged"], contact["capture"]
        self._time, told = compiled.state.clock["t"], compiled.state.extreme_pair
        self._told = told["normal_force"], told["force"], told["moment"]
        # the model's own count goes by gaps, so it is kept here, from where a checkpoint left it
        self._first, self._touches, self._touching = float(contact[i].first_contact), int(contact[i].touches), False
        # the wrench is on the axes of the first port, and acts at the second
        first, second = (compiled.assembly.markers[port] for port in compiled.scenario.contacts[name].ports)
        self._bodies, self._axes = (first.body, second.body), first.place.axes.ravel().tolist()
        self._arm = [float(x) for x in second.place.position]
        self._passive = Passivity(self._bodies, period) if path.passive else None

    def tell(self, wrench: Numbers, engaged: int) -> None:
        self._wrench, self._engaged = wrench, engaged

    def silence(self) -> None:
        """No force is known to act, and no latch to hold."""
        self.tell(NOTHING, 0)

    def before_cycle(self, row: Log) -> None:
        """What was measured acts, and events see it; row: logged at the start of the last cycle."""
        i, wrench = self._i, self._line.through(self._wrench)
        self._push(wrench, row)
        self._normal[i], self._held[i] = wrench[0], self._engaged
        if self._capture[i] < 0.0 and self._engaged >= self.latches > 0:
            self._capture[i] = self._time[0]
        touching = wrench[0] > 0.0
        if touching and not self._touching:
            self._touches += 1
            if self._first < 0.0:
                self._first = float(self._time[0])
        self._touching = touching
        # the kernel notes extremes of what was told; interface axes
        _, x, y, z, m_x, m_y, m_z = self._wrench
        normal, force, moment = self._told
        normal[i], force[i], moment[i] = wrench[0], (y, z, x), (m_y, m_z, m_x)

    def record(self, log: Log) -> None:
        """Logged rows of a cycle have what was told, not the model's."""
        n = int(log.rows[0])
        rows = log.contact[:n, self._i]
        rows["normal_force"], rows["engaged"] = self._wrench[0], self._engaged
        rows["force"][:, TO_PORT], rows["moment"][:, TO_PORT] = self._wrench[1:4], self._wrench[4:7]
        rows["first_contact"], rows["touches"] = self._first, self._touches
        log.latch["mode"][:n, self._latches] = self._modes[self._engaged]

    def _push(self, wrench: Sequence[float], row: Log) -> None:
        """The wrench of the first port on the second, axes of the first, about the second's origin, on both.

        Plain floats: arrays of three would cost ten times as much.
        """
        (x_A, R_A, *_), (x_B, R_B, *_) = (motion_of(row, body) for body in self._bodies)
        k = self._external
        f, m = (mat_vec(R_A, mat_vec(self._axes, vector)) for vector in (wrench[1:4], wrench[4:7]))
        arm_B = mat_vec(R_B, self._arm)
        arm_A = sub(add(x_B, arm_B), x_A)
        if self._passive is not None:
            f, m = self._passive.scaled((f, m), (arm_A, arm_B), row)
        self._force[k + 1], self._torque[k + 1] = f, m
        self._force[k], self._torque[k] = [-x for x in f], [-x for x in m]
        self._point[k] = mat_t_vec(R_A, arm_A)


def _modes(latches: int, failed: Sequence[int]) -> np.ndarray:
    """(latches + 1, latches) modes to be logged, by how many hold."""
    rest = [FAILED if k + 1 in failed else ARMED for k in range(latches)]
    order = sorted(range(latches), key=lambda k: rest[k])
    modes = np.array([rest] * (latches + 1), float)
    for count in range(latches + 1):
        modes[count, order[:count]] = ENGAGED
    return modes

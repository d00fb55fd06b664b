"""Motion across one joint in plain numbers, for what must be known between two cycles, without an evaluation.

The conventions are the kernel's: from frame F on the predecessor to frame M on the successor,
R_succ = R_pred R_F Q R_M' and r_M = r_F + R_pred R_F t; turns of ball and free joints are on the axes of M, travels on
those of F.
"""

from __future__ import annotations

from typing import NamedTuple

from docksim.compiler import Compiled
from docksim.model.tree import CYLINDRICAL, FREE, PRISMATIC, REVOLUTE, SPHERICAL, UNIVERSAL
from docksim.realtime.vectors import (
    IDENTITY,
    Numbers,
    added,
    crossed,
    matrix_of,
    product,
    transposed,
    turned,
    turned_about,
)

NOTHING = (0.0, 0.0, 0.0)


class Motion(NamedTuple):
    """Of a body's frame in W: origin, axes row by row, velocity and angular velocity on the axes of W."""

    x: Numbers
    R: Numbers
    v: Numbers
    w: Numbers


class Hinge:
    """A joint of the model in plain numbers, from its predecessor to its successor."""

    def __init__(self, compiled: Compiled, joint: int) -> None:
        row = compiled.model.joint[joint]
        self.joint, self.type, self.q, self.v, self.nv = joint, int(row.type), int(row.q), int(row.v), int(row.nv)
        self.p_F, self.R_F, self.p_M, self.R_M, self.axis, self.axis_2 = (
            [float(x) for x in part] for part in (row.p_F, row.R_F, row.p_M, row.R_M, row.axis, row.axis_2)
        )
        self.body, self.base = int(row.succ), int(row.pred)

    def child(self, parent: Motion, q: Numbers, rates: Numbers) -> Motion:
        """Motion of the successor, from that of the predecessor and the joint's coordinates and rates."""
        R_F = product(parent.R, self.R_F)
        Q, t = self._transform(q)
        R_M = product(R_F, Q)
        R = product(R_M, transposed(self.R_M))
        to_M = added(turned(parent.R, self.p_F), turned(R_F, t))
        dw, dv = self._velocity(R_F, R_M, rates)
        w = added(parent.w, dw)
        from_M = turned(R, self.p_M)
        v_M = added(added(parent.v, crossed(parent.w, to_M)), dv)
        return Motion(added(added(parent.x, to_M), from_M, -1.0), R, added(v_M, crossed(w, from_M), -1.0), w)

    def _transform(self, q: Numbers) -> tuple[Numbers, Numbers]:
        """Turn and shift of M against F."""
        turn: Numbers = IDENTITY
        shift: Numbers = NOTHING
        if self.type in (REVOLUTE, CYLINDRICAL, UNIVERSAL):
            turn = turned_about(self.axis, q[0])
        if self.type == UNIVERSAL:
            turn = product(turn, turned_about(self.axis_2, q[1]))
        if self.type in (PRISMATIC, CYLINDRICAL):
            shift = [q[-1] * a for a in self.axis]
        if self.type in (SPHERICAL, FREE):
            turn = matrix_of(q[-4:])
        return turn, q[:3] if self.type == FREE else shift

    def _velocity(self, R_F: Numbers, R_M: Numbers, rates: Numbers) -> tuple[Numbers, Numbers]:
        """Angular velocity and velocity of M against F, axes of W."""
        turn: Numbers = NOTHING
        travel: Numbers = NOTHING
        if self.type in (REVOLUTE, CYLINDRICAL, UNIVERSAL):
            turn = turned(R_F, [rates[0] * a for a in self.axis])
        if self.type == UNIVERSAL:
            turn = added(turn, turned(R_M, [rates[1] * a for a in self.axis_2]))
        if self.type in (PRISMATIC, CYLINDRICAL):
            travel = turned(R_F, [rates[-1] * a for a in self.axis])
        if self.type in (SPHERICAL, FREE):
            turn = turned(R_M, rates[:3])
        return turn, turned(R_F, rates[3:6]) if self.type == FREE else travel

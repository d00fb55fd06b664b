"""Motion across one joint in plain numbers, for what must be known between two cycles, without an evaluation.

It is the kernel's own source, run as plain Python: for one joint that is faster than a call of compiled code.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

from docksim.algebra import elementary
from docksim.algebra.vec3 import ZERO, Numbers, add, cross, mat_vec, sub
from docksim.compiler import Compiled
from docksim.kernel import joints
from docksim.numbers.plain import plain, rows

place_child, joint_columns, joint_velocity = (
    plain(function, elementary) for function in (joints.place_child, joints.joint_columns, joints.joint_velocity)
)


class Motion(NamedTuple):
    """Of a body's frame in W: origin, axes row by row, velocity and angular velocity on the axes of W."""

    x: Numbers
    R: Numbers
    v: Numbers
    w: Numbers


class Hinge:
    """A joint of the model in plain numbers, from its predecessor to its successor."""

    def __init__(self, compiled: Compiled, joint: int) -> None:
        [row] = rows(compiled.model.joint[joint : joint + 1])
        self.joint, self.type, self.q, self.v, self.nv = joint, row.type, row.q, row.v, row.nv
        self.p_F, self.R_F = tuple(row.p_F), tuple(row.R_F)
        self.body, self.base = row.succ, row.pred
        # coordinates and rates are the joint's own
        self._row = SimpleNamespace(**vars(row) | {"q": 0, "v": 0})
        self._columns = [SimpleNamespace(kind=0, a=[0.0] * 3, b=[0.0] * 3) for _ in range(row.nv)]

    def child(self, parent: Motion, q: Numbers, rates: Numbers) -> Motion:
        """Motion of the successor, from that of the predecessor and the joint's coordinates and rates."""
        R, to_M, p_M, R_F, R_M, t = place_child(self._row, 1.0, q, parent.R, ZERO)
        joint_columns(self._row, self._columns, 1.0, R_F, R_M, t)
        dw, dv = joint_velocity(self._row, self._columns, rates)
        w, from_M = add(parent.w, dw), mat_vec(R, p_M)
        v_M = add(add(parent.v, cross(parent.w, to_M)), dv)
        return Motion(sub(add(parent.x, to_M), from_M), R, sub(v_M, cross(w, from_M)), w)

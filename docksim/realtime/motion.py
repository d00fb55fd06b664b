"""Measured motion: poses and twists in W, written into the coordinates and rates of the joints that frames hang on.

Coordinates are measured from the run's reference, which stands still wherever motion is measured. A frame is a vehicle
or the ring of its docking mechanism. A vehicle's root joint has its pose and twist as they are. A ring hangs on a free
joint from B, on its base, to C: with R_F the axes of B in W and x_F its origin,

    t = R_F' (x - x_F),   Q = R_F' R,   rates: R' (w - w_base), and R_F' (v - v_base - w_base x (x - x_base)),

where the base is where the same packet says, if it says so, and else where the model has it; bodies between a vehicle
and the base of its mechanism are where their own joints put them. All of a packet is judged before anything is written.
A vehicle that is joined to another is refused; so is a pose of the ring that a leg cannot have. A ring that the model
holds locked is not moved: it must be told to be where it is, to a millimetre and a milliradian.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import NamedTuple

from docksim.algebra import elementary
from docksim.algebra.joints import FREE, SPHERICAL
from docksim.algebra.quat import mat_to_quat, quat_to_mat
from docksim.algebra.vec3 import IDENTITY, ZERO, Numbers, add, cross, mat_mat, mat_t_vec, mat_vec, sub, transpose
from docksim.compiler import Compiled
from docksim.compiler.mechanism import MechanismPart
from docksim.config.schema.legs import HuntLeg
from docksim.config.schema.retraction import length_of
from docksim.kernel.basis import joints
from docksim.model.tree import FORCED
from docksim.numbers.plain import plain, rows

# the kernel's own source, run as plain Python: for one joint that is faster than a call of compiled code
place_child, joint_columns, joint_velocity = (
    plain(function, elementary) for function in (joints.place_child, joints.joint_columns, joints.joint_velocity)
)
LARGEST = 1e6  # [m], [m/s], [rad/s]; from the run's reference
HELD = 1e-3  # [m], [rad]: how far a locked ring may be told to be from where it is


class Motion(NamedTuple):
    """Of a body's frame in W: origin, axes row by row, velocity and angular velocity on the axes of W."""

    x: Numbers
    R: Numbers
    v: Numbers
    w: Numbers


class Hinge:
    """A joint of the model in plain numbers, from its predecessor to its successor: what must be known between two
    cycles, without an evaluation."""

    def __init__(self, compiled: Compiled, joint: int) -> None:
        [row] = rows(compiled.model.joint[joint : joint + 1])
        self.joint, self.type, self.q, self.v, self.nv = joint, row.type, row.q, row.v, row.nv
        self.p_PF, self.R_PF = tuple(row.p_PF), tuple(row.R_PF)
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


class Leg(NamedTuple):
    """Base joint in B, ring joint in C, and what the distance between them may be."""

    base: Numbers
    ring: Numbers
    axes: Numbers | None  # of a crank's joint; None for a leg with a stroke
    crank: float
    least: float
    most: float


class Ring(NamedTuple):
    """The number of its vehicle, the joints from there to its base, and its legs."""

    vehicle: int
    between: list[Hinge]
    legs: list[Leg]


class Frames:
    """The frames whose motion may be given, and the tables that they are written into."""

    def __init__(self, compiled: Compiled, names: Sequence[str], given: Iterable[int]) -> None:
        """`names`: of the frames in the order of their numbers; a ring goes by the name of its vehicle and "ring".

        Only that of those `given` is taken.
        """
        self._given = frozenset(given)
        assembly, self._state = compiled.assembly, compiled.state
        self._reference = assembly.reference.position
        # fields, not rows: a row costs as much as all the rest
        self._parent, self._joint = self._state.link["parent"], self._state.link["joint"]
        self._mode = self._state.dof["mode"]
        self._hinges = [Hinge(compiled, assembly.joint_index(name)) for name in names]
        self._bodies = [assembly.body_index(name) for name in names]
        mechanisms = {one.name: one for one in assembly.mechanisms}
        vehicles = {self._bodies[i]: i for i, name in enumerate(names) if name not in mechanisms}
        self._rings = {
            i: Ring(*_way(compiled, self._hinges[i].base, vehicles), _legs(mechanisms[name]))
            for i, name in enumerate(names)
            if name in mechanisms
        }

    def take(self, entries: Iterable[tuple[float, ...]]) -> str:
        """Write all entries (number of the frame, position, quaternion, velocity, body rate); "" or why not."""
        given: dict[int, Motion] = {}
        moves: list[tuple[Hinge, Numbers, Numbers]] = []
        # vehicles come before rings, in whatever order they were sent
        for values in sorted(entries, key=lambda entry: entry[0]):
            i = int(values[0])
            if i not in self._given:
                return "index"
            # as seen from the run's reference
            values = (values[0], *sub(values[1:4], self._reference), *values[4:])
            motion = _motion(values)
            if motion is None:
                return "value"
            given[i] = motion
            fault = self._ring(i, given, moves) if i in self._rings else self._vehicle(i, values, moves)
            if fault:
                return fault
        q, beta = self._state.q, self._state.beta
        for hinge, coordinates, rates in moves:
            q[hinge.q : hinge.q + 7], beta[hinge.v : hinge.v + 6] = coordinates, rates
        return ""

    def _vehicle(self, i: int, values: Sequence[float], moves: list[tuple[Hinge, Numbers, Numbers]]) -> str:
        hinge = self._hinges[i]
        if not self._is_root(i):
            return "joined"
        size = math.sqrt(sum(x * x for x in values[4:8]))
        moves.append((hinge, [*values[1:4], *(x / size for x in values[4:8])], [*values[11:14], *values[8:11]]))
        return ""

    def _ring(self, i: int, given: dict[int, Motion], moves: list[tuple[Hinge, Numbers, Numbers]]) -> str:
        hinge, (vehicle, between, legs) = self._hinges[i], self._rings[i]
        if not self._is_root(vehicle) or any(self._joint[one.body] != one.joint for one in (*between, hinge)):
            return "joined"
        # from where the packet says the vehicle is, or else from where the model has it, to the base
        base = given.get(vehicle) or Motion(ZERO, IDENTITY, ZERO, ZERO)
        for one in between if vehicle in given else (self._hinges[vehicle], *between):
            base = one.child(base, *self._coordinates(one))
        t, Q, rates = _relative(hinge, base, given[i])
        if self._mode[hinge.v] != FORCED:
            q, _ = self._coordinates(hinge)
            # the trace of a turn by a small angle is 3 - angle^2
            trace = sum(a * b for a, b in zip(quat_to_mat(q[3:7]), Q))
            return "" if math.dist(t, q[:3]) <= HELD and 3.0 - trace <= HELD * HELD else "held"
        if not all(_reaches(leg, t, Q) for leg in legs):
            return "reach"
        moves.append((hinge, [*t, *mat_to_quat(Q)], rates))
        return ""

    def _is_root(self, i: int) -> bool:
        """Does the vehicle head its tree, on the joint that it began with?"""
        body = self._bodies[i]
        return bool(self._parent[body] == 0 and self._joint[body] == self._hinges[i].joint)

    def _coordinates(self, hinge: Hinge) -> tuple[Numbers, Numbers]:
        ball = 1 if hinge.type in (SPHERICAL, FREE) else 0
        q = self._state.q[hinge.q : hinge.q + hinge.nv + ball].tolist()
        return q, self._state.beta[hinge.v : hinge.v + hinge.nv].tolist()


def _motion(values: Sequence[float]) -> Motion | None:
    """What an entry says; None if it cannot be."""
    if not all(-LARGEST <= x <= LARGEST for x in values[1:]):  # false for nan
        return None
    size = math.sqrt(sum(x * x for x in values[4:8]))
    if not 0.9 < size < 1.1:
        return None
    R = quat_to_mat([x / size for x in values[4:8]])
    return Motion(values[1:4], R, values[8:11], mat_vec(R, values[11:14]))


def _relative(hinge: Hinge, base: Motion, ring: Motion) -> tuple[Numbers, Numbers, Numbers]:
    """Shift, turn and rates of a free joint whose M is the ring's own frame."""
    R_F = mat_mat(base.R, hinge.R_PF)
    arm = sub(ring.x, base.x)
    t = mat_t_vec(R_F, sub(arm, mat_vec(base.R, hinge.p_PF)))
    turn = mat_t_vec(ring.R, sub(ring.w, base.w))
    v = sub(sub(ring.v, base.v), cross(base.w, arm))
    return t, mat_mat(transpose(R_F), ring.R), [*turn, *mat_t_vec(R_F, v)]


def _way(compiled: Compiled, body: int, vehicles: dict[int, int]) -> tuple[int, list[Hinge]]:
    """The vehicle that a body belongs to, and the joints from there to it, at the start of a run."""
    way: list[Hinge] = []
    while body not in vehicles:
        link = compiled.state.link[body]
        way.insert(0, Hinge(compiled, int(link.joint)))
        body = int(link.parent)
    return vehicles[body], way


def _legs(mechanism: MechanismPart) -> list[Leg]:
    """What each leg allows; the base joints may be anywhere on their way in a retraction."""
    legs = []
    for leg, shaft in zip(mechanism.legs, mechanism.shafts):
        slack = length_of(leg.base_way())
        if isinstance(leg, HuntLeg):
            axes, crank = quat_to_mat(leg.base_axes.quaternion_wxyz()), leg.crank_m
            least, most = leg.rod_m - slack, leg.rod_m + slack
        else:
            axes, crank, length = None, 0.0, leg.lower_length_m + leg.upper_arm_m
            least = length + shaft.lower - shaft.stop_travel - slack
            most = length + shaft.upper + shaft.stop_travel + slack
        legs.append(Leg(leg.base_joint_m, leg.ring_joint_m, axes, crank, least, most))
    return legs


def _reaches(leg: Leg, t: Numbers, Q: Numbers) -> bool:
    """Could the leg have this pose of the ring? A rod must be able to meet the circle of its crank."""
    span = sub(add(t, mat_vec(Q, leg.ring)), leg.base)
    if leg.axes is None:
        return leg.least <= math.hypot(*span) <= leg.most
    x, y, z = mat_t_vec(leg.axes, span)
    rho = math.hypot(x, z)
    return math.hypot(y, rho - leg.crank) <= leg.most and math.hypot(y, rho + leg.crank) >= leg.least

"""Passivity control of a measured contact, in all six directions: it never gives back more than it got.

An observer counts the energy that the two bodies have given to the contact, from the wrench F that acted and the
relative twist V of the bodies where it acts. A wrench is held over a cycle h, so what it did in the cycle before is
known from the twist and the acceleration A that were logged at its start, h F . (V + h A / 2), exactly for free bodies.
What it will do in the cycle to come is foreseen from the same, and booked when it has happened: errors of foresight do
not add up. A wrench that would give the bodies more than is left is scaled down, to nothing if nothing is left: its
direction stays, and with it the law of friction. A contact that has opened keeps nothing: what it took and did not give
back is gone, so that no later bounce may have it.

After Hannaford and Ryu, Time-domain passivity control of haptic interfaces (2002), who brake along one direction, by a
force that grows as the velocity goes to zero; to scale needs no velocity to divide by, and pulls nowhere.
Limits: safe is not right. All that went in may come out again, so a bounce that should lose energy may lose none; arms
are those of a cycle ago.
"""

from __future__ import annotations

from docksim.algebra.quat import quat_to_mat
from docksim.algebra.vec3 import ZERO, Numbers, Vec3, add, axpy, cross, dot, mat_vec, sub
from docksim.model.log import Log

Pair = tuple[Vec3, Vec3]  # force and moment, velocity and angular velocity, and so on; axes of W


class Passivity:
    """Observer and control of one pair."""

    def __init__(self, bodies: tuple[int, int], period: float) -> None:
        self._bodies, self._period = bodies, period
        self._left = 0.0  # energy that the bodies gave to the contact and have not got back [J]
        self._acted: Pair = (ZERO, ZERO)

    def scaled(self, wrench: Pair, arms: tuple[Numbers, Numbers], row: Log) -> Pair:
        """The wrench on the second body for the cycle to come; row: logged at the start of the last cycle.

        Arms are from the bodies' origins to where it acts, axes of W.
        """
        h = self._period
        # twist of the second body against the first where the wrench acts, and its rate
        (v_A, w_A, a_A, s_A), (v_B, w_B, a_B, s_B) = (_motion(row, k, arm) for k, arm in zip(self._bodies, arms))
        twist, change = (sub(v_B, v_A), sub(w_B, w_A)), (sub(a_B, a_A), sub(s_B, s_A))
        self._left -= h * _power(self._acted, _ahead(twist, change, 0.5 * h))
        if not any(wrench[0]) and not any(wrench[1]):
            self._left = min(self._left, 0.0)
        coming, left = h * _power(wrench, _ahead(twist, change, 1.5 * h)), max(self._left, 0.0)
        if coming > left:
            wrench = axpy(left / coming, wrench[0], ZERO), axpy(left / coming, wrench[1], ZERO)
        self._acted = wrench
        return wrench


def motion_of(row: Log, body: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Position, axes (row by row), velocity and body rate of a body in a log's first row.

    Plain floats: in a cycle of a millisecond, arrays of three numbers would cost ten times as much.
    """
    table, k = row.body, (0, body - 1)
    x, q, v, w = (table[field][k].tolist() for field in ("position", "quaternion", "velocity", "rate"))
    return x, quat_to_mat(q), v, w


def _motion(row: Log, body: int, arm: Numbers) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Velocity, angular velocity and their rates of a body's point, axes of W."""
    _, R, v, rate = motion_of(row, body)
    fields = ("acceleration", "angular_acceleration")
    linear, angular = (row.body[field][0, body - 1].tolist() for field in fields)
    w, s = mat_vec(R, rate), mat_vec(R, angular)
    a = add(add(linear, cross(s, arm)), cross(w, cross(w, arm)))
    return add(v, cross(w, arm)), w, a, s


def _power(wrench: Pair, twist: Pair) -> float:
    return dot(wrench[0], twist[0]) + dot(wrench[1], twist[1])


def _ahead(twist: Pair, change: Pair, time: float) -> Pair:
    return axpy(time, change[0], twist[0]), axpy(time, change[1], twist[1])

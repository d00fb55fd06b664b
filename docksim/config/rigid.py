"""Places and masses of rigid bodies, as plain numbers: how frames follow one another, how masses add up."""

from __future__ import annotations

import math
from dataclasses import dataclass

from docksim.algebra.quat import Quat, mat_to_quat, quat_conj, quat_mul, quat_to_mat, quat_vec
from docksim.algebra.vec3 import NO_SYM, ZERO, Sym3, Vec3, add, dot, scale, sub, turned_sym

NO_TURN: Quat = (1.0, 0.0, 0.0, 0.0)
ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Pose:
    """A frame in another one: its axes as quaternion or, as far as the file says no more, as roll, pitch, yaw."""

    q: Quat = NO_TURN
    p: Vec3 = ZERO
    rpy: Vec3 | None = ZERO

    def then(self, inner: Pose) -> Pose:
        """A frame given in this one."""
        if self.q == NO_TURN:
            return Pose(inner.q, add(self.p, inner.p), inner.rpy)
        rpy = self.rpy if inner.q == NO_TURN else None
        return Pose(quat_mul(self.q, inner.q), add(self.p, quat_vec(self.q, inner.p)), rpy)

    def keys(self) -> dict[str, object]:
        """As a chain file has it."""
        keys: dict[str, object] = {"position_m": list(self.p)} if any(self.p) else {}
        if self.rpy is None:
            keys["attitude"] = {"quaternion": list(self.q)}
        elif any(self.rpy):
            keys["attitude"] = {"yaw_pitch_roll_deg": [math.degrees(angle) for angle in self.rpy[::-1]]}
        return keys


@dataclass(frozen=True)
class Mass:
    """Of a link: mass, centre, and inertia about the centre, on link axes; xx, yy, zz, xy, xz, yz."""

    mass: float = 0.0
    centre: Vec3 = ZERO
    inertia: Sym3 = NO_SYM

    def seen_from(self, pose: Pose) -> Mass:
        """In the frame in which its own lies at a pose."""
        if pose.q == NO_TURN:
            return Mass(self.mass, add(pose.p, self.centre), self.inertia)
        return Mass(
            self.mass,
            add(pose.p, quat_vec(pose.q, self.centre)),
            turned_sym(quat_to_mat(pose.q), self.inertia),
        )

    def with_other(self, other: Mass) -> Mass:
        """Both as one rigid body."""
        if other.mass == 0.0 or self.mass == 0.0:
            return self if other.mass == 0.0 else other
        total = self.mass + other.mass
        apart = sub(other.centre, self.centre)
        part = other.mass / total
        reduced = self.mass * part
        square = dot(apart, apart)
        spread = [reduced * (square - x * x) for x in apart]
        spread += [-reduced * apart[i] * apart[j] for i, j in ((0, 1), (0, 2), (1, 2))]
        a, b, c, d, e, f = (x + y + z for x, y, z in zip(self.inertia, other.inertia, spread, strict=True))
        return Mass(total, add(self.centre, scale(part, apart)), (a, b, c, d, e, f))

    def keys(self) -> dict[str, object]:
        keys: dict[str, object] = {}
        if self.mass > 0.0:
            keys["mass_kg"] = self.mass
            if any(self.centre):
                keys["center_of_mass_m"] = list(self.centre)
            if any(self.inertia):
                keys["inertia_kg_m2"] = dict(zip(ENTRIES, self.inertia, strict=True))
        return keys


def inverse(pose: Pose) -> Pose:
    """The outer frame in the inner one."""
    back = quat_conj(pose.q)
    return Pose(back, scale(-1.0, quat_vec(back, pose.p)), None)


def quaternion_of(x: Vec3, y: Vec3, z: Vec3) -> Quat:
    """Of axes given in the outer frame."""
    return mat_to_quat((x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))

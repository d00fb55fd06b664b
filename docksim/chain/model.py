"""A chain as arrays: n links on n joints from a fixed base, serial or branching, parents before children.

Each link has a frame L_k with its origin on joint k, which turns or slides along `axis[k]`, constant on L_k. With the
parent's frame P (the world for parent -1),

    R_PL = R_fix[k] Rot(axis[k], q_k)      p_PL = p_fix[k]                               turning
    R_PL = R_fix[k]                        p_PL = p_fix[k] + R_fix[k] axis[k] q_k        sliding

Masses, first moments and inertias are about the origin of L_k, on its axes: all four formulations want them so. For a
chain from Denavit-Hartenberg rows, L_k is frame k-1 of the rows turned by q_k, and (R_end, p_end) is frame k in it.

What the joints add by themselves (rotor, spring, damping, friction) is kept apart: the formulations are about links.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np

from docksim.algebra.dense import applied, product
from docksim.algebra.masses import six_entries
from docksim.algebra.quat import axis_turn

REVOLUTE, PRISMATIC = 0, 1


class ChainTables(NamedTuple):
    """What the formulations need, for compiled code: matrices row by row, symmetric ones as xx, yy, zz, xy, xz, yz."""

    parent: Annotated[np.ndarray, np.int64]
    kind: Annotated[np.ndarray, np.int64]
    axis: Annotated[np.ndarray, np.float64, 2]
    R_fix: Annotated[np.ndarray, np.float64, 2]  # (n, 9)
    p_fix: Annotated[np.ndarray, np.float64, 2]
    mass: Annotated[np.ndarray, np.float64]
    moment: Annotated[np.ndarray, np.float64, 2]
    inertia: Annotated[np.ndarray, np.float64, 2]  # (n, 6)
    gravity: Annotated[np.ndarray, np.float64]
    inside: Annotated[np.ndarray, np.bool_, 2]


def ideal_joints(n: int) -> dict[str, Any]:
    """Fields of a ChainModel whose n joints start at zero and add nothing by themselves."""
    zeros, free = np.zeros(n), np.full(n, np.inf)
    nothing = ("rotor", "stiffness", "rest", "damping", "friction", "stop_stiffness", "stop_damping")
    limits = {"lower": -free, "upper": free, "rate_limit": free, "effort_limit": free}
    return {"home": zeros, **limits, **dict.fromkeys(nothing, zeros), "passive": np.zeros(n, bool)}


@dataclass(frozen=True, eq=False)
class ChainModel:
    """All angles in radians, all else SI. Coordinates, rates and forces of joint k: rad, N m, or m, N."""

    names: tuple[str, ...]  # of the links
    parent: np.ndarray  # (n,) int64, -1 is the base
    kind: np.ndarray  # (n,) int64, REVOLUTE or PRISMATIC
    axis: np.ndarray  # (n, 3) unit, on link axes
    R_fix: np.ndarray  # (n, 3, 3) link axes at q = 0 to the parent's
    p_fix: np.ndarray  # (n, 3) joint in the parent's frame
    mass: np.ndarray  # (n,)
    moment: np.ndarray  # (n, 3) first moment, mass times centre
    inertia: np.ndarray  # (n, 3, 3) tensor about the link's origin
    gravity: np.ndarray  # (3,) world axes
    R_end: np.ndarray  # (n, 3, 3) far end of the link in its frame
    p_end: np.ndarray  # (n, 3)
    home: np.ndarray  # (n,) coordinates of the default state
    lower: np.ndarray  # (n,) limits, infinite where there are none
    upper: np.ndarray
    rate_limit: np.ndarray
    effort_limit: np.ndarray
    rotor: np.ndarray  # (n,) inertia of the drives reflected to the joints
    stiffness: np.ndarray
    rest: np.ndarray
    damping: np.ndarray
    friction: np.ndarray  # (n,) Coulomb
    stop_stiffness: np.ndarray  # (n,) of the stops at the limits
    stop_damping: np.ndarray  # (n,) their Hunt-Crossley factor
    passive: np.ndarray  # (n,) bool, no drive: elements of elastic links, and joints marked so
    far: np.ndarray  # (n,) int64, the link that carries the far end: itself, or the last element of an elastic one
    by_rows: bool = False  # from Denavit-Hartenberg rows: masses were given in the frames of the far ends

    @property
    def n(self) -> int:
        """Number of joints, which is that of links."""
        return len(self.names)

    @property
    def prismatic(self) -> np.ndarray:
        return self.kind == PRISMATIC

    @property
    def driven(self) -> np.ndarray:
        """Indices of the joints that have a drive."""
        return np.flatnonzero(~self.passive)

    @property
    def owners(self) -> tuple[str, ...]:
        """The link of the file that each link is, or is an element of."""
        return tuple(name.partition(".")[0] for name in self.names)

    @cached_property
    def inside(self) -> np.ndarray:
        """(n, n) whether link k (column) is link i (row) or hangs on it."""
        below = np.eye(self.n, dtype=bool)
        for k, above in enumerate(self.parent):
            if above >= 0:
                below[:, k] |= below[:, above]
        return below

    @cached_property
    def tables(self) -> ChainTables:
        packed = {"R_fix": self.R_fix.reshape(-1, 9), "inertia": six_entries(self.inertia)}
        columns = (packed.get(name, getattr(self, name)) for name in ChainTables._fields)
        return ChainTables(*(np.ascontiguousarray(column) for column in columns))

    def parameter_frame(self) -> tuple[np.ndarray, np.ndarray]:
        """Frame of the links' inertial parameters, in the link's: where the file gives masses."""
        if self.by_rows:
            return self.R_end, self.p_end
        return np.broadcast_to(np.eye(3), (self.n, 3, 3)), np.zeros((self.n, 3))

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each coordinate."""
        return tuple("m" if sliding else "rad" for sliding in self.prismatic)

    def point_from_end(self, link: str | None, point_m: Sequence[float]) -> tuple[int, np.ndarray]:
        """Link and place in its frame of a point told from a link's far end; of the last link if none is named."""
        k = self.n - 1 if link is None else int(self.far[self.names.index(link)])
        return k, self.p_end[k] + self.R_end[k] @ np.array(point_m)

    @property
    def com(self) -> np.ndarray:
        """(n, 3) mass centres, link axes; the link's origin for a massless one."""
        return self.moment / np.where(self.mass > 0.0, self.mass, 1.0)[:, None]

    def pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Links in their parents' frames: rotations (n, 3, 3), link to parent axes, and origins (n, 3)."""
        q = np.asarray(q, float)
        turns = np.array([axis_turn(a, 0.0 if slides else x) for a, x, slides in zip(self.axis, q, self.prismatic)])
        shift = np.where(self.prismatic, q, 0.0)[:, None] * self.axis
        return product(self.R_fix, turns.reshape(-1, 3, 3)), self.p_fix + applied(self.R_fix, shift)

    def world_pose(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Links in the world."""
        R, p = self.pose(q)
        for k, above in enumerate(self.parent):
            if above >= 0:
                p[k] = p[above] + applied(R[above], p[k])
                R[k] = product(R[above], R[k])
        return R, p

    def joint_forces(self, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """What springs, dampers and friction of the joints do on their own; friction without sticking."""
        spring = -self.stiffness * (np.asarray(q) - self.rest)
        return spring - self.damping * np.asarray(rates) - self.friction * np.sign(rates)

"""What a mechanism answers: closure, accelerations, the load in every joint, and the forces of its devices.

Loads of joints are on B axes; SI units, radians. Devices act by the kernels that simulations use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docksim.compiler.shaft_tables import lone_shafts
from docksim.compiler.shafts import Shaft
from docksim.config.schema.legs import HUNT, JOINTS
from docksim.kernel.mechanism.shafts import damper_force, spring_force, stop_force

# joints up to and with the one that carries the first link
FIRST_LINK = {"UPS": 2, "SPU": 3, "UCU": 2, "RUS": 1, "RSU": 1}


class OutOfReach(ValueError):
    """Some legs cannot follow the ring to a pose; `legs` has the reason by leg number, counted from 1."""

    def __init__(self, legs: dict[int, str]) -> None:
        self.legs = legs
        super().__init__("; ".join(legs.values()))


class Singular(ValueError):
    """The wanted answer does not exist: the actuated joints do not move the ring in all directions."""


@dataclass(frozen=True)
class Closure:
    """Joint coordinates at a pose of the ring. Every number is finite, also for a leg that does not reach."""

    joints: tuple[np.ndarray, ...]  # of each leg: kept joints, base to ring; turns [rad], stroke [m]
    actuated: np.ndarray  # (legs,) stroke [m] or crank angle [rad]
    unreachable: dict[int, str]  # reason by leg number, from 1: out of reach, or singular
    over_limits: dict[int, str]  # legs whose stroke or crank angle is beyond its limits

    @property
    def reachable(self) -> bool:
        return not self.unreachable

    @property
    def within_limits(self) -> bool:
        return not self.unreachable and not self.over_limits


@dataclass(frozen=True)
class JointLoad:
    """Wrench that a joint passes on, from the base side to the ring side, about a point of the joint."""

    joint: str  # y, z, x, crank, stroke
    point: np.ndarray  # (3,)
    axis: np.ndarray  # (3,) of the free motion
    moment: np.ndarray  # (3,)
    force: np.ndarray  # (3,)

    @property
    def free(self) -> float:
        """Component along the free axis: the active force (stroke) or moment (turn), less what turns the rotor."""
        return float(self.axis @ (self.force if self.joint == "stroke" else self.moment))

    @property
    def structural_force(self) -> np.ndarray:
        """What the joint's structure carries: the force without its free component."""
        return self.force - self.free * self.axis if self.joint == "stroke" else self.force

    @property
    def structural_moment(self) -> np.ndarray:
        """The moment without its free component."""
        return self.moment if self.joint == "stroke" else self.moment - self.free * self.axis


@dataclass(frozen=True)
class Motion:
    """Forward dynamics at one state. Wrenches are [moment; force]."""

    ring_acceleration: np.ndarray  # (6,) of C's origin as seen in B, angular first
    joint_rates: tuple[np.ndarray, ...]
    joint_accelerations: tuple[np.ndarray, ...]
    loads: tuple[tuple[JointLoad, ...], ...]  # of each leg: its kept joints, base to ring
    ring_joint_wrench: np.ndarray  # (legs, 6) leg on the ring, about the ring joint
    base_wrench: np.ndarray  # (6,) base on the mechanism, about B's origin: P_m A0 + z_m; the base feels its negative
    P_m: np.ndarray  # (6, 6) articulated inertia about B's origin
    z_m: np.ndarray  # (6,)


def joint_loads(
    leg_type: str, base_joint: np.ndarray, R: np.ndarray, crank_axis: np.ndarray, out: np.record
) -> tuple[JointLoad, ...]:
    """The kernel's two link wrenches given to the joints before them; bodies between the links have no mass.

    R: link axes to B. Joints at the first link's origin pass on load[0], the others load[1], taken to their own point.
    """
    second = base_joint + R @ out.rho[1]
    turn = 2 if leg_type in HUNT else 1
    s_z, c_z = out.angle[turn]
    axes = {"crank": crank_axis, "y": R @ (s_z, c_z, 0.0), "z": R[:, 2], "x": R[:, 0], "stroke": R[:, 0]}
    first = FIRST_LINK[leg_type]
    loads = []
    for j, name in enumerate(JOINTS[leg_type]):
        row = out.load[0] if j < first else out.load[1]
        origin = base_joint if j < first else second
        point, moment = origin, row[:3].copy()
        if leg_type == "UCU" and name == "x":
            # it turns at the base joint, but what it passes on goes to the upper link
            point, moment = base_joint, moment + np.cross(second - base_joint, row[3:])
        loads.append(JointLoad(name, point, axes[name], moment, row[3:].copy()))
    return tuple(loads)


class Devices:
    """What acts on the shafts, the legs' strokes or cranks and then the couplings, outside a run."""

    def __init__(self, shafts: Sequence[Shaft]) -> None:
        self.shafts = tuple(shafts)
        self.table, self._state, self._knot = lone_shafts(self.shafts)

    def place(self, shaft: int | str) -> int:
        """Place of a shaft by its name, such as "legs.3" or "couplings.axial"."""
        names = [own.name for own in self.shafts]
        if isinstance(shaft, str) and shaft not in names:
            raise ValueError(f"no shaft '{shaft}'; there are {', '.join(names)}")
        return names.index(shaft) if isinstance(shaft, str) else shaft

    def forces(
        self, shaft: int | str, x: Sequence[float] | np.ndarray, rate: Sequence[float] | np.ndarray
    ) -> dict[str, np.ndarray]:
        """Forces of spring, damper, brake (sliding) and stop at coordinates and rates of the same number."""
        i = self.place(shaft)
        row, own = self.table[i], self._state[i]
        at = [(float(a), float(v)) for a, v in zip(x, rate, strict=True)]
        return {
            "spring": np.array([spring_force(row, self._knot, a) for a, _ in at]),
            "damper": np.array([damper_force(row, own, self._knot, v) for _, v in at]),
            "brake": np.array([-float(own.friction) * np.sign(v) for _, v in at]),
            "stop": np.array([stop_force(row, a, v)[0] for a, v in at]),
        }

"""Rings that come at each other sideways: placements, runs, and how deep they get into each other by brute force."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial.transform import Rotation

from docksim.compiler import Compiled, compile_scenario
from docksim.config import load_scenario
from docksim.model import State
from docksim.model.log import Log
from tests.support.contact_rigs import FACING, IDSS, fresh, pair, place, port, run
from tests.support.rigs import Keys, lone

RADIUS, HEIGHT, TUBE = 0.610, -0.010, 0.010
AT_A, AT_B = (1.5, 0.02, -0.03), (2.0, -0.05, 0.04)
OFFSETS = (0.48, 0.554, 0.628, 0.702, 0.776, 0.85)
AZIMUTHS = (0.0, 35.0, 70.0)
TILTS = (0.0, 6.0, 12.0)
# of a crossing of rims, and of a whole ring face [N/m]
STIFFNESS, FACE = 6.5e6, 2.0e7


@dataclass(frozen=True)
class Placement:
    """B before A, as A's port sees it: metres and degrees, moving along the axis."""

    offset: float
    azimuth: float = 0.0
    tilt: float = 0.0
    about: float = 40.0  # of the axis of the tilt, from the direction of the offset
    roll: float = 0.0
    ahead: float = 0.02  # of the lowest point of B's ring, before the mating plane of A
    speed: float = 0.1


# two interfaces set off sideways, driven at each other along the axis
FIFTY_FOUR = [Placement(*case) for case in product(OFFSETS, AZIMUTHS, TILTS)]


def ring_pair(petals: bool, duration: float, step: float, contact: Keys | None = None, **sections: object) -> Compiled:
    """Vehicles of 3 t and 5 t with IDSS-like interfaces, without latches, and without petals if told."""
    stiffness = {"band": {"petals": STIFFNESS, "faces": FACE}}
    face: Keys = {"use": str(IDSS), "latches": None, "contact": stiffness | (contact or {})}
    face |= {} if petals else {"petals": None}
    a = lone(3000.0, [2000.0, 2500.0, 2600.0], ports=port(face, position_m=list(AT_A)))
    b = lone(5000.0, [4000.0, 4500.0, 4600.0], ports=port(face, position_m=list(AT_B)))
    b["position_m"] = [9.0, 0.0, 0.0]
    return compile_scenario(load_scenario(pair(a, b, duration, step, **sections)))


def collide(compiled: Compiled, case: Placement) -> tuple[Log, State]:
    """The rows of the log, and the last state."""
    state = fresh(compiled)
    azimuth, about = np.radians(case.azimuth), np.radians(case.azimuth + case.about)
    tilt = Rotation.from_rotvec(np.radians(case.tilt) * np.array([0.0, np.cos(about), np.sin(about)]))
    roll = Rotation.from_rotvec([np.radians(case.roll), 0.0, 0.0])
    x = np.array([case.ahead + (RADIUS + TUBE) * np.sin(np.radians(case.tilt)), 0.0, 0.0])
    x[1:] = case.offset * np.cos(azimuth), case.offset * np.sin(azimuth)
    place(state, 0, AT_A, np.zeros(3), Rotation.identity(), np.zeros(3), np.zeros(3))
    place(state, 1, AT_B, x, tilt * roll * FACING, np.array([-case.speed, 0.0, 0.0]), np.zeros(3))
    return run(compiled, state), state


def seen_from_A(log: Log, points: np.ndarray) -> np.ndarray:
    """Points of B's interface, row by row, from A's port on A's axes."""
    place = log.body["position"]
    A, B = (Rotation.from_quat(np.roll(log.body["quaternion"][:, k], -1, axis=1)).as_matrix() for k in (0, 1))
    x = np.einsum("kij,nj->kni", B, points + np.array(AT_B)) + (place[:, 1] - place[:, 0])[:, None]
    return np.einsum("kji,knj->kni", A, x) - np.array(AT_A)


def ring_depth(log: Log) -> float:
    """How deep the tubes of the two rims ever were in each other: samples of B's circle against that of A."""
    angle = np.linspace(0.0, 2.0 * np.pi, 720, endpoint=False)
    circle = np.stack([np.full_like(angle, HEIGHT), RADIUS * np.cos(angle), RADIUS * np.sin(angle)], axis=1)
    x, y, z = np.moveaxis(seen_from_A(log, circle), 2, 0)
    return 2.0 * TUBE - float(np.hypot(np.hypot(y, z) - RADIUS, x - HEIGHT).min())

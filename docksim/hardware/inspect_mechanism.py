"""A mechanism in numbers that a designer checks: strokes, conditioning, frequencies, and the workspace within limits.

Conditioning is that of the Jacobian without units (turns of the ring times the radius of its joints, cranks times their
length); the singularity margin is its smallest singular value, zero where the driven joints lose hold of the ring.
Frequencies are those of the ring on the given springs, couplings included, with all driven joints free, brakes open and
the base held, at the reference pose; a caged spring counts with its slope beyond its rest. The workspace is counted in
misalignments of the ring from its reference pose, in all directions; a leg that has fallen through the plane of the
base joints does not count as kept. What acts on the driven joints is told by `inspect_devices`, what force tilts the
ring by `yielding`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from docksim.config.schema.legs import HuntLeg
from docksim.hardware.inspect_devices import DeviceFigures, device_figures
from docksim.hardware.mechanism import Mechanism
from docksim.hardware.yielding import Yielding, sides, yielding

# misalignments at first contact that the IDSS IDD recommends: lateral, vector sum of pitch and yaw, and roll
IDSS_LATERAL_M = 0.10
IDSS_ANGLE_DEG = 4.0
BOX_POSES = 400
ROWS = 33
SCAN = 41
HALVINGS = 14
FARTHEST_M = 1.0
FARTHEST_DEG = 60.0
JOINT_KEYS = ("ring_joint_m", "base_joint_m")


@dataclass(frozen=True)
class LegFigures:
    """The driven joint of a leg, in m or deg."""

    number: int
    type: str
    unit: str
    reference: float
    lower: float
    upper: float
    force_limit: float  # N or N m, infinite without a limit
    stiffness: float  # N/m or N m/rad
    mass_kg: float


@dataclass(frozen=True)
class Mode:
    """A natural vibration of the ring."""

    frequency_Hz: float
    damping_ratio: float
    motion: str  # axial, roll, lateral, tilt, or a mixture


@dataclass(frozen=True)
class Inspection:
    """What the table shows."""

    mass_kg: float
    ring_mass_kg: float
    legs: tuple[LegFigures, ...]
    devices: tuple[DeviceFigures, ...]
    condition: float
    singularity_margin: float
    box_share: float  # of the IDSS misalignments that keep all limits
    box_margin: float  # smallest singularity margin there, zero if none is reached
    modes: tuple[Mode, ...]
    axial_capacity_N: float  # force on the ring along x that the actuators can hold, infinite without limits
    yielding: Yielding


@dataclass(frozen=True)
class Region:
    """Lateral misalignments that can be taken together with another one, as curves of their largest size."""

    y: np.ndarray  # (n,) the other misalignment, where all directions keep all limits
    x: np.ndarray  # (n,) lateral [m]
    y_some: np.ndarray  # (m,) where some direction does
    x_some: np.ndarray  # (m,)
    label: str
    unit: str
    mark: tuple[float, float] | None  # IDSS limits


def inspect(mechanism: Mechanism) -> Inspection:
    """All figures at the reference pose, and in the box of misalignments that the docking standard recommends."""
    values = np.linalg.svd(mechanism.scaled_jacobian(mechanism.reference), compute_uv=False)
    share, margin = _in_box(mechanism)
    # largest force along x through C's origin that the driven joints can hold at rest, none beyond its limit
    capacity = 0.0
    if values[-1] > 1e-9 * values[0]:
        per_newton = np.abs(mechanism.inverse(mechanism.reference, ring_wrench=(0.0, 0.0, 0.0, -1.0, 0.0, 0.0)))
        capacity = float(np.min(mechanism.force_limits / np.maximum(per_newton, 1e-12)))
    return Inspection(
        mechanism.mass,
        mechanism.config.ring.mass_kg,
        tuple(_leg_figures(mechanism)),
        device_figures(mechanism),
        float(values[0] / values[-1]) if values[-1] > 0 else math.inf,
        float(values[-1]),
        share,
        margin,
        tuple(modes(mechanism)),
        capacity,
        yielding(mechanism),
    )


def _leg_figures(mechanism: Mechanism) -> list[LegFigures]:
    figures = []
    actuated = mechanism.closure(mechanism.reference).actuated
    for k, (leg, device) in enumerate(zip(mechanism.legs, mechanism.actuators, strict=True)):
        factor, unit = (math.degrees(1.0), "deg") if isinstance(leg, HuntLeg) else (1.0, "m")
        now, lower, upper = (factor * float(value) for value in (actuated[k], device.lower, device.upper))
        limit, mass = float(mechanism.force_limits[k]), mechanism.link_masses(k)
        figures.append(LegFigures(k + 1, leg.type, unit, now, lower, upper, limit, device.stiffness, mass))
    return figures


# ---------------------------------------------------------------- vibrations


def modes(mechanism: Mechanism) -> list[Mode]:
    """Natural vibrations on the given springs, softest first; none without springs."""
    K, D = mechanism.stiffness(mechanism.reference), mechanism.damping(mechanism.reference)
    if not np.any(K):
        return []
    M = mechanism.inertia(mechanism.reference)
    squares, shapes = eigh(K, M)
    vibrations = []
    for square, shape in zip(squares, shapes.T, strict=True):
        omega = math.sqrt(max(square, 0.0))
        damping = float(shape @ D @ shape) / (2.0 * omega) if omega > 1e-9 else math.inf
        vibrations.append(Mode(omega / (2.0 * math.pi), damping, _motion(shape * (M @ shape))))
    return vibrations


def _motion(energy: np.ndarray) -> str:
    """The words for a mode from the kinetic energy in each ring coordinate; coupling terms may be negative."""
    shares = {
        "axial": abs(energy[3]),
        "roll": abs(energy[0]),
        "lateral": abs(energy[4]) + abs(energy[5]),
        "tilt": abs(energy[1]) + abs(energy[2]),
    }
    total = sum(shares.values())
    ranked = sorted(shares, key=lambda name: -shares[name])
    return " and ".join(name for name in ranked if shares[name] > 0.2 * total)


# ---------------------------------------------------------------- workspace


def keeps_limits(mechanism: Mechanism, travel: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """(N,) whether misalignments (N, 3) [m] and rotation vectors (N, 3) [rad] from the reference pose can be taken."""
    attitude = Rotation.from_quat(np.roll(mechanism.reference[1], -1)).as_matrix()
    position, rotation = np.array(mechanism.reference[0]) + travel, Rotation.from_rotvec(turn).as_matrix() @ attitude
    coordinates, status = mechanism.closures(position, rotation)
    driven = coordinates[:, np.arange(len(mechanism.legs)), mechanism.driven]
    # a leg must stay on its side of the base plane, unless it lies flat from the start
    ring_joints, base_joints = (np.array([getattr(leg, key) for leg in mechanism.legs]) for key in JOINT_KEYS)
    height = position[:, :1] + rotation[:, 0] @ ring_joints.T - base_joints[:, 0]
    before = mechanism.reference[0][0] + attitude[0] @ ring_joints.T - base_joints[:, 0]
    stands = (height * before > 0.0) | (np.abs(before) < 1e-6)
    return np.asarray(np.all((status == 0) & (mechanism.beyond_limits(driven) <= 1e-9) & stands, axis=1))


def _in_box(mechanism: Mechanism) -> tuple[float, float]:
    """Share of random misalignments at the IDSS limits that keep all limits; smallest singularity margin in them."""
    rng = np.random.default_rng(0)
    lateral, tilt = rng.uniform(0.0, 2.0 * math.pi, (2, BOX_POSES))
    angle = math.radians(IDSS_ANGLE_DEG)
    travel = IDSS_LATERAL_M * np.column_stack([np.zeros(BOX_POSES), np.cos(lateral), np.sin(lateral)])
    turn = angle * np.column_stack([rng.choice([-1.0, 1.0], BOX_POSES), np.cos(tilt), np.sin(tilt)])
    fine = keeps_limits(mechanism, travel, turn)
    margin = math.inf
    start = Rotation.from_quat(np.roll(mechanism.reference[1], -1))
    for move, vector in zip(travel[fine][:100], turn[fine][:100], strict=True):
        x, y, z, w = (Rotation.from_rotvec(vector) * start).as_quat()
        J = mechanism.scaled_jacobian((np.array(mechanism.reference[0]) + move, (w, x, y, z)))
        margin = min(margin, float(np.linalg.svd(J, compute_uv=False)[-1]))
    return float(np.mean(fine)), margin if fine.any() else 0.0


def workspace(mechanism: Mechanism) -> list[Region]:
    """Lateral misalignment with tilt, with roll, and with travel along the axis, each in all directions.

    A size is reached if all smaller ones are: first the other misalignment alone, then the lateral one added to it.
    """
    mark = (IDSS_LATERAL_M, IDSS_ANGLE_DEG)
    return [
        _region(mechanism, "tilt", "tilt", "deg", mark),
        _region(mechanism, "roll", "roll", "deg", mark),
        _region(mechanism, "axial", "axial travel", "m", None),
    ]


def _region(mechanism: Mechanism, kind: str, label: str, unit: str, mark: tuple[float, float] | None) -> Region:
    across, along = sides(), np.array([[1.0, 0.0, 0.0]])
    units = {"tilt": across, "roll": np.concatenate([along, -along]), "axial": along}[kind]
    farthest = FARTHEST_M if kind == "axial" else FARTHEST_DEG

    def kept(lateral: np.ndarray, other: np.ndarray) -> np.ndarray:
        if kind == "axial":
            return keeps_limits(mechanism, lateral + other, np.zeros_like(other))
        return keeps_limits(mechanism, lateral, np.radians(other))

    def alone(size: np.ndarray, which: np.ndarray) -> np.ndarray:
        return kept(np.zeros((len(size), 3)), size[:, None] * units[which])

    def beside(other: float, size: np.ndarray, which: np.ndarray) -> np.ndarray:
        return kept(size[:, None] * across[which // len(units)], other * units[which % len(units)])

    curves = []
    for choose in (np.min, np.max):
        upper = float(choose(_edges(alone, len(units), farthest)))
        lower = -float(choose(_edges(lambda size, which: alone(-size, which), 1, farthest))) if kind == "axial" else 0.0
        y = np.linspace(lower, upper, ROWS)
        # at the ends themselves rounding decides: a hair inside; lateral ones in all pairs of directions
        others, pairs = (y * (1.0 - 1e-6)).tolist(), len(across) * len(units)
        x = np.array([choose(_edges(partial(beside, other), pairs, FARTHEST_M)) for other in others])
        curves.append((y, x))
    return Region(*curves[0], *curves[1], label, unit, mark)


def _edges(keeps: Callable[[np.ndarray, np.ndarray], np.ndarray], directions: int, farthest: float) -> np.ndarray:
    """(directions,) largest size up to which keeps(sizes, which direction) holds: scanned, then halved."""
    which = np.arange(directions)
    steps = np.linspace(0.0, farthest, SCAN)
    kept = keeps(np.repeat(steps, directions), np.tile(which, SCAN)).reshape(SCAN, directions)
    failure = np.where(kept.all(axis=0), SCAN, np.argmin(kept, axis=0))
    low, high = steps[np.clip(failure - 1, 0, None)], steps[np.clip(failure, 0, SCAN - 1)]
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        fine = keeps(middle, which)
        low, high = np.where(fine, middle, low), np.where(fine, high, middle)
    return low

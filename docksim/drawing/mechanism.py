"""A docking mechanism as lines: where its links are at any pose of the ring, and the circles through its joints.

A leg has two links. Stewart: the lower link from the base joint towards the ring joint, the upper one from the ring
joint back; the stroke is what lies between, or how far they overlap. Hunt: the crank from the base joint to the elbow,
the rod from there to the ring joint. The crank's angle is given, as a run logs it, so nothing is solved here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.parts import axes_of
from docksim.config.schema.legs import HuntLeg, StewartLeg

if TYPE_CHECKING:
    from docksim.hardware.mechanism import Mechanism

CIRCLE = 121
LINK_NAMES = ("lower link", "upper link")


@dataclass(frozen=True, eq=False)
class Legs:
    """Ends of all links in B [m]; (poses, legs, 3) each."""

    base_joints: np.ndarray
    first_ends: np.ndarray  # of the lower link or crank, which begins at the base joint
    second_starts: np.ndarray  # of the upper link or rod, which ends at the ring joint
    ring_joints: np.ndarray


@dataclass(frozen=True, eq=False)
class Drawing:
    """One pose, everything in B [m]."""

    base_joints: np.ndarray  # (legs, 3)
    ring_joints: np.ndarray  # (legs, 3)
    first_ends: np.ndarray  # (legs, 3)
    second_starts: np.ndarray  # (legs, 3)
    ring_position: np.ndarray  # (3,)
    ring_axes: np.ndarray  # (3, 3) columns
    types: tuple[str, ...]
    first_name: str
    second_name: str


def place_legs(
    legs: Sequence[StewartLeg | HuntLeg],
    positions: np.ndarray,
    rotations: np.ndarray,
    driven: np.ndarray,
    bases: Sequence[np.ndarray] | None = None,
) -> Legs:
    """The links at ring poses (n, 3), (n, 3, 3) in B, with strokes [m] and cranks [rad] (n, legs).

    `bases` has the base joints (n, 3) of each leg in B, where they move.
    """
    n = len(positions)
    points = Legs(*(np.zeros((n, len(legs), 3)) for _ in range(4)))
    for k, leg in enumerate(legs):
        base = np.broadcast_to(leg.base_joint_m if bases is None else bases[k], (n, 3))
        ring = positions + rotations @ np.asarray(leg.ring_joint_m)
        points.base_joints[:, k], points.ring_joints[:, k] = base, ring
        if isinstance(leg, HuntLeg):
            points.first_ends[:, k] = points.second_starts[:, k] = base + _crank(leg, driven[:, k])
        else:
            way = ring - base
            along = way / np.linalg.norm(way, axis=1, keepdims=True)
            points.first_ends[:, k] = base + leg.lower_length_m * along
            points.second_starts[:, k] = ring - leg.upper_arm_m * along
    return points


def _crank(leg: HuntLeg, angle: np.ndarray) -> np.ndarray:
    """(n, 3) from the base joint to the elbow: x of the base joint's axes, turned about their y."""
    axes = axes_of(leg.base_axes)
    turned = np.stack([np.cos(angle), np.zeros_like(angle), -np.sin(angle)], axis=-1)
    return leg.crank_m * turned @ axes.T


def drawing(mechanism: Mechanism) -> Drawing:
    """The mechanism at its reference pose."""
    position = np.array(mechanism.reference[0], float)
    axes = rotation_matrix(np.asarray(mechanism.reference[1], float))
    driven = mechanism.closure(mechanism.reference).actuated
    placed = place_legs(mechanism.legs, position[None], axes[None], driven[None])
    lines = placed.base_joints[0], placed.ring_joints[0], placed.first_ends[0], placed.second_starts[0]
    return Drawing(*lines, position, axes, mechanism.types, *link_names(mechanism.legs))


def link_names(legs: Sequence[StewartLeg | HuntLeg]) -> tuple[str, str]:
    """What the two links of the legs are called."""
    hunt = [isinstance(leg, HuntLeg) for leg in legs]
    if all(hunt):
        return "crank", "rod"
    return ("lower link or crank", "upper link or rod") if any(hunt) else LINK_NAMES


def outline(joints: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """The circle through the joints, or the polygon of joints that lie on no circle."""
    middle = joints.mean(axis=0)
    arms = joints - middle
    arms = arms - np.outer(arms @ normal, normal)
    radii = np.linalg.norm(arms, axis=1)
    first = arms[0] / max(radii[0], 1e-12)
    second = np.cross(normal, first)
    if np.ptp(radii) < 0.03 * radii.mean():
        angle = np.linspace(0.0, 2.0 * np.pi, CIRCLE)
        return middle + radii.mean() * (np.outer(np.cos(angle), first) + np.outer(np.sin(angle), second))
    order = np.argsort(np.arctan2(arms @ second, arms @ first))
    return joints[np.append(order, order[0])]

"""Kinematics of an arm in a vehicle's frame: where the hand is, how it moves by the joints, which angles put it where.

The chain is read from the compiled parts, so whatever lies between two joints (booms, beams at rest, fixed joints) is
in it. Inverse kinematics by damped Gauss-Newton steps of least length: a redundant arm moves as little as it can, and
angles follow a path continuously from the posture it starts with. Poses are 4 x 4 matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from docksim.algebra.dense import applied, dot, length, product, solve
from docksim.algebra.rotations import pose, rotation_vectors, turn
from docksim.compiler.assembly import Assembly, assemble
from docksim.compiler.parts import JointPart, Marker, Place
from docksim.config import Scenario

EXACT = 1e-10  # what is left of a pose's error [m], [rad]
MOST_STEPS = 200
LONGEST_STEP = 0.2  # of a joint in one step [rad]


class OutOfReach(ValueError):
    """No angles put the hand there; the least errors found are in the message."""


def inverse(T: np.ndarray) -> np.ndarray:
    return pose(T[:3, :3].T, -applied(T[:3, :3].T, T[:3, 3]))


def placed(place: Place) -> np.ndarray:
    return pose(np.asarray(place.axes, float), place.position)


@dataclass(frozen=True)
class Arm:
    """Joints from the base of the vehicle to the hand; those of the arm are counted, the others stand still."""

    chain: tuple[JointPart, ...]
    place: tuple[int, ...]  # of each joint of the chain among the arm's, or -1
    hand: Marker
    lower: np.ndarray
    upper: np.ndarray

    @property
    def n(self) -> int:
        return len(self.lower)

    def frames(self, q: np.ndarray) -> list[np.ndarray]:
        """Frames of the arm's joints (F, on the parent's side) and, last, of the hand, in the vehicle's frame."""
        T, frames = np.eye(4), [np.eye(4)] * self.n
        for joint, i in zip(self.chain, self.place, strict=True):
            T = product(T, placed(joint.F))
            if i >= 0:
                frames[i] = T
                T = product(T, pose(turn(joint.axis, q[i]), np.zeros(3)))
            else:
                T = product(T, _standing(joint))
            T = product(T, inverse(placed(joint.M)))
        return [*frames, product(T, placed(self.hand.place))]

    def points(self, q: np.ndarray) -> np.ndarray:
        """(n + 1, 3): the joints and the hand, to draw."""
        return np.array([T[:3, 3] for T in self.frames(q)])

    def jacobian(self, q: np.ndarray, point: np.ndarray | None = None) -> np.ndarray:
        """(6, n): angular velocity and velocity of a point of the hand (its origin unless given) by the joints."""
        frames = self.frames(q)
        at = frames[-1][:3, 3] if point is None else point
        axes = {i: joint.axis for joint, i in zip(self.chain, self.place, strict=True) if i >= 0}
        columns = []
        for i, T in enumerate(frames[:-1]):
            axis = applied(T[:3, :3], axes[i])
            columns.append(np.concatenate([axis, np.cross(axis, at - T[:3, 3])]))
        return np.array(columns).T

    def error(self, q: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Rotation vector and way from the hand to its target."""
        hand = self.frames(q)[-1]
        return np.concatenate([rotation_vectors(product(target[:3, :3], hand[:3, :3].T)), target[:3, 3] - hand[:3, 3]])

    def angles(self, target: np.ndarray, near: np.ndarray) -> np.ndarray:
        """Angles that put the hand at a pose, the nearest to given ones by small steps."""
        q, best = np.array(near, float), np.inf
        for _ in range(MOST_STEPS):
            error = self.error(q, target)
            best = min(best, float(length(error)))
            if np.abs(error).max() < EXACT:
                return q
            J = self.jacobian(q)
            # damping that vanishes with the error: steps stay short near singular postures
            damped = product(J, J.T) + 1e-3 * min(1.0, float(dot(error, error))) * np.eye(6)
            step = applied(J.T, solve(damped + 1e-14 * np.eye(6), error))
            q = q + step * min(1.0, LONGEST_STEP / np.abs(step).max())
        left = self.error(q, target)
        turn_deg, way = np.degrees(length(left[:3])), length(left[3:])
        raise OutOfReach(f"the hand stays {way:.3g} m and {turn_deg:.3g} deg away from it")

    def beyond_stops(self, q: np.ndarray) -> list[int]:
        """Joints that are beyond their stops."""
        return [i for i in range(self.n) if not self.lower[i] <= q[i] <= self.upper[i]]


def _standing(joint: JointPart) -> np.ndarray:
    """A joint that is not the arm's, at its start; beams are straight."""
    start = joint.start
    if joint.coordinates and any(abs(x) > 0.0 for x in start[: len(start) - (4 if len(start) > 3 else 0)]):
        raise OutOfReach(f"joint '{joint.name}' lies in the arm and is not at zero; make it a joint of the arm")
    return np.eye(4)


def find_arm(scenario: Scenario, joints: Sequence[str], hand: str) -> tuple[Arm, Assembly]:
    """The arm of a scenario by the names of its joints, and the parts it was found in."""
    assembly = assemble(scenario)
    by_child = {joint.succ: joint for joint in reversed(assembly.joints)}
    marker = assembly.markers[hand]
    base = assembly.body_index(hand.partition(".")[0])
    chain: list[JointPart] = []
    body = marker.body
    while body != base:
        chain.insert(0, by_child[body])
        body = by_child[body].pred
    names = [joint.name for joint in chain]
    missing = [joint for joint in joints if joint not in names]
    if missing:
        raise OutOfReach(f"joint '{missing[0]}' does not lie between the base of its vehicle and the hand '{hand}'")
    places = tuple(list(joints).index(name) if name in joints else -1 for name in names)
    own = [chain[names.index(joint)].coordinates[0] for joint in joints]
    lower, upper = (np.array([getattr(c, side) for c in own]) for side in ("lower", "upper"))
    return Arm(tuple(chain), places, marker, lower, upper), assembly

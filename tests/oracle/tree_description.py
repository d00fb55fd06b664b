"""A neutral description of rigid-body trees, shared by the two tree oracles, and random trees and states.

Coordinates theta and speeds beta of a joint, body after body in list order (F: joint frame on the parent side,
J: joint frame on the child side, equal at zero coordinates, "fixed in X" meaning constant on X's axes):

    fixed        -                                -
    revolute     angle about axis                 its rate
    prismatic    travel along axis                its rate
    cylindrical  angle, travel, same axis         their rates
    universal    angle about axis (fixed in F), then about axis_2 (fixed in J)     their rates
    spherical    quaternion wxyz, J to F          angular velocity of J in F, on child axes
    free         position of J in F (3), quaternion wxyz     [angular velocity on child axes; d(position)/dt on F axes]

"Child axes" are those of J; PinocchioTree(omega_axes="body") takes the body's own axes instead. The two agree unless
child_rotation is used. Parent -1 is the inertial frame W; a tree in free space has a free joint there.
"""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tests.oracle.rotations import cross, hat, random_quat, random_rotation

JOINT_TYPES = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "free")
COORDINATES = {"fixed": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 4, "free": 7}
SPEEDS = {"fixed": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "free": 6}


@dataclass(frozen=True)
class TreeBody:
    """One rigid body and the joint to its parent, SI units; bodies come after their parents in the list."""

    name: str
    parent: int  # index in the list, -1 for the inertial frame
    mass: float
    com: np.ndarray  # (3,) mass centre, body frame
    inertia: np.ndarray  # (3, 3) about the mass centre, body axes
    joint: str  # one of JOINT_TYPES
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))  # origin of F in the parent's frame
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))  # F components to parent components
    child_position: np.ndarray = field(default_factory=lambda: np.zeros(3))  # origin of J in the body's frame
    child_rotation: np.ndarray = field(default_factory=lambda: np.eye(3))  # J components to body components
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))  # joint frame; any length
    axis_2: np.ndarray = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))  # joint frame; any length
    rotor: tuple[float, ...] = ()  # reflected rotor inertia (or mass) of each speed; not for spherical and free

    def __post_init__(self):
        if self.joint not in JOINT_TYPES:
            raise ValueError(f"unknown joint type {self.joint!r}")
        if self.rotor and (self.joint in ("spherical", "free") or len(self.rotor) != SPEEDS[self.joint]):
            raise ValueError(f"{self.name}: one rotor inertia for each single-axis speed, none for spherical and free")

    def unit_axis(self):
        return np.asarray(self.axis, float) / np.linalg.norm(self.axis)

    def unit_axis_2(self):
        return np.asarray(self.axis_2, float) / np.linalg.norm(self.axis_2)


def slices(bodies, sizes):
    """Slice of each body's joint in the vector of coordinates (sizes=COORDINATES) or speeds (sizes=SPEEDS)."""
    ends = np.cumsum([0] + [sizes[body.joint] for body in bodies])
    return [slice(int(a), int(b)) for a, b in pairwise(ends)]


def random_inertia(rng, size=1.0):
    """Mass and inertia about the mass centre of a random solid: tr(S) 1 - S, S a positive definite second moment."""
    mass = rng.uniform(0.5, 5.0)
    A = random_rotation(rng)
    S = mass * size**2 * A @ np.diag(rng.uniform(0.02, 0.2, 3)) @ A.T
    return mass, np.trace(S) * np.eye(3) - S


def _random_body(rng, k, parent, joint):
    mass, inertia = random_inertia(rng)
    placement = {}
    axis = rng.normal(size=3)
    if parent >= 0:
        placement = {
            "position": rng.uniform(-1.0, 1.0, 3),
            "rotation": random_rotation(rng),
            "child_position": rng.uniform(-0.5, 0.5, 3),
            "child_rotation": random_rotation(rng),
        }
    # the second axis keeps clear of the first: at least 45 degrees apart
    normal = cross(axis, rng.normal(size=3))
    axis_2 = normal / np.linalg.norm(normal) + rng.uniform(-0.7, 0.7) * axis / np.linalg.norm(axis)
    plain = joint not in ("spherical", "free")
    rotor = tuple(rng.uniform(0.0, 0.5, SPEEDS[joint])) if plain and rng.random() < 0.5 else ()
    com = rng.uniform(-0.5, 0.5, 3)
    return TreeBody(f"body_{k}", parent, mass, com, inertia, joint, axis=axis, axis_2=axis_2, rotor=rotor, **placement)


def random_tree(rng, n_bodies, joint_types=JOINT_TYPES):
    """Random free-floating tree: a free root, placed plainly, then joints from joint_types on any earlier body."""
    bodies = [_random_body(rng, 0, -1, "free")]
    for k in range(1, n_bodies):
        bodies.append(_random_body(rng, k, int(rng.integers(k)), str(rng.choice(joint_types))))
    return bodies


def random_state(rng, bodies, speed=1.0):
    """Random coordinates (angles up to +-pi, travels up to +-1 m) and speeds (standard deviation `speed`)."""
    theta = []
    for body in bodies:
        if body.joint == "spherical":
            theta.append(random_quat(rng))
        elif body.joint == "free":
            theta.append(np.concatenate([rng.uniform(-1.0, 1.0, 3), random_quat(rng)]))
        elif body.joint == "prismatic":
            theta.append(rng.uniform(-1.0, 1.0, 1))
        elif body.joint == "cylindrical":
            theta.append(rng.uniform([-np.pi, -1.0], [np.pi, 1.0]))
        else:
            theta.append(rng.uniform(-np.pi, np.pi, SPEEDS[body.joint]))
    beta = speed * rng.normal(size=sum(SPEEDS[body.joint] for body in bodies))
    return np.concatenate(theta), beta


def momentum(bodies, poses, velocities):
    """Linear momentum and angular momentum about the origin of W, summed over the bodies, world axes.

    poses = (positions (n, 3), rotations (n, 3, 3)) of the body frames; velocities (n, 6) = [omega; v of the origin].
    """
    P, H = np.zeros(3), np.zeros(3)
    for body, r, R, V in zip(bodies, *poses, velocities, strict=True):
        arm = R @ body.com
        p = body.mass * (V[3:] + cross(V[:3], arm))
        P += p
        H += R @ body.inertia @ R.T @ V[:3] + cross(r + arm, p)
    return P, H


def inertial_wrench(body, R, V, A):
    """[moment; force] that gives a body its motion, about its frame's origin, world axes (Newton-Euler).

    V = [omega; v], A = [omega'; v'] of the origin, v' the classical acceleration of that material point.
    """
    omega, alpha, arm = V[:3], A[:3], R @ body.com
    force = body.mass * (A[3:] + cross(alpha, arm) + cross(omega, cross(omega, arm)))
    J = R @ body.inertia @ R.T
    moment = J @ alpha + cross(omega, J @ omega) + hat(arm) @ force
    return np.concatenate([moment, force])

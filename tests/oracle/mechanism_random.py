"""Random mechanisms, poses and motions for the oracles. Lengths near those of a docking ring of 1.3 m.

A leg is built backwards: joint angles are drawn clear of singularities, the chain is scaled and turned to span base and
ring joint, and the branches sigma_e and sigma are read off. So the coordinates at the reference pose are known without
any closure. Everything is drawn from the given numpy Generator only.
"""

from typing import NamedTuple

import numpy as np

from tests.oracle.mechanism_description import JOINTS, LEG_TYPES, STEWART, Leg, Link, Mechanism, State, reach_margin
from tests.oracle.rotations import axis_turn, cross, hat, random_rotation, turn

X, Y, Z = np.eye(3)


class Reference(NamedTuple):
    """A ring pose and the joint coordinates there."""

    r_C: np.ndarray  # (3,)
    R_C: np.ndarray  # (3, 3)
    p: list[np.ndarray]  # (n,) of each leg


def random_link(rng, mass, length, spread=0.05):
    """A body along x from its origin, the mass centre up to `spread` off its middle, full inertia about the origin."""
    com = np.array([0.5 * length, 0.0, 0.0]) + rng.uniform(-spread, spread, 3)
    A = random_rotation(rng)
    # second moment about the origin, then inertia tr(S) 1 - S
    S = mass * (A @ np.diag(rng.uniform(0.05, 0.2, 3) ** 2) @ A.T + np.outer(com, com))
    return Link(mass, com, np.trace(S) * np.eye(3) - S)


def _sign(rng):
    return int(rng.choice([-1, 1]))


def _direction(rng):
    """Angles y, z of a universal joint well inside its range, and the link direction they give."""
    y, z = rng.uniform(-1.0, 1.0), rng.uniform(-0.8, 0.8)
    return y, z, axis_turn(Y, y) @ axis_turn(Z, z)


def _turn_onto(rng, start, end):
    """Random rotation that takes the direction of `start` to that of `end`."""
    frames = []
    for v in (start, end):
        x = v / np.linalg.norm(v)
        y = cross(rng.normal(size=3), x)
        y /= np.linalg.norm(y)
        frames.append(np.column_stack([x, y, cross(x, y)]))
    return frames[1] @ frames[0].T


def _stewart_geometry(rng, length):
    """Fields of a Stewart leg, its coordinates (y, z, stroke), and span and link frame in the base joint frame."""
    y, z, R = _direction(rng)
    stroke = rng.uniform(-0.1, 0.1)
    share = rng.uniform(0.3, 0.7)
    fields = {"a": share * (length - stroke), "b": (1.0 - share) * (length - stroke)}
    return fields, [y, z, stroke], length * R @ X, R


def _hunt_geometry(rng, length):
    """As _stewart_geometry, coordinates (crank, y, z), for a crank and rod whose triangle is far from flat."""
    while True:
        crank, rod = rng.uniform(0.3, 0.7), rng.uniform(0.6, 1.2)
        theta, R_k = rng.uniform(-np.pi, np.pi), turn(rng.normal(size=3))
        y, z, R = _direction(rng)
        R = axis_turn(Y, theta) @ R_k @ R
        elbow = crank * axis_turn(Y, theta) @ X
        span = elbow + rod * R @ X
        rho = np.hypot(span[0], span[2])
        # sine of the angle from the direction of the ring joint to the crank, about y
        sin_beta = (span[2] * elbow[0] - span[0] * elbow[2]) / (rho * crank)
        # away from reach's border, and the crank moves the elbow well along the rod
        if abs(sin_beta) > 0.5 and rho * abs(sin_beta) > 0.5 * rod:
            scale = length / np.linalg.norm(span)
            fields = {"l12": scale * crank, "l23": scale * rod, "R_k": R_k, "sigma_e": int(np.sign(sin_beta))}
            return fields, [theta, y, z], scale * span, R


def random_leg(rng, leg_type, l_0, ring_joint, l_C, R_C, rotors=True):
    """A leg from l_0 to ring_joint (both in B, the latter l_C in C), and its coordinates there."""
    d = ring_joint - l_0
    length = np.linalg.norm(d)
    build = _stewart_geometry if leg_type in STEWART else _hunt_geometry
    fields, p, span, R_link = build(rng, length)
    R_0 = _turn_onto(rng, span, d)
    # e2 perpendicular to e1, the y axis of the spun link, and clear of the link's axis
    if len(JOINTS[leg_type]) == 4:
        spin, tilt = rng.uniform(-2.5, 2.5), _sign(rng) * rng.uniform(0.6, 1.5)
        end = R_0 @ R_link @ axis_turn(X, spin)
        e2 = R_C.T @ end @ np.array([np.cos(tilt), 0.0, np.sin(tilt)])
        fields |= {"R_CJ": _turn_onto(rng, Z, e2), "sigma": int(np.sign(tilt))}
        p = [p[0], p[1], spin, p[2]] if leg_type in STEWART else [*p, spin]
    sizes = (fields["a"], fields["b"]) if leg_type in STEWART else (fields["l12"], fields["l23"])
    first, second = (random_link(rng, rng.uniform(1.0, 5.0), size) for size in sizes)
    inertias = tuple(rng.uniform(0.0, 0.3, len(p))) if rotors else ()
    return Leg(leg_type, l_0, R_0, l_C, first, second, rotors=inertias, **fields), np.array(p)


def random_mechanism(rng, types=LEG_TYPES, rotors=True):
    """A mechanism of six legs and its reference. types: one, or those to draw from; every one given is present."""
    types = (types,) if isinstance(types, str) else tuple(types)
    kinds = (list(types) + list(rng.choice(types, 6)))[:6]
    R_axis = random_rotation(rng)
    r_C = R_axis @ np.array([rng.uniform(0.4, 0.8), *rng.uniform(-0.05, 0.05, 2)])
    R_C = random_rotation(rng)
    legs, coordinates = [], []
    for k, kind in enumerate(rng.permutation(kinds)):
        at_base = axis_turn(X, np.radians(60.0 * k + rng.uniform(-8.0, 8.0)))
        at_ring = axis_turn(X, np.radians(60.0 * k + 25.0 * (-1) ** k + rng.uniform(-8.0, 8.0)))
        l_0 = R_axis @ at_base @ np.array([rng.uniform(-0.05, 0.05), rng.uniform(0.7, 0.9), 0.0])
        l_C = R_C.T @ R_axis @ at_ring @ np.array([rng.uniform(-0.05, 0.05), rng.uniform(0.6, 0.7), 0.0])
        leg, p = random_leg(rng, str(kind), l_0, r_C + R_C @ l_C, l_C, R_C, rotors)
        legs.append(leg)
        coordinates.append(p)
    ring = random_link(rng, rng.uniform(20.0, 60.0), 0.0, spread=0.1)
    return Mechanism(tuple(legs), ring), Reference(r_C, R_C, coordinates)


def random_poses(rng, reference, count, travel, angle):
    """Positions (count, 3) and rotations (count, 3, 3) up to `travel` [m] and `angle` [rad] off, reachable or not."""
    r_C = reference.r_C + rng.uniform(-travel, travel, (count, 3))
    R_C = [turn(vector) @ reference.R_C for vector in rng.uniform(-angle, angle, (count, 3))]
    return r_C, np.array(R_C)


def random_pose(rng, mechanism, reference, travel=0.05, angle=0.1, margin=0.08):
    """A ring pose up to `travel` [m] and `angle` [rad] from the reference, clear of the border of reach by `margin`."""
    while True:
        r_C, R_C = (x[0] for x in random_poses(rng, reference, 1, travel, angle))
        if all(reach_margin(leg, r_C, R_C) > margin for leg in mechanism.legs):
            return r_C, R_C


def random_state(rng, mechanism, reference, rate=1.0, load=100.0, moving_base=True):
    """Pose near the reference; ring twist, base rate, base acceleration of size `rate`; forces and W_C of `load`."""
    r_C, R_C = random_pose(rng, mechanism, reference)
    Q = [load * rng.normal(size=leg.n) for leg in mechanism.legs]
    base = rate * rng.normal(size=9) * moving_base
    return State(r_C, R_C, rate * rng.normal(size=6), Q, load * rng.normal(size=6), base[:3], base[3:])


def random_base(rng, mass=1000.0):
    """A spacecraft to float on; its frame is B."""
    com = rng.uniform(-1.0, 1.0, 3)
    A = random_rotation(rng)
    S = mass * A @ np.diag(rng.uniform(0.3, 1.0, 3)) @ A.T
    return Link(mass, com, np.trace(S) * np.eye(3) - S - mass * hat(com) @ hat(com))

"""A neutral description of parallel docking mechanisms, shared by their oracles (mechanism_*.py).

Frames: W inertial; B mechanism base, on the carrying spacecraft; C ring. R_AB takes B components to A. SI units.
A leg is a chain of one-axis joints from B to the ring, its last joint cut and closed by equations. Body j follows
joint j (j = 0 ... n-1), its axes turn with the joint, its origin is the joint centre:

    Stewart  y, z (and x) turn at l_0; then P(x) at a + stroke from l_0; the cut joint is at (b, 0, 0) of the upper link
    Hunt     R(y) turns at l_0; y, z (and x) turn at the elbow, (l12, 0, 0) of the crank, in the frame R_k fixed there;
             the cut joint is at (l23, 0, 0) of the rod

All bodies of one turning centre share its origin; those without a link of LINKS are massless. The first link (lower,
crank) and the second (upper, rod) have body axes and origin. Vectors are angular first, on B axes:

    u = [omega_C; v_C], u_dot: of C's origin as seen in B       A0 = [omega0'; v0'] of B, v0' the classical acceleration
    wrenches [moment; force]; W_C about C's origin              Q, p, rotors: one entry per kept joint
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

LEG_TYPES = ("UPS", "SPU", "UCU", "RUS", "RSU")
STEWART = ("UPS", "SPU", "UCU")
# kept joints, base to ring: axis of turn, or p for prismatic along x
JOINTS = {"UPS": "yzp", "SPU": "yzxp", "UCU": "yzxp", "RUS": "yyz", "RSU": "yyzx"}
# joint after which the first and the second link sit
LINKS = {"UPS": (1, 2), "SPU": (2, 3), "UCU": (1, 3), "RUS": (0, 2), "RSU": (0, 3)}
# joint that is driven or damped: the stroke, or the crank
ACTUATED = {"UPS": 2, "SPU": 3, "UCU": 3, "RUS": 0, "RSU": 0}


@dataclass(frozen=True)
class Link:
    """A rigid body; the ring and a floating base too."""

    mass: float
    com: np.ndarray  # (3,) mass centre, own frame
    inertia: np.ndarray  # (3, 3) about the ORIGIN of the own frame, own axes

    def inertia_about_com(self):
        c = self.com
        return self.inertia - self.mass * ((c @ c) * np.eye(3) - np.outer(c, c))


@dataclass(frozen=True)
class Leg:
    """One leg; a and b belong to Stewart legs, l12, l23, R_k, sigma_e to Hunt legs, R_CJ and sigma to four rows."""

    type: str
    l_0: np.ndarray  # (3,) base joint centre in B
    R_0: np.ndarray  # (3, 3) base joint frame to B
    l_C: np.ndarray  # (3,) ring joint centre in C
    first: Link  # lower link or crank
    second: Link  # upper link or rod
    R_CJ: np.ndarray = field(default_factory=lambda: np.eye(3))  # ring joint frame to C
    a: float = 0.0  # lower to upper origin at zero stroke
    b: float = 0.0  # upper origin to cut joint
    l12: float = 0.0  # crank
    l23: float = 0.0  # rod
    R_k: np.ndarray = field(default_factory=lambda: np.eye(3))  # elbow frame to crank
    sigma_e: int = 1  # elbow branch: sign of sin(crank angle - direction to the ring joint)
    sigma: int = 1  # spin branch
    rotors: tuple[float, ...] = ()  # reflected rotor inertia (mass, for P) per kept joint; empty for none

    def __post_init__(self):
        if self.type not in LEG_TYPES:
            raise ValueError(f"unknown leg type {self.type!r}")
        if len(self.rotors) not in (0, self.n):
            raise ValueError(f"{self.type}: {self.n} rotor inertias or none")

    @property
    def n(self):
        """Kept joints, equal to the closure rows m."""
        return len(JOINTS[self.type])

    def rotor_inertias(self):
        return np.array(self.rotors) if self.rotors else np.zeros(self.n)

    def tip(self):
        """Cut joint in the frame of the last body."""
        return np.array([self.b if self.type in STEWART else self.l23, 0.0, 0.0])


@dataclass(frozen=True)
class Mechanism:
    """Ring (frame C) on six legs; any number of legs works."""

    legs: tuple[Leg, ...]
    ring: Link
    weights: np.ndarray = field(default_factory=lambda: np.zeros((0, 6)))  # D: couplings of the driven joints
    coupled_rotors: np.ndarray = field(default_factory=lambda: np.zeros(0))  # inertia behind each coupling

    def coupled_inertia(self):
        """D' J D, against the accelerations of the driven joints."""
        return self.weights.T @ np.diag(self.coupled_rotors) @ self.weights


@dataclass(frozen=True)
class Joint:
    """One kept joint, placed in the frame of the body before it (B for the first)."""

    letter: str  # x, y, z, or p
    position: np.ndarray  # (3,) joint centre, at zero stroke
    rotation: np.ndarray  # (3, 3) joint frame to the frame before
    link: Link | None  # body that follows, None if massless

    @property
    def prismatic(self):
        return self.letter == "p"

    @property
    def axis(self):
        """Index of the axis in the joint frame."""
        return {"x": 0, "y": 1, "z": 2, "p": 0}[self.letter]


def chain(leg):
    """The kept joints of a leg, base to ring."""
    joints = []
    for j, letter in enumerate(JOINTS[leg.type]):
        position, rotation = np.zeros(3), np.eye(3)
        if j == 0:
            position, rotation = leg.l_0, leg.R_0
        elif letter == "p":
            position = np.array([leg.a, 0.0, 0.0])
        elif leg.type not in STEWART and j == 1:
            position, rotation = np.array([leg.l12, 0.0, 0.0]), leg.R_k
        link = dict(zip(LINKS[leg.type], (leg.first, leg.second))).get(j)
        joints.append(Joint(letter, position, rotation, link))
    return joints


def reach_margin(leg, r_C, R_C):
    """Distance to the border of reach over a leg length, negative out of reach.

    Hunt legs reach if the sphere of the rod about the ring joint meets the circle of the crank: nearest and farthest
    points of the circle lie at sqrt(h^2 + (rho -+ l12)^2). Stewart legs reach anything but the base joint itself.
    """
    d = leg.R_0.T @ (r_C + R_C @ leg.l_C - leg.l_0)
    if leg.type in STEWART:
        return np.linalg.norm(d) / (leg.a + leg.b)
    rho = np.hypot(d[0], d[2])
    near, far = np.hypot(d[1], rho - leg.l12), np.hypot(d[1], rho + leg.l12)
    return min(leg.l23 - near, far - leg.l23) / leg.l23


@dataclass(frozen=True)
class State:
    """Ring motion relative to B, loads, and motion of the base."""

    r_C: np.ndarray  # (3,) origin of C
    R_C: np.ndarray  # (3, 3) R_BC
    u: np.ndarray  # (6,)
    Q: list[np.ndarray]  # (n,) active joint forces of each leg
    W_C: np.ndarray = field(default_factory=lambda: np.zeros(6))  # contact wrench on the ring
    omega0: np.ndarray = field(default_factory=lambda: np.zeros(3))  # angular velocity of B
    A0: np.ndarray = field(default_factory=lambda: np.zeros(6))  # acceleration of B, not used on a floating base
    gravity: np.ndarray = field(default_factory=lambda: np.zeros(3))  # uniform gravity
    pull: Callable[[Link, np.ndarray, np.ndarray], np.ndarray] | None = None  # wrench on a body with axes R, origin r


@dataclass(frozen=True)
class Solution:
    """Accelerations and loads. Lists run over legs."""

    u_dot: np.ndarray  # (6,)
    A0: np.ndarray  # (6,) acceleration of B
    p_dot: list[np.ndarray]  # (n,)
    p_ddot: list[np.ndarray]  # (n,)
    cut_force: list[np.ndarray]  # (m,) ring on leg at the cut joint: force, and moment along e1 x e2 if m = 4
    joint_wrench: list[np.ndarray]  # (n, 6) parent on body j, about body j's origin
    base_wrench: np.ndarray  # (6,) base on mechanism, about B's origin

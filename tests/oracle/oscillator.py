"""One- and two-body closed forms: damped and Coulomb-damped oscillators, push-off spring, inelastic join."""

from dataclasses import dataclass

import numpy as np

from tests.oracle.rotations import hat


def damped_oscillator(mass, damping, stiffness, x0, v0, t):
    """Position and velocity of m x'' + c x' + k x = 0 at times t; below, at and above critical damping.

    With d = c/(2m) and W^2 = d^2 - k/m (W imaginary if underdamped):

        x = e^(-dt) (x0 cosh(Wt) + (v0 + d x0) sinh(Wt)/W)
    """
    t = np.asarray(t, float)
    d = damping / (2.0 * mass)
    square = d * d - stiffness / mass
    if square == 0.0:
        C, S = np.ones_like(t), t
    elif square < 0.0:
        W = np.sqrt(-square)
        C, S = np.cos(W * t), np.sin(W * t) / W
    else:
        W = np.sqrt(square)
        C, S = np.cosh(W * t), np.sinh(W * t) / W
    decay = np.exp(-d * t)
    x = decay * (x0 * C + (v0 + d * x0) * S)
    v = decay * (v0 * C - (d * v0 + stiffness / mass * x0) * S)
    return x, v


@dataclass(frozen=True)
class CoulombOscillator:
    """m x'' + k x = -f sign(x'), released at rest from x0.

    Each half cycle is a cosine about +-f/k, so the amplitude drops by 2 f/k; it sticks at the first turning point with
    |x| <= f/k (Den Hartog, Mechanical Vibrations). Static friction equals sliding friction.
    """

    mass: float
    stiffness: float
    friction: float
    x0: float

    def half_period(self):
        return np.pi * np.sqrt(self.mass / self.stiffness)

    def half_cycles(self):
        """Number of half cycles until it sticks."""
        offset = self.friction / self.stiffness
        return max(0, int(np.ceil((abs(self.x0) / offset - 1.0) / 2.0)))

    def turning_point(self, k):
        """Position after k half cycles."""
        offset = self.friction / self.stiffness
        return (-1.0) ** k * np.sign(self.x0) * (abs(self.x0) - 2.0 * k * offset)

    def sticking_point(self):
        """Time and position at which it stops for good."""
        k = self.half_cycles()
        return k * self.half_period(), self.turning_point(k)

    def motion(self, t):
        """Position and velocity at one time t."""
        k = int(t // self.half_period())
        if k >= self.half_cycles():
            return self.sticking_point()[1], 0.0
        w = np.sqrt(self.stiffness / self.mass)
        start = self.turning_point(k)
        centre = np.sign(start) * self.friction / self.stiffness
        phase = w * (t - k * self.half_period())
        return centre + (start - centre) * np.cos(phase), -(start - centre) * w * np.sin(phase)


def push_off(mass_a, mass_b, stiffness, stroke, velocity=0.0):
    """Two masses moving together at `velocity`, pushed apart along a line by a spring compressed by `stroke`.

    Reduced mass r = ma mb/(ma + mb), separation speed u = stroke sqrt(k/r), reached after (pi/2) sqrt(r/k).
    Returns (velocity of a, velocity of b, duration); b goes forward, a backward.
    """
    reduced = mass_a * mass_b / (mass_a + mass_b)
    u = stroke * np.sqrt(stiffness / reduced)
    duration = 0.5 * np.pi * np.sqrt(reduced / stiffness)
    return velocity - u * reduced / mass_a, velocity + u * reduced / mass_b, duration


@dataclass(frozen=True)
class RigidBody:
    """One rigid body, all on inertial axes: inertia about the mass centre, position and velocity of the latter."""

    mass: float
    inertia: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    omega: np.ndarray

    def linear_momentum(self):
        return self.mass * self.velocity

    def angular_momentum(self):
        """About the origin."""
        return self.inertia @ self.omega + np.cross(self.position, self.linear_momentum())

    def kinetic_energy(self):
        return 0.5 * (self.mass * self.velocity @ self.velocity + self.omega @ self.inertia @ self.omega)


def join_rigid_bodies(a, b):
    """The one body that two rigid bodies become when they are welded as they are, and the kinetic energy lost.

    Total momentum P, total angular momentum H about the common mass centre c and the inertia J about c give
    v_c = P/m and omega = J^-1 H; no other law is needed.
    """
    mass = a.mass + b.mass
    c = (a.mass * a.position + b.mass * b.position) / mass
    v = (a.linear_momentum() + b.linear_momentum()) / mass
    J, H = np.zeros((3, 3)), np.zeros(3)
    for body in (a, b):
        r = hat(body.position - c)
        J += body.inertia - body.mass * r @ r
        H += body.inertia @ body.omega + body.mass * r @ body.velocity
    joined = RigidBody(mass, J, c, v, np.linalg.solve(J, H))
    return joined, a.kinetic_energy() + b.kinetic_energy() - joined.kinetic_energy()

"""Planar pendulums: chains of rigid links on hinges with torsional springs, on a fixed pivot or floating free.

Link i has its mass centre at com[i] and the next hinge at length[i], both on a straight line from its inner hinge.
Coordinates are the absolute angles of the links from the +x axis [rad], after the inner end's (x, y) if floating. A
uniform field `gravity` [m/s2] points along +x, so that the chain hangs straight at zero angles; a fixed pivot that
accelerates along -x is the same thing. Hinge springs are relaxed when neighbours are aligned; the spring of link 0 acts
between link 0 and the fixed direction +x, and must be zero if the chain floats. The equations are Lagrange's.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipk


@dataclass(frozen=True)
class PlanarChain:
    """Rigid links; arrays of equal length. inertia is about each mass centre, normal to the plane."""

    mass: np.ndarray
    inertia: np.ndarray
    com: np.ndarray
    length: np.ndarray
    stiffness: np.ndarray
    gravity: float = 0.0
    floating: bool = False

    def _levers(self):
        """Lever matrix W: mass centre i lies at inner end + sum_j W[i, j] (cos phi_j, sin phi_j)."""
        n = len(self.mass)
        return np.tril(np.tile(self.length, (n, 1)), -1) + np.diag(self.com)

    def _spring_matrix(self):
        """K over the absolute angles: sum of k_i (phi_i - phi_(i-1))^2 / 2, with phi_(-1) = 0."""
        n = len(self.mass)
        difference = np.eye(n) - np.eye(n, k=-1)
        return difference.T @ np.diag(self.stiffness) @ difference

    def _jacobian(self, phi):
        """Velocity of all mass centres (n, 2) per speed: (n, 2, size)."""
        W = self._levers()
        turning = np.stack([-W * np.sin(phi), W * np.cos(phi)], axis=1)
        if not self.floating:
            return turning
        sliding = np.tile(np.eye(2), (len(phi), 1, 1))
        return np.concatenate([sliding, turning], axis=2)

    def mass_matrix(self, phi):
        J = self._jacobian(phi)
        M = np.einsum("i,iar,ias->rs", self.mass, J, J)
        n = len(phi)
        M[-n:, -n:] += np.diag(self.inertia)
        return M

    def acceleration(self, q, v):
        """M q'' = sum of m J^T (g - centripetal acceleration) - K phi."""
        n = len(self.mass)
        phi, spin = q[-n:], v[-n:]
        W = self._levers()
        centripetal = -np.stack([W @ (np.cos(phi) * spin**2), W @ (np.sin(phi) * spin**2)], axis=1)
        field = np.array([self.gravity, 0.0])
        force = np.einsum("i,iar,ia->r", self.mass, self._jacobian(phi), field - centripetal)
        force[-n:] -= self._spring_matrix() @ phi
        return np.linalg.solve(self.mass_matrix(phi), force)

    def energy(self, q, v):
        """Kinetic plus potential energy [J]."""
        n = len(self.mass)
        phi = q[-n:]
        x = self._levers() @ np.cos(phi) + (q[0] if self.floating else 0.0)
        potential = 0.5 * phi @ self._spring_matrix() @ phi - self.gravity * self.mass @ x
        return 0.5 * v @ self.mass_matrix(phi) @ v + potential

    def motion(self, q0, v0, times, rtol=1e-13):
        """Coordinates and speeds, each (k, size), at ascending times from 0, by DOP853."""
        size = len(q0)
        y0 = np.concatenate([q0, v0])

        def rate(_, y):
            return np.concatenate([y[size:], self.acceleration(y[:size], y[size:])])

        y = solve_ivp(rate, (0.0, times[-1]), y0, "DOP853", t_eval=times, rtol=rtol, atol=1e-14).y.T
        return y[:, :size], y[:, size:]

    def small_matrices(self):
        """M and K of small oscillations about the straight chain, rigid motion eliminated if it floats.

        Fixed: over the absolute angles. Floating (no field): over the hinge angles phi_i - phi_(i-1), i >= 1, with the
        transverse and angular momentum zero: M_hh - M_hb M_bb^-1 M_bh.
        """
        n = len(self.mass)
        M = self.mass_matrix(np.zeros(n))
        if not self.floating:
            weight = np.diag(self.gravity * self.mass @ self._levers())
            return M, self._spring_matrix() + weight
        # transverse coordinates: y, phi_0, hinge angles
        to_absolute = np.zeros((n + 2, n + 1))
        to_absolute[1, 0] = 1.0
        to_absolute[2:, 1:] = np.tril(np.ones((n, n)))
        M = to_absolute.T @ M @ to_absolute
        reduced = M[2:, 2:] - M[2:, :2] @ np.linalg.solve(M[:2, :2], M[:2, 2:])
        return reduced, np.diag(self.stiffness[1:])


def double_pendulum_frequencies(chain):
    """The two small-amplitude frequencies [rad/s] of two links on a pivot, or of three links floating free.

    Roots of det(K - w^2 M) = det(M) w^4 - (M11 K22 + M22 K11 - 2 M12 K12) w^2 + det(K), slow one first. Two equal
    simple pendulums of length l give w^2 = (2 -+ sqrt(2)) g/l.
    """
    M, K = chain.small_matrices()
    a = M[0, 0] * M[1, 1] - M[0, 1] ** 2
    b = M[0, 0] * K[1, 1] + M[1, 1] * K[0, 0] - 2.0 * M[0, 1] * K[0, 1]
    c = K[0, 0] * K[1, 1] - K[0, 1] ** 2
    fast = (b + np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    return np.sqrt(c / (a * fast)), np.sqrt(fast)


def compound_pendulum_period(mass, inertia_com, com, gravity, amplitude):
    """Exact period [s] of a compound pendulum: 4 K(sin^2(A/2)) / w0, w0^2 = m g c / (I + m c^2)."""
    w0 = np.sqrt(mass * gravity * com / (inertia_com + mass * com**2))
    return 4.0 * ellipk(np.sin(0.5 * amplitude) ** 2) / w0


def reduced_inertia(mass_1, inertia_1, arm_1, mass_2, inertia_2, arm_2):
    """Inertia [kg m2] felt by the hinge between two bodies that float free, moving in a plane with zero momentum.

    inertia: about each mass centre, along the hinge axis (a principal axis). arm_1 runs from mass centre 1 to the
    hinge, arm_2 from the hinge to mass centre 2 (vectors normal to the axis). With r = m1 m2/(m1 + m2):

        A = I1 + r |arm_1|^2,  B = I2 + r |arm_2|^2,  C = r arm_1 . arm_2,   I = (A B - C^2) / (A + B + 2 C)
    """
    r = mass_1 * mass_2 / (mass_1 + mass_2)
    A = inertia_1 + r * np.dot(arm_1, arm_1)
    B = inertia_2 + r * np.dot(arm_2, arm_2)
    C = r * np.dot(arm_1, arm_2)
    return (A * B - C * C) / (A + B + 2.0 * C)


def hinge_frequency(stiffness, mass_1, inertia_1, arm_1, mass_2, inertia_2, arm_2):
    """Small-amplitude frequency [rad/s] of two free-floating bodies joined by a hinge with a torsional spring.

    Exact at every amplitude only if one mass centre lies on the hinge; otherwise C turns with the angle.
    """
    return np.sqrt(stiffness / reduced_inertia(mass_1, inertia_1, arm_1, mass_2, inertia_2, arm_2))

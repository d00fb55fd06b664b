"""Torque-free rotation of one rigid body: closed forms of rates and attitude.

Body axes are principal axes; omega [rad/s] is in body axes; R_WB takes body components to the inertial frame W.
Sources: Landau & Lifshitz, Mechanics, par. 36-37 (Jacobi elliptic solution); Whittaker, Analytical Dynamics, par. 69
(third Euler angle by an elliptic integral of the third kind); Carlson, DLMF 19.25.14 (that integral by R_F and R_J).
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk, ellipkinc, elliprf, elliprj

from tests.oracle.rotations import cross, quat_matrix, quat_rate, turn

SLUG_FT2 = 1.3558179483314004  # [kg m2], 14.593902937206365 kg times (0.3048 m)^2


class NescBrick:
    """NESC atmospheric check case 2, without the air: the tumbling brick (NASA/TM-2015-218675).

    The final rates are converged values; the tools published with the case differ from them by up to 3.3e-5 deg/s.
    """

    inertia_kg_m2 = np.array([0.001894220, 0.006211019, 0.007194665]) * SLUG_FT2
    rate_deg_s = np.array([10.0, 20.0, 30.0])
    duration_s = 30.0
    final_rate_deg_s = np.array([12.6183907759, -17.3974747616, 31.1195888869])


@dataclass(frozen=True)
class AxisymmetricBody:
    """Body with two equal principal moments I_t and one, I_a, about body axis number `axis`.

    With e the axis, n = (1 - I_a/I_t) omega0_e and h = R0 I omega0:

        omega(t) = Exp(-n t e) omega0,     R(t) = Exp(h t / I_t) R0 Exp(n t e)

    Proof of the second: omega = I^-1 h is h/I_t plus n e, for every attitude.
    """

    transverse: float
    axial: float
    omega0: np.ndarray
    R0: np.ndarray
    axis: int = 2

    def _spin(self):
        e = np.eye(3)[self.axis]
        return (1.0 - self.axial / self.transverse) * self.omega0[self.axis] * e

    def inertia(self):
        moments = np.full(3, float(self.transverse))
        moments[self.axis] = self.axial
        return np.diag(moments)

    def omega(self, t):
        return turn(-self._spin() * t) @ self.omega0

    def attitude(self, t):
        h_W = self.R0 @ self.inertia() @ self.omega0
        return turn(h_W * t / self.transverse) @ self.R0 @ turn(self._spin() * t)


def ellippi(n, phi, m):
    """Incomplete elliptic integral of the third kind: integral of 1/((1 - n sin^2) sqrt(1 - m sin^2)) from 0 to phi."""
    turns = np.round(phi / np.pi)
    s, c = np.sin(phi - turns * np.pi), np.cos(phi - turns * np.pi)
    delta2, p = 1.0 - m * s * s, 1.0 - n * s * s
    part = s * elliprf(c * c, delta2, 1.0) + n / 3.0 * s**3 * elliprj(c * c, delta2, 1.0, p)
    if turns == 0.0:
        return part
    whole = elliprf(0.0, 1.0 - m, 1.0) + n / 3.0 * elliprj(0.0, 1.0 - m, 1.0, 1.0 - n)
    return part + 2.0 * turns * whole


class AsymmetricBody:
    """Body with three distinct principal moments (any order), rates omega0 [rad/s] and attitude R0 at t = 0.

    Axis c is the one that carries dn: the largest moment if L^2 > 2 E I_b (b: middle moment), else the smallest; a is
    the other one. With s = +-1 for the handedness of (a, b, c) and the direction of the polhode,

        s omega = (A_a cn, A_b sn, A_c dn)(p t + u0 | m)
        A_a^2 = (2 E I_c - L^2) / (I_a (I_c - I_a)), ...
        p^2 = (I_c - I_b)(L^2 - 2 E I_a) / (I_a I_b I_c)
        m = (I_b - I_a)(2 E I_c - L^2) / ((I_c - I_b)(L^2 - 2 E I_a))

    The azimuth psi of axis c about the fixed angular momentum turns at L (2E - I_c w_c^2) / (L^2 - I_c^2 w_c^2), which
    integrates to L t / I_c plus an elliptic integral of the third kind. Limits: not the separatrix (m = 1); attitude
    not for an exact spin about axis c, where the azimuth means nothing.
    """

    def __init__(self, moments, omega0, R0=None):
        self.moments = np.asarray(moments, float)
        self.omega0 = np.asarray(omega0, float)
        self.R0 = np.eye(3) if R0 is None else np.asarray(R0, float)
        self.L2 = float(np.sum((self.moments * self.omega0) ** 2))
        self.E2 = float(np.sum(self.moments * self.omega0**2))  # twice the kinetic energy

        # axes: a, b, c
        order = np.argsort(self.moments)
        if self.L2 < self.E2 * self.moments[order[1]]:
            order = order[::-1]
        self.order = order
        Ia, Ib, Ic = self.moments[order]

        # amplitudes, frequency, parameter
        low, high = self.E2 * Ic - self.L2, self.L2 - self.E2 * Ia
        ratios = [low / (Ia * (Ic - Ia)), low / (Ib * (Ic - Ib)), high / (Ic * (Ic - Ia))]
        self.amplitude = np.sqrt(np.maximum(ratios, 0.0))
        self.p = np.sqrt((Ic - Ib) * high / (Ia * Ib * Ic))
        self.m = (Ib - Ia) * low / ((Ic - Ib) * high)

        # signs: handedness, then a half turn about b when axis c runs backwards
        handed = np.linalg.det(np.eye(3)[order])
        self.signs = np.full(3, handed * np.sign(Ic - Ib))
        if self.signs[2] * self.omega0[order[2]] < 0.0:
            self.signs *= np.array([-1.0, 1.0, -1.0])

        # phase
        start = self.signs * self.omega0[order]
        self.phi0 = np.arctan2(start[1] * self.amplitude[0], start[0] * self.amplitude[1])
        self.u0 = ellipkinc(self.phi0, self.m)

    def period(self):
        """Period of the body rates [s]: 4 K(m) / p."""
        return 4.0 * ellipk(self.m) / self.p

    def omega(self, t):
        sn, cn, dn, _ = ellipj(self.p * t + self.u0, self.m)
        omega = np.empty(3)
        omega[self.order] = self.signs * self.amplitude * np.array([cn, sn, dn])
        return omega

    def azimuth(self, t):
        """Angle by which body axis c has turned about the angular momentum since t = 0 [rad]."""
        Ic, Ac2 = self.moments[self.order[2]], self.amplitude[2] ** 2
        L = np.sqrt(self.L2)
        D = self.L2 - Ic**2 * Ac2
        n = -(Ic**2) * Ac2 * self.m / D

        # amplitude function, continued past the quarter period
        quarter = ellipk(self.m)
        u = self.p * t + self.u0
        halves = np.round(u / (2.0 * quarter))
        phi = ellipj(u - 2.0 * quarter * halves, self.m)[3] + np.pi * halves

        integral = (ellippi(n, phi, self.m) - ellippi(n, self.phi0, self.m)) / self.p
        return L * t / Ic + L * (self.E2 - self.L2 / Ic) / D * integral

    def _momentum_frame(self, omega):
        """Body components of: angular momentum direction, axis c made normal to it, and their cross product."""
        along = self.moments * omega / np.sqrt(self.L2)
        across = np.eye(3)[self.order[2]] - along[self.order[2]] * along
        across /= np.linalg.norm(across)
        return np.column_stack([along, across, cross(along, across)])

    def attitude(self, t):
        start = self.R0 @ self._momentum_frame(self.omega0)
        h_W = start[:, 0]
        return turn(self.azimuth(t) * h_W) @ start @ self._momentum_frame(self.omega(t)).T


def integrate_free_body(inertia, omega0, q0, times, rtol=1e-13):
    """Torque-free rigid body by DOP853: I omega' = -omega x I omega, q' = q (0, omega)/2.

    Returns omega (n, 3) in body axes and R_WB (n, 3, 3) at the given times (ascending, from 0).
    """
    inertia = np.asarray(inertia, float)
    inverse = np.linalg.inv(inertia)

    def rate(_, y):
        return np.concatenate([inverse @ cross(inertia @ y[:3], y[:3]), quat_rate(y[3:], y[:3])])

    y0 = np.concatenate([omega0, q0])
    y = solve_ivp(rate, (0.0, times[-1]), y0, "DOP853", t_eval=times, rtol=rtol, atol=1e-14).y.T
    return y[:, :3], np.array([quat_matrix(q) for q in y[:, 3:]])

"""Euler-Bernoulli beams and torsion rods, uniform, of length L and total mass m: frequencies [rad/s] and deflections.

Bending: omega_n = b_n^2 sqrt(EI / (m L^3)), with b_n the roots of the end conditions' equation; torsion:
omega_n = b_n sqrt(GJ / (J_p L)), J_p the polar mass moment of the whole rod about its axis [kg m2].
Neglected: shear, rotary inertia of the cross-section, axial loads. Source: Blevins, Formulas for Natural Frequency and
Mode Shape, chapter on straight beams; the equations are divided by cosh(b) so that high roots do not overflow.
"""

import numpy as np
from scipy.optimize import brentq

ROOT_TOLERANCE = 1e-14


def _roots(f, brackets):
    return np.array([brentq(f, low, high, xtol=ROOT_TOLERANCE, rtol=1e-15) for low, high in brackets])


def cantilever_roots(count):
    """Roots of 1 + cos b cosh b = 0: 1.87510, 4.69409, 7.85476, ... ; one in each ((n-1) pi, n pi)."""
    return _roots(lambda b: np.cos(b) + 1.0 / np.cosh(b), [(n * np.pi, (n + 1) * np.pi) for n in range(count)])


def free_free_roots(count):
    """Roots of cos b cosh b = 1, rigid motion left out: 4.73004, 7.85320, ... ; one within 1/2 of (n + 1/2) pi."""
    centres = [(n + 1.5) * np.pi for n in range(count)]
    return _roots(lambda b: np.cos(b) - 1.0 / np.cosh(b), [(c - 0.5, c + 0.5) for c in centres])


def clamped_pinned_roots(count):
    """Roots of tan b = tanh b: 3.92660, 7.06858, ... ; one within 1/2 of (n + 1/4) pi."""
    centres = [(n + 1.25) * np.pi for n in range(count)]
    return _roots(lambda b: np.sin(b) - np.cos(b) * np.tanh(b), [(c - 0.5, c + 0.5) for c in centres])


def tip_mass_roots(count, mass_ratio):
    """Roots of 1 + cos b cosh b + r b (cos b sinh b - sin b cosh b) = 0, r = tip mass over beam mass (a point mass).

    The n-th root lies between the (n-1)-th clamped-pinned root (r infinite) and the n-th cantilever root (r = 0).
    """
    if mass_ratio == 0.0:
        return cantilever_roots(count)

    def f(b):
        return 1.0 / np.cosh(b) + np.cos(b) + mass_ratio * b * (np.cos(b) * np.tanh(b) - np.sin(b))

    lows = np.concatenate([[0.0], clamped_pinned_roots(count - 1)])
    return _roots(f, zip(lows, cantilever_roots(count), strict=True))


def _bending(roots, EI, length, mass):
    return roots**2 * np.sqrt(EI / (mass * length**3))


def cantilever_frequencies(EI, length, mass, count=3, tip_mass=0.0):
    """Clamped-free bending frequencies [rad/s], with an optional point mass at the tip."""
    return _bending(tip_mass_roots(count, tip_mass / mass), EI, length, mass)


def free_free_frequencies(EI, length, mass, count=3):
    """Bending frequencies [rad/s] of a beam floating free, rigid motion left out."""
    return _bending(free_free_roots(count), EI, length, mass)


def torsion_frequencies(GJ, length, polar_inertia, count=3, tip_inertia=0.0):
    """Torsional frequencies [rad/s] of a clamped rod: b tan b = J_p / J_tip; without tip inertia b = (n - 1/2) pi."""
    if tip_inertia == 0.0:
        roots = (np.arange(count) + 0.5) * np.pi
    else:
        ratio = polar_inertia / tip_inertia
        brackets = [(n * np.pi, (n + 0.5) * np.pi) for n in range(count)]
        roots = _roots(lambda b: b * np.sin(b) - ratio * np.cos(b), brackets)
    return roots * np.sqrt(GJ / (polar_inertia * length))


def tip_deflection(EI, length, force=0.0, moment=0.0, load_per_length=0.0):
    """Static tip deflection [m] and slope [rad] of a cantilever under tip force and moment and uniform load."""
    deflection = force * length**3 / 3.0 + moment * length**2 / 2.0 + load_per_length * length**4 / 8.0
    slope = force * length**2 / 2.0 + moment * length + load_per_length * length**3 / 6.0
    return deflection / EI, slope / EI


def tip_twist(GJ, length, torque):
    """Static twist [rad] of a clamped rod under a tip torque: T L / GJ."""
    return torque * length / GJ

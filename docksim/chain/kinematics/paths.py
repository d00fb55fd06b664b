"""Targets in time: value, rate and acceleration at any instant, twice continuously differentiable.

Before the first waypoint and after the last the target stands still.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from docksim.algebra.masses import cross_matrix
from docksim.algebra.rotations import rotation_vectors
from docksim.config.schema.chain_conditions import Circle

Point = tuple[np.ndarray, np.ndarray, np.ndarray]
Path = Callable[[float], Point]
Turning = Callable[[float], Point]  # R_WD, and angular velocity and acceleration on axes of D


def standing(value: np.ndarray) -> Path:
    """A place."""
    zero = np.zeros_like(value)
    return lambda t: (value, zero, zero)


def swinging(middle: np.ndarray, size: float, frequency_Hz: float) -> Path:
    """A sine about a place."""
    w = 2.0 * np.pi * frequency_Hz
    ones = np.ones_like(middle)

    def at(t: float) -> Point:
        s, c = np.sin(w * t), np.cos(w * t)
        return middle + size * s * ones, size * w * c * ones, -size * w * w * s * ones

    return at


def smooth(times: Sequence[float], values: np.ndarray, law: str) -> Path:
    """Through waypoints (W, d): 'rest' stops at each, by quintics; 'spline' is a cubic spline, at rest at its ends."""
    if len(times) == 1:
        return standing(np.asarray(values[0], float))
    knots = np.asarray(times, float)
    values = np.asarray(values, float)
    if law == "rest":
        return lambda t: _stepwise(knots, values, t)
    return _spline(knots, values)


def _spline(knots: np.ndarray, values: np.ndarray) -> Path:
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(knots, values, bc_type="clamped")
    first, second = spline.derivative(), spline.derivative(2)

    def at(t: float) -> Point:
        if t < knots[0] or t > knots[-1]:
            return standing(values[0] if t < knots[0] else values[-1])(t)
        return spline(t), first(t), second(t)

    return at


def _stepwise(knots: np.ndarray, values: np.ndarray, t: float) -> Point:
    i, s, ds, dds = _progress(knots, t)
    step = values[i + 1] - values[i]
    return values[i] + s * step, ds * step, dds * step


def _progress(knots: np.ndarray, t: float) -> tuple[int, float, float, float]:
    """Segment, and the quintic from 0 to 1 in it, with its derivatives."""
    i = int(np.clip(np.searchsorted(knots, t, side="right") - 1, 0, len(knots) - 2))
    span = float(knots[i + 1] - knots[i])
    x = float(np.clip((t - knots[i]) / span, 0.0, 1.0))
    s = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
    ds = 30.0 * x**2 * (1.0 - x) ** 2 / span
    dds = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / span**2
    return i, s, ds, dds


def around(circle: Circle) -> Path:
    """A circle at a constant rate."""
    normal = np.array(circle.normal) / np.linalg.norm(circle.normal)
    guess = np.array(circle.start) if circle.start is not None else np.eye(3)[int(np.argmin(np.abs(normal)))]
    across = guess - (guess @ normal) * normal
    if np.linalg.norm(across) < 1e-9:
        across = np.eye(3)[int(np.argmin(np.abs(normal)))]
        across = across - (across @ normal) * normal
    x = across / np.linalg.norm(across) * circle.radius_m
    y = np.cross(normal, x)
    w = 2.0 * np.pi / circle.period_s
    centre = np.array(circle.center_m)

    def at(t: float) -> Point:
        c, s = np.cos(w * t), np.sin(w * t)
        out = c * x + s * y
        return centre + out, w * (c * y - s * x), -w * w * out

    return at


# ---------------------------------------------------------------- attitudes


def turning(times: Sequence[float], attitudes: Sequence[np.ndarray]) -> Turning:
    """Through attitudes, stopping at each, by the shortest turn between neighbours."""
    if len(times) == 1:
        fixed = attitudes[0]
        return lambda t: (fixed, np.zeros(3), np.zeros(3))
    knots = np.asarray(times, float)
    turns = [rotation_vector(a.T @ b) for a, b in pairwise(attitudes)]

    def at(t: float) -> Point:
        i, s, ds, dds = _progress(knots, t)
        return attitudes[i] @ turned(s * turns[i]), ds * turns[i], dds * turns[i]

    return at


def turned(vector: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector."""
    angle = float(np.linalg.norm(vector))
    K = cross_matrix(vector)
    # sin x / x and (1 - cos x) / x² without cancellation
    first = np.sinc(angle / np.pi)
    second = 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2
    return np.eye(3) + first * K + second * (K @ K)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Rotation vector of a matrix, shorter than half a turn; exact near zero and near half a turn.

    An imaginary part of the matrix, small of the first order, becomes that of the vector.
    """
    vector = rotation_vectors(R.real)
    if not np.iscomplexobj(R):
        return vector
    turn = R.real.T @ R.imag
    by_turn, _ = rate_matrix(vector, np.zeros(3))
    return vector + 1j * (
        by_turn @ (0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]))
    )


def rate_matrix(vector: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E with d(vector)/dt = E w, w on the inner axes, and its time derivative.

    E = 1 + v~/2 + c v~², c = (1 - (x/2) cot(x/2)) / x².
    """
    x2 = vector @ vector
    x = np.sqrt(x2)
    if x.real < 1e-2:
        # series to x⁴: error below 1e-15
        c = 1.0 / 12.0 + x2 / 720.0 + x2 * x2 / 30240.0
        dc = (1.0 / 360.0 + x2 / 7560.0) * (vector @ rate)
    else:
        half = 0.5 * x
        cot = 1.0 / np.tan(half)
        c = (1.0 - half * cot) / x2
        by_x = (-0.5 * cot + 0.5 * half / np.sin(half) ** 2) / x2 - 2.0 * c / x
        dc = by_x * (vector @ rate) / x
    K, dK = cross_matrix(vector), cross_matrix(rate)
    E = np.eye(3) + 0.5 * K + c * (K @ K)
    return E, 0.5 * dK + dc * (K @ K) + c * (dK @ K + K @ dK)

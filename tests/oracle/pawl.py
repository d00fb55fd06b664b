"""A pawl as a small mass on a cam: contact by penalty, friction of tip and pivot by Dahl's law, integrated by scipy.

The striker's motion is given. Its surface rises by tan(a) up to the lift, then is flat. On the tip act the normal
force N along (sin b, cos b) and friction f against its sliding along (-cos b, sin b), b the slope where it touches; the
first component is along the axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

# stiff against the bristles, so that the tip's give does not turn friction round
STIFFNESS, DAMPING, BRISTLE = 5e7, 700.0, 1e-5


@dataclass
class Cam:
    """Sizes and forces of one pawl."""

    ramp_deg: float
    lift_m: float
    nose_m: float
    spring_N: float
    spring_N_m: float
    pivot_friction_N: float
    friction: float
    mass_kg: float

    def forces(self, s: float, s_rate: float, state: np.ndarray) -> tuple[float, float]:
        """On the tip, along the lift, and on the striker, against its coming; without spring and pivot."""
        y, y_rate, slip, _ = state
        tangent = math.tan(math.radians(self.ramp_deg))
        rising = s * tangent < self.lift_m
        b = math.radians(self.ramp_deg) if rising else 0.0
        depth = (min(s * tangent, self.lift_m) - y) * math.cos(b)
        rate = s_rate * math.sin(b) - y_rate * math.cos(b)
        N = max(STIFFNESS * depth + DAMPING * rate, 0.0) if depth > 0.0 else 0.0
        f = self.friction * N * slip
        return N * math.cos(b) - f * math.sin(b), N * math.sin(b) + f * math.cos(b)

    def rates(self, s: float, s_rate: float, state: np.ndarray) -> list[float]:
        y, y_rate, slip, turn = state
        push, _ = self.forces(s, s_rate, state)
        rest = STIFFNESS * max(-y, 0.0) - DAMPING * (y_rate if y < 0.0 else 0.0)
        back = self.spring_N + self.spring_N_m * y + self.pivot_friction_N * turn
        rising = s * math.tan(math.radians(self.ramp_deg)) < self.lift_m
        b = math.radians(self.ramp_deg) if rising else 0.0
        sliding = s_rate * math.cos(b) + y_rate * math.sin(b)
        return [
            y_rate,
            (push + rest - back) / self.mass_kg,
            (sliding - abs(sliding) * slip) / BRISTLE,
            (y_rate - abs(y_rate) * turn) / BRISTLE,
        ]

    def run(self, way: Callable[[float], float], speed: Callable[[float], float], at: np.ndarray) -> np.ndarray:
        """What the pawl pushes its striker with at each time."""

        def derivative(t: float, state: np.ndarray) -> list[float]:
            return self.rates(float(way(t)), float(speed(t)), state)

        start = [-self.spring_N / STIFFNESS, 0.0, 0.0, 0.0]
        span, fine = (at[0], at[-1]), {"rtol": 1e-5, "atol": 1e-9, "max_step": 0.01}
        found = solve_ivp(derivative, span, start, method="LSODA", t_eval=at, **fine)
        assert found.success
        states = zip(at, found.y.T, strict=True)
        return np.array([self.forces(float(way(t)), float(speed(t)), state)[1] for t, state in states])

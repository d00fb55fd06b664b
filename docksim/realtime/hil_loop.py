"""Hardware in the loop: how much delay a rig may have before a simulated mass on real contact hardware runs away.

A mass m is simulated; its position is reproduced by a rig with delay and bandwidth; the contact hardware, a spring k
with a damper c, is real; its force comes back to the simulation. With x the simulated penetration

    m x'' = -C B D (k x + c x'),      D = e^(-s tau),  B = 1 / (1 + s / w_b),  C a lead or 1.

Without a rig this is m s2 + c s + k: always stable. With it, the loop gain C B D (k + c s) / (m s2) has size one at

    |C B| sqrt(k2 + c2 w2) = m w2,   and   tau* = (atan(c w / k) + arg C - atan(w / w_b)) / w

is the delay at which the phase is used up there: less is stable, more is not. With C = B = 1 the crossover is known in
closed form, w2 = (c2 + sqrt(c4 + 4 m2 k2)) / (2 m2), and tau* -> c / k for light damping: a delay acts as a damper of
-k tau. The same loop with the delay taken as a rational function is studied by Zebenay, Boge, Krenn and Choukroun,
Analytical and experimental stability investigation of a hardware-in-the-loop satellite docking simulator (2015); here
the delay is exact. Limits: one direction, linear hardware, a rig without compliance; a rig's own force feedback and
sensor noise are left out. For two free vehicles m is the reduced mass m1 m2 / (m1 + m2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from docksim.algebra.elementary import atan, atan2

Compensation = Literal["none", "lead", "passivity"]
COMPENSATIONS: tuple[Compensation, ...] = get_args(Compensation)
LEAD_FILTER = 10.0  # the lead's filter is so many times faster than the delay
LONGEST = 20.0  # times the contact's time scale: a rig that is slower follows nothing


@dataclass(frozen=True)
class Loop:
    """A mass, contact hardware and a rig between them; SI units."""

    mass: float
    stiffness: float
    damping: float = 0.0
    delay: float = 0.0
    bandwidth: float = math.inf  # of the rig, first order [rad/s]
    compensation: Compensation = "none"

    @property
    def frequency(self) -> float:
        """Of the undamped contact [rad/s]."""
        return math.sqrt(self.stiffness / self.mass)

    @property
    def damping_ratio(self) -> float:
        return self.damping / (2.0 * math.sqrt(self.stiffness * self.mass))

    @property
    def direct(self) -> bool:
        """Is there nothing between mass and hardware? Then nothing runs away, also without damping."""
        return self.delay == 0.0 and math.isinf(self.bandwidth)

    @property
    def slowness(self) -> float:
        """Delay and lag as a multiple of the contact's time scale."""
        return self.frequency * (self.delay + 1.0 / self.bandwidth)

    @property
    def lead(self) -> float:
        """Time by which a lead looks ahead [s]: the delay and the rig's lag."""
        return self.delay + 1.0 / self.bandwidth if self.compensation == "lead" else 0.0


def crossover(loop: Loop) -> float:
    """Where the loop gain of delay alone has size one [rad/s], in closed form."""
    m, k, c = loop.mass, loop.stiffness, loop.damping
    return math.sqrt((c * c + math.sqrt(c**4 + 4.0 * (m * k) ** 2)) / (2.0 * m * m))


def critical_delay(loop: Loop) -> float:
    """The delay at which the loop begins to run away [s]; negative if the bandwidth alone is too little.

    A lead is taken as it is set, for loop.delay, while the delay itself grows.
    """
    if math.isinf(loop.bandwidth) and loop.lead == 0.0:
        w = crossover(loop)
        return atan2(loop.damping * w, loop.stiffness) / w
    grid = crossover(loop) * np.geomspace(1e-3, 1e3, 2001)
    excess = _gain(loop, grid) - 1.0
    delays = []
    for i in np.flatnonzero(np.diff(np.sign(excess))):
        w = _root(loop, grid[i], grid[i + 1])
        lead = atan(w * loop.lead * (1.0 + 1.0 / LEAD_FILTER)) - atan(w * loop.lead / LEAD_FILTER)
        delays.append((atan2(loop.damping * w, loop.stiffness) + lead - atan(w / loop.bandwidth)) / w)
    return float(min(delays))


def _gain(loop: Loop, w: np.ndarray) -> np.ndarray:
    lag = np.sqrt(1.0 + (w / loop.bandwidth) ** 2)
    ahead, behind = loop.lead * (1.0 + 1.0 / LEAD_FILTER), loop.lead / LEAD_FILTER
    lead = np.sqrt((1.0 + (w * ahead) ** 2) / (1.0 + (w * behind) ** 2))
    return np.hypot(loop.stiffness, loop.damping * w) * lead / (lag * loop.mass * w * w)


def _root(loop: Loop, low: float, high: float) -> float:
    for _ in range(80):
        middle = 0.5 * (low + high)
        same = (_gain(loop, np.array(low)) > 1.0) == (_gain(loop, np.array(middle)) > 1.0)
        low, high = (middle, high) if same else (low, middle)
    return 0.5 * (low + high)

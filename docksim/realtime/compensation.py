"""What a measured wrench goes through on its way into the model: a rig's delay and lag, if they are to be tried out
without the rig, then what makes up for those that are there.

The wrench is the seven numbers of a CONTACT entry: normal force, force, moment. Delay is a whole number of cycles, the
lag is of first order. The lead adds the filtered slope times the delay that it makes up for, as much of it as leaves
the normal force zero or more: contact does not pull, and what latches pull is not lost with it. Passivity control is in
passivity.py. See hil.py for the analysis of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from docksim.algebra.elementary import exp

FILTER = 10.0  # the lead's filter is so many times faster than what it makes up for


@dataclass(frozen=True)
class Path:
    """Delay [s] and bandwidth [rad/s] to be tried, lead [s] and passivity control against what there is."""

    delay: float = 0.0
    bandwidth: float = math.inf
    lead: float = 0.0
    passive: bool = False


class Line:
    """One measured pair's way, cycle by cycle."""

    def __init__(self, path: Path, period: float) -> None:
        self.path, self._period = path, period
        self._plain = replace(path, passive=False) == Path()
        self._queue = np.zeros((round(path.delay / period) + 1, 7))
        self._head = 0
        self._slow, self._before = np.zeros(7), np.zeros(7)
        self._lagging = np.zeros(7)
        self._share = 1.0 - exp(-period * path.bandwidth) if math.isfinite(path.bandwidth) else 1.0

    def through(self, wrench: Sequence[float]) -> Sequence[float]:
        """What comes out in this cycle."""
        if self._plain:
            return wrench
        self._queue[self._head] = wrench
        self._head = (self._head + 1) % len(self._queue)
        late = self._queue[self._head]
        self._lagging += self._share * (late - self._lagging)
        return (self._ahead(self._lagging) if self.path.lead > 0.0 else self._lagging).tolist()

    def _ahead(self, wrench: np.ndarray) -> np.ndarray:
        h, lag = self._period, max(self.path.lead / FILTER, self._period)
        self._slow = ((2.0 * lag - h) * self._slow + h * (wrench + self._before)) / (2.0 * lag + h)
        self._before = wrench.copy()
        change = self.path.lead * (wrench - self._slow) / lag
        share = min(1.0, wrench[0] / -change[0]) if change[0] < 0.0 else 1.0
        return wrench + share * change

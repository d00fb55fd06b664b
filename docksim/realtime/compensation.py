"""What a measured wrench goes through on its way into the model: a rig's delay and lag, if they are to be tried out
without the rig, then what makes up for those that are there.

The wrench is the seven numbers of a CONTACT entry: normal force, force, moment. Delay is a whole number of cycles, the
lag is of first order. The lead adds the filtered slope times the delay that it makes up for; where it foresees that
contact ends, nothing is felt. Passivity control counts the energy that the bodies have given to the contact; where they
have got more than they gave, a force against the relative velocity takes the surplus out again within a cycle. See
hil.py for the analysis of both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

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
        self._share = 1.0 - math.exp(-period * path.bandwidth) if math.isfinite(path.bandwidth) else 1.0
        self._given = 0.0
        self._twist = [0.0] * 6

    def through(self, wrench: Sequence[float]) -> Sequence[float]:
        """What comes out in this cycle."""
        if self._plain:
            return wrench
        self._queue[self._head] = wrench
        self._head = (self._head + 1) % len(self._queue)
        late = self._queue[self._head]
        self._lagging += self._share * (late - self._lagging)
        found = self._ahead(self._lagging) if self.path.lead > 0.0 else self._lagging
        return [float(x) for x in found]

    def _ahead(self, wrench: np.ndarray) -> np.ndarray:
        h, lag = self._period, max(self.path.lead / FILTER, self._period)
        self._slow = ((2.0 * lag - h) * self._slow + h * (wrench + self._before)) / (2.0 * lag + h)
        self._before = wrench.copy()
        found = wrench + self.path.lead * (wrench - self._slow) / lag
        return found if found[0] > 0.0 else np.zeros(7)

    def brake(
        self, force: Sequence[float], moment: Sequence[float], v: Sequence[float], w: Sequence[float]
    ) -> Sequence[float]:
        """Force to add on the second body; v, w: of it against the first, where the wrench acts, a cycle ago."""
        twist = [*v, *w]
        # to the middle of the cycle to come
        ahead = [now + 1.5 * (now - before) for now, before in zip(twist, self._twist)]
        self._twist = twist
        self._given -= self._period * sum(x * y for x, y in zip((*force, *moment), ahead))
        speed2 = sum(x * x for x in ahead[:3])
        if self._given >= 0.0 or speed2 == 0.0:
            return 0.0, 0.0, 0.0
        scale = self._given / (self._period * speed2)
        self._given = 0.0
        return [scale * x for x in ahead[:3]]

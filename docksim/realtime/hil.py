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
the delay is exact. Contact that cannot pull leaves before it runs away: each bounce then gains energy, and `bounce`
says how much.

Compensation: "lead" adds the force's slope times the known delay, through a filter; "passivity" (Hannaford and Ryu,
Time-domain passivity control of haptic interfaces, 2002) counts the energy that the simulated mass gets from the rig
and, where it has got more than it gave, brakes it: no bounce gains energy, whatever the delay, but the rebound is not
that of the hardware. Limits: one direction, linear hardware, a rig without compliance; a rig's own force feedback and
sensor noise are left out. For two free vehicles m is the reduced mass m1 m2 / (m1 + m2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, get_args

import numpy as np

Compensation = Literal["none", "lead", "passivity"]
COMPENSATIONS: tuple[Compensation, ...] = get_args(Compensation)
LEAD_FILTER = 10.0  # the lead's filter is so many times faster than the delay
PARTS = 200  # of the contact's time scale in a bounce


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
        return math.atan2(loop.damping * w, loop.stiffness) / w
    grid = crossover(loop) * np.geomspace(1e-3, 1e3, 2001)
    excess = _gain(loop, grid) - 1.0
    found = [_delay_at(loop, _root(loop, grid[i], grid[i + 1])) for i in np.flatnonzero(np.diff(np.sign(excess)))]
    return float(min(found))


def _gain(loop: Loop, w: np.ndarray) -> np.ndarray:
    lag = np.sqrt(1.0 + (w / loop.bandwidth) ** 2)
    ahead, behind = loop.lead * (1.0 + 1.0 / LEAD_FILTER), loop.lead / LEAD_FILTER
    lead = np.sqrt((1.0 + (w * ahead) ** 2) / (1.0 + (w * behind) ** 2))
    return np.hypot(loop.stiffness, loop.damping * w) * lead / (lag * loop.mass * w * w)


def _delay_at(loop: Loop, w: float) -> float:
    lead = math.atan(w * loop.lead * (1.0 + 1.0 / LEAD_FILTER)) - math.atan(w * loop.lead / LEAD_FILTER)
    return (math.atan2(loop.damping * w, loop.stiffness) + lead - math.atan(w / loop.bandwidth)) / w


def _root(loop: Loop, low: float, high: float) -> float:
    for _ in range(80):
        middle = 0.5 * (low + high)
        same = (_gain(loop, np.array(low)) > 1.0) == (_gain(loop, np.array(middle)) > 1.0)
        low, high = (middle, high) if same else (low, middle)
    return 0.5 * (low + high)


class Course(NamedTuple):
    """A motion in time: time, simulated penetration and velocity, force on the mass."""

    time: np.ndarray
    x: np.ndarray
    v: np.ndarray
    force: np.ndarray


def course(loop: Loop, speed: float, duration: float, step: float, pulls: bool = False) -> Course:
    """The mass meets the hardware at t = 0 with `speed`; by the delay equation, to second order in the step.

    The force of a step is known at both its ends before it is taken, since the delay is a step at least; it is taken
    as linear between them, for which the mass moves by an exact formula. `pulls`: the contact never opens.
    """
    n = max(1, round(loop.delay / step))
    count = round(duration / step) + 1
    x, v, force = [0.0], [speed], [0.0]
    rig = _Rig(loop, step, pulls)
    observer = _Observer(loop.mass)
    for i in range(count - 1):
        # the rig at the end of the step is where the simulation was n steps before
        at = i + 1 - n
        following = rig.measure(x[at], v[at]) if at >= 0 else 0.0
        before, start = force[i], v[i]
        after = start - step * (before + following) / (2.0 * loop.mass)
        x.append(x[i] + step * start - step * step * (2.0 * before + following) / (6.0 * loop.mass))
        force.append(following)
        if loop.compensation == "passivity":
            after = observer.brake(after, 0.25 * step * (before + following) * (start + after))
        v.append(after)
    return Course(step * np.arange(count), np.array(x), np.array(v), np.array(force))


class _Rig:
    """Position followed with a lag, the hardware's force, and the lead on it."""

    def __init__(self, loop: Loop, step: float, pulls: bool) -> None:
        self._loop, self._step, self._pulls = loop, step, pulls
        self._x = self._x_in = self._slow = self._force = 0.0
        self._keep = math.exp(-step * loop.bandwidth) if math.isfinite(loop.bandwidth) else 0.0

    def measure(self, x: float, v: float) -> float:
        loop, h = self._loop, self._step
        if math.isfinite(loop.bandwidth):
            # exact for an input that is linear over the step
            slope, b = (x - self._x_in) / h, loop.bandwidth
            start = self._x
            self._x = x - slope / b + (start - self._x_in + slope / b) * self._keep
            self._x_in = x
            x, v = self._x, b * (x - self._x)
        force = loop.stiffness * x + loop.damping * v
        if not self._pulls and (force < 0.0 or x < 0.0):
            force = 0.0
        if loop.lead > 0.0:
            force = self._ahead(force)
        return force if self._pulls else max(force, 0.0)

    def _ahead(self, force: float) -> float:
        """The force and its filtered slope times the lead."""
        lag, h = self._loop.lead / LEAD_FILTER, self._step
        self._slow = ((2.0 * lag - h) * self._slow + h * (force + self._force)) / (2.0 * lag + h)
        self._force = force
        return force + self._loop.lead * (force - self._slow) / lag


class _Observer:
    """Counts what the mass gives to the contact; more can never come back."""

    def __init__(self, mass: float) -> None:
        self._mass, self._given = mass, 0.0

    def brake(self, v: float, given: float) -> float:
        """Velocity after taking out of the mass what it has got too much."""
        self._given += given
        if self._given >= 0.0:
            return v
        kinetic = max(0.5 * self._mass * v * v + self._given, 0.0)
        self._given = 0.0
        return math.copysign(math.sqrt(2.0 * kinetic / self._mass), v)


def ideal_restitution(loop: Loop) -> float:
    """Rebound over impact speed of the hardware itself, without a rig, leaving where its force ends; zeta below 1."""
    decay, w = loop.damping / (2.0 * loop.mass), loop.frequency
    if loop.damping_ratio >= 1.0:
        raise ValueError("an overdamped contact does not rebound as an oscillation")
    wd = math.sqrt(w * w - decay * decay)
    angle = math.pi - math.atan2(loop.damping * wd, loop.stiffness - loop.damping * decay)
    velocity = math.exp(-decay * angle / wd) * (math.cos(angle) - decay / wd * math.sin(angle))
    return -velocity


def bounce(loop: Loop, speed: float) -> tuple[float, Course]:
    """Rebound over impact speed of one contact through the rig, and its course."""
    steps = [1.0 / loop.frequency / PARTS, 4.0 / loop.bandwidth / PARTS, loop.lead / LEAD_FILTER / 10.0]
    step = min(step for step in steps if step > 0.0)
    if loop.delay > 0.0:
        step = loop.delay / math.ceil(loop.delay / step)
    longest = 2.0 * math.pi / loop.frequency + 4.0 * (loop.delay + loop.lead + 5.0 / loop.bandwidth)
    found = course(loop, speed, longest, step)
    return float(-found.v[-1] / speed), found


@dataclass(frozen=True)
class Verdict:
    """A loop judged."""

    loop: Loop
    critical_delay: float
    ideal: float
    rebound: dict[str, float]  # rebound over impact speed by compensation
    critical: dict[str, float]  # critical delay by compensation

    @property
    def stable(self) -> bool:
        return self.loop.delay < self.critical_delay

    def gain(self, compensation: str) -> float:
        """Energy after a bounce through the rig over energy after one without it."""
        return (self.rebound[compensation] / self.ideal) ** 2


def judge(loop: Loop, speed: float) -> tuple[Verdict, dict[str, Course]]:
    """All compensations side by side, and the courses of their bounces."""
    rebound: dict[str, float] = {}
    critical: dict[str, float] = {}
    courses: dict[str, Course] = {}
    for name in COMPENSATIONS:
        one = replace(loop, compensation=name)
        rebound[name], courses[name] = bounce(one, speed)
        critical[name] = critical_delay(one)
    return Verdict(loop, critical_delay(loop), ideal_restitution(loop), rebound, critical), courses

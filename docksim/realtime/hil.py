"""Bounces of a simulated mass on real contact hardware through a rig (`hil_loop` has the loop), and a loop judged.

Contact that cannot pull leaves before the loop runs away: each bounce then gains energy, and `bounce` says how much.

Compensation: "lead" adds the force's slope times the known delay, through a filter; "passivity" (Hannaford and Ryu,
Time-domain passivity control of haptic interfaces, 2002) counts the energy that the simulated mass gets from the rig
and, where it has got more than it gave, brakes it: no bounce gains energy, whatever the delay, but the rebound is not
that of the hardware.

The step is a fraction of the contact's own time scale. Delay, lag and filter may be far shorter: a lag and a filter go
by their exact answer to what is linear over a step, and a delay within a step is taken as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from docksim.algebra.elementary import atan2, cos, exp, sin
from docksim.realtime.hil_loop import COMPENSATIONS, LEAD_FILTER, Loop, critical_delay

STEPS = 400  # of the contact's time scale in a bounce
ROUNDS = 8  # in the search for a force


class Course(NamedTuple):
    """A motion in time: time, simulated penetration and velocity, force on the mass."""

    time: np.ndarray
    x: np.ndarray
    v: np.ndarray
    force: np.ndarray


def course(loop: Loop, speed: float, duration: float, step: float, pulls: bool = False) -> Course:
    """The mass meets the hardware at t = 0 with `speed`; by the delay equation, to second order in the step.

    The force is taken as linear over a step, for which the mass moves by an exact formula. A delay of a step or more is
    rounded to whole steps, and then the force at the step's end is known before it is taken; a shorter one is taken as
    it is, and that force sought. Ends before `duration` once the contact is over. `pulls`: the contact never opens.
    """
    n = round(loop.delay / step) if loop.delay >= step else 0
    count = round(duration / step) + 1
    rig, given = _Rig(loop, step, speed, pulls), 0.0
    x, v, force = [0.0], [speed], [rig.force if n == 0 else 0.0]
    for i in range(count - 1):
        before, start = force[i], v[i]
        # the rig at the end of the step is where the simulation was n steps before
        at = i + 1 - n
        if n > 0:
            following = rig.measure(x[at], v[at]) if at > 0 else 0.0
        else:
            following = _sought(rig, loop, step, x[i], start, before)
        after = start - step * (before + following) / (2.0 * loop.mass)
        x.append(x[i] + step * start - step * step * (2.0 * before + following) / (6.0 * loop.mass))
        # the force jumps when the touch is felt: the step before it ends without, the one after begins with it
        force.append(rig.force if at == 0 else following)
        if loop.compensation == "passivity":
            # counts what the mass gives to the contact; more can never come back: it is taken out of the mass
            given += 0.25 * step * (before + following) * (start + after)
            if given < 0.0:
                kinetic = max(0.5 * loop.mass * after * after + given, 0.0)
                given, after = 0.0, math.copysign(math.sqrt(2.0 * kinetic / loop.mass), after)
        v.append(after)
        if rig.over:
            break
    return Course(step * np.arange(len(x)), np.array(x), np.array(v), np.array(force))


def _sought(rig: _Rig, loop: Loop, step: float, x: float, v: float, before: float) -> float:
    """The force at the end of a step that feels the motion within it, a delay before its end.

    It moves the mass by itself, a little: a contraction by damping and step, 0.03 at most.
    """
    s, mass = step - loop.delay, loop.mass
    following = before
    for _ in range(ROUNDS):
        slope = (following - before) / step
        x_then = x + s * v - s * s * (3.0 * before + s * slope) / (6.0 * mass)
        v_then = v - s * (before + 0.5 * s * slope) / mass
        following = rig.measure(x_then, v_then, keep=False)
    return rig.measure(x_then, v_then)


class _Rig:
    """Motion followed with a lag, the hardware's force, and the lead on it; exact for what is linear over a step.

    Before the touch the rig follows an even motion, behind it by its lag.
    """

    def __init__(self, loop: Loop, step: float, speed: float, pulls: bool) -> None:
        self._loop, self._step, self._pulls = loop, step, pulls
        self._keep = exp(-step * loop.bandwidth)
        self._filter_s = loop.lead / LEAD_FILTER
        self._keep_slow = exp(-step / self._filter_s) if loop.lead > 0.0 else 0.0
        # velocity that it is told, its own, force of the hardware, that force filtered
        self._state = speed, speed, 0.0, 0.0
        # when it touches, if that is at once, to half a step; a lead's answer is spread over the step after it
        away_s = 1.0 / loop.bandwidth + (loop.delay if loop.delay < step else 0.0)
        self.force = self._touch(0.0, speed) if loop.lead == 0.0 and away_s < 0.5 * step else 0.0
        self.over = False  # has it left, for good?

    def measure(self, x: float, v: float, keep: bool = True) -> float:
        """Force at the end of a step in which it is told to come to x and v."""
        b, h = self._loop.bandwidth, self._step
        told, own, touched, slow = self._state
        bend = (v - told) / h
        own = v - bend / b + (own - told + bend / b) * self._keep
        x -= own / b
        touch = force = self._touch(x, own)
        if self._loop.lead > 0.0:
            rise = (touch - touched) / h * self._filter_s
            slow = touch - rise + (slow - touched + rise) * self._keep_slow
            force += LEAD_FILTER * (touch - slow)
        if keep:
            self._state = v, own, touch, slow
            # the force never pulls, so what moves away goes on to
            self.over = not self._pulls and x < 0.0 and v < 0.0
        return force if self._pulls else max(force, 0.0)

    def _touch(self, x: float, v: float) -> float:
        force = self._loop.stiffness * x + self._loop.damping * v
        return 0.0 if not self._pulls and (force < 0.0 or x < 0.0) else force


def ideal_restitution(loop: Loop) -> float:
    """Rebound over impact speed of the hardware itself, without a rig, leaving where its force ends; zeta below 1."""
    decay, w = loop.damping / (2.0 * loop.mass), loop.frequency
    if loop.damping_ratio >= 1.0:
        raise ValueError("an overdamped contact does not rebound as an oscillation")
    wd = w * math.sqrt((1.0 - loop.damping_ratio) * (1.0 + loop.damping_ratio))
    angle = math.pi - atan2(loop.damping * wd, loop.stiffness - loop.damping * decay)
    return -exp(-decay * angle / wd) * (cos(angle) - decay / wd * sin(angle))


def bounce(loop: Loop, speed: float) -> tuple[float, Course]:
    """Rebound over impact speed of one contact through the rig, and its course."""
    step = 1.0 / loop.frequency / STEPS
    if loop.lead > 0.0:
        # the lead's filter in ten steps; of one far faster than the contact only the impulse matters
        step = min(step, max(loop.lead / LEAD_FILTER / 10.0, step / 10.0))
    if loop.delay > step:
        step = loop.delay / math.ceil(loop.delay / step)
    longest = 4.0 * math.pi / loop.frequency + 20.0 * (loop.delay + loop.lead + 1.0 / loop.bandwidth)
    bounced = course(loop, speed, longest, step)
    return float(-bounced.v[-1] / speed), bounced


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
        return self.loop.direct or self.loop.delay < self.critical_delay

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

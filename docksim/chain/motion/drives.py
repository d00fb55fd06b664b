"""What the drives of a free or constrained motion are asked for over time: constants, tables, servos, added up.

A servo asks for k (set - q) + c (set' - q'). Its set-point goes along a path, or from where the joint starts to its
target, at once or at a constant rate; a velocity loop has the second term alone. It may look in samples, and act with
delay. What the drives can do of all that, limits say.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from docksim.chain.kinematics.paths import smooth
from docksim.chain.model import ChainModel
from docksim.chain.motion.loads import table
from docksim.config.schema.chain_loads import DriveTable, JointDrive, JointServo

Force = Callable[[float, float, float], float]  # of time, coordinate and rate
SetPoint = Callable[[float], tuple[float, float]]


class Sampled:
    """A servo that looks in samples: what it computes acts `delay` samples later, until the next. Nothing acts before.

    All that it has asked for is kept, so that rows of a run can be told afterwards.
    """

    def __init__(self, joint: int, law: Force, period: float, delay: int) -> None:
        self.joint, self.law, self.period, self.delay = joint, law, period, delay
        self.asked: list[float] = []

    def time(self, i: int) -> float:
        """Of a sample; pieces begin at these very numbers."""
        return i * self.period

    def look(self, t: float, q: float, rate: float) -> None:
        if t == self.time(len(self.asked)):
            self.asked.append(self.law(t, q, rate))

    def force(self, t: float) -> float:
        """Of the latest sample that acts."""
        i = min(int(t / self.period) + 1, len(self.asked) + self.delay - 1)
        # a quotient may be rounded across a sample
        while i > 0 and self.time(i) > t:
            i -= 1
        return self.asked[i - self.delay] if i >= self.delay else 0.0


class Drives:
    """Forces that are asked for. Samples are taken for `duration`; without one, servos are continuous."""

    def __init__(
        self, model: ChainModel, drives: dict[str, JointDrive], q: np.ndarray, duration: float | None = None
    ) -> None:
        self.breaks: set[float] = set()
        self.constant = np.zeros(model.n)
        self.parts: list[tuple[int, Force]] = []
        self.sampled: list[Sampled] = []
        for link, drive in drives.items():
            k = model.names.index(link)
            slides = bool(model.prismatic[k])
            self.constant[k] = drive.force_N if slides else drive.torque_Nm
            if drive.table is not None:
                self.parts.append((k, self._by_table(drive.table, slides)))
            if drive.servo is not None:
                self._add_servo(k, drive.servo, slides, float(q[k]), duration)

    def __call__(self, t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        Q = self.constant.copy()
        for k, force in self.parts:
            Q[k] += force(t, q[k], rates[k])
        for held in self.sampled:
            Q[held.joint] += held.force(t)
        return Q

    def sample(self, t: float, q: np.ndarray, rates: np.ndarray) -> None:
        """What is due at a time at which a piece begins."""
        for held in self.sampled:
            held.look(t, float(q[held.joint]), float(rates[held.joint]))

    def _add_servo(self, k: int, servo: JointServo, slides: bool, start: float, duration: float | None) -> None:
        force = self._servo(servo, slides, start)
        if servo.sample_s is None or duration is None:
            self.parts.append((k, force))
            return
        held = Sampled(k, force, servo.sample_s, round(servo.delay_s / servo.sample_s))
        self.breaks |= {held.time(i) for i in range(1, math.ceil(duration / servo.sample_s))}
        self.sampled.append(held)

    def _by_table(self, entries: DriveTable, slides: bool) -> Force:
        self.breaks |= set(entries.time_s)
        at = table(entries.time_s, (entries.force_N if slides else entries.torque_Nm) or [])
        return lambda t, q, rate: at(t)

    def _servo(self, servo: JointServo, slides: bool, start: float) -> Force:
        k = (servo.stiffness_N_m if slides else servo.stiffness_Nm_rad) or 0.0
        c = servo.damping_Ns_m if slides else servo.damping_Nms_rad
        if servo.mode == "velocity":
            asked = servo.target_rate_m_s or 0.0 if slides else math.radians(servo.target_rate_deg_s or 0.0)
            return lambda t, q, rate: c * (asked - rate)
        set_point = self._set_point(servo, slides, start)

        def force(t: float, q: float, rate: float) -> float:
            place, speed = set_point(t)
            return k * (place - q) + c * (speed - rate)

        return force

    def _set_point(self, servo: JointServo, slides: bool, start: float) -> SetPoint:
        factor = 1.0 if slides else math.pi / 180.0
        if servo.waypoints:
            marks = [factor * ((one.travel_m if slides else one.angle_deg) or 0.0) for one in servo.waypoints]
            times = [one.time_s for one in servo.waypoints]
            self.breaks |= set(times)
            path = smooth(times, np.array(marks)[:, None], servo.law)
            return lambda t: (float(path(t)[0][0]), float(path(t)[1][0]))
        given = servo.travel_m if slides else servo.angle_deg
        rate = servo.rate_m_s if slides else servo.rate_deg_s
        target = start if given is None else factor * given
        if rate is None or target == start:
            return lambda t: (target, 0.0)
        speed = math.copysign(factor * rate, target - start)
        there = (target - start) / speed
        self.breaks.add(there)
        return lambda t: (start + speed * t, speed) if t < there else (target, 0.0)

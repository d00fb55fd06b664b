"""What the drives of a free or constrained motion are asked for over time: constants, tables, servos, added up.

A servo asks for k (set - q) + c (set' - q'). Its set-point goes along a path, or from where the joint starts to its
target, at once or at a constant rate. What the drives can do of all that, limits say.
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


class Drives:
    """Forces that are asked for."""

    def __init__(self, model: ChainModel, drives: dict[str, JointDrive], q: np.ndarray) -> None:
        self.breaks: set[float] = set()
        self.constant = np.zeros(model.n)
        self.parts: list[tuple[int, Force]] = []
        for link, drive in drives.items():
            k = model.names.index(link)
            slides = bool(model.prismatic[k])
            self.constant[k] = drive.force_N if slides else drive.torque_Nm
            if drive.table is not None:
                self.parts.append((k, self._by_table(drive.table, slides)))
            if drive.servo is not None:
                self.parts.append((k, self._servo(drive.servo, slides, float(q[k]))))

    def __call__(self, t: float, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
        Q = self.constant.copy()
        for k, force in self.parts:
            Q[k] += force(t, q[k], rates[k])
        return Q

    def _by_table(self, entries: DriveTable, slides: bool) -> Force:
        self.breaks |= set(entries.time_s)
        at = table(entries.time_s, (entries.force_N if slides else entries.torque_Nm) or [])
        return lambda t, q, rate: at(t)

    def _servo(self, servo: JointServo, slides: bool, start: float) -> Force:
        k = (servo.stiffness_N_m if slides else servo.stiffness_Nm_rad) or 0.0
        c = servo.damping_Ns_m if slides else servo.damping_Nms_rad
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

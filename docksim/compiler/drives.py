"""Prescribed motions to profiles and, for tables, cubic pieces. Devices' curves share the table of pieces."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from docksim.algebra.splines import clamped_spline, natural_spline
from docksim.compiler.device_curves import Knot
from docksim.compiler.parts import DEG
from docksim.config.schema import drives as schema
from docksim.config.schema.actions import RetractCommand
from docksim.config.schema.parting import ResidualPressure
from docksim.model import table
from docksim.model.tree import HOLD, KNOT, MOVE, PROFILE, RATE, RATE_LIMITED, SINE, TABLE


class DriveTables:
    """Collects profiles; `add` returns the index of the one it made."""

    def __init__(self) -> None:
        self._profiles: list[tuple[int, float, float, int, int]] = []
        self._knots: list[tuple[float, np.ndarray]] = []

    def add(self, drive: object) -> int:
        self._profiles.append(self._profile(drive))
        return len(self._profiles) - 1

    def _profile(self, drive: object) -> tuple[int, float, float, int, int]:
        """Kind, target, duration, first knot, number of knots."""
        match drive:
            case schema.RotaryMove(to_deg=to, duration_s=duration):
                return MOVE, to * DEG, duration, 0, 0
            case schema.LinearMove(to_m=to, duration_s=duration):
                return MOVE, to, duration, 0, 0
            case RetractCommand(fraction=to, duration_s=duration):
                return MOVE, to, duration or 0.0, 0, 0
            case schema.RotaryRate(rate_deg_s=rate):
                return RATE, rate * DEG, 0.0, 0, 0
            case schema.LinearRate(rate_m_s=rate):
                return RATE, rate, 0.0, 0, 0
            case schema.RotarySine(amplitude_deg=amplitude, frequency_Hz=frequency):
                return SINE, amplitude * DEG, 2.0 * math.pi * frequency, 0, 0
            case schema.LinearSine(amplitude_m=amplitude, frequency_Hz=frequency):
                return SINE, amplitude, 2.0 * math.pi * frequency, 0, 0
            case schema.RotaryTable(time_s=times, displacement_deg=displacement):
                return TABLE, 0.0, 0.0, *self._spline(times, [x * DEG for x in displacement])
            case schema.LinearTable(time_s=times, displacement_m=displacement):
                return TABLE, 0.0, 0.0, *self._spline(times, displacement)
            case ResidualPressure():
                # the target tells what it is over: 1 for the gap
                return TABLE, float(drive.over_gap is not None), 0.0, *self._straight(drive.points)
        return HOLD, 0.0, 0.0, 0, 0

    def _spline(self, times: list[float], values: list[float]) -> tuple[int, int]:
        """A cubic spline at rest at both ends; the last knot holds the final value."""
        first = len(self._knots)
        for time, cubic in zip(times, clamped_spline(times, values)):
            self._knots.append((time, np.array(cubic)))
        self._knots.append((times[-1], np.array([values[-1], 0.0, 0.0, 0.0])))
        return first, len(times)

    def _straight(self, points: list[tuple[float, float]]) -> tuple[int, int]:
        """Straight from point to point; the last value holds."""
        first = len(self._knots)
        for (x, y), (x_next, y_next) in itertools.pairwise(points):
            self._knots.append((x, np.array([y, (y_next - y) / (x_next - x), 0.0, 0.0])))
        self._knots.append((points[-1][0], np.array([points[-1][1], 0.0, 0.0, 0.0])))
        return first, len(points)

    def add_curve(self, knots: Sequence[Knot]) -> int:
        """A device's law; returns the place of its first knot."""
        first = len(self._knots)
        self._knots += [(x, np.array([*law, 0.0])) for x, *law in knots]
        return first

    def add_way(self, knots: Sequence[tuple[float, ...]]) -> int:
        """The curve of a base joint, one spline a coordinate; returns the place of its first knot."""
        first = len(self._knots)
        places, *columns = zip(*knots, strict=True)
        for values in columns:
            cubics = natural_spline(places, values)
            self._knots += [(x, np.array(cubic)) for x, cubic in zip(places, cubics, strict=True)]
        return first

    def add_limit(self, to: float, rate: float) -> int:
        """Where a drive of its own goes, and how fast it may."""
        self._profiles.append((RATE_LIMITED, to, rate, 0, 0))
        return len(self._profiles) - 1

    def profile_table(self) -> np.ndarray:
        rows = table(PROFILE, len(self._profiles))
        for row, profile in zip(rows, self._profiles):
            row.kind, row.target, row.duration, row.first_knot, row.n_knots = profile
        return rows

    def knot_table(self) -> np.ndarray:
        rows = table(KNOT, len(self._knots))
        for row, (time, coefficients) in zip(rows, self._knots):
            row.time = time
            row.c[:] = coefficients
        return rows

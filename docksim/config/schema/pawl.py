"""A sprung pawl that its striker lifts by a ramp: what it pushes with over the striker's way, and how long it falls.

The striker comes along the axis; s is its way since it touched the ramp, which rises by tan(a) a unit of way, y is the
lift of the pawl's tip, W = F0 + k y its spring at the tip, T the dry friction of its pivot, as a force at the tip, and
mu that of tip on striker. Without inertia the forces on the tip balance across the axis and along it:

    N cos a - f sin a = W + t,  F = N sin a + f cos a,  |f| <= mu N, |t| <= T

so with tan p = mu, going in (f = mu N, t = T) and going out (both the other way)

    ramp, s < h / tan(a):  F = (W + T) tan(a + p),   F = (W - T) tan(a - p)
    nose, for l more:      F = mu (F0 + k h + T),    F = -mu (F0 + k h + T)

On the nose the tip rests across the axis and its pivot does not turn back: t stays what it was on the way up. Where
p > a the pawl does not push its striker out, it must be drawn out. The work to pass is that of going in over both.

The tip's mass falls freely when the nose has passed, driven by W - T; the latch is closed when it has fallen by four
fifths of its lift, after sqrt(m / k) acos((h / 5 + y0) / (h + y0)), y0 = (F0 - T) / k. As inertia the mass is left out.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Annotated, NamedTuple

from pydantic import Field

from docksim.algebra.elementary import acos, atan, tan
from docksim.config.schema.fields import KeyFaults, Pair, Part

Fault = tuple[str, str]
FALLEN = 0.2  # of its lift, where a falling pawl has closed
STEEPEST = 20.0  # times its spring, the most that a pawl may push its striker with


class PawlPiece(NamedTuple):
    """A part of the way over a pawl; forces against the striker's coming at its two ends, linear between."""

    start_m: float
    end_m: float
    going_in_N: tuple[float, float]
    going_out_N: tuple[float, float]
    spring_N: tuple[float, float]  # what is stored, a unit of way


class Pawl(Part):
    """A pawl that its striker lifts by a ramp, passes under its nose, and that falls behind it."""

    ramp_deg: float = Field(ge=1, le=89, description="Angle between the ramp and the axis [deg].")
    lift_m: float = Field(ge=1e-5, le=1, description="Lift of the tip by the ramp, and how far it reaches over [m].")
    nose_m: float = Field(0.0, ge=0, le=1, description="Way along the nose, after the ramp [m].")
    spring_N: float = Field(ge=0, le=1e6, description="Spring at the tip, unlifted [N].")
    spring_N_m: float = Field(0.0, ge=0, le=1e9, description="Stiffness of the spring at the tip [N/m].")
    pivot_friction_N: float = Field(0.0, ge=0, le=1e6, description="Dry friction of the pivot, at the tip [N].")
    friction: float = Field(0.0, ge=0, le=10, description="Coulomb friction coefficient of tip on striker.")
    mass_kg: float = Field(0.0, ge=0, le=1e3, description="Mass at the tip; how long the pawl falls [kg].")
    reach_m: float | None = Field(
        None, gt=0, le=1, description="A closed latch lets go of a striker farther aside [m]; never if left out."
    )
    presliding_m: Annotated[float, Field(ge=1e-7, le=0.1)] = Field(
        1e-4, description="Way over which friction builds up; it turns round over twice as much [m]."
    )

    def check(self) -> KeyFaults:
        return self.faults()

    @property
    def slope(self) -> float:
        return tan(math.radians(self.ramp_deg))

    @property
    def travel_m(self) -> float:
        """From the first touch until the pawl has passed."""
        return self.lift_m / self.slope + self.nose_m

    @property
    def lifted_N(self) -> float:
        """The spring on the nose."""
        return self.spring_N + self.spring_N_m * self.lift_m

    @property
    def falls_s(self) -> float:
        """From the end of the nose until the pawl has closed."""
        drive, drop = self.spring_N - self.pivot_friction_N, (1.0 - FALLEN) * self.lift_m
        if self.spring_N_m * self.lift_m < 1e-9 * drive:
            return math.sqrt(2.0 * drop * self.mass_kg / drive)
        rest = drive / self.spring_N_m
        return math.sqrt(self.mass_kg / self.spring_N_m) * acos((FALLEN * self.lift_m + rest) / (self.lift_m + rest))

    def pieces(self) -> list[PawlPiece]:
        """The ramp and the nose, if there is one."""
        a, mu, T = self.slope, self.friction, self.pivot_friction_N
        ramp, low, high = self.lift_m / a, self.spring_N, self.lifted_N
        going_in, going_out = (a + mu) / (1.0 - mu * a), (a - mu) / (1.0 + mu * a)
        rising = PawlPiece(
            *(0.0, ramp),
            ((low + T) * going_in, (high + T) * going_in),
            ((low - T) * going_out, (high - T) * going_out),
            (low * a, high * a),
        )
        rub = mu * (high + T)
        flat = PawlPiece(ramp, self.travel_m, (rub, rub), (-rub, -rub), (0.0, 0.0))
        return [rising, flat] if self.nose_m > 0.0 else [rising]

    def faults(self) -> list[Fault]:
        """What does not go together."""
        most = STEEPEST * (1.0 - self.friction * self.slope) - self.slope - self.friction
        if most < 0.0:
            alpha, phi = self.ramp_deg, math.degrees(atan(self.friction))
            text = f"a striker does not get over a ramp of {alpha:g} deg against friction of {phi:.3g} deg"
            return [("ramp_deg", f"{text}; together less than 87 deg: a flatter ramp, or less friction")]
        if self.spring_N + self.spring_N_m * self.lift_m <= 0.0:
            return [("spring_N", "the pawl has no spring; give spring_N, spring_N_m or both")]
        if self.pivot_friction_N > self.spring_N:
            text = f"{self.pivot_friction_N} N is more than spring_N, {self.spring_N:.4g}: the pawl would stay lifted"
            return [("pivot_friction_N", f"{text}; a stronger spring, or less friction")]
        if self.reach_m is not None and self.reach_m < self.lift_m:
            text = f"{self.reach_m} m is less than lift_m, {self.lift_m}: what it can catch it can also hold"
            return [("reach_m", text)]
        if self.presliding_m > 0.1 * self.travel_m:
            text = f"{self.presliding_m} m is more than a tenth of the {self.travel_m:.3g} m over the pawl"
            return [("presliding_m", f"{text}; friction must build up well within it")]
        return []


def table_pieces(rows: list[tuple[float, float]], factor: float = 1.0) -> list[PawlPiece]:
    """A measured curve: a spring, the same both ways."""
    forces = [(a[0], b[0], (factor * a[1], factor * b[1])) for a, b in pairwise(rows)]
    return [PawlPiece(start, end, force, force, force) for start, end, force in forces]


def peak_N(pieces: list[PawlPiece]) -> float:
    """The most that a pawl pushes back with."""
    return max(max(piece.going_in_N) for piece in pieces)


def work_to_pass_J(pieces: list[PawlPiece]) -> float:
    """What a slow striker gives to get over a pawl."""
    return sum(0.5 * sum(piece.going_in_N) * (piece.end_m - piece.start_m) for piece in pieces)


def work_given_back_J(pieces: list[PawlPiece]) -> float:
    """What a striker gets that turns round just before it has passed."""
    return sum(0.5 * sum(piece.going_out_N) * (piece.end_m - piece.start_m) for piece in pieces)


def table_faults(rows: list[Pair]) -> list[tuple[str, str]]:
    """What is wrong with a table of compressions and forces, by its key."""
    key = "pawl_force_table"
    if rows[0][0] != 0.0:
        return [(key, f"begins at {rows[0][0]}; the first row is the force at no compression, [0, ...]")]
    late = next(((a, b) for a, b in pairwise(rows) if b[0] <= a[0]), None)
    if late is not None:
        return [(key, f"does not increase: {late[1][0]} comes after {late[0][0]}")]
    pull = next((row for row in rows if row[1] < 0.0), None)
    if pull is not None:
        return [(key, f"row {list(pull)} pulls; a pawl pushes its striker away")]
    steep = next((b for a, b in pairwise(rows) if b[0] - a[0] < 1e-6 or b[0] > 100.0 or b[1] > 1e9), None)
    text = "is out of all proportion, or too close to the one before"
    return [] if steep is None else [(key, f"row {list(steep)} {text}")]

"""Shafts: what devices act on, in SI units and radians.

A shaft is one leg's stroke or crank angle, a coupling of the six, or a coordinate of a joint. Field names are those of
the kernel's tables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from docksim.compiler.device_curves import Knot, caged_spring, damper_curve, slope_at, spring_curve
from docksim.compiler.parts import DEG
from docksim.config.schema.actuators import LinearActuator, RotaryActuator
from docksim.config.schema.legs import LEGS, AnyLeg, HuntLeg
from docksim.config.schema.mechanism import Coupling
from docksim.model.mechanism import EFFORT, MEAN, OWN, POSITION, VELOCITY

AnyActuator = LinearActuator | RotaryActuator
MODES = {"position": POSITION, "velocity": VELOCITY, "torque": EFFORT}


@dataclass(frozen=True)
class Shaft:
    """Constants and initial state of one shaft."""

    name: str  # "legs.3", counted from 1, "couplings.axial", or a joint's: "elbow", "gimbal.first"
    unit: str  # "m" or "rad"
    place: int  # of the leg in its mechanism; -1 for all others
    weight: tuple[float, ...]
    start: float  # at the reference pose
    turns: int = 0

    # devices
    stiffness: float = 0.0  # with a table: its slope at the start, upwards where the slope changes just there
    rest: float = 0.0
    spring: tuple[Knot, ...] = ()
    damper: tuple[Knot, ...] = ()
    damping: float = 0.0
    eddy_peak: float = 0.0
    eddy_rate: float = 1.0
    friction: float = 0.0
    presliding: float = 1.0
    lower: float = -math.inf
    upper: float = math.inf
    stop_stiffness: float = 0.0
    stop_damping: float = 0.0
    stop_travel: float = math.inf
    force: float = 0.0
    rotor: float = 0.0

    # servo
    has_servo: bool = False
    servo_on: int = 0
    gives_way: int = 0
    mode: int = POSITION
    follows: int = OWN
    stiffness_gain: float = 0.0
    damping_gain: float = 0.0
    target: float = 0.0
    target_rate: float = 0.0
    target_force: float = 0.0
    path: object | None = None  # a drive of the schema
    rate_limit: float = math.inf
    force_limit: float = math.inf
    speed_limit: float = math.inf
    command: float = 0.0
    sample_s: float = 0.0  # 0: continuous
    delay_s: float = 0.0
    admittance_mass: float = 0.0
    admittance_damping: float = 0.0
    admittance_stiffness: float = 0.0
    dead_band: float = 0.0
    travel_limit: float = math.inf

    @property
    def has_spring(self) -> bool:
        return self.stiffness > 0.0 or bool(self.spring)

    @property
    def has_stops(self) -> bool:
        return math.isfinite(self.lower) or math.isfinite(self.upper)

    @property
    def has_damper(self) -> bool:
        return self.damping > 0.0 or self.eddy_peak > 0.0 or bool(self.damper)

    def stiffness_at(self, x: float) -> float:
        """Slope of the spring, positive where it resists."""
        return -slope_at(self.spring, x) if self.spring else self.stiffness

    def damping_at_rest(self) -> float:
        """Slope of all dampers at rate zero."""
        eddy = 2.0 * self.eddy_peak / self.eddy_rate
        return self.damping + eddy + (slope_at(self.damper, 0.0) if self.damper else 0.0)


def leg_shafts(legs: Sequence[AnyLeg], at_reference: Sequence[float]) -> tuple[Shaft, ...]:
    """One shaft a leg; `at_reference` are its stroke [m] or crank angle [rad] at the reference pose."""
    shafts = []
    for k, (leg, x) in enumerate(zip(legs, at_reference, strict=True)):
        weight = tuple(float(i == k) for i in range(LEGS))
        unit = "rad" if isinstance(leg, HuntLeg) else "m"
        shaft = Shaft(f"legs.{k + 1}", unit, k, weight, x, turns=int(unit == "rad"))
        shafts.append(with_devices(shaft, leg.actuator))
    mean = sum(shaft.start for shaft in shafts) / max(len(shafts), 1)
    return tuple(replace(shaft, command=shaft.start - mean) if shaft.follows == MEAN else shaft for shaft in shafts)


def coupling_shafts(couplings: dict[str, Coupling], legs: Sequence[Shaft]) -> tuple[Shaft, ...]:
    """The couplings of these legs."""
    shafts = []
    for name, coupling in couplings.items():
        unit = next((leg.unit for leg, w in zip(legs, coupling.weights, strict=True) if w != 0.0), "m")
        start = sum(w * leg.start for leg, w in zip(legs, coupling.weights, strict=True))
        shaft = Shaft(f"couplings.{name}", unit, -1, tuple(coupling.weights), start)
        if coupling.actuator is not None:
            shaft = replace(with_devices(shaft, coupling.actuator), rotor=coupling.actuator.rotor)
        shafts.append(shaft)
    return tuple(shafts)


def axis_shaft(part: AnyActuator | None, unit: str, start: float, name: str) -> Shaft | None:
    """What devices do on a joint's coordinate, which is named with the joint; none without devices."""
    return None if part is None else with_devices(Shaft(name, unit, -1, (0.0,) * LEGS, start), part)


def with_devices(shaft: Shaft, part: AnyActuator) -> Shaft:
    """The shaft with all that acts on it."""
    lower, upper, limit, speed = (part.si(stem) for stem in ("lower", "upper", "force_limit", "speed_limit"))
    values: dict[str, Any] = {
        "damping": part.si("damping"),
        "damper": () if part.damping_table is None else damper_curve(_in_si(part.damping_table, shaft.unit)),
        "friction": part.slip,
        "presliding": part.si("presliding"),
        "lower": -math.inf if lower is None else lower,
        "upper": math.inf if upper is None else upper,
        "stop_stiffness": part.si("stop_stiffness"),
        "stop_damping": part.si("stop_damping"),
        "stop_travel": part.si("stop_travel"),
        "force": part.si("force"),
        "force_limit": math.inf if limit is None else limit,
        "speed_limit": math.inf if speed is None else speed,
        "command": shaft.start,
    }
    if part.eddy_current is not None:
        values |= {"eddy_peak": part.eddy_current.si("peak_force"), "eddy_rate": part.eddy_current.si("at_rate")}
    return replace(shaft, **values, **_spring(part, shaft), **_servo(part, shaft))


def _in_si(rows: Sequence[tuple[float, float]], unit: str) -> list[tuple[float, float]]:
    factor = DEG if unit == "rad" else 1.0
    return [(factor * x, force) for x, force in rows]


def _spring(part: AnyActuator, shaft: Shaft) -> dict[str, Any]:
    rest = part.si("rest")
    rest = shaft.start if rest is None else rest
    if part.spring_table is not None:
        knots = spring_curve(_in_si(part.spring_table, shaft.unit))
    elif part.si("preload") > 0.0 or part.si("rebound_stiffness") is not None:
        rebound = part.si("rebound_stiffness")
        stiffness = part.si("stiffness")
        rebound = stiffness if rebound is None else rebound
        knots = caged_spring(rest, stiffness, rebound, part.si("preload"), part.si("preload_give"))
    else:
        return {"stiffness": part.si("stiffness"), "rest": rest}
    return {"spring": knots, "stiffness": -slope_at(knots, shaft.start), "rest": rest}


def _servo(part: AnyActuator, shaft: Shaft) -> dict[str, Any]:
    servo = part.servo
    if servo is None:
        return {}
    mean, target, limit = servo.follows == "mean", servo.si("target"), servo.si("rate_limit")
    values: dict[str, Any] = {
        "has_servo": True,
        "servo_on": int(servo.enabled),
        "mode": MODES[servo.mode],
        "follows": MEAN if mean else OWN,
        "stiffness_gain": servo.si("stiffness") or 0.0,
        "damping_gain": servo.si("damping"),
        "target": target if target is not None else 0.0 if mean else shaft.start,
        "target_rate": servo.si("target_rate") or 0.0,
        "target_force": servo.si("target_force") or 0.0,
        "path": servo.path,
        "rate_limit": math.inf if limit is None else limit,
        "sample_s": servo.sample_s or 0.0,
        "delay_s": servo.delay_s,
    }
    if servo.admittance is not None:
        law = servo.admittance
        travel = law.si("travel_limit")
        values["gives_way"] = 1
        values |= {f"admittance_{stem}": law.si(stem) for stem in ("mass", "damping", "stiffness")}
        values |= {"dead_band": law.si("dead_band"), "travel_limit": math.inf if travel is None else travel}
    return values

"""The devices of a mechanism in words and curves: what acts on which shaft, how strongly, and by which law.

A shaft is the stroke or crank of a leg, or a coupling of several. Equal legs share a row and a pair of curves. The
curves are computed by the kernel's own laws. A figure shows force against the coordinate (spring, constant force and
stops, everything at rest) and against the rate (dampers, and the brake slipping).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from docksim.compiler.shafts import Shaft
from docksim.config.schema.actuators import Actuator
from docksim.config.schema.servos import Servo
from docksim.hardware.mechanism import Mechanism

POINTS = 401
# shown where nothing says how far or how fast: 0.2 m and 0.1 m/s, 30 deg and 20 deg/s
SPAN = {"m": 0.2, "rad": math.radians(30.0)}
FAST = {"m": 0.1, "rad": math.radians(20.0)}
OFF = 0.5  # by which a brake's coefficient is put wrong, to see what self-adjustment is worth


@dataclass(frozen=True)
class DeviceFigures:
    """One shaft, or equal legs together; lengths in m or deg, forces in N or N m, stiffness by m or rad."""

    shaft: str
    weights: tuple[float, ...]  # of the legs in a coupling; none for legs
    unit: str
    reference: float
    lower: float
    upper: float
    stiffness: float  # slope at the reference pose
    damping: float  # slope at rest, eddy-current brake included
    slip: float
    rotor: float  # kg or kg m2 as felt on this shaft
    force_limit: float
    words: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class DeviceLaw:
    """Curves of one shaft in the unit of its coordinate."""

    label: str
    unit: str
    force_unit: str
    x: np.ndarray
    spring: np.ndarray  # spring and constant force
    stop: np.ndarray
    rate: np.ndarray
    damper: np.ndarray
    brake: np.ndarray
    reference: float
    lower: float
    upper: float


def device_figures(mechanism: Mechanism) -> tuple[DeviceFigures, ...]:
    """A row for every group of equal legs and for every coupling."""
    return tuple(_figures(*group) for group in _groups(mechanism))


def device_laws(mechanism: Mechanism) -> list[DeviceLaw]:
    """Curves of every group that has something to show."""
    groups: dict[tuple[bool, float, str], tuple[list[str], Shaft]] = {}
    for name, shaft, device in _groups(mechanism):
        # couplings with equal devices share their curves
        names, _ = groups.setdefault((shaft.place < 0, round(shaft.start, 9), repr(device)), ([], shaft))
        names.append(name)
    laws = [_law(mechanism, ", ".join(names), shaft) for names, shaft in groups.values()]
    return [law for law in laws if any(map(np.any, (law.spring, law.stop, law.damper, law.brake)))]


def _groups(mechanism: Mechanism) -> Iterator[tuple[str, Shaft, Actuator | None]]:
    """Name, first shaft, and device as written."""
    legs = mechanism.shafts[: len(mechanism.legs)]
    groups: dict[tuple[float, str], list[int]] = {}
    for place, (shaft, leg) in enumerate(zip(legs, mechanism.legs, strict=True), start=1):
        groups.setdefault((round(shaft.start, 9), repr(leg.actuator)), []).append(place)
    for numbers in groups.values():
        yield numbered(numbers), legs[numbers[0] - 1], mechanism.legs[numbers[0] - 1].actuator
    couplings = mechanism.config.couplings.items()
    for shaft, (name, coupling) in zip(mechanism.shafts[len(legs) :], couplings, strict=True):
        yield name, shaft, coupling.actuator


def numbered(numbers: list[int]) -> str:
    """leg 3; legs 1, 4; legs 1 to 6."""
    if len(numbers) == 1:
        return f"leg {numbers[0]}"
    if numbers == list(range(numbers[0], numbers[-1] + 1)) and len(numbers) > 2:
        return f"legs {numbers[0]} to {numbers[-1]}"
    return f"legs {', '.join(map(str, numbers))}"


def _figures(name: str, shaft: Shaft, device: Actuator | None) -> DeviceFigures:
    factor, unit = (math.degrees(1.0), "deg") if shaft.unit == "rad" else (1.0, "m")
    return DeviceFigures(
        name,
        shaft.weight if shaft.place < 0 else (),
        unit,
        factor * shaft.start,
        factor * shaft.lower,
        factor * shaft.upper,
        shaft.stiffness_at(shaft.start),
        shaft.damping_at_rest(),
        shaft.friction,
        device.rotor if device is not None else 0.0,
        shaft.force_limit,
        tuple(_words(device)) if device is not None else (),
    )


# ---------------------------------------------------------------- words


def number(value: float) -> str:
    """Four digits, written out as long as that is readable."""
    short = f"{value:.4g}"
    return f"{float(short):g}" if 1e-3 <= abs(value) < 1e6 else short


def _words(device: Actuator) -> Iterator[str]:
    """All that a device is made of, in the order in which it is explained in the docs."""
    force = "N m" if device.key("force").endswith("Nm") else "N"
    unit, per = ("deg", "N m/rad") if force == "N m" else ("m", "N/m")
    yield from _spring_words(device, force, per)
    yield from _damper_words(device, force, unit)
    yield from _brake_words(device, force)
    if device.given("force"):
        yield f"constant {number(device.si('force'))} {force}"
    limit = device.si("force_limit")
    servo = getattr(device, "servo", None)
    if servo is not None:
        yield _servo_words(servo, unit, force, limit)
    elif limit is not None:
        yield f"limit {number(limit)} {force}"
    if device.rotor > 0.0:
        yield f"rotor felt as {number(device.rotor)} {'kg m²' if force == 'N m' else 'kg'}"


def _spring_words(device: Actuator, force: str, per: str) -> Iterator[str]:
    if device.spring_table is not None:
        yield f"spring by a table of {len(device.spring_table)} rows"
        return
    stiffness, preload, rebound = (device.si(stem) for stem in ("stiffness", "preload", "rebound_stiffness"))
    back = f", {number(rebound)} {per} beyond its rest" if rebound is not None else ""
    if preload > 0.0:
        yield f"caged spring {number(preload)} {force} and {number(stiffness)} {per}{back}"
    elif stiffness > 0.0 or back:
        yield f"spring {number(stiffness)} {per}{back}"


def _damper_words(device: Actuator, force: str, unit: str) -> Iterator[str]:
    if device.damping_table is not None:
        yield f"damper by a table of {len(device.damping_table)} rows"
    elif device.given("damping"):
        yield f"damper {number(device.si('damping'))} {'N m s/rad' if unit == 'deg' else 'N s/m'}"
    eddy = getattr(device, "eddy_current", None)
    if eddy is not None:
        rate = getattr(eddy, eddy.key("at_rate"))
        yield f"eddy-current brake, at most {number(eddy.si('peak_force'))} {force}, at {number(rate)} {unit}/s"


def _brake_words(device: Actuator, force: str) -> Iterator[str]:
    brake = getattr(device, "brake", None)
    if brake is None:
        if device.slip > 0.0:
            yield f"friction {number(device.slip)} {force}"
        return
    mu = brake.friction_coefficient
    low, high = (brake.model_copy(update={"friction_coefficient": mu * f}).slip for f in (1.0 - OFF, 1.0 + OFF))
    span = f"{number(low)} to {number(high)} {force} for a coefficient of {number(mu * (1 - OFF))} to "
    yield f"brake slips at {number(brake.slip)} {force} ({span}{number(mu * (1 + OFF))})"


def _servo_words(servo: Servo, unit: str, force: str, limit: float | None) -> str:
    per, by_rate = ("N m/rad", "N m s/rad") if unit == "deg" else ("N/m", "N s/m")
    words = [f"{servo.mode} servo" + (" against the mean of the legs" if servo.follows == "mean" else "")]
    if servo.si("stiffness") is not None:
        words.append(f"{number(servo.si('stiffness'))} {per}")
    words.append(f"{number(servo.si('damping'))} {by_rate}")
    if limit is not None:
        words.append(f"at most {number(limit)} {force}")
    if servo.si("rate_limit") is not None:
        words.append(f"set-point at most {number(getattr(servo, servo.key('rate_limit')))} {unit}/s")
    if servo.sample_s is not None:
        words.append(f"sampled every {number(servo.sample_s)} s")
        words += [f"{number(servo.delay_s)} s late"] if servo.delay_s > 0 else []
    admittance = getattr(servo, "admittance", None)
    if admittance is not None:
        mass, kind = admittance.si("mass"), "kg m²" if unit == "deg" else "kg"
        words.append(f"yields like {number(mass)} {kind} on {number(admittance.si('damping'))} {by_rate}")
    return ", ".join([*words, *([] if servo.enabled else ["off at the start"])])


# ---------------------------------------------------------------- curves


def _law(mechanism: Mechanism, name: str, shaft: Shaft) -> DeviceLaw:
    factor = math.degrees(1.0) if shaft.unit == "rad" else 1.0
    x, rate = _span(shaft), _rates(shaft)
    still = mechanism.device_forces(shaft.name, x, np.zeros_like(x))
    moving = mechanism.device_forces(shaft.name, np.full_like(rate, shaft.start), rate)
    return DeviceLaw(
        name,
        "deg" if shaft.unit == "rad" else "m",
        "N m" if shaft.unit == "rad" else "N",
        factor * x,
        still["spring"] + shaft.force,
        still["stop"],
        factor * rate,
        moving["damper"],
        moving["brake"],
        factor * shaft.start,
        factor * shaft.lower,
        factor * shaft.upper,
    )


def _span(shaft: Shaft) -> np.ndarray:
    """Coordinates from stop to stop and into the stops, finely at the kinks."""
    # the first knot of a table only continues it
    knots = [knot[0] for knot in shaft.spring[1:]]
    low = shaft.lower - shaft.stop_travel if math.isfinite(shaft.lower) else shaft.start - SPAN[shaft.unit]
    high = shaft.upper + shaft.stop_travel if math.isfinite(shaft.upper) else shaft.start + SPAN[shaft.unit]
    low, high = min([low, *knots]), max([high, *knots])
    kinks = [x for x in (*knots, shaft.lower, shaft.upper) if low < x < high]
    return np.unique(np.concatenate([np.linspace(low, high, POINTS), kinks]))


def _rates(shaft: Shaft) -> np.ndarray:
    """Rates to well beyond the peak of an eddy-current brake, or to the end of the damper's table."""
    table = max((abs(knot[0]) for knot in shaft.damper[1:]), default=0.0)
    fastest = max(4.0 * shaft.eddy_rate if shaft.eddy_peak > 0.0 else 0.0, 1.2 * table) or FAST[shaft.unit]
    # both sides of zero, where a brake's force jumps
    return np.unique([*np.linspace(-fastest, fastest, POINTS), -1e-9 * fastest, 1e-9 * fastest])

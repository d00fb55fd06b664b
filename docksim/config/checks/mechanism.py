"""What only the whole mechanism can tell: whether every leg reaches the ring at its reference pose, limits kept.

Devices and couplings are checked in `device_checks`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.algebra.elementary import hypot
from docksim.algebra.vec3 import sub
from docksim.config.checks.devices import check_devices
from docksim.config.schema.leg_geometry import crank_reach, driven_at, on_ring
from docksim.config.schema.legs import HuntLeg, RingPose, StewartLeg, SymmetricStewart
from docksim.config.schema.mechanism import Mechanism
from docksim.config.schema.symmetric_legs import azimuths_deg, on_circle
from docksim.config.tree import Fault


def check_mechanism(mechanism: Mechanism) -> list[Fault]:
    """Every fault of a mechanism whose parts are valid on their own."""
    return _check_legs(mechanism) or [*check_devices(mechanism), *_check_retraction(mechanism)]


def _check_retraction(mechanism: Mechanism) -> Iterator[Fault]:
    if mechanism.retraction_drive is not None and not any(leg.base_way() for leg in mechanism.six_legs()):
        yield ("retraction_drive",), "the base joints have nowhere to go; give the legs a base_travel or a base_path_m"


def _check_legs(mechanism: Mechanism) -> list[Fault]:
    if mechanism.symmetric is None:
        return [(("legs", number, key), text) for number, key, text in _leg_faults(mechanism)]
    faults = list(_lengths(mechanism, mechanism.symmetric))
    if not faults:
        # all legs are alike, and so are their faults
        faults = [(("symmetric", key), text) for _, key, text in _leg_faults(mechanism)]
    return faults[:1]


def _leg_faults(mechanism: Mechanism) -> Iterator[tuple[int, str, str]]:
    for number, leg in enumerate(mechanism.six_legs()):
        check = _stroke(leg, mechanism.reference) if isinstance(leg, StewartLeg) else _crank(leg, mechanism.reference)
        yield from ((number, key, text) for key, text in check)


def _lengths(mechanism: Mechanism, part: object) -> Iterator[Fault]:
    """A length that is to be chosen must be left something."""
    if not isinstance(part, SymmetricStewart) or (part.lower_length_m is None) == (part.upper_arm_m is None):
        return
    base, ring = (angles[0] for angles in azimuths_deg(part))
    start = on_circle(part.base_radius_m, base, part.base_height_m)
    end = on_ring(mechanism.reference, on_circle(part.ring_radius_m, ring, part.ring_height_m))
    length = hypot(*sub(end, start))
    key = "lower_length_m" if part.upper_arm_m is None else "upper_arm_m"
    given = getattr(part, key)
    if given >= length:
        yield ("symmetric", key), f"{given} m leaves nothing of the leg, which is {length:.6g} m at the reference pose"


def _stroke(leg: StewartLeg, pose: RingPose) -> Iterator[tuple[str, str]]:
    length = hypot(*sub(on_ring(pose, leg.ring_joint_m), leg.base_joint_m))
    if length < 1e-9:
        yield "ring_joint_m", "the ring joint lies on the base joint at the reference pose; a leg needs a length"
        return
    stroke = driven_at(leg, pose)
    limits = leg.actuator
    text = f"the reference pose needs a stroke of {stroke:.6g} m"
    slack = 1e-9 * length
    if limits.lower_m is not None and stroke < limits.lower_m - slack:
        yield "actuator", f"{text}, less than lower_m, which is {limits.lower_m}"
    if limits.upper_m is not None and stroke > limits.upper_m + slack:
        yield "actuator", f"{text}, more than upper_m, which is {limits.upper_m}"


def _crank(leg: HuntLeg, pose: RingPose) -> Iterator[tuple[str, str]]:
    reach = crank_reach(leg, pose)
    if not reach.reaches(leg):
        need = f"between {reach.near_m:.6g} and {reach.far_m:.6g} m"
        yield "rod_m", f"{leg.rod_m} m does not reach the ring at the reference pose; a rod {need} would"
        return
    angle = math.degrees(driven_at(leg, pose))
    limits = leg.actuator
    text = f"the reference pose needs a crank angle of {angle:.6g} deg"
    if limits.lower_deg is not None and angle < limits.lower_deg - 1e-7:
        yield "actuator", f"{text}, less than lower_deg, which is {limits.lower_deg}"
    if limits.upper_deg is not None and angle > limits.upper_deg + 1e-7:
        yield "actuator", f"{text}, more than upper_deg, which is {limits.upper_deg}"

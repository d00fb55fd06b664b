"""What only the whole mechanism or scenario can tell of devices: families of legs, limits at the reference."""

from __future__ import annotations

import math
from collections.abc import Iterator

from docksim.config.schema.actuators import Actuator, RotaryActuator
from docksim.config.schema.leg_geometry import driven_at
from docksim.config.schema.legs import AnyLeg, HuntLeg
from docksim.config.schema.mechanism import Coupling, Mechanism
from docksim.config.tree import Fault, Keys

KIND = {True: "cranks", False: "strokes"}
KEY = {True: "rotary", False: "linear"}


def actuators_of(mechanism: Mechanism) -> Iterator[tuple[Keys, Actuator]]:
    """Every actuator as it is written, with its path; equal legs have one."""
    if mechanism.symmetric is not None:
        yield ("symmetric", "actuator"), mechanism.symmetric.actuator
    for number, leg in enumerate(mechanism.legs or []):
        yield ("legs", number, "actuator"), leg.actuator
    for name, coupling in mechanism.couplings.items():
        if coupling.actuator is not None:
            yield ("couplings", name, KEY[coupling.rotary is not None]), coupling.actuator


def check_devices(mechanism: Mechanism) -> Iterator[Fault]:
    """Faults of devices and couplings, of a mechanism whose legs reach the ring."""
    legs = mechanism.six_legs()
    hunt = [isinstance(leg, HuntLeg) for leg in legs]
    for path, actuator in actuators_of(mechanism):
        servo = getattr(actuator, "servo", None)
        if path[0] != "couplings" and servo is not None and servo.follows == "mean" and len(set(hunt)) > 1:
            text = f"mean needs six legs of one family; {_listed(hunt)}: use follows: own"
            yield (*path, "servo", "follows"), text
    for name, coupling in mechanism.couplings.items():
        faults = list(_family(coupling, hunt)) or list(_coupling(coupling, legs, mechanism))
        yield from ((("couplings", name, *path), text) for path, text in faults)


def _listed(hunt: list[bool]) -> str:
    """Which legs have strokes, and which have cranks."""
    members = {kind: [str(k + 1) for k, one in enumerate(hunt) if one is kind] for kind in (False, True)}
    return " and ".join(f"legs {', '.join(numbers)} have {KIND[kind]}" for kind, numbers in members.items())


def _family(coupling: Coupling, hunt: list[bool]) -> Iterator[Fault]:
    """A sum needs terms of one unit, and devices of the same."""
    kinds = {one for one, weight in zip(hunt, coupling.weights, strict=True) if weight}
    if len(kinds) > 1:
        yield ("weights",), f"{coupling.weights} adds strokes to angles; {_listed(hunt)}: weight legs of one family"
        return
    (rotary,) = kinds
    if coupling.actuator is not None and rotary != (coupling.rotary is not None):
        text = f"does not fit: the weighted legs have {KIND[rotary]}; use '{KEY[rotary]}'"
        yield (KEY[not rotary],), text


def _coupling(coupling: Coupling, legs: tuple[AnyLeg, ...], mechanism: Mechanism) -> Iterator[Fault]:
    actuator = coupling.actuator
    if actuator is None:
        return
    path: Keys = (KEY[coupling.rotary is not None],)
    servo = getattr(actuator, "servo", None)
    if servo is not None and servo.follows == "mean":
        yield (*path, "servo", "follows"), "mean is for the servos of legs; a coupling has follows: own"
    if servo is not None and servo.admittance is not None:
        yield (*path, "servo", "admittance"), "is for the servos of legs, where the ring's force is measured; remove it"
    now = coupled_at_reference(coupling, legs, mechanism)
    shown = math.degrees(now) if isinstance(actuator, RotaryActuator) else now
    for stem, beyond in (("lower", -1.0), ("upper", 1.0)):
        limit, key = actuator.si(stem), actuator.key(stem)
        if limit is not None and beyond * (now - limit) > 1e-9:
            text = f"{getattr(actuator, key)} is not kept at the reference pose, where the coupling is at {shown:.6g}"
            yield (*path, key), text


def coupled_at_reference(coupling: Coupling, legs: tuple[AnyLeg, ...], mechanism: Mechanism) -> float:
    """Value of a coupling at the reference pose [m] or [rad]."""
    terms = zip(coupling.weights, legs, strict=True)
    return sum(weight * driven_at(leg, mechanism.reference) for weight, leg in terms if weight)

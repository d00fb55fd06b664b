"""Joints and their axes.

A joint sits at a point of the parent body and carries a child body; at zero coordinates the child's frame coincides
with the joint frame, unless child_position_m or child_attitude say otherwise. Angles in degrees at this border.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from docksim.algebra.elementary import hypot
from docksim.algebra.vec3 import cross
from docksim.config.schema.actuators import Actuator, LinearActuator, RotaryActuator
from docksim.config.schema.drives import LinearDrive, RotaryDrive
from docksim.config.schema.fields import (
    ZERO3,
    Attitude,
    Direction,
    KeyFaults,
    NonNegative,
    Part,
    PerAxis,
    Positive,
    Vec3,
    identity,
    refuse,
)
from docksim.config.schema.twins import Twin
from docksim.config.schema.unions import ToldByValue

# ---------------------------------------------------------------- axes: one coordinate with its devices


DEVICES = (
    "Devices of a docking mechanism's legs on this axis: springs by table, brakes, servo, gear. "
    "They act while nothing prescribes the motion; what stands beside this key must not stand in it too."
)
# keys of an axis that an actuator has too, by stem
SHARED = ("stiffness", "damping", "friction", "force", "rotor_mass")
STOPS = ("lower", "upper")


class Ranged(Twin):
    """A coordinate with a start and a range."""

    START: ClassVar[str]  # the stem of the key that says where it starts

    def range_faults(self) -> list[tuple[str, str]]:
        start, lower, upper = ((key, getattr(self, key)) for key in map(self.key, (self.START, *STOPS)))
        if lower[1] is not None and upper[1] is not None and lower[1] >= upper[1]:
            return [(upper[0], f"{upper[1]} must be greater than {lower[0]}, which is {lower[1]}")]
        if lower[1] is not None and start[1] < lower[1]:
            return [(start[0], f"{start[1]} starts below the stop {lower[0]}, which is {lower[1]}")]
        if upper[1] is not None and start[1] > upper[1]:
            return [(start[0], f"{start[1]} starts above the stop {upper[0]}, which is {upper[1]}")]
        return []


class Axis(Ranged):
    """What both axes have."""

    RATE: ClassVar[str]  # the stem of the key that says how fast it starts

    def check(self) -> KeyFaults:
        return self.range_faults() + self.lock_faults() + self.device_faults()

    @property
    def rotor(self) -> float:
        """Reflected inertia of the motor's rotor, by number or through screw or gear [kg] or [kg m²]."""
        actuator: Actuator | None = getattr(self, "actuator", None)
        return float(self.si("rotor_mass")) + (actuator.rotor if actuator is not None else 0.0)

    def lock_faults(self) -> list[tuple[str, str]]:
        if self.si("locked") and self.si("drive") is not None:
            return [("drive", "excludes 'locked: true'; a held coordinate cannot be driven: remove one of them")]
        return []

    def device_faults(self) -> list[tuple[str, str]]:
        """What a leg's devices may have and an axis' may not, and what is given twice."""
        actuator: Actuator | None = getattr(self, "actuator", None)
        if actuator is None:
            return []
        both = (self, actuator)
        twice = [self.key(stem) for stem in SHARED if all(part.si(stem) not in (None, 0.0) for part in both)]
        twice += [self.key(stem) for stem in STOPS if all(part.si(stem) is not None for part in both)]
        faults = [("actuator", f"has {key}, and the joint has it too; give it in one place") for key in twice]
        if actuator.rotor > 0.0 and self.given("rotor_mass") and not actuator.given("rotor_mass"):
            faults.append(("actuator", f"has a rotor, and the joint has {self.key('rotor_mass')}; give one of them"))
        servo = getattr(actuator, "servo", None)
        if servo is not None and servo.follows == "mean":
            faults.append(("actuator", "servo.follows: mean is for the six legs of a mechanism; a joint has own"))
        if servo is not None and servo.admittance is not None:
            faults.append(("actuator", "servo.admittance is for legs, where the ring's force is measured; remove it"))
        start = self.si(self.START)
        faults += [("actuator", f"the joint starts at a coordinate that {text}") for text in actuator.beyond(start)]
        return faults


class RotaryAxis(Axis):
    """One rotation: where it starts, and its spring, damper, friction, stops, motor, lock or drive."""

    START, RATE = "angle", "rate"

    angle_deg: float = Field(0.0, description="Initial angle [deg].")
    rate_deg_s: float = Field(0.0, description="Initial rate [deg/s].")
    stiffness_Nm_rad: NonNegative = Field(0.0, description="Spring stiffness [N m/rad].")
    rest_deg: float = Field(0.0, description="Angle at which the spring is relaxed [deg].")
    damping_Nms_rad: NonNegative = Field(0.0, description="Viscous damping [N m s/rad].")
    friction_Nm: NonNegative = Field(0.0, description="Coulomb friction torque, with true sticking [N m].")
    presliding_deg: Positive = Field(0.05, description="Elastic deflection before friction slips [deg].")
    lower_deg: float | None = Field(None, description="Lower stop [deg]; none if left out.")
    upper_deg: float | None = Field(None, description="Upper stop [deg]; none if left out.")
    stop_stiffness_Nm_rad: NonNegative = Field(1e4, description="Stiffness of the stops [N m/rad].")
    stop_damping_s_rad: NonNegative = Field(0.0, description="Hunt-Crossley damping factor of the stops [s/rad].")
    rotor_inertia_kg_m2: NonNegative = Field(0.0, description="Motor rotor inertia reflected to the joint [kg m²].")
    torque_Nm: float = Field(0.0, description="Constant motor torque [N m].")
    locked: bool = Field(False, description="Held rigidly from the start, until an event releases it.")
    drive: RotaryDrive | None = Field(None, description="Prescribed motion from the start; excludes 'locked'.")
    actuator: RotaryActuator | None = Field(None, description=DEVICES)


class LinearAxis(Axis):
    """One translation: where it starts, and its spring, damper, friction, stops, motor, lock or drive."""

    START, RATE = "travel", "velocity"

    travel_m: float = Field(0.0, description="Initial travel [m].")
    velocity_m_s: float = Field(0.0, description="Initial velocity [m/s].")
    stiffness_N_m: NonNegative = Field(0.0, description="Spring stiffness [N/m].")
    rest_m: float = Field(0.0, description="Travel at which the spring is relaxed [m].")
    damping_Ns_m: NonNegative = Field(0.0, description="Viscous damping [N s/m].")
    friction_N: NonNegative = Field(0.0, description="Coulomb friction force, with true sticking [N].")
    presliding_m: Positive = Field(1e-4, description="Elastic deflection before friction slips [m].")
    lower_m: float | None = Field(None, description="Lower stop [m]; none if left out.")
    upper_m: float | None = Field(None, description="Upper stop [m]; none if left out.")
    stop_stiffness_N_m: NonNegative = Field(1e5, description="Stiffness of the stops [N/m].")
    stop_damping_s_m: NonNegative = Field(0.0, description="Hunt-Crossley damping factor of the stops [s/m].")
    rotor_mass_kg: NonNegative = Field(0.0, description="Motor inertia reflected to the joint as a mass [kg].")
    force_N: float = Field(0.0, description="Constant motor force [N].")
    locked: bool = Field(False, description="Held rigidly from the start, until an event releases it.")
    drive: LinearDrive | None = Field(None, description="Prescribed motion from the start; excludes 'locked'.")
    actuator: LinearActuator | None = Field(None, description=DEVICES)


# ---------------------------------------------------------------- joints


class JointPlace(Part):
    """Where a joint sits on its parent and on its child."""

    position_m: Vec3 = Field(ZERO3, description="Joint point on the parent, in the parent's frame [m].")
    attitude: Attitude = Field(default_factory=identity, description="Joint frame in the parent's frame.")
    child_position_m: Vec3 = Field(ZERO3, description="Joint point in the child's frame [m].")
    child_attitude: Attitude = Field(default_factory=identity, description="Joint frame in the child's frame.")

    def coordinates(self) -> tuple[float, ...]:
        """At the start, in the order of docksim/algebra/joints.py [rad], [m]."""
        return ()


class UndrivenJoint(JointPlace):
    """A joint without an axis that a motor could turn."""

    @model_validator(mode="before")
    @classmethod
    def _no_drive(cls, value: Any) -> Any:
        if isinstance(value, dict):
            kind = value.get("type", "fixed")
            text = f"a {kind} joint has no axis to drive; remove it, or take a joint with axes, such as revolute"
            refuse((key, text) for key in ("actuator", "drive") if key in value)
        return value


class FixedJoint(UndrivenJoint):
    """No motion between parent and child."""

    type: Literal["fixed"] = Field("fixed", description="Rigid connection.")


class RevoluteJoint(JointPlace, RotaryAxis):
    """One rotation about an axis."""

    type: Literal["revolute"] = Field("revolute", description="One rotation about the axis.")
    axis: Direction = Field(description="Rotation axis, in the joint frame; any length but zero.")

    def coordinates(self) -> tuple[float, ...]:
        return (math.radians(self.angle_deg),)


class PrismaticJoint(JointPlace, LinearAxis):
    """One translation along an axis."""

    type: Literal["prismatic"] = Field("prismatic", description="One translation along the axis.")
    axis: Direction = Field(description="Sliding axis, in the joint frame; any length but zero.")

    def coordinates(self) -> tuple[float, ...]:
        return (self.travel_m,)


class CylindricalJoint(JointPlace):
    """A rotation about and a translation along the same axis. Coordinates: 0 rotation, 1 translation."""

    type: Literal["cylindrical"] = Field("cylindrical", description="Rotation about and translation along the axis.")
    axis: Direction = Field(description="Common axis, in the joint frame; any length but zero.")
    rotation: RotaryAxis = Field(default_factory=RotaryAxis, description="The rotation (coordinate 0).")
    translation: LinearAxis = Field(default_factory=LinearAxis, description="The translation (coordinate 1).")

    def coordinates(self) -> tuple[float, ...]:
        return (math.radians(self.rotation.angle_deg), self.translation.travel_m)


class UniversalJoint(JointPlace):
    """Two rotations, the second about an axis that the first one turns. Coordinates: 0 first, 1 second."""

    type: Literal["universal"] = Field("universal", description="Two rotations about crossing axes.")
    axis: Direction = Field(description="First axis, in the joint frame; any length but zero.")
    axis_2: Direction = Field(
        description="Second axis at zero first angle, in the joint frame; not parallel to the first."
    )
    first: RotaryAxis = Field(
        default_factory=RotaryAxis, description="The rotation about the first axis (coordinate 0)."
    )
    second: RotaryAxis = Field(
        default_factory=RotaryAxis, description="The rotation about the second axis (coordinate 1)."
    )

    def coordinates(self) -> tuple[float, ...]:
        return (math.radians(self.first.angle_deg), math.radians(self.second.angle_deg))

    def check(self) -> KeyFaults:
        if hypot(*cross(*([c / hypot(*v) for c in v] for v in (self.axis, self.axis_2)))) < 1e-6:
            yield "axis_2", f"{list(self.axis_2)} is parallel to axis {list(self.axis)}; the two must cross"


class SphericalJoint(UndrivenJoint):
    """Three rotations about a point."""

    type: Literal["spherical"] = Field("spherical", description="Free rotation about the joint point.")
    initial: Attitude = Field(
        default_factory=identity, description="Initial orientation of the child against the joint frame."
    )
    rate_deg_s: Vec3 = Field(
        ZERO3, description="Initial rate of the child against the parent, child-side joint axes [deg/s]."
    )
    stiffness_Nm_rad: PerAxis = Field(
        ZERO3, description="Spring stiffness against the rotation vector, one number or one for each axis [N m/rad]."
    )
    damping_Nms_rad: PerAxis = Field(ZERO3, description="Viscous damping, one number or one for each axis [N m s/rad].")
    locked: bool = Field(False, description="Held rigidly from the start, until an event releases it.")

    def coordinates(self) -> tuple[float, ...]:
        return self.initial.quaternion_wxyz()


class FreeJoint(UndrivenJoint):
    """Six degrees of freedom: the child floats, but is tracked relative to its parent."""

    type: Literal["free"] = Field("free", description="No constraint between parent and child.")
    offset_m: Vec3 = Field(ZERO3, description="Initial offset of the child's joint point, joint frame [m].")
    initial: Attitude = Field(
        default_factory=identity, description="Initial orientation of the child against the joint frame."
    )
    velocity_m_s: Vec3 = Field(
        ZERO3, description="Initial relative velocity, axes of the joint frame on the parent [m/s]."
    )
    rate_deg_s: Vec3 = Field(ZERO3, description="Initial relative rate, child-side joint axes [deg/s].")
    locked: bool = Field(False, description="Held rigidly from the start, until an event releases it.")

    def coordinates(self) -> tuple[float, ...]:
        return (*self.offset_m, *self.initial.quaternion_wxyz())


JOINT_TYPES = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "free")

Joint = Annotated[
    FixedJoint | RevoluteJoint | PrismaticJoint | CylindricalJoint | UniversalJoint | SphericalJoint | FreeJoint,
    ToldByValue("type"),
]  # fmt: skip


def coordinate_units(joint: Part) -> tuple[str, ...]:
    """The unit, "deg" or "m", of each coordinate that events can name; none for fixed, spherical and free joints."""
    if isinstance(joint, RevoluteJoint):
        return ("deg",)
    if isinstance(joint, PrismaticJoint):
        return ("m",)
    if isinstance(joint, CylindricalJoint):
        return ("deg", "m")
    if isinstance(joint, UniversalJoint):
        return ("deg", "deg")
    return ()


def axes_of(joint: Part) -> list[tuple[tuple[str, ...], RotaryAxis | LinearAxis]]:
    """A joint's axes, each with the keys at which it is written; none for fixed, spherical and free joints."""
    if isinstance(joint, RotaryAxis | LinearAxis):
        return [((), joint)]
    if isinstance(joint, CylindricalJoint):
        return [(("rotation",), joint.rotation), (("translation",), joint.translation)]
    if isinstance(joint, UniversalJoint):
        return [(("first",), joint.first), (("second",), joint.second)]
    return []

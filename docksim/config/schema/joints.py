"""Joints, their axes, and prescribed motions (drives).

A joint sits at a point of the parent body and carries a child body; at zero coordinates the child's frame coincides
with the joint frame, unless child_position_m or child_attitude say otherwise. Angles in degrees at this border.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from docksim.algebra.elementary import hypot
from docksim.config.schema.fields import (
    ZERO3,
    Attitude,
    Direction,
    NonNegative,
    Part,
    PerAxis,
    Positive,
    Vec3,
    check_tag,
    identity,
    refuse,
    tag_of,
)

# ---------------------------------------------------------------- drives: prescribed motion of one coordinate


class HoldDrive(Part):
    """Stop and stay where the coordinate is."""

    kind: Literal["hold"] = Field("hold", description="Keeps the coordinate where it is when the drive starts.")


class RotaryMove(Part):
    """Move to an angle, from rest to rest."""

    kind: Literal["move"] = Field("move", description="Rest-to-rest move along a fifth-order polynomial.")
    to_deg: float = Field(description="Angle reached at the end [deg].")
    duration_s: Positive = Field(description="Time the move takes [s].")


class RotaryRate(Part):
    """Turn at a constant rate."""

    kind: Literal["rate"] = Field("rate", description="Constant rate from the start of the drive.")
    rate_deg_s: float = Field(description="Rate [deg/s].")


class RotarySine(Part):
    """Swing about the starting angle."""

    kind: Literal["sine"] = Field("sine", description="Displacement A sin(2 pi f t) about the starting angle.")
    amplitude_deg: float = Field(description="Amplitude A [deg].")
    frequency_Hz: Positive = Field(description="Frequency f [Hz].")


class RotaryTable(Part):
    """Follow a table of angles."""

    kind: Literal["table"] = Field("table", description="Cubic spline through a table, at rest at both ends.")
    time_s: list[float] = Field(min_length=2, description="Times since the drive started [s]: 0 first, increasing.")
    displacement_deg: list[float] = Field(
        min_length=2, description="Displacements from the starting angle [deg]: 0 first."
    )

    @model_validator(mode="after")
    def _check(self) -> RotaryTable:
        refuse(_table_faults(self.time_s, self.displacement_deg, "displacement_deg"))
        return self


class LinearMove(Part):
    """Move to a position, from rest to rest."""

    kind: Literal["move"] = Field("move", description="Rest-to-rest move along a fifth-order polynomial.")
    to_m: float = Field(description="Travel reached at the end [m].")
    duration_s: Positive = Field(description="Time the move takes [s].")


class LinearRate(Part):
    """Move at a constant velocity."""

    kind: Literal["rate"] = Field("rate", description="Constant velocity from the start of the drive.")
    rate_m_s: float = Field(description="Velocity [m/s].")


class LinearSine(Part):
    """Swing about the starting position."""

    kind: Literal["sine"] = Field("sine", description="Displacement A sin(2 pi f t) about the starting position.")
    amplitude_m: float = Field(description="Amplitude A [m].")
    frequency_Hz: Positive = Field(description="Frequency f [Hz].")


class LinearTable(Part):
    """Follow a table of positions."""

    kind: Literal["table"] = Field("table", description="Cubic spline through a table, at rest at both ends.")
    time_s: list[float] = Field(min_length=2, description="Times since the drive started [s]: 0 first, increasing.")
    displacement_m: list[float] = Field(
        min_length=2, description="Displacements from the starting position [m]: 0 first."
    )

    @model_validator(mode="after")
    def _check(self) -> LinearTable:
        refuse(_table_faults(self.time_s, self.displacement_m, "displacement_m"))
        return self


def _table_faults(time_s: list[float], displacement: list[float], key: str) -> list[tuple[str, str]]:
    faults = []
    if len(time_s) != len(displacement):
        faults.append((key, f"has {len(displacement)} values but time_s has {len(time_s)}; they must be as many"))
    if time_s[0] != 0.0:
        faults.append(("time_s", f"starts at {time_s[0]}; the table's time counts from 0, the start of the drive"))
    if displacement[0] != 0.0:
        faults.append(
            (key, f"starts at {displacement[0]}; displacements count from 0, where the coordinate is at the start")
        )
    late = next((k for k in range(1, len(time_s)) if time_s[k] <= time_s[k - 1]), None)
    if late is not None:
        faults.append(("time_s", f"does not increase: {time_s[late]} comes after {time_s[late - 1]}"))
    return faults


DRIVE_KINDS = ("hold", "move", "rate", "sine", "table")
LINEAR_KEYS = ("to_m", "rate_m_s", "amplitude_m", "displacement_m")

RotaryDrive = Annotated[
    Annotated[HoldDrive, Tag("<hold>")]
    | Annotated[RotaryMove, Tag("<move>")]
    | Annotated[RotaryRate, Tag("<rate>")]
    | Annotated[RotarySine, Tag("<sine>")]
    | Annotated[RotaryTable, Tag("<table>")],
    Discriminator(tag_of("kind")),
    check_tag("kind", DRIVE_KINDS),
]
LinearDrive = Annotated[
    Annotated[HoldDrive, Tag("<hold>")]
    | Annotated[LinearMove, Tag("<move>")]
    | Annotated[LinearRate, Tag("<rate>")]
    | Annotated[LinearSine, Tag("<sine>")]
    | Annotated[LinearTable, Tag("<table>")],
    Discriminator(tag_of("kind")),
    check_tag("kind", DRIVE_KINDS),
]


def _profile_tag(value: Any) -> str | None:
    """A profile is linear when it has one of the keys in metres; whether that fits its joint is checked later."""
    kind = tag_of("kind")(value)
    keys = value if isinstance(value, dict) else type(value).model_fields
    linear = any(key in keys for key in LINEAR_KEYS)
    return kind.replace(">", "_linear>") if kind is not None and linear and kind != "<hold>" else kind


DriveProfile = Annotated[
    Annotated[HoldDrive, Tag("<hold>")]
    | Annotated[RotaryMove, Tag("<move>")]
    | Annotated[RotaryRate, Tag("<rate>")]
    | Annotated[RotarySine, Tag("<sine>")]
    | Annotated[RotaryTable, Tag("<table>")]
    | Annotated[LinearMove, Tag("<move_linear>")]
    | Annotated[LinearRate, Tag("<rate_linear>")]
    | Annotated[LinearSine, Tag("<sine_linear>")]
    | Annotated[LinearTable, Tag("<table_linear>")],
    Discriminator(_profile_tag),
    check_tag("kind", DRIVE_KINDS),
]


# ---------------------------------------------------------------- axes: one coordinate with its devices


class RotaryAxis(Part):
    """One rotation: where it starts, and its spring, damper, friction, stops, motor, lock or drive."""

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

    @model_validator(mode="after")
    def _check_axis(self) -> RotaryAxis:
        faults = range_faults(
            ("angle_deg", self.angle_deg), ("lower_deg", self.lower_deg), ("upper_deg", self.upper_deg)
        )
        refuse(faults + _lock_faults(self.locked, self.drive))
        return self


class LinearAxis(Part):
    """One translation: where it starts, and its spring, damper, friction, stops, motor, lock or drive."""

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

    @model_validator(mode="after")
    def _check_axis(self) -> LinearAxis:
        faults = range_faults(("travel_m", self.travel_m), ("lower_m", self.lower_m), ("upper_m", self.upper_m))
        refuse(faults + _lock_faults(self.locked, self.drive))
        return self


Keyed = tuple[str, float]
KeyedOrNone = tuple[str, float | None]


def range_faults(start: Keyed, lower: KeyedOrNone, upper: KeyedOrNone) -> list[tuple[str, str]]:
    if lower[1] is not None and upper[1] is not None and lower[1] >= upper[1]:
        return [(upper[0], f"{upper[1]} must be greater than {lower[0]}, which is {lower[1]}")]
    if lower[1] is not None and start[1] < lower[1]:
        return [(start[0], f"{start[1]} starts below the stop {lower[0]}, which is {lower[1]}")]
    if upper[1] is not None and start[1] > upper[1]:
        return [(start[0], f"{start[1]} starts above the stop {upper[0]}, which is {upper[1]}")]
    return []


def _lock_faults(locked: bool, drive: object) -> list[tuple[str, str]]:
    if locked and drive is not None:
        return [("drive", "excludes 'locked: true'; a held coordinate cannot be driven: remove one of them")]
    return []


# ---------------------------------------------------------------- joints


class JointPlace(Part):
    """Where a joint sits on its parent and on its child."""

    position_m: Vec3 = Field(ZERO3, description="Joint point on the parent, in the parent's frame [m].")
    attitude: Attitude = Field(default_factory=identity, description="Joint frame in the parent's frame.")
    child_position_m: Vec3 = Field(ZERO3, description="Joint point in the child's frame [m].")
    child_attitude: Attitude = Field(default_factory=identity, description="Joint frame in the child's frame.")


class FixedJoint(JointPlace):
    """No motion between parent and child."""

    type: Literal["fixed"] = Field("fixed", description="Rigid connection.")


class RevoluteJoint(JointPlace, RotaryAxis):
    """One rotation about an axis."""

    type: Literal["revolute"] = Field("revolute", description="One rotation about the axis.")
    axis: Direction = Field(description="Rotation axis, in the joint frame; any length but zero.")


class PrismaticJoint(JointPlace, LinearAxis):
    """One translation along an axis."""

    type: Literal["prismatic"] = Field("prismatic", description="One translation along the axis.")
    axis: Direction = Field(description="Sliding axis, in the joint frame; any length but zero.")


class CylindricalJoint(JointPlace):
    """A rotation about and a translation along the same axis. Coordinates: 0 rotation, 1 translation."""

    type: Literal["cylindrical"] = Field("cylindrical", description="Rotation about and translation along the axis.")
    axis: Direction = Field(description="Common axis, in the joint frame; any length but zero.")
    rotation: RotaryAxis = Field(default_factory=RotaryAxis, description="The rotation (coordinate 0).")
    translation: LinearAxis = Field(default_factory=LinearAxis, description="The translation (coordinate 1).")


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

    @model_validator(mode="after")
    def _check(self) -> UniversalJoint:
        if _sine_between(self.axis, self.axis_2) < 1e-6:
            refuse([("axis_2", f"{list(self.axis_2)} is parallel to axis {list(self.axis)}; the two must cross")])
        return self


class SphericalJoint(JointPlace):
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


class FreeJoint(JointPlace):
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


def _sine_between(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    (ax, ay, az), (bx, by, bz) = ([c / hypot(*v) for c in v] for v in (a, b))
    return hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


JOINT_TYPES = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "free")

Joint = Annotated[
    Annotated[FixedJoint, Tag("<fixed>")]
    | Annotated[RevoluteJoint, Tag("<revolute>")]
    | Annotated[PrismaticJoint, Tag("<prismatic>")]
    | Annotated[CylindricalJoint, Tag("<cylindrical>")]
    | Annotated[UniversalJoint, Tag("<universal>")]
    | Annotated[SphericalJoint, Tag("<spherical>")]
    | Annotated[FreeJoint, Tag("<free>")],
    Discriminator(tag_of("type")),
    check_tag("type", JOINT_TYPES),
]


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

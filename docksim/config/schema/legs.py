"""Legs of a docking mechanism, one by one or six equal ones in a few lines, and the pose of the ring that they carry.

A leg is named by its joints from base to ring: UPS, SPU, UCU (Gough-Stewart: two links and a stroke between them), RUS,
RSU (Hunt: a crank and a rod). Frames B and C, and azimuths, are those of the mechanism.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from docksim.config.schema.actuators import LinearActuator, RotaryActuator
from docksim.config.schema.fields import (
    ZERO3,
    AnyInertia,
    Attitude,
    KeyFaults,
    NonNegative,
    Part,
    Positive,
    Row4,
    Vec3,
    exactly_one,
    identity,
)
from docksim.config.schema.limits import LARGEST
from docksim.config.schema.link import LinkPart
from docksim.config.schema.retraction import Knot, way_faults
from docksim.config.schema.unions import ToldByValue

StewartType = Literal["UPS", "SPU", "UCU"]
HuntType = Literal["RUS", "RSU"]
STEWART: tuple[StewartType, ...] = ("UPS", "SPU", "UCU")
HUNT: tuple[HuntType, ...] = ("RUS", "RSU")
# joints kept when the ring is cut off, base to ring; the driven one is the stroke or the crank
JOINTS: dict[str, tuple[str, ...]] = {
    "UPS": ("y", "z", "stroke"),
    "SPU": ("y", "z", "x", "stroke"),
    "UCU": ("y", "z", "x", "stroke"),
    "RUS": ("crank", "y", "z"),
    "RSU": ("crank", "y", "z", "x"),
}
LEGS = 6
Sign = Literal[1, -1]
Azimuths = Annotated[list[float], Field(min_length=LEGS, max_length=LEGS)]


class RingPose(Part):
    """A pose of the ring."""

    position_m: Vec3 = Field(description="Origin of C in B [m].")
    attitude: Attitude = Field(default_factory=identity, description="C in B.")


# ---------------------------------------------------------------- what legs are made of


class Link(LinkPart):
    """A rigid link. Its origin is the joint on its base side, its x axis points to the ring side."""

    center_of_mass_m: Vec3 | None = Field(
        None, description="Mass centre from the link's origin, link axes [m]; the middle of the link if left out."
    )
    inertia_kg_m2: AnyInertia | None = Field(
        None, description="Inertia about the mass centre, link axes [kg m²]; of a thin uniform rod along x if left out."
    )


class _LegPart(Part):
    """What all legs have."""

    spin: Sign = Field(
        1, description="Branch of the link's turn about its own axis (SPU, UCU, RSU): the sign of its cosine factor."
    )
    turn_inertia_kg_m2: list[NonNegative] = Field(
        default_factory=list,
        description="Rotor inertia on the other turning joints kept (y, z, and x for SPU, UCU, RSU) [kg m²]; or none.",
    )


class _PlacedLeg(_LegPart):
    """Where a leg's joints are."""

    base_joint_m: Vec3 = Field(description="Centre of the base joint in B [m]; Hunt: elbow's foot on the crank axis.")
    base_axes: Attitude = Field(
        default_factory=identity,
        description="Axes of the base joint in B. Stewart: turns about y, then z, leg along x. Hunt: crank axis y.",
    )
    base_travel_m: Vec3 = Field(
        ZERO3, description="How far the base joint moves in B at full retraction [m]; see the event action 'retract'."
    )
    base_path_m: list[Row4] | None = Field(
        None,
        description="The same along a curve: knots of a part of the retraction, 0 to 1, and x, y, z in B from home, on "
        "a natural cubic spline; excludes base_travel_m [m].",
    )
    ring_joint_m: Vec3 = Field(description="Centre of the ring joint in C [m].")
    ring_axes: Attitude = Field(
        default_factory=identity, description="Axes of the ring's universal joint in C (SPU, UCU, RSU); its z matters."
    )

    def check(self) -> KeyFaults:
        return way_faults(self.base_path_m, "base_path_m", any(self.base_travel_m))

    def base_way(self) -> list[Knot]:
        """Knots of the base joint's way; of a straight one its ends, of none nothing."""
        if self.base_path_m is not None:
            return self.base_path_m
        return [(0.0, 0.0, 0.0, 0.0), (1.0, *self.base_travel_m)] if any(self.base_travel_m) else []


class StewartLeg(_PlacedLeg):
    """A leg of two links with a stroke between them."""

    type: StewartType = Field(description="Joints from base to ring.")
    # as long as the diagonal of what the poses of base and ring may be apart
    lower_length_m: Positive = Field(
        le=LARGEST, description="From the base joint to the upper link's origin at zero stroke [m]."
    )
    upper_arm_m: NonNegative = Field(le=LARGEST, description="From the upper link's origin to the ring joint [m].")
    lower: Link | None = Field(None, description="The link on the base; massless if left out.")
    upper: Link | None = Field(None, description="The link on the ring; massless if left out.")
    actuator: LinearActuator = Field(default_factory=LinearActuator, description="Limits and forces of the stroke.")

    def check(self) -> KeyFaults:
        return [*super().check(), *turn_faults(self.type, self.turn_inertia_kg_m2)]


class HuntLeg(_PlacedLeg):
    """A leg of a crank that turns on the base, and a rod."""

    type: HuntType = Field(description="Joints from base to ring.")
    crank_m: Positive = Field(description="Length of the crank [m]; it points along x of the base joint at angle zero.")
    rod_m: Positive = Field(description="Length of the rod [m].")
    elbow_axes: Attitude = Field(
        default_factory=identity, description="Axes of the elbow's universal joint on the crank: turns about y, then z."
    )
    elbow: Sign = Field(1, description="Branch of the elbow: +1 if the crank is ahead of the ring joint about y.")
    crank: Link | None = Field(None, description="The crank; massless if left out.")
    rod: Link | None = Field(None, description="The rod; massless if left out.")
    actuator: RotaryActuator = Field(default_factory=RotaryActuator, description="Limits and torques of the crank.")

    def check(self) -> KeyFaults:
        return [*super().check(), *turn_faults(self.type, self.turn_inertia_kg_m2)]


def turn_faults(leg_type: str, inertias: list[float]) -> list[tuple[str, str]]:
    """A leg has as many turns beside the driven joint as kept joints, less one."""
    turns = len(JOINTS[leg_type]) - 1
    if len(inertias) in (0, turns):
        return []
    names = ", ".join(name for name in JOINTS[leg_type] if name not in ("stroke", "crank"))
    text = f"{len(inertias)} numbers; a leg of type {leg_type} needs {turns} ({names}), or none"
    return [("turn_inertia_kg_m2", text)]


# ---------------------------------------------------------------- six legs in a few lines


class _Circles(_LegPart):
    """Two circles of joints. Pairs of legs lie close together by turns at the base and at the ring."""

    base_radius_m: Positive = Field(description="Radius of the circle of base joints [m].")
    ring_radius_m: Positive = Field(description="Radius of the circle of ring joints [m].")
    base_half_angle_deg: float | None = Field(
        None, ge=0, lt=60, description="Half the azimuth between the two base joints of a pair [deg]."
    )
    ring_half_angle_deg: float | None = Field(
        None, ge=0, lt=60, description="Half the azimuth between the two ring joints of a pair [deg]."
    )
    first_pair_azimuth_deg: float = Field(0.0, description="Azimuth of the first pair of base joints [deg].")
    base_azimuths_deg: Azimuths | None = Field(None, description="Azimuths of the base joints [deg], leg by leg.")
    ring_azimuths_deg: Azimuths | None = Field(None, description="Azimuths of the ring joints [deg], leg by leg.")
    base_height_m: float = Field(0.0, description="Height of the base joints over B's origin, along x [m].")
    ring_height_m: float = Field(0.0, description="Height of the ring joints over C's origin, along x [m].")
    base_travel_axial_m: float = Field(0.0, description="Way of the base joints at full retraction, along x [m].")
    base_travel_radial_m: float = Field(0.0, description="Way of the base joints at full retraction, outward [m].")
    base_path_m: list[Vec3] | None = Field(
        None,
        description="The same along a curve: knots of a part of the retraction, 0 to 1, and the ways along x and "
        "outward, on a natural cubic spline; excludes base_travel_axial_m and base_travel_radial_m [m].",
    )

    def check(self) -> KeyFaults:
        straight = self.base_travel_axial_m != 0.0 or self.base_travel_radial_m != 0.0
        faults = way_faults(self.base_path_m, "base_path_m", straight)
        faults += exactly_one(self, "base_half_angle_deg", "base_azimuths_deg")
        faults += exactly_one(self, "ring_half_angle_deg", "ring_azimuths_deg")
        return faults


class SymmetricStewart(_Circles):
    """Six equal Gough-Stewart legs. At the reference pose a leg lies along x of its base joint."""

    type: StewartType = Field(description="Joints from base to ring.")
    lower_length_m: Positive | None = Field(
        None, description="From the base joint to the upper link's origin at zero stroke [m]; see upper_arm_m."
    )
    upper_arm_m: NonNegative | None = Field(
        None,
        description="From the upper link's origin to the ring joint [m]. Of these two lengths, what is left out is "
        "chosen for zero stroke at the reference pose; equal halves if both are.",
    )
    lower: Link | None = Field(None, description="The link on the base; massless if left out.")
    upper: Link | None = Field(None, description="The link on the ring; massless if left out.")
    actuator: LinearActuator = Field(default_factory=LinearActuator, description="Limits and forces of the stroke.")

    def check(self) -> KeyFaults:
        return [*super().check(), *turn_faults(self.type, self.turn_inertia_kg_m2)]


class SymmetricHunt(_Circles):
    """Six equal Hunt legs. The crank axis is tangential; at angle zero the crank points along x of B, then outward."""

    type: HuntType = Field(description="Joints from base to ring.")
    crank_m: Positive = Field(description="Length of the crank [m].")
    rod_m: Positive = Field(description="Length of the rod [m].")
    elbow: Literal["inward", "outward"] = Field(
        "outward", description="Which of the two elbow positions at the reference pose: nearer the axis, or farther."
    )
    crank_axis_turn_deg: float = Field(
        0.0, description="Turn of the crank axes about x away from the tangent, mirrored from leg to leg [deg]."
    )
    crank: Link | None = Field(None, description="The crank; massless if left out.")
    rod: Link | None = Field(None, description="The rod; massless if left out.")
    actuator: RotaryActuator = Field(default_factory=RotaryActuator, description="Limits and torques of the crank.")

    def check(self) -> KeyFaults:
        return [*super().check(), *turn_faults(self.type, self.turn_inertia_kg_m2)]


AnyLeg = StewartLeg | HuntLeg
Leg = Annotated[AnyLeg, ToldByValue("type")]
Symmetric = Annotated[SymmetricStewart | SymmetricHunt, ToldByValue("type")]

"""A chain of rigid links: an arm given by Denavit-Hartenberg rows, or by bodies and joints, which may branch.

Rows are classic: row k takes frame k-1 to frame k by theta about z, d along z, a along the new x, alpha about it. Joint
k turns or slides along z of frame k-1, and frame k sits at the far end of link k; masses are given in frame k. With
bodies and joints, a body's frame sits at its joint, and masses are given in it. Angles in degrees at this border.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from docksim.config.schema.elastic import ElasticLink
from docksim.config.schema.fields import (
    ZERO3,
    AnyInertia,
    Attitude,
    Direction,
    KeyFaults,
    Name,
    NonNegative,
    Part,
    Positive,
    Reference,
    Vec3,
    exactly_one,
    identity,
)
from docksim.config.schema.joints import Ranged
from docksim.config.schema.link import LinkPart
from docksim.config.schema.structure import LinkStructure
from docksim.config.schema.unions import ToldByValue
from docksim.config.schema.visuals import Visuals

# ---------------------------------------------------------------- what links and joints have in common


class LinkMass(LinkPart):
    """Mass of a link; a link without is a massless one."""

    mass_kg: NonNegative = Field(0.0, description="Mass [kg]; a link without is massless.")
    center_of_mass_m: Vec3 = Field(ZERO3, description="Mass centre, in the link's frame [m].")
    inertia_kg_m2: AnyInertia | None = Field(
        None, description="Inertia about the mass centre, link axes [kg m²]; a point mass if left out."
    )
    structure: LinkStructure | None = Field(None, description="Strength, named sections, where its mass is.")


class ChainAxis(Ranged):
    """What turns and slides have in common."""

    def check(self) -> KeyFaults:
        yield from self.range_faults()
        if self.given("passive") and self.si("force_limit") is not None:
            text = "is the limit of a drive, which a joint with passive: true has not; remove one of them"
            yield self.key("force_limit"), text


class Turn(ChainAxis):
    """One rotation: where it starts, its limits, and what the joint itself adds."""

    START = "angle"

    angle_deg: float = Field(0.0, description="Angle q of the joint at rest, the default state [deg].")
    lower_deg: float | None = Field(None, description="Lower limit of q, a stop [deg]; none if left out.")
    upper_deg: float | None = Field(None, description="Upper limit of q, a stop [deg]; none if left out.")
    rate_limit_deg_s: Positive | None = Field(
        None, description="Largest rate [deg/s]: up to it the torque limit falls to zero; none if left out."
    )
    torque_limit_Nm: Positive | None = Field(None, description="Largest drive torque [N m]; none if left out.")
    stiffness_Nm_rad: NonNegative = Field(0.0, description="Spring stiffness [N m/rad].")
    rest_deg: float = Field(0.0, description="Angle at which the spring is relaxed [deg].")
    damping_Nms_rad: NonNegative = Field(0.0, description="Viscous damping [N m s/rad].")
    friction_Nm: NonNegative = Field(0.0, description="Coulomb friction torque [N m].")
    rotor_inertia_kg_m2: NonNegative = Field(0.0, description="Motor rotor inertia reflected to the joint [kg m²].")
    servo_stiffness_Nm_rad: Positive | None = Field(
        None,
        description="How stiffly drive and gear hold the angle, for sag and compliance of the tool [N m/rad]; "
        "rigid if left out.",
    )
    stop_stiffness_Nm_rad: Positive = Field(1e4, description="Stiffness of the stops at the limits of q [N m/rad].")
    stop_damping_s_rad: NonNegative = Field(0.5, description="Hunt-Crossley damping factor of the stops [s/rad].")
    passive: bool = Field(False, description="No drive: the joint is left to its spring, its damper and the links.")


class Slide(ChainAxis):
    """One translation: where it starts, its limits, and what the joint itself adds."""

    START = "travel"

    travel_m: float = Field(0.0, description="Travel q of the joint at rest, the default state [m].")
    lower_m: float | None = Field(None, description="Lower limit of q, a stop [m]; none if left out.")
    upper_m: float | None = Field(None, description="Upper limit of q, a stop [m]; none if left out.")
    rate_limit_m_s: Positive | None = Field(
        None, description="Largest velocity [m/s]: up to it the force limit falls to zero; none if left out."
    )
    force_limit_N: Positive | None = Field(None, description="Largest drive force [N]; none if left out.")
    stiffness_N_m: NonNegative = Field(0.0, description="Spring stiffness [N/m].")
    rest_m: float = Field(0.0, description="Travel at which the spring is relaxed [m].")
    damping_Ns_m: NonNegative = Field(0.0, description="Viscous damping [N s/m].")
    friction_N: NonNegative = Field(0.0, description="Coulomb friction force [N].")
    rotor_mass_kg: NonNegative = Field(0.0, description="Motor inertia reflected to the joint as a mass [kg].")
    servo_stiffness_N_m: Positive | None = Field(
        None,
        description="How stiffly drive and gear hold the travel, for sag and compliance of the tool [N/m]; "
        "rigid if left out.",
    )
    stop_stiffness_N_m: Positive = Field(1e5, description="Stiffness of the stops at the limits of q [N/m].")
    stop_damping_s_m: NonNegative = Field(0.5, description="Hunt-Crossley damping factor of the stops [s/m].")
    passive: bool = Field(False, description="No drive: the joint is left to its spring, its damper and the links.")


# ---------------------------------------------------------------- by Denavit-Hartenberg rows


class RowPlace(LinkMass):
    """The constant figures of a row."""

    name: Name | None = Field(None, description="Name of the link; link1, link2, ... if left out.")
    alpha_deg: float = Field(description="Twist alpha: angle from z of frame k-1 to z of frame k about x [deg].")
    a_m: float = Field(description="Length a: from the axis of the joint along x of frame k [m].")
    elastic: ElasticLink | None = Field(None, description="The link bends and twists; a rigid one if left out.")


class RevoluteRow(RowPlace, Turn):
    """Row of a link on a turning joint: q is the angle theta, less its offset."""

    type: Literal["revolute"] = Field("revolute", description="The joint turns about z of frame k-1.")
    d_m: float = Field(description="Offset d along z of frame k-1 [m].")
    theta_deg: float = Field(0.0, description="Angle theta at q = 0 [deg].")


class PrismaticRow(RowPlace, Slide):
    """Row of a link on a sliding joint: q is the offset d, less its own offset."""

    type: Literal["prismatic"] = Field("prismatic", description="The joint slides along z of frame k-1.")
    d_m: float = Field(0.0, description="Offset d at q = 0 [m].")
    theta_deg: float = Field(description="Angle theta about z of frame k-1, fixed [deg].")


Row = Annotated[RevoluteRow | PrismaticRow, ToldByValue("type")]


# ---------------------------------------------------------------- by bodies and joints


class Frame(Part):
    """A frame in another one."""

    position_m: Vec3 = Field(ZERO3, description="Origin [m].")
    attitude: Attitude = Field(default_factory=identity, description="Axes.")


class LinkSights(Part):
    """Named frames of a link, and what it looks like."""

    frames: dict[Name, Frame] = Field(
        default_factory=dict, description="Frames on the link, by name, in its frame; ports where it is on a vehicle."
    )
    visuals: Visuals = Field(default_factory=list, description="What it looks like in replay of a vehicle.")


class ChainRoot(LinkMass, LinkSights):
    """The link that does not move: it stands on the base, and weighs something only where the base is a vehicle."""

    name: Name = Field(description="Its name.")


class ChainJointPlace(Part):
    """Where a joint sits on its parent."""

    position_m: Vec3 = Field(ZERO3, description="Joint point, in the parent's frame [m].")
    attitude: Attitude = Field(
        default_factory=identity, description="The body's frame at q = 0, in the parent's frame."
    )
    axis: Direction = Field(description="Axis of the joint, on the body's axes; any length but zero.")


class RevoluteJoint(ChainJointPlace, Turn):
    """One rotation about the axis."""

    type: Literal["revolute"] = Field("revolute", description="One rotation about the axis.")


class PrismaticJoint(ChainJointPlace, Slide):
    """One translation along the axis."""

    type: Literal["prismatic"] = Field("prismatic", description="One translation along the axis.")


ChainJoint = Annotated[RevoluteJoint | PrismaticJoint, ToldByValue("type")]


class ChainBody(LinkMass, LinkSights):
    """A link with the joint that carries it. Its frame sits at the joint."""

    parent: Reference = Field("base", description="The body that carries the joint: 'base' or the name of another.")
    joint: ChainJoint = Field(description="The joint.")
    end: Frame = Field(
        default_factory=Frame, description="Far end of the link (tool, or next joint), in the body's frame."
    )
    elastic: ElasticLink | None = Field(
        None, description="The link bends and twists between joint and end; a rigid one if left out."
    )


# ---------------------------------------------------------------- the chain


class Chain(Part):
    """Links on joints, from a fixed base."""

    source: str = Field("", description="Where the figures come from.")
    gravity_m_s2: Vec3 = Field(ZERO3, description="Acceleration of free fall, world axes [m/s²]; none if left out.")
    base: Frame = Field(
        default_factory=Frame, description="Frame 0 of the rows, or the frame of the base, in the world."
    )
    root: ChainRoot | None = Field(None, description="The link that is fixed to the base, if it is one of its own.")
    denavit_hartenberg: list[Row] | None = Field(
        None, min_length=1, max_length=200, description="Classic Denavit-Hartenberg rows, from the base outward."
    )
    bodies: dict[Name, ChainBody] | None = Field(
        None, min_length=1, max_length=200, description="Bodies with their joints, by name, in any order."
    )

    def check(self) -> KeyFaults:
        return exactly_one(self, "denavit_hartenberg", "bodies")

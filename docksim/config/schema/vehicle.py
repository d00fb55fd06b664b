"""A vehicle: a free base body with ports, appendages on joints, beams, wheels, thrusters, loads, attitude hold."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from docksim.config.schema.elastic import Flex
from docksim.config.schema.fields import (
    ZERO3,
    AnyBodyInertia,
    AnyInertia,
    Attitude,
    Direction,
    KeyFaults,
    Name,
    NonNegative,
    Part,
    PerAxis,
    Positive,
    PositivePerAxis,
    Pulse,
    Reference,
    Vec3,
    identity,
    overlap,
)
from docksim.config.schema.hooks import Hooks
from docksim.config.schema.interface import Interface
from docksim.config.schema.joints import Joint
from docksim.config.schema.mechanism import Mechanism
from docksim.config.schema.programs import Programs
from docksim.config.schema.structure import Structure
from docksim.config.schema.visuals import Visuals

ON_BODY = "'base', a body of this vehicle, or the tip of a beam as '<beam>.tip'"


HoldMode = Literal["on", "off", "inhibited"]
ThrusterMode = Literal["on", "inhibited"]
ALL_FLEX: tuple[Flex, ...] = ("bend_y", "bend_z", "twist")
THINNEST_M = 1e-6
Stiffness = Annotated[float, Field(ge=1e-9)]


class Port(Part):
    """A docking port: a frame on a body, its x axis pointing outward."""

    position_m: Vec3 = Field(ZERO3, description="Origin of the port frame, in the body's frame [m].")
    attitude: Attitude = Field(
        default_factory=identity, description="Port frame in the body's frame; x points outward."
    )
    interface: Interface | None = Field(None, description="What touches there, in the port's frame; none if left out.")
    hooks: Hooks | None = Field(
        None, description="Structural hooks that join it to another port; without them a join asks for nothing."
    )


class Body(Part):
    """A rigid body on a joint."""

    parent: Reference = Field("base", description=f"What the joint is mounted on: {ON_BODY}.")
    mass_kg: NonNegative = Field(description="Mass [kg]; 0 for a massless body, which must carry others.")
    center_of_mass_m: Vec3 = Field(ZERO3, description="Mass centre, in the body's frame [m].")
    inertia_kg_m2: AnyBodyInertia = Field(
        description="Inertia about the mass centre, body axes [kg m²]; zeros for a point mass, or without mass."
    )
    source: str = Field("", description="Where the figures come from.")
    ports: dict[Name, Port] = Field(default_factory=dict, description="Ports on this body, by name.")
    visuals: Visuals = Field(default_factory=list, description="What it looks like in replay; by inertia if left out.")
    joint: Joint = Field(description="The joint that connects the body to its parent.")

    def check(self) -> KeyFaults:
        if self.mass_kg == 0.0 and not self.inertia_kg_m2.is_zero():
            yield "inertia_kg_m2", "a body of mass_kg 0 has no inertia; give a mass, or [0, 0, 0]"


class Beam(Part):
    """A flexible appendage of rigid segments with spring-damper joints. It runs along its local +x from the root."""

    parent: Reference = Field("base", description=f"What the root is clamped to: {ON_BODY}.")
    position_m: Vec3 = Field(ZERO3, description="Root, in the parent's frame [m].")
    attitude: Attitude = Field(
        default_factory=identity, description="Beam frame in the parent's frame; x runs along the beam."
    )
    length_m: float = Field(ge=THINNEST_M, le=1e6, description="Length [m].")
    mass_kg: float = Field(ge=1e-9, description="Mass without the tip mass [kg].")
    EI_y_Nm2: Stiffness | None = Field(None, description="Bending stiffness about local y [N m²]; needed for bend_y.")
    EI_z_Nm2: Stiffness | None = Field(None, description="Bending stiffness about local z [N m²]; needed for bend_z.")
    GJ_Nm2: Stiffness | None = Field(None, description="Torsional stiffness [N m²]; needed for twist.")
    segments: int = Field(8, ge=1, le=200, description="Number of rigid segments.")
    flex: list[Flex] = Field(default_factory=lambda: list(ALL_FLEX), min_length=1, description="Modelled deformations.")
    damping_ratio: float = Field(
        0.005, ge=0, lt=1, description="Damping ratio of the first cantilever bending mode, proportional to stiffness."
    )
    damping_s: NonNegative | None = Field(
        None, description="Damping over stiffness of every element [s]; takes the place of damping_ratio."
    )
    width_m: NonNegative = Field(0.0, description="Extent along local y, for the segments' rotary inertia [m].")
    thickness_m: NonNegative = Field(0.0, description="Extent along local z, for the segments' rotary inertia [m].")
    tip_mass_kg: NonNegative = Field(0.0, description="Point mass at the tip [kg].")
    source: str = Field("", description="Where the figures come from.")
    structure: Structure | None = Field(None, description="Strength, and named sections, for `docksim sections`.")
    ports: dict[Name, Port] = Field(
        default_factory=dict, description="Ports on the last segment; their frame is at the tip."
    )

    def check(self) -> KeyFaults:
        needed = {"bend_y": "EI_y_Nm2", "bend_z": "EI_z_Nm2", "twist": "GJ_Nm2"}
        faults = [
            (key, f"missing; flex includes {flex}: give {key}, or leave {flex} out of flex")
            for flex, key in needed.items()
            if flex in self.flex and getattr(self, key) is None
        ]
        if "twist" in self.flex and max(self.width_m, self.thickness_m) < THINNEST_M:
            faults.append(
                (
                    "width_m",
                    "missing; a beam that twists needs width_m or thickness_m, or it has no inertia about its axis",
                )
            )
        if len(set(self.flex)) != len(self.flex):
            faults.append(("flex", f"{self.flex} names a deformation twice"))
        return faults


class Wheel(Part):
    """A momentum wheel on the base body."""

    axis: Direction = Field(description="Spin axis, base body axes; any length but zero.")
    spin_inertia_kg_m2: Positive = Field(description="Inertia about the spin axis [kg m²].")
    mass_kg: Positive = Field(description="Mass of the wheel [kg].")
    position_m: Vec3 = Field(ZERO3, description="Mass centre of the wheel, base frame [m].")
    speed_rpm: float = Field(0.0, description="Initial speed against the base [rpm].")
    torque_limit_Nm: Positive = Field(description="Largest motor torque [N m].")


class Thruster(Part):
    """A thruster with a fixed direction: full force or none."""

    body: Reference = Field("base", description=f"Where it is mounted: {ON_BODY}.")
    position_m: Vec3 = Field(ZERO3, description="Point of application, in the body's frame [m].")
    direction: Direction = Field(description="Direction of the force on the vehicle, body axes; any length but zero.")
    force_N: Positive = Field(description="Thrust [N].")
    pulses: list[Pulse] = Field(
        default_factory=list, description="Firings as [start_s, duration_s], apart from those by events."
    )
    mode: ThrusterMode = Field(
        "on", description="Whether it fires when it is told to, from the start; inhibited, pulses pass without thrust."
    )
    by_phase: dict[Name, ThrusterMode] = Field(
        default_factory=dict, description="Mode from the beginning of a phase on, by the phase's name."
    )

    def check(self) -> KeyFaults:
        fault = overlap(self.pulses)
        return [("pulses", fault)] if fault else []


class Load(Part):
    """A force and a torque on a body, constant or sinusoidal in time."""

    body: Reference = Field("base", description=f"What it acts on: {ON_BODY}.")
    position_m: Vec3 = Field(ZERO3, description="Point of application, in the body's frame [m].")
    force_N: Vec3 = Field(ZERO3, description="Force [N], in the axes named by 'frame'.")
    torque_Nm: Vec3 = Field(ZERO3, description="Torque [N m], in the axes named by 'frame'.")
    frame: Literal["body", "inertial"] = Field("body", description="Axes of force and torque: the body's, or W's.")
    start_s: NonNegative = Field(0.0, description="Time at which it begins [s].")
    end_s: NonNegative | None = Field(None, description="Time at which it ends [s]; never if left out.")
    frequency_Hz: Positive | None = Field(
        None, description="If given, multiplies the load by sin(2 pi f (t - start_s)) [Hz]."
    )

    def check(self) -> KeyFaults:
        if self.end_s is not None and self.end_s <= self.start_s:
            yield "end_s", f"{self.end_s} must be later than start_s, which is {self.start_s}"


class Slew(Part):
    """A rest-to-rest turn of the attitude hold's target."""

    rotation_vector_deg: Vec3 = Field(description="Turn of the target, as axis times angle on its own axes [deg].")
    start_s: NonNegative = Field(0.0, description="Start of the turn [s].")
    duration_s: Positive = Field(description="Time the turn takes [s].")


class AttitudeHold(Part):
    """A sampled attitude controller with dead band, torque limit and delay."""

    stiffness_Nm_rad: PerAxis = Field(
        description="Torque per attitude error, one number or one for each body axis [N m/rad]."
    )
    damping_Nms_rad: PerAxis = Field(
        description="Torque per rate error, one number or one for each body axis [N m s/rad]."
    )
    dead_band_deg: NonNegative = Field(0.0, description="Attitude errors smaller than this are ignored [deg].")
    torque_limit_Nm: PositivePerAxis = Field(description="Largest torque, one number or one for each body axis [N m].")
    sample_s: Positive = Field(0.1, description="Sampling period, a whole multiple of solver.step_s [s].")
    delay_s: NonNegative = Field(0.0, description="Delay from measurement to torque, a whole multiple of sample_s [s].")
    actuator: Literal["jets", "wheels"] = Field(
        "jets", description="jets: external torque; wheels: shared by the vehicle's wheels."
    )
    target: Reference | None = Field(
        None,
        description="Port of another vehicle to hold the attitude against ('station.dock'), as it turns; W without.",
    )
    attitude: Attitude | None = Field(
        None,
        description="Attitude to hold: base in W, or in the target's frame. Left out: the initial one; with a target "
        "that at which the ports that are to meet face each other.",
    )
    slew: Slew | None = Field(None, description="A turn of the attitude to hold.")
    mode: HoldMode = Field(
        "on",
        description="At the start. on: it acts; inhibited: it goes on sampling, but no torque acts; off: it does "
        "neither, and forgets what was on its way.",
    )
    by_phase: dict[Name, HoldMode] = Field(
        default_factory=dict, description="Mode from the beginning of a phase on, by the phase's name."
    )


class MountedMechanism(Mechanism):
    """A docking mechanism on a body of the vehicle. Its ring is the body 'ring' of the vehicle."""

    parent: Reference = Field("base", description=f"What the mechanism's base is mounted on: {ON_BODY}.")
    position_m: Vec3 = Field(ZERO3, description="Origin of the mechanism's base frame B, in the parent's frame [m].")
    attitude: Attitude = Field(default_factory=identity, description="B in the parent's frame; x points outward.")
    ports: dict[Name, Port] = Field(default_factory=dict, description="Ports on the ring, by name.")
    locked: bool = Field(False, description="The ring is held in its reference pose until an event releases it.")
    inertial_base: bool = Field(
        False,
        description="Leave the base's rate and acceleration out of the mechanism's equations, as published; only for "
        "comparison: momentum is then not conserved.",
    )
    method: Literal["kernel", "joints"] = Field(
        "kernel",
        description="How the legs are reduced to the ring. kernel: by inputs, fast; joints: through joint coordinates "
        "and closure matrices, as published, to check the other; slower, same motion to rounding.",
    )


class Vehicle(Part):
    """A free-floating spacecraft. The mapping itself describes its base body."""

    mass_kg: Positive = Field(description="Mass of the base body [kg].")
    center_of_mass_m: Vec3 = Field(ZERO3, description="Mass centre of the base body, in its frame [m].")
    inertia_kg_m2: AnyInertia = Field(description="Inertia of the base body about its mass centre, body axes [kg m²].")
    source: str = Field("", description="Where the figures come from.")
    position_m: Vec3 = Field(ZERO3, description="Initial position of the base frame's origin in W [m].")
    attitude: Attitude = Field(default_factory=identity, description="Initial attitude of the base frame in W.")
    velocity_m_s: Vec3 = Field(
        ZERO3, description="Initial velocity of the base frame's origin, W axes, relative to W [m/s]."
    )
    rate_deg_s: Vec3 = Field(ZERO3, description="Initial rate of the base, body axes, relative to W [deg/s].")
    anchored: bool = Field(
        False, description="The base is held fixed in W, as on a test rig; nothing but its joints moves."
    )
    ports: dict[Name, Port] = Field(default_factory=dict, description="Ports on the base body, by name.")
    bodies: dict[Name, Body] = Field(default_factory=dict, description="Bodies on joints, by name.")
    beams: dict[Name, Beam] = Field(default_factory=dict, description="Flexible appendages, by name.")
    mechanism: MountedMechanism | None = Field(None, description="Docking mechanism; none if left out.")
    wheels: dict[Name, Wheel] = Field(default_factory=dict, description="Momentum wheels on the base, by name.")
    thrusters: dict[Name, Thruster] = Field(default_factory=dict, description="Thrusters, by name.")
    loads: dict[Name, Load] = Field(default_factory=dict, description="External loads, by name.")
    attitude_hold: AttitudeHold | None = Field(None, description="Attitude controller; none if left out.")
    programs: Programs = Field(default_factory=dict, description="Programs of its arm, by name; events switch them.")

    def check(self) -> KeyFaults:
        moving = [key for key in ("velocity_m_s", "rate_deg_s") if any(getattr(self, key))]
        return [
            (key, f"{list(getattr(self, key))} excludes 'anchored: true'; a base that is held does not move")
            for key in moving
            if self.anchored
        ]

"""Structural hooks around a port: where they can grip the other port, and the joint that they make when they pull.

The two port frames are compared on the axes of the passive one, as an approach is given: mated without error they lie
in one plane, face to face. Of two ports that both have hooks, the tighter figure counts, key by key; what makes the
joint (hooks with a count, faces, seal, rods) is given at one of the two.

Azimuths are about the port's x axis, from y towards z, as in an interface.
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from docksim.config.schema.fields import Azimuth, KeyFaults, NonNegative, Part, Positive

HookNumber = Annotated[int, Field(ge=1)]
AIR_J_KG_K, ATMOSPHERE_PA = 287.05, 101325.0
# keys of the joint, all needed where `count` is given
JOINT_KEYS = ("radius_m", "stiffness_N_m", "preload_N", "face_stiffness_N_m")
JOINT_PARTS = ("needed", "seal", "rods", "limits")
OF_SOME_HOOKS = ("failed_hooks", "late_hooks", "late_to_open")


class Seal(Part):
    """A ring of rubber, pressed between the faces: force as a power of its compression, shared by points around it."""

    radius_m: Positive = Field(description="Radius of the circle on which it lies [m].")
    points: int = Field(48, ge=48, le=360, description="Points around the circle that carry its force.")
    force_N: Positive = Field(description="Force of the whole seal at its nominal compression [N].")
    compression_m: Positive = Field(description="Nominal compression: its height above the face [m].")
    exponent: float = Field(2.4, ge=1, le=10, description="Power of the compression that its force follows.")
    protrusion_m: float = Field(
        0.0, ge=-0.01, le=0.01, description="How much higher it stands than nominal, as when hot; negative: lower [m]."
    )
    tight_at: float = Field(
        0.6,
        gt=0,
        le=1,
        description="Least compression, anywhere around it, at which it is tight, as a part of nominal.",
    )
    adhesion_N: NonNegative = Field(0.0, description="Pull with which the whole seal clings when the faces part [N].")
    vented_at_m: Positive = Field(
        0.005, description="Gap of parting ports at which a pressure that was left in the tunnel is gone [m]."
    )
    adhesion_stretch_m: Positive = Field(0.001, description="Stretch at which a point of it lets go [m].")
    between_m: NonNegative = Field(
        0.03, description="Distance of the two seals that it stands for, the space that a leak check fills [m]."
    )

    between_volume_m3: Positive = Field(3e-4, description="Volume of that space [m3].")
    tunnel_volume_m3: Positive = Field(1.0, description="Volume of the tunnel within the seals, hatches shut [m3].")
    leak_g_h: NonNegative = Field(0.02, description="What it leaks while tight, from one atmosphere into vacuum [g/h].")
    open_leak_g_h: NonNegative = Field(
        500.0, description="What it leaks where it does not touch; in between in proportion to what it lacks [g/h]."
    )
    temperature_K: Positive = Field(293.0, description="Of the air in tunnel and between the seals [K].")

    def check(self) -> KeyFaults:
        if self.between_m >= 2.0 * self.radius_m:
            text = f"{self.between_m:g} m is no less than the seal's diameter, {2.0 * self.radius_m:g} m"
            yield "between_m", f"{text}: the inner of the two would have no circle"

    def per_mass(self) -> tuple[float, float]:
        """Part of an atmosphere that tunnel, or space between the seals, loses with a kilogram of air [1/kg]."""
        pascal = AIR_J_KG_K * self.temperature_K / ATMOSPHERE_PA
        return pascal / self.tunnel_volume_m3, pascal / self.between_volume_m3

    def areas(self) -> tuple[float, float]:
        """That pressure parts the faces on: in the tunnel, between the two seals [m2]."""
        return math.pi * self.radius_m * self.radius_m, 2.0 * math.pi * self.radius_m * self.between_m


class Rods(Part):
    """Spring push rods around the port that press on the other one's face and push it off when hooks let go."""

    count: int = Field(4, ge=1, le=24, description="How many, evenly spaced.")
    first_azimuth_deg: Azimuth = Field(45.0, description="Azimuth of the first one [deg].")
    radius_m: Positive = Field(description="Radius of the circle on which they stand [m].")
    compressed_N: Positive = Field(description="Force of one rod while the faces touch [N].")
    extended_N: NonNegative = Field(description="Force of one rod at the end of its stroke [N].")
    stroke_m: Positive = Field(description="Way of one rod from touching faces to its end [m].")
    force_factors: list[Positive] | None = Field(
        None, description="Force of each rod over nominal, from the first on; all 1 if left out."
    )
    stroke_factors: list[Positive] | None = Field(
        None, description="Stroke of each rod over nominal, from the first on; all 1 if left out."
    )
    stowed: bool = Field(
        True, description="Held back until the hooks close; if not, they push against the pull of the ring as well."
    )

    def shortest_m(self) -> float:
        """The stroke of the rod that has the shortest."""
        return self.stroke_m * min(self.stroke_factors or [1.0])

    def check(self) -> KeyFaults:
        yield from (
            (key, f"has {len(given)} factors; there are {self.count} rods")
            for key in ("force_factors", "stroke_factors")
            if (given := getattr(self, key)) is not None and len(given) != self.count
        )
        if self.extended_N > self.compressed_N:
            yield "extended_N", f"{self.extended_N:g} is more than compressed_N; a rod weakens as it extends"


class LateHook(Part):
    """A hook that is later than the others."""

    hook: HookNumber = Field(description="Which one, from 1.")
    by_s: Positive = Field(description="How much later than the others [s].")


class JointLimits(Part):
    """What a closed joint bears; a load beyond it ends a run as overloaded."""

    hook_N: Positive | None = Field(None, description="Force of any one hook [N].")
    tension_N: Positive | None = Field(None, description="Pull through the joint, without pressure and preload [N].")
    compression_N: Positive | None = Field(None, description="Push through the joint [N].")
    shear_N: Positive | None = Field(None, description="Force across the axis [N].")
    bending_Nm: Positive | None = Field(None, description="Moment across the axis, about the port's origin [N m].")
    torsion_Nm: Positive | None = Field(None, description="Moment about the axis [N m].")
    gapping: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Part of the faces' load, as built, that may be taken off anywhere; 1: the faces just touch.",
    )


class Hooks(Part):
    """Where hooks of a port can grip the other one, and how they pull; a join outside of it fails as misaligned."""

    reach_m: Positive = Field(description="Largest distance of the two ports along the axis [m].")
    window_m: Positive = Field(description="Largest offset of the two ports across the axis [m].")
    tilt_deg: float = Field(gt=0, le=90, description="Largest angle between the axes of the two ports [deg].")
    roll_deg: float = Field(gt=0, le=180, description="Largest roll of one port against the other, either way [deg].")
    rate_m_s: Positive = Field(description="Largest speed of one port's origin against the other while closing [m/s].")
    overlap_m: NonNegative = Field(
        0.005,
        description="How far the planes of the two ports may lie inside each other, as seals give way [m]; hulls that "
        "overlap by more cannot be joined.",
    )
    count: int | None = Field(
        None,
        ge=3,
        le=24,
        description="How many hooks, evenly spaced; left out, they close at once and pull with nothing.",
    )
    first_azimuth_deg: Azimuth = Field(0.0, description="Azimuth of the first hook [deg].")
    radius_m: Positive | None = Field(None, description="Radius of the circle on which they stand [m].")
    stiffness_N_m: Positive | None = Field(None, description="Stiffness of one hook with its cam and drive [N/m].")
    preload_N: Positive | None = Field(
        None, description="Force of one hook at the end of its cam, nothing else loaded [N]."
    )
    needed: int | None = Field(
        None, ge=1, le=24, description="Hooks that must hold for a rigid joint; all if left out."
    )
    drive_s: Positive = Field(10.0, description="How long the drive takes from open to the end of the cams [s].")
    friction: float = Field(0.1, ge=0, le=1, description="Coefficient of friction of the faces on each other.")
    efficiency: float = Field(0.5, gt=0, le=1, description="Part of the drive's work that comes out at the cams.")
    failed_hooks: list[HookNumber] = Field(default_factory=list, description="Hooks that never close, from 1.")
    late_hooks: list[LateHook] = Field(
        default_factory=list, description="Hooks that begin to close later than the others."
    )
    late_to_open: list[LateHook] = Field(default_factory=list, description="Hooks that let go later than the others.")
    face_stiffness_N_m: Positive | None = Field(
        None, description="Stiffness of the two faces between one hook and the next, pressed together [N/m]."
    )
    seal: Seal | None = Field(None, description="What is pressed between the faces; none if left out.")
    rods: Rods | None = Field(None, description="What pushes the faces apart; none if left out.")
    limits: JointLimits | None = Field(None, description="What the closed joint bears; nothing is judged if left out.")

    def check(self) -> KeyFaults:
        return self._faults()

    def _faults(self) -> list[tuple[str, str]]:
        if self.count is None:
            return [
                (key, "needs 'count': hooks without it close at once and pull with nothing")
                for key in (*JOINT_KEYS, *JOINT_PARTS, *OF_SOME_HOOKS)
                if getattr(self, key)
            ]
        faults = [(key, "missing; hooks with a count need it") for key in JOINT_KEYS if getattr(self, key) is None]
        if self.needed is not None and self.needed > self.count:
            faults.append(("needed", f"{self.needed} is more than count, which is {self.count}"))
        for key in OF_SOME_HOOKS:
            named = [getattr(one, "hook", one) for one in getattr(self, key)]
            faults += [(key, f"there is no hook {k}; count is {self.count}") for k in named if k > self.count]
            faults += [(key, f"names hook {k} twice") for k in sorted(set(named)) if named.count(k) > 1]
        if self.seal is not None and self.seal.compression_m + self.seal.protrusion_m >= self.reach_m:
            height = self.seal.compression_m + self.seal.protrusion_m
            faults.append(
                ("seal", f"stands {height:g} m high, not below reach_m, which is {self.reach_m:g}: hooks cannot grip")
            )
        if self.rods is not None and (shortest := self.rods.shortest_m()) <= self.reach_m:
            faults.append(("rods", f"the shortest stroke is {shortest:g} m, not beyond reach_m, {self.reach_m:g}"))
        if not faults and (excess := self._seal_and_rods_N() - self.count * (self.preload_N or 0.0)) >= 0.0:
            text = f"all {self.count} hooks are {excess:g} N short of what seal and rods push: the faces stay apart"
            faults.append(("preload_N", text))
        return faults

    def _seal_and_rods_N(self) -> float:
        """What pushes between faces that just touch."""
        rods = self.rods.count * self.rods.compressed_N if self.rods is not None else 0.0
        return rods + (self.seal.force_N if self.seal is not None else 0.0)


def tighter(a: Hooks | None, b: Hooks | None) -> Hooks | None:
    """What both allow, and the joint of the one that makes it."""
    if a is None or b is None:
        return a or b
    joint = b if b.count is not None else a
    bounds = ("reach_m", "window_m", "tilt_deg", "roll_deg", "rate_m_s", "overlap_m")
    return joint.model_copy(update={key: min(getattr(a, key), getattr(b, key)) for key in bounds})

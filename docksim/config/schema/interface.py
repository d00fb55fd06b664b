"""A docking interface: ring, guide petals, latches and strikers, pins and holes, and how its surfaces push back.

The frame is that of the port which carries the interface: origin in the middle of the mating plane, x outward, towards
the mate. Heights run along x, negative behind the mating plane; azimuths are about x, from y towards z. Two equal
interfaces are mated when the second port's frame is the first one's turned by half a turn about z: a petal at azimuth
0 then lies opposite the middle between two petals of a mate whose petals are at 0, 120 and 240 deg.

Limits: the ring is a body of revolution, petals, latches and strikers are equal and evenly spaced, and all is rigid but
for the compliance of the contact itself.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from docksim.algebra.elementary import cos, sin
from docksim.config.schema.bands import ContactBand, End, Stiffness
from docksim.config.schema.contact_laws import hunt_crossley_factor, restitution
from docksim.config.schema.fields import Azimuth, KeyFaults, Pair, Part, Positive, Vec3
from docksim.config.schema.pawl import Pawl, PawlPiece, peak_N, table_faults, table_pieces
from docksim.config.schema.pins import Holes, Pins, crowding

Fault = tuple[str, str]
Count = Annotated[int, Field(ge=1, le=12)]
# hardware between a thousandth of a millimetre and a hundred metres
Length = Annotated[float, Field(ge=1e-6, le=100.0)]
Reach = Annotated[float, Field(ge=0.0, le=100.0)]
Height = Annotated[float, Field(ge=-100.0, le=100.0)]
Factor = Annotated[float, Field(ge=0.0, le=1e9)]
PawlTable = Annotated[list[Pair], Field(min_length=2, max_length=32)]

WINDOW_RADIAL_M = 0.008  # where neither window nor pawl is given
PAWL_FORCE_TABLE: list[Pair] = [(0.0, 0.0), (0.012, 20.0)]  # where neither table nor pawl is given
DAMPING_S_M = 6.0  # Hunt-Crossley factor where nothing is said
# the same of stiffness; estimates, the middles of the bands of configs/interfaces/idss_like.yaml
STIFFNESSES = {"stiffness_N_m": 2.0e6, "face_stiffness_N_m": 1.0e7, "pin_stiffness_N_m": 1.0e7}


class Rim(Part):
    """The edge of the ring that petals slide on: a circle about the docking axis with a tube."""

    radius_m: Length = Field(description="Radius of the circle [m].")
    height_m: float = Field(ge=-100, le=0, description="Height of the circle, at or behind the mating plane [m].")
    tube_m: Length = Field(description="Radius of the tube [m].")


class Face(Part):
    """The flat face of the ring, in the mating plane, on which two rings come to rest."""

    inner_m: Reach = Field(description="Inner radius [m]; 0 makes a full disc.")
    outer_m: Length = Field(description="Outer radius [m].")
    depth_m: Length = Field(description="How far the ring reaches behind the mating plane [m].")
    points: int = Field(12, ge=0, le=120, description="Points around the middle of the face that carry the contact.")

    def check(self) -> KeyFaults:
        if self.outer_m <= self.inner_m:
            yield "outer_m", f"{self.outer_m} must be greater than inner_m, which is {self.inner_m}"


class Petals(Part):
    """Guide petals: patches of a cone, evenly spaced, that lean inward and reach forward of the mating plane."""

    count: Count = Field(3, description="How many.")
    first_azimuth_deg: Azimuth = Field(0.0, description="Azimuth of the first petal's middle [deg].")
    base_radius_m: Length = Field(description="Distance of the base arc from the axis, in the mating plane [m].")
    half_angle_deg: float = Field(ge=1, lt=90, description="Half the angle of the base arc, seen from the axis [deg].")
    cant_deg: float = Field(ge=5, le=85, description="From the mating plane up to the petal's middle line [deg].")
    length_m: Length = Field(description="From base to tip along the middle line [m].")
    tip_half_width_m: Length = Field(description="Half the width at the tip [m].")
    plate_radius_m: Length = Field(description="Half the thickness of the plate, and radius of its edges [m].")
    below_m: Reach = Field(0.0, description="How far the petal goes on behind the mating plane [m].")

    @property
    def base_half_width_m(self) -> float:
        return self.base_radius_m * sin(math.radians(self.half_angle_deg))

    def check(self) -> KeyFaults:
        faults: list[Fault] = []
        most = 180.0 / self.count
        if self.half_angle_deg > most:
            text = f"{self.half_angle_deg} deg is too wide: {self.count} petals overlap beyond {most:g} deg"
            faults.append(("half_angle_deg", text))
        if self.tip_half_width_m > 0.99 * self.base_half_width_m:
            base = f"half the width at the base, which is {self.base_half_width_m:.6g} m"
            faults.append(("tip_half_width_m", f"{self.tip_half_width_m} m must be clearly less than {base}"))
        reach = self.length_m * cos(math.radians(self.cant_deg))
        if reach >= self.base_radius_m:
            text = f"{self.length_m} m takes the tip {reach:.6g} m inward, past the axis; base_radius_m is "
            faults.append(("length_m", f"{text}{self.base_radius_m}"))
        return faults


class Sphere(Part):
    """A ball: a latch roller, a push-off pin, a probe."""

    center_m: Vec3 = Field(description="Centre, port axes [m].")
    radius_m: Length = Field(description="Radius [m].")

    def check(self) -> KeyFaults:
        if max(map(abs, self.center_m)) > 100.0:
            yield "center_m", f"{list(self.center_m)} is out of all proportion; at most 100 m in size"


class Capsule(Part):
    """A rod with round ends: a pin, a bar, a rail. It meets other capsules only."""

    start_m: Vec3 = Field(description="One end of its middle line, port axes [m].")
    end_m: Vec3 = Field(description="The other end, port axes [m].")
    radius_m: Length = Field(description="Radius of the rod and of its ends [m].")

    def check(self) -> KeyFaults:
        ends = {"start_m": self.start_m, "end_m": self.end_m}
        text = "is out of all proportion; at most 100 m in size"
        yield from [(key, f"{list(end)} {text}") for key, end in ends.items() if max(map(abs, end)) > 100.0]
        if max(abs(a - b) for a, b in zip(self.start_m, self.end_m, strict=True)) < 1e-6:
            yield "end_m", f"{list(self.end_m)} is at start_m; a capsule has a length, a ball belongs to spheres"


class Latches(Part):
    """Capture latches, evenly spaced. A sprung pawl snaps over its striker, then holds it with some play."""

    count: Count = Field(3, description="How many.")
    first_azimuth_deg: Azimuth = Field(0.0, description="Azimuth of the first latch [deg].")
    radius_m: Length = Field(description="Distance of the pawls from the axis [m].")
    height_m: Height = Field(description="Height of the pawls above the mating plane [m].")
    window_axial_m: Length = Field(0.004, description="Latching: how near the striker, along the axis [m].")
    window_radial_m: Length | None = Field(
        None, description="Latching: how near the striker, radially; 0.008 if left out, or the lift of the pawl [m]."
    )
    window_tangential_m: Length = Field(0.030, description="Latching: how near the striker, along the rim [m].")
    pawl: Pawl | None = Field(None, description="The pawl by its ramp, spring and friction; or else a table.")
    pawl_force_table: PawlTable | None = Field(
        None,
        description="Force of a pawl on its striker, as rows [compression_m, force_N] over the pawl's travel; "
        "[[0, 0], [0.012, 20]] if there is no pawl either.",
    )
    play_m: Length = Field(0.004, description="Free play of an engaged latch, at least window_axial_m [m].")
    stiffness_N_m: Stiffness = Field(2.0e6, description="Stiffness of an engaged latch beyond its play [N/m].")
    damping_s_m: Factor = Field(DAMPING_S_M, description="Hunt-Crossley damping factor of that stiffness [s/m].")
    holds_N: float | None = Field(
        None,
        gt=0,
        le=1e12,
        description="An engaged latch that pulls harder lets go, and is lost [N]; never if left out.",
    )

    @property
    def radial_m(self) -> float:
        """The window radially. A pawl reaches over its striker by its lift, and holds nothing farther aside."""
        if self.window_radial_m is not None:
            return self.window_radial_m
        return WINDOW_RADIAL_M if self.pawl is None else self.pawl.lift_m

    @property
    def travel_m(self) -> float:
        """Compression at which the pawl has passed its striker."""
        return self.pawl_pieces()[-1].end_m

    def pawl_pieces(self, spring_factor: float = 1.0, friction: float | None = None) -> list[PawlPiece]:
        """What a pawl pushes with over its travel; its spring and friction may be off."""
        if self.pawl is None:
            return table_pieces(self.pawl_force_table or PAWL_FORCE_TABLE, spring_factor)
        return self.pawl_with(spring_factor, friction).pieces()

    def pawl_with(self, spring_factor: float = 1.0, friction: float | None = None) -> Pawl:
        """The pawl of one latch, whose spring or friction is off."""
        assert self.pawl is not None
        springs = {key: spring_factor * getattr(self.pawl, key) for key in ("spring_N", "spring_N_m")}
        return self.pawl.model_copy(update=springs | ({} if friction is None else {"friction": friction}))

    def check(self) -> KeyFaults:
        if faults := self._pawl_faults():
            return faults
        if self.play_m < self.window_axial_m:
            text = f"{self.play_m} m must be at least window_axial_m, which is {self.window_axial_m}"
            faults.append(("play_m", f"{text}; else the snap itself would pull"))
        spring = peak_N(self.pawl_pieces())
        if self.holds_N is not None and self.holds_N <= spring:
            text = f"{self.holds_N} N is no more than the {spring:.4g} N that its own pawl pushes with"
            faults.append(("holds_N", f"{text}; a latch holds more, or leave the key out and it never lets go"))
        return faults

    def _pawl_faults(self) -> list[Fault]:
        if self.pawl is None:
            return [] if self.pawl_force_table is None else table_faults(self.pawl_force_table)
        if self.pawl_force_table is not None:
            return [("pawl_force_table", "excludes pawl, which says the same; leave one out, or set it to null")]
        faults = []
        if self.window_radial_m is not None and self.window_radial_m > self.pawl.lift_m:
            text = f"{self.window_radial_m} m is more than the pawl's lift_m, {self.pawl.lift_m}, by which it reaches"
            faults.append(("window_radial_m", f"{text} over its striker; leave the key out, and it is the lift"))
        if self.pawl.lift_m >= self.radius_m:
            text = f"its lift_m, {self.pawl.lift_m}, takes it to the axis and beyond; radius_m is {self.radius_m}"
            faults.append(("pawl", text))
        return faults


class Strikers(Part):
    """What the mate's latches take hold of, evenly spaced."""

    count: Count = Field(3, description="How many.")
    first_azimuth_deg: Azimuth = Field(60.0, description="Azimuth of the first striker [deg].")
    radius_m: Length = Field(description="Distance from the axis [m].")
    height_m: Height = Field(description="Height, negative behind the mating plane [m].")


# keys that belong to a law of contact, and the one that it cannot do without
_LAW_KEYS = {
    "hunt_crossley": ("damping_s_m", "restitution", "impact_speed_m_s"),
    "kelvin_voigt": ("damping_Ns_m", "adhesive"),
    "walton_braun": ("restitution",),
}
_NEEDED = {"kelvin_voigt": "damping_Ns_m", "walton_braun": "restitution"}


class Contact(Part):
    """How two surfaces push each other apart, and rub."""

    stiffness_N_m: Stiffness | None = Field(
        None,
        description="Stiffness of petals, edges, rims, spheres and capsules [N/m]; "
        f"{STIFFNESSES['stiffness_N_m']:g} if there is no band of it either.",
    )
    face_stiffness_N_m: Stiffness | None = Field(
        None,
        description="Stiffness of two ring faces, all points together [N/m]; "
        f"{STIFFNESSES['face_stiffness_N_m']:g} if there is no band of it either.",
    )
    pin_stiffness_N_m: Stiffness | None = Field(
        None,
        description="Stiffness of a guide pin in its hole [N/m]; "
        f"{STIFFNESSES['pin_stiffness_N_m']:g} if there is no band of it either.",
    )
    band: ContactBand | None = Field(
        None, description="Stiffness that is known within a band only; one simulation has its middle."
    )
    law: Literal["hunt_crossley", "kelvin_voigt", "walton_braun"] = Field(
        "hunt_crossley",
        description="hunt_crossley: k d (1 + c d'); kelvin_voigt: k d + c d'; walton_braun: k d while going deeper, "
        "else k / e² along the line through the deepest point, with e the restitution. d: penetration.",
    )
    damping_s_m: Factor | None = Field(
        None, description=f"Factor c of hunt_crossley [s/m]; {DAMPING_S_M} if there is no restitution either."
    )
    restitution: float | None = Field(
        None,
        ge=0.001,
        le=1,
        description="Rebound over impact speed e. walton_braun: at any speed; hunt_crossley: at impact_speed_m_s, "
        "excludes damping_s_m.",
    )
    impact_speed_m_s: float | None = Field(
        None, ge=1e-6, le=1e3, description="hunt_crossley: impact speed at which the restitution holds [m/s]."
    )
    damping_Ns_m: Factor | None = Field(None, description="Damping c of kelvin_voigt [N s/m].")
    adhesive: bool = Field(
        False, description="kelvin_voigt: the force may pull until the surfaces part; never otherwise."
    )
    friction: float = Field(0.1, ge=0, le=10, description="Coulomb friction coefficient.")
    tangential_ratio: float = Field(
        0.8, ge=0.01, le=1, description="Stiffness against sliding, before friction slips, over that against pressing."
    )

    @property
    def damping(self) -> float:
        """c of the law: [s/m] for hunt_crossley, [N s/m] for kelvin_voigt; walton_braun has none."""
        if self.law == "walton_braun":
            return 0.0
        if self.law == "kelvin_voigt":
            return self.damping_Ns_m or 0.0
        if self.restitution is not None and self.impact_speed_m_s is not None:
            return hunt_crossley_factor(self.restitution, self.impact_speed_m_s)
        return DAMPING_S_M if self.damping_s_m is None else self.damping_s_m

    def stiffnesses(self, end: End = "middle") -> tuple[float, float, float]:
        """[N/m]: of petals and all else, of the faces, and of pins, at this end of their bands."""
        band = self.band or ContactBand.model_construct()
        bands = dict(zip(STIFFNESSES, (band.petals, band.faces, band.pins), strict=True))
        values = [
            getattr(self, key) or STIFFNESSES[key] if one is None else getattr(one, end) for key, one in bands.items()
        ]
        petals, faces, pins = map(float, values)
        return petals, faces, pins

    def rebound(self, speed: float) -> float | None:
        """Over the speed of an impact; kelvin_voigt's hangs on the masses."""
        if self.law == "hunt_crossley":
            return restitution(self.damping, speed)
        return self.restitution

    @property
    def regained(self) -> float:
        """Of the work of loading, what unloading gives back: e² for walton_braun, all but for damping elsewhere."""
        return self.restitution * self.restitution if self.law == "walton_braun" and self.restitution else 1.0

    def check(self) -> KeyFaults:
        return [*self._band_faults(), *self._law_faults(), *self._restitution_faults()]

    def _band_faults(self) -> list[Fault]:
        if self.band is None:
            return []
        bands = {part: getattr(self.band, part) for part in ("petals", "faces", "pins")}
        parts = dict(zip(STIFFNESSES, bands.items(), strict=True))
        both = [(key, part) for key, (part, band) in parts.items() if band is not None and self._has(key)]
        text = "is the place of this stiffness where it is given; remove this key, or write one value there as"
        return [(key, f"band.{part} {text} band: {{{part}: {getattr(self, key):g}}}") for key, part in both]

    def _law_faults(self) -> list[Fault]:
        own, needed = _LAW_KEYS[self.law], _NEEDED.get(self.law)
        faults = []
        for key in dict.fromkeys(key for keys in _LAW_KEYS.values() for key in keys if key not in own):
            if self._has(key):
                owners = " or ".join(law for law, keys in _LAW_KEYS.items() if key in keys)
                text = f"belongs to law: {owners}; {self.law} has {' or '.join(own)}"
                faults.append((key, f"{text}; leave it out, or write null where a used file gives it"))
        return faults + ([(needed, f"missing; law {self.law} needs it")] if needed and not self._has(needed) else [])

    def _restitution_faults(self) -> list[Fault]:
        if self.law != "hunt_crossley":
            return []
        if self._has("restitution") and self._has("damping_s_m"):
            return [("restitution", "excludes damping_s_m; give one of them")]
        if self._has("restitution") != self._has("impact_speed_m_s"):
            have, lack = "restitution", "impact_speed_m_s"
            have, lack = (have, lack) if self._has(have) else (lack, have)
            return [(have, f"needs {lack} beside it: restitution falls with the impact speed")]
        return []

    def _has(self, key: str) -> bool:
        value = getattr(self, key)
        return value is not None and value is not False


class Limits(Part):
    """Largest loads at the mating plane; what is left out has no limit."""

    tension_N: Positive | None = Field(None, description="Pull along the axis [N].")
    compression_N: Positive | None = Field(None, description="Push along the axis, lasting [N].")
    compression_dynamic_N: Positive | None = Field(None, description="Push along the axis, in an impact [N].")
    shear_N: Positive | None = Field(None, description="Force across the axis [N].")
    bending_Nm: Positive | None = Field(None, description="Moment across the axis [N m].")
    torsion_Nm: Positive | None = Field(None, description="Moment about the axis [N m].")

    def check(self) -> KeyFaults:
        lasting, impact = self.compression_N, self.compression_dynamic_N
        if lasting is not None and impact is not None and lasting > impact:
            text = f"{lasting} N, which may last, is more than compression_dynamic_N, {impact}, of an impact"
            yield "compression_N", f"{text}; what may last may also be an impact"


class Interface(Part):
    """A docking interface; any of its features may be left out, but not all."""

    source: str = Field("", description="Where the figures come from.")
    rim: Rim | None = Field(None, description="Edge of the ring; none if left out.")
    face: Face | None = Field(None, description="Face of the ring; none if left out.")
    petals: Petals | None = Field(None, description="Guide petals; none if left out.")
    spheres: list[Sphere] = Field(default_factory=list, max_length=64, description="Balls.")
    capsules: list[Capsule] = Field(default_factory=list, max_length=64, description="Rods with round ends.")
    pins: Pins | None = Field(None, description="Guide pins; none if left out.")
    holes: Holes | None = Field(None, description="Holes for the mate's guide pins; none if left out.")
    latches: Latches | None = Field(None, description="Capture latches; none if left out.")
    strikers: Strikers | None = Field(None, description="What the mate's latches hold; none if left out.")
    contact: Contact = Field(default_factory=Contact, description="Contact law of the surfaces.")
    limits: Limits = Field(default_factory=Limits, description="Largest loads.")

    def check(self) -> KeyFaults:
        features = (self.rim, self.face, self.petals, self.spheres, self.capsules, self.pins, self.holes)
        if not any(features):
            yield "", "has nothing to touch; give it a rim, a face, petals, spheres, capsules, pins or holes"
            return
        yield from crowding(self.pins, self.holes)

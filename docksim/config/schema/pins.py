"""Guide pins and the holes they enter: what brings two frames to within a millimetre while they are pulled together.

Both stand on a circle about the docking axis. A pin is a cylinder that tapers to a ball on its axis; a hole is a bore
with a chamfer, and a flat face around it. Two interfaces may each have both. A pin belongs to the hole that it stands
in when the two are mated: one at azimuth a meets a hole at 180 - a deg.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from docksim.algebra.elementary import cos, hypot, sin, tan
from docksim.config.schema.fields import Azimuth, KeyFaults, Part

Fault = tuple[str, str]
Size = Annotated[float, Field(ge=1e-6, le=100.0)]
Width = Annotated[float, Field(ge=0.0, le=100.0)]


class OnCircle(Part):
    """Equal parts on a circle about the docking axis, in the mating plane: evenly spaced, or wherever they are."""

    count: int | None = Field(None, ge=1, le=12, description="How many, evenly spaced; or azimuths_deg.")
    first_azimuth_deg: Azimuth = Field(0.0, description="Azimuth of the first of them [deg].")
    azimuths_deg: Annotated[list[Azimuth], Field(min_length=1, max_length=12)] | None = Field(
        None, description="The azimuth of each, instead of count and first_azimuth_deg [deg]."
    )
    radius_m: Size = Field(description="Radius of the circle [m].")

    def azimuths(self) -> list[float]:
        """Of each [rad]."""
        if self.azimuths_deg is not None:
            return [math.radians(azimuth) for azimuth in self.azimuths_deg]
        n = self.count or 0
        return [math.radians(self.first_azimuth_deg) + 2.0 * math.pi * k / n for k in range(n)]

    def centres(self) -> list[tuple[float, float]]:
        """(y, z) of each, port axes [m]."""
        return [(self.radius_m * cos(angle), self.radius_m * sin(angle)) for angle in self.azimuths()]

    def _circle_faults(self, reach: float, words: str) -> Iterator[Fault]:
        """Not counted once; or nearer to each other than twice their reach."""
        if (self.count is None) == (self.azimuths_deg is None):
            yield "count", "or azimuths_deg: give one of them"
            return
        if self.azimuths_deg is not None and self.first_azimuth_deg != 0.0:
            yield "first_azimuth_deg", "belongs to count; leave it out beside azimuths_deg"
        places = self.centres()
        near = ((i, j) for j in range(len(places)) for i in range(j))
        close = [(i, j, apart) for i, j in near if (apart := distance(places[i], places[j])) < 2.0 * reach]
        for i, j, apart in close[:1]:
            text = f"{words} {i + 1} and {j + 1} are {1e3 * apart:.4g} mm apart and overlap"
            yield "radius_m" if self.count else "azimuths_deg", f"{text}; they need {2e3 * reach:.4g} mm"


class Pins(OnCircle):
    """Guide pins: cylinders on the frame that taper to a ball, forward of the mating plane."""

    pin_m: Size = Field(description="Radius of the cylinder [m].")
    taper_deg: float = Field(
        20.0, ge=0, le=60, description="Of the taper's flank against the axis [deg]; 0 with a nose as wide as the pin."
    )
    cylinder_m: Width = Field(description="How far the cylinder reaches from the mating plane [m].")
    nose_m: Size = Field(description="Radius of the ball that the taper ends in, on the pin's axis [m].")

    @property
    def nose_height_m(self) -> float:
        """Of the centre of the nose."""
        slender = self.pin_m - self.nose_m
        return self.cylinder_m + (slender / tan(math.radians(self.taper_deg)) if slender > 0.0 else 0.0)

    @property
    def length_m(self) -> float:
        """From the mating plane to the end of the nose."""
        return self.nose_height_m + self.nose_m

    def check(self) -> KeyFaults:
        faults = list(self._circle_faults(self.pin_m, "pins"))
        if self.nose_m > self.pin_m:
            faults.append(("nose_m", f"{self.nose_m} m is wider than the pin, whose radius is {self.pin_m}"))
        elif self.nose_m < self.pin_m and self.taper_deg < 1.0:
            text = f"{self.taper_deg} deg does not end in a nose of {self.nose_m} m; 1 to 60 deg"
            faults.append(("taper_deg", f"{text}, or a nose_m as wide as the pin, {self.pin_m}"))
        if not faults and self.length_m >= 10.0 * self.radius_m:
            faults.append(("cylinder_m", f"makes pins of {self.length_m:.4g} m, on a circle of {self.radius_m} m"))
        return faults


class Holes(OnCircle):
    """Holes for the mate's pins, with their chamfers in the mating plane."""

    bore_m: Size = Field(description="Radius of the bore [m].")
    chamfer_m: Width = Field(0.0, description="How much wider the hole is at the face [m].")
    chamfer_deg: float = Field(45.0, ge=10, le=80, description="Of the chamfer against the hole's axis [deg].")
    edge_m: Width = Field(0.0, description="Rounding of the edges, bore to chamfer to face; at most chamfer_m [m].")
    depth_m: Size = Field(description="Of the hole; more than a pin's length [m].")
    face_m: Size | None = Field(
        None,
        description="Radius of the flat face around it, for pins that miss it; 3 times the mouth's [m].",
    )
    lengthened: list[Annotated[int, Field(ge=1)]] = Field(
        default_factory=list, description="Holes that are lengthened radially, so that two pins never fight, from 1."
    )
    lengthened_m: Width = Field(0.0, description="By how much, inward and outward together [m].")

    @property
    def mouth_m(self) -> float:
        """Radius of the hole in the face."""
        return self.bore_m + self.chamfer_m

    @property
    def face(self) -> float:
        return 3.0 * self.mouth_m if self.face_m is None else self.face_m

    @property
    def edge_corner_m(self) -> tuple[float, float]:
        """Distance from the hole's axis and height of the middle of the rounding between bore and chamfer."""
        angle = math.radians(self.chamfer_deg)
        deep = (self.chamfer_m - self.edge_m) * cos(angle) + self.edge_m
        return self.bore_m + self.edge_m, -deep / sin(angle)

    @property
    def mouth_corner_m(self) -> tuple[float, float]:
        """The same between chamfer and face."""
        angle = math.radians(self.chamfer_deg)
        return self.mouth_m + self.edge_m * (1.0 - sin(angle)) / cos(angle), -self.edge_m

    def half_m(self, number: int) -> float:
        """Half of what a hole, counted from 0, is lengthened by."""
        return 0.5 * self.lengthened_m if number + 1 in self.lengthened else 0.0

    def check(self) -> KeyFaults:
        faults = list(self._circle_faults(self.mouth_m, "holes"))
        if self.edge_m > self.chamfer_m:
            text = f"{self.edge_m} m is more than chamfer_m, {self.chamfer_m}: the rounding would take all of it away"
            faults.append(("edge_m", text))
        if self.face_m is not None and self.face_m < self.mouth_m:
            text = f"{self.face_m} m is less than the hole's mouth, bore_m and chamfer_m: {self.mouth_m:.6g} m"
            faults.append(("face_m", text))
        if not faults:
            faults += self._lengthened_faults()
        return faults

    def _lengthened_faults(self) -> Iterator[Fault]:
        unknown = [number for number in self.lengthened if number > len(self.azimuths())]
        if unknown:
            yield "lengthened", f"no hole {unknown[0]}; there are holes 1 to {len(self.azimuths())}"
        if bool(self.lengthened) != (self.lengthened_m > 0.0):
            yield "lengthened_m", "and lengthened belong together: by how much, and which holes"


def distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])


def crowding(pins: Pins | None, holes: Holes | None) -> Iterator[Fault]:
    """Pins of an interface that stand in its own holes."""
    if pins is None or holes is None:
        return
    for i, pin in enumerate(pins.centres()):
        for j, hole in enumerate(holes.centres()):
            apart, needed = distance(pin, hole) - holes.half_m(j), pins.pin_m + holes.mouth_m
            if apart < needed:
                text = f"pin {i + 1} and hole {j + 1} are {1e3 * apart:.4g} mm apart and overlap"
                yield "pins", f"{text}; they need {1e3 * needed:.4g} mm"
                return


def pin_faults(pins: Pins, holes: Holes | None, owners: tuple[str, str]) -> Iterator[str]:
    """Why pins of one interface do not enter the other's holes when the two are mated; owners: of pins and holes."""
    if holes is None:
        yield f"the pins of {owners[0]} reach nothing: {owners[1]} has no holes; give it some, or leave the pins out"
        return
    for k, (y, z) in enumerate(pins.centres()):
        # the mate is turned by half a turn about z
        apart = [max(distance((-y, z), hole) - holes.half_m(j), 0.0) for j, hole in enumerate(holes.centres())]
        if min(apart) > holes.bore_m:
            text = f"mated, pin {k + 1} of {owners[0]} is {1e3 * min(apart):.4g} mm away from the nearest hole of "
            yield f"{text}{owners[1]}; a pin at azimuth a meets a hole at 180 - a deg, on a circle of the same radius"
            return
        if min(apart) + pins.pin_m >= holes.bore_m:
            off = f", and its axis is {1e3 * min(apart):.4g} mm off" if min(apart) > 1e-9 else ""
            text = f"mated, pin {k + 1} of {owners[0]}, {1e3 * pins.pin_m:.4g} mm in radius, does not fit into its hole"
            yield f"{text} of {owners[1]}, {1e3 * holes.bore_m:.4g} mm{off}; bore_m must be larger than pin_m"
            return
    yield from _depth_faults(pins, holes, owners)


def _depth_faults(pins: Pins, holes: Holes, owners: tuple[str, str]) -> Iterator[str]:
    edge = -holes.edge_corner_m[1]
    if pins.length_m > holes.depth_m:
        text = f"mated, the pins of {owners[0]}, {1e3 * pins.length_m:.4g} mm long, strike the bottom of the holes of "
        yield f"{text}{owners[1]}, whose depth_m is {holes.depth_m}"
    if pins.cylinder_m < edge:
        text = f"mated, the cylinders of the pins of {owners[0]} end {1e3 * (edge - pins.cylinder_m):.3g} mm before the"
        yield f"{text} bores of {owners[1]}: the tapers would leave more play; cylinder_m must be {edge:.4g} or more"
    if pins.taper_deg >= holes.chamfer_deg and pins.nose_m < pins.pin_m and holes.chamfer_m > 0.0:
        text = f"the taper of the pins of {owners[0]}, {pins.taper_deg:g} deg, must be steeper than the chamfer of the"
        yield f"{text} holes of {owners[1]}, {holes.chamfer_deg:g} deg: a smaller taper_deg, or a larger chamfer_deg"


def play_m(pins: Pins, holes: Holes) -> float:
    """How far a pin can move aside in its hole."""
    return holes.bore_m - pins.pin_m

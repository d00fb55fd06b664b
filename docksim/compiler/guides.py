"""Guide pins and holes of a file, as rows of their tables: where they stand, and their meridians.

A meridian is shrunk by the radius of its rounding: what is left are its two corners, and the slope between them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from docksim.algebra.elementary import cos, sin
from docksim.config.schema.pins import Holes, OnCircle, Pins

Place = tuple[tuple[float, float, float], tuple[float, float, float]]


class Guide(NamedTuple):
    """One pin or hole: the columns of GUIDE."""

    position: tuple[float, float, float]
    out: tuple[float, float, float]
    x_1: float
    y_1: float
    x_2: float
    y_2: float
    cos: float
    sin: float
    radius: float
    half: float = 0.0
    face: float = 0.0
    depth: float = 0.0


def _places(group: OnCircle) -> list[Place]:
    """Position and outward direction of each, interface axes."""
    ways = [(cos(angle), sin(angle), 0.0) for angle in group.azimuths()]
    return [((group.radius_m * way[0], group.radius_m * way[1], 0.0), way) for way in ways]


def pin_rows(pins: Pins | None) -> tuple[Guide, ...]:
    """Corner of cylinder and taper, centre of the nose; a nose as wide as its pin leaves no taper."""
    if pins is None:
        return ()
    taper = math.radians(pins.taper_deg) if pins.nose_m < pins.pin_m else 0.0
    corners = (pins.pin_m - pins.nose_m, pins.cylinder_m, 0.0, pins.nose_height_m)
    return tuple(Guide(*place, *corners, cos(taper), sin(taper), pins.nose_m) for place in _places(pins))


def hole_rows(holes: Holes | None) -> tuple[Guide, ...]:
    """Corner of bore and chamfer, corner of chamfer and face; distances from the hole's axis count backwards."""
    if holes is None:
        return ()
    (bore, low), (mouth, high) = holes.edge_corner_m, holes.mouth_corner_m
    chamfer = math.radians(holes.chamfer_deg)
    meridian = (-bore, low, -mouth, high, cos(chamfer), sin(chamfer), holes.edge_m)
    return tuple(
        Guide(*place, *meridian, holes.half_m(k), holes.face, holes.depth_m) for k, place in enumerate(_places(holes))
    )


def swept(pins: tuple[Guide, ...], holes: tuple[Guide, ...]) -> list[tuple[tuple[float, float, float], float]]:
    """Points and radii of balls whose hull about the interface's axis holds pins and holes."""
    points = []
    for pin in pins:
        points += [(_along(pin, pin.x_1, pin.y_1), pin.radius), (_along(pin, pin.x_2, pin.y_2), pin.radius)]
    for hole in holes:
        points += [(_along(hole, hole.half + hole.face, 0.0), 0.0), (_along(hole, -hole.x_1, -hole.depth), 0.0)]
    return points


def _along(guide: Guide, outward: float, height: float) -> tuple[float, float, float]:
    x, out = guide.position, guide.out
    return x[0] + outward * out[0], x[1] + outward * out[1], height

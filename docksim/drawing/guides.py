"""Guide pins and holes as outlines and solids, on the axes of their port: x, the docking axis, outward.

Pins have the sizes of the file. A hole is drawn as the bush that it would be in a frame, as the file does not say what
frame there is; one that is lengthened is drawn round.
"""

from __future__ import annotations

import numpy as np

from docksim.config.schema.interface import Interface
from docksim.config.schema.pins import Holes, Pins
from docksim.drawing.meshes import Mesh, revolved

BUSH_M = 0.003  # wall of the bush that stands for a hole's frame
SIDES = 24


def places(group: Pins | Holes | None) -> np.ndarray:
    """(count, 3) of pins or holes."""
    points = [] if group is None else [(0.0, *centre) for centre in group.centres()]
    return np.array(points, float).reshape(-1, 3)


def pin_outline(pins: Pins) -> np.ndarray:
    """(n, 2) height and distance from the pin's axis, from the foot to the end of the nose."""
    taper = np.radians(pins.taper_deg) if pins.nose_m < pins.pin_m else 0.0
    shoulder, nose = np.linspace(0.0, taper, 4), np.linspace(taper, 0.5 * np.pi, 10)
    corners = [((pins.cylinder_m, pins.pin_m - pins.nose_m), shoulder), ((pins.nose_height_m, 0.0), nose)]
    arcs = [at + pins.nose_m * np.stack([np.sin(angle), np.cos(angle)], axis=-1) for at, angle in corners]
    return np.concatenate([[(0.0, pins.pin_m)], *arcs])


def hole_outline(holes: Holes) -> np.ndarray:
    """(n, 2) of the bush, closed: from its far end, inside, outward and round."""
    deep = -holes.chamfer_m / np.tan(np.radians(holes.chamfer_deg))
    outer, low = holes.mouth_m + BUSH_M, -holes.depth_m
    bush = [(low, holes.bore_m), (low, outer), (0.0, outer), (0.0, holes.mouth_m), (deep, holes.bore_m)]
    return np.array([*bush, bush[0]])


def solids(interface: Interface) -> list[Mesh]:
    """Every pin, and the bush of every hole."""
    meshes = []
    if interface.pins is not None:
        pin = revolved([(0.0, 0.0), *map(tuple, pin_outline(interface.pins))], SIDES)
        meshes += [pin.moved(place) for place in places(interface.pins)]
    if interface.holes is not None:
        bush = revolved([(float(x), float(q)) for x, q in hole_outline(interface.holes)], SIDES)
        meshes += [bush.moved(place) for place in places(interface.holes)]
    return meshes


def grids(interface: Interface) -> list[np.ndarray]:
    """(rows, columns, 3) points around every pin, and around the chamfer of every hole."""
    surfaces = []
    for group, outline in _outlines(interface):
        angle = np.linspace(0.0, 2.0 * np.pi, SIDES + 1)
        x, q = outline[:, :1] * np.ones_like(angle), outline[:, 1:]
        grid = np.stack([x, q * np.cos(angle), q * np.sin(angle)], axis=-1)
        surfaces += [grid + place for place in places(group)]
    return surfaces


def _outlines(interface: Interface) -> list[tuple[Pins | Holes, np.ndarray]]:
    outlines: list[tuple[Pins | Holes, np.ndarray]] = []
    if interface.pins is not None:
        outlines.append((interface.pins, pin_outline(interface.pins)))
    if interface.holes is not None:
        outlines.append((interface.holes, hole_outline(interface.holes)[2:5]))
    return outlines


def circles(interface: Interface) -> list[np.ndarray]:
    """The circles on which pins and holes stand."""
    angle = np.linspace(0.0, 2.0 * np.pi, 121)
    radii = dict.fromkeys(group.radius_m for group in (interface.pins, interface.holes) if group is not None)
    return [radius * np.stack([0.0 * angle, np.cos(angle), np.sin(angle)], axis=-1) for radius in radii]


def top(interface: Interface) -> list[float]:
    """How far pins reach towards the mate."""
    return [] if interface.pins is None else [interface.pins.length_m]


def sizes(interface: Interface) -> list[float]:
    """How far pins and holes reach from the axis."""
    pins, holes = interface.pins, interface.holes
    radii = [] if pins is None else [pins.radius_m + pins.pin_m]
    return radii + ([] if holes is None else [holes.radius_m + holes.mouth_m + BUSH_M])

"""A docking interface as lines and as solids, on the axes of its port: x, the docking axis, outward.

Ring, petals, balls, capsules, pins, and the places of latches and strikers have the sizes of the file. What the file
does not have is how a latch looks: here a small hook on a hinge, upright when it waits and turned down over its striker
when it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from docksim.compiler.interface_shapes import patch_point, petal_row, petal_shape
from docksim.config.checks.contact import azimuth_deg
from docksim.config.schema.interface import Interface, Latches, Strikers
from docksim.drawing import guides
from docksim.drawing.meshes import Mesh, box, merged, plate, sheet, swept_ball, torus, washer

ALONG, ACROSS, AROUND = 13, 25, 121
HOOK_M = 0.065  # height of the hook that stands for a latch
OPEN_DEG = -50.0  # its turn about the tangent while it waits: inward


@dataclass(frozen=True, eq=False)
class Hook:
    """A latch: the hinge, and the axes that turn with the hook (x up, y outward, z along the rim) when it holds."""

    position: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True, eq=False)
class Round:
    """A ball, or all that a ball passes on its way from one point to another."""

    start: np.ndarray
    end: np.ndarray
    radius: float


def on_circle(radius: float, height: float, azimuth: Any) -> np.ndarray:
    """(..., 3) points about the axis."""
    azimuth = np.asarray(azimuth, float)
    return np.stack([np.full_like(azimuth, height), radius * np.cos(azimuth), radius * np.sin(azimuth)], axis=-1)


def around(radius: float, height: float) -> np.ndarray:
    """A closed circle."""
    return on_circle(radius, height, np.linspace(0.0, 2.0 * np.pi, AROUND))


def petals(interface: Interface) -> list[np.ndarray]:
    """(ALONG, ACROSS, 3) points of every petal's middle surface, base to tip."""
    if interface.petals is None:
        return []
    part, half = interface.petals, np.radians(interface.petals.half_angle_deg)
    grids = []
    for azimuth in np.radians([azimuth_deg(part, k) for k in range(part.count)]):
        row = petal_row(petal_shape(part), azimuth)[0]
        along, across = np.linspace(row["s_low"], row["s_tip"], ALONG), np.linspace(-half, half, ACROSS)
        points = np.array([[patch_point(row, s, phi) for phi in across] for s in along])
        grids.append(points[:, :, [2, 0, 1]])  # interface axes to port axes
    return grids


def rounds(interface: Interface) -> list[Round]:
    """Balls and capsules."""
    balls = [Round(np.array(one.center_m), np.array(one.center_m), one.radius_m) for one in interface.spheres]
    return balls + [Round(np.array(one.start_m), np.array(one.end_m), one.radius_m) for one in interface.capsules]


def outline(grid: np.ndarray) -> np.ndarray:
    """The edge of a petal."""
    return np.concatenate([grid[0], grid[:, -1], grid[-1, ::-1], grid[::-1, 0]])


def places(group: Latches | Strikers) -> np.ndarray:
    """(count, 3) of latches or strikers."""
    azimuths = np.radians([azimuth_deg(group, k) for k in range(group.count)])
    return on_circle(group.radius_m, group.height_m, azimuths)


def rings(interface: Interface) -> list[np.ndarray]:
    """Circles that show the ring."""
    face, rim = interface.face, interface.rim
    if face is not None:
        radii = [radius for radius in (face.inner_m, face.outer_m) if radius > 0]
        return [around(radius, height) for radius in radii for height in (0.0, -face.depth_m)]
    return [] if rim is None else [around(rim.radius_m + side * rim.tube_m, rim.height_m) for side in (-1, 1)]


def top(interface: Interface) -> float:
    """How far the interface reaches towards its mate."""
    heights = [float(grid[..., 0].max()) for grid in petals(interface)]
    heights += [float(end[0]) + one.radius for one in rounds(interface) for end in (one.start, one.end)]
    return max([0.1, *heights, *guides.top(interface)])


def radius(interface: Interface) -> float:
    """How far the interface reaches from its axis."""
    sizes = [float(np.hypot(grid[..., 1], grid[..., 2]).max()) for grid in petals(interface)]
    sizes += [float(np.hypot(*end[1:])) + one.radius for one in rounds(interface) for end in (one.start, one.end)]
    sizes += guides.sizes(interface)
    sizes += [] if interface.face is None else [interface.face.outer_m]
    sizes += [] if interface.rim is None else [interface.rim.radius_m + interface.rim.tube_m]
    return max(sizes)


# ---------------------------------------------------------------- solids


def solid(interface: Interface) -> Mesh:
    """Ring, petals, pins, holes and round bodies."""
    parts = [*_ring_solids(interface), *guides.solids(interface)]
    if interface.petals is not None:
        parts += [plate(grid, interface.petals.plate_radius_m) for grid in petals(interface)]
    parts += [sheet(swept_ball(one.start, one.end, one.radius)) for one in rounds(interface)]
    return merged(parts)


def _ring_solids(interface: Interface) -> Iterator[Mesh]:
    face, rim = interface.face, interface.rim
    if face is not None:
        yield washer(face.inner_m, face.outer_m, -face.depth_m, 0.0)
    if rim is not None:
        yield torus(rim.radius_m, rim.tube_m, rim.height_m)


def hooks(interface: Interface) -> list[Hook]:
    """The latches, closed: each hook reaches up from its hinge, below the pawl's place, and outward over the place."""
    if interface.latches is None:
        return []
    shapes = []
    for place in places(interface.latches):
        axes = _outward(place)
        shapes.append(Hook(place - HOOK_M * axes[:, 0] - 0.4 * HOOK_M * axes[:, 1], axes))
    return shapes


def hook() -> Mesh:
    """One hook on its own axes: a post with a beak whose tip is the pawl's place."""
    h, w = HOOK_M, 0.32 * HOOK_M
    post = box((-0.1 * h, -0.13 * h, -w), (1.12 * h, 0.13 * h, w))
    beak = box((0.88 * h, 0.13 * h, -w), (1.12 * h, 0.55 * h, w))
    return merged([post, beak])


def brackets(interface: Interface) -> Mesh:
    """What the hooks turn on: blocks from their hinges outward."""
    h = HOOK_M
    block = box((-0.28 * h, -0.2 * h, -0.42 * h), (0.02 * h, 0.8 * h, 0.42 * h))
    return merged(block.moved(hook.position, hook.axes) for hook in hooks(interface))


def strikers(interface: Interface) -> Mesh:
    """Small blocks where the mate's latches take hold."""
    if interface.strikers is None:
        return merged([])
    half = 0.25 * HOOK_M
    block = box((-half, -half, -2 * half), (half, 1.6 * half, 2 * half))
    return merged(block.moved(place, _outward(place)) for place in places(interface.strikers))


def _outward(place: np.ndarray) -> np.ndarray:
    """Axes at a point beside the docking axis: along it, outward, along the rim."""
    out = np.array([0.0, *place[1:]]) / np.hypot(*place[1:])
    return np.column_stack([[1.0, 0.0, 0.0], out, np.cross([1.0, 0.0, 0.0], out)])

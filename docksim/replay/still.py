"""One instant of the replay as a figure, without a browser: the scene of the page, seen from its first camera.

Hulls, interfaces, legs, latches and contact forces are those of the replay, from the same tracks. The instant is that
of the largest contact force of the pair in view, else of the first event, else the middle of the run. Ports that are
far apart then are seen from where everything is in view.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from docksim.algebra.rotations import rotation_matrix
from docksim.compiler.parts import Marker
from docksim.drawing.interface import OPEN_DEG, hook
from docksim.drawing.meshes import Mesh, arrow, axes_along
from docksim.plots.files import FORMATS
from docksim.replay.build import finite_rows, refuse_gaps
from docksim.replay.leg_sights import X_AXIS
from docksim.replay.raster import Solids, picture
from docksim.replay.scene import build_scene
from docksim.replay.sights import Point, Scene
from docksim.replay.tracks import Tracker, Tracks, contact_force
from docksim.result.arrays import whole
from docksim.result.result import Result, ResultError

WIDTH, HEIGHT, DPI = 1000, 625, 125
FOV_DEG = 32.0
LATCH = {"open": "#e69f00", "closed": "#009e73", "failed": "#b00020", "lost": "#6a1b9a"}
TOUCH = "#c2185b"
ARROW_DECADE_M = 0.1
SOLID = 0.85  # what is less see-through than this counts as solid
FAR = 3.0  # radii of a port: ports farther apart are not looked at from near


class Piece(NamedTuple):
    """A solid where it is, in W from the anchor."""

    mesh: Mesh
    colour: str
    opacity: float = 1.0
    front: bool = False


def still(result: Result, at_s: float | None = None) -> Figure:
    """The picture at a time of the run, or at the instant that says most."""
    scene = build_scene(result.scenario)
    refuse_gaps(scene, result)
    columns = {name: channel.data for name, channel in result.channels.items()}
    rows = finite_rows(scene, columns)
    row = int(rows[np.abs(result.time_s[rows] - _moment(scene, result, at_s)).argmin()])
    tracks = Tracker(scene).tracks(columns, np.array([row]))
    bodies = [(x, rotation_matrix(q)) for x, q in zip(tracks.position[0], tracks.attitude[0])]
    pieces = [*_parts(scene, bodies), *_links(scene, bodies, tracks), *_latches(scene, bodies, tracks)]
    pieces += _forces(scene, bodies, tracks)
    eye, axes, reach = _camera(scene, bodies, pieces)
    image = picture(solids_of(pieces, eye, axes), WIDTH, HEIGHT, FOV_DEG)
    return _figure(result, image, float(result.time_s[row]), _scale(reach))


def write_still(result: Result, file: Path, at_s: float | None = None) -> Path:
    """As PNG, or what the name ends in; a file that is there is replaced."""
    kind = file.suffix[1:] or "png"
    if kind not in FORMATS:
        raise ResultError(f"{file}: a still is one of {', '.join(FORMATS)}, by the end of its name")
    figure = still(result, at_s)
    return whole(file, lambda stream: figure.savefig(stream, format=kind, dpi=DPI))


def _moment(scene: Scene, result: Result, at_s: float | None) -> float:
    if at_s is not None:
        if not result.time_s[0] <= at_s <= result.time_s[-1]:
            raise ResultError(f"no instant {at_s:g} s; the run is from {result.time_s[0]:g} to {result.time_s[-1]:g} s")
        return at_s
    columns = {name: channel.data for name, channel in result.channels.items()}
    # of the pair that is in view; what others feel, as frames do, is hidden by mounts and hulls
    for pairs in (scene.pairs[:1], scene.pairs):
        force = contact_force(replace(scene, pairs=pairs), columns, len(result.time_s))
        if force.max(initial=0.0) > 0.0:
            return float(result.time_s[force.argmax()])
    return result.events[0].time_s if result.events else 0.5 * float(result.time_s[0] + result.time_s[-1])


# ---------------------------------------------------------------- what is there

Bodies = list[tuple[np.ndarray, np.ndarray]]


def _parts(scene: Scene, bodies: Bodies) -> Iterator[Piece]:
    for part in scene.parts:
        if part.kind != "frame":
            yield Piece(part.mesh.moved(*bodies[part.body]), part.colour, part.opacity)


def _links(scene: Scene, bodies: Bodies, tracks: Tracks) -> Iterator[Piece]:
    def place(point: Point) -> np.ndarray:
        x, R = bodies[point.body]
        own = tracks.points[0, point.track] if point.track >= 0 else np.asarray(point.position)
        points: np.ndarray = x + R @ own
        return points

    for link in scene.links:
        start = place(link.start)
        yield Piece(link.mesh.moved(start, axes_along(place(link.end) - start)), link.colour)


def _latches(scene: Scene, bodies: Bodies, tracks: Tracks) -> Iterator[Piece]:
    c, s = np.cos(np.radians(OPEN_DEG)), np.sin(np.radians(OPEN_DEG))
    turned = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    for latch in scene.latches:
        closed, lost = (int(mask[0, latch.pair]) >> latch.number & 1 for mask in (tracks.latched, tracks.lost))
        look = "failed" if latch.failed else "lost" if lost else "closed" if closed else "open"
        own = hook().moved((0, 0, 0), np.eye(3) if closed else turned).moved(latch.position, latch.axes)
        yield Piece(own.moved(*bodies[latch.body]), LATCH[look])


def _forces(scene: Scene, bodies: Bodies, tracks: Tracks) -> Iterator[Piece]:
    """Arrows of ten centimetres for every factor of ten above one newton."""
    for pair, values in zip(tracks.touch_pair, tracks.touch):
        size = float(np.linalg.norm(values[3:]))
        if size < 1.0:
            continue
        marker = scene.pair_markers[pair][0]
        x, R = bodies[marker.body - 1]
        length, axes = ARROW_DECADE_M * np.log10(1.0 + size), R @ marker.place.axes
        at = x + R @ np.asarray(marker.place.position) + axes @ values[:3]
        slim = Mesh(arrow().vertices * [length, 0.28, 0.28], arrow().triangles)
        yield Piece(slim.moved(at, axes_along(axes @ values[3:])), TOUCH, front=True)


# ---------------------------------------------------------------- seen from


def _camera(scene: Scene, bodies: Bodies, pieces: list[Piece]) -> tuple[np.ndarray, np.ndarray, float]:
    """Eye, its axes (right, up, back) as columns, and its distance from what it looks at."""
    near = scene.focus and [_frame(marker, bodies) for marker in scene.focus]
    if near and np.linalg.norm(near[0][0] - near[1][0]) < FAR * scene.focus_radius:
        (target, axes), r, yaw, pitch = near[1], scene.focus_radius, 62.0, 24.0
        target, reach = target + axes @ (0.35 * r * X_AXIS), 8.0 * r
    else:
        points = np.concatenate([piece.mesh.vertices for piece in pieces])
        target, axes, yaw, pitch = 0.5 * (points.min(axis=0) + points.max(axis=0)), np.eye(3), 50.0, 22.0
        reach = 1.05 * float(np.linalg.norm(points - target, axis=1).max()) / np.sin(0.5 * np.radians(FOV_DEG))
    level, up = np.radians((yaw, pitch))
    back = axes @ np.array([np.cos(up) * np.cos(level), np.cos(up) * np.sin(level), np.sin(up)])
    right = np.cross(axes[:, 2], back)
    right /= np.linalg.norm(right)
    return target + reach * back, np.column_stack([right, np.cross(back, right), back]), reach


def _frame(marker: Marker, bodies: Bodies) -> tuple[np.ndarray, np.ndarray]:
    x, R = bodies[marker.body - 1]
    return x + R @ np.asarray(marker.place.position), R @ marker.place.axes


def solids_of(pieces: list[Piece], eye: np.ndarray, axes: np.ndarray) -> Solids:
    """Their triangles as an eye with these axes sees them."""
    corners, normals = [], []
    for piece in pieces:
        vertices, triangles = (piece.mesh.vertices - eye) @ axes, piece.mesh.triangles
        a, b, c = (vertices[triangles[:, i]] for i in range(3))
        flat, smooth = np.cross(b - a, c - a), np.zeros_like(vertices)
        for i in range(3):
            np.add.at(smooth, triangles[:, i], flat)
        smooth /= np.maximum(np.linalg.norm(smooth, axis=1), 1e-30)[:, None]
        corners.append(np.stack([a, b, c], axis=1))
        normals.append(smooth[triangles])
    count = [len(one) for one in corners]
    return Solids(
        np.concatenate(corners),
        np.concatenate(normals),
        np.repeat([to_rgb(piece.colour) for piece in pieces], count, axis=0),
        np.repeat([piece.opacity if piece.opacity < SOLID else 1.0 for piece in pieces], count),
        np.repeat(np.arange(len(pieces)), count),
        np.repeat([piece.front for piece in pieces], count),
    )


def _scale(reach: float) -> tuple[float, float]:
    """A round length at the distance of the target [m], and its pixels."""
    pixels = HEIGHT / (2.0 * reach * np.tan(0.5 * np.radians(FOV_DEG)))
    length = next(k * 10.0**n for n in range(-3, 6) for k in (1, 2, 5) if k * 10.0**n * pixels >= 60.0)
    return length, length * pixels


def _figure(result: Result, image: np.ndarray, time_s: float, scale: tuple[float, float]) -> Figure:
    figure = Figure((WIDTH / DPI, HEIGHT / DPI), dpi=DPI)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.imshow(image, interpolation="none", aspect="auto")
    axes.set_axis_off()
    last = [event.name for event in result.events if event.time_s <= time_s]
    text = f"{result.scenario_name}   {time_s:.2f} s" + (f"   after '{last[-1]}'" if last else "")
    axes.text(14, 26, text, fontsize=9, va="center", color="#1f2933")
    (length, pixels), right, low = scale, WIDTH - 16, HEIGHT - 18
    axes.plot([right - pixels, right - pixels, right, right], [low - 7, low, low, low - 7], color="#1f2933", lw=1.2)
    name = f"{100 * length:g} cm" if length < 1.0 else f"{length:g} m"
    axes.text(right - 0.5 * pixels, low - 12, name, fontsize=8, ha="center", color="#1f2933")
    axes.set_xlim(0, WIDTH), axes.set_ylim(HEIGHT, 0)
    return figure

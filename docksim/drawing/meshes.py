"""Surfaces of simple solids as triangles, metres, on the axes their docstring names.

Vertices are shared where a surface is smooth and doubled along its edges, so that a viewer which averages normals over
vertices shows round things round and edges sharp. Solids of revolution are about x, the docking axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SIDES = 48


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles, counter-clockwise seen from outside."""

    vertices: np.ndarray  # (n, 3)
    triangles: np.ndarray  # (m, 3) indices

    def moved(self, position: Sequence[float] | np.ndarray, axes: np.ndarray | None = None) -> Mesh:
        """The same in a frame in which it lies at this place."""
        turned = self.vertices if axes is None else self.vertices @ np.asarray(axes).T
        return Mesh(turned + np.asarray(position, float), self.triangles)


def merged(meshes: Iterable[Mesh]) -> Mesh:
    """Several as one."""
    parts = list(meshes)
    firsts = np.cumsum([0] + [len(mesh.vertices) for mesh in parts])
    triangles = [mesh.triangles + first for mesh, first in zip(parts, firsts)]
    return Mesh(
        np.concatenate([np.zeros((0, 3)), *(mesh.vertices for mesh in parts)]),
        np.concatenate([np.zeros((0, 3), int), *triangles]),
    )


def sheet(grid: np.ndarray) -> Mesh:
    """A surface through a grid (rows, columns, 3) of points; it faces along d(column) x d(row)."""
    rows, columns = grid.shape[:2]
    index = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]
    quads = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)
    return Mesh(grid.reshape(-1, 3), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def revolved(profile: Sequence[tuple[float, float]], sides: int = SIDES) -> Mesh:
    """The solid whose outline is given as points (x, radius), walked from low x outward, then towards high x."""
    angle = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    strips = []
    for ends in pairwise(profile):
        x, radius = (np.array([end[i] for end in ends])[:, None] * np.ones_like(angle) for i in (0, 1))
        strips.append(sheet(np.stack([x, radius * np.cos(angle), radius * np.sin(angle)], axis=-1)))
    return merged(strips)


def rod(length: float, radius: float, sides: int = 20) -> Mesh:
    """A cylinder from the origin along +x."""
    return revolved([(0.0, 0.0), (0.0, radius), (length, radius), (length, 0.0)], sides)


def washer(inner: float, outer: float, low: float, high: float) -> Mesh:
    """A flat ring about x, from x = low to x = high."""
    return revolved([(low, inner), (low, outer), (high, outer), (high, inner), (low, inner)])


def torus(radius: float, tube: float, height: float = 0.0) -> Mesh:
    """A ring with a round section about x, its circle at x = height."""
    around, across = np.linspace(0.0, 2.0 * np.pi, SIDES + 1), np.linspace(0.0, 2.0 * np.pi, 13)
    r = radius + tube * np.cos(across)[:, None]
    x = height + tube * np.sin(across)[:, None] * np.ones_like(around)
    return sheet(np.stack([x, r * np.cos(around), r * np.sin(around)], axis=-1))


def ball(radius: float, sides: int = 20) -> Mesh:
    """A sphere about the origin."""
    around, up = np.linspace(0.0, 2.0 * np.pi, sides + 1), np.linspace(0.0, np.pi, sides // 2 + 1)[:, None]
    x = -np.cos(up) * np.ones_like(around)
    return sheet(radius * np.stack([x, np.sin(up) * np.cos(around), np.sin(up) * np.sin(around)], axis=-1))


def axes_along(way: np.ndarray) -> np.ndarray:
    """Axes, as columns, whose x points along a way."""
    x = way / max(float(np.linalg.norm(way)), 1e-12)
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y = y / np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def swept_ball(start: np.ndarray, end: np.ndarray, radius: float, sides: int = 20) -> np.ndarray:
    """(rows, columns, 3) points around a ball that was moved from one place to another, or stayed where it is."""
    length = float(np.linalg.norm(end - start))
    along, side, across = axes_along(end - start if length > 0.0 else np.array([1.0, 0.0, 0.0])).T
    around, up = np.linspace(0.0, 2.0 * np.pi, sides + 1)[:, None], np.linspace(0.0, 0.5 * np.pi, sides // 4 + 1)
    out = np.cos(around) * side + np.sin(around) * across
    caps = [
        (start, -np.cos(up), np.sin(up)),
        (end, np.sin(up), np.cos(up)),
    ]
    rows = [at + radius * (x * along + q * out) for at, xs, qs in caps for x, q in zip(xs, qs, strict=True)]
    return np.stack(rows)


def box(low: Sequence[float], high: Sequence[float]) -> Mesh:
    """A brick between two corners."""
    a, b = np.asarray(low, float), np.asarray(high, float)
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side, order in ((a, (0, 3, 2, 1)), (b, (0, 1, 2, 3))):
            corners = np.empty((4, 3))
            corners[:, axis] = side[axis]
            corners[:, u], corners[:, v] = [a[u], b[u], b[u], a[u]], [a[v], a[v], b[v], b[v]]
            faces.append(Mesh(corners[list(order)], np.array([[0, 1, 2], [0, 2, 3]])))
    return merged(faces)


def plate(grid: np.ndarray, half_thickness: float) -> Mesh:
    """A plate of constant thickness about a grid (rows, columns, 3) of points, closed along its edges."""
    normal = np.cross(np.gradient(grid, axis=1), np.gradient(grid, axis=0))
    normal = half_thickness * normal / np.linalg.norm(normal, axis=-1, keepdims=True)
    upper, lower = grid + normal, grid - normal
    edges = []
    for pick in ((0, slice(None)), (slice(None), -1), (-1, slice(None, None, -1)), (slice(None, None, -1), 0)):
        edges.append(sheet(np.stack([lower[pick], upper[pick]])))
    return merged([sheet(upper), sheet(lower[:, ::-1]), *edges])


def arrow() -> Mesh:
    """Of unit length along +x from the origin; thickness for a scale of one."""
    return revolved([(0.0, 0.0), (0.0, 0.022), (0.72, 0.022), (0.72, 0.07), (1.0, 0.0)], 16)

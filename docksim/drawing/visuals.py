"""Surfaces of the shapes that bodies are given: simple solids, and meshes in files.

Meshes are read by trimesh, which is optional; of its formats those that name no other files. Large ones are thinned by
bringing vertices together on a grid, so that a page of a replay stays small.
"""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from docksim.compiler.parts import placed
from docksim.config.errors import printable
from docksim.config.schema.visuals import BoxVisual, CylinderVisual, MeshVisual, SphereVisual, Visual
from docksim.drawing.meshes import Mesh, ball, box, rod
from docksim.result.reading import plain_file

FORMATS = ("stl", "obj", "ply", "off", "glb")
LARGEST_FILE = 2**28  # bytes
LARGEST_M = 1e9
MOST_TRIANGLES = 8000
FINEST = 256  # cells along the largest side
ABOUT_Z = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # what was along x is along z


class NoMesh(Exception):
    """A mesh that cannot be shown; the message says why, and what to do."""


def surface(visual: Visual) -> Mesh:
    """On the body's axes. NoMesh where a file cannot be read."""
    place = placed(visual.position_m, visual.attitude)
    return _solid(visual).moved(place.position, place.axes)


def _solid(visual: Visual) -> Mesh:
    if isinstance(visual, BoxVisual):
        half = 0.5 * np.array(visual.size_m)
        return box((-half).tolist(), half.tolist())
    if isinstance(visual, CylinderVisual):
        along_x = rod(visual.length_m, visual.radius_m, 32).moved((-0.5 * visual.length_m, 0.0, 0.0))
        return along_x.moved((0.0, 0.0, 0.0), ABOUT_Z)
    if isinstance(visual, SphereVisual):
        return ball(visual.radius_m, 32)
    return thinned(_read(visual), MOST_TRIANGLES)


@lru_cache(maxsize=256)
def _read(visual: MeshVisual) -> Mesh:
    file = Path(visual.mesh_file)
    if not file.is_file():
        raise NoMesh(f"mesh {visual.mesh_file}: no such file; the body is shown by its inertia")
    kind = file.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        what = f"only {', '.join(FORMATS)} are read"
        raise NoMesh(f"mesh {visual.mesh_file}: {what}; convert it, or the body is shown by its inertia")
    try:
        import trimesh
    except ImportError:
        raise NoMesh("meshes need trimesh: pip install 'docksim[meshes]'; bodies are shown by their inertia") from None
    try:
        with plain_file(file, LARGEST_FILE) as stream, np.errstate(all="ignore"):
            # bytes have no place, from which other files could be looked for
            loaded: Any = trimesh.load(BytesIO(stream.read()), file_type=kind, force="mesh")
        vertices, triangles = np.asarray(loaded.vertices, float), np.asarray(loaded.faces, int)
    except Exception as error:  # whatever a reader of many formats may raise
        told = printable(" ".join(str(error).split())[:200])
        raise NoMesh(f"mesh {visual.mesh_file}: cannot be read ({told}); the body is shown by its inertia") from None
    if not len(triangles) or not _is_sound(vertices, triangles):
        raise NoMesh(f"mesh {visual.mesh_file}: has no surface; the body is shown by its inertia")
    scale = np.array(visual.scale)
    # a mirrored surface would be inside out
    return Mesh(vertices * scale, triangles if np.prod(scale) > 0.0 else triangles[:, ::-1])


def _is_sound(vertices: np.ndarray, triangles: np.ndarray) -> bool:
    """Finite places of sizes that can be drawn, and no triangle without corners."""
    small = bool(np.all(np.abs(vertices) <= LARGEST_M))  # false for nan
    return small and 0 <= int(triangles.min()) and int(triangles.max()) < len(vertices)


def thinned(mesh: Mesh, most: int) -> Mesh:
    """With at most so many triangles: vertices in one cell of a grid become one."""
    low, size = mesh.vertices.min(axis=0), float(np.ptp(mesh.vertices, axis=0).max())
    cells = FINEST
    thin = mesh
    while len(thin.triangles) > most and cells > 2:
        places = np.round((mesh.vertices - low) / size * cells).astype(int)
        _, inverse, counts = np.unique(places, axis=0, return_inverse=True, return_counts=True)
        middle = np.zeros((len(counts), 3))
        np.add.at(middle, inverse, mesh.vertices)
        triangles = inverse[mesh.triangles]
        a, b, c = triangles.T
        thin = Mesh(middle / counts[:, None], triangles[(a != b) & (b != c) & (c != a)])
        cells = (3 * cells) // 4
    return thin

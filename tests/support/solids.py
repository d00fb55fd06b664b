"""What a surface of triangles encloses."""

from __future__ import annotations

import numpy as np

from docksim.drawing.meshes import Mesh


def volume_of(mesh: Mesh) -> float:
    """Of a closed surface; negative if it is inside out."""
    a, b, c = (mesh.vertices[mesh.triangles[:, i]] for i in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0)

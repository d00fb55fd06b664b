"""Stand-ins for bodies whose shape nobody gave: solids of even density with the body's own mass and inertia.

A body with two equal principal moments becomes a cylinder, any other one a brick; a body whose inertia no solid of its
mass can have keeps a small least thickness. Where a body's mass centre and inertia are those of a real vehicle, the
stand-in has about its size; it says nothing of its looks.
"""

from __future__ import annotations

import numpy as np

from docksim.compiler.parts import BodyPart
from docksim.drawing.meshes import Mesh, box, rod

EQUAL = 0.12  # moments that differ by less are called equal
THINNEST = 0.015  # of the largest size


def stand_in(body: BodyPart) -> Mesh:
    """In the body's frame."""
    moments, axes = principal_axes(body.inertia)
    odd = _odd_one(moments)
    if odd is None:
        half = 0.5 * brick(body.mass, moments)
        return box((-half).tolist(), half.tolist()).moved(body.com, axes)
    length, radius = cylinder(body.mass, moments, odd)
    order = [odd, (odd + 1) % 3, (odd + 2) % 3]
    return rod(length, radius, 48).moved((-0.5 * length, 0.0, 0.0)).moved(body.com, axes[:, order])


def principal_axes(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moments and right-handed axes, as columns, each nearest to the body axis of its number."""
    moments, found = np.linalg.eigh(inertia)
    left, order = [0, 1, 2], []
    for axis in range(3):
        order.append(max(left, key=lambda k: abs(found[axis, k])))
        left.remove(order[-1])
    moments, axes = moments[order], found[:, order]
    axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return moments, axes


def _odd_one(moments: np.ndarray) -> int | None:
    """The axis of symmetry; none if all three moments differ, the first one if all are equal."""
    for axis in range(3):
        a, b = moments[(axis + 1) % 3], moments[(axis + 2) % 3]
        if abs(a - b) < EQUAL * max(a, b):
            return axis
    return None


def brick(mass: float, moments: np.ndarray) -> np.ndarray:
    """(3,) lengths of the sides [m]."""
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
    sizes = np.sqrt(np.clip(squares, 0.0, None))
    return np.maximum(sizes, THINNEST * sizes.max())


def cylinder(mass: float, moments: np.ndarray, axis: int) -> tuple[float, float]:
    """Length and radius [m]."""
    across = 0.5 * (moments[(axis + 1) % 3] + moments[(axis + 2) % 3])
    radius = float(np.sqrt(2.0 * moments[axis] / mass))
    length = float(np.sqrt(max(12.0 * across / mass - 3.0 * radius * radius, 0.0)))
    largest = max(length, 2.0 * radius)
    return max(length, THINNEST * largest), max(radius, 0.5 * THINNEST * largest)

"""Interfaces as the tests of contact take them: what a test does not give is as in the drawing of the standard."""

from __future__ import annotations

import math
from typing import Any

from docksim.compiler.interface_shapes import InterfaceShape, PetalShape

_PETAL = {
    "base_radius": 0.5974, "half_angle": math.radians(29.0), "cant": math.radians(45.0), "length": 0.21,
    "tip_half_width": 0.06, "plate_radius": 0.005, "below": 0.012,
}  # fmt: skip


def petal_shape(**changes: float) -> PetalShape:
    """A guide petal."""
    return PetalShape(**{**_PETAL, **changes})


def interface_shape(**changes: Any) -> InterfaceShape:
    """A ring with three petals."""
    drawing = {
        "rim_radius": 0.610, "rim_height": -0.010, "rim_tube": 0.010, "face_inner": 0.600, "face_outer": 0.620,
        "face_depth": 0.020, "face_points": 12, "petal": petal_shape(), "petals": 3, "first_azimuth": 0.0,
        "spheres": (), "capsules": (), "pins": (), "holes": (),
    }  # fmt: skip
    return InterfaceShape(**{**drawing, **changes})

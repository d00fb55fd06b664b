"""What a body looks like in pictures: simple solids, or meshes in files. The motion does not depend on it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from docksim.config.schema.fields import (
    ZERO3,
    Attitude,
    Part,
    Positive,
    PositivePerAxis,
    Reference,
    Vec3,
    as_list,
    identity,
)
from docksim.config.schema.unions import ToldByValue


class VisualPlace(Part):
    """Where a solid is, and its colour."""

    position_m: Vec3 = Field(ZERO3, description="Its origin, in the body's frame [m].")
    attitude: Attitude = Field(default_factory=identity, description="Its axes in the body's frame.")
    colour: str | None = Field(
        None, pattern=r"^#[0-9a-fA-F]{6}$", description="As '#rrggbb'; the vehicle's own if left out."
    )


class BoxVisual(VisualPlace):
    """A brick about its origin."""

    type: Literal["box"] = Field("box", description="A brick about its origin.")
    size_m: PositivePerAxis = Field(description="Lengths along x, y, z [m].")


class CylinderVisual(VisualPlace):
    """A cylinder about its origin, along z."""

    type: Literal["cylinder"] = Field("cylinder", description="A cylinder about its origin, along z.")
    radius_m: Positive = Field(description="Radius [m].")
    length_m: Positive = Field(description="Length along z [m].")


class SphereVisual(VisualPlace):
    """A sphere about its origin."""

    type: Literal["sphere"] = Field("sphere", description="A sphere about its origin.")
    radius_m: Positive = Field(description="Radius [m].")


class MeshVisual(VisualPlace):
    """A surface in a file: STL, OBJ, DAE, PLY; read by trimesh (docksim[meshes])."""

    type: Literal["mesh"] = Field("mesh", description="A surface in a file, read by trimesh (docksim[meshes]).")
    mesh_file: Reference = Field(description="Its path, from the folder of the file that names it; lengths in metres.")
    scale: Vec3 = Field((1.0, 1.0, 1.0), description="Factors along x, y, z.")


Visual = Annotated[BoxVisual | CylinderVisual | SphereVisual | MeshVisual, ToldByValue("type")]
Visuals = Annotated[list[Visual], BeforeValidator(as_list)]

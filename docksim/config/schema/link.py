"""What a link of a chain and a link of a leg have in common."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from docksim.config.schema.fields import AnyInertia, NonNegative, Part, Vec3, refuse


class LinkPart(Part):
    """A rigid link; one without mass has no inertia. What stands for keys left out, the kinds of links say."""

    mass_kg: NonNegative = Field(description="Mass [kg].")
    center_of_mass_m: Vec3 | None = Field(None, description="Mass centre, in the link's frame [m].")
    inertia_kg_m2: AnyInertia | None = Field(None, description="Inertia about the mass centre, link axes [kg m²].")

    @model_validator(mode="after")
    def _check_mass(self) -> Self:
        if self.mass_kg == 0.0 and self.inertia_kg_m2 is not None:
            refuse([("inertia_kg_m2", "a link of mass_kg 0 has no inertia; give a mass, or remove the key")])
        return self

"""What a link of a chain and a link of a leg have in common."""

from __future__ import annotations

from pydantic import Field

from docksim.config.schema.fields import AnyInertia, KeyFaults, NonNegative, Part, Vec3


class LinkPart(Part):
    """A rigid link; one without mass has no inertia. What stands for keys left out, the kinds of links say."""

    mass_kg: NonNegative = Field(description="Mass [kg].")
    center_of_mass_m: Vec3 | None = Field(None, description="Mass centre, in the link's frame [m].")
    inertia_kg_m2: AnyInertia | None = Field(None, description="Inertia about the mass centre, link axes [kg m²].")

    def check(self) -> KeyFaults:
        if self.mass_kg == 0.0 and self.inertia_kg_m2 is not None:
            yield "inertia_kg_m2", "a link of mass_kg 0 has no inertia; give a mass, or remove the key"
        # a row of a chain is an axis, too
        yield from super().check()

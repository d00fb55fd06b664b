"""What a link or a beam can bear, and where along it loads are wanted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from docksim.config.schema.fields import KeyFaults, Name, NonNegative, Part, Positive


class Allowable(Part):
    """Largest loads in any section, factors of safety not yet taken off; what is left out is not judged."""

    axial_N: Positive | None = Field(None, description="Pull or push along the axis [N].")
    shear_N: Positive | None = Field(None, description="Force across the axis, both directions together [N].")
    torsion_Nm: Positive | None = Field(None, description="Moment about the axis [N m].")
    bending_Nm: Positive | None = Field(None, description="Moment across the axis, both directions together [N m].")

    def check(self) -> KeyFaults:
        if not self.given():
            yield "", f"is empty: give at least one of {', '.join(type(self).model_fields)}"

    def given(self) -> dict[str, float]:
        """Those that are judged, by kind of load."""
        return {key.partition("_")[0]: value for key, value in self if value is not None}


class Structure(Part):
    """Strength of a link or beam, and sections of it with names of their own."""

    sections: dict[Name, NonNegative] = Field(
        default_factory=dict, description="Sections whose loads are wanted over time: distance from the root [m]."
    )
    allowable: Allowable | None = Field(None, description="What a section bears; margins need it.")
    factor_of_safety: Positive | None = Field(
        None, description="Loads are multiplied by it before they are compared; 1 if left out."
    )

    def check(self) -> KeyFaults:
        if self.factor_of_safety is not None and self.allowable is None:
            yield "factor_of_safety", "there is no 'allowable' that it could be taken off; give one, or remove it"

    def faults(self, length_m: float) -> Iterator[tuple[tuple[str, ...], str]]:
        """Sections that are not on the link."""
        for name, distance in self.sections.items():
            if distance > length_m * (1.0 + 1e-12):
                yield ("sections", name), f"{distance:g} m is beyond the end: the length is {length_m:g} m"


class LinkStructure(Structure):
    """Of a link of a chain: also where between joint and far end its mass is."""

    mass_along: Literal["lumped", "uniform", "ends"] = Field(
        "lumped",
        description="Where a rigid link's mass is: all at its mass centre, spread evenly from joint to far end, or at "
        "these two ends. Only for loads inside the link; the motion does not depend on it.",
    )

"""A docking mechanism: a ring on six legs, symmetric in a few lines or described leg by leg.

Frames: B, the base of the mechanism, x along the docking axis and outward; C, the ring, its origin at the ring's own
reference point. Azimuths are measured about x, from y towards z.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from docksim.config.schema.actuators import LinearActuator, RotaryActuator
from docksim.config.schema.fields import (
    ZERO3,
    AnyInertia,
    KeyFaults,
    Name,
    Part,
    Positive,
    Vec3,
    exactly_one,
)
from docksim.config.schema.legs import LEGS, HuntLeg, Leg, RingPose, StewartLeg, Symmetric
from docksim.config.schema.retraction import RetractionDrive
from docksim.config.schema.symmetric_legs import written_out


class Coupling(Part):
    """A constant combination of the legs' driven coordinates, as a differential forms it, and what acts on it."""

    weights: Annotated[list[float], Field(min_length=LEGS, max_length=LEGS)] = Field(
        description="Weight of each leg's stroke or crank in the sum, six numbers; one family of legs, not all zero."
    )
    linear: LinearActuator | None = Field(None, description="What acts on a sum of strokes; excludes 'rotary'.")
    rotary: RotaryActuator | None = Field(None, description="What acts on a sum of crank angles; excludes 'linear'.")

    def check(self) -> KeyFaults:
        faults = [] if any(self.weights) else [("weights", "are all zero; the coupling would measure nothing")]
        if self.linear is not None and self.rotary is not None:
            faults.append(("rotary", "excludes 'linear'; strokes go with linear, cranks with rotary"))
        return faults

    @property
    def actuator(self) -> LinearActuator | RotaryActuator | None:
        """What acts on it; a coupling without devices only measures."""
        return self.linear if self.linear is not None else self.rotary


class Ring(Part):
    """The rigid ring that the legs carry."""

    mass_kg: Positive = Field(description="Mass [kg].")
    center_of_mass_m: Vec3 = Field(ZERO3, description="Mass centre in C [m].")
    inertia_kg_m2: AnyInertia = Field(description="Inertia about the mass centre, ring axes [kg m²].")


class Mechanism(Part):
    """A docking mechanism: the ring, its reference pose, and six legs."""

    source: str = Field("", description="Where the figures come from.")
    ring: Ring = Field(description="The ring.")
    reference: RingPose = Field(description="Pose of the ring, ready to dock, from which misalignments are counted.")
    symmetric: Symmetric | None = Field(None, description="Six equal legs; excludes 'legs'.")
    legs: list[Leg] | None = Field(
        None, min_length=LEGS, max_length=LEGS, description="The six legs one by one, types mixed as you like."
    )
    couplings: dict[Name, Coupling] = Field(
        default_factory=dict, description="Combinations of the legs' coordinates with devices of their own, by name."
    )

    retraction_drive: RetractionDrive | None = Field(
        None, description="What moves the base joints along their ways; if left out, commands prescribe the motion."
    )

    def check(self) -> KeyFaults:
        return exactly_one(self, "symmetric", "legs")

    def six_legs(self) -> tuple[StewartLeg | HuntLeg, ...]:
        """All legs written out."""
        if self.legs is not None:
            return tuple(self.legs)
        return written_out(self.symmetric, self.reference) if self.symmetric is not None else ()

"""An elastic link: cut into rigid finite elements with springs between them, as the beams of a spacecraft are."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from docksim.config.schema.fields import KeyFaults, NonNegative, Part, Positive

Flex = Literal["bend_y", "bend_z", "twist"]
BENDING: tuple[Flex, ...] = ("bend_y", "bend_z")
NEEDED = {"bend_y": "EI_y_Nm2", "bend_z": "EI_z_Nm2", "twist": "GJ_Nm2"}


class ElasticLink(Part):
    """A uniform beam from the link's joint to its far end. Its x axis runs along the link.

    Its mass is `mass_kg` here, spread evenly; what the link has as `mass_kg` besides rides on its far end.
    """

    mass_kg: Positive = Field(description="Mass of the beam itself, spread evenly along it [kg].")
    segments: int = Field(4, ge=1, le=60, description="Number of rigid finite elements.")
    flex: list[Flex] = Field(default_factory=lambda: list(BENDING), min_length=1, description="Modelled deformations.")
    EI_y_Nm2: Positive | None = Field(None, description="Bending stiffness about local y [N m²]; needed for bend_y.")
    EI_z_Nm2: Positive | None = Field(None, description="Bending stiffness about local z [N m²]; needed for bend_z.")
    GJ_Nm2: Positive | None = Field(None, description="Torsional stiffness [N m²]; needed for twist.")
    damping_s: NonNegative = Field(
        0.0, description="Damping over stiffness of every element [s]: 2 zeta / omega for the ratio zeta at omega."
    )
    width_m: NonNegative = Field(0.0, description="Diameter of the tube, for the elements' rotary inertia [m].")

    def check(self) -> KeyFaults:
        faults = [
            (key, f"missing; flex includes {flex}: give {key}, or leave {flex} out of flex")
            for flex, key in NEEDED.items()
            if flex in self.flex and getattr(self, key) is None
        ]
        if "twist" in self.flex and self.width_m == 0.0:
            faults.append(("width_m", "missing; a beam that twists needs a width, or it has no inertia about its axis"))
        if len(set(self.flex)) != len(self.flex):
            faults.append(("flex", f"{self.flex} names a deformation twice"))
        return faults

"""Stiffness that is known within a band only, by part of an interface: low, middle and high."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from docksim.config.errors import shown
from docksim.config.schema.fields import AlsoAccepts, KeyFaults, Part, refuse

End = Literal["low", "middle", "high"]
ENDS: tuple[End, End, End] = ("low", "middle", "high")
SOFTEST_N_M, STIFFEST_N_M = 1.0, 1e12
Stiffness = Annotated[float, Field(ge=SOFTEST_N_M, le=STIFFEST_N_M)]
FORMS = "a mapping with low, middle and high [N/m], or one number"


class Band(Part):
    """A stiffness [N/m] between two ends. Also accepted: one number, which is all three."""

    low: Stiffness = Field(description="The softest it may be [N/m].")
    middle: Stiffness = Field(description="The likeliest; what a single run has [N/m].")
    high: Stiffness = Field(description="The stiffest it may be [N/m].")

    @model_validator(mode="before")
    @classmethod
    def _accept_number(cls, value: Any) -> Any:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if not SOFTEST_N_M <= value <= STIFFEST_N_M:
                refuse([("", f"{value} must be between {SOFTEST_N_M:g} and {STIFFEST_N_M:g} N/m")])
            return {"low": value, "middle": value, "high": value}
        if not isinstance(value, (dict, Part)):
            refuse([("", f"expected {FORMS}, got {shown(value)}")])
        return value

    def check(self) -> KeyFaults:
        for one, other in pairwise(ENDS):
            a, b = getattr(self, one), getattr(self, other)
            if b < a:
                text = f"{b:g} N/m is less than {one}, which is {a:g}; a band goes up: low, middle, high"
                yield other, text
                return

    @property
    def wide(self) -> bool:
        """Do its ends differ?"""
        return self.low < self.high


AnyBand = Annotated[Band, AlsoAccepts(lambda _: [{"type": "number"}])]


class ContactBand(Part):
    """Stiffness by part of an interface, as bands; each is the only place of its part's stiffness."""

    petals: AnyBand | None = Field(
        None, description="In place of stiffness_N_m: petals, edges, rims, spheres and capsules [N/m]."
    )
    faces: AnyBand | None = Field(
        None, description="In place of face_stiffness_N_m: two ring faces, all points together [N/m]."
    )
    pins: AnyBand | None = Field(None, description="In place of pin_stiffness_N_m: a guide pin in its hole [N/m].")

    def check(self) -> KeyFaults:
        if not self._given():
            yield "", f"is empty; give petals, faces or pins, or all: {FORMS}"

    @property
    def wide(self) -> bool:
        return any(band.wide for band in self._given())

    def _given(self) -> list[Band]:
        return [band for band in (self.petals, self.faces, self.pins) if band is not None]

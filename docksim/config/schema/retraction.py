"""How base joints of a docking mechanism are retracted: the ways that they go, and the drive that moves them.

A way is a straight line, or a smooth curve through knots. All base joints of a mechanism make the same part of their
ways at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pydantic import Field

from docksim.algebra.elementary import hypot
from docksim.algebra.vec3 import sub
from docksim.config.schema.fields import Part, Positive

Knot = tuple[float, float, float, float]


class RetractionDrive(Part):
    """A screw that pushes all base joints along their ways, and stalls where their loads are beyond its force.

    It goes with x'' = (v - x') / T, v being the way left over 4 T, at most rate_m_s, while force_N suffices for that.
    """

    force_N: Positive = Field(description="Most that it pushes with, for all base joints together [N].")
    rate_m_s: Positive = Field(description="Fastest that it goes [m/s].")
    mass_kg: Positive = Field(description="Mass of its moving parts, motor and gear reflected to the travel [kg].")
    response_s: Positive = Field(
        description="T, time constant of its rate loop [s]: the rate goes to v, and v to the target, within some of it."
    )
    stroke_m: Positive | None = Field(
        None, description="Way of the drive at full retraction [m]; the mean way of the base joints if left out."
    )


def way_faults(knots: Sequence[Sequence[float]] | None, key: str, straight: bool) -> list[tuple[str, str]]:
    """What is wrong with the knots of a way; `straight`: there is a base_travel beside them."""
    if knots is None:
        return []
    if straight:
        return [(key, "excludes base_travel; a way is straight or a curve")]
    if len(knots) < 2:
        return [(key, f"{len(knots)} knots; a curve needs two or more")]
    if any(knots[0]):
        return [(key, f"begins at {list(knots[0])}; the first knot must be all zeros, where the base joint is at home")]
    parts = [knot[0] for knot in knots]
    for number, (before, after) in enumerate(pairwise(parts), 2):
        if not after > before:
            return [(key, f"knot {number} is at part {after:g} of the way, after {before:g}; parts must increase")]
    if parts[-1] != 1.0:
        return [(key, f"ends at part {parts[-1]:g} of the way; the last knot must be at 1")]
    return []


def length_of(knots: Sequence[Knot]) -> float:
    """From knot to knot in straight lines [m]."""
    return sum(hypot(*sub(b[1:], a[1:])) for a, b in pairwise(knots))
